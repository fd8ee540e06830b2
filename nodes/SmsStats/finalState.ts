import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import type { Client } from '../shared/run/client';
import { ignoring } from '../shared/run/outcome';
import { readAmount, readSwitch, type Options } from '../shared/service/choices';
import { explain } from '../shared/service/errorCodes';
import {
	findMessageStatus,
	isFinalState,
	MESSAGE_STATUS,
	type MessageStatus,
} from '../shared/service/sentMessages';

const MOST_SECONDS = 86_400;

const waitInterval: INodeProperties = {
	displayName: 'Wait Interval (Seconds)',
	name: 'waitInterval',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MOST_SECONDS },
	default: 10,
	description: "Number of seconds between two checks with 'Wait for Final State'",
};

const waitTimeLimit: INodeProperties = {
	displayName: 'Wait Time Limit (Seconds)',
	name: 'waitTimeLimit',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MOST_SECONDS },
	default: 300,
	description:
		"Maximum number of seconds to wait with 'Wait for Final State'. After that, the result has the last known state.",
};

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Wait for Final State',
		name: 'waitForFinalState',
		type: 'boolean',
		// Added to turn it on. Without it, there is no waiting.
		default: true,
		description:
			"Whether to check again until the message is delivered or has failed. 'isFinal' in the result says whether that happened within the time limit.",
	},
	waitInterval,
	waitTimeLimit,
];

/**
 * How long and how often a message is looked at, in milliseconds.
 *
 * @returns undefined when there is no waiting
 * @throws InputError
 */
export function readWait(options: Options) {
	if (!readSwitch(options, 'waitForFinalState', 'Wait for Final State')) return undefined;
	const [timeLimit, interval] = [waitTimeLimit, waitInterval].map(
		({ name, displayName, default: byDefault }) =>
			readAmount(options, name, {
				field: displayName,
				isAllowed: (amount) => amount >= 1 && amount <= MOST_SECONDS,
				advice: `Enter a number of seconds from 1 to ${MOST_SECONDS}.`,
				byDefault: byDefault as number,
			}) * 1_000,
	);
	return { timeLimit, interval };
}

/** A message, by the queries that may find it. */
export interface Wanted {
	queries: readonly IDataObject[];
	/** For the error: its number or its ID, and what to do if nothing is found. */
	whose: string;
	advice: string;
}

/**
 * Looks at a message until its state is final or the time is up, one request after the other, without
 * a slot in between.
 *
 * A message that is not found may be one that the service has not recorded yet, or that is scheduled
 * for later, and a service that fails may recover: both are waited out while there is time.
 *
 * @param wait by default, it is looked at once
 * @returns the last known status
 * @throws StepFailed when no status was seen by the end (with code 16, however the service says so), for failures
 *   that time doesn't heal, and when the execution is cancelled
 */
export async function waitForFinalState(
	{ queries, whose, advice }: Wanted,
	client: Client,
	{ timeLimit, interval } = { timeLimit: 0, interval: 0 },
): Promise<MessageStatus> {
	const end = Date.now() + timeLimit;
	let last: MessageStatus | undefined;
	for (;;) {
		const isLastLook = Date.now() >= end;
		const canPass = ({ transient }: Failure) =>
			transient === true && (last !== undefined || !isLastLook);
		last = (await lookUp(queries, client, canPass)) ?? last;
		if (isLastLook || (last !== undefined && isFinalState(last.state))) break;
		await client.wait(Math.max(0, Math.min(interval, end - Date.now())));
	}
	if (last !== undefined) return last;
	const code = 16;
	const { message } = explain({ code });
	const nothing = { status: 'refused', code, httpCode: 404, advice } as const;
	throw client.refuse({ ...nothing, message: `${message} ${whose}` });
}

/** Asks by one query after the other, until one finds the message. @param canPass failures that say nothing */
async function lookUp(
	queries: Wanted['queries'],
	client: Client,
	canPass: (failure: Failure) => boolean,
): Promise<MessageStatus | undefined> {
	for (const qs of queries) {
		const get = { endpoint: MESSAGE_STATUS, qs };
		const asked = client.find(get, findMessageStatus, canPass);
		const found = await asked.catch(ignoring(canPass));
		if (found?.status !== undefined) return found.status;
	}
	return undefined;
}
