/**
 * Messages that can't be sent are refused by name before any request is made (design, guarantee 1), whatever
 * the operation.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { offered } from '../../harness/settings.mts';
import { CONTINUE, ERROR_OUTPUT, RETRY_ON_FAIL, SENDING, sms } from '../delivery/sending.mts';
import { reached, sim } from '../delivery/service.mts';
import { jsonOf, statuses, textOf } from '../delivery/support.mts';
import { runNode } from '../harness.mts';
import { NUMBER, sendSms } from './support.mts';

/** The input item of these tests. */
const ITEM = {
	contact: { phone: NUMBER },
	phones: [NUMBER],
	nothing: null,
	yes: true,
	no: false,
	count: 12,
	empty: '',
	blank: ' \n',
};

const option = (name: string, value: unknown) =>
	({ options: { [name]: value } }) as INodeParameters;

/** A text that was cut in the middle of its last character. */
const HALF_EMOJI = '={{ "Merci 😀".slice(0, -1) }}';

type Row = [field: string, what: string, parameters: INodeParameters];

/** Values that an expression gives in the place of a text, by the field of the item. */
const NO_TEXT = {
	missing: 'undefined',
	nothing: 'null',
	contact: 'an object',
	phones: 'a list',
	yes: 'true',
};
const noText = (field: string, parametersWith: (value: string) => INodeParameters): Row[] =>
	Object.entries(NO_TEXT).map(([name, what]) => [
		field,
		`an expression: ${what}`,
		parametersWith(`={{ $json.${name} }}`),
	]);

/** For every operation that sends. Numbers, texts, senders and choices have unit tests of their own. */
const OF_EVERY_SEND: Row[] = [
	['Phone Number', 'blank', { number: '   ' }],
	['Phone Number', 'letters', { number: '06 39 98 12 3O' }],
	['Phone Number', 'a lost leading zero, as a number', { number: '={{ 142685300 }}' }],
	['Phone Number', 'an object in a text', { number: '=tel {{ $json.contact }}' }],
	...noText('Phone Number', (number) => ({ number })),
	['Message', 'blank', { message: ' \n\t' }],
	[
		'Message',
		'a refused letter',
		{ message: 'Ça va', ...option('unsupportedCharacters', 'reject') },
	],
	['Message', 'nothing left after replacing', { message: '👋👋' }],
	[
		'Message',
		'half of an emoji, to be kept',
		{ message: HALF_EMOJI, ...option('unsupportedCharacters', 'keep') },
	],
	['Message', 'longer than any SMS', { message: '={{ "1°".repeat(50000) }}' }],
	['Message', 'an expression: an empty text', { message: '={{ $json.empty }}' }],
	['Message', 'an expression: the whole item', { message: '={{ $json }}' }],
	['Message', 'an object in a text', { message: '=Hello {{ $json.contact }}' }],
	...noText('Message', (message) => ({ message })),
	['Message Type', 'an expression: another word', { messageType: '={{ "promo" }}' }],
	...noText('Message Type', (messageType) => ({ messageType })),
	['Sender', 'a space inside', { sender: 'My Shop' }],
	['Sender', 'half of an emoji', { sender: HALF_EMOJI }],
	...noText('Sender', (sender) => ({ sender })),
	['Unsupported Characters', 'another word', option('unsupportedCharacters', '={{ "drop" }}')],
	...noText('Unsupported Characters', (value) => option('unsupportedCharacters', value)),
	['Skip Duplicates', 'a word', option('skipDuplicates', '={{ "maybe" }}')],
	['Send Again if Unknown', 'an object', option('resendUnknown', '={{ $json.contact }}')],
	['Concurrency', 'a fraction', option('concurrency', 1.5)],
	...['null', 'true', '$json.contact'].map(
		(value): Row => ['Concurrency', value, option('concurrency', `={{ ${value} }}`)],
	),
	['Requests per Second', 'negative', option('requestsPerSecond', -1)],
	...['null', '""', 'true', '[]'].map(
		(value): Row => [
			'Requests per Second',
			value,
			option('requestsPerSecond', `={{ ${value} }}`),
		],
	),
];

/** For the JSON form only. */
const OF_JSON: Row[] = [
	['Send At', 'words', option('date', 'tomorrow')],
	['Send At', 'the past', option('date', '2020-01-01T09:00:00')],
	...noText('Send At', (date) => option('date', date)),
	['Category', 'half of an emoji', option('category', HALF_EMOJI)],
	...noText('Category', (category) => option('category', category)),
	['Campaign Name', 'half of an emoji', option('campaignName', HALF_EMOJI)],
	...noText('Campaign Name', (name) => option('campaignName', name)),
];

const CASES = [
	...[...OF_EVERY_SEND, ...OF_JSON].map((row) => ['send', ...row] as const),
	...OF_EVERY_SEND.map((row) => ['sendByUrl', ...row] as const),
];

