/**
 * The key appears nowhere (design, guarantee 8): not in what a run gives out, not in what n8n stores,
 * not in an error's hidden parts, not in the log at its most talkative, for each kind of failure.
 */
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { INode, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator/index.mts';
import { workflow } from '../harness.mts';
import { everythingOf, hurry, NUMBER, sendSms } from './support.mts';

/** With characters that are written differently in a URL. */
const KEY = 'K3y+of/the=account&42';

const FORMS = [
	KEY,
	encodeURIComponent(KEY),
	encodeURI(KEY),
	new URLSearchParams({ KEY }).toString().slice(4),
	Buffer.from(KEY).toString('base64'),
	JSON.stringify(KEY).slice(1, -1),
	// Nor a good part of it.
	KEY.slice(0, 12),
	KEY.slice(-12),
];

/** Everything that n8n logs, at the level debug. */
const log: string[] = [];

function expectNoKey(text: string): void {
	for (const form of FORMS) {
		const at = text.indexOf(form);
		expect(at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 100)).toBe('');
	}
}

let sim: Simulator;
beforeAll(async () => {
	hurry();
	const collect = (...parts: unknown[]) => {
		log.push(parts.map((part) => inspect(part, { depth: 20, showHidden: true })).join(' '));
	};
	const logger: Record<string, unknown> = { scoped: () => logger, withContext: () => logger };
	for (const level of ['error', 'warn', 'info', 'debug', 'verbose', 'silly', 'log']) {
		logger[level] = (...parts: unknown[]) => collect(level, ...parts);
	}
	workflow.LoggerProxy.init(logger as never);
	// The copies that n8n-core itself uses.
	const ofCore = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
	const { Container } = ofCore('@n8n/di') as {
		Container: { set(key: unknown, value: unknown): void };
	};
	const { Logger } = ofCore('@n8n/backend-common') as { Logger: unknown };
	Container.set(Logger, logger);
	sim = await startSimulator({ apiKey: KEY });
});
afterAll(async () => await sim.close());
beforeEach(() => {
	sim.reset();
	log.length = 0;
});

const OPERATIONS = ['send', 'sendByUrl', 'sendBatch'];

