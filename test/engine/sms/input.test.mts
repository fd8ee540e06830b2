/**
 * What can't be sent is refused by name before any request is made (design, guarantee 1), whatever
 * the operation.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { jsonOf, NUMBER, sendSms } from './support.mts';

const sim = await useSimulator();

/** What the input item of these tests holds. */
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

/** What an expression gives in the place of a text, by the field of the item. */
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

/** For every operation that sends. What is no number, text, sender or choice is in the unit tests of each. */
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
	['Concurrency', 'an object', option('concurrency', '={{ $json.contact }}')],
	['Requests per Second', 'negative', option('requestsPerSecond', -1)],
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

describe('a bad input stops the run, is named, and nothing is sent', () => {
	test.each(CASES)('%s: %s, %s', async (operation, field, _, parameters) => {
		const { error, items } = await sendSms(
			sim,
			{ operation, ...parameters },
			{ items: [ITEM] },
		);
		expect(sim.requests).toHaveLength(0);
		expect(items).toEqual([]);
		expect(error!.message).toContain(`'${field}'`);
		expect(error!.description, 'what to do').toMatch(/\w{3,}/);
		expect(error!.message).not.toMatch(/TypeError|cannot read|undefined is not/i);
		expect(error!.context.itemIndex).toBe(0);
	});
});

describe('a required field that was left empty', () => {
	// n8n's own check of required fields, which shows a red field in the editor.
	test.each([
		['Phone Number', { number: '' }],
		['Message', { message: '' }],
	])('%s stops the run', async (field, parameters) => {
		for (const operation of ['send', 'sendByUrl']) {
			await expect(sendSms(sim, { operation, ...parameters })).rejects.toThrowError(
				`Parameter "${field}" is required`,
			);
		}
		expect(sim.requests).toHaveLength(0);
	});
});

