/** The SMS service's memory: account, messages, lists, blacklists, campaigns and replies. */
import type { Clock } from './clock.mts';
import { JsonCollection } from './collection.mts';
import { Refusal } from './errors.mts';
import {
	FIELD_TYPES,
	DATE_FORMATS,
	parseNumber,
	requireAttribute,
	toNational,
	type FieldType,
	type MessageKind,
} from './limits.mts';
import { createMessage, type Lifecycle, type SimMessage } from './messages.mts';

export type BlacklistKind = 'unsubscribers' | 'bounces';

/** Points that the interface document leaves open, each switchable while the simulator runs. */
export interface Settings {
	/** Which path deletes a contact by number: interface document 4.5 shows both. Default 'both'. */
	deletePath: 'both' | 'contacts' | 'contact';
	/** Whether line breaks in a message are accepted. Default true. */
	lineBreaks: boolean;
	/** Whether `identifier` and `tag` are read as `number` and `category` in a send. Default true. */
	legacyFieldNames: boolean;
	/** Adding a number that is already there: code 15, or accepted (a second contact). */
	duplicates: 'refuse' | 'accept';
	/** The id of a column: its reference (`nom_de_famille`), or 24 hex digits that say nothing. */
	fieldIds: 'reference' | 'opaque';
	/** Whether stats and replies answer for the whole account without a category. Default true. */
	withoutCategory: boolean;
	lifecycle: Lifecycle;
	/** What becomes of a message to a number in the end. */
	fate: (number: string) => 'delivered' | 'bounced' | 'error';
}

export interface Field {
	id: string;
	listId: string;
	name: string;
	type: FieldType;
	format: string;
}

export interface Contact {
	id: string;
	identifier: string;
	attributes: Record<string, string>;
}

export interface ContactList {
	readonly id: string;
	name: string;
	readonly fields: Field[];
	readonly contacts: JsonCollection<Contact>;
}

export interface Reply {
	id: string;
	identifier: string;
	message: string;
}

export interface BlacklistEntry {
	id: string;
	identifier: string;
	deleted: boolean;
}

export interface Campaign {
	readonly id: string;
	readonly kind: MessageKind;
	readonly name: string;
	readonly message: string;
	readonly listId: string;
	readonly date?: number;
	readonly sourceAddress?: string;
	readonly landingPageType?: 'CUSTOM' | 'EXTERNAL';
	readonly landingPage?: string;
	readonly landingPageTitle?: string;
	readonly externalUrl?: string;
	state: 'CREATED' | 'SENT';
	creditsUsed: number;
}

export interface CategoryStatistics {
	sent: number;
	submitted: number;
	delivered: number;
	openers: number;
	clickers: number;
	clicks: number;
	opens: number;
	replies: number;
	unsubscribers: number;
	errors: number;
	bounced: number;
	complaint: number;
	timespent: number;
}

/** What a caller says about a message; the service adds the rest. */
export interface MessageInput {
	kind: MessageKind;
	number: string;
	text: string;
	sender?: string;
	category?: string;
	campaignName?: string;
	campaignId?: string;
	date?: number;
	test?: boolean;
}

const DEFAULT_CREDITS = 1_000_000;
const FIRST_SNAPSHOT_ID = 362_891;
const NO_CATEGORY = '';

export function defaultSettings(): Settings {
	return {
		deletePath: 'both',
		lineBreaks: true,
		legacyFieldNames: true,
		duplicates: 'refuse',
		fieldIds: 'reference',
		withoutCategory: true,
		lifecycle: { submittedAfterMs: 500, deliveredAfterMs: 2_000 },
		fate: defaultFate,
	};
}

/** 06 99 99 xx xx is unassigned and bounces, 06 99 98 xx xx ends in error, others are delivered. */
export function defaultFate(number: string): 'delivered' | 'bounced' | 'error' {
	if (number.startsWith('+3369999')) return 'bounced';
	return number.startsWith('+3369998') ? 'error' : 'delivered';
}

