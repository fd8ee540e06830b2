import { collectionOf } from '../../shared/http/collectionOf';
import { asId } from '../../shared/service/answers';
import { readReply, REPLIES, toReply, type RawReply } from '../../shared/service/replies';
import { identified } from '../items';
import { fromCollection } from './collection';

/**
 * New replies of a category (interface document 2.9, 4.4). Without a category the service gives
 * those of the whole account (public facts, extended).
 */
export function replies(category: string | undefined) {
	return fromCollection<RawReply>({
		event: 'reply',
		what: 'replies',
		category,
		query: { endpoint: REPLIES, ...(category === undefined ? {} : { qs: { category } }) },
		read: collectionOf(readReply),
		// A reply without an ID is recognised by sender and text.
		idOf: ({ id, identifier, message }) => asId(id) ?? JSON.stringify([identifier, message]),
		fieldsOf(reply) {
			const { message, intent } = toReply(reply);
			return {
				id: asId(reply.id) ?? null,
				...identified(asId(reply.identifier)),
				message: typeof message === 'string' ? message : null,
				intent,
			};
		},
	});
}
