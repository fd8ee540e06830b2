import type { IDataObject } from 'n8n-workflow';
import { BLACKLISTS, type BlacklistKind } from '../shared/service/blacklists';
import { findRefusedCharacters } from '../shared/service/characters';
import { readContact, valueIn } from '../shared/service/contacts';
import { isFrenchFixedLine } from '../shared/service/frenchPlan';
import type { Column } from '../shared/service/lists';
import { describeRefused } from '../shared/service/message';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { countSegments, LONGEST_MESSAGE } from '../shared/service/segments';
import { withCampaignStopMention } from '../shared/service/stopMention';
import type { WrittenCampaign } from './campaign';
import { counted, Tally } from './tally';
import { columnsFor, replaceTokens, RICH_MESSAGE, written } from './tokens';

/** Stands for the link to the landing page. Its length is not shown: a short link is likely. */
const LINK = 'https://example.com/a1b2c3d4e5';
/** Refused characters of values that are named. */
const NAMED_CHARACTERS = 5;

/** A contact of a list. */
interface Addressee {
	/** Its number as the list has it. */
	identifier: string;
	/** The values that the message needs, by column ID. */
	values: Readonly<Record<string, string>>;
}

type Longest = ReturnType<typeof countSegments> & { number: string; message: string };

/** Counts recipients, segments and problems of a campaign, contact by contact. */
export class Forecast {
	private readonly recipients = new Set<string>();
	/** Why contacts get nothing: each counts under the first reason that applies. */
	private readonly excluded = {
		invalidNumbers: new Tally(),
		fixedLines: new Tally(),
		unsubscribers: new Tally(),
		bounces: new Tally(),
		duplicates: new Tally(),
	};
	/** The columns of each token, without `rich_message`, and recipients without a value. */
	private readonly tokens = new Map<string, { columns: readonly Column[]; empty: Tally }>();
	/** Number of recipients by segments. */
	private readonly sizes = new Map<number, number>();
	private longest?: Longest;
	/** Recipients with a value that the service refuses in a message. */
	private readonly refused = new Tally();
	private readonly refusedCharacters = new Set<string>();
	private readonly tooLong = new Tally();
	private readonly forbidden = new Tally();

	constructor(
		private readonly campaign: WrittenCampaign,
		columns: readonly Column[],
		private readonly blacklists: Readonly<Record<BlacklistKind, ReadonlySet<string>>>,
	) {
		for (const token of campaign.tokens)
			this.tokens.set(token, { columns: columnsFor(token, columns), empty: new Tally() });
	}

	/** Reads a contact, without values that aren't needed: a large list with all of its columns fills the memory. */
	read(record: unknown): Addressee | undefined {
		const contact = readContact(record);
		if (contact === undefined) return undefined;
		const { identifier = '', attributes } = contact;
		const ids = [...this.tokens.values()].map(({ columns: [{ id }] }) => id);
		const values = Object.fromEntries(ids.map((id) => [id, asText(valueIn(attributes, id))]));
		return { identifier, values };
	}

	/** Counts the next contact of the list. Of several with the same number, the first one gets the message. */
	add({ identifier, values }: Addressee): void {
		const { sender, path, countryRule } = this.campaign;
		const number = canonicalNumber(identifier);
		if (countryRule?.(identifier)) this.forbidden.add(number);
		const exclusion = this.exclusionOf(identifier, number);
		if (exclusion !== undefined) return exclusion.add(number);
		this.recipients.add(number);
		for (const { columns, empty } of this.tokens.values())
			if (valueIn(values, columns[0].id)!.trim() === '') empty.add(number);
		const refused = findRefusedCharacters(Object.values(values).join(' '), path.campaignType);
		if (refused.length > 0) this.refused.add(number);
		for (const { character } of refused) this.refusedCharacters.add(character);
		const text = this.fill(values, LINK);
		if (text.length > LONGEST_MESSAGE) this.tooLong.add(number);
		const size = countSegments(withCampaignStopMention(text, sender));
		this.sizes.set(size.segments, (this.sizes.get(size.segments) ?? 0) + 1);
		const { segments = -1, units = 0 } = this.longest ?? {};
		if (size.segments > segments || (size.segments === segments && size.units > units)) {
			const message = this.fill(values, written(RICH_MESSAGE));
			this.longest = { ...size, number, message };
		}
	}

	private exclusionOf(identifier: string, number: string): Tally | undefined {
		const { excluded, blacklists, recipients } = this;
		// A number that the service holds without a + may be a French one all the same.
		if (!canBeTexted(identifier) && !canBeTexted(number))
			return isFrenchFixedLine(number) ? excluded.fixedLines : excluded.invalidNumbers;
		const blacklist = BLACKLISTS.find((kind) => blacklists[kind].has(number));
		if (blacklist !== undefined) return excluded[blacklist];
		return recipients.has(number) ? excluded.duplicates : undefined;
	}

