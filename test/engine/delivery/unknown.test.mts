/** What may have been sent is unknown, and stays it until the user says otherwise (design, guarantee 5). */
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { addCampaign } from '../campaign/support.mts';
import { retryExecution, runNode, wires } from '../harness.mts';
import { invokeTool, type Call } from './agent.mts';
import { KEY, type AnswerName } from './answers.mts';
import {
	answer,
	of,
	once,
	people,
	RETRY_ON_FAIL,
	SENDING,
	sim,
	sms,
	statuses,
} from './sending.mts';
import { listedIn } from './support.mts';

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
	expect(`${retried.error?.message} ${retried.error?.description}`).toMatch(
		/may have .*unsubscribed \(STOP\)/s,
	);
	expect(sim.messages).toHaveLength(1);
});

// The advice of the error for a message that did arrive.
test('a retry with On Error = Continue passes all items on, the unknown one as well', async () => {
	answer('500 code 1000, accepted', { skip: 1, times: 1 });
	const options = sms('send', people(3), { concurrency: 1 });
	const failed = await runNode(options);
	expect(failed.error?.description).toContain(
		"set 'On Error' in the settings of the node to Continue",
	);
	const settings = { onError: 'continueRegularOutput' } as const;
	const retried = await retryExecution(failed, options, { settings });
	expect(statuses(retried)).toEqual(['sent', 'unknown', 'sent']);
	expect(sim.messages).toHaveLength(3);
});

test("the same with 'Send Again if Unknown' on, which has to be turned off for that", async () => {
	answer('500 code 1000, accepted', { skip: 1, times: 1 });
	const failed = await runNode(sms('send', people(3), { concurrency: 1, resendUnknown: true }));
	expect(failed.error?.description).toContain(
		"If it arrived: turn 'Send Again if Unknown' off, set 'On Error' in the settings",
	);
	const settings = { onError: 'continueRegularOutput' } as const;
	const options = sms('send', people(3), { concurrency: 1 });
	const retried = await retryExecution(failed, options, { settings });
	expect(statuses(retried)).toEqual(['sent', 'unknown', 'sent']);
	expect(sim.messages).toHaveLength(3);
});

test.each<[node: string, parameters: IDataObject & { operation: string }]>([
	['SmsList', { operation: 'create', name: '={{ $json.text }} {{ $json.to }}' }],
	['SmsBlacklist', { operation: 'add', number: '={{ $json.to }}' }],
])('%s: advice for what was carried out after all goes on with the rest', async (node, one) => {
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	const options = of(node, one, people(2));
	const failed = await runNode(options);
	expect(failed.error?.description).toMatch(
		/\nIf it was carried out: set 'On Error' in the settings of the node to Continue, /,
	);
	const posts = () => sim.requests.filter(({ method }) => method === 'POST').length;
	const settings = { onError: 'continueRegularOutput' } as const;
	const retried = await retryExecution(failed, options, { settings });
	expect(retried.error).toBeUndefined();
	expect(retried.items.map(({ json }) => json.status)).toEqual(['unknown', undefined]);
	expect(posts()).toBe(2);
});

