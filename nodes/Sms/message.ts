import type { IDataObject } from 'n8n-workflow';
import {
	departureAt,
	readSchedule,
	scheduledFor,
	type Schedule,
} from '../shared/fields/allowedHours';
import { numberAsTyped, typedText } from '../shared/fields/number';
import { refuseEmptyFields, refuseGaps } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { readMessageText, readSender } from '../shared/fields/messageFields';
import type { Prepared } from '../shared/run/operation';
import {
	orDefault,
	parseMessageType,
	readChoice,
	readOption,
	readSwitch,
	readUnsupported,
	type Options,
} from '../shared/service/choices';
import { InputError, readAll, requireText, show, trimmed } from '../shared/service/InputError';
import { prepareMessage, replacedIn, requireMessage } from '../shared/service/messageText';
import { namesOfMoment } from '../shared/service/date';
import { canonicalNumber } from '../shared/service/number';
import { countSegments } from '../shared/service/segments';
import { withStopMention } from '../shared/service/stopMention';
import { readOnceKey } from './onceKeyField';
import { warningsOf } from './warnings';

/** A message, checked. */
export type Message = ReturnType<typeof readMessage>;

/** Differences of an operation from Send. */
interface Form {
	/** The text, where it isn't the one that was typed. */
	message?: string;
	/** The content that makes two calls of a tool the same, where that isn't the text. */
	content?: string;
	/** Its request has a date, so that the service can keep it. */
	canWait?: boolean;
	/** Duplicates are skipped unless the user says otherwise. */
	skipsDuplicates?: boolean;
	/** The result must not show the text: it has a link that takes an answer. */
	isSecret?: boolean;
}

/**
 * Reads and checks one message (interface document 2.6).
 *
 * @throws InputError for everything that the service would refuse and that can be seen beforehand
 */
export function readMessage(item: Item, form: Form = {}) {
	const { canWait = true, skipsDuplicates = false, isSecret = false } = form;
	const { options } = item;
	const { timeZone, now } = item.run;
	// Settings come before the number: their mistakes are the same for all items.
	const tags = readTags(item);
	const schedule = readSchedule(options, { timeZone, canWait });
	const skipBlacklisted = readSwitch(options, 'skipBlacklisted', 'Skip Blacklisted Numbers');
	const resendUnknown = readSwitch(options, 'resendUnknown', 'Send Again if Unknown');
	const [onceKey, written, number] = readAll(
		() => readOnceKey(item),
		() => writeText(item, form.message),
		() => item.number({ fixedLines: 'refuse' }),
	);
	const { type, sender, typed, text, replacements } = written;
	const recipient = canonicalNumber(number);
	const departure = { ...schedule, recipient };
	const { expired, date } = departureAt(departure, now);
	const counted = withStopMention(text, { type, sender, number: recipient });
	const { encoding, segments } = countSegments(counted);
	const dedupe = { onceKey, schedule, skipsDuplicates };
	return {
		/** As it is sent: in national or international format. */
		subject: number,
		/** In international format. */
		recipient,
		...{ type, text, sender, ...tags, replacements, segments },
		warnings: warningsOf({ typed, segments, item, schedule, number: recipient }),
		departure,
		/** 'Send At' was added and left empty, as a cell is. */
		hasEmptyDate: options.date === '',
		/** The date to which 'Allowed Hours' put it off. */
		putOffTo: date === schedule.chosen?.moment ? undefined : date,
		...{ timeZone, expired, onceKey, skipBlacklisted, resendUnknown },
		target: [recipient],
		// The text as it was written: how it is spelled for the service is an option. A model may compute its date anew.
		content: [form.content ?? typed],
		dedupeBy: dedupeByOf(item, recipient, text, dedupe),
		extra: {
			number: recipient,
			...(isSecret ? {} : { message: text }),
			segments,
			...replacedIn(replacements),
			...(tags.category === undefined ? {} : { category: tags.category }),
		} as IDataObject,
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
	const sender = readSender(item);
	const typed = given === undefined ? readMessageText(item) : requireMessage(given);
	return { type, unsupported, sender, typed };
}

/** The same, and the text as it is sent. */
function writeText(item: Item, given: string | undefined) {
	const { unsupported, ...read } = readText(item, given);
	if (readSwitch(item.options, 'refuseEmptyFields', 'Refuse Empty Fields'))
		refuseEmptyFields(item, 'message', read.typed, 'Message');
	return { ...read, ...prepareMessage(read.typed, read.type, unsupported) };
}

/** Dedupe keys of a message. */
function dedupeByOf(
	item: Item,
	recipient: string,
	text: string,
	read: { onceKey: string | undefined; schedule: Schedule; skipsDuplicates: boolean },
): NonNullable<Prepared['dedupeBy']> {
	const { onceKey, schedule, skipsDuplicates } = read;
	const byKey = onceKey === undefined ? [] : [{ what: 'key', key: onceKey, isKey: true }];
	const onlyKept = !readSwitch(
		item.options,
		'skipDuplicates',
		'Skip Duplicates',
		skipsDuplicates,
	);
	const byContent = timesOf(item, schedule).map((time) => ({
		what: 'recipient and text',
		key: `${recipient}\n${text}\n${time}`,
		onlyKept,
	}));
	return [...byKey, ...byContent];
}

/**
 * The same text at another time is a reminder, not a duplicate. A date that is the same for all items tells none apart,
 * and may have been corrected since an earlier try.
 */
function timesOf(item: Item, { chosen, given }: Schedule): string[] {
	const now = '';
	if (given === undefined || !item.varies('date')) return [now];
	return [...(chosen === undefined ? [now] : []), ...namesOfMoment(given)];
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

/**
 * The labels of a message, by which it can be looked up later, and the names that its request has for fields.
 *
 * @throws InputError
 */
function readTags(item: Item) {
	const { fieldNames = 'standard' } = item.run.account;
	const names = readChoice(fieldNames, ['standard', 'legacy'], 'Request Field Names');
	const campaignName = readTag(item, 'campaignName', 'Campaign Name');
	const category = readTag(item, 'category', 'Category');
	const [separator] = /[,\n]/.exec(category ?? '') ?? [];
	if (separator !== undefined) {
		throw new InputError(
			`'Category' ${show(category)} has a ${separator === ',' ? 'comma' : 'line break'}`,
			"Write it without one: the SMS Trigger's 'Categories' are separated by it.",
		);
	}
	/** The request calls recipient and category `identifier` and `tag`. */
	const hasLegacyNames = names === 'legacy';
	return { hasLegacyNames, campaignName, category };
}

/** @throws InputError also for a text of which an expression gave nothing */
function readTag(item: Item, name: string, field: string): string | undefined {
	const text = optionalText(item.options, name, field);
	if (text !== undefined) refuseGaps(item, `options.${name}`, text, field, orDefault('other'));
	return text;
}

/**
 * @returns undefined when the option is not there or empty
 * @throws InputError
 */
export function optionalText(options: Options, name: string, field: string): string | undefined {
	const value = readOption(options, name, field);
	return value === undefined ? undefined : trimmed(requireText(value, field)) || undefined;
}
