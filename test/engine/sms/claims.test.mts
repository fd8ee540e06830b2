/**
 * Keys that a batch claims ahead of its messages, and calls in which n8n writes its store: after a kill, a key that is
 * claimed and not known as sent is unknown.
 */
import type { IDataObject } from 'n8n-workflow';
import { afterEach, expect, test } from 'vitest';
import { once, people, sms } from '../delivery/sending.mts';
import { hooks, SEND, sim } from '../delivery/service.mts';
import { statuses } from '../delivery/support.mts';
import { runNode } from '../harness.mts';
import { SOON } from '../store.mts';
import { hurry } from './support.mts';

const MESSAGES = 600;
/** A run that finds its own window begins with the first one, and has the second one at most. */
const WINDOW = [10, 100];

afterEach(() => hurry());

/** Sends, and counts keys and calls of the store. */
async function send(messages: number, settings: IDataObject) {
	// Nothing but claims, and notes of sent keys.
	hurry({ store: { ...SOON, latestWrite: 2_000 } });
	let [calls, claimed, confirmed, begun] = [0, 0, 0, 0];
	/** Keys that a process that is killed now leaves unknown. */
	let mostOpen = 0;
	let mostAhead = 0;
	const note = () => {
		mostAhead = Math.max(mostAhead, claimed - begun);
		mostOpen = Math.max(mostOpen, claimed - confirmed);
	};
	hooks.store = (stage, { kind, items }) => {
		if (stage !== 'written' || !['record', 'remove'].includes(kind)) return;
		calls++;
		const count = (what: string) => items.filter((item) => item.startsWith(what)).length;
		claimed += count('sms:2:claimed:');
		confirmed += count('sms:2:sent:');
		note();
	};
	const match = () => {
		begun++;
		note();
		return false;
	};
	sim.faults.add({ path: SEND, times: Infinity, match, do: { kind: 'delay', ms: 0 } });
	const all = { ...once, checkBalance: false, ...settings };
	const result = await runNode(sms('sendBatch', people(messages), all));
	expect(new Set(statuses(result))).toEqual(new Set(['sent']));
	expect([claimed, confirmed, begun]).toEqual([messages, messages, messages]);
	console.log(
		`${JSON.stringify(settings)}: ${calls} calls, ${mostAhead} ahead, ${mostOpen} open`,
	);
	return { calls, mostAhead, mostOpen };
}

test.each([5, undefined])('concurrency %s: a few seconds ahead', async (concurrency) => {
	const [least, most] = concurrency === undefined ? WINDOW : [concurrency, concurrency];
	const started = Date.now();
	const { calls, mostAhead, mostOpen } = await send(MESSAGES, { concurrency } as IDataObject);
	expect(mostAhead).toBeLessThanOrEqual(60 * most);
	expect(mostOpen).toBeLessThanOrEqual(60 * most);
	// And, however slow this computer is, a claim with its note and one more note every two seconds.
	const often = (3 * (Date.now() - started)) / 2_000;
	expect(calls).toBeLessThanOrEqual(10 + (2 * MESSAGES) / (50 * least) + often);
});

// After a crash, the rest of a short list is sent, instead of being looked up.
test('a slow run of a few messages claims no more than it sends in two seconds', async () => {
	const requestsPerSecond = 5;
	const { mostAhead } = await send(20, { requestsPerSecond });
	expect(mostAhead).toBeLessThanOrEqual(1 + 2 * requestsPerSecond);
});
