/**
 * The API key appears nowhere (design, guarantee 9): not in what a run of any operation gives out, not in
 * what n8n stores of it, not in an error's hidden parts, not in n8n's log at its most talkative, whatever
 * fails and whatever the service repeats. That it goes to no other host: unit/http/credential.test.mts.
 */
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { IDataObject, INode } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { nothingBeside, offered, placed } from '../../harness/settings.mts';
import { firstRows, prepare, type Row } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { runNode, workflow, type RunOptions, type RunResult } from '../harness.mts';
import { everythingOf } from '../sms/support.mts';
import { ERROR_OUTPUT, of, once, people, SENDING, sms } from './sending.mts';
import { hooks, sim } from './service.mts';
import { KEY, keyIn } from './answers.mts';

/** Everything that n8n logs, at the level debug. */
const log: string[] = [];
const logger: Record<string, unknown> = { scoped: () => logger, withContext: () => logger };
for (const level of ['error', 'warn', 'info', 'debug', 'verbose', 'silly', 'log']) {
	logger[level] = (...parts: unknown[]) =>
		log.push(parts.map((part) => inspect(part, { depth: 20, showHidden: true })).join(' '));
}
workflow.LoggerProxy.init(logger as never);
// The copies that n8n-core itself uses.
const ofCore = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { Container } = ofCore('@n8n/di') as {
	Container: { set(key: unknown, value: unknown): void };
};
const { Logger } = ofCore('@n8n/backend-common') as { Logger: unknown };
Container.set(Logger, logger);
beforeEach(() => void (log.length = 0));

const encoded = (text: string, cased: (hex: string) => string) =>
	text.replace(/[^A-Za-z0-9]/g, (one) => `%${cased(one.charCodeAt(0).toString(16))}`);
/** As services, proxies and pages write it. */
const SPELLINGS = [
	KEY,
	encodeURIComponent(KEY),
	encodeURI(KEY),
	encoded(KEY, (hex) => hex.toUpperCase()),
	encoded(KEY, (hex) => hex.toLowerCase()),
	[...KEY].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
];
/** Besides, the key's end alone, and encodings that are no spelling of a URL. */
const REMAINS = [KEY.slice(-12), Buffer.from(KEY).toString('base64'), encodeURI(KEY).slice(-12)];

function expectNoKey(...texts: string[]): void {
	for (const text of texts) {
		expect(keyIn(text)).toBe('');
		for (const remains of REMAINS) expect(text.includes(remains)).toBe(false);
	}
}

/** @returns the result of a run that gave nothing away */
async function keepsTheKey(options: RunOptions): Promise<RunResult> {
	const result = await runNode(options);
	expectNoKey(everythingOf(result), log.join('\n'));
	return result;
}

const leak = { error: `Access with ${SPELLINGS.join(' or ')} is not allowed` };
const page = `<html>${SPELLINGS.map((spelled) => `apiKey=${spelled}`).join(' ')}</html>`;
const long = `${'Denied. '.repeat(23)}apiKey=${KEY} was not accepted`;
const refusal = (body: object): FaultAction => ({ kind: 'json', status: 400, body });
const location = `https://example.invalid/v2/send?apiKey=${encodeURIComponent(KEY)}#${KEY}`;
const noSense = { snapshotId: { KEY }, creditsUsed: KEY };
const FAULTS: Record<string, FaultAction> = {
	'no answer in time': { kind: 'noAnswerAfterAccept' },
	'a reset before the body is read': { kind: 'resetBeforeRead' },
	'a reset after acceptance': { kind: 'resetAfterAccept' },
	'truncated JSON': { kind: 'truncatedJson' },
	'HTML instead of JSON': { kind: 'html200' },
	'wrong types': { kind: 'wrongTypes' },
	'429': { kind: 'tooManyRequests', retryAfter: 0 },
	'500': { kind: 'status', status: 500 },
	'repeated, with a code': refusal({ code: 72, ...leak }),
	'repeated, with an unknown code': refusal({ code: 4711, ...leak }),
	'repeated, without a code': refusal({ status: 400, ...leak }),
	'repeated where texts are cut': refusal({ code: 4711, error: long }),
	'repeated in a page': { kind: 'status', status: 502, body: page },
	'repeated in a page, called success': { kind: 'status', status: 200, body: page },
	'repeated as the code': refusal({ code: KEY, error: KEY }),
	'repeated as a receipt of no sense': { kind: 'json', body: noSense },
	'repeated by a redirect': { kind: 'redirect', location },
	'repeated as the host of a redirect': { kind: 'redirect', location: `not a url ${KEY}` },
};

