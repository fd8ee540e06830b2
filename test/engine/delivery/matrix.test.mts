/**
 * Guarantees 1 to 5 of the design: each fault of the service, in each way of running a node, judged by what the phones
 * received. One fault, with nothing beside it; histories.test.mts has the sequences.
 */
import type { INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { nothingBeside } from '../../harness/settings.mts';
import { startSimulator, type FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { people, RETRY_ON_FAIL, SENDING, sms, tries } from './sending.mts';
import { sim, spoil } from './service.mts';
import { acceptedIn, jsonOf, statuses, unknownIn } from './support.mts';

/** The end of the message that the fault hits; sent: in the end, after waiting or a retry that does no harm. */
type Fate = 'sent' | 'refused' | 'notSent' | 'unknown';

type Row = [
	fault: string,
	action: FaultAction,
	fate: Fate,
	/** `accepted`: the service takes the message although the answer is lost. `all`: the account is concerned, no item. */
	more?: 'accepted' | 'all',
];

const page = (status: number, more: object = {}): FaultAction => ({
	kind: 'status',
	status,
	body: '<html><body>Bad gateway</body></html>',
	contentType: 'text/html',
	...more,
});
const json = (status: number, body: object, accept = false): FaultAction => ({
	kind: 'json',
	status,
	body,
	accept,
});
const redirect = (status: 302 | 308): FaultAction => ({
	kind: 'redirect',
	location: 'http://127.0.0.1:9/elsewhere',
	status,
});

const ROWS: Row[] = [
	['a delay', { kind: 'delay', ms: 50 }, 'sent'],
	['a slow body', { kind: 'slowBody', ms: 60 }, 'sent'],
	['429', { kind: 'tooManyRequests' }, 'sent'],
	['429 with Retry-After', { kind: 'tooManyRequests', retryAfter: 0 }, 'sent'],
	['503 with Retry-After', page(503, { headers: { 'Retry-After': '0' } }), 'sent'],
	['a reset before the body is read', { kind: 'resetBeforeRead' }, 'unknown'],
	['a reset after acceptance', { kind: 'resetAfterAccept' }, 'unknown', 'accepted'],
	['no answer after acceptance', { kind: 'noAnswerAfterAccept' }, 'unknown', 'accepted'],
	['500 with HTML', page(500), 'unknown'],
	['502 with HTML', page(502), 'unknown'],
	['503 without Retry-After', page(503), 'unknown'],
	['504 after acceptance', page(504, { accept: true }), 'unknown', 'accepted'],
	['200 with HTML', { kind: 'html200' }, 'unknown'],
	['200 with HTML after acceptance', { kind: 'html200', accept: true }, 'unknown', 'accepted'],
	['truncated JSON', { kind: 'truncatedJson', accept: true }, 'unknown', 'accepted'],
	['a receipt of wrong types', { kind: 'wrongTypes', accept: true }, 'unknown', 'accepted'],
	['an empty 200', json(200, {}), 'unknown'],
	['200 with an error code', json(200, { code: 12, error: 'unsubscribed' }), 'refused'],
	['400 with an error code', json(400, { code: '11', message: 'bad number' }), 'refused'],
	['500 with an error code', json(500, { code: 12, error: 'STOP' }), 'refused'],
	['500 with code 1000', json(500, { code: 1000, error: 'unknown' }), 'unknown'],
	// A gateway's JSON is not the service's no.
	['504 with code 504', json(504, { code: 504 }, true), 'unknown', 'accepted'],
	['504 with code 4', json(504, { code: 4 }, true), 'unknown', 'accepted'],
	['200 with code 200', json(200, { code: 200 }, true), 'unknown', 'accepted'],
	['400 without a code', page(400), 'refused'],
	['a page of a firewall', page(403), 'refused'],
	['401', { kind: 'status', status: 401, body: '' }, 'refused', 'all'],
	['a redirect to another host', redirect(308), 'notSent', 'all'],
	// It can be the answer to a request that was carried out (RFC 9110, 15.4.3).
	['a redirect with 302', redirect(302), 'unknown'],
];

const NUMBERS = people(3).map(({ to }) => String(to));
const [FIRST, HIT] = NUMBERS;

/** Three messages, and a fault that hits the second one. */
function hit(operation: string, action: FaultAction, settings: Partial<INode> = {}): RunOptions {
	sim.reset();
	spoil(HIT, action);
	const options = sms(operation, people(3), nothingBeside(operation), { settings });
	// Only a row without an answer waits for its own: a busy machine answers late as well.
	const timeout = action.kind === 'noAnswerAfterAccept' ? 1_000 : 10_000;
	return { ...options, parameters: { ...options.parameters, requestOptions: { timeout } } };
}

const received = () => NUMBERS.map((number) => sim.messagesTo(number).length);
const snapshots = () => NUMBERS.map((number) => sim.messagesTo(number)[0]?.snapshotId);

function expectAllSent({ error, items }: RunResult): void {
	expect(error).toBeUndefined();
	expect(received()).toEqual([1, 1, 1]);
	expect(items.map(({ json: { snapshotId } }) => snapshotId)).toEqual(snapshots());
}

describe.each(['send', 'sendByUrl'])('%s', (operation) => {
	test.each(ROWS)('%s', async (_, action, fate, more) => {
		const onPhone = fate === 'sent' || more === 'accepted' ? 1 : 0;
		const isUnknown = fate === 'unknown';
		// Where n8n offers no retry, what is unknown is looked up at the end.
		const end = more === 'accepted' ? 'sent' : fate;
		const expectStopped = (result: RunResult) => {
			expect(received()).toEqual([1, onPhone, 0]);
			const unknown = isUnknown ? `, 1 unknown (${HIT})` : '';
			expect(result.error!.message).toContain(`1 of 3 sent${unknown}`);
			expect(unknownIn(result)).toEqual(isUnknown ? [1] : []);
			expect(acceptedIn(result)).toEqual([sim.messagesTo(FIRST)[0].snapshotId]);
		};

		const run = hit(operation, action);
		const stopped = await runNode(run);
		if (fate === 'sent') expectAllSent(stopped);
		else {
			expectStopped(stopped);
			// "Retry execution".
			const retried = await retryExecution(stopped, run);
			if (!isUnknown || more === 'accepted') expectAllSent(retried);
			else {
				expect(received()).toEqual([1, 0, 1]);
				expect(retried.error!.message).toBe(`2 of 3 sent, 1 unknown (${HIT})`);
				expect(retried.error!.description).toContain("turn 'Send Again if Unknown' on");
				const resend = sms(operation, people(3), { resendUnknown: true });
				expectAllSent(await retryExecution(retried, run, resend));
			}
		}

		const again = await runNode(hit(operation, action, RETRY_ON_FAIL));
		if (isUnknown) expectStopped(again);
		else expectAllSent(again);

		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const result = await runNode(hit(operation, action, { ...RETRY_ON_FAIL, onError }));
			const { items, errorItems, error } = result;
			expect(error).toBeUndefined();
			expect(received()).toEqual([1, onPhone, 1]);
			const failed = end !== 'sent' && onError === 'continueErrorOutput' ? [HIT] : [];
			expect(errorItems.map(({ json: { to } }) => to)).toEqual(failed);
			const all = [...items, ...errorItems];
			const order = all.map(({ pairedItem }) => (pairedItem as { item: number }).item);
			expect([...order].sort()).toEqual([0, 1, 2]);
			expect(jsonOf({ items: all }).map(({ number }) => number)).toEqual(
				order.map((at) => NUMBERS[at]),
			);
			expect(all[order.indexOf(1)].json.status).toBe(end);
		}
	});
});

test.each(ROWS)('sendBatch: %s', async (_, action, fate, more) => {
	const result = await runNode(hit('sendBatch', action));
	const stops = more === 'all' || action.kind === 'redirect';
	expect(received()).toEqual([1, fate === 'sent' || more === 'accepted' ? 1 : 0, stops ? 0 : 1]);
	expect(result.error).toBeUndefined();
	// It looks up what is unknown at its end.
	const end = more === 'accepted' ? 'sent' : fate;
	expect(statuses(result)).toEqual(['sent', end, stops ? 'notSent' : 'sent']);
	const paired = result.items.map(({ pairedItem }) => pairedItem);
	expect(paired).toEqual([0, 1, 2].map((item) => ({ item })));
});

describe('a service that is down', () => {
	test.each(SENDING)('%s sends nothing and says so', async (operation) => {
		const down = { kind: 'tooManyRequests', retryAfter: 0 } as const;
		sim.faults.add({ times: Infinity, do: down });
		const [failed, retried] = await tries(sms(operation, people(3)), () => {
			expect(received()).toEqual([0, 0, 0]);
			sim.faults.clear();
		});
		expect(failed.error?.message).toContain('429');
		expect(failed.error?.failure).toMatchObject({ cause: 'rate-limited' });
		expect(retried.error).toBeUndefined();
		expect(received()).toEqual([1, 1, 1]);
	});

	test('a refused connection is retried and certain', async () => {
		const other = await startSimulator();
		await other.close();
		const credential = { baseUrl: other.baseUrl, apiKey: 'test-key' };
		for (const many of [3, 1]) {
			const { error } = await runNode(sms('send', people(many), {}, { credential }));
			expect(error?.message).toContain('refused the connection');
			expect(error?.description).toContain('No item has been sent. Run the workflow again');
		}
	});
});
