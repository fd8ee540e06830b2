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

const CONTACTS = /^\/v2\/lists\/.*\/contacts$/;
const NONE = { invalidNumbers: 0, fixedLines: 0, unsubscribers: 0, bounces: 0, duplicates: 0 };

test('the result has six fields and nothing else', async () => {
	fill([['+33639980001', { prenom: 'Marie' }]]);
	expect(await preview({ message: 'Bonjour ${prenom}' })).toEqual({
		recipients: 1,
		estimatedCredits: 1,
		problems: [],
		excluded: NONE,
		emptyTokens: [],
		segments: {
			total: 1,
			histogram: [{ segments: 1, recipients: 1 }],
			longest: {
				...{ segments: 1, characters: 13, encoding: 'GSM-7' },
				...{ number: '+33639980001', message: 'Bonjour Marie' },
			},
		},
	});
});

describe('who gets it', () => {
	test('nobody who has unsubscribed or whose number bounced, in whatever format it is held', async () => {
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		sim.service.addToBlacklist('bounces', '+33639980002');
		fill([['0639980001'], ['+33639980002'], ['0639980003']]);
		expect(await preview()).toMatchObject({
			...{ recipients: 1, estimatedCredits: 1 },
			excluded: { ...NONE, unsubscribers: 1, bounces: 1 },
		});
	});

	test('an entry that is marked as deleted does not count', async () => {
		fill([['+33639980001']]);
		const entry = { id: 'a', identifier: '+33639980001', deleted: true };
		sim.faults.add({ path: /unsubscribers/, do: { kind: 'json', body: [entry] } });
		expect(await preview()).toMatchObject({ recipients: 1, excluded: NONE });
	});

	test('one of several contacts with the same number', async () => {
		fill([['0639980001'], ['+33639980001'], ['33639980001'], ['06 39 98 00 01']]);
		const excluded = { ...NONE, duplicates: 3 };
		expect(await preview()).toMatchObject({ recipients: 1, excluded });
	});

	test('no fixed line, and nothing that is no phone number', async () => {
		fill([['0145678901'], ['+33987654321'], ['12'], ['Marie'], ['+447700900123']]);
		expect(await preview()).toMatchObject({
			recipients: 1,
			excluded: { ...NONE, fixedLines: 2, invalidNumbers: 2 },
			problems: [
				'2 contacts without a phone number that can be texted: 12, Marie.',
				'2 contacts with a fixed line: +33145678901, +33987654321.',
			],
		});
	});

	test('each contact is counted once, by what comes first', async () => {
		for (const number of ['+33639980001', '+33145678901']) {
			sim.service.addToBlacklist('bounces', number);
		}
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		fill([['0639980001'], ['+33639980001'], ['0145678901']]);
		const json = await preview();
		expect(json).toMatchObject({
			...{ recipients: 0, estimatedCredits: 0 },
			excluded: { ...NONE, unsubscribers: 2, fixedLines: 1 },
			segments: { total: 0, histogram: [] },
		});
		expect(json.problems).toContain('Nobody would get it.');
	});

	test('a contact of a country that the credential leaves out is a problem: Send would refuse', async () => {
		fill([['+33639980001'], ['+447400123456']]);
		const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries: ['FR'] };
		const { items } = await runCampaign(sim, creation(listId, { operation: 'preview' }), {
			credential: credential as unknown as IDataObject,
		});
		expect(items[0].json).toMatchObject({
			recipients: 2,
			problems: [
				"1 contact of countries that 'Allowed Countries' of the credential doesn't allow, so that the campaign can't be sent with it: +447400123456.",
			],
		});
		expect((await preview()).problems).toEqual([]);
	});

	test('an empty list is a problem, not an error', async () => {
		expect(await preview()).toMatchObject({
			recipients: 0,
			problems: ['The list is empty.'],
		});
	});
});

