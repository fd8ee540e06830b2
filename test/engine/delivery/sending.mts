/** Helpers of the tests of sending: one simulator for a file, people to text, faults, and what phones got. */
import type { IDataObject, INode } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { offered, placed } from '../../harness/settings.mts';
import type { FaultAction } from '../../simulator/index.mts';
import {
	deduplicationStore,
	retryExecution,
	runNode,
	wires,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import type { StoreCall } from '../store.mts';
import { ANSWERS, KEY, type AnswerName } from './answers.mts';
import { hurry } from './support.mts';

hurry();
export const sim = await useSimulator({ apiKey: KEY, extended: true });

/** Comes before n8n's store of once keys reads, and after it wrote; gone with the test. */
export const hooks: {
	store?: (stage: 'read' | 'written', call: StoreCall) => Promise<void> | void;
} = {};
const before = deduplicationStore.onCall;
deduplicationStore.onCall = async (call, stage) =>
	await (hooks.store?.(stage, call) ?? before?.(call, stage));
beforeEach(() => {
	wires.clear();
	deduplicationStore.clear();
	deduplicationStore.failure = undefined;
	delete hooks.store;
});

export const SENDING = ['send', 'sendByUrl', 'sendBatch'];
export const SEND = /\/messages\/send$/;
export const RETRY_ON_FAIL: Partial<INode> = {
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
};
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

/** Has the service answer the n-th send like this, and all that follow unless `times` is given. */
export function answer(name: AnswerName, { skip = 0, times = Infinity } = {}): void {
	const { do: action } = ANSWERS[name] as { do?: FaultAction };
	sim.faults.add({ path: SEND, skip, times, do: action! });
}

/** The service shows none of the messages that it has accepted. */
export function hideMessages(): void {
	const body = { code: 16, error: 'No message found' };
	sim.faults.add({
		path: /messages\/status$/,
		times: Infinity,
		do: { kind: 'json', status: 404, body },
	});
}

/** Requests in which a text occurs go wrong. */
export function spoil(text: string, action: FaultAction, times = 1): void {
	sim.faults.add({
		match: ({ target, bodyText }) => decodeURIComponent(target + bodyText).includes(text),
		times,
		do: action,
	});
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

/** The items of a result, without what n8n adds. */
export const jsonOf = ({ items }: Pick<RunResult, 'items'>) => items.map(({ json }) => json);
export const statuses = (result: RunResult) => jsonOf(result).map(({ status }) => status);
export const hintOf = ({ hints = [] }: RunResult) => hints.map(({ message }) => message).join('\n');
export const textOf = ({ error }: RunResult) => `${error?.message}\n${error?.description}`;
export const reached = () => sim.messages.map(({ number }) => number);
/** The numbers that got more than one message. */
export const twice = () => reached().filter((one, index, all) => all.indexOf(one) !== index);
/** Requests to the service that change something. */
export const changes = () => sim.requests.filter(({ method }) => method !== 'GET');
