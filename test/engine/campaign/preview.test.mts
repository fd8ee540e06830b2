/**
 * Preview of a campaign: who would get it, which texts, how many segments, and what is
 * wrong, without a request but GETs. Who gets nothing: 2.1; what a text may hold, and the STOP mention: 8.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { linesOf } from '../resources/support.mts';
import { creation, hurry, jsonOf, runCampaign } from './support.mts';

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
	const { items, error } = await run(parameters);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	return items[0].json;
}

/** The items of a preview, one for each contact. */
async function contacts(parameters: INodeParameters = {}): Promise<IDataObject[]> {
	const { items, error } = await run({ output: 'contacts', ...parameters });
	expect(error).toBeUndefined();
	return jsonOf(items);
}

const CONTACTS = /^\/v2\/lists\/.*\/contacts$/;
const NONE = { invalidNumbers: 0, fixedLines: 0, unsubscribers: 0, bounces: 0, duplicates: 0 };

describe('who gets it', () => {
	test('nobody who has unsubscribed or whose number bounced, in whatever format it is held', async () => {
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		sim.service.addToBlacklist('bounces', '+33639980002');
		fill([['0639980001'], ['+33639980002'], ['0639980003']]);
		expect(await preview()).toMatchObject({
			...{ recipients: 1, contacts: 3, estimatedCredits: 1 },
			excluded: { ...NONE, unsubscribers: 1, bounces: 1 },
		});
		expect(await contacts()).toEqual([
			{
				...{ status: 'skipped', number: '+33639980001' },
				contactId: expect.any(String) as unknown,
				reason: 'The recipient has unsubscribed (STOP)',
			},
			{
				...{ status: 'skipped', number: '+33639980002' },
				contactId: expect.any(String) as unknown,
				reason: "The number is on the account's bounce list",
			},
			{
				...{ status: 'wouldSend', number: '+33639980003', message: 'Bonjour' },
				contactId: expect.any(String) as unknown,
				...{ encoding: 'GSM-7', segments: 1, emptyTokens: [], refusedCharacters: [] },
			},
		]);
	});

	test('an entry that is marked as deleted does not count', async () => {
		fill([['+33639980001']]);
		const entry = { id: 'a', identifier: '+33639980001', deleted: true };
		sim.faults.add({ path: /unsubscribers/, do: { kind: 'json', body: [entry] } });
		expect(await preview()).toMatchObject({ recipients: 1, excluded: NONE });
	});

	test('one of several contacts with the same number', async () => {
		fill([['0639980001'], ['+33639980001'], ['33639980001'], ['06 39 98 00 01']]);
		expect(await preview()).toMatchObject({
			recipients: 1,
			excluded: { ...NONE, duplicates: 3 },
		});
	});

	test('no fixed line, and nothing that is no phone number', async () => {
		fill([['0145678901'], ['+33987654321'], ['12'], ['Marie'], ['+447700900123']]);
		const json = await preview();
		expect(json).toMatchObject({
			recipients: 1,
			excluded: { ...NONE, fixedLines: 2, invalidNumbers: 2 },
		});
		expect(json.problems).toEqual([
			'2 contacts without a phone number that can be texted: 12, Marie.',
			'2 contacts with a fixed line: +33145678901, +33987654321.',
		]);
	});

	test('a contact without a number is none', async () => {
		const body = [{ id: 'a' }, { id: 'b', identifier: '+33639980001' }];
		sim.faults.add({ path: /lists/, do: { kind: 'json', body } });
		expect(await preview()).toMatchObject({
			recipients: 1,
			excluded: { ...NONE, invalidNumbers: 1 },
		});
	});

	test('each contact is counted once, by what comes first', async () => {
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		sim.service.addToBlacklist('bounces', '+33639980001');
		sim.service.addToBlacklist('bounces', '+33145678901');
		fill([['0639980001'], ['+33639980001'], ['0145678901']]);
		expect(await preview()).toMatchObject({
			...{ recipients: 0, contacts: 3, estimatedCredits: 0 },
			excluded: { ...NONE, unsubscribers: 2, fixedLines: 1 },
			segments: { total: 0, histogram: [] },
		});
	});

	test('a contact of a country that the credential leaves out is a problem: Send would refuse', async () => {
		fill([['+33639980001'], ['+447400123456']]);
		const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries: ['FR'] };
		const { items } = await runCampaign(sim, creation(listId, { operation: 'preview' }), {
			credential: credential as unknown as IDataObject,
		});
		expect(items[0].json.recipients).toBe(2);
		expect(items[0].json.problems).toEqual([
			"1 contact of countries that 'Allowed Countries' of the credential doesn't allow, so that the campaign can't be sent with it: +447400123456.",
		]);
		expect((await preview()).problems).toEqual([]);
	});

	test('an empty list is a problem, not an error', async () => {
		expect(await preview()).toMatchObject({
			...{ recipients: 0, contacts: 0 },
			problems: ['The list is empty.'],
		});
		expect(await contacts()).toEqual([]);
	});
});