describe('texts', () => {
	test('have the values of each contact, once, whatever they look like', async () => {
		fill([['0639980001', { prenom: '$& ${ville} ${rich_message}', ville: 'Lyon' }]]);
		const { segments } = await preview({ message: '${prenom} de ${ville}, ${prenom}' });
		expect((segments as IDataObject).longest).toMatchObject({
			message: '$& ${ville} ${rich_message} de Lyon, $& ${ville} ${rich_message}',
		});
	});

	test('160 characters of GSM-7 are one segment, 161 are two, and ë makes it UCS-2', async () => {
		fill([
			['0639980001', { prenom: 'a'.repeat(160) }],
			['0639980002', { prenom: 'b'.repeat(161) }],
			['0639980003', { prenom: 'ë'.repeat(70) }],
			['0639980004', { prenom: 'c' }],
		]);
		expect(await preview({ message: '${prenom}' })).toMatchObject({
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
			const named = await preview({ ...parameters, sender: 'MyShop' });
			expect(named).toMatchObject({ estimatedCredits: 4 });
		},
	);

	test('with a landing page have room for its link', async () => {
		fill([['+33639980001', { prenom: 'a'.repeat(140) }]]);
		const external = { landingPage: 'external', externalUrl: 'https://www.example.com' };
		const json = await preview({ message: '${prenom} ${rich_message}', ...external });
		expect(json).toMatchObject({
			...{ estimatedCredits: 2, emptyTokens: [], problems: [] },
			segments: { longest: { message: `${'a'.repeat(140)} \${rich_message}` } },
		});
	});

	test('a longer text than any SMS can have is a problem', async () => {
		fill([['+33639980001', { prenom: 'a'.repeat(39_016) }]]);
		const problems = ['1 text longer than an SMS can ever be: +33639980001.'];
		expect(await preview({ message: '${prenom}' })).toMatchObject({ problems });
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
			`7 recipients without a value for \${prenom}: ${examples.join(', ')} and 2 more.`,
			`8 recipients without a value for \${ville}: ${examples.join(', ')} and 3 more.`,
		]);
	});

	test('that two columns can be meant by are a problem', async () => {
		sim.service.settings.fieldIds = 'opaque';
		const list = sim.service.createList('Doubles', [{ name: 'Prenom' }, { name: 'Prenom' }]);
		const [{ id }, { id: other }] = list.fields;
		sim.service.addContacts(list.id, 1, () => ({
			identifier: '+33639980001',
			attributes: { [id]: 'Marie', [other]: 'Zo' },
		}));
		listId = list.id;
		expect(await preview({ message: '${prenom}' })).toMatchObject({
			segments: { longest: { message: 'Marie' } },
			problems: [
				`2 columns of the list can be meant by \${prenom}: the values of 'Prenom' (${id}) are counted.`,
			],
		});
	});

	test.each(['__proto__', 'constructor', 'toString'])(
		'a column that is called %s has the values that it has',
		async (id) => {
			const fields = [{ id, name: id, type: 'STRING', format: '' }];
			sim.faults.add({
				path: /^\/v2\/lists\/[^/]+$/,
				do: { kind: 'json', body: { id: listId, name: 'Clients', fields } },
			});
			fill([['+33639980001'], ['+33639980002', Object.fromEntries([[id, 'Marie']])]]);
			expect(await preview({ message: `Bonjour \${${id}}` })).toMatchObject({
				emptyTokens: [{ contacts: 1, examples: ['+33639980001'] }],
				segments: { longest: { message: 'Bonjour Marie' } },
			});
		},
	);

	test.each(['{prenom}', '%prenom%', '*|PRENOM|*', '[prenom]', '#{prenom}'])(
		'of another system are a problem: %s',
		async (placeholder) => {
			fill([['+33639980001', { prenom: 'Marie' }]]);
			const { problems } = await preview({ message: `Bonjour ${placeholder} \${prenom}` });
			const told = expect.stringContaining(`Recipients would read ${placeholder} as it is.`);
			expect(problems).toContainEqual(told);
		},
	);
});

