/**
 * Keys that a batch claims ahead of its messages, and calls in which n8n writes its store: after a kill, a key that is
 * claimed and not known as sent is unknown.
 */
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { once, people, sms } from '../delivery/sending.mts';
import { hooks, SEND, sim } from '../delivery/service.mts';
import { statuses } from '../delivery/support.mts';
import { runNode } from '../harness.mts';
import { SOON } from '../store.mts';
import { hurry } from './support.mts';

const MESSAGES = 600;
/** A run that finds its own window begins with the first one, and has the second one at most. */
const WINDOW = [10, 100];

test.each([5, undefined])('concurrency %s: a few seconds ahead', async (concurrency) => {
	// Nothing but claims, and notes of sent keys.
	hurry({ store: { ...SOON, latestWrite: 2_000 } });
	const [least, most] = concurrency === undefined ? WINDOW : [concurrency, concurrency];
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
	const started = Date.now();
	const settings = { ...once, checkBalance: false, concurrency };
	const result = await runNode(sms('sendBatch', people(MESSAGES), settings as IDataObject));
	expect(new Set(statuses(result))).toEqual(new Set(['sent']));
	expect([claimed, confirmed, begun]).toEqual([MESSAGES, MESSAGES, MESSAGES]);
	console.log(`concurrency ${concurrency}: ${calls} calls, ${mostAhead} ahead, ${mostOpen} open`);
	expect(mostAhead).toBeLessThanOrEqual(60 * most);
	expect(mostOpen).toBeLessThanOrEqual(60 * most);
	// And one every two seconds, however slow this computer is.
	const often = (Date.now() - started) / 2_000;
	expect(calls).toBeLessThanOrEqual(10 + (2 * MESSAGES) / (50 * least) + often);
	hurry();
});
