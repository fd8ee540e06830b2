import type { INodeExecutionData } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import type { Memory, Outage, SourceState } from './cursor/memory';
import { shareOut } from './cursor/share';
import { emptyCategories } from './emptyCategories';
import type { Findings, Source } from './events/Source';
import type { SmsService } from './service';
import type { Settings } from './settings';

/** One source of a poll, and what came of looking at it. */
interface Look {
	source: Source;
	/** What was remembered of it; undefined where there is nothing. */
	known?: SourceState;
	found: Findings | Failure;
	/** It was remembered of another account, and has begun anew. */
	isMoved?: boolean;
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
	/** Sources were remembered of another account, and have begun anew. */
	isMoved: boolean;
	/** Categories whose first look finds nothing. */
	beginEmpty: string[];
}

/**
 * Looks at all sources, one after the other: each answer can be large, and is let go before the next
 * one comes. A source that fails leaves the others as they are.
 */
export async function lookAtAll(
	sources: readonly Source[],
	memory: Memory,
	service: SmsService,
	{ emitExisting, maxItemsPerPoll: limit }: Pick<Settings, 'emitExisting' | 'maxItemsPerPoll'>,
): Promise<Looks> {
	const looks: Look[] = [];
	let { isDamaged } = memory;
	for (const [at, source] of sources.entries()) {
		const known = memory.stateOf(source.key);
		const isMoved = known !== undefined && memory.belonging(known) === 'elsewhere';
		const state = known && !isMoved && source.isState(known.state) ? known.state : undefined;
		const isUnreadable = known && !isMoved && state === undefined;
		service.shareTime(sources.length - at);
		// What exists is old where something was remembered: it must not become a flood of events.
		const isGone = known !== undefined && state === undefined;
		const found = await source.look(state, service, {
			emitExisting: emitExisting && !isGone,
			limit,
		});
		looks.push({ source, known: isUnreadable ? memory.mark(null) : known, found, isMoved });
		isDamaged ||= isUnreadable === true && known.state !== null;
	}
	await judgeKeys(looks, memory, service, limit);
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
		isDamaged,
		isMoved: looks.some(({ found, isMoved }) => isMoved && !isFailure(found)),
		beginEmpty: emptyCategories(
			looks.map(({ source, found }) => ({ source, isEmpty: beginsEmpty(found) })),
		),
	};
}

/**
 * Judges what was remembered with another API key. A new key of the same account changes nothing; with
 * that of another account, everything begins anew. They are the same as long as the service still has
 * most of what it had.
 */
async function judgeKeys(looks: Look[], memory: Memory, service: SmsService, limit: number) {
	let remembered = 0;
	let found = 0;
	const doubtful = looks.filter(
		(look) =>
			look.known && !isFailure(look.found) && memory.belonging(look.known) === 'otherKey',
	);
	for (const look of doubtful) {
		if (isFailure(look.found)) continue;
		remembered += look.found.overlap.remembered;
		found += look.found.overlap.found;
	}
	if (found > 0 && found * 2 > remembered) return;
	for (const look of doubtful) {
		look.found = await look.source.look(undefined, service, { emitExisting: false, limit });
		look.isMoved = true;
	}
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
}

/**
 * Chooses the events that are handed out now, and makes the state after them.
 *
 * @param limit most events
 */
export function settle({ looks }: Looks, limit: number, memory: Memory): HandOver {
	const waiting = looks.map(({ found }) => (isFailure(found) ? 0 : found.waiting));
	// Who is served first changes with each poll that hands out events.
	const first = looks.length > 0 ? memory.turn % looks.length : 0;
	const granted = shareOut(waiting, limit, first);
	const handOver: HandOver = { items: [], states: {}, baselines: [] };
	looks.forEach(({ source: { key }, known, found, isMoved }, at) => {
		if (isFailure(found)) {
			if (known !== undefined) handOver.states[key] = known;
			return;
		}
		const { state, items } = found.settle(granted[at]);
		for (const json of items) handOver.items.push({ json });
		if (state === undefined) return;
		handOver.states[key] = memory.mark(state);
		if (found.isBaseline || isMoved) handOver.baselines.push(key);
	});
	return handOver;
}

function beginsEmpty(found: Findings | Failure): boolean {
	return !isFailure(found) && found.isBaseline && found.isEmpty === true;
}

function isFailure(found: Findings | Failure): found is Failure {
	return 'status' in found;
}
