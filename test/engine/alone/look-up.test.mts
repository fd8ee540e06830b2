/**
 * Messages whose answer was lost are looked up after the run: sent only on positive evidence, by the clock
 * of the service. What is accepted and when is told by the simulator.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator/index.mts';
import {
	deduplicationStore,
	load,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { hurry, jsonOf } from '../sms/support.mts';

let sim: Simulator;
beforeAll(async () => {
	hurry();
	// As far away as a service is: what is dated after an attempt can be told from what came before.
	sim = await startSimulator({ latencyMs: 40 });
});
afterAll(async () => await sim.close());
beforeEach(() => {
	sim.reset();
	deduplicationStore.rows.clear();
	policy.rounds = [0, 300, 2_000];
	policy.longest = 15_000;
	policy.narrowing = 10;
});
const policy = load<{ lookUpPolicy: { rounds: number[]; longest: number; narrowing: number } }>(
	'nodes/Sms/lookUp.js',
).lookUpPolicy;

/** Another test texts other numbers: what one has left unknown could be taken for another's. */
let area = 10;
beforeEach(() => area++);
const numberOf = (index: number) => `+336${area}${String(index).padStart(6, '0')}`;
const LOST: FaultAction = { kind: 'resetAfterAccept' };
const NOT_ACCEPTED: FaultAction = { kind: 'resetBeforeRead' };
const HOUR = 3_600_000;

function given(
	operation: 'send' | 'sendBatch',
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text ?? "Bonjour" }}',
			options: { ...(operation === 'send' ? { lookUpUnknown: true } : {}), ...options },
		} as INodeParameters,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...more,
	};
}
const lookUps = () => sim.requestsTo('GET', /\/messages\/status/).length;
const only = ({ items }: RunResult) => jsonOf(items)[0];
/** Spoils the answer to the next send. */
function spoil(action: FaultAction, skip = 0): void {
	sim.faults.add({ path: /send$/, skip, do: action });
}
async function send(to = numberOf(1), options: IDataObject = {}) {
	return await runNode(given('send', [{ to }], options));
}

describe('a message that arrived', () => {
	test.each(['send', 'sendBatch'] as const)('is found (%s)', async (operation) => {
		spoil(LOST);
		const result = await runNode(given(operation, [{ to: numberOf(1) }]));
		expect(result.error).toBeUndefined();
		expect(only(result)).toMatchObject({
			number: numberOf(1),
			snapshotId: sim.messages[0].snapshotId,
			foundBy: 'lookup',
		});
		expect(sim.messages).toHaveLength(1);
	});

	test.each([HOUR, -HOUR, 1_234, -777])(
		'is found by a service whose clock is %d ms ahead',
		async (ahead) => {
			sim.clock.advance(ahead);
			spoil(LOST);
			expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
		},
	);

	test('is found where times and IDs come in other forms', async () => {
		Object.assign(sim.service.settings, { counters: 'text', ids: 'number', states: 'upper' });
		spoil(LOST);
		expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
	});

	test('is found though the number had an older message', async () => {
		await send();
		sim.clock.advance(5_000);
		spoil(LOST);
		const result = await send();
		expect(only(result)).toMatchObject({ snapshotId: sim.messages[1].snapshotId });
	});

	test('is found when the service shows it late', async () => {
		sim.faults.add({
			path: /status$/,
			do: { kind: 'json', status: 400, body: { code: 16, error: 'No message' } },
		});
		spoil(LOST);
		expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
	});

	test('lets its execution be retried for the rest', async () => {
		spoil(LOST);
		const options = given('send', [{ to: numberOf(1) }, { to: numberOf(2) }], {
			concurrency: 1,
		});
		const stopped = await runNode(options);
		expect(stopped.error?.message).toContain('found to be sent');
		expect(stopped.error?.description).toContain(numberOf(1));
		const retried = await retryExecution(stopped, options);
		expect(jsonOf(retried.items)).toMatchObject([
			{ foundBy: 'lookup' },
			{ number: numberOf(2), creditsUsed: 1 },
		]);
		expect(sim.messages).toHaveLength(2);
	});

	test('is told above the output', async () => {
		spoil(LOST);
		const { hints } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(JSON.stringify(hints)).toContain('1 message whose answer was lost');
	});

	test('is known by its once key', async () => {
		const options = { onceKey: '={{ $json.to }}' };
		spoil(LOST);
		const first = await runNode(given('sendBatch', [{ to: numberOf(1) }], options));
		expect(only(first)).toMatchObject({ status: 'sent', foundBy: 'lookup' });
		const second = await runNode(
			given('sendBatch', [{ to: numberOf(1) }], { ...options, resendUnknown: true }),
		);
		expect(only(second)).toMatchObject({ status: 'skipped' });
		expect(sim.messages).toHaveLength(1);
	});

	test('is found by a later try, when the service was silent before', async () => {
		// Enough answers to know the clock.
		const rows = Array.from({ length: 1_000 }, (_, index) => ({ to: numberOf(index) }));
		sim.faults.add({ path: /send$/, skip: 999, do: LOST });
		sim.faults.add({
			path: /status$/,
			times: Infinity,
			match: ({ raw }) => raw.includes(encodeURIComponent(numberOf(999))),
			do: { kind: 'json', status: 400, body: { code: 16, error: 'No message' } },
		});
		policy.rounds = [0];
		const options = given('send', rows, { concurrency: 10 });
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('unknown');
		sim.faults.clear();
		const retried = await retryExecution(failed, options);
		expect(retried.error).toBeUndefined();
		expect(jsonOf(retried.items).at(-1)).toMatchObject({ foundBy: 'lookup' });
		expect(sim.messages).toHaveLength(1_000);
	});
});

