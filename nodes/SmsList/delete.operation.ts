import { aboutList, listLocatorField } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { namesakes } from '../shared/namesakes';
import { notThere } from '../shared/numbers';
import type { Client } from '../shared/run/client';
import { invalidNow, StepFailed } from '../shared/run/outcome';
import { isListMissing } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';
import { LISTS, readListSummary } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

const request = 'DELETE /v2/lists/{listId}';

/** Interface document 4.5, "Delete a list". */
export const deleteList = defineOperation({
	name: 'Delete List',
	value: 'delete',
	action: 'Delete list',
	description: 'Delete a contact list with its columns and contacts permanently',
	fields: [listLocatorField],
	request,
	kind: 'delete',
	prepare(item) {
		const about = aboutList(item);
		return { ...about, target: [about.listId], extra: { id: about.listId } };
	},
	words: { verb: 'deleted', done: 'done', summaryOf: notThere('list', 'there') },
	async execute({ path }, client) {
		const deletion = { endpoint: request, path, isNothing: isListMissing } as const;
		const deleted = await client.delete(deletion, readNothing);
		if (!deleted) await refuseName(path.listId, client);
		return { deleted };
	},
});

/** @throws StepFailed for the name of a list in place of its ID: nothing was deleted, and the list is still there */
async function refuseName(listId: string, client: Client): Promise<void> {
	const all = { endpoint: LISTS, read: readListSummary };
	const called = await namesakes({ id: listId, name: listId }, all, client);
	if (called.length === 0) return;
	const ids = called.map(({ id }) => id).join(' or ');
	const mistake = new InputError(
		`${show(listId)} is the name of a list, not its ID`,
		`It was not deleted. Choose it in 'List', or enter its ID: ${ids}.`,
	);
	throw new StepFailed(invalidNow(mistake));
}
