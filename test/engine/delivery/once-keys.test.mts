/**
 * A once key is never sent twice, and never called sent without being it (design, guarantee 6). What processes do at the
 * same moment, and where they are killed, is in unit/sms/once-keys-interleaved.test.mts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { offered } from '../../harness/settings.mts';
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
	CONTINUE,
	hooks,
	hideMessages,
	once,
	people,
	reached,
	SEND,
	sim,
	sms,
	spoil,
	statuses,
	tries,
	twice,
} from './sending.mts';
import { hurry, unknownIn } from './support.mts';

const ROW = 'workflow/under-test';
const of = (status: string, count: number) => Array<string>(count).fill(status);
/** A batch in which each recipient is a key. */
const batch = async (
	items: IDataObject[],
	settings: IDataObject = {},
	more: Partial<RunOptions> = {},
) => await runNode(sms('sendBatch', items, { ...once, ...settings }, more));
const statusesOf = async (...given: Parameters<typeof batch>) => statuses(await batch(...given));
const delay = (ms: number) =>
	void sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms } });
/** A promise, and what resolves it. */
function gate(): { open: () => void; opened: Promise<void> } {
	let open = () => {};
	const opened = new Promise<void>((resolve) => (open = resolve));
	return { open: () => open(), opened };
}

describe('a once key is released only by the run that claimed it', () => {
	const own = { concurrency: 10 };
	// Keys are claimed in chunks; those of the earlier run come last.
	const old = people(5);
	const many = [...people(300, 1_000), ...old];
	const stopAtTheFourth = (cancel: () => void) =>
		void sim.faults.add({ skip: 3, match: () => (cancel(), false), do: { kind: 'html200' } });

	test.each<[why: string, spoilRun: () => Partial<RunOptions> | void]>([
		['credit runs out', () => sim.service.setCredits(3)],
		['it is stopped', () => ({ onStart: stopAtTheFourth })],
		['the key is refused', () => answer('401 code 72', { skip: 3 })],
		['the service is down', () => answer('503 Retry-After 0', { skip: 3 })],
	])('a run with other items, in which %s, sets nothing free', async (_, spoilRun) => {
		await batch(old, own);
		expect(sim.messages).toHaveLength(5);
		await batch(many, own, spoilRun() ?? {});
		await sleep(50);
		sim.faults.clear();
		sim.service.setCredits(1_000);
		expect(await statusesOf(old, own)).toEqual(of('skipped', 5));
		expect(twice()).toEqual([]);
	});

	test('two executions at the same moment send each key once', async () => {
		await Promise.all([batch(old, own), batch([...old].reverse(), own)]);
		expect(twice()).toEqual([]);
		expect(sim.messages).toHaveLength(5);
	});
});

test('of items with one key, one is sent: the next one where the first is refused', async () => {
	const [first, second] = people(2);
	const items = [first, second].map((one) => ({ ...one, key: 'order' }));
	const settings = { onceKey: '={{ $json.key }}' };
	const refusal = { kind: 'json', status: 400, body: { code: 11, error: 'invalid' } } as const;
	spoil(String(first.to), refusal);
	expect(await statusesOf(items, settings)).toEqual(['refused', 'sent']);
	expect(await statusesOf(items, settings)).toEqual(['skipped', 'skipped']);
	expect(reached()).toEqual([second.to]);
});

test('a duplicate of one that was stopped before its key was claimed is not sent, and says why', async () => {
	const items = people(120);
	answer('401 code 72', { skip: 1 });
	const result = await batch([...items, items.at(-1)!]);
	expect(statuses(result)).toEqual(['sent', 'refused', ...of('notSent', 119)]);
	const reasons = result.items.slice(2).map(({ json }) => json.reason);
	expect([...new Set(reasons)]).toEqual([expect.stringContaining('refused the API key')]);
});

test('a run at a slow pace that is stopped leaves nobody waiting for a key', async () => {
	sim.faults.add({ path: SEND, do: { kind: 'json', status: 401, body: { code: 72 } } });
	const { error } = await batch(people(300), {
		requestsPerSecond: 0.01,
		checkBalance: false,
	});
	expect(error?.message).toContain('API key');
	expect(sim.messages).toEqual([]);
	// Its keys are free.
	expect(await statusesOf(people(2))).toEqual(of('sent', 2));
	// At this pace, the next key is asked for after minutes.
}, 60_000);