/**
 * The token of a column (interface document 2.3): lowercase, underscores for spaces. What becomes
 * of other characters is not shown; here accents go and the rest become underscores too.
 */
export function fieldReference(name: string): string {
	const plain = name.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
	return plain
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '_')
		.replace(/^_+|_+$/g, '');
}

/** An account blacklist: ordered entries, found by number, a removed one staying as deleted. */
class Blacklist {
	readonly entries = new JsonCollection<BlacklistEntry>();
	private index = new Map<string, BlacklistEntry>();
	private indexedVersion = 0;

	find(number: string): BlacklistEntry | undefined {
		if (this.indexedVersion !== this.entries.version) {
			this.index = new Map(this.entries.items().map((entry) => [entry.identifier, entry]));
			this.indexedVersion = this.entries.version;
		}
		return this.index.get(number);
	}

	has(number: string): boolean {
		return this.find(number)?.deleted === false;
	}

	add(number: string, id: () => string): BlacklistEntry {
		const existing = this.find(number);
		if (existing !== undefined) {
			if (existing.deleted) {
				existing.deleted = false;
				this.touch();
			}
			return existing;
		}
		const entry = { id: id(), identifier: number, deleted: false };
		this.entries.add(entry);
		this.index.set(number, entry);
		this.indexedVersion = this.entries.version;
		return entry;
	}

	remove(entry: BlacklistEntry): void {
		entry.deleted = true;
		this.touch();
	}

	private touch(): void {
		this.entries.changed();
		this.indexedVersion = this.entries.version;
	}
}

/** The service itself. Its methods do what the endpoints, the phones and the tests ask for. */
export class Service {
	readonly settings: Settings;
	/** Every accepted message, in order. */
	readonly messages: SimMessage[] = [];
	readonly lists = new Map<string, ContactList>();
	readonly campaigns = new Map<string, Campaign>();
	credits = DEFAULT_CREDITS;

	private readonly clock: Clock;
	private readonly initialSettings: Settings;
	private readonly bySnapshot = new Map<string, SimMessage>();
	private readonly latestTo = new Map<string, SimMessage>();
	private readonly byCategory = new Map<string, SimMessage[]>();
	private readonly replyCollections = new Map<string, JsonCollection<Reply>>();
	private readonly categoryBlacklists = new Map<string, Record<BlacklistKind, Set<string>>>();
	private readonly statisticsOverrides = new Map<string, Partial<CategoryStatistics>>();
	private readonly contactIndexes = new WeakMap<
		ContactList,
		{ version: number; numbers: Set<string> }
	>();
	private readonly accountBlacklists: Record<BlacklistKind, Blacklist> = {
		unsubscribers: new Blacklist(),
		bounces: new Blacklist(),
	};
	/** Messages that will bounce and have not yet put their number on the bounce list. */
	private bouncing: SimMessage[] = [];
	private nextSnapshotId = FIRST_SNAPSHOT_ID;
	private nextId = 1;

	constructor(clock: Clock, settings: Partial<Settings> = {}) {
		this.clock = clock;
		this.initialSettings = { ...defaultSettings(), ...settings };
		this.settings = { ...this.initialSettings };
	}

	/** Forgets everything; settings go back to what they were at the start. */
	reset(): void {
		Object.assign(this.settings, this.initialSettings);
		this.messages.length = 0;
		this.credits = DEFAULT_CREDITS;
		for (const map of [
			this.lists,
			this.campaigns,
			this.bySnapshot,
			this.latestTo,
			this.byCategory,
			this.replyCollections,
			this.categoryBlacklists,
			this.statisticsOverrides,
		]) {
			map.clear();
		}
		this.accountBlacklists.unsubscribers = new Blacklist();
		this.accountBlacklists.bounces = new Blacklist();
		this.bouncing = [];
		this.nextSnapshotId = FIRST_SNAPSHOT_ID;
		this.nextId = 1;
	}

