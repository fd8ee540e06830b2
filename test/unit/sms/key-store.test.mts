/** Keys in n8n's deduplication store (design, guarantee 4; issue 8, points 1, 5 and 13). */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeyStore, type Claim } from '../../../nodes/Sms/KeyStore.ts';
import { DeduplicationStore } from '../../engine/store.mts';
import { helpersOf } from './store.mts';

let n8n: DeduplicationStore;
beforeEach(() => void (n8n = new DeduplicationStore()));

/** The store as one execution has it. */
const open = (workflowId = 'w', items = 1) =>
	new KeyStore(helpersOf(n8n, workflowId), workflowId, items);

describe('a key', () => {
	test('that nobody claimed is free; claimed and not settled, it is unknown', async () => {
		expect(await open().claim(['a', 'b'])).toEqual(['free', 'free']);
		expect(await open().claim(['b', 'c', 'a'])).toEqual(['unknown', 'free', 'unknown']);
	});

	test('whose message was accepted is sent, however often it is claimed', async () => {
		await open().claim(['a']);
		await open().confirm(['a']);
		for (let execution = 0; execution < 3; execution++) {
			expect(await open().claim(['a'])).toEqual(['sent']);
		}
	});

	test('whose message certainly was not sent is free again', async () => {
		await open().claim(['a', 'b']);
		await open().release(['a']);
		expect(await open().claim(['a', 'b'])).toEqual(['free', 'unknown']);
	});

	test('that is unknown, and was accepted at last, is sent', async () => {
		await open().claim(['a']);
		await open().claim(['a']);
		await open().confirm(['a']);
		expect(await open().claim(['a'])).toEqual(['sent']);
	});

	test('is another one in another workflow', async () => {
		await open('w').claim(['a']);
		expect(await open('v').claim(['a'])).toEqual(['free']);
	});

	test('is not mistaken for the entries of another', async () => {
		await open().claim(['a']);
		expect(await open().claim(['open:a', 'sms:1:a', 'sms-open:1:a', '1:a'])).toEqual(
			Array(4).fill('free'),
		);
	});

	test('is one for all nodes of the workflow', async () => {
		const scopes: string[] = [];
		const helpers = helpersOf(n8n, 'w');
		const noting = {
			...helpers,
			checkProcessedAndRecord: async (...call: [never, never, never]) => {
				scopes.push(call[1]);
				return await helpers.checkProcessedAndRecord(...call);
			},
		};
		await new KeyStore(noting, 'w', 1).claim(['a']);
		expect(scopes).toEqual(['workflow']);
	});
});

test('the store has room for all keys of the run, with their two entries', async () => {
	const count = 60_000;
	const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
	const store = open('w', count);
	await store.claim(keys);
	await store.confirm(keys);
	expect(new Set(await open('w', count).claim(keys))).toEqual(new Set(['sent']));
}, 120_000);

test('two executions at the same moment never claim the same key', async () => {
	const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
	const claims = await Promise.all(
		Array.from({ length: 5 }, async () => await open().claim(keys)),
	);
	for (let key = 0; key < keys.length; key++) {
		expect(claims.filter((claim) => claim[key] === 'free')).toHaveLength(1);
	}
});

test('what is written at the same moment is not lost', async () => {
	await open().claim(['a', 'b', 'c', 'd']);
	await Promise.all([
		open().confirm(['a']),
		open().release(['b']),
		open().claim(['e']),
		open().confirm(['c']),
	]);
	expect(await open().claim(['a', 'b', 'c', 'd', 'e'])).toEqual([
		'sent',
		'free',
		'sent',
		'unknown',
		'unknown',
	]);
});

test('a workflow does not wait for the store of another', async () => {
	n8n.onCall = async ({ workflowId }) => {
		if (workflowId === 'stuck') await new Promise(() => {});
	};
	void open('stuck').claim(['a']);
	expect(await open('w').claim(['a'])).toEqual(['free']);
});

test('a call that fails is heard by its caller, and holds up nobody', async () => {
	n8n.failure = new Error('no database');
	const failed = open().claim(['a']);
	await expect(failed).rejects.toThrow('no database');
	n8n.failure = undefined;
	expect(await open().claim(['a'])).toEqual(['free']);
});

test('over any history, with crashes at any moment: never free again what may have been sent', async () => {
	const KEYS = ['a', 'b', 'c'];
	type Known = Claim;
	const step = fc.record({
		keys: fc.subarray(KEYS, { minLength: 1 }),
		fate: fc.constantFrom('accepted', 'notCarriedOut', 'unknown'),
		resend: fc.boolean(),
		/** The process ends at this call of the store: before it, or when it was written. */
		crash: fc.option(
			fc.record({ call: fc.nat(3), stage: fc.constantFrom('read', 'written') }),
			{ nil: undefined },
		),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (history) => {
			n8n = new DeduplicationStore();
			/** What has truly become of the message of each key. */
			const sent = new Map(KEYS.map((key) => [key, 'no' as 'no' | 'yes' | 'maybe']));
			/** Whether the store has to remember exactly: nothing crashed since. */
			const exact = new Map(KEYS.map((key) => [key, 'free' as Known | undefined]));
			for (const [index, { keys, fate, resend, crash }] of history.entries()) {
				// A workflow of its own for each process: what waits for a dead one waits for ever.
				const id = `w${index}`;
				let calls = 0;
				n8n.onCall = (_, stage) => {
					const isHere = crash?.call === calls && crash.stage === stage;
					if (stage === 'written') calls++;
					if (isHere) throw new Error('The process ends');
				};
				const helpers = helpersOf(n8n, 'w');
				const store = new KeyStore(helpers, id, 1);
				try {
					const claims = await store.claim(keys);
					for (const [position, key] of keys.entries()) {
						const claim = claims[position];
						if (sent.get(key) !== 'no') expect(claim).not.toBe('free');
						if (sent.get(key) !== 'yes') expect(claim).not.toBe('sent');
						if (exact.get(key)) expect(claim).toBe(exact.get(key));
					}
					const going = keys.filter(
						(_, position) =>
							claims[position] === 'free' ||
							(claims[position] === 'unknown' && resend),
					);
					const wasFree = (key: string) => claims[keys.indexOf(key)] === 'free';
					for (const [position, key] of keys.entries()) {
						if (claims[position] === 'free') exact.set(key, 'unknown');
						else exact.set(key, claims[position]);
					}
					if (fate === 'accepted') {
						for (const key of going) sent.set(key, 'yes');
						for (const key of going) exact.set(key, undefined);
						await store.confirm(going);
						for (const key of going) exact.set(key, 'sent');
					} else if (fate === 'unknown') {
						for (const key of going) {
							if (sent.get(key) === 'no') sent.set(key, 'maybe');
						}
					} else {
						const released = going.filter(wasFree);
						for (const key of released) exact.set(key, undefined);
						await store.release(released);
						for (const key of released) exact.set(key, 'free');
					}
				} catch (error) {
					expect(error).toHaveProperty('message', 'The process ends');
					for (const key of keys) exact.set(key, undefined);
				}
			}
		}),
		{ numRuns: 2_000 },
	);
});
