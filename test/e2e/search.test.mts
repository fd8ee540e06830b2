/** Where the nodes stand in the editor's search: n8n's own search, among all nodes that n8n brings. */
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest, root } from '../harness/package.mts';
import { packageName } from './support.mts';

interface Searched {
	name: string;
	displayName: string;
	group: string[];
	hidden?: boolean;
	codex?: { alias?: string[]; categories?: string[]; subcategories?: object };
}

const n8n = realpathSync(join(root, 'test/harness/n8n/node_modules/n8n'));
const require = createRequire(join(n8n, 'package.json'));
const { sublimeSearch } = require('@n8n/utils/search/sublime-search') as {
	sublimeSearch(
		query: string,
		items: Array<{ key: string; properties: Searched }>,
	): Array<{ item: { key: string } }>;
};

const readTypes = (file: string): Searched[] => JSON.parse(readFileSync(file, 'utf8'));

/** The texts by which the package's nodes are found, read from their sources. */
async function ownTypes(): Promise<Searched[]> {
	const { n8n: manifest } = await readManifest();
	return await Promise.all(
		manifest.nodes.map(async (built) => {
			const source = join(root, built.replace(/^dist\//, '').replace(/\.js$/, ''));
			const exported: Record<string, new () => { description: Searched }> = await import(
				`${source}.ts`
			);
			const [Node] = Object.values(exported);
			const { name, displayName, group } = new Node().description;
			const codex = JSON.parse(readFileSync(`${source}.json`, 'utf8'));
			return { name: `${packageName}.${name}`, displayName, group, codex };
		}),
	);
}

const types = [
	...readTypes(require.resolve('n8n-nodes-base/dist/types/nodes.json')),
	...readTypes(join(n8n, '../@n8n/n8n-nodes-langchain/dist/types/nodes.json')),
	...(await ownTypes()),
];

/**
 * Finds nodes as the editor does.
 *
 * @param isMerged whether SMS stands for its trigger too, as in the panel of a workflow that has a trigger
 * @returns the found nodes, best first
 */
function search(query: string, isMerged: boolean): string[] {
	const nodes = types.filter(
		({ name, hidden }) => !hidden && !(isMerged && name === `${packageName}.smsTrigger`),
	);
	const items = nodes.map((properties) => ({ key: properties.name, properties }));
	const found = sublimeSearch(query, items).map(({ item }) => item.key);
	return [...new Set(found)];
}

const own = (name: string) => `${packageName}.${name}`;

/** Where SMS and its trigger are one entry, and where they are two. */
test.each([
	...['sms', 'send sms', 'Send SMS', 'text message', 'send text', 'send a text', 'send message'],
	...[
		'sms reply',
		'reply sms',
		'receive sms',
		'received sms',
		'appointment',
		'bulk sms',
		'texting',
		'texto',
		'textos',
	],
	'sms gateway',
])('"%s" finds SMS first', (query) => {
	for (const isMerged of [true, false]) expect(search(query, isMerged)[0]).toBe(own('sms'));
});

test('"sms" finds all nodes of the package before any other', () => {
	const found = search('sms', false);
	expect(found.slice(0, 7).every((name) => name.startsWith(`${packageName}.`))).toBe(true);
});

test.each([
	['smsCampaign', ['sms campaign', 'mass sms']],
	['smsList', ['sms list']],
	['smsContact', ['sms contact']],
	['smsBlacklist', ['sms blacklist', 'sms stop']],
	['smsStats', ['sms status', 'sms credits']],
	['smsTrigger', ['sms trigger', 'incoming sms', 'inbound sms']],
])('%s is found first by %j', (name, queries) => {
	for (const query of queries) expect(search(query, false)[0], query).toBe(own(name));
});

test.each(['incoming sms', 'inbound sms', 'inbound', 'inbox', 'unsubscribed', 'opted out'])(
	'"%s" finds the entry of SMS and its trigger, where they are one',
	(query) => expect(search(query, true)[0]).toBe(own('sms')),
);

test.each([
	[
		'sms',
		[
			...['human', 'one-time code', 'verification code', 'otp', 'wait for response'],
			...['opt out', 'do not call', 'do not contact', 'text messages', 'phone number'],
			...['send and wait', 'wait for approval', '2fa', 'two-factor', 'low credits'],
			...['schedule sms', 'schedule message', 'mobile number', 'cell phone', 'group text'],
			...['bulk text', 'customer notification', 'survey', 'birthday', 'invitation'],
		],
	],
	['smsCampaign', ['mass text', 'broadcast', 'promo']],
	['smsContact', ['gdpr', 'recipients', 'subscribers', 'address book']],
	[
		'smsList',
		[
			'phone list',
			'phone number list',
			'list sms',
			'contact group',
			'sms group',
			'recipient list',
		],
	],
	['smsStats', ['sms balance', 'dlr', 'delivery report', 'delivered']],
	['smsTrigger', ['inbound', 'inbox', 'sms inbox', 'received sms']],
	[
		'smsBlacklist',
		[
			...['opt out', 'do not call', 'do not contact', 'black list', 'block list'],
			...['block number', 'block sms'],
		],
	],
])('%s is found by %j', (name, queries) => {
	for (const query of queries)
		expect(search(query, false).slice(0, 20), query).toContain(own(name));
});

test("SMS stands under n8n's Human review, where Slack does", () => {
	const codexOf = (name: string) => types.find((type) => type.name === name)?.codex;
	const listed = { HITL: ['Human in the Loop'] };
	for (const name of ['slack', own('sms')]) {
		expect(codexOf(name)?.categories).toContain('HITL');
		expect(codexOf(name)?.subcategories).toEqual(listed);
	}
});

test('"text" finds it beside n8n\'s own nodes for texts', () => {
	expect(search('text', true).slice(0, 10)).toContain(own('sms'));
});

test.each(['twilio', 'spreadsheet'])('nobody who looks for %s is led here', (query) => {
	const found = search(query, false);
	expect(found).not.toContainEqual(expect.stringMatching(`^${packageName}`));
});
