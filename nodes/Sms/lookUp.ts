import type { IDataObject } from 'n8n-workflow';
import { scheduledFor } from '../shared/fields/allowedHours';
import type { Client } from '../shared/run/client';
import type { LostChange } from '../shared/run/receipts';
import { RETRY } from '../shared/run/retryPolicy';
import { inDoubt, type LookUp } from '../shared/run/unknown';
import { showDate } from '../shared/service/date';
import {
	findMessageStatus,
	MESSAGE_STATUS,
	type MessageStatus,
} from '../shared/service/sentMessages';
import { spellings } from '../shared/service/number';
import type { Message } from './message';

/**
 * Looks up a message whose answer got lost, by its number (interface document 4.4): the service shows the latest one.
 *
 * @returns that it was sent, where the service has a message to the number that was sent since the try began and that
 *   isn't another receipt of this execution
 * @throws StepFailed
 */
export async function lookUpMessage(
	{ subject, resendUnknown, timeZone }: Message,
	client: Client,
	{ since, at, due: ownDue, siblings }: LostChange,
): Promise<LookUp> {
	if (at > Date.now()) return inDoubt('the clock of n8n was set back since');
	for (const identifier of spellings(subject)) {
		const { status, ahead } = await latest(identifier, client);
		if (status === undefined) continue;
		const sent = status.sent ?? status.submitted;
		const when = sent === undefined ? 'unclear' : compare(sent, since, ahead);
		if (when === 'before') continue;
		const snapshotId = String(status.id);
		const { unknown, has } = siblings();
		if (unknown > 1 || has((answer) => answer.snapshotId === snapshotId))
			return inDoubt('another message of this execution went to this number');
		// The service doesn't show what it cost.
		const found = { ...scheduledFor(ownDue, timeZone), snapshotId, creditsUsed: null };
		if (when === 'since') return { value: found };
		return inDoubt('a message to this number is of about the same moment');
	}
	const { due, has } = siblings();
	if (has(isForLater))
		return inDoubt('a later message to this number may hide it from the look-up');
	if (due !== undefined && due + RETRY.shownAfter > Date.now())
		return inDoubt(`the service may not show a message for ${showDate(due, timeZone)} before`);
	if (resendUnknown) return 'absent';
	return inDoubt('the service has had no message to this number since then', 'nothing');
}

function isForLater({ scheduledFor }: IDataObject): boolean {
	return typeof scheduledFor === 'string' && Date.parse(scheduledFor) > Date.now();
}

/** Milliseconds by which the clock of the service is ahead of ours, at least and at most. */
interface Ahead {
	least: number;
	most: number;
}

/** The latest message to a number. Without a `Date` in the answer, the clock of the service isn't known. */
async function latest(
	identifier: string,
	client: Client,
): Promise<{ status?: MessageStatus; ahead?: Ahead }> {
	const asked = Date.now();
	const answer = await client.find(
		{ endpoint: MESSAGE_STATUS, qs: { identifier } },
		(body, { headers }) => {
			const found = findMessageStatus(body);
			return found && { ...found, ahead: clockOf(headers.date, asked, Date.now()) };
		},
		() => true,
	);
	return answer ?? {};
}

/** The `Date` of an answer has seconds. */
const SECOND = 1000;

/**
 * Compares a clock with ours.
 *
 * @param date `Date` of an answer, which that clock wrote between these two times of ours
 */
export function clockOf(date: unknown, asked: number, answered: number): Ahead | undefined {
	const time = typeof date === 'string' ? Date.parse(date) : NaN;
	return Number.isNaN(time) ? undefined : { least: time - answered, most: time + SECOND - asked };
}

/**
 * Compares when the service sent a message with a moment of our clock. The clocks count as equal where the service's
 * `Date` doesn't show that they differ.
 *
 * @param sent by the service's clock
 * @param since by ours
 */
export function compare(
	sent: number,
	since: number,
	{ least, most }: Ahead = { least: 0, most: 0 },
): 'since' | 'before' | 'unclear' {
	const areEqual = least <= 0 && most >= 0;
	// A time without milliseconds is anywhere in its second.
	const latestPossible = sent % SECOND === 0 ? sent + SECOND - 1 : sent;
	if (latestPossible >= since + (areEqual ? 0 : least)) return 'since';
	return latestPossible < since + least - SECOND ? 'before' : 'unclear';
}
