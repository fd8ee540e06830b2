import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { withIsoDates } from '../../shared/fields/isoDates';
import type { Failure } from '../../shared/http/failure';
import { forEachConcurrently } from '../../shared/chunks';
import {
	MESSAGE_STATUS,
	readMessageStatus,
	STATUS_TIMES,
	type MessageStatus,
} from '../../shared/service/messages';
import { head, identified } from '../items';
import type { SmsService } from '../service';
import type { Source } from './Source';
import { arrange, choose, seenAfter, type Seen, type Watched } from './watch';
import type { Target } from './watched';

/** Most look-ups at once. */
const CONCURRENCY = 10;
/** After so many failures a poll looks nothing else up: the service may be down. The next poll asks for others. */
const MOST_FAILURES = 20;
/** Most numbers that are tried until one has a message to show. */
const SAMPLE_LOOKS = 10;

export const statesOption: INodeProperties = {
	displayName: 'States to Emit',
	name: 'statesToEmit',
	type: 'multiOptions',
	default: [],
	description:
		"States that start the workflow with 'Status Changed'. Leave empty for all states.",
	options: [
		{ name: 'Bounced', value: 'bounced', description: 'The number is not assigned' },
		{ name: 'Delivered', value: 'delivered', description: 'The operator confirmed it' },
		{ name: 'Error', value: 'error', description: 'It did not reach its destination' },
		{ name: 'Opened', value: 'opened', description: 'The recipient opened a link' },
		{ name: 'Reply', value: 'reply', description: 'The recipient replied' },
		{ name: 'Sent', value: 'sent', description: 'The operator accepted it' },
		{ name: 'Submitted', value: 'submitted', description: 'Not confirmed so far' },
		{ name: 'Unsubscribed', value: 'unsubscribed', description: 'STOP was replied' },
	],
};

/** Their values. */
export const STATES = (statesOption.options as INodePropertyOptions[]).map(({ value }) =>
	String(value),
);

/**
 * Changes of the state of messages (interface document 2.7, 4.4). The service gives one status at a
 * time, so that a poll looks some of them up.
 *
 * @param states only changes to these states make events; none stands for all
 */
export function statusChanged(
	targets: readonly Target[],
	states: readonly string[],
): Source<readonly Seen[]> {
	return {
		key: 'statusChanged',
		title: 'statuses of messages',
		isState: areSeen,
		async look(known, service, { emitExisting, limit, salt, turn }) {
			const watched = arrange(targets, known ?? [], salt, emitExisting);
			const chosen = choose(watched);
			const { statuses, failure, isStopped } = await lookUp(chosen, service);
			if (failure !== undefined && statuses.size === 0 && isStopped) return failure;

			const items: IDataObject[] = [];
			const after = new Map<Watched, Seen>();
			let [knew, found] = [0, 0];
			for (const one of chosen) {
				const status = statuses.get(one);
				if (status === undefined) continue;
				const seen =
					status === 'failed' ? one.seen : seenAfter(one.seen, status.found, salt);
				after.set(one, seen);
				if (status === 'failed') continue;
				const { state: previous, message } = one.seen;
				// A newer message to a number says nothing about whose account it is.
				if (message !== undefined && (!status.found || seen.message === message)) {
					knew++;
					if (status.found) found++;
				}
				const isNews = status.found && seen !== one.seen && previous !== undefined;
				if (!isNews || (states.length > 0 && !states.includes(status.found!.state)))
					continue;
				// An event beyond the limit is seen again by the next poll.
				if (items.length === limit) after.set(one, one.seen);
				else items.push(toItem(one.target, status.found!, previous, turn));
			}
			const others = watched.filter((one) => !after.has(one)).map(({ seen }) => seen);
			const state = [...others, ...after.values()];
			const isSame =
				state.length === known?.length && state.every((seen, at) => seen === known[at]);
			const isWhole = ![...statuses.values()].some((status) => status !== 'failed');
			const isFamiliar = found * 2 > knew;
			return { items, state: isSame ? known : state, isFamiliar, failure, isWhole };
		},
		async sample(service) {
			let failure: Failure | undefined;
			for (const target of targets.slice(0, SAMPLE_LOOKS)) {
				const status = await lookUpOne(target, service);
				if ('status' in status) failure ??= status;
				else if (status.value) return { items: [toItem(target, status.value, null)] };
			}
			return failure ?? { items: [] };
		},
	};
}

/** A status, that there is no message, or that the service failed to answer for this one. */
type Status = { found: MessageStatus | undefined } | 'failed';

/**
 * Looks statuses up, several at once. One that the service refuses, such as that of a fixed line, doesn't
 * stop the others; a failure of the account or the service does.
 *
 * @returns what was answered, and the first failure
 */
async function lookUp(watched: readonly Watched[], service: SmsService) {
	const statuses = new Map<Watched, Status>();
	let failure: Failure | undefined;
	let failed = 0;
	let isStopped = false;
	await forEachConcurrently(
		watched,
		async (one) => {
			if (isStopped || failed >= MOST_FAILURES || service.isOver) return;
			const { target } = one;
			const answer = await lookUpOne(target, service);
			if ('value' in answer) {
				statuses.set(one, { found: answer.value });
			} else if (answer.concernsAll) {
				isStopped = true;
				failure = answer;
			} else {
				// A refusal is about the one number, unless it is about the key.
				if (answer.status !== 'refused' || answer.cause !== undefined) failed++;
				statuses.set(one, 'failed');
				failure ??= { ...answer, message: `${answer.message} (${target.value})` };
			}
		},
		() => CONCURRENCY,
	);
	return { statuses, failure, isStopped };
}

/** The status of the latest message to a number, or of a snapshot; undefined when there is none. */
async function lookUpOne(
	{ field, value }: Target,
	service: SmsService,
): Promise<{ value: MessageStatus | undefined } | Failure> {
	const query = { endpoint: MESSAGE_STATUS, qs: { [field]: value } };
	return await service.find(query, readMessageStatus);
}

/** @param turn tells two passages through the same state apart where the service doesn't date them */
function toItem(
	{ field, value }: Target,
	status: MessageStatus,
	previousState: string | null,
	turn?: number,
): IDataObject {
	const passage = status.stateDate ?? (turn === undefined ? 'sample' : `turn ${turn}`);
	const id = `${status.id}:${status.state}:${passage}`;
	const own = head('statusChanged', undefined, id);
	const fields = withIsoDates(status as IDataObject, STATUS_TIMES);
	const whom = field === 'identifier' ? identified(value) : { [field]: value };
	// The event's own fields come first, and are not replaced by fields of the service with these names.
	return { ...own, ...fields, ...own, ...whom, previousState };
}

function areSeen(value: unknown): value is readonly Seen[] {
	return Array.isArray(value) && value.every((seen) => typeof (seen as Seen)?.id === 'string');
}
