/** A once key is never sent twice, and never called sent without being it (design, guarantee 4). */
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	deduplicationStore,
	retryExecution,
	runNode,
	wires,
	type RunOptions,
} from '../harness.mts';
import { answer, once, people, reached, SEND, sim, sms, statuses, twice } from './sending.mts';
import { SOON } from '../store.mts';
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

describe('a key that is unknown stays unknown, whatever happens at once', () => {
	test('a key that another execution is sending now is not resent as unknown', async () => {
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 20 } });
		await Promise.all([
			runNode(sms('sendBatch', people(1), once)),
			runNode(sms('sendBatch', people(1), { ...once, resendUnknown: true })),
		]);
		expect(sim.messages).toHaveLength(1);
	});

	const lose = (...numbers: unknown[]) => {
		wires.set(sim.baseUrl, async ({ body }, make) => {
			const { number } = JSON.parse(String(body ?? '{}')) as { number?: string };
			if (!numbers.includes(number)) {
				return await make();
			}
			throw new Error('socket hang up');
		});
	};

	test('an unknown key stays unknown as long as it is kept', async () => {
		// A store of this size takes long to copy.
		hurry({ store: { ...SOON, longestHold: 10_000, silence: 11_000 } });
		const own = { ...once };
		const [early, late] = people(2);
		const others = (count: number, name: string) => {
			const row = deduplicationStore.rows.get('workflow/under-test')!;
			for (let at = 0; at < count; at++)
				row.push(`sms:2:claimed:${name}${at}`, `sms:2:sent:${name}${at}`);
			// The last 50,000 keys, two entries each, and room for 10,000 entries of others.
			row.splice(0, row.length - 110_000);
		};
		lose(early.to, late.to);
		await runNode(sms('sendBatch', [early], own));
		others(54_995, 'a');
		expect(statuses(await runNode(sms('sendBatch', [late], own)))).toEqual(['unknown']);
		others(50, 'b');
		wires.clear();
		expect(statuses(await runNode(sms('sendBatch', [late], own)))).toEqual(['unknown']);
		expect(reached()).toEqual([]);
		hurry();
	});
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
