import type { IDataObject } from 'n8n-workflow';
import { departNow } from '../shared/fields/allowedHours';
import { paceOptions } from '../shared/fields/pace';
import { duplicates } from '../shared/run/guards';
import { defineOperation } from '../shared/run/define';
import { readSendReceipt, SEND_BY_URL } from '../shared/service/sentMessages';
import { resendUnknown, sendingOptions, urlFields, urlSafeguards } from './fields';
import { readMessage, type Message } from './message';
import { resultOf, SENDING } from './sending';

/** The send as a URL with query parameters (interface document 4.3). */
export const sendByUrl = defineOperation<Message>({
	...SENDING,
	name: 'Send SMS by URL (Legacy)',
	value: 'sendByUrl',
	action: 'Send SMS by URL (Legacy)',
	description:
		'Send one SMS per item over the older URL interface. Only use it if your account requires it.',
	builderHint:
		"Don't use in new workflows: it exists for accounts that only know the older form of the interface. Use the operation send.",
	fields: urlFields,
	options: [...sendingOptions, ...paceOptions, resendUnknown],
	safeguards: urlSafeguards,
	request: SEND_BY_URL,
	prepare: (item) => readMessage(item, { canWait: false }),
	guards: () => ({ guards: [duplicates] }),
	async execute({ type, subject, text, sender, departure, segments }, client) {
		const receipt = await client.change<IDataObject>(
			{
				endpoint: SEND_BY_URL,
				path: { messageType: type },
				// It has no limit of credits; another operation that a retry chooses may have one.
				segments,
				// The credential fills in the key, so that it is in no data that this node handles.
				qs: {
					apiKey: '',
					identifier: subject,
					...(sender === undefined ? {} : { sender }),
					message: text,
				},
				atStart: () => void departNow(departure),
			},
			readSendReceipt,
		);
		return resultOf(receipt);
	},
});
