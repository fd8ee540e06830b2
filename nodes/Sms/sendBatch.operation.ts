import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { Batch } from './Batch';
import {
	jsonOptions,
	messageField,
	messageTypeField,
	recipientField,
	sendingOptions,
} from './messageFields';

const onceKey: INodeProperties = {
	displayName: 'Once Key',
	name: 'onceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'Text that is different for each message, such as an order ID. A message whose key was sent before in this workflow is skipped, also in a later execution.',
};

const skipBlacklisted: INodeProperties = {
	displayName: 'Skip Blacklisted Numbers',
	name: 'skipBlacklisted',
	type: 'boolean',
	default: false,
	description:
		'Whether to look up the STOP and bounce lists of the account once and leave out the numbers on them',
};

/** Many SMS in one go, one outcome for each. */
export const sendBatch: Operation = {
	option: {
		name: 'Send Batch',
		value: 'sendBatch',
		action: 'Send many SMS in a batch',
		description:
			'Send hundreds to tens of thousands of SMS, one for each item, and get an outcome for each of them',
	},
	fields: [
		messageTypeField,
		recipientField,
		messageField,
		optionsField([...sendingOptions, ...jsonOptions, ...paceOptions, onceKey, skipBlacklisted]),
	],
};

/**
 * A custom operation: the router's synchronous loop would freeze n8n for seconds per thousand items,
 * and it has no access to n8n's deduplication store.
 */
export async function sendBatchItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const total = this.getInputData().length;
	if (total === 0) return [[]];
	const batch = new Batch(this, total);
	await batch.check();
	await batch.send();
	return [await batch.results()];
}
