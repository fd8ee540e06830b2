import type { INodeProperties } from 'n8n-workflow';
import { refuseEmptyKey } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import type { Client } from '../shared/run/client';
import type { End, OpenEntry, Prepared } from '../shared/run/operation';
import { invalid } from '../shared/run/outcome';
import { readOption } from '../shared/service/choices';
import { InputError, requireTrimmed, show } from '../shared/service/InputError';

const ONCE_KEY = 'Once Key';
const NO_KEY = "Each item needs its own key. If you have none, remove 'Once Key'.";

export const onceKey: INodeProperties = {
	displayName: ONCE_KEY,
	name: 'onceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'ID of what the message is about, such as an order ID. A message is skipped if this node has sent one with the same key before, also in an earlier execution. The last 50,000 keys are kept.',
};

/**
 * @returns undefined where the option was not added
 * @throws InputError for a key that is missing or made of nothing, or that holds half of a character, which n8n would
 *   store as another key: the message could be sent twice
 */
export function readOnceKey(item: Item): string | undefined {
	const value = readOption(item.options, 'onceKey', ONCE_KEY, NO_KEY);
	if (value === undefined) return undefined;
	const key = requireTrimmed(
		value,
		ONCE_KEY,
		item.varies('onceKey') ? `Check its expression. ${NO_KEY}` : NO_KEY,
	);
	refuseEmptyKey(item, 'safeguards.onceKey', key, ONCE_KEY, NO_KEY);
	return key;
}

/** Refuses a typed key, which is the same in each execution, and warns of one that an expression gives all items. */
export function checkKeys(
	entries: ReadonlyArray<OpenEntry<Prepared & { recipient: string }>>,
	client: Client,
	end: End,
): void {
	const [{ item, prepared: first }] = entries;
	const isOne = entries.every(({ prepared }) => prepared.onceKey === first.onceKey);
	const isToOne = entries.every(({ prepared }) => prepared.recipient === first.recipient);
	if (first.onceKey === undefined) return;
	const key = `'${ONCE_KEY}' is ${show(first.onceKey)}`;
	if (item.varies('onceKey')) {
		if (isOne && !isToOne)
			client.warn(
				`${key} for all items, so only the first recipient gets a message. To send to the others, run the skipped items only, each with its own key, such as {{ $json.orderId }}: with another key, the first one would get it again.`,
			);
		return;
	}
	const refusal = invalid(
		new InputError(
			`${key} in each execution, so only the first message would ever be sent`,
			'Use an expression that gives each item its own key, such as {{ $json.orderId }}.',
		),
	);
	for (const entry of entries) end(entry, refusal);
}
