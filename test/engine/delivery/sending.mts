/** Runs that send: people to text, SMS over them, retries by a person. */
import type { IDataObject, INode } from 'n8n-workflow';
import { offered, placed } from '../../harness/settings.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { KEY } from './answers.mts';
import { sim } from './service.mts';
import { retrying } from './support.mts';

export * from './service.mts';
export { hintOf, jsonOf, statuses, textOf } from './support.mts';

export const SENDING = ['send', 'sendByUrl', 'sendBatch'];
export const RETRY_ON_FAIL = retrying(3);
export const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };
export const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };
/** A key of its own for each recipient. */
export const once = { onceKey: '={{ $json.to }}' };

/** @returns items for so many recipients, from the `first` on */
export function people(count: number, first = 0): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({
		to: `+336399${String(80_000 + first + index).padStart(5, '0')}`,
		text: 'Bonjour',
	}));
}

/** SMS over these items, one after another. */
export function sms(
	operation: string,
	items: IDataObject[],
	settings: IDataObject = {},
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text }}',
			...placed('Sms', operation, { concurrency: 1, ...settings }),
		},
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		...more,
	};
}

/** Another operation, one item after another where it has several requests under way. */
export function of(
	node: string,
	{ operation, ...parameters }: IDataObject & { operation: string },
	items: IDataObject[] = [{}],
	more: Partial<RunOptions> = {},
): RunOptions {
	const oneByOne = placed(node, operation, offered(node, operation, { concurrency: 1 }));
	return {
		node,
		parameters: { operation, ...oneByOne, ...parameters } as never,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		...more,
	};
}

/** The workflow that a person retries, or what goes on before, and perhaps gives it. */
type Retry = Partial<RunOptions> | (() => Partial<RunOptions> | void);

/** Runs a workflow, and has a person retry its execution. @returns the result of the run, and of each retry */
export async function tries(options: RunOptions, ...retries: Retry[]): Promise<RunResult[]> {
	const results = [await runNode(options)];
	for (const retry of retries) {
		const edited = typeof retry === 'function' ? retry() : retry;
		results.push(await retryExecution(results.at(-1)!, options, edited ?? undefined));
	}
	return results;
}
