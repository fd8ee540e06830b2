/** A once key is never sent twice, and never called sent without being it (design, guarantee 4). */
import type { INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	deduplicationStore,
	forgetModules,
	runNode,
	wires,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
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
import { hurry } from './support.mts';

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

describe('a key that is unknown stays unknown, whatever happens at once', () => {
	test('a key that another execution is sending now is not resent as unknown', async () => {
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 20 } });
		await Promise.all([
			runNode(sms('sendBatch', people(1), once)),
			runNode(sms('sendBatch', people(1), { ...once, resendUnknown: true })),
		]);
		expect(sim.messages).toHaveLength(1);
	});

	// It was called sent by every later execution: a message that nobody got and nobody heard of.
	test('a message that becomes unknown while the store is asked about another stays unknown', async () => {
		const own = { ...once, lookUpUnknown: false };
		await runNode(sms('sendBatch', people(1, 9), own));
		const lost = people(1)[0].to as string;
		let isAsked = () => {};
		const asked = new Promise<void>((resolve) => (isAsked = resolve));
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (!JSON.stringify(body).includes(lost)) return await make();
			await asked;
			throw new Error('socket hang up');
		});
		hooks.store = async (stage, { items }) => {
			if (stage === 'written' || items.join() !== 'sms-unsure') return;
			isAsked();
			await new Promise((resolve) => setTimeout(resolve, 50));
		};
		// The second item takes the place of the first, and that of the third waits meanwhile.
		const items = [...people(2), ...people(1, 9)];
		const first = await runNode(sms('sendBatch', items, { ...own, concurrency: 2 }));
		expect(statuses(first)).toEqual(['unknown', 'sent', 'skipped']);
		wires.clear();
		delete hooks.store;
		const second = await runNode(sms('sendBatch', items, own));
		expect(statuses(second)).toEqual(['unknown', 'skipped', 'skipped']);
	});

	const lose = (...numbers: unknown[]) => {
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (!numbers.includes((body as { number?: string } | undefined)?.number)) {
				return await make();
			}
			throw new Error('socket hang up');
		});
	};

	// Its one confirmed key stood in for the entry that said so: what it lost was called sent for ever.
	test('a key that another worker has lost stays unknown, whatever that worker writes meanwhile', async () => {
		const own = { ...once, lookUpUnknown: false };
		const [old, lost, sent] = people(3);
		await runNode(sms('sendBatch', [old], own));
		lose(lost.to);
		const gate = () => {
			let open = () => {};
			const opened = new Promise<void>((resolve) => (open = resolve));
			return { open, opened };
		};
		const [ready, go, confirmed] = [gate(), gate(), gate()];
		let other: Promise<RunResult> | undefined;
		hooks.store = async (stage, { items }) => {
			const written = items.join();
			if (written === `sms-sent:1:${String(sent.to)}`) {
				if (stage === 'written') confirmed.open();
				else ready.open();
				await go.opened;
			} else if (stage === 'written' && written === `sms:1:${String(old.to)}`) {
				forgetModules();
				hurry();
				other = runNode(sms('sendBatch', [lost, sent], own));
				await ready.opened;
			} else if (stage === 'read' && other !== undefined && written === 'sms-unsure') {
				go.open();
				await confirmed.opened;
			}
		};
		expect(statuses(await runNode(sms('sendBatch', [old], own)))).toEqual(['skipped']);
		expect(statuses(await other!)).toEqual(['unknown', 'sent']);
		delete hooks.store;
		wires.clear();
		forgetModules();
		hurry();
		const later = await runNode(sms('sendBatch', [lost, sent], own));
		expect(statuses(later)).toEqual(['unknown', 'skipped']);
		expect(reached()).not.toContain(lost.to);
	});

	// The next execution relied on an entry that was gone: other workers took its keys for sent ones.
	test('a key is not called sent, where the end of the execution before could not be stored', async () => {
		const own = { ...once, lookUpUnknown: false };
		const [first, lost] = people(2);
		let isUnderWay = () => {};
		const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
		let fail = () => {};
		const failed = new Promise<void>((resolve) => (fail = resolve));
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if ((body as { number?: string }).number !== lost.to) return await make();
			isUnderWay();
			await failed;
			throw new Error('socket hang up');
		});
		let next: Promise<RunResult> | undefined;
		hooks.store = async (stage, { kind, items }) => {
			if (stage === 'read' || kind !== 'remove' || items.join() !== 'sms-busy') return;
			if (next !== undefined) return;
			next = runNode(sms('sendBatch', [lost], own));
			// It is there, and waits for its turn.
			await new Promise((resolve) => setTimeout(resolve, 50));
			throw new Error('database is locked');
		};
		expect(statuses(await runNode(sms('sendBatch', [first], own)))).toEqual(['sent']);
		await underWay;
		forgetModules();
		hurry();
		const elsewhere = await runNode(sms('sendBatch', [lost], own));
		fail();
		expect(statuses(await next!)).toEqual(['unknown']);
		expect(statuses(elsewhere)).toEqual(['unknown']);
		expect(reached()).toEqual([first.to]);
	});

	// n8n drops the oldest entries: the one that says that keys may be unknown went before these keys did.
	test('an unknown key stays unknown as long as it is kept', async () => {
		const own = { ...once, lookUpUnknown: false };
		const [early, late] = people(2);
		const others = (count: number, name: string) => {
			const row = deduplicationStore.rows.get('workflow/')!;
			for (let at = 0; at < count; at++)
				row.push(`sms:1:${name}${at}`, `sms-sent:1:${name}${at}`);
			// The last 100,000 keys.
			row.splice(0, row.length - 200_000);
		};
		lose(early.to, late.to);
		await runNode(sms('sendBatch', [early], own));
		others(99_990, 'a');
		expect(statuses(await runNode(sms('sendBatch', [late], own)))).toEqual(['unknown']);
		others(100, 'b');
		wires.clear();
		expect(statuses(await runNode(sms('sendBatch', [late], own)))).toEqual(['unknown']);
		expect(reached()).toEqual([]);
	});
});

describe('a Remove Duplicates node of the same workflow, in the same store', () => {
	test('a Remove Duplicates node of the same workflow has cut the store of keys: said, and nothing is sent', async () => {
		await runNode(sms('sendBatch', people(5), once));
		// What that node does with the scope Workflow and a history of 3.
		const place = { workflow: { id: 'workflow' }, node: { id: 'remove-duplicates' } as INode };
		await deduplicationStore.checkProcessedAndRecord(['a', 'b'], 'workflow', place, {
			maxEntries: 3,
		});
		const again = await runNode(sms('sendBatch', people(5), once));
		expect(again.error?.message).toContain("'Once Key'");
		expect(again.error?.description).toContain('Remove Duplicates');
		expect(sim.messages).toHaveLength(5);
	});

	// That node keeps its items in the same store with the scope Workflow, and cuts it to its history size.
	test('a Remove Duplicates node of the same workflow can not cut the store of keys', async () => {
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
