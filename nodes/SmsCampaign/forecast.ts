import type { IDataObject } from 'n8n-workflow';
import type { CountryRule } from '../shared/service/allowedCountries';
import { findRefusedCharacters, type MessageType } from '../shared/service/characters';
import type { Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import type { Column } from '../shared/service/lists';
import { describeRefused, replacedIn } from '../shared/service/message';
import { countSegments, describeSizes, LONGEST_MESSAGE } from '../shared/service/segments';
import { STOP_MENTION, withCampaignStopMention } from '../shared/service/stopMention';
import { EXCLUSIONS, type Addressee, type Exclusion } from './audience';
import type { WrittenCampaign } from './campaign';
import { counted, EXAMPLES, inWords, Tally } from './tally';
import { columnsFor, replaceTokens, RICH_MESSAGE, written } from './tokens';

/** Stands for the link to the landing page. How long that is, is not shown: a short link is meant. */
const LINK = 'https://example.com/a1b2c3d4e5';
/** Characters that are listed; the others are counted. */
const MOST_CHARACTERS = 100;

/** What a campaign would come to, contact by contact: who gets which text, and what it would use. */
export class Forecast {
	private readonly type: MessageType;
	private readonly text: string;
	/** By token, without `rich_message`. */
	private readonly columns: ReadonlyMap<string, readonly Column[]>;
	private readonly hasLink: boolean;

	private contacts = 0;
	private readonly excluded = new Map<Exclusion, Tally>(
		EXCLUSIONS.map((exclusion) => [exclusion, new Tally()]),
	);
	private readonly recipientsOf = new Map<number, number>();
	private recipients = 0;
	private segments = 0;
	private longest?: IDataObject & { segments: number; units: number };
	private readonly empty: ReadonlyMap<string, Tally>;
	private readonly refused = new Map<string, Tally & { codePoint?: string }>();
	private readonly refusedIn = new Tally();
	private readonly tooLong = new Tally();
	private readonly forbidden = new Tally();

	constructor(
		private readonly campaign: WrittenCampaign,
		columns: readonly Column[],
		private readonly countryRule?: CountryRule,
	) {
		const { tokens } = campaign;
		this.type = campaign.path.campaignType;
		this.text = campaign.message.text;
		this.columns = new Map(tokens.map((token) => [token, columnsFor(token, columns)]));
		this.empty = new Map(tokens.map((token) => [token, new Tally()]));
		this.hasLink = this.text.includes(written(RICH_MESSAGE));
	}

	/** The columns whose values are needed. */
	get columnIds(): string[] {
		return [...this.columns.values()].flatMap(([column]) => (column ? [column.id] : []));
	}

	/**
	 * The next contact of the list.
	 *
	 * @returns the fields of its item
	 */
	next(
		{ identifier = '', attributes }: Contact,
		{ excluded, ...addressee }: Addressee,
	): IDataObject {
		this.contacts++;
		const { number } = addressee;
		if (this.countryRule?.(identifier)) this.forbidden.add(number);
		if (excluded !== undefined) {
			this.excluded.get(excluded.as)!.add(number);
			const status = excluded.as === 'invalidNumbers' ? 'invalid' : 'skipped';
			return { status, ...addressee, reason: excluded.reason };
		}
		const values = this.valuesOf(attributes);
		const message = this.fill(values, written(RICH_MESSAGE));
		const sent = this.hasLink ? this.fill(values, LINK) : message;
		const { segments, units, encoding, characters } = countSegments(
			withCampaignStopMention(sent, this.campaign.sender),
		);
		this.recipients++;
		this.segments += segments;
		this.recipientsOf.set(segments, (this.recipientsOf.get(segments) ?? 0) + 1);
		if (isLonger({ segments, units }, this.longest)) {
			this.longest = { segments, characters, units, encoding, ...addressee, message };
		}
		if (sent.length > LONGEST_MESSAGE) this.tooLong.add(number);
		const emptyTokens = [...values].filter(([, value]) => value.trim() === '');
		for (const [token] of emptyTokens) this.empty.get(token)!.add(number);
		return {
			status: 'wouldSend',
			...addressee,
			message,
			encoding,
			segments,
			emptyTokens: emptyTokens.map(([token]) => written(token)),
			refusedCharacters: this.refusedOf(values, number),
		};
	}

	/**
	 * The fields of the campaign's one item.
	 *
	 * @param leftOut records of the list that made no sense
	 */
	summary(leftOut: number): IDataObject {
		const { campaign, contacts, recipients } = this;
		const { message, sender } = campaign;
		const histogram = this.sizes.map(([segments, count]) => ({ segments, recipients: count }));
		return {
			recipients,
			contacts,
			estimatedCredits: this.segments,
			accepted: message.refused.length === 0,
			problems: this.problems(leftOut),
			excluded: Object.fromEntries(
				[...this.excluded].map(([exclusion, tally]) => [exclusion, tally.contacts]),
			),
			emptyTokens: [...this.empty]
				.filter(([, tally]) => tally.contacts > 0)
				.map(([token, tally]) => ({ token: written(token), ...tally })),
			segments: {
				total: this.segments,
				histogram,
				...(this.longest === undefined ? {} : { longest: this.longest }),
			},
			name: campaign.subject,
			campaignType: this.type,
			listId: campaign.listId,
			...(sender === undefined ? {} : { sender }),
			message: this.text,
			refusedCharacters: message.refused.map((character) => ({ ...character })),
			refusedInValues: this.refusedInValues.map(([character, tally]) => ({
				character,
				...tally,
			})),
			...replacedIn(message.replacements),
			...this.note(),
		};
	}

	/** A line for above the results. */
	describe(): string {
		const { recipients, contacts, segments } = this;
		if (contacts === 0) return 'Nobody would get it.';
		if (recipients === 0) return `Nobody of ${counted(contacts, 'contact')} would get it.`;
		const who = `${inWords(recipients)} of ${counted(contacts, 'contact')} would get it`;
		const refused = this.campaign.message.refused.length > 0;
		if (refused) return `The service would refuse the message. Without that, ${who}.`;
		const [[size], ...others] = this.sizes;
		return others.length === 0
			? `${who}, ${countOf(size, 'segment')} each: about ${counted(segments, 'credit')}.`
			: `${who}: ${describeSizes(this.sizes)}; about ${counted(segments, 'credit')}.`;
	}

	/** How many problems there are, and three of them. @returns undefined where there is none */
	warn(leftOut: number): string | undefined {
		const problems = this.problems(leftOut);
		if (problems.length === 0) return undefined;
		const more = problems.length > 3 ? ', the first three' : '';
		const told = problems.slice(0, 3).join(' ');
		return `${countOf(problems.length, 'problem')}${more}: ${told}`;
	}

	private get sizes(): Array<[segments: number, recipients: number]> {
		return [...this.recipientsOf].sort(([a], [b]) => a - b);
	}

	/** By token. A token that is no column's has none. */
	private valuesOf(attributes: Contact['attributes']): Map<string, string> {
		const values = new Map<string, string>();
		for (const [token, [column]] of this.columns) {
			if (column !== undefined) values.set(token, asText(attributes[column.id]));
		}
		return values;
	}

	private fill(values: ReadonlyMap<string, string>, link: string): string {
		return replaceTokens(this.text, (token) =>
			token === RICH_MESSAGE ? link : (values.get(token) ?? written(token)),
		);
	}

	/** The characters of a contact's values that the service refuses in a message, each once. */
	private refusedOf(values: ReadonlyMap<string, string>, number: string): string[] {
		const refused = new Map<string, string>();
		for (const value of values.values()) {
			for (const { character, codePoint } of findRefusedCharacters(value, this.type)) {
				refused.set(character, codePoint);
			}
		}
		for (const [character, codePoint] of refused) {
			const tally = this.refused.get(character) ?? Object.assign(new Tally(), { codePoint });
			this.refused.set(character, tally);
			tally.add(number);
		}
		if (refused.size > 0) this.refusedIn.add(number);
		return [...refused.keys()];
	}

	/** The most frequent first. */
	private get refusedInValues(): Array<[character: string, tally: Tally]> {
		return [...this.refused]
			.sort(([, a], [, b]) => b.contacts - a.contacts)
			.slice(0, MOST_CHARACTERS);
	}

	/** What a user should know before money is spent, a sentence each. */
	private problems(leftOut: number): string[] {
		const { message } = this.campaign;
		const { invalidNumbers, fixedLines } = Object.fromEntries(this.excluded);
		const problems: string[] = [];
		const tell = (tally: Tally, text: string) => {
			if (tally.contacts > 0) problems.push(`${text}: ${tally.describe()}.`);
		};
		if (this.contacts === 0) problems.push('The list is empty.');
		else if (this.recipients === 0) problems.push('Nobody on the list would get it.');
		if (message.refused.length > 0) {
			problems.push(
				`'Message' has characters that the service refuses: ${describeRefused(message.refused)}.`,
			);
		}
		// An apostrophe is as good as the other; an emoji that is gone may be missed.
		const removed = message.replacements.filter(({ replacement }) => replacement === '');
		if (removed.length > 0) {
			const characters = removed.map(({ character }) => character).join(' ');
			problems.push(`Characters of 'Message' are removed: ${characters}.`);
		}
		for (const [token, columns] of this.columns) {
			const [column, ...others] = columns;
			if (column === undefined) {
				problems.push(
					`The list has no column for ${written(token)}: it is counted as it is written.`,
				);
			} else if (others.length > 0) {
				problems.push(
					`${countOf(columns.length, 'column')} of the list can be meant by ${written(token)}: the values of '${column.name}' (${column.id}) are counted.`,
				);
			}
		}
		for (const [token, tally] of this.empty) {
			tell(tally, `${written(token)} is empty for ${counted(tally.contacts, 'recipient')}`);
		}
		const characters = this.refusedInValues.slice(0, EXAMPLES).map(([character]) => character);
		tell(
			this.refusedIn,
			`${counted(this.refusedIn.contacts, 'recipient')} with values that have characters that the service refuses in a message (${characters.join(' ')}${this.refused.size > EXAMPLES ? ' …' : ''})`,
		);
		tell(
			this.tooLong,
			`${counted(this.tooLong.contacts, 'text')} longer than an SMS can ever be`,
		);
		tell(
			this.forbidden,
			`${counted(this.forbidden.contacts, 'contact')} of countries that 'Allowed Countries' of the credential doesn't allow, so that the campaign can't be sent with it`,
		);
		tell(
			invalidNumbers,
			`${counted(invalidNumbers.contacts, 'contact')} without a phone number that can be texted`,
		);
		tell(fixedLines, `${counted(fixedLines.contacts, 'contact')} with a fixed line`);
		if (leftOut > 0) {
			problems.push(
				`${counted(leftOut, 'record')} of the list made no sense and ${leftOut === 1 ? 'was' : 'were'} left out.`,
			);
		}
		return problems;
	}

	/** What was taken for granted. */
	private note(): { note?: string } {
		const assumed = [
			...(this.campaign.sender === undefined ? [] : [STOP_NOTE]),
			...(this.hasLink ? [LINK_NOTE] : []),
		];
		return assumed.length === 0 ? {} : { note: assumed.join(' ') };
	}
}

const STOP_NOTE = `Counted with ${STOP_MENTION}, which the service adds to a campaign with a sender.`;
const LINK_NOTE = `The link to the landing page is counted as ${LINK.length} characters: its length is not documented.`;

function isLonger(
	one: { segments: number; units: number },
	other: { segments: number; units: number } | undefined,
): boolean {
	if (other === undefined || one.segments !== other.segments) {
		return one.segments > (other?.segments ?? -1);
	}
	return one.units > other.units;
}

/**
 * The value of a contact in a column (interface document 2.4: a text); what makes no sense is empty. Of one
 * that no SMS can hold, as much is read as shows that.
 */
function asText(value: unknown): string {
	if (typeof value === 'string') return value.slice(0, LONGEST_MESSAGE + 1);
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
