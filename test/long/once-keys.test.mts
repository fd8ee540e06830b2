/**
 * Once keys in one n8n with SQLite, on the newest version and the oldest: an event that is heard twice at
 * the same moment. Workers are in alone/queue.test.mts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phones, Received, report } from '../e2e/delivery-support.mts';
import { type Environment, startEnvironment } from '../e2e/support.mts';
import {
	ANSWER_TIME,
	countStatuses,
	createEventWorkflow,
	expectOnce,
	ordersFor,
	postAll,
	slowest,
} from './events.mts';

/**
 * From one event to the next, in milliseconds. One n8n begins all executions at once: where events come much
 * faster than the store takes their keys, some wait for it for longer than a minute, and send nothing.
 */
const EVERY = 300;

/** How many events are posted twice. */
const EVENTS = process.env.CI ? 100 : 200;

describe.each(['n8n', 'n8n-1.123'])('%s', (install) => {
	let environment: Environment;
	beforeAll(async () => {
		environment = await startEnvironment({ n8n: { install } });
	});
	afterAll(async () => await environment?.close());

	test(`${EVENTS} events, each posted twice within 25 ms: everybody gets one`, async () => {
		const { n8n, simulator } = environment;
		simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: ANSWER_TIME } });
		const numbers = phones(EVENTS);
		const workflow = await createEventWorkflow(n8n);
		const executions = await postAll(workflow, ordersFor(numbers), 2, EVERY);
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
