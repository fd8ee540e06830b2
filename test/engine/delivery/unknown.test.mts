/** Messages that may have been sent are unknown, and stay it until a look-up tells (design, guarantee 5). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, wires } from '../harness.mts';
import type { AnswerName } from './answers.mts';
import {
	answer,
	once,
	people,
	RETRY_ON_FAIL,
	SENDING,
	sim,
	sms,
	statuses,
	textOf,
	tries,
	twice,
} from './sending.mts';
import { unknownIn } from './support.mts';

const resendUnknown = true;

describe.each<[form: string, make: (error: Error) => unknown]>([
	['a plain error', ({ message }) => new Error(message)],
	['a plain object', ({ message }) => ({ message })],
	['a text', ({ message }) => message],
	['an error of a kind of its own', () => new TypeError('terminated')],
])("%s of n8n's HTTP client", (_, make) => {
	test.each(SENDING)('%s: unknown, not sent again, and no stop of a batch', async (operation) => {
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
			expect(statuses(result)).toEqual(['unknown', 'sent', 'sent']);
		else {
			expect(unknownIn(result)).toEqual([0]);
			await retryExecution(result, options);
		}
		expect(twice()).toEqual([]);
		expect(sim.messages).toHaveLength(3);
	});
});

test('a batch carries on where answers are lost now and then, not in a row', async () => {
	const items = people(24).map((one, at) => ({ ...one, text: at % 2 === 0 ? 'sent' : 'lost' }));
	sim.faults.add({
		match: ({ bodyText }) => bodyText.includes('lost'),
		times: Infinity,
		do: { kind: 'resetAfterAccept' },
	});
	const result = await runNode(sms('sendBatch', items, { checkBalance: false }));
	expect(statuses(result)).toEqual(
		items.map(({ text }) => (text === 'sent' ? 'sent' : 'unknown')),
	);
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
		await runNode(sms('sendBatch', people(1), once));
		sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
		const guarded = { ...once, resendUnknown, skipBlacklisted: true };
		await runNode(sms('sendBatch', people(1), guarded));
		sim.faults.clear();
		expect(statuses(await runNode(sms('sendBatch', people(1), once)))).toEqual(['unknown']);
		expect(sim.messages).toHaveLength(1);
	});
});
