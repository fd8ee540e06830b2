/** Max Credits holds over the whole execution (design, guarantee 10): loops, retries and calls of a tool, by what phones got. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { offered } from '../../harness/settings.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { invokesAtOnce, invokeTool, type Call } from '../delivery/agent.mts';
import { KEY } from '../delivery/answers.mts';
import { CONTINUE, people, RETRY_ON_FAIL, sms, tries } from '../delivery/sending.mts';
import { answer, hideMessages, reached, SEND, sim, spoil } from '../delivery/service.mts';
import { hintOf, statuses, textOf } from '../delivery/support.mts';
import { runNode, succeeded, type RunOptions } from '../harness.mts';

const FIVE = people(5);
const REACHED = "'Max Credits' is reached: this node has used 2 of 2 in this execution";
const spent = () => sim.messages.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
const answersWith = (action: FaultAction) =>
	sim.faults.add({ path: SEND, times: Infinity, do: action });
const costing = (creditsUsed: number) =>
	answersWith({ kind: 'json', body: { snapshotId: 4711, creditsUsed }, accept: true });
/** Two credits for five messages, one after another. */
const two = (operation: string, settings: IDataObject = {}, more: Partial<RunOptions> = {}) =>
	sms(operation, FIVE, { maxCredits: 2, ...settings }, more);

test('the rest of a batch is not sent, with the reason', async () => {
	const result = succeeded(await runNode(two('sendBatch')));
	expect(statuses(result)).toEqual(['sent', 'sent', 'notSent', 'notSent', 'notSent']);
	expect(result.items[4].json.reason).toBe(REACHED);
	expect(hintOf(result)).toMatch(/^2 sent, 3 not sent\. 2 credits used\./);
	expect(hintOf(result)).toContain(REACHED);
	expect(reached()).toHaveLength(2);
});

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	const limited = async (...limits: unknown[]) => {
		const items = limits.map((limit, at) => ({ ...FIVE[at], limit }) as IDataObject);
		const options = sms(operation, items, { maxCredits: '={{ $json.limit }}' });
		const { error, items: made } = await runNode({ ...options, settings: CONTINUE });
		return JSON.stringify([error?.message, made]);
	};
	test.each([
		[100, 1],
		[1, 100, 1],
		[5, 5, 5.5],
	])('a limit that differs between items is refused: %j', async (...limits) => {
		expect(await limited(...limits)).toContain("'Max Credits' differs between the items");
		expect(sim.messages).toEqual([]);
	});

	test('a limit that an item lacks is refused, and one that is the same is one', async () => {
		const { error } = await runNode(
			sms(operation, [{ ...FIVE[0], limit: 5 }, FIVE[1]], {
				maxCredits: "={{ $json.limit ?? '' }}",
			}),
		);
		expect(error?.message).toContain("'Max Credits'");
		expect(sim.messages).toEqual([]);
		await limited(2, 2, '2');
		expect(sim.messages).toHaveLength(2);
	});

	test.each<[what: string, status: string, action: FaultAction]>([
		['whose answers are lost', 'unknown', { kind: 'resetAfterAccept' }],
		[
			'without credits in the answer',
			'sent',
			{ kind: 'json', body: { snapshotId: '7' }, accept: true },
		],
	])('counts messages %s', async (_, status, action) => {
		answersWith(action);
		hideMessages();
		const result = await runNode(two(operation, {}, { settings: CONTINUE }));
		expect(sim.messages).toHaveLength(2);
		const rest = ['notSent', 'notSent', 'notSent'];
		expect(statuses(result)).toEqual([status, status, ...rest]);
		expect(hintOf(result)).not.toMatch(/credits? used\./);
	});

	test('is one sum for all rounds of a loop', async () => {
		const rounds = people(10).map((one) => [one]);
		await runNode(
			sms(operation, rounds[0], { maxCredits: 2 }, { furtherRuns: rounds.slice(1) }),
		);
		expect(spent()).toBe(2);
	});
});

test('the segments of one message do not pass it', async () => {
	const items = [{ ...FIVE[0], text: 'x'.repeat(400) }, FIVE[1]];
	const result = await runNode(sms('sendBatch', items, { maxCredits: 2 }));
	expect(statuses(result)).toEqual(['notSent', 'sent']);
});

