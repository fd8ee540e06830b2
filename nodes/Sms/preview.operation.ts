import type { IDataObject } from 'n8n-workflow';
import { unsupportedCharacters } from '../shared/fields/message';
import { optionsField } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import {
	findRefusedCharacters,
	replaceUnsupported,
	type MessageType,
} from '../shared/service/characters';
import { parseMessageType, readUnsupported } from '../shared/service/choices';
import { requireText } from '../shared/service/InputError';
import type { UnsupportedCharacters } from '../shared/service/message';
import { countSegments } from '../shared/service/segments';
import { readSender } from './message';
import { messageField, messageTypeField, senderOption } from './messageFields';

/** What would be sent, without sending it. */
export const preview = defineOperation({
	name: 'Preview',
	value: 'preview',
	action: 'Preview SMS',
	description: 'Check the characters of a text and count its segments without sending it',
	fields: [messageTypeField, messageField, optionsField([senderOption, unsupportedCharacters])],
	custom: "n8n's router can't do without a request",
	prepare: (item) => ({
		extra: previewMessage(
			parseMessageType(item.parameter('messageType')),
			requireText(item.parameter('message'), 'Message'),
			readSender(item.options),
			readUnsupported(item.options),
		),
	}),
	carryOut: () => ({}),
});

/** What the service would get, and what it would refuse of it (interface document, section 8). */
function previewMessage(
	type: MessageType,
	message: string,
	sender: string | undefined,
	unsupported: UnsupportedCharacters,
): IDataObject {
	const { text, replacements } =
		unsupported === 'replace'
			? replaceUnsupported(message, type)
			: { text: message, replacements: [] };
	const refusedCharacters = findRefusedCharacters(text, type);
	return {
		message: text,
		accepted: text.trim() !== '' && refusedCharacters.length === 0,
		refusedCharacters,
		replacements,
		...countSegments(text),
		...(sender === undefined ? {} : { sender }),
		...(type === 'marketing' && sender !== undefined ? { note: STOP_MENTION } : {}),
	};
}

const STOP_MENTION =
	'With a sender, the service adds a STOP mention (STOP 36XXX) to a marketing message to a French number. It takes room that is not counted here.';
