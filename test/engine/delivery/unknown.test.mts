/** Messages that may have been sent are unknown, and stay it until a look-up tells (design, guarantee 5). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { hurry, load, retryExecution, runNode, wires } from '../harness.mts';
import type { AnswerName } from './answers.mts';
import { ERROR_OUTPUT, once, people, RETRY_ON_FAIL, SENDING, sms, tries } from './sending.mts';
import { answer, hideMessages, sim, twice } from './service.mts';
import { hintOf, statuses, textOf, unknownIn } from './support.mts';

const resendUnknown = true;

describe.each<[form: string, make: (error: Error) => unknown]>([
	['a plain error', ({ message }) => new Error(message)],
	['a plain object', ({ message }) => ({ message })],
	['a text', ({ message }) => message],
	['an error of a kind of its own', () => new TypeError('terminated')],
])("%s of n8n's HTTP client", (_, make) => {
	test.each(SENDING)(
		'%s: unknown until it is looked up, and not sent again',
		async (operation) => {
			wires.set(sim.baseUrl, async (__, send) => {
				try {
					return await send();
				} catch (error) {
					throw make(error as Error);
				}
			});
			answer('reset, accepted', { times: 1 });
			const options = sms(operation, people(3), {}, { settings: RETRY_ON_FAIL });
			const result = await runNode(options);
			if (operation === 'sendBatch')
				expect(statuses(result)).toEqual(['sent', 'sent', 'sent']);
			else {
				expect(unknownIn(result)).toEqual([0]);
				await retryExecution(result, options);
			}
			expect(twice()).toEqual([]);
			expect(sim.messages).toHaveLength(3);
		},
	);
});

test('a batch carries on where answers are lost now and then, not in a row', async () => {
	const items = people(24).map((one, at) => ({ ...one, text: at % 2 === 0 ? 'sent' : 'lost' }));
	sim.faults.add({
		match: ({ bodyText }) => bodyText.includes('lost'),
		times: Infinity,
		do: { kind: 'resetAfterAccept' },
	});
	hideMessages();
	const result = await runNode(sms('sendBatch', items, { checkBalance: false }));
	expect(statuses(result)).toEqual(
		items.map(({ text }) => (text === 'sent' ? 'sent' : 'unknown')),
	);
});

describe('a batch looks up at its end what is unknown', () => {
	const [one, two] = people(2);
	const LATE = 'the service has had no message to this number since then';
	/** The batch, with the status and the reason of its first item. */
	const batch = async (items: IDataObject[], settings: IDataObject = {}) => {
		const result = await runNode(sms('sendBatch', items, settings));
		const json: IDataObject = result.items[0].json;
		return { json, hint: hintOf(result), all: statuses(result) };
	};

	test('sent, with its receipt', async () => {
		answer('reset, accepted', { times: 1 });
		const { all, json, hint } = await batch([one, two]);
		expect(all).toEqual(['sent', 'sent']);
		expect(json.snapshotId).toBe(sim.messagesTo(String(one.to))[0].snapshotId);
		expect(hint).toBe('2 sent. At least 1 credit used.');
	});

	/** The service shows what it has accepted after 200 ms, instead of up to 30 s. */
	function showLate(): void {
		const { RETRY } = load<{ RETRY: { shownAfter: number } }>(
			'nodes/shared/run/retryPolicy.js',
		);
		RETRY.shownAfter = 400;
		const { service, clock } = sim;
		const shown = service.latestMessageTo;
		service.latestMessageTo = (number) =>
			service.messages.findLast(
				(message) => message.number === number && message.acceptedAt + 200 <= clock.now(),
			);
		onTestFinished(() => {
			service.latestMessageTo = shown;
			hurry();
		});
	}

	test('sent, where the service shows it late', async () => {
		showLate();
		answer('reset, accepted', { times: 1 });
		expect((await batch([one])).all).toEqual(['sent']);
	});

	test('so does a retry at once: it says that there is none only when it would be shown', async () => {
		showLate();
		answer('reset, accepted', { times: 1 });
		const options = sms('send', [one], {});
		const [failed, retried] = await tries(options, () => options);
		expect(unknownIn(failed)).toEqual([0]);
		expect(retried.error).toBeUndefined();
		expect(retried.items[0].json.snapshotId).toBe(sim.messagesTo(String(one.to))[0].snapshotId);
	});

	test('scheduled, where the service shows it before its time', async () => {
		const body = { id: 362999, state: 'submitted', submitted: Date.now() + 2_000 };
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'json', body } });
		answer('reset, accepted', { times: 1 });
		const { all, json } = await batch([one], { date: '2031-11-23T03:00:00' });
		expect(all).toEqual(['scheduled']);
		expect(json.scheduledFor).toMatch(/^2031-11-23T03:00/);
	});

	test('unknown, where it was not accepted, whatever came the day before: told how to go on', async () => {
		sim.clock.advance(-86_400_000);
		sim.service.accept({ kind: 'notification', number: String(one.to), text: 'Earlier' });
		sim.clock.advance(86_400_000);
		answer('reset, not accepted', { times: 1 });
		const { all, json } = await batch([one, two], { resendUnknown });
		expect(all).toEqual(['unknown', 'sent']);
		expect(json.reason).toBe(`The connection to the service broke off, and ${LATE}`);
		expect(json.advice).toMatch(/^To send it again, run the workflow with this item only\./);
		expect(sim.messagesTo(String(one.to))).toHaveLength(1);
	});

	test.each<[what: string, items: IDataObject[], settings: IDataObject, lookUp?: FaultAction]>([
		['two to one number', [one, { ...one, text: 'Bonsoir' }], {}],
		['one that is sent later', [one], { date: '2031-11-23T03:00:00' }],
		['a look-up that fails', [one], {}, { kind: 'status', status: 400 }],
	])('unknown: %s', async (_, items, settings, lookUp) => {
		if (lookUp) sim.faults.add({ path: /status$/, times: Infinity, do: lookUp });
		answer('reset, accepted', { times: items.length });
		const { all, json } = await batch(items, settings);
		expect(all).toEqual(items.map(() => 'unknown'));
		expect(json.advice).toMatch(/^Look it up with 'Get Message Status'/);
		expect(twice()).toEqual(items.length > 1 ? [one.to] : []);
	});

	test('unknown, with a key: another one is needed', async () => {
		answer('reset, not accepted', { times: 1 });
		const { all, json } = await batch([one, two], once);
		expect(all).toEqual(['unknown', 'sent']);
		expect(json.advice).toMatch(
			/^To send it again, run the workflow with this item only, with another key\./,
		);
		expect((await batch([one, two], once)).all).toEqual(['unknown', 'skipped']);
	});

	test("and so does 'Send SMS' with On Error, which n8n offers no retry for either", async () => {
		answer('reset, not accepted', { times: 1 });
		answer('reset, accepted', { times: 1 });
		const options = sms('send', [one, two], { concurrency: 1 }, { settings: ERROR_OUTPUT });
		const { items, errorItems } = await runNode(options);
		expect(items.map(({ json }) => [json.number, json.status])).toEqual([[two.to, 'sent']]);
		expect(errorItems.map(({ json }) => [json.number, json.status])).toEqual([
			[one.to, 'unknown'],
		]);
		expect(errorItems[0].json.advice).toMatch(/^To send it again, run the workflow with this/);
		expect(twice()).toEqual([]);
	});

	test('and a run with the same key skips it', async () => {
		answer('reset, accepted', { times: 1 });
		expect((await batch([one], once)).all).toEqual(['sent']);
		expect((await batch([one], once)).all).toEqual(['skipped']);
	});

	test.each<[what: string, name: AnswerName, end: string]>([
		['lost answers', 'reset, accepted', 'unknown'],
		['what concerns all', '402 code 71', 'refused'],
	])('also where it was stopped by %s, which may have passed', async (_, name, end) => {
		answer('reset, accepted', { times: 9 });
		answer(name, { times: 1 });
		const { all } = await batch(people(12), { concurrency: 1, checkBalance: false });
		const last = end === 'unknown' ? 'sent' : end;
		expect(all).toEqual([...Array(9).fill('sent'), last, 'notSent', 'notSent']);
		expect(twice()).toEqual([]);
	});

	test('not with a key that is refused: nothing more is asked', async () => {
		answer('reset, accepted', { times: 1 });
		answer('401 code 72', { times: 1 });
		const { all } = await batch([one, two], { concurrency: 1 });
		expect(all).toEqual(['unknown', 'refused']);
	});
});

