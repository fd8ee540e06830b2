/** The example workflows: importable, explained, harmless, and made of what the nodes have. */
import type {
	IDataObject,
	INode,
	INodeParameters,
	INodeProperties,
	IWorkflowBase,
} from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { TOOLS } from '../harness/examples.mts';
import { root } from '../harness/package.mts';

const folder = join(root, 'workflows');
const files = readdirSync(folder).sort();
const OWN = 'n8n-nodes-sms-service.';

const types = Object.values(descriptions);
const propertiesOf = new Map(types.map(({ name, properties }) => [`${OWN}${name}`, properties]));
/** n8n makes tools of a node, and a human review step of one that can send and wait. */
const baseOf = (type: string) => type.replace(/(Hitl)?Tool$/, '');
/** Parameters that n8n adds to a polling trigger by itself. */
const ADDED_BY_N8N = ['pollTimes'];

/** Nodes of n8n's that need no account. */
const BUILT_IN = [
	...['crypto', 'dataTable', 'errorTrigger', 'executeWorkflowTrigger', 'filter', 'formTrigger'],
	...['html', 'if', 'manualTrigger', 'merge', 'respondToWebhook', 'scheduleTrigger', 'set'],
	...['splitInBatches', 'splitOut', 'stickyNote', 'stopAndError', 'switch', 'wait', 'webhook'],
].map((name) => `n8n-nodes-base.${name}`);

/** The apps that users know these nodes by. */
const APPS: Record<string, string> = {
	airtable: 'Airtable',
	gmail: 'Gmail',
	googleSheets: 'Google Sheets',
	hubspot: 'HubSpot',
	lmChatOpenAi: 'OpenAI',
	slack: 'Slack',
	zendesk: 'Zendesk',
};

/** n8n's own tables: the columns of each, by its name, as the workflow that makes them has them. */
const dataTables = new Map(
	workflowOf('example-tables.json')
		.nodes.filter(({ parameters }) => parameters.resource === 'table')
		.map(({ parameters: { tableName, columns } }) => [
			tableName as string,
			(columns as { column: Array<{ name: string }> }).column.map(({ name }) => name),
		]),
);

/** Numbers that France keeps for fiction, also as spreadsheets leave them of `+33…`. */
const FICTIONAL = /^(?:\+?33|0033|0)(?:63998|19900)\d{4}$/;

function read(file: string): string {
	return readFileSync(join(folder, file), 'utf8');
}
function workflowOf(file: string): IWorkflowBase {
	return JSON.parse(read(file)) as IWorkflowBase;
}
const isOwn = ({ type }: INode) => type.startsWith(OWN);
const isModel = ({ type }: INode) => type.startsWith('@n8n/n8n-nodes-langchain.');
const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';

/** The nodes from which an item may have come to a node. */
function before({ connections }: IWorkflowBase, name: string): Set<string> {
	const found = new Set<string>();
	const queue = [name];
	for (const target of queue) {
		for (const [source, { main = [] }] of Object.entries(connections)) {
			if (found.has(source)) continue;
			if (!main.some((output) => output?.some(({ node }) => node === target))) continue;
			found.add(source);
			queue.push(source);
		}
	}
	return found;
}

/** Somebody has to answer before an item comes to a node. */
function asksBefore(workflow: IWorkflowBase, name: string): boolean {
	const sources = before(workflow, name);
	return workflow.nodes.some(
		(node) => sources.has(node.name) && node.parameters.operation === 'sendAndWait',
	);
}

/** The data table that a node is about. */
function tableOf({ parameters }: INode): string {
	return (parameters.dataTableId as { value: string }).value;
}

/** All notes of a workflow. */
const written = ({ nodes }: IWorkflowBase) =>
	nodes
		.filter(isNote)
		.map(({ parameters }) => parameters.content as string)
		.join('\n\n');
const switchedOff = (name: string) => new RegExp(`\\*\\*${name}\\*\\*.* switched off`);

/** The names of parameters that no property has, those in collections included. */
function unknownParameters(parameters: INodeParameters, properties: INodeProperties[]): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const named = properties.filter((property) => property.name === name);
		if (named.length === 0) return ADDED_BY_N8N.includes(name) ? [] : [name];
		const choices = named.flatMap(({ type, options = [] }) =>
			type === 'options' ? options.map((option) => 'value' in option && option.value) : [],
		);
		const isExpression = typeof value === 'string' && value.startsWith('=');
		if (choices.length > 0 && !isExpression && !choices.includes(value as string)) {
			return [`${name}: ${String(value)}`];
		}
		const collections = named.filter(({ type }) => type === 'collection');
		if (collections.length === 0) return [];
		const inside = collections.flatMap(({ options = [] }) => options as INodeProperties[]);
		return unknownParameters(value as INodeParameters, inside).map((one) => `${name}.${one}`);
	});
}

