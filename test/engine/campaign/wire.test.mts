/**
 * Interface document 4.2, and the extended endpoints of campaigns, over the wire: method, path,
 * headers and body of each operation, and the items that come out.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { byId, creation, jsonOf, onlyRequest, runCampaign } from './support.mts';

const sim = await useSimulator({ extended: true });

const KINDS = ['marketing', 'notification'];
const HTML = '<h1>Soldes ’été’ 🎉</h1>\n<p>${prenom} "10 %"</p>';
const LINKED = { message: 'Bonjour ${rich_message}' };
const HOSTED = { ...LINKED, landingPage: 'hosted', landingPageTitle: ' L’été ' };
const EXTERNAL = { ...LINKED, landingPage: 'external' };

describe.each(KINDS)('Create of a %s campaign', (campaignType) => {
	const line = `POST /v2/${campaignType}/campaigns HTTP/1.1`;
	const headers = () => ({
		'content-type': 'application/json',
		'x-service-apikey': sim.apiKey,
	});

	test('standard, byte for byte', async () => {
		const { id } = sim.service.createList('Clients');
		const { items, error } = await runCampaign(sim, creation(id, { campaignType }));
		expect(error).toBeUndefined();
		expect(onlyRequest(sim)).toEqual({
			line,
			headers: headers(),
			body: `{"name":"Summer sale","message":"Bonjour","sendList":{"id":"${id}"}}`,
		});
		const [campaign] = [...sim.service.campaigns.values()];
		const json = { state: 'notSent', name: 'Summer sale', campaignType };
		expect(items).toEqual([
			{ json: { ...json, id: campaign.id, listId: id }, pairedItem: { item: 0 } },
		]);
	});

	const currency = { message: campaignType === 'marketing' ? '10 €' : '10 ¤' };
	test.each<[what: string, parameters: INodeParameters, body: IDataObject]>([
		[
			'a hosted page',
			{ ...HOSTED, landingPageHtml: HTML },
			{ landingPage: HTML, landingPageTitle: 'L’été', landingPageType: 'CUSTOM', ...LINKED },
		],
		[
			'an external page',
			{ ...EXTERNAL, externalUrl: ' \u200bhttps://www.example.com/été?a=1&b=2\ufeff ' },
			{
				externalUrl: 'https://www.example.com/été?a=1&b=2',
				landingPageType: 'EXTERNAL',
				...LINKED,
			},
		],
		[
			'fields of another variant, which are hidden',
			{
				...{ landingPage: 'none', landingPageTitle: 'Old', landingPageHtml: '<p>Old</p>' },
				externalUrl: 'https://www.example.com',
			},
			{},
		],
		['a sender', { sender: 'MyShop' }, { sourceAddress: 'MyShop' }],
		[
			'a sender and a date',
			{ sender: ' MyShop ', options: { date: '2030-12-24T09:30:00' } },
			{ sourceAddress: 'MyShop', date: Date.UTC(2030, 11, 24, 8, 30) },
		],
		['options that were added and left empty', { sender: '', options: { date: '' } }, {}],
		['a name with spaces around', { name: '  Été 2030 ' }, { name: 'Été 2030' }],
		['replaced characters', { message: 'L’été… 👋' }, { message: "L'été..." }],
		['the currency of its kind', currency, currency],
	])('with %s', async (_, parameters, body) => {
		const { id } = sim.service.createList('Clients');
		const { error } = await runCampaign(sim, creation(id, { campaignType, ...parameters }));
		expect(error).toBeUndefined();
		const request = onlyRequest(sim);
		expect({ ...request, body: JSON.parse(request.body) }).toEqual({
			line,
			headers: headers(),
			body: { name: 'Summer sale', message: 'Bonjour', sendList: { id }, ...body },
		});
	});
});

test('the HTML of each item has its expressions resolved once, and braces of CSS stay', async () => {
	const { id } = sim.service.createList('Clients');
	const pages = () => sim.requests.map(({ bodyText }) => JSON.parse(bodyText).landingPage);
	const items = [{ html: '<p>{{ 1 + 1 }}</p>' }, { html: '<p>two</p>' }];
	for (const html of ['<b>{{ $json.html }}</b>', '=<b>{{ $json.html }}</b>']) {
		sim.requests.length = 0;
		const landingPageHtml = `${html}<style>p { margin: 0 }</style>{{ 1 + 1 }}`;
		const parameters = creation(id, { ...HOSTED, landingPageHtml });
		const { error } = await runCampaign(sim, parameters, { items });
		expect(error).toBeUndefined();
		expect(pages().sort()).toEqual(
			['<p>two</p>', '<p>{{ 1 + 1 }}</p>'].map(
				(own) => `<b>${own}</b><style>p { margin: 0 }</style>2`,
			),
		);
	}
});

test.each<[what: string, list: unknown]>([
	['chosen from the list', { __rl: true, mode: 'list', value: 'LIST', cachedResultName: 'x' }],
	['by an expression in the locator', { __rl: true, mode: 'id', value: '={{ $json.id }}' }],
	['as a plain text', 'LIST'],
	['as a plain expression', '={{ $json.id }}'],
])('the list %s', async (_, list) => {
	const { id } = sim.service.createList('Clients');
	const chosen = JSON.parse(JSON.stringify(list).replace('LIST', id));
	await runCampaign(sim, creation(id, { list: chosen }), { items: [{ id }] });
	expect(JSON.parse(onlyRequest(sim).body).sendList).toEqual({ id });
});

test.each([
	['Clients (…0001)', 'Clients'],
	['Clients (2026) (…0001)', 'Clients (2026)'],
	['Clients (2026)', 'Clients (2026)'],
])('the list is called in the result as in the dropdown: %s', async (shown, listName) => {
	const { id } = sim.service.createList('Clients');
	const list = { __rl: true, mode: 'list', value: id, cachedResultName: shown };
	const { items } = await runCampaign(sim, creation(id, { list }));
	expect(items[0].json).toMatchObject({ listId: id, listName });
	const first = ['state', 'id', 'name', 'listName', 'campaignType', 'listId'];
	expect(Object.keys(items[0].json)).toEqual(first);
});

test('the result says what was replaced', async () => {
	const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
	const message = 'L’été, ${prenom} 👋 ${prenom}';
	const { items, hints } = await runCampaign(sim, creation(id, { message }));
	expect([...sim.service.campaigns.values()][0].message).toBe("L'été, ${prenom} ${prenom}");
	expect(items[0].json.replacements).toBe("’ → ', 👋 removed");
	expect(hints).toMatchObject([{ message: expect.stringContaining("’ → ', 👋 removed") }]);
});

/** A campaign to two contacts. */
async function created(campaignType = 'marketing'): Promise<string> {
	const list = sim.service.createList('Clients', [{ name: 'Nom' }]);
	list.addContact('+33639981111', { nom: 'Petit' });
	list.addContact('+33639982222', { nom: 'Roux' });
	const parameters = creation(list.id, { campaignType, message: 'Bonjour ${nom}' });
	const { items, error } = await runCampaign(sim, parameters);
	expect(error).toBeUndefined();
	sim.requests.length = 0;
	return items[0].json.id as string;
}