// A look at what a retry would do says nothing of what the earlier try did.
test.each<[what: string, settings: IDataObject, credential: IDataObject]>([
	['a dry run', { dryRun: true }, {}],
	['a test run', {}, { manualRuns: 'preview' }],
])('%s keeps unknown whom it would skip', async (_, trial, credential) => {
	answer('500 code 1000, accepted', { times: 1 });
	const settings = { skipBlacklisted: true, resendUnknown };
	const options = sms('send', people(1), settings);
	const shown = sms('send', people(1), { ...settings, ...trial });
	const [failed, retried] = await tries(options, () => {
		sim.service.addToBlacklist('unsubscribers', String(people(1)[0].to));
		return { ...shown, credential: { ...shown.credential, ...credential } };
	});
	expect([failed, retried].map(unknownIn)).toEqual([[0], [0]]);
	expect(statuses(retried)).toEqual([]);
	expect(sim.messages).toHaveLength(1);
});

test.each<[what: string, answer: AnswerName, lookUp: FaultAction | undefined, messages: number]>([
	['accepted: it is found', 'reset, accepted', undefined, 1],
	[
		'accepted, and not shown: it stays unknown',
		'500 code 1000, accepted',
		{ kind: 'json', body: {} },
		1,
	],
	['not accepted: it stays unknown', 'reset, not accepted', undefined, 0],
])('nothing is sent after its date; %s', async (_, name, lookUp, messages) => {
	answer(name, { times: 1 });
	const moveOn = setClock(new Date().toISOString());
	const date = new Date(Date.now() + 1_500).toISOString();
	const [failed, retried] = await tries(sms('send', people(1), { date, resendUnknown }), () => {
		// Up to a minute ago is now.
		moveOn(64_000);
		sim.clock.advance(64_000);
		if (lookUp) sim.faults.add({ path: /status$/, times: Infinity, do: lookUp });
	});
	expect(unknownIn(failed)).toEqual([0]);
	expect(sim.messages).toHaveLength(messages);
	const isFound = messages === 1 && lookUp === undefined;
	expect(unknownIn(retried)).toEqual(isFound ? [] : [0]);
	if (isFound) return expect(retried.items[0].json.snapshotId).toBeTruthy();
	expect(retried.error?.message).toContain('is in the past');
	// The option is on already.
	expect(textOf(retried)).not.toContain("turn 'Send Again if Unknown' on");
	expect(textOf(retried)).toContain('correct what stands in its way, and retry');
});

