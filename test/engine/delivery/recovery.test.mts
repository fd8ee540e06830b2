/**
 * The way out of a fault is one click or one run, and one sentence (design, guarantees 3 to 6, 10 and 12): what phones
 * got, over faults, retries and the advice of the texts.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { addCampaign } from '../campaign/support.mts';
import { load, retryExecution, runNode, type RunResult } from '../harness.mts';
import {
	invokes,
	invokesAtOnce,
	invokeTool,
	type Agent,
	type Call,
	type Invocation,
} from './agent.mts';
import { ANSWERS, KEY } from './answers.mts';
import {
	answer,
	of,
	once,
	people,
	reached,
	RETRY_ON_FAIL,
	SEND,
	SENDING,
	sim,
	sms,
	statuses,
	twice,
} from './sending.mts';
import { acceptedIn, hurry, unknownIn } from './support.mts';

const STATUS = /\/messages\/status$/;
const NOTHING: FaultAction = { kind: 'json', body: {} };
const LOST = 'reset, accepted';
const SWALLOWED = 'reset, not accepted';
const resendUnknown = true;
const to = (items: IDataObject[]) => items.map((item) => item.to);
const textOf = ({ error }: RunResult) => `${error?.message}\n${error?.description}`;
const posts = (path = /./) =>
	sim.requests.filter((one) => one.method === 'POST' && path.test(one.path)).length;
/** What the service answers when it is asked for a message. */
const lookUps = (action: FaultAction, times = Infinity) =>
	sim.faults.add({ path: STATUS, times, do: action });

describe('1: a plain retry does the rest', () => {
	test.each(['send', 'sendByUrl'])('%s: beside one that stays unknown', async (operation) => {
		const items = people(25);
		answer(SWALLOWED, { skip: 8, times: 1 });
		const options = sms(operation, items);
		const failed = await runNode(options);
		expect(failed.error?.message).toBe(`8 of 25 sent, 1 unknown (${items[8].to}), 16 not sent`);
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toBe(`24 of 25 sent, 1 unknown (${items[8].to})`);
		expect(reached().sort()).toEqual(to(items.toSpliced(8, 1)));
		// The sentence of its error, to the letter.
		expect(retried.error?.description).toContain("turn 'Send Again if Unknown' on");
		const resent = await retryExecution(
			retried,
			options,
			sms(operation, items, { resendUnknown }),
		);
		expect(resent.error).toBeUndefined();
		expect(reached().sort()).toEqual(to(items));
	});

	test.each(['send', 'sendByUrl'])('%s: beside one that is refused', async (operation) => {
		const items = people(25);
		sim.stop(String(items[8].to));
		const options = sms(operation, items);
		const failed = await runNode(options);
		expect(reached()).toEqual(to(items.slice(0, 8)));
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toBe(`24 of 25 sent, 1 refused (${items[8].to})`);
		expect(reached().sort()).toEqual(to(items.toSpliced(8, 1)));
		expect(acceptedIn(retried)).toHaveLength(24);
	});
});

test.each(['send', 'sendByUrl'])(
	'2: %s: a corrected text: who got the first one gets no other',
	async (operation) => {
		const items = people(3);
		answer('500 code 31', { skip: 1, times: 1 });
		const options = sms(operation, items);
		const failed = await runNode(options);
		const corrected = sms(
			operation,
			items.map((one) => ({ ...one })),
		);
		corrected.parameters.message = '={{ $json.text }}, corrected';
		const retried = await retryExecution(failed, options, { parameters: corrected.parameters });
		expect(retried.error).toBeUndefined();
		expect(sim.messages.map(({ number, text }) => [number, text])).toEqual([
			[items[0].to, 'Bonjour'],
			[items[1].to, 'Bonjour, corrected'],
			[items[2].to, 'Bonjour, corrected'],
		]);
	},
);

