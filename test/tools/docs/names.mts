/** The docs call fields, operations and menus as the editor does, know each of them, and quote errors that there are. */
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { credential, descriptions as byNode } from './descriptions.mts';
import { found, read, sectionOf, sources, userPages } from './files.mts';

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
	credential.displayName,
	...namesIn(credential.properties),
]);

/** What the node panel offers: the actions of operations, and those that n8n makes of the trigger's events. */
const actions = descriptions.flatMap(({ properties }) =>
	properties.flatMap(({ name, options = [] }) =>
		(options as INodePropertyOptions[]).flatMap(({ action, name: option }) =>
			name === 'operation'
				? (action ?? [])
				: name === 'events'
					? `On ${option.toLowerCase()}`
					: [],
		),
	),
);

/** The names of what stands in a collection of a form. */
const namesUnder = (collection: string) =>
	descriptions.flatMap(({ properties }) =>
		properties
			.filter(({ displayName }) => displayName === collection)
			.flatMap(({ options = [] }) => namesIn(options)),
	);

/** The operations that a node's form offers, by the node's display name. */
const operationsOf = new Map(
	descriptions.map(({ displayName, properties }) => {
		const field = properties.find(({ name }) => name === 'operation');
		const options = (field?.options ?? []) as INodePropertyOptions[];
		return [displayName, options.map(({ name }) => name)];
	}),
);

/** Names of n8n's own: its menus, the settings of each node, its nodes and their fields. */
const N8N_NAMES = [
	...[
		'Actions',
		'All Other Fields',
		'Allowed HTTP Request Domains',
		'Always Output Data',
		'Append Row',
		'Batching',
		'Build a workflow',
	],
	...[
		'Clear Deduplication History',
		'Connect to SMS Service',
		'Continue',
		'Continue (using error output)',
		'Copy to editor',
		'Debug in editor',
	],
	...[
		'Create workflow',
		'Create new credential',
		'Credential',
		'Data table',
		'Edit Fields',
		'Execute Once',
	],
	...[
		'Execute Sub-workflow',
		'Execute step',
		'Executions',
		'Fetch Test Event',
		'Filter',
		'Got it',
	],
	...['HTTP Request', 'Human review', 'If', 'Import → From file', 'Error details', 'Include'],
	...[
		'Include Other Input Fields',
		'Loop Over Items',
		'Map Automatically',
		'Mapping Column Mode',
		'More details',
	],
	...['Node', 'On Error', 'Poll Times', 'Publish', 'Remove Duplicates', 'Request Options'],
	...['Remove Items Processed in Previous Executions', 'Respond', 'Immediately'],
	...['Retry On Fail', 'Retry execution', 'Retry with currently saved workflow', 'Save'],
	...['Save successful production executions', 'Settings', 'Settings → Community nodes'],
	...['Settings → Community nodes → Install', 'Split Out', 'Test', 'Timeout', 'Webhook'],
	'Workflow',
];
/** Headings of the report, and words that are explained where they stand. */
const OTHER = [
	...['After Stop', 'Clicked', 'Opened', 'Replies', 'Runs', 'Extended'],
	...['The first publication', 'The service itself'],
];
/** Quoted, and not of this package. */
const OTHER_QUOTES = [
	...['No action required', 'Unrecognized node type'],
	// Put together by nodes/shared/run/advice.ts; test/unit/ways.test.mts and the player hold them.
	'Retry this execution',
	"To send it again, turn 'Send Again if Unknown' on under Options, and retry",
	'Run the workflow with this item only',
];

const known = new Set([...ownNames, ...N8N_NAMES, ...OTHER]);
/** Written like a name, with several words. */
const LIKE_A_NAME = /^[A-Z]\w*(?: (?:[A-Z]\w*|of|the|per|if|to))+$/;
const BOLD = /\*\*([^*]+)\*\*/g;

const withoutCode = (text: string) => text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`]*`/g, '');

/** What the nodes say: the sources, with the verb of a send in the texts that have one. */
const code = sources.map(read).join('\n');
const said = `${code}\n${code.replaceAll('${verb}', 'sent')}`;

/** @returns the mistakes */
export function checkNames(): string[] {
	return [
		...userPages.flatMap((page) =>
			checkPage(read(page)).map((mistake) => `${page}: ${mistake}`),
		),
		...checkTables(),
		...sources.flatMap(checkSource),
	];
}

