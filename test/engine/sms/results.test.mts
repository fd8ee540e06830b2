/** What a user reads of a run at a glance: its error, the line above its results, their first fields. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { runNode, type RunOptions } from '../harness.mts';
import { hurry, jsonOf, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();

const TO = ['+33639981231', '+33639981232', '+33639981233'];
const ALL = ['send', 'sendBatch'];

/** @param parameters beside a number and a text for each item */
async function run(
	operation: string,
	parameters: IDataObject = {},
	more: Partial<RunOptions> = {},
) {
	const items = TO.map((to) => ({ to }));
	const usual = { timeZone: 'Europe/Paris', ...more };
	return await runNode(smsRun(sim, items, { operation, ...parameters }, usual));
}
const hintOf = ({ hints }: Awaited<ReturnType<typeof run>>) =>
	(hints as Array<{ message: string }>).map(({ message }) => message).join('\n');

describe('a batch that sends nothing is an error', () => {
	test('a misspelt field', async () => {
		const { error, items } = await run('sendBatch', { number: '={{ $json.phone }}' });
		expect(error?.message).toMatch(/^All 3 items: 'Phone Number'/);
		expect(error?.description).toContain('No item has been sent.');
		expect(items).toEqual([]);
		expect(sim.requests).toHaveLength(0);
	});

	test('each item wrong for a reason of its own', async () => {
		const items = [{ to: '12' }, { to: 'nobody' }, { to: '12' }];
		const { error } = await run('sendBatch', {}, { items });
		expect(error?.message).toBe('0 of 3 sent, 3 invalid');
		expect(error?.description).toMatch(
			/\nRow 1 \(item 0\), Row 3 \(item 2\): .*"12".* Row 2 \(item 1\): .*"nobody".* Write it like 06 12 34 56 78 /,
		);
	});

	test('with markup in what was typed, which the editor would not show', async () => {
		const items = [{ to: '12' }, { to: '<i>Marie</i> &amp; <+33639981231>' }];
		const { error } = await run('sendBatch', {}, { items });
		expect(error?.description).toContain('&lt;i>Marie&lt;/i> &amp;amp; <+33639981231>');
	});

	test('refused and wrong ones', async () => {
		sim.stop(TO[0]);
		const items = [{ to: TO[0] }, { to: 'nobody' }];
		const { error } = await run('sendBatch', {}, { items });
		expect(error?.message).toBe('0 of 2 sent, 1 refused (+33639981231), 1 invalid');
		expect(error?.description).toMatch(/\+33639981231: .*STOP.* Row 2 \(item 1\): /);
	});

	test('no error where one was skipped', async () => {
		sim.service.addToBlacklist('unsubscribers', TO[0]);
		const { items, error } = await run(
			'sendBatch',
			{ safeguards: { skipBlacklisted: true } },
			{ items: [{ to: TO[0] }, { to: 'nobody' }] },
		);
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['skipped', 'invalid']);
	});

	test("with 'Continue on Fail', each item says why", async () => {
		const settings = { onError: 'continueErrorOutput' } as const;
		const result = await run('sendBatch', { number: '={{ $json.phone }}' }, { settings });
		expect(result.error).toBeUndefined();
		expect(result.items).toEqual([]);
		expect(jsonOf(result.errorItems).map(({ status }) => status)).toEqual(
			Array(3).fill('invalid'),
		);
	});
});

describe.each(ALL)('%s: a mistake that all items share is told once', (operation) => {
	const hours = (more: IDataObject) => ({
		allowedHours: { hours: { from: '08:00', to: '20:00', days: ['monday'], ...more } },
	});
	test.each<[what: string, said: string, parameters: IDataObject]>([
		[
			'hours',
			"'From' of 'Allowed Hours' is not a time of the day: \"25:00\"",
			{ options: hours({ from: '25:00' }) },
		],
		['days', "'Days'", { options: hours({ days: ['funday'] }) }],
		['time zone', "'Time Zone'", { options: hours({ timeZone: 'Paris' }) }],
		['sender', "'Sender'", { sender: 'ab' }],
		['date', "'Send At'", { options: { date: 'soon' } }],
		['message', "'Message'", { message: ' ' }],
	])('%s', async (_, said, parameters) => {
		const { error } = await run(operation, parameters);
		expect(error?.message).toContain(said);
		expect(error?.message).toMatch(/^All 3 items: /);
		expect(error?.description).toContain('No item has been sent.');
		expect(error?.description).not.toMatch(/Items? \d/);
		expect(error?.context.itemIndex).toBeUndefined();
		expect(sim.requests).toHaveLength(0);
	});

	test('but one that is an expression is', async () => {
		const items = [
			{ to: TO[0], from: 'ab' },
			{ to: TO[1], from: 'MyShop' },
		];
		const { error, items: results } = await run(
			operation,
			{ sender: '={{ $json.from }}' },
			{ items },
		);
		if (operation === 'send') expect(error?.message).toMatch(/^\+33639981231: 'Sender'/);
		else expect(jsonOf(results).map(({ status }) => status)).toEqual(['invalid', 'sent']);
	});
});

