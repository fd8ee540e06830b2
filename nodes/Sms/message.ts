import type { IDataObject } from 'n8n-workflow';
import {
	parseMessageType,
	readOption,
	readSwitch,
	readUnsupported,
	type Options,
} from '../shared/service/choices';
import { readSendDate } from '../shared/service/date';
import { InputError, requireText, show } from '../shared/service/InputError';
import type { Replacement } from '../shared/service/characters';
import { prepareMessage, requireMessage } from '../shared/service/message';
import { readSendReceipt, sendPath } from '../shared/service/messages';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { countSegments } from '../shared/service/segments';
import { parseSender } from '../shared/service/sender';
import { withStopMention } from '../shared/service/stopMention';
import { keepToAllowedHours } from '../shared/fields/allowedHours';
import type { Item, Prepared } from '../shared/run/operation';
import { readLookUpUnknown } from './lookUp';
import type { Requests } from '../shared/run/Requests';

/** The parameters of one message as the node's fields give them. */
export interface MessageParameters {
	messageType: unknown;
	/** Whose national numbers are understood. */
	country: string;
	number: unknown;
	message: unknown;
	options: Options;
}

/** The parameters that make a message what it is; the others say how it is sent. */
export const MADE_OF = ['number', 'message'] as const;

export function readMessage(item: Item): MessageParameters {
	return {
		messageType: item.parameter('messageType'),
		country: item.country,
		number: item.parameter('number'),
		message: item.parameter('message'),
		options: item.options,
	};
}

/** A message, checked. */
interface PreparedMessage extends Prepared {
	subject: string;
	recipient: string;
	preview: () => IDataObject;
	replacements: readonly Replacement[];
	/** Path below the base URL, beginning with /v2. */
	url: string;
}

/** Where a date is read, what is past, and whether each item has a date of its own. */
type Clock = Pick<Item, 'timeZone' | 'now' | 'varies'>;

/**
 * @returns undefined when the option is not there or empty
 * @throws InputError
 */
export function readSender(options: Options): string | undefined {
	const value = readOption(options, 'sender', 'Sender');
	return value === undefined ? undefined : parseSender(value);
}

/**
 * Checks one message and writes its request (interface document 2.6, 4.3).
 *
 * @throws InputError for everything that the service would refuse and that can be seen beforehand
 */
export function prepareSend(
	parameters: MessageParameters,
	clock: Clock,
	looksUpByDefault = false,
): PreparedMessage & { body: IDataObject; scheduled: IDataObject; looksUp: boolean } {
	const { options } = parameters;
	const { type, number, text, sender, common } = checkMessage(parameters);
	const legacy = parseFieldNames(readOption(options, 'fieldNames', 'Field Names')) === 'legacy';
	const campaignName = optionalText(
		readOption(options, 'campaignName', 'Campaign Name'),
		'Campaign Name',
	);
	const category = optionalText(readOption(options, 'category', 'Category'), 'Category');
	const own = readSendDate(readOption(options, 'date', 'Send At'), clock.timeZone, clock.now);
	const { date, expired } = keepToAllowedHours(options, clock, own);
	const scheduled = date === undefined ? AT_ONCE : scheduledFor(date);
	const { duplicateKey, preview } = common;
	return {
		...common,
		expired,
		// The same text at another time is a reminder, not a duplicate. A date that is the same for all items
		// tells none apart, and may have been corrected since an earlier try.
		duplicateKey: duplicateKey && `${duplicateKey}\n${clock.varies('date') ? own.date : ''}`,
		extra: category === undefined ? common.extra : { ...common.extra, category },
		preview: () => ({ ...preview(), ...scheduled }),
		/** Kept with the receipt: at a retry, now is another time. */
		scheduled,
		// What leaves later has no date yet by which it could be found.
		looksUp: readLookUpUnknown(options, looksUpByDefault) && date === undefined,
		url: sendPath(type),
		body: {
			[legacy ? 'identifier' : 'number']: number,
			message: text,
			...(sender === undefined ? {} : { sender }),
			...(campaignName === undefined ? {} : { campaignName }),
			...(category === undefined ? {} : { [legacy ? 'tag' : 'category']: category }),
			...(date === undefined ? {} : { date }),
		},
	};
}

