import { asId, asObject } from '../../shared/service/answers';
import { fromCollection, head, titleOf, type Source } from './Source';

type Reply = Record<string, unknown>;

/**
 * New replies of a category (interface document 2.9, 4.4). Without a category the service gives
 * those of the whole account (public facts, extended).
 */
export function replies(category: string | undefined): Source {
	return fromCollection<Reply>({
		key: `reply:${category ?? ''}`,
		title: titleOf('replies', category),
		query: {
			url: '/v2/messages/replies',
			...(category === undefined ? {} : { qs: { category } }),
		},
		read: readReplies,
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
function idOf(reply: Reply): string {
	return asId(reply.id) ?? JSON.stringify([reply.identifier, reply.message]);
}

/** A list of replies, or a single one; each has an ID or at least a sender. */
function readReplies(body: unknown): Reply[] | undefined {
	const list = Array.isArray(body) ? body : [body];
	return list.every(isReply) ? list : undefined;
}

function isReply(entry: unknown): entry is Reply {
	const fields = asObject(entry);
	return fields === entry && (asId(fields?.id) ?? asId(fields?.identifier)) !== undefined;
}
