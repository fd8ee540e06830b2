import type { IDataObject } from 'n8n-workflow';
import { departNow, scheduledFor } from '../shared/fields/allowedHours';
import type { Client } from '../shared/run/client';
import { duplicates } from '../shared/run/guards';
import type { OperationDefinition, RunInfo } from '../shared/run/operation';
import { countOf, listOf } from '../shared/service/countOf';
import { showDate } from '../shared/service/date';
import { readSendReceipt, SEND } from '../shared/service/sentMessages';
import { checkBalance } from './balance';
import { blacklisted } from './blacklisted';
import { lookUpMessage } from './lookUp';
import { messageAsTyped, readMessage, redirect, type Message } from './message';
import { checkKeys } from './onceKeyField';
import { OnceKeys } from './onceKeys';
import { notesOn } from './warnings';

/** The result of a message that was accepted, also in an earlier try. */
export function resultOf(receipt: IDataObject): IDataObject {
	return { status: receipt.scheduledFor === undefined ? 'sent' : 'scheduled', ...receipt };
}

/** Shared by the operations that send. */
export const SENDING = {
	kind: 'send',
	toPhone: true,
	words: {
		verb: 'sent',
		noteOn: notesOn,
		repeatOption: 'Send Again if Unknown',
		asTyped: messageAsTyped,
	},
	redirect,
	lookUp: lookUpMessage,
	resultOf,
} as const satisfies Partial<OperationDefinition<Message>>;

/**
 * Sends a message in the JSON form (interface document 4.3). Its date is decided when the request is made,
 * and kept with its receipt: at a retry, now is another time.
 *
 * @throws StepFailed
 */
export async function sendJson(message: Message, client: Client): Promise<IDataObject> {
	const { type, departure, timeZone, segments } = message;
	const request = {
		endpoint: SEND,
		path: { messageType: type },
		segments,
		atStart() {
			const date = departNow(departure);
			return { due: date, kept: scheduledFor(date, timeZone), body: bodyOf(message, date) };
		},
	};
	return resultOf(await client.change<IDataObject>(request, readSendReceipt));
}

/** The fields of interface document 2.6. JSON has none of those that are undefined. */
function bodyOf(message: Message, date: number | undefined): IDataObject {
	const { subject, text, sender, campaignName, category, hasLegacyNames } = message;
	const rest = { message: text, sender, campaignName };
	return hasLegacyNames
		? { identifier: subject, ...rest, tag: category, date }
		: { number: subject, ...rest, category, date };
}

/**
 * The definition that Send SMS and Send SMS in Batch share.
 *
 * @param isBatch the balance is checked, and duplicates are skipped, unless the user says otherwise
 */
export function sendingMany(isBatch: boolean) {
	return {
		...SENDING,
		request: SEND,
		prepare: (item) => readMessage(item, { skipsDuplicates: isBatch }),
		compare: checkKeys,
		guards(run: RunInfo) {
			const claims = new OnceKeys(run);
			const balance = checkBalance(run, isBatch, claims);
			return { guards: [blacklisted, duplicates, claims.look, balance], claims };
		},
		words: {
			...SENDING.words,
			noteOn(messages, warn) {
				// A blank cell and a row that comes twice may be mistakes, and there is no way back.
				for (const line of [...atOnceIn(messages), ...sameIn(messages)]) warn(line);
				return [...putOffIn(messages), ...notesOn(messages, warn)];
			},
		},
		execute: sendJson,
	} satisfies Partial<OperationDefinition<Message>>;
}

/** A line on messages that go later than they were to. */
function putOffIn(messages: readonly Message[]): string[] {
	const those = messages.filter(({ putOffTo }) => putOffTo !== undefined);
	if (those.length === 0) return [];
	const dates = new Set(those.map(({ putOffTo }) => putOffTo!));
	const [{ timeZone }] = those;
	const first = `${showDate(Math.min(...dates), timeZone)} (${timeZone})`;
	const when = dates.size > 1 ? `, the first to ${first}` : ` to ${first}`;
	return [
		`'Allowed Hours' put off ${countOf(those.length, 'message')}${when}: ${recipientsOf(those)}.`,
	];
}

/** A line on messages that have no date, where others may have one. */
function atOnceIn(messages: readonly Message[]): string[] {
	const those = messages.filter(
		({ hasEmptyDate, putOffTo }) => hasEmptyDate && putOffTo === undefined,
	);
	if (those.length === 0) return [];
	return [`'Send At' is empty, which means at once: ${recipientsOf(those)}.`];
}

function recipientsOf(messages: readonly Message[]): string {
	return listOf([...new Set(messages.map(({ recipient }) => recipient))]);
}

/** A line on equal messages, unless the user has said which are equal: by a once key, or with 'Skip Duplicates'. */
function sameIn(messages: readonly Message[]): string[] {
	const seen = new Set<string>();
	const again = messages.filter(({ dedupeBy = [], recipient, text }) => {
		const message = `${recipient}\n${text}`;
		const isSame = dedupeBy.every(({ onlyKept }) => onlyKept) && seen.has(message);
		seen.add(message);
		return isSame;
	});
	if (again.length === 0) return [];
	const have = again.length === 1 ? 'item has' : 'items have';
	return [
		`${again.length} ${have} the number and the text of an earlier one (${recipientsOf(again)}). To leave such items out, turn on 'Skip Duplicates' under Safeguards.`,
	];
}
