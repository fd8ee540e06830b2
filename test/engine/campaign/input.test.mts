/**
 * Input that the service would refuse, or would send to thousands in a wrong form, is refused by name before
 * any request that changes something.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { linesOf } from '../resources/support.mts';
import { byId, creation, hurry, jsonOf, runCampaign, succeeded } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const ITEM = { nothing: null, object: { a: 1 }, yes: true, empty: '', blank: ' \n' };

type Row = [field: string, what: string, parameters: INodeParameters];

const hosted = { landingPage: 'hosted', landingPageTitle: 'T', landingPageHtml: '<p>x</p>' };
const external = { landingPage: 'external', externalUrl: 'https://www.example.com' };
const NOTIFICATION = { campaignType: 'notification' };
const REJECT = { options: { unsupportedCharacters: 'reject' } };
const NOON = { allowedHours: { hours: { from: 'noon', to: '20:00' } } };
const LINK = { message: 'See ${rich_message}' };

/** Values that no campaign may have. */
const REFUSED: Row[] = [
	['Campaign Type', 'another kind', { campaignType: '={{ "sms" }}' }],
	['List', 'an expression: undefined', { list: '={{ $json.missing }}' }],
	['List', 'an expression: blank', { list: '={{ $json.blank }}' }],
	['List', 'part of a path', { list: { __rl: true, mode: 'id', value: '..' } }],
	['Message', 'blank', { message: ' \n' }],
	['Message', 'an expression: an object', { message: '={{ $json.object }}' }],
	['Message', 'a link without a page', LINK],
	['Message', 'a hosted page without a link', hosted],
	['Message', 'an external page without a link', external],
	['Message', 'a link in capitals', { ...hosted, message: 'See ${RICH_MESSAGE}' }],
	['Message', 'a token that is not closed', { message: 'Bonjour ${prenom' }],
	['Page Title', 'blank', { ...LINK, ...hosted, landingPageTitle: ' ' }],
	['HTML', 'blank', { ...LINK, ...hosted, landingPageHtml: '\n' }],
	['HTML', 'an object in a text', { ...LINK, ...hosted, landingPageHtml: '={{ $json }}<p>' }],
	['External URL', 'no scheme', { ...LINK, ...external, externalUrl: 'www.example.com' }],
	['External URL', 'a script', { ...LINK, ...external, externalUrl: 'javascript:alert(1)' }],
	['External URL', 'a space', { ...LINK, ...external, externalUrl: 'https://exa mple.com' }],
	['External URL', 'no host', { ...LINK, ...external, externalUrl: 'https://' }],
	...[
		'https://www.example.com/?a=1&amp;b=2',
		'https://www.example.com/?a=1&#38;b=2',
		'https://www.example.com/?n=${prenom}',
		'https://www.example.com/{id}',
		'https://www.example.com/?id={{ $json.id }}',
	].map(
		(externalUrl): Row => ['External URL', externalUrl, { ...LINK, ...external, externalUrl }],
	),
	['Landing Page', 'another kind', { ...hosted, ...external, landingPage: '={{ "page" }}' }],
	['Sender', 'too short', { sender: 'AB' }],
	['Sender', 'digits only', { sender: '36123' }],
	['Sender', 'an expression: undefined', { sender: '={{ $json.no }}' }],
	['Send At', 'the past', { options: { date: '2020-01-01T00:00:00' } }],
	['Send At', 'an expression: null', { options: { date: '={{ $json.nothing }}' } }],
	['Unsupported Characters', 'another', { options: { unsupportedCharacters: '={{ "x" }}' } }],
	[
		'Message',
		'half of a character',
		{ message: 'a\ud83d', options: { unsupportedCharacters: 'keep' } },
	],
	['From', 'hours that are none', { options: { date: '2036-01-15T10:00:00', ...NOON } }],
];

/** And what only Create refuses: Preview counts such characters as problems, and needs no name. */
const REFUSED_BY_CREATE: Row[] = [
	['Campaign Name', 'blank', { name: '  ' }],
	['Campaign Name', 'an expression: undefined', { name: '={{ $json.missing }}' }],
	['Campaign Name', 'an object in a text', { name: '=Sale {{ $json.object }}' }],
	['Message', 'an emoji', { message: 'Bonjour 👋 ${prenom}', ...REJECT }],
	['Message', 'the euro of the other kind', { ...NOTIFICATION, message: '10 €', ...REJECT }],
	['Message', 'the sign of the other kind', { message: '10 ¤' }],
	['Message', 'letters without a stand-in', { message: 'Привет' }],
];

describe.each([
	['create', [...REFUSED, ...REFUSED_BY_CREATE], ['name', 'message', 'list']],
	['preview', REFUSED, ['message', 'list']],
])('%s refuses, without any request,', (operation, rows, required) => {
	test.each(rows)('%s: %s', async (field, _, parameters) => {
		const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
		const { error, items } = await runCampaign(
			sim,
			creation(id, { ...parameters, operation }),
			{ items: [ITEM] },
		);
		expect(sim.requests).toEqual([]);
		expect(items).toEqual([]);
		expect(error?.message).toContain(`'${field}'`);
		expect(error?.description).toBeTruthy();
	});

	test.each(required)('%s left empty, which n8n sees', async (name) => {
		const parameters = creation('5e1', { operation, [name]: '' });
		await expect(runCampaign(sim, parameters)).rejects.toThrow('is required');
		expect(sim.requests).toEqual([]);
	});
});