	/** A new identifier: 24 hex digits, in ascending order. */
	createId(): string {
		return `5e${(this.nextId++).toString(16).padStart(22, '0')}`;
	}

	// Sending

	/**
	 * Accepts a message that has passed the limits.
	 * @throws {Refusal} code 12 or 13 for a blacklisted number, 71 without enough credits
	 */
	accept(input: MessageInput): SimMessage {
		if (this.blacklist('unsubscribers').has(input.number)) throw new Refusal(12);
		if (this.blacklist('bounces').has(input.number)) throw new Refusal(13);
		const creditsUsed = creditsFor(input.number);
		if (this.credits < creditsUsed) throw new Refusal(71);
		this.credits -= creditsUsed;
		const fate = this.settings.fate(input.number);
		const message = createMessage(
			{
				...input,
				snapshotId: String(this.nextSnapshotId++),
				deliveredText: withStopMention(input),
				creditsUsed,
				test: input.test ?? false,
			},
			this.clock,
			this.settings.lifecycle,
			fate,
		);
		this.messages.push(message);
		this.bySnapshot.set(message.snapshotId, message);
		this.latestTo.set(message.number, message);
		const category = message.category ?? NO_CATEGORY;
		const pool = this.byCategory.get(category);
		if (pool === undefined) this.byCategory.set(category, [message]);
		else pool.push(message);
		if (fate === 'bounced') this.bouncing.push(message);
		return message;
	}

	messageBySnapshot(snapshotId: string): SimMessage | undefined {
		return this.bySnapshot.get(snapshotId);
	}

	/** The latest message to a number in E.164. */
	latestMessageTo(number: string): SimMessage | undefined {
		return this.latestTo.get(number);
	}

	/** Sets the account's credits. */
	setCredits(credits: number): void {
		this.credits = credits;
	}

	// What recipients do

	/**
	 * Somebody replies to the latest message they got, or out of the blue.
	 * @param from the number, in either format
	 * @param options.category the category of the reply; that of the latest message by default
	 * @param options.id the id of the reply; a new one by default
	 */
	reply(from: string, text: string, options: { category?: string; id?: string } = {}): Reply {
		const number = numberOrThrow(from);
		const latest = this.latestTo.get(number);
		const reply = { id: options.id ?? this.createId(), identifier: number, message: text };
		this.replyCollection(options.category ?? latest?.category).add(reply);
		if (latest !== undefined) {
			latest.setState('reply');
			latest.reply = this.clock.now();
		}
		return reply;
	}

	/** Somebody replies STOP: the number goes on the blacklist and gets no more messages. */
	stop(from: string, options: { category?: string } = {}): void {
		this.recordOnBlacklist('unsubscribers', 'unsubscribed', from, options.category);
	}

	/** A number turns out to be unassigned. */
	bounce(number: string, options: { category?: string } = {}): void {
		this.recordOnBlacklist('bounces', 'bounced', number, options.category);
	}

	/** The recipient opens the tracked link of a message, and clicks in the page if `click`. */
	open(snapshotId: string, options: { click?: boolean } = {}): void {
		const message = this.messageOrThrow(snapshotId);
		message.setState('opened');
		message.opens++;
		if (options.click) message.clicks++;
	}

	setState(snapshotId: string, state: string): void {
		this.messageOrThrow(snapshotId).setState(state);
	}

	// Replies

	/** The replies of a category, in the order in which they are served. */
	replies(category?: string): Reply[] {
		return [...this.replyCollection(category).items()];
	}

	/** Replaces the replies of a category: other entries, another order, or none. */
	setReplies(category: string | undefined, replies: readonly Reply[]): void {
		this.replyCollection(category).replace(replies);
	}

	/**
	 * Adds `count` replies fast.
	 * @param make the i-th reply, if the default ones won't do
	 */
	addReplies(
		count: number,
		category?: string,
		make: (index: number) => Reply = (index) => ({
			id: this.createId(),
			identifier: bulkNumber(index),
			message: `Reply ${index + 1}`,
		}),
	): void {
		this.replyCollection(category).addBulk(count, make);
	}

