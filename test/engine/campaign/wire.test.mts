/**
 * The body of a campaign (interface document 4.2) and what comes out of the answers. The request of each operation and
 * each variant, for both types, is in the table of operations.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { addCampaign, byId, creation, jsonOf, runCampaign, succeeded } from './support.mts';

const sim = await useSimulator({ extended: true });

const HOSTED = {
	message: 'Bonjour ${rich_message}',
	...{ landingPage: 'hosted', landingPageTitle: 'Soldes' },
};
const bodies = () => sim.requestsTo('POST', /./).map((request) => request.json() as IDataObject);

test('the HTML of each item has its expressions resolved once, and braces of CSS stay', async () => {
	const { id } = sim.service.createList('Clients');
	const pages = () => bodies().map(({ landingPage }) => landingPage);
	const items = [{ html: '<p>{{ 1 + 1 }}</p>' }, { html: '<p>two</p>' }];
	for (const html of ['<b>{{ $json.html }}</b>', '=<b>{{ $json.html }}</b>']) {
		sim.requests.length = 0;
		const landingPageHtml = `${html}<style>p { margin: 0 }</style>{{ 1 + 1 }}`;
		const parameters = creation(id, { ...HOSTED, landingPageHtml });
		succeeded(await runCampaign(sim, parameters, { items }));
		expect(pages().sort()).toEqual(
			['<p>two</p>', '<p>{{ 1 + 1 }}</p>'].map(
				(own) => `<b>${own}</b><style>p { margin: 0 }</style>2`,
			),
		);
	}
});

test.each(['LIST', '={{ $json.id }}'])('the list is given as %s', async (typed) => {
	const { id } = sim.service.createList('Clients');
	const list = typed.replace('LIST', id);
	await runCampaign(sim, creation(id, { list }), { items: [{ id }] });
	expect(bodies()).toMatchObject([{ sendList: { id } }]);
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

describe('looking at a campaign (extended)', () => {
	test('replies and blacklists are those of the campaign, however many items ask', async () => {
		const list = sim.service.createList('Clients');
		list.addContact('+33639981111');
		list.addContact('+33639982222');
		const campaignId = addCampaign(sim, 'c-1', list.id);
		const { hints } = await runCampaign(sim, { operation: 'send', campaign: byId('c-1') });
		const message = expect.stringContaining('The campaign c-1 was sent to its list. 2 credits');
		expect(hints).toMatchObject([{ message }]);
		const { id } = sim.reply('+33639981111', 'Merci');
		sim.stop('+33639982222');
		const read = async (operation: string) => {
			const parameters = { operation, campaign: byId('={{ $json.id }}') };
			const items = [{ id: 'c-1' }, { id: 'c-1' }];
			return (await runCampaign(sim, parameters, { items })).items;
		};
		const replies = await read('getReplies');
		expect(sim.requestsTo('GET', /replies/)).toHaveLength(1);
		const reply = { id, number: '+33639981111', campaignId, message: 'Merci', intent: 'other' };
		expect(jsonOf(replies)).toContainEqual(reply);
		expect(new Set(replies.map(({ pairedItem }) => JSON.stringify(pairedItem))).size).toBe(2);
		expect(jsonOf(await read('getBlacklists'))[0]).toEqual({
			campaignId,
			bounces: { count: 0, numbers: [] },
			unsubscribers: { count: 1, numbers: ['+33639982222'] },
		});
	});

	test.each<[operation: string, answer: unknown, result: IDataObject[]]>([
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
		const { items } = succeeded(await runCampaign(sim, { operation, campaign: byId('c-7') }));
		expect(jsonOf(items)).toEqual(result);
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
	expect(bodies()).toHaveLength(isCreated ? 1 : 0);
	if (isCreated) return expect(error).toBeUndefined();
	expect(error?.message).toContain("A campaign with 'Send At' isn't created in a test run");
	expect(error?.description).toContain("'Test Runs' in the credential");
});

test('another campaign of this name and message is named in the editor', async () => {
	const { id } = sim.service.createList('Customers', []);
	const first = (await runCampaign(sim, creation(id), { mode: 'trigger' })).items[0].json.id;
	const { hints } = await runCampaign(sim, creation(id));
	expect(JSON.stringify(hints)).toContain(
		`There is another campaign \\"Summer sale\\" with this message already (ID ${String(first)}, `,
	);
	for (const more of [{ name: 'Winter' }, { message: 'Bonsoir' }])
		expect(JSON.stringify((await runCampaign(sim, creation(id, more))).hints)).not.toContain(
			'another campaign',
		);
	sim.requests.length = 0;
	await runCampaign(sim, creation(id), { mode: 'trigger' });
	expect(sim.requestsTo('GET', /./)).toEqual([]);
});
