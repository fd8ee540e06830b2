import type { IDataObject } from 'n8n-workflow';
import { collectionOf } from '../shared/http/collectionOf';
import { countOf, listOf } from '../shared/service/countOf';
import type { Fields } from '../shared/service/answers';
import { BLACKLISTS, type BlacklistKind } from '../shared/service/blacklists';
import { findRefusedCharacters } from '../shared/service/characters';
import { isCellError } from '../shared/service/cellError';
import type { Client } from '../shared/run/client';
import { CONTACTS, readContact, valueIn } from '../shared/service/contacts';
import { isFrenchFixedLine } from '../shared/service/frenchPlan';
import { RICH_MESSAGE, type Column } from '../shared/service/lists';
import { adviceOnAddresses, describeRefused, isVisible } from '../shared/service/messageText';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { countSegments, LONGEST_MESSAGE } from '../shared/service/segments';
import { withCampaignStopMention } from '../shared/service/stopMention';
import type { WrittenCampaign } from './campaign';
import { columnsFor, describePlaceholders, replaceTokens, written } from './tokens';

/** Stands for the link to the landing page. Its length is not shown: a short link is likely. */
const LINK = 'https://example.com/a1b2c3d4e5';
/** Refused characters of values that are named. */
const NAMED_CHARACTERS = 5;

/** Contacts that are named where they are counted. */
const EXAMPLES = 5;

/** A token of a message, without `rich_message`. */
interface Token {
	token: string;
	/** Those that it can mean. */
	columns: readonly Column[];
	/** Numbers of contacts without a value. */
	empty: string[];
}

function tokensOf({ tokens }: Pick<WrittenCampaign, 'tokens'>, all: readonly Column[]): Token[] {
	return tokens.map((token) => ({ token, columns: columnsFor(token, all), empty: [] }));
}

/** Counts recipients, segments and problems of a campaign, contact by contact. */
export class Forecast {
	private readonly recipients = new Set<string>();
	/** Numbers that get nothing: each counts under the first reason that applies. */
	private readonly excluded = {
		invalidNumbers: [] as string[],
		fixedLines: [] as string[],
		unsubscribers: [] as string[],
		bounces: [] as string[],
		duplicates: [] as string[],
	};
	private readonly tokens: readonly Token[];
	/** Number of recipients by segments. */
	private readonly sizes = new Map<number, number>();
	private longest?: IDataObject & { segments: number };
	private mostUnits = 0;
	/** Recipients with a value that the service refuses in a message. */
	private readonly refused = new Set<string>();
	private readonly refusedCharacters = new Set<string>();
	private readonly refusedTokens = new Set<string>();
	private readonly tooLong: string[] = [];
	private readonly forbidden: string[] = [];

	constructor(
		private readonly campaign: WrittenCampaign,
		private readonly columns: readonly Column[],
		private readonly blacklists: Readonly<Record<BlacklistKind, ReadonlySet<string>>>,
	) {
		this.tokens = tokensOf(campaign, columns);
	}

	/**
	 * Counts the next contact of the list. Of several with the same number, the first one gets the message.
	 *
	 * @returns undefined for a record that can't be read
	 */
	add(record: unknown): true | undefined {
		const contact = readContact(record);
		if (contact === undefined) return undefined;
		const { identifier = '', attributes } = contact;
		const number = canonicalNumber(identifier);
		if (this.campaign.countryRule?.(identifier)) this.forbidden.push(number);
		const exclusion = this.exclusionOf(number);
		if (exclusion === undefined) this.addRecipient(number, attributes);
		else exclusion.push(number);
		return true;
	}

	private addRecipient(number: string, attributes: Fields): void {
		const { sender, path, message } = this.campaign;
		this.recipients.add(number);
		const values = new Map<string, string>();
		for (const { token, columns, empty } of this.tokens) {
			const value = valueFor(columns, attributes);
			values.set(token, value);
			if (isNoValue(value)) empty.push(number);
			for (const { character } of findRefusedCharacters(value, path.campaignType)) {
				this.refused.add(number);
				this.refusedTokens.add(written(token));
				this.refusedCharacters.add(character);
			}
		}
		const fill = (link: string) =>
			replaceTokens(message.text, (token) => values.get(token) ?? link);
		const text = fill(LINK);
		if (text.length > LONGEST_MESSAGE) this.tooLong.push(number);
		const size = countSegments(withCampaignStopMention(text, sender));
		const { segments, characters, encoding, units } = size;
		this.sizes.set(segments, (this.sizes.get(segments) ?? 0) + 1);
		const most = this.longest?.segments ?? -1;
		if (segments < most || (segments === most && units <= this.mostUnits)) return;
		this.longest = {
			...{ segments, characters, encoding, number },
			message: fill(written(RICH_MESSAGE)),
		};
		this.mostUnits = units;
	}

	private exclusionOf(number: string): string[] | undefined {
		const { excluded, blacklists, recipients } = this;
		if (!canBeTexted(number))
			return isFrenchFixedLine(number) ? excluded.fixedLines : excluded.invalidNumbers;
		const blacklist = BLACKLISTS.find((kind) => blacklists[kind].has(number));
		if (blacklist !== undefined) return excluded[blacklist];
		return recipients.has(number) ? excluded.duplicates : undefined;
	}

