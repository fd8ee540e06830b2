/**
 * Guarantees 1 to 5 of the design: each fault of the service, in each way of running a node, judged by
 * what the phones received.
 */
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../simulator/index.mts';
import { startSimulator } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { nothingBeside, placed } from '../../harness/settings.mts';
import { useSimulator } from '../../harness/fixtures.mts';
import { hurry } from './support.mts';

/** What has to become of the message that the fault hits. */
type Fate =
	| 'sent' // in the end, after waiting or a retry that does no harm
	| 'refused' // the service said no
	| 'notSent' // certain
	| 'unknown';

interface Row {
	fault: string;
	do: FaultAction;
	fate: Fate;
	/** Whether the service takes the message although the answer is lost. */
	accepted?: boolean;
	/** The whole account is concerned, and no item. */
	isOfAll?: boolean;
}

const HTML = '<html><body>Bad gateway</body></html>';
const html = { body: HTML, contentType: 'text/html' };

const ROWS: Row[] = [
	{ fault: 'a delay', do: { kind: 'delay', ms: 50 }, fate: 'sent' },
	{ fault: 'a slow body', do: { kind: 'slowBody', ms: 60 }, fate: 'sent' },
	{ fault: '429', do: { kind: 'tooManyRequests' }, fate: 'sent' },
	{
		fault: '429 with Retry-After',
		do: { kind: 'tooManyRequests', retryAfter: 0 },
		fate: 'sent',
	},
	{
		fault: '503 with Retry-After',
		do: { kind: 'status', status: 503, ...html, headers: { 'Retry-After': '0' } },
		fate: 'sent',
	},
	{ fault: 'a reset before the body is read', do: { kind: 'resetBeforeRead' }, fate: 'unknown' },
	{
		fault: 'a reset after the message was accepted',
		do: { kind: 'resetAfterAccept' },
		fate: 'unknown',
		accepted: true,
	},
	{
		fault: 'no answer after the message was accepted',
		do: { kind: 'noAnswerAfterAccept' },
		fate: 'unknown',
		accepted: true,
	},
	{ fault: '500 with HTML', do: { kind: 'status', status: 500, ...html }, fate: 'unknown' },
	{ fault: '502 with HTML', do: { kind: 'status', status: 502, ...html }, fate: 'unknown' },
	{
		fault: '503 without Retry-After',
		do: { kind: 'status', status: 503, ...html },
		fate: 'unknown',
	},
	{
		fault: '504 after the message was accepted',
		do: { kind: 'status', status: 504, ...html, accept: true },
		fate: 'unknown',
		accepted: true,
	},
	{ fault: '200 with HTML', do: { kind: 'html200' }, fate: 'unknown' },
	{
		fault: '200 with HTML after the message was accepted',
		do: { kind: 'html200', accept: true },
		fate: 'unknown',
		accepted: true,
	},
	{
		fault: 'truncated JSON',
		do: { kind: 'truncatedJson', accept: true },
		fate: 'unknown',
		accepted: true,
	},
	{
		fault: 'a receipt of wrong types',
		do: { kind: 'wrongTypes', accept: true },
		fate: 'unknown',
		accepted: true,
	},
	{ fault: 'an empty 200', do: { kind: 'json', body: {} }, fate: 'unknown' },
	{
		fault: 'a 200 that carries an error code',
		do: { kind: 'json', body: { code: 12, error: 'unsubscribed' } },
		fate: 'refused',
	},
	{
		fault: '400 with an error code',
		do: { kind: 'json', status: 400, body: { code: '11', message: 'bad number' } },
		fate: 'refused',
	},
	{
		fault: '500 with an error code',
		do: { kind: 'json', status: 500, body: { code: 12, error: 'STOP' } },
		fate: 'refused',
	},
	{
		fault: '500 with the code of an unknown error',
		do: { kind: 'json', status: 500, body: { code: 1000, error: 'unknown' } },
		fate: 'unknown',
	},
	{ fault: '400 without a code', do: { kind: 'status', status: 400, ...html }, fate: 'refused' },
	{ fault: '401', do: { kind: 'status', status: 401, body: '' }, fate: 'refused', isOfAll: true },
	{
		fault: 'a redirect to another host',
		do: { kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere', status: 308 },
		fate: 'notSent',
		isOfAll: true,
	},
	{
		// It can be the answer to a request that was carried out (RFC 9110, 15.4.3).
		fault: 'a redirect with 302',
		do: { kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere', status: 302 },
		fate: 'unknown',
	},
];

const [FIRST, HIT, LAST] = ['+33639980001', '+33639980002', '+33639980003'];

/** Time-outs in milliseconds. Only a row without an answer waits for its own: a busy machine answers late as well. */
const LONG = 10_000;
const timeoutOf = ({ kind }: FaultAction) => (kind === 'noAnswerAfterAccept' ? 1000 : LONG);

hurry();
const sim = await useSimulator();

function options(operation: string, settings: RunOptions['settings'], timeout = LONG): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: 'Votre commande est prête'.replace('ê', 'e'),
			...placed('Sms', operation, { concurrency: 1, ...nothingBeside(operation) }),
			requestOptions: { timeout },
		},
		items: [{ to: FIRST }, { to: HIT }, { to: LAST }],
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		settings,
	};
}

