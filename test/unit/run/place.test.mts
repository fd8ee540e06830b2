/** One request under the guarantees of all operations (design, guarantees 2 to 5). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { judgeAnswer, judgeError } from '../../../nodes/shared/http/judge.ts';
import { Carrier } from '../../../nodes/shared/run/carrier.ts';
import type { Change } from '../../../nodes/shared/run/changes.ts';
import { Gate } from '../../../nodes/shared/run/Gate.ts';
import { failureOf, type Attempted } from '../../../nodes/shared/run/outcome.ts';
import { Receipts } from '../../../nodes/shared/run/Receipts.ts';
import { Requests } from '../../../nodes/shared/run/Requests.ts';

const MESSAGE = { target: 'r', essence: 'a', intent: 'p' };
const VALUE = { snapshotId: '1' };
const OK = { value: VALUE };
const POLICY = { tries: 4, firstDelay: 1, longestWait: 1_000 };

function answer(statusCode: number, body: unknown = '', headers = {}): Failure {
	return judgeAnswer<never>({ statusCode, headers, body }, () => undefined) as Failure;
}
const LOST = judgeError(Object.assign(new Error('x'), { code: 'ECONNRESET', syscall: 'read' }));
const REFUSED = answer(400, { code: 12, error: 'STOP' });
const LIMITED = answer(429, '', { 'retry-after': '0' });
const NOT_FOUND = answer(404);

type Result = { value: IDataObject } | Failure;

/** A run in which requests are answered as listed, and then with success. */
function world({ concurrency = 10, stops = true, retry = POLICY } = {}) {
	const gate = new Gate({ concurrency, requestsPerSecond: 0 });
	const heard: string[] = [];
	const carrier = new Carrier(gate, retry, ({ status }) => {
		heard.push(status);
		return stops && ['refused', 'notSent', 'unknown'].includes(status);
	});
	const receipts = new Receipts({}, 0);
	let requests = 0;
	/** The requests of one item. */
	const item = (
		answers: Result[],
		answer = () => answers.shift() ?? OK,
		resendUnknown = true,
	) => {
		const request = async () => {
			requests++;
			return (await Promise.resolve(answer())) as never;
		};
		const known = receipts.find('0', MESSAGE);
		return new Requests(
			{
				carrier,
				receipts,
				connection: { request, requestLarge: request },
				shared: new Map(),
				notes: new Set(),
				warnings: new Set(),
			},
			{ index: 0, identity: MESSAGE, known, isSettled: false, resendUnknown },
		);
	};
	return {
		gate,
		item,
		/** What was asked whether it stops the run. */
		heard,
		get requests() {
			return requests;
		},
		state: () => receipts.find('0', MESSAGE)?.state,
		/** Leaves a request behind whose answer was lost. */
		lose: () => receipts.bookOf('0', MESSAGE).begin(),
		change: async (answers: Result[], more: Partial<Change> = {}, answer?: () => Result) =>
			await outcomeOf(
				item(answers, answer).change({ endpoint: 'POST /v2/x', ...more }, read),
			),
		read: async (answers: Result[], answer?: () => Result) =>
			await outcomeOf(item(answers, answer).get({ endpoint: 'GET /v2/x' }, read)),
	};
}

/** The requests of these tests are answered with what was read of them. */
const read = (): IDataObject => ({});

/** What was read of the answer, or what was thrown. */
async function outcomeOf(
	request: Promise<IDataObject>,
): Promise<{ status: 'done'; value: IDataObject } | Failure> {
	try {
		return { status: 'done', value: await request };
	} catch (error) {
		return failureOf(error);
	}
}

