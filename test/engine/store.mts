import type { INode } from 'n8n-workflow';

/** What a store of n8n is asked, and from where. */
export interface StoreCall {
	workflowId: string;
	kind: 'record' | 'remove';
	items: string[];
}

/**
 * n8n's deduplication store, in memory: what its DeduplicationHelper does with a database row, for the
 * mode that is used here. As there, a call reads the row, and writes it back some time later: of two
 * calls at once the later one wins.
 */
export class DeduplicationStore {
	readonly rows = new Map<string, string[]>();
	/** Set to make every call fail. */
	failure?: Error;
	/**
	 * Comes before a row is read and, with `written`, after it was written. May wait, throw, or never
	 * answer.
	 */
	onCall?: (call: StoreCall, stage: 'read' | 'written') => Promise<void> | void;

	private async change(
		kind: StoreCall['kind'],
		items: string[],
		scope: string,
		{ workflow: { id }, node }: { workflow: { id: string }; node: INode },
		work: (row: string[]) => void,
	): Promise<void> {
		if (this.failure) throw this.failure;
		const call = { workflowId: id, kind, items };
		await this.onCall?.(call, 'read');
		const context = `${id}/${scope === 'node' ? node.id : ''}`;
		const row = [...(this.rows.get(context) ?? [])];
		work(row);
		await new Promise((resolve) => setImmediate(resolve));
		this.rows.set(context, row);
		await this.onCall?.(call, 'written');
	}

	async checkProcessedAndRecord(
		items: string[],
		scope: string,
		context: { workflow: { id: string }; node: INode },
		{ maxEntries }: { maxEntries?: number },
	) {
		const result = { new: [] as string[], processed: [] as string[] };
		await this.change('record', items, scope, context, (row) => {
			const before = new Set(row);
			for (const item of items) {
				result[before.has(item) ? 'processed' : 'new'].push(item);
				if (!before.has(item)) row.push(item);
			}
			if (maxEntries && row.length > maxEntries) row.splice(0, row.length - maxEntries);
		});
		return result;
	}

	async getProcessedDataCount(
		scope: string,
		{ workflow: { id }, node }: { workflow: { id: string }; node: INode },
	) {
		if (this.failure) throw this.failure;
		return await Promise.resolve(
			this.rows.get(`${id}/${scope === 'node' ? node.id : ''}`)?.length ?? 0,
		);
	}

	async removeProcessed(
		items: string[],
		scope: string,
		context: { workflow: { id: string }; node: INode },
	) {
		await this.change('remove', items, scope, context, (row) => {
			for (const item of items) {
				const index = row.indexOf(item);
				if (index !== -1) row.splice(index, 1);
			}
		});
	}
}
