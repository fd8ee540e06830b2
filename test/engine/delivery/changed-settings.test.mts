/** A retry with the currently saved workflow, whose settings were changed: nobody gets two, and nothing is called done that isn't. */
import { describe, expect, test } from 'vitest';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { of, people, sim } from './sending.mts';

const BUSY: FaultAction = { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } };
const [one, two, three] = people(3);

/** The first execution of the one, retried as the other. */
async function change(from: RunOptions, to: RunOptions): Promise<RunResult> {
	return await retryExecution(await runNode(from), from, to);
}

describe('another operation is another change', () => {
	test('numbers that were removed by mistake are added', async () => {
		const blacklist = sim.service.blacklist('unsubscribers');
		const rows = [one, two, three];
		for (const { to } of rows) sim.service.addToBlacklist('unsubscribers', String(to));
		sim.faults.add({ method: 'DELETE', skip: 2, times: 1, do: BUSY });
		const as = (operation: string) =>
			of('SmsBlacklist', { operation, number: '={{ $json.to }}' }, rows);
		const retried = await change(as('remove'), as('add'));
		expect(retried.error).toBeUndefined();
		expect(rows.map(({ to }) => blacklist.has(String(to)))).toEqual([true, true, true]);
	});

	test('a list that was emptied is deleted', async () => {
		const lists = ['A', 'B'].map((name) => sim.service.createList(name));
		sim.faults.add({ method: 'POST', skip: 1, times: 1, do: BUSY });
		const as = (operation: string) =>
			of(
				'SmsList',
				{ operation, list: listOf('={{ $json.id }}', 'id') },
				lists.map(({ id }) => ({ id })),
			);
		const retried = await change(as('empty'), as('delete'));
		expect(retried.error).toBeUndefined();
		expect(sim.service.lists.size).toBe(0);
	});
});
