/** Ways out of a fault as a person reads them in its texts, by the rows of the table in docs/delivery.md. */

/** Next steps by the sentence that tells them, in the order in which they are done where a text says several things. */
const WAYS = [
	['raise', /Raise 'Max Credits'/],
	['retry', /(?:Retry|is solved, retry) (?:this|the failed) execution/],
	[
		'repeat',
		/turn '(?:Send Again|Repeat) if Unknown' on under Options, and retry|is on: to repeat it, retry/,
	],
	['again', /Run the workflow again when this is solved/],
	['keys', /Run the workflow again with the same items/],
	[
		'otherKey',
		/If that execution is still running|(?:this item only|only those), with another key/,
	],
	['ask', /(?:Ask the recipient|look there yourself), or retry later/],
	['own', /Wrong data stays wrong in a retry|correct what stands in its way, and retry/],
	[
		'rows',
		/run the workflow with (?:this item only|only those)|Look it up with 'Get Message Status'/i,
	],
	['over', /Nothing is left to do/],
	['look', /'Get (?:Many )?\w+(?: \w+)?' shows|Look at the phone/],
] as const;

/** `nothing`: no text leads on. */
export type Way = (typeof WAYS)[number][0] | 'nothing';

export function wayIn(text: string): Way {
	return WAYS.find(([, said]) => said.test(text))?.[0] ?? 'nothing';
}

/** Statuses of results with which nothing is left to be done. */
export const DONE = ['sent', 'scheduled', 'skipped'];
