/** What recipients of a text would hardly expect, whatever the text is about. */

/** A tag of HTML, or a name in such brackets: <Prénom>. An entity: &eacute; */
const TAG =
	/(?<!<)<\/?\p{L}[\p{L}\w-]{0,20}(?:\s[^<>]{0,200})?\/?>(?!>)|&(?:[a-z]{2,8}|#\d{2,6}|#x[\da-f]{2,6});/giu;
const ESCAPE = /\\[nrt]|\\u[\da-f]{4}/gi;
const TIMESTAMP =
	/(?<![\p{L}\p{N}=/:%])\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]{0,16}(?:Z|[+-]\d\d:?\d\d)?/gu;
/** A byte of UTF-8 behind the first one of a character, as Windows-1252 shows it. */
const NEXT = String.raw`[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]`;
/**
 * A letter of UTF-8 that was read in another encoding: é as Ã©, ł as Å‚, € as â‚¬, a Cyrillic word, an emoji; on an older
 * Mac, é as √©. A word in capitals may end with one of the other letters, in quotes: « CAFÉ ».
 */
const MISREAD = new RegExp(
	`[ÂÃÄÅ]${NEXT}|(?:[\u00c6-\u00df]${NEXT}){2,}|â€${NEXT}?|â${NEXT}{2}|ðŸ${NEXT}{0,2}|√[^\\s\\w(]|‚(?:Ä.|Ç¨)`,
	'g',
);

const PATTERNS = { html: TAG, escape: ESCAPE, timestamp: TIMESTAMP, misread: MISREAD };
type Unexpected = keyof typeof PATTERNS;

/** What to say about what was found. */
export const UNEXPECTED: Readonly<Record<Unexpected, (found: string) => string>> = {
	html: (found) => `Recipients read ${found} as it is: an SMS shows no HTML.`,
	escape: (found) => `Recipients read ${found} as it is, not as a line break or a letter.`,
	timestamp: (found) =>
		`Recipients read ${found} as it is. Write it for people, such as {{ DateTime.fromISO($json.date).toFormat('dd/MM HH:mm') }}.`,
	misread: (found) =>
		`${found} looks like a letter that was read in the wrong encoding. Read the file or the answer as UTF-8.`,
};

/** @returns what was found of each kind, as it is written */
export function unexpectedIn(text: string): Record<Unexpected, readonly string[]> {
	const found = Object.entries(PATTERNS).map(([kind, pattern]) => [
		kind,
		text.match(pattern) ?? [],
	]);
	return Object.fromEntries(found) as Record<Unexpected, readonly string[]>;
}
