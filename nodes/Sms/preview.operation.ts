import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { unsupportedCharacters } from '../shared/fields/message';
import { optionsField } from '../shared/fields/options';
import { perItem } from '../shared/run/perItem';
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
export const preview: Operation = {
	option: {
		name: 'Preview',
		value: 'preview',
		action: 'Preview an SMS',
		description: 'Check the characters of a text and count its segments without sending it',
	},
	fields: [messageTypeField, messageField, optionsField([senderOption, unsupportedCharacters])],
};

/** A custom operation: a declarative one can't do without a request. */
export async function previewItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const previews = await perItem(this, (index) => {
		const options = this.getNodeParameter('options', index, {}) as IDataObject;
		return previewMessage(
			parseMessageType(this.getNodeParameter('messageType', index)),
			requireText(this.getNodeParameter('message', index), 'Message'),
			readSender(options),
			readUnsupported(options),
		);
	});
	return [previews];
}

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
	} as unknown as IDataObject;
}

const STOP_MENTION =
	'With a sender, the service adds a STOP mention (STOP 36XXX) to a marketing message to a French number. It takes room that is not counted here.';
