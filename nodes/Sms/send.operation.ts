import { defineOperation } from '../shared/run/define';
import { sendFields, sendSettings } from './fields';
import type { Message } from './message';
import { sendingMany } from './sending';

/** One SMS for each item (interface document 4.3). */
export const send = defineOperation<Message>({
	...sendingMany(false),
	name: 'Send SMS',
	value: 'send',
	action: 'Send SMS',
	description:
		'Check all items, then send one SMS per item. Stops at the first problem and fails.',
	builderHint:
		'Use for a single text: an alert, a reminder, an order confirmation, one recipient per execution. It fails at the first problem, so error handling sees it.',
	fields: sendFields,
	...sendSettings,
});