describe.each(KINDS)('a %s campaign that exists (extended)', (campaignType) => {
	test('Send', async () => {
		const campaignId = await created(campaignType);
		const campaign = byId('={{ $json.id }}');
		const options = { sendAnyway: true };
		const parameters = { operation: 'send', campaignType, campaign, options };
		const { items, hints } = await runCampaign(sim, parameters, {
			items: [{ id: campaignId }],
		});
		const { line, headers, body } = onlyRequest(sim);
		expect(line).toBe(`POST /v2/${campaignType}/campaigns/${campaignId}/send HTTP/1.1`);
		expect(headers['x-service-apikey']).toBe(sim.apiKey);
		expect(body).toBe('');
		expect(sim.messages.map(({ number, text }) => [number, text])).toEqual([
			['+33639981111', 'Bonjour Petit'],
			['+33639982222', 'Bonjour Roux'],
		]);
		const { creditsUsed } = sim.service.campaigns.get(campaignId)!;
		expect(jsonOf(items)).toEqual([{ status: 'sent', creditsUsed, id: campaignId }]);
		const said = `The campaign ${campaignId} was sent to its list. ${creditsUsed} `;
		expect(hints).toMatchObject([{ message: expect.stringContaining(said) }]);
	});

	test('Send Test', async () => {
		const id = await created(campaignType);
		const campaign = byId(id);
		const parameters = {
			operation: 'sendTest',
			campaignType,
			campaign,
			number: '06 39.98-12 34',
		};
		const { items } = await runCampaign(sim, parameters);
		expect(onlyRequest(sim)).toEqual({
			line: `POST /v2/${campaignType}/campaigns/${id}/test HTTP/1.1`,
			headers: { 'content-type': 'application/json', 'x-service-apikey': sim.apiKey },
			body: '{"identifier":"0639981234"}',
		});
		expect(sim.messages.map(({ number }) => number)).toEqual(['+33639981234']);
		const { creditsUsed } = sim.service.campaigns.get(id)!;
		expect(jsonOf(items)).toEqual([
			{ status: 'sent', creditsUsed, id, number: '+33639981234' },
		]);
	});
});

