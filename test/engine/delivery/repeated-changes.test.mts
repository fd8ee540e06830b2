/** Changes other than messages are made once, over lost answers and retries (design, guarantees 4 and 5), by what the service holds. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import { retryExecution, runNode, succeeded } from '../harness.mts';
import { DEEDS, type Deed } from './player-stories.mts';
import { of, tries } from './sending.mts';
import { changes, sim } from './service.mts';
import { jsonOf, textOf, unknownIn } from './support.mts';

const BUSY: FaultAction = { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } };
const LOST: FaultAction = { kind: 'resetAfterAccept' };

/** A deed with its options, a fault of its rows' changes, and how often each row was carried out. */
function begin(name: string, by = 'number') {
	sim.service.settings.duplicates = 'accept';
	const dice = { one: () => by as never, to: () => 0, chance: () => false };
	const deed = DEEDS[name](dice);
	// The columns of a new list are no rows.
	const isOfRow = (path: string) => name !== 'list create' || !path.endsWith('/fields');
	return {
		...deed,
		options: of(deed.node, deed.parameters, deed.rows),
		spoil(action: FaultAction, { skip = 0, times = 1 } = {}): void {
			const match = ({ method, path }: RecordedRequest) => method !== 'GET' && isOfRow(path);
			sim.faults.add({ match, skip, times, do: action });
		},
		counts: () => deed.rows.map((row) => deed.count(row)),
	};
}
const once = ({ rows }: Deed) => rows.map(() => 1);

describe.each([
	...['blacklist add', 'list create', 'list addColumn'],
	...['contact add', 'campaign create', 'campaign send'],
])('%s', (name) => {
	test('a lost answer: a retry finds it, and repeats nothing', async () => {
		const deed = begin(name);
		deed.spoil(LOST, { skip: 1 });
		const [failed, retried] = await tries(deed.options, {});
		expect(unknownIn(failed)).toHaveLength(1);
		expect(unknownIn(retried)).toEqual([]);
		expect(retried.error).toBeUndefined();
		expect(deed.counts()).toEqual(once(deed));
		expect(sim.service.lists.size).toBeLessThanOrEqual(3);
	});

	test('a request that got lost: a retry that finds nothing makes it again', async () => {
		const deed = begin(name);
		deed.spoil({ kind: 'resetBeforeRead' }, { skip: 1 });
		const [failed, retried] = await tries(deed.options, {});
		expect(unknownIn(failed)).toHaveLength(1);
		expect(retried.error).toBeUndefined();
		expect(retried.items).toHaveLength(deed.rows.length);
		expect(deed.counts()).toEqual(once(deed));
	});

	test('a refusal: a retry adds the rest', async () => {
		const deed = begin(name);
		deed.spoil(BUSY, { skip: 1 });
		const [failed, retried] = await tries(deed.options, {});
		expect(textOf(failed)).toContain('4711');
		expect(retried.error).toBeUndefined();
		expect(retried.items).toHaveLength(deed.rows.length);
		expect(deed.counts()).toEqual(once(deed));
	});
});

const DELETIONS: Record<string, (row: IDataObject, list: string) => unknown> = {
	'blacklist remove': ({ to }) => sim.service.addToBlacklist('unsubscribers', String(to)),
	'list delete': ({ id }) => sim.service.lists.set(String(id), sim.service.createList('A')),
	'list deleteColumn': ({ name }, list) =>
		sim.service.list(list).addField(String(name), 'STRING'),
	'contact delete by number': ({ to }, list) => sim.service.list(list).addContact(String(to)),
	'contact delete by id': ({ to }, list) => sim.service.list(list).addContact(String(to)),
};
/** @returns the deed, and what puts its first row back */
const deletion = (name: string) => {
	const [deed, by] = name.split(' by ');
	const begun = begin(deed, by);
	const list = [...sim.service.lists.keys()][0];
	return { ...begun, refill: () => DELETIONS[name](begun.rows[0], list) };
};

describe.each(Object.keys(DELETIONS))('%s', (name) => {
	test.each([
		['carried out, and the answer lost', LOST, 1],
		['all tries lost', { kind: 'status', status: 502, accept: true }, 4],
	] as Array<[string, FaultAction, number]>)('%s: done in the end', async (_, action, times) => {
		const deed = deletion(name);
		deed.spoil(action, { times });
		const first = await runNode(deed.options);
		sim.faults.clear();
		if (action === LOST) expect(first.error).toBeUndefined();
		const last = first.error ? await retryExecution(first, deed.options) : first;
		expect(last.error).toBeUndefined();
		expect(jsonOf(last)).toMatchObject(deed.rows.map(() => ({ deleted: true })));
		expect(deed.counts()).toEqual(once(deed));
	});

	test.each([404, 410])(
		'the answer lost, then %i without a word: it is deleted',
		async (status) => {
			const deed = deletion(name);
			deed.spoil(LOST);
			deed.spoil({ kind: 'status', status, body: '' }, { skip: 1, times: 6 });
			const { rows, options } = deed;
			const { items } = succeeded(await runNode({ ...options, items: rows.slice(0, 1) }));
			expect(jsonOf({ items })).toMatchObject([{ deleted: true }]);
		},
	);

	test('a retry deletes the rest, and nothing that is there again', async () => {
		const deed = deletion(name);
		deed.spoil(BUSY, { skip: 1 });
		const [failed, retried] = await tries(deed.options, () => void deed.refill());
		expect(failed.error).toBeDefined();
		expect(retried.error).toBeUndefined();
		expect(jsonOf(retried)).toMatchObject(deed.rows.map(() => ({ deleted: true })));
		expect(deed.counts()).toEqual([0, ...once(deed).slice(1)]);
	});

	test('what is not there is not called deleted', async () => {
		const { options, rows } = deletion(name);
		await runNode(options);
		const again = await runNode(options);
		// Columns are looked up by name first: the error tells which ones there are.
		if (name === 'list deleteColumn')
			return expect(textOf(again)).toContain('The list has no column');
		expect(again.error).toBeUndefined();
		expect(jsonOf(again).map(({ deleted }) => deleted)).toEqual(rows.map(() => false));
	});
});

test('list empty: what was refilled is not emptied again by a retry', async () => {
	const deed = begin('list empty');
	const { options, rows } = deed;
	const [first] = rows;
	deed.spoil(BUSY, { skip: 1 });
	const [failed, retried] = await tries(options, () =>
		sim.service.addContacts(String(first.id), 5),
	);
	expect([failed.error !== undefined, retried.error]).toEqual([true, undefined]);
	const left = rows.map(({ id }) => sim.service.list(String(id)).contacts.length);
	expect(left).toEqual([5, 0, 0]);
	expect(changes()).toHaveLength(4);
});
