/**
 * Preview of a campaign: who would get it, which texts, how many segments, and what is
 * wrong, without a request but GETs. Who gets nothing: 2.1; what a text may hold, and the STOP mention: 8.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { linesOf } from '../resources/support.mts';
import { creation, hurry, jsonOf, runCampaign, succeeded } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

afterEach(() => {
	const methods = new Set(sim.requests.map(({ method }) => method));
	expect([...methods].filter((method) => method !== 'GET')).toEqual([]);
});

let listId: string;
beforeEach(() => {
	listId = sim.service.createList('Clients', [{ name: 'Prenom' }, { name: 'Ville' }]).id;
});

/** Puts contacts into the list, unchecked, as the service may have stored them. */
function fill(contacts: Array<[identifier: string, attributes?: Record<string, string>]>): void {
	sim.service.addContacts(listId, contacts.length, (index) => {
		const [identifier, attributes] = contacts[index];
		return { identifier, attributes };
	});
}

const run = async (parameters: INodeParameters = {}, items: IDataObject[] = [{}]) =>
	await runCampaign(sim, creation(listId, { operation: 'preview', ...parameters }), { items });

/** The only item of a preview. */
async function preview(parameters: INodeParameters = {}): Promise<IDataObject> {
	const { items } = succeeded(await run(parameters));
	expect(items).toHaveLength(1);
	return items[0].json;
}

const CONTACTS = /^\/v2\/lists\/.*\/contacts$/;
const NONE = { invalidNumbers: 0, fixedLines: 0, unsubscribers: 0, bounces: 0, duplicates: 0 };

test('the result has seven fields and nothing else', async () => {
	fill([['+33639980001', { prenom: 'Marie' }]]);
	expect(await preview({ message: 'Bonjour ${prenom}' })).toEqual({
		...{ recipients: 1, estimatedCredits: 1, problems: [], excluded: NONE, emptyTokens: [] },
		longest: {
			...{ segments: 1, characters: 13, encoding: 'GSM-7' },
			...{ number: '+33639980001', message: 'Bonjour Marie' },
		},
		segments: { total: 1, histogram: [{ segments: 1, recipients: 1 }] },
	});
});

test('too few credits are a problem', async () => {
	fill([['+33639980001'], ['+33639980002'], ['+33639980003']]);
	sim.service.setCredits(3);
	expect((await preview()).problems).toEqual([]);
	sim.service.setCredits(2);
	const { problems } = await preview();
	expect(problems).toEqual(['The account has 2 credits: too few for the campaign.']);
});

type Contacts = Array<[identifier: string, attributes?: Record<string, string>]>;
const VALUE = { message: '${prenom}' };
const named = (...names: string[]): Contacts =>
	names.map((prenom, index) => [`063998001${index}`, { prenom }]);

