/** Failures: nothing is swallowed, nothing is held back, and the key stays secret. */
import type { INodeParameters } from 'n8n-workflow';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { workflow as n8n } from '../harness.mts';
import { Host, KEEPINGS, now, phone, texts, type HostOptions } from './harness.mts';

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

const warnings = ({ log }: Host) => log.filter(({ level }) => level === 'warn');

describe.each(KEEPINGS)('%s', (_, keeping) => {
	test('a category that fails at publishing stops it; one that is added later does not', async () => {
		const one = host({ events: ['reply'], categories: 'a, b' }, { keeping });
		fail('b');
		await expect(one.activate()).rejects.toMatchObject({ httpCode: '503' });
		one.parameters = { events: ['reply'], categories: 'a' };
		await one.activate();
		await one.edit({ events: ['reply'], categories: 'a, b' });
		expect(warnings(one)).toHaveLength(1);
	});

	test('an account that gives replies by category only is told to enter one', async () => {
		simulator.service.settings.withoutCategory = false;
		const one = host({ events: ['reply'] }, { keeping });
		await expect(one.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/replies of the account/),
			description: expect.stringContaining("enter one in 'Categories'"),
		});
		const others: FaultAction[] = [{ kind: 'status', status: 401 }, { kind: 'html200' }];
		for (const action of others) {
			simulator.faults.clear();
			simulator.faults.add({ times: Infinity, do: action });
			const refused = host({ events: ['reply'] }, { keeping });
			await expect(refused.activate()).rejects.toMatchObject({
				description: expect.not.stringContaining('Categories'),
			});
		}
	});

	test('a category is not empty where nothing of the service is at the address', async () => {
		simulator.faults.add({ times: Infinity, do: { kind: 'status', status: 404 } });
		const one = host({ events: ['reply'], categories: 'a' }, { keeping });
		await expect(one.activate()).rejects.toMatchObject({
			httpCode: '404',
			description: expect.stringContaining("'Base URL'"),
		});
	});

	test.each(['zeros', 'code16', 'notFound', 'empty'] as const)(
		'a category that the service has nothing of is in the log, once: %s',
		async (unknownCategory) => {
			simulator.service.settings.unknownCategory = unknownCategory;
			reply('old', 'orders');
			const events = ['reply', 'unsubscribed', 'statisticsChanged'];
			const one = host({ events, categories: 'orders, ordres' }, { keeping });
			const named = () =>
				one.log
					.filter(({ message }) => message.includes('has nothing of the category'))
					.map(({ level, message }) => [level, /'(.*?)'/.exec(message)?.[1]]);
			await one.activate();
			expect(named()).toEqual([['info', 'ordres']]);
			await one.poll();
			await one.poll();
			expect(named()).toHaveLength(1);
			await one.edit({ events, categories: 'orders, ordres, rappels' });
			expect(named()).toEqual([
				['info', 'ordres'],
				['info', 'rappels'],
			]);
			reply('x', 'ordres');
			expect(texts(await one.drain())).toContain('x');
		},
	);
});

describe('an error', () => {
	const temporary = { failure: { cause: 'temporarily-unavailable' } };
	const wait = { cause: 'rate-limited', retryAfterMs: 30_000 };
	test.each<[string, FaultAction, object]>([
		['429', { kind: 'tooManyRequests', retryAfter: 30 }, { httpCode: '429', failure: wait }],
		['401', { kind: 'status', status: 401 }, { failure: { cause: 'credential-invalid' } }],
		['503', { kind: 'status', status: 503 }, { httpCode: '503', ...temporary }],
		['a reset connection', { kind: 'resetBeforeRead' }, temporary],
		['a web page', { kind: 'html200' }, { httpCode: '200' }],
		['half an answer', { kind: 'truncatedJson', accept: true }, { httpCode: '200' }],
	])('is classified: %s', async (_, action, expected) => {
		const one = host({ events: ['reply'], categories: 'a' });
		await one.activate();
		reply('x', 'a');
		fail('a', action);
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toMatchObject([expected]);
		expect(one.errors[0]).toBeInstanceOf(n8n.NodeApiError);
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

test.each([
	['line breaks and escape sequences', 'one\r\ntwo\u2028three\u0085four\u001b[31mred\u202eder'],
	[
		'numbers',
		'to +33639981234, 06 39 98 12 34, %2B33639981234 and\u00a0+33\u00a06\u201139\u00a098\u00a012\u00a034',
	],
	['a text without end', 'x'.repeat(100_000)],
])("a service's error with %s is one short printable line, numbers masked", async (_, error) => {
	const one = await host({
		events: ['statusChanged', 'reply'],
		watchNumbers: '06 39 98 12 34',
		categories: 'b',
	}).begin();
	const refuse = { kind: 'json', status: 400, body: { code: 999, error } } as const;
	simulator.faults.add({ path: '/v2/messages/status', times: Infinity, do: refuse });
	await one.poll();
	expect(warnings(one)).toHaveLength(1);
	simulator.faults.add({ times: Infinity, do: refuse });
	await one.poll();
	const [{ message, description }] = one.errors;
	for (const line of [warnings(one)[0].message, message, description!]) {
		expect(line).not.toMatch(/[\u0000-\u001f\u0080-\u009f\u2028\u2029\u202a-\u202e]/);
		expect(line.replace(/\D/g, '')).not.toContain('639981234');
		expect(line.length).toBeLessThan(1_100);
	}
	expect(warnings(one)[0].message).toContain('06 ** ** ** 34');
	if (error.startsWith('to')) {
		const masked = ['+33 6', '06', '33 6', '+33 6'].map((start) => `${start} ** ** ** 34`);
		expect(warnings(one)[0].message).toContain(
			`to ${masked[0]}, ${masked[1]}, %2B${masked[2]} and\u00a0${masked[3]}`,
		);
	}
});

test('the key is in no error and no log line', async () => {
	const actions: FaultAction[] = [
		{ kind: 'resetBeforeRead' },
		{ kind: 'status', status: 401, body: `wrong key ${simulator.apiKey}` },
		{ kind: 'json', status: 400, body: { code: 99, error: `wrong ${simulator.apiKey}` } },
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
		expect(warnings(one)).toHaveLength(2);
		simulator.faults.add({ times: Infinity, do: action });
		await one.poll();
		expect(one.errors).toHaveLength(1);
		const shown = inspect([one.errors, one.log], { depth: 12, showHidden: true });
		expect(shown).not.toContain(simulator.apiKey);
		expect(JSON.stringify([one.errors, one.log, one.database])).not.toContain(simulator.apiKey);
	}
});