const SETTINGS: Array<[how: string, settings: Partial<INode>]> = [
	['stop', {}],
	['continue on fail', { onError: 'continueRegularOutput' }],
	['error output', { onError: 'continueErrorOutput' }],
	['Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }],
];

const leak = { error: `Access with ${KEY} is not allowed (${encodeURIComponent(KEY)})` };
const page = `<html>apiKey=${encodeURIComponent(KEY)} ${KEY}</html>`;
const FAULTS: Array<[fault: string, action: FaultAction]> = [
	['no answer in time', { kind: 'noAnswerAfterAccept' }],
	['a reset before the body is read', { kind: 'resetBeforeRead' }],
	['a reset after acceptance', { kind: 'resetAfterAccept' }],
	['truncated JSON', { kind: 'truncatedJson' }],
	['HTML instead of a receipt', { kind: 'html200' }],
	['wrong types', { kind: 'wrongTypes' }],
	['429', { kind: 'tooManyRequests' }],
	['500', { kind: 'status', status: 500 }],
	[
		'a key repeated by the service, with a code',
		{ kind: 'json', status: 400, body: { code: 72, ...leak } },
	],
	[
		'a key repeated by the service, with an unknown code',
		{ kind: 'json', status: 400, body: { code: 4711, ...leak } },
	],
	[
		'a key repeated by the service, without a code',
		{ kind: 'json', status: 400, body: { status: 400, ...leak } },
	],
	[
		'a key repeated at the end of a long text',
		{
			kind: 'json',
			status: 400,
			body: { code: 4711, error: `${'Denied. '.repeat(23)}apiKey=${KEY} was not accepted` },
		},
	],
	['a key repeated in a page', { kind: 'status', status: 502, body: page }],
	['a key repeated in a page, called success', { kind: 'status', status: 200, body: page }],
	['a key repeated as the code', { kind: 'json', status: 400, body: { code: KEY, error: KEY } }],
	[
		'a key repeated as a receipt of no sense',
		{ kind: 'json', body: { snapshotId: { KEY }, creditsUsed: KEY } },
	],
	[
		'a redirect that repeats the query',
		{
			kind: 'redirect',
			location: `https://example.invalid/v2/send?apiKey=${encodeURIComponent(KEY)}#${KEY}`,
		},
	],
	['a redirect to a host named like the key', { kind: 'redirect', location: `not a url ${KEY}` }],
];

/** Short only where no answer comes: elsewhere it is the answer that is looked through, on a busy machine too. */
const timeoutFor = ({ kind }: FaultAction) => (kind === 'noAnswerAfterAccept' ? 200 : 30_000);

describe.each(OPERATIONS)('%s', (operation) => {
	const parameters: INodeParameters = {
		operation,
		number: '={{ $json.to }}',
		requestOptions: { timeout: 30_000 },
	};
	const items = [{ to: NUMBER }, { to: '+33639981235' }, { to: '+33639981236' }];

	test('sent', async () => {
		const result = await sendSms(sim, parameters, { items });
		expect(result.items).toHaveLength(3);
		expectNoKey(everythingOf(result) + log.join('\n'));
	});

	describe.each(FAULTS)('%s', (_, action) => {
		test.each(SETTINGS)('%s', async (_how, settings) => {
			const fault = sim.faults.add({ skip: 1, times: Infinity, do: action });
			const requestOptions = { timeout: timeoutFor(action) };
			const result = await sendSms(
				sim,
				{ ...parameters, requestOptions },
				{ items, settings },
			);
			expect(fault.hits).toBeGreaterThan(0);
			expectNoKey(everythingOf(result));
			expectNoKey(log.join('\n'));
		});
	});

	test.each<[what: string, credential: object]>([
		['a port that nobody listens on', { baseUrl: 'http://127.0.0.1:1' }],
		['a host that does not exist', { baseUrl: 'https://sms.example.invalid' }],
		['http:// to the internet', { baseUrl: 'http://sms.example.com' }],
		['no base URL', { baseUrl: '' }],
		['another path', { baseUrl: 'PATH' }],
		['no TLS', { baseUrl: 'TLS' }],
		['a header that is none', { headerName: 'X Key' }],
		['a key with a line break', { apiKey: `${KEY}\n${KEY}` }],
	])('%s', async (_, credential) => {
		const { baseUrl = sim.baseUrl, ...rest } = credential as { baseUrl?: string };
		const { port } = new URL(sim.baseUrl);
		const places: Record<string, string> = {
			PATH: `${sim.baseUrl}/website`,
			TLS: `https://127.0.0.1:${port}`,
		};
		for (const [, settings] of SETTINGS.slice(0, 3)) {
			const result = await sendSms(sim, parameters, {
				items,
				settings,
				credential: { baseUrl: places[baseUrl] ?? baseUrl, apiKey: KEY, ...rest },
			});
			expect(sim.messages).toHaveLength(0);
			expectNoKey(everythingOf(result));
			expectNoKey(log.join('\n'));
		}
	});

	test('a key with spaces around it, repeated by the service', async () => {
		sim.faults.add({
			times: Infinity,
			do: { kind: 'json', status: 400, body: { code: 4711, ...leak } },
		});
		const result = await sendSms(sim, parameters, {
			credential: { baseUrl: sim.baseUrl, apiKey: ` ${KEY}\n` },
			items,
		});
		expectNoKey(everythingOf(result));
	});

	test('a proxy that is not there', async () => {
		for (const [, settings] of SETTINGS.slice(0, 3)) {
			const result = await sendSms(
				sim,
				{ ...parameters, requestOptions: { proxy: 'http://127.0.0.1:1' } },
				{ items, settings },
			);
			expectNoKey(everythingOf(result));
			expectNoKey(log.join('\n'));
		}
	});

	test('a run that is cancelled while the service is answering', async () => {
		sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 150 } });
		const result = await sendSms(sim, parameters, {
			items,
			onStart: (cancel) => setTimeout(cancel, 60),
		});
		expectNoKey(everythingOf(result));
		expectNoKey(log.join('\n'));
	});
});

test('the log was listened to', async () => {
	await sendSms(sim);
	expect(log.length).toBeGreaterThan(0);
});

test('the search finds a key where there is one', () => {
	expect(() => expectNoKey(`apiKey=${encodeURIComponent(KEY)}`)).toThrow();
	expect(() =>
		expectNoKey(inspect(Object.assign(new Error('x'), { hidden: { KEY } }))),
	).toThrow();
});