describe('a change', () => {
	test('accepted: its receipt is kept', async () => {
		const run = world();
		expect(await run.change([])).toEqual({ status: 'done', value: VALUE });
		expect(run.state()).toBe('accepted');
	});

	test('is unknown while it is under way', async () => {
		const run = world();
		await run.change([], {}, () => (expect(run.state()).toBe('unknown'), OK));
		expect(run.state()).toBe('accepted');
	});

	test('refused: made once, and free', async () => {
		const run = world();
		expect(await run.change([REFUSED])).toBe(REFUSED);
		expect([run.requests, run.state()]).toEqual([1, undefined]);
	});

	test.each([LOST, answer(502, '<html>'), answer(504, { code: 504 })])(
		'$message: never made again',
		async (failure) => {
			const run = world();
			expect(await run.change([failure])).toMatchObject(failure);
			expect([run.requests, run.state()]).toEqual([1, 'unknown']);
		},
	);

	test('lost: says when it was made, for what is looked up afterwards', async () => {
		const before = Date.now();
		const outcome = (await world().change([LIMITED, LOST])) as { attemptedAt?: number };
		expect(outcome.attemptedAt).toBeGreaterThanOrEqual(before);
		expect(outcome.attemptedAt).toBeLessThanOrEqual(Date.now());
		expect(await world().change([REFUSED])).not.toHaveProperty('attemptedAt');
	});

	test('lost: an operation that goes on from it can make it once more', async () => {
		const run = world({ stops: false });
		const requests = run.item([LOST], undefined, false);
		const change = async () =>
			await outcomeOf(requests.change({ endpoint: 'POST /v2/x' }, read));
		expect(await change()).toMatchObject({ status: 'unknown' });
		expect(await change()).toMatchObject({ status: 'done' });
		expect(
			await outcomeOf(run.item([]).change({ endpoint: 'POST /v2/x' }, read)),
		).toMatchObject({
			status: 'done',
		});
		expect(run.requests).toBe(2);
	});

	test('certainly not sent for now: made again, up to the number of tries', async () => {
		const run = world();
		expect(await run.change([LIMITED, LIMITED])).toEqual({ status: 'done', value: VALUE });
		expect([run.requests, run.state()]).toEqual([3, 'accepted']);

		const limited = world();
		expect(await limited.change(Array(9).fill(LIMITED))).toBe(LIMITED);
		expect([limited.requests, limited.state()]).toEqual([POLICY.tries, undefined]);
	});

	test('not sent, and then lost: unknown', async () => {
		const run = world();
		expect(await run.change([LIMITED, LOST])).toMatchObject(LOST);
		expect([run.requests, run.state()]).toEqual([2, 'unknown']);
	});
});

describe('after a try whose answer was lost', () => {
	test.each([REFUSED, LIMITED])(
		'one that certainly does nothing leaves it unknown: $message',
		async (failure) => {
			const run = world();
			run.lose();
			const outcome = await run.change(Array(9).fill(failure));
			expect(outcome).toMatchObject({ status: 'unknown' });
			expect((outcome as Failure).message).toContain(failure.message);
			expect(run.state()).toBe('unknown');
		},
	);

	test('one that is not even started leaves it unknown', async () => {
		const run = world();
		run.lose();
		run.gate.close();
		expect(await run.change([])).toMatchObject({ status: 'unknown' });
		expect([run.requests, run.state()]).toEqual([0, 'unknown']);
	});

	test('one that is accepted is accepted', async () => {
		const run = world();
		run.lose();
		expect(await run.change([])).toMatchObject({ status: 'done' });
		expect(run.state()).toBe('accepted');
	});

	test('the run stops for the whole, not for the last try', async () => {
		const run = world();
		run.lose();
		await run.change([REFUSED]);
		expect(run.heard).toEqual(['unknown']);
	});
});

describe('a change that repeats at once, such as emptying', () => {
	const more = { repeats: 'atOnce' } as const;

	test('is made again after a lost answer', async () => {
		const run = world();
		expect(await run.change([LOST, LOST], more)).toMatchObject({ status: 'done' });
		expect([run.requests, run.state()]).toEqual([3, 'accepted']);
	});

	test('lost, and then refused: unknown, for the first may have been carried out', async () => {
		const run = world();
		expect(await run.change([LOST, REFUSED], more)).toMatchObject({ status: 'unknown' });
		expect([run.requests, run.state()]).toEqual([2, 'unknown']);
	});

	test('not after a failure that does not pass', async () => {
		const run = world();
		await run.change([REFUSED], more);
		expect(run.requests).toBe(1);
	});
});

describe('a deletion', () => {
	const comesTo = (failure: Failure, wasLost: boolean) =>
		wasLost && failure === NOT_FOUND ? {} : undefined;
	const more = { repeats: 'atOnce', comesTo } as const;

	test('that finds nothing after a lost answer was carried out', async () => {
		const run = world();
		expect(await run.change([LOST, NOT_FOUND], more)).toEqual({ status: 'done', value: {} });
		expect(run.state()).toBe('accepted');
	});

	test('or after one that was lost in an earlier try', async () => {
		const run = world();
		run.lose();
		expect(await run.change([NOT_FOUND], more)).toEqual({ status: 'done', value: {} });
	});

	test('that finds nothing at first is an error', async () => {
		const run = world();
		expect(await run.change([NOT_FOUND], more)).toBe(NOT_FOUND);
		expect(run.state()).toBeUndefined();
	});

	test('that finds nothing after it was certainly not carried out is an error', async () => {
		const run = world();
		expect(await run.change([LIMITED, NOT_FOUND], more)).toBe(NOT_FOUND);
		expect(run.state()).toBeUndefined();
	});

	test('that is refused after a lost answer is unknown', async () => {
		const run = world();
		expect(await run.change([LOST, REFUSED], more)).toMatchObject({ status: 'unknown' });
	});
});

