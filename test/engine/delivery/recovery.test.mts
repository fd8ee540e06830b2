/**
 * The way out of a fault is one click or one run, and no text leads to a way that does nothing or sends twice (design,
 * guarantees 3 to 6 and 12), judged by what phones got.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { addCampaign } from '../campaign/support.mts';
import { load, retryExecution, runNode, type RunResult } from '../harness.mts';
import { ANSWERS } from './answers.mts';
import {
	answer,
	changes,
	CONTINUE,
	jsonOf,
	of,
	hideMessages,
	once,
	people,
	reached,
	RETRY_ON_FAIL,
	SEND,
	SENDING,
	sim,
	sms,
	statuses,
	textOf,
	tries,
	twice,
} from './sending.mts';
import { acceptedIn, hurry, unknownIn } from './support.mts';

const STATUS = /\/messages\/status$/;
const NOTHING: FaultAction = { kind: 'json', body: {} };
const LOST = 'reset, accepted';
const SWALLOWED = 'reset, not accepted';
const resendUnknown = true;
const to = (items: IDataObject[]) => items.map((item) => item.to);
const texts = () => sim.messages.map(({ text }) => text);
/** All that a person reads of a run. */
const toldIn = (result: RunResult) =>
	`${textOf(result)}\n${JSON.stringify([jsonOf(result), result.hints])}`;
/** Answers of the service when it is asked for a message. */
const lookUps = (action: FaultAction, times = Infinity) =>
	void sim.faults.add({ path: STATUS, times, do: action });
const sends = () => changes().filter(({ path }) => SEND.test(path)).length;

describe('what is unknown is sent again once for each retry', () => {
	test.each(['send', 'sendByUrl'])('%s: never by Retry On Fail', async (operation) => {
		const items = people(1);
		answer(SWALLOWED, { times: 1 });
		const options = sms(operation, items, { resendUnknown }, { settings: RETRY_ON_FAIL });
		const [failed, resent, found] = await tries(
			options,
			() => {
				expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(1);
				answer(LOST, { times: 1 });
			},
			{},
		);
		expect([failed, resent].map(unknownIn)).toEqual([[0], [0]]);
		expect(found.error).toBeUndefined();
		expect(reached()).toEqual(to(items));
	});

	test.each<[state: string, sendAnyway: boolean, times: number]>([
		['SENT', false, 1],
		['SENDING', false, 1],
		['CREATED', false, 2],
		['QUEUED', false, 1],
		['SENT', true, 2],
	])('a campaign that is %s, Send Without Checks %s: %i times', async (state, anyway, times) => {
		const list = sim.service.createList('Clients');
		sim.service.addContacts(list.id, 2);
		const id = addCampaign(sim, sim.service.createId(), list.id);
		sim.faults.add({ method: 'POST', do: { kind: 'resetBeforeRead' } });
		const [failed, retried] = await tries(
			of('SmsCampaign', {
				operation: 'send',
				campaign: listOf(id, 'id'),
				options: { sendAnyway: anyway },
			}),
			() => void Object.assign(sim.service.campaigns.get(id)!, { state }),
		);
		expect(unknownIn(failed)).toEqual([0]);
		expect(changes()).toHaveLength(times);
		if (state === 'QUEUED') {
			expect(textOf(retried)).toContain("doesn't tell whether it was sent");
			// Nobody's phone tells it.
			expect(textOf(retried)).toContain('look there yourself, or retry later');
		} else if (times === 1) expect(jsonOf(retried)).toMatchObject([{ id, status: 'sent' }]);
		// No text promises that nothing is sent twice where it is.
		expect(/sent twice/.test(textOf(failed))).toBe(!anyway);
	});
});

