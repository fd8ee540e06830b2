import { asId } from '../../shared/service/answers';
import { readReplies, type RawReply } from '../../shared/service/statistics';
import type { CollectionState } from '../cursor/collection';
import { fromCollection, head, readingEach, titleOf, type Source } from './Source';

/**
 * New replies of a category (interface document 2.9, 4.4). Without a category the service gives
 * those of the whole account (public facts, extended).
 */
export function replies(category: string | undefined): Source<CollectionState> {
	return fromCollection<RawReply>({
		key: `reply:${category ?? ''}`,
		title: titleOf('replies', category),
		query: {
			url: '/v2/messages/replies',
			...(category === undefined ? {} : { qs: { category } }),
		},
		read: readingEach(readReplies),
		idOf,
		toItem: (reply) => ({
			...head('reply', category, idOf(reply)),
			id: asId(reply.id) ?? null,
			identifier: asId(reply.identifier) ?? null,
			message: typeof reply.message === 'string' ? reply.message : null,
		}),
	});
}

/** The ID of a reply; one without an ID is recognised by sender and text. */
function idOf(reply: RawReply): string {
	return asId(reply.id) ?? JSON.stringify([reply.identifier, reply.message]);
}
