/** Part of a text: a link or an e-mail address, or what stands between them. */
interface Piece {
	text: string;
	isLink: boolean;
}

/** Domains that phones take for links without `https://` or `www.`: those that are no French word, or have a path. */
const DOMAIN =
	/(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,5}(?:(?:fr|com|net|org|eu|be|ch|ca|lu|info|io|co|uk|app|shop|bzh|example)(?![\p{L}\p{N}-])|(?:ly|me|to|gl|gd|gg|cc|link|page|store|online|site|pro|re|paris|biz|us|de|es|it|nl|pt|ai|dev|tv)(?=\/))/iu;
const START = /https?:\/\/(?!\[)|www\.(?=[\p{L}\p{N}])/iu;
/** A link ends before these, as phones read it. A closing bracket belongs to it where it was opened in it. */
const CLOSING = new Set(".,;:!?…'’”»)]}\ufffc");
const OPENED: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Splits a text at its links and e-mail addresses. */
export function splitLinks(text: string): Piece[] {
	const pieces: Piece[] = [];
	let end = 0;
	for (const { 0: word, index } of text.matchAll(/[^\s<>"«»“”]+/gu)) {
		const start = startOfLink(word);
		if (start < 0) continue;
		const link = withoutClosing(word.slice(start));
		pieces.push(
			{ text: text.slice(end, index + start), isLink: false },
			{ text: link, isLink: true },
		);
		end = index + start + link.length;
	}
	return [...pieces, { text: text.slice(end), isLink: false }];
}

function startOfLink(word: string): number {
	const hasDot = word.includes('.');
	const start = hasDot || word.includes('://') ? word.search(START) : -1;
	if (start >= 0 || !hasDot) return start;
	const domain = word.search(DOMAIN);
	return domain > 0 && word[domain - 1] === '@' ? startOfMail(word, domain) : domain;
}

function startOfMail(word: string, domain: number): number {
	let start = domain - 1;
	while (start > 0 && /[^\s@:,;()]/.test(word[start - 1])) start--;
	return start;
}

function withoutClosing(link: string): string {
	let { length } = link;
	for (; CLOSING.has(link[length - 1]); length--) {
		const opened = OPENED[link[length - 1]];
		if (opened !== undefined && link.slice(0, length).includes(opened)) break;
	}
	return link.slice(0, length);
}

/** Come along when a link is copied, and are in none. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;

/**
 * Writes a link with characters that a message can have, so that it leads to the same place: its host in ASCII, the
 * rest percent-encoded. What can't be written so stays as it is: e-mail addresses, letters that were lost.
 *
 * @param isAllowed whether a message can have a character
 * @param replaced is told of each change
 */
export function encodeLink(
	link: string,
	isAllowed: (character: string) => boolean,
	replaced: (from: string, to: string) => void,
): string {
	const [, before, host, after] = /^((?:https?:\/\/)?(?:[^/?#]*@)?)([^/?#:]*)(.*)$/isu.exec(
		link,
	)!;
	const characters = (text: string) =>
		Array.from(text, (character) => {
			const isLost = character === '\ufffd' || /\p{Cs}/u.test(character);
			if (isAllowed(character) || isLost) return character;
			const encoded = INVISIBLE.test(character) ? '' : encodeURIComponent(character);
			replaced(character, encoded);
			return encoded;
		}).join('');
	return before + encodeHost(host, isAllowed, replaced) + characters(after);
}

function encodeHost(
	host: string,
	isAllowed: (character: string) => boolean,
	replaced: (from: string, to: string) => void,
): string {
	if ([...host].every(isAllowed) || !URL.canParse(`http://${host}`)) return host;
	const { hostname } = new URL(`http://${host}`);
	replaced(host, hostname);
	return hostname;
}
