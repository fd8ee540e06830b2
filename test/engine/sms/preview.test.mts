/** Preview: what would be sent, without a request (interface document section 8, GSM 03.38). */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { jsonOf, NUMBER, sendSms } from './support.mts';

const sim = await useSimulator();

async function preview(parameters: INodeParameters, items = [{}]) {
	const result = await sendSms(sim, { operation: 'preview', ...parameters }, { items });
	expect(sim.requests).toHaveLength(0);
	return result;
}

async function previewOne(parameters: INodeParameters) {
	const { items, error } = await preview(parameters);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(items[0].pairedItem).toEqual({ item: 0 });
	return items[0].json;
}

test('what a user looks for comes first', async () => {
	expect(Object.keys(await previewOne({ message: 'Bonjour' })).slice(0, 6)).toEqual([
		'accepted',
		'number',
		'segments',
		'message',
		'charactersLeft',
		'encoding',
	]);
});

test('all that it says of a text', async () => {
	expect(await previewOne({ number: NUMBER, message: 'L’été à Noël' })).toEqual({
		...{ accepted: true, number: NUMBER, message: "L'été à Noel" },
		...{ segments: 1, charactersLeft: 148, encoding: 'GSM-7', characters: 12 },
		replacements: "’ → ', ë → e",
	});
});

test('a number that is none is refused, and the text and the others are looked at all the same', async () => {
	const { items, error } = await preview({ number: '={{ $json.to }}', message: 'Bonjour' }, [
		{ to: '12345' },
		{ to: NUMBER },
	]);
	expect(error).toBeUndefined();
	expect(jsonOf(items)).toMatchObject([
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
		const { baseUrl, apiKey } = sim;
		const credential = { baseUrl, apiKey, allowedCountries };
		const parameters = { number: '={{ $json.to }}', message: 'Bonjour' };
		const more = { items: [{ to: number }], credential };
		const { items } = await sendSms(sim, { operation: 'preview', ...parameters }, more);
		const { error } = await sendSms(sim, parameters, more);
		expect(error?.message).toContain("'Allowed Countries'");
		const { message, description } = error!;
		expect(jsonOf(items)).toMatchObject([
			{ accepted: false, number, reason: `${message}. ${description}`, segments: 1 },
		]);
		expect(sim.requests).toHaveLength(0);
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
	const { hints } = await preview(
		{ message: '={{ $json.text }}' },
		texts.map((text) => ({ text })),
	);
	expect(hints).toMatchObject([{ message: expect.stringContaining(hint) }]);
});

test.each(['preview', 'send'])('%s says which number looks made up', async (operation) => {
	const parameters = { operation, number: '06 06 06 06 06', message: 'Bonjour' };
	const { hints } = await sendSms(sim, parameters);
	expect(JSON.stringify(hints)).toContain('Numbers that look made up: +33606060606');
});

test('an accepted text', async () => {
	expect(await previewOne({ message: 'Votre commande est prête.'.replace('ê', 'e') })).toEqual({
		number: NUMBER,
		message: 'Votre commande est prete.',
		accepted: true,
		encoding: 'GSM-7',
		characters: 25,
		segments: 1,
		charactersLeft: 135,
	});
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
		const { error } = await sendSms(sim, { message: `={{ ${JSON.stringify(message)} }}` });
		expect(told).toBe(`${error?.message}. ${error?.description}`);
	});

	test('that have no stand-in stay and are named', async () => {
		expect(await previewOne({ message: 'L’Ж' })).toMatchObject({
			message: "L'Ж",
			accepted: false,
			refusedCharacters: [{ character: 'Ж', codePoint: 'U+0416', position: 3 }],
			replacements: "’ → '",
		});
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

test('an empty text is previewed as not accepted', async () => {
	const { items } = await preview({ message: '={{ " " }}' });
	expect(items[0].json).toMatchObject({ accepted: false, characters: 1 });
});

describe.each(['marketing', 'notification'])('of random texts, a %s message is', (messageType) => {
	test.each(['replace', 'reject', 'keep'])('what a send makes of them: %s', async (mode) => {
		const options = { unsupportedCharacters: mode };
		const items = randomTexts(300).map((text) => ({ text }));
		const message = '={{ $json.text }}';
		const previews = jsonOf((await preview({ messageType, message, options }, items)).items);
		expect(previews).toHaveLength(items.length);
		const { items: results, error } = await sendSms(
			sim,
			{
				operation: 'sendBatch',
				messageType,
				message,
				options: { ...options, skipDuplicates: false },
			},
			{ items },
		);
		expect(error).toBeUndefined();
		const sent = new Map(sim.messages.map(({ snapshotId, text }) => [snapshotId, text]));
		const said = previews.map(({ accepted, message: text, replacements }) =>
			accepted === true ? { text, replacements } : undefined,
		);
		const done = jsonOf(results).map(({ snapshotId, replacements }) =>
			snapshotId === null ? undefined : { text: sent.get(String(snapshotId)), replacements },
		);
		expect(done).toEqual(said);
		expect(done.filter(Boolean).length).toBeGreaterThan(10);
		expect(done.filter(Boolean).length).toBeLessThan(items.length);
	});
});

/** The same at each run: letters with and without marks, signs, emoji, what only looks like a space. */
function randomTexts(count: number): string[] {
	const parts = [...'aZ09 é êÇœ€¤²½°[]{}~^|\\`\'"\n\t\r \u00a0\u200b\u0301', 'e\u0301'].concat([
		'👍',
		'👨‍👩‍👧',
		'🇫🇷',
		'Ж',
		'中',
		'₮',
		'\ud800',
		'’',
		'…',
		'10',
		'Bonjour',
	]);
	let seed = 20_261_122;
	const next = (below: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((seed / 2_147_483_648) * below);
	};
	return Array.from({ length: count }, () =>
		Array.from({ length: next(12) }, () => parts[next(parts.length)]).join(''),
	);
}
