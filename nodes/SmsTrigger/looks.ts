import type { INodeExecutionData } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import { shareOut } from './cursor/share';
import type { Findings, Source } from './events/Source';
import type { SmsService } from './service';
import type { Settings } from './settings';

/** One source of a poll, and what came of looking at it. */
interface Look {
	source: Source;
	/** Its state before; null where it could not be read, undefined where there is none. */
	known: unknown;
	found: Findings | Failure;
}

/** What a poll has to say, besides events, about a source. */
export interface Problem {
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
	/** No source at all could be looked at. */
	isFutile: boolean;
	/** The state of a source could not be read. */
	isDamaged: boolean;
}

/** What the state of a source was at the end of the last poll. */
interface Remembered {
	/** null where it could not be read, undefined where there is none. */
	stateOf(key: string): unknown;
	isDamaged: boolean;
}

/**
 * Looks at all sources, one after the other: each answer can be large, and is let go before the next
 * one comes. A source that fails leaves the others as they are.
 */
export async function lookAtAll(
	sources: readonly Source[],
	memory: Remembered,
	service: SmsService,
	{ emitExisting, maxItemsPerPoll: limit }: Pick<Settings, 'emitExisting' | 'maxItemsPerPoll'>,
): Promise<Looks> {
	const looks: Look[] = [];
	let { isDamaged } = memory;
	for (const [at, source] of sources.entries()) {
		const known = memory.stateOf(source.key);
		const isUnreadable = known !== undefined && known !== null && !source.isState(known);
		// What exists is old where something was remembered: it must not become a flood of events.
		const isForgotten = isUnreadable || known === null;
		service.shareTime(sources.length - at);
		const found = await source.look(isForgotten ? undefined : known, service, {
			emitExisting: emitExisting && !isForgotten,
			limit,
		});
		looks.push({ source, known: isForgotten ? null : known, found });
		isDamaged ||= isUnreadable;
	}
	service.release();

	const failed = looks.filter(({ found }) => isFailure(found));
	return {
		looks,
		failures: looks.flatMap(({ source: { title }, found }) => {
			const failure = isFailure(found) ? found : found.failure;
			return failure ? [{ title, failure }] : [];
		}),
		warnings: looks.flatMap(({ source: { title }, found }) =>
			!isFailure(found) && found.warning ? [{ title, failure: found.warning }] : [],
		),
		isFutile: failed.length === looks.length,
		isDamaged,
	};
}

/** What a poll hands over: the events, and the state that goes with them. */
export interface HandOver {
	items: INodeExecutionData[];
	/** The state of each source, by its key. */
	states: Record<string, unknown>;
	/** Keys of the sources whose baseline was taken. */
	baselines: string[];
}

/**
 * Chooses the events that are handed out now, and makes the state after them.
 *
 * @param limit most events
 * @param turn counts the polls that handed out events; it decides who is served first
 */
export function settle({ looks }: Looks, limit: number, turn: number): HandOver {
	const waiting = looks.map(({ found }) => (isFailure(found) ? 0 : found.waiting));
	const granted = shareOut(waiting, limit, looks.length > 0 ? turn % looks.length : 0);
	const handOver: HandOver = { items: [], states: {}, baselines: [] };
	looks.forEach(({ source: { key }, known, found }, at) => {
		let state = known;
		if (!isFailure(found)) {
			const settled = found.settle(granted[at]);
			state = settled.state;
			for (const json of settled.items) handOver.items.push({ json });
			if (found.isBaseline && state !== undefined) handOver.baselines.push(key);
		}
		if (state !== undefined) handOver.states[key] = state;
	});
	return handOver;
}

function isFailure(found: Findings | Failure): found is Failure {
	return 'status' in found;
}
