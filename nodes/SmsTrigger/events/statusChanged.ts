import type { IDataObject } from 'n8n-workflow';
import { Gate } from '../../shared/run/Gate';
import type { Failure } from '../../shared/http/failure';
import { asId, asObject } from '../../shared/service/answers';
import { canonicalNumber } from '../../shared/service/number';
import { isWatchState, planWatch, type Sight } from '../cursor/watch';
import type { SmsService } from '../service';
import { head, type Findings, type LookOptions, type Source } from './Source';

/** Most statuses that are looked up in one poll. */
export const LOOKS_PER_POLL = 200;
/** Most of them at once. */
const CONCURRENCY = 10;
/** Most numbers that are tried until one has a message to show. */
const SAMPLE_LOOKS = 10;
/** The service's code for "no message found" (public facts). */
const NO_MESSAGE_FOUND = 16;

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

interface Status extends IDataObject {
	id: string | number;
	state: string;
}

/**
 * Changes of the state of messages (interface document 2.7, 4.4). The service gives one status at a
 * time, so that a poll looks some of them up, in turn, and final ones ever more rarely.
 *
 * @param states only changes to these states make events; all when undefined
 */
export function statusChanged(watched: Watched, states: readonly string[] | undefined): Source {
	const title = 'statuses of messages';

	async function look(
		known: unknown,
		service: SmsService,
		{ emitExisting }: LookOptions,
	): Promise<Findings | Failure> {
		const targets = await targetsOf(watched, service);
		if (!Array.isArray(targets)) return targets;
		const byId = new Map(targets.map((target) => [target.id, target]));
		const plan = planWatch(
			isWatchState(known) ? known : undefined,
			[...byId.keys()],
			LOOKS_PER_POLL,
			emitExisting,
		);
		const looked = plan.looks.map(({ target }) => byId.get(target)!);
		const { sights, statuses, failure, refusal } = await lookUp(looked, service);
		if (failure && sights.every((sight) => sight === undefined)) return failure;

		const changed: number[] = [];
		sights.forEach((sight, at) => {
			if (sight === undefined || !plan.compare(at, sight).changed) return;
			if (states === undefined || states.includes(statuses[at]!.state)) changed.push(at);
		});
		return {
			waiting: changed.length,
			isBaseline: plan.looks.some(({ first }, at) => first && sights[at] !== undefined),
			failure,
			warning: refusal,
			settle(granted) {
				const items = changed.slice(0, granted).map((at) => {
					const sight = sights[at]!;
					return toItem(looked[at], statuses[at]!, plan.compare(at, sight).previousState);
				});
				// What finds no place now is as if it had not been looked at: the next poll sees it again.
				for (const at of changed.slice(granted)) sights[at] = undefined;
				return { state: plan.settle(sights), items };
			},
		};
	}

	async function sample(service: SmsService): ReturnType<Source['sample']> {
		const targets = await targetsOf(watched, service);
		if (!Array.isArray(targets)) return targets;
		for (const target of targets.slice(0, SAMPLE_LOOKS)) {
			const status = await lookUpOne(target, service);
			if (status === undefined) continue;
			return 'value' in status ? { items: [toItem(target, status.value, null)] } : status;
		}
		return { items: [] };
	}

	return { key: 'statusChanged', title, isState: isWatchState, look, sample };
}

async function targetsOf(watched: Watched, service: SmsService): Promise<Target[] | Failure> {
	if ('snapshotIds' in watched) {
		return watched.snapshotIds.map((value) => ({
			id: `snapshot ${value}`,
			field: 'snapshotId',
			value,
		}));
	}
	if ('numbers' in watched) return watched.numbers.map(toTarget);
	const answer = await service.get(
		{ url: `/v2/lists/${encodeURIComponent(watched.listId)}/contacts` },
		readContacts,
	);
	service.release();
	return 'value' in answer ? answer.value.map(toTarget) : answer;
}

function toTarget(value: string): Target {
	return { id: `number ${canonicalNumber(value)}`, field: 'identifier', value };
}

/** The numbers of the contacts of a list (interface document 2.4). */
function readContacts(body: unknown): string[] | undefined {
	if (!Array.isArray(body)) return undefined;
	const numbers: Array<string | undefined> = body.map((contact) =>
		asId(asObject(contact)?.identifier),
	);
	return numbers.every((number) => number !== undefined) ? numbers : undefined;
}

/**
 * Looks statuses up, several at once, until all are done, the time is up or the service fails. A
 * target that the service refuses, such as a fixed line in a list, doesn't stop the others; it counts
 * as a failure only where there is nothing else.
 */
async function lookUp(targets: readonly Target[], service: SmsService) {
	const sights = new Array<Sight | undefined>(targets.length).fill(undefined);
	const statuses = new Array<Status | undefined>(targets.length).fill(undefined);
	const gate = new Gate({ concurrency: CONCURRENCY, requestsPerSecond: 0 });
	let failure: Failure | undefined;
	let refusal: Failure | undefined;
	await Promise.all(
		targets.map(async (target, at) => {
			if (!(await gate.enter())) return;
			const found = await lookUpOne(target, service);
			if (found === undefined) {
				sights[at] = 'none';
			} else if ('value' in found) {
				statuses[at] = found.value;
				sights[at] = { id: String(found.value.id), state: found.value.state };
			} else if (found.status === 'refused' && !found.general) {
				sights[at] = 'refused';
				refusal ??= { ...found, message: `${found.message} (${target.value})` };
			} else {
				failure ??= found;
				gate.close();
			}
			if (service.isOver) gate.close();
			gate.leave();
		}),
	);
	const allRefused = sights.every((sight) => sight === undefined || sight === 'refused');
	return { sights, statuses, failure: failure ?? (allRefused ? refusal : undefined), refusal };
}

/** The status of the latest message to a number, or of a snapshot; undefined when there is none. */
async function lookUpOne(
	{ field, value }: Target,
	service: SmsService,
): Promise<{ value: Status } | Failure | undefined> {
	const query = { url: '/v2/messages/status', qs: { [field]: value } };
	const found = await service.ask(query, readStatus);
	return 'value' in found || found.code !== NO_MESSAGE_FOUND ? found : undefined;
}

/** A message status (interface document 2.7): it has an ID and a state. */
function readStatus(body: unknown): Status | undefined {
	const fields = asObject(body);
	const id = asId(fields?.id);
	const state = fields?.state;
	if (id === undefined || typeof state !== 'string' || state === '') return undefined;
	return { ...(fields as IDataObject), id: fields?.id as string | number, state };
}

function toItem(
	{ field, value }: Target,
	status: Status,
	previousState: string | null,
): IDataObject {
	// The date tells two passages through the same state apart.
	const id = `${status.id}:${status.state}:${String(status.stateDate ?? '')}`;
	return { ...head('statusChanged', undefined, id), ...status, [field]: value, previousState };
}