/** The same message to another number. */
export function redirectSend<P extends PreparedMessage & { body: IDataObject }>(
	prepared: P,
	number: string,
): P {
	const { body, extra } = prepared;
	const field = 'identifier' in body ? 'identifier' : 'number';
	return {
		...prepared,
		subject: number,
		recipient: canonicalNumber(number),
		extra: { ...extra, number },
		body: { ...body, [field]: number },
	};
}

/** The same URL to another number. */
export function redirectSendByUrl<P extends PreparedMessage & { qs: IDataObject }>(
	prepared: P,
	number: string,
): P {
	const { qs, extra } = prepared;
	return {
		...prepared,
		subject: number,
		recipient: canonicalNumber(number),
		extra: { ...extra, number },
		qs: { ...qs, identifier: number },
	};
}

/** The same as a URL: GET with query parameters (interface document 4.3). */
export function prepareSendByUrl(
	parameters: MessageParameters,
	clock: Clock,
): PreparedMessage & { qs: IDataObject } {
	const { options } = parameters;
	const { type, number, text, sender, common } = checkMessage(parameters);
	return {
		...common,
		expired: keepToAllowedHours(options, clock, {}, false).expired,
		url: sendPath(type),
		// The credential fills in the key, so that it is in no data that this node handles.
		qs: {
			apiKey: '',
			identifier: number,
			...(sender === undefined ? {} : { sender }),
			message: text,
		},
	};
}

function checkMessage({
	messageType,
	country,
	number: typed,
	message,
	options,
}: MessageParameters) {
	const type = parseMessageType(messageType);
	const number = parseNumber(typed, { country, fixedLines: 'refuse' });
	const { text, replacements } = prepareMessage(message, type, readUnsupported(options));
	const sender = readSender(options);
	const recipient = canonicalNumber(number);
	const common = {
		subject: number,
		recipient,
		// The text as it was written: how it is spelled for the service is an option.
		essence: [recipient, requireMessage(message)],
		replacements,
		extra: {
			number,
			...(replacements.length > 0
				? { replacements: replacements.map((replacement) => ({ ...replacement })) }
				: {}),
		},
		preview: () => {
			const counted = withStopMention(text, { type, sender, number: recipient });
			const { encoding, segments } = countSegments(counted);
			return { message: text, encoding, segments };
		},
		resendUnknown: readSwitch(options, 'resendUnknown', 'Resend if Unknown'),
		duplicateKey: readSwitch(options, 'skipDuplicates', 'Skip Duplicates')
			? `${recipient}\n${text}`
			: undefined,
	};
	return { type, number, text, sender, common };
}

/** Of a message that isn't kept for later. */
const AT_ONCE: IDataObject = {};

/** When the service lets it leave: milliseconds, and the same for people. */
function scheduledFor(date: number): IDataObject {
	return { scheduledFor: date, scheduledForIso: new Date(date).toISOString() };
}

/** Sends it, and keeps when it leaves. */
export async function carryOutSend(
	{ url, body, scheduled }: ReturnType<typeof prepareSend>,
	requests: Requests,
): Promise<IDataObject> {
	return await requests.change({ method: 'POST', url, body }, (answer) => {
		const receipt = readSendReceipt(answer);
		return receipt && { ...receipt, ...scheduled };
	});
}

function optionalText(value: unknown, field: string): string | undefined {
	if (value === undefined) return undefined;
	const text = requireText(value, field).trim();
	return text === '' ? undefined : text;
}

function parseFieldNames(value: unknown): 'standard' | 'legacy' {
	if (value === undefined || value === 'standard') return 'standard';
	if (value === 'legacy') return 'legacy';
	throw new InputError(`'Field Names' is ${show(value)}`, 'It is either standard or legacy.');
}

/** What a user can do when it is unknown whether a message was sent. */
export function howToFindOut({ subject }: Prepared): string {
	return `It may have been sent, and is not sent again on its own. Look it up with SMS Stats, operation Get Message Status, by the number ${subject}. If it did not arrive, run it again with 'Resend if Unknown' under Delivery Settings turned on.`;
}
