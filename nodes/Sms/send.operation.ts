import type { INodeProperties } from 'n8n-workflow';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/duplicates';
import { SEND } from '../shared/service/messages';
import { testRun } from '../shared/run/testRun';
import { lookUpUnknown, lookUpUnknownOption } from './lookUp';
import {
	carryOutSend,
	howToFindOut,
	MADE_OF,
	prepareSend,
	readMessage,
	redirectSend,
} from './message';
import {
	jsonOptions,
	jsonSettings,
	messageField,
	messageTypeField,
	recipientField,
	senderField,
	sendingOptions,
} from './messageFields';

const onceNotice: INodeProperties = {
	displayName:
		'To send an SMS only once, even if the workflow runs again, use <b>Send Batch</b> with a <b>Once Key</b>. It serves a single message too.',
	name: 'onceNotice',
	type: 'notice',
	default: '',
};

/** One SMS for each item (interface document 4.3). */
export const send = defineOperation({
	name: 'Send',
	value: 'send',
	action: 'Send SMS',
	description: 'Send one SMS for each item',
	fields: [
		messageTypeField,
		senderField,
		recipientField,
		messageField,
		onceNotice,
		...settingsFields({
			options: [...sendingOptions, ...jsonOptions, lookUpUnknownOption],
			delivery: jsonSettings,
			moved: [senderField],
		}),
	],
	request: SEND,
	madeOf: MADE_OF,
	deed: 'sent',
	prepare: (item) => prepareSend(readMessage(item), item),
	stages: (run) => [duplicates(), testRun(run)],
	carryOut: async (prepared, requests) => await carryOutSend(prepared, requests),
	redirect: (prepared, number) => redirectSend(prepared, number),
	lookUp: lookUpUnknown,
	howToFindOut,
});
