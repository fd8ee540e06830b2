import type { IExecuteFunctions, INode } from 'n8n-workflow';
import type { DeduplicationStore } from '../../engine/store.mts';

/** The functions that n8n gives a node for its store of one workflow. */
export function helpersOf(
	store: DeduplicationStore,
	id: string,
	node = 'node',
): IExecuteFunctions['helpers'] {
	const place = { workflow: { id }, node: { id: node } as INode };
	return {
		checkProcessedAndRecord: async (items: string[], scope: 'node', options: never) =>
			await store.checkProcessedAndRecord(items, scope, place, options),
		getProcessedDataCount: async (scope: 'node') =>
			await store.getProcessedDataCount(scope, place),
		removeProcessed: async (items: string[], scope: 'node') =>
			await store.removeProcessed(items, scope, place),
		clearAllProcessedItems: async (scope: 'node') =>
			await store.clearAllProcessedItems(scope, place),
	} as unknown as IExecuteFunctions['helpers'];
}