function checkPage(text: string): string[] {
	const prose = withoutCode(text);
	const menus = found(prose, /(?<![\w*_])_([^_]+)_(?![\w_])/g).filter((name) =>
		/^[A-Z]/.test(name),
	);
	const steps = (text.match(/^\d+\. .*\n(?: {3}.*\n)*/gm) ?? [])
		.filter((step) => !/^\d+\. \*\*/.test(step))
		.map(withoutCode);
	const bold = [
		...steps.flatMap((step) => found(step, BOLD)),
		...found(prose, BOLD).filter((name) => LIKE_A_NAME.test(name)),
	];
	const quotes = found(prose, /"([A-Z][^"\n]*(?: [^"\n]*){2,})"/g)
		.map((quote) => quote.replace(/[.,]$/, ''))
		.filter((quote) => !said.includes(quote) && !OTHER_QUOTES.includes(quote));
	return [
		...menus.filter((name) => !known.has(name)),
		...bold.filter((name) => ![...known, ...actions, '+', '…'].includes(name)),
	]
		.map((name) => `nothing is called ${name}`)
		.concat(
			checkCollections(text),
			quotes.map((quote) => `no node says "${quote}"`),
			found(text, /`([A-Z][a-z]+(?: [\w()]+)+)`/g)
				.filter((name) => ownNames.has(name))
				.map((name) => `${name} is a name of the editor, and no code`),
		);
}

/** What a page puts under a collection stands there. */
function checkCollections(text: string): string[] {
	const list = /\bunder _(Options|Safeguards)_[^.\n]*:\n\n((?:- .*\n(?: {2}.*\n)*)+)/gi;
	const inText = [...text.matchAll(/_([A-Z][^_]+)_\s+under\s+_(Options|Safeguards)_/g)].map(
		([, name, place]) => [place, name],
	);
	const inLists = [...text.matchAll(list)].flatMap(([, place, items]) =>
		[...items.matchAll(/^- \*\*(.+?)\*\*(?: and \*\*(.+?)\*\*)?/gm)].flatMap(([, ...names]) =>
			names.filter(Boolean).map((name) => [place, name]),
		),
	);
	return [...inText, ...inLists]
		.map(([place, name]) => [place, name.replaceAll(/\s+/g, ' ')])
		.filter(([place, name]) => !namesUnder(place).includes(name))
		.map(([place, name]) => `${name} is not under ${place}`);
}

/** What an error tells to do names operations, and what stands under a collection. */
function checkSource(file: string): string[] {
	const text = read(file);
	const operations = found(
		text,
		/\boperation ([A-Z]\w+(?: (?:(?:and|by|for|in|of|or|to) )?[A-Z]\w+)*)/g,
	).filter((name) => !ownNames.has(name));
	const misplaced = ['Options', 'Safeguards'].flatMap((collection) => {
		const names = found(
			text,
			new RegExp(`'([A-Z][\\w ()%]+)' under ${collection}(?! of)`, 'g'),
		);
		return names.filter((name) => !namesUnder(collection).includes(name));
	});
	return [...operations, ...misplaced].map((name) => `${file}: names ${name}, which isn't there`);
}

/** The pages that begin with a table of a node's operations. */
const TABLES: Record<string, string> = {
	'docs/sms.md': 'SMS',
	'docs/campaigns.md': 'SMS Campaign',
	'docs/statistics.md': 'SMS Stats',
	'docs/lists-and-contacts.md': 'SMS List',
};

const TRIGGER_START =
	/_Trigger On_.*_Fetch Test Event_.*\bno replies.*_Also Emit What Is Already There_/s;

const lacks = (what: string, are: string[], wanted: string[]) =>
	wanted.filter((name) => !are.includes(name)).map((name) => `${what} lacks ${name}`);

/** Two lists of names that have to be the same. */
function compare(what: string, are: string[], wanted: string[]): string[] {
	const more = are.filter((name) => !wanted.includes(name));
	return [...lacks(what, are, wanted), ...more.map((name) => `${what} has ${name}`)];
}

function checkTables(): string[] {
	const own = [...operationsOf].flatMap(([node, names]) =>
		names.map((name) => `${node}: ${name}`),
	);
	const fields = found(sectionOf('README.md', 'Credential'), /^\| ([A-Z].+?) +\| /gm).slice(1);
	const errors = found(read('docs/errors.md'), /^\| "(.+?)" +\|/gm);
	const ofCredential = credential.properties.map(({ displayName }) => displayName);
	return [
		// It makes no request.
		...compare('the table of docs/service.md', [...endpointTable(), 'SMS: Preview SMS'], own),
		...lacks('the table of nodes in README.md', nodeTable(), own),
		...Object.entries(TABLES).flatMap(([page, node]) => {
			const [, table] = read(page).split(/^\| Operation.*\n.*\n/m);
			const names = found(table.split('\n\n')[0], /^\| (.+?) +\|/gm);
			return compare(
				page,
				names.flatMap((cell) => cell.split(', ')),
				operationsOf.get(node)!,
			);
		}),
		...compare('the table of the credential in README.md', fields, ofCredential),
		...(fields.join() === ofCredential.join()
			? []
			: ['README.md: the credential has another order']),
		...(errors.length > 8 ? [] : ['docs/errors.md has lost its table']),
		...errors
			.filter((text) => !said.includes(text))
			.map((text) => `docs/errors.md: no node says "${text}"`),
		...(TRIGGER_START.test(read('docs/trigger.md').split('\n').slice(0, 15).join('\n'))
			? []
			: [
					'docs/trigger.md does not begin with what to choose, how to test it and what not to expect',
				]),
	];
}

/** @returns what the table of endpoints names, as `node: operation` */
function endpointTable(): string[] {
	const cells = found(
		sectionOf('docs/service.md', 'What the interface offers'),
		/^\| .+? \| (.+?) +\| (?:core|extended) *\|$/gm,
	);
	const named = cells.flatMap((cell) =>
		cell.split(';').flatMap((part) => {
			const [node, operations] = part.trim().split(': ');
			const names = operations?.replaceAll(/ \(.*?_\)/g, '').split(', ') ?? [];
			return names.map((name) => `${node}: ${name}`);
		}),
	);
	return [...new Set(named)];
}

/** @returns what the README's table of nodes names, as `node: operation` */
function nodeTable(): string[] {
	let node = '';
	return [...sectionOf('README.md', 'Nodes').matchAll(/^\| (.*?) +\| (.*?) +\| .*\|$/gm)].flatMap(
		([, cell, operations]) => {
			node = /\[(.+?)\]/.exec(cell)?.[1] ?? node;
			return operations.split(', ').map((operation) => `${node}: ${operation}`);
		},
	);
}
