import type { Fingerprint } from './fingerprint';

/** Places of a slot: both halves of a fingerprint, and its number plus 1 (0: the slot is free). */
const SLOT = 3;
const NOT_FOUND = -1;

/**
 * Finds a number by a fingerprint: a hash table in one typed array, 12 bytes a slot. A Map of a million
 * strings would take ten times as much.
 */
export class FingerprintIndex {
	private table: Int32Array;
	private mask: number;
	private size = 0;

	/** @param expected how many fingerprints there will be at least */
	constructor(expected: number) {
		let slots = 16;
		while (slots < expected * 1.5) slots *= 2;
		this.table = new Int32Array(slots * SLOT);
		this.mask = slots - 1;
	}

	/** The number of a fingerprint, or -1. */
	find(fingerprint: Fingerprint): number {
		return this.table[this.slotOf(fingerprint) + 2] - 1;
	}

	/**
	 * Adds a fingerprint unless it is there.
	 *
	 * @param number 0 or more
	 * @returns the number that was there before, or -1
	 */
	findOrAdd(fingerprint: Fingerprint, number: number): number {
		const { table } = this;
		const slot = this.slotOf(fingerprint);
		if (table[slot + 2] !== 0) return table[slot + 2] - 1;
		table[slot] = fingerprint.high;
		table[slot + 1] = fingerprint.low;
		table[slot + 2] = number + 1;
		if (++this.size > this.mask * 0.75) this.grow();
		return NOT_FOUND;
	}

	/** Where a fingerprint is, or the free slot where it would be. */
	private slotOf({ high, low }: Fingerprint): number {
		const { table, mask } = this;
		for (let place = low & mask; ; place = (place + 1) & mask) {
			const slot = place * SLOT;
			if (table[slot + 2] === 0 || (table[slot + 1] === low && table[slot] === high))
				return slot;
		}
	}

	private grow(): void {
		const { table } = this;
		this.table = new Int32Array(table.length * 2);
		this.mask = this.table.length / SLOT - 1;
		this.size = 0;
		for (let slot = 0; slot < table.length; slot += SLOT) {
			if (table[slot + 2] === 0) continue;
			this.findOrAdd({ high: table[slot], low: table[slot + 1] }, table[slot + 2] - 1);
		}
	}
}
