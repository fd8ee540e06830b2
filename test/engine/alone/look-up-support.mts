/** What the tests of look-ups share: a service at a distance, and messages whose answer is lost. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator/index.mts';
import { deduplicationStore, load, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { hurry, jsonOf } from '../sms/support.mts';

export let sim: Simulator;
beforeAll(async () => {
	hurry();
	// As far away as a service is: what is dated after an attempt can be told from what came before.
	sim = await startSimulator({ latencyMs: 40 });
});
afterAll(async () => await sim.close());
beforeEach(() => {
	sim.reset();
	deduplicationStore.rows.clear();
	policy.rounds = [0, 300, 2_000];
	policy.longest = 15_000;
	policy.narrowing = 10;
});
export const policy = load<{
	lookUpPolicy: { rounds: number[]; longest: number; narrowing: number };
}>('nodes/Sms/lookUp.js').lookUpPolicy;

/** Another test texts other numbers: what one has left unknown could be taken for another's. */
let area = 10;
beforeEach(() => area++);
export const numberOf = (index: number) => `+336${area}${String(index).padStart(6, '0')}`;
export const LOST: FaultAction = { kind: 'resetAfterAccept' };
export const NOT_ACCEPTED: FaultAction = { kind: 'resetBeforeRead' };
export const HOUR = 3_600_000;

export function given(
	operation: 'send' | 'sendBatch',
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text ?? "Bonjour" }}',
			options: { ...(operation === 'send' ? { lookUpUnknown: true } : {}), ...options },
		} as INodeParameters,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...more,
	};
}
export const lookUps = () => sim.requestsTo('GET', /\/messages\/status/).length;
export const only = ({ items }: RunResult) => jsonOf(items)[0];
/** Spoils the answer to the next send. */
export function spoil(action: FaultAction, skip = 0): void {
	sim.faults.add({ path: /send$/, skip, do: action });
}
export async function send(to = numberOf(1), options: IDataObject = {}) {
	return await runNode(given('send', [{ to }], options));
}

/** The last item of a run, which is to be unknown. */
export async function unknown(options: RunOptions): Promise<IDataObject> {
	const { items } = await runNode(options);
	const json = jsonOf(items).at(-1)!;
	expect(json).toMatchObject({ status: 'unknown' });
	return json;
}

export const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
/** Of two messages of a run. */
export const [LOST_ONE, OTHER] = [1, 2];
/** Messages to a number do not arrive. */
export function neverTo(number: string): void {
	const match = ({ bodyText }: { bodyText: string }) => bodyText.includes(number);
	sim.faults.add({ path: /send$/, times: Infinity, match, do: NOT_ACCEPTED });
}
/** Messages to a number are answered so much later. */
export function late(number: string, ms: number): void {
	const match = ({ bodyText }: { bodyText: string }) => bodyText.includes(number);
	sim.faults.add({ path: /send$/, times: Infinity, match, do: { kind: 'delay', ms } });
}
