/**
 * A once key is never sent twice, and never called sent without being it (design, guarantee 6). What processes do at the
 * same moment, and where they are killed, is in unit/sms/once-keys-interleaved.test.mts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	deduplicationStore,
	forgetModules,
	retryExecution,
	runNode,
	wires,
	type RunOptions,
} from '../harness.mts';
import { SOON } from '../store.mts';
import type { AnswerName } from './answers.mts';
import {
	answer,
	hooks,
	once,
	people,
	reached,
	SEND,
	sim,
	sms,
	statuses,
	twice,
} from './sending.mts';
import { hurry, unknownIn } from './support.mts';

describe('a once key is released only by the run that claimed it', () => {
	const own = { ...once, concurrency: 10 };
	// Keys are claimed in chunks; those of the earlier run come last.
	const old = people(5);
	const many = [...people(300, 1_000), ...old];

	test.each<[why: string, spoil: () => Partial<RunOptions>]>([
		[
			'credit runs out',
			() => {
				sim.service.setCredits(3);
				return {};
			},
		],
		[
			'it is stopped',
			() => ({
				onStart: (cancel) => {
					sim.faults.add({
						skip: 3,
						match: () => (cancel(), false),
						do: { kind: 'html200' },
					});
				},
			}),
		],
		['the key is refused', () => (answer('401 code 72', { skip: 3 }), {})],
		['the service is down', () => (answer('503 Retry-After 0', { skip: 3 }), {})],
	])('a run with other items, in which %s, sets nothing free', async (_, spoil) => {
		await runNode(sms('sendBatch', old, own));
		expect(sim.messages).toHaveLength(5);
		await runNode(sms('sendBatch', many, own, spoil()));
		await new Promise((resolve) => setTimeout(resolve, 50));
		sim.faults.clear();
		sim.service.setCredits(1_000);
		const third = await runNode(sms('sendBatch', old, own));
		expect(statuses(third)).toEqual(Array(5).fill('skipped'));
		expect(twice()).toEqual([]);
	});

	test('two executions at the same moment send each key once', async () => {
		const runs = [sms('sendBatch', old, own), sms('sendBatch', [...old].reverse(), own)];
		await Promise.all(runs.map(runNode));
		expect(twice()).toEqual([]);
		expect(sim.messages).toHaveLength(5);
	});
});

test('of items with one key, one is sent: the next one where the first is refused', async () => {
	const [first, second] = people(2);
	const items = [first, second].map((one) => ({ ...one, key: 'order' }));
	const options = { onceKey: '={{ $json.key }}' };
	sim.faults.add({
		match: ({ bodyText }) => bodyText.includes(String(first.to)),
		do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
	});
	const refused = ['refused', 'sent'];
	expect(statuses(await runNode(sms('sendBatch', items, options)))).toEqual(refused);
	expect(statuses(await runNode(sms('sendBatch', items, options)))).toEqual([
		'skipped',
		'skipped',
	]);
	expect(reached()).toEqual([second.to]);
});

test('a duplicate of one that was stopped before its key was claimed is not sent, and says why', async () => {
	const items = people(120);
	answer('401 code 72', { skip: 1 });
	const result = await runNode(sms('sendBatch', [...items, items.at(-1)!], once));
	const rest = Array<string>(119).fill('notSent');
	expect(statuses(result)).toEqual(['sent', 'refused', ...rest]);
	const reasons = result.items.slice(2).map(({ json }) => json.reason);
	expect([...new Set(reasons)]).toEqual([expect.stringContaining('refused the API key')]);
});

test('keys that are unknown from an earlier run say nothing of the service, and stop nothing', async () => {
	const lost = people(12);
	answer('reset, accepted');
	for (const one of lost) await runNode(sms('sendBatch', [one], once));
	sim.faults.clear();
	// So many that some are still to be sent when it is clear that the others are unknown.
	sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
	const items = [...lost, ...people(20, 100)];
	const { items: results } = await runNode(sms('sendBatch', items, { ...once, concurrency: 1 }));
	expect(results.map(({ json }) => json.status)).toEqual([
		...Array<string>(12).fill('unknown'),
		...Array<string>(20).fill('sent'),
	]);
});

test('Send SMS stops at a key that is unknown, as at any other failure', async () => {
	answer('reset, accepted', { times: 1 });
	const [lost, ...others] = people(31);
	await runNode(sms('sendBatch', [lost], once));
	sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
	const result = await runNode(sms('send', [lost, ...others], { ...once, concurrency: 1 }));
	expect(unknownIn(result)).toEqual([0]);
	const sent = sim.messages.length - 1;
	expect(result.error?.message).toContain(`${sent} of 31 sent, 1 unknown (${lost.to})`);
	expect(result.error?.message).toContain(`${30 - sent} not sent`);
	expect(sent).toBeLessThan(30);
});

describe('two executions at the same moment', () => {
	const plain = { ...once, checkBalance: false };
	/** The first message waits for something before it leaves. */
	const holdUp = (until: Promise<unknown>) => {
		let isFirst = true;
		wires.set(sim.baseUrl, async (_, make) => {
			const waits = isFirst;
			isFirst = false;
			if (waits) await until;
			return await make();
		});
	};
	/** The status of the second message, and of the first one, which leaves when `until` is over. */
	const both = async (until: Promise<unknown> | undefined, more: Partial<RunOptions> = {}) => {
		let goOn = () => {};
		holdUp(until ?? new Promise<void>((resolve) => (goOn = resolve)));
		let isClaimed = () => {};
		const claimed = new Promise<void>((resolve) => (isClaimed = resolve));
		hooks.store = (stage, { kind }) =>
			stage === 'written' && kind === 'record' ? isClaimed() : undefined;
		const first = runNode(sms('sendBatch', people(1), plain));
		await claimed;
		const second = await runNode(sms('sendBatch', people(1), plain, more));
		goOn();
		return [second.items[0]?.json.status, (await first).items[0]?.json.status];
	};

	test.each<[first: AnswerName, second: string]>([
		['ok', 'skipped'],
		['400 code 19', 'sent'],
		['reset, accepted', 'unknown'],
	])('the second one waits for the first: %s, then it is %s', async (first, second) => {
		if (first !== 'ok') answer(first, { times: 1 });
		const settings = { onError: 'continueRegularOutput' } as const;
		// Of what is unknown, nothing more is heard.
		const sending = first === 'reset, accepted' ? 2_000 : 60_000;
		hurry({ store: { ...SOON, sending } });
		expect((await both(sleep(60), { settings }))[0]).toBe(second);
		expect(twice()).toEqual([]);
		hurry();
	});

	test('for five seconds, and then changes nothing', async () => {
		expect(await both(undefined)).toEqual(['unknown', 'sent']);
		expect(statuses(await runNode(sms('sendBatch', people(1), plain)))).toEqual(['skipped']);
	});

	test('a stop ends the waiting', async () => {
		hurry({ store: { ...SOON, sending: 60_000 } });
		const onStart = (cancel: () => void) => void setTimeout(cancel, 20);
		expect((await both(undefined, { onStart }))[1]).toBe('sent');
		hurry();
	});
});