describe('the other operations refuse, without any request,', () => {
	const test1 = { operation: 'sendTest', campaign: byId('c-1'), number: '0639981234' };
	const ROWS: Row[] = [
		...['send', 'get', 'getStatistics', 'getBlacklists', 'getReplies'].flatMap((operation) =>
			['={{ $json.blank }}', '..', '={{ $json.missing }}'].map(
				(id): Row => ['Campaign', `${operation}: ${id}`, { operation, campaign: byId(id) }],
			),
		),
		['Campaign', 'Send Test: an object', { ...test1, campaign: byId('={{ $json.object }}') }],
		['Campaign Type', 'Send Test', { ...test1, campaignType: '={{ "both" }}' }],
		['Campaign Type', 'Send', { ...test1, operation: 'send', campaignType: '={{ 1 }}' }],
		['Phone Number', 'a fixed line', { ...test1, number: '01 42 34 63 02' }],
		['Phone Number', 'a word', { ...test1, number: 'Marie' }],
		['Phone Number', 'nothing', { ...test1, number: '={{ $json.missing }}' }],
		['Limit', 'none', { operation: 'getMany', limit: 0 }],
	];
	test.each(ROWS)('%s: %s', async (field, _, parameters) => {
		const { error, items } = await runCampaign(sim, parameters, { items: [ITEM] });
		expect(sim.requests).toEqual([]);
		expect(items).toEqual([]);
		expect(error?.message).toContain(`'${field}'`);
	});
});

