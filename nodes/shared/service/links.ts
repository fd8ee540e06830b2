import { PASTED } from './InputError';

/**
 * Part of a text. A link or an e-mail address with another letter in it leads elsewhere.
 */
interface Piece {
	text: string;
	kind: 'text' | 'link' | 'address';
}

/**
 * A host in a sentence has one case: behind a full stop without a blank, the next sentence begins with a capital. No list
 * of endings tells the two apart, since nearly every short word is one.
 */
const HOST = [
	String.raw`[\p{L}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}-]{0,62}(?:\.[\p{Ll}\p{Lo}\p{M}\p{N}-]{1,63}){0,7}\.[a-z]{2,24}`,
	String.raw`[\p{Lu}\p{N}][\p{Lu}\p{M}\p{N}-]{0,62}(?:\.[\p{Lu}\p{M}\p{N}-]{1,63}){0,7}\.[A-Z]{2,24}`,
].join('|');
const LINK = [
	String.raw`[a-zA-Z][a-zA-Z\d+-]{1,30}:\/\/(?!\[)`,
	String.raw`(?<![\p{L}\p{N}])[wW]{3}\.(?=[\p{L}\p{N}])`,
	String.raw`(?<![\p{L}\p{M}\p{N}@])(?:${HOST}|localhost)(?::\d{2,5})?(?:\/|\?[\w.[\]-]{1,40}=)`,
].join('|');
const ADDRESS = String.raw`(?<![\p{L}\p{M}\p{N}._%+-])[\p{L}\p{M}\p{N}._%+-]{1,64}@(?:${HOST})(?![\p{L}\p{N}])`;
const PIECE = new RegExp(`(?<link>(?:${LINK})[^\\s<>"«»“”]*)|${ADDRESS}`, 'gu');

/** A link ends before these, as phones read it. A closing bracket belongs to it where it was opened in it. */
const CLOSING = new Set(".,;:!?…'’”»)]}\ufffc");
const OPENED: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/**
 * Splits a text at its links and e-mail addresses. A link has `https://` or another scheme, `www.`, or a path behind a
 * host; everything else is text.
 */
export function splitLinks(text: string): Piece[] {
	const pieces: Piece[] = [];
	let end = 0;
	for (const { 0: found, index, groups } of text.matchAll(PIECE)) {
		const isLink = groups!.link !== undefined;
		const piece = isLink ? withoutClosing(found) : found;
		pieces.push(
			{ text: text.slice(end, index), kind: 'text' },
			{ text: piece, kind: isLink ? 'link' : 'address' },
		);
		end = index + piece.length;
	}
	return [...pieces, { text: text.slice(end), kind: 'text' }];
}

function withoutClosing(link: string): string {
	let { length } = link;
	for (; CLOSING.has(link[length - 1]); length--) {
		const opened = OPENED[link[length - 1]];
		if (opened !== undefined && link.slice(0, length).includes(opened)) break;
	}
	return link.slice(0, length);
}

/**
 * Writes a link with characters that a message can have, so that it leads to the same place: its host in ASCII, the
 * rest percent-encoded. What can't be written so stays as it is: a user's name before the host, letters that were lost.
 *
 * @param isAllowed whether a message can have a character
 * @param replaced is told of each change
 */
export function encodeLink(
	link: string,
	isAllowed: (character: string) => boolean,
	replaced: (from: string, to: string) => void,
): string {
	const [, before, host, after] = /^((?:[a-z\d+-]+:\/\/)?(?:[^/?#]*@)?)([^/?#:]*)(.*)$/isu.exec(
		link,
	)!;
	const hostname =
		[...host].every(isAllowed) || !URL.canParse(`http://${host}`)
			? host
			: new URL(`http://${host}`).hostname;
	if (hostname !== host) replaced(host, hostname);
	const rest = Array.from(after, (character) => {
		const isLost = character === '\ufffd' || /\p{Cs}/u.test(character);
		if (isAllowed(character) || isLost) return character;
		const encoded = PASTED.test(character) ? '' : encodeURIComponent(character);
		replaced(character, encoded);
		return encoded;
	});
	return before + hostname + rest.join('');
}
