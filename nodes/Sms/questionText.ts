import type { Item } from '../shared/fields/item';
import { readMessageText } from '../shared/fields/messageFields';
import { requireTrimmed, startOf } from '../shared/service/InputError';
import { readMessage, type Message } from './message';
import { plain } from './question';

const LINK = '{link}';
const MOST_SEGMENTS = 5;
/** Characters of the longest message of so many segments. */
const MOST_CHARACTERS = MOST_SEGMENTS * 153;

/**
 * The message as it is sent, with its link and shortened to 5 segments, and the whole text for the page.
 *
 * @throws InputError
 */
export function readAsked(item: Item, link: string): { message: Message; text: string } {
	const typed = plain('toolParameters' in item.json ? reviewText(item) : readMessageText(item));
	const advice = 'Write a question for the recipient. Each {{ needs its }}.';
	const text = requireTrimmed(typed.replaceAll(LINK, ''), 'Message', advice);
	// The text is the same at a retry, whose link is another one.
	const read = (message: string) =>
		readMessage(item, { message, content: text, canWait: false, isSecret: true });
	const shortened = (most: number) => `${startOf(text, most).trimEnd()}... ${link}`;
	const whole = withLink(typed, link);
	let most = MOST_CHARACTERS - link.length;
	let message = read(whole.length > MOST_CHARACTERS ? shortened(most) : whole);
	while (message.segments > MOST_SEGMENTS && most > 0) message = read(shortened((most -= 10)));
	return { message, text };
}

/** Puts a space where a phone would take a neighbor for a part of the link. */
function withLink(typed: string, link: string): string {
	if (!typed.includes(LINK)) return `${typed.trimEnd()} ${link}`;
	return typed
		.replace(/(?<=[\p{L}\p{N}])\{link\}/gu, ` ${LINK}`)
		.replace(/\{link\}(?![.,;:!?)"'»]*(?:\s|$))/gu, `${LINK} `)
		.replaceAll(LINK, () => link);
}

/**
 * The review of a tool call. Its values come from an agent, which must not be able to write lines or links of its own:
 * each is one line, in quotes. It is read in parts, because n8n's own expression would mix values and text.
 */
function reviewText(item: Item): string {
	return item
		.parts('message')
		.map((part) => (typeof part === 'string' ? part : describeValue(part.value())))
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

/** Line breaks that JSON leaves as they are, the place of a link, and a text that is refused as a mistake. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]|\{(?=\{|link\})/g;

function quote(value: unknown): string {
	return JSON.stringify(value).replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