describe('tokens are compared with the columns of the list', () => {
	const COLUMNS = [
		{ name: 'Nom de famille' },
		{ name: 'Anniversaire', type: 'DATE' as const, format: 'dd/MM' },
		{ name: 'Prénom' },
		{ name: 'N° client (CRM)' },
	];

	async function create(message: string, more: INodeParameters = {}) {
		const { id } = sim.service.createList('Clients', COLUMNS);
		return await runCampaign(sim, creation(id, { message, ...more }));
	}

	test.each([
		'Bonjour ${nom_de_famille}, ${anniversaire}',
		'${prenom}',
		'${n_client_crm}',
		'$${nom_de_famille}{',
	])('%s goes as it is', async (message) => {
		succeeded(await create(message));
		expect(sim.requests.map(({ method }) => method).slice(0, 2)).toEqual(['GET', 'POST']);
		expect(sim.requests[0].target).toMatch(/^\/v2\/lists\/[^/]+$/);
		expect(sim.requests[1].json().message).toBe(message);
	});

	const ALL = 'The list has ${nom_de_famille}, ${anniversaire}, ${prenom}, ${n_client_crm}.';
	test.each([
		['${surname}', '${surname}', ALL],
		['${Nom de famille}', '${Nom de famille}', `Did you mean \${nom_de_famille}? ${ALL}`],
		['${Anniversaire}', '${Anniversaire}', `Did you mean \${anniversaire}? ${ALL}`],
		['${nom_famille}', '${nom_famille}', ALL],
		['${ prenom }', '${ prenom }', `Did you mean \${prenom}? ${ALL}`],
		['${pr_nom}', '${pr_nom}', ALL],
		['${prénom}', '${prénom}', `Did you mean \${prenom}? ${ALL}`],
		['${n_client_crm_}', '${n_client_crm_}', `Did you mean \${n_client_crm}? ${ALL}`],
		['${}', '${}', ALL],
		['＄{~} ${prenom}', '${~~~~~~}', ALL],
		[
			'${PRENOM} ${Nom de famille}',
			'${PRENOM}, ${Nom de famille}',
			'Did you mean ${prenom} instead of ${PRENOM} and ${nom_de_famille} instead of ${Nom de famille}? The list ',
		],
	])('%s is refused, with advice that works', async (message, unknown, advice) => {
		const { error } = await create(message);
		expect(sim.requests.map(({ method }) => method)).toEqual(['GET']);
		expect(error?.message).toBe(`'Message' has ${unknown}, which the list doesn't have`);
		expect(error?.description?.slice(0, advice.length)).toBe(advice);
		const [meant] = /(?<=Did you mean )\$\{[^}]*\}/.exec(advice) ?? [];
		if (meant !== undefined) expect((await create(meant)).error).toBeUndefined();
	});

	test('one bad item holds back all, and only itself with "Continue on fail"', async () => {
		const { id } = sim.service.createList('Clients', COLUMNS);
		const items = [{ text: '${prenom}' }, { text: '${nobody}' }, { text: 'Bonjour' }];
		const parameters = creation(id, { message: '={{ $json.text }}' });
		const { error } = await runCampaign(sim, parameters, { items });
		expect(error?.context.itemIndex).toBe(1);
		expect(sim.service.campaigns.size).toBe(0);
		// The list is looked up once for all items.
		expect(sim.requests).toHaveLength(1);

		const settings = { onError: 'continueRegularOutput' as const };
		const result = await runCampaign(sim, parameters, { items, settings });
		expect(sim.service.campaigns.size).toBe(2);
		expect(result.items[1].json.status).toBe('invalid');
	});

	describe('contacts without a value for a token', () => {
		const NOT_SENT = 'Not sent yet: the operation Send Campaign sends it.';
		let list = '';
		beforeEach(() => {
			const clients = sim.service.createList('Clients', COLUMNS);
			list = clients.id;
			clients.addContact('+33639981230', { nom_de_famille: 'Martin' });
			clients.addContact('+33639981231', { nom_de_famille: ' ' });
			clients.addContact('+33639981232');
		});
		const run = async (mode: 'manual' | 'trigger', items = 1) =>
			await runCampaign(
				sim,
				creation(list, { name: '={{ $json.name }}', message: 'Bonjour ${nom_de_famille}' }),
				{
					mode,
					items: Array.from({ length: items }, (_, index) => ({ name: `N${index}` })),
				},
			);
		const reads = () => sim.requests.filter(({ path }) => path.endsWith('/contacts')).length;

		test('are named in the editor, read once for all items', async () => {
			const { hints } = succeeded(await run('manual', 3));
			const message =
				'2 contacts without a value for ${nom_de_famille}: +33639981231, +33639981232.';
			expect(hints?.[0].message).toContain(message);
			expect(hints?.[0].type).toBe('warning');
			expect(reads()).toBe(1);
		});

		test('are not looked for in a published workflow', async () => {
			const { hints } = succeeded(await run('trigger'));
			expect(hints).toMatchObject([{ message: NOT_SENT, type: 'info' }]);
			expect(reads()).toBe(0);
		});

		test('are not named where the account does not show contacts', async () => {
			sim.faults.add({ skip: 2, do: { kind: 'status', status: 403 } });
			const { hints } = succeeded(await run('manual'));
			expect(sim.service.campaigns.size).toBe(1);
			expect(hints).toMatchObject([{ message: NOT_SENT, type: 'info' }]);
		});
	});

	test('an expression that gave nothing is warned of', async () => {
		const { hints } = succeeded(await create('=Bonjour {{ $json.nom }}'));
		const message = expect.stringMatching(/^'Message' gets no text from \{\{ \$json\.nom/);
		expect(hints).toMatchObject([{ message, type: 'warning' }]);
	});

	test('what recipients would hardly expect is warned of', async () => {
		const { hints = [] } = succeeded(await create('Bonjour %prenom%, Soldes\\nStop'));
		const told = hints.map(({ message }) => message).join(' ');
		expect(told).toMatch(/Recipients would read %prenom% as it is\. .*The list has \$\{/);
		expect(told).toContain('not as a line break');
	});

	test.each<[options: IDataObject, hint: RegExp | undefined]>([
		[{ date: '05/06/2031 09:30' }, /^'Send At' is read with the day before the month: 05\/06/],
		[{ date: '24/12/2031' }, /^'Send At' without a time is midnight: 24\/12\/2031\./],
		[{ date: '24/12/2031 09:30' }, undefined],
	])('what Send At may mean is warned of: %j', async (options, hint) => {
		const { id } = sim.service.createList('Clients');
		const campaign = creation(id, { options: options as INodeParameters });
		const { hints = [] } = succeeded(await runCampaign(sim, campaign, { mode: 'trigger' }));
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(
				hint ?? /^Not sent yet\. It isn't known whether the service sends it/,
			),
		]);
	});

	test.each(['Große', 'Køn', 'Łódź', 'Þór'])(
		'the column %s is offered by its ID',
		async (name) => {
			const { id, fields } = sim.service.createList('Clients', [{ name }]);
			const told = async (message: string) =>
				await runCampaign(sim, creation(id, { message, campaignType: 'notification' }));
			const { error } = await told(`Bonjour \${${name.toLowerCase()}}`);
			expect(error?.description).toContain(`\${${fields[0].id}}`);
			expect(error?.description).not.toContain(name.toLowerCase());
			expect((await told(`Bonjour \${${fields[0].id}}`)).error).toBeUndefined();
		},
	);
});

describe('the look-up fails', () => {
	test('because there is no such list', async () => {
		const { error } = await runCampaign(sim, creation('5e00', { message: '${nom}' }));
		expect(error?.message).toContain('The list was not found (ID 5e00)');
		expect(error?.description).toContain(
			'No campaign was created. Check its ID, or choose another list: this one may have been deleted.',
		);
		// The ID could be the name of another list.
		expect(linesOf(sim)).toEqual(['GET /v2/lists/5e00', 'GET /v2/lists/']);
	});

	test('again and again: then it is certain that no campaign was created', async () => {
		const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
		sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'resetBeforeRead' } });
		const { items } = await runCampaign(sim, creation(id, { message: '${prenom}' }), {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(jsonOf(items)[0]).toMatchObject({ status: 'notSent' });
		expect(JSON.stringify(items[0].json)).toContain('No campaign was created');
		expect(sim.service.campaigns.size).toBe(0);
	});
});
