import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { unsupportedCharacters } from '../shared/fields/message';
import { emptyFields, refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import type { Replacement } from '../shared/service/characters';
import { parseMessageType, readUnsupported } from '../shared/service/choices';
import { countOf } from '../shared/service/countOf';
import {
	requireMessage,
	replacedIn,
	writeMessage,
	type UnsupportedCharacters,
} from '../shared/service/message';
import type { InputError } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { countSegments, describeSizes } from '../shared/service/segments';
import { STOP_MENTION, withStopMention } from '../shared/service/stopMention';
import { readSender } from './message';
import { messageField, messageTypeField, senderField } from './fields';
import { noteTexts, warningsOf, type Warning } from './warnings';

const previewedNumberField: INodeProperties = {
	...numberField,
	required: false,
	description:
		'Mobile number of the recipient, which the result repeats. Leave empty to check only the text.',
};

/** Shows a message without sending it. */
export const preview = defineOperation<Previewed>({
	name: 'Preview SMS',
	value: 'preview',
	action: 'Preview SMS',
	description: 'Check a message and count its segments without sending it',
	builderHint:
		'Use to see how many segments a text takes and which characters are refused, before it costs anything. It makes no request.',
	verb: 'previewed',
	fields: [
		messageTypeField,
		previewedNumberField,
		messageField,
		senderField,
		...settingsFields({ options: [unsupportedCharacters] }),
	],
	prepare(item) {
		const sender = readSender(item.options);
		const unsupported = readUnsupported(item.options);
		const type = parseMessageType(item.parameter('messageType'));
		const typed = requireMessage(item.parameter('message'));
		refuseNoValue(item, 'message', typed, 'Message');
		const { problem, ...recipient } = readRecipient(item);
		const form = previewMessage(typed, unsupported, { type, sender, ...recipient });
		const empty = emptyFields(item, 'message', typed);
		const previewed = {
			...form,
			warnings: warningsOf(typed, form.extra.segments, empty),
		};
		if (problem === undefined) return previewed;
		const number = item.parameter('number');
		const extra = { ...previewed.extra, accepted: false, number, reason: problem } as Preview;
		return { ...previewed, extra };
	},
	begin(_, entries, client) {
		client.note(describe(entries.map(({ prepared }) => prepared.extra)));
		noteTexts(entries, client);
	},
	execute: () => ({}),
});

/** The number, or what is wrong with it: the others are looked at all the same. */
function readRecipient(item: Item): { number?: string; problem?: string } {
	if (item.parameter('number', '') === '') return {};
	try {
		return { number: canonicalNumber(item.number({ fixedLines: 'refuse', anyCountry: true })) };
	} catch (error) {
		return { problem: (error as InputError).message };
	}
}

/** The first fields of a result are what a user looks for; the others say why. */
interface Preview extends IDataObject {
	/** The service takes the text as it is. */
	accepted: boolean;
	/** As it would be sent. */
	message: string;
	segments: number;
	/** Plain characters that still fit into the last segment. */
	charactersLeft: number;
	encoding: string;
	replacements?: string;
}

interface Previewed extends Prepared {
	extra: Preview;
	replacements: readonly Replacement[];
	warnings: readonly Warning[];
}

/** The text as the service would get it, and the characters that it would refuse (interface document, section 8). */
function previewMessage(
	message: string,
	unsupported: UnsupportedCharacters,
	form: Parameters<typeof withStopMention>[1],
): Omit<Previewed, 'warnings'> {
	const { type, sender, number } = form;
	const { text, replacements, refused } = writeMessage(message, type, unsupported);
	const counted = withStopMention(text, form);
	const { segments, unitsLeft, encoding, characters, units } = countSegments(counted);
	const extra = {
		accepted: text.trim() !== '' && refused.length === 0,
		...(number === undefined ? {} : { number }),
		message: text,
		segments,
		charactersLeft: unitsLeft,
		encoding,
		characters,
		units,
		...replacedIn(replacements),
		...(sender === undefined ? {} : { sender }),
		...(counted === text ? {} : { note: stopNote(number) }),
		refusedCharacters: refused,
	};
	return { extra, replacements };
}

function stopNote(number: string | undefined): string {
	const where = number === undefined ? 'when the number is French' : 'to a French number';
	return `Counted with ${STOP_MENTION}, which the service adds to a marketing message with a sender ${where}.`;
}

/** A line above the results: how many messages of how many segments. */
function describe(previews: readonly Preview[]): string {
	const accepted = previews.filter((preview) => preview.accepted);
	const refused = previews.length - accepted.length;
	const [first] = previews;
	if (previews.length === 1) {
		return `1 message of ${countOf(first.segments, 'segment')}.${refused === 1 ? ' It would be refused.' : ''}`;
	}
	if (accepted.length === 0) return `All ${refused} messages would be refused.`;
	const messagesOf = new Map<number, number>();
	for (const { segments } of accepted) {
		messagesOf.set(segments, (messagesOf.get(segments) ?? 0) + 1);
	}
	const sizes = [...messagesOf].sort(([a], [b]) => a - b);
	const total = accepted.reduce((sum, { segments }) => sum + segments, 0);
	return [
		`${countOf(accepted.length, 'message')}: ${describeSizes(sizes)}; ${countOf(total, 'segment')} in all.`,
		...(refused === 0 ? [] : [`${refused} more would be refused.`]),
	].join(' ');
}
