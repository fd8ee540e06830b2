/**
 * Every operation of every node: parameters, the requests that they lead to, and the result, as the
 * interface document has them (section 4), extended ones as the public facts about the service have
 * them. Tests in the engine and in real n8ns run over this table.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Simulator } from './simulator/index.mts';

/** One call of an operation, and what the documents say of it. */
export interface Row {
	node: string;
	operation: string;
	/** What the row is about, where an operation has several. */
	what?: string;
	parameters: INodeParameters;
	/** What the service holds beforehand; gives what the texts of the row refer to as `:name`. */
	given?: (sim: Simulator) => Record<string, string>;
	/** The request lines that are expected, with `:name` for what `given` gave. */
	lines: string[];
	/** The body of the last request; undefined for none. */
	body?: unknown;
	/** The result, unless it is not JSON of one item. */
	result?: IDataObject;
	extended?: boolean;
	/** Requests that carry the key in the query instead of the header (interface document 5.3). */
	keyInQuery?: boolean;
}

const NUMBER = '+33639981234';
const LISTED = '%2B33639981234';

export const operations: Row[] = [
	// 4.3 Sending messages
	...['notification', 'marketing'].flatMap((messageType): Row[] => [
		{
			node: 'Sms',
			operation: 'send',
			what: messageType,
			parameters: { messageType, number: NUMBER, message: 'Bonjour' },
			lines: [`POST /v2/${messageType}/messages/send`],
			body: { number: NUMBER, message: 'Bonjour' },
			result: { creditsUsed: 1, snapshotId: '362891', number: NUMBER },
		},
		{
			node: 'Sms',
			operation: 'sendBatch',
			what: messageType,
			parameters: { messageType, number: NUMBER, message: 'Bonjour' },
			lines: [`POST /v2/${messageType}/messages/send`],
			body: { number: NUMBER, message: 'Bonjour' },
			result: { status: 'sent', creditsUsed: 1, snapshotId: '362891', number: NUMBER },
		},
		{
			node: 'Sms',
			operation: 'sendByUrl',
			what: messageType,
			parameters: {
				messageType,
				number: NUMBER,
				message: 'Bonjour',
				options: { sender: 'MyShop' },
			},
			lines: [
				`GET /v2/${messageType}/messages/send?apiKey=:key&identifier=${LISTED}&sender=MyShop&message=Bonjour`,
			],
			result: { creditsUsed: 1, snapshotId: '362891', number: NUMBER },
			keyInQuery: true,
		},
	]),
	{ node: 'Sms', operation: 'preview', parameters: { message: 'Bonjour' }, lines: [] },

	// 4.1 Blacklists of the account
	...['unsubscribers', 'bounces'].flatMap((blacklist): Row[] => [
		{
			node: 'SmsBlacklist',
			operation: 'add',
			what: blacklist,
			parameters: { blacklist, number: NUMBER },
			lines: [`POST /v2/${blacklist}/default/contacts`],
			body: { identifier: NUMBER },
			result: { id: '5e0000000000000000000001', identifier: NUMBER, blacklist },
		},
		{
			node: 'SmsBlacklist',
			operation: 'getMany',
			what: blacklist,
			parameters: { blacklist, returnAll: true },
			given: (sim) => listed(sim, blacklist),
			lines: [`GET /v2/${blacklist}/default/contacts`],
			result: { id: '5e0000000000000000000001', identifier: NUMBER, deleted: false },
		},
		{
			node: 'SmsBlacklist',
			operation: 'remove',
			what: blacklist,
			parameters: { blacklist, number: NUMBER },
			given: (sim) => listed(sim, blacklist),
			lines: [`DELETE /v2/${blacklist}/default/contacts?identifier=${LISTED}`],
			result: { deleted: true, identifier: NUMBER, blacklist },
		},
		{
			node: 'SmsBlacklist',
			operation: 'check',
			what: blacklist,
			parameters: { blacklist, number: '06 39 98 12 34' },
			given: (sim) => listed(sim, blacklist),
			lines: [`GET /v2/${blacklist}/default/contacts`],
			result: { number: NUMBER, listed: true, blacklists: [blacklist] },
		},
	]),

	// 4.2 Campaigns, the three variants of the body for both types
	...['marketing', 'notification'].flatMap((campaignType): Row[] => [
		...[
			{ what: 'standard', message: 'Bonjour', parameters: {}, body: {} },
			{
				what: 'hosted HTML',
				message: 'Bonjour ${rich_message}',
				parameters: {
					landingPage: 'hosted',
					landingPageTitle: 'Soldes',
					landingPageHtml: '<h1>Soldes</h1>',
				},
				body: {
					landingPage: '<h1>Soldes</h1>',
					landingPageTitle: 'Soldes',
					landingPageType: 'CUSTOM',
				},
			},
			{
				what: 'external page',
				message: 'Bonjour ${rich_message}',
				parameters: {
					landingPage: 'external',
					externalUrl: 'https://www.example.com/soldes',
				},
				body: {
					externalUrl: 'https://www.example.com/soldes',
					landingPageType: 'EXTERNAL',
				},
			},
		].map(
			({ what, message, parameters, body }): Row => ({
				node: 'SmsCampaign',
				operation: 'create',
				what: `${campaignType}, ${what}`,
				parameters: {
					campaignType,
					name: 'Soldes',
					message,
					list: listOf(':list'),
					...parameters,
				},
				given: withList,
				lines: [`POST /v2/${campaignType}/campaigns`],
				body: { name: 'Soldes', message, sendList: { id: ':list' }, ...body },
				result: { id: '5e0000000000000000000002' },
			}),
		),
		{
			node: 'SmsCampaign',
			operation: 'sendTest',
			what: campaignType,
			parameters: { campaignType, campaignId: ':campaign', number: NUMBER },
			given: (simulator) => withCampaign(simulator, campaignType),
			lines: [`POST /v2/${campaignType}/campaigns/:campaign/test`],
			body: { identifier: NUMBER },
			result: { creditsUsed: 1, campaignId: ':campaign', number: NUMBER },
			extended: true,
		},
		{
			node: 'SmsCampaign',
			operation: 'send',
			what: campaignType,
			parameters: { campaignType, campaignId: ':campaign' },
			given: (simulator) => withCampaign(simulator, campaignType),
			lines: [`POST /v2/${campaignType}/campaigns/:campaign/send`],
			result: { creditsUsed: 1, campaignId: ':campaign' },
			extended: true,
		},
	]),
	...[
		{ operation: 'get', below: '' },
		{ operation: 'getStatistics', below: '/status' },
		{ operation: 'getReplies', below: '/replies' },
		{ operation: 'getBlacklists', below: '/blacklists' },
	].map(
		({ operation, below }): Row => ({
			node: 'SmsCampaign',
			operation,
			parameters: { campaignId: ':campaign' },
			given: withCampaign,
			lines: [`GET /v2/campaigns/:campaign${below}`],
			extended: true,
		}),
	),
	{
		node: 'SmsCampaign',
		operation: 'getMany',
		parameters: {},
		given: withCampaign,
		lines: ['GET /v2/campaigns'],
		extended: true,
	},

	// 4.5 Lists, fields and contacts
	{
		node: 'SmsList',
		operation: 'create',
		parameters: { name: 'Clients de Lyon' },
		lines: ['POST /v2/lists/'],
		body: { name: 'Clients de Lyon' },
		result: { id: '5e0000000000000000000001', name: 'Clients de Lyon' },
	},
	{
		node: 'SmsList',
		operation: 'create',
		what: 'with a column',
		parameters: {
			name: 'Clients',
			columns: { column: [{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' }] },
		},
		lines: ['POST /v2/lists/', 'POST /v2/lists/5e0000000000000000000001/fields'],
		body: { name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		result: {
			id: '5e0000000000000000000001',
			name: 'Clients',
			fields: [{ id: 'anniversaire', name: 'Anniversaire', type: 'DATE', format: 'dd/MM' }],
		},
	},
	{
		node: 'SmsList',
		operation: 'getMany',
		parameters: {},
		given: withList,
		lines: ['GET /v2/lists/'],
		result: { id: ':list', name: 'Clients' },
	},
	{
		node: 'SmsList',
		operation: 'get',
		parameters: { list: listOf(':list') },
		given: withList,
		lines: ['GET /v2/lists/:list'],
		result: {
			id: ':list',
			name: 'Clients',
			fields: [
				{
					id: 'nom_de_famille',
					listId: ':list',
					name: 'Nom de famille',
					type: 'STRING',
					format: '',
				},
			],
		},
	},
	{
		node: 'SmsList',
		operation: 'delete',
		parameters: { list: listOf(':list', 'id') },
		given: withList,
		lines: ['DELETE /v2/lists/:list'],
		result: { deleted: true, id: ':list' },
	},
	...[
		{ columnType: 'STRING' },
		{ columnType: 'BOOLEAN' },
		{ columnType: 'NUMBER' },
		...['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'].map((dateFormat) => ({
			columnType: 'DATE',
			dateFormat,
		})),
	].map(({ columnType, ...date }): Row => {
		const { dateFormat: format } = date as { dateFormat?: string };
		const column = { name: 'Inscrit', type: columnType, ...(format && { format }) };
		return {
			node: 'SmsList',
			operation: 'addColumn',
			what: [columnType, format].filter(Boolean).join(' '),
			parameters: { list: listOf(':list'), columnName: 'Inscrit', columnType, ...date },
			given: withList,
			lines: ['POST /v2/lists/:list/fields'],
			body: column,
			result: { id: 'inscrit', listId: ':list', ...column },
		};
	}),
	{
		node: 'SmsList',
		operation: 'deleteColumn',
		parameters: { list: listOf(':list'), column: 'nom_de_famille' },
		given: withList,
		lines: ['GET /v2/lists/:list', 'DELETE /v2/lists/:list/fields/nom_de_famille'],
		result: { deleted: true, id: 'nom_de_famille', name: 'Nom de famille', listId: ':list' },
		extended: true,
	},
	{
		node: 'SmsList',
		operation: 'empty',
		parameters: { list: listOf(':list') },
		given: withList,
		lines: ['POST /v2/lists/:list/empty'],
		result: { emptied: true, id: ':list' },
		extended: true,
	},
	{
		node: 'SmsContact',
		operation: 'add',
		parameters: { list: listOf(':list'), number: NUMBER },
		given: withList,
		lines: ['POST /v2/lists/:list/contacts'],
		body: { identifier: NUMBER },
		result: { id: '5e0000000000000000000002', identifier: NUMBER, listId: ':list' },
	},
	{
		node: 'SmsContact',
		operation: 'add',
		what: 'with values',
		parameters: {
			list: listOf(':list'),
			number: NUMBER,
			attributes: {
				mappingMode: 'defineBelow',
				value: { nom_de_famille: 'Dupont' },
				schema: [],
			},
		},
		given: withList,
		lines: ['GET /v2/lists/:list', 'POST /v2/lists/:list/contacts'],
		body: { identifier: NUMBER, attributes: { nom_de_famille: 'Dupont' } },
		result: {
			id: '5e0000000000000000000002',
			identifier: NUMBER,
			listId: ':list',
			attributes: { nom_de_famille: 'Dupont' },
		},
	},
	{
		node: 'SmsContact',
		operation: 'getMany',
		what: 'by column ID',
		parameters: { list: listOf(':list'), options: { attributeKeys: 'ids' } },
		given: withContact,
		lines: ['GET /v2/lists/:list/contacts'],
		result: {
			id: ':contact',
			identifier: NUMBER,
			attributes: { nom_de_famille: 'Dupont' },
		},
	},
	{
		node: 'SmsContact',
		operation: 'getMany',
		what: 'by column name',
		parameters: { list: listOf(':list') },
		given: withContact,
		lines: ['GET /v2/lists/:list/contacts', 'GET /v2/lists/:list'],
		result: {
			id: ':contact',
			identifier: NUMBER,
			attributes: { 'Nom de famille': 'Dupont' },
		},
	},
	...['auto', 'contacts', 'contact'].map((pathSegment): Row => {
		const segment = pathSegment === 'contact' ? 'contact' : 'contacts';
		return {
			node: 'SmsContact',
			operation: 'deleteByNumber',
			what: pathSegment,
			parameters: { list: listOf(':list'), number: NUMBER, options: { pathSegment } },
			given: withContact,
			lines: [`DELETE /v2/lists/:list/${segment}?identifier=${LISTED}`],
			result: { deleted: true, identifier: NUMBER, listId: ':list' },
		};
	}),
	{
		node: 'SmsContact',
		operation: 'deleteById',
		parameters: { list: listOf(':list'), contactId: ':contact' },
		given: withContact,
		lines: ['DELETE /v2/lists/:list/contacts/:contact'],
		result: { deleted: true, id: ':contact', listId: ':list' },
	},
	{
		node: 'SmsContact',
		operation: 'import',
		parameters: {
			list: listOf(':list'),
			number: NUMBER,
			attributes: {
				mappingMode: 'defineBelow',
				value: { nom_de_famille: 'Dupont' },
				schema: [],
			},
		},
		given: withList,
		lines: ['GET /v2/lists/:list', 'POST /v2/lists/:list/import'],
		body: [
			['tel', 'Nom de famille'],
			[NUMBER, 'Dupont'],
		],
		result: { imported: 1, listId: ':list', location: '/v2/lists/:list/contacts' },
		extended: true,
	},

	// 4.4 Message queries, 4.6 Account
	{
		node: 'SmsStats',
		operation: 'messageStatus',
		what: 'by recipient',
		parameters: { number: NUMBER },
		given: withMessage,
		lines: [`GET /v2/messages/status?identifier=${LISTED}`],
	},
	{
		node: 'SmsStats',
		operation: 'messageStatus',
		what: 'by snapshot',
		parameters: { lookupBy: 'snapshotId', snapshotId: ':snapshot' },
		given: withMessage,
		lines: ['GET /v2/messages/status?snapshotId=:snapshot'],
	},
	{
		node: 'SmsStats',
		operation: 'category',
		parameters: { category: 'orders' },
		given: withMessage,
		lines: ['GET /v2/messages/stats?category=orders'],
	},
	{
		node: 'SmsStats',
		operation: 'replies',
		parameters: { category: 'orders', returnAll: true },
		given: (sim) => ({ ...withMessage(sim), ...sim.reply(NUMBER, 'Oui') }),
		lines: ['GET /v2/messages/replies?category=orders'],
		result: { id: ':id', identifier: NUMBER, message: 'Oui' },
	},
	{
		node: 'SmsStats',
		operation: 'categoryBlacklists',
		parameters: { category: 'orders' },
		given: (sim) => {
			const names = withMessage(sim);
			sim.stop(NUMBER);
			return names;
		},
		lines: ['GET /v2/messages/blacklists?category=orders'],
		result: {
			bounces: { number: 0, identifiers: [] },
			unsubscribers: { number: 1, identifiers: ['0639981234'] },
		},
	},
	{
		node: 'SmsStats',
		operation: 'account',
		parameters: {},
		given: withMessage,
		lines: ['GET /v2/account/stats'],
	},
];

/** A message that the service has accepted. */
function withMessage(sim: Simulator) {
	const { snapshotId } = sim.service.accept({
		kind: 'notification',
		number: NUMBER,
		text: 'Bonjour',
		category: 'orders',
	});
	return { snapshot: snapshotId };
}

/** A campaign to a list with one contact. */
function withCampaign(simulator: Simulator, kind = 'marketing') {
	const { list } = withContact(simulator);
	const campaign = {
		id: simulator.service.createId(),
		kind: kind as 'marketing',
		name: 'Soldes',
		message: 'Bonjour',
		listId: list,
		state: 'CREATED' as const,
		creditsUsed: 0,
	};
	simulator.service.campaigns.set(campaign.id, campaign);
	return { campaign: campaign.id };
}

function withContact(simulator: Simulator) {
	const { list } = withList(simulator);
	const values = { nom_de_famille: 'Dupont' };
	return { list, contact: simulator.service.list(list).addContact(NUMBER, values).id };
}

function withList(simulator: Simulator) {
	return { list: simulator.service.createList('Clients', [{ name: 'Nom de famille' }]).id };
}

function listed(simulator: Simulator, kind: string) {
	simulator.service.addToBlacklist(kind as 'bounces', NUMBER);
	return {};
}

/** A row whose names (`:list` and so on) have become what the simulator holds. */
export type PreparedRow = Pick<Row, 'parameters' | 'lines' | 'body' | 'result'>;

/** Puts into a simulator what a row starts from, and names it in the row's texts. */
export function prepare(row: Row, simulator: Simulator): PreparedRow {
	const names: Record<string, string> = { key: simulator.apiKey, ...row.given?.(simulator) };
	const { parameters, lines, body, result } = row;
	const text = JSON.stringify({ parameters, lines, body, result });
	return JSON.parse(text.replace(/:(\w+)/g, (whole, name: string) => names[name] ?? whole));
}

/** A value of the resource locator. */
export function listOf(value: string, mode = 'list') {
	return { __rl: true, mode, value };
}
