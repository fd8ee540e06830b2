import type { INode } from 'n8n-workflow';
import type { STORE_TIMING } from '../../nodes/Sms/storeTiming.ts';

/** Waiting for the store of once keys, in milliseconds instead of seconds. */
export const SOON: Record<keyof typeof STORE_TIMING, number> = {
	firstPoll: 1,
	longestPoll: 25,
	longestWait: 10_000,
	longestHold: 1_000,
	patience: 20,
	silence: 1_100,
	sending: 100,
	latestWrite: 20,
};

/** A call of n8n's store, and where it comes from. */
export interface StoreCall {
	workflowId: string;
	kind: 'record' | 'remove' | 'lock' | 'unlock';
	items: string[];
}

type Scope = 'node' | 'workflow';
interface Place {
	workflow: { id: string };
	node: INode;
}
interface Options {
	mode: string;
	maxEntries?: number;
}

/**
 * n8n's deduplication store, in memory: what its DeduplicationHelper does with the rows of a database, for the
 * modes that are used here. As there, a call reads a row, and writes it back some time later: of two calls at
 * once the later one wins. But to insert a row that is there by then fails, as the primary key has it.
 */
export class DeduplicationStore {
	/** The entries of the rows, and the number of each that is a lock. */
	readonly rows = new Map<string, string[]>();
	readonly locks = new Map<string, number>();
	/** Set to make every call fail. */
	failure?: Error;
	/**
	 * Comes before a row is read and, with `written`, after it was written. May wait, throw, or never
	 * answer.
	 */
	onCall?: (call: StoreCall, stage: 'read' | 'written') => Promise<void> | void;

	/** As it was in the beginning. */
	clear(): void {
		this.rows.clear();
		this.locks.clear();
	}

	/** @param work changes the row as it was read, and says what is to be written */
	private async change<T>(
		kind: StoreCall['kind'],
		items: ReadonlyArray<string | number>,
		{ workflow: { id } }: Place,
		work: () => () => T,
	): Promise<T> {
		if (this.failure) throw this.failure;
		const call = { workflowId: id, kind, items: items.map(String) };
		await this.onCall?.(call, 'read');
		const write = work();
		await new Promise((resolve) => setImmediate(resolve));
		const result = write();
		await this.onCall?.(call, 'written');
		return result;
	}

	async checkProcessedAndRecord(
		items: ReadonlyArray<string | number>,
		scope: Scope,
		place: Place,
		{ mode, maxEntries }: Options,
	): Promise<{ new: unknown[]; processed: unknown[] }> {
		const at = contextOf(scope, place);
		if (mode === 'latestIncrementalKey') return await this.raise(items as number[], at, place);
		return await this.change('record', items, place, () => {
			this.validateMode(at, mode);
			const isThere = this.rows.has(at);
			const row = [...(this.rows.get(at) ?? [])];
			const before = new Set(row);
			const result = { new: [] as unknown[], processed: [] as unknown[] };
			for (const item of items.map(String)) {
				result[before.has(item) ? 'processed' : 'new'].push(item);
				if (!before.has(item)) row.push(item);
			}
			if (maxEntries && row.length > maxEntries) row.splice(0, row.length - maxEntries);
			return () => {
				if (!isThere && this.rows.has(at)) throw new Error(UNIQUE);
				this.rows.set(at, row);
				return result;
			};
		});
	}

	/** The largest number is kept. A row that is gone by then is not updated. */
	private async raise(items: number[], at: string, place: Place) {
		return await this.change('lock', items, place, () => {
			this.validateMode(at, 'latestIncrementalKey');
			const before = this.locks.get(at);
			const largest = Math.max(before ?? 0, ...items);
			return () => {
				if (before === undefined && this.locks.has(at)) throw new Error(UNIQUE);
				if (before === undefined || this.locks.has(at)) this.locks.set(at, largest);
				return {
					new: items.filter((item) => before === undefined || item > before),
					processed: items.filter((item) => before !== undefined && item <= before),
				};
			};
		});
	}

	private validateMode(at: string, mode: string): void {
		if (mode === 'entries' ? !this.locks.has(at) : !this.rows.has(at)) return;
		throw new Error(
			'Deduplication data was originally saved with an incompatible setting of the ‘Keep Items Where’ parameter. Try ’Clean Database’ operation to reset.',
		);
	}

	async clearAllProcessedItems(scope: Scope, place: Place): Promise<void> {
		await this.change('unlock', [], place, () => () => {
			this.locks.delete(contextOf(scope, place));
			this.rows.delete(contextOf(scope, place));
		});
	}

	async getProcessedDataCount(scope: Scope, place: Place): Promise<number> {
		if (this.failure) throw this.failure;
		return await Promise.resolve(this.rows.get(contextOf(scope, place))?.length ?? 0);
	}

	async removeProcessed(items: string[], scope: Scope, place: Place): Promise<void> {
		await this.change('remove', items, place, () => {
			const at = contextOf(scope, place);
			const gone = new Set(items);
			const row = (this.rows.get(at) ?? []).filter((item) => !gone.has(item));
			return () => {
				if (this.rows.has(at)) this.rows.set(at, row);
			};
		});
	}
}

const UNIQUE =
	'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.workflowId, processed_data.context';

function contextOf(scope: Scope, { workflow: { id }, node }: Place): string {
	return `${id}/${scope === 'node' ? node.id : ''}`;
}
