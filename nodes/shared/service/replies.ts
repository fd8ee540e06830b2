import { asId, asObject, isEmpty, withIds, type Fields } from './answers';
import type { Endpoint } from './endpoint';
import { intentOf, type Intent } from './intent';
import { asRecords } from './records';

/** Interface document 4.4. */
export const REPLIES: Endpoint = 'GET /v2/messages/replies';

/** A reply as the service gives it (interface document 2.9): it has an ID, or at least a sender. */
export type RawReply = Fields;

/** The records of replies. An empty object is none, as for a category that the service doesn't know (not shown). */
export function repliesIn(body: unknown): unknown[] | undefined {
	return isEmpty(body) ? [] : asRecords(body);
}

/** One record of the replies, uncopied: there may be hundreds of thousands. */
export function readReply(record: unknown): RawReply | undefined {
	const fields = asObject(record);
	return (asId(fields?.id) ?? asId(fields?.identifier)) === undefined ? undefined : fields;
}

/** A reply as results and events have it. */
export type Reply = RawReply & { identifier?: unknown; intent: Intent };

/**
 * The reply with its documented fields as strings, and what it means; what the service leaves out stays
 * out. A field of the service that is called `intent` has to give way: workflows branch on ours.
 */
export function toReply(reply: RawReply): Reply {
	const fields = withIds(reply, ['id', 'identifier']);
	if (typeof reply.message === 'number') fields.message = String(reply.message);
	return { ...fields, intent: intentOf(fields.message) };
}