type Attempt = [operation: string, name: AnswerName, count: number, more: IDataObject];
const FAILING: AnswerName[] = ['402 code 71', '429', '503 Retry-After 0', '403 page'];
const ATTEMPTS: Attempt[] = [
	...['send', 'sendByUrl'].flatMap((operation) =>
		FAILING.map((name): Attempt => [operation, name, 1, {}]),
	),
	// The second one does not even begin.
	['send', '401 code 72', 2, { concurrency: 2 }],
	['send', '401 code 72', 2, { concurrency: 2, skipDuplicates: true }],
	['sendByUrl', '401 code 72', 2, { concurrency: 2 }],
];

describe("'Send Again if Unknown' whose attempt certainly fails leaves it unknown", () => {
	test.each(ATTEMPTS)('%s, %s for %i items, with %j', async (operation, name, count, more) => {
		answer('reset, not accepted', { times: count });
		const options = sms(operation, people(count), more);
		const results = await tries(
			options,
			() => {
				answer(name);
				return sms(operation, people(count), { ...more, resendUnknown });
			},
			() => {
				sim.faults.clear();
				return options;
			},
		);
		const all = people(count).map((__, at) => at);
		expect(results.map(unknownIn)).toEqual([all, all, all]);
		expect(sim.messages).toEqual([]);
	});

	test('sendBatch: a guard keeps it back', async () => {
		answer('reset, accepted', { times: 1 });
		hideMessages();
		await runNode(sms('sendBatch', people(1), once));
		sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
		const guarded = { ...once, resendUnknown, skipBlacklisted: true };
		await runNode(sms('sendBatch', people(1), guarded));
		sim.faults.clear();
		expect(statuses(await runNode(sms('sendBatch', people(1), once)))).toEqual(['unknown']);
		expect(sim.messages).toHaveLength(1);
	});
});
