/** A batch as a whole: what becomes of items that can't be sent, what results keep, what the log hears. */
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import {
	deduplicationStore,
	load,
	logged,
	retryExecution,
	runNode,
	type RunOptions,
} from '../harness.mts';
import type { FaultAction } from '../../simulator/faults.mts';
import { hurry, jsonOf, NUMBER, sendSms, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const ROWS = [
	{ id: 'a', to: '+33639981231' },
	{ id: 'b', to: 'nobody' },
	{ id: 'c', to: '+33639981233' },
];

async function batch(
	options: IDataObject = {},
	more: Partial<RunOptions> = {},
	parameters: IDataObject = {},
) {
	return await sendSms(
		sim,
		{ operation: 'sendBatch', number: '={{ $json.to }}', ...parameters, options } as never,
		{ items: ROWS, ...more },
	);
}

describe('an item that cannot be sent', () => {
	test('becomes its outcome, and the others go', async () => {
		const { items, error, hints } = await batch();
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([
			{ status: 'sent', number: '+33639981231' },
			{ status: 'invalid', number: 'nobody', reason: expect.stringContaining('nobody') },
			{ status: 'sent', number: '+33639981233' },
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(sim.messages).toHaveLength(2);
		expect(hints).toMatchObject([
			{
				message: expect.stringMatching(
					/^2 sent, 1 invalid\. 2 credits used\. Row 2 \(item 1\): 'Phone Number' "nobody" .+\.$/,
				),
				type: 'warning',
			},
		]);
	});

	test('characters that were replaced are told of once, above the results', async () => {
		const rows = ['Prête, François', 'Noël et été 🎄', 'ok'].map((text, index) => ({
			to: `+3363998123${index}`,
			text,
		}));
		const told = async (options: IDataObject) => {
			const parameters = { message: '={{ $json.text }}' };
			const { hints } = await batch(options, { items: rows }, parameters);
			return JSON.stringify(hints);
		};
		const replaced =
			"Characters that the service doesn't accept were replaced in 2 messages (ê → e, ç → c, ë → e, 🎄 removed).";
		expect(await told({ dryRun: true })).toContain(replaced);
		expect(await told({})).toContain(replaced);
		expect(await told({ unsupportedCharacters: 'keep' })).not.toContain('were replaced');
		const refusal = { success: 0, code: 12, error: 'refused' };
		sim.faults.add({ path: /send$/, do: { kind: 'json', status: 400, body: refusal } });
		const sent = await told({ concurrency: 1 });
		expect(sent).toContain('were replaced in 1 message (ë → e, 🎄 removed).');
	});

	test.each<[options: IDataObject, isTold: boolean]>([
		[{ skipDuplicates: false }, true],
		[{ skipDuplicates: false, dryRun: true }, true],
		[{}, false],
		[{ skipDuplicates: false, onceKey: '={{ $itemIndex }}' }, false],
	])(
		'equal messages are told of, unless the user has said which are (%j)',
		async (options, isTold) => {
			const items = [{ to: '+33639981231' }, { to: '+33639981231' }, { to: '+33639981232' }];
			const { hints } = await batch(options, { items });
			const told = '1 item had the number and the text of an earlier one.';
			expect(JSON.stringify(hints).includes(told)).toBe(isTold);
		},
	);

	test('holds back all of them with Invalid Items: Stop', async () => {
		const { error } = await batch({ invalidItems: 'stop' });
		expect(error?.message).toContain('nobody');
		expect(error?.description).toContain('No item has been sent');
		expect(sim.requests).toHaveLength(0);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'holds back all of them with Invalid Items: Stop and On Error = %s too',
		async (onError) => {
			const { items, errorItems, error } = await batch(
				{ invalidItems: 'stop' },
				{ settings: { onError } },
			);
			expect(error).toBeUndefined();
			expect(sim.requests).toHaveLength(0);
			const results = jsonOf([...items, ...errorItems]);
			expect(results.map(({ status }) => status)).toEqual(['notSent', 'invalid', 'notSent']);
			expect(results[0]).toMatchObject({
				reason: 'Not started, because another item is invalid',
				advice: expect.stringContaining("'Invalid Items'"),
			});
		},
	);

	test('is an outcome also where n8n cannot evaluate its expression', async () => {
		const { items, error } = await batch(
			{},
			{},
			{ number: "={{ $json.id === 'b' ? $('Nowhere').item.json.to : $json.to }}" },
		);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.status)).toEqual(['sent', 'invalid', 'sent']);
	});

	test('is asked for the once key, and a batch without a store stops all the same', async () => {
		const items = ROWS.map((row, index) => ({ ...row, to: ROWS[0].to, key: index ? 'k' : '' }));
		const result = await batch({ onceKey: '={{ $json.key }}' }, { items });
		expect(result.items.map(({ json }) => json.status)).toEqual(['invalid', 'sent', 'skipped']);
		deduplicationStore.failure = new Error('database is locked');
		const { error } = await batch({ onceKey: '={{ $json.id }}' });
		deduplicationStore.failure = undefined;
		expect(error?.message).toContain('database is locked');
		expect(sim.messages).toHaveLength(1);
	});

	test.each([
		['Concurrency', { concurrency: 0 }],
		['Invalid Items', { invalidItems: 'perhaps' }],
		['Include Input Fields', { includeInputFields: 'maybe' }],
	])('is another thing than an option of the whole batch: %s', async (field, options) => {
		const { error } = await batch(options);
		expect(error?.message).toContain(`'${field}'`);
		expect(sim.requests).toHaveLength(0);
	});
});

describe('Include Input Fields', () => {
	/** Of the message that is sent. */
	const SHOWN = { message: 'Bonjour', segments: 1 };

	test('keeps the row as it is, and has each outcome beside it, in one field', async () => {
		sim.stop('+33639981233');
		const own = { status: 'new', number: 'of the CRM', advice: 1 };
		const items = ROWS.map((row) => ({ ...row, ...own }));
		const { items: results } = await batch({ includeInputFields: true }, { items });
		expect(jsonOf(results)).toEqual([
			{ ...items[0], sms: expect.objectContaining({ status: 'sent' }) },
			{ ...items[1], sms: expect.objectContaining({ status: 'invalid' }) },
			{ ...items[2], sms: expect.objectContaining({ status: 'refused' }) },
		]);
		expect(results[0].json.sms).toEqual({
			...{ status: 'sent', number: ROWS[0].to, reason: '', ...SHOWN, advice: '' },
			...{ snapshotId: sim.messages[0].snapshotId, creditsUsed: 1 },
		});
	});

	test('refuses rows that have that field: it tells of another message', async () => {
		const given = { includeInputFields: true };
		const settings = { onError: 'continueRegularOutput' } as const;
		const { items: sent } = await batch(given, { items: [{ id: 'a', to: ROWS[0].to }] });
		const { items } = await batch(given, { items: jsonOf(sent), settings });
		expect(items[0].json.sms).toMatchObject({
			status: 'invalid',
			reason: expect.stringContaining("a field 'sms'"),
			snapshotId: null,
		});
		expect(sim.messages).toHaveLength(1);
	});

	/** A field of each kind that a result of a send has, or a look-up or a test run adds. */
	const EARLIER = {
		...{
			status: 'unknown',
			reason: 'Lost',
			error: 'Lost',
			code: 12,
		},
		...{
			httpCode: 504,
			snapshotId: '7',
			creditsUsed: 2,
			scheduledFor: '2030-12-24T09:30:00.000Z',
		},
		...{
			replacements: 'ë → e',
			segments: 9,
		},
		...{
			wouldSendTo: NUMBER,
		},
	};
	const ofEarlier = (json: IDataObject) =>
		Object.entries(EARLIER)
			.filter(([name, value]) => JSON.stringify(json[name]) === JSON.stringify(value))
			.map(([name]) => name);

	test.each(['send', 'sendBatch', 'sendByUrl'])(
		'%s: nor does n8n on its error output, which it fills up with the fields of the input',
		async (operation) => {
			sim.stop(ROWS[2].to);
			const items = ROWS.map((row) => ({ ...row, ...EARLIER, number: 'of the CRM' }));
			const settings = { onError: 'continueErrorOutput', retryOnFail: true } as const;
			const { errorItems } = await batch({}, { items, settings }, { operation });
			const stored = JSON.parse(JSON.stringify(jsonOf(errorItems))) as IDataObject[];
			expect(stored.map((json) => [json.id, json.status, ofEarlier(json)])).toEqual([
				['b', 'invalid', []],
				// Its own: the service said so again.
				['c', 'refused', ['code']],
			]);
			expect(
				sim.requestsTo('POST', /send$/).length + sim.requestsTo('GET', /send$/).length,
			).toBe(2);
		},
	);

	test('keeps fields with the names of what every object has', async () => {
		const rows = [
			{ to: ROWS[0].to, toString: 'a', constructor: 'b' },
			JSON.parse(`{ "to": "${ROWS[2].to}", "__proto__": { "error": "c" } }`) as IDataObject,
		];
		const { items } = await batch({ includeInputFields: true }, { items: rows });
		const [first, second] = jsonOf(items);
		expect(Object.entries(first)).toEqual(
			expect.arrayContaining([
				['toString', 'a'],
				['constructor', 'b'],
			]),
		);
		expect(Object.entries(second)).toEqual(
			expect.arrayContaining([['__proto__', { error: 'c' }]]),
		);
		expect(second.error).toBeUndefined();
	});

	test('is off by default', async () => {
		const { items } = await batch();
		for (const { json } of items) expect(json).not.toHaveProperty('id');
	});
});

describe('Max Credits', () => {
	const five = [1, 2, 3, 4, 5].map((last) => ({ to: `+3363998123${last}` }));

	test('ends a batch that has used so much; the rest is not sent, with the reason', async () => {
		const options = { maxCredits: 2, concurrency: 1 };
		const { items, error, hints } = await batch(options, { items: five });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.status)).toEqual([
			'sent',
			'sent',
			'notSent',
			'notSent',
			'notSent',
		]);
		expect(items[4].json.reason).toBe(
			"'Max Credits' is reached: 2, of which this node has used 2 in this execution",
		);
		expect(sim.messages).toHaveLength(2);
		expect(hints).toMatchObject([
			{
				message: expect.stringMatching(
					/^2 sent, 3 not sent\. 2 credits used\. \+33639981233, \+33639981234, \+33639981235: .*'Max Credits' is reached: 2, of which this node has used 2 in this execution\.$/,
				),
			},
		]);
	});

	// Issue 49: the first item's limit held for all, without a word.
	test.each(['send', 'sendBatch'])(
		'%s: that differs between items is refused',
		async (operation) => {
			const limited = (limits: unknown[]) =>
				limits.map((limit, at) => ({ to: five[at].to, limit }) as IDataObject);
			const settings = { onError: 'continueRegularOutput' } as const;
			const options = { maxCredits: '={{ $json.limit }}', concurrency: 1 };
			for (const limits of [
				[100, 1],
				[1, 100, 1],
				[5, 5, 5.5],
			]) {
				const items = limited(limits);
				const { error, items: made } = await batch(
					options,
					{ items, settings },
					{ operation },
				);
				expect(JSON.stringify([error?.message, made])).toContain(
					"'Max Credits' differs between the items",
				);
			}
			const { error, items: made } = await batch(
				options,
				{ items: limited([5, '']) },
				{ operation },
			);
			expect(JSON.stringify([error?.message, made])).toContain("'Max Credits'");
			expect(sim.messages).toEqual([]);
			await batch(options, { items: limited([2, 2, '2']) }, { operation });
			expect(sim.messages).toHaveLength(2);
		},
	);

	test('is not passed by the segments of one message', async () => {
		const { items } = await batch(
			{ maxCredits: 2, concurrency: 1 },
			{
				items: [
					{ ...five[0], text: 'x'.repeat(400) },
					{ ...five[1], text: 'short' },
				],
			},
			{ message: '={{ $json.text }}' },
		);
		expect(items.map(({ json }) => json.status)).toEqual(['notSent', 'sent']);
	});

	test.each<[what: string, status: string, action: FaultAction]>([
		['whose answers are lost', 'unknown', { kind: 'resetAfterAccept' }],
		[
			'for which the service names no credits',
			'sent',
			{ kind: 'json', body: { snapshotId: '7' }, accept: true },
		],
	])('counts messages %s', async (_, status, action) => {
		const options = { maxCredits: 2, concurrency: 1 };
		const settings = { onError: 'continueRegularOutput' } as const;
		for (const operation of ['send', 'sendBatch']) {
			sim.reset();
			sim.faults.add({ path: /send$/, times: Infinity, do: action });
			const { items, hints } = await batch(options, { items: five, settings }, { operation });
			expect(sim.messages).toHaveLength(2);
			expect(items.map(({ json }) => json.status)).toEqual([
				...[status, status],
				...['notSent', 'notSent', 'notSent'],
			]);
			expect(JSON.stringify(hints)).not.toMatch(/credits? used/);
		}
	});

	test('counts what an earlier try has left unknown, once', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'resetBeforeRead' } });
		const parameters = { operation: 'send', number: '={{ $json.to }}' };
		const options = smsRun(sim, five, {
			...parameters,
			options: { maxCredits: 2, concurrency: 1, resendUnknown: true },
		});
		const failed = await runNode(options);
		expect(failed.error?.message).toBe(`0 of 5 sent, 1 unknown (${five[0].to}), 4 not sent`);
		const { error } = await retryExecution(failed, options);
		// What nobody finds may have cost a credit all the same.
		expect(error?.message).toBe('1 of 5 sent, 4 not sent');
		expect(error?.description).toContain("'Max Credits' is reached: 2");
		expect(sim.messages.map(({ number }) => number)).toEqual([five[0].to]);
	});

	test('says what is certain of the credits where a message is unknown', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
		const { hints } = await batch({ concurrency: 1 }, { items: five });
		expect(JSON.stringify(hints)).toContain('4 sent, 1 unknown. At least 4 credits used. ');
	});

	const retries = { retryOnFail: true, maxTries: 4, waitBetweenTries: 1 };

	test('is spent once where the input has a field error, which n8n takes for a failure', async () => {
		await batch(
			{ maxCredits: 2, concurrency: 1, includeInputFields: true },
			{ items: five.map((row) => ({ ...row, error: 'of the CRM' })), settings: retries },
		);
		expect(sim.messages).toHaveLength(2);
	});

	test.each<[what: string, fault: () => void]>([
		['which it ended', () => {}],
		[
			'which a refusal ended',
			() => {
				const body = { code: 72, error: 'Key' };
				sim.faults.add({ path: /send$/, skip: 1, do: { kind: 'json', status: 401, body } });
			},
		],
	])('counts what earlier tries of the execution have used, %s', async (_, fault) => {
		fault();
		const { error } = await batch(
			{ maxCredits: 2, concurrency: 1 },
			{ items: five, settings: retries },
			{ operation: 'send' },
		);
		expect(error?.message).toBe('2 of 5 sent, 3 not sent');
		expect(error?.description).toContain("'Max Credits' is reached: 2");
		expect(sim.messages.map(({ number }) => number)).toEqual([five[0].to, five[1].to]);
	});

	test.each([0, -1, 'much', ''])('is refused when it is %j', async (maxCredits) => {
		const { error } = await batch({ maxCredits });
		expect(error?.message).toContain("'Max Credits'");
		expect(sim.requests).toHaveLength(0);
	});
});

describe('the log', () => {
	const { PROGRESS } = load<{ PROGRESS: { interval: number } }>('nodes/shared/run/counts.js');
	const { interval } = PROGRESS;
	afterEach(() => void (PROGRESS.interval = interval));

	test('hears every ten seconds how far a batch is', async () => {
		PROGRESS.interval = 0;
		logged.length = 0;
		await batch();
		expect(logged).toEqual([
			'Under Test: 2 of 3 items done: 1 sent, 1 invalid',
			'Under Test: 3 of 3 items done: 2 sent, 1 invalid',
		]);
	});

	test('hears nothing of a short one', async () => {
		logged.length = 0;
		await batch();
		expect(logged).toEqual([]);
	});
});
