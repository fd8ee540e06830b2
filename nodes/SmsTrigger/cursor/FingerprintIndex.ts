import type { Fingerprint } from './fingerprint';

const FREE = -1;

/**
 * Finds a number by a fingerprint: a hash table in typed arrays, 12 bytes a slot, because a Map of a
 * million strings would take ten times as much.
 */
export class FingerprintIndex {
	private high: Uint32Array;
	private low: Uint32Array;
	private numbers: Int32Array;
	private mask: number;
	private size = 0;

	/** @param expected how many fingerprints there will be at least */
	constructor(expected: number) {
		let slots = 16;
		while (slots < expected * 1.5) slots *= 2;
		this.high = new Uint32Array(slots);
		this.low = new Uint32Array(slots);
		this.numbers = new Int32Array(slots).fill(FREE);
		this.mask = slots - 1;
	}

	/** The number of a fingerprint, or -1. */
	find(fingerprint: Fingerprint): number {
		return this.numbers[this.slotOf(fingerprint)];
	}

	/**
	 * Adds a fingerprint unless it is there.
	 *
	 * @param number 0 or more
	 * @returns the number that was there before, or -1
	 */
	findOrAdd(fingerprint: Fingerprint, number: number): number {
		const slot = this.slotOf(fingerprint);
		const found = this.numbers[slot];
		if (found !== FREE) return found;
		this.high[slot] = fingerprint.high;
		this.low[slot] = fingerprint.low;
		this.numbers[slot] = number;
		if (++this.size > this.mask * 0.75) this.grow();
		return FREE;
	}

	private slotOf({ high, low }: Fingerprint): number {
		let slot = low & this.mask;
		while (
			this.numbers[slot] !== FREE &&
			(this.low[slot] !== low || this.high[slot] !== high)
		) {
			slot = (slot + 1) & this.mask;
		}
		return slot;
	}

	private grow(): void {
		const { high, low, numbers } = this;
		const slots = numbers.length * 2;
		this.high = new Uint32Array(slots);
		this.low = new Uint32Array(slots);
		this.numbers = new Int32Array(slots).fill(FREE);
		this.mask = slots - 1;
		this.size = 0;
		numbers.forEach((number, slot) => {
			if (number !== FREE) this.findOrAdd({ high: high[slot], low: low[slot] }, number);
		});
	}
}
