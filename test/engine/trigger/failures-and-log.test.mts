/** What becomes of failures: nothing is swallowed, nothing is held back, and the key stays secret. */
import type { INodeParameters } from 'n8n-workflow';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { workflow as n8n } from '../harness.mts';
import { Host, KEEPINGS, now, phone, type HostOptions } from './harness.mts';

const simulator = await useSimulator({ now });

const reply = (message: string, category: string) =>
	simulator.reply(phone(1), message, { category });

function host(parameters: INodeParameters, options: Partial<HostOptions> = {}) {
	return new Host({ simulator, parameters, ...options });
}

/** Makes the requests for a category fail. */
function fail(category: string, action: FaultAction = { kind: 'status', status: 503 }) {
	return simulator.faults.add({
		match: ({ query }) => query.get('category') === category,
		times: Infinity,
		do: action,
	});
}

describe.each(KEEPINGS)('a failing category, %s', (_, keeping) => {
	test('does not hold back the events of another, loses none of its own, and reaches n8n', async () => {
		const one = await host({ events: ['reply'], categories: 'a, b' }, { keeping }).begin();
		const fault = fail('b');
		reply('of a', 'a');
		reply('of b', 'b');

		expect(await one.poll()).toMatchObject([{ message: 'of a' }]);
		const warnings = one.log.filter(({ level }) => level === 'warn');
		expect(warnings).toHaveLength(1);
		expect(warnings[0].message).toContain("replies of 'b'");
		// The error workflow runs, once, however busy the other category is. The poll itself does not fail:
		// n8n's scheduler would wait with the next one, and the other category would have to wait, too.
		expect(one.errors).toMatchObject([{ httpCode: '503' }]);
		expect(one.errors[0].message).toContain("replies of 'b'");
		expect(one.thrown).toEqual([]);
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toHaveLength(1);

		reply('of a, later', 'a');
		expect(await one.poll()).toMatchObject([{ message: 'of a, later' }]);

		fault.remove();
		expect(await one.poll()).toMatchObject([{ message: 'of b' }]);
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toHaveLength(1);
	});

	test('that fails from the start has its baseline when it is back; the others have theirs', async () => {
		const one = host({ events: ['reply'], categories: 'a, b' }, { keeping });
		const fault = fail('b');
		reply('old', 'b');
		await expect(one.activate()).rejects.toMatchObject({ httpCode: '503' });
		fault.remove();
		await one.activate();
		reply('of a', 'a');
		reply('of b', 'b');
		expect((await one.drain()).map(({ message }) => message)).toEqual(['of a', 'of b']);
	});

	test('one event of several failing is the same', async () => {
		const one = await host(
			{ events: ['reply', 'statisticsChanged'], categories: 'a' },
			{ keeping },
		).begin();
		const fault = simulator.faults.add({
			path: '/v2/messages/stats',
			times: Infinity,
			do: { kind: 'truncatedJson', accept: true },
		});
		reply('of a', 'a');
		expect(await one.poll()).toMatchObject([{ event: 'reply' }]);
		expect(one.errors).toHaveLength(1);
		await one.poll();
		expect(one.errors).toHaveLength(1);
		fault.remove();
		expect(await one.poll()).toMatchObject([
			{ event: 'statisticsChanged', change: { replies: 1 } },
		]);
	});
});

test('with durable cursors, a poll in which nothing works fails, and n8n waits with the next one', async () => {
	const one = await host(
		{ events: ['reply'], categories: 'a, b' },
		{ keeping: 'durable' },
	).begin();
	simulator.faults.add({ times: Infinity, do: { kind: 'tooManyRequests', retryAfter: 7 } });
	await one.poll();
	expect(one.thrown).toMatchObject([
		{ httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 7_000 } },
	]);
});

