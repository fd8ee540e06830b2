import { asId, asObject, isEmpty, withIds, type Fields } from './answers';
import type { Endpoint } from './endpoint';
import { readCollection } from './records';

/** Interface document 4.4. */
export const REPLIES: Endpoint = 'GET /v2/messages/replies';

/** A reply as the service gives it (interface document 2.9): it has an ID, or at least a sender. */
export type RawReply = Fields;

/**
 * Replies, uncopied: there may be hundreds of thousands. What is no reply is left out; an empty object
 * is no replies, as for a category that the service doesn't know (not shown).
 */
export function readReplies(body: unknown): RawReply[] | undefined {
	return isEmpty(body) ? [] : readCollection(body, readReply);
}

/** One record of the replies. */
export function readReply(record: unknown): RawReply | undefined {
	const fields = asObject(record);
	return (asId(fields?.id) ?? asId(fields?.identifier)) === undefined ? undefined : fields;
}

/** The reply with its documented fields as strings; what the service leaves out stays out. */
export function toReply(reply: RawReply): RawReply {
	const result = withIds(reply, ['id', 'identifier']);
	return typeof reply.message === 'number'
		? { ...result, message: String(reply.message) }
		: result;
}
