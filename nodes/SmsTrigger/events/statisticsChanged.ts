import {
	ACCOUNT_COUNTERS,
	ACCOUNT_STATISTICS,
	readAccountStatistics,
} from '../../shared/service/account';
import { asObject, only } from '../../shared/service/answers';
import {
	CATEGORY_COUNTERS,
	CATEGORY_STATISTICS,
	readCategoryStatistics,
} from '../../shared/service/statistics';
import { head, titleOf } from '../items';
import type { SmsService } from '../service';
import { mark } from '../state';
import type { Source } from './Source';

/** Counters by name. One that is missing is 0. */
type Counters = Record<string, number>;

/**
 * Changes of the counters of a category (interface document 2.8, 4.4), or of those of the account
 * (2.10, 4.6). One event for all counters that differ from the last poll.
 */
export function statisticsChanged(category: string | undefined): Source<Counters> {
	const toItem = (id: string, previous: Counters, current: Counters) => ({
		...head('statisticsChanged', category, id),
		current,
		previous,
		change: differenceOf(previous, current),
	});
	return {
		key: `statisticsChanged:${category ?? ''}`,
		title: titleOf('statistics', category),
		isState: areCounters,
		async look(known, service, { salt, turn, emitExisting }) {
			const current = (await ask(category, service)) ?? known ?? {};
			const previous = known ?? (emitExisting ? {} : current);
			const isChanged = Object.values(differenceOf(previous, current)).some(Boolean);
			const id = mark(salt, `${turn} ${JSON.stringify(current)}`);
			return {
				items: isChanged ? [toItem(id, previous, current)] : [],
				isEmpty: !Object.values(current).some(Boolean),
				state: isChanged || known === undefined ? current : known,
			};
		},
		async sample(service) {
			const previous = await ask(category, service);
			if (previous === undefined) return undefined;
			// One more message sent is plausible whatever the counters are.
			const current = { ...previous, sent: (previous.sent ?? 0) + 1 };
			return toItem('sample', previous, current);
		},
	};
}

/** Current minus previous: negative where a counter shrank. */
function differenceOf(previous: Counters, current: Counters): Counters {
	const names = Object.keys({ ...previous, ...current });
	return Object.fromEntries(
		names.map((name) => [name, (current[name] ?? 0) - (previous[name] ?? 0)]),
	);
}

/** The counters; undefined where the service has nothing of the category. */
async function ask(category: string | undefined, service: SmsService) {
	if (category === undefined) {
		const account = await service.get({ endpoint: ACCOUNT_STATISTICS }, readAccountStatistics);
		return only(account, ACCOUNT_COUNTERS) as Counters;
	}
	const query = { endpoint: CATEGORY_STATISTICS, qs: { category } };
	const statistics = await service.find(query, readCategoryStatistics);
	return statistics && (only(statistics, CATEGORY_COUNTERS) as Counters);
}

function areCounters(value: unknown): value is Counters {
	const fields = asObject(value);
	return fields !== undefined && Object.values(fields).every(Number.isFinite);
}