test.each(CASES)('%s: %s, %s: nothing is sent', async (operation, field, _, parameters) => {
	const { error, items } = await sendSms(sim, { operation, ...parameters }, { items: [ITEM] });
	expect(sim.requests).toEqual([]);
	expect(items).toEqual([]);
	expect(error!.message).toContain(`'${field}'`);
	expect(error!.description, 'what to do').toMatch(/\w{3,}/);
	expect(error!.message).not.toMatch(/TypeError|cannot read|undefined is not/i);
	expect(error!.context.itemIndex).toBe(0);
});

// n8n's own check of required fields, which shows a red field in the editor.
test.each([
	['Phone Number', { number: '' }],
	['Message', { message: '' }],
])('%s, a required field that was left empty, stops the run', async (field, parameters) => {
	for (const operation of ['send', 'sendByUrl'])
		await expect(sendSms(sim, { operation, ...parameters })).rejects.toThrowError(
			`Parameter "${field}" is required`,
		);
	expect(sim.requests).toEqual([]);
});

describe('with On Error: Continue, the rest goes beside a bad', () => {
	const inTheMiddle = (bad: string, good: string) => `={{ $itemIndex === 1 ? ${bad} : ${good} }}`;

	test.each<[field: string, parameters: INodeParameters]>([
		['Phone Number', { number: inTheMiddle('$json.contact', `"${NUMBER}"`) }],
		['Message', { message: inTheMiddle('" "', '"Bonjour"') }],
		['Message Type', { messageType: inTheMiddle('"promo"', '"marketing"') }],
		['Sender', { sender: inTheMiddle('$json.nothing', '"MyShop"') }],
		['Skip Duplicates', option('skipDuplicates', inTheMiddle('2', 'false'))],
		['Unsupported Characters', option('unsupportedCharacters', inTheMiddle('1', '"keep"'))],
		['Send At', option('date', inTheMiddle('"tomorrow"', '"2030-12-24T09:30:00"'))],
		['Category', option('category', inTheMiddle('$json.phones', '"orders"'))],
		['Campaign Name', option('campaignName', inTheMiddle('$json.missing', '"Summer"'))],
	])('%s', async (field, parameters) => {
		const more = { items: [ITEM, ITEM, ITEM], settings: CONTINUE };
		const { error, items } = await sendSms(sim, parameters, more);
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
		expect(items.map(({ json }) => 'snapshotId' in json)).toEqual([true, false, true]);
		expect(items[1].json.status).toBe('invalid');
		expect(items[1].json.error).toContain(`'${field}'`);
	});
});