// Each row is what a process left that was killed while it asked.
test.each<[left: string[], status: string]>([
	[['claimed'], 'unknown'],
	[['claimed', 'asked'], 'unknown'],
	[['claimed', 'sent', 'asked'], 'unknown'],
	[['claimed', 'sent'], 'skipped'],
])('a row that holds %j: it is %s', async (left, status) => {
	const [one] = people(1);
	deduplicationStore.rows.set(
		'workflow/under-test',
		left.map((what) => `sms:2:${what}:${String(one.to)}`),
	);
	for (let again = 0; again < 2; again++)
		expect(statuses(await runNode(sms('sendBatch', [one], once)))).toEqual([status]);
});

describe('the store', () => {
	const entries = (what: string) =>
		(deduplicationStore.rows.get('workflow/under-test') ?? []).filter((entry) =>
			entry.startsWith(`sms:2:${what}:`),
		).length;

	// After a kill, the messages of keys that are not known as sent are unknown.
	test('hears during the run what was sent', async () => {
		let known = 0;
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 5 } });
		sim.faults.add({
			path: SEND,
			skip: 29,
			match: () => ((known = entries('sent')), false),
			do: { kind: 'delay', ms: 0 },
		});
		await runNode(sms('sendBatch', people(30), once));
		expect(known).toBeGreaterThan(5);
		expect(entries('sent')).toBe(30);
	});

	// Otherwise, messages that were sent are unknown for good.
	test('that fails for a moment hears later what was sent', async () => {
		let failures = 0;
		hooks.store = (stage, { kind, items }) => {
			const isSent =
				kind === 'record' && items.some((item) => item.startsWith('sms:2:sent:'));
			if (stage === 'read' && isSent && ++failures < 4) throw new Error('database is locked');
		};
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 30 } });
		const { hints } = await runNode(sms('sendBatch', people(5), once));
		expect(failures).toBeGreaterThan(3);
		expect(JSON.stringify(hints)).not.toContain('could not store');
		expect(entries('sent')).toBe(5);
	});

	// It may be free already, and another execution may have claimed it.
	test('is not told twice that a key is free', async () => {
		const [refused, slow] = people(2);
		answer('400 code 19', { times: 1 });
		let removals = 0;
		hooks.store = (stage, { kind }) => {
			if (kind !== 'remove' || stage !== 'written' || ++removals > 2) return;
			throw new Error('connection lost');
		};
		let released = () => {};
		const release = new Promise<void>((resolve) => (released = resolve));
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (String(body ?? '').includes(String(slow.to))) await release;
			return await make();
		});
		const running = runNode(sms('sendBatch', [refused, slow], { ...once, concurrency: 2 }));
		while (removals < 2) await sleep(1);
		sim.faults.clear();
		answer('reset, accepted', { times: 1 });
		expect(statuses(await runNode(sms('sendBatch', [refused], once)))).toEqual(['unknown']);
		released();
		expect(statuses(await running)).toEqual(['refused', 'sent']);
		hooks.store = undefined;
		expect(statuses(await runNode(sms('sendBatch', [refused], once)))).toEqual(['unknown']);
		expect(twice()).toEqual([]);
	});

	test('is not waited for after a stop', async () => {
		// As a process leaves it that was killed.
		deduplicationStore.locks.set('workflow/', 2 ** 51);
		let stop = () => {};
		let calls = 0;
		hooks.store = () => {
			calls++;
			stop();
		};
		const onStart = (cancel: () => void) => void (stop = cancel);
		await runNode(sms('sendBatch', people(3), once, { onStart }));
		expect(calls).toBeGreaterThan(0);
		// Until the lock is taken over, it would be asked for hundreds of times.
		expect(calls).toBeLessThan(20);
		expect(sim.messages).toEqual([]);
	});

	test('is asked nothing by a process that knows its keys', async () => {
		const options = sms('sendBatch', people(3), once);
		await runNode(options);
		let calls = 0;
		hooks.store = () => void calls++;
		const again = await runNode({ ...options, remembers: true });
		expect(statuses(again)).toEqual(Array(3).fill('skipped'));
		expect(calls).toBe(0);
	});

	test('keeps 50,000 keys, whatever is asked, and n8n compares four million entries at most', async () => {
		// A store of this size takes long to copy.
		hurry({ store: { ...SOON, longestHold: 10_000, silence: 11_000 } });
		const [oldest, ...others] = people(50_000);
		answer('reset, accepted', { times: 1 });
		expect(unknownIn(await runNode(sms('send', [oldest], once)))).toEqual([0]);
		const row = deduplicationStore.rows.get('workflow/under-test')!;
		for (const { to } of others)
			row.push(`sms:2:claimed:${String(to)}`, `sms:2:sent:${String(to)}`);
		let most = 0;
		hooks.store = (_, { kind, items }) => {
			if (kind === 'remove') most = Math.max(most, items.length * row.length);
		};
		const known = await runNode(sms('sendBatch', others.slice(0, 300), once));
		expect(new Set(statuses(known))).toEqual(new Set(['skipped']));
		expect(most).toBeGreaterThan(0);
		expect(most).toBeLessThanOrEqual(4_100_000);
		expect(statuses(await runNode(sms('sendBatch', [oldest], once)))).toEqual(['unknown']);
		expect(reached()).toEqual([oldest.to]);
		hurry();
	});
});

