import { DATE_DOUBTS, doubtsAboutDate } from '../service/date';
import { UNEXPECTED, unexpectedIn } from '../service/unexpected';
import type { Schedule } from './allowedHours';
import { describeEmpty, describeLong, emptyFields, longNumbers } from './expressions';
import type { Item } from './item';

/** What to say about what is hardly meant in a message or a campaign, by kind. */
export const DOUBTS = {
	empty: describeEmpty,
	decimals: describeLong,
	...UNEXPECTED,
	...DATE_DOUBTS,
} satisfies Record<string, (found: string) => string>;

/**
 * What is hardly meant in the parameter Message and in 'Send At', by kind.
 *
 * @param typed the text before its characters are replaced
 */
export function doubtsAbout(
	item: Pick<Item, 'parts'>,
	typed: string,
	schedule?: Pick<Schedule, 'chosen' | 'hours'>,
): Record<keyof typeof DOUBTS, readonly string[]> {
	const { midnight, ...others } = doubtsAboutDate(schedule?.chosen?.given);
	return {
		empty: typed.trim() === '' ? [] : emptyFields(item, 'message', typed),
		decimals: longNumbers(item, 'message', typed),
		...unexpectedIn(typed),
		...others,
		// Allowed hours put it off until they begin.
		midnight: schedule?.hours === undefined ? midnight : [],
	};
}
