import type { IExecuteFunctions, INode } from 'n8n-workflow';
import type { DeduplicationStore } from '../../engine/store.mts';

/** The functions that n8n gives a node for its store of one workflow. */
export function helpersOf(store: DeduplicationStore, id: string): IExecuteFunctions['helpers'] {
	const context = { workflow: { id }, node: { id: 'node' } as INode };
	return {
		checkProcessedAndRecord: async (items: string[], scope: string, options: object) =>
			await store.checkProcessedAndRecord(items, scope, context, options),
		getProcessedDataCount: async (scope: string) =>
			await store.getProcessedDataCount(scope, context),
		removeProcessed: async (items: string[], scope: string) =>
			await store.removeProcessed(items, scope, context),
	} as unknown as IExecuteFunctions['helpers'];
}
