import { encodeLink, splitLinks } from './links';
import { remember } from './remember';

/** Marketing and notification messages differ in one character (interface document, section 8). */
export type MessageType = 'marketing' | 'notification';

/** A character that the service refuses, as a person sees it: an emoji of five parts is one. */
export interface RefusedCharacter {
	character: string;
	/** Such as U+2019; of several parts, such as U+2764 U+FE0F. */
	codePoint: string;
	/** 1 = first character. */
	position: number;
}

/** The replacement of a character; an empty one means dropped. */
export interface Replacement {
	character: string;
	replacement: string;
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
	...spread('‘’‚‛′´`ʼˈ＇‹›', "'"),
	...spread('“”„‟″«»＂', '"'),
	...spread('‐‑‒–—―−⁃•·‣▪●◦', '-'),
	...spread(
		'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t',
		' ',
	),
	...spread(
		'\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufeff¶',
		'',
	),
	...spread('\u2028\u2029\u0085\u000b\u000c', '\n'),
	'…': '...',
	...pairs('œ oe Œ OE æ ae Æ AE ß ss ẞ SS ø o Ø O ł l Ł L đ d Đ D ð d Ð D þ th Þ Th ı i ħ h Ħ H'),
	...pairs('€ EUR ¢ c ₹ INR ₽ RUB ₺ TRY ₩ KRW ₪ ILS ₫ VND ₦ NGN ₴ UAH ₱ PHP ฿ THB ₿ BTC ₤ £'),
	...pairs(
		'[ ( ] ) ° o ℃ C ℉ F º o ª a × x ÷ / ± +/- ≤ <= ≥ >= ≠ != ≮ >= ≯ <= ≈ ~ → -> ← <- ⇒ =>',
	),
	...pairs('¡ ! ¿ ? © (c) ® (r) ™ (tm) ¦ | µ u μ u ⁄ /'),
	'§': 'par. ',
	'‰': ' per mille',
};

/**
 * One character as a person sees it: an emoji with its variants and joined parts, a flag, or a base
 * character with the marks on it.
 */
const UNITS = new RegExp(
	[
		String.raw`${emojiPart()}(?:\u200d${emojiPart()})*`,
		String.raw`[\u{1F1E6}-\u{1F1FF}]{2}`,
		String.raw`\P{M}\p{M}*`,
		String.raw`\p{M}+`,
	].join('|'),
	'gu',
);

function emojiPart(): string {
	return String.raw`\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\u{E0020}-\u{E007F}]*`;
}

/** Of a line in which each character stands before its stand-in. */
function pairs(line: string): Record<string, string> {
	return Object.fromEntries(
		[...line.matchAll(/(\S{1,9}) (\S{1,9})/g)].map(([, from, to]) => [from, to]),
	);
}

function spread(characters: string, replacement: string): Record<string, string> {
	return Object.fromEntries([...characters].map((character) => [character, replacement]));
}

/**
 * The characters of a message that the service does not take, in order (interface document,
 * section 8).
 */
export function findRefusedCharacters(text: string, type: MessageType): RefusedCharacter[] {
	return (text.match(UNITS) ?? []).flatMap((character, index) =>
		ALLOWED[type].has(character)
			? []
			: [{ character, codePoint: codePointsOf(character), position: index + 1 }],
	);
}

/** Such as `U+2764 U+FE0F`. */
export function codePointsOf(text: string): string {
	return Array.from(text, (character) => {
		const code = character.codePointAt(0)!.toString(16).toUpperCase();
		return `U+${code.padStart(4, '0')}`;
	}).join(' ');
}

/** More than a character has in any language, and than Unicode's own limit for one (UAX #15, 12). */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;
/** How much of the text before a character decides what takes its place. */
const LOOKED_BACK = 20;
/** In the place of half of an emoji: dropped like other signs. */
const HALF = '\ufffc';

/**
 * Turns what the service refuses into what it takes: typographic quotes, dashes and spaces, accents
 * and ligatures that its set lacks, symbols with a readable stand-in. Emoji, halves of them and other
 * signs are dropped. Links are percent-encoded, so that they lead to the same place. Letters and digits
 * of other scripts, lost letters, currency signs without a stand-in (¥ is one of two) and e-mail addresses with a letter that can't be
 * sent are left as they are: anything else would send another message than the one that was written, so that the caller
 * refuses them.
 *
 * @returns the new text, and each distinct replacement
 */
