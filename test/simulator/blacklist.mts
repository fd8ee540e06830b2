/** An account blacklist (interface document 2.1). */
import { JsonCollection } from './collection.mts';
import { parseNumber } from './limits.mts';

export type BlacklistKind = 'unsubscribers' | 'bounces';

export interface BlacklistEntry {
	id: string;
	/** The number in E.164, or as it was written where numbers are texts. */
	identifier: string;
	deleted: boolean;
}

/** Ordered entries, found by number. A removed one stays, marked as deleted. */
export class Blacklist {
	readonly entries = new JsonCollection<BlacklistEntry>();
	private index = new Map<string, BlacklistEntry>();
	private indexedVersion = 0;
	/** Entries that aren't in E.164. */
	private readonly inOtherFormats: BlacklistEntry[] = [];

	/** The entry of a number as it is kept, deleted or not. */
	find(written: string): BlacklistEntry | undefined {
		if (this.indexedVersion !== this.entries.version) {
			this.index = new Map(this.entries.items().map((entry) => [entry.identifier, entry]));
			this.indexedVersion = this.entries.version;
		}
		return this.index.get(written);
	}

	/** Looks for a number as it is written. */
	lists(written: string): boolean {
		return this.find(written)?.deleted === false;
	}

	/** Messages to a number in E.164 are refused, whatever way it is written in the list. */
	has(number: string): boolean {
		if (this.lists(number)) return true;
		return this.inOtherFormats.some(
			(entry) => !entry.deleted && parseNumber(entry.identifier) === number,
		);
	}

	/** How many numbers are listed and not deleted. */
	get size(): number {
		const entries = this.entries.items();
		return entries.reduce((total, entry) => total + (entry.deleted ? 0 : 1), 0);
	}

	/** Lists a number as it is written; an entry that it had is used again. */
	add(written: string, createId: () => string): BlacklistEntry {
		const existing = this.find(written);
		if (existing !== undefined) {
			this.setDeleted(existing, false);
			return existing;
		}
		const entry = { id: createId(), identifier: written, deleted: false };
		this.entries.add(entry);
		this.index.set(written, entry);
		if (!written.startsWith('+')) this.inOtherFormats.push(entry);
		this.indexedVersion = this.entries.version;
		return entry;
	}

	/** Marks an entry as deleted, or as listed again. */
	setDeleted(entry: BlacklistEntry, deleted: boolean): void {
		if (entry.deleted === deleted) return;
		entry.deleted = deleted;
		this.entries.changed();
		this.indexedVersion = this.entries.version;
	}
}
