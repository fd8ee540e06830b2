/** 60 bits that stand for a text, in two halves of 30: what fits into numbers without rounding. */
export interface Fingerprint {
	high: number;
	low: number;
}

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
 * @param into written and returned, so that a million calls make no garbage
 */
export function fingerprint(text: string, into: Fingerprint): Fingerprint {
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
	into.high = high >>> 2;
	into.low = low >>> 2;
	return into;
}