test.each<[price: number, maxCredits: number, concurrency: number, sent: number]>([
	[1.5, 10, 10, 6],
	[3, 7, 10, 2],
	[2.5, 6, 1, 2],
	[0.5, 2, 10, 4],
])('at %f a message, limit %i, %i at once: %i are sent', async (price, maxCredits, at, sent) => {
	costing(price);
	const settings = { maxCredits, concurrency: at, checkBalance: false };
	await runNode(sms('sendBatch', people(12), settings));
	expect(sim.messages).toHaveLength(sent);
});

test('the dearest price so far is reserved, not the latest', async () => {
	for (const creditsUsed of [3, 1, 3])
		sim.faults.add({
			path: SEND,
			do: { kind: 'json', body: { snapshotId: creditsUsed, creditsUsed }, accept: true },
		});
	const settings = { maxCredits: 6, checkBalance: false };
	const result = await runNode(sms('sendBatch', people(3), settings));
	expect(statuses(result)).toEqual(['sent', 'sent', 'notSent']);
});

test.each([1, 3])('of ten parallel calls of a tool, %i are sent', async (maxCredits) => {
	const calls = people(10).map(({ to: number }): Call => ({ input: { number } }));
	const number = "={{ $fromAI('number', '', 'string') }}";
	await invokeTool({
		node: 'Sms',
		parameters: { operation: 'send', number, message: 'A', safeguards: { maxCredits } },
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		agent: invokesAtOnce,
		calls,
	});
	expect(sim.messages).toHaveLength(maxCredits);
	expect(calls.filter(({ error }) => error === undefined)).toHaveLength(maxCredits);
});

describe('over tries of an execution', () => {
	test('counts what an earlier one has left unknown, once', async () => {
		answer('reset, not accepted', { times: 1 });
		const [failed, retried] = await tries(two('send', { resendUnknown: true }), {});
		expect(failed.error?.message).toBe(`0 of 5 sent, 1 unknown (${FIVE[0].to}), 4 not sent`);
		// It may have cost a credit all the same.
		expect(retried.error?.message).toBe('1 of 5 sent, 4 not sent');
		expect(textOf(retried)).toContain("'Max Credits' is reached: this node has used 2 of 2");
		expect(reached()).toEqual([FIVE[0].to]);
	});

	test('counts what went to a recipient who was corrected since', async () => {
		const [ada, bob, carol] = people(3).map(({ to }) => to);
		const items = [
			{ to: ada, then: carol, text: 'a' },
			{ to: bob, then: bob, text: 'b' },
			{ to: carol, then: ada, text: 'c' },
		];
		spoil('"b"', { kind: 'json', status: 400, body: { code: 11, error: 'no' } });
		const options = sms('send', items, { maxCredits: 2 });
		const number = '={{ $json.then }}';
		await tries(options, { parameters: { ...options.parameters, number } });
		expect(spent()).toBe(2);
	});

	test.each<[what: string, fault: () => void]>([
		['that the limit ended', () => {}],
		['that a refusal ended', () => answer('401 code 72', { skip: 1, times: 1 })],
	])('counts what tries of Retry On Fail have used %s', async (_, fault) => {
		fault();
		const result = await runNode(two('send', {}, { settings: RETRY_ON_FAIL }));
		expect(result.error?.message).toBe('2 of 5 sent, 3 not sent');
		expect(textOf(result)).toContain("'Max Credits' is reached: this node has used 2 of 2");
		expect(reached()).toEqual(people(2).map(({ to }) => to));
	});

	test('is spent once where the input has a field error, which n8n takes for a failure', async () => {
		const items = FIVE.map((one) => ({ ...one, error: 'of the CRM' }));
		const settings = { maxCredits: 2, includeInputFields: true };
		await runNode(sms('sendBatch', items, settings, { settings: RETRY_ON_FAIL }));
		expect(sim.messages).toHaveLength(2);
	});
});

test.each([0, -1, 'much', ''])('%j is refused', async (maxCredits) => {
	const settings = offered('Sms', 'sendBatch', { maxCredits });
	const { error } = await runNode(sms('sendBatch', FIVE, settings));
	expect(error?.message).toContain("'Max Credits'");
	expect(sim.requests).toEqual([]);
});

test("the advice's first sentence is to raise it: a retry does nothing before", async () => {
	const { error } = await runNode(two('send'));
	expect(error?.description).not.toMatch(/^Retry/);
	expect(error?.description).toContain("Raise 'Max Credits'");
});
