import { allowedHours } from '../shared/fields/allowedHours';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/duplicates';
import { readSendReceipt, SEND_BY_URL } from '../shared/service/messages';
import { testRun } from '../shared/run/testRun';
import { howToFindOut, MADE_OF, prepareSendByUrl, readMessage, redirectSendByUrl } from './message';
import {
	messageField,
	messageTypeField,
	recipientField,
	senderField,
	sendingOptions,
	sendingSettings,
} from './messageFields';

/** The send as a URL with query parameters (interface document 4.3). */
export const sendByUrl = defineOperation({
	name: 'Send by URL (Legacy)',
	value: 'sendByUrl',
	action: 'Send SMS by URL',
	description:
		'Send one SMS for each item with the older form of the interface, which carries everything in the address',
	fields: [
		messageTypeField,
		senderField,
		recipientField,
		messageField,
		...settingsFields({
			options: [allowedHours, ...sendingOptions],
			delivery: sendingSettings,
			moved: [senderField],
		}),
	],
	request: SEND_BY_URL,
	madeOf: MADE_OF,
	deed: 'sent',
	prepare: (item) => prepareSendByUrl(readMessage(item), item),
	stages: (run) => [duplicates(), testRun(run)],
	carryOut: async ({ url, qs }, requests) =>
		await requests.change({ method: 'GET', url, qs }, readSendReceipt),
	redirect: redirectSendByUrl,
	howToFindOut,
});