describe.each(SENDING)('%s: of 60 items', (operation) => {
	/** Those at these places have a number that is none. */
	const sixty = (wrong: number[], name = (index: number) => `wrong ${index}`) =>
		Array.from({ length: 60 }, (_, index) => ({
			to: wrong.includes(index) ? name(index) : `+3363998${1000 + index}`,
			text: 'Bonjour',
		}));
	const stop = offered('Sms', operation, { invalidItems: 'stop' });
	/** @returns the error of a run that has sent nothing */
	const refused = async (items: IDataObject[], settings: IDataObject = {}, node = {}) => {
		const options = sms(operation, items, { ...stop, ...settings }, { settings: node });
		const result = await runNode(options);
		expect(sim.requests).toEqual([]);
		return { ...result.error!, message: result.error!.message, text: textOf(result) };
	};
	const row = (item: number) => `Row ${item + 1} (item ${item}):`;

	test.each([{}, RETRY_ON_FAIL])('the 50th is wrong: it is named (%j)', async (node) => {
		const { message, context, text } = await refused(sixty([49]), {}, node);
		expect(message).toContain('\'Phone Number\' "wrong 49" is not a phone number');
		expect(context.itemIndex).toBe(49);
		expect(text).toContain('No item has been sent');
	});

	test('three are wrong: all are named, with one advice', async () => {
		const { message, context, text } = await refused(sixty([7, 30, 59]));
		expect(message).toBe('0 of 60 sent, 3 invalid, 57 not sent');
		// n8n would name only one of them.
		expect(context.itemIndex).toBeUndefined();
		for (const item of [7, 30, 59])
			expect(text).toContain(`${row(item)} 'Phone Number' "wrong ${item}"`);
		expect(text.match(/Enter a single number/g)).toHaveLength(1);
		expect(text).toContain('No item has been sent');
		expect(text).not.toContain('more reason');
	});

	test('25 are wrong: three are named, the others are counted, and all are in the details', async () => {
		const wrong = Array.from({ length: 25 }, (_, index) => index * 2);
		const { message, context, text } = await refused(sixty(wrong));
		expect(message).toBe('0 of 60 sent, 25 invalid, 35 not sent');
		expect(text.match(/Row \d+ \(item \d+\):/g)).toEqual(wrong.slice(0, 3).map(row));
		expect(text).toContain('And 22 more reasons, in Error details.');
		const { failed } = context.data as { failed: IDataObject[] };
		expect(failed).toMatchObject(
			wrong.map((item) => ({ item, reason: expect.stringContaining(`"wrong ${item}"`) })),
		);
	});

	test('15 are wrong for one reason: it is told once, with the first of them', async () => {
		const wrong = Array.from({ length: 15 }, (_, index) => 40 + index);
		const { message, description } = await refused(sixty(wrong, () => 'nobody'));
		expect(message).toMatch(
			/^Row 41 \(item 40\), Row 42 \(item 41\), Row 43 \(item 42\) and 12 more: .*"nobody"/,
		);
		expect(description).not.toContain('nobody');
	});

	test('the text and the number of one are wrong: both are named, each with its advice', async () => {
		const { text } = await refused(sixty([7]), { message: '  ' });
		expect(text).toMatch(
			/Row 8 \(item 7\): 'Message' is empty, and 1 more problem\. .*Enter the text .*\. Also: 'Phone Number' "wrong 7" is not a phone number\. Enter a single number/,
		);
	});

	test('each of four has another mistake', async () => {
		const items = [
			{ to: NUMBER, text: 'ok', from: 'MyShop' },
			{ to: 'x', text: 'ok', from: 'MyShop' },
			{ to: NUMBER, text: 'ç', from: 'MyShop' },
			{ to: NUMBER, text: 'ok', from: 'My Shop' },
		];
		const settings = { sender: '={{ $json.from }}', unsupportedCharacters: 'reject' };
		const { message, text } = await refused(items, settings);
		expect(message).toBe(
			`0 of 4 sent, 3 invalid (Row 2 (item 1), ${NUMBER}, ${NUMBER}), 1 not sent`,
		);
		expect(text).toMatch(
			/Row 2 \(item 1\): 'Phone Number'.*\s+\+33\d+: 'Message'.*\s+\+33\d+: 'Sender'/,
		);
	});

	test.each([CONTINUE, ERROR_OUTPUT])('three are wrong, with %j: the rest goes', async (node) => {
		const wrong = [0, 17, 59];
		const result = await runNode(sms(operation, sixty(wrong), {}, { settings: node }));
		expect(result.error).toBeUndefined();
		const good = sixty(wrong).flatMap(({ to }, at) => (wrong.includes(at) ? [] : [to]));
		expect(reached()).toEqual(good);
		const isApart = node === ERROR_OUTPUT;
		expect(result.items).toHaveLength(isApart ? 57 : 60);
		const shown = [...result.items, ...result.errorItems];
		const bad = shown.filter(({ json }) => json.status === 'invalid');
		expect(bad.map(({ pairedItem }) => pairedItem)).toEqual(wrong.map((item) => ({ item })));
		if (isApart) expect(result.errorItems).toEqual(bad);
		// Beside it, on the error output, are the fields of its input.
		expect(bad.map(({ json }) => json)).toMatchObject(
			wrong.map((item) => ({
				...(isApart ? { to: `wrong ${item}`, text: 'Bonjour' } : {}),
				...{ number: `wrong ${item}`, message: 'Bonjour' },
				[operation === 'sendBatch' ? 'reason' : 'error']:
					`'Phone Number' "wrong ${item}" is not a phone number`,
				advice: expect.stringContaining('+33 6 12 34 56 78'),
			})),
		);
	});
});

test.each(SENDING)(
	'%s: an expression that n8n can not evaluate is bad input',
	async (operation) => {
		const items = [{}, {}, { to: { fail: 1 } }, {}];
		const broken = [
			`={{ $itemIndex === 2 ? $json.to.fail() : "${NUMBER}" }}`,
			`={{ $itemIndex === 2 ? $('Nowhere').item.json.to : "${NUMBER}" }}`,
		];
		for (const number of broken) {
			sim.reset();
			const settings = { number, message: '=Bonjour {{ $itemIndex }}' };
			const isBatch = operation === 'sendBatch';
			if (!isBatch) {
				const { error } = await runNode(sms(operation, items, settings));
				expect(error).toBeDefined();
				expect(sim.requests).toEqual([]);
			}
			const node = isBatch ? {} : CONTINUE;
			const result = await runNode(sms(operation, items, settings, { settings: node }));
			expect(result.error).toBeUndefined();
			expect(sim.messages).toHaveLength(3);
			expect(statuses(result)).toEqual(['sent', 'sent', 'invalid', 'sent']);
			expect(jsonOf(result)[2]).toHaveProperty(isBatch ? 'reason' : 'error');
		}
	},
);