function hit(action: FaultAction, times = 1): void {
	sim.faults.add({
		path: /\/messages\/send$/,
		match: (request) => decodeURIComponent(request.target + request.bodyText).includes(HIT),
		times,
		do: action,
	});
}

function received(): number[] {
	return [FIRST, HIT, LAST].map((number) => sim.messagesTo(number).length);
}

/** The fate of the hit item as the result tells it. */
function reported({ items, errorItems, error }: RunResult): string | undefined {
	const item = [...items, ...errorItems].find(({ json }) => json.number === HIT)?.json;
	if (item) return (item.status as string | undefined) ?? 'sent';
	if (!error) return undefined;
	return /unknown whether/i.test(error.message) ? 'unknown' : 'failed';
}

describe.each(['send', 'sendByUrl'])('%s', (operation) => {
	describe.each(ROWS)('$fault', (row) => {
		const timeout = timeoutOf(row.do);
		const onPhone = row.fate === 'sent' || row.accepted ? 1 : 0;

		test('stops the run', async () => {
			hit(row.do);
			const result = await runNode(options(operation, {}, timeout));
			expect(received()).toEqual([1, onPhone, row.fate === 'sent' ? 1 : 0]);
			if (row.fate === 'sent') {
				expect(result.error).toBeUndefined();
				expect(result.items).toHaveLength(3);
				return;
			}
			expect(reported(result)).toBe(row.fate === 'unknown' ? 'unknown' : 'failed');
			expect(result.error!.context.itemIndex).toBe(row.isOfAll === true ? undefined : 1);
			expect(result.error!.description).toContain(sim.messagesTo(FIRST)[0].snapshotId);
			if (row.fate === 'unknown') expect(result.error!.description).toContain(HIT);
		});

		test('stops the run, Retry On Fail', async () => {
			hit(row.do);
			const result = await runNode(
				options(
					operation,
					{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
					timeout,
				),
			);
			if (row.fate === 'unknown') {
				expect(received()).toEqual([1, onPhone, 0]);
				expect(reported(result)).toBe('unknown');
			} else {
				expect(received()).toEqual([1, 1, 1]);
				expect(result.error).toBeUndefined();
				expect(result.items.map(({ json }) => json.snapshotId)).toEqual(
					[FIRST, HIT, LAST].map((number) => sim.messagesTo(number)[0].snapshotId),
				);
			}
		});

		test('stops the run, Retry execution', async () => {
			hit(row.do);
			const run = options(operation, {}, timeout);
			const failed = await runNode(run);
			if (row.fate === 'sent') {
				expect(failed.error).toBeUndefined();
				expect(received()).toEqual([1, 1, 1]);
				return;
			}
			const retried = await retryExecution(failed, run);
			if (row.fate === 'unknown') {
				expect(received()).toEqual([1, onPhone, 0]);
				expect(reported(retried)).toBe('unknown');
				const resent = await retryExecution(retried, run, {
					...run,
					parameters: {
						...run.parameters,
						...placed('Sms', 'send', { concurrency: 1, resendUnknown: true }),
					},
				});
				expect(resent.error).toBeUndefined();
				expect(received()).toEqual([1, onPhone + 1, 1]);
			} else {
				expect(received()).toEqual([1, 1, 1]);
				expect(retried.items.map(({ json }) => json.snapshotId)).toEqual(
					[FIRST, HIT, LAST].map((number) => sim.messagesTo(number)[0].snapshotId),
				);
			}
		});

		test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
			'%s',
			async (onError) => {
				hit(row.do);
				const result = await runNode(
					options(
						operation,
						{ onError, retryOnFail: true, waitBetweenTries: 1 },
						timeout,
					),
				);
				expect(received()).toEqual([1, onPhone, 1]);
				expect(result.error).toBeUndefined();
				expect(reported(result)).toBe(row.fate);
				const failed = row.fate === 'sent' ? 0 : 1;
				expect(result.errorItems).toHaveLength(
					onError === 'continueErrorOutput' ? failed : 0,
				);
				expect(result.items).toHaveLength(
					onError === 'continueErrorOutput' ? 3 - failed : 3,
				);
				for (const { json, pairedItem } of [...result.items, ...result.errorItems]) {
					expect(pairedItem).toEqual({
						item: [FIRST, HIT, LAST].indexOf(json.number as string),
					});
				}
				if (failed && onError === 'continueErrorOutput') {
					expect(result.errorItems[0].json.to).toBe(HIT);
				}
			},
		);
	});
});

