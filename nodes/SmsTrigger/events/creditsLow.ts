import type { INodeProperties } from 'n8n-workflow';
import { ACCOUNT_STATISTICS, readAccountStatistics } from '../../shared/service/account';
import { parseAmount } from '../../shared/service/choices';
import { head } from '../items';
import type { Parameters } from '../parameters';
import { mark } from '../state';
import type { Source } from './Source';

export const thresholdField: INodeProperties = {
	displayName: 'Credits Threshold',
	name: 'creditsThreshold',
	type: 'number',
	typeOptions: { minValue: 1 },
	required: true,
	default: 100,
	description:
		'Number of credits below which the workflow starts. It starts again only after the balance has been back at this number or above.',
};

/** @throws InputError for anything but a number above 0 */
export function readThreshold({ get }: Parameters): number {
	return parseAmount(get('creditsThreshold', 0), {
		field: 'Credits Threshold',
		isAllowed: (amount) => amount > 0,
		advice: 'Enter a number of credits greater than 0.',
		byDefault: 100,
	});
}

interface BalanceState {
	/** The balance was below the threshold at the last poll. */
	low: boolean;
}

/**
 * The account's credits have fallen below a threshold (interface document 2.10, 4.6), or are below it at the first
 * look.
 */
export function creditsLow(threshold: number): Source<BalanceState> {
	const query = { endpoint: ACCOUNT_STATISTICS };
	const toItem = (id: string, credits: number) => ({
		...head('creditsLow', undefined, id),
		credits,
		threshold,
	});
	return {
		key: `creditsLow:${threshold}`,
		title: 'credits of the account',
		isState: (value): value is BalanceState =>
			typeof (value as BalanceState | null)?.low === 'boolean',
		async look(known, service, { salt, turn }) {
			const credits = await service.get(query, readBalance);
			const low = credits < threshold;
			const state = known?.low === low ? known : { low };
			const isNews = low && !known?.low;
			const id = `${threshold}:${mark(salt, String(turn))}`;
			return { items: isNews ? [toItem(id, credits)] : [], state };
		},
		async sample(service) {
			const credits = await service.get(query, readBalance);
			// A balance above the threshold would contradict the event.
			return toItem('sample', credits < threshold ? credits : Math.max(0, threshold - 1));
		},
	};
}

function readBalance(body: unknown): number | undefined {
	return readAccountStatistics(body)?.credits;
}
