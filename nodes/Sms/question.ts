import { jsonParse, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readChoice, readOption, type Options } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';

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
 * @param from who asks
 * @throws InputError
 */
export function readQuestion(item: Item, text: string, from = ''): Question {
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
	const buttons = [
		{ value: 'approve', label: readLabel(values.approveLabel, 'Approve Button Label') },
		{ value: 'decline', label: readLabel(values.disapproveLabel, 'Disapprove Button Label') },
	];
	return approval === 'double' ? buttons : buttons.slice(0, 1);
}

/** One choice in each line, a list from an expression, or one line with a comma between the choices. */
function readChoices(given: unknown): string[] {
	// A model writes a list as JSON.
	const isJson = typeof given === 'string' && given.trim().startsWith('[');
	const value = isJson ? jsonParse<unknown>(given, { fallbackValue: given }) : given;
	const list: unknown[] = Array.isArray(value) ? value : split(requireText(value, 'Choices'));
	const choices = list
		.map((choice) => readLabel(choice, 'Choices'))
		.filter((choice) => choice !== '');
	if (choices.length > 0) return [...new Set(choices)];
	throw new InputError("'Choices' is empty", 'Write one choice per line.');
}

function split(text: string): string[] {
	return text.trim().split(/[\r\n]/.test(text.trim()) ? /[\r\n]+/ : /[,;|]/);
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
