import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	messageField,
	messageTypeField,
	senderField,
	unsupportedCharacters,
} from '../shared/fields/messageFields';
import type { Item } from '../shared/fields/item';
import { numberField } from '../shared/fields/number';
import { defineOperation } from '../shared/run/define';
import { asSentence, linesOf } from '../shared/run/report';
import type { Prepared } from '../shared/run/operation';
import { allCountries } from '../shared/service/allowedCountries';
import type { Replacement } from '../shared/service/characters';
import { countOf, rowOf } from '../shared/service/countOf';
import {
	prepareMessage,
	replacedIn,
	requireAccepted,
	writeMessage,
} from '../shared/service/messageText';
import type { InputError } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { countSegments } from '../shared/service/segments';
import { STOP_MENTION, withStopMention } from '../shared/service/stopMention';
import { readText } from './message';
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
	kind: 'read',
	isLocal: true,
	fields: [messageTypeField, previewedNumberField, messageField, senderField],
	options: [unsupportedCharacters],
	prepare(item) {
		const { type, unsupported, sender, typed } = readText(item);
		const { text, replacements, refused } = writeMessage(typed, type, unsupported);
		const recipient = readRecipient(item);
		const textProblem = problemOf(() => {
			prepareMessage(typed, type, unsupported);
			// A send keeps them if the user says so, and the service refuses it.
			requireAccepted({ text, refused }, type, 'reject');
		});
		const problems = [recipient.problem, textProblem].flatMap((problem) => problem ?? []);
		const counted = withStopMention(text, { type, sender, number: recipient.valid });
		const { segments, unitsLeft, encoding, characters } = countSegments(counted);
		return {
			index: item.index,
			recipient: recipient.valid,
			replacements,
			warnings: warningsOf({ typed, segments, item, number: recipient.valid }),
			shown: {
				accepted: problems.length === 0,
				...(recipient.number === undefined ? {} : { number: recipient.number }),
				...(problems.length === 0 ? {} : { reason: problems.join(' ') }),
				segments,
				message: text,
				charactersLeft: unitsLeft,
				encoding,
				characters,
				...replacedIn(replacements),
				...(sender === undefined ? {} : { sender }),
				...(counted === text ? {} : { note: stopNote(recipient.valid) }),
				...(refused.length === 0 ? {} : { refusedCharacters: refused }),
			},
		};
	},
	words: {
		verb: 'previewed',
		summaryOf: (previews) => describe(previews as unknown as Shown[]),
		noteOn(previews, warn) {
			const reasons = previews.flatMap(
				({ index, shown: { number = rowOf(index), reason } }) =>
					reason === undefined ? [] : [{ of: number, text: asSentence(reason) }],
			);
			for (const line of linesOf(reasons, previews.length)) warn(line);
			return notesOn(previews, warn);
		},
	},
	execute: ({ shown }) => shown,
});

/** Its first fields are what a user looks for; the others say why. */
type Shown = IDataObject & {
	accepted: boolean;
	number?: string;
	reason?: string;
	segments: number;
};

interface Previewed extends Prepared {
	index: number;
	recipient?: string;
	shown: Shown;
	replacements: readonly Replacement[];
	warnings: readonly Warning[];
}

/** The number, or what is wrong with it: the text is looked at all the same. */
function readRecipient(item: Item): { number?: string; valid?: string; problem?: string } {
	const typed = item.parameter('number', '') as string;
	if (typed === '') return {};
	const { countryRule = allCountries } = item.run.account;
	let valid: string | undefined;
	const problem = problemOf(() => {
		valid = canonicalNumber(item.number({ fixedLines: 'refuse', anyCountry: true }));
		// Allowed Countries: the text is previewed all the same.
		const forbidden = countryRule(valid);
		if (forbidden !== undefined) throw forbidden;
	});
	return { number: valid ?? typed, valid, problem };
}

/** Why a send would refuse something. */
function problemOf(check: () => unknown): string | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		const { message, description = '' } = error as InputError;
		return `${asSentence(message)} ${description}`.trim();
	}
}

function stopNote(number: string | undefined): string {
	const where = number === undefined ? 'when the number is French' : 'to a French number';
	return `Counted with ${STOP_MENTION}, which the service adds to a marketing message with a sender ${where}.`;
}

/** A line above the results: how many messages and segments. */
function describe(previews: readonly Shown[]): string {
	const accepted = previews.filter((preview) => preview.accepted);
	const refused = previews.length - accepted.length;
	const total = accepted.reduce((sum, { segments }) => sum + segments, 0);
	const size = `${countOf(accepted.length, 'message')}, ${countOf(total, 'segment')}.`;
	return refused === 0 ? size : `${size} ${countOf(refused, 'message')} would be refused.`;
}
