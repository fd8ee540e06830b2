/** The stories of the player: a workflow with one node, what it is to bring about, and where that is seen. */
import type { IDataObject, INode } from 'n8n-workflow';
import type { Dice } from '../../harness/random.mts';
import { offered } from '../../harness/settings.mts';
import { listOf } from '../../operations.mts';
import { addCampaign } from '../campaign/support.mts';
import type { RunOptions } from '../harness.mts';
import { NOBODY, type Story } from './player.mts';
import { of, people, sms } from './sending.mts';
import { sim } from './service.mts';

type Settings = Partial<INode>;

/** Settings of the node in n8n. */
function settingsOf(dice: Dice, mayContinue = true): Settings {
	const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const onError = dice.one(['continueRegularOutput', 'continueErrorOutput'] as const);
	return {
		...(dice.chance(30) ? retries : {}),
		...(mayContinue && dice.chance(15) ? { onError } : {}),
	};
}

/** The rows of one run, or of two in a loop. */
function inRuns(rows: IDataObject[], isLoop: boolean): IDataObject[][] {
	return isLoop ? [rows.slice(0, 2), rows.slice(2)] : [rows];
}

/** Messages, with all that can be set for them. */
export function messages(dice: Dice): Story {
	const operation = dice.one(['send', 'sendBatch', 'sendByUrl']);
	const isLegacy = operation === 'sendByUrl';
	const rows: IDataObject[] = people(3 + dice.to(6)).map(({ to }, index) => ({
		...{ to, meant: to, text: `T${index}`, key: `K${index}` },
	}));
	// Two messages to one phone.
	if (dice.chance(30)) Object.assign(rows[1], { to: rows[0].to, meant: rows[0].to });
	// The same message twice.
	if (dice.chance(15)) rows.push({ ...rows[2] });
	if (dice.chance(15)) rows[dice.to(rows.length)].to = NOBODY;
	const stopped = dice.chance(30) ? String(rows[0].meant) : undefined;
	if (stopped !== undefined) sim.stop(stopped);
	const settings = offered('Sms', operation, {
		concurrency: dice.one([1, 3]),
		...(!isLegacy && dice.chance(40) ? { onceKey: '={{ $json.key }}' } : {}),
		...(operation === 'sendBatch' && dice.chance(60) ? { failIfIncomplete: true } : {}),
		...(operation === 'sendBatch' && dice.chance(10) ? { invalidItems: 'stop' } : {}),
		...(dice.chance(30) ? { resendUnknown: true } : {}),
		...(dice.chance(20) ? { skipDuplicates: true } : {}),
		...(!isLegacy && dice.chance(20) ? { maxCredits: 1 + dice.to(5) } : {}),
	});
	const skipsDuplicates =
		operation === 'sendBatch' || settings.skipDuplicates === true || 'onceKey' in settings;
	const nameOf = ({ meant, text }: IDataObject) => `${String(meant)} ${String(text)}`;
	const isSame = (row: IDataObject) => (one: { number: string; text: string }) =>
		one.number === row.meant && one.text === row.text;
	const more: Partial<RunOptions> = {
		settings: settingsOf(dice),
		// A sub-workflow is an execution of its own.
		...(dice.chance(20) ? { mode: 'integrated' } : {}),
	};
	return {
		title: operation,
		runs: inRuns(rows, !isLegacy && dice.chance(20)),
		workflow({ corrected, ...set }) {
			const options = sms(operation, [], set, more);
			const number = `={{ $json.to.replace('${NOBODY}', $json.meant) }}`;
			const parameters =
				corrected === true ? { ...options.parameters, number } : options.parameters;
			return { ...options, parameters };
		},
		settings,
		count: (row) => sim.messages.filter(isSame(row)).length,
		wanted: (row) =>
			skipsDuplicates ? 1 : rows.filter((one) => nameOf(one) === nameOf(row)).length,
		nameOf,
		isBarred: ({ meant }) => meant === stopped,
		looksUp: true,
	};
}

/** The columns and values of a contact that is there. */
const OLD = { City: 'Paris', Points: '12' };
const mapped = (value: IDataObject) => ({ mappingMode: 'defineBelow', value, schema: [] });

function newList(name: string, columns: string[] = []) {
	return sim.service.createList(
		name,
		columns.map((column) => ({ name: column })),
	);
}

/** One operation that changes something, over these rows. */
export interface Deed {
	node: string;
	parameters: IDataObject & { operation: string };
	rows: IDataObject[];
	count: Story['count'];
	others?: number;
	isThere?: Story['isThere'];
	judge?: Story['judge'];
	looksUp?: boolean;
	/** It has *Repeat if Unknown*. */
	repeats?: boolean;
	/** All items are one change: it isn't made in a loop. */
	isWhole?: boolean;
}

