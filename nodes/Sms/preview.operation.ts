import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { unsupportedCharacters } from '../shared/fields/message';
import { emptyFields } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { asSentence } from '../shared/run/messages';
import type { Prepared } from '../shared/run/operation';
import type { Replacement } from '../shared/service/characters';
import { countOf } from '../shared/service/countOf';
import { prepareMessage, replacedIn, writeMessage } from '../shared/service/message';
import type { InputError } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { countSegments } from '../shared/service/segments';
import { STOP_MENTION, withStopMention } from '../shared/service/stopMention';
import { readText } from './message';
import { messageField, messageTypeField, senderField } from './fields';
import { notesOn, warningsOf, type Warning } from './warnings';

const previewedNumberField: INodeProperties = {
	...numberField,
	required: false,
	description:
		'Mobile number of the recipient, which the result repeats. Leave empty to check only the text.',
};

/** Shows a message without sending it. */
export const preview = defineOperation<Previewed>({
	name: 'Preview SMS',
	value: 'preview',
	action: 'Preview SMS',
	description: 'Check a message and count its segments without sending it',
	builderHint:
		'Use to see how many segments a text takes and which characters are refused, before it costs anything. It makes no request.',
	verb: 'previewed',
	fields: [
		messageTypeField,
		previewedNumberField,
		messageField,
		senderField,
		...settingsFields({ options: [unsupportedCharacters] }),
	],
	prepare(item) {
		const { type, unsupported, sender, typed } = readText(item);
		const { text, replacements, refused } = writeMessage(typed, type, unsupported);
		const { number, problem } = readRecipient(item);
		const counted = withStopMention(text, { type, sender, number });
		const { segments, unitsLeft, encoding, characters } = countSegments(counted);
		return {
			replacements,
			warnings: warningsOf(typed, segments, emptyFields(item, 'message', typed)),
			extra: {
				accepted: problem === undefined && text.trim() !== '' && refused.length === 0,
				...(number === undefined ? {} : { number }),
				message: text,
				segments,
				charactersLeft: unitsLeft,
				encoding,
				characters,
				...replacedIn(replacements),
				...(sender === undefined ? {} : { sender }),
				...(counted === text ? {} : { note: stopNote(number) }),
				...textProblem(typed, type, unsupported),
				...(refused.length === 0 ? {} : { refusedCharacters: refused }),
				...problem,
			},
		};
	},
	noteOn(_, previews, warn) {
		const notes = notesOn(previews, warn);
		const reasons = previews.flatMap(({ extra: { reason } }) => (reason as string) ?? []);
		for (const reason of [...new Set(reasons)].slice(0, MOST_REASONS)) warn(reason);
		return [describe(previews.map(({ extra }) => extra)), ...notes];
	},
	execute: () => ({}),
});

/** Reasons of refusals that are named. */
const MOST_REASONS = 3;

interface Previewed extends Prepared {
	/** Its first fields are what a user looks for; the others say why. */
	extra: IDataObject & { accepted: boolean; segments: number };
	replacements: readonly Replacement[];
	warnings: readonly Warning[];
}

/** The number, or what is wrong with it: the others are looked at all the same. */
function readRecipient(item: Item): { number?: string; problem?: IDataObject } {
	const typed = item.parameter('number', '') as string;
	if (typed === '') return {};
	try {
		return { number: canonicalNumber(item.number({ fixedLines: 'refuse', anyCountry: true })) };
	} catch (error) {
		return { problem: { number: typed, ...reasonOf(error) } };
	}
}

/** Why a send would refuse the text. */
function textProblem(...text: Parameters<typeof prepareMessage>): IDataObject {
	try {
		prepareMessage(...text);
		return {};
	} catch (error) {
		return reasonOf(error);
	}
}

function reasonOf(error: unknown): IDataObject {
	const { message, description = '' } = error as InputError;
	return { reason: `${asSentence(message)} ${description}`.trim() };
}

function stopNote(number: string | undefined): string {
	const where = number === undefined ? 'when the number is French' : 'to a French number';
	return `Counted with ${STOP_MENTION}, which the service adds to a marketing message with a sender ${where}.`;
}

/** A line above the results: how many messages and segments. */
function describe(previews: ReadonlyArray<Previewed['extra']>): string {
	const accepted = previews.filter((preview) => preview.accepted);
	const refused = previews.length - accepted.length;
	const total = accepted.reduce((sum, { segments }) => sum + segments, 0);
	const size = `${countOf(accepted.length, 'message')}, ${countOf(total, 'segment')}.`;
	return refused === 0 ? size : `${size} ${countOf(refused, 'message')} would be refused.`;
}