describe('texts', () => {
	test('have the values of each contact, once, whatever they look like', async () => {
		fill([
			['0639980001', { prenom: '${ville}', ville: 'Lyon' }],
			['0639980002', { prenom: '$& $1 ${rich_message}', ville: '' }],
		]);
		const message = '${prenom} de ${ville}, ${prenom}';
		expect(await contacts({ message })).toMatchObject([
			{ message: '${ville} de Lyon, ${ville}', emptyTokens: [] },
			{
				message: '$& $1 ${rich_message} de , $& $1 ${rich_message}',
				emptyTokens: ['${ville}'],
			},
		]);
	});

	test('160 characters of GSM-7 are one segment, 161 are two, and ë makes it UCS-2', async () => {
		fill([
			['0639980001', { prenom: 'a'.repeat(160) }],
			['0639980002', { prenom: 'b'.repeat(161) }],
			['0639980003', { prenom: 'ë'.repeat(70) }],
			['0639980004', { prenom: 'c' }],
		]);
		const json = await preview({ message: '${prenom}' });
		expect(json).toMatchObject({
			...{ recipients: 4, estimatedCredits: 5 },
			segments: {
				total: 5,
				histogram: [
					{ segments: 1, recipients: 3 },
					{ segments: 2, recipients: 1 },
				],
				longest: {
					...{ number: '+33639980002', segments: 2, characters: 161 },
					...{ encoding: 'GSM-7', message: 'b'.repeat(161) },
				},
			},
		});
	});

	// Interface document 8: "With a custom sender on a campaign, a STOP mention … is added".
	test.each(['marketing', 'notification'])(
		'of a %s campaign with a sender have room for STOP',
		async (campaignType) => {
			fill([
				['+33639980001', { prenom: 'a'.repeat(155) }],
				['+447700900123', { prenom: 'a'.repeat(155) }],
			]);
			const parameters = { campaignType, message: '${prenom}' };
			expect(await preview(parameters)).toMatchObject({ estimatedCredits: 2 });
			expect(await preview({ ...parameters, sender: 'MyShop' })).toMatchObject({
				...{ estimatedCredits: 4, sender: 'MyShop' },
				note: expect.stringContaining('STOP 36XXX') as unknown,
			});
		},
	);

	test('with a landing page have room for its link', async () => {
		fill([['+33639980001', { prenom: 'a'.repeat(140) }]]);
		const json = await preview({
			message: '${prenom} ${rich_message}',
			...{ landingPage: 'external', externalUrl: 'https://www.example.com' },
		});
		expect(json).toMatchObject({
			...{ estimatedCredits: 2, emptyTokens: [], problems: [] },
			note: expect.stringContaining(
				'The link to the landing page is counted as 30 characters',
			) as unknown,
			segments: { longest: { message: `${'a'.repeat(140)} \${rich_message}` } },
		});
	});

	test('a longer text than any SMS can have is a problem', async () => {
		fill([['+33639980001', { prenom: 'a'.repeat(39_016) }]]);
		expect(await preview({ message: '${prenom}' })).toMatchObject({
			problems: ['1 text longer than an SMS can ever be: +33639980001.'],
		});
	});
});

