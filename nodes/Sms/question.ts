import { jsonParse, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readChoice, readOption, type Options } from '../shared/service/choices';
import { InputError, requireText } from '../shared/service/InputError';
import { optionalText } from './message';

/** Shown to the recipient on the page behind the link. Kept with the waiting execution. */
export type Question = {
	/** The message, without its link. */
	text: string;
	/** Name of the company or, without one, the sender. */
	from?: string;
} & (
	| { type: 'approval'; canDecline: boolean; approveLabel: string; declineLabel: string }
	| { type: 'choice'; choices: string[] }
	| { type: 'freeText' }
);

/** Characters of a free text. */
export const LONGEST_ANSWER = 1_000;

/**
 * @param text the message without its link
 * @throws InputError
 */
export function readQuestion(text: string, item: Item): Question {
	const { options } = item;
	const from =
		optionalText(options, 'companyName', 'Company Name') ??
		optionalText(options, 'sender', 'Sender');
	const about = { text, ...(from === undefined ? {} : { from: plain(from) }) };
	const type = readChoice(
		item.parameter('responseType', 'approval'),
		['approval', 'choice', 'freeText'],
		'Response Type',
	);
	if (type === 'freeText') return { ...about, type };
	if (type === 'choice')
		return { ...about, type, choices: readChoices(item.parameter('choices')) };
	const group = item.parameter('approvalOptions', {}) as { values?: Options } | undefined;
	const values = group?.values ?? {};
	const approval = readChoice(
		readOption(values, 'approvalType', 'Type of Approval') ?? 'single',
		['single', 'double'],
		'Type of Approval',
	);
	return {
		...about,
		type,
		canDecline: approval === 'double',
		approveLabel: readLabel(values.approveLabel, 'Approve Button Label'),
		declineLabel: readLabel(values.disapproveLabel, 'Disapprove Button Label'),
	};
}

/** One choice in each line, a list from an expression, or one line with a comma between the choices. */
function readChoices(given: unknown): string[] {
	// A model writes a list as JSON.
	const isJson = typeof given === 'string' && given.trim().startsWith('[');
	const value = isJson ? jsonParse<unknown>(given, { fallbackValue: given }) : given;
	const lines = Array.isArray(value)
		? (value as unknown[])
		: requireText(value, 'Choices')
				.trim()
				.split(/[\r\n]+/);
	const isOneLine = !Array.isArray(value) && lines.length === 1;
	const choices = (isOneLine ? String(value).split(/[,;|]/) : lines)
		.map((choice) => readLabel(choice, 'Choices'))
		.filter((choice) => choice !== '');
	if (choices.length > 0) return [...new Set(choices)];
	throw new InputError("'Choices' is empty", 'Write one choice per line.');
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
export function readAnswer(question: Question, posted: unknown): IDataObject | undefined {
	const { answer } = (posted ?? {}) as { answer?: unknown };
	const text = typeof answer === 'string' ? answer.replace(/\r\n?/g, '\n').trim() : '';
	switch (question.type) {
		case 'approval':
			if (text === 'approve') return { approved: true };
			return text === 'decline' && question.canDecline ? { approved: false } : undefined;
		case 'choice':
			return question.choices.includes(text) ? { choice: text } : undefined;
		case 'freeText':
			return text !== '' && text.length <= LONGEST_ANSWER ? { text } : undefined;
	}
}

/** Stands in the place of an answer when none came: no approval, above all. */
export function noAnswer({ type }: Question): IDataObject {
	if (type === 'approval') return { approved: false };
	return type === 'choice' ? { choice: null } : { text: null };
}