describe('with "Continue on fail" it becomes an error item, and the rest goes', () => {
	const onlyInTheMiddle = (bad: string, good: string) =>
		`={{ $itemIndex === 1 ? ${bad} : ${good} }}`;

	test.each<[field: string, parameters: INodeParameters]>([
		['Phone Number', { number: onlyInTheMiddle('$json.contact', `"${NUMBER}"`) }],
		['Message', { message: onlyInTheMiddle('" "', '"Bonjour"') }],
		['Message Type', { messageType: onlyInTheMiddle('"promo"', '"marketing"') }],
		['Sender', { sender: onlyInTheMiddle('$json.nothing', '"MyShop"') }],
		['Skip Duplicates', option('skipDuplicates', onlyInTheMiddle('2', 'false'))],
		['Unsupported Characters', option('unsupportedCharacters', onlyInTheMiddle('1', '"keep"'))],
		['Send At', option('date', onlyInTheMiddle('"tomorrow"', '"2030-12-24T09:30:00"'))],
		['Category', option('category', onlyInTheMiddle('$json.phones', '"orders"'))],
		['Campaign Name', option('campaignName', onlyInTheMiddle('$json.missing', '"Summer"'))],
	])('%s', async (field, parameters) => {
		const { error, items } = await sendSms(sim, parameters, {
			items: [ITEM, ITEM, ITEM],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
		expect(items[0].json).toHaveProperty('snapshotId');
		expect(items[1].json).toMatchObject({ status: 'invalid' });
		expect(items[1].json.error).toContain(`'${field}'`);
		expect(items[2].json).toHaveProperty('snapshotId');
	});
});

/** 60 recipients of whom some are wrong. */
function sixty(...wrong: number[]) {
	return Array.from({ length: 60 }, (_, index) => ({
		to: wrong.includes(index) ? `wrong ${index}` : `+3363998${1000 + index}`,
	}));
}

const textOf = (error?: { message: string; description?: string | null }) =>
	`${error?.message}\n${error?.description}`;

describe.each(['send', 'sendByUrl'])('%s: among many items', (operation) => {
	const parameters = { operation, number: '={{ $json.to }}' };

	test('the 50th of 60 is wrong: nothing is sent, and it is named', async () => {
		const { error } = await sendSms(sim, parameters, { items: sixty(49) });
		expect(sim.requests).toHaveLength(0);
		expect(error!.message).toContain('\'Phone Number\' "wrong 49" is not a phone number');
		expect(error!.context.itemIndex).toBe(49);
		expect(error!.description).toContain('No item has been sent');
	});

	test('also with Retry On Fail, whatever the number of tries', async () => {
		const { error } = await sendSms(sim, parameters, {
			items: sixty(49),
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(sim.requests).toHaveLength(0);
		expect(error!.context.itemIndex).toBe(49);
	});

	test('several are wrong: all are named', async () => {
		const { error } = await sendSms(sim, parameters, { items: sixty(7, 30, 59) });
		expect(sim.requests).toHaveLength(0);
		expect(error!.message).toBe('0 of 60 sent, 3 invalid, 57 not sent');
		// n8n would name only one of them.
		expect(error!.context.itemIndex).toBeUndefined();
		for (const item of [7, 30, 59]) {
			expect(textOf(error)).toMatch(
				new RegExp(`Row ${item + 1} \\(item ${item}\\): .*"wrong ${item}"`),
			);
		}
		expect(error!.description!.match(/Enter a single number/g)).toHaveLength(1);
		expect(error!.description).toContain('No item has been sent');
		expect(error!.description).not.toContain('more reason');
	});

	test('the text and the number of one: both are named, each with its advice', async () => {
		const { error } = await sendSms(sim, { ...parameters, message: '  ' }, { items: sixty(7) });
		expect(sim.requests).toHaveLength(0);
		expect(error!.description).toMatch(
			/Row 8 \(item 7\): 'Message' is empty, and 1 more problem\. .*Enter the text .*\. Also: 'Phone Number' "wrong 7" is not a phone number\. Enter a single number/,
		);
	});

	test('more than three are wrong: three are named, the others are counted, and all are in the details', async () => {
		const wrong = Array.from({ length: 25 }, (_, index) => index * 2);
		const { error } = await sendSms(sim, parameters, { items: sixty(...wrong) });
		expect(sim.requests).toHaveLength(0);
		expect(error!.message).toBe('0 of 60 sent, 25 invalid, 35 not sent');
		expect(textOf(error).match(/Row \d+ \(item \d+\):/g)).toEqual(
			wrong.slice(0, 3).map((item) => `Row ${item + 1} (item ${item}):`),
		);
		expect(error!.description).toContain('And 22 more reasons, in Error details.');
		const { failed } = error!.context.data as { failed: IDataObject[] };
		expect(failed).toMatchObject(
			wrong.map((item) => ({ item, reason: expect.stringContaining(`"wrong ${item}"`) })),
		);
	});

	test('each for another reason', async () => {
		const { error } = await sendSms(
			sim,
			{
				operation,
				number: '={{ $json.to }}',
				message: '={{ $json.text }}',
				sender: '={{ $json.from }}',
				options: { unsupportedCharacters: 'reject' },
			},
			{
				items: [
					{ to: NUMBER, text: 'ok', from: 'MyShop' },
					{ to: 'x', text: 'ok', from: 'MyShop' },
					{ to: NUMBER, text: 'ç', from: 'MyShop' },
					{ to: NUMBER, text: 'ok', from: 'My Shop' },
				],
			},
		);
		expect(sim.requests).toHaveLength(0);
		expect(error!.message).toBe(`0 of 4 sent, 3 invalid (${NUMBER}, ${NUMBER}), 1 not sent`);
		expect(error!.description).toMatch(
			/Row 2 \(item 1\): 'Phone Number'.* \+33\d+: 'Message'.* \+33\d+: 'Sender'/,
		);
	});

	test('"Continue on fail": the wrong ones become error items, the rest goes', async () => {
		const { error, items } = await sendSms(sim, parameters, {
			items: sixty(0, 17, 59),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(57);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, item) => ({ item })),
		);
		const wrong = items.flatMap(({ json }, index) => (json.error ? [index] : []));
		expect(wrong).toEqual([0, 17, 59]);
		expect(items[17].json).toEqual({
			status: 'invalid',
			error: '\'Phone Number\' "wrong 17" is not a phone number',
			number: 'wrong 17',
			message: 'Bonjour',
			advice: expect.stringContaining('+33 6 12 34 56 78'),
		});
	});

	test('the error output: the wrong ones go there, with what came in, the rest on', async () => {
		const { error, items, errorItems } = await sendSms(sim, parameters, {
			items: sixty(0, 17, 59),
			settings: { onError: 'continueErrorOutput' },
		});
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(57);
		expect(items).toHaveLength(57);
		expect(items.every(({ json }) => 'snapshotId' in json)).toBe(true);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			sixty().flatMap((_, item) => ([0, 17, 59].includes(item) ? [] : [{ item }])),
		);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 17, 59].map((item) => ({ item })),
		);
		expect(jsonOf(errorItems)).toEqual(
			[0, 17, 59].map((item) => ({
				to: `wrong ${item}`,
				status: 'invalid',
				number: `wrong ${item}`,
				message: 'Bonjour',
				error: `'Phone Number' "wrong ${item}" is not a phone number`,
				advice: expect.stringContaining('+33 6 12 34 56 78'),
			})),
		);
	});
});

describe('expressions that n8n itself can not evaluate', () => {
	test('of one item: nothing is sent for the others either', async () => {
		const { error } = await sendSms(
			sim,
			{ number: `={{ $itemIndex === 2 ? $json.to.fail() : "${NUMBER}" }}` },
			{ items: [{}, {}, { to: { fail: 1 } }, {}] },
		);
		expect(error).toBeDefined();
		expect(sim.requests).toHaveLength(0);
	});

	test('of one item, with "Continue on fail": the others go', async () => {
		const { error, items: results } = await sendSms(
			sim,
			{ number: `={{ $itemIndex === 2 ? $json.to.fail() : "${NUMBER}" }}` },
			{
				items: [{}, {}, { to: { fail: 1 } }, {}],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(3);
		expect(results).toHaveLength(4);
		expect(results[2].json).toHaveProperty('error');
	});
});
