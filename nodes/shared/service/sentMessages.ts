import { asCredits, asId, asObject, asRecord, isEmpty, readNumbers, without } from './answers';
import type { Endpoint } from './endpoint';

/** Interface document 4.3. */
export const SEND: Endpoint = 'POST /v2/{messageType}/messages/send';
export const SEND_BY_URL: Endpoint = 'GET /v2/{messageType}/messages/send';

/** Interface document 4.4. */
export const MESSAGE_STATUS: Endpoint = 'GET /v2/messages/status';

/**
 * Reads the answer to a send that was accepted (interface document 2.6). Without a snapshot ID there is no receipt,
 * whatever the status says. With one, the message was accepted: credits that make no sense are left out.
 */
export function readSendReceipt(body: unknown) {
	const fields = asObject(body);
	const snapshotId = asId(fields?.snapshotId);
	if (snapshotId === undefined) return undefined;
	const creditsUsed = asCredits(fields?.creditsUsed);
	return { snapshotId, ...(creditsUsed === undefined ? {} : { creditsUsed }) };
}

/** The fields of a status that are times: milliseconds since the Unix epoch. `reply` is not in the document (public facts). */
export const STATUS_TIMES = ['stateDate', 'sent', 'submitted', 'delivered', 'reply'] as const;

const STATES_AT_THE_END = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];
/** All states of the document (section 3): the first two, a message only passes through on its way. */
const STATES: readonly string[] = ['sent', 'submitted', ...STATES_AT_THE_END];

/**
 * Whether it is settled if the message arrived: it was delivered, or the recipient did something with
 * it (opened, reply, unsubscribed), or it never will be (bounced, error). A later state can still
 * follow, such as a reply. A state that the document doesn't know settles nothing.
 */
export function isFinalState(state: string): boolean {
	return STATES_AT_THE_END.includes(state);
}

/** The status of one message (interface document 2.7). Its `id` is the snapshot ID. */
export type MessageStatus = NonNullable<ReturnType<typeof readMessageStatus>>;

/**
 * A message status; undefined without an ID and a state, or when a time is none.
 *
 * @returns `state` is one of `STATES`, or one that the document doesn't know
 */
export function readMessageStatus(body: unknown) {
	const fields = asRecord(body);
	const times = fields && readNumbers(fields, STATUS_TIMES);
	if (times === undefined || typeof fields?.state !== 'string') return undefined;
	const { id, state } = fields;
	const known = state.trim().toLowerCase();
	if (known === '') return undefined;
	return {
		...without(fields, STATUS_TIMES),
		id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id,
		state: STATES.includes(known) ? known : state,
		...times,
	};
}

/**
 * A message status, or that there is none: what the service answers for a number to which nothing was
 * sent is not shown, and an empty object or list says the same as its code 16.
 *
 * @returns `{}` when there is no message
 */
export function findMessageStatus(body: unknown): { status?: MessageStatus } | undefined {
	if (isEmpty(body)) return {};
	const status = readMessageStatus(body);
	return status && { status };
}