describe('sendBatch', () => {
	test.each(ROWS)('$fault', async (row) => {
		hit(row.do);
		const result = await runNode(options('sendBatch', {}, timeoutOf(row.do)));
		const stops = row.fault === '401' || row.fault.startsWith('a redirect');
		const onPhone = row.fate === 'sent' || row.accepted ? 1 : 0;
		expect(received()).toEqual([1, onPhone, stops ? 0 : 1]);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json.status)).toEqual([
			'sent',
			row.fate,
			stops ? 'notSent' : 'sent',
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test('puts what was not sent on the error output, beside the fields of its input', async () => {
		hit({ kind: 'resetAfterAccept' });
		const result = await runNode(options('sendBatch', { onError: 'continueErrorOutput' }));
		expect(result.items.map(({ json }) => json.status)).toEqual(['sent', 'sent']);
		expect(result.errorItems.map(({ json }) => json)).toEqual([
			expect.objectContaining({ to: HIT, number: HIT, status: 'unknown' }),
		]);
	});
});

describe('a service that is down', () => {
	const down = { kind: 'tooManyRequests', retryAfter: 0 } as const;

	test.each(['send', 'sendByUrl', 'sendBatch'])(
		'%s sends nothing and says so',
		async (operation) => {
			sim.faults.add({ times: Infinity, do: down });
			const run = options(operation, {});
			const failed = await runNode(run);
			expect(received()).toEqual([0, 0, 0]);
			expect(failed.error?.message).toContain('429');
			expect(failed.error?.failure).toMatchObject({ cause: 'rate-limited' });
			sim.faults.clear();
			const retried = await retryExecution(failed, run);
			expect(retried.error).toBeUndefined();
			expect(received()).toEqual([1, 1, 1]);
		},
	);

	test('a refused connection is retried and certain', async () => {
		const other = await startSimulator();
		await other.close();
		const failed = await runNode({
			...options('send', {}),
			credential: { baseUrl: other.baseUrl, apiKey: 'test-key' },
		});
		expect(failed.error?.message).toContain('refused the connection');
	});
});
