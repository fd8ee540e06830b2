import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { readChoice } from '../shared/service/choices';
import { listPath } from '../shared/service/lists';
import { contactIdField } from './deleteById.operation';
import {
	deleteContact,
	prepareById,
	prepareByNumber,
	whetherDeleted,
	type ContactDeletion,
} from './deletion';

const deleteByField: INodeProperties = {
	displayName: 'Delete By',
	name: 'deleteBy',
	type: 'options',
	options: [
		{ name: 'Contact ID', value: 'id', description: "The ID that 'Get Many' gives" },
		{
			name: 'Phone Number',
			value: 'number',
			description: 'In whatever form the service has stored it',
		},
	],
	default: 'number',
	description: 'How the contact is found',
};

const pathSegment: INodeProperties = {
	displayName: 'Path Segment',
	name: 'pathSegment',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'auto',
			description: 'Plural, then singular where the plural does not exist',
		},
		{ name: 'Contact (Singular)', value: 'contact' },
		{ name: 'Contacts (Plural)', value: 'contacts' },
	],
	default: 'auto',
	description:
		'How the address of a deletion by number is spelled. Change it only if the service asks for it.',
};

/** The deletion of a contact, by number where nothing else is chosen (interface document 4.5). */
export const deleteByNumber = defineOperation<ContactDeletion>({
	name: 'Delete',
	value: 'deleteByNumber',
	action: 'Delete contact',
	description: 'Delete a contact from a list permanently, by phone number or contact ID',
	fields: [
		listLocatorField,
		deleteByField,
		{ ...numberField, displayOptions: { show: { deleteBy: ['number'] } } },
		{ ...contactIdField, displayOptions: { show: { deleteBy: ['id'] } } },
		...settingsFields({ delivery: [...paceOptions, pathSegment] }),
	],
	request: { method: 'DELETE', url: listPath('list', '/contacts') },
	madeOf: ['list', 'deleteBy', 'number', 'contactId'],
	deed: 'deleted',
	prepare(item) {
		const by = readChoice(item.parameter('deleteBy'), ['id', 'number'], 'Delete By');
		return by === 'id' ? prepareById(item) : prepareByNumber(item);
	},
	carryOut: deleteContact,
	howToFindOut: whetherDeleted,
});