describe('characters', () => {
	test('of the message that are removed are a problem', async () => {
		fill([['+33639980001']]);
		expect(await preview({ message: 'L’été 👋' })).toMatchObject({
			segments: { longest: { message: "L'été" } },
			problems: ["Characters of 'Message' are removed: 👋."],
		});
	});

	test.each([
		['reject', 'L’été', '’ at 2'],
		['keep', 'L’été', '’ at 2'],
		['replace', 'Ça Ж', 'Ж at 4'],
	])(
		'of the message that are refused are a problem with %s',
		async (unsupportedCharacters, message, refused) => {
			fill([['+33639980001']]);
			expect(await preview({ message, options: { unsupportedCharacters } })).toMatchObject({
				recipients: 1,
				problems: [`'Message' has characters that the service refuses: ${refused}.`],
			});
		},
	);

	test('the euro sign is one of marketing', async () => {
		fill([['+33639980001', { prenom: '5 €' }]]);
		const problems = async (campaignType: string) =>
			(await preview({ message: '${prenom}', campaignType })).problems;
		expect(await problems('marketing')).toEqual([]);
		expect(await problems('notification')).toEqual([
			expect.stringContaining('1 recipient with values'),
		]);
	});

	test('in values of the columns that the message has are told by contact', async () => {
		fill([
			['+33639980001', { prenom: 'Zoë Ëë', ville: 'Łódź' }],
			['+33639980002', { prenom: 'Noël', ville: 'Lyon' }],
			['+33639980003', { prenom: 'Marie', ville: 'Ł' }],
		]);
		expect((await preview({ message: 'Bonjour ${prenom}' })).problems).toEqual([
			'2 recipients with values that have characters that the service refuses in a message (ë Ë): +33639980001, +33639980002.',
		]);
	});
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
});

describe.each<[what: string, path: RegExp, text: string]>([
	['the columns', /^\/v2\/lists\/[^/]+$/, 'The columns of the list could not be looked up'],
	['a blacklist', /unsubscribers/, 'The blacklists could not be fetched'],
	['the other blacklist', /bounces/, 'The blacklists could not be fetched'],
	['the contacts', CONTACTS, 'The contacts of the list could not be fetched'],
])('when the service fails at %s', (_, path, text) => {
	const message = 'Bonjour ${prenom}';
	const PASSING: FaultAction[] = [
		{ kind: 'status', status: 503, headers: { 'Retry-After': '0' } },
		{ kind: 'resetBeforeRead' },
		{ kind: 'cutBody' },
	];
	const LASTING: FaultAction[] = [
		...PASSING,
		{ kind: 'html200' },
		{ kind: 'wrongTypes' },
		{ kind: 'truncatedJson' },
		{ kind: 'status', status: 401 },
		{ kind: 'json', status: 403, body: { code: 70, error: 'API access disabled' } },
		{ kind: 'json', body: null },
		{ kind: 'json', body: { code: 60, error: 'list not found' } },
	];

	test.each(PASSING)('once, it is asked again: $kind', async (action) => {
		fill([['+33639980001', { prenom: 'Marie' }]]);
		const handle = sim.faults.add({ path, do: action });
		expect(await preview({ message })).toMatchObject({ recipients: 1, problems: [] });
		expect(handle.hits).toBe(1);
	});

	test.each(LASTING)('for good, nothing is claimed: %j', async (action) => {
		fill([['+33639980001', { prenom: 'Marie' }]]);
		for (const kind of ['unsubscribers', 'bounces'] as const) {
			sim.service.addToBlacklist(kind, '+33639980002');
		}
		sim.faults.add({ path, times: Infinity, do: action });
		const { error, items } = await run({ message });
		expect(items).toEqual([]);
		expect(error?.message).toContain(text);
		expect(error?.description).toContain('Nothing was previewed.');
	});
});

test('records that could not be read are left out, and told', async () => {
	const body = [{ id: 'a', identifier: '+33639980001' }, 'x', [], { attributes: {} }];
	sim.faults.add({ path: CONTACTS, do: { kind: 'json', body } });
	const problems = ['3 records of the list could not be read.'];
	expect(await preview()).toMatchObject({ recipients: 1, problems });
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

test('a try that failed leaves nothing behind for the next one', async () => {
	fill([['+33639980001'], ['0639980001']]);
	sim.faults.add({ path: CONTACTS, do: { kind: 'truncatedJson' } });
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const previewed = creation(listId, { operation: 'preview' });
	const { items, error } = await runCampaign(sim, previewed, { settings });
	expect(error).toBeUndefined();
	const excluded = { ...NONE, duplicates: 1 };
	expect(jsonOf(items)).toMatchObject([{ recipients: 1, excluded }]);
});

test('a run that is cancelled while the list is read gives nothing', async () => {
	fill([['+33639980001']]);
	sim.faults.add({ path: CONTACTS, do: { kind: 'delay', ms: 60_000 } });
	const { items } = await runCampaign(sim, creation(listId, { operation: 'preview' }), {
		onStart: (cancel) => setTimeout(cancel, 200),
	});
	expect(items).toEqual([]);
});