test('a run that stood still does not take the lock of another process away', async () => {
	const timing = { store: { ...SOON, longestHold: 400, patience: 5, silence: 450 } };
	hurry(timing);
	let goOn: (() => void) | undefined;
	let isKept: boolean | undefined;
	hooks.store = async (stage, { kind }) => {
		if (kind !== 'record' || stage !== 'written') return;
		if (goOn === undefined) return await new Promise<void>((resolve) => (goOn = resolve));
		const lock = deduplicationStore.locks.get('workflow/');
		goOn();
		await first;
		isKept ??= lock !== undefined && deduplicationStore.locks.get('workflow/') === lock;
	};
	const first = runNode(sms('sendBatch', people(2), once));
	while (goOn === undefined) await sleep(1);
	// Another process knows nothing of the executions of this one.
	forgetModules();
	hurry(timing);
	await runNode(sms('sendBatch', people(2, 10), once));
	expect(isKept).toBe(true);
	hurry();
});

describe('a Remove Duplicates node of the same workflow, in the same store', () => {
	test('has made the row of the lock, and was taken out since: said what to do, and nothing is sent', async () => {
		// What that node does with the scope Workflow.
		const place = { workflow: { id: 'workflow' }, node: { id: 'remove-duplicates' } as INode };
		await deduplicationStore.checkProcessedAndRecord(['a', 'b'], 'workflow', place, {
			mode: 'entries',
		});
		const { error } = await runNode(sms('sendBatch', people(5), once));
		expect(error?.message).toContain('Keep Items Where');
		expect(error?.description).toContain('Clear Deduplication History');
		expect(sim.messages).toEqual([]);
	});

	test('can not take the lock away', async () => {
		const remove = (scope: string): INode => ({
			id: 'remove-duplicates',
			name: 'My Remover',
			type: 'n8n-nodes-base.removeDuplicates',
			typeVersion: 2,
			position: [0, 0],
			parameters: { options: { scope } },
		});
		const beside = await runNode(
			sms('sendBatch', people(5), once, { otherNodes: [remove('node')] }),
		);
		expect(statuses(beside)).toEqual(Array(5).fill('sent'));
		const sharing = await runNode(
			sms('sendBatch', people(5, 10), once, { otherNodes: [remove('workflow')] }),
		);
		expect(sharing.error?.message).toContain('My Remover');
		expect(sim.messages).toHaveLength(5);
	});
});

