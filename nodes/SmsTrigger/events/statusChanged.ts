import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { withIsoDates } from '../../shared/fields/isoDates';
import type { Failure } from '../../shared/http/failure';
import { forEachConcurrently } from '../../shared/chunks';
import { StepFailed } from '../../shared/run/outcome';
import {
	MESSAGE_STATUS,
	readMessageStatus,
	STATUS_TIMES,
	type MessageStatus,
} from '../../shared/service/sentMessages';
import { spellings } from '../../shared/service/number';
import { head, identified } from '../items';
import { failureIn, type SmsService } from '../service';
import type { Source } from './Source';
import { arrange, choose, seenAfter, type Seen, type Watched } from './watch';
import type { Target } from './targets';

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
		"States that start the workflow with 'Status Changed'. Leave empty for all states. A poll sees the newest state only: to hear of every delivery, also choose Opened, Reply and Unsubscribed.",
	options: [
		{ name: 'Bounced', value: 'bounced', description: "The number isn't assigned to anyone" },
		{
			name: 'Delivered',
			value: 'delivered',
			description: 'The operator confirmed the delivery',
		},
		{ name: 'Error', value: 'error', description: "The message couldn't be delivered" },
		{ name: 'Opened', value: 'opened', description: 'The recipient opened a link' },
		{ name: 'Reply', value: 'reply', description: 'The recipient replied' },
		{ name: 'Sent', value: 'sent', description: 'The operator accepted it' },
		{
			name: 'Submitted',
			value: 'submitted',
			description: 'Sent, but not accepted by the operator so far',
		},
		{ name: 'Unsubscribed', value: 'unsubscribed', description: 'The recipient replied STOP' },
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
			const { answers, failure } = await lookUp(chosen, service);
			const items: IDataObject[] = [];
			const after = new Map<Watched, Seen>();
			let [knew, found] = [0, 0];
			for (const one of chosen.filter((each) => answers.has(each))) {
				after.set(one, one.seen);
				const answer = answers.get(one)!;
				if (answer === 'failed') continue;
				const { status } = answer;
				const { state: previous, message } = one.seen;
				const seen = seenAfter(one.seen, status, salt);
				// A newer message to a number says nothing about whose account it is.
				if (message !== undefined && (!status || seen.message === message)) {
					knew++;
					if (status) found++;
				}
				const isNews = status && seen !== one.seen && previous !== undefined;
				const isEvent = isNews && (states.length === 0 || states.includes(status.state));
				// An event beyond the limit is seen again by the next poll.
				if (isEvent && items.length === limit) continue;
				if (isEvent) items.push(toItem(one.target, status, previous, turn));
				after.set(one, seen);
			}
			const others = watched.filter((one) => !after.has(one)).map(({ seen }) => seen);
			const state = [...others, ...after.values()];
			const isSame =
				state.length === known?.length && state.every((seen, at) => seen === known[at]);
			const isWhole = [...answers.values()].every((answer) => answer === 'failed');
			const isFamiliar = found * 2 > knew;
			return { items, state: isSame ? known : state, isFamiliar, failure, isWhole };
		},
		async sample(service) {
			let failure: Error | undefined;
			for (const target of targets.slice(0, SAMPLE_LOOKS)) {
				const status = await lookUpOne(target, service).catch((error: Error) => {
					failure ??= error;
				});
				if (status) return toItem(target, status, null);
			}
			if (failure !== undefined) throw failure;
			return undefined;
		},
	};
}

/** A status, that there is no message, or that the service failed to answer for this one. */
type Answer = { status: MessageStatus | undefined } | 'failed';

/**
 * Looks statuses up, several at once. A look-up that the service refuses, such as that of a fixed line, doesn't
 * stop the others; a failure of the account or the service does.
 *
 * @returns the answers, and the first failure
 * @throws StepFailed where such a failure is all that was answered
 */
async function lookUp(watched: readonly Watched[], service: SmsService) {
	const answers = new Map<Watched, Answer>();
	let failure: Failure | undefined;
	let failed = 0;
	let isStopped = false;
	const look = async (one: Watched) => {
		if (isStopped || failed >= MOST_FAILURES || service.isOver) return;
		try {
			answers.set(one, { status: await lookUpOne(one.target, service) });
		} catch (error) {
			const said = failureIn(error);
			if (said.concernsAll) {
				isStopped = true;
				failure = said;
				return;
			}
			// A refusal is about the one number, unless it is about the key.
			if (said.status !== 'refused' || said.cause !== undefined) failed++;
			answers.set(one, 'failed');
			failure ??= { ...said, message: `${said.message} (${one.target.value})` };
		}
	};
	await forEachConcurrently(watched, look, () => CONCURRENCY);
	if (isStopped && answers.size === 0) throw new StepFailed(failure!);
	return { answers, failure };
}

/**
 * The status of the latest message to a number, in whatever form of it the service has stored it, or of a snapshot;
 * undefined where there is none.
 */
async function lookUpOne({ field, value }: Target, service: SmsService) {
	for (const written of field === 'identifier' ? spellings(value) : [value]) {
		const query = { endpoint: MESSAGE_STATUS, qs: { [field]: written } };
		const status = await service.find(query, readMessageStatus);
		if (status !== undefined) return status;
	}
	return undefined;
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
	const fields = withIsoDates(status, STATUS_TIMES);
	const whom = field === 'identifier' ? identified(value) : {};
	// The event's own fields come first, and are not replaced by fields of the service with these names.
	return { ...own, ...fields, ...own, ...whom, snapshotId: String(status.id), previousState };
}

function areSeen(value: unknown): value is readonly Seen[] {
	return Array.isArray(value) && value.every((seen) => typeof (seen as Seen)?.id === 'string');
}