describe('looking at a campaign (extended)', () => {
	test('record, statistics, replies and blacklists are those of the campaign', async () => {
		const campaignId = await created();
		const campaign = byId(campaignId);
		await runCampaign(sim, { operation: 'send', campaign });
		const { id } = sim.reply('+33639981111', 'Merci');
		sim.stop('+33639982222');
		const read = async (operation: string) =>
			jsonOf((await runCampaign(sim, { operation, campaign })).items);

		const [record] = await read('get');
		expect(record).toMatchObject({
			...{ id: campaignId, name: 'Summer sale', message: 'Bonjour ${nom}' },
			...{ type: 'MARKETING', listId: expect.any(String) },
		});
		expect(Object.keys(record).slice(0, 3)).toEqual(['state', 'id', 'name']);
		expect(record).not.toHaveProperty('sendList');
		const statistics = { id: campaignId, sent: 2, state: 'SENT' };
		expect(await read('getStatistics')).toMatchObject([statistics]);
		expect(await read('getBlacklists')).toEqual([
			{
				campaignId,
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 1, numbers: ['+33639982222'] },
			},
		]);
		const reply = { id, number: '+33639981111', campaignId, message: 'Merci', intent: 'other' };
		expect(await read('getReplies')).toContainEqual(reply);
	});

	test.each<[operation: string, answer: unknown, result: IDataObject[]]>([
		['getStatistics', { sent: '12', state: 'SENT' }, [{ id: 'c-7', sent: 12, state: 'SENT' }]],
		['getReplies', [], []],
		['getMany', [{ campaignId: 9, name: 'A' }], [{ name: 'A', id: '9' }]],
		[
			'get',
			{ id: 9, sendList: { id: 5 }, sourceAddress: 'MyShop', state: 'SENT' },
			[{ state: 'SENT', id: '9', listId: '5', sender: 'MyShop' }],
		],
		[
			'getMany',
			[{ id: 9, sendList: { id: 5, name: 'A' } }],
			[{ id: '9', listId: '5', sendList: { id: 5, name: 'A' } }],
		],
	])('%s understands %j', async (operation, body, result) => {
		sim.faults.add({ do: { kind: 'json', body } });
		const { items, error } = await runCampaign(sim, { operation, campaign: byId('c-7') });
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toEqual(result);
	});

	test.each<[operation: string, answer: unknown]>([
		['getStatistics', {}],
		['getStatistics', { sent: 'many' }],
		['getBlacklists', { bounces: 3 }],
		['getReplies', [{ message: 'from nobody' }]],
		['getMany', [{ name: 'without ID' }]],
		['get', { name: 'without ID' }],
	])('%s makes no sense of %j, and says so', async (operation, body) => {
		sim.faults.add({ times: Infinity, do: { kind: 'json', body } });
		const { items, error } = await runCampaign(sim, { operation, campaign: byId('c-7') });
		expect(items).toEqual([]);
		expect(error?.message).toContain('an unexpected answer');
	});

	test('the same campaign is asked for once, and each item is paired with its own', async () => {
		const id = await created();
		const { replies } = sim.service.campaignPool(id);
		replies.add({ id: 'r', identifier: '+33639981111', message: 'Oui' });
		const parameters = { operation: 'getReplies', campaign: byId('={{ $json.id }}') };
		const { items } = await runCampaign(sim, parameters, { items: [{ id }, { id }] });
		expect(sim.requests).toHaveLength(1);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});

/** The service may send one with a date at that time: a test run must not create it. */
const DATED = { options: { date: '2031-01-15T10:00:00' } };

test.each([
	['preview', 'manual', DATED, false],
	['testNumber', 'manual', DATED, false],
	['send', 'manual', DATED, true],
	// Creating one without a date sends nothing.
	['preview', 'manual', {}, true],
	['testNumber', 'manual', {}, true],
	['preview', 'trigger', DATED, true],
	['testNumber', 'trigger', DATED, true],
] as const)('Test Runs = %s, %s, %j: created is %s', async (manualRuns, mode, more, isCreated) => {
	const { id } = sim.service.createList('Customers', []);
	const { baseUrl, apiKey } = sim;
	const credential = { baseUrl, apiKey, manualRuns, testNumber: '0639980999' };
	const { error } = await runCampaign(sim, creation(id, more), { mode, credential });
	expect(sim.requestsTo('POST', /./)).toHaveLength(isCreated ? 1 : 0);
	if (isCreated) return expect(error).toBeUndefined();
	expect(error?.message).toContain("A campaign with 'Send At' isn't created in a test run");
	expect(error?.description).toContain("'Test Runs' in the credential");
});
