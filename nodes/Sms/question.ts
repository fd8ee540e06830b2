import { jsonParse, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readChoice, readOption, type Options } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';
import { optionalText } from './message';

/** Shown to the recipient on the page behind the link. Kept with the waiting execution. */
export interface Question {
	/** The message, without its link. */
	text: string;
	/** Name of the company or, without one, the sender. Can be empty. */
	from: string;
	type: 'approval' | 'choice' | 'freeText';
	/** For an approval or a choice: what each button posts, and its label. An empty label is the page's own. */
	buttons: Array<{ value: string; label: string }>;
}

/** Characters of a free text. */
export const LONGEST_ANSWER = 1_000;

/**
 * @param text the message without its link
 * @throws InputError
 */
export function readQuestion(text: string, item: Item): Question {
	const { options } = item;
	const company = optionalText(options, 'companyName', 'Company Name');
	const from = plain(company ?? optionalText(options, 'sender', 'Sender') ?? '');
	const type = readChoice(
		item.parameter('responseType', 'approval'),
		['approval', 'choice', 'freeText'],
		'Response Type',
	);
	return { text, from, type, buttons: readButtons(type, item) };
}

function readButtons(type: Question['type'], item: Item): Question['buttons'] {
	if (type === 'freeText') return [];
	if (type === 'choice') {
		return readChoices(item.parameter('choices')).map((value) => ({ value, label: value }));
	}
	const group = item.parameter('approvalOptions', {}) as { values?: Options } | undefined;
	const values = group?.values ?? {};
	const approval = readChoice(
		readOption(values, 'approvalType', 'Type of Approval') ?? 'single',
		['single', 'double'],
		'Type of Approval',
	);
	const approve = readLabel(values.approveLabel, 'Approve Button Label');
	const decline = readLabel(values.disapproveLabel, 'Disapprove Button Label');
	return [
		{ value: 'approve', label: approve },
		...(approval === 'double' ? [{ value: 'decline', label: decline }] : []),
	];
}

/** One choice in each line, a list from an expression, or one line with a comma between the choices. */
function readChoices(given: unknown): string[] {
	// A model writes a list as JSON.
	const isJson = typeof given === 'string' && given.trim().startsWith('[');
	const value = isJson ? jsonParse<unknown>(given, { fallbackValue: given }) : given;
	const list = Array.isArray(value)
		? (value as unknown[])
		: splitChoices(requireText(value, 'Choices').trim());
	const choices = list
		.map((choice) => readLabel(choice, 'Choices'))
		.filter((choice) => choice !== '');
	if (choices.length > 0) return [...new Set(choices)];
	throw new InputError("'Choices' is empty", 'Write one choice per line.');
}

function splitChoices(text: string): string[] {
	return text.split(/[\r\n]/.test(text) ? /[\r\n]+/ : /[,;|]/);
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
 * @returns the answer under the names of n8n's own nodes; undefined for anything that the page doesn't offer
 */
export function readAnswer({ type, buttons }: Question, posted: unknown): IDataObject | undefined {
	const { answer } = (posted ?? {}) as { answer?: unknown };
	const text = typeof answer === 'string' ? answer.replace(/\r\n?/g, '\n').trim() : '';
	if (type === 'freeText') {
		return text !== '' && text.length <= LONGEST_ANSWER ? { text } : undefined;
	}
	if (!buttons.some(({ value }) => value === text)) return undefined;
	return type === 'approval' ? { approved: text === 'approve' } : { choice: text };
}

/** Stands in the place of an answer when none came: no approval, above all. */
export const NO_ANSWER: Readonly<Record<Question['type'], IDataObject>> = {
	approval: { approved: false },
	choice: { choice: null },
	freeText: { text: null },
};
