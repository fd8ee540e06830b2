/** The docs call things as the editor does, know each file, and quote errors that there are. */
import type { INodeProperties, INodePropertyOptions, INodePropertyCollection } from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SmsServiceApi } from '../../credentials/SmsServiceApi.credentials.ts';
import { descriptions as byNode } from '../descriptions.mts';
import { root } from '../harness/package.mts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
	'README.md',
	...readdirSync(join(root, 'docs'))
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`),
];

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** What a form shows: names of fields, of collections and of their choices. */
function namesIn(entries: readonly Entry[]): string[] {
	return entries.flatMap((entry) => [
		'displayName' in entry ? entry.displayName : entry.name,
		...('options' in entry ? namesIn((entry.options ?? []) as Entry[]) : []),
		...('values' in entry ? namesIn(entry.values) : []),
	]);
}

const descriptions = Object.values(byNode);
const ownNames = new Set([
	...descriptions.flatMap(({ displayName, properties }) => [displayName, ...namesIn(properties)]),
	new SmsServiceApi().displayName,
	...namesIn(new SmsServiceApi().properties),
]);
/** What the node panel offers: the actions of operations, and those that n8n makes of the trigger's events. */
const actions = descriptions.flatMap(({ properties }) =>
	properties.flatMap(({ name, options = [] }) =>
		(options as INodePropertyOptions[]).flatMap(({ action, name: option }) =>
			name === 'operation' ? (action ?? []) : name === 'events' ? onEvent(option) : [],
		),
	),
);

function onEvent(name: string): string {
	return `On ${name.toLowerCase()}`;
}

/** The collections of the forms. */
const COLLECTIONS = ['Options', 'Safeguards'];

/** The names of what stands in a collection of a form. */
function namesUnder(collection: string): string[] {
	return descriptions.flatMap(({ properties }) =>
		properties
			.filter(({ displayName }) => displayName === collection)
			.flatMap(({ options = [] }) => namesIn(options)),
	);
}

/** Names of n8n's own: its menus, the settings of each node, its nodes and their fields. */
const N8N_NAMES = [
	'Actions',
	'All Other Fields',
	'Allowed HTTP Request Domains',
	'Data table',
	'Always Output Data',
	'Batching',
	'Clear Deduplication History',
	'Connect to SMS Service',
	'Continue',
	'Create new credential',
	'Build a workflow',
	'Create workflow',
	'Credential',
	'Edit Fields',
	'Error details',
	'Execute Once',
	'Execute Sub-workflow',
	'Execute step',
	'Executions',
	'Fetch Test Event',
	'Got it',
	'HTTP Request',
	'Human review',
	'If',
	'Import → From file',
	'Include',
	'Include Other Input Fields',
	'Loop Over Items',
	'Map Automatically',
	'More details',
	'Node',
	'On Error',
	'Publish',
	'Remove Duplicates',
	'Remove Items Processed in Previous Executions',
	'Request Options',
	'Immediately',
	'Respond',
	'Retry execution',
	'Retry On Fail',
	'Retry with currently saved workflow',
	'Save',
	'Save successful production executions',
	'Settings',
	'Settings → Community nodes',
	'Settings → Community nodes → Install',
	'Split Out',
	'Test',
	'Timeout',
	'Webhook',
	'Workflow',
];
/** Headings of the report, and words that are explained where they stand. */
const OTHER = [
	'After Stop',
	'Clicked',
	'Opened',
	'Replies',
	'Runs',
	'Extended',
	'The first publication',
	'The service itself',
];

/** Quoted, and not of this package. */
const OTHER_QUOTES = ['No action required'];

const known = new Set([...ownNames, ...N8N_NAMES, ...OTHER]);
const withoutCode = (text: string) => text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`]*`/g, '');

describe.each(pages)('%s', (page) => {
	const text = read(page);

	test('names menus in italics as the editor does', () => {
		const italics = [...withoutCode(text).matchAll(/(?<![\w*_])_([^_]+)_(?![\w_])/g)]
			.map(([, name]) => name.replaceAll(/\s+/g, ' '))
			.filter((name) => /^[A-Z]/.test(name));
		expect(italics.filter((name) => !known.has(name))).toEqual([]);
	});

	test('names in bold what there is, in the steps to do and where it is written like a name', () => {
		const bold = (part: string) =>
			[...withoutCode(part).matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) =>
				name.replaceAll(/\s+/g, ' '),
			);
		const steps = text.match(/^\d+\. .*\n(?:   .*\n)*/gm) ?? [];
		const named = [
			...steps.filter((step) => !/^\d+\. \*\*/.test(step)).flatMap(bold),
			...bold(text).filter((name) =>
				/^[A-Z]\w*(?: (?:[A-Z]\w*|of|the|per|if|to))+$/.test(name),
			),
		];
		const all = [...known, ...actions, '+', '…'];
		expect(named.filter((name) => !all.includes(name))).toEqual([]);
	});

	test('puts under each collection what stands there', () => {
		const list = /\bunder _(Options|Safeguards)_[^.\n]*:\n\n((?:- .*\n(?:  .*\n)*)+)/gi;
		const placed = [
			...[...text.matchAll(/_([A-Z][^_]+)_\s+under\s+_(Options|Safeguards)_/g)].map(
				([, name, place]) => [place, name],
			),
			...[...text.matchAll(list)].flatMap(([, place, items]) =>
				[...items.matchAll(/^- \*\*(.+?)\*\*(?: and \*\*(.+?)\*\*)?/gm)].flatMap(
					([, ...names]) => names.filter(Boolean).map((name) => [place, name]),
				),
			),
		].map(([place, name]) => [place, name].map((part) => part.replaceAll(/\s+/g, ' ')));
		expect(placed.filter(([place, name]) => !namesUnder(place).includes(name))).toEqual([]);
	});

	test('quotes what the nodes say', () => {
		const code = said();
		const quoted = [...withoutCode(text).matchAll(/"([A-Z][^"\n]*(?: [^"\n]*){2,})"/g)].map(
			([, quote]) => quote.replace(/[.,]$/, ''),
		);
		expect(
			quoted.filter((quote) => !code.includes(quote) && !OTHER_QUOTES.includes(quote)),
		).toEqual([]);
	});

	test('writes no menu as code', () => {
		const code = [...text.matchAll(/`([A-Z][a-z]+(?: [\w()]+)+)`/g)].map(([, name]) => name);
		expect(code.filter((name) => ownNames.has(name))).toEqual([]);
	});
});

/** The operations that a node's form offers, by the node's display name. */
const operationsOf = new Map(
	descriptions.map(({ displayName, properties }) => [
		displayName,
		(
			(properties.find(({ name }) => name === 'operation')?.options ??
				[]) as INodePropertyOptions[]
		).map(({ name }) => name),
	]),
);

test('the table of endpoints in docs/service.md names nodes and operations that there are, and all of them', () => {
	const [, table] = read('docs/service.md').split('## What the interface offers');
	const cells = [
		...table.split('\n## ')[0].matchAll(/^\| .+? \| (.+?) +\| (?:core|extended) *\|$/gm),
	];
	const named = new Set<string>();
	for (const [, cell] of cells) {
		for (const part of cell.split(';')) {
			const [node, operations] = part.trim().split(': ');
			if (operations === undefined) continue;
			expect(operationsOf.has(node), node).toBe(true);
			for (const operation of operations.replaceAll(/ \(.*?_\)/g, '').split(', ')) {
				expect(operationsOf.get(node), part).toContain(operation);
				named.add(`${node}: ${operation}`);
			}
		}
	}
	const without = ['SMS: Preview SMS']; // makes no request
	const all = [...operationsOf].flatMap(([node, names]) =>
		names.map((name) => `${node}: ${name}`),
	);
	expect(all.filter((name) => !named.has(name) && !without.includes(name))).toEqual([]);
});

test.each([
	['docs/sms.md', 'SMS'],
	['docs/campaigns.md', 'SMS Campaign'],
	['docs/statistics.md', 'SMS Stats'],
	['docs/lists-and-contacts.md', 'SMS List'],
])('the first table of %s has the operations of %s', (page, node) => {
	const [, table] = read(page).split(/^\| Operation.*\n.*\n/m);
	const names = [...table.split('\n\n')[0].matchAll(/^\| (.+?) +\|/gm)].flatMap(([, cell]) =>
		cell.split(', '),
	);
	expect(names.sort()).toEqual([...operationsOf.get(node)!].sort());
});

test('docs/trigger.md begins with what to choose, how to test it and what not to expect', () => {
	const start = read('docs/trigger.md').split('\n').slice(0, 15).join('\n');
	expect(start).toMatch(
		/_Trigger On_.*_Fetch Test Event_.*\bno replies.*_Also Emit What Is Already There_/s,
	);
});

test("the README's table of the credential has its fields, in their order", () => {
	const [, section] = read('README.md').split('## Credential');
	const fields = [...section.split('\n## ')[0].matchAll(/^\| ([A-Z].+?) +\| /gm)].map(
		([, name]) => name,
	);
	const own = new SmsServiceApi().properties.map(({ displayName }) => displayName);
	expect(fields.slice(1)).toEqual(own);
});

const sources = readdirSync(join(root, 'nodes'), { recursive: true })
	.map((file) => `nodes/${String(file)}`)
	.filter((file) => file.endsWith('.ts'));

/** What the nodes say: the sources, with the verb of a send in the texts that have one. */
function said(): string {
	const code = sources.map(read).join('\n');
	return `${code}\n${code.replaceAll('${this.verb}', 'sent')}`;
}

test('docs/architecture.md has a line for each file of nodes/shared, and for no other', () => {
	const rows = [
		...read('docs/architecture.md').matchAll(/^\| `(nodes\/shared\/[^`]+)` +\| (.+?) *\|$/gm),
	];
	const shared = sources.filter((file) => file.startsWith('nodes/shared/'));
	expect(rows.map(([, file]) => file).sort()).toEqual(shared.sort());
	for (const [, file, line] of rows) expect(line, file).toMatch(/^.{8,}\.$/);
});

