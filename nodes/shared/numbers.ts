/** Steps about phone numbers that operations of several nodes take. */
import type { IDataObject } from 'n8n-workflow';
import { collectionOf } from './http/collectionOf';
import type { Failure } from './http/failure';
import { forEach } from './chunks';
import type { Change, Client } from './run/client';
import { BLACKLIST_ENTRIES, readListedNumber, type BlacklistKind } from './service/blacklists';
import { countOf, listOf } from './service/countOf';
import type { Endpoint } from './service/endpoint';
import { isMissingPath, isNothingFound, meaningOf } from './service/errorCodes';
import { spellings } from './service/number';

/**
 * The numbers of one of the account's blacklists (interface document 4.1), in one spelling. It is fetched
 * once in a run. Entries that are marked as deleted don't count.
 *
 * @throws StepFailed
 */
export async function getListedNumbers(
	blacklist: BlacklistKind,
	client: Client,
): Promise<ReadonlySet<string>> {
	return await client.cached(`listed ${blacklist}`, async () => {
		const get = { endpoint: BLACKLIST_ENTRIES, path: { blacklist } };
		// Nothing but an empty list is an empty blacklist: messages go to who isn't on it.
		const { records } = await client.get(get, collectionOf(readListedNumber));
		const numbers = new Set<string>();
		await forEach(records, (number) => {
			if (number !== null) numbers.add(number);
		});
		return numbers;
	});
}

/**
 * Deletes by phone number, whatever form of it the service has stored: the form that was given, then the
 * others where that finds nothing.
 *
 * @param number as `parseNumber` gives it
 * @param endpoints spellings of the same one, the likeliest first: the next is tried where one does not exist
 */
export function eachSpelling(
	number: string,
	endpoints: readonly Endpoint[],
): NonNullable<Change['search']> {
	return async (attempt) => {
		let nothing: Failure | undefined;
		let other: Failure | undefined;
		for (const identifier of spellings(number)) {
			for (const endpoint of endpoints) {
				const result = await attempt({ endpoint, qs: { identifier } });
				if ('value' in result) return result;
				if (isNothingFound(result)) {
					nothing = result;
					break;
				}
				const mayPass = isMissingPath(result) || meaningOf(result) === 'unreadableNumber';
				if (!mayPass) return result;
				other = result;
			}
		}
		// A path that exists and finds nothing says more than one that doesn't exist.
		return (nothing ?? other)!;
	};
}

/**
 * A line above the results on those of one kind: "2 numbers were not on the blacklist: +33639981231, +33639981232."
 *
 * @param isMeant whether a result is of that kind
 * @param place where they were, or were not
 */
export function thoseThatWere(
	what: string,
	isMeant: (result: IDataObject) => boolean,
	place: string,
) {
	return (results: readonly IDataObject[]): string | undefined => {
		const those = results.filter(isMeant);
		if (those.length === 0) return undefined;
		const names = those.map(({ number, name, id }) => String(number ?? name ?? id));
		const were = those.length === 1 ? 'was' : 'were';
		return `${countOf(those.length, what)} ${were} ${place}: ${listOf(names)}.`;
	};
}

/** The same on what was to be deleted and was not there. */
export function notThere(what: string, where: string) {
	return thoseThatWere(what, ({ deleted }) => deleted === false, `not ${where}`);
}
