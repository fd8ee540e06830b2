import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { whenThere } from '../shared/run/alreadyThere';
import { eachSpelling } from '../shared/run/bySpelling';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import { StepFailed } from '../shared/run/outcome';
import type { Requests } from '../shared/run/Requests';
import { readChoice } from '../shared/service/choices';
import { ADD_CONTACT, DELETE_BY_NUMBER } from '../shared/service/contacts';
import { LIST, readColumns } from '../shared/service/lists';
import { canonicalNumber, withNumber } from '../shared/service/number';
import { readCreated, readNothing } from '../shared/service/records';
import {
	attributesField,
	namedBy,
	readAttributes,
	writeAttributes,
	type TypedValues,
} from './attributes';

const IF_EXISTS = ['keep', 'fail', 'replace'] as const;

interface NewContact extends Prepared {
	listId: string;
	identifier: string;
	ifExists: (typeof IF_EXISTS)[number];
	typed: TypedValues;
	/** As they are written, by column ID. */
	attributes?: Record<string, string>;
	/** The same by column name, as Get Many has them. */
	named?: IDataObject;
}

const ifExistsField: INodeProperties = {
	displayName: 'If Contact Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{
			name: 'Fail',
			value: 'fail',
			description: 'Stop with an error that says so',
		},
		{
			name: 'Keep',
			value: 'keep',
			description: 'Leave it as it is; the result says alreadyExists',
		},
		{
			name: 'Replace',
			value: 'replace',
			description: 'Delete it, then add it with the values given here',
		},
	],
	default: 'keep',
	description: 'What to do when the list has a contact with this number',
};

/** Interface document 4.5, "Add a contact". */
export const add = defineOperation({
	name: 'Add',
	value: 'add',
	action: 'Add contact to list',
	description: 'Add a phone number to a contact list, with values for the columns of the list',
	fields: [
		listLocatorField,
		numberField,
		attributesField,
		ifExistsField,
		...settingsFields({ delivery: [repeatUnknown, ...paceOptions] }),
	],
	request: ADD_CONTACT,
	madeOf: ['list', 'number'],
	deed: 'added',
	columns: ['number', 'alreadyExists', 'updated', 'replaced'],
	prepare(item): NewContact {
		const listId = readListId(item);
		const identifier = item.number();
		return {
			listId,
			identifier,
			ifExists: readChoice(item.parameter('ifExists'), IF_EXISTS, 'If Contact Exists'),
			typed: readAttributes(item.parameter('attributes', null), item.json),
			target: [listId, canonicalNumber(identifier)],
			subject: identifier,
			extra: { ...withNumber({ identifier }), listId },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	async check(contact, requests, { timeZone }) {
		const { listId, typed } = contact;
		if (Object.keys(typed.values).length === 0) return contact;
		const columns = await requests.once({ endpoint: LIST, path: { listId } }, readColumns);
		const attributes = writeAttributes(typed, columns, timeZone);
		if (Object.keys(attributes).length === 0) return contact;
		return { ...contact, attributes, named: namedBy(columns)(attributes) };
	},
	carryOut: async (contact, requests) =>
		// What was added is not deleted by a retry that was told to replace.
		contact.ifExists === 'replace' && !requests.isSettled
			? await inTurn(contact, requests, async () => await replace(contact, requests))
			: await post(contact, requests),
	howToFindOut: ({ subject }) =>
		`The operation Get Many tells whether ${subject} is in the list now.`,
});

/** @throws StepFailed */
async function post(
	{ listId, identifier, attributes, named, ifExists }: NewContact,
	requests: Requests,
	further: IDataObject = {},
): Promise<IDataObject> {
	const values = attributes === undefined ? {} : { attributes };
	const isThere = whenThere('alreadyExists', { updated: false });
	return await requests.change<IDataObject>(
		{
			endpoint: ADD_CONTACT,
			path: { listId },
			body: { identifier, ...values },
			comesTo: (failure, wasLost) =>
				ifExists === 'keep' || (ifExists === 'replace' && wasLost)
					? isThere(failure, wasLost)
					: undefined,
		},
		// The receipt keeps the values too: a retry doesn't look the columns up again.
		(body) => {
			const created = readCreated(body);
			const shown = named === undefined ? {} : { attributes: named };
			return created && { ...created, ...shown, ...further };
		},
	);
}

/**
 * Deletes the contact and adds it: the service has no request that changes one.
 *
 * @throws StepFailed
 */
async function replace(contact: NewContact, requests: Requests): Promise<IDataObject> {
	const { listId, identifier } = contact;
	const replaced = await requests.delete(
		{
			endpoint: DELETE_BY_NUMBER.contacts,
			path: { listId },
			search: eachSpelling(identifier, Object.values(DELETE_BY_NUMBER)),
			step: 'remove',
			essence: [listId, canonicalNumber(identifier)],
		},
		readNothing,
	);
	try {
		return { ...(await post(contact, requests, { replaced })), replaced };
	} catch (error) {
		throw replaced && error instanceof StepFailed
			? error.after(
					'The contact was deleted in order to be replaced, and is not in the list now. A retry of this execution adds it.',
					{ listId, identifier },
				)
			: error;
	}
}

/** Lets items of a run that are about the same contact replace it one after the other. */
async function inTurn<T>(
	{ listId, identifier }: NewContact,
	requests: Requests,
	work: () => Promise<T>,
): Promise<T> {
	const turns = await requests.together('turns', () =>
		Promise.resolve(new Map<string, Promise<unknown>>()),
	);
	const key = `${listId} ${canonicalNumber(identifier)}`;
	const before = turns.get(key) ?? Promise.resolve();
	const mine = before.catch(() => {}).then(work);
	turns.set(key, mine);
	return await mine;
}