describe('what did not arrive stays unknown', () => {
	async function unknown(options: RunOptions): Promise<IDataObject> {
		const { items } = await runNode(options);
		const json = jsonOf(items).at(-1)!;
		expect(json).toMatchObject({ status: 'unknown' });
		return json;
	}

	test('where the service shows no message', async () => {
		spoil(NOT_ACCEPTED);
		const json = await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		expect(json.description).toContain('shows no message');
		expect(lookUps()).toBeGreaterThanOrEqual(3);
		expect(lookUps()).toBeLessThanOrEqual(15);
	});

	test.each([50, 400, 2_000, 30_000, HOUR])(
		'where another message came %d ms before',
		async (milliseconds) => {
			sim.clock.advance(-milliseconds);
			await send();
			sim.clock.advance(milliseconds);
			spoil(NOT_ACCEPTED);
			const json = await unknown(given('sendBatch', [{ to: numberOf(1) }]));
			expect(json.description).toContain(sim.messages[0].snapshotId);
		},
	);

	test('right after another execution has texted the number', async () => {
		for (let time = 0; time < 5; time++) {
			await send();
			sim.faults.clear();
			spoil(NOT_ACCEPTED);
			await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		}
	});

	test('where the older message was delivered only now', async () => {
		sim.clock.advance(-1_500);
		await send();
		sim.clock.advance(1_500);
		spoil(NOT_ACCEPTED);
		await unknown(given('sendBatch', [{ to: numberOf(1) }]));
	});

	test.each([
		['gateway', 20_000, 10_000],
		['gateway', 1_500, 1_000],
		['gateway', 5_000, 4_500],
		['none', 0, 500],
	] as const)(
		'where the Date header is of the %s, %d ms behind the service',
		async (dateHeader, ahead, before) => {
			sim.service.settings.dateHeader = dateHeader;
			sim.clock.advance(ahead - before);
			await send();
			sim.clock.advance(before);
			spoil(NOT_ACCEPTED);
			await unknown(given('sendBatch', [{ to: numberOf(1) }]));
			// With a message of the same run to compare with.
			spoil(NOT_ACCEPTED, 1);
			await unknown(
				given('sendBatch', [{ to: numberOf(2) }, { to: numberOf(1) }], { concurrency: 1 }),
			);
		},
	);

	test('where this run has texted the number too', async () => {
		spoil(NOT_ACCEPTED);
		const rows = [
			{ to: numberOf(1), text: 'Bonjour' },
			{ to: numberOf(1), text: 'Bonsoir' },
		];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
	});

	test('where two messages of the run to one number are unknown', async () => {
		spoil(LOST);
		spoil(NOT_ACCEPTED);
		const rows = [
			{ to: numberOf(1), text: 'Bonjour' },
			{ to: numberOf(1).replace('+33', '0'), text: 'Bonsoir' },
		];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'unknown' }]);
		expect(lookUps()).toBe(0);
	});

	test('where a later try meets the message of another execution', async () => {
		spoil(NOT_ACCEPTED);
		const options = given('send', [{ to: numberOf(1) }]);
		const failed = await runNode(options);
		sim.clock.advance(HOUR);
		await send();
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toContain('unknown');
	});

	test('where it was to leave later', async () => {
		spoil(LOST);
		await unknown(given('sendBatch', [{ to: numberOf(1) }], { date: '2099-01-01T10:00' }));
		expect(lookUps()).toBe(0);
	});
});

describe('looking up', () => {
	test('is not done where nothing is unknown, nor where it is turned off', async () => {
		await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		spoil(LOST);
		const { items } = await runNode(
			given('sendBatch', [{ to: numberOf(2) }], { lookUpUnknown: false }),
		);
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }]);
		spoil(LOST);
		const { error } = await runNode(
			given('send', [{ to: numberOf(3) }], { lookUpUnknown: false }),
		);
		expect(error?.message).toContain('unknown');
		expect(lookUps()).toBe(0);
	});

	test('keeps to Concurrency', async () => {
		const rows = Array.from({ length: 9 }, (_, index) => ({ to: numberOf(index) }));
		sim.faults.add({ path: /send$/, times: Infinity, do: LOST });
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'delay', ms: 20 } });
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 3 }));
		expect(jsonOf(items).every(({ foundBy }) => foundBy === 'lookup')).toBe(true);
		expect(sim.maxInFlight).toBeLessThanOrEqual(3);
	});

	test.each<[string, FaultAction]>([
		['is refused', { kind: 'json', status: 401, body: { code: 72, error: 'Key' } }],
		['breaks off', { kind: 'resetBeforeRead' }],
		['gets no answer', { kind: 'noAnswerAfterAccept' }],
		['gets a web page', { kind: 'html200' }],
		['gets senseless values', { kind: 'wrongTypes' }],
		['is limited', { kind: 'tooManyRequests', retryAfter: 60 }],
	])('leaves the outcome as it is where it %s', async (_, action) => {
		policy.longest = 1_500;
		policy.rounds = [0, 300];
		sim.faults.add({ path: /status$/, times: Infinity, do: action });
		spoil(LOST);
		const { items, error } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }]);
		expect(jsonOf(items)[0].reason).toContain('unknown');
	});

	test('ends when the user stops the execution', async () => {
		policy.rounds = [0, 60_000];
		policy.longest = 90_000;
		spoil(NOT_ACCEPTED);
		let cancel = () => {};
		const running = runNode(
			given('sendBatch', [{ to: numberOf(1) }], {}, { onStart: (stop) => (cancel = stop) }),
		);
		while (lookUps() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		cancel();
		expect((await running).run.status).toBe('canceled');
		await new Promise((resolve) => setTimeout(resolve, 400));
		expect(lookUps()).toBe(1);
	});
});

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
