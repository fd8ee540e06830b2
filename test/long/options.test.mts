/**
 * Safety for an ops team, as it sees it in the editor: each option in its form, and what a run by hand
 * says of it, in the result and above it.
 *
 * For `npm run pictures`, it takes the pictures of the docs too: PICTURES is the folder.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { phones } from '../harness/phones.mts';
import {
	credentialName,
	credentialOf,
	eventually,
	useEnvironment,
	workflowOf,
} from '../e2e/support.mts';
import { descriptions } from '../descriptions.mts';
import { type Editor, labelsIn, openEditor } from '../harness/editor.mts';
import type { Simulator } from '../simulator/index.mts';
import { placed } from '../harness/settings.mts';
import { noteForm } from '../tools/docs/fingerprints.mts';

const [FIRST, SECOND, THIRD] = phones(3);
const OWN = '06 39 98 09 99';
const ORDERS = [FIRST, SECOND, THIRD].map((to, order) => ({ to, order: `A-${1_001 + order}` }));
const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const { n8n, simulator } = await useEnvironment({ n8n: {} });
let editor: Editor;
beforeAll(async () => {
	editor = await openEditor(n8n, { height: 1200 });
	for (const [name, more] of Object.entries(CREDENTIALS)) {
		await n8n.createCredential('smsServiceApi', name, { ...credentialOf(simulator), ...more });
	}
});
afterAll(async () => await editor?.close());

const CREDENTIALS = {
	'SMS, test runs': { manualRuns: 'testNumber', testNumber: OWN },
	'SMS, Belgium': { defaultCountry: 'BE' },
	'SMS, France only': { allowedCountries: ['FR'] },
};

interface Row {
	name: string;
	node?: string;
	parameters: INodeParameters | ((simulator: Simulator) => INodeParameters);
	items?: IDataObject[];
	credential?: keyof typeof CREDENTIALS;
	/** The label of its field. */
	label: string;
	/** How often the service accepts a message. */
	sent: number;
	/** Fields of each item that comes out. */
	results: IDataObject[];
	/** The hint above them. */
	hint?: string | RegExp;
}

const batch = (options: IDataObject, more: INodeParameters = {}): INodeParameters => ({
	operation: 'sendBatch',
	number: '={{ $json.to }}',
	message: '=Your order {{ $json.order }} has been shipped',
	...placed('Sms', 'sendBatch', options),
	...more,
});

/** Hours of each day, in whole hours from the present one in Paris. */
function hoursFrom(first: number, last: number): IDataObject {
	const hour = (at: number) => `${String((at + 24) % 24).padStart(2, '0')}:00`;
	const now = Number(
		new Date().toLocaleString('en-GB', { timeZone: 'Europe/Paris', hour: '2-digit' }),
	);
	return { from: hour(now + first), to: hour(now + last), days: everyDay };
}

