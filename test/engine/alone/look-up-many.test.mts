/** Of many messages with faults of all kinds, those that arrived are found, and no other. */
import { expect, test } from 'vitest';
import type { FaultAction } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import { given, LOST, NOT_ACCEPTED, numberOf, sim } from './look-up-support.mts';

const MANY = Number(process.env.MESSAGES ?? 1_000);
const FAULTS: FaultAction[] = [
	LOST,
	NOT_ACCEPTED,
	{ kind: 'truncatedJson', accept: true },
	{ kind: 'html200', accept: true },
	{ kind: 'status', status: 502, accept: false },
	{ kind: 'status', status: 502, accept: true },
	{ kind: 'json', status: 504, body: { code: 504 }, accept: true },
	{ kind: 'json', status: 500, body: { code: 1000, error: 'Unknown' }, accept: true },
	{ kind: 'wrongTypes', accept: true },
	{ kind: 'json', status: 504, body: { code: 4 }, accept: false },
];

test('of many messages with faults of all kinds, most that arrived are found, and no other', async () => {
	const rows = Array.from({ length: MANY }, (_, index) => ({ to: numberOf(index) }));
	// Half of the numbers had a message before.
	await runNode(given('sendBatch', rows.slice(0, MANY / 2), { lookUpUnknown: false }));
	const earlier = new Set(sim.messages.map(({ snapshotId }) => snapshotId));
	for (const [place, action] of FAULTS.entries()) {
		sim.faults.add({
			path: /send$/,
			times: Infinity,
			match: ({ body }) => {
				const index = Number(/"\+336\d\d(\d+)"/.exec(body.toString())?.[1]);
				return index % (20 * FAULTS.length) === 20 * place;
			},
			do: action,
		});
	}
	const once = { onceKey: '={{ $json.to }}', concurrency: 20 };
	const { items } = await runNode(given('sendBatch', rows, once));
	const arrived = new Map(
		sim.messages
			.filter(({ snapshotId }) => !earlier.has(snapshotId))
			.map(({ number, snapshotId }) => [number, snapshotId]),
	);
	const found = jsonOf(items).filter(({ foundBy }) => foundBy === 'lookup');
	const unknown = jsonOf(items).filter(({ status }) => status === 'unknown');
	for (const { number, snapshotId } of found) {
		expect(arrived.get(String(number))).toBe(snapshotId);
	}
	const missed = unknown.filter(({ number }) => arrived.has(String(number)));
	console.log(
		`${MANY} messages: ${found.length + unknown.length} answers lost, ${found.length} found, ${missed.length} that had arrived not found`,
	);
	expect(found.length).toBeGreaterThanOrEqual(0.95 * (found.length + missed.length));
	expect(found.length).toBeGreaterThan(MANY / 60);
	// The once keys have learned it: only what is unknown is unknown.
	sim.faults.clear();
	const again = await runNode(given('sendBatch', rows, { ...once, lookUpUnknown: false }));
	expect(jsonOf(again.items).filter(({ status }) => status === 'unknown')).toHaveLength(
		unknown.length,
	);
}, 900_000);
