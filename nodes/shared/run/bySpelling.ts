import type { Failure } from '../http/failure';
import { isMissingPath, isNothingFound, meaningOf } from '../service/errorCodes';
import { spellings } from '../service/number';
import type { Attempted, Deletion } from './Requests';

/**
 * Deletes by phone number, whatever form of it the service has stored: the form that was given, then the
 * others where that finds nothing.
 *
 * @param number as `parseNumber` gives it
 * @param paths of the same endpoint, the likeliest first: the next is tried where one does not exist
 */
export function eachSpelling(
	number: string,
	paths: readonly string[],
): NonNullable<Deletion['search']> {
	return async (attempt) => {
		let candidates = paths;
		let nothing: Failure | undefined;
		let other: Failure | undefined;
		for (const identifier of spellings(number)) {
			for (const url of candidates) {
				const result: Attempted = await attempt({ url, qs: { identifier } });
				if ('value' in result) return result;
				if (isNothingFound(result)) {
					nothing = result;
					candidates = [url];
					break;
				}
				const isMissing = isMissingPath(result);
				if (!isMissing && meaningOf(result) !== 'unreadableNumber') return result;
				other = result;
				// Without words of the service, it may be the number that is missing.
				if (isMissing && result.said !== undefined) {
					candidates = candidates.filter((path) => path !== url);
				}
			}
		}
		// A path that exists and finds nothing says more than one that doesn't exist.
		return (nothing ?? other)!;
	};
}
