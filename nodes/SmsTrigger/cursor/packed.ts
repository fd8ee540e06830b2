import type { Fingerprint } from './fingerprint';

/**
 * Fingerprints as text, one after the other, 10 characters each: what JSON and n8n's database keep
 * in 10 bytes, without escapes.
 */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const DIGIT_CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
const VALUES = new Uint8Array(128);
DIGIT_CODES.forEach((code, value) => (VALUES[code] = value));

/** Characters of one fingerprint. */
export const WIDTH = 10;
const HALF = 5;
/** What String.fromCharCode takes at once without filling the stack. */
const SLICE = 8_192;

/** Whether a value is fingerprints in this form; anything else is not ours, or damaged. */
export function isPacked(value: unknown, width = WIDTH): value is string {
	return typeof value === 'string' && value.length % width === 0 && /^[\w-]*$/.test(value);
}

/** A number of `digits` times 6 bits, read from a text. */
export function readNumber(text: string, at: number, digits: number): number {
	let value = 0;
	for (let end = at + digits; at < end; at++) value = value * 64 + VALUES[text.charCodeAt(at)];
	return value;
}

/** The counterpart of `readNumber`. */
export function writeNumber(value: number, digits: number): string {
	let text = '';
	for (let rest = value; text.length < digits; rest = Math.floor(rest / 64)) {
		text = DIGITS[rest % 64] + text;
	}
	return text;
}

/** Reads the fingerprint that begins at a character. */
export function readFingerprint(text: string, at: number, into: Fingerprint): Fingerprint {
	into.high = readNumber(text, at, HALF);
	into.low = readNumber(text, at + HALF, HALF);
	return into;
}

/** Collects fingerprints, in order. */
export class Packer {
	private bytes = new Uint8Array(64 * WIDTH);
	private length = 0;

	add({ high, low }: Fingerprint): void {
		if (this.length + WIDTH > this.bytes.length) {
			const larger = new Uint8Array(this.bytes.length * 2);
			larger.set(this.bytes);
			this.bytes = larger;
		}
		this.write(high);
		this.write(low);
	}

	private write(half: number): void {
		for (let shift = 6 * (HALF - 1); shift >= 0; shift -= 6) {
			this.bytes[this.length++] = DIGIT_CODES[(half >>> shift) & 63];
		}
	}

	toString(): string {
		let text = '';
		for (let at = 0; at < this.length; at += SLICE) {
			const slice = this.bytes.subarray(at, Math.min(at + SLICE, this.length));
			text += String.fromCharCode.apply(null, slice as unknown as number[]);
		}
		return text;
	}
}