export function replaceUnsupported(
	text: string,
	type: MessageType,
): { text: string; replacements: Replacement[] } {
	const replaced = new Map<string, Replacement>();
	const note = (unit: string, replacement: string) => {
		const character = unit === HALF ? '\ufffd' : unit;
		replaced.set(`${character}\n${replacement}`, { character, replacement });
	};
	let result = '';
	let before = '';
	let droppedBefore = false;
	const add = (written: string) => {
		droppedBefore = written === '';
		result += written;
		before = (before + written).slice(-LOOKED_BACK);
	};
	const pieces = splitLinks(text.replace(/\p{Cs}/gu, HALF).replace(/\r\n?/g, '\n'));
	for (const [place, piece] of pieces.entries()) {
		if (piece.kind === 'link') {
			add(encodeLink(piece.text, (one) => ALLOWED[type].has(one), note));
			continue;
		}
		// Composing turns e + combining acute into the é that the service knows. It sorts the marks of a
		// character, in a time that grows with the square of their number.
		const composed = piece.text.replace(TOO_MANY_MARKS, '$1').normalize('NFC');
		const units = composed.match(UNITS) ?? [];
		if (piece.kind === 'address' && units.some((unit) => isOtherLetter(unit, type))) {
			add(composed);
			continue;
		}
		for (const [index, unit] of units.entries()) {
			let replacement = standIn(unit, type);
			if (replacement !== unit) {
				const next = units[index + 1] ?? pieces[place + 1]?.text ?? '';
				replacement = keepApart(before, unit, replacement, next);
				if (replacement !== unit) note(unit, replacement);
			}
			// Where something was dropped between two spaces, one space is enough.
			if (replacement === ' ' && droppedBefore && /(^|\s)$/.test(before)) continue;
			add(replacement);
		}
	}
	if (droppedBefore) result = result.replace(/(?<! ) +$/, '');
	return { text: result, replacements: [...replaced.values()] };
}

/** A letter or digit that is sent as another one. */
function isOtherLetter(unit: string, type: MessageType): boolean {
	return /[\p{L}\p{N}]/u.test(unit) && standIn(unit, type) !== unit;
}

const SUPERSCRIPT = /^[²³¹⁰⁴-⁹]/;
/** ½, ①: numbers, but no digits of a longer number as superscripts and subscripts are. */
const NUMBER_OF_ITS_OWN = /^(?![⁰⁴-⁹₀-₉²³¹])\p{No}/u;

/**
 * Adds what keeps a stand-in from running into its neighbours: 1½ must not become 11/2, nor 10² 102,
 * and a symbol that is dropped between two words leaves a space. Within a number, as in 14∶30, a sign that isn't an emoji
 * stays, so that the caller refuses it.
 *
 * @param before the end of the text so far
 */
function keepApart(before: string, unit: string, replacement: string, next: string): string {
	if (replacement === '') {
		const isVisible = /^[^\p{M}\p{C}\p{Z}]/u.test(unit);
		const isInNumber = /\d$/.test(before) && /^\d/.test(next);
		if (isInNumber && isVisible && !/\p{Extended_Pictographic}/u.test(unit)) return unit;
		const joins = /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(next);
		return isVisible && joins ? ' ' : '';
	}
	const afterDigit = /\d$/.test(before);
	if (unit === '°' && /\d ?$/.test(before)) {
		// 20o would read as 200.
		return /^[CF]/.test(next) ? '' : `${afterDigit ? ' ' : ''}deg`;
	}
	if (SUPERSCRIPT.test(unit) && afterDigit && !/\^\d+$/.test(before)) return `^${replacement}`;
	if (!NUMBER_OF_ITS_OWN.test(unit)) return replacement;
	return `${afterDigit ? ' ' : ''}${replacement}${/^\d/.test(next) ? ' ' : ''}`;
}

const standIn = remember((unit: string, type: MessageType): string => {
	const allowed = ALLOWED[type];
	if (allowed.has(unit)) return unit;
	const candidates = [
		STAND_INS[unit],
		unit.normalize('NFD'),
		STAND_INS[unit[0]],
		unit.normalize('NFKD'),
	];
	for (const candidate of candidates) {
		const plain = Array.from((candidate ?? '').replace(/\p{M}/gu, ''), (character) =>
			allowed.has(character) ? character : (STAND_INS[character] ?? character),
		).join('');
		if (plain !== '' && [...plain].every((character) => allowed.has(character))) return plain;
	}
	return /[\p{L}\p{N}\p{Sc}\ufffd]/u.test(unit) && !/\p{Extended_Pictographic}/u.test(unit)
		? unit
		: '';
});
