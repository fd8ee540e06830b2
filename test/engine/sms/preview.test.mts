/** Preview: what would be sent, without a request (interface document section 8, GSM 03.38). */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { succeeded } from '../harness.mts';
import { chance } from '../../harness/random.mts';
import { KEY } from '../delivery/answers.mts';
import { sim } from '../delivery/service.mts';
import { hintOf, jsonOf, textOf } from '../delivery/support.mts';
import { NUMBER, sendSms } from './support.mts';

async function preview(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const result = await sendSms(sim, { operation: 'preview', ...parameters }, { items });
	expect(sim.requests).toEqual([]);
	return result;
}

async function previewOne(parameters: INodeParameters) {
	const { items } = succeeded(await preview(parameters));
	expect(items).toMatchObject([{ pairedItem: { item: 0 } }]);
	return items[0].json;
}
/** The reason of a preview is the error of a send. */
const reasonOf = (result: Parameters<typeof textOf>[0]) => textOf(result).replace('\n', '. ');

test('all that it says of a text: what a user looks for comes first', async () => {
	const shown = await previewOne({ message: 'L’été à Noël' });
	const first = { accepted: true, number: NUMBER, segments: 1, message: "L'été à Noel" };
	const then = { charactersLeft: 148, encoding: 'GSM-7' };
	expect(shown).toEqual({ ...first, ...then, characters: 12, replacements: "’ → ', ë → e" });
	const names = Object.keys({ ...first, ...then });
	expect(Object.keys(shown).slice(0, 6)).toEqual(names);
	const plain = await previewOne({ message: 'Votre commande est prete.' });
	expect(plain).toEqual({
		...{ ...first, ...then, message: 'Votre commande est prete.' },
		...{ characters: 25, charactersLeft: 135 },
	});
});

test('a number that is none is refused, and the text and the others are looked at all the same', async () => {
	const items = [{ to: '12345' }, { to: NUMBER }];
	const result = await preview({ number: '={{ $json.to }}', message: 'Bonjour' }, items);
	expect(result.error).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([
		{
			...{ accepted: false, number: '12345', message: 'Bonjour', segments: 1 },
			reason: '\'Phone Number\' "12345" has 5 digits; a mobile number of France has 10. Write it like 06 12 34 56 78 or +33 6 12 34 56 78.',
		},
		{ accepted: true, number: NUMBER, message: 'Bonjour', segments: 1 },
	]);
});

test.each<[allowedCountries: string[], number: string]>([
	[['FR'], '+32470123456'],
	[['FR', 'BE'], '+491701234567'],
])(
	'where Allowed Countries is %j, %s is refused as a send refuses it',
	async (allowedCountries, number) => {
		const credential = { baseUrl: sim.baseUrl, apiKey: KEY, allowedCountries };
		const more = { items: [{ to: number }], credential };
		const typed = { number: '={{ $json.to }}', message: 'Bonjour' };
		const shown = await sendSms(sim, { operation: 'preview', ...typed }, more);
		const refused = await sendSms(sim, typed, more);
		expect(textOf(refused)).toContain("'Allowed Countries'");
		const reason = reasonOf(refused);
		expect(jsonOf(shown)).toMatchObject([{ accepted: false, number, reason, segments: 1 }]);
		expect(sim.requests).toEqual([]);
	},
);

test.each<[texts: string[], hint: string]>([
	[['a'], '1 message, 1 segment.'],
	[
		['prête'],
		"1 message, 1 segment. Characters that the service doesn't accept were replaced in 1 message (ê → e).",
	],
	[['a', 'a'.repeat(161), 'b'], '3 messages, 4 segments.'],
	[['a', 'Ж'], '1 message, 1 segment. 1 message would be refused.'],
	[['Ж', 'Ж'], '0 messages, 0 segments. 2 messages would be refused.'],
])('a line above the results sums up', async (texts, hint) => {
	const items = texts.map((text) => ({ text }));
	expect(hintOf(await preview({ message: '={{ $json.text }}' }, items))).toContain(hint);
});

test.each(['preview', 'send'])('%s says which number looks made up', async (operation) => {
	const result = await sendSms(sim, { operation, number: '06 06 06 06 06' });
	expect(hintOf(result)).toContain('Numbers that look made up: +33606060606. Check');
});

const REJECT = { options: { unsupportedCharacters: 'reject' } };

