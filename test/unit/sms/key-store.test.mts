/** Keys in n8n's deduplication store (design, guarantee 4; issue 8, points 1, 5 and 13). */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeyStore, type Claim } from '../../../nodes/Sms/KeyStore.ts';
import { DeduplicationStore } from '../../engine/store.mts';
import { helpersOf } from './store.mts';

let processes = 0;
let n8n: DeduplicationStore;
let here: string;
beforeEach(() => {
	n8n = new DeduplicationStore();
	here = `process ${++processes}`;
});

/**
 * The store as one execution has it, in a process of its own: what executions of one process know of
 * each other is kept by workflow.
 */
const open = (workflowId = 'w', items = 1) =>
	new KeyStore(helpersOf(n8n, workflowId), `process ${++processes}`, items);
/** The same for executions of one process. */
const openHere = () => new KeyStore(helpersOf(n8n, 'w'), here, 1);

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
	const count = 120_000;
	const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
	const store = open('w', count);
	await store.open();
	await store.claim(keys);
	expect(await open('w', count).claim(keys.slice(0, 50))).toEqual(Array(50).fill('unknown'));
	await store.confirm(keys);
	const known = new Set(await open('w', count).claim(keys.slice(0, 50)));
	expect(known).toEqual(new Set(['sent']));
});

describe('where every execution settled its keys, claimed ones are sent ones, without asking', () => {
	/** A whole execution, in a process of its own. */
	async function execution(work: (store: KeyStore) => Promise<void>): Promise<void> {
		const store = open();
		await store.open();
		await work(store);
		await store.close();
	}
	const claims = async (...keys: string[]) => {
		let found: Claim[] = [];
		await execution(async (store) => {
			found = await store.claim(keys);
			await store.release(keys.filter((_, position) => found[position] === 'free'));
		});
		return found;
	};

	test('and nothing but those two entries is left of each', async () => {
		await execution(async (store) => {
			await store.claim(['a', 'b']);
			await store.confirm(['a']);
			await store.release(['b']);
		});
		const row = [...n8n.rows.get('w/')!];
		expect(row).toHaveLength(3);
		expect(await claims('a', 'b')).toEqual(['sent', 'free']);
		expect(n8n.rows.get('w/')).toEqual(row);
	});

	test('not where one was killed', async () => {
		const killed = open();
		await killed.open();
		await killed.claim(['a', 'b']);
		await killed.confirm(['a']);
		for (let time = 0; time < 3; time++) {
			expect(await claims('a', 'b', 'c')).toEqual(['sent', 'unknown', 'free']);
		}
	});

	test('not where one left a key unknown', async () => {
		await execution(async (store) => {
			await store.claim(['a', 'b']);
			await store.confirm(['a']);
			store.leave('b');
		});
		for (let time = 0; time < 3; time++) {
			expect(await claims('a', 'b', 'c')).toEqual(['sent', 'unknown', 'free']);
		}
	});

	test('a look leaves it as it was there too', async () => {
		await execution(async (store) => {
			await store.claim(['a', 'b']);
			await store.confirm(['a']);
			store.leave('b');
		});
		const row = [...n8n.rows.get('w/')!];
		await execution(async (store) => {
			expect(await store.look(['a', 'b', 'c'])).toEqual(['sent', 'unknown', 'free']);
		});
		expect(n8n.rows.get('w/')).toEqual(row);
	});

	test('not where another process began meanwhile, or is at work still', async () => {
		const [first, second] = [open(), open()];
		await first.open();
		await first.claim(['a']);
		await first.confirm(['a']);
		await second.open();
		await second.claim(['b']);
		expect(await first.claim(['a', 'b'])).toEqual(['sent', 'unknown']);
		expect(await second.claim(['a'])).toEqual(['sent']);
		await first.close();
		expect(await claims('a', 'b')).toEqual(['sent', 'unknown']);
		await second.close();
		expect(await claims('a', 'b')).toEqual(['sent', 'unknown']);
	});

	test.each(Array.from({ length: 8 }, (_, moment) => moment))(
		'not where another process begins just then: at moment %s of a claim',
		async (moment) => {
			const [first, second] = [open(), open()];
			await first.open();
			await first.claim(['a']);
			await first.confirm(['a']);
			let moments = 0;
			let others: Claim[] = [];
			n8n.onCall = async () => {
				if (moments++ !== moment) return;
				n8n.onCall = undefined;
				await second.open();
				others = await second.claim(['b', 'd']);
			};
			const [, claim] = await first.claim(['a', 'b']);
			n8n.onCall = undefined;
			if (others.length > 0) expect(await first.claim(['d'])).toEqual(['unknown']);
			if (others[0] === 'free') expect(claim).toBe('unknown');
			expect(claim).not.toBe('sent');
			// What it claims later is asked for as well.
			await second.claim(['c']);
			expect(await first.claim(['c'])).toEqual(['unknown']);
		},
	);

	test.each(Array.from({ length: 4 }, (_, moment) => moment))(
		'nor where another process begins and claims just then: at moment %s of its own beginning',
		async (moment) => {
			const [first, second] = [open(), open()];
			let moments = 0;
			n8n.onCall = async () => {
				if (moments++ !== moment) return;
				n8n.onCall = undefined;
				await second.open();
				await second.claim(['a']);
			};
			await first.open();
			await first.claim(['b']);
			n8n.onCall = undefined;
			if (moments > moment) expect(await first.claim(['a'])).toEqual(['unknown']);
		},
	);

	test('also where several of one process end at the same moment', async () => {
		const several = [openHere(), openHere(), openHere()];
		await Promise.all(several.map((store) => store.open()));
		await Promise.all(several.map((store, at) => store.claim([`${at}`])));
		await Promise.all(several.map((store, at) => store.confirm([`${at}`])));
		await Promise.all(several.map((store) => store.close()));
		const row = [...n8n.rows.get('w/')!];
		expect(await claims('0', '1', '2')).toEqual(['sent', 'sent', 'sent']);
		// Nobody had to ask: then nothing is left of it either.
		expect(n8n.rows.get('w/')).toEqual(row);
		expect(row).toHaveLength(7);
	});

	test('not where the store could not be written', async () => {
		await execution(async (store) => {
			await store.claim(['a']);
			n8n.failure = new Error('no database');
			await expect(store.confirm(['a'])).rejects.toThrow('no database');
			n8n.failure = undefined;
		});
		expect(await claims('a')).toEqual(['unknown']);
	});

	test('a look leaves the store as it was', async () => {
		await execution(async (store) => {
			await store.claim(['a']);
			await store.confirm(['a']);
		});
		const row = [...n8n.rows.get('w/')!];
		await execution(async (store) => {
			expect(await store.look(['a', 'b'])).toEqual(['sent', 'free']);
		});
		expect(n8n.rows.get('w/')).toEqual(row);
	});
});

