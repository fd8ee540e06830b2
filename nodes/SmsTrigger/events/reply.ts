import { asId } from '../../shared/service/answers';
import { asRecords } from '../../shared/service/records';
import { readReply, REPLIES, toReply, type RawReply } from '../../shared/service/replies';
import { head, identified, titleOf } from '../items';
import { fromCollection, type CollectionState } from './collection';
import type { Source } from './Source';

/**
 * New replies of a category (interface document 2.9, 4.4). Without a category the service gives
 * those of the whole account (public facts, extended).
 */
export function replies(category: string | undefined): Source<CollectionState> {
	return fromCollection<RawReply>({
		key: `reply:${category ?? ''}`,
		title: titleOf('replies', category),
		query: {
			endpoint: REPLIES,
			...(category === undefined ? {} : { qs: { category } }),
		},
		records: asRecords,
		entry: readReply,
		idOf,
		toItem(reply) {
			const { message, intent } = toReply(reply);
			return {
				...head('reply', category, idOf(reply)),
				id: asId(reply.id) ?? null,
				...identified(asId(reply.identifier)),
				message: typeof message === 'string' ? message : null,
				intent,
			};
		},
	});
}

/** The ID of a reply; one without an ID is recognised by sender and text. */
function idOf(reply: RawReply): string {
	return asId(reply.id) ?? JSON.stringify([reply.identifier, reply.message]);
}
