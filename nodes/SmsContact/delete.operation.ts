import { numberAsTyped } from '../shared/fields/number';
import { listLocatorField, readListId } from '../shared/fields/list';
import { paceOptions } from '../shared/fields/pace';
import { notThere } from '../shared/numbers';
import { defineOperation } from '../shared/run/define';
import { DELETE_BY_NUMBER } from '../shared/service/contacts';
import { readNothing } from '../shared/service/records';
import { deletionOf } from './changeContact';
import { contactChoiceFields, readContactChoice, type By } from './whichContact';

const BY: By = { name: 'deleteBy', displayName: 'Delete By' };

/** The deletion of a contact, by number where nothing else is chosen (interface document 4.5). */
export const deleteContact = defineOperation({
	name: 'Delete Contact',
	value: 'delete',
	action: 'Delete contact from list',
	description: 'Delete a contact from a list permanently, by phone number or contact ID',
	builderHint:
		"Use to erase a person from a list, for example on a GDPR request. It doesn't keep anybody from being texted: use SMS Blacklist for that.",
	fields: [listLocatorField, ...contactChoiceFields(BY)],
	options: paceOptions,
	request: DELETE_BY_NUMBER.contacts,
	kind: 'delete',
	prepare(item) {
		const listId = readListId(item);
		const { contact, shown } = readContactChoice(item, BY);
		const { id, identifier } = contact;
		return {
			deletion: deletionOf(listId, contact),
			target: [listId, ...Object.values(shown)],
			subject: id ?? identifier,
			extra: { ...shown, listId },
		};
	},
	words: {
		verb: 'deleted',
		done: 'done',
		summaryOf: notThere('contact', 'in the list'),
		asTyped: numberAsTyped,
	},
	execute: async ({ deletion }, client) => ({
		deleted: await client.delete(deletion, readNothing),
	}),
});
