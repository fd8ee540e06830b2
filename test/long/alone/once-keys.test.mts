/**
 * Once keys in one n8n with SQLite, on the newest version and the oldest: an event that is heard twice at
 * the same moment, many events in a few seconds. Workers are in queue.test.mts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { report } from '../../e2e/delivery-support.mts';
import { phones, Received } from '../../harness/phones.mts';
import { type Environment, startEnvironment } from '../../e2e/support.mts';
import {
	ANSWER_TIME,
	countStatuses,
	createEventWorkflow,
	expectOnce,
	ordersFor,
	postAll,
	slowest,
} from '../events.mts';

describe.each(['n8n', 'n8n-1.123'])('%s', (install) => {
	let environment: Environment;
	beforeAll(async () => {
		environment = await startEnvironment({ n8n: { install } });
	});
	afterAll(async () => await environment?.close());

	test('100 events, each posted twice within 25 ms: everybody gets one', async () => {
		const { n8n, simulator } = environment;
		simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: ANSWER_TIME } });
		const numbers = phones(100);
		const workflow = await createEventWorkflow(n8n);
		const executions = await postAll(workflow, ordersFor(numbers), 2);
		const counts = countStatuses(executions);
		report(`Events posted twice, ${install} with SQLite`, {
			...counts,
			'the slowest execution': slowest(executions),
		});
		expectOnce(executions, simulator);
		expect(new Received(simulator).count(numbers, 1)).toBe(numbers.length);
		expect(counts.sent).toBe(numbers.length);
		expect(counts.unknown ?? 0).toBeLessThanOrEqual(numbers.length / 20);
	});
});
