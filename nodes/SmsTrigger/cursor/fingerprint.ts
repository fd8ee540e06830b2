import { DIGITS } from './records';

/** Characters of a fingerprint. */
export const WIDTH = 10;

const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/** The final mix of MurmurHash3: each bit of the input reaches each bit of the output. */
function scatter(word: number): number {
	let mixed = word ^ (word >>> 16);
	mixed = Math.imul(mixed, 0x85ebca6b);
	mixed ^= mixed >>> 13;
	mixed = Math.imul(mixed, 0xc2b2ae35);
	return mixed ^ (mixed >>> 16);
}

/**
 * The fingerprint of a text of any length: two lanes of MurmurHash3 (x86, 128 bits), two characters
 * at a time, shortened to 60 bits. A checksum, not for secrets.
 *
 * Why 60 bits: a new entry whose fingerprint equals a known one would never be emitted. With
 * 1,000,000 known entries that happens to one new entry in a trillion (1,000,000 / 2^60); with 48
 * bits it would be one in 280 million.
 *
 * @returns 10 digits of 6 bits; each part of them is a shorter fingerprint
 */
export function fingerprint(text: string): string {
	let high = 0x9747b28c;
	let low = 0x3c6ef372;
	for (let at = 0; at < text.length; at += 2) {
		// Beyond the end charCodeAt gives NaN, which counts as 0; the length is mixed in below.
		const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
		high ^= Math.imul(rotate(Math.imul(pair, 0x239b961b), 15), 0xab0e9789);
		high = (Math.imul((rotate(high, 19) + low) | 0, 5) + 0x561ccd1b) | 0;
		low ^= Math.imul(rotate(Math.imul(pair, 0x38b34ae5), 17), 0xa1e38b93);
		low = (Math.imul((rotate(low, 13) + high) | 0, 5) + 0x0bcaa747) | 0;
	}
	high ^= text.length;
	low ^= text.length;
	high = (high + low) | 0;
	low = (low + high) | 0;
	high = scatter(high);
	low = scatter(low);
	high = (high + low) | 0;
	low = (low + high) | 0;
	return digitsOf(high >>> 2) + digitsOf(low >>> 2);
}

/** 30 bits as 5 digits. */
function digitsOf(bits: number): string {
	return String.fromCharCode(
		CODES[bits >>> 24],
		CODES[(bits >>> 18) & 63],
		CODES[(bits >>> 12) & 63],
		CODES[(bits >>> 6) & 63],
		CODES[bits & 63],
	);
}