	/** Removes the replies with these ids, or those for which the predicate is true. */
	removeReplies(
		category: string | undefined,
		which: readonly string[] | ((reply: Reply) => boolean),
	): void {
		const ids = typeof which === 'function' ? undefined : new Set(which);
		const matches = typeof which === 'function' ? which : (reply: Reply) => ids!.has(reply.id);
		this.setReplies(
			category,
			this.replies(category).filter((reply) => !matches(reply)),
		);
	}

	/** Reorders the replies of a category; without an order, the other way round. */
	reorderReplies(
		category: string | undefined,
		order: (replies: Reply[]) => Reply[] = (replies) => replies.reverse(),
	): void {
		this.setReplies(category, order(this.replies(category)));
	}

	/** The collections that make up the replies of a category, or of the whole account. */
	replyCollectionsOf(category?: string): Array<JsonCollection<Reply>> {
		return category === undefined
			? [...this.replyCollections.values()]
			: [this.replyCollections.get(category) ?? new JsonCollection<Reply>()];
	}

	// Blacklists

	/** The account's blacklist of a kind, bounces that are due included. */
	blacklist(kind: BlacklistKind): Blacklist {
		this.settleBounces();
		return this.accountBlacklists[kind];
	}

	/** Puts a number on an account blacklist, without a message or a category. */
	addToBlacklist(kind: BlacklistKind, number: string): BlacklistEntry {
		return this.blacklist(kind).add(numberOrThrow(number), () => this.createId());
	}

	/** Takes a number off an account blacklist: marked as deleted, or gone if `forget`. */
	removeFromBlacklist(kind: BlacklistKind, number: string, options?: { forget?: boolean }): void {
		const blacklist = this.blacklist(kind);
		const entry = blacklist.find(numberOrThrow(number));
		if (entry === undefined) return;
		blacklist.remove(entry);
		if (options?.forget) {
			blacklist.entries.replace(blacklist.entries.items().filter((one) => one !== entry));
		}
	}

	/** Adds `count` entries to an account blacklist fast. */
	addBlacklisted(
		kind: BlacklistKind,
		count: number,
		number: (index: number) => string = bulkNumber,
	): void {
		this.blacklist(kind).entries.addBulk(count, (index) => ({
			id: this.createId(),
			identifier: number(index),
			deleted: false,
		}));
	}

	/** The numbers (E.164) of a category's blacklist; the set may be changed. */
	categoryBlacklist(category: string, kind: BlacklistKind): Set<string> {
		this.settleBounces();
		return this.categorySets(category)[kind];
	}

	// Lists

	/** @throws {Error} when there is no such list */
	list(listId: string): ContactList {
		const list = this.lists.get(listId);
		if (list === undefined) throw new Refusal(60);
		return list;
	}

	/** Creates a list with its columns. */
	createList(
		name: string,
		columns: ReadonlyArray<{ name: string; type?: FieldType; format?: string }> = [],
	): ContactList {
		const list: ContactList = {
			id: this.createId(),
			name,
			fields: [],
			contacts: new JsonCollection<Contact>(),
		};
		this.lists.set(list.id, list);
		for (const column of columns) {
			this.addField(list, column.name, column.type ?? 'STRING', column.format);
		}
		return list;
	}

	/**
	 * Adds a column to a list.
	 * @throws {Refusal} for a type, or a format of a DATE, that is not in interface document 2.3
	 */
	addField(list: ContactList, name: string, type: unknown, format?: unknown): Field {
		if (!FIELD_TYPES.includes(type as FieldType)) {
			throw new Refusal(undefined, `A type is one of ${FIELD_TYPES.join(', ')}`);
		}
		if (type === 'DATE') {
			if (!DATE_FORMATS.includes(format as string)) throw new Refusal(61);
		} else if (format !== undefined && format !== '') {
			throw new Refusal(undefined, 'A format is for the type DATE only');
		}
		const field: Field = {
			id: this.settings.fieldIds === 'opaque' ? this.createId() : freeReference(list, name),
			listId: list.id,
			name,
			type: type as FieldType,
			format: type === 'DATE' ? (format as string) : '',
		};
		list.fields.push(field);
		return field;
	}

