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

describe.each(KINDS)('Create of a %s campaign', (campaignType) => {
	const line = `POST /v2/${campaignType}/campaigns HTTP/1.1`;
	const headers = () => ({
		'content-type': 'application/json',
		'x-service-apikey': sim.apiKey,
	});
	const standard = (listId: string) => ({
		name: 'Summer sale',
		message: 'Bonjour',
		sendList: { id: listId },
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
		expect(items).toEqual([
			{
				json: {
					...{ state: 'notSent', name: 'Summer sale', campaignType },
					...{ id: campaign.id, listId: id },
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	type Row = [what: string, parameters: INodeParameters, body: IDataObject];
	const ROWS: Row[] = [
		[
			'a hosted page',
			{
				message: 'Bonjour ${rich_message}',
				landingPage: 'hosted',
				landingPageTitle: ' L’été ',
				landingPageHtml: HTML,
			},
			{
				message: 'Bonjour ${rich_message}',
				landingPage: HTML,
				landingPageTitle: 'L’été',
				landingPageType: 'CUSTOM',
			},
		],
		[
			'an external page',
			{
				message: 'Bonjour ${rich_message}',
				landingPage: 'external',
				externalUrl: ' https://www.example.com/été?a=1&b=2 ',
			},
			{
				message: 'Bonjour ${rich_message}',
				externalUrl: 'https://www.example.com/été?a=1&b=2',
				landingPageType: 'EXTERNAL',
			},
		],
		[
			'what belongs to another variant left in hidden fields',
			{
				landingPage: 'none',
				landingPageTitle: 'Old',
				landingPageHtml: '<p>Old</p>',
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
		[
			'replaced characters',
			{ message: 'L’été… 👋', options: { unsupportedCharacters: 'replace' } },
			{ message: "L'été..." },
		],
		[
			'the currency of its kind',
			{ message: campaignType === 'marketing' ? '10 €' : '10 ¤' },
			{ message: campaignType === 'marketing' ? '10 €' : '10 ¤' },
		],
	];
	test.each(ROWS)('with %s', async (_, parameters, body) => {
		const { id } = sim.service.createList('Clients');
		const { error } = await runCampaign(sim, creation(id, { campaignType, ...parameters }));
		expect(error).toBeUndefined();
		const request = onlyRequest(sim);
		expect({ ...request, body: JSON.parse(request.body) }).toEqual({
			line,
			headers: headers(),
			body: { ...standard(id), ...body },
		});
	});

	test.each([
		['Europe/Paris', '2030-07-14T09:30:00', Date.UTC(2030, 6, 14, 7, 30)],
		['America/New_York', '2030-07-14T09:30:00', Date.UTC(2030, 6, 14, 13, 30)],
		['Asia/Tokyo', '2030-07-14T09:30:00+02:00', Date.UTC(2030, 6, 14, 7, 30)],
	])('a date in %s: %s', async (timeZone, date, milliseconds) => {
		const { id } = sim.service.createList('Clients');
		await runCampaign(sim, creation(id, { campaignType, options: { date } }), { timeZone });
		expect(JSON.parse(onlyRequest(sim).body).date).toBe(milliseconds);
	});
});

test('the HTML of each item has the expressions of that item in it, evaluated once', async () => {
	const { id } = sim.service.createList('Clients');
	const page = (landingPageHtml: string) =>
		creation(id, {
			message: '${rich_message}',
			landingPage: 'hosted',
			landingPageTitle: 'Hello',
			landingPageHtml,
		});
	const pages = () => sim.requests.map(({ bodyText }) => JSON.parse(bodyText).landingPage);
	const items = [{ html: '<p>{{ 1 + 1 }}</p>' }, { html: '<p>two</p>' }];
	for (const typed of ['<b>{{ $json.html }}</b>', '=<b>{{ $json.html }}</b>']) {
		sim.requests.length = 0;
		const { error } = await runCampaign(sim, page(typed), { items });
		expect(error).toBeUndefined();
		expect(pages().sort()).toEqual(['<b><p>two</p></b>', '<b><p>{{ 1 + 1 }}</p></b>']);
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

test.each<[what: string, answer: unknown, result: IDataObject]>([
	['campaignId', { campaignId: 'c-7' }, { id: 'c-7' }],
	['a number', { id: 42 }, { id: '42' }],
	['a list of one', [{ id: 'c-7' }], { id: 'c-7' }],
])('the ID in the answer as %s', async (_, body, result) => {
	const { id } = sim.service.createList('Clients');
	sim.faults.add({ method: 'POST', do: { kind: 'json', body } });
	const { items } = await runCampaign(sim, creation(id));
	expect(jsonOf(items)).toMatchObject([{ ...result, state: 'notSent', listId: id }]);
	expect(items[0].json).not.toHaveProperty('campaignId');
});

test.each([
	['Clients (…0001)', 'Clients'],
	['Clients (2026) (…0001)', 'Clients (2026)'],
	['Clients (2026)', 'Clients (2026)'],
])('of what the dropdown shows, %s, the result has the name', async (shown, listName) => {
	const { id } = sim.service.createList('Clients');
	const list = { __rl: true, mode: 'list', value: id, cachedResultName: shown };
	const { items } = await runCampaign(sim, creation(id, { list }));
	expect(items[0].json).toMatchObject({ listId: id, listName });
	// What the next node needs and what a person reads come first.
	expect(Object.keys(items[0].json)).toEqual([
		'state',
		'id',
		'name',
		'listName',
		'campaignType',
		'listId',
	]);
});

test('the result says what was replaced', async () => {
	const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
	const { items, hints } = await runCampaign(
		sim,
		creation(id, {
			message: 'L’été, ${prenom} 👋 ${prenom}',
			options: { unsupportedCharacters: 'replace' },
		}),
	);
	expect([...sim.service.campaigns.values()][0].message).toBe("L'été, ${prenom} ${prenom}");
	expect(items[0].json.replacements).toBe("’ → ', 👋 removed");
	expect(hints).toMatchObject([{ message: expect.stringContaining("’ → ', 👋 removed") }]);
});

/** A campaign with some life in it, and the requests about it. */
function campaign(kind: string) {
	const list = sim.service.createList('Clients', [{ name: 'Nom' }]);
	list.addContact('+33639981111', { nom: 'Petit' });
	list.addContact('+33639982222', { nom: 'Roux' });
	return { listId: list.id, message: 'Bonjour ${nom}', kind };
}

async function created(kind = 'marketing'): Promise<string> {
	const { listId, message } = campaign(kind);
	const { items, error } = await runCampaign(
		sim,
		creation(listId, { campaignType: kind, message }),
	);
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
		const { items } = await runCampaign(sim, parameters, { items: [{ id: campaignId }] });
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
	});

	test('Send Test', async () => {
		const campaignId = await created(campaignType);
		const { items } = await runCampaign(sim, {
			operation: 'sendTest',
			campaignType,
			campaign: byId(campaignId),
			number: '06 39.98-12 34',
		});
		expect(onlyRequest(sim)).toEqual({
			line: `POST /v2/${campaignType}/campaigns/${campaignId}/test HTTP/1.1`,
			headers: { 'content-type': 'application/json', 'x-service-apikey': sim.apiKey },
			body: '{"identifier":"0639981234"}',
		});
		expect(sim.messages.map(({ number }) => number)).toEqual(['+33639981234']);
		expect(items).toHaveLength(1);
		expect(items[0].json).toEqual({
			status: 'sent',
			creditsUsed: sim.service.campaigns.get(campaignId)!.creditsUsed,
			id: campaignId,
			number: '+33639981234',
		});
	});
});

describe('looking at a campaign (extended)', () => {
	const READS: Array<[operation: string, path: (id: string) => string]> = [
		['get', (id) => `/v2/campaigns/${id}`],
		['getStatistics', (id) => `/v2/campaigns/${id}/status`],
		['getReplies', (id) => `/v2/campaigns/${id}/replies`],
		['getBlacklists', (id) => `/v2/campaigns/${id}/blacklists`],
		['getMany', () => '/v2/campaigns'],
	];
	test.each(READS)('%s asks for it', async (operation, path) => {
		const campaignId = await created();
		const { error } = await runCampaign(sim, { operation, campaign: byId(campaignId) });
		expect(error).toBeUndefined();
		expect(onlyRequest(sim)).toEqual({
			line: `GET ${path(campaignId)} HTTP/1.1`,
			headers: { 'x-service-apikey': sim.apiKey },
			body: '',
		});
	});

	test('Get gives the record', async () => {
		const campaignId = await created();
		const { items } = await runCampaign(sim, { operation: 'get', campaign: byId(campaignId) });
		expect(items[0].json).toMatchObject({
			id: campaignId,
			name: 'Summer sale',
			message: 'Bonjour ${nom}',
			state: 'CREATED',
			type: 'MARKETING',
			listId: expect.any(String),
		});
		expect(Object.keys(items[0].json).slice(0, 3)).toEqual(['state', 'id', 'name']);
		expect(items[0].json).not.toHaveProperty('sendList');
	});

	test('Send says above its result that the whole list got it, and what it cost', async () => {
		const campaignId = await created();
		const send = { operation: 'send', campaign: byId(campaignId) };
		const { items, hints } = await runCampaign(sim, send);
		const { creditsUsed } = items[0].json as { creditsUsed: number };
		const { message } = hints![0] as { message: string };
		expect(message).toContain(
			`The campaign ${campaignId} was sent to its list. ${creditsUsed} `,
		);
	});

	test('statistics, replies and blacklists are those of the campaign', async () => {
		const campaignId = await created();
		await runCampaign(sim, { operation: 'send', campaign: byId(campaignId) });
		const { id } = sim.reply('+33639981111', 'Merci');
		sim.stop('+33639982222');

		const statistics = await runCampaign(sim, {
			operation: 'getStatistics',
			campaign: byId(campaignId),
		});
		expect(statistics.items[0].json).toMatchObject({ id: campaignId, sent: 2, state: 'SENT' });
		const blacklists = await runCampaign(sim, {
			operation: 'getBlacklists',
			campaign: byId(campaignId),
		});
		expect(jsonOf(blacklists.items)).toEqual([
			{
				campaignId,
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 1, numbers: ['+33639982222'] },
			},
		]);
		const replies = await runCampaign(sim, {
			operation: 'getReplies',
			campaign: byId(campaignId),
		});
		expect(jsonOf(replies.items)).toContainEqual({
			id,
			number: '+33639981111',
			campaignId,
			message: 'Merci',
			intent: 'other',
		});
	});

	test.each<[operation: string, answer: unknown, result: IDataObject[]]>([
		['getStatistics', { sent: '12', state: 'SENT' }, [{ id: 'c-7', sent: 12, state: 'SENT' }]],
		[
			'getBlacklists',
			{ bounces: { number: '1', identifiers: { 0: '0639981111' } } },
			[
				{
					campaignId: 'c-7',
					bounces: { count: 1, numbers: ['+33639981111'] },
					unsubscribers: { count: 0, numbers: [] },
				},
			],
		],
		[
			'getReplies',
			{ id: 1, message: 'Stop svp', intent: 'yes' },
			[{ campaignId: 'c-7', id: '1', message: 'Stop svp', intent: 'stop' }],
		],
		['getReplies', [], []],
		['getMany', { campaignId: 9, name: 'A' }, [{ name: 'A', id: '9' }]],
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
		['getReplies', 'none'],
		['getMany', [{ name: 'without ID' }]],
		['getMany', [[{ id: '1' }]]],
		['get', { name: 'without ID' }],
	])('%s makes no sense of %j, and says so', async (operation, body) => {
		sim.faults.add({ times: Infinity, do: { kind: 'json', body } });
		const { items, error } = await runCampaign(sim, { operation, campaign: byId('c-7') });
		expect(items).toEqual([]);
		expect(error?.message).toContain('an unexpected answer');
	});
});

describe('Get Many and Get Replies', () => {
	function fill(count: number): void {
		for (let index = 0; index < count; index++) {
			const id = `c-${index}`;
			sim.service.campaigns.set(id, {
				id,
				kind: 'marketing',
				name: `Campaign ${index}`,
				message: 'Bonjour',
				listId: '1',
				state: 'CREATED',
				creditsUsed: 0,
			});
		}
	}

	test('50 campaigns unless more are asked for', async () => {
		fill(60);
		expect((await runCampaign(sim, { operation: 'getMany' })).items).toHaveLength(50);
		const few = await runCampaign(sim, { operation: 'getMany', limit: 3 });
		expect(few.items.map(({ json }) => json.id)).toEqual(['c-0', 'c-1', 'c-2']);
		const all = await runCampaign(sim, { operation: 'getMany', returnAll: true });
		expect(all.items).toHaveLength(60);
	});

	test('50,000 campaigns, which n8n could not route', async () => {
		fill(50_000);
		const { items, error } = await runCampaign(sim, { operation: 'getMany', returnAll: true });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(50_000);
		expect(items[49_999]).toMatchObject({ json: { id: 'c-49999' }, pairedItem: { item: 0 } });
	});

	test('the same campaign is asked for once, and each item is paired with its own', async () => {
		const campaignId = await created();
		sim.service.campaignPool(campaignId).replies.add({
			id: 'r',
			identifier: '+33639981111',
			message: 'Oui',
		});
		const { items } = await runCampaign(
			sim,
			{ operation: 'getReplies', campaign: byId('={{ $json.id }}') },
			{ items: [{ id: campaignId }, { id: campaignId }] },
		);
		expect(sim.requests).toHaveLength(1);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});
