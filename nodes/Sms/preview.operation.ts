import type { IDataObject } from 'n8n-workflow';
import { unsupportedCharacters } from '../shared/fields/message';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import type { MessageType, Replacement } from '../shared/service/characters';
import { parseMessageType, readUnsupported } from '../shared/service/choices';
import { countOf } from '../shared/service/countOf';
import {
	requireMessage,
	writeMessage,
	type UnsupportedCharacters,
} from '../shared/service/message';
import { countSegments, describeSizes } from '../shared/service/segments';
import { STOP_MENTION, withStopMention } from '../shared/service/stopMention';
import { readSender } from './message';
import { messageField, messageTypeField, senderField } from './fields';
import { replacedCharacters } from './replacedCharacters';

/** What would be sent, without sending it. */
export const preview = defineOperation<Previewed>({
	name: 'Preview',
	value: 'preview',
	action: 'Preview SMS',
	description: 'Check the characters of a text and count its segments without sending it',
	deed: 'previewed',
	fields: [
		messageTypeField,
		senderField,
		messageField,
		...settingsFields({ options: [unsupportedCharacters] }),
	],
	prepare(item) {
		const extra = previewMessage(
			parseMessageType(item.parameter('messageType')),
			requireMessage(item.parameter('message')),
			readSender(item.options),
			readUnsupported(item.options),
		);
		return { extra, replacements: extra.replacements };
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
	replacements: Replacement[];
}

interface Previewed extends Prepared {
	extra: Preview;
	replacements: readonly Replacement[];
}

/** What the service would get, and what it would refuse of it (interface document, section 8). */
function previewMessage(
	type: MessageType,
	message: string,
	sender: string | undefined,
	unsupported: UnsupportedCharacters,
): Preview {
	const { text, replacements, refused } = writeMessage(message, type, unsupported);
	const counted = withStopMention(text, { type, sender });
	const { segments, unitsLeft, encoding, characters, units } = countSegments(counted);
	return {
		accepted: text.trim() !== '' && refused.length === 0,
		segments,
		charactersLeft: unitsLeft,
		encoding,
		message: text,
		characters,
		units,
		refusedCharacters: refused,
		replacements,
		...(sender === undefined ? {} : { sender }),
		...(counted === text ? {} : { note: STOP_NOTE }),
	};
}

const STOP_NOTE = `Counted with ${STOP_MENTION}, which the service adds to a marketing message with a sender when the number is French.`;

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