	/**
	 * The fields of the result.
	 *
	 * @param leftOut records of the list that could not be read
	 * @param credits of the account; undefined where it doesn't tell
	 */
	result(leftOut: number, credits = Infinity): IDataObject & { problems: string[] } {
		const sizes = [...this.sizes].sort(([a], [b]) => a - b);
		const total = sizes.reduce((sum, [segments, count]) => sum + segments * count, 0);
		return {
			recipients: this.recipients.size,
			estimatedCredits: total,
			problems: [
				...(total > credits
					? [`The account has ${countOf(credits, 'credit')}: too few for the campaign.`]
					: []),
				...this.problems(leftOut),
			],
			excluded: Object.fromEntries(
				Object.entries(this.excluded).map(([why, { length }]) => [why, length]),
			),
			emptyTokens: this.tokens
				.filter(({ empty }) => empty.length > 0)
				.map(({ token, empty }) => ({
					token: written(token),
					contacts: empty.length,
					examples: empty.slice(0, EXAMPLES),
				})),
			...(this.longest && { longest: this.longest }),
			segments: {
				total,
				histogram: sizes.map(([segments, count]) => ({ segments, recipients: count })),
			},
		};
	}

	/** Everything that a user should know before money is spent, a sentence each. */
	private problems(leftOut: number): string[] {
		const { excluded, campaign, columns, recipients } = this;
		const characters = [...this.refusedCharacters].slice(0, NAMED_CHARACTERS).join(' ');
		const isEmpty = Object.values(excluded).every(({ length }) => length === 0);
		const nobody = isEmpty ? 'The list is empty.' : 'Nobody would get it.';
		return [
			recipients.size === 0 ? nobody : '',
			...problemsOf(campaign, columns),
			...this.tokens.flatMap(({ token, columns: meant, empty }) => [
				ambiguous(token, meant),
				problemOf(empty, 'recipient', withoutValue(token)),
			]),
			problemOf(
				[...this.refused],
				'recipient',
				`with characters in ${[...this.refusedTokens].join(' and ')} that the service refuses in a message (${characters})`,
			),
			problemOf(this.tooLong, 'text', 'longer than an SMS can ever be'),
			problemOf(
				this.forbidden,
				'contact',
				"of countries that 'Allowed Countries' of the credential doesn't allow, so that the campaign can't be sent with it",
			),
			problemOf(
				excluded.invalidNumbers,
				'contact',
				'without a phone number that can be texted',
			),
			problemOf(excluded.fixedLines, 'contact', 'with a fixed line'),
			leftOut === 0 ? '' : `${countOf(leftOut, 'record')} of the list could not be read.`,
		].filter(Boolean);
	}
}

/**
 * Contacts of a list that a message leaves a gap for: a sentence for each token, without blacklists.
 *
 * @param of the campaign, and the columns of its list
 * @throws StepFailed
 */
export async function findGaps(
	of: Pick<WrittenCampaign, 'listId' | 'tokens'> & { columns: readonly Column[] },
	client: Client,
): Promise<string[]> {
	const tokens = tokensOf(of, of.columns);
	const read = collectionOf((record) => {
		const contact = readContact(record);
		if (contact === undefined) return undefined;
		for (const { columns, empty } of tokens) {
			if (isNoValue(valueFor(columns, contact.attributes)))
				empty.push(canonicalNumber(contact.identifier ?? ''));
		}
		return true;
	});
	await client.get({ endpoint: CONTACTS, path: { listId: of.listId } }, read);
	return tokens
		.map(({ token, empty }) => problemOf(empty, 'contact', withoutValue(token)))
		.filter(Boolean);
}

/** A sentence about contacts that something is true of; empty where there are none. */
function problemOf(numbers: readonly string[], what: string, text: string): string {
	const { length } = numbers;
	return length === 0 ? '' : `${countOf(length, what)} ${text}: ${listOf(numbers, EXAMPLES)}.`;
}

/** Problems of the message itself; empty texts for none. */
function problemsOf(
	{ message, path, placeholders, doubts }: WrittenCampaign,
	columns: readonly Column[],
): string[] {
	const { text, refused, replacements } = message;
	// An apostrophe is as good as another; an emoji that is gone may be missed.
	const removed = replacements.filter(
		({ character, replacement }) => replacement === '' && isVisible(character),
	);
	const characters = removed.map(({ character }) => character).join(' ');
	return [
		refused.length === 0
			? ''
			: `'Message' has characters that the service refuses: ${describeRefused(refused)}.`,
		adviceOnAddresses(text, path.campaignType),
		removed.length === 0 ? '' : `Characters of 'Message' are removed: ${characters}.`,
		...doubts,
		describePlaceholders(placeholders, columns),
	];
}

function withoutValue(token: string): string {
	return `without a value for ${written(token)}`;
}

function ambiguous(token: string, columns: readonly Column[]): string {
	if (columns.length === 1) return '';
	const [{ name, id }] = columns;
	return `${countOf(columns.length, 'column')} of the list can be meant by ${written(token)}: the values of '${name}' (${id}) are counted.`;
}

export function canBeTexted(number: string): boolean {
	try {
		parseNumber(number, { fixedLines: 'refuse', example: 'accept' });
		return true;
	} catch {
		return false;
	}
}

/** The value of a contact that replaces a token: that of the first column which it can mean. */
function valueFor(columns: readonly Column[], attributes: Fields): string {
	return asText(valueIn(attributes, columns[0].id));
}

function isNoValue(value: string): boolean {
	return value.trim() === '' || isCellError(value);
}

/**
 * The value of a contact in a column (interface document 2.4: a text); anything else than a text or a number is empty.
 * A value that no SMS can hold is read only as far as shows that.
 */
function asText(value: unknown): string {
	if (typeof value === 'string') return value.slice(0, LONGEST_MESSAGE + 1);
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
