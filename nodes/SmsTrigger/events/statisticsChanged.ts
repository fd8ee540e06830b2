import { asNumber, asObject } from '../../shared/service/answers';
import { compareCounters, firstCounters, isCountersState, type Counters } from '../cursor/counters';
import { head, titleOf, type Findings, type Source } from './Source';

/** At least one of these has to be there, or the answer is no statistics. */
const DOCUMENTED = ['sent', 'submitted', 'delivered', 'bounced', 'bounces', 'credits', 'replies'];

/**
 * Changes of the counters of a category (interface document 2.8, 4.4), or of those of the account
 * (2.10, 4.6). One event for all counters that differ from the last poll.
 */
export function statisticsChanged(category: string | undefined): Source {
	const query =
		category === undefined
			? { url: '/v2/account/stats' }
			: { url: '/v2/messages/stats', qs: { category } };
	const toItem = (id: string, previous: Counters, current: Counters, change: Counters) => ({
		...head('statisticsChanged', category, id),
		current: { ...current },
		previous: { ...previous },
		change: { ...change },
	});

	/** The baseline, which is an event of its own where what exists is to be emitted. */
	function begin(counters: Counters, emitExisting: boolean): Findings {
		const state = firstCounters(counters);
		const item = toItem(`${state.origin}.0`, {}, counters, counters);
		return {
			waiting: emitExisting ? 1 : 0,
			isBaseline: true,
			settle(granted) {
				if (!emitExisting) return { state, items: [] };
				return granted > 0 ? { state, items: [item] } : { state: undefined, items: [] };
			},
		};
	}

	return {
		key: `statisticsChanged:${category ?? ''}`,
		title: titleOf('statistics', category),
		isState: isCountersState,
		async look(known, service, { emitExisting }) {
			const answer = await service.get(query, readCounters);
			if (!('value' in answer)) return answer;
			if (!isCountersState(known)) return begin(answer.value, emitExisting);

			const { origin, changes, counters: previous } = known;
			const { current, change } = compareCounters(previous, answer.value);
			return {
				waiting: change === undefined ? 0 : 1,
				isBaseline: false,
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
			const answer = await service.get(query, readCounters);
			if (!('value' in answer)) return answer;
			const current = answer.value;
			const unchanged = Object.fromEntries(Object.keys(current).map((name) => [name, 0]));
			return { items: [toItem('sample', current, current, unchanged)] };
		},
	};
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
