import type { IDataObject } from 'n8n-workflow';
import type { Unknown } from '../shared/run/operation';
import { StepFailed, type Seen } from '../shared/run/outcome';
import type { Requests } from '../shared/run/Requests';
import { findMessageStatus, MESSAGE_STATUS, type MessageStatus } from '../shared/service/messages';
import type { Message } from './message';

/** How long the service may take to answer. Milliseconds. */
const LONGEST_WAIT = 5_000;

/**
 * Asks for the latest message to each recipient whose message is unknown (interface document 4.4). The
 * service doesn't say whose message it shows: this tells what there is to compare, and decides nothing.
 * Never throws.
 *
 * @param at when to ask; milliseconds from now on
 */
export async function lookUpMessages(
	unknown: ReadonlyArray<Unknown<Message>>,
	requests: Requests,
	at: readonly number[],
): Promise<Map<number, Seen>> {
	const sought = unknown.filter(({ prepared }) => prepared.looksUp);
	const numbers = new Set(sought.map(({ prepared }) => prepared.subject));
	/** `null`: the service shows none. */
	const latest = new Map<string, MessageStatus | null>();
	const begun = performance.now();
	for (const time of sought.length === 0 ? [] : at) {
		if (!(await waited(requests, begun + time - performance.now()))) break;
		await Promise.all(
			[...numbers].map(async (identifier) => {
				const request = { endpoint: MESSAGE_STATUS, qs: { identifier } };
				const answer = await requests.tryGet(request, findMessageStatus, LONGEST_WAIT);
				if (answer !== undefined) latest.set(identifier, answer.found?.status ?? null);
			}),
		);
	}
	return new Map(
		sought.map(({ index, prepared, attemptedAt }) => [
			index,
			describe(latest.get(prepared.subject), attemptedAt),
		]),
	);
}

/** @returns false where the user has stopped the execution */
async function waited(requests: Requests, milliseconds: number): Promise<boolean> {
	return await requests.wait(milliseconds).then(
		() => true,
		(error: unknown) => {
			if (error instanceof StepFailed) return false;
			throw error;
		},
	);
}

function describe(latest: MessageStatus | null | undefined, attemptedAt: number | undefined): Seen {
	if (latest === undefined) {
		return { text: 'It could not be looked up: the service gave no answer.' };
	}
	if (latest === null) {
		return {
			text: 'The service shows no message to this number, which does not prove that none was sent.',
		};
	}
	const { id, state, sent } = latest;
	const snapshotId = String(id);
	const sentIso = isoOf(sent);
	const latestMessage: IDataObject = { snapshotId, ...(sentIso && { sentIso }), state };
	const when =
		sent === undefined || sentIso === undefined || attemptedAt === undefined
			? ''
			: `, sent ${distance(sent - attemptedAt)} this attempt`;
	return {
		latestMessage,
		text: `The latest message to this number is snapshot ${snapshotId} (${state})${when}. It may be this message or another one: compare its snapshot ID and time with those of your other messages to this number.`,
	};
}

function isoOf(time: number | undefined): string | undefined {
	const date = new Date(time ?? Number.NaN);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Units of time from the largest that is worth naming; seconds. */
const UNITS = [
	[86_400, 'day'],
	[3_600, 'hour'],
	[60, 'minute'],
	[1, 'second'],
] as const;

/** How long before or after: `2 seconds after`. */
function distance(milliseconds: number): string {
	const seconds = Math.round(Math.abs(milliseconds) / 1000);
	const [size, unit] = UNITS.find(([each]) => seconds >= 2 * each) ?? [1, 'second'];
	const count = Math.round(seconds / size);
	return `${count} ${unit}${count === 1 ? '' : 's'} ${milliseconds < 0 ? 'before' : 'after'}`;
}