// For every other execution, the key stays used.
test('what is unknown is found by the retry of the execution that claimed its key', async () => {
	const items = people(2);
	answer('200 page, accepted', { skip: 1, times: 1 });
	const options = sms('send', items, once);
	const unknown = await runNode(options);
	expect(unknownIn(await runNode(options))).toEqual([1]);
	const retried = await retryExecution(unknown, options);
	expect(retried.error).toBeUndefined();
	expect(statuses(await runNode(options))).toEqual(['skipped', 'skipped']);
	expect(reached()).toEqual(items.map(({ to }) => to));
});

describe('a retry that is given other keys', () => {
	const keyed = (operation: string, items: IDataObject[], field: string, more = {}) =>
		sms(operation, items, { onceKey: `={{ $json.${field} }}`, ...more });
	const rows = (): IDataObject[] =>
		people(3).map((one, at) => ({ ...one, wrong: `wrong ${at}`, right: `right ${at}` }));

	test.each(['send', 'sendBatch'])(
		'%s: uses them for what it sends again, and for what was sent',
		async (operation) => {
			const items = rows();
			answer('reset, not accepted', { skip: 1, times: 1 });
			const more = operation === 'sendBatch' ? { failIfIncomplete: true } : {};
			const wrong = keyed(operation, items, 'wrong', more);
			const right = keyed(operation, items, 'right', { ...more, resendUnknown: true });
			const failed = await runNode(wrong);
			expect(unknownIn(failed)).toEqual([1]);
			expect((await retryExecution(failed, right, right)).error).toBeUndefined();
			const next = await runNode(keyed(operation, items, 'right'));
			expect(statuses(next)).toEqual(['skipped', 'skipped', 'skipped']);
			expect(reached().sort()).toEqual(items.map(({ to }) => to));
		},
	);

	test('uses them for what a look-up finds', async () => {
		const items = rows();
		answer('reset, accepted', { skip: 1, times: 1 });
		const failed = await runNode(keyed('send', items, 'wrong'));
		const right = keyed('send', items, 'right');
		expect((await retryExecution(failed, right, right)).error).toBeUndefined();
		expect(statuses(await runNode(right))).toEqual(['skipped', 'skipped', 'skipped']);
		expect(reached().sort()).toEqual(items.map(({ to }) => to));
	});

	test('sends nothing again with one that another execution has used', async () => {
		const items = rows();
		answer('reset, not accepted', { skip: 1, times: 1 });
		const failed = await runNode(keyed('send', items, 'wrong'));
		const [other] = people(1, 100);
		await runNode(keyed('send', [{ ...other, right: 'right 1' }], 'right'));
		const right = keyed('send', items, 'right', { resendUnknown: true });
		const retried = await retryExecution(failed, right, right);
		expect(unknownIn(retried)).toEqual([1]);
		expect(reached().sort()).toEqual([items[0].to, items[2].to, other.to].sort());
	});

	test('that was stopped before it sent keeps its claim', async () => {
		const items = rows();
		answer('reset, not accepted', { times: 3 });
		const more = { concurrency: 3 };
		const failed = await runNode(keyed('send', items, 'wrong', more));
		expect(unknownIn(failed)).toEqual([0, 1, 2]);
		const right = keyed('send', items, 'right', { resendUnknown: true });
		// Refused at the first one: the others have claimed their keys, and don't leave.
		answer('401 code 72', { times: 1 });
		const stopped = await retryExecution(failed, right, right);
		expect(unknownIn(stopped)).toEqual([0, 1, 2]);
		expect((await retryExecution(stopped, right, right)).error).toBeUndefined();
		expect(statuses(await runNode(right))).toEqual(['skipped', 'skipped', 'skipped']);
		expect(reached()).toEqual(items.map(({ to }) => to));
	});
});

test("and sent by it with 'Send Again if Unknown', once, where nothing is found", async () => {
	const items = people(2);
	answer('reset, not accepted', { skip: 1, times: 1 });
	const options = sms('send', items, once);
	const unknown = await runNode(options);
	const plain = await retryExecution(unknown, options);
	expect(unknownIn(plain)).toEqual([1]);
	const resent = sms('send', items, { ...once, resendUnknown: true });
	expect(unknownIn(await runNode(resent))).toEqual([1]);
	expect((await retryExecution(plain, resent, resent)).error).toBeUndefined();
	expect(statuses(await runNode(resent))).toEqual(['skipped', 'skipped']);
	expect(reached()).toEqual(items.map(({ to }) => to));
});
