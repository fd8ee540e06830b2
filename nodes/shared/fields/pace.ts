import type { INodeProperties } from 'n8n-workflow';
import { readOption, type Options } from '../service/choices';
import { InputError, show } from '../service/InputError';

/** How many requests may run at the same time, and how fast they may start. */
export interface Pace {
	/** Requests in flight at once; at least 1. */
	concurrency: number;
	/** Requests started per second; 0 for no limit. */
	requestsPerSecond: number;
}

/** Most requests at once that can be asked for. */
const MOST_CONCURRENT = 100;

/** Options of operations to which many items are usual. */
export const paceOptions: INodeProperties[] = [
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_CONCURRENT },
		default: 10,
		description: 'Maximum number of concurrent requests',
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
	const concurrency = readNumber(options, 'concurrency', 'Concurrency', 10);
	const requestsPerSecond = readNumber(options, 'requestsPerSecond', 'Requests per Second', 0);
	if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MOST_CONCURRENT) {
		throw new InputError(
			`'Concurrency' is ${show(options.concurrency)}`,
			`Enter a whole number from 1 to ${MOST_CONCURRENT}.`,
		);
	}
	if (!Number.isFinite(requestsPerSecond) || requestsPerSecond < 0) {
		throw new InputError(
			`'Requests per Second' is ${show(options.requestsPerSecond)}`,
			'Enter a number, or 0 for no limit.',
		);
	}
	return { concurrency, requestsPerSecond };
}

/** A number, or a text of one; NaN for what else an expression gives: an empty text is no limit of 0. */
function readNumber(options: Options, name: string, field: string, byDefault: number): number {
	const value = readOption(options, name, field) ?? byDefault;
	const isWritten = typeof value === 'string' && value.trim() !== '';
	return typeof value === 'number' || isWritten ? Number(value) : Number.NaN;
}
