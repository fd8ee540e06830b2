import type { Item } from '../shared/fields/item';
import { requireTrimmed, startOf } from '../shared/service/InputError';
import { requireMessage } from '../shared/service/message';
import type { Message } from './message';
import { plain } from './question';

/** Stands in a text for the link. It is removed from everything that is typed, so that no value can place a link. */
const LINK = '\0';
const MOST_SEGMENTS = 5;
/** Characters of the longest message of so many segments. */
const MOST_CHARACTERS = MOST_SEGMENTS * 153;

/**
 * The message, and the same with a mark for its link. The values in the review of a tool call come from an agent, which
 * must not be able to write lines or links of its own: each is one line, in quotes.
 *
 * @throws InputError
 */
export function readQuestionText(item: Item): { marked: string; text: string } {
	const marked = plain(
		'toolParameters' in item.json
			? reviewText(item)
			: markLink(requireMessage(item.parameter('message'))),
	);
	const advice = 'Write a question for the recipient. Each {{ needs its }}.';
	return { marked, text: requireTrimmed(marked.replaceAll(LINK, ''), 'Message', advice) };
}

function markLink(text: string): string {
	return text.replaceAll(LINK, '').replaceAll('{link}', LINK);
}

/** Read in parts: n8n's own expression would mix values and text. */
function reviewText(item: Item): string {
	return item
		.parts('message')
		.map((part) => (typeof part === 'string' ? markLink(part) : describeValue(part.value())))
		.join('');
}

/** A line for each field of an object. */
function describeValue(given: unknown): string {
	// A date is an object, too, until it is JSON.
	const value: unknown = JSON.parse(JSON.stringify(given) ?? '""');
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return quote(value);
	return Object.entries(value)
		.map(([name, one]) => `${/^[\w-]+$/.test(name) ? name : quote(name)}: ${quote(one)}`)
		.join('\n');
}

/** Line breaks that JSON leaves as they are, and two texts that are refused as mistakes in a message. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]|\{(?=\{)|\[(?=object Object\])/g;

function quote(value: unknown): string {
	return JSON.stringify(value).replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** Without a space, a phone takes a neighbour for a part of the link. */
const GLUED_BEFORE = /(?<=[\p{L}\p{N}])\0/gu;
const GLUED_AFTER = /\0(?![.,;:!?)"'»]*(?:\s|$))/gu;

function withLink(marked: string, link: string): string {
	if (!marked.includes(LINK)) return `${marked.trimEnd()} ${link}`;
	return marked
		.replace(GLUED_BEFORE, ` ${LINK}`)
		.replace(GLUED_AFTER, `${LINK} `)
		.replaceAll(LINK, () => link);
}

/**
 * The message as it is sent: with its link, and shortened to 5 segments, because the page has all of it.
 *
 * @param read reads and counts a message
 */
export function fitMessage(
	{ marked, text }: { marked: string; text: string },
	link: string,
	read: (message: string) => Message,
): Message {
	const shortened = (most: number) => `${startOf(text, most).trimEnd()}... ${link}`;
	const whole = withLink(marked, link);
	let most = MOST_CHARACTERS - link.length;
	let message = read(whole.length > MOST_CHARACTERS ? shortened(most) : whole);
	while (message.segments > MOST_SEGMENTS && most > 0) message = read(shortened((most -= 10)));
	return message;
}