test('keys that are unknown from an earlier run say nothing of the service, and stop nothing', async () => {
	const lost = people(12);
	answer('reset, accepted');
	hideMessages();
	for (const one of lost) await batch([one]);
	sim.faults.clear();
	// So many that some are still to be sent when it is clear that the others are unknown.
	delay(20);
	const results = await statusesOf([...lost, ...people(20, 100)]);
	expect(results).toEqual([...of('unknown', 12), ...of('sent', 20)]);
});

test.each(['send', 'sendBatch'])(
	'%s: who has the key is skipped, also outside the hours that refuse the others',
	async (operation) => {
		await runNode(sms(operation, people(1), once));
		const later = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 13);
		const hours = { from: `${later}:00`, to: `${later}:01`, holidays: false };
		const days = 'monday,tuesday,wednesday,thursday,friday,saturday,sunday';
		const allowedHours = { hours: { ...hours, days, otherwise: 'refuse' } };
		const result = await runNode(
			sms(operation, people(2), { ...once, allowedHours }, { settings: CONTINUE }),
		);
		expect(statuses(result)).toEqual(['skipped', 'invalid']);
		expect(sim.messages).toHaveLength(1);
	},
);

test('Send SMS stops at a key that is unknown, as at any other failure', async () => {
	answer('reset, accepted', { times: 1 });
	hideMessages();
	const [lost, ...others] = people(31);
	await batch([lost]);
	delay(20);
	const result = await runNode(sms('send', [lost, ...others], once));
	expect(unknownIn(result)).toEqual([0]);
	const sent = sim.messages.length - 1;
	expect(result.error?.message).toContain(`${sent} of 31 sent, 1 unknown (${lost.to})`);
	expect(result.error?.message).toContain(`${30 - sent} not sent`);
	expect(sent).toBeLessThan(30);
});

// A key belongs to its node (guarantee 6), whatever the process remembers of others.
test.each<Partial<RunOptions>>([{ settings: { id: 'other' } }, { workflowId: 'other' }])(
	'another node has used the key, not this one (%j): it is sent',
	async (other) => {
		await batch(people(2));
		expect(await statusesOf(people(2), {}, { ...other, remembers: true })).toEqual(
			of('sent', 2),
		);
	},
);