describe('executions of one process at the same moment', () => {
	test('never claim the same key', async () => {
		const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
		const claims = await Promise.all(
			Array.from({ length: 5 }, async () => await openHere().claim(keys)),
		);
		for (let key = 0; key < keys.length; key++) {
			expect(claims.map((claim) => claim[key]).sort()).toEqual([
				...Array<string>(4).fill('busy'),
				'free',
			]);
		}
	});

	test('an unknown key that one of them may send again is busy for the others', async () => {
		await open().claim(['a']);
		const [first, second] = [openHere(), openHere()];
		expect(await first.claim(['a'])).toEqual(['unknown']);
		expect(await second.claim(['a'])).toEqual(['busy']);
		first.leave('a');
		expect(await second.claim(['a'])).toEqual(['unknown']);
	});

	test('one that begins while the last one ends waits for it', async () => {
		const first = openHere();
		await first.open();
		await first.claim(['a']);
		await first.confirm(['a']);
		let next: Promise<void> | undefined;
		n8n.onCall = async ({ kind, items }, stage) => {
			if (next !== undefined || stage === 'written' || kind !== 'remove') return;
			expect(items).toEqual(['sms-busy']);
			const store = openHere();
			next = (async () => {
				await store.open();
				await store.claim(['b']);
				await store.confirm(['b']);
				await store.close();
			})();
			await new Promise((resolve) => setTimeout(resolve, 20));
		};
		await first.close();
		await next;
		const entries = ['sms:1:a', 'sms-sent:1:a', 'sms:1:b', 'sms-sent:1:b'];
		expect(n8n.rows.get('w/')).toEqual(['sms-first', ...entries]);
	});

	test('do not lose what the others write', async () => {
		const [first, second] = [openHere(), openHere()];
		await first.claim(['a', 'b', 'c', 'd']);
		await Promise.all([
			first.confirm(['a']),
			first.release(['b']),
			second.claim(['e']),
			first.confirm(['c']),
		]);
		expect(await open().claim(['a', 'b', 'c', 'd', 'e'])).toEqual([
			'sent',
			'free',
			'sent',
			'unknown',
			'unknown',
		]);
	});

	test('a key is busy until what became of its message is written, or will not be', async () => {
		const [first, second] = [openHere(), openHere()];
		await first.claim(['sent', 'free', 'unknown', 'again']);
		const names = ['sent', 'free', 'unknown', 'again'];
		expect(await second.claim(names)).toEqual(Array(4).fill('busy'));
		let written = false;
		n8n.onCall = (_, stage) => void (written ||= stage === 'written');
		const confirmed = first.confirm(['sent']);
		expect([await second.claim(['sent']), written]).toEqual([['busy'], true]);
		await confirmed;
		await first.release(['free']);
		first.leave('unknown');
		expect(await second.claim(names)).toEqual(['sent', 'free', 'unknown', 'busy']);
	});

	test('a store that fails holds no key back for ever', async () => {
		const [first, second] = [openHere(), openHere()];
		await first.claim(['a']);
		n8n.failure = new Error('no database');
		await expect(first.confirm(['a'])).rejects.toThrow('no database');
		n8n.failure = undefined;
		expect(await second.claim(['a'])).toEqual(['unknown']);
	});

	test('a call that fails is heard by its caller, and holds up nobody', async () => {
		n8n.failure = new Error('no database');
		const [failed, second] = [openHere().claim(['a']), openHere()];
		await expect(failed).rejects.toThrow('no database');
		n8n.failure = undefined;
		expect(await second.claim(['a'])).toEqual(['free']);
	});

	test('do not wait for those of another workflow', async () => {
		n8n.onCall = async ({ workflowId }) => {
			if (workflowId === 'stuck') await new Promise(() => {});
		};
		void new KeyStore(helpersOf(n8n, 'stuck'), 'stuck', 1).claim(['a']);
		expect(await openHere().claim(['a'])).toEqual(['free']);
	});

	test('know each other as long as one of them is there', async () => {
		const [first, second] = [openHere(), openHere()];
		await first.claim(['a']);
		await second.close();
		expect(await openHere().claim(['a'])).toEqual(['busy']);
	});
});

