import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/duplicates';
import { sendPath } from '../shared/service/messages';
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
	messageField,
	messageTypeField,
	recipientField,
	sendingOptions,
} from './messageFields';

/** One SMS for each item (interface document 4.3). */
export const send = defineOperation({
	name: 'Send',
	value: 'send',
	action: 'Send SMS',
	description: 'Send one SMS for each item',
	fields: [
		messageTypeField,
		recipientField,
		messageField,
		optionsField([...sendingOptions, ...jsonOptions, ...paceOptions, lookUpUnknownOption]),
	],
	request: { method: 'POST', url: sendPath('notification') },
	madeOf: MADE_OF,
	deed: 'sent',
	prepare: (item) => prepareSend(readMessage(item), item),
	stages: (run) => [duplicates(), testRun(run)],
	carryOut: async (prepared, requests) => await carryOutSend(prepared, requests),
	redirect: (prepared, number) => redirectSend(prepared, number),
	lookUp: lookUpUnknown,
	howToFindOut,
});