	/**
	 * Adds a contact.
	 * @param identifier the number in E.164
	 * @param attributes values by column id
	 * @throws {Refusal} for a value that its column refuses, and code 15 for a number that is there
	 */
	addContact(
		list: ContactList,
		identifier: string,
		attributes: Readonly<Record<string, unknown>> = {},
	): Contact {
		const checked: Record<string, string> = {};
		for (const [id, value] of Object.entries(attributes)) {
			const field = list.fields.find((candidate) => candidate.id === id);
			if (field === undefined) throw new Refusal(undefined, `No column has the id ${id}`);
			checked[id] = requireAttribute(value, field.type, field.format);
		}
		const numbers = this.contactNumbers(list);
		if (this.settings.duplicates === 'refuse' && numbers.has(identifier)) throw new Refusal(15);
		const contact = { id: this.createId(), identifier, attributes: checked };
		list.contacts.add(contact);
		numbers.add(identifier);
		this.contactIndexes.set(list, { version: list.contacts.version, numbers });
		return contact;
	}

	/** Adds `count` contacts fast, unchecked. */
	addContacts(
		listId: string,
		count: number,
		make: (index: number) => { identifier: string; attributes?: Record<string, string> } = (
			index,
		) => ({ identifier: bulkNumber(index) }),
	): void {
		this.list(listId).contacts.addBulk(count, (index) => {
			const { identifier, attributes = {} } = make(index);
			return { id: this.createId(), identifier, attributes };
		});
	}

	/** Removes the contacts for which the predicate is true. Returns how many there were. */
	removeContacts(list: ContactList, matches: (contact: Contact) => boolean): number {
		const all = list.contacts.items();
		const kept = all.filter((contact) => !matches(contact));
		if (kept.length < all.length) list.contacts.replace(kept);
		return all.length - kept.length;
	}

	// Statistics

	/** Statistics of a category, or of the whole account (interface document 2.8). */
	statistics(category?: string): CategoryStatistics {
		this.settleBounces();
		const messages =
			category === undefined ? this.messages : (this.byCategory.get(category) ?? []);
		const count = (matches: (message: SimMessage) => boolean) =>
			messages.reduce((total, message) => total + (matches(message) ? 1 : 0), 0);
		const unsubscribers =
			category === undefined
				? this.countBlacklisted('unsubscribers')
				: (this.categoryBlacklists.get(category)?.unsubscribers.size ?? 0);
		return {
			sent: count((message) => message.sent !== undefined),
			submitted: count((message) => message.submitted !== undefined),
			delivered: count((message) => message.delivered !== undefined),
			openers: count((message) => message.opens > 0),
			clickers: count((message) => message.clicks > 0),
			clicks: messages.reduce((total, message) => total + message.clicks, 0),
			opens: messages.reduce((total, message) => total + message.opens, 0),
			replies: this.replyCollectionsOf(category).reduce((sum, one) => sum + one.length, 0),
			unsubscribers,
			errors: count((message) => message.state === 'error'),
			bounced: count((message) => message.state === 'bounced'),
			complaint: 0,
			timespent: 0,
			...this.statisticsOverrides.get(category ?? NO_CATEGORY),
		};
	}

	/** Makes some counters of a category say something else; undefined ends that. */
	setStatistics(category: string | undefined, counters?: Partial<CategoryStatistics>): void {
		if (counters === undefined) this.statisticsOverrides.delete(category ?? NO_CATEGORY);
		else this.statisticsOverrides.set(category ?? NO_CATEGORY, counters);
	}

