import type { IDataObject } from 'n8n-workflow';
import {
	departureAt,
	readSchedule,
	scheduledFor,
	type Schedule,
} from '../shared/fields/allowedHours';
import { numberAsTyped, typedText } from '../shared/fields/asTyped';
import { refuseEmptyKey, refuseGaps, refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import type { Client } from '../shared/run/client';
import type { End } from '../shared/run/guards';
import type { OpenEntry, Prepared } from '../shared/run/operation';
import { invalid } from '../shared/run/outcome';
import type { Replacement, MessageType } from '../shared/service/characters';
import {
	orDefault,
	parseMessageType,
	readChoice,
	readOption,
	readSwitch,
	readUnsupported,
	type Options,
} from '../shared/service/choices';
import {
	InputError,
	readAll,
	requireText,
	requireTrimmed,
	show,
} from '../shared/service/InputError';
import { prepareMessage, replacedIn, requireMessage } from '../shared/service/messageText';
import { canonicalNumber } from '../shared/service/number';
import { countSegments } from '../shared/service/segments';
import { parseSender } from '../shared/service/sender';
import { withStopMention } from '../shared/service/stopMention';
import { warningsOf, warningsOfNumber, type Warning } from './warnings';

/** A message, checked. */
export interface Message extends Prepared {
	/** As it is sent: in national or international format. */
	subject: string;
	/** In international format. */
	recipient: string;
	type: MessageType;
	text: string;
	sender: string | undefined;
	replacements: readonly Replacement[];
	warnings: readonly Warning[];
	departure: Schedule;
	/** IANA name of the workflow's. */
	timeZone: string;
	onceKey: string | undefined;
	skipBlacklisted: boolean;
	segments: number;
	/** How the JSON form names what can be looked up later, and the recipient. */
	tags: IDataObject;
	numberField: 'number' | 'identifier';
	preview: () => IDataObject;
}

/** Differences of an operation from Send. */
interface Form {
	/** The text, where it isn't the one that was typed. */
	message?: string;
	/** The content that makes two calls of a tool the same, where that isn't the text. */
	content?: string;
	/** Its request has a date, so that the service can keep it. */
	canWait?: boolean;
	/** Whether duplicates are skipped unless the user says otherwise. */
	skipsDuplicates?: boolean;
	/** The result must not show the text: it has a link that takes an answer. */
	isSecret?: boolean;
}

/**
 * Reads and checks one message (interface document 2.6).
 *
 * @throws InputError for everything that the service would refuse and that can be seen beforehand
 */
export function readMessage(
	item: Item,
	{
		message: given,
		content,
		canWait = true,
		skipsDuplicates = false,
		isSecret = false,
	}: Form = {},
): Message {
	const { options } = item;
	const { timeZone, now } = item.run;
	// Settings come before the number: their mistakes are the same for all items.
	const { tags, numberField, category } = readTags(item);
	const schedule = readSchedule(options, { timeZone, canWait });
	const switches = {
		skipBlacklisted: readSwitch(options, 'skipBlacklisted', 'Skip Blacklisted Numbers'),
		resendUnknown: readSwitch(options, 'resendUnknown', 'Send Again if Unknown'),
	};
	const [onceKey, written, number] = readAll(
		() => readOnceKey(item),
		() => writeText(item, given),
		() => item.number({ fixedLines: 'refuse' }),
	);
	const { type, sender, typed, text, replacements } = written;
	const recipient = canonicalNumber(number);
	const departure = { ...schedule, recipient };
	const { expired, date } = departureAt(departure, now);
	const counted = withStopMention(text, { type, sender, number: recipient });
	const { encoding, segments } = countSegments(counted);
	return {
		subject: number,
		recipient,
		type,
		text,
		sender,
		replacements,
		warnings: [
			...warningsOf(
				typed,
				segments,
				item,
				schedule.hours === undefined ? schedule.chosen?.given : undefined,
			),
			...warningsOfNumber(recipient),
		],
		departure,
		timeZone,
		expired,
		onceKey,
		segments,
		tags,
		numberField,
		...switches,
		target: [recipient],
		// The text as it was written: how it is spelled for the service is an option.
		content: [content ?? typed],
		dedupeBy: dedupeByOf(item, recipient, text, {
			onceKey,
			date: schedule.chosen?.moment,
			skipsDuplicates,
		}),
		extra: {
			number: recipient,
			...(isSecret ? {} : { message: text }),
			segments,
			...replacedIn(replacements),
			...(category === undefined ? {} : { category }),
		},
		preview: () => ({ message: text, segments, encoding, ...scheduledFor(date, timeZone) }),
	};
}

/**
 * The text of an item as it was typed, and how it is to be written.
 *
 * @param given the text, where it isn't the one that was typed
 * @throws InputError
 */
export function readText(item: Item, given?: string) {
	const type = parseMessageType(item.parameter('messageType'));
	const unsupported = readUnsupported(item.options);
	const sender = parseSender(readOption(item.options, 'sender', 'Sender') ?? '');
	refuseNoValue(item, 'sender', sender ?? '', 'Sender');
	const typed = given === undefined ? readTyped(item) : requireMessage(given);
	return { type, unsupported, sender, typed };
}

/** The text of an item as it was typed. @throws InputError */
export function readTyped(item: Item): string {
	const typed = requireMessage(item.parameter('message'));
	refuseNoValue(item, 'message', typed, 'Message');
	return typed;
}

/** The same, and the text as it is sent. */
function writeText(item: Item, given: string | undefined) {
	const { unsupported, ...read } = readText(item, given);
	return { ...read, ...prepareMessage(read.typed, read.type, unsupported) };
}

/** Dedupe keys of a message. */
function dedupeByOf(
	item: Item,
	recipient: string,
	text: string,
	{
		onceKey,
		date,
		skipsDuplicates,
	}: { onceKey: string | undefined; date: number | undefined; skipsDuplicates: boolean },
): NonNullable<Prepared['dedupeBy']> {
	const byKey = onceKey === undefined ? [] : [{ what: 'key', value: onceKey }];
	if (!readSwitch(item.options, 'skipDuplicates', 'Skip Duplicates', skipsDuplicates))
		return byKey;
	// The same text at another time is a reminder, not a duplicate. A date that is the same for all items tells none
	// apart, and may have been corrected since an earlier try.
	const time = item.varies('date') ? (date ?? '') : '';
	return [...byKey, { what: 'recipient and text', value: `${recipient}\n${text}\n${time}` }];
}

/** Recipient and text of an item that can't be sent. */
export function messageAsTyped(item: Item): IDataObject {
	return { ...numberAsTyped(item), ...typedText(item, 'message') };
}

/**
 * The same message to another number, for trying it out: its once key is not used. It is sent when the
 * recipient would get it, in whose time zone its hours may be.
 */
export function redirect<M extends Message>(message: M, number: string): M {
	const recipient = canonicalNumber(number);
	const extra = { ...message.extra, number: recipient };
	return { ...message, subject: number, recipient, extra, onceKey: undefined };
}

const ONCE_KEY = 'Once Key';
const NO_KEY = "Each item needs its own key. If you have none, remove 'Once Key'.";

/**
 * @returns undefined where the option was not added
 * @throws InputError for a key that is missing or made of nothing, or that holds half of a character, which n8n would
 *   store as another key: the message could be sent twice
 */
function readOnceKey(item: Item): string | undefined {
	const value = readOption(item.options, 'onceKey', ONCE_KEY, NO_KEY);
	if (value === undefined) return undefined;
	const key = requireTrimmed(value, ONCE_KEY, `Check its expression. ${NO_KEY}`);
	refuseEmptyKey(item, 'safeguards.onceKey', key, ONCE_KEY, NO_KEY);
	return key;
}

/** Refuses one typed key for several recipients, and warns of one that an expression gives all of them. */
export function checkKeys(
	entries: ReadonlyArray<OpenEntry<Message>>,
	client: Client,
	end: End,
): void {
	const { item, prepared } = entries[0];
	const { onceKey, recipient } = prepared;
	const isOne = entries.every((entry) => entry.prepared.onceKey === onceKey);
	const isToOne = entries.every((entry) => entry.prepared.recipient === recipient);
	if (onceKey === undefined || !isOne || isToOne) return;
	const isAll = `'${ONCE_KEY}' is ${show(onceKey)} for all items`;
	if (item.varies('onceKey'))
		return client.warn(
			`${isAll}, so only the first recipient gets a message. To send to the others, run the skipped items only, each with its own key, such as {{ $json.orderId }}: with another key, the first one would get it again.`,
		);
	const refusal = invalid(
		new InputError(
			`${isAll}, so only the first recipient would get a message`,
			'Use an expression that gives each item its own key, such as {{ $json.orderId }}.',
		),
	);
	for (const entry of entries) end(entry, refusal);
}

/**
 * How the JSON form names what can be looked up later, and the recipient.
 *
 * @throws InputError
 */
function readTags(item: Item): {
	tags: IDataObject;
	numberField: 'number' | 'identifier';
	category: string | undefined;
} {
	const field = 'Request Field Names';
	const { fieldNames = 'standard' } = item.run.account;
	const isLegacy = readChoice(fieldNames, ['standard', 'legacy'], field) === 'legacy';
	const campaignName = readTag(item, 'campaignName', 'Campaign Name');
	const category = readTag(item, 'category', 'Category');
	if (category?.includes(',')) {
		throw new InputError(
			`'Category' ${show(category)} has a comma`,
			"Write it without one: the SMS Trigger's 'Categories' are separated by commas.",
		);
	}
	return {
		tags: {
			...(campaignName === undefined ? {} : { campaignName }),
			...(category === undefined ? {} : { [isLegacy ? 'tag' : 'category']: category }),
		},
		numberField: isLegacy ? 'identifier' : 'number',
		category,
	};
}

/** @throws InputError also for a text of which an expression gave nothing */
function readTag(item: Item, name: string, field: string): string | undefined {
	const text = optionalText(item.options, name, field);
	if (text === undefined) return undefined;
	refuseGaps(item, `options.${name}`, text, field, orDefault('other'));
	return text;
}

/**
 * @returns undefined when the option is not there or empty
 * @throws InputError
 */
export function optionalText(options: Options, name: string, field: string): string | undefined {
	const value = readOption(options, name, field);
	if (value === undefined) return undefined;
	const text = requireText(value, field).trim();
	return text === '' ? undefined : text;
}
