/** The tables at the head of the store of once keys and of its lock, row by row (design, guarantee 6). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyStore } from '../../../nodes/Sms/KeyStore.ts';
import { StoreLock } from '../../../nodes/Sms/StoreLock.ts';
import { DeduplicationStore } from '../../engine/store.mts';
import { useTurnedClock } from './schedules.mts';

const NODES = join(import.meta.dirname, '../../../nodes/Sms');

/** The functions that n8n gives a node for its store of one workflow. */
function helpersOf(
	store: DeduplicationStore,
	id: string,
	node = 'node',
): IExecuteFunctions['helpers'] {
	const place = { workflow: { id }, node: { id: node } as INode };
	return {
		checkProcessedAndRecord: async (items: string[], scope: 'node', options: never) =>
			await store.checkProcessedAndRecord(items, scope, place, options),
		getProcessedDataCount: async (scope: 'node') =>
			await store.getProcessedDataCount(scope, place),
		removeProcessed: async (items: string[], scope: 'node') =>
			await store.removeProcessed(items, scope, place),
		clearAllProcessedItems: async (scope: 'node') =>
			await store.clearAllProcessedItems(scope, place),
	} as unknown as IExecuteFunctions['helpers'];
}

/** The rows of the table in a file's comment. */
function tableOf(file: string): string[][] {
	const lines = readFileSync(join(NODES, file), 'utf8').match(/^ \* \|.*\|$/gm) ?? [];
	const [, , ...rows] = lines.map((line) =>
		line
			.slice(4, -1)
			.split('|')
			.map((cell) => cell.trim()),
	);
	return rows;
}

let worlds = 0;

describe('a key', () => {
	const rows = tableOf('KeyStore.ts');
	test('has a row for each state', () => {
		expect(new Set(rows.map(([, state]) => state))).toEqual(
			new Set(['free', 'claimed', 'sent']),
		);
	});

	/** n8n's store, and the keys as one process and another one have them. */
	function worldOf(entries: string) {
		const n8n = new DeduplicationStore();
		const workflowId = `protocol ${++worlds}`;
		const place = `${workflowId}/node`;
		const own = entries === 'none' ? [] : entries.split(', ').map((name) => `sms:2:${name}:a`);
		// Another key, so that the store isn't empty.
		n8n.rows.set(place, ['sms:2:claimed:b', ...own]);
		// Each knows nothing of what the others have seen.
		const store = () => {
			const owner = { workflowId: `${workflowId}/${++worlds}`, nodeId: 'node' };
			return new KeyStore(helpersOf(n8n, workflowId), owner, 1);
		};
		const state = async () => {
			const { free, sent } = await store().look(['a']);
			return free.has('a') ? 'free' : sent.has('a') ? 'sent' : 'claimed';
		};
		return { store, state, row: () => [...n8n.rows.get(place)!].sort() };
	}

	test.each(rows)('with %s is %s', async (entries, state, looked, claimed, sent, notSent) => {
		const asked = worldOf(entries);
		const before = asked.row();
		expect(await asked.state()).toBe(state);
		expect(await asked.state()).toBe(looked);
		const found = await asked.store().findSent(['a']);
		expect(found.has('a')).toBe(looked === 'sent');
		expect(asked.row()).toEqual(state === 'free' ? expect.anything() : before);

		const taken = worldOf(entries);
		const own = await taken.store().claim(['a']);
		expect(own.has('a') ? await taken.state() : 'refused').toBe(claimed);
		if (claimed === 'refused') expect(taken.row()).toEqual(before);

		for (const [then, act] of [
			[sent, async (store: KeyStore) => await store.markSent(['a'])],
			[notSent, async (store: KeyStore) => await store.release(['a'])],
		] as const) {
			if (then === '-') continue;
			const ended = worldOf(entries);
			await act(ended.store());
			expect(await ended.state()).toBe(then);
		}
	});

	// An asker takes its entries out 40 at a time: whatever it leaves hides nothing that comes later.
	test.each([1, 2, 3, 4])(
		'is sent in the end, whichever call of an asker is its last: %i',
		async (last) => {
			const keys = Array.from({ length: 61 }, (_, at) => `key-${at}`);
			const n8n = new DeduplicationStore();
			const workflowId = `protocol ${++worlds}`;
			const store = () => {
				const owner = { workflowId: `${workflowId}/${++worlds}`, nodeId: 'node' };
				return new KeyStore(helpersOf(n8n, workflowId), owner, 1);
			};
			await store().claim(keys);
			await store().markSent(keys.slice(0, 1));
			let calls = 0;
			n8n.onCall = ({ kind }, stage) => {
				if (stage !== 'read' || kind === 'lock' || kind === 'unlock') return;
				if (++calls > last) throw new Error('killed');
			};
			await store()
				.findSent(keys)
				.catch(() => {});
			n8n.onCall = undefined;
			await store().markSent(keys);
			expect([...(await store().findSent(keys))]).toEqual(keys);
		},
	);
});

describe('the row of the lock', () => {
	useTurnedClock();
	beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.3));
	afterEach(() => void vi.mocked(Math.random).mockRestore());

	const rows = tableOf('StoreLock.ts');
	test('has several states', () => expect(rows.length).toBeGreaterThan(5));

	test.each(rows)('with %s for %s: %s %s', async (has, since, who, does) => {
		let row: number | undefined;
		const helpers = {
			checkProcessedAndRecord: (numbers: number[]) => {
				const before = row ?? 0;
				row = Math.max(before, ...numbers);
				return Promise.resolve({ new: numbers.filter((one) => one > before) });
			},
			clearAllProcessedItems: () => Promise.resolve((row = undefined)),
		} as unknown as IExecuteFunctions['helpers'];
		const pass = async (time: number) => await vi.advanceTimersByTimeAsync(time);
		const time = (Number.parseFloat(since) || 0) * 1_000;
		const isHolder = who === 'the holder';
		row = isHolder || has === 'no number' ? undefined : 1;

		let [holds, isOver] = [false, false];
		const workFor = isHolder ? time : 60_000;
		const end = new StoreLock(helpers, `lock ${++worlds}`)
			.hold(
				async () => {
					holds = true;
					await new Promise<void>((resolve) => setTimeout(resolve, workFor));
				},
				() => isOver,
			)
			.then(
				() => 'works, then',
				() => 'fails, and',
			);
		if (isHolder) {
			await pass(time);
			expect(`${await end} ${row === undefined ? 'deletes' : 'leaves'} it`).toBe(does);
			return;
		}
		// Until it has left its own.
		if (has !== '1' && has !== 'no number') while (row === 1) await pass(10);
		const again = /^1 again, after (\d+) s$/.exec(has);
		if (again !== null) await pass(Number(again[1]) * 1_000);
		if (has === 'a larger number') row = row! + 1_000_000;
		const before = row;
		if (again !== null) row = 1;
		await pass(time);
		const own = before === 1 ? 'leaves its number' : 'leaves a still larger number';
		// A little more than its own is no other number: with one more, it asks whether its own is the largest still.
		const waits = row! > before! + 2 ? own : 'waits';
		const took = has === 'no number' ? 'makes it, and has the lock' : 'has the lock';
		expect(holds ? took : waits).toBe(does);
		isOver = true;
		await pass(70_000);
		await end;
	});
});