	/** Account statistics (interface document 2.10). */
	accountStatistics(): Record<string, number> {
		const { sent, submitted, delivered } = this.statistics();
		return {
			bounces: this.countBlacklisted('bounces'),
			credits: Math.floor(this.credits),
			delivered,
			sent,
			submitted,
			undelivered: sent - delivered,
			unsubscribers: this.countBlacklisted('unsubscribers'),
		};
	}

	private countBlacklisted(kind: BlacklistKind): number {
		const entries = this.blacklist(kind).entries.items();
		return entries.reduce((total, entry) => total + (entry.deleted ? 0 : 1), 0);
	}

	private replyCollection(category: string | undefined): JsonCollection<Reply> {
		const key = category ?? NO_CATEGORY;
		let collection = this.replyCollections.get(key);
		if (collection === undefined) {
			collection = new JsonCollection<Reply>();
			this.replyCollections.set(key, collection);
		}
		return collection;
	}

	private categorySets(category: string): Record<BlacklistKind, Set<string>> {
		let sets = this.categoryBlacklists.get(category);
		if (sets === undefined) {
			sets = { unsubscribers: new Set(), bounces: new Set() };
			this.categoryBlacklists.set(category, sets);
		}
		return sets;
	}

	private contactNumbers(list: ContactList): Set<string> {
		const index = this.contactIndexes.get(list);
		if (index?.version === list.contacts.version) return index.numbers;
		return new Set(list.contacts.items().map((contact) => contact.identifier));
	}

	private recordOnBlacklist(
		kind: BlacklistKind,
		state: string,
		from: string,
		category: string | undefined,
	): void {
		const number = numberOrThrow(from);
		const latest = this.latestTo.get(number);
		this.addToBlacklist(kind, number);
		const pool = category ?? latest?.category;
		if (pool !== undefined) this.categorySets(pool)[kind].add(number);
		latest?.setState(state);
	}

	/** Puts the numbers of messages that have bounced by now on the bounce list. */
	private settleBounces(): void {
		if (this.bouncing.length === 0) return;
		const due = this.bouncing.filter((message) => message.state === 'bounced');
		if (due.length === 0) return;
		this.bouncing = this.bouncing.filter((message) => message.state !== 'bounced');
		for (const { number, category } of due) {
			this.accountBlacklists.bounces.add(number, () => this.createId());
			if (category !== undefined) this.categorySets(category).bounces.add(number);
		}
	}

	private messageOrThrow(snapshotId: string): SimMessage {
		const message = this.bySnapshot.get(snapshotId);
		if (message === undefined) throw new Error(`No message has the snapshot id ${snapshotId}`);
		return message;
	}
}

/** How credits are computed is not shown; here 1 within France and 1.5 elsewhere. */
function creditsFor(number: string): number {
	return number.startsWith('+33') ? 1 : 1.5;
}

/** Interface document section 8: added with a custom sender on marketing to French numbers. */
function withStopMention(input: MessageInput): string {
	const added =
		input.kind === 'marketing' && input.sender !== undefined && input.number.startsWith('+33');
	return added ? `${input.text} STOP 36XXX` : input.text;
}

/** The i-th number of a bulk load: +33600000000 onwards. */
export function bulkNumber(index: number): string {
	return `+33${600_000_000 + index}`;
}

function freeReference(list: ContactList, name: string): string {
	const reference = fieldReference(name) || 'field';
	const taken = new Set(list.fields.map((field) => field.id));
	let candidate = reference;
	for (let suffix = 2; taken.has(candidate); suffix++) candidate = `${reference}_${suffix}`;
	return candidate;
}

function numberOrThrow(input: string): string {
	const number = parseNumber(input);
	if (number === undefined) throw new Error(`${input} is not a phone number`);
	return number;
}

/** The answer to a query for the blacklists of a category (interface document 2.11). */
export function categoryBlacklistsOf(service: Service, category: string) {
	const describe = (kind: BlacklistKind) => {
		const identifiers = [...service.categoryBlacklist(category, kind)].map(toNational);
		return { number: identifiers.length, identifiers };
	};
	return { bounces: describe('bounces'), unsubscribers: describe('unsubscribers') };
}
