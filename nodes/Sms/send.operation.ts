import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readSendReceipt } from '../shared/service/messages';
import { howToFindOut, prepareSend, sendPath } from './message';
import {
	jsonOptions,
	messageField,
	messageTypeField,
	recipientField,
	sendingOptions,
} from './messageFields';

/** One SMS for each item (interface document 4.3). */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send an SMS',
		description: 'Send one SMS for each item',
		routing: routed({
			method: 'POST',
			url: sendPath('notification'),
			prepare() {
				return prepareSend(
					{
						messageType: this.getNodeParameter('messageType'),
						number: this.getNodeParameter('number'),
						message: this.getNodeParameter('message'),
						options: this.getNodeParameter('options', {}) as IDataObject,
					},
					{ timeZone: this.getTimezone(), now: Date.now() },
				);
			},
			read: readSendReceipt,
			howToFindOut,
		}),
	},
	fields: [
		messageTypeField,
		recipientField,
		messageField,
		optionsField([...sendingOptions, ...jsonOptions, ...paceOptions]),
	],
};