describe('3: what is unknown is sent again once for each retry', () => {
	test.each(['send', 'sendByUrl'])(
		"%s: never by Retry On Fail, with 'Send Again if Unknown' on",
		async (operation) => {
			const items = people(1);
			answer(SWALLOWED, { times: 1 });
			const options = sms(operation, items, { resendUnknown }, { settings: RETRY_ON_FAIL });
			const failed = await runNode(options);
			expect(unknownIn(failed)).toEqual([0]);
			expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(1);
			sim.faults.clear();
			answer(LOST, { times: 1 });
			const resent = await retryExecution(failed, options);
			expect(unknownIn(resent)).toEqual([0]);
			expect(reached()).toEqual(to(items));
			const retried = await retryExecution(resent, options);
			expect(retried.error).toBeUndefined();
			expect(reached()).toEqual(to(items));
		},
	);

	test.each<[state: string, sendAnyway: boolean, times: number]>([
		['SENT', false, 1],
		['SENDING', false, 1],
		['CREATED', false, 2],
		['QUEUED', false, 1],
		['SENT', true, 2],
	])(
		'a campaign that is %s, Send Without Checks %s: sent %i times',
		async (state, sendAnyway, times) => {
			const list = sim.service.createList('Clients');
			sim.service.addContacts(list.id, 2);
			const id = addCampaign(sim, sim.service.createId(), list.id);
			const options = of('SmsCampaign', {
				operation: 'send',
				campaign: { __rl: true, mode: 'id', value: id },
				options: { sendAnyway },
			});
			sim.faults.add({ method: 'POST', do: { kind: 'resetBeforeRead' } });
			const failed = await runNode(options);
			expect(unknownIn(failed)).toEqual([0]);
			sim.service.campaigns.get(id)!.state = state as never;
			const retried = await retryExecution(failed, options);
			expect(posts()).toBe(times);
			if (state === 'QUEUED') {
				expect(textOf(retried)).toContain("doesn't tell whether it was sent");
				// Nobody's phone tells it.
				expect(textOf(retried)).toContain('look there yourself, or retry later');
			} else if (times === 1)
				expect(retried.items[0].json).toMatchObject({ id, status: 'sent' });
			// No text promises that nothing is sent twice where it is.
			expect(/sent twice/.test(textOf(failed))).toBe(!sendAnyway);
		},
	);
});

describe('4: loops', () => {
	test.each(SENDING)(
		'%s: an earlier run has sent: no text says that none was',
		async (operation) => {
			const [first, second, third] = people(3);
			const options = sms(
				operation,
				[first, second],
				{},
				{ furtherRuns: [[{ to: 'nobody', text: 'A' }]] },
			);
			const failed = await runNode(options);
			expect(reached()).toEqual(to([first, second]));
			expect(textOf(failed)).not.toContain('No item has been sent');
			expect(textOf(failed)).toContain('correct the node and retry');
			const parameters = {
				...options.parameters,
				number: `={{ $json.to.replace('nobody', '${third.to}') }}`,
			};
			const retried = await retryExecution(failed, options, { parameters });
			expect(retried.error).toBeUndefined();
			expect(reached()).toEqual(to([first, second, third]));
		},
	);

	test('a headline counts the execution', async () => {
		const items = people(4);
		answer('400 code 19', { skip: 3, times: 1 });
		const options = sms('send', items.slice(0, 2), {}, { furtherRuns: [items.slice(2)] });
		const { error } = await runNode(options);
		expect(error?.message).toMatch(/^1 of 2 sent, 1 refused .*; 2 sent by earlier runs$/);
	});
});

describe('5: two messages to one phone', () => {
	const [{ to: phone }] = people(1);
	const items = ['Un', 'Deux'].map((text) => ({ to: phone, text }));
	const texts = () => sim.messages.map(({ text }) => text);

	test.each(['send', 'sendByUrl'])(
		'%s: the other one is not taken for the lost one',
		async (operation) => {
			answer(SWALLOWED, { skip: 1, times: 1 });
			const options = sms(operation, items, { resendUnknown });
			const failed = await runNode(options);
			const retried = await retryExecution(failed, options);
			expect(unknownIn(retried)).toEqual([1]);
			expect(textOf(retried)).toContain('another message of this execution');
			expect(texts()).toEqual(['Un']);
		},
	);

	test.each(['send', 'sendByUrl'])(
		'%s: the lost one is found beside the other',
		async (operation) => {
			answer(LOST, { skip: 1, times: 1 });
			const options = sms(operation, items, { resendUnknown });
			const failed = await runNode(options);
			const retried = await retryExecution(failed, options);
			expect(retried.error).toBeUndefined();
			expect(texts()).toEqual(['Un', 'Deux']);
		},
	);

	// The service tells the last message to a number, and one for later not before its date.
	test('one for later may hide the lost one: it is not sent again', async () => {
		const dates = ['', '2031-05-05T10:00:00'];
		const dated = items.map((one, at) => ({ ...one, date: dates[at] }));
		answer(LOST, { times: 1 });
		const date = '={{ $json.date }}';
		const options = sms('send', dated, { resendUnknown, date, concurrency: 2 });
		const failed = await runNode(options);
		expect(acceptedIn(failed)).toHaveLength(1);
		const retried = await retryExecution(failed, options);
		expect(unknownIn(retried)).toEqual([0]);
		expect(texts().sort()).toEqual(['Deux', 'Un']);
	});
});

