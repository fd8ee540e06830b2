/**
 * Every operation in every dialect of the service: the right result, or an error that says so, and never a
 * wrong result.
 */
import { describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { listOf, operations, prepare, type Row } from '../../operations.mts';
import {
	defaultDialect,
	pairwiseDialects,
	singleDialects,
	type Dialect,
} from '../../simulator/dialect.mts';
import type { RunResult } from '../harness.mts';
import { hurry, jsonOf, runnerOf } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

function speak(dialect: Partial<Dialect>): void {
	sim.reset();
	Object.assign(sim.service.settings, dialect);
}

const nameOf = ({ node, operation, what }: Row) =>
	[node, operation, what].filter(Boolean).join(' ');

/** IDs that JSON can't hold are read by no one: an error, or a result that leaves them out. */
const NEEDS_IDS =
	/^Sms (send|sendBatch|sendByUrl)|^SmsBlacklist (add|getMany)|^SmsCampaign (create|preview|get$|getStatistics|getMany)|^SmsList (create|get|getMany|deleteColumn)|^SmsContact (add|upsert|get|getMany|import|sync)|^SmsStats (messageStatus|replies)/;

/** Rows that may end in an error, by a point of the dialect: they can't be supported. */
const UNSUPPORTED: Array<[point: Partial<Dialect>, rows: RegExp]> = [
	// The interface document writes the slash.
	[{ slashes: 'refused' }, /^SmsList (create|getMany)/],
	[{ ids: 'longNumber' }, NEEDS_IDS],
	[{ ids: 'longNumber', fieldIds: 'opaque' }, /^SmsList addColumn/],
];

function mayFail(row: Row, dialect: Partial<Dialect>): boolean {
	return UNSUPPORTED.some(
		([point, rows]) =>
			rows.test(nameOf(row)) &&
			Object.entries(point).every(
				([name, value]) => dialect[name as keyof Dialect] === value,
			),
	);
}

/** @returns what is wrong, if anything is */
function judge(
	row: Row,
	dialect: Partial<Dialect>,
	{ items, error }: RunResult,
	wanted: IDataObject,
) {
	if (error !== undefined) {
		if (!mayFail(row, dialect)) return `error: ${error.message}`;
		return isTold(error) ? undefined : `no error for users: ${error.stack}`;
	}
	const json = jsonOf(items);
	if (row.isEmpty) return json.length === 0 ? undefined : `not empty: ${JSON.stringify(json)}`;
	if (json.length !== 1) return `${json.length} items`;
	const [only] = json;
	if (only.status === 'unknown' && mayFail(row, dialect)) return undefined;
	const seen = row.contains
		? Object.fromEntries(Object.keys(wanted).map((name) => [name, only[name]]))
		: only;
	const { id, ...withoutId } = wanted;
	for (const right of mayFail(row, dialect) ? [wanted, withoutId] : [wanted]) {
		if (isEqual(seen, right)) return undefined;
	}
	return `${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)} (${String(id)})`;
}

function isTold({ name, message }: Error): boolean {
	return (name === 'NodeApiError' || name === 'NodeOperationError') && message !== '';
}

function isEqual(seen: unknown, right: unknown): boolean {
	try {
		expect(seen).toEqual(right);
		return true;
	} catch {
		return false;
	}
}

/** @returns what is wrong in a dialect */
async function playAll(dialect: Partial<Dialect>): Promise<string[]> {
	const wrong: string[] = [];
	for (const row of operations) {
		speak(dialect);
		const { parameters, expected } = prepare(row, sim);
		const result = await runnerOf(row.node, sim)(row.operation, parameters);
		const { result: whole, contains } = expected();
		const said = judge(row, dialect, result, whole ?? contains ?? {});
		if (said !== undefined) wrong.push(`${nameOf(row)}: ${said}`);
	}
	return wrong;
}

const pairs = pairwiseDialects().map((dialect): [string, Dialect] => [
	describeDialect(dialect),
	dialect,
]);

function describeDialect(dialect: Dialect): string {
	const usual: Record<string, unknown> = { ...defaultDialect() };
	return Object.entries(dialect)
		.filter(([name, value]) => value !== usual[name])
		.map(([name, value]) => `${name} ${value}`)
		.join(', ');
}

describe('every operation', () => {
	test.each(singleDialects())('%s', async (_, dialect) => {
		expect(await playAll(dialect)).toEqual([]);
	});

	test.each(pairs)('%s', async (_, dialect) => {
		expect(await playAll(dialect)).toEqual([]);
	});
});

const NUMBER = '+33639981234';
const NATIONAL = '0639981234';
const ZERO_COUNTERS = {
	...{ sent: 0, delivered: 0, openers: 0, clickers: 0 },
	...{ replies: 0, unsubscribers: 0, bounced: 0, errors: 0 },
};

/** Something that isn't there, is there already, or is stored in the other form of its number. */
interface Case {
	node: string;
	operation: string;
	given: () => INodeParameters;
	/** The items that are right. */
	right: (json: IDataObject[]) => boolean;
	/** The error that it has to be, in words. */
	error?: RegExp;
	/** Compares the state of the service, after success or an error. */
	fits?: (json: IDataObject[] | undefined) => boolean;
	/** Dialects in which there can only be an error: nothing is said that could be understood. */
	unclear?: (dialect: Partial<Dialect>) => boolean;
}

/** An error of which nothing but its status can be read says too little. */
const wordless = ({ errors }: Partial<Dialect>) => errors === 'html' || errors === 'empty';
const codeless = ({ errors }: Partial<Dialect>) => errors !== undefined && errors !== 'codes';
const longIds = ({ ids }: Partial<Dialect>) => ids === 'longNumber';

const listId = () => [...sim.service.lists.keys()][0];
const contacts = () => sim.service.list(listId()).contacts.items();

function listWith(...written: string[]): INodeParameters {
	const list = sim.service.createList('Clients');
	for (const number of written) list.addContact(number);
	return listOf(list.id, 'id');
}

const CASES: Record<string, Case> = {
	'statistics of an unknown category': {
		node: 'SmsStats',
		operation: 'category',
		given: () => ({ category: 'nothing' }),
		right: (json) => isEqual(json, [{ category: 'nothing', ...ZERO_COUNTERS }]),
		unclear: wordless,
	},
	'replies of an unknown category': {
		node: 'SmsStats',
		operation: 'replies',
		given: () => ({ category: 'nothing' }),
		right: (json) => json.length === 0,
		unclear: wordless,
	},
	'blacklists of an unknown category': {
		node: 'SmsStats',
		operation: 'categoryBlacklists',
		given: () => ({ category: 'nothing' }),
		right: (json) =>
			isEqual(json, [
				{
					category: 'nothing',
					bounces: { count: 0, numbers: [] },
					unsubscribers: { count: 0, numbers: [] },
				},
			]),
		unclear: wordless,
	},
	'no message': {
		node: 'SmsStats',
		operation: 'messageStatus',
		given: () => ({ lookupBy: 'number', number: NUMBER }),
		right: () => false,
		error: /^(No message was found|The service does not know this address)/,
	},
	'a message to the other form of the number': {
		node: 'SmsStats',
		operation: 'messageStatus',
		given: () => {
			sim.service.accept({
				...{ kind: 'notification', number: NUMBER, written: NATIONAL, text: 'Bonjour' },
			});
			return { lookupBy: 'number', number: NUMBER };
		},
		right: ([status]) => status.state === 'sent',
		unclear: (dialect) => longIds(dialect) || (wordless(dialect) && dialect.numbers === 'text'),
	},
	'a number that is listed already': {
		node: 'SmsBlacklist',
		operation: 'add',
		given: () => {
			sim.service.addToBlacklist('unsubscribers', NUMBER);
			return { number: NATIONAL };
		},
		right: ([{ alreadyListed, id }]) =>
			sim.service.settings.duplicates === 'refuse'
				? alreadyListed === true && id === undefined
				: alreadyListed === false && typeof id === 'string',
		fits: () => sim.service.blacklist('unsubscribers').has(NUMBER),
		unclear: (dialect) => longIds(dialect) || codeless(dialect),
	},
	'a number that is not listed': {
		node: 'SmsBlacklist',
		operation: 'remove',
		given: () => ({ number: NUMBER }),
		right: ([{ deleted }]) => deleted === false,
		unclear: wordless,
	},
	'a number that is listed in the other form': {
		node: 'SmsBlacklist',
		operation: 'remove',
		given: () => {
			const { numbers } = sim.service.settings;
			sim.service.addWritten('unsubscribers', numbers === 'text' ? NATIONAL : NUMBER);
			return { number: NUMBER };
		},
		right: ([{ deleted }]) => deleted === true,
		fits: (json) => sim.service.blacklist('unsubscribers').has(NUMBER) === (json === undefined),
	},
	'a contact that is not there, by number': {
		node: 'SmsContact',
		operation: 'delete',
		given: () => ({ list: listWith(), number: NUMBER }),
		right: ([{ deleted }]) => deleted === false,
		unclear: wordless,
	},
	'a contact in the other form, by number': {
		node: 'SmsContact',
		operation: 'delete',
		given: () => ({ list: listWith(NUMBER), number: NATIONAL }),
		right: ([{ deleted }]) => deleted === true,
		fits: () => contacts().length === 0,
	},
	'a contact that is not there, by ID': {
		node: 'SmsContact',
		operation: 'delete',
		given: () => ({ list: listWith(), deleteBy: 'id', contactId: '5e0000000000000000000099' }),
		right: ([{ deleted }]) => deleted === false,
		unclear: wordless,
	},
	'a contact of a list that is not there': {
		node: 'SmsContact',
		operation: 'delete',
		given: () => ({ list: listOf('5e0000000000000000000099', 'id'), number: NUMBER }),
		right: ([{ deleted }]) => deleted === false && codeless(sim.service.settings),
		error: /^(The list was not found|The service does not know this address)/,
	},
	'a list that is not there': {
		node: 'SmsList',
		operation: 'delete',
		given: () => ({ list: listOf('5e0000000000000000000099', 'id') }),
		right: ([{ deleted }]) => deleted === false,
		unclear: wordless,
	},
	'a contact that is there already, kept': {
		node: 'SmsContact',
		operation: 'add',
		given: () => ({ list: listWith(NUMBER), number: NUMBER }),
		right: ([{ action, id }]) =>
			sim.service.settings.duplicates === 'refuse'
				? action === 'kept' && id === undefined
				: action === 'added' && typeof id === 'string',
		unclear: (dialect) => longIds(dialect) || codeless(dialect),
	},
	'a contact that is there already, with the same values': {
		node: 'SmsContact',
		operation: 'upsert',
		given: () => ({ list: listWith(NUMBER), number: NATIONAL }),
		right: ([{ action }]) => action === 'unchanged',
		unclear: longIds,
		fits: () => contacts().length === 1,
	},
	'a contact that is not there, replaced': {
		node: 'SmsContact',
		operation: 'upsert',
		given: () => ({ list: listWith(), number: NATIONAL }),
		right: ([{ action, id }]) => action === 'added' && typeof id === 'string',
		fits: (json) => json === undefined || contacts().length === 1,
		unclear: (dialect) => longIds(dialect) || wordless(dialect),
	},
	'a campaign that was sent before': {
		node: 'SmsCampaign',
		operation: 'send',
		given: () => campaign('SENT', NUMBER),
		right: () => false,
		error: /was sent before/,
		fits: () => sim.messages.length === 0,
	},
	'a campaign to an empty list': {
		node: 'SmsCampaign',
		operation: 'send',
		given: () => campaign('CREATED'),
		right: () => false,
		error: /^The list of the campaign .* is empty/,
		fits: () => sim.messages.length === 0,
		// The record names a list that is another one by now.
		unclear: longIds,
	},
};

function campaign(state: 'SENT' | 'CREATED', ...numbers: string[]): INodeParameters {
	listWith(...numbers);
	const { service } = sim;
	const id = service.createId();
	service.campaigns.set(id, {
		...{ id, kind: 'marketing', name: 'Soldes', message: 'Bonjour', listId: listId() },
		...{ state, creditsUsed: 0 },
	});
	return { campaign: listOf(id, 'id') };
}

/** @returns what is wrong in a dialect */
async function playCases(dialect: Partial<Dialect>): Promise<string[]> {
	const wrong: string[] = [];
	for (const [name, { node, operation, given, right, error, fits, unclear }] of Object.entries(
		CASES,
	)) {
		speak(dialect);
		const result = await runnerOf(node, sim)(operation, given());
		const json = result.error ? undefined : jsonOf(result.items);
		const told = result.error && `${result.error.name}: ${result.error.message}`;
		if (json !== undefined && !right(json) && !(unclear?.(dialect) && error)) {
			wrong.push(`${name}: ${JSON.stringify(json)}`);
		}
		if (result.error && !isTold(result.error)) wrong.push(`${name}: ${told}`);
		if (result.error && !(error?.test(result.error.message) ?? unclear?.(dialect))) {
			wrong.push(`${name}: ${told}`);
		}
		if (fits?.(json) === false) wrong.push(`${name}: ${told ?? 'done'}, but it isn't`);
	}
	return wrong;
}

describe('what is not there, there already, or stored in the other form', () => {
	test.each([['the usual one', {}], ...singleDialects()])('%s', async (_, dialect) => {
		expect(await playCases(dialect)).toEqual([]);
	});

	test.each(pairs)('%s', async (_, dialect) => {
		expect(await playCases(dialect)).toEqual([]);
	});
});