describe('loops', () => {
	test.each(SENDING)('%s: an earlier run has sent, as texts say', async (operation) => {
		const [first, second, third] = people(3);
		const furtherRuns = [[{ to: 'nobody', text: 'A' }]];
		const options = sms(operation, [first, second], {}, { furtherRuns });
		const number = `={{ $json.to.replace('nobody', '${third.to}') }}`;
		const [failed, retried] = await tries(options, {
			parameters: { ...options.parameters, number },
		});
		expect(textOf(failed)).not.toContain('No item has been sent');
		expect(textOf(failed)).toContain('correct the node and retry');
		expect(retried.error).toBeUndefined();
		expect(reached()).toEqual(to([first, second, third]));
	});

	test('a headline counts the execution', async () => {
		answer('400 code 19', { skip: 3, times: 1 });
		const furtherRuns = [people(2, 2)];
		const { error } = await runNode(sms('send', people(2), {}, { furtherRuns }));
		expect(error?.message).toMatch(/^1 of 2 sent, 1 refused .*; 2 sent by earlier runs$/);
	});
});

describe('two messages to one phone', () => {
	const items = ['Un', 'Deux'].map((text) => ({ ...people(1)[0], text }));

	test.each(['send', 'sendByUrl'])('%s: only the lost one is found', async (operation) => {
		const options = sms(operation, items, { resendUnknown });
		answer(SWALLOWED, { skip: 1, times: 1 });
		const [, retried] = await tries(options, {});
		expect(unknownIn(retried)).toEqual([1]);
		expect(textOf(retried)).toContain('another message of this execution');
		expect(texts()).toEqual(['Un']);
		sim.reset();
		answer(LOST, { skip: 1, times: 1 });
		const [, found] = await tries(options, {});
		expect(found.error).toBeUndefined();
		expect(texts()).toEqual(['Un', 'Deux']);
	});

	test('of two that are unknown, neither is taken for the one that arrived', async () => {
		answer(SWALLOWED, { times: 1 });
		answer(LOST, { times: 1 });
		const settings = { resendUnknown, failIfIncomplete: true };
		const [failed, retried] = await tries(sms('sendBatch', items, settings), {});
		expect([failed, retried].map(unknownIn)).toEqual([
			[0, 1],
			[0, 1],
		]);
		expect(texts()).toEqual(['Deux']);
	});

	// The service tells the last message to a number, and one for later not before its date.
	test('one for later may hide the lost one: it is not sent again', async () => {
		const dated = items.map((one, at) => ({ ...one, date: ['', '2031-05-05T10:00:00'][at] }));
		answer(LOST, { times: 1 });
		const settings = { resendUnknown, date: '={{ $json.date }}', concurrency: 2 };
		const [failed, retried] = await tries(sms('send', dated, settings), {});
		expect(acceptedIn(failed)).toHaveLength(1);
		expect(unknownIn(retried)).toEqual([0]);
		expect(texts().sort()).toEqual(['Deux', 'Un']);
	});
});