describe('a store that another node may have cut', () => {
	test('is whole while it is new, empty, or has its first entry', async () => {
		expect(await open().open()).toBe(true);
		expect(await open().open()).toBe(true);
		await open().claim(['a']);
		expect(await open().open()).toBe(true);
	});

	test('is not, where its first entry is gone, however often it is asked', async () => {
		await open().open();
		await open().claim(['a', 'b']);
		n8n.rows.get('w/')!.shift();
		expect(await open().open()).toBe(false);
		expect(await open().open()).toBe(false);
	});

	test('nor where another node was there first', async () => {
		n8n.rows.set('w/', ['an item of Remove Duplicates']);
		expect(await open().open()).toBe(false);
	});

	test('is whole where it is full: n8n itself drops the oldest', async () => {
		n8n.rows.set(
			'w/',
			Array.from({ length: 200_000 }, (_, index) => `sms:1:${index}`),
		);
		expect(await open().open()).toBe(true);
	});

	test('forgets no key because others are asked for', async () => {
		const entries = (key: string) => [`sms:1:${key}`, `sms-sent:1:${key}`];
		const others = Array.from({ length: 99_990 }, (_, at) => `other-${at}`);
		const full = ['sms-first', ...['oldest', ...others].flatMap(entries), 'sms-unsure'];
		n8n.rows.set('w/', full);
		const store = open();
		await store.open();
		const some = others.slice(-100);
		expect(await store.claim(some)).toEqual(some.map(() => 'sent'));
		expect(await store.claim(['oldest'])).toEqual(['sent']);
	});
});