describe('errors that docs/errors.md explains', () => {
	const quoted = [...read('docs/errors.md').matchAll(/^\| "(.+?)" +\|/gm)].map(
		([, text]) => text,
	);
	const code = said();

	test('are there', () => expect(quoted.length).toBeGreaterThan(8));

	test.each(quoted)('%s', (text) => expect(code).toContain(text));
});

describe('what errors tell to do', () => {
	const code = sources.map((file) => [file, read(file)] as const);

	test('names operations that there are', () => {
		for (const [file, text] of code) {
			const named = [
				...text.matchAll(
					/\boperation ([A-Z]\w+(?: (?:(?:and|by|for|in|of|or|to) )?[A-Z]\w+)*)/g,
				),
			];
			for (const [, name] of named) expect(ownNames, `${file}: ${name}`).toContain(name);
		}
	});

	test('names what stands under each collection', () => {
		for (const collection of COLLECTIONS) {
			const names = namesUnder(collection);
			for (const [file, text] of code) {
				for (const [, name] of text.matchAll(
					new RegExp(`'([A-Z][\\w ()%]+)' under ${collection}(?! of)`, 'g'),
				)) {
					expect(names, `${file}: ${name}`).toContain(name);
				}
			}
		}
	});
});

test('the table of the README names all operations of all nodes', () => {
	const [, nodes] = read('README.md').split('\n## Nodes\n');
	const rows = [...nodes.split('\n## ')[0].matchAll(/^\| (.*?) +\| (.*?) +\| .*\|$/gm)];
	const named = new Map<string, string[]>();
	let node = '';
	for (const [, cell, operations] of rows) {
		node = /\[(.+?)\]/.exec(cell)?.[1] ?? node;
		named.set(node, [...(named.get(node) ?? []), ...operations.split(', ')]);
	}
	for (const [name, operations] of operationsOf) {
		expect(named.get(name), name).toEqual(expect.arrayContaining(operations));
	}
});
