import { jsonParse, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { readChoice, type Options } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';

const responseType: INodeProperties = {
	displayName: 'Response Type',
	name: 'responseType',
	type: 'options',
	options: [
		{
			name: 'Approval',
			value: 'approval',
			description: 'The recipient presses a button to approve, or to decline if you allow it',
		},
		{ name: 'Choice', value: 'choice', description: 'The recipient chooses from a list' },
		{ name: 'Free Text', value: 'freeText', description: 'The recipient writes an answer' },
	],
	default: 'approval',
	description: 'How the recipient can answer',
};

const approvalType: INodeProperties = {
	displayName: 'Type of Approval',
	name: 'approvalType',
	type: 'options',
	options: [
		{ name: 'Approve Only', value: 'single' },
		{ name: 'Approve and Disapprove', value: 'double' },
	],
	default: 'single',
	description: 'Whether there is only a button to approve, or also one to decline',
};

const approveLabel: INodeProperties = {
	displayName: 'Approve Button Label',
	name: 'approveLabel',
	type: 'string',
	default: '',
	placeholder: 'e.g. Approve',
	description: 'Leave empty to use the default label in the language of the page',
};

const disapproveLabel: INodeProperties = {
	...approveLabel,
	displayName: 'Disapprove Button Label',
	name: 'disapproveLabel',
	placeholder: 'e.g. Decline',
	displayOptions: { show: { approvalType: ['double'] } },
};

const approvalOptions: INodeProperties = {
	displayName: 'Approval Options',
	name: 'approvalOptions',
	type: 'fixedCollection',
	placeholder: 'Add option',
	default: {},
	displayOptions: { show: { responseType: ['approval'] } },
	description: 'Which buttons the recipient sees',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [approvalType, approveLabel, disapproveLabel],
		},
	],
};

const choicesField: INodeProperties = {
	displayName: 'Choices',
	name: 'choices',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Monday',
	displayOptions: { show: { responseType: ['choice'] } },
	description:
		'One choice per line, one line with commas between the choices, or a list from an expression',
};

/** How the recipient can answer. */
export const responseFields = [responseType, approvalOptions, choicesField];

/** Shown to the recipient on the page behind the link. Kept with the waiting execution. */
export interface Question {
	/** The message, without its link. */
	text: string;
	/** Name of the company, else the sender, else the host of the link. */
	from: string;
	type: 'approval' | 'choice' | 'freeText';
	/** For an approval or a choice: what each button posts, and its label. An empty label is the page's own. */
	buttons: Array<{ value: string; label: string }>;
}

/** Characters of a free text. */
export const LONGEST_ANSWER = 1_000;

/** @throws InputError */
export function readResponse(item: Item): Pick<Question, 'type' | 'buttons'> {
	const types = ['approval', 'choice', 'freeText'] as const;
	const type = readChoice(item.parameter('responseType'), types, 'Response Type');
	if (type === 'freeText') return { type, buttons: [] };
	if (type === 'approval') return { type, buttons: readApproval(item) };
	const choices = readChoices(item);
	return { type, buttons: choices.map((choice) => ({ value: choice, label: choice })) };
}

function readApproval(item: Item): Question['buttons'] {
	const group = item.parameter('approvalOptions') as { values?: Options } | undefined;
	const values: Options = { approvalType: 'single', ...group?.values };
	const approval = readChoice(values.approvalType, ['single', 'double'], 'Type of Approval');
	const buttons = [
		{ value: 'approve', field: approveLabel },
		{ value: 'decline', field: disapproveLabel },
	].map(({ value, field: { name, displayName } }) => {
		const label = readLabel(values[name], displayName);
		refuseNoValue(item, `approvalOptions.values.${name}`, label, displayName);
		return { value, label };
	});
	return approval === 'double' ? buttons : buttons.slice(0, 1);
}

/** One choice in each line, a list from an expression, or one line with a comma between the choices. */
function readChoices(item: Item): string[] {
	const given = item.parameter('choices');
	// A model writes a list as JSON.
	const isJson = typeof given === 'string' && given.trim().startsWith('[');
	const value = isJson ? jsonParse<unknown>(given, { fallbackValue: given }) : given;
	const list: unknown[] = Array.isArray(value) ? value : split(readLabel(value, 'Choices'));
	const choices = list.map((choice) => readLabel(choice, 'Choices')).filter(Boolean);
	refuseNoValue(item, 'choices', choices.join('\n'), 'Choices');
	if (choices.length > 0) return [...new Set(choices)];
	throw new InputError("'Choices' is empty", 'Write one choice per line.');
}

/** A comma may be a part of a choice where something else separates them. */
function split(text: string): string[] {
	const separator = ['\n', '|', ';'].find((one) => text.includes(one)) ?? ',';
	return text.split(separator);
}

/** @returns an empty text for a label that isn't there */
function readLabel(value: unknown, field: string): string {
	return plain(requireText(value ?? '', field)).trim();
}

/** The text with the line breaks that a form posts, and without characters that turn the rest of a line around. */
export function plain(text: string): string {
	return text.replace(/\r\n?/g, '\n').replace(/\p{Bidi_Control}/gu, '');
}

/**
 * @param posted any value, of any shape
 * @returns undefined for anything that the page doesn't offer
 */
export function readAnswer({ type, buttons }: Question, posted: unknown): IDataObject | undefined {
	const { answer } = (posted ?? {}) as { answer?: unknown };
	const text = typeof answer === 'string' ? plain(answer).trim() : '';
	const isOffered =
		type === 'freeText'
			? text !== '' && text.length <= LONGEST_ANSWER
			: buttons.some(({ value }) => value === text);
	return isOffered ? dataOf(type, text) : undefined;
}

/**
 * The answer under the names of n8n's own nodes.
 *
 * @param answer null where none came: that is no approval, above all
 */
export function dataOf(type: Question['type'], answer: string | null): IDataObject {
	if (type === 'approval') return { approved: answer === 'approve' };
	return type === 'choice' ? { choice: answer } : { text: answer };
}