test('over any history, with crashes at any moment: never free again what may have been sent', async () => {
	const KEYS = ['a', 'b', 'c'];
	type Known = Claim;
	const step = fc.record({
		keys: fc.subarray(KEYS, { minLength: 1 }),
		fate: fc.constantFrom('accepted', 'notCarriedOut', 'unknown'),
		resend: fc.boolean(),
		/** The execution comes to its end; otherwise, its process is killed after the last message. */
		ends: fc.boolean(),
		/** The process ends at this call of the store: before it, or when it was written. */
		crash: fc.option(
			fc.record({ call: fc.nat(7), stage: fc.constantFrom('read', 'written') }),
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
			for (const { keys, fate, resend, ends, crash } of history) {
				let calls = 0;
				n8n.onCall = (_, stage) => {
					const isHere = crash?.call === calls && crash.stage === stage;
					if (stage === 'written') calls++;
					if (isHere) throw new Error('The process ends');
				};
				const store = open();
				try {
					await store.open();
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
					for (const [position, key] of keys.entries()) {
						const isLeft = claims[position] === 'unknown' || fate === 'unknown';
						if (isLeft && claims[position] !== 'sent') store.leave(key);
					}
					if (ends) await store.close();
				} catch (error) {
					expect(error).toHaveProperty('message', 'The process ends');
					for (const key of keys) exact.set(key, undefined);
					// It was the store that failed, and the execution went on to its end.
					if (ends) {
						n8n.onCall = undefined;
						await store.close();
					}
				}
			}
		}),
		{ numRuns: 2_000 },
	);
});

test('two processes at work, each killed at any moment: sent is only what was sent, free what was not', async () => {
	const KEYS = ['a', 'b', 'c'];
	const step = fc.record({
		process: fc.constantFrom(0, 1),
		act: fc.constantFrom('begin', 'claim', 'claim', 'settle', 'look', 'end', 'kill'),
		keys: fc.subarray(KEYS, { minLength: 1 }),
		fate: fc.constantFrom('accepted', 'notCarriedOut', 'unknown'),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (history) => {
			n8n = new DeduplicationStore();
			/** Whether the message of each key has gone. */
			const sent = new Map(KEYS.map((key) => [key, 'no' as 'no' | 'yes' | 'maybe']));
			const workers = [0, 1].map(() => ({
				store: undefined as KeyStore | undefined,
				going: new Set<string>(),
			}));
			const check = (key: string, claim: Claim) => {
				if (claim === 'free') expect(sent.get(key)).toBe('no');
				if (claim === 'sent') expect(sent.get(key)).toBe('yes');
			};
			const finish = (worker: (typeof workers)[number]) => {
				for (const key of worker.going) {
					worker.store!.leave(key);
					sent.set(key, 'maybe');
				}
				worker.going.clear();
			};
			for (const { process, act, keys, fate } of history) {
				const worker = workers[process];
				const { store, going } = worker;
				if (act === 'begin' && store === undefined) {
					worker.store = open();
					expect(await worker.store.open()).toBe(true);
				}
				if (store === undefined) continue;
				if (act === 'look') {
					const claims = (await store.look(keys))!;
					keys.forEach((key, position) => check(key, claims[position]));
				} else if (act === 'claim') {
					const claims = await store.claim(keys);
					for (const [position, key] of keys.entries()) {
						const claim = claims[position];
						check(key, claim);
						if (claim === 'unknown') store.leave(key);
						if (claim !== 'free') continue;
						going.add(key);
						// From here on it may go at any moment.
						sent.set(key, 'maybe');
					}
				} else if (act === 'settle') {
					if (fate === 'accepted') {
						for (const key of going) sent.set(key, 'yes');
						await store.confirm([...going]);
					} else if (fate === 'notCarriedOut') {
						await store.release([...going]);
						for (const key of going) sent.set(key, 'no');
					} else {
						finish(worker);
					}
					going.clear();
				} else if (act === 'end') {
					finish(worker);
					await store.close();
					worker.store = undefined;
				} else if (act === 'kill') {
					for (const key of going) sent.set(key, 'maybe');
					going.clear();
					worker.store = undefined;
				}
			}
		}),
		{ numRuns: 3_000 },
	);
});