describe('refused characters', () => {
	test('are named with their places', async () => {
		expect(await previewOne({ message: 'Ça ’va 👨‍👩‍👧', ...REJECT })).toMatchObject({
			message: 'Ça ’va 👨‍👩‍👧',
			accepted: false,
			refusedCharacters: [
				{ character: 'Ç', codePoint: 'U+00C7', position: 1 },
				{ character: '’', codePoint: 'U+2019', position: 4 },
				{
					character: '👨‍👩‍👧',
					codePoint: 'U+1F468 U+200D U+1F469 U+200D U+1F467',
					position: 8,
				},
			],
			encoding: 'UCS-2',
		});
	});

	test.each([
		['', "'Message' is empty. Enter the text of the SMS."],
		[
			'L’Ж',
			"'Message' has characters that the service refuses in a notification message: Ж at 3.",
		],
	])('%j: the reason is that of a send', async (message, reason) => {
		const told = (await previewOne({ message: `={{ ${JSON.stringify(message)} }}` })).reason;
		expect(told).toContain(reason);
		const refused = await sendSms(sim, { message: `={{ ${JSON.stringify(message)} }}` });
		expect(told).toBe(reasonOf(refused));
	});
});

describe('the STOP mention', () => {
	const marketing = { messageType: 'marketing', sender: 'MyShop' };

	// "STOP 36XXX" of the interface document, section 8, and a space: 11 characters.
	test('is counted on a marketing message with a sender', async () => {
		const json = await previewOne({ ...marketing, message: 'a'.repeat(149) });
		expect(json).toMatchObject({ segments: 1, charactersLeft: 0, message: 'a'.repeat(149) });
		expect(json.sender).toBe('MyShop');
		expect(json.note).toMatch(/STOP 36XXX/);
		expect(await previewOne({ ...marketing, message: 'a'.repeat(150) })).toMatchObject({
			segments: 2,
			charactersLeft: 145,
		});
	});

	test.each<[what: string, parameters: INodeParameters]>([
		['a marketing message without a sender', { messageType: 'marketing' }],
		['with an empty sender', { messageType: 'marketing', sender: ' ' }],
		['a notification', { messageType: 'notification', sender: 'MyShop' }],
	])('but not on %s', async (_, parameters) => {
		const json = await previewOne({ ...parameters, message: 'a'.repeat(150) });
		expect(json).not.toHaveProperty('note');
		expect(json).toMatchObject({ segments: 1, charactersLeft: 10 });
	});

	test.each([
		['a French number', '+33639981234', 2],
		['a number of another country', '+491701234567', 1],
	])('is counted in a dry run to %s: %i', async (_, number, segments) => {
		const { items } = await sendSms(sim, {
			operation: 'sendBatch',
			...marketing,
			number,
			message: 'a'.repeat(150),
			options: { dryRun: true },
		});
		expect(items[0].json).toMatchObject({ status: 'wouldSend', segments });
	});
});

test('needs no service, and no credential that works', async () => {
	const { items, error } = await sendSms(
		{ baseUrl: 'http://127.0.0.1:1', apiKey: '' },
		{ operation: 'preview' },
	);
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ message: 'Bonjour', accepted: true });
});

describe.each(['marketing', 'notification'])('of random texts, a %s message is', (messageType) => {
	test.each(['replace', 'reject', 'keep'])('what a send makes of them: %s', async (mode) => {
		const options = { unsupportedCharacters: mode };
		const items = randomTexts(300).map((text) => ({ text }));
		const message = '={{ $json.text }}';
		const previews = jsonOf(await preview({ messageType, message, options }, items));
		expect(previews).toHaveLength(items.length);
		const sending = { operation: 'sendBatch', messageType, message };
		const more = { ...options, skipDuplicates: false };
		const result = succeeded(await sendSms(sim, { ...sending, options: more }, { items }));
		const sent = new Map(sim.messages.map(({ snapshotId, text }) => [snapshotId, text]));
		const said = previews.map(({ accepted, message: text, replacements }) =>
			accepted === true ? { text, replacements } : undefined,
		);
		const done = jsonOf(result).map(({ snapshotId, replacements }) =>
			snapshotId === null ? undefined : { text: sent.get(String(snapshotId)), replacements },
		);
		expect(done).toEqual(said);
		expect(done.filter(Boolean).length).toBeGreaterThan(10);
		expect(done.filter(Boolean).length).toBeLessThan(items.length);
	});
});

/** The same at each run: letters with and without marks, signs, emoji, what only looks like a space. */
function randomTexts(count: number): string[] {
	const parts = [
		...'aZ09 é êÇœ€¤²½°[]{}~^|\\`\'"\n\t\r \u00a0\u200b\u0301',
		...['e\u0301', '👍', '👨‍👩‍👧', '🇫🇷', 'Ж', '中', '₮', '\ud800', '’', '…', '10', 'Bonjour'],
	];
	const draw = chance(20_261_122);
	const below = (most: number) => Math.floor(draw() * most);
	return Array.from({ length: count }, () =>
		Array.from({ length: below(12) }, () => parts[below(parts.length)]).join(''),
	);
}
