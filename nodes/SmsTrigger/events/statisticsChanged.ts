import { ACCOUNT_COUNTERS, ACCOUNT_STATISTICS } from '../../shared/service/account';
import { asNumber, asObject } from '../../shared/service/answers';
import { CATEGORY_COUNTERS, CATEGORY_STATISTICS } from '../../shared/service/statistics';
import {
	compareCounters,
	isCountersState,
	originOf,
	type Counters,
	type CountersState,
} from '../cursor/counters';
import type { Query, SmsService } from './service';
import { head, NO_EVIDENCE, titleOf, type Findings, type LookOptions, type Source } from './Source';

/** At least one of these has to be there, or the answer is no statistics. */
const DOCUMENTED: readonly string[] = [...CATEGORY_COUNTERS, ...ACCOUNT_COUNTERS];

/** The counters of a category without messages: what comes first is a change. */
const ZEROS: Counters = Object.fromEntries(CATEGORY_COUNTERS.map((name) => [name, 0]));

/**
 * Changes of the counters of a category (interface document 2.8, 4.4), or of those of the account
 * (2.10, 4.6). One event for all counters that differ from the last poll.
 */
export function statisticsChanged(category: string | undefined): Source<CountersState> {
	const query: Query =
		category === undefined
			? { endpoint: ACCOUNT_STATISTICS }
			: { endpoint: CATEGORY_STATISTICS, qs: { category } };
	// A category may have nothing yet; an account always has its counters.
	const ask = async (service: SmsService) =>
		category === undefined
			? await service.get(query, readCounters)
			: await service.find(query, readCounters);
	const toItem = (id: string, previous: Counters, current: Counters, change: Counters) => ({
		...head('statisticsChanged', category, id),
		current: { ...current },
		previous: { ...previous },
		change: { ...change },
	});

	/** The baseline, which is an event of its own where what exists is to be emitted. */
	function begin(counters: Counters, { emitExisting, turn }: LookOptions): Findings {
		const state: CountersState = { origin: originOf(counters, turn), changes: 0, counters };
		const item = toItem(`${state.origin}.0`, {}, counters, counters);
		return {
			waiting: emitExisting ? 1 : 0,
			isBaseline: true,
			isEmpty: isEmpty(counters),
			overlap: NO_EVIDENCE,
			settle(granted) {
				if (!emitExisting) return { state, items: [] };
				return granted > 0 ? { state, items: [item] } : { state: undefined, items: [] };
			},
		};
	}

	return {
		key: `statisticsChanged:${category ?? ''}`,
		title: titleOf('statistics', category),
		category,
		isState: isCountersState,
		async look(known, service, options) {
			const answer = await ask(service);
			if (!('value' in answer)) return answer;
			const counters = answer.value;
			if (known === undefined) {
				const emitExisting = options.emitExisting && counters !== undefined;
				return begin(counters ?? ZEROS, { ...options, emitExisting });
			}
			const { origin, changes, counters: previous } = known;
			const { current, change } = compareCounters(previous, counters ?? {});
			return {
				waiting: change === undefined ? 0 : 1,
				isBaseline: false,
				overlap: NO_EVIDENCE,
				settle(granted): ReturnType<Findings['settle']> {
					if (change === undefined || granted === 0) return { state: known, items: [] };
					return {
						state: { origin, changes: changes + 1, counters: current },
						items: [toItem(`${origin}.${changes + 1}`, previous, current, change)],
					};
				},
			};
		},
		async sample(service) {
			const answer = await ask(service);
			if (!('value' in answer)) return answer;
			const previous = answer.value;
			if (previous === undefined) return { items: [], isEmpty: true };
			// As if one more message had been sent: that is plausible whatever the counters are.
			const more = { sent: (previous.sent ?? 0) + 1 };
			const { current, change = {} } = compareCounters(previous, more);
			const item = toItem('sample', previous, current, change);
			return { items: [item], isEmpty: isEmpty(previous) };
		},
	};
}

function isEmpty(counters: Counters): boolean {
	return Object.values(counters).every((count) => count === 0);
}

/** All numbers of an answer; undefined when none of the documented counters is among them. */
export function readCounters(body: unknown): Counters | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const counters: Counters = {};
	for (const [name, value] of Object.entries(fields)) {
		const counter = asNumber(value);
		if (counter !== undefined) counters[name] = counter;
	}
	return DOCUMENTED.some((name) => name in counters) ? counters : undefined;
}
