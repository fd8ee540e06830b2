import type { INodeExecutionData } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import type { Memory, Outage, Recalled } from './cursor/memory';
import { shareOut } from './cursor/share';
import type { SourceState } from './cursor/state';
import { emptyCategories } from './emptyCategories';
import type { Findings, LookOptions, Source } from './events/Source';
import type { SmsService } from './events/service';

/** One source of a poll, and what came of looking at it. */
interface Look {
	source: Source;
	recalled: Recalled;
	found: Findings | Failure;
	/** Nothing tells yet whose account it is: what was found waits, and nothing changes. */
	isOpen?: boolean;
}

/** What a poll has to say, besides events, about a source. */
export interface Problem {
	key: string;
	title: string;
	failure: Failure;
}

/** All that one poll found; nothing is handed over yet. */
export interface Looks {
	looks: Look[];
	/** What stands in the way of events, and has to reach n8n. */
	failures: Problem[];
	/** What is worth a line in the log. */
	warnings: Problem[];
	outage: Outage;
	/** The state of a source could not be read. */
	isDamaged: boolean;
	/** Sources were remembered of another account, and have taken a new baseline. */
	isMoved: boolean;
	/** Categories whose first look finds nothing. */
	beginEmpty: string[];
}

/**
 * Looks at all sources, one after the other: each answer can be large, and is released before the
 * next one comes. A source that fails doesn't affect the others.
 */
export async function lookAtAll(
	sources: readonly Source[],
	memory: Memory,
	service: SmsService,
	{ emitExisting, limit }: Omit<LookOptions, 'turn'>,
): Promise<Looks> {
	const looks: Look[] = [];
	for (const [at, source] of sources.entries()) {
		const recalled = memory.recall(source);
		service.shareTime(sources.length - at);
		// What exists is old where something was remembered: it must not become a flood of events.
		const isGone = recalled.standing !== 'new' && recalled.state === undefined;
		const found = await source.look(recalled.state, service, {
			emitExisting: emitExisting && !isGone,
			limit,
			turn: memory.turn,
		});
		looks.push({ source, recalled, found });
	}
	const { turn } = memory;
	await judgeKey(looks, memory, service, { emitExisting: false, limit, turn });
	service.release();

	return {
		looks,
		failures: looks.flatMap(({ source, found }) =>
			problemOf(source, isFailure(found) ? found : found.failure),
		),
		warnings: looks.flatMap(({ source, found }) =>
			isFailure(found) ? [] : problemOf(source, found.warning),
		),
		outage: {
			sources: looks.length,
			failed: looks.filter(({ found }) => isFailure(found) || found.failure).length,
			failedWholly: looks.filter(({ found }) => isFailure(found)).length,
		},
		isDamaged: looks.some(({ recalled }) => recalled.standing === 'damaged'),
		isMoved: looks.some(isMoved),
		beginEmpty: emptyCategories(
			looks.map(({ source, found }) => ({ source, isEmpty: beginsEmpty(found) })),
		),
	};
}

/**
 * Judges what was remembered with another API key. A new key of the same account changes nothing; with
 * that of another account, everything takes a new baseline. They are the same as long as the service still has
 * most of what it had. A source that fails says nothing, and is judged when it is back: by what it has, or,
 * where it has nothing, by what the others have shown. Where nothing tells, and it may, the others wait.
 */
async function judgeKey(
	looks: Look[],
	memory: Memory,
	service: SmsService,
	options: LookOptions,
): Promise<void> {
	const doubtful = looks.filter(({ recalled }) =>
		['otherKey', 'vouched'].includes(recalled.standing),
	);
	const overlap = { remembered: 0, found: 0 };
	for (const { found } of doubtful) {
		if (isFailure(found)) continue;
		overlap.remembered += found.overlap.remembered;
		overlap.found += found.overlap.found;
	}
	const isSame = overlap.found > 0 && overlap.found * 2 > overlap.remembered;
	const isUntold = overlap.remembered === 0;
	const isOpen = isUntold && doubtful.some(({ found }) => isFailure(found));
	for (const look of doubtful) {
		const { source, recalled, found } = look;
		const { kept, standing } = recalled;
		if (isFailure(found)) {
			if (isSame && kept) look.recalled = { ...recalled, kept: memory.vouch(kept) };
		} else if (isSame || (isUntold && standing === 'vouched')) {
			look.recalled = { ...recalled, standing: 'ours' };
		} else if (isOpen) {
			look.isOpen = true;
		} else {
			look.found = await source.look(undefined, service, options);
			look.recalled = { ...recalled, standing: 'elsewhere' };
		}
	}
}

/** It was remembered of another account, and has taken a new baseline. */
function isMoved({ recalled, found }: Look): boolean {
	return recalled.standing === 'elsewhere' && !isFailure(found);
}

function problemOf({ key, title }: Source, failure: Failure | undefined): Problem[] {
	return failure === undefined ? [] : [{ key, title, failure }];
}

/** What a poll hands over: the events, and the state that goes with them. */
export interface HandOver {
	items: INodeExecutionData[];
	/** The state of each source, by its key. */
	states: Record<string, SourceState>;
	/** Keys of the sources whose baseline was taken. */
	baselines: string[];
	/** Key of the source that was served last. */
	served?: string;
}

/**
 * Chooses the events that are handed out now, and makes the state after them.
 *
 * @param limit most events
 */
export function settle({ looks }: Looks, limit: number, memory: Memory): HandOver {
	const waiting = looks.map(({ found, isOpen }) =>
		isFailure(found) || isOpen ? 0 : found.waiting,
	);
	// The one after the last that was served is next.
	const lastServed = looks.findIndex(({ source }) => source.key === memory.served);
	const { granted, last } = shareOut(waiting, limit, lastServed + 1);
	const served = last === undefined ? memory.served : looks[last].source.key;
	const handOver: HandOver = { items: [], states: {}, baselines: [], served };
	for (const [at, look] of looks.entries()) {
		const { source, recalled, found } = look;
		if (isFailure(found) || look.isOpen) {
			if (recalled.kept !== undefined) handOver.states[source.key] = recalled.kept;
			continue;
		}
		const { state, items } = found.settle(granted[at]);
		for (const json of items) handOver.items.push({ json });
		if (state === undefined) continue;
		handOver.states[source.key] = memory.mark(state);
		if (found.isBaseline || isMoved(look)) handOver.baselines.push(source.key);
	}
	return handOver;
}

function beginsEmpty(found: Findings | Failure): boolean {
	return !isFailure(found) && found.isBaseline && found.isEmpty === true;
}

function isFailure(found: Findings | Failure): found is Failure {
	return 'status' in found;
}
