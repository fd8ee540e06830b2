import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isoName, withIsoDates } from '../shared/fields/isoDates';
import type { Item } from '../shared/fields/item';
import { readId } from '../shared/fields/list';
import { numberAsTyped, recipientField, typedText } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { readOutput, readShape, simplifyFields } from '../shared/fields/simplify';
import { defineOperation } from '../shared/run/define';
import { readChoice } from '../shared/service/choices';
import {
	isFinalState,
	MESSAGE_STATUS as request,
	STATUS_TIMES,
} from '../shared/service/sentMessages';
import { canonicalNumber, spellings } from '../shared/service/number';
import { readWait, waitForFinalState, waitOptions, type Wanted } from './finalState';

const lookupByField: INodeProperties = {
	displayName: 'Look Up By',
	name: 'lookupBy',
	type: 'options',
	options: [
		{
			name: 'Phone Number',
			value: 'number',
			description: 'The latest message to a phone number',
		},
		{
			name: 'Snapshot ID',
			value: 'snapshotId',
			description: 'One message, by the ID that the SMS node returned',
		},
	],
	default: 'snapshotId',
	description: 'How to find the message',
};

const snapshotIdField: INodeProperties = {
	displayName: 'Snapshot ID',
	name: 'snapshotId',
	type: 'string',
	default: '',
	required: true,
	displayOptions: { show: { lookupBy: ['snapshotId'] } },
	placeholder: 'e.g. 362891 or {{ $json.snapshotId }}',
	description: "ID of the message: 'snapshotId' in the result of the SMS node",
};

/** The status of a message (interface document 2.7, 4.4). */
export const messageStatus = defineOperation({
	name: 'Get Message Status',
	value: 'messageStatus',
	action: 'Get message status',
	description: 'Check whether a message was delivered, or wait until it is',
	builderHint:
		'Use to find out whether a message arrived: by the snapshotId that the SMS node returned, or by the phone number.',
	fields: [
		lookupByField,
		{ ...recipientField, displayOptions: { show: { lookupBy: ['number'] } } },
		snapshotIdField,
		...simplifyFields,
	],
	options: [...waitOptions, ...paceOptions],
	request,
	kind: 'read',
	prepare(item) {
		const output = readOutput(item);
		return {
			...prepareLookup(item),
			shape: readShape(item, SIMPLE, output),
			// Raw data are what the service answers.
			isRaw: output === 'raw',
			wait: readWait(item.options),
		};
	},
	words: {
		asTyped: (item) =>
			typedText(item, 'lookupBy').lookupBy === 'number' ? numberAsTyped(item) : {},
	},
	async execute({ wanted, wait, shape, isRaw }, client) {
		// Items that ask for the same message share its requests.
		const status = await client.cached(
			JSON.stringify([wanted, wait]),
			async () => await waitForFinalState(wanted, client, wait),
		);
		const isFinal = isFinalState(status.state);
		if (isRaw) return wait === undefined ? status : { ...status, isFinal };
		const readable = withIsoDates(status, STATUS_TIMES);
		// The ID as the SMS node returned it.
		return shape({ ...readable, isFinal, snapshotId: String(status.id) });
	},
});

/** The fields of the interface document with readable times, and what this node adds. */
const TIMES = ['sent', ...STATUS_TIMES.filter((name) => name !== 'sent')].map(isoName);
const SIMPLE = ['state', 'isFinal', ...TIMES, 'snapshotId', 'test'];

/** @throws InputError */
function prepareLookup(item: Item): { wanted: Wanted; subject: string; extra?: IDataObject } {
	const lookupBy = readChoice(item.parameter('lookupBy'), ['number', 'snapshotId'], 'Look Up By');
	if (lookupBy === 'number') {
		const identifier = item.number({ anyCountry: true });
		const queries = spellings(identifier).map((spelling) => ({ identifier: spelling }));
		const number = canonicalNumber(identifier);
		const advice =
			'Check the number. If it is right, the service has sent nothing to it, or no longer keeps it; a scheduled message may be missing until it is sent.';
		const wanted = { queries, whose: `to ${number}`, advice };
		return { wanted, subject: identifier, extra: { number } };
	}
	const snapshotId = readId(
		item,
		'snapshotId',
		item.parameter('snapshotId'),
		'Snapshot ID',
		'Enter it',
	);
	const whose = `under the snapshot ID ${snapshotId}`;
	const number = /^[+0]/.test(snapshotId) ? "For a phone number, set 'Look Up By' to it. " : '';
	const advice = `${number}Take 'snapshotId' from a result of SMS. If it is right, the service no longer keeps the message; a scheduled one may be missing until it is sent.`;
	const wanted = { queries: [{ snapshotId }], whose, advice };
	return { wanted, subject: `snapshot ${snapshotId}` };
}
