import { parseId, readListId } from '../shared/fields/list';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Item, Prepared } from '../shared/run/operation';
import type { Deletion, Requests } from '../shared/run/Requests';
import { readChoice, readOption } from '../shared/service/choices';
import { listPath } from '../shared/service/lists';
import { canonicalNumber, parseNumber, withNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';

/** A contact to delete, and where it is looked for. */
export type ContactDeletion = Prepared & Pick<Deletion, 'url' | 'search'>;

/** Interface document 4.5, "Delete a contact by id". @throws InputError */
export function prepareById(item: Item): ContactDeletion {
	const listId = readListId(item);
	const id = parseId(item.parameter('contactId'), 'Contact ID');
	return {
		url: listPath(listId, `/contacts/${encodeURIComponent(id)}`),
		essence: [listId, id],
		subject: id,
		extra: { id, listId },
	};
}

const SEGMENTS = ['auto', 'contacts', 'contact'] as const;

/**
 * Interface document 4.5, "Delete a contact by number". It shows the path in two spellings; the plural
 * one is the default.
 *
 * @throws InputError
 */
export function prepareByNumber(item: Item): ContactDeletion {
	const listId = readListId(item);
	const identifier = parseNumber(item.parameter('number'), { country: item.country });
	const field = 'Path Segment';
	const segment = readOption(item.options, 'pathSegment', field) ?? 'auto';
	const chosen = readChoice(segment, SEGMENTS, field);
	const spelled = chosen === 'auto' ? ['contacts', 'contact'] : [chosen];
	const paths = spelled.map((spelling) => listPath(listId, `/${spelling}`));
	return {
		url: paths[0],
		search: eachSpelling(identifier, paths),
		essence: [listId, canonicalNumber(identifier)],
		subject: identifier,
		extra: { ...withNumber({ identifier }), listId },
	};
}

export async function deleteContact(
	{ url, search }: ContactDeletion,
	requests: Requests,
): Promise<{ deleted: boolean }> {
	return { deleted: await requests.delete({ url, search }, readNothing) };
}

export function whetherDeleted({ subject }: Prepared): string {
	return `The operation Get Many tells whether ${subject} is still in the list. A retry deletes it if it is.`;
}