describe('tokens', () => {
	test('that are empty are named, with five of the recipients', async () => {
		sim.service.addToBlacklist('unsubscribers', '+33639980000');
		const named = (index: number) => (index === 8 ? 'Marie' : index % 2 === 0 ? '' : ' ');
		fill(
			Array.from({ length: 9 }, (_, index) => [
				`063998000${index}`,
				{ prenom: named(index) },
			]),
		);
		const json = await preview({ message: 'Bonjour ${prenom} de ${ville}' });
		const examples = [1, 2, 3, 4, 5].map((index) => `+3363998000${index}`);
		expect(json.emptyTokens).toEqual([
			{ token: '${prenom}', contacts: 7, examples },
			{ token: '${ville}', contacts: 8, examples },
		]);
		expect(json.problems).toEqual([
			`\${prenom} is empty for 7 recipients: ${examples.join(', ')} and 2 more.`,
			`\${ville} is empty for 8 recipients: ${examples.join(', ')} and 3 more.`,
		]);
	});

	test('that the list does not have are refused, as Create does', async () => {
		const { error } = await run({ message: 'Bonjour ${surname}' });
		expect(error?.message).toContain("'Message' has ${surname}, which the list doesn't have");
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}`]);
	});

	test('are a problem where the user turned that off', async () => {
		fill([['+33639980001']]);
		const json = await preview({
			message: 'Bonjour ${surname}',
			options: { checkTokens: false },
		});
		expect(json).toMatchObject({
			segments: { longest: { message: 'Bonjour ${surname}' } },
			problems: ['The list has no column for ${surname}: it is counted as it is written.'],
		});
	});

	test('that two columns can be meant by are a problem', async () => {
		sim.service.settings.fieldIds = 'opaque';
		const list = sim.service.createList('Doubles', [{ name: 'Prenom' }, { name: 'Prenom' }]);
		sim.service.addContacts(list.id, 1, () => ({
			identifier: '+33639980001',
			attributes: { [list.fields[0].id]: 'Marie', [list.fields[1].id]: 'Zo' },
		}));
		listId = list.id;
		const json = await preview({ message: '${prenom}' });
		expect(json.segments).toMatchObject({ longest: { message: 'Marie' } });
		expect(json.problems).toEqual([
			`2 columns of the list can be meant by \${prenom}: the values of 'Prenom' (${list.fields[0].id}) are counted.`,
		]);
	});
});

describe('characters', () => {
	test('of the message that are replaced are told', async () => {
		fill([['+33639980001']]);
		expect(await preview({ message: 'L’été 👋' })).toMatchObject({
			...{ accepted: true, message: "L'été", refusedCharacters: [] },
			problems: ["Characters of 'Message' are removed: 👋."],
			replacements: "’ → ', 👋 removed",
		});
	});

	test.each([
		['reject', 'L’été', '’', 'U+2019', 2, []],
		['keep', 'L’été', '’', 'U+2019', 2, []],
		['replace', 'Ça Ж', 'Ж', 'U+0416', 4, []],
		['replace', 'Ça Ж 👋', 'Ж', 'U+0416', 4, ["Characters of 'Message' are removed: 👋."]],
	])(
		'of the message that are refused are told with %s',
		async (unsupportedCharacters, message, character, codePoint, position, others) => {
			fill([['+33639980001']]);
			expect(await preview({ message, options: { unsupportedCharacters } })).toMatchObject({
				...{ accepted: false, recipients: 1 },
				refusedCharacters: [{ character, codePoint, position }],
				problems: [
					`'Message' has characters that the service refuses: ${character} at ${position}.`,
					...others,
				],
			});
		},
	);

	test('the euro sign is one of marketing', async () => {
		fill([['+33639980001', { prenom: '5 €' }]]);
		const [marketing, notification] = [
			await preview({ message: '${prenom}' }),
			await preview({ message: '${prenom}', campaignType: 'notification' }),
		];
		expect(marketing.refusedInValues).toEqual([]);
		expect(notification.refusedInValues).toEqual([
			{ character: '€', codePoint: 'U+20AC', contacts: 1, examples: ['+33639980001'] },
		]);
	});

	test('in values are told, the most frequent first, and by contact', async () => {
		fill([
			['+33639980001', { prenom: 'Zoë Ëë', ville: 'Łódź' }],
			['+33639980002', { prenom: 'Noël', ville: 'Lyon' }],
			['+33639980003', { prenom: 'Marie', ville: 'Ł' }],
			['+33639980004', { prenom: 'Anne' }],
		]);
		// The second column is not in the message.
		const json = await preview({ message: 'Bonjour ${prenom}' });
		expect(json.refusedInValues).toEqual([
			{
				...{ character: 'ë', codePoint: 'U+00EB', contacts: 2 },
				examples: ['+33639980001', '+33639980002'],
			},
			{ character: 'Ë', codePoint: 'U+00CB', contacts: 1, examples: ['+33639980001'] },
		]);
		expect(json.problems).toEqual([
			'2 recipients with values that have characters that the service refuses in a message (ë Ë): +33639980001, +33639980002.',
		]);
		expect(json.accepted).toBe(true);
		expect(
			(await contacts({ message: '${prenom}' })).map((item) => item.refusedCharacters),
		).toEqual([['ë', 'Ë'], ['ë'], [], []]);
	});
});

describe('several campaigns', () => {
	test('to one list read it once, those to another one read that', async () => {
		fill([['+33639980001'], ['+33639980002', { prenom: 'a'.repeat(160) }]]);
		const other = sim.service.createList('Others').id;
		sim.service.addContacts(other, 3);
		const { items, error } = await run(
			{
				list: { __rl: true, mode: 'id', value: '={{ $json.list }}' },
				message: '={{ $json.text }}',
			},
			[
				{ list: listId, text: 'Bonjour' },
				{ list: other, text: 'Bonjour' },
				{ list: listId, text: 'Bonjour ${prenom}' },
			],
		);
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([
			{ listId, recipients: 2, estimatedCredits: 2 },
			{ listId: other, recipients: 3, estimatedCredits: 3 },
			{ listId, recipients: 2, estimatedCredits: 3 },
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(linesOf(sim)).toEqual([
			`GET /v2/lists/${listId}`,
			'GET /v2/unsubscribers/default/contacts',
			'GET /v2/bounces/default/contacts',
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
		expect(jsonOf(result.items)).toMatchObject([{ status: 'refused' }, { recipients: 1 }]);
	});

	test('above the results stands what each comes to', async () => {
		fill([['+33639980001'], ['0639980001'], ['+33639980002', { prenom: 'a'.repeat(160) }]]);
		const { hints, items } = await run({ message: 'Bonjour ${prenom}' });
		const first = ['recipients', 'contacts', 'estimatedCredits', 'accepted', 'problems'];
		expect(Object.keys(items[0].json).slice(0, 5)).toEqual(first);
		expect(hints).toMatchObject([
			{
				message:
					'2 of 3 contacts would get it: 1 of 1 segment, 1 of 2 segments; about 3 credits. 1 problem: ${prenom} is empty for 1 recipient: +33639980001.',
				type: 'warning',
			},
		]);
	});

	test.each(['summary', 'contacts'])(
		'above the results stand three of several problems: %s',
		async (output) => {
			fill([['+33639980001'], ['12'], ['0145678901']]);
			const { hints } = await run({ message: 'Noël 🎄 ${prenom}', output });
			expect(hints).toMatchObject([
				{
					message:
						"1 of 3 contacts would get it, 1 segment each: about 1 credit. 4 problems, the first three: Characters of 'Message' are removed: 🎄. ${prenom} is empty for 1 recipient: +33639980001. 1 contact without a phone number that can be texted: 12.",
					type: 'warning',
				},
			]);
		},
	);

	test('above the results stands no problem where there is none', async () => {
		fill([['+33639980001']]);
		const { hints } = await run();
		expect(hints).toMatchObject([
			{
				message: '1 of 1 contact would get it, 1 segment each: about 1 credit.',
				type: 'info',
			},
		]);
	});
});

describe('when the service fails', () => {
	const PLACES: Array<[what: string, path: RegExp, text: string]> = [
		['the columns', /^\/v2\/lists\/[^/]+$/, 'The columns of the list could not be looked up'],
		['a blacklist', /unsubscribers/, 'The blacklists could not be fetched'],
		['the other blacklist', /bounces/, 'The blacklists could not be fetched'],
		['the contacts', CONTACTS, 'The contacts of the list could not be fetched'],
	];
	const ACTIONS: FaultAction[] = [
		{ kind: 'status', status: 500 },
		{ kind: 'status', status: 503, headers: { 'Retry-After': '0' } },
		{ kind: 'resetBeforeRead' },
		{ kind: 'cutBody' },
		{ kind: 'tooManyRequests', retryAfter: 0 },
	];

	describe.each(PLACES)('at %s', (_, path, text) => {
		const message = 'Bonjour ${prenom}';

		test.each(ACTIONS)('once, it is asked again: $kind', async (action) => {
			fill([['+33639980001', { prenom: 'Marie' }]]);
			sim.service.addToBlacklist('bounces', '+33639980002');
			const handle = sim.faults.add({ path, do: action });
			expect(await preview({ message })).toMatchObject({ recipients: 1, problems: [] });
			expect(handle.hits).toBe(1);
		});

		test.each([
			...ACTIONS,
			{ kind: 'html200' },
			{ kind: 'wrongTypes' },
			{ kind: 'truncatedJson' },
			{ kind: 'status', status: 401 },
			{ kind: 'json', status: 403, body: { code: 70, error: 'API access disabled' } },
			{ kind: 'json', body: null },
			{ kind: 'json', body: { code: 60, error: 'list not found' } },
		] as FaultAction[])('for good, nothing is claimed: %j', async (action) => {
			fill([['+33639980001', { prenom: 'Marie' }]]);
			sim.service.addToBlacklist('unsubscribers', '+33639980002');
			sim.service.addToBlacklist('bounces', '+33639980002');
			sim.faults.add({ path, times: Infinity, do: action });
			const { error, items } = await run({ message });
			expect(items).toEqual([]);
			expect(error?.message).toContain(text);
			expect(error?.description).toMatch(/No campaign was created\.|Nothing was previewed\./);
		});
	});

	test('the error says what the service said', async () => {
		sim.faults.add({
			...{ path: /bounces/, times: Infinity },
			do: { kind: 'json', status: 401, body: { code: 72, error: 'authentication failed' } },
		});
		const { error } = await run();
		expect(error?.message).toContain(
			'The blacklists could not be fetched: The service refused the API key',
		);
		expect(error?.description).toContain('Nothing was previewed.');
	});

	test('records that make no sense are left out, and told', async () => {
		const body = [{ id: 'a', identifier: '+33639980001' }, 'x', [], { attributes: {} }];
		sim.faults.add({ path: CONTACTS, do: { kind: 'json', body } });
		expect(await preview()).toMatchObject({
			...{ contacts: 1, recipients: 1 },
			problems: ['3 records of the list made no sense and were left out.'],
		});
	});
});

describe('a list that changes while it is read', () => {
	/** Does something just before a request is answered. */
	function before(path: RegExp, change: () => void): void {
		let isDone = false;
		sim.faults.add({
			path,
			match: () => {
				if (!isDone) change();
				isDone = true;
				return false;
			},
			do: { kind: 'resetBeforeRead' },
		});
	}
	const message = 'Bonjour ${prenom}';

	test('adds up: contacts that come and go', async () => {
		fill([['+33639980001', { prenom: 'Marie' }]]);
		before(CONTACTS, () => fill([['+33639980001'], ['+33639980002'], ['0145678901']]));
		expect(await preview({ message })).toMatchObject({
			...{ contacts: 4, recipients: 2 },
			excluded: { ...NONE, duplicates: 1, fixedLines: 1 },
			emptyTokens: [{ token: '${prenom}', contacts: 1, examples: ['+33639980002'] }],
		});
	});

	test('a column that is deleted is empty', async () => {
		fill([['+33639980001', { prenom: 'Marie' }]]);
		before(CONTACTS, () => sim.service.list(listId).removeField('prenom'));
		expect(await preview({ message })).toMatchObject({ emptyTokens: [{ contacts: 1 }] });
	});

	test('a list that is deleted is an error', async () => {
		before(CONTACTS, () => sim.service.lists.delete(listId));
		const { error, items } = await run({ message });
		expect(items).toEqual([]);
		expect(error?.message).toContain('The contacts of the list could not be fetched');
	});
});

describe('in sequences', () => {
	const message = 'Bonjour ${prenom}';

	/** Whatever goes wrong once, in the order in which it is drawn. */
	const FAULTS: FaultAction[] = [
		{ kind: 'status', status: 500 },
		{ kind: 'status', status: 502, body: '<html>' },
		{ kind: 'status', status: 404 },
		{ kind: 'status', status: 401 },
		{ kind: 'tooManyRequests', retryAfter: 0 },
		{ kind: 'resetBeforeRead' },
		{ kind: 'resetAfterAccept' },
		{ kind: 'cutBody' },
		{ kind: 'html200' },
		{ kind: 'truncatedJson' },
		{ kind: 'wrongTypes' },
		{ kind: 'json', body: null },
		{ kind: 'json', body: {} },
		{ kind: 'json', status: 500, body: [] },
		{ kind: 'json', body: { code: 1000, error: 'unknown error' } },
	];

	test('of 1,000 faults, each ends in the right numbers or in an error', async () => {
		fill([
			...Array.from({ length: 30 }, (_, index): [string, Record<string, string>] => [
				`+336399801${String(index).padStart(2, '0')}`,
				{ prenom: index % 3 === 0 ? '' : 'Zo\u00eb' },
			]),
			['0145678901'],
			['0639980100'],
		]);
		sim.service.addToBlacklist('unsubscribers', '+33639980110');
		sim.service.addToBlacklist('bounces', '+33639980111');
		const right = await preview({ message });
		expect(right).toMatchObject({
			...{ contacts: 32, recipients: 28 },
			excluded: { ...NONE, unsubscribers: 1, bounces: 1, duplicates: 1, fixedLines: 1 },
		});
		let [hits, previewed, failed] = [0, 0, 0];
		const places = [/^\/v2\/lists\/[^/]+$/, /unsubscribers/, /bounces/, CONTACTS];
		for (let drawn = 0; hits < 1_000; drawn++) {
			const handles = places
				.filter((_, place) => (drawn >> place) % 2 === 0)
				.map((path, place) => {
					const action = FAULTS[(drawn * 7 + place * 3) % FAULTS.length];
					return sim.faults.add({ path, times: 1 + (drawn % 3), do: action });
				});
			const { items, error } = await run({ message });
			if (error === undefined) {
				expect(jsonOf(items)).toEqual([right]);
				previewed++;
			} else {
				expect(items).toEqual([]);
				failed++;
			}
			for (const handle of handles) {
				hits += handle.hits;
				handle.remove();
			}
		}
		console.log(`${hits} faults: ${previewed} previews, ${failed} errors`);
		expect(previewed).toBeGreaterThan(20);
		expect(failed).toBeGreaterThan(20);
	});

	test('a try that failed leaves nothing behind for the next one', async () => {
		fill([['+33639980001', { prenom: 'Marie' }], ['0639980001']]);
		sim.faults.add({ path: CONTACTS, do: { kind: 'truncatedJson' } });
		const parameters = creation(listId, { operation: 'preview', message });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { items, error } = await runCampaign(sim, parameters, { settings });
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([
			{ recipients: 1, excluded: { ...NONE, duplicates: 1 } },
		]);
	});

	test('a run that is cancelled while the list is read gives nothing', async () => {
		fill([['+33639980001']]);
		sim.faults.add({ path: CONTACTS, do: { kind: 'delay', ms: 60_000 } });
		const parameters = creation(listId, { operation: 'preview' });
		const started = Date.now();
		const { items } = await runCampaign(sim, parameters, {
			onStart: (cancel) => setTimeout(cancel, 200),
		});
		expect(items).toEqual([]);
		expect(Date.now() - started).toBeLessThan(10_000);
	});

	test('what is previewed again after a change says what is true now', async () => {
		fill([
			['+33639980001', { prenom: 'Marie' }],
			['+33639980002', { prenom: 'Anne' }],
		]);
		expect(await preview({ message })).toMatchObject({ recipients: 2 });
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		expect(await preview({ message })).toMatchObject({
			recipients: 1,
			excluded: { ...NONE, unsubscribers: 1 },
		});
		sim.service.list(listId).contacts.removeWhere(() => true);
		expect(await preview({ message })).toMatchObject({ contacts: 0, recipients: 0 });
	});

	test.each(['__proto__', 'constructor', 'toString'])(
		'a column that is called %s has the values that it has',
		async (id) => {
			const fields = [{ id, name: id, type: 'STRING', format: '' }];
			sim.faults.add({
				...{ path: /^\/v2\/lists\/[^/]+$/, times: Infinity },
				do: { kind: 'json', body: { id: listId, name: 'Clients', fields } },
			});
			fill([['+33639980001'], ['+33639980002', Object.fromEntries([[id, 'Marie']])]]);
			expect(await contacts({ message: `Bonjour \${${id}}` })).toMatchObject([
				{ message: 'Bonjour ', emptyTokens: [`\${${id}}`] },
				{ message: 'Bonjour Marie', emptyTokens: [] },
			]);
		},
	);
});
