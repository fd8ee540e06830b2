import type { Failure } from '../http/failure';
import type { Endpoint } from '../service/endpoint';
import { isMissingPath, isNothingFound, meaningOf } from '../service/errorCodes';
import { spellings } from '../service/number';
import type { Change } from './client';

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
		let candidates = endpoints;
		let nothing: Failure | undefined;
		let other: Failure | undefined;
		for (const identifier of spellings(number)) {
			for (const endpoint of candidates) {
				const result = await attempt({ endpoint, qs: { identifier } });
				if ('value' in result) return result;
				if (isNothingFound(result)) {
					nothing = result;
					candidates = [endpoint];
					break;
				}
				const isMissing = isMissingPath(result);
				if (!isMissing && meaningOf(result) !== 'unreadableNumber') return result;
				other = result;
				// Without words of the service, it may be the number that is missing.
				if (isMissing && result.said !== undefined) {
					candidates = candidates.filter((candidate) => candidate !== endpoint);
				}
			}
		}
		// A path that exists and finds nothing says more than one that doesn't exist.
		return (nothing ?? other)!;
	};
}