describe('a look-up', () => {
	const unknown = sms('send', people(1), { resendUnknown });

	// Only an answer that says so is evidence that nothing was sent.
	test.each<[what: string, fault: FaultAction]>([
		['a 404 without a word', { kind: 'status', status: 404 }],
		['a 404 about the path', { kind: 'json', status: 404, body: { message: 'Cannot GET' } }],
		['a web page', { kind: 'html200' }],
		['a refused key', { kind: 'json', status: 401, body: { code: 72 } }],
		['a gateway without an answer', { kind: 'status', status: 504 }],
	])('that ends with %s tells nothing: not sent again, and the others are', async (_, fault) => {
		answer(SWALLOWED, { times: 1 });
		const options = sms('send', people(3), { resendUnknown });
		const [, retried] = await tries(options, () => lookUps(fault));
		expect(unknownIn(retried)).toEqual([0]);
		expect(textOf(retried)).toContain('look-up failed');
		expect(reached()).toEqual(to(people(2, 1)));
	});

	test('before the date of a message tells nothing: not sent again', async () => {
		answer(SWALLOWED, { times: 1 });
		const settings = { resendUnknown, date: '2031-05-05T10:00:00' };
		const [, retried] = await tries(sms('send', people(1), settings), {});
		expect(unknownIn(retried)).toEqual([0]);
		expect(textOf(retried)).toContain('may not show');
		expect(sends()).toBe(1);
	});

	test('of an older message to the number finds nothing', async () => {
		await runNode(sms('send', people(1)));
		sim.clock.advance(60_000);
		sim.service.settings.dateHeader = 'service';
		await new Promise((resolve) => setTimeout(resolve, 5));
		answer(SWALLOWED, { times: 1 });
		const [, retried] = await tries(unknown, {});
		expect(retried.error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
	});

	test.each([-3_600_000, 3_600_000])("goes by the service's clock: %i ms", async (ahead) => {
		sim.service.settings.dateHeader = 'service';
		sim.clock.advance(ahead);
		answer(LOST, { times: 1 });
		const [, retried] = await tries(unknown, {});
		expect(retried.error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
	});

	test('comes before each message that is sent again, and once more when the service had time to show it', async () => {
		const { RETRY } = load<{ RETRY: { shownAfter: number } }>(
			'nodes/shared/run/retryPolicy.js',
		);
		RETRY.shownAfter = 400;
		answer(LOST, { times: 1 });
		// At first, the service does not show it yet.
		const [failed, found] = await tries(unknown, () => lookUps(NOTHING, 1));
		expect(found.error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
		lookUps(NOTHING);
		expect((await retryExecution(failed, unknown)).error).toBeUndefined();
		const [looked, sent] = sim.requests.slice(-2);
		expect(SEND.test(sent.path) && STATUS.test(looked.path)).toBe(true);
		// When the first one left: on a busy machine, it arrived later.
		const stored = JSON.stringify(failed.data.executionData!.contextData);
		const left = Number(/"at":(\d+)/.exec(stored)![1]);
		expect(sent.receivedAt - left).toBeGreaterThanOrEqual(400);
		hurry();
	});

	test('goes back to the first of several tries', async () => {
		const moveOn = setClock(new Date().toISOString());
		sim.service.settings.dateHeader = 'service';
		answer(LOST, { times: 1 });
		const [, second, found] = await tries(
			unknown,
			() => {
				moveOn(60_000);
				sim.clock.advance(60_000);
				// At first, the service does not show it.
				lookUps(NOTHING);
				answer(SWALLOWED, { times: 1 });
			},
			() => sim.faults.clear(),
		);
		expect(unknownIn(second)).toEqual([0]);
		expect(found.error).toBeUndefined();
		expect(jsonOf(found)).toMatchObject([{ snapshotId: sim.messages[0].snapshotId }]);
		expect(sim.messages).toHaveLength(1);
	});

	test('gives the service time to show the last of several tries', async () => {
		const { RETRY } = load<{ RETRY: { shownAfter: number } }>(
			'nodes/shared/run/retryPolicy.js',
		);
		RETRY.shownAfter = 600;
		answer(SWALLOWED, { times: 1 });
		const [, second, found] = await tries(
			unknown,
			// It is sent again, when the first try is that long ago.
			() => answer(LOST, { times: 1 }),
			// At first, the service does not show it, in either form of the number.
			() => lookUps(NOTHING, 2),
		);
		expect(unknownIn(second)).toEqual([0]);
		expect(found.error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
		hurry();
	});

	test('proves nothing where the clock was set back, and holds up no retry', async () => {
		answer(LOST, { times: 1 });
		const failed = await runNode(unknown);
		const stored = JSON.stringify(failed.data);
		const ahead = stored.replaceAll(
			/"(at|since)":(\d+)/g,
			(_, name, time) => `"${name}":${Number(time) + 3_600_000}`,
		);
		expect(ahead).not.toBe(stored);
		Object.assign(failed.data, JSON.parse(ahead));
		const retried = await retryExecution(failed, unknown);
		expect(unknownIn(retried)).toEqual([0]);
		expect(textOf(retried)).toContain('the clock of n8n was set back');
		expect(sim.messages).toHaveLength(1);
	}, 20_000);
});

describe('once keys', () => {
	test('who has it is skipped, and who is in doubt stays it, whatever the balance is', async () => {
		const items = people(10);
		const batch = async (rows: IDataObject[], more = {}) =>
			statuses(await runNode(sms('sendBatch', rows, once, more)));
		answer(LOST, { skip: 9, times: 1 });
		hideMessages();
		await batch(items);
		sim.service.setCredits(5);
		const known = [...Array<string>(9).fill('skipped'), 'unknown'];
		expect(await batch(items)).toEqual(known);
		const more = [...items, ...people(6, 100)];
		const kept = await batch(more, { settings: CONTINUE });
		expect(kept).toEqual([...known, ...Array<string>(6).fill('notSent')]);
		const enough = await batch(more.slice(0, 15));
		expect(enough).toEqual([...known, ...Array<string>(5).fill('sent')]);
		expect(twice()).toEqual([]);
	});

	test('the advice is to run the workflow again, and nobody gets two', async () => {
		const items = people(4);
		answer('400 code 19', { skip: 1, times: 1 });
		// The first one of the two is not counted here: the third.
		answer(LOST, { skip: 1, times: 1 });
		hideMessages();
		const result = await runNode(sms('sendBatch', items, once));
		expect(statuses(result)).toEqual(['sent', 'refused', 'unknown', 'sent']);
		expect(toldIn(result)).not.toMatch(/new workflow|On Error|pencil/i);
		expect(result.items[1].json.advice).toContain('Run the workflow again');
		const again = await runNode(sms('sendBatch', items, once));
		expect(statuses(again)).toEqual(['skipped', 'sent', 'unknown', 'skipped']);
		expect(again.items[2].json.advice).toContain('If that execution is still running');
		expect(reached().sort()).toEqual(to(items));
	});

	test('one that two items share by mistake is corrected by a retry', async () => {
		const items = people(3).map((one, at) => ({ ...one, key: at < 2 ? 'same' : 'other' }));
		answer('401 code 72', { skip: 1, times: 1 });
		const shared = { onceKey: '={{ $json.key }}', failIfIncomplete: true };
		const [, retried] = await tries(
			sms('sendBatch', items, shared),
			sms('sendBatch', items, { ...once, failIfIncomplete: true }),
		);
		expect(retried.error).toBeUndefined();
		expect(reached().sort()).toEqual(to(items));
	});
});

test("'Fail if Any Is Missing': the batch does all it can, fails, and its retry sends the rest", async () => {
	const items = people(6);
	answer('401 code 72', { skip: 3, times: 1 });
	answer(LOST, { skip: 1, times: 1 });
	const [failed, retried] = await tries(sms('sendBatch', items, { failIfIncomplete: true }), {});
	expect(failed.error?.message).toMatch(/^2 of 6 sent, .*1 unknown/);
	expect(unknownIn(failed)).toEqual([1]);
	expect(retried.error).toBeUndefined();
	expect(statuses(retried)).toEqual(Array(6).fill('sent'));
	expect(reached().sort()).toEqual(to(items));
	// The same columns in every run.
	const columns = (result: RunResult) => Object.keys(result.items[0].json);
	expect(columns(retried)).toEqual(columns(await runNode(sms('sendBatch', people(2, 50)))));
});

test.each(['upsert', 'sync'])('%s: a retry keeps other columns', async (operation) => {
	const list = sim.service.createList('Clients', [{ name: 'City' }, { name: 'Points' }]);
	const [city, points] = list.fields.map(({ id }) => id);
	list.addContact(String(people(1)[0].to), { [city]: 'Paris', [points]: '12' });
	const attributes = { mappingMode: 'defineBelow', value: { City: 'Lyon' }, schema: [] };
	const changing = {
		operation,
		list: listOf(list.id),
		number: '={{ $json.to }}',
		attributes,
	};
	sim.faults.add({ method: 'POST', path: /contacts$/, do: { kind: 'resetBeforeRead' } });
	const [failed, retried] = await tries(of('SmsContact', changing, people(1)), {});
	expect([failed.error !== undefined, retried.error]).toEqual([true, undefined]);
	expect(list.contacts.items()).toMatchObject([
		{ attributes: { [city]: 'Lyon', [points]: '12' } },
	]);
});

describe('advice', () => {
	test.each([
		['send', {}],
		['sendBatch', { failIfIncomplete: true }],
	])(
		'where a look-up found nothing, and the service refuses now: correct it first; %s',
		async (operation, more) => {
			const [one, two] = people(2);
			answer(SWALLOWED, { times: 1 });
			const options = sms(operation, [one, two], { resendUnknown, ...more });
			const [, , again] = await tries(options, () => sim.stop(String(one.to)), {});
			expect(toldIn(again)).not.toMatch(/Retry this execution/);
			expect(toldIn(again)).toContain(
				'correct what stands in its way, and retry this execution',
			);
		},
	);

	const sendTest = (more = {}) => {
		const campaign = listOf(addCampaign(sim, 'c1', sim.service.createList('C').id), 'id');
		const parameters = { operation: 'sendTest', campaign, number: '={{ $json.to }}', ...more };
		return of('SmsCampaign', parameters, people(3));
	};
	const post = (action: FaultAction) => void sim.faults.add({ method: 'POST', do: action });

	test('where one arrived and one did not: no option repeats only the latter', async () => {
		post(ANSWERS[LOST].do);
		const [, retried] = await tries(sendTest(), () => post(ANSWERS[SWALLOWED].do));
		expect(toldIn(retried)).not.toMatch(/To repeat what the service doesn't show/);
	});

	test('with Repeat if Unknown on: no text says that nothing is sent twice where it is', async () => {
		post(ANSWERS[LOST].do);
		post(ANSWERS['401 code 72'].do);
		const [failed] = await tries(sendTest({ options: { resendUnknown } }), {});
		expect(twice().length > 0 && /sent twice/.test(toldIn(failed))).toBe(false);
	});

	test('in a sub-workflow: retry its own execution, since n8n shows its error with its caller, too', async () => {
		answer('401 code 72', { skip: 1, times: 1 });
		const failed = await runNode(sms('send', people(3), {}, { mode: 'integrated' }));
		expect(textOf(failed)).toMatch(/sub-workflow/);
	});

	test('Send by URL, which has no Skip Blacklisted Numbers, says which operations have it', async () => {
		sim.stop(String(people(1)[0].to));
		expect(textOf(await runNode(sms('sendByUrl', people(1))))).toContain(
			"'Skip Blacklisted Numbers', a safeguard of Send SMS and",
		);
	});

	const list = () => {
		const { id } = sim.service.createList('C');
		sim.service.list(id).addContact('+33639980999');
		return id;
	};
	const number = '={{ $json.to }}';
	test.each<
		[
			node: string,
			parameters: () => IDataObject & { operation: string },
			found: string | undefined,
		]
	>([
		['SmsBlacklist', () => ({ operation: 'add', number }), undefined],
		['SmsContact', () => ({ operation: 'add', number, list: listOf(list(), 'id') }), undefined],
		['SmsList', () => ({ operation: 'create', name: '={{ $json.to }}' }), 'unknown'],
		[
			'SmsCampaign',
			() => ({ operation: 'send', campaign: listOf(addCampaign(sim, 'c1', list()), 'id') }),
			'sent',
		],
	])('%s: looked up, and no retry where n8n has none', async (node, parameters, found) => {
		const lost = of(node, parameters(), people(1));
		post(ANSWERS[LOST].do);
		const gone = await runNode({ ...lost, settings: CONTINUE });
		expect(statuses(gone)).toEqual([found]);
		expect(toldIn(gone)).not.toMatch(/retry this execution|Get Message Status/i);
	});
});