describe('6: keys and limits', () => {
	test('who has it is skipped, and who is in doubt stays it, whatever the balance is', async () => {
		const items = people(10);
		answer(LOST, { skip: 9, times: 1 });
		await runNode(sms('sendBatch', items, once));
		sim.service.setCredits(5);
		const skipped = Array<string>(9).fill('skipped');
		expect(statuses(await runNode(sms('sendBatch', items, once)))).toEqual([
			...skipped,
			'unknown',
		]);
		const more = [...items, ...people(6, 100)];
		const settings = { onError: 'continueRegularOutput' } as const;
		const kept = await runNode(sms('sendBatch', more, once, { settings }));
		const notSent = Array<string>(6).fill('notSent');
		expect(statuses(kept)).toEqual([...skipped, 'unknown', ...notSent]);
		const enough = await runNode(sms('sendBatch', more.slice(0, 15), once));
		expect(statuses(enough)).toEqual([...skipped, 'unknown', ...Array<string>(5).fill('sent')]);
		expect(twice()).toEqual([]);
	});

	test.each([true, false])(
		'a duplicate of one on the STOP list is sent (looked at first: %s)',
		async (skipBlacklisted) => {
			const [first, second] = people(2);
			const family = [first, second].map((one) => ({ ...one, key: 'family' }));
			sim.stop(String(first.to));
			const settings = { onceKey: '={{ $json.key }}', skipBlacklisted };
			const result = await runNode(sms('sendBatch', family, settings));
			expect(statuses(result)).toEqual([skipBlacklisted ? 'skipped' : 'refused', 'sent']);
			expect(reached()).toEqual([second.to]);
		},
	);

	// What stops the run holds back both: neither is called done.
	test('a duplicate of one that is not sent is not sent', async () => {
		const [first, second] = people(2);
		sim.service.setCredits(1);
		const settings = { onError: 'continueRegularOutput' } as const;
		const items = [first, second, first];
		const poor = await runNode(sms('sendBatch', items, {}, { settings }));
		expect(statuses(poor)).toEqual(['notSent', 'notSent', 'notSent']);
		answer('401 code 72', { times: 1 });
		sim.service.setCredits(10);
		const stopped = await runNode(sms('sendBatch', [second, first, first], {}, { settings }));
		expect(statuses(stopped)).toEqual(['refused', 'notSent', 'notSent']);
	});
});

test('7: with a key, the advice is to run the workflow again, and nobody gets two', async () => {
	const items = people(4);
	answer('400 code 19', { skip: 1, times: 1 });
	// The first one of the two is not counted here: the third.
	answer(LOST, { skip: 1, times: 1 });
	const result = await runNode(sms('sendBatch', items, once));
	expect(statuses(result)).toEqual(['sent', 'refused', 'unknown', 'sent']);
	const texts = JSON.stringify([result.items.map(({ json }) => json), result.hints]);
	expect(texts).not.toMatch(/new workflow|On Error|pencil/i);
	expect(result.items[1].json.advice).toContain('Run the workflow again');
	const again = await runNode(sms('sendBatch', items, once));
	expect(statuses(again)).toEqual(['skipped', 'sent', 'unknown', 'skipped']);
	expect(again.items[2].json.advice).toContain('Run the workflow again in a minute');
	expect(reached().sort()).toEqual(to(items));
});

describe('8: Max Credits', () => {
	const costing = (creditsUsed: number) =>
		sim.faults.add({
			path: SEND,
			times: Infinity,
			do: { kind: 'json', body: { snapshotId: 4711, creditsUsed }, accept: true },
		});

	test.each([1, 3])('of ten parallel calls of a tool, %i are sent', async (maxCredits) => {
		const calls = people(10).map(({ to: number }): Call => ({ input: { number } }));
		await invokeTool({
			node: 'Sms',
			parameters: {
				operation: 'send',
				number: "={{ $fromAI('number', '', 'string') }}",
				message: 'Bonjour',
				safeguards: { maxCredits },
			},
			credential: { baseUrl: sim.baseUrl, apiKey: KEY },
			agent: invokesAtOnce,
			calls,
		});
		expect(sim.messages).toHaveLength(maxCredits);
		expect(calls.filter(({ error }) => error === undefined)).toHaveLength(maxCredits);
	});

	test.each<[price: number, limit: number, concurrency: number, sent: number]>([
		[1.5, 10, 10, 6],
		[3, 7, 10, 2],
		[2.5, 6, 1, 2],
		[0.5, 2, 10, 4],
	])(
		'at %f a message, limit %i, %i at once: %i are sent',
		async (price, maxCredits, concurrency, sent) => {
			costing(price);
			await runNode(
				sms('sendBatch', people(12), { maxCredits, concurrency, checkBalance: false }),
			);
			expect(sim.messages).toHaveLength(sent);
		},
	);

	test('is one sum over a retry, for what was lost as well', async () => {
		costing(2);
		answer(LOST, { skip: 0, times: 1 });
		const options = sms('send', people(8), { maxCredits: 7 });
		let result = await runNode(options);
		for (let tries = 0; tries < 3; tries++) result = await retryExecution(result, options);
		expect(sim.messages.length * 2).toBeLessThanOrEqual(8);
		expect(result.error).toBeDefined();
	});
});