describe('a change that is no deletion', () => {
	test('and finds nothing after a lost answer is unknown', async () => {
		const run = world();
		const outcome = await run.change([LOST, NOT_FOUND], { repeats: 'atOnce' });
		expect(outcome).toMatchObject({ status: 'unknown' });
	});
});

describe('a read', () => {
	test('is made again after any failure that may pass', async () => {
		const run = world();
		expect(await run.read([LOST, LIMITED, answer(502)])).toMatchObject({ status: 'done' });
		expect(run.requests).toBe(4);
	});

	test('that was lost and is then refused is refused', async () => {
		expect(await world().read([LOST, REFUSED])).toBe(REFUSED);
	});

	test('is not made again when all waits together are too long', async () => {
		const run = world({ retry: { tries: 10, firstDelay: 1, longestWait: 50 } });
		await run.read(Array(10).fill({ ...LIMITED, retryAfterMs: 20 }));
		expect(run.requests).toBe(3);
	});

	test('takes one start at the pace for each request', async () => {
		const run = world();
		const starts = vi.spyOn(run.gate, 'startSlot');
		await run.read([LIMITED, LIMITED]);
		expect(starts).toHaveBeenCalledTimes(run.requests);
	});

	test('is not made again after one that does not', async () => {
		const run = world();
		expect(await run.read([REFUSED])).toBe(REFUSED);
		expect(run.requests).toBe(1);
	});
});

describe('the first failure', () => {
	test.each(['request', 'requestLarge'] as const)(
		'turns away the next request of those that were begun: %s',
		async (ask) => {
			const run = world();
			const requests = run.item([]).inOnePlace(async (place) => {
				await place.request({ endpoint: 'GET /v2/x' }, read);
				run.gate.close();
				return (await place[ask]({ endpoint: 'GET /v2/x' }, read)) as Attempted;
			});
			expect(await outcomeOf(requests)).toMatchObject({
				status: 'notSent',
				message: 'Not started',
			});
			expect(run.requests).toBe(1);
		},
	);

	test('lets through those that complete what has begun', async () => {
		const run = world();
		const requests = run.item([]).inOnePlace(
			async (place) => {
				await place.request({ endpoint: 'GET /v2/x' }, read);
				run.gate.close();
				return await place.request<IDataObject>({ endpoint: 'GET /v2/x' }, read);
			},
			{ finishes: () => true },
		);
		expect(await outcomeOf(requests)).toMatchObject({ status: 'done' });
		expect(run.requests).toBe(2);
	});

	test('turns away the next in line before it gets the place', async () => {
		const run = world({ concurrency: 1 });
		const outcomes = await Promise.all([
			run.change([REFUSED]),
			...Array.from({ length: 20 }, async () => await run.read([])),
		]);
		expect(run.requests).toBe(1);
		expect(outcomes.slice(1)).toEqual(
			Array(20).fill(expect.objectContaining({ status: 'notSent', message: 'Not started' })),
		);
	});

	test('ends the waiting of those that were to be made again', async () => {
		const run = world({ concurrency: 2 });
		const later = { ...LIMITED, retryAfterMs: 500 };
		const waiting = run.read([later]);
		await run.change([REFUSED]);
		expect(await waiting).toBe(later);
		expect(run.requests).toBe(2);
	});

	test('does not, where the operation goes on from it', async () => {
		const run = world({ concurrency: 1 });
		const expected = (failure: Failure) => failure === NOT_FOUND;
		expect(await run.change([NOT_FOUND], { expected })).toBe(NOT_FOUND);
		expect(run.gate.isClosed).toBe(false);
		await run.change([REFUSED], { expected });
		expect(run.gate.isClosed).toBe(true);
	});

	test('does not, where the policy goes on', async () => {
		const run = world({ stops: false });
		await run.change([REFUSED]);
		expect(run.gate.isClosed).toBe(false);
	});
});

test('a break that the service asks for holds back the requests of all items', async () => {
	const run = world();
	const order: string[] = [];
	const limited = { ...LIMITED, retryAfterMs: 60 };
	const first = run.change([], {}, () => {
		order.push('limited');
		return order.length === 1 ? limited : OK;
	});
	await new Promise((resolve) => setTimeout(resolve, 10));
	const others = Array.from({ length: 3 }, async () => {
		await run.read([], () => (order.push('other'), OK));
	});
	await new Promise((resolve) => setTimeout(resolve, 10));
	expect(order).toEqual(['limited']);
	await Promise.all([first, ...others]);
	expect(order).toHaveLength(5);
});