const listsCalled = (name: unknown) =>
	[...sim.service.lists.values()].filter((one) => one.name === name);
const once = (isSo: boolean | undefined) => Number(isSo === true);
const numbered = (count: number): IDataObject[] =>
	people(count).map(({ to }) => ({ to, meant: to }));
const named = (...names: string[]): IDataObject[] => names.map((name) => ({ name }));

const NUMBER = { number: '={{ $json.to }}' };
const NAME = { name: '={{ $json.name }}' };
/** The list of the row. */
const LIST = { list: listOf('={{ $json.id }}', 'id') };
const CITY = { attributes: mapped({ City: 'Lyon' }) };
const isBlacklisted = ({ to }: IDataObject) =>
	sim.service.blacklist('unsubscribers').has(String(to));
const received = ({ to }: IDataObject) => sim.messagesTo(String(to)).length;

function contactList(rows: IDataObject[], present: number) {
	const list = newList('Clients', ['City', 'Points']);
	const [city, points] = list.fields.map(({ id }) => id);
	const values = { [city]: OLD.City, [points]: OLD.Points };
	for (const { to } of rows.slice(0, present)) list.addContact(String(to), values);
	const found = ({ to }: IDataObject) =>
		list.contacts.items().filter(({ identifier }) => identifier === to);
	return { list, city, points, found, in: { list: listOf(list.id, 'id') } };
}

/** A contact that is replaced has the new value, and keeps the one that isn't mapped. */
function changed(operation: 'upsert' | 'sync', dice: Choices): Deed {
	const rows = numbered(3 + dice.to(3));
	const present = dice.to(3);
	const contacts = contactList(rows, present);
	const { list, city, points, found } = contacts;
	const leaving = people(2, 500).map(({ to }) => String(to));
	const removes = operation === 'sync' && dice.chance(50);
	if (removes) for (const number of leaving) list.addContact(number, { [city]: 'Lille' });
	const count = (row: IDataObject) => {
		const those = found(row);
		if (those.length > 1) return those.length;
		const kept = rows.indexOf(row) < present ? OLD.Points : undefined;
		const [contact] = those;
		return once(contact?.attributes[city] === 'Lyon' && contact.attributes[points] === kept);
	};
	const removal = removes ? { removeMissing: true, maxRemovals: 100 } : {};
	return {
		...{ node: 'SmsContact', rows, count, isWhole: operation === 'sync' },
		parameters: { operation, ...contacts.in, ...NUMBER, ...CITY, ...removal },
		judge: () => {
			const left = leaving.filter((number) => list.has(number));
			return removes && left.length > 0 ? `${left.join()} not removed` : '';
		},
		others: removes ? leaving.length : 0,
	};
}

/** Choices of a deed: a history throws dice. */
type Choices = Pick<Dice, 'one' | 'to' | 'chance'>;