describe('two executions at the same moment', () => {
	const plain = { checkBalance: false };
	/** The statuses of the second message, and of the first one, which leaves when `until` is over. */
	const both = async (until?: Promise<unknown>, more: Partial<RunOptions> = {}) => {
		const { open, opened } = gate();
		let isFirst = true;
		wires.set(sim.baseUrl, async (_, make) => {
			const waits = isFirst;
			isFirst = false;
			if (waits) await (until ?? opened);
			return await make();
		});
		const claim = gate();
		hooks.store = (stage, { kind }) =>
			stage === 'written' && kind === 'record' ? claim.open() : undefined;
		const first = statusesOf(people(1), plain);
		await claim.opened;
		const second = await batch(people(1), plain, more);
		open();
		return [statuses(second)[0], (await first)[0]];
	};

	test.each<[first: AnswerName, second: string]>([
		['ok', 'skipped'],
		['400 code 19', 'sent'],
		['reset, accepted', 'skipped'],
		['reset, not accepted', 'unknown'],
	])('the second one waits for the first: %s, then it is %s', async (first, second) => {
		if (first !== 'ok') answer(first, { times: 1 });
		const settings = { onError: 'continueRegularOutput' } as const;
		// Nothing more is heard of what is unknown.
		hurry({ store: { ...SOON, sending: first === 'reset, not accepted' ? 2_000 : 60_000 } });
		expect((await both(sleep(60), { settings }))[0]).toBe(second);
		expect(twice()).toEqual([]);
		hurry();
	});

	test('for five seconds, and then changes nothing', async () => {
		expect(await both()).toEqual(['unknown', 'sent']);
		expect(await statusesOf(people(1), plain)).toEqual(['skipped']);
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
	const entries = left.map((what) => `sms:2:${what}:${String(one.to)}`);
	deduplicationStore.rows.set(ROW, entries);
	for (let again = 0; again < 2; again++) expect(await statusesOf([one])).toEqual([status]);
});

describe('the store', () => {
	const known = () =>
		(deduplicationStore.rows.get(ROW) ?? []).filter((entry) => entry.startsWith('sms:2:sent:'))
			.length;

	// After a kill, the messages of keys that are not known as sent are unknown.
	test('hears during the run what was sent', async () => {
		let knownThen = 0;
		delay(5);
		const match = () => ((knownThen = known()), false);
		sim.faults.add({ path: SEND, skip: 29, match, do: { kind: 'delay', ms: 0 } });
		await batch(people(30));
		expect(knownThen).toBeGreaterThan(5);
		expect(known()).toBe(30);
	});

	// Otherwise, messages that were sent are unknown for good.
	test('that fails for a moment hears later what was sent', async () => {
		let failures = 0;
		hooks.store = (stage, { kind, items }) => {
			const isSent =
				kind === 'record' && items.some((item) => item.startsWith('sms:2:sent:'));
			if (stage === 'read' && isSent && ++failures < 4) throw new Error('database is locked');
		};
		delay(30);
		const { hints } = await batch(people(5));
		expect(failures).toBeGreaterThan(3);
		expect(JSON.stringify(hints)).not.toContain('could not store');
		expect(known()).toBe(5);
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
		const release = gate();
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (String(body ?? '').includes(String(slow.to))) await release.opened;
			return await make();
		});
		const running = statusesOf([refused, slow], { concurrency: 2 });
		while (removals < 2) await sleep(1);
		sim.faults.clear();
		answer('reset, accepted', { times: 1 });
		hideMessages();
		expect(await statusesOf([refused])).toEqual(['unknown']);
		release.open();
		expect(await running).toEqual(['refused', 'sent']);
		hooks.store = undefined;
		expect(await statusesOf([refused])).toEqual(['unknown']);
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
		await batch(people(3), {}, { onStart: (cancel) => void (stop = cancel) });
		expect(calls).toBeGreaterThan(0);
		// Until the lock is taken over, it would be asked for hundreds of times.
		expect(calls).toBeLessThan(20);
		expect(sim.messages).toEqual([]);
	});

	test('is asked nothing by a process that knows its keys', async () => {
		await batch(people(3));
		let calls = 0;
		hooks.store = () => void calls++;
		expect(await statusesOf(people(3), {}, { remembers: true })).toEqual(of('skipped', 3));
		expect(calls).toBe(0);
	});

	test('keeps 50,000 keys, whatever is asked, and n8n compares four million entries at most', async () => {
		// A store of this size takes long to copy.
		hurry({ store: { ...SOON, longestHold: 10_000, silence: 11_000 } });
		const [oldest, ...others] = people(50_000);
		answer('reset, accepted', { times: 1 });
		expect(unknownIn(await runNode(sms('send', [oldest], once)))).toEqual([0]);
		const row = deduplicationStore.rows.get(ROW)!;
		for (const { to } of others)
			row.push(`sms:2:claimed:${String(to)}`, `sms:2:sent:${String(to)}`);
		let most = 0;
		hooks.store = (_, { kind, items }) => {
			if (kind === 'remove') most = Math.max(most, items.length * row.length);
		};
		expect(await statusesOf(others.slice(0, 300))).toEqual(of('skipped', 300));
		expect(most).toBeGreaterThan(0);
		expect(most).toBeLessThanOrEqual(4_100_000);
		expect(await statusesOf([oldest])).toEqual(['unknown']);
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
	const first = batch(people(1));
	while (goOn === undefined) await sleep(1);
	// Another process knows nothing of the executions of this one.
	forgetModules();
	hurry(timing);
	await batch(people(2, 10));
	expect(isKept).toBe(true);
	hurry();
});

describe('a Remove Duplicates node of the same workflow, in the same store', () => {
	test('has made the row of the lock, and was taken out since: said what to do, and nothing is sent', async () => {
		// As that node does with the scope Workflow.
		const place = { workflow: { id: 'workflow' }, node: { id: 'remove-duplicates' } as INode };
		const entries = { mode: 'entries' };
		await deduplicationStore.checkProcessedAndRecord(['a', 'b'], 'workflow', place, entries);
		const { error } = await batch(people(5));
		expect(error?.message).toContain('Keep Items Where');
		expect(error?.description).toContain('Clear Deduplication History');
		expect(sim.messages).toEqual([]);
	});

	test('can not take the lock away', async () => {
		const beside = (scope: string) => {
			const type = 'n8n-nodes-base.removeDuplicates';
			const parameters = { options: { scope } };
			const about = { id: 'remove-duplicates', name: 'My Remover', typeVersion: 2 };
			const node: INode = { ...about, type, parameters, position: [0, 0] };
			return { otherNodes: [node] };
		};
		expect(await statusesOf(people(5), {}, beside('node'))).toEqual(of('sent', 5));
		const sharing = await batch(people(5, 10), {}, beside('workflow'));
		expect(sharing.error?.message).toContain('My Remover');
		expect(sim.messages).toHaveLength(5);
	});
});

describe('the retry of the execution that claimed the key of what is unknown', () => {
	const items = people(2);
	const send = (more: IDataObject = {}) => sms('send', items, { ...once, ...more });

	// For every other execution, the key stays used.
	test('finds it', async () => {
		answer('200 page, accepted', { skip: 1, times: 1 });
		const [unknown] = await tries(send());
		expect(unknownIn(await runNode(send()))).toEqual([1]);
		expect((await retryExecution(unknown, send())).error).toBeUndefined();
		expect(statuses(await runNode(send()))).toEqual(['skipped', 'skipped']);
		expect(reached()).toEqual(items.map(({ to }) => to));
	});

	test("sends it with 'Send Again if Unknown', once, where nothing is found", async () => {
		answer('reset, not accepted', { skip: 1, times: 1 });
		const [, plain] = await tries(send(), {});
		expect(unknownIn(plain)).toEqual([1]);
		const resent = send({ resendUnknown: true });
		expect(unknownIn(await runNode(resent))).toEqual([1]);
		expect((await retryExecution(plain, resent, resent)).error).toBeUndefined();
		expect(statuses(await runNode(resent))).toEqual(['skipped', 'skipped']);
		expect(reached()).toEqual(items.map(({ to }) => to));
	});
});

describe('a retry that is given other keys', () => {
	const items = people(3).map(
		(one, at): IDataObject => ({ ...one, wrong: `wrong ${at}`, right: `right ${at}` }),
	);
	const keyed = (operation: string, field: string, settings: IDataObject = {}) =>
		sms(operation, items, { onceKey: `={{ $json.${field} }}`, ...settings });
	const resendUnknown = true;
	const allSkipped = async (operation = 'send') =>
		expect(statuses(await runNode(keyed(operation, 'right')))).toEqual(of('skipped', 3));
	const to = items.map((item) => item.to);

	test.each<[operation: string, name: AnswerName]>([
		['send', 'reset, not accepted'],
		['sendBatch', 'reset, not accepted'],
		['send', 'reset, accepted'],
	])('%s: uses them (%s)', async (operation, name) => {
		answer(name, { skip: 1, times: 1 });
		const more = offered('Sms', operation, { failIfIncomplete: true });
		const right = keyed(operation, 'right', { ...more, resendUnknown });
		const [failed, retried] = await tries(keyed(operation, 'wrong', more), right);
		expect(unknownIn(failed)).toEqual([1]);
		expect(retried.error).toBeUndefined();
		await allSkipped(operation);
		expect(reached().sort()).toEqual(to);
	});

	test('sends nothing again with one that another execution has used', async () => {
		answer('reset, not accepted', { skip: 1, times: 1 });
		const failed = await runNode(keyed('send', 'wrong'));
		const [other] = people(1, 100);
		const used = { ...keyed('send', 'right'), items: [{ ...other, right: 'right 1' }] };
		await runNode(used);
		const right = keyed('send', 'right', { resendUnknown });
		expect(unknownIn(await retryExecution(failed, right, right))).toEqual([1]);
		expect(reached().sort()).toEqual([to[0], to[2], other.to]);
	});

	test('that was stopped before it sent keeps its claim', async () => {
		answer('reset, not accepted', { times: 3 });
		// The first one that is lost stops the run: all three leave at the same moment.
		const { open, opened } = gate();
		let leaving = 0;
		wires.set(sim.baseUrl, async (_, make) => {
			if (++leaving === 3) open();
			await opened;
			return await make();
		});
		const right = keyed('send', 'right', { resendUnknown });
		const results = await tries(
			keyed('send', 'wrong', { concurrency: 3 }),
			() => {
				// Refused at the first one: the others have claimed their keys, and don't leave.
				answer('401 code 72', { times: 1 });
				return right;
			},
			right,
		);
		expect(results.map(unknownIn)).toEqual([[0, 1, 2], [0, 1, 2], []]);
		expect(results[2].error).toBeUndefined();
		await allSkipped();
		expect(reached()).toEqual(to);
	});
});
