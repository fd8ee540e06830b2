/** What may have been sent is unknown, and stays it until a look-up tells (design, guarantee 5). */
import type { INode } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, wires } from '../harness.mts';
import { invokeTool, type Call } from './agent.mts';
import { KEY, type AnswerName } from './answers.mts';
import { answer, once, people, RETRY_ON_FAIL, SENDING, sim, sms, statuses } from './sending.mts';
import { unknownIn } from './support.mts';

const STATUS = /\/messages\/status$/;
const NOTHING_FOUND: FaultAction = { kind: 'json', body: {} };

describe('an error of an unknown form is unknown', () => {
	const FORMS: Array<[form: string, make: (error: Error) => unknown]> = [
		['a plain error', ({ message }) => new Error(message)],
		['a plain object', ({ message }) => ({ message })],
		['a text', ({ message }) => message],
		['an error of a kind of its own', () => new TypeError('terminated')],
	];
	const spoilErrors = (make: (error: Error) => unknown) => {
		wires.set(sim.baseUrl, async (_, send) => {
			try {
				return await send();
			} catch (error) {
				throw make(error as Error);
			}
		});
	};
	for (const operation of SENDING) {
		test.each(FORMS)(`${operation}: %s: not sent again`, async (_, make) => {
			spoilErrors(make);
			answer('reset, accepted', { times: 1 });
			const options = sms(operation, people(1), {}, { settings: RETRY_ON_FAIL });
			const result = await runNode(options);
			expect(`${result.error?.message} ${statuses(result)}`).toMatch(/unknown/i);
			if (result.error) await retryExecution(result, options);
			expect(sim.messages).toHaveLength(1);
		});
	}

	test.each(FORMS)('%s does not stop a batch', async (_, make) => {
		spoilErrors(make);
		answer('reset, accepted', { times: 1 });
		const result = await runNode(sms('sendBatch', people(3)));
		expect(statuses(result)).toEqual(['unknown', 'sent', 'sent']);
	});
});

// A look at what a retry would do says nothing of what the earlier try did.
test.each([
	['a dry run', { dryRun: true }, {}],
	['a test run', {}, { manualRuns: 'preview' }],
])('%s keeps unknown whom it would skip', async (_, trial, credential) => {
	answer('500 code 1000, accepted', { times: 1 });
	const [{ to }] = people(1);
	const settings = { skipBlacklisted: true, resendUnknown: true };
	const failed = await runNode(sms('send', people(1), settings));
	expect(failed.error?.message).toMatch(/unknown/i);
	sim.service.addToBlacklist('unsubscribers', to as string);
	const shown = sms('send', people(1), { ...settings, ...trial });
	const retried = await retryExecution(
		failed,
		{ ...shown, credential: { ...shown.credential, ...credential } },
		{ parameters: shown.parameters },
	);
	expect(statuses(retried)).toEqual([]);
	expect(unknownIn(retried)).toEqual([0]);
	expect(sim.messages).toHaveLength(1);
});

test('a message whose date has passed meanwhile is not sent, and stays unknown', async () => {
	answer('500 code 1000, accepted', { times: 1 });
	const date = new Date(Date.now() + 1_000);
	const options = sms('send', people(1), { date: date.toISOString(), resendUnknown: true });
	const failed = await runNode(options);
	expect(unknownIn(failed)).toEqual([0]);
	await sleep(date.getTime() - Date.now() + 1);
	// Up to a minute ago is now.
	setClock(new Date(date.getTime() + 61_000).toISOString());
	sim.faults.add({ path: STATUS, do: NOTHING_FOUND, times: 2 });
	const retried = await retryExecution(failed, options);
	expect(unknownIn(retried)).toEqual([0]);
	expect(retried.error?.message).toContain('is in the past');
	// The option is on already.
	expect(retried.error?.description).not.toContain("turn 'Send Again if Unknown' on");
	expect(retried.error?.description).toContain('correct what stands in its way, and retry');
	expect(sim.messages).toHaveLength(1);
});

describe('as a tool that an agent invokes', () => {
	const invoke = async (calls: Call[], settings: Partial<INode> = {}) => {
		await invokeTool({
			node: 'Sms',
			parameters: {
				operation: 'send',
				number: "={{ $fromAI('number', 'To', 'string') }}",
				message: "={{ $fromAI('message', 'Text', 'string') }}",
			},
			settings,
			credential: { baseUrl: sim.baseUrl, apiKey: KEY },
			calls,
		});
		return calls;
	};
	const call = (number: string, message: string): Call => ({ input: { number, message } });

	test('a lost answer does not keep later, different messages from being sent', async () => {
		answer('reset, accepted', { times: 1 });
		const calls = await invoke([
			call('+33639980001', 'One'),
			call('+33639980002', 'One'),
			call('+33639980001', 'Two'),
		]);
		expect(sim.messages.map(({ number, text }) => `${number} ${text}`)).toEqual([
			'+33639980001 One',
			'+33639980002 One',
			'+33639980001 Two',
		]);
		expect(`${calls[0].answer} ${calls[0].error?.message}`).toMatch(/unknown/i);
		expect(calls[1].answer).toContain('362892');
		expect(calls[2].answer).toContain('362893');
	});
});

describe("'Send Again if Unknown' whose attempt certainly fails leaves it unknown", () => {
	const FAILING: AnswerName[] = ['402 code 71', '429', '503 Retry-After 0', '403 page'];

	for (const operation of ['send', 'sendByUrl']) {
		test.each(FAILING)(`${operation}: %s`, async (name) => {
			answer('reset, not accepted', { times: 1 });
			const options = sms(operation, people(1));
			const first = await runNode(options);
			expect(unknownIn(first)).toEqual([0]);
			answer(name);
			const resend = {
				parameters: sms(operation, people(1), { resendUnknown: true }).parameters,
			};
			const second = await retryExecution(first, options, resend);
			expect(unknownIn(second)).toEqual([0]);
			sim.faults.clear();
			const third = await retryExecution(second, options, { parameters: options.parameters });
			expect(unknownIn(third)).toEqual([0]);
			expect(sim.messages).toHaveLength(0);
		});
	}
});

describe('what is unknown stays it, also where the attempt does not even begin', () => {
	test.each([
		['send', {}],
		['send', { skipDuplicates: true }],
		['sendByUrl', {}],
	])('%s %j: an earlier item stops the run', async (operation, more) => {
		answer('reset, not accepted', { times: 2 });
		const options = sms(operation, people(2), { ...more, concurrency: 2 });
		const first = await runNode(options);
		expect(unknownIn(first)).toEqual([0, 1]);
		answer('401 code 72');
		const resend = sms(operation, people(2), { ...more, resendUnknown: true });
		const second = await retryExecution(first, options, { parameters: resend.parameters });
		expect(unknownIn(second)).toEqual([0, 1]);
		sim.faults.clear();
		const third = await retryExecution(second, options, { parameters: options.parameters });
		expect(unknownIn(third)).toEqual([0, 1]);
		expect(sim.messages).toHaveLength(0);
	});

	test('sendBatch: a stage keeps it back', async () => {
		answer('reset, accepted', { times: 1 });
		await runNode(sms('sendBatch', people(1), once));
		sim.faults.clear();
		sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
		const stages = { ...once, resendUnknown: true, skipBlacklisted: true };
		await runNode(sms('sendBatch', people(1), stages));
		sim.faults.clear();
		expect(statuses(await runNode(sms('sendBatch', people(1), once)))).toEqual(['unknown']);
		expect(sim.messages).toHaveLength(1);
	});
});
