import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withIsoDates } from '../../shared/fields/isoDates';
import { fieldsOf } from '../../shared/run/outcome';
import { Limiter } from '../../shared/run/limiter';
import type { Failure } from '../../shared/http/failure';
import {
	readMessageStatus,
	MESSAGE_STATUS,
	STATUS_TIMES,
	type MessageStatus,
} from '../../shared/service/messages';
import type { Sight } from '../cursor/mark';
import { isWatchState, planWatch, type WatchState } from '../cursor/watch';
import { readList, type Parameters } from './parameters';
import type { SmsService } from './service';
import { head, identified, type Findings, type LookOptions, type Source } from './Source';
import type { Target, Watched } from './watched';

/** Most statuses that are looked up in one poll. */
const LOOKS_PER_POLL = 200;
/** Most of them at once. */
const CONCURRENCY = 10;
/**
 * So many different messages that fail one after the other may mean that the service is down; so many
 * more, that it has no statuses for now, though it answers otherwise.
 */
const DOUBTFUL_FAILURES = 10;
const MOST_FAILURES = 50;
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
		{ name: 'Bounced', value: 'bounced', description: 'The number is not assigned to anyone' },
		{
			name: 'Delivered',
			value: 'delivered',
			description: 'The operator confirmed the delivery',
		},
		{
			name: 'Error',
			value: 'error',
			description: 'The message did not reach its destination',
		},
		{ name: 'Opened', value: 'opened', description: 'The recipient opened a tracked link' },
		{ name: 'Reply', value: 'reply', description: 'The recipient replied' },
		{
			name: 'Sent',
			value: 'sent',
			description: 'The operator has accepted the message',
		},
		{
			name: 'Submitted',
			value: 'submitted',
			description: "The operator hasn't confirmed the message yet",
		},
		{
			name: 'Unsubscribed',
			value: 'unsubscribed',
			description: 'The recipient replied STOP',
		},
	],
};

/**
 * The states whose changes make events; none stands for all.
 *
 * @throws InputError for an invalid list of states
 */
export function readStates({ options }: Parameters): string[] {
	return readList(options.statesToEmit, 'States to Emit');
}

/**
 * Changes of the state of messages (interface document 2.7, 4.4). The service gives one status at a
 * time, so that a poll looks some of them up.
 *
 * @param states only changes to these states make events; none stands for all
 */
export function statusChanged(watched: Watched, states: readonly string[]): Source<WatchState> {
	const title = 'statuses of messages';

	async function look(
		known: WatchState | undefined,
		service: SmsService,
		{ emitExisting, turn }: LookOptions,
	): Promise<Findings | Failure> {
		const found = await watched(service);
		if ('status' in found) return found;
		const plan = await planWatch(known, found.targets, LOOKS_PER_POLL, emitExisting);
		const looked = plan.looks.map(({ target }) => target);
		const { sights, statuses, failure, failed } = await lookUp(looked, service);
		const sawNothing = !sights.some((sight) => typeof sight === 'object' || sight === 'none');
		const trouble = failure ?? (sawNothing ? failed : undefined);
		const wasAll =
			looked.length === found.targets.length && sights.every((sight) => sight !== undefined);
		if (sawNothing && trouble && (wasAll || (await isDown(trouble, service)))) return trouble;

		const seen = sights.map((sight, at) => sight && plan.compare(at, sight));
		const changed = seen.flatMap((one, at) => {
			const isWanted = states.length === 0 || states.includes(statuses[at]?.state ?? '');
			return one?.changed && isWanted ? [at] : [];
		});
		return {
			waiting: changed.length,
			isBaseline: plan.looks.some(({ first }, at) => first && sights[at] !== undefined),
			overlap: {
				remembered: seen.filter((one) => one?.isThere !== undefined).length,
				found: seen.filter((one) => one?.isThere).length,
			},
			failure: trouble,
			warning: failed ?? found.warning,
			settle(granted) {
				const items = changed
					.slice(0, granted)
					.map((at) => toItem(looked[at], statuses[at]!, seen[at]!.previousState, turn));
				// What finds no place now is as if it had not been looked at: the next poll sees it again.
				const settled = [...sights];
				for (const at of changed.slice(granted)) settled[at] = undefined;
				return { state: plan.settle(settled), items };
			},
		};
	}

	async function sample(service: SmsService): ReturnType<Source['sample']> {
		const found = await watched(service);
		if ('status' in found) return found;
		let failure: Failure | undefined;
		for (const target of found.targets.slice(0, SAMPLE_LOOKS)) {
			const status = await lookUpOne(target, service);
			if (!('value' in status)) failure ??= status;
			else if (status.value) return { items: [toItem(target, status.value, null)] };
		}
		return failure ?? { items: [] };
	}

	return { key: 'statusChanged', title, isState: isWatchState, look, sample };
}

