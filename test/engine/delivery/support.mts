/** Readers of all that a run shows and stores, for the tests of delivery. */
import type { IDataObject, IExecuteFunctions, INode, INodeType } from 'n8n-workflow';
import { typeOf, type RunOptions, type RunResult } from '../harness.mts';

export { hurry } from '../harness.mts';

/** A node of n8n's, or of another package, that uses our credential for one request. */
export function otherNode(
	request: (this: IExecuteFunctions) => Promise<unknown>,
): Pick<RunOptions, 'node' | 'type' | 'parameters'> {
	const credentials = [{ name: 'smsServiceApi', required: true }];
	const type: INodeType = {
		...typeOf('other', { inputs: ['main'], credentials }),
		async execute() {
			return [[{ json: { answer: await request.call(this) } as IDataObject }]];
		},
	};
	return { node: 'Other', type, parameters: {} };
}

/** One item in a stored execution: accepted, with its snapshot, or unknown. */
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

/** Items that the error of a stopped run lists. */
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

/** The items of a result, without what n8n adds. */
export const jsonOf = ({ items }: Pick<RunResult, 'items'>) => items.map(({ json }) => json);
export const statuses = (result: RunResult) => jsonOf(result).map(({ status }) => status);
export const hintOf = ({ hints = [] }: RunResult) => hints.map(({ message }) => message).join('\n');
export const textOf = ({ error }: RunResult) => `${error?.message}\n${error?.description}`;
