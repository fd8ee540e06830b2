import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readChoice, readOption, type Options } from '../shared/service/choices';
import { InputError, requireText, show } from '../shared/service/InputError';
import { optionalText } from './message';

export type Language = 'en' | 'fr';

/** The question on the page behind the link. Kept with the waiting execution. */
export type Question = {
	/** The message, without its link. */
	text: string;
	/** Name of the company or, without it, the sender. */
	from?: string;
	/** Undefined: the language of the recipient's phone. */
	language?: Language;
} & (
	| { type: 'approval'; canDecline: boolean; approveLabel: string; declineLabel: string }
	| { type: 'choice'; choices: string[] }
	| { type: 'freeText' }
);

/** The result of an answer: `data`, as n8n's own nodes have it. */
export type Answer =
	| { data: { approved: boolean } | { choice: string } | { text: string } }
	| { problem: 'nothing' | 'tooLong' | 'unknownChoice' };

/** Characters of a free text. */
export const LONGEST_ANSWER = 1_000;
const MOST_CHOICES = 30;
const LONGEST_LABEL = 100;
const LONGEST_NAME = 60;
/** The field, as errors name it. */
export const PAGE_LANGUAGE = 'Page Language';
/** Stands in a message where the link is to be. */
export const LINK = '{link}';

/**
 * The message as it was typed. Before the tool of an agent, n8n's own default message is "The agent wants to
 * run this tool: …", with the tool's input written as [object Object]: here it can be read.
 *
 * @throws InputError
 */
export function readMessageText(item: Item): string {
	const message = requireText(item.parameter('message'), 'Message');
	const { toolParameters } = item.json;
	if (typeof toolParameters !== 'object' || toolParameters === null) return message;
	return message.replaceAll('[object Object]', () => listed(toolParameters));
}

/** A line for each of them. */
function listed(fields: object): string {
	return Object.entries(fields)
		.map(
			([name, value]) =>
				`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
		)
		.join('\n');
}

/**
 * @param message as it was typed
 * @throws InputError
 */
export function readQuestion(message: string, item: Item): Question {
	const text = message.replaceAll(LINK, '').trim();
	if (text === '') {
		throw new InputError("'Message' is empty", 'Write a question for the recipient.');
	}
	const language = readChoice(
		item.parameter('language', 'auto') ?? 'auto',
		['auto', 'en', 'fr'],
		PAGE_LANGUAGE,
	);
	const from = readCompany(item.options) ?? optionalText(item.options, 'sender', 'Sender');
	const about = {
		text,
		...(from === undefined ? {} : { from }),
		...(language === 'auto' ? {} : { language }),
	};
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

/** @returns an empty text for a label in the language of the page */
function readLabel(value: unknown, field: string): string {
	return short(requireText(value ?? '', field).trim(), field);
}

/** One choice in each line, or a list from an expression. */
function readChoices(value: unknown): string[] {
	const field = 'Choices';
	const lines: unknown[] = Array.isArray(value)
		? (value as unknown[])
		: withLineFeeds(requireText(value, field)).split('\n');
	const choices = lines
		.map((choice) => short(withLineFeeds(requireText(choice, field)).trim(), field))
		.filter((choice) => choice !== '');
	if (choices.length === 0) {
		throw new InputError("'Choices' is empty", 'Write one choice per line.');
	}
	if (choices.length > MOST_CHOICES) {
		throw new InputError(
			`'Choices' has ${choices.length} choices`,
			`The page can show up to ${MOST_CHOICES}. Remove some.`,
		);
	}
	const twice = choices.find((choice, index) => choices.indexOf(choice) !== index);
	if (twice === undefined) return choices;
	throw new InputError(
		`'Choices' has ${show(twice)} twice`,
		'Choices must differ, because the answer is the text of the choice.',
	);
}

/** The page has no room for more. */
function short(text: string, field: string, longest = LONGEST_LABEL): string {
	if (text.length <= longest) return text;
	throw new InputError(
		`'${field}' has a text of ${text.length} characters: ${show(text)}`,
		`Shorten it to ${longest} or less.`,
	);
}

/** Characters that a phone would take for a part of the link. */
const GLUED_BEFORE = /(?<=[\p{L}\p{N}])\{link\}/gu;
const GLUED_AFTER = /\{link\}(?![.,;:!?)"'»]*(?:\s|$))/gu;

/**
 * The message as it is sent: with the link where `{link}` stands, or at its end. Between the link and
 * what is written right beside it, a space keeps the link whole.
 */
export function withLink(message: string, link: string): string {
	if (!message.includes(LINK)) return `${message.trimEnd()} ${link}`;
	return message
		.replace(GLUED_BEFORE, ` ${LINK}`)
		.replace(GLUED_AFTER, `${LINK} `)
		.replaceAll(LINK, () => link);
}

/**
 * Checks a posted answer: only what the page offers is an answer.
 *
 * @param posted whatever came, of any shape
 */
export function judgeAnswer(question: Question, posted: unknown): Answer {
	const { answer } = (posted ?? {}) as { answer?: unknown };
	const text = typeof answer === 'string' ? withLineFeeds(answer).trim() : '';
	if (text === '') return { problem: 'nothing' };
	switch (question.type) {
		case 'approval':
			if (text === 'approve') return { data: { approved: true } };
			return text === 'decline' && question.canDecline
				? { data: { approved: false } }
				: { problem: 'unknownChoice' };
		case 'choice':
			return question.choices.includes(text)
				? { data: { choice: text } }
				: { problem: 'unknownChoice' };
		case 'freeText':
			return text.length <= LONGEST_ANSWER ? { data: { text } } : { problem: 'tooLong' };
	}
}

/** Forms post each line break as two characters, whatever it was in the page. */
function withLineFeeds(text: string): string {
	return text.replace(/\r\n?/g, '\n');
}

/** The result where no answer came: no approval, above all. */
export function noAnswer({ type }: Question): IDataObject {
	if (type === 'approval') return { approved: false };
	return type === 'choice' ? { choice: null } : { text: null };
}

/** @throws InputError */
function readCompany(options: Options): string | undefined {
	const field = 'Company Name';
	const name = optionalText(options, 'companyName', field);
	return name && short(name, field, LONGEST_NAME);
}
