/** The service that tests of sending ask: one simulator for a file, its faults, n8n's store beside it, and what phones got. */
import { beforeEach } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { deduplicationStore, hurry, wires } from '../harness.mts';
import type { StoreCall } from '../store.mts';
import { ANSWERS, KEY, type AnswerName } from './answers.mts';

hurry();
export const sim = await useSimulator({ apiKey: KEY, extended: true });

export const SEND = /\/messages\/send$/;

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

export const reached = () => sim.messages.map(({ number }) => number);
/** The numbers that got more than one message. */
export const twice = () => reached().filter((one, index, all) => all.indexOf(one) !== index);
/** Requests to the service that change something. */
export const changes = () => sim.requests.filter(({ method }) => method !== 'GET');
