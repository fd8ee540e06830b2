import type { IDataObject } from 'n8n-workflow';
import { withIsoDates } from '../../shared/fields/isoDates';
import { fieldsOf } from '../../shared/run/outcome';
import { Gate } from '../../shared/run/Gate';
import type { Failure } from '../../shared/http/failure';
import { CONTACTS, readContact } from '../../shared/service/contacts';
import {
	readMessageStatus,
	MESSAGE_STATUS,
	STATUS_TIMES,
	type MessageStatus,
} from '../../shared/service/messages';
import { canonicalNumber } from '../../shared/service/number';
import { isWatchState, planWatch, type Sight, type WatchState } from '../cursor/watch';
import type { SmsService } from '../service';
import {
	head,
	identified,
	readEach,
	recordsOf,
	type Findings,
	type LookOptions,
	type Source,
} from './Source';

/** Most statuses that are looked up in one poll. */
export const LOOKS_PER_POLL = 200;
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

/** What is watched: phone numbers (the latest message to each), snapshots, or the numbers of a list. */
export type Watched =
	| { numbers: readonly string[] }
	| { snapshotIds: readonly string[] }
	| { listId: string };

interface Target {
	/** The same for both formats of a number; what its state is kept under. */
	id: string;
	/** The query parameter of the look-up, and the field of the item. */
	field: 'identifier' | 'snapshotId';
	value: string;
}

/** What is to be watched, and what of the list could not be read. */
interface Targets {
	targets: readonly Target[];
	warning?: Failure;
}

/**
 * Changes of the state of messages (interface document 2.7, 4.4). The service gives one status at a
 * time, so that a poll looks some of them up.
 *
 * @param states only changes to these states make events; all when undefined
 */
export function statusChanged(
	watched: Watched,
	states: readonly string[] | undefined,
): Source<WatchState> {
	const title = 'statuses of messages';

	async function look(
		known: WatchState | undefined,
		service: SmsService,
		{ emitExisting }: LookOptions,
	): Promise<Findings | Failure> {
		const found = await targetsOf(watched, service);
		if ('status' in found) return found;
		const byId = new Map(found.targets.map((target) => [target.id, target]));
		const plan = await planWatch(known, [...byId.keys()], LOOKS_PER_POLL, emitExisting);
		const looked = plan.looks.map(({ target }) => byId.get(target)!);
		const { sights, statuses, failure, failed } = await lookUp(looked, service);
		const sawNothing = !sights.some((sight) => typeof sight === 'object' || sight === 'none');
		const trouble = failure ?? (sawNothing ? failed : undefined);
		const wasAll = looked.length === byId.size && sights.every((sight) => sight !== undefined);
		if (sawNothing && trouble && (wasAll || (await isDown(trouble, service)))) return trouble;

		const seen = sights.map((sight, at) => sight && plan.compare(at, sight));
		const changed = seen.flatMap((one, at) => {
			const isWanted = states === undefined || states.includes(statuses[at]?.state ?? '');
			return one?.changed && isWanted ? [at] : [];
		});
		return {
			waiting: changed.length,
			isBaseline: plan.looks.some(({ first }, at) => first && sights[at] !== undefined),
			overlap: {
				remembered: seen.filter((one) => one?.previousState).length,
				found: seen.filter((one) => one?.recognised).length,
			},
			failure: trouble,
			warning: failed ?? found.warning,
			settle(granted) {
				const items = changed
					.slice(0, granted)
					.map((at) => toItem(looked[at], statuses[at]!, seen[at]!.previousState));
				// What finds no place now is as if it had not been looked at: the next poll sees it again.
				const settled = [...sights];
				for (const at of changed.slice(granted)) settled[at] = undefined;
				return { state: plan.settle(settled), items };
			},
		};
	}

	async function sample(service: SmsService): ReturnType<Source['sample']> {
		const found = await targetsOf(watched, service);
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

async function targetsOf(watched: Watched, service: SmsService): Promise<Targets | Failure> {
	if ('numbers' in watched) return { targets: watched.numbers.map(toTarget) };
	if ('snapshotIds' in watched) {
		const targets = watched.snapshotIds.map(
			(value): Target => ({ id: `snapshot ${value}`, field: 'snapshotId', value }),
		);
		return { targets };
	}
	const query = { endpoint: CONTACTS, path: { listId: watched.listId } };
	const answer = await service.get(query, recordsOf(readNumber));
	service.release();
	if (!('value' in answer)) return answer;
	const numbers = await readEach(answer.value, readNumber);
	if (!('value' in numbers)) return numbers;
	const { entries, warning } = numbers.value;
	return { targets: entries.map(toTarget), warning };
}

/** The number of a contact (interface document 2.4). */
function readNumber(contact: unknown): string | undefined {
	return readContact(contact)?.identifier;
}

function toTarget(value: string): Target {
	return { id: `number ${canonicalNumber(value)}`, field: 'identifier', value };
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
	const gate = new Gate({ concurrency: CONCURRENCY, requestsPerSecond: 0 });
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
			if (!(await gate.enter())) return;
			await see(at, await lookUpOne(target, service));
			if (failure || service.isOver) gate.close();
			gate.leave();
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

function toItem(
	{ field, value }: Target,
	status: MessageStatus,
	previousState: string | null,
): IDataObject {
	// The date tells two passages through the same state apart.
	const id = `${status.id}:${status.state}:${String(status.stateDate ?? '')}`;
	const item = {
		...head('statusChanged', undefined, id),
		...withIsoDates(fieldsOf(status), STATUS_TIMES),
	};
	const whom = field === 'identifier' ? identified(value) : { [field]: value };
	return { ...item, ...whom, previousState };
}