describe('an error', () => {
	test.each<[string, FaultAction, object]>([
		[
			'429',
			{ kind: 'tooManyRequests' },
			{ httpCode: '429', failure: { cause: 'rate-limited' } },
		],
		[
			'429 with Retry-After',
			{ kind: 'tooManyRequests', retryAfter: 30 },
			{ httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 30_000 } },
		],
		[
			'401',
			{ kind: 'status', status: 401 },
			{ httpCode: '401', failure: { cause: 'credential-invalid' } },
		],
		[
			'403',
			{ kind: 'json', status: 403, body: { error: 'forbidden' } },
			{ httpCode: '403', failure: { cause: 'credential-invalid' } },
		],
		[
			'503',
			{ kind: 'status', status: 503 },
			{ httpCode: '503', failure: { cause: 'temporarily-unavailable' } },
		],
		[
			'500',
			{ kind: 'status', status: 500 },
			{ httpCode: '500', failure: { cause: 'temporarily-unavailable' } },
		],
		[
			'a reset connection',
			{ kind: 'resetBeforeRead' },
			{ failure: { cause: 'temporarily-unavailable' } },
		],
		[
			'a redirect to another host',
			{ kind: 'redirect', location: 'http://localhost:1/v2/messages/replies' },
			{ failure: { cause: 'configuration-invalid' } },
		],
		['a web page', { kind: 'html200' }, { httpCode: '200' }],
		['half an answer', { kind: 'truncatedJson', accept: true }, { httpCode: '200' }],
	])('is classified: %s', async (_, action, expected) => {
		const one = host({ events: ['reply'], categories: 'a' });
		await one.activate();
		reply('x', 'a');
		fail('a', action);
		expect(await one.poll()).toEqual([]);
		expect(one.thrown).toMatchObject([expected]);
		expect(one.thrown[0]).toBeInstanceOf(n8n.NodeApiError);
		simulator.faults.clear();
		expect(await one.poll()).toMatchObject([{ message: 'x' }]);
	});

	test('of several failures is the one that somebody has to act on; the others are named', async () => {
		const one = await host({ events: ['reply'], categories: 'a, b, c' }).begin();
		fail('a');
		fail('b', { kind: 'json', status: 403, body: { error: 'forbidden' } });
		fail('c', { kind: 'tooManyRequests', retryAfter: 5 });
		await one.poll();
		expect(one.errors).toMatchObject([
			{ httpCode: '403', failure: { cause: 'credential-invalid' } },
		]);
		expect(one.errors[0].message).toContain("replies of 'b'");
		expect(one.errors[0].description).toContain("replies of 'a'");
		expect(one.errors[0].description).toContain("replies of 'c'");
	});

	test('stops an activation that has nothing to go by', async () => {
		fail('a', { kind: 'status', status: 401 });
		const one = host({ events: ['reply'], categories: 'a' });
		await expect(one.activate()).rejects.toMatchObject({ httpCode: '401' });
	});

	test('does not stop a trigger that resumes after a restart: n8n would leave it dead', async () => {
		const one = host({ events: ['reply'], categories: 'a' });
		await one.activate();
		reply('x', 'a');
		const fault = fail('a');
		expect(await one.restart()).toEqual([]);
		expect(one.errors).toMatchObject([{ httpCode: '503' }]);
		fault.remove();
		expect(await one.poll()).toMatchObject([{ message: 'x' }]);
	});

	test('of a service that says nothing comes in time, and leaves time for the others', async () => {
		const one = await host(
			{ events: ['reply'], categories: 'a, b' },
			{ budget: 5_000 },
		).begin();
		fail('a', { kind: 'noAnswerAfterAccept' });
		reply('of b', 'b');
		const started = performance.now();
		expect(await one.poll()).toMatchObject([{ message: 'of b' }]);
		expect(performance.now() - started).toBeLessThan(4_500);
	});

	test('of an answer that never ends comes within the time of the poll', async () => {
		simulator.service.addReplies(2_000, 'a');
		const one = host({ events: ['reply'], categories: 'a' }, { budget: 3_000 });
		await one.activate();
		fail('a', { kind: 'slowBody', ms: 60_000 });
		const started = performance.now();
		await one.poll();
		expect(performance.now() - started).toBeLessThan(3_000);
		expect(one.errors).toMatchObject([{ failure: { cause: 'temporarily-unavailable' } }]);
	});
});

describe('wrong parameters', () => {
	test.each<[string, INodeParameters, RegExp]>([
		['no event', { events: [] }, /'Trigger On' is empty/],
		['an unknown event', { events: ['call'] }, /'Trigger On' has "call"/],
		[
			'no number',
			{ events: ['statusChanged'], watchNumbers: ' , ' },
			/'Phone Numbers to Watch'/,
		],
		[
			'no phone number',
			{ events: ['statusChanged'], watchNumbers: 'abc' },
			/not a phone number/,
		],
		[
			'no snapshot',
			{ events: ['statusChanged'], watch: 'snapshotIds' },
			/'Snapshot IDs to Watch' is empty/,
		],
		['no list', { events: ['statusChanged'], watch: 'list' }, /'List' is empty/],
		['no threshold', { events: ['creditsLow'], creditsThreshold: 0 }, /'Credits Threshold'/],
		[
			'no items',
			{ events: ['reply'], options: { maxItemsPerPoll: 0 } },
			/'Max Items per Poll'/,
		],
	])('%s stop the activation before any request', async (_, parameters, message) => {
		const failed = await host(parameters)
			.activate()
			.catch((error: unknown) => error);
		expect(failed).toBeInstanceOf(n8n.NodeOperationError);
		expect(failed).toMatchObject({
			message: expect.stringMatching(message),
			failure: { cause: 'configuration-invalid' },
		});
		expect(simulator.requests).toEqual([]);
	});
});

test('the key is in no error and no log line', async () => {
	const actions: FaultAction[] = [
		{ kind: 'resetBeforeRead' },
		{ kind: 'status', status: 401, body: `wrong key ${simulator.apiKey}` },
		{
			kind: 'json',
			status: 400,
			body: { code: 99, error: `key ${simulator.apiKey} is wrong` },
		},
		{ kind: 'redirect', location: `http://localhost:1/?apiKey=${simulator.apiKey}` },
		{ kind: 'html200' },
	];
	for (const action of actions) {
		simulator.faults.clear();
		const one = await host({
			events: ['reply', 'statusChanged'],
			categories: 'a, b',
			watchNumbers: phone(1),
		}).begin();
		simulator.faults.add({
			match: ({ query }) => query.get('category') !== 'b',
			times: Infinity,
			do: action,
		});
		reply('x', 'b');
		await one.poll();
		await one.poll();
		expect(one.errors).toHaveLength(1);
		expect(one.log.length).toBeGreaterThan(0);
		const shown = inspect([one.errors, one.log], { depth: 12, showHidden: true });
		expect(shown).not.toContain(simulator.apiKey);
		expect(JSON.stringify([one.errors, one.log, one.database])).not.toContain(simulator.apiKey);
	}
});
