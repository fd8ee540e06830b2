import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../shared/run/client';
import type { LookUp, LostChange } from '../shared/run/operation';
import { RETRY } from '../shared/run/retryPolicy';
import { showDate } from '../shared/service/date';
import { findMessageStatus, MESSAGE_STATUS, type MessageStatus } from '../shared/service/messages';
import { spellings } from '../shared/service/number';
import type { Message } from './message';

/** The latest message to a number, and how the clock of the service stands to ours. */
interface Found {
	status?: MessageStatus;
	/** The service's clock is between so many milliseconds ahead of ours; none where it doesn't tell. */
	ahead?: { least: number; most: number };
}

/** The `Date` of an answer has seconds. */
const SECOND = 1000;

/**
 * Looks up a message whose answer got lost, by its number (interface document 4.4): the service tells the latest one.
 *
 * @returns that it was sent, where the service has a message to the number that was sent since the try began and that
 *   isn't another receipt of this execution
 * @throws StepFailed
 */
export async function lookUpMessage(
	{ subject, recipient, resendUnknown, timeZone }: Message,
	client: Client,
	{ since, at, due, rivals, isAnothers }: LostChange,
): Promise<LookUp> {
	const lost = 'The answer was lost';
	if (at > Date.now())
		return { found: 'unclear', message: `${lost}, and the clock of n8n was set back since` };
	for (const identifier of spellings(subject)) {
		const { status, ahead } = await latest(identifier, client);
		const sent = status && (status.sent ?? status.submitted);
		if (status === undefined) continue;
		const snapshotId = String(status.id);
		const when = sent === undefined ? 'unclear' : compare(sent, since, ahead);
		if (when === 'before') continue;
		const another = `${lost}, and another message of this execution went to ${recipient}`;
		const isShared = rivals > 0 || isAnothers((answer) => answer.snapshotId === snapshotId);
		if (isShared) return { found: 'unclear', message: another };
		if (when === 'since') return { value: { snapshotId } };
		const close = `${lost}, and a message to ${recipient} is of about the same moment`;
		return { found: 'unclear', message: close };
	}
	const hides = ({ scheduledFor }: IDataObject) =>
		typeof scheduledFor === 'string' && Date.parse(scheduledFor) > Date.now();
	if (isAnothers(hides)) {
		const message = `${lost}, and a later message to ${recipient} may hide it from the look-up`;
		return { found: 'unclear', message };
	}
	if (due !== undefined && due + RETRY.shownAfter > Date.now()) {
		const date = showDate(due, timeZone);
		const message = `${lost}, and the service may not show a message for ${date} before`;
		return { found: 'unclear', message };
	}
	if (resendUnknown) return 'absent';
	return {
		found: 'nothing',
		message: `${lost}, and the service has no message to ${recipient} since`,
	};
}

async function latest(identifier: string, client: Client): Promise<Found> {
	const asked = Date.now();
	const request = { endpoint: MESSAGE_STATUS, qs: { identifier } };
	const found = await client.find<Found>(
		request,
		(body, { headers }) => {
			const answer = findMessageStatus(body);
			return answer && { ...answer, ahead: clockOf(headers.date, asked, Date.now()) };
		},
		() => true,
	);
	return found ?? {};
}

/** Milliseconds by which the clock that wrote a `Date` is ahead, from when it was asked to when it had answered. */
export function clockOf(date: unknown, asked: number, answered: number): Found['ahead'] {
	const time = typeof date === 'string' ? Date.parse(date) : NaN;
	return Number.isNaN(time) ? undefined : { least: time - answered, most: time + SECOND - asked };
}

/**
 * Whether the service sent a message since a moment of our clock. The clocks count as equal where the service's `Date`
 * doesn't show that they differ.
 *
 * @param sent by the service's clock
 * @param since by ours
 */
export function compare(
	sent: number,
	since: number,
	ahead: Found['ahead'] = { least: 0, most: 0 },
): 'since' | 'before' | 'unclear' {
	const { least, most } = ahead;
	const areEqual = least <= 0 && most >= 0;
	// A time without milliseconds is anywhere in its second.
	const latest = sent % SECOND === 0 ? sent + SECOND - 1 : sent;
	if (latest >= since + (areEqual ? 0 : least)) return 'since';
	return latest < since + least - SECOND ? 'before' : 'unclear';
}
