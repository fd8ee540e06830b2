import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isoName, withIsoDates } from '../shared/fields/isoDates';
import { parseId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { readOutput, readShape, simplifyFields } from '../shared/fields/simplify';
import type { Failure } from '../shared/http/failure';
import { defineOperation } from '../shared/run/define';
import type { Item } from '../shared/fields/item';
import { fieldsOf } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { readChoice } from '../shared/service/choices';
import { codeFor } from '../shared/service/errorCodes';
import { canonicalNumber, spellings } from '../shared/service/number';
import {
	findMessageStatus,
	isFinalState,
	MESSAGE_STATUS as request,
	STATUS_TIMES,
	type MessageStatus,
} from '../shared/service/messages';
import { readWait, waitForFinalState, waitOptions, type Look } from './wait';

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
	default: 'number',
	description: 'How to find the message',
};

const recipientField: INodeProperties = {
	...numberField,
	displayOptions: { show: { lookupBy: ['number'] } },
	description: 'Mobile number of the recipient, in national or international format',
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
		recipientField,
		snapshotIdField,
		// Fields of its own, which are shown below the look-up.
		...simplifyFields.map((field) => ({ ...field })),
		...settingsFields({ options: [...waitOptions, ...paceOptions] }),
	],
	request,
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
	async execute({ queries, subject, whose, wait, shape, isRaw }, client) {
		const look: Look = async (expected) => await lookUp(queries, whose, client, expected);
		const status =
			wait === undefined
				? await look()
				: // Items that ask for the same message wait together: one request at a time for it.
					await client.together(
						JSON.stringify([subject, wait]),
						async () => await waitForFinalState(look, wait, client),
					);
		return shape(isRaw ? fieldsOf(status) : readable(status));
	},
});

/** The fields of the interface document with readable times, and what this node adds. */
const SIMPLE = ['state', 'isFinal', 'snapshotId', ...STATUS_TIMES.map(isoName), 'test'];

/** With the ID as the SMS node returned it. */
function readable(status: MessageStatus): IDataObject {
	const { id, state } = status;
	return {
		...withIsoDates(fieldsOf(status), STATUS_TIMES),
		isFinal: isFinalState(state),
		...(id === undefined ? {} : { snapshotId: String(id) }),
	};
}

/**
 * Asks by one query after the other, until one finds a message.
 *
 * @param whose for the error: the number or the ID
 * @param expected a failure that the caller handles itself
 * @throws StepFailed with code 16 when there is none, however the service says so
 */
async function lookUp(
	queries: readonly IDataObject[],
	whose: string,
	client: Client,
	expected?: (failure: Failure) => boolean,
): Promise<MessageStatus> {
	for (const qs of queries) {
		const found = await client.find({ endpoint: request, qs }, findMessageStatus, expected);
		if (found?.status !== undefined) return found.status;
	}
	throw client.refuse({ ...NO_MESSAGE, message: `${message} ${whose}` }, expected);
}

const { code, message, advice } = codeFor('nothingFound');
const NO_MESSAGE: Failure = {
	message,
	advice,
	status: 'refused',
	code,
	httpCode: 404,
	transient: false,
	general: false,
};

/** @throws InputError */
function prepareLookup(item: Pick<Item, 'parameter' | 'number'>): {
	queries: IDataObject[];
	subject: string;
	whose: string;
	extra?: IDataObject;
} {
	const lookupBy = readChoice(item.parameter('lookupBy'), ['number', 'snapshotId'], 'Look Up By');
	if (lookupBy === 'number') {
		const identifier = item.number({ anyCountry: true });
		const queries = spellings(identifier).map((spelling) => ({ identifier: spelling }));
		const number = canonicalNumber(identifier);
		return { queries, subject: identifier, whose: `to ${number}`, extra: { number } };
	}
	const snapshotId = parseId(item.parameter('snapshotId'), 'Snapshot ID');
	const subject = `snapshot ${snapshotId}`;
	return { queries: [{ snapshotId }], subject, whose: `under the snapshot ID ${snapshotId}` };
}
