import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readSendReceipt } from '../shared/service/messages';
import { howToFindOut, prepareSendByUrl, sendPath } from './message';
import { messageField, messageTypeField, recipientField, sendingOptions } from './messageFields';

/** The send as a URL with query parameters (interface document 4.3). */
export const sendByUrl: Operation = {
	option: {
		name: 'Send by URL',
		value: 'sendByUrl',
		action: 'Send an SMS by URL',
		description:
			'Send one SMS for each item with the older form of the interface, which carries everything in the address',
		routing: routed({
			method: 'GET',
			url: sendPath('notification'),
			repeatable: false,
			prepare() {
				return prepareSendByUrl({
					messageType: this.getNodeParameter('messageType'),
					number: this.getNodeParameter('number'),
					message: this.getNodeParameter('message'),
					options: this.getNodeParameter('options', {}) as IDataObject,
				});
			},
			read: readSendReceipt,
			howToFindOut,
		}),
	},
	fields: [
		messageTypeField,
		recipientField,
		messageField,
		optionsField([...sendingOptions, ...paceOptions]),
	],
};
