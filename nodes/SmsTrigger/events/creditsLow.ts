import type { INodeProperties } from 'n8n-workflow';
import { ACCOUNT_STATISTICS } from '../../shared/service/account';
import { parseAmount } from '../../shared/service/choices';
import { originOf, type Counters } from '../cursor/counters';
import type { Parameters } from './parameters';
import { head, NO_EVIDENCE, type Findings, type Source } from './Source';
import { readCounters } from './statisticsChanged';

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

/** @throws InputError for what is no number above 0 */
export function readThreshold({ get }: Parameters): number {
	return parseAmount(get('creditsThreshold', 0), {
		field: 'Credits Threshold',
		isAllowed: (amount) => amount > 0,
		advice: 'Enter a number of credits greater than 0.',
		byDefault: 100,
	});
}

/** What is remembered of the balance. */
interface BalanceState {
	/** Tells this count of alerts from an earlier one, so that event IDs never repeat. */
	origin: string;
	alerts: number;
	/** The balance is below the threshold, and that needs no alert any more. */
	low: boolean;
}

/**
 * The account's credits are below a threshold (interface document 2.10, 4.6). Once, and again only after
 * they were at the threshold or above; so also when they are below it at the first look.
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
		isState: isBalanceState,
		async look(known, service, { turn }) {
			const answer = await service.get(query, readBalance);
			if (!('value' in answer)) return answer;
			const { credits } = answer.value;
			const low = credits < threshold;
			const before = known ?? { origin: originOf(answer.value, turn), alerts: 0, low: false };
			const hasFallen = low && !before.low;
			return {
				waiting: hasFallen ? 1 : 0,
				isBaseline: known === undefined,
				overlap: NO_EVIDENCE,
				settle(granted): ReturnType<Findings['settle']> {
					if (!hasFallen || granted === 0) {
						return {
							state: low || !before.low ? before : { ...before, low },
							items: [],
						};
					}
					const alerts = before.alerts + 1;
					return {
						state: { ...before, alerts, low },
						items: [toItem(`${threshold}:${before.origin}.${alerts}`, credits)],
					};
				},
			};
		},
		async sample(service) {
			const answer = await service.get(query, readBalance);
			if (!('value' in answer)) return answer;
			const { credits } = answer.value;
			// As it would be with an alert: a balance above the threshold would contradict itself.
			const low = credits < threshold ? credits : Math.max(0, threshold - 1);
			return { items: [toItem('sample', low)] };
		},
	};
}

function isBalanceState(value: unknown): value is BalanceState {
	if (typeof value !== 'object' || value === null) return false;
	const { origin, alerts, low } = value as Record<string, unknown>;
	return typeof origin === 'string' && Number.isInteger(alerts) && typeof low === 'boolean';
}

/** Account statistics that say how many credits are left. */
function readBalance(body: unknown): (Counters & { credits: number }) | undefined {
	const counters = readCounters(body);
	return counters?.credits === undefined ? undefined : { ...counters, credits: counters.credits };
}
