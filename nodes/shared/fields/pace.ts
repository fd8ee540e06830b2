import type { INodeProperties } from 'n8n-workflow';
import { parseAmount, readAmount, type Options } from '../service/choices';

/** How many requests may run at the same time, and how fast they may start. */
export interface Pace {
	/** Requests in flight at once; at least 1. By default, as many as the service answers quickly. */
	concurrency?: number;
	/** Requests started per second; 0 for no limit. */
	requestsPerSecond: number;
}

/** Most requests in flight, whether they are asked for or the run finds them itself. */
export const MOST_CONCURRENT = 100;

/** Options of operations to which many items are usual. */
export const paceOptions: INodeProperties[] = [
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_CONCURRENT },
		default: 10,
		description: `Maximum number of concurrent requests. By default, as many as the service answers quickly, at most ${MOST_CONCURRENT}.`,
	},
	{
		displayName: 'Requests per Second',
		name: 'requestsPerSecond',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Maximum number of requests per second. Set to 0 for no limit.',
	},
];

/**
 * The pace of a whole run: the options as the first item has them.
 *
 * @throws InputError
 */
export function readPace(options: Options): Pace {
	return {
		...('concurrency' in options && {
			concurrency: parseAmount(options.concurrency, {
				field: 'Concurrency',
				isAllowed: (amount) =>
					Number.isInteger(amount) && amount >= 1 && amount <= MOST_CONCURRENT,
				advice: `Enter a whole number from 1 to ${MOST_CONCURRENT}.`,
				byDefault: 10,
			}),
		}),
		requestsPerSecond: readAmount(options, 'requestsPerSecond', {
			field: 'Requests per Second',
			isAllowed: (amount) => amount >= 0,
			advice: 'Enter a number, or 0 for no limit.',
			byDefault: 0,
		}),
	};
}