export const DEEDS: Record<string, (dice: Choices) => Deed> = {
	'blacklist add': () => ({
		...{ node: 'SmsBlacklist', parameters: { operation: 'add', ...NUMBER } },
		rows: numbered(4),
		count: (row) => once(isBlacklisted(row)),
		looksUp: true,
	}),
	'blacklist remove': () => {
		const rows = numbered(4);
		for (const { to } of rows) sim.service.addToBlacklist('unsubscribers', String(to));
		return {
			...{ node: 'SmsBlacklist', parameters: { operation: 'remove', ...NUMBER } },
			rows,
			count: (row) => once(!isBlacklisted(row)),
		};
	},
	'list create': () => {
		const columns = { column: [{ name: 'City', type: 'STRING' }] };
		return {
			...{ node: 'SmsList', parameters: { operation: 'create', ...NAME, columns } },
			rows: named('A', 'B', 'C'),
			count: ({ name }) =>
				listsCalled(name).filter(({ fields }) => fields.length === 1).length,
			isThere: ({ name }) => listsCalled(name).length > 0,
			judge: () => {
				const twice = ['A', 'B', 'C'].filter((name) => listsCalled(name).length > 1);
				return twice.length > 0 ? `two lists ${twice.join()}` : '';
			},
			looksUp: true,
		};
	},
	'list addColumn': () => {
		const column = { columnName: NAME.name, columnType: 'STRING' };
		return {
			...{ node: 'SmsList', parameters: { operation: 'addColumn', ...LIST, ...column } },
			rows: [newList('A'), newList('B')].flatMap(({ id }) =>
				named('City', 'Points').map((one) => ({ id, ...one })),
			),
			count: ({ id, name }) =>
				sim.service.list(String(id)).fields.filter((one) => one.name === name).length,
			looksUp: true,
		};
	},
	'list deleteColumn': () => {
		const list = newList('A', ['City', 'Points', 'Age']);
		const column = { list: listOf(list.id, 'id'), column: NAME.name };
		return {
			...{ node: 'SmsList', parameters: { operation: 'deleteColumn', ...column } },
			rows: named(...list.fields.map(({ name }) => name)),
			count: ({ name }) => once(!list.fields.some((one) => one.name === name)),
		};
	},
	'list empty': () => {
		const lists = ['A', 'B', 'C'].map((name) => newList(name));
		for (const { id } of lists) sim.service.addContacts(id, 2);
		return {
			...{ node: 'SmsList', parameters: { operation: 'empty', ...LIST } },
			rows: lists.map(({ id }) => ({ id })),
			count: ({ id }) => once(sim.service.list(String(id)).contacts.length === 0),
		};
	},
	'list delete': () => ({
		...{ node: 'SmsList', parameters: { operation: 'delete', ...LIST } },
		rows: ['A', 'B', 'C'].map((name) => ({ id: newList(name).id })),
		count: ({ id }) => once(!sim.service.lists.has(String(id))),
	}),
	'contact add': () => {
		const rows = numbered(5);
		const { city, found, ...contacts } = contactList(rows, 0);
		return {
			node: 'SmsContact',
			parameters: { operation: 'add', ...contacts.in, ...NUMBER, ...CITY },
			rows,
			count: (row) =>
				found(row).filter(({ attributes }) => attributes[city] === 'Lyon').length,
			looksUp: true,
		};
	},
	'contact upsert': (dice) => changed('upsert', dice),
	'contact sync': (dice) => changed('sync', dice),
	'contact delete': (dice) => {
		const rows = numbered(4);
		const { found, ...contacts } = contactList(rows, 4);
		const by = { deleteBy: dice.one(['number', 'id']), contactId: '={{ $json.id }}' };
		return {
			node: 'SmsContact',
			parameters: { operation: 'delete', ...contacts.in, ...NUMBER, ...by },
			rows: rows.map((row) => ({ ...row, id: found(row)[0].id })),
			count: (row) => once(found(row).length === 0),
		};
	},
	'contact import': () => {
		const rows = numbered(5);
		const { found, ...contacts } = contactList(rows, 0);
		return {
			node: 'SmsContact',
			parameters: { operation: 'import', ...contacts.in, ...NUMBER, ...CITY },
			rows,
			count: (row) => found(row).length,
			repeats: true,
			isWhole: true,
		};
	},
	'campaign create': () => {
		const list = { list: listOf(newList('Clients').id, 'id') };
		const text = { ...NAME, message: 'Bonjour' };
		return {
			...{ node: 'SmsCampaign', parameters: { operation: 'create', ...text, ...list } },
			rows: named('A', 'B', 'C'),
			count: ({ name }) =>
				[...sim.service.campaigns.values()].filter((one) => one.name === name).length,
			looksUp: true,
		};
	},
	'campaign send': () => {
		const rows = numbered(3).map((row) => {
			const list = newList(String(row.to));
			list.addContact(String(row.to));
			return { ...row, id: newCampaign(list.id) };
		});
		const campaign = listOf('={{ $json.id }}', 'id');
		return {
			...{ node: 'SmsCampaign', parameters: { operation: 'send', campaign } },
			rows,
			count: received,
			looksUp: true,
		};
	},
	'campaign sendTest': () => {
		const campaign = listOf(newCampaign(newList('Clients').id), 'id');
		return {
			node: 'SmsCampaign',
			parameters: { operation: 'sendTest', campaign, ...NUMBER },
			rows: numbered(3),
			count: received,
			repeats: true,
		};
	},
};
export const DEED_NAMES = Object.keys(DEEDS);

function newCampaign(listId: string): string {
	return addCampaign(sim, sim.service.createId(), listId);
}

/** A change of another kind than a message. */
export function change(name: string, dice: Dice): Story {
	sim.service.settings.duplicates = dice.one(['refuse', 'accept']);
	const { node, parameters, rows, repeats, isWhole, ...rest } = DEEDS[name](dice);
	const settings: IDataObject = repeats && dice.chance(30) ? { resendUnknown: true } : {};
	// A contact that was deleted and not added again is put back by hand where n8n offers no retry.
	const mayContinue = !['contact upsert', 'contact sync'].includes(name);
	const more: Partial<RunOptions> = { settings: settingsOf(dice, mayContinue) };
	return {
		title: name,
		runs: inRuns(rows, !isWhole && dice.chance(20)),
		workflow: (set) =>
			of(node, { ...parameters, ...(repeats ? { options: set } : {}) } as never, [], more),
		settings,
		// "It may be carried out twice": whoever turns it on has read that.
		wanted: () => (settings.resendUnknown === true ? Infinity : 1),
		...rest,
	};
}