const rows: Row[] = [
	{
		name: 'test-run',
		credential: 'SMS, test runs',
		parameters: batch({}),
		label: 'Phone Number',
		sent: 1,
		results: [
			{ status: 'sent', wouldSendTo: FIRST },
			{ status: 'wouldSend', number: SECOND },
			{ status: 'wouldSend', number: THIRD },
		],
		hint: /Test run: nobody but the test number \+33639980999 was texted.* 1 sent, 2 would be sent\./,
	},
	{
		name: 'allowed-hours',
		items: ORDERS.slice(0, 1),
		parameters: () => {
			// An hour that is over, so that the next one is tomorrow.
			return batch({ allowedHours: { hours: hoursFrom(-3, -2) } });
		},
		label: 'Allowed Hours',
		sent: 1,
		results: [
			{ status: 'scheduled', scheduledFor: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
		],
	},
	{
		// In Réunion, it is two or three hours later.
		name: 'recipients-time-zone',
		items: [{ to: '+262 692 00 00 01', order: 'A-1001' }],
		parameters: () =>
			batch({ allowedHours: { hours: { ...hoursFrom(-1, 2), timeZone: 'recipient' } } }),
		label: 'Time Zone',
		sent: 1,
		results: [{ status: 'scheduled', number: '+262692000001' }],
	},
	{
		name: 'allowed-countries',
		items: [ORDERS[0], { to: '+32 470 12 34 56', order: 'A-1002' }],
		credential: 'SMS, France only',
		parameters: batch({}),
		label: 'Phone Number',
		sent: 1,
		results: [
			{ status: 'sent' },
			{ status: 'invalid', reason: expect.stringContaining('Allowed Countries') as string },
		],
	},
	{
		name: 'replies-from-number',
		node: 'smsStats',
		items: [{}],
		parameters: (simulator) => {
			simulator.reply(FIRST, "Oui, c'est noté, merci", { category: 'orders' });
			simulator.reply(SECOND, 'STOP svp', { category: 'orders' });
			return {
				operation: 'replies',
				category: 'orders',
				...placed('SmsStats', 'replies', { fromNumber: SECOND }),
			};
		},
		label: 'From Number',
		sent: 0,
		results: [{ message: 'STOP svp', intent: 'stop' }],
	},
	{
		name: 'dry-run',
		parameters: batch({ dryRun: true }),
		label: 'Dry Run',
		sent: 0,
		results: ORDERS.map(({ to: number }) => ({ status: 'wouldSend', number, segments: 1 })),
		hint: /Dry run: nothing was sent\. 3 would be sent\. 3 segments\./,
	},
	{
		name: 'max-credits',
		parameters: batch({ maxCredits: 1, concurrency: 1 }),
		label: 'Max Credits',
		sent: 1,
		results: [{ status: 'sent' }, { status: 'notSent' }, { status: 'notSent' }],
	},
	{
		name: 'invalid-items',
		items: [...ORDERS, { to: 'nobody', order: 'A-1004' }],
		parameters: batch({ invalidItems: 'report', includeInputFields: true }),
		label: 'Include Input Fields',
		sent: 3,
		results: [
			{ sms: { status: 'sent' }, order: 'A-1001' },
			{ sms: { status: 'sent' }, order: 'A-1002' },
			{ sms: { status: 'sent' }, order: 'A-1003' },
			{ sms: { status: 'invalid' }, order: 'A-1004' },
		],
	},
	{
		name: 'replaced-characters',
		items: ORDERS.slice(0, 1),
		parameters: batch(
			{ unsupportedCharacters: 'replace' },
			{ message: 'Votre commande est prête, François' },
		),
		label: 'Unsupported Characters',
		sent: 1,
		results: [{ status: 'sent', replacements: expect.any(String) }],
		hint: /doesn't accept were replaced in 1 message/,
	},
	{
		name: 'default-country',
		items: [{ to: '0470 12 34 56', order: 'A-1001' }],
		credential: 'SMS, Belgium',
		parameters: batch({}),
		label: 'Phone Number',
		sent: 1,
		results: [{ status: 'sent', number: '+32470123456' }],
	},
	{
		name: 'if-contact-exists',
		node: 'smsContact',
		items: [{}],
		parameters: ({ service }) => {
			const { id } = service.createList('Clients', []);
			service.addContacts(id, 1, () => ({ identifier: '+33639980001', attributes: {} }));
			return {
				operation: 'add',
				list: { __rl: true, mode: 'list', value: id, cachedResultName: 'Clients' },
				number: '06 39 98 00 01',
				ifExists: 'keep',
			};
		},
		label: 'If Contact Exists',
		sent: 0,
		results: [{ action: 'kept', number: '+33639980001' }],
	},
];

test.each(rows)('$name', async (row) => {
	const { node = 'sms', items = ORDERS, credential = credentialName } = row;
	const { parameters } = row;
	const given = typeof parameters === 'function' ? parameters(simulator) : parameters;
	const { id } = await n8n.createWorkflow(
		workflowOf(items, node, given, {
			credentials: { smsServiceApi: { id: null, name: credential } },
		}),
	);
	await editor.openWorkflow(id);
	const panel = await editor.openNode('Node');
	await eventually(() => labelsIn(panel)).toContain(row.label);
	const shown = await editor.executeNode(panel);
	expect(shown).toHaveLength(row.results.length);
	expect(shown).toMatchObject(row.results);
	expect(simulator.messages).toHaveLength(row.sent);
	if (row.hint !== undefined) {
		const told = await panel.getByTestId('output-panel').innerText();
		expect(told.replace(/\s+/g, ' ')).toMatch(row.hint);
	}
	const folder = process.env.PICTURES;
	if (!folder) return;
	await mkdir(folder, { recursive: true });
	const picture = join(folder, `${row.name}.png`);
	await editor.screenshot(picture, panel);
	const name = node[0].toUpperCase() + node.slice(1);
	noteForm(picture, name, descriptions[name], given);
});