/** Whether a failure is one of the service, and not only of the messages that happened to be first. */
async function isDown(failure: Failure, service: SmsService): Promise<boolean> {
	return failure.general || !(await service.isThere());
}

/** A 403 can be meant for the key, or for a single request. */
async function isAboutKey({ cause }: Failure, service: SmsService): Promise<boolean> {
	return cause === 'credential-invalid' && !(await service.isThere());
}

/**
 * Looks statuses up, several at once, until all are done, the time is up or the service fails. A
 * message that it refuses, such as one to a fixed line in a list, or fails to answer for, doesn't stop
 * the others.
 *
 * @returns what was seen, the failure that stopped the looks, and the first one that didn't
 */
async function lookUp(targets: readonly Target[], service: SmsService) {
	const sights = new Array<Sight | undefined>(targets.length).fill(undefined);
	const statuses = new Array<MessageStatus | undefined>(targets.length).fill(undefined);
	const gate = new Limiter({ concurrency: CONCURRENCY, requestsPerSecond: 0 });
	let failure: Failure | undefined;
	let failed: Failure | undefined;
	let inARow = 0;
	const see = async (at: number, found: Awaited<ReturnType<typeof lookUpOne>>): Promise<void> => {
		if ('value' in found) {
			statuses[at] = found.value;
			sights[at] = found.value ? toSight(found.value) : 'none';
			inARow = 0;
		} else if (found.general || (await isAboutKey(found, service))) {
			failure ??= found;
		} else {
			const isRefused = found.status === 'refused';
			sights[at] = isRefused ? 'refused' : 'failed';
			failed ??= { ...found, message: `${found.message} (${targets[at].value})` };
			inARow = isRefused ? 0 : inARow + 1;
			if (inARow >= MOST_FAILURES) failure ??= found;
			else if (inARow >= DOUBTFUL_FAILURES && (await isDown(found, service)))
				failure ??= found;
		}
	};
	await Promise.all(
		targets.map(async (target, at) => {
			if (!(await gate.acquire())) return;
			await see(at, await lookUpOne(target, service));
			if (failure || service.isOver) gate.close();
			gate.release();
		}),
	);
	return { sights, statuses, failure, failed };
}

/** The status of the latest message to a number, or of a snapshot; undefined when there is none. */
async function lookUpOne(
	{ field, value }: Target,
	service: SmsService,
): Promise<{ value: MessageStatus | undefined } | Failure> {
	const query = { endpoint: MESSAGE_STATUS, qs: { [field]: value } };
	return await service.find(query, readMessageStatus);
}

function toSight({ id, state, stateDate }: MessageStatus): Sight {
	return { id: String(id), state, since: stateDate };
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
	const fields = withIsoDates(fieldsOf(status), STATUS_TIMES);
	const whom = field === 'identifier' ? identified(value) : { [field]: value };
	// The event's own fields come first, and are not replaced by fields of the service with these names.
	return { ...own, ...fields, ...own, ...whom, previousState };
}