// With the option still on, the retry would send the campaign to everybody again.
test("a campaign with 'Repeat if Unknown' on: the advice turns it off, and one campaign is sent", async () => {
	const listId = sim.service.createList('Clients').id;
	sim.service.addContacts(listId, 2);
	const id = addCampaign(sim, sim.service.createId(), listId);
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	const campaign = (resendUnknown: boolean) =>
		of('SmsCampaign', {
			operation: 'send',
			campaignType: 'marketing',
			campaign: { __rl: true, mode: 'id', value: id },
			options: { resendUnknown },
		});
	const failed = await runNode(campaign(true));
	expect(failed.error?.description).toContain(
		"If it was carried out: turn 'Repeat if Unknown' off, set 'On Error'",
	);
	const settings = { onError: 'continueRegularOutput' } as const;
	const retried = await retryExecution(failed, campaign(false), { settings });
	expect(statuses(retried)).toEqual(['unknown']);
	expect(sim.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

// A retry has the items of the first try, so that no correction of them reaches it.
test('where the data of an item were refused, the advice gets the others sent', async () => {
	const [first, second, third] = people(3);
	sim.stop(String(second.to));
	const options = sms('send', [first, second, third]);
	const failed = await runNode(options);
	expect(failed.error?.description).toMatch(
		/\nIf the data of this item have to be corrected, a retry doesn't help on its own, .* Set 'On Error' .* to Continue and, once the workflow is saved,/,
	);
	const settings = { onError: 'continueRegularOutput' } as const;
	const retried = await retryExecution(failed, options, { settings });
	expect(statuses(retried)).toEqual(['sent', 'refused', 'sent']);
	expect(sim.messages.map(({ number }) => number)).toEqual([first.to, third.to]);
});

test('a retry names the time of the first try', async () => {
	answer('500 code 1000, accepted', { times: 1 });
	const options = sms('send', people(1));
	const timeOf = ({ error }: Awaited<ReturnType<typeof runNode>>) =>
		/since (\d\S+Z)/.exec(error?.description ?? '')?.[1];
	const before = Date.now();
	const failed = await runNode(options);
	const first = timeOf(failed);
	expect(Date.parse(first!)).toBeGreaterThanOrEqual(before);
	expect(Date.parse(first!)).toBeLessThanOrEqual(Date.now());
	expect(timeOf(await retryExecution(failed, options))).toBe(first);
});

// Another key for all items would send again to those who got theirs.
test('with a once key, the advice is for this item only', async () => {
	answer('500 code 1000, accepted', { times: 1 });
	const { error } = await runNode(sms('send', people(1), { onceKey: '={{ $json.to }}' }));
	expect(error?.description).toContain('Its once key is used up');
	expect(error?.description).toContain('with this item only, and with another key');
});

// n8n offers no retry of an execution that succeeded.
test('a batch advises no retry', async () => {
	answer('500 code 1000, accepted', { times: 1 });
	const { items } = await runNode(sms('sendBatch', people(1)));
	expect(items[0].json.reason).toContain('Get Message Status');
	expect(items[0].json.reason).not.toMatch(/On Error|Retry/);
});

test('a message whose date has passed meanwhile is not sent, and stays unknown', async () => {
	answer('500 code 1000, accepted', { times: 1 });
	const date = new Date(Date.now() + 1_000);
	const options = sms('send', people(1), { date: date.toISOString(), resendUnknown: true });
	const failed = await runNode(options);
	expect(failed.error?.message).toMatch(/unknown/i);
	// Up to a minute ago is now.
	setClock(new Date(date.getTime() + 61_000).toISOString());
	const retried = await retryExecution(failed, options);
	expect(retried.error?.message).toMatch(/unknown.* is in the past/i);
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

	test('each try of Retry On Fail is the same message', async () => {
		answer('502 page, accepted', { times: 1 });
		await invoke([call('+33639980001', 'One')], RETRY_ON_FAIL);
		expect(sim.messages).toHaveLength(1);
	});

	test.each(['reset, accepted', 'reset, not accepted'] as const)(
		'n8n does not put its own text in the place of ours: %s',
		async (name) => {
			answer(name, { times: 1 });
			const [{ answer: heard, error }] = await invoke([call('+33639980001', 'One')]);
			expect(`${heard} ${error?.message}`).toMatch(/unknown/i);
			expect(`${heard} ${error?.message}`).not.toMatch(/retry the request/i);
		},
	);
});

describe("'Send Again if Unknown' whose attempt certainly fails leaves it unknown", () => {
	const FAILING: AnswerName[] = ['402 code 71', '429', '503 Retry-After 0', '403 page'];

	for (const operation of ['send', 'sendByUrl']) {
		test.each(FAILING)(`${operation}: %s`, async (name) => {
			answer('reset, accepted', { times: 1 });
			const options = sms(operation, people(1));
			const first = await runNode(options);
			expect(first.error?.message).toMatch(/unknown/i);
			answer(name);
			const resend = {
				parameters: sms(operation, people(1), { resendUnknown: true }).parameters,
			};
			const second = await retryExecution(first, options, resend);
			expect(second.error?.description).toContain('a retry sends it again');
			expect(second.error?.description).not.toMatch(/isn't sent again|turn on/);
			sim.faults.clear();
			const third = await retryExecution(second, options, { parameters: options.parameters });
			expect(third.error?.message).toMatch(/unknown/i);
			expect(sim.messages).toHaveLength(1);
		});
	}
});

describe('what is unknown stays it, also where the attempt does not even begin', () => {
	test.each([
		['send', {}],
		['send', { skipDuplicates: true }],
		['sendByUrl', {}],
	])('%s %j: an earlier item stops the run', async (operation, more) => {
		answer('reset, accepted', { times: 2 });
		const options = sms(operation, people(2), { ...more, concurrency: 2 });
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(2);
		answer('400 code 19');
		const resend = sms(operation, people(2), { ...more, resendUnknown: true });
		const second = await retryExecution(first, options, { parameters: resend.parameters });
		expect(second.error?.message).toMatch(/unknown/i);
		expect(listedIn(second.error).unknown).toMatchObject([{ item: 1 }]);
		sim.faults.clear();
		const third = await retryExecution(second, options, { parameters: options.parameters });
		expect(third.error?.message).toMatch(/unknown/i);
		expect(sim.messages).toHaveLength(2);
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
