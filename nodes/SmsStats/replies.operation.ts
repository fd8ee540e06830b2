import type { INodeProperties } from 'n8n-workflow';
import { refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { numberField } from '../shared/fields/number';
import { defineGetMany } from '../shared/getMany';
import { asId, isMissing } from '../shared/service/answers';
import { readOption } from '../shared/service/choices';
import { InputError, show } from '../shared/service/InputError';
import { canonicalNumber, withNumber } from '../shared/service/number';
import { readReply, REPLIES, repliesIn, toReply, type RawReply } from '../shared/service/replies';
import { categoryField, nothingIn, readCategory } from './category';

const fromNumber: INodeProperties = {
	displayName: 'From Number',
	name: 'fromNumber',
	type: 'string',
	default: '',
	placeholder: numberField.placeholder,
	description: 'Return only replies from this phone number, in national or international format',
};

const receivedAfter: INodeProperties = {
	displayName: 'Replies Already Seen',
	name: 'receivedAfter',
	type: 'string',
	default: '',
	placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4c, 5ea1b2c3d4e5f60718293a4d',
	description:
		'IDs of the replies that you already have, separated by commas or as a list. They are left out of the results.',
};

/** Replies to a category (interface document 2.9, 4.4). */
export const replies = defineGetMany({
	name: 'Get Category Replies',
	value: 'replies',
	action: 'Get category replies',
	description:
		'Retrieve the replies to the messages of a category. The service returns them in no particular order.',
	builderHint:
		'Use to read what people answered to the messages of one category, for example a reminder. To start a workflow on each new reply, use SMS Trigger.',
	fields: [categoryField],
	options: [fromNumber, receivedAfter],
	request: REPLIES,
	prepare(item) {
		const category = readCategory(item);
		return {
			subject: category,
			at: { qs: { category } },
			from: readFromNumber(item),
			seen: readReceivedAfter(item),
		};
	},
	readRecord: readReply,
	recordsIn: repliesIn,
	wanted: ({ id, identifier }: RawReply, { from, seen }) =>
		!seen.has(asId(id) ?? '') &&
		(from === undefined || canonicalNumber(asId(identifier) ?? '') === from),
	whenNothing: ({ subject }) => nothingIn(subject, 'There are no replies in'),
	toJson:
		({ subject }) =>
		(reply) => ({ ...withNumber(toReply(reply)), category: subject }),
});

/** @throws InputError also when it is empty: that would be everybody's replies */
function readFromNumber(item: Item): string | undefined {
	const field = 'From Number';
	const orElse = `Where there is none, remove '${field}': all replies are returned then.`;
	const typed = readOption(item.options, 'fromNumber', field, orElse);
	return typed === undefined
		? undefined
		: canonicalNumber(item.number({ typed, field, anyCountry: true }));
}

/**
 * The IDs of replies that are known. A list may have gaps: where n8n's *Always Output Data* has put an item
 * without fields in the place of no replies, it holds nothing but one.
 *
 * @throws InputError for what is neither IDs nor nothing
 */
function readReceivedAfter(item: Item): ReadonlySet<string> {
	const field = 'Replies Already Seen';
	const value = readOption(item.options, 'receivedAfter', field) ?? [];
	if (typeof value === 'string') refuseNoValue(item, 'options.receivedAfter', value, field);
	const given: unknown[] = Array.isArray(value) ? value : [value];
	return new Set(given.filter((one) => !isMissing(one)).flatMap((one) => idsOf(one, field)));
}

function idsOf(value: unknown, field: string): string[] {
	const text = asId(value);
	if (text !== undefined) return text.split(/[\s,]+/).filter((id) => id !== '');
	throw new InputError(
		`'${field}' contains ${show(value)}, which is not the ID of a reply`,
		"Enter the IDs from the field id of an earlier look, separated by commas, or a list of them, such as {{ $('First Look').all().map(item => item.json.id) }}, with the name of its node.",
	);
}