describe.each(files)('%s', (file) => {
	const text = read(file);
	const workflow = workflowOf(file);
	const { name, nodes, connections } = workflow;
	const rows = nodes.filter(
		({ type, parameters }) =>
			baseOf(type) === 'n8n-nodes-base.dataTable' && parameters.resource === 'row',
	);
	const tables = [...new Set(rows.map(tableOf))];

	test('is a workflow that n8n can import, with no data of an account', () => {
		expect(name).toMatch(/^SMS: \S/);
		expect(workflow).not.toHaveProperty('id');
		const ids = nodes.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
		const names = nodes.map((node) => node.name);
		expect(new Set(names).size).toBe(names.length);
		const linked = Object.entries(connections).flatMap(([source, { main = [] }]) => [
			source,
			...main.flatMap((output) => (output ?? []).map(({ node }) => node)),
		]);
		expect(names).toEqual(expect.arrayContaining(linked));
	});

	test('is explained on the canvas', () => {
		const [note] = nodes.filter(isNote);
		expect(note.parameters.content).toMatch(/^## \S/);
		const written = nodes.filter(isNote).map(({ parameters }) => parameters.content as string);
		const bold = written.flatMap((content) =>
			[...content.matchAll(/\*\*([A-Z][^*:]+?)\*\*/g)].map(([, words]) => words),
		);
		// Bold words are a node of the workflow, a node of n8n's, or a field as the editor shows it.
		const known = [
			...nodes.map((node) => node.name),
			...types.map(({ displayName }) => displayName),
			...types.flatMap(({ properties }) => displayNames(properties)),
			...[
				'Schedule Trigger',
				'On Error',
				'Execute workflow',
				'Fetch Test Event',
				'URL',
				'JSON',
			],
		];
		const unknown = bold.filter(
			(words) => !known.includes(words) && !/^(Above|Below)\b/.test(words),
		);
		expect(unknown).toEqual([]);
	});

	test('runs without an account of another tool, and says how to use your own', () => {
		const { pinData = {} } = workflow;
		for (const { type } of nodes.filter((node) => !isOwn(node) && !isModel(node))) {
			expect([...TOOLS, ...BUILT_IN]).toContain(baseOf(type));
		}
		const names = nodes.map((node) => node.name);
		expect(names).toEqual(expect.arrayContaining(Object.keys(pinData)));
		for (const tool of nodes.filter(({ type }) => TOOLS.includes(type))) {
			// n8n forgets pinned data when an answer resumes an execution.
			const waits = asksBefore(workflow, tool.name);
			expect(tool.disabled === true, tool.name).toBe(waits);
			expect(pinData[tool.name] !== undefined, tool.name).toBe(!waits);
			expect(tool.credentials, tool.name).toBeUndefined();
			if (waits) expect(written(workflow)).toMatch(switchedOff(tool.name));
		}
		const note = nodes
			.filter(isNote)
			.map(({ parameters }) => parameters.content as string)
			.find((content) => content.includes('example data'));
		for (const pinned of Object.keys(pinData)) expect(note).toContain(`**${pinned}**`);
		expect(note === undefined).toBe(Object.keys(pinData).length === 0);
	});

	test('reads rows from where users have them', () => {
		for (const { type, parameters } of nodes) {
			expect(type).not.toBe('n8n-nodes-base.code');
			if (type !== 'n8n-nodes-base.set' || parameters.mode !== 'raw') continue;
			expect(parameters.jsonOutput).toMatch(/^=/);
		}
	});

	test('knows its data tables by name, with the columns that they have, and says how to make them', () => {
		for (const node of rows) {
			const { dataTableId, filters, columns } = node.parameters as IDataObject;
			expect(dataTableId, node.name).toMatchObject({ mode: 'name' });
			const { conditions = [] } = (filters ?? {}) as { conditions?: IDataObject[] };
			const { mappingMode, value } = (columns ?? {}) as IDataObject;
			const named = [
				...conditions.map(({ keyName }) => keyName as string),
				...(mappingMode === 'defineBelow' ? Object.keys(value as object) : []),
			];
			const columnsOf = dataTables.get(tableOf(node));
			expect(['id', ...columnsOf!], node.name).toEqual(expect.arrayContaining(named));
			if (file === 'example-tables.json') continue;
			const note = `*${tableOf(node)}*, one of n8n's own data tables`;
			expect(written(workflow)).toContain(note);
			expect(written(workflow)).toContain('**tables for the examples**');
		}
	});

	test('names fields and operations that there are', () => {
		for (const node of nodes.filter(isOwn)) {
			const properties = propertiesOf.get(baseOf(node.type));
			expect(properties, node.type).toBeDefined();
			expect(unknownParameters(node.parameters, properties!), node.name).toEqual([]);
			expect(node.credentials).toEqual({
				smsServiceApi: { id: null, name: 'SMS Service account' },
			});
		}
	});

	test('texts nobody and calls nothing that exists', () => {
		const found =
			text.match(/(?<![\d-])(?:\+?33|0033|0)[ .]?[1-9](?:[ .]?\d\d){4}(?!\d)/g) ?? [];
		for (const number of found) expect(number.replaceAll(/[ .]/g, '')).toMatch(FICTIONAL);
		for (const [, host] of text.matchAll(/https?:\/\/([^/"\s]+)/g)) {
			expect(host).toMatch(/^(\w+\.)?example\.com$/);
		}
		for (const [, address] of text.matchAll(/[\w.-]+@([\w.-]+)/g)) {
			expect(address).toBe('example.com');
		}
	});

	test('sends to people of whom others tell it only when the test number is empty', () => {
		const sending = nodes.filter(
			({ type, parameters: { operation } }) =>
				type === `${OWN}sms` && operation !== 'preview',
		);
		for (const { name: sender, parameters } of sending) {
			const starts = [...before(workflow, sender)]
				.map((source) => nodes.find((node) => node.name === source)!)
				.filter(({ type }) => /trigger|webhook/i.test(type));
			expect(starts).not.toEqual([]);
			if (starts.every(({ type }) => type === 'n8n-nodes-base.manualTrigger')) continue;
			expect(parameters.number).toMatch(/^=\{\{ \$json\.testNumber \|\| .+ \}\}$/);
			const setting = nodes.find((node) => node.name === 'Test Number');
			expect(JSON.stringify(setting?.parameters)).toMatch(/"testNumber","value":"06 39 98 /);
			expect(before(workflow, sender)).toContain('Test Number');
			const { onceKey } = (parameters.safeguards ?? {}) as IDataObject;
			if (onceKey === undefined) continue;
			// A key that is tried with the test number must not be skipped for the customer.
			expect(onceKey).toMatch(
				/^=\{\{ \$json\.testNumber \? 'test ' \+ \$execution\.id : 'for real' \}\} \S/,
			);
		}
		const costly = nodes.filter(
			({ type, parameters: { operation } }) =>
				type === `${OWN}smsCampaign` && ['send', 'sendTest'].includes(operation as string),
		);
		for (const { name: sender, disabled } of costly) {
			const asks = asksBefore(workflow, sender);
			expect(disabled === true || asks).toBe(true);
		}
	});

	test('is run by a test and shown in the gallery', () => {
		const base = file.replace(/\.json$/, '');
		const tests = ['e2e', 'long', 'long/trigger', 'engine/campaign'].flatMap((suite) =>
			readdirSync(join(root, 'test', suite))
				.filter((one) => /(\.test|^suite)\.mts$/.test(one))
				.map((one) => readFileSync(join(root, 'test', suite, one), 'utf8')),
		);
		expect(tests.some((source) => new RegExp(`['/]${base}[.':]`).test(source))).toBe(true);
		const gallery = readFileSync(join(root, 'docs/workflows.md'), 'utf8');
		// By the name that the editor shows, so that it is found there.
		const title = name.replace(/^SMS: (.)/, (_, first: string) => first.toUpperCase());
		expect(gallery).toContain(`### [${title}](../workflows/${file})`);
		expect(gallery).toContain(`](images/workflows/${base}.png)`);
		expect(readdirSync(join(root, 'docs/images/workflows'))).toContain(`${base}.png`);
		const [, text] = gallery.split(`](../workflows/${file})`);
		const [, apps = ''] = /^Apps: (.*)\.$/m.exec(text.split('\n#')[0]) ?? [];
		const used = nodes.flatMap(({ type }) => APPS[type.split('.')[1]] ?? []);
		expect(apps).toBe([...new Set(used)].sort().join(', '));
		const [, shown = ''] = /^Data table: (.*)\.$/m.exec(text.split('\n#')[0]) ?? [];
		expect(shown).toBe(file === 'example-tables.json' ? '' : tables.join(', '));
	});
});

/** The names of fields as the editor shows them, those in collections included. */
function displayNames(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.flatMap((option) =>
			'displayName' in option ? [option.displayName] : [option.name],
		),
	]);
}

test('the gallery shows no workflow that there is not', () => {
	const gallery = readFileSync(join(root, 'docs/workflows.md'), 'utf8');
	const shown = [...gallery.matchAll(/\]\(\.\.\/workflows\/([^)]+)\)/g)].map(([, file]) => file);
	expect([...new Set(shown)].sort()).toEqual(files);
});

test('at least six examples run on data tables alone: no account of another tool, no language model', () => {
	const alone = files.filter((file) => {
		const { nodes } = workflowOf(file);
		const types = nodes.map(({ type }) => type);
		return (
			file !== 'example-tables.json' &&
			types.includes('n8n-nodes-base.dataTable') &&
			!nodes.some((node) => isModel(node) || TOOLS.includes(node.type))
		);
	});
	expect(alone.length).toBeGreaterThanOrEqual(6);
});

test('no data table has the name of another one in its own: n8n finds the first that has the word', () => {
	const names = [...dataTables.keys()];
	for (const name of names) {
		expect(names.filter((other) => other.includes(name))).toEqual([name]);
	}
});
