/**
 * The interface document as a table, extended requests as the public facts about the service have them: every operation
 * of every node with its parameters, the requests that they lead to, and the result (section 4); the ways in which a
 * body is filled (2.5, 2.6); every request with what the service answers. Tests of the nodes in the engine and in real
 * n8ns run over it, and those of the simulator.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Simulator } from './simulator/index.mts';

/** One call of an operation, and what the documents say of it. */
export interface Row {
	node: string;
	operation: string;
	/** The case that the row is about, where an operation has several. */
	what?: string;
	parameters: INodeParameters;
	/** Fills the service beforehand; gives the names that the texts of the row refer to as `:name`. */
	given?: (sim: Simulator) => Record<string, string>;
	/** The request lines that are expected, with `:name` for what `given` gave. */
	lines: string[];
	/** A further one, for a hint, in a run from the editor. */
	forHint?: string;
	/** The body of the last request; undefined for none. */
	body?: unknown;
	/** Names of what the service holds afterwards, such as the ID of what was created. */
	made?: (sim: Simulator) => Record<string, string | undefined>;
	/** The fields of the only item of the result. */
	result?: IDataObject;
	/** Some of them, where the others are the service's business. */
	contains?: IDataObject;
	/** The result has no items. */
	isEmpty?: boolean;
	extended?: boolean;
	/** The execution waits for an answer then. */
	waits?: boolean;
	/** Requests that carry the key in the query instead of the header (interface document 5.3). */
	keyInQuery?: boolean;
	/** Beside base URL and key. */
	credential?: IDataObject;
}

const NUMBER = '+33639981234';
const LISTED = '%2B33639981234';
const PAGE = 'https://www.example.com/soldes';
/** Of the message `Bonjour`. */
const SENT = {
	status: 'sent',
	number: NUMBER,
	message: 'Bonjour',
	segments: 1,
	creditsUsed: 1,
	snapshotId: ':sent',
};

/** A row as it is written: node and operation as in `endpoints`. */
type Given = Omit<Row, 'node' | 'operation'> & { of: string };