describe('a run that ends says how to go on', () => {
	const PAGE = expect.stringMatching(/^https:.*delivery\.md#how-to-recover$/);
	const told = async (...given: Parameters<typeof run>) => {
		const { error } = await run(...given);
		return { ...error, message: error?.message, lines: error?.description?.split('\n') };
	};

	test('with several unknown ones: counts and names, what to do, why', async () => {
		sim.faults.add({ times: 2, do: { kind: 'status', status: 500 } });
		const { message, lines, context } = await told('send', { options: { concurrency: 2 } });
		expect(message).toBe(`0 of 3 sent, 2 unknown (${TO[0]}, ${TO[1]}), 1 not sent`);
		expect(lines).toEqual([
			expect.stringMatching(
				/^Retry this execution .* looks up what is unknown and does the rest/,
			),
			`${TO[0]}, ${TO[1]}: The service gave no usable answer (HTTP 500).`,
			PAGE,
		]);
		expect(context?.itemIndex).toBeUndefined();
		expect(context?.data).toMatchObject({
			accepted: [],
			unknown: [{ subject: TO[0] }, { subject: TO[1] }],
		});
	});

	test('where another one failed first: with the reason of each', async () => {
		sim.stop(TO[0]);
		sim.faults.add({ times: 1, do: { kind: 'status', status: 500 }, skip: 1 });
		const { message, lines } = await told('send', { options: { concurrency: 3 } });
		expect(message).toMatch(/^1 of 3 sent, 1 refused \(\+336\d+\), 1 unknown \(\+336\d+\)$/);
		expect(lines).toHaveLength(3);
		expect(lines?.[1]).toMatch(/\+33639981231: .*STOP.*\+3363998123\d: .*HTTP 500/);
	});

	test('without credits in the middle: no item is at fault, and a retry does the rest', async () => {
		sim.service.setCredits(1);
		const { message, lines, context } = await told('send', { options: { concurrency: 1 } });
		expect(message).toBe(`1 of 3 sent, 1 refused (${TO[1]}), 1 not sent`);
		expect(context?.itemIndex).toBeUndefined();
		expect(lines).toEqual([
			expect.stringMatching(
				/^When the cause is solved, retry this execution .* does the rest\. Nothing is sent twice/,
			),
			expect.stringMatching(/not have enough credits\. Buy credits/),
			PAGE,
		]);
		expect(context?.data).toMatchObject({ accepted: [{ item: 0, subject: TO[0] }] });
	});

	test.each(ALL)(
		'%s, with a key that is refused: no item is at fault, nothing was sent',
		async (operation) => {
			const body = { code: 72, error: 'no' };
			sim.faults.add({ times: Infinity, do: { kind: 'json', status: 400, body } });
			const { message, lines, context } = await told(operation);
			expect(message).toMatch(/refused the API key/);
			expect(context?.itemIndex).toBeUndefined();
			expect(lines?.[0]).toContain("'API Key' of the credential");
			expect(lines?.slice(1)).toEqual([
				'No item has been sent. Run the workflow again when this is solved.',
			]);
		},
	);

	test('a refusal of one item names it', async () => {
		sim.stop(TO[1]);
		const { message, lines, context } = await told('send', { options: { concurrency: 1 } });
		expect(context?.itemIndex).toBe(1);
		expect(message).toBe(`1 of 3 sent, 1 refused (${TO[1]}), 1 not sent`);
		expect(lines?.[0]).toMatch(/^Retry this execution/);
		expect(lines?.[1]).toContain(`${TO[1]}: The recipient has unsubscribed (STOP).`);
	});

	test('advice that a correction needs stands before a retry, also of something unknown', async () => {
		sim.faults.add({ do: { kind: 'redirect', status: 302, location: 'https://example.com' } });
		const { message, lines } = await told('send', {}, { items: [{ to: TO[0] }] });
		expect(message).toMatch(/^It is unknown whether this was sent \(\+33639981231\): /);
		expect(lines?.[0]).toContain("'Base URL'");
		expect(lines?.[1]).toMatch(/^When the cause is solved, retry this execution/);
	});
});

describe.each(ALL)('%s: scheduled is not sent', (operation) => {
	const at = (date: string) => ({ options: { date } });

	test('one date', async () => {
		const result = await run(operation, at('2031-11-23T03:00:00'));
		expect(hintOf(result)).toContain('3 scheduled for 23 Nov 2031, 03:00.');
		expect(hintOf(result)).not.toMatch(/\d sent/);
		for (const json of jsonOf(result.items)) {
			expect(json).toMatchObject({
				status: 'scheduled',
				scheduledFor: '2031-11-23T03:00:00.000+01:00',
			});
		}
	});

	test('several dates, and some at once', async () => {
		const dates = ['2031-11-24T03:00', '2031-11-23T03:00', ''];
		const items = TO.map((to, index) => ({ to, date: dates[index] }));
		const result = await run(operation, at('={{ $json.date }}'), { items });
		expect(hintOf(result)).toContain('1 sent, 2 scheduled, first for 23 Nov 2031, 03:00.');
		expect(jsonOf(result.items).map(({ status }) => status)).toEqual([
			'scheduled',
			'scheduled',
			'sent',
		]);
	});

	test('of this year, without it', async () => {
		const year = new Date().getFullYear();
		const result = await run(operation, at(`${year}-12-31T23:30:00`));
		expect(hintOf(result)).toContain('3 scheduled for 31 Dec, 23:30.');
	});

	test('a dry run says the fact first', async () => {
		const safeguards = { dryRun: true };
		const dry = await run(operation, { safeguards });
		expect(hintOf(dry)).toBe('Dry run: nothing was sent. 3 would be sent. 3 segments.');
		const later = await run(operation, { safeguards, ...at('2031-11-23T03:00:00') });
		expect(hintOf(later)).toMatch(/^Dry run: nothing was sent\. /);
		expect(hintOf(later)).toContain('3 would be scheduled for 23 Nov 2031, 03:00.');
		expect(sim.messages).toHaveLength(0);
	});
});

test('Send says what became of each message, and why some were skipped', async () => {
	const items = [{ to: TO[0] }, { to: TO[0] }];
	const result = await run('send', { safeguards: { skipDuplicates: true } }, { items });
	expect(hintOf(result)).toBe(
		`1 sent, 1 skipped. ${TO[0]}: Same recipient and text as another item.`,
	);
	expect(jsonOf(result.items).map(({ status }) => status)).toEqual(['sent', 'skipped']);
});

test('each line of a hint stands on its own, as the editor shows HTML', async () => {
	const items = [{ to: TO[0] }, { to: TO[0] }, { to: TO[1] }].map((item) => ({
		...item,
		name: '<b>',
	}));
	const message = '=Hello {{ $json.name }}';
	const parameters = { message, safeguards: { skipDuplicates: true } };
	const { data } = await run('sendBatch', parameters, { items });
	const shown = JSON.stringify(data.resultData);
	expect(shown).toMatch(/2 sent, 1 skipped\. 2 credits used\.<br>/);
	expect(shown).toContain('Recipients read &lt;b&gt; (2 items) as it is');
});

test('the error of Send tells what was skipped apart from what was not sent', async () => {
	sim.stop(TO[1]);
	const items = [{ to: TO[0] }, { to: TO[0] }, { to: TO[1] }, { to: TO[2] }];
	const parameters = { safeguards: { skipDuplicates: true }, options: { concurrency: 1 } };
	const { error } = await run('send', parameters, { items });
	expect(error?.message).toBe(`1 of 4 sent, 1 refused (${TO[1]}), 1 skipped, 1 not sent`);
});

test.each(['send', 'sendBatch'])(
	'%s says once what happened to several messages',
	async (operation) => {
		sim.faults.add({ path: /send$/, times: Infinity, do: { kind: 'resetAfterAccept' } });
		const settings = { onError: 'continueRegularOutput' } as const;
		const result = await run(operation, { safeguards: {} }, { settings });
		expect(hintOf(result)).toBe(
			`3 unknown. Unknown: ${TO.join(', ')} (The connection to the service broke off).`,
		);
		expect(jsonOf(result.items)).toMatchObject(
			TO.map((number) => ({
				...{ status: 'unknown', number },
				...{
					[operation === 'send' ? 'error' : 'reason']:
						'The connection to the service broke off',
				},
				// n8n offers no retry of a run that went on.
				advice: expect.stringMatching(/^Look it up with 'Get Message Status'/),
			})),
		);
	},
);

// The verb is that of the operation.
test.each<[node: string, operation: string, verb: string, parameters: IDataObject]>([
	['SmsContact', 'add', 'added', { list: { __rl: true, mode: 'id', value: 'l1' } }],
	['SmsContact', 'delete', 'deleted', { list: { __rl: true, mode: 'id', value: 'l1' } }],
	['SmsBlacklist', 'add', 'added', {}],
	['SmsBlacklist', 'remove', 'removed', {}],
	['SmsBlacklist', 'check', 'looked up', {}],
	['SmsStats', 'messageStatus', 'looked up', { lookupBy: 'number' }],
])('%s %s: an error over several items says %s', async (node, operation, verb, parameters) => {
	const wrong = ['nobody', 'nobody', '12', TO[0]].map((to) => ({ to }));
	const { error } = await run(operation, { message: '', ...parameters }, { node, items: wrong });
	if (verb === 'looked up')
		expect(error?.message).toBe('0 of 4 looked up, 3 invalid, 1 not looked up');
	else {
		expect(error?.message).toBe(`0 of 4 ${verb}, 3 invalid, 1 not ${verb}`);
		expect(error?.description).toMatch(new RegExp(`^No item has been ${verb}\\.`));
	}
	expect(error?.description).toMatch(
		/Row 1 \(item 0\), Row 2 \(item 1\): .*"nobody".* Row 3 \(item 2\): .*"12".* Enter a single number /,
	);
	expect(`${error?.message} ${error?.description}`).not.toMatch(/\bsent\b/);
	expect(sim.requests).toHaveLength(0);
});

describe.each(ALL)('%s: a table of results', (operation) => {
	const settings = { onError: 'continueRegularOutput' } as const;

	test('has in front what people look at first, advice last, and no other empty fields', async () => {
		sim.stop(TO[1]);
		const items = [{ to: TO[0] }, { to: TO[1] }, { to: 'nobody' }, { to: TO[0] }];
		const { items: results } = await run(
			operation,
			{ safeguards: { skipDuplicates: true } },
			{ items, settings },
		);
		const statuses = jsonOf(results).map(({ status }) => status);
		expect(statuses).toEqual(['sent', 'refused', 'invalid', 'skipped']);
		const why =
			operation === 'send'
				? ['snapshotId', 'error', 'error']
				: ['reason', 'reason', 'reason'];
		expect(jsonOf(results).map((json) => Object.keys(json).slice(0, 3))).toEqual(
			[...why, 'reason'].map((third) => ['status', 'number', third]),
		);
		for (const json of jsonOf(results)) {
			expect(Object.values(json)).not.toContain(undefined);
			if (operation === 'send') expect(Object.values(json)).not.toContain(null);
			if ('advice' in json) expect(Object.keys(json).at(-1)).toBe('advice');
		}
		for (const json of operation === 'sendBatch' ? jsonOf(results) : [])
			expect(json).toMatchObject({
				snapshotId: json.status === 'sent' ? expect.any(String) : null,
				creditsUsed: json.status === 'sent' ? 1 : null,
				advice: expect.any(String),
			});
		expect(results[0].json).not.toHaveProperty('error');
	});

	test('says in a short text what was replaced', async () => {
		const { items } = await run(operation, { message: 'L’hôtel de Noël 🎄' });
		expect(items[0].json.replacements).toBe("’ → ', ô → o, ë → e, 🎄 removed");
	});

	test('has numbers in international format, also where the item is wrong', async () => {
		const items = ['06 39 98 12 31', '33639981232', 639981233].map((to, index) => ({
			to,
			text: index === 1 ? '' : 'Bonjour',
		}));
		const { items: results } = await run(
			operation,
			{ message: '={{ $json.text }}' },
			{ items, settings },
		);
		expect(jsonOf(results).map(({ number }) => number)).toEqual(TO);
		expect(jsonOf(results)[1].status).toBe('invalid');
	});
});
