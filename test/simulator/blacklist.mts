/** An account blacklist (interface document 2.1). */
import { JsonCollection } from './collection.mts';

export type BlacklistKind = 'unsubscribers' | 'bounces';

export interface BlacklistEntry {
	id: string;
	/** The number in E.164. */
	identifier: string;
	deleted: boolean;
}

/** Ordered entries, found by number. A removed one stays, marked as deleted. */
export class Blacklist {
	readonly entries = new JsonCollection<BlacklistEntry>();
	private index = new Map<string, BlacklistEntry>();
	private indexedVersion = 0;

	/** The entry of a number in E.164, deleted or not. */
	find(number: string): BlacklistEntry | undefined {
		if (this.indexedVersion !== this.entries.version) {
			this.index = new Map(this.entries.items().map((entry) => [entry.identifier, entry]));
			this.indexedVersion = this.entries.version;
		}
		return this.index.get(number);
	}

	/** Whether messages to a number in E.164 are refused. */
	has(number: string): boolean {
		return this.find(number)?.deleted === false;
	}

	/** How many numbers are listed and not deleted. */
	get size(): number {
		const entries = this.entries.items();
		return entries.reduce((total, entry) => total + (entry.deleted ? 0 : 1), 0);
	}

	/** Lists a number; an entry that it had is used again. */
	add(number: string, createId: () => string): BlacklistEntry {
		const existing = this.find(number);
		if (existing !== undefined) {
			this.setDeleted(existing, false);
			return existing;
		}
		const entry = { id: createId(), identifier: number, deleted: false };
		this.entries.add(entry);
		this.index.set(number, entry);
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
