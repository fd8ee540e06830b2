/**
 * How far ahead of its messages a batch claims their once keys, and how often it has n8n write its store:
 * after a kill, a key that is claimed and not known as sent is unknown.
 */
import { beforeEach, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { deduplicationStore, runNode } from '../harness.mts';
import { SOON } from '../store.mts';
import { hurry, jsonOf } from './support.mts';

// Nothing but claims and what became of them.
hurry({ store: { ...SOON, latestWrite: 2_000 } });
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
	deduplicationStore.onCall = undefined;
});

const MESSAGES = 600;
const rows = Array.from({ length: MESSAGES }, (_, index) => ({
	to: `+3363998${String(index).padStart(4, '0')}`,
}));

/** Of a run that finds its own window: what it begins with, and the most. */
const WINDOW = [10, 100];

test.each([5, undefined])(
	'concurrency %s: a few seconds of work, a few calls',
	async (concurrency) => {
		const [least, most] = concurrency === undefined ? WINDOW : [concurrency, concurrency];
		let calls = 0;
		let claimed = 0;
		let confirmed = 0;
		let begun = 0;
		let mostAhead = 0;
		let mostOpen = 0;
		deduplicationStore.onCall = ({ kind, items }, stage) => {
			if (stage !== 'written' || !['record', 'remove'].includes(kind)) return;
			calls++;
			const count = (what: string) => items.filter((item) => item.startsWith(what)).length;
			claimed += count('sms:2:claimed:');
			confirmed += count('sms:2:sent:');
			mostAhead = Math.max(mostAhead, claimed - begun);
			// What a process that is killed now leaves unknown.
			mostOpen = Math.max(mostOpen, claimed - confirmed);
		};
		sim.faults.add({
			path: /send$/,
			times: Infinity,
			match: () => {
				begun++;
				mostAhead = Math.max(mostAhead, claimed - begun);
				return false;
			},
			do: { kind: 'delay', ms: 0 },
		});
		const started = Date.now();
		const { items } = await runNode({
			node: 'Sms',
			parameters: {
				operation: 'sendBatch',
				number: '={{ $json.to }}',
				message: 'Bonjour',
				options: {
					onceKey: '={{ $json.to }}',
					checkBalance: false,
					...(concurrency && { concurrency }),
				},
			},
			items: rows,
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		});
		expect(new Set(jsonOf(items).map(({ status }) => status))).toEqual(new Set(['sent']));
		expect([claimed, confirmed, begun]).toEqual([MESSAGES, MESSAGES, MESSAGES]);
		console.log(
			`concurrency ${concurrency}: ${calls} calls, ${mostAhead} ahead, ${mostOpen} open`,
		);
		expect(mostAhead).toBeLessThanOrEqual(60 * most);
		expect(mostOpen).toBeLessThanOrEqual(60 * most);
		// And one every two seconds, however slow this computer is.
		const often = (Date.now() - started) / 2_000;
		expect(calls).toBeLessThanOrEqual(10 + (2 * MESSAGES) / (50 * least) + often);
	},
);
