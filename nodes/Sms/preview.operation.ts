import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { unsupportedCharacters } from '../shared/fields/message';
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
import { canonicalNumber } from '../shared/service/number';
import { countSegments, describeSizes } from '../shared/service/segments';
import { STOP_MENTION, withStopMention } from '../shared/service/stopMention';
import { readSender } from './message';
import { messageField, messageTypeField, senderField } from './fields';
import { replacedCharacters } from './replacedCharacters';

const previewedNumberField: INodeProperties = {
	...numberField,
	required: false,
	description:
		'Mobile number of the recipient, which the result keeps. Leave empty to look at the text alone.',
};

/** What would be sent, without sending it. */
export const preview = defineOperation<Previewed>({
	name: 'Preview SMS',
	value: 'preview',
	action: 'Preview SMS',
	description: 'Check a message and count its segments without sending it',
	builderHint:
		'Use to see how many segments a text takes and which characters are refused, before it costs anything. It makes no request.',
	deed: 'previewed',
	columns: ['number', 'accepted', 'segments', 'charactersLeft', 'encoding', 'message'],
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
		const number =
			item.parameter('number', '') === ''
				? undefined
				: canonicalNumber(item.number({ fixedLines: 'refuse', anyCountry: true }));
		const form = { type, sender, ...(number === undefined ? {} : { number }) };
		return previewMessage(typed, unsupported, form);
	},
	begin(_, before) {
		before.requests.note(describe(before.candidates.map(({ prepared }) => prepared.extra)));
		replacedCharacters(before);
	},
	carryOut: () => ({}),
});

/** The first fields of a result are what a user looks for; the others say why. */
interface Preview extends IDataObject {
	/** The service takes the text as it is. */
	accepted: boolean;
	segments: number;
	/** Plain characters that still fit into the last segment. */
	charactersLeft: number;
	encoding: string;
	/** As it would be sent. */
	message: string;
	replacements?: string;
}

interface Previewed extends Prepared {
	extra: Preview;
	replacements: readonly Replacement[];
}

/** What the service would get, and what it would refuse of it (interface document, section 8). */
function previewMessage(
	message: string,
	unsupported: UnsupportedCharacters,
	form: Parameters<typeof withStopMention>[1],
): Previewed {
	const { type, sender, number } = form;
	const { text, replacements, refused } = writeMessage(message, type, unsupported);
	const counted = withStopMention(text, form);
	const { segments, unitsLeft, encoding, characters, units } = countSegments(counted);
	const extra = {
		...(number === undefined ? {} : { number }),
		accepted: text.trim() !== '' && refused.length === 0,
		segments,
		charactersLeft: unitsLeft,
		encoding,
		message: text,
		characters,
		units,
		refusedCharacters: refused,
		...replacedIn(replacements),
		...(sender === undefined ? {} : { sender }),
		...(counted === text ? {} : { note: stopNote(number) }),
	};
	return { extra, replacements };
}

function stopNote(number: string | undefined): string {
	const where = number === undefined ? 'when the number is French' : 'to a French number';
	return `Counted with ${STOP_MENTION}, which the service adds to a marketing message with a sender ${where}.`;
}

/** A line above the results: how many messages of how many segments. */
function describe(previews: readonly Preview[]): string {
	const messagesOf = new Map<number, number>();
	for (const { segments } of previews) {
		messagesOf.set(segments, (messagesOf.get(segments) ?? 0) + 1);
	}
	const sizes = [...messagesOf].sort(([a], [b]) => a - b);
	const total = previews.reduce((sum, { segments }) => sum + segments, 0);
	const refused = previews.filter(({ accepted }) => !accepted).length;
	if (previews.length === 1) {
		return `1 message of ${countOf(total, 'segment')}.${refused === 1 ? ' It would be refused.' : ''}`;
	}
	return [
		`${countOf(previews.length, 'message')}: ${describeSizes(sizes)}; ${countOf(total, 'segment')} in all.`,
		...(refused === 0 ? [] : [`${refused} would be refused.`]),
	].join(' ');
}