test.each<[what: string, contacts: Contacts, more: INodeParameters, result: IDataObject]>([
	[
		'the numbers that forms show as examples are numbers as any others in a list',
		[['+33612345678'], ['0612345678'], ['+447400123456']],
		{},
		{ recipients: 2, excluded: { ...NONE, duplicates: 1 }, problems: [] },
	],
	[
		'a list without anybody who can get it is a problem',
		[['0145678901']],
		{},
		{
			...{ recipients: 0, estimatedCredits: 0, segments: { total: 0, histogram: [] } },
			problems: ['Nobody would get it.', '1 contact with a fixed line: +33145678901.'],
		},
	],
	['an empty list is a problem', [], {}, { recipients: 0, problems: ['The list is empty.'] }],
	// Interface document 8: "With a custom sender on a campaign, a STOP mention … is added".
	[
		'a notification with a sender gets the STOP mention, too',
		named('a'.repeat(155)),
		{ ...VALUE, campaignType: 'notification', sender: 'MyShop' },
		{ estimatedCredits: 2 },
	],
	[
		'the link to a landing page has room',
		named('a'.repeat(140)),
		{
			...{ message: '${prenom} ${rich_message}', landingPage: 'external' },
			externalUrl: 'https://www.example.com',
		},
		{
			...{ estimatedCredits: 2, emptyTokens: [], problems: [] },
			longest: { message: `${'a'.repeat(140)} \${rich_message}` },
		},
	],
	[
		'a longer text than any SMS can have is a problem',
		named('a'.repeat(39_016)),
		VALUE,
		{ problems: ['1 text longer than an SMS can ever be: +33639980010.'] },
	],
	[
		'marks that nobody sees are no loss',
		named('Marie'),
		{ message: '\ufeffBonjour\u200b ${prenom}' },
		{ problems: [] },
	],
	[
		'the error of a spreadsheet is no value',
		named('Marie', '#N/A', '#REF!'),
		{ message: 'Bonjour ${prenom}' },
		{
			problems: ['2 recipients without a value for ${prenom}: +33639980011, +33639980012.'],
		},
	],
	[
		'characters of the message that are removed are a problem',
		named(''),
		{ message: 'L’été 👋' },
		{
			longest: { message: "L'été" },
			problems: ["Characters of 'Message' are removed: 👋."],
		},
	],
	[
		'the euro sign is refused in notifications, as a value',
		named('5 €'),
		{ ...VALUE, campaignType: 'notification' },
		{ problems: [expect.stringContaining('1 recipient with characters in ${prenom} ')] },
	],
])('%s', async (_, contacts, more, result) => {
	fill(contacts);
	expect(await preview(more)).toMatchObject(result);
});

test.each([
	['reject', 'L’été', '’ at 2'],
	['keep', 'L’été', '’ at 2'],
	['replace', 'Ça Ж', 'Ж at 4'],
])('%s: refused characters of the message are a problem', async (how, message, at) => {
	fill(named(''));
	expect(await preview({ message, options: { unsupportedCharacters: how } })).toMatchObject({
		recipients: 1,
		problems: [`'Message' has characters that the service refuses: ${at}.`],
	});
});