const OPERATIONS: Given[] = [
	// 4.3 Sending messages
	...['notification', 'marketing'].flatMap((messageType): Given[] => [
		...[
			{ of: 'Sms send', result: SENT },
			// The same columns in every run.
			{ of: 'Sms sendBatch', result: { ...SENT, reason: '', advice: '' } },
		].map(
			(row): Given => ({
				...row,
				what: messageType,
				parameters: { messageType, number: NUMBER, message: 'Bonjour' },
				lines: [`POST /v2/${messageType}/messages/send`],
				body: { number: NUMBER, message: 'Bonjour' },
				made: sentOf,
			}),
		),
		{
			of: 'Sms sendByUrl',
			what: messageType,
			parameters: { messageType, number: NUMBER, message: 'Bonjour', sender: 'MyShop' },
			lines: [
				`GET /v2/${messageType}/messages/send?apiKey=:key&identifier=${LISTED}&sender=MyShop&message=Bonjour`,
			],
			made: sentOf,
			result: SENT,
			keyInQuery: true,
		},
	]),
	...['notification', 'marketing'].map(
		(messageType): Given => ({
			of: 'Sms sendAndWait',
			what: messageType,
			parameters: { messageType, number: NUMBER, message: 'Bonjour' },
			lines: [`POST /v2/${messageType}/messages/send`],
			body: { number: NUMBER, message: 'Bonjour :link' },
			made: (sim) => ({ ...sentOf(sim), link: linkOf(sim) }),
			contains: { answered: false, status: 'sent', snapshotId: ':sent', number: NUMBER },
			waits: true,
		}),
	),
	{
		of: 'Sms preview',
		parameters: { number: NUMBER, message: 'Bonjour' },
		lines: [],
		contains: { number: NUMBER, segments: 1 },
	},

	// 4.1 Blacklists of the account
	...['unsubscribers', 'bounces'].flatMap((blacklist): Given[] => [
		{
			of: 'SmsBlacklist add',
			what: blacklist,
			parameters: { blacklist, number: NUMBER },
			lines: [`POST /v2/${blacklist}/default/contacts`],
			body: { identifier: NUMBER },
			made: (sim) => entryOf(sim, blacklist),
			result: { id: ':entry', alreadyListed: false, number: NUMBER, blacklist },
		},
		{
			of: 'SmsBlacklist getMany',
			what: blacklist,
			parameters: { blacklist, returnAll: true },
			given: (sim) => listed(sim, blacklist),
			lines: [`GET /v2/${blacklist}/default/contacts`],
			made: (sim) => entryOf(sim, blacklist),
			result: { id: ':entry', number: NUMBER },
		},
		{
			of: 'SmsBlacklist remove',
			what: blacklist,
			parameters: { blacklist, number: NUMBER },
			given: (sim) => listed(sim, blacklist),
			lines: [`DELETE /v2/${blacklist}/default/contacts?identifier=${LISTED}`],
			result: { deleted: true, number: NUMBER, blacklist },
		},
		{
			of: 'SmsBlacklist check',
			what: blacklist,
			parameters: { blacklist, number: '06 39 98 12 34' },
			given: (sim) => listed(sim, blacklist),
			lines: [`GET /v2/${blacklist}/default/contacts`],
			result: { number: NUMBER, listed: true, blacklists: [blacklist] },
		},
	]),

	// 4.2 Campaigns, the three variants of the body for both types
	...['marketing', 'notification'].flatMap((campaignType): Given[] => [
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
				parameters: { landingPage: 'external', externalUrl: PAGE },
				body: { externalUrl: PAGE, landingPageType: 'EXTERNAL' },
			},
		].map(
			({ what, message, parameters, body }): Given => ({
				of: 'SmsCampaign create',
				what: `${campaignType}, ${what}`,
				parameters: {
					...{ campaignType, name: 'Soldes', message, list: listOf(':list') },
					...parameters,
				},
				given: withList,
				lines: [`POST /v2/${campaignType}/campaigns`],
				forHint: 'GET /v2/campaigns',
				body: { name: 'Soldes', message, sendList: { id: ':list' }, ...body },
				made: (sim) => ({ created: [...sim.service.campaigns.keys()][0] }),
				result: {
					...{ state: 'notSent', name: 'Soldes', campaignType },
					...{ id: ':created', listId: ':list' },
				},
			}),
		),
		{
			of: 'SmsCampaign sendTest',
			what: campaignType,
			parameters: { campaignType, campaign: listOf(':campaign', 'id'), number: NUMBER },
			given: (simulator) => withCampaign(simulator, campaignType),
			lines: [`POST /v2/${campaignType}/campaigns/:campaign/test`],
			body: { identifier: NUMBER },
			result: { status: 'sent', creditsUsed: 1, id: ':campaign', number: NUMBER },
			extended: true,
		},
		{
			of: 'SmsCampaign send',
			what: campaignType,
			parameters: { campaignType, campaign: listOf(':campaign') },
			given: (simulator) => withCampaign(simulator, campaignType),
			lines: [
				'GET /v2/campaigns/:campaign/status',
				'GET /v2/campaigns/:campaign',
				'GET /v2/lists/:list/contacts',
				'GET /v2/account/stats',
				`POST /v2/${campaignType}/campaigns/:campaign/send`,
			],
			result: { status: 'sent', creditsUsed: 1, id: ':campaign' },
			extended: true,
		},
	]),
	...[
		{
			operation: 'get',
			below: '',
			contains: {
				...{ id: ':campaign', name: 'Soldes' },
				...{ message: 'Bonjour', state: 'CREATED' },
			},
		},
		{
			operation: 'getStatistics',
			below: '/status',
			result: {
				...{ id: ':campaign', name: 'Soldes', state: 'CREATED', sent: 0, delivered: 0 },
				...{ undelivered: 0, bounces: 0, replies: 0, creditsUsed: 0 },
			},
		},
		{ operation: 'getReplies', below: '/replies', isEmpty: true },
		{
			operation: 'getBlacklists',
			below: '/blacklists',
			result: {
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 0, numbers: [] },
				campaignId: ':campaign',
			},
		},
	].map(
		({ operation, below, ...results }): Given => ({
			of: `SmsCampaign ${operation}`,
			parameters: { campaign: listOf(':campaign') },
			given: withCampaign,
			lines: [`GET /v2/campaigns/:campaign${below}`],
			...results,
			extended: true,
		}),
	),
	{
		of: 'SmsCampaign getMany',
		parameters: {},
		given: withCampaign,
		lines: ['GET /v2/campaigns'],
		contains: {
			...{ id: ':campaign', name: 'Soldes' },
			...{ message: 'Bonjour', state: 'CREATED' },
		},
		extended: true,
	},

	{
		of: 'SmsCampaign preview',
		parameters: { message: 'Bonjour ${nom_de_famille}', list: listOf(':list') },
		given: withContact,
		lines: [
			'GET /v2/lists/:list',
			'GET /v2/unsubscribers/default/contacts',
			'GET /v2/bounces/default/contacts',
			'GET /v2/account/stats',
			'GET /v2/lists/:list/contacts',
		],
		contains: {
			...{ recipients: 1, estimatedCredits: 1 },
			longest: {
				...{ segments: 1, characters: 14, encoding: 'GSM-7' },
				...{ number: NUMBER, message: 'Bonjour Dupont' },
			},
			segments: { total: 1, histogram: [{ segments: 1, recipients: 1 }] },
			problems: [],
		},
	},

	// 4.5 Lists, fields and contacts
	{
		of: 'SmsList create',
		parameters: { name: 'Clients de Lyon' },
		lines: ['POST /v2/lists/'],
		forHint: 'GET /v2/lists/',
		body: { name: 'Clients de Lyon' },
		made: lastList,
		result: { id: ':created', name: 'Clients de Lyon' },
	},
	{
		of: 'SmsList create',
		what: 'with a column',
		parameters: {
			name: 'Clients',
			columns: { column: [{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' }] },
		},
		lines: ['POST /v2/lists/', 'POST /v2/lists/:created/fields'],
		forHint: 'GET /v2/lists/',
		made: lastList,
		body: { name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		result: {
			id: ':created',
			name: 'Clients',
			fields: [{ id: ':newest', name: 'Anniversaire', type: 'DATE', format: 'dd/MM' }],
		},
	},
	{
		of: 'SmsList getMany',
		parameters: {},
		given: withList,
		lines: ['GET /v2/lists/'],
		result: { id: ':list', name: 'Clients' },
	},
	{
		of: 'SmsList get',
		parameters: { list: listOf(':list') },
		given: withList,
		lines: ['GET /v2/lists/:list'],
		result: {
			id: ':list',
			name: 'Clients',
			fields: [{ id: ':column', name: 'Nom de famille', type: 'STRING' }],
		},
	},
	{
		of: 'SmsList delete',
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
	].map(({ columnType, ...date }): Given => {
		const { dateFormat: format } = date as { dateFormat?: string };
		const column = { name: 'Inscrit', type: columnType, ...(format && { format }) };
		return {
			of: 'SmsList addColumn',
			what: [columnType, format].filter(Boolean).join(' '),
			parameters: { list: listOf(':list'), columnName: 'Inscrit', columnType, ...date },
			given: withList,
			lines: ['GET /v2/lists/:list', 'POST /v2/lists/:list/fields'],
			body: column,
			made: lastList,
			result: { id: ':newest', listId: ':list', ...column },
		};
	}),
	{
		of: 'SmsList deleteColumn',
		parameters: { list: listOf(':list'), column: ':column' },
		given: withList,
		lines: ['GET /v2/lists/:list', 'DELETE /v2/lists/:list/fields/:column'],
		result: { deleted: true, id: ':column', name: 'Nom de famille', listId: ':list' },
		extended: true,
	},
	{
		of: 'SmsList empty',
		parameters: { list: listOf(':list') },
		given: withList,
		lines: ['POST /v2/lists/:list/empty'],
		result: { emptied: true, id: ':list' },
		extended: true,
	},
	{
		of: 'SmsContact add',
		parameters: { list: listOf(':list'), number: NUMBER },
		given: withList,
		lines: ['POST /v2/lists/:list/contacts'],
		body: { identifier: NUMBER },
		made: contactOf,
		result: { id: ':created', number: NUMBER, listId: ':list', action: 'added' },
	},
	{
		of: 'SmsContact add',
		what: 'with values',
		parameters: named('Dupont'),
		given: withList,
		lines: ['GET /v2/lists/:list', 'POST /v2/lists/:list/contacts'],
		body: { identifier: NUMBER, attributes: { ':column': 'Dupont' } },
		made: contactOf,
		result: {
			id: ':created',
			number: NUMBER,
			listId: ':list',
			attributes: { 'Nom de famille': 'Dupont' },
			action: 'added',
		},
	},
	{
		of: 'SmsContact upsert',
		parameters: named('Durand'),
		given: withContact,
		lines: [
			'GET /v2/lists/:list',
			'GET /v2/lists/:list/contacts',
			'DELETE /v2/lists/:list/contacts/:contact',
			'POST /v2/lists/:list/contacts',
		],
		body: { identifier: NUMBER, attributes: { ':column': 'Durand' } },
		made: contactOf,
		result: {
			...{ id: ':created', number: NUMBER, listId: ':list' },
			...{ attributes: { 'Nom de famille': 'Durand' }, action: 'updated' },
			previous: { 'Nom de famille': 'Dupont' },
		},
	},
	{
		of: 'SmsContact getMany',
		what: 'by column ID',
		parameters: { list: listOf(':list'), options: { attributeKeys: 'ids' } },
		given: withContact,
		lines: ['GET /v2/lists/:list/contacts'],
		result: { id: ':contact', number: NUMBER, attributes: { ':column': 'Dupont' } },
	},
	{
		of: 'SmsContact getMany',
		what: 'by column name',
		parameters: { list: listOf(':list') },
		given: withContact,
		lines: ['GET /v2/lists/:list/contacts', 'GET /v2/lists/:list'],
		result: { id: ':contact', number: NUMBER, attributes: { 'Nom de famille': 'Dupont' } },
	},
	...[
		{ what: 'by phone number', by: { number: '06 39 98 12 34' } },
		{ what: 'by contact ID', by: { getBy: 'id', contactId: ':contact' } },
	].map(
		({ what, by }): Given => ({
			of: 'SmsContact get',
			what,
			parameters: { list: listOf(':list'), ...by },
			given: withContact,
			lines: ['GET /v2/lists/:list/contacts', 'GET /v2/lists/:list'],
			result: {
				...{ exists: true, id: ':contact', number: NUMBER },
				attributes: { 'Nom de famille': 'Dupont' },
			},
		}),
	),
	{
		of: 'SmsContact get',
		what: 'that is in no list',
		parameters: { list: listOf(':list'), number: NUMBER },
		given: withList,
		lines: ['GET /v2/lists/:list/contacts'],
		result: { number: NUMBER, exists: false },
	},
	{
		of: 'SmsContact delete',
		parameters: { list: listOf(':list'), number: NUMBER },
		given: withContact,
		lines: [`DELETE /v2/lists/:list/contacts?identifier=${LISTED}`],
		result: { deleted: true, number: NUMBER, listId: ':list' },
	},
	{
		of: 'SmsContact delete',
		what: 'where only the other path exists',
		parameters: { list: listOf(':list'), number: NUMBER },
		given: (simulator) => {
			simulator.service.settings.deletePath = 'contact';
			return withContact(simulator);
		},
		lines: [
			`DELETE /v2/lists/:list/contacts?identifier=${LISTED}`,
			`DELETE /v2/lists/:list/contact?identifier=${LISTED}`,
		],
		result: { deleted: true, number: NUMBER, listId: ':list' },
	},
	{
		of: 'SmsContact delete',
		what: 'by contact ID',
		parameters: { list: listOf(':list'), deleteBy: 'id', contactId: ':contact' },
		given: withContact,
		lines: ['DELETE /v2/lists/:list/contacts/:contact'],
		result: { deleted: true, id: ':contact', listId: ':list' },
	},
	{
		of: 'SmsContact import',
		parameters: named('Dupont'),
		given: withList,
		lines: [
			'GET /v2/lists/:list',
			'GET /v2/lists/:list/contacts',
			'POST /v2/lists/:list/import',
		],
		body: [
			['tel', 'Nom de famille'],
			[NUMBER, 'Dupont'],
		],
		result: { imported: 1, added: 1, alreadyThere: 0, listId: ':list' },
		extended: true,
	},
	...[
		{
			what: 'who is new',
			given: withList,
			change: { action: 'added' },
			lines: ['POST /v2/lists/:list/contacts'],
		},
		{
			what: 'who has changed',
			given: withContact,
			change: { action: 'updated', previous: { 'Nom de famille': 'Dupont' } },
			lines: ['DELETE /v2/lists/:list/contacts/:contact', 'POST /v2/lists/:list/contacts'],
		},
	].map(
		({ what, given, change, lines }): Given => ({
			of: 'SmsContact sync',
			what,
			parameters: named('Durand'),
			given,
			lines: ['GET /v2/lists/:list', 'GET /v2/lists/:list/contacts', ...lines],
			body: { identifier: NUMBER, attributes: { ':column': 'Durand' } },
			made: contactOf,
			result: {
				...change,
				...{ id: ':created', number: NUMBER, listId: ':list' },
				attributes: { 'Nom de famille': 'Durand' },
			},
		}),
	),

	// 4.4 Message queries, 4.6 Account
	{
		of: 'SmsStats messageStatus',
		what: 'by recipient',
		parameters: { lookupBy: 'number', number: NUMBER },
		given: withMessage,
		lines: [`GET /v2/messages/status?identifier=${LISTED}`],
		contains: { state: 'sent', test: false, number: NUMBER },
	},
	{
		of: 'SmsStats messageStatus',
		what: 'by snapshot',
		parameters: { lookupBy: 'snapshotId', snapshotId: ':snapshot' },
		given: withMessage,
		lines: ['GET /v2/messages/status?snapshotId=:snapshot'],
		contains: { state: 'sent', test: false },
	},
	{
		of: 'SmsStats category',
		parameters: { category: 'orders' },
		given: withMessage,
		lines: ['GET /v2/messages/stats?category=orders'],
		result: {
			...{ category: 'orders', sent: 1, delivered: 0, openers: 0, clickers: 0 },
			...{ replies: 0, unsubscribers: 0, bounced: 0, errors: 0 },
		},
	},
	{
		of: 'SmsStats replies',
		parameters: { category: 'orders', returnAll: true },
		given: (sim) => ({ ...withMessage(sim), id: sim.reply(NUMBER, 'Oui').id }),
		lines: ['GET /v2/messages/replies?category=orders'],
		result: {
			...{ id: ':id', number: NUMBER },
			...{ message: 'Oui', intent: 'yes', category: 'orders' },
		},
	},
	{
		of: 'SmsStats categoryBlacklists',
		parameters: { category: 'orders' },
		given: (sim) => {
			const names = withMessage(sim);
			sim.stop(NUMBER);
			return names;
		},
		lines: ['GET /v2/messages/blacklists?category=orders'],
		result: {
			category: 'orders',
			bounces: { count: 0, numbers: [] },
			unsubscribers: { count: 1, numbers: ['+33639981234'] },
		},
	},
	{
		of: 'SmsStats account',
		parameters: {},
		given: withMessage,
		lines: ['GET /v2/account/stats'],
		contains: { sent: 1, credits: 999_999, bounces: 0, unsubscribers: 0 },
	},
];

export const operations: Row[] = OPERATIONS.map(rowOf);

/** Parameters and the body that they make (interface document 2.6), for both types of messages. */
const SENDS: Array<[what: string, parameters: INodeParameters, body: object, more?: Partial<Row>]> =
	[
		[
			'every field',
			{
				message: 'Déjà là',
				sender: 'MyShop',
				options: {
					campaignName: 'Été 2030',
					category: 'orders',
					date: '2030-12-24T09:30:00',
				},
			},
			{
				...{ message: 'Déjà là', sender: 'MyShop', campaignName: 'Été 2030' },
				...{ category: 'orders', date: Date.UTC(2030, 11, 24, 8, 30) },
			},
			{ contains: { status: 'scheduled' } },
		],
		[
			'options that were added and left empty',
			{ sender: '', options: { campaignName: '', category: '', date: '' } },
			{},
		],
		['options of blanks', { sender: ' ', options: { campaignName: '  ', category: '\n' } }, {}],
		[
			'options that say how to send, not what',
			{
				options: {
					...{ skipDuplicates: true, resendUnknown: true },
					...{ unsupportedCharacters: 'reject', concurrency: 5, requestsPerSecond: 100 },
				},
			},
			{},
		],
		['a national number', { number: '06 39.98-12 34' }, { number: '0639981234' }],
		['an international number', { number: '00 33 (0)6 39 98 12 34' }, {}],
		[
			'a number and a text as numbers',
			{ number: `={{ "${NUMBER}" }}`, message: '={{ 482913 }}' },
			{ message: '482913' },
		],
		[
			'spaces around sender, category and campaign name',
			{ sender: ' MyShop ', options: { category: ' orders ', campaignName: ' Summer ' } },
			{ sender: 'MyShop', category: 'orders', campaignName: 'Summer' },
		],
		[
			'spaces around the text, which are the text',
			{ message: ' Bonjour\n' },
			{ message: ' Bonjour\n' },
		],
		['replaced characters', { message: 'L’été… 👋' }, { message: "L'été..." }],
	];
/** Those of section 8, but for the currency. */
const CHARACTERS = '@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^{}~"\\\' azAZ09\r\n';

/** Parameters and the query of a send as a URL after the key (4.3). */
const SENDS_BY_URL: Array<[what: string, parameters: INodeParameters, query: string]> = [
	['nothing but what is required', {}, `identifier=${LISTED}&message=Bonjour`],
	['a national number', { number: '06 39 98 12 34' }, 'identifier=0639981234&message=Bonjour'],
	[
		'all that means something in a URL',
		{ message: '1 + 1 = 2 & 50%? #/;:@,"<>{}|^\\' },
		`identifier=${LISTED}&message=1%20%2B%201%20%3D%202%20%26%2050%25%3F%20%23%2F%3B%3A%40%2C%22%3C%3E%7B%7D%7C%5E%5C`,
	],
	[
		'accents and a line break',
		{ message: 'Déjà\nlà' },
		`identifier=${LISTED}&message=D%C3%A9j%C3%A0%0Al%C3%A0`,
	],
	[
		'replaced characters',
		{ message: 'L’été 👋' },
		`identifier=${LISTED}&message=L'%C3%A9t%C3%A9`,
	],
];

/** Parameters and the body that they make (2.5). */
const CAMPAIGNS: Array<[what: string, parameters: INodeParameters, body: object]> = [
	[
		'a hosted page, as it is typed',
		{
			message: 'Bonjour ${rich_message}',
			...{ landingPage: 'hosted', landingPageTitle: ' L’été ' },
			landingPageHtml: '<h1>Soldes ’été’ 🎉</h1>\n<p>${prenom} "10 %"</p>',
		},
		{
			message: 'Bonjour ${rich_message}',
			landingPage: '<h1>Soldes ’été’ 🎉</h1>\n<p>${prenom} "10 %"</p>',
			...{ landingPageTitle: 'L’été', landingPageType: 'CUSTOM' },
		},
	],
	[
		'an external page with spaces around, seen and unseen',
		{
			message: 'Bonjour ${rich_message}',
			landingPage: 'external',
			externalUrl: ' \u200bhttps://www.example.com/été?a=1&b=2\ufeff ',
		},
		{
			message: 'Bonjour ${rich_message}',
			externalUrl: 'https://www.example.com/été?a=1&b=2',
			landingPageType: 'EXTERNAL',
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
	[
		'a sender and a date',
		{ sender: ' MyShop ', options: { date: '2030-12-24T09:30:00' } },
		{ sourceAddress: 'MyShop', date: Date.UTC(2030, 11, 24, 8, 30) },
	],
	['options that were added and left empty', { sender: '', options: { date: '' } }, {}],
	['a name with spaces around', { name: '  Été 2030 ' }, { name: 'Été 2030' }],
	['replaced characters', { message: 'L’été… 👋' }, { message: "L'été..." }],
	['the currency of its type', { message: '10 €' }, { message: '10 €' }],
	[
		'that of the other type',
		{ campaignType: 'notification', message: '10 ¤' },
		{ message: '10 ¤' },
	],
];

/** More rows about the request alone: other ways to fill in a form, and what is sent then. */
const VARIANTS: Given[] = [
	...['notification', 'marketing'].flatMap((messageType): Given[] => {
		const contains = { status: 'sent' };
		const usual = { number: NUMBER, message: 'Bonjour' };
		const all = CHARACTERS + (messageType === 'marketing' ? '€' : '¤');
		const rejected = { message: all, options: { unsupportedCharacters: 'reject' } };
		return [
			...[
				...SENDS,
				['every character', rejected, { message: all }] as (typeof SENDS)[number],
			].map(
				([what, parameters, body, more]): Given => ({
					contains,
					of: 'Sms send',
					what: `${messageType}, ${what}`,
					parameters: { ...usual, messageType, ...parameters },
					lines: [`POST /v2/${messageType}/messages/send`],
					body: { ...usual, ...body },
					...more,
				}),
			),
			{
				contains,
				of: 'Sms send',
				what: `${messageType}, legacy names (4.3)`,
				parameters: {
					...{ ...usual, messageType },
					options: { category: 'orders', campaignName: 'Summer' },
				},
				credential: { fieldNames: 'legacy' },
				lines: [`POST /v2/${messageType}/messages/send`],
				body: {
					...{ identifier: NUMBER, message: 'Bonjour' },
					...{ tag: 'orders', campaignName: 'Summer' },
				},
			},
			...SENDS_BY_URL.map(
				([what, parameters, query]): Given => ({
					contains,
					of: 'Sms sendByUrl',
					what: `${messageType}, ${what}`,
					parameters: { ...usual, messageType, ...parameters },
					lines: [`GET /v2/${messageType}/messages/send?apiKey=:key&${query}`],
					keyInQuery: true,
				}),
			),
		];
	}),
	...CAMPAIGNS.map(
		([what, parameters, body]): Given => ({
			of: 'SmsCampaign create',
			what,
			parameters: {
				name: 'Soldes',
				message: 'Bonjour',
				list: listOf(':list'),
				...parameters,
			},
			given: withList,
			lines: [`POST /v2/${parameters.campaignType ?? 'marketing'}/campaigns`],
			body: { name: 'Soldes', message: 'Bonjour', sendList: { id: ':list' }, ...body },
			contains: { listId: ':list' },
		}),
	),
	{
		of: 'SmsStats messageStatus',
		what: 'of a national number',
		parameters: { lookupBy: 'number', number: '06.39.98.12.34' },
		given: withMessage,
		lines: ['GET /v2/messages/status?identifier=0639981234'],
		contains: { state: 'sent' },
	},
	{
		of: 'SmsStats messageStatus',
		what: 'of a snapshot ID with spaces',
		parameters: { lookupBy: 'snapshotId', snapshotId: ' :snapshot ' },
		given: withMessage,
		lines: ['GET /v2/messages/status?snapshotId=:snapshot'],
		contains: { state: 'sent' },
	},
	...['category', 'replies', 'categoryBlacklists'].map((operation): Given => {
		const below = { category: 'stats', replies: 'replies', categoryBlacklists: 'blacklists' };
		return {
			of: `SmsStats ${operation}`,
			what: 'of a category with spaces around, and all that means something in a URL',
			parameters: { category: ' a+b & c=d/é?#%20 ' },
			lines: [
				`GET /v2/messages/${below[operation as 'category']}?category=a%2Bb%20%26%20c%3Dd%2F%C3%A9%3F%23%2520`,
			],
			...(operation === 'replies'
				? { isEmpty: true }
				: { contains: { category: 'a+b & c=d/é?#%20' } }),
		};
	}),
];

export const variants: Row[] = VARIANTS.map(rowOf);

/**
 * The parts of an answer: `string`, `number`, `integer`, `boolean` or `object`; a list of one thing; an object with
 * these fields, of which those with a `?` may be missing.
 */
export type Shape = string | [Shape] | { [field: string]: Shape };

const ID = { id: 'string' };
/** A send (interface document 2.6). */
const RECEIPT = { creditsUsed: 'number', snapshotId: 'string' };
/** Section 2.1. */
const ENTRY = { id: 'string', identifier: 'string', deleted: 'boolean' };
/** Section 2.3. */
const COLUMN = { id: 'string', listId: 'string', name: 'string', type: 'string', format: 'string' };
/** Section 2.4. */
const CONTACT = { id: 'string', identifier: 'string', attributes: 'object' };
/** Section 2.7. */
const STATUS = {
	...{ id: 'integer', state: 'string', stateDate: 'integer', test: 'boolean' },
	...{ 'sent?': 'integer', 'submitted?': 'integer', 'delivered?': 'integer' },
};
const integers = (...names: string[]) =>
	Object.fromEntries(names.map((name) => [name, 'integer'] as const));
/** Section 2.8. */
const CATEGORY = integers(
	...['sent', 'submitted', 'delivered', 'openers', 'clickers', 'clicks', 'opens', 'replies'],
	...['unsubscribers', 'errors', 'bounced', 'complaint', 'timespent'],
);
/** Section 2.9. */
const REPLY = { id: 'string', identifier: 'string', message: 'string' };
/** Section 2.10. */
const ACCOUNT = integers(
	...['bounces', 'credits', 'delivered', 'sent', 'submitted', 'undelivered', 'unsubscribers'],
);
/** Section 2.11. */
const NUMBERS = { number: 'integer', identifiers: ['string'] as [Shape] };
const BLACKLISTS = { bounces: NUMBERS, unsubscribers: NUMBERS };

/** A request of the documents, and the operations that are about it or need it besides. */
export interface Endpoint {
	/** Section of the interface document; undefined where only the public facts have it. */
	section?: string;
	endpoint: string;
	/** The body of the answer, which has status 200 then; undefined for none. */
	answers?: Shape;
	/** Its operations, by node and value. */
	of: string[];
	/** Operations that make it too, beside their own. */
	besides?: string[];
}

/** The requests of the interface document (section 4) and of the public facts about the service. */
const ENDPOINTS: Record<string, Omit<Endpoint, 'endpoint'>> = {
	'POST /v2/{blacklist}/default/contacts': {
		section: '4.1 Add an entry',
		answers: ID,
		of: ['SmsBlacklist add'],
	},
	'GET /v2/{blacklist}/default/contacts': {
		section: '4.1 Get entries',
		answers: [ENTRY],
		of: ['SmsBlacklist getMany', 'SmsBlacklist check'],
		besides: ['SmsCampaign preview'],
	},
	'DELETE /v2/{blacklist}/default/contacts': {
		section: '4.1 Remove an entry',
		of: ['SmsBlacklist remove'],
	},
	'POST /v2/{campaignType}/campaigns': {
		section: '4.2 Create a marketing campaign, create a notification campaign',
		answers: ID,
		of: ['SmsCampaign create'],
	},
	'POST /v2/{messageType}/messages/send': {
		section: '4.3 Send a marketing SMS, send a notification SMS',
		answers: RECEIPT,
		of: ['Sms send', 'Sms sendBatch', 'Sms sendAndWait'],
	},
	'GET /v2/{messageType}/messages/send': {
		section: '4.3 The send as a URL',
		answers: RECEIPT,
		of: ['Sms sendByUrl'],
	},
	'GET /v2/messages/status': {
		section: '4.4 Status by recipient, status by snapshot',
		answers: STATUS,
		of: ['SmsStats messageStatus'],
	},
	'GET /v2/messages/stats': {
		section: '4.4 Statistics of a category',
		answers: CATEGORY,
		of: ['SmsStats category'],
	},
	'GET /v2/messages/replies': {
		section: '4.4 Replies of a category',
		answers: [REPLY],
		of: ['SmsStats replies'],
	},
	'GET /v2/messages/blacklists': {
		section: '4.4 Blacklists of a category',
		answers: BLACKLISTS,
		of: ['SmsStats categoryBlacklists'],
	},
	'POST /v2/lists/': { section: '4.5 Create a list', answers: ID, of: ['SmsList create'] },
	'GET /v2/lists/': {
		section: '4.5 Get all lists',
		answers: [{ id: 'string', name: 'string' }],
		of: ['SmsList getMany'],
	},
	'GET /v2/lists/{listId}': {
		section: '4.5 Get one list',
		answers: { id: 'string', name: 'string', fields: [COLUMN] },
		of: ['SmsList get'],
		besides: [
			...['SmsCampaign preview', 'SmsList addColumn', 'SmsList deleteColumn'],
			...['add', 'get', 'getMany', 'import', 'sync', 'upsert'].map(
				(one) => `SmsContact ${one}`,
			),
		],
	},
	'DELETE /v2/lists/{listId}': { section: '4.5 Delete a list', of: ['SmsList delete'] },
	'POST /v2/lists/{listId}/fields': {
		section: '4.5 Add a column',
		answers: ID,
		of: ['SmsList addColumn'],
		besides: ['SmsList create'],
	},
	'POST /v2/lists/{listId}/contacts': {
		section: '4.5 Add a contact',
		answers: ID,
		of: ['SmsContact add', 'SmsContact upsert', 'SmsContact sync'],
	},
	'GET /v2/lists/{listId}/contacts': {
		section: '4.5 Get contacts of a list',
		answers: [CONTACT],
		of: ['SmsContact get', 'SmsContact getMany', 'SmsCampaign preview'],
		besides: ['SmsCampaign send', 'SmsContact import', 'SmsContact sync', 'SmsContact upsert'],
	},
	'DELETE /v2/lists/{listId}/contacts': {
		section: '4.5 Delete a contact by number, as in the command-line sample',
		of: ['SmsContact delete'],
	},
	'DELETE /v2/lists/{listId}/contact': {
		section: '4.5 Delete a contact by number, as in the request description',
		of: [],
		besides: ['SmsContact delete'],
	},
	'DELETE /v2/lists/{listId}/contacts/{contactId}': {
		section: '4.5 Delete a contact by id',
		of: [],
		besides: ['SmsContact delete', 'SmsContact sync', 'SmsContact upsert'],
	},
	'GET /v2/account/stats': {
		section: '4.6 Account statistics',
		answers: ACCOUNT,
		of: ['SmsStats account'],
		besides: ['SmsCampaign preview', 'SmsCampaign send'],
	},

	// Extended: from the public facts only
	'DELETE /v2/lists/{listId}/fields/{fieldId}': { of: ['SmsList deleteColumn'] },
	'POST /v2/lists/{listId}/empty': { of: ['SmsList empty'] },
	'POST /v2/lists/{listId}/import': { of: ['SmsContact import'] },
	'POST /v2/{campaignType}/campaigns/{campaignId}/test': {
		answers: { creditsUsed: 'number' },
		of: ['SmsCampaign sendTest'],
	},
	'POST /v2/{campaignType}/campaigns/{campaignId}/send': {
		answers: { creditsUsed: 'number' },
		of: ['SmsCampaign send'],
	},
	'GET /v2/campaigns/{campaignId}/status': {
		answers: 'object',
		of: ['SmsCampaign getStatistics'],
		besides: ['SmsCampaign send'],
	},
	'GET /v2/campaigns/{campaignId}/replies': { answers: [REPLY], of: ['SmsCampaign getReplies'] },
	'GET /v2/campaigns/{campaignId}/blacklists': {
		answers: BLACKLISTS,
		of: ['SmsCampaign getBlacklists'],
	},
	'GET /v2/campaigns/{campaignId}': {
		answers: 'object',
		of: ['SmsCampaign get'],
		besides: ['SmsCampaign send'],
	},
	'GET /v2/campaigns': { answers: ['object'], of: ['SmsCampaign getMany'] },
};

export const endpoints = Object.entries(ENDPOINTS).map(
	([endpoint, about]): Endpoint => ({ endpoint, ...about }),
);

/** Words that can stand in braces; anything else is an ID. */
const WORDS: Record<string, string> = {
	blacklist: 'unsubscribers|bounces',
	campaignType: 'marketing|notification',
	messageType: 'marketing|notification',
};

/** Compares a request line, without its query, with an endpoint. */
export function isOf(endpoint: string, line: string): boolean {
	const pattern = endpoint.replace(
		/\{(\w+)\}/g,
		(_, name: string) => `(?:${WORDS[name] ?? '[^/]+'})`,
	);
	return new RegExp(`^${pattern}$`).test(line.split('?')[0]);
}

/** The first row of each operation, for what does not look at values. */
export const firstRows = operations.filter(
	(row, index) =>
		operations.findIndex(
			({ node, operation }) => node === row.node && operation === row.operation,
		) === index,
);

/** A blacklist keeps people from getting messages: nobody has to be kept from that. */
const PROTECTS = 'SmsBlacklist add';

export const takesNumber = ({ parameters }: Row): boolean => 'number' in parameters;

/** A row sends something to its number, or keeps the number for that. */
export function reachesNumber(row: Row): boolean {
	const { node, operation, lines, keyInQuery = false } = row;
	const changes = keyInQuery || lines.some((line) => line.startsWith('POST'));
	return takesNumber(row) && changes && `${node} ${operation}` !== PROTECTS;
}

/** A message that has left, and stays on its way however long the call takes. */
function withMessage(sim: Simulator) {
	const message = { number: NUMBER, text: 'Bonjour', category: 'orders' };
	const { snapshotId } = sim.service.accept({ kind: 'notification', ...message });
	sim.setState(snapshotId, 'sent');
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
	return { list, campaign: campaign.id };
}

function withContact(simulator: Simulator) {
	const { list, column } = withList(simulator);
	const values = { [column]: 'Dupont' };
	return { list, column, contact: simulator.service.list(list).addContact(NUMBER, values).id };
}

function withList(simulator: Simulator) {
	const { id, fields } = simulator.service.createList('Clients', [{ name: 'Nom de famille' }]);
	return { list: id, column: fields[0].id };
}

function listed(simulator: Simulator, kind: string) {
	simulator.service.addToBlacklist(kind as 'bounces', NUMBER);
	return {};
}

/** The entry of the number on a blacklist. */
function entryOf({ service }: Simulator, kind: string) {
	return { entry: service.blacklist(kind as 'bounces').entries.items()[0]?.id };
}

/** The list that was created or changed last, and its newest column. */
function lastList({ service }: Simulator) {
	const list = [...service.lists.values()].at(-1);
	return { created: list?.id, newest: list?.fields.at(-1)?.id };
}

function contactOf({ service }: Simulator) {
	return { created: [...service.lists.values()].at(-1)?.contacts.items().at(-1)?.id };
}

/** The link in the last message. */
export function linkOf({ service }: Simulator) {
	return /https?:\/\/\S+/.exec(service.messages.at(-1)?.text ?? '')?.[0];
}

function sentOf({ service }: Simulator) {
	return { sent: service.messages.at(-1)?.snapshotId };
}

/** A row that can be run, its names (`:list` and so on) filled in. */
export type PreparedRow = Pick<Row, 'parameters'> & {
	/** The expectations, once it was run. */
	expected: () => Pick<Row, 'lines' | 'body' | 'result' | 'contains'>;
};

/** Puts into a simulator what a row starts from, and names it in the row's texts. */
export function prepare(row: Row, simulator: Simulator): PreparedRow {
	const { parameters, lines, body, result, contains } = row;
	const names: Names = { key: simulator.apiKey, ...row.given?.(simulator) };
	return {
		parameters: withNames(parameters, names),
		expected: () =>
			withNames({ lines, body, result, contains }, { ...names, ...row.made?.(simulator) }),
	};
}

type Names = Record<string, string | undefined>;

function withNames<T>(value: T, names: Names): T {
	const text = JSON.stringify(value);
	return JSON.parse(text.replace(/:(\w+)/g, (whole, name: string) => names[name] ?? whole)) as T;
}

function rowOf({ of, ...row }: Given): Row {
	const [node, operation] = of.split(' ');
	return { node, operation, ...row };
}

/** A contact with this name, as the form has it. */
function named(name: string): INodeParameters {
	const attributes = { mappingMode: 'defineBelow', value: { ':column': name }, schema: [] };
	return { list: listOf(':list'), number: NUMBER, attributes };
}

/** A value of the resource locator. */
export function listOf(value: string, mode = 'list') {
	return { __rl: true, mode, value };
}
