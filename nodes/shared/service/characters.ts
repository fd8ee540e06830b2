/** Marketing and notification messages differ in one character (interface document, section 8). */
export type MessageType = 'marketing' | 'notification';

/** A character that the service refuses, and where it stands (1 = first character). */
export interface RefusedCharacter {
	character: string;
	codePoint: string;
	position: number;
}

/** What was put in the place of a character, and how often; an empty replacement means dropped. */
export interface Replacement {
	character: string;
	replacement: string;
	count: number;
}

/**
 * Interface document, section 8. The space is not in its table but obviously works; line breaks are
 * unverified and sent.
 */
const COMMON =
	'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' +
	'@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^{}~"\\\'' +
	' \n\r';

const ALLOWED: Record<MessageType, ReadonlySet<string>> = {
	marketing: new Set(`${COMMON}€`),
	notification: new Set(`${COMMON}¤`),
};

/** Readable stand-ins where Unicode's own decomposition gives none, or a worse one. */
const STAND_INS: Readonly<Record<string, string>> = {
	...spread('‘’‚‛′´`ʼˈ＇', "'"),
	...spread('“”„‟″«»＂', '"'),
	'‹': "'",
	'›': "'",
	...spread('‐‑‒–—―−⁃•·‣▪●◦', '-'),
	...spread(
		'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t',
		' ',
	),
	...spread(
		'\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufeff',
		'',
	),
	...spread('\u2028\u2029\u0085\u000b\u000c', '\n'),
	'…': '...',
	œ: 'oe',
	Œ: 'OE',
	æ: 'ae',
	Æ: 'AE',
	ß: 'ss',
	ẞ: 'SS',
	ø: 'o',
	Ø: 'O',
	ł: 'l',
	Ł: 'L',
	đ: 'd',
	Đ: 'D',
	ð: 'd',
	Ð: 'D',
	þ: 'th',
	Þ: 'Th',
	ı: 'i',
	ħ: 'h',
	Ħ: 'H',
	'€': 'EUR',
	'¥': 'JPY',
	'¢': 'c',
	'¤': '',
	'[': '(',
	']': ')',
	'°': 'o',
	º: 'o',
	ª: 'a',
	'×': 'x',
	'÷': '/',
	'±': '+/-',
	'≤': '<=',
	'≥': '>=',
	'≠': '!=',
	'≈': '~',
	'→': '->',
	'←': '<-',
	'⇒': '=>',
	'¡': '!',
	'¿': '?',
	'§': 'par. ',
	'¶': '',
	'©': '(c)',
	'®': '(r)',
	'™': '(tm)',
	'¦': '|',
	'‰': ' per mille',
	µ: 'u',
	μ: 'u',
	'⁄': '/',
};

function spread(characters: string, replacement: string): Record<string, string> {
	return Object.fromEntries([...characters].map((character) => [character, replacement]));
}

/**
 * The characters of a message that the service does not take, in order (interface document,
 * section 8).
 */
export function findRefusedCharacters(text: string, type: MessageType): RefusedCharacter[] {
	const refused: RefusedCharacter[] = [];
	let position = 0;
	for (const character of text) {
		position++;
		if (ALLOWED[type].has(character)) continue;
		const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
		refused.push({ character, codePoint: `U+${code}`, position });
	}
	return refused;
}

/**
 * Turns what the service refuses into what it takes: typographic quotes, dashes and spaces, accents
 * and ligatures that its set lacks, symbols with a readable stand-in. Emoji and other signs are
 * dropped. Letters and digits of other scripts are left as they are: dropping them would send
 * another message than the one that was written, so that the caller refuses them.
 *
 * @returns the new text, and each distinct replacement with its count
 */
export function replaceUnsupported(
	text: string,
	type: MessageType,
): { text: string; replacements: Replacement[] } {
	const counts = new Map<string, Replacement>();
	let result = '';
	let droppedBefore = false;
	// Composing first turns e + combining acute into the é that the service knows. A base character
	// and the marks or joiners that follow it are one unit: an emoji of five parts is dropped once.
	for (const unit of text
		.normalize('NFC')
		.replace(/\r\n?/g, '\n')
		.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) {
		const replacement = [...unit].every((character) => ALLOWED[type].has(character))
			? unit
			: standIn(unit, type);
		if (replacement !== unit) {
			const known = counts.get(unit) ?? { character: unit, replacement, count: 0 };
			known.count++;
			counts.set(unit, known);
		}
		// Where something was dropped between two spaces, one space is enough.
		if (replacement === ' ' && droppedBefore && /(^|\s)$/.test(result)) continue;
		if (replacement === '') droppedBefore = true;
		else droppedBefore = false;
		result += replacement;
	}
	if (droppedBefore) result = result.replace(/ +$/, '');
	return { text: result, replacements: [...counts.values()] };
}

function standIn(unit: string, type: MessageType): string {
	const allowed = ALLOWED[type];
	const [base] = unit;
	const candidates = [
		STAND_INS[unit],
		unit.normalize('NFD'),
		STAND_INS[base],
		unit.normalize('NFKD'),
	];
	for (const candidate of candidates) {
		if (candidate === undefined) continue;
		const plain = [...candidate]
			.filter((character) => !/\p{M}/u.test(character))
			.map((character) =>
				allowed.has(character) ? character : (STAND_INS[character] ?? character),
			)
			.join('');
		if (
			[...plain].every((character) => allowed.has(character)) &&
			(plain !== '' || candidate === '')
		) {
			return plain;
		}
	}
	return /[\p{L}\p{N}]/u.test(unit) && !/\p{Extended_Pictographic}/u.test(unit) ? unit : '';
}
