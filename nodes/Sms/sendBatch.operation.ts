import type { INodeProperties } from 'n8n-workflow';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/duplicates';
import { stopWhenAllAreConcerned } from '../shared/run/policy';
import { readOption, readSwitch, type Options } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';
import { batchOptions, readBatchSettings } from './batchOptions';
import { balance, checkBalance } from './balance';
import { blacklisted } from './blacklisted';
import { SEND } from '../shared/service/messages';
import { testRun } from '../shared/run/testRun';
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
import { lookUpUnknown, lookUpUnknownInBatch } from './lookUp';
import { isDryRun, previews } from './dryRun';
import { onceKeys, onceKeysLookedUp } from './onceKeys';
import { repeatedKeys } from './repeatedKeys';
import { replacedCharacters } from './replacedCharacters';

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

/** Many SMS in one go, one outcome for each (interface document 4.3). */
export const sendBatch = defineOperation({
	name: 'Send Batch',
	value: 'sendBatch',
	action: 'Send batch of SMS',
	description:
		'Send hundreds to tens of thousands of SMS, one for each item, and get an outcome for each of them',
	fields: [
		messageTypeField,
		senderField,
		recipientField,
		messageField,
		...settingsFields({
			options: [
				...sendingOptions,
				...jsonOptions,
				...batchOptions,
				checkBalance,
				lookUpUnknownInBatch,
				onceKey,
				skipBlacklisted,
			],
			delivery: jsonSettings,
			moved: [senderField],
		}),
	],
	request: SEND,
	custom: "n8n's router would freeze n8n for seconds per thousand items, and has no access to n8n's deduplication store",
	madeOf: MADE_OF,
	deed: 'sent',
	policy: { ...stopWhenAllAreConcerned, settings: readBatchSettings },
	prepare: (item) => ({
		...prepareSend(readMessage(item), item, true),
		onceKey: readOnceKey(item.options),
		skipBlacklisted: readSwitch(item.options, 'skipBlacklisted', 'Skip Blacklisted Numbers'),
	}),
	asTyped(item) {
		const number = item.parameter('number', undefined);
		return typeof number === 'string' || typeof number === 'number'
			? { number: `${number}` }
			: {};
	},
	stages(run) {
		const looking = () => [replacedCharacters(), repeatedKeys(), blacklisted(), duplicates()];
		const keysToo = () => [...looking(), onceKeysLookedUp(run)];
		const checked = balance(run.options, keysToo);
		if (isDryRun(run)) return [...keysToo(), checked, previews()];
		const test = testRun(run);
		return test === undefined ? [...looking(), onceKeys(run), checked] : [...looking(), test];
	},
	carryOut: async (prepared, requests) => await carryOutSend(prepared, requests),
	redirect: (prepared, number) => redirectSend(prepared, number),
	lookUp: lookUpUnknown,
	howToFindOut,
});

/**
 * @returns undefined where the option was not added
 * @throws InputError for a key that is missing: the message could be sent twice
 */
function readOnceKey(options: Options): string | undefined {
	const value = readOption(options, 'onceKey', 'Once Key');
	if (value === undefined) return undefined;
	const key = requireText(value, 'Once Key').trim();
	if (key !== '') return key;
	throw new InputError(
		"'Once Key' is empty for this item",
		'Each item needs a key of its own. Check the expression, or remove the option.',
	);
}