test.each(['upsert', 'sync'])(
	'9: %s: the retry keeps the columns that were not mapped',
	async (operation) => {
		const list = sim.service.createList('Clients', [{ name: 'City' }, { name: 'Points' }]);
		const [city, points] = list.fields.map(({ id }) => id);
		const [{ to: number }] = people(1);
		list.addContact(String(number), { [city]: 'Paris', [points]: '12' });
		const options = of(
			'SmsContact',
			{
				operation,
				list: listOf(list.id),
				number: '={{ $json.to }}',
				attributes: { mappingMode: 'defineBelow', value: { City: 'Lyon' }, schema: [] },
			},
			people(1),
		);
		sim.faults.add({ method: 'POST', path: /contacts$/, do: { kind: 'resetBeforeRead' } });
		const failed = await runNode(options);
		expect(list.contacts.length).toBe(0);
		expect(failed.error).toBeDefined();
		const retried = await retryExecution(failed, options);
		expect(retried.error).toBeUndefined();
		expect(list.contacts.items().map(({ attributes }) => attributes)).toMatchObject([
			{ [city]: 'Lyon', [points]: '12' },
		]);
	},
);

describe('10: where n8n offers no retry, none is advised', () => {
	const RETRY = /retry this execution/i;
	test.each<[node: string, parameters: IDataObject & { operation: string }]>([
		['SmsList', { operation: 'create', name: '={{ $json.text }} {{ $json.to }}' }],
		['SmsBlacklist', { operation: 'add', number: '={{ $json.to }}' }],
		['Sms', { operation: 'send', number: '={{ $json.to }}', message: 'Bonjour' }],
		['Sms', { operation: 'sendBatch', number: '={{ $json.to }}', message: 'Bonjour' }],
	])('%s %j', async (node, parameters) => {
		sim.faults.add({ method: 'POST', do: ANSWERS[LOST].do });
		const settings = { onError: 'continueRegularOutput' } as const;
		const { items, hints } = await runNode(of(node, parameters, people(3), { settings }));
		expect(items[0].json.status).toBe('unknown');
		expect(JSON.stringify([items.map(({ json }) => json), hints])).not.toMatch(RETRY);
		sim.faults.add({ method: 'POST', do: ANSWERS[LOST].do });
		const batch = node === 'Sms' && parameters.operation === 'sendBatch';
		const failed = await runNode(of(node, parameters, people(3, 10)));
		if (batch)
			expect(
				JSON.stringify([failed.items.map(({ json }) => json), failed.hints]),
			).not.toMatch(RETRY);
		// No retry looks for a list: its advice is another.
		else if (node !== 'SmsList') expect(failed.error?.description).toMatch(RETRY);
	});
});