const SETTINGS: Array<Partial<INode>> = [
	{},
	ERROR_OUTPUT,
	{ onError: 'continueRegularOutput' },
	{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
];
const requesting = firstRows.filter(({ lines }) => lines.length > 0);
const isSending = ({ operation }: Row) => SENDING.includes(operation);

describe.each(requesting)('$node $operation', (row) => {
	const options = (settings: Partial<INode> = {}, parameters: IDataObject = {}) =>
		of(
			row.node,
			{ operation: row.operation, ...prepare(row, sim).parameters, ...parameters },
			row.waits ? [{}] : [{}, {}],
			{ settings },
		);

	test('that succeeds', async () => {
		await keepsTheKey(options());
		expect(sim.requestCount).toBeGreaterThan(0);
	});

	// Only SMS has a field for the time to wait.
	const faults = Object.entries(FAULTS).filter(
		([, { kind }]) => row.node === 'Sms' || kind !== 'noAnswerAfterAccept',
	);
	test.each(faults)('%s', async (name, action) => {
		const place = Object.keys(FAULTS).indexOf(name) + requesting.indexOf(row);
		// One way of running each; all ways where the answer to a message is in question.
		for (const settings of isSending(row) ? SETTINGS : [SETTINGS[place % SETTINGS.length]]) {
			const isLate = action.kind === 'noAnswerAfterAccept';
			// The balance and the look-up would wait as well, each time anew.
			const path = isLate ? /send/ : undefined;
			const fault = sim.faults.add({ path, times: Infinity, do: action });
			const late = isLate && {
				requestOptions: { timeout: 300 },
				...placed('Sms', row.operation, nothingBeside(row.operation)),
			};
			await keepsTheKey(options(settings, late || {}));
			expect(fault.hits).toBeGreaterThan(0);
			sim.reset();
		}
	});
});

const typed = firstRows.flatMap((row) =>
	Object.keys(offered(row.node, row.operation, { number: KEY, category: KEY, sender: KEY })).map(
		(field) => [row.node, row.operation, field, row] as const,
	),
);
test.each(typed)('%s %s: typed as its %s', async (node, operation, field, row) => {
	for (const settings of SETTINGS.slice(0, 3)) {
		const parameters = { operation, ...prepare(row, sim).parameters, [field]: KEY };
		const result = await runNode(of(node, parameters, [{}], { settings }));
		const { error, items, errorItems, hints } = result;
		// Something is said of it: nothing of the service's has this number, category or sender.
		expect([error, ...items, ...errorItems, ...(hints ?? [])]).not.toEqual([undefined]);
		const { message, description } = error ?? {};
		expectNoKey(JSON.stringify([message, description, items, errorItems, hints]));
		// What Error details show.
		expectNoKey(inspect(error?.context, { depth: 20 }));
		sim.reset();
	}
});

describe.each(SENDING)('%s', (operation) => {
	const usual = { baseUrl: sim.baseUrl, apiKey: KEY };
	// Nobody else's: a request that another test, or operation, gave up may come late.
	const items = people(3, 700 + 10 * SENDING.indexOf(operation));
	const run = async (more: Partial<RunOptions>, credential: IDataObject = {}) =>
		await keepsTheKey(
			sms(operation, items, {}, { credential: { ...usual, ...credential }, ...more }),
		);

	test.each<[what: string, credential: IDataObject]>([
		['a port that nobody listens on', { baseUrl: 'http://127.0.0.1:1' }],
		['a host that does not exist', { baseUrl: 'https://sms.example.invalid' }],
		['http:// to the internet', { baseUrl: 'http://sms.example.com' }],
		['no base URL', { baseUrl: '' }],
		['another path', { baseUrl: `${sim.baseUrl}/website` }],
		['no TLS', { baseUrl: sim.baseUrl.replace('http', 'https') }],
		['a header that is none', { headerName: 'X Key' }],
		['a key with a line break', { apiKey: `${KEY}\n${KEY}` }],
	])('a credential with %s', async (_, credential) => {
		for (const settings of SETTINGS.slice(0, 3)) await run({ settings }, credential);
		expect(items.flatMap(({ to }) => sim.messagesTo(String(to)))).toEqual([]);
	});

	test('a key with spaces around it, repeated by the service', async () => {
		sim.faults.add({ times: Infinity, do: FAULTS['repeated, with an unknown code'] });
		await run({}, { apiKey: ` ${KEY}\n` });
	});

	test('a proxy that is not there', async () => {
		const { parameters } = sms(operation, items);
		const requestOptions = { proxy: 'http://127.0.0.1:1' };
		for (const settings of SETTINGS.slice(0, 3))
			await run({ settings, parameters: { ...parameters, requestOptions } });
	});

	test('a run that is cancelled while the service is answering', async () => {
		sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 150 } });
		await run({ onStart: (cancel) => void setTimeout(cancel, 60) });
	});
});

test('the blacklists of a batch repeat it', async () => {
	const action: FaultAction = { kind: 'json', status: 400, body: { code: 4711, ...leak } };
	sim.faults.add({ path: /contacts$/, times: Infinity, do: action });
	const { error } = await keepsTheKey(sms('sendBatch', people(1), { skipBlacklisted: true }));
	expect(error).toBeDefined();
});

test('the store of once keys repeats it', async () => {
	hooks.store = () => {
		if (sim.messages.length > 0) throw new Error(`Access of ${KEY} denied`);
	};
	const { hints } = await keepsTheKey(sms('sendBatch', people(1), once));
	expect(JSON.stringify(hints)).toContain('could not store which keys were sent');
	expectNoKey(JSON.stringify(hints));
});

test('the log was listened to', async () => {
	await runNode(sms('send', people(1)));
	expect(log.length).toBeGreaterThan(0);
});

test.each([...SPELLINGS, ...REMAINS, inspect(new Error('x', { cause: { KEY } }))])(
	'the search finds %s',
	(text) => {
		expect(() => expectNoKey(`apiKey=${text}`)).toThrow();
	},
);
