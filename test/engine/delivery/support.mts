/** What the tests of delivery share: the readers of what a run shows and stores. */
import type { IDataObject, IExecuteFunctions, INode, INodeType } from 'n8n-workflow';
import type { RunOptions, RunResult } from '../harness.mts';

export { hurry } from '../harness.mts';

/** A node of n8n's, or of another package, that uses our credential for one request. */
export function otherNode(
	request: (this: IExecuteFunctions) => Promise<unknown>,
): Pick<RunOptions, 'node' | 'type' | 'parameters'> {
	const type: INodeType = {
		description: {
			displayName: 'Other',
			name: 'other',
			group: ['output'],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: 'smsServiceApi', required: true }],
			properties: [],
		},
		async execute() {
			return [[{ json: { answer: await request.call(this) } as IDataObject }]];
		},
	};
	return { node: 'Other', type, parameters: {} };
}

/** What a stored execution knows of one item: accepted, with its snapshot, or unknown. */
export interface StoredReceipt {
	run: number;
	item: number;
	snapshotId?: string;
}

/** The receipts in the stored node context: the one place in the tests that knows their form. */
export function storedReceipts({ data }: Pick<RunResult, 'data'>): StoredReceipt[] {
	const contexts = Object.values(data.executionData?.contextData ?? {}) as Array<{
		smsReceipts?: {
			changes: Record<
				string,
				Record<string, Array<[number, { snapshotId?: string } | null]>>
			>;
		};
	}>;
	return contexts.flatMap(({ smsReceipts }) =>
		Object.values(smsReceipts?.changes ?? {}).flatMap((ofTarget) =>
			Object.entries(ofTarget).flatMap(([key, entries]) => {
				const [run, item] = key.split(':').map(Number);
				return entries.map(([, kept]) => ({ run, item, snapshotId: kept?.snapshotId }));
			}),
		),
	);
}

/** n8n offers "Retry execution" for what failed or was stopped in the middle. */
export function retryable({ run, data }: RunResult): boolean {
	return run.status !== 'success' && data.executionData!.nodeExecutionStack.length > 0;
}

/** What the error of a stopped run lists. */
export function listedIn(error: RunResult['error']): {
	accepted?: Array<{ item: number; snapshotId?: string }>;
	unknown?: Array<{ item: number }>;
} {
	return (error?.context?.data ?? {}) as never;
}

/** The items of a run that may have been carried out, in order. */
export function unknownIn({ error, items, errorItems }: RunResult): number[] {
	const shown = [...items, ...errorItems].filter(({ json }) => json.status === 'unknown');
	const indexes = shown.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	return [...(listedIn(error).unknown ?? []).map(({ item }) => item), ...indexes].sort();
}

/** The snapshots of what a failed run has sent, in item order. */
export function acceptedIn({ error }: RunResult): Array<string | undefined> {
	return (listedIn(error).accepted ?? []).map(({ snapshotId }) => snapshotId);
}

/** n8n's Retry On Fail. */
export function retrying(tries: number): Partial<INode> {
	return { retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1 };
}