	private fill(values: Addressee['values'], link: string): string {
		return replaceTokens(this.campaign.message.text, (token) => {
			if (token === RICH_MESSAGE) return link;
			return valueIn(values, this.tokens.get(token)!.columns[0].id)!;
		});
	}

	/**
	 * The fields of the result.
	 *
	 * @param leftOut records of the list that could not be read
	 */
	result(leftOut: number): IDataObject & { problems: string[] } {
		const sizes = [...this.sizes].sort(([a], [b]) => a - b);
		const total = sizes.reduce((sum, [segments, count]) => sum + segments * count, 0);
		return {
			recipients: this.recipients.size,
			estimatedCredits: total,
			problems: this.problems(leftOut),
			excluded: Object.fromEntries(
				Object.entries(this.excluded).map(([why, { contacts }]) => [why, contacts]),
			),
			emptyTokens: [...this.tokens]
				.filter(([, { empty }]) => empty.contacts > 0)
				.map(([token, { empty }]) => ({ token: written(token), ...empty })),
			segments: {
				total,
				histogram: sizes.map(([segments, count]) => ({ segments, recipients: count })),
				...(this.longest && { longest: shown(this.longest) }),
			},
		};
	}

	/** Everything that a user should know before money is spent, a sentence each. */
	private problems(leftOut: number): string[] {
		const { excluded, campaign, recipients } = this;
		const characters = [...this.refusedCharacters].slice(0, NAMED_CHARACTERS).join(' ');
		const isEmpty = Object.values(excluded).every(({ contacts }) => contacts === 0);
		return [
			...(recipients.size > 0
				? []
				: [isEmpty ? 'The list is empty.' : 'Nobody would get it.']),
			...problemsOf(campaign),
			...[...this.tokens].flatMap(([token, { columns, empty }]) => [
				...ambiguous(token, columns),
				...empty.tell('recipient', `without a value for ${written(token)}`),
			]),
			...this.refused.tell(
				'recipient',
				`with values that have characters that the service refuses in a message (${characters})`,
			),
			...this.tooLong.tell('text', 'longer than an SMS can ever be'),
			...this.forbidden.tell(
				'contact',
				"of countries that 'Allowed Countries' of the credential doesn't allow, so that the campaign can't be sent with it",
			),
			...excluded.invalidNumbers.tell('contact', 'without a phone number that can be texted'),
			...excluded.fixedLines.tell('contact', 'with a fixed line'),
			...(leftOut === 0
				? []
				: [`${counted(leftOut, 'record')} of the list could not be read.`]),
		];
	}
}

/** Problems of the message itself. */
function problemsOf({ message, placeholders }: WrittenCampaign): string[] {
	const { refused, replacements } = message;
	// An apostrophe is as good as another; an emoji that is gone may be missed.
	const removed = replacements.filter(({ replacement }) => replacement === '');
	const characters = removed.map(({ character }) => character).join(' ');
	return [
		...(refused.length === 0
			? []
			: [`'Message' has characters that the service refuses: ${describeRefused(refused)}.`]),
		...(removed.length === 0 ? [] : [`Characters of 'Message' are removed: ${characters}.`]),
		...describePlaceholders(placeholders),
	];
}

/** Placeholders of other systems, which recipients would read as they are: a sentence, or none. */
export function describePlaceholders(placeholders: readonly string[]): string[] {
	if (placeholders.length === 0) return [];
	return [
		`Recipients would read ${placeholders.join(', ')} as it is. To insert a value of each contact, write the name of its column as \${…}, in lowercase, with underscores for spaces.`,
	];
}

function ambiguous(token: string, columns: readonly Column[]): string[] {
	if (columns.length === 1) return [];
	const [{ name, id }] = columns;
	return [
		`${counted(columns.length, 'column')} of the list can be meant by ${written(token)}: the values of '${name}' (${id}) are counted.`,
	];
}

function canBeTexted(number: string): boolean {
	try {
		parseNumber(number, { fixedLines: 'refuse' });
		return true;
	} catch {
		return false;
	}
}

/**
 * The value of a contact in a column (interface document 2.4: a text); anything else than a text or a number is empty.
 * A value that no SMS can hold is read only as far as shows that.
 */
function asText(value: unknown): string {
	if (typeof value === 'string') return value.slice(0, LONGEST_MESSAGE + 1);
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function shown({ segments, characters, encoding, number, message }: Longest): IDataObject {
	return { segments, characters, encoding, number, message };
}