describe('a look-up', () => {
	// Only an answer that says so is evidence that nothing was sent.
	test.each<[what: string, fault: FaultAction]>([
		['a 404 without a word', { kind: 'status', status: 404 }],
		[
			'a 404 about the path',
			{ kind: 'json', status: 404, body: { message: 'Cannot GET path' } },
		],
		['a web page', { kind: 'html200' }],
		['a refused key', { kind: 'json', status: 401, body: { code: 72 } }],
		['a gateway without an answer', { kind: 'status', status: 504 }],
	])("that ends with %s sends nothing, with 'Send Again if Unknown', too", async (_, fault) => {
		answer(LOST, { times: 1 });
		const options = sms('send', people(1), { resendUnknown: true });
		const failed = await runNode(options);
		sim.faults.add({ path: STATUS, times: Infinity, do: fault });
		const { error } = await retryExecution(failed, options);
		expect(error?.message).toMatch(/unknown.*look-up failed/);
		expect(sim.messages).toHaveLength(1);
	});

	test('that fails tells nothing: not sent again, also with the option, and the others are', async () => {
		const items = people(3);
		answer(SWALLOWED, { times: 1 });
		const options = sms('send', items, { resendUnknown });
		const failed = await runNode(options);
		lookUps({ kind: 'html200' });
		const retried = await retryExecution(failed, options);
		expect(unknownIn(retried)).toEqual([0]);
		expect(textOf(retried)).toContain('look-up failed');
		expect(reached()).toEqual(to(items.slice(1)));
	});

	test('before the date of a message tells nothing: not sent again', async () => {
		answer(SWALLOWED, { times: 1 });
		const options = sms('send', people(1), { resendUnknown, date: '2031-05-05T10:00:00' });
		const failed = await runNode(options);
		const retried = await retryExecution(failed, options);
		expect(unknownIn(retried)).toEqual([0]);
		expect(textOf(retried)).toContain('may not show');
		expect(posts(SEND)).toBe(1);
	});

	test('of an older message to the number finds nothing', async () => {
		await runNode(sms('send', people(1)));
		sim.clock.advance(60_000);
		sim.service.settings.dateHeader = 'service';
		await new Promise((resolve) => setTimeout(resolve, 5));
		answer(SWALLOWED, { times: 1 });
		const options = sms('send', people(1), { resendUnknown });
		const failed = await runNode(options);
		const retried = await retryExecution(failed, options);
		expect(retried.error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
	});

	test.each([-3_600_000, 3_600_000])(
		"goes by the service's clock: %i ms ahead",
		async (ahead) => {
			sim.service.settings.dateHeader = 'service';
			sim.clock.advance(ahead);
			answer(LOST, { times: 1 });
			const options = sms('send', people(1), { resendUnknown });
			const failed = await runNode(options);
			const retried = await retryExecution(failed, options);
			expect(retried.error).toBeUndefined();
			expect(sim.messages).toHaveLength(1);
		},
	);

	test('comes before each message that is sent again, and once more when the service had time to show it', async () => {
		const { RETRY } = load<{ RETRY: { shownAfter: number } }>(
			'nodes/shared/run/retryPolicy.js',
		);
		RETRY.shownAfter = 400;
		answer(LOST, { times: 1 });
		const options = sms('send', people(1), { resendUnknown });
		const failed = await runNode(options);
		// At first, the service does not show it yet.
		lookUps(NOTHING, 1);
		const found = await retryExecution(failed, options);
		expect(found.error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
		sim.faults.clear();
		lookUps(NOTHING);
		expect((await retryExecution(failed, options)).error).toBeUndefined();
		const [first, ...others] = sim.requests;
		const last = others.at(-1)!;
		expect(SEND.test(last.path)).toBe(true);
		expect(STATUS.test(others.at(-2)!.path)).toBe(true);
		expect(last.receivedAt - first.receivedAt).toBeGreaterThanOrEqual(400);
		hurry();
	});

	test('goes back to the first of several tries', async () => {
		const moveOn = setClock(new Date().toISOString());
		sim.service.settings.dateHeader = 'service';
		answer(LOST, { times: 1 });
		const options = sms('send', people(1), { resendUnknown });
		const failed = await runNode(options);
		moveOn(60_000);
		sim.clock.advance(60_000);
		// At first, the service does not show it.
		lookUps(NOTHING);
		answer(SWALLOWED, { times: 1 });
		const second = await retryExecution(failed, options);
		expect(unknownIn(second)).toEqual([0]);
		sim.faults.clear();
		const { items, error } = await retryExecution(second, options);
		expect(error).toBeUndefined();
		expect(sim.messages.map(({ snapshotId }) => snapshotId)).toEqual([
			items[0].json.snapshotId,
		]);
	});

	test('a retry makes each change once', async () => {
		const items = people(5);
		answer(SWALLOWED, { times: 2 });
		const options = sms('send', items, { resendUnknown, concurrency: 2 });
		const failed = await runNode(options);
		expect(unknownIn(failed)).toEqual([0, 1]);
		answer(SWALLOWED, { times: 2 });
		const second = await retryExecution(failed, { ...options, settings: RETRY_ON_FAIL });
		expect(unknownIn(second)).toHaveLength(2);
		expect((await retryExecution(second, options)).error).toBeUndefined();
		expect(posts(SEND)).toBe(2 + 5 + 2);
		expect(reached().sort()).toEqual(to(items));
	});
});

test("'Fail if Any Is Missing': the batch does all it can, fails, and its retry sends the rest", async () => {
	const items = people(6);
	answer('401 code 72', { skip: 3, times: 1 });
	answer(LOST, { skip: 1, times: 1 });
	const options = sms('sendBatch', items, { failIfIncomplete: true });
	const failed = await runNode(options);
	expect(failed.error?.message).toMatch(/^2 of 6 sent, .*1 unknown/);
	expect(unknownIn(failed)).toEqual([1]);
	const retried = await retryExecution(failed, options);
	expect(retried.error).toBeUndefined();
	expect(statuses(retried)).toEqual(Array(6).fill('sent'));
	expect(reached().sort()).toEqual(to(items));
	// The same columns in every run, the advice last.
	const columns = (result: RunResult) => Object.keys(result.items[0].json);
	expect(columns(retried)).toEqual(columns(await runNode(sms('sendBatch', people(2, 50)))));
	expect(columns(retried).at(-1)).toBe('advice');
});

/** Calls of a tool in one execution, by an agent. */
async function callTool(
	node: string,
	parameters: IDataObject & { operation: string },
	calls: Call[],
	more: Pick<Invocation, 'agent' | 'failed' | 'executionId'> = {},
) {
	const credential = { baseUrl: sim.baseUrl, apiKey: KEY };
	return await invokeTool({ node, parameters: parameters as never, credential, calls, ...more });
}

describe('calls of a tool', () => {
	const number = "={{ $fromAI('number', '', 'string') }}";
	const calls = (...whom: IDataObject[]) =>
		whom.map(({ to: phone }): Call => ({ input: { number: phone } }));

	test.each<[skipDuplicates: boolean]>([[true], [false]])(
		'the same call several times at once is one message (Skip Duplicates: %s)',
		async (skipDuplicates) => {
			const [one] = people(1);
			const same = calls(one, one, one);
			const safeguards = { skipDuplicates };
			await callTool(
				'Sms',
				{ operation: 'send', number, message: 'Bonjour', safeguards },
				same,
				{ agent: invokesAtOnce },
			);
			expect(reached()).toEqual([one.to]);
			expect(same.filter(({ answer: told }) => told?.includes('snapshotId'))).toHaveLength(1);
		},
	);

	test.each<[how: string, agent: Agent]>([
		['one after the other', invokes],
		['at once', invokesAtOnce],
	])('the same call twice, %s: a retry sends neither again', async (_, agent) => {
		const [one] = people(1);
		const send = { operation: 'send', number, message: 'Bonjour' };
		const made = calls(one, one);
		const fails: Agent = (all) =>
			async function (this) {
				await agent(all)!.call(this);
				throw new Error('The model is overloaded');
			};
		const failed = await callTool('Sms', send, made, { agent: fails });
		// A call that comes when the first one has ended means another message.
		const sent = agent === invokes ? [one.to, one.to] : [one.to];
		expect(reached()).toEqual(sent);
		const again = calls(one, one, one);
		await callTool('Sms', send, again, { agent, failed, executionId: 'retry' });
		expect(reached()).toEqual(sent);
		for (const { answer: told } of again) expect(told).toContain('snapshotId');
	});

	test('a retry with another message at the same moment: it is not taken for the lost one', async () => {
		const [{ to: phone }] = people(1);
		const message = "={{ $fromAI('message', '', 'string') }}";
		const send = { operation: 'send', number: String(phone), message };
		const say = (text: string): Call => ({ input: { message: text } });
		const fails: Agent = (all) =>
			async function (this) {
				await invokes(all)!.call(this);
				throw new Error('The model is overloaded');
			};
		answer(SWALLOWED, { times: 1 });
		const failed = await callTool('Sms', send, [say('Un')], { agent: fails });
		// The other one is accepted meanwhile.
		lookUps({ kind: 'delay', ms: 100 });
		const again = [say('Un'), say('Deux')];
		const more = { agent: invokesAtOnce, failed, executionId: 'retry' };
		await callTool('Sms', send, again, more);
		expect(sim.messages.map(({ text }) => text)).toEqual(['Deux']);
		expect(again[0].error?.message).toContain('another message of this execution');
		expect(again[1].answer).toContain('snapshotId');
	});

	test('two that change one contact at the same moment: the second one tells what the list has', async () => {
		const list = sim.service.createList('Clients', [{ name: 'City' }]);
		const [{ id: city }] = list.fields;
		const [{ to: phone }] = people(1);
		list.addContact(String(phone), { [city]: 'Paris' });
		const City = "={{ $fromAI('city', '', 'string') }}";
		const parameters = {
			operation: 'upsert',
			list: listOf(list.id),
			number: String(phone),
			attributes: { mappingMode: 'defineBelow', value: { City }, schema: [] },
		};
		const both = ['Lyon', 'Lille'].map((name): Call => ({ input: { city: name } }));
		await callTool('SmsContact', parameters, both, { agent: invokesAtOnce });
		expect(list.contacts.items()).toMatchObject([{ attributes: { [city]: 'Lyon' } }]);
		const told = both[1].error?.message;
		expect(told).toContain('the list has it, perhaps with other values. Run this item again');
		expect(told).not.toMatch(/could not be added again|Nothing was changed|If Contact Exists/);
		await callTool('SmsContact', parameters, both.slice(1), { executionId: '2' });
		expect(list.contacts.items()).toMatchObject([{ attributes: { [city]: 'Lille' } }]);
	});

	test('a call that ends leaves what another one has kept', async () => {
		const list = sim.service.createList('Clients', [{ name: 'City' }, { name: 'Points' }]);
		const [city, points] = list.fields.map(({ id }) => id);
		const [first, second] = people(2);
		list.addContact(String(first.to), { [city]: 'Paris', [points]: '12' });
		sim.faults.add({
			method: 'POST',
			path: /contacts$/,
			times: 1,
			do: { kind: 'resetBeforeRead' },
		});
		const made = calls(first, second, first);
		await callTool(
			'SmsContact',
			{
				operation: 'upsert',
				list: listOf(list.id),
				number,
				attributes: { mappingMode: 'defineBelow', value: { City: 'Lyon' }, schema: [] },
			},
			made,
		);
		expect(made.map(({ error }) => error === undefined)).toEqual([false, true, true]);
		const back = list.contacts.items().find(({ identifier }) => identifier === first.to);
		expect(back?.attributes).toMatchObject({ [city]: 'Lyon', [points]: '12' });
	});
});

test.each(['send', 'sendBatch'])(
	'%s: a duplicate stays one, also with a corrected text',
	async (operation) => {
		const [first, second] = people(2);
		answer('401 code 72', { skip: 1, times: 1 });
		const options = sms(operation, [first, first, second], {
			skipDuplicates: true,
			...(operation === 'sendBatch' ? { failIfIncomplete: true } : {}),
		});
		const failed = await runNode(options);
		const parameters = { ...options.parameters, message: '={{ $json.text }}, corrected' };
		const retried = await retryExecution(failed, options, { parameters });
		expect(retried.error).toBeUndefined();
		expect(reached()).toEqual([first.to, second.to]);
	},
);

test('a duplicate of one that was not sent is sent by a retry that gives it a text of its own', async () => {
	const [first, second] = people(2);
	answer('401 code 72', { times: 1 });
	const items = [first, second, { ...second, corrected: 'Bonsoir' }];
	const options = sms('send', items, { skipDuplicates: true });
	const failed = await runNode(options);
	const message = '={{ $json.corrected ?? $json.text }}';
	const parameters = { ...options.parameters, message };
	expect((await retryExecution(failed, options, { parameters })).error).toBeUndefined();
	expect(sim.messages.map(({ text }) => text)).toEqual(['Bonjour', 'Bonjour', 'Bonsoir']);
});

test('a clock that was set back holds up no retry, and proves nothing', async () => {
	answer(LOST, { times: 1 });
	const options = sms('send', people(1), { resendUnknown });
	const failed = await runNode(options);
	const stored = JSON.stringify(failed.data);
	const ahead = stored.replaceAll(
		/"(at|since)":(\d+)/g,
		(_, name, time) => `"${name}":${Number(time) + 3_600_000}`,
	);
	expect(ahead).not.toBe(stored);
	Object.assign(failed.data, JSON.parse(ahead));
	const retried = await retryExecution(failed, options);
	expect(unknownIn(retried)).toEqual([0]);
	expect(textOf(retried)).toContain('the clock of n8n was set back');
	expect(sim.messages).toHaveLength(1);
}, 20_000);

test('a once key that two items share by mistake is corrected by a retry', async () => {
	const items = people(3).map((one, at) => ({ ...one, key: at < 2 ? 'same' : 'other' }));
	answer('401 code 72', { skip: 1, times: 1 });
	const onceKey = '={{ $json.key }}';
	const options = sms('sendBatch', items, { onceKey, failIfIncomplete: true });
	const failed = await runNode(options);
	const { parameters } = sms('sendBatch', items, { ...once, failIfIncomplete: true });
	const retried = await retryExecution(failed, options, { parameters });
	expect(retried.error).toBeUndefined();
	expect(reached().sort()).toEqual(to(items));
});

describe('duplicates of one that is not sent', () => {
	const same = (to: unknown, length = 20) =>
		Array.from({ length }, () => ({ to, text: 'Bonjour' }) as IDataObject);

	test('are refused as well, without a request, where it is refused for its number or text', async () => {
		const [{ to: number }, other] = people(2);
		sim.stop(String(number));
		const result = await runNode(sms('sendBatch', [other, ...same(number, 1_000)]));
		expect(statuses(result)).toEqual(['sent', ...Array<string>(1_000).fill('refused')]);
		expect(posts(SEND)).toBe(2);
		const { reason, number: named } = result.items.at(-1)!.json;
		expect([reason, named]).toEqual([result.items[1].json.reason, number]);
		expect(sim.requests.filter(({ path }) => path.includes('account/stats'))).toHaveLength(1);
	});

	test('are tried once more, together, where it was not sent for another reason', async () => {
		const [{ to: number }, other] = people(2);
		answer('503 Retry-After 0', { times: 4 });
		const result = await runNode(sms('sendBatch', [...same(number), other]));
		const rest = Array<string>(18).fill('skipped');
		expect(statuses(result)).toEqual(['notSent', 'sent', ...rest, 'sent']);
		expect(result.items[2].json.reason).toBe(
			'Same recipient and text as another item: Row 2 (item 1)',
		);
		expect(reached().sort()).toEqual(to([people(1)[0], other]).sort());
	});

	test('are few requests where nothing helps', async () => {
		const [{ to: number }, other] = people(2);
		answer('503 Retry-After 0', { skip: 1 });
		const result = await runNode(sms('sendBatch', [other, ...same(number, 100)]));
		expect(statuses(result)).toEqual(['sent', ...Array<string>(100).fill('notSent')]);
		expect(posts(SEND)).toBe(1 + 4 + 4);
	});

	test('are sent by a retry for whom it was refused, once the number can get it', async () => {
		const [{ to: number }] = people(1);
		answer('401 code 72', { times: 1 });
		const options = sms('sendBatch', same(number, 3), { failIfIncomplete: true });
		const failed = await runNode(options);
		expect(failed.error).toBeDefined();
		expect((await retryExecution(failed, options)).error).toBeUndefined();
		expect(reached()).toEqual([number]);
	});

	test('each once where they share no more than a once key', async () => {
		const items: IDataObject[] = people(4).map((one) => ({ ...one, key: 'same' }));
		for (const one of items.slice(0, 3)) sim.stop(String(one.to));
		const result = await runNode(sms('sendBatch', items, { onceKey: '={{ $json.key }}' }));
		expect(statuses(result)).toEqual(['refused', 'refused', 'refused', 'sent']);
		expect(posts(SEND)).toBe(4);
	});
});

test.each([
	['of another version', /"v":2/g, '"v":1'],
	['that is incomplete', /"executions":/g, '"other":'],
])('a record %s: nothing is sent, and no text says that none was', async (_, part, other) => {
	const items = people(3);
	answer('400 code 19', { skip: 2, times: 1 });
	const options = sms('send', items);
	const failed = await runNode(options);
	const stored = JSON.stringify(failed.data.executionData!.contextData);
	expect(stored).toMatch(part);
	failed.data.executionData!.contextData = JSON.parse(stored.replaceAll(part, other));
	const retried = await retryExecution(failed, options);
	expect(reached()).toEqual(to(items.slice(0, 2)));
	expect(textOf(retried)).toContain('another version');
	expect(textOf(retried)).not.toContain('No item has been sent');
});

test('a call of a tool that fails before its first change is not in doubt for another one', async () => {
	const list = sim.service.createList('Clients', [{ name: 'City' }]);
	const made = people(2).map(({ to: number }): Call => ({ input: { number } }));
	made[1].before = () => {
		sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status: 404 } });
	};
	await callTool(
		'SmsContact',
		{
			operation: 'upsert',
			list: listOf(list.id),
			number: "={{ $fromAI('number', '', 'string') }}",
			attributes: { mappingMode: 'defineBelow', value: { City: 'Lyon' }, schema: [] },
		},
		made,
	);
	expect(made[0].error).toBeUndefined();
	expect(made[1].error).toBeDefined();
	expect(`${made[1].error?.message} ${made[1].answer}`).not.toContain('unknown');
});