test("'Allowed Countries' make a problem of whatever Create and Send would refuse", async () => {
	const written = [
		'+447400123456',
		'447400123456',
		'＋４４７４００１２３４５６',
		'+33639980001/+447400123456',
	];
	fill([['+33639980001'], ...written.map((number): [string] => [number])]);
	const credential = {
		...{ baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		allowedCountries: ['FR'],
	} as unknown as IDataObject;
	const problems = async (more: object) =>
		(await runCampaign(sim, creation(listId, { operation: 'preview' }), more)).items[0].json
			.problems as string[];
	const told = expect.stringMatching(/^4 contacts of countries that 'Allowed Countries'/);
	expect(await problems({ credential })).toContainEqual(told);
	expect(await problems({})).not.toContainEqual(told);
	const options = { date: '2036-01-15T10:00:00' };
	const { error } = await runCampaign(sim, creation(listId, { options }), { credential });
	expect(error?.message).toContain("doesn't allow 4 of 5 contacts");
});

test('a token that two columns can be meant by is a problem', async () => {
	sim.service.settings.fieldIds = 'opaque';
	const list = sim.service.createList('Doubles', [{ name: 'Prenom' }, { name: 'Prenom' }]);
	const [{ id }, { id: other }] = list.fields;
	listId = list.id;
	fill([['+33639980003', { [id]: 'Marie', [other]: 'Zo' }]]);
	expect(await preview(VALUE)).toMatchObject({
		longest: { message: 'Marie' },
		problems: [
			`2 columns of the list can be meant by \${prenom}: the values of 'Prenom' (${id}) are counted.`,
		],
	});
});

test.each(['__proto__', 'constructor', 'toString'])(
	'a column that is called %s has the values that it has',
	async (id) => {
		const fields = [{ id, name: id, type: 'STRING', format: '' }];
		const body = { id: listId, name: 'Clients', fields };
		sim.faults.add({ path: /^\/v2\/lists\/[^/]+$/, do: { kind: 'json', body } });
		fill([['+33639980001'], ['+33639980002', Object.fromEntries([[id, 'Marie']])]]);
		expect(await preview({ message: `Bonjour \${${id}}` })).toMatchObject({
			emptyTokens: [{ contacts: 1, examples: ['+33639980001'] }],
			longest: { message: 'Bonjour Marie' },
		});
	},
);

test.each(['{prenom}', '%prenom%', '*|PRENOM|*', '[prenom]', '#{prenom}'])(
	'a placeholder of another system is a problem: %s',
	async (placeholder) => {
		fill(named('Marie'));
		const { problems } = await preview({ message: `Bonjour ${placeholder} \${prenom}` });
		const told = `Recipients would read ${placeholder} as it is. Did you mean \${prenom}? The list has \${prenom}, \${ville}.`;
		expect(problems).toContainEqual(told);
	},
);

test('the columns of the list are named also where the message has no token', async () => {
	fill(named('Marie'));
	const { problems } = await preview({ message: 'Bonjour {name}' });
	expect(problems).toEqual([
		'Recipients would read {name} as it is. The list has ${prenom}, ${ville}.',
	]);
});

test('an expression that gave nothing is a problem', async () => {
	fill(named('Marie'));
	const { problems } = await preview({ message: '=Bonjour {{ $json.nom }} ' });
	expect(problems).toEqual([
		expect.stringMatching(/^'Message' gets no text from \{\{ \$json\.nom \}\}\./),
	]);
});

test('braces of an expression that are typed as text: the error names tokens first', async () => {
	fill(named('Marie'));
	const { error } = await run({ message: 'Bonjour {{prenom}}' });
	expect(error?.description).toMatch(
		/^To insert a value of each contact, .* \$\{first_name\}\. /,
	);
});

test('the first line above the result says how many get it, and what it costs', async () => {
	fill(named('Marie', 'a'.repeat(161)));
	const { hints } = await run(VALUE);
	expect(hints).toMatchObject([{ message: '2 recipients, at least 3 credits.', type: 'info' }]);
});

describe('several campaigns', () => {
	test('are read one after the other, and the blacklists once', async () => {
		fill([['+33639980001'], ['+33639980002', { prenom: 'a'.repeat(160) }]]);
		const other = sim.service.createList('Others').id;
		sim.service.addContacts(other, 3);
		const parameters = {
			list: { __rl: true, mode: 'id', value: '={{ $json.list }}' },
			message: '={{ $json.text }}',
		};
		const { items } = await run(parameters, [
			{ list: listId, text: 'Bonjour ${prenom}' },
			{ list: other, text: 'Bonjour' },
		]);
		expect(items.map(({ json, pairedItem }) => [json.estimatedCredits, pairedItem])).toEqual([
			[3, { item: 0 }],
			[3, { item: 1 }],
		]);
		expect(linesOf(sim)).toEqual([
			`GET /v2/lists/${listId}`,
			'GET /v2/unsubscribers/default/contacts',
			'GET /v2/bounces/default/contacts',
			'GET /v2/account/stats',
			`GET /v2/lists/${listId}/contacts`,
			`GET /v2/lists/${other}/contacts`,
		]);
	});

	test('one whose list is gone takes only itself along with "Continue on fail"', async () => {
		fill([['+33639980001']]);
		const parameters = creation('={{ $json.list }}', { operation: 'preview' });
		const items = [{ list: 'gone' }, { list: listId }];
		const stopped = await runCampaign(sim, parameters, { items });
		expect(stopped.error?.message).toContain('The contacts of the list could not be fetched');
		expect(stopped.items).toEqual([]);

		const settings = { onError: 'continueRegularOutput' as const };
		const result = await runCampaign(sim, parameters, { items, settings });
		expect(jsonOf(result.items)).toMatchObject([{ status: 'notFound' }, { recipients: 1 }]);
	});
});

test('records that could not be read are left out, and told', async () => {
	const body = [{ id: 'a', identifier: '+33639980001' }, 'x', [], { attributes: {} }];
	sim.faults.add({ path: CONTACTS, do: { kind: 'json', body } });
	const problems = ['3 records of the list could not be read.'];
	expect(await preview()).toMatchObject({ recipients: 1, problems });
});
