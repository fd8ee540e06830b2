import type { INodeProperties } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import { StepFailed } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { readAmount, readSwitch, type Options } from '../shared/service/choices';
import { isNothingFound } from '../shared/service/errorCodes';
import { isFinalState, type MessageStatus } from '../shared/service/messages';

/** How long and how often a message is looked at. Milliseconds. */
export interface Wait {
	timeLimit: number;
	interval: number;
}

/** Asks for the status once; see `Requests.get` for what is thrown and what `expected` does. */
export type Look = (expected?: (failure: Failure) => boolean) => Promise<MessageStatus>;

const MOST_SECONDS = 86_400;
const DEFAULT_TIME_LIMIT = 300;
const DEFAULT_INTERVAL = 10;

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Wait for Final State',
		name: 'waitForFinalState',
		type: 'boolean',
		// Whoever adds it wants it. Without it, there is no waiting.
		default: true,
		description:
			"Whether to check again until the message is delivered or has failed. 'isFinal' in the result says whether that happened within the time limit.",
	},
	{
		displayName: 'Wait Interval (Seconds)',
		name: 'waitInterval',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_SECONDS },
		default: DEFAULT_INTERVAL,
		description: "Number of seconds between two checks with 'Wait for Final State'",
	},
	{
		displayName: 'Wait Time Limit (Seconds)',
		name: 'waitTimeLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_SECONDS },
		default: DEFAULT_TIME_LIMIT,
		description:
			"Maximum number of seconds to wait with 'Wait for Final State'. After that, the result has the last known state.",
	},
];

/**
 * How to wait, as the options say.
 *
 * @returns undefined when there is no waiting
 * @throws InputError
 */
export function readWait(options: Options): Wait | undefined {
	if (!readSwitch(options, 'waitForFinalState', 'Wait for Final State')) return undefined;
	return {
		timeLimit: readSeconds(
			options,
			'waitTimeLimit',
			'Wait Time Limit (Seconds)',
			DEFAULT_TIME_LIMIT,
		),
		interval: readSeconds(options, 'waitInterval', 'Wait Interval (Seconds)', DEFAULT_INTERVAL),
	};
}

/** @returns milliseconds @throws InputError */
function readSeconds(options: Options, name: string, field: string, byDefault: number): number {
	const seconds = readAmount(options, name, {
		field,
		isAllowed: (amount) => amount >= 1 && amount <= MOST_SECONDS,
		advice: `Enter a number of seconds from 1 to ${MOST_SECONDS}.`,
		byDefault,
	});
	return seconds * 1_000;
}

/**
 * Looks at a message until its state is final or the time is up, one request after the other, without
 * a place at the gate in between.
 *
 * A message that is not found may be one that the service has not recorded yet, or that is scheduled
 * for later, and a service that fails may recover: both are waited out while there is time.
 *
 * @returns the last known status, with `isFinal`
 * @throws StepFailed when no status was seen by the end, for failures that time doesn't heal, and when
 *   the execution is cancelled
 */
export async function waitForFinalState(
	look: Look,
	{ timeLimit, interval }: Wait,
	client: Pick<Client, 'wait'>,
): Promise<MessageStatus> {
	const end = Date.now() + timeLimit;
	let last: MessageStatus | undefined;
	for (;;) {
		const isLastLook = Date.now() >= end;
		const canPass = (failure: Failure) =>
			(failure.transient || isNothingFound(failure)) && (last !== undefined || !isLastLook);
		const status = await look(canPass).catch((error: unknown) => {
			if (error instanceof StepFailed && canPass(error.failure)) return undefined;
			throw error;
		});
		last = status ?? last;
		const isFinal = last !== undefined && isFinalState(last.state);
		if (last !== undefined && (isFinal || isLastLook)) return { ...last, isFinal };
		await client.wait(Math.max(0, Math.min(interval, end - Date.now())));
	}
}
