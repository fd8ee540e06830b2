/** The SMS service's memory: account, messages, lists, blacklists, campaigns and replies. */
import { Blacklist, type BlacklistEntry, type BlacklistKind } from './blacklist.mts';
import type { Campaign } from './campaigns.mts';
import type { Clock } from './clock.mts';
import type { JsonCollection } from './collection.mts';
import { defaultDialect, type Dialect } from './dialect.mts';
import { Refusal } from './errors.mts';
import { parseNumber, type FieldType, type MessageKind } from './limits.mts';
import { ContactList } from './lists.mts';
import { createMessage, type Lifecycle, type SimMessage } from './messages.mts';
import { countMessages, Pool, type CategoryStatistics, type Reply } from './pools.mts';

/**
 * Points that the interface document leaves open, each switchable while the simulator runs: the dialect,
 * and what has more than a few answers.
 */
export interface Settings extends Dialect {
	/** Default 500 ms and 2,000 ms. */
	lifecycle: Lifecycle;
	/** The end of a message to a number (E.164). Default `defaultFate`. */
	fate: (number: string) => 'delivered' | 'bounced' | 'error';
}

/** Something that arrived at a phone, or was sent from one. */
export interface PhoneEvent {
	/** E.164. */
	number: string;
	/** Ms since the Unix epoch. */
	at: number;
	/** The message that arrived; undefined when the phone sent something. */
	message?: SimMessage;
	/** The text that the phone sent. */
	text?: string;
}

/** A message as a caller describes it; the service adds the rest. */
export interface MessageInput {
	kind: MessageKind;
	/** E.164. */
	number: string;
	/** The number as the request wrote it. */
	written?: string;
	text: string;
	sender?: string;
	category?: string;
	campaignName?: string;
	campaignId?: string;
	/** Scheduled time, ms since the Unix epoch. */
	date?: number;
	test?: boolean;
}

const DEFAULT_CREDITS = 1_000_000;
const FIRST_SNAPSHOT_ID = 362_891;
const FIRST_NUMERIC_ID = 1_000_000;
/** Beyond 2^53, where JavaScript knows no odd numbers. */
const FIRST_LONG_ID = 9_107_199_254_740_993n;
/** The pool of messages without a category. */
const NO_CATEGORY = '';

/** French fixed lines, the internet's (09) included: they get no SMS (public facts, code 19). */
const FIXED_LINE = /^\+33[1-589]/;

/**
 * 06 99 99 xx xx is unassigned and bounces; 06 99 98 xx xx and fixed lines end in error; others are
 * delivered.
 */
export function defaultFate(number: string): 'delivered' | 'bounced' | 'error' {
	if (number.startsWith('+3369999')) return 'bounced';
	return number.startsWith('+3369998') || FIXED_LINE.test(number) ? 'error' : 'delivered';
}

function defaultSettings(): Settings {
	return {
		...defaultDialect(),
		lifecycle: { submittedAfterMs: 500, deliveredAfterMs: 2_000 },
		fate: defaultFate,
	};
}

/** The service itself. Its methods do what the endpoints, the phones and the tests ask for. */
export class Service {
	readonly settings: Settings;
	/** Every accepted message, in order. */
	readonly messages: SimMessage[] = [];
	/** Messages that the phones got and sent, in order; without replies loaded in bulk. */
	readonly phoneLog: PhoneEvent[] = [];
	readonly lists = new Map<string, ContactList>();
	readonly campaigns = new Map<string, Campaign>();
	credits = DEFAULT_CREDITS;

	private readonly clock: Clock;
	private readonly initialSettings: Settings;
	private readonly bySnapshot = new Map<string, SimMessage>();
	private readonly latestTo = new Map<string, SimMessage>();
	private readonly latestWrittenTo = new Map<string, SimMessage>();
	private readonly categories = new Map<string, Pool>();
	private readonly campaignPools = new Map<string, Pool>();
	private readonly accountBlacklists: Record<BlacklistKind, Blacklist> = {
		unsubscribers: new Blacklist(),
		bounces: new Blacklist(),
	};
	private accountOverride: Partial<CategoryStatistics> = {};
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
		this.phoneLog.length = 0;
		this.lists.clear();
		this.campaigns.clear();
		this.bySnapshot.clear();
		this.latestTo.clear();
		this.latestWrittenTo.clear();
		this.categories.clear();
		this.campaignPools.clear();
		this.accountBlacklists.unsubscribers = new Blacklist();
		this.accountBlacklists.bounces = new Blacklist();
		this.accountOverride = {};
		this.bouncing = [];
		this.credits = DEFAULT_CREDITS;
		this.nextSnapshotId = FIRST_SNAPSHOT_ID;
		this.nextId = 1;
	}

	/** A new identifier, ascending: 24 hex digits, or decimal ones where IDs are numbers or long. */
	createId(): string {
		const place = this.nextId++;
		if (this.hasLongIds) return longId(place);
		if (this.settings.ids === 'number') return String(FIRST_NUMERIC_ID + place);
		return `5e${place.toString(16).padStart(22, '0')}`;
	}

	/** IDs are beyond what a JavaScript number can hold. */
	get hasLongIds(): boolean {
		return this.settings.ids === 'longText' || this.settings.ids === 'longNumber';
	}

	private createSnapshotId(): string {
		const id = this.nextSnapshotId++;
		return this.hasLongIds ? longId(id) : String(id);
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
		const { written, ...rest } = input;
		const message = createMessage(
			{
				...rest,
				snapshotId: this.createSnapshotId(),
				deliveredText: withStopMention(input),
				creditsUsed,
				test: input.test ?? false,
			},
			this.clock,
			this.settings.lifecycle,
			fate,
		);
		this.messages.push(message);
		this.phoneLog.push({ number: message.number, at: message.acceptedAt, message });
		this.bySnapshot.set(message.snapshotId, message);
		this.latestTo.set(message.number, message);
		this.latestWrittenTo.set(written ?? message.number, message);
		for (const pool of this.poolsOf(message)) pool.messages.push(message);
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

	/** The latest message to a number as a request wrote it. */
	latestMessageWrittenTo(written: string): SimMessage | undefined {
		return this.latestWrittenTo.get(written);
	}

	/** Sets the account's credits. */
	setCredits(credits: number): void {
		this.credits = credits;
	}

	// Recipients

	/**
	 * Somebody replies to the latest message they got, or out of the blue.
	 * @param from the number, in either format
	 * @param options.category the category of the reply; that of the latest message by default
	 * @param options.id the id of the reply; a new one by default
	 * @throws {Error} when `from` is no number
	 */
	reply(from: string, text: string, options: { category?: string; id?: string } = {}): Reply {
		const number = numberOrThrow(from);
		const latest = this.latestTo.get(number);
		const reply = { id: options.id ?? this.createId(), identifier: number, message: text };
		for (const pool of this.poolsOf(latest, options.category)) pool.replies.add(reply);
		this.phoneLog.push({ number, at: this.clock.now(), text });
		if (latest !== undefined) {
			latest.setState('reply');
			latest.reply = this.clock.now();
		}
		return reply;
	}

	/** Somebody replies STOP: the number goes on the blacklist and gets no more messages. */
	stop(from: string, options: { category?: string } = {}): void {
		this.strikeOff('unsubscribers', 'unsubscribed', from, options.category);
		this.phoneLog.push({ number: numberOrThrow(from), at: this.clock.now(), text: 'STOP' });
	}

	/** A number turns out to be unassigned. */
	bounce(number: string, options: { category?: string } = {}): void {
		this.strikeOff('bounces', 'bounced', number, options.category);
	}

	/** The recipient opens the tracked link of a message, and clicks in the page if `click`. */
	open(snapshotId: string, options: { click?: boolean } = {}): void {
		const message = this.messageOrThrow(snapshotId);
		message.setState('opened');
		message.opens++;
		if (options.click) message.clicks++;
	}

	/** Sets the state of a message; any text, so that unknown states can be tried too. */
	setState(snapshotId: string, state: string): void {
		this.messageOrThrow(snapshotId).setState(state);
	}

	// Replies

	/** The replies of a category (or of messages without one), in the order they are served in. */
	replies(category?: string): Reply[] {
		return [...this.category(category).replies.items()];
	}

	/** Replaces the replies of a category: other entries, another order, or none. */
	setReplies(category: string | undefined, replies: readonly Reply[]): void {
		this.category(category).replies.replace(replies);
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
		this.category(category).replies.addBulk(count, make);
	}

	/** Removes the replies with these ids, or those for which the predicate is true. */
	removeReplies(
		category: string | undefined,
		which: readonly string[] | ((reply: Reply) => boolean),
	): void {
		if (typeof which === 'function') {
			this.category(category).replies.removeWhere(which);
		} else {
			const ids = new Set(which);
			this.category(category).replies.removeWhere((reply) => ids.has(reply.id));
		}
	}

	/** Reorders the replies of a category; without an order, the other way round. */
	reorderReplies(
		category: string | undefined,
		order: (replies: Reply[]) => Reply[] = (replies) => replies.reverse(),
	): void {
		this.setReplies(category, order(this.replies(category)));
	}

	/** The collections that make up the replies of a category, or of the whole account. */
	replyCollections(category?: string): Array<JsonCollection<Reply>> {
		const pools = category === undefined ? this.categories.values() : [this.category(category)];
		return [...pools].map((pool) => pool.replies);
	}

	// Blacklists

	/** The account's blacklist of a kind, bounces that are due included. */
	blacklist(kind: BlacklistKind): Blacklist {
		this.settleBounces();
		return this.accountBlacklists[kind];
	}

	/** Puts a number on an account blacklist, without a message or a category. */
	addToBlacklist(kind: BlacklistKind, number: string): BlacklistEntry {
		return this.addWritten(kind, numberOrThrow(number));
	}

	/** Puts a number on an account blacklist as it is written. */
	addWritten(kind: BlacklistKind, written: string): BlacklistEntry {
		return this.blacklist(kind).add(written, () => this.createId());
	}

	/** Takes a number off an account blacklist: its entry stays, marked as deleted. */
	removeFromBlacklist(kind: BlacklistKind, number: string): void {
		const blacklist = this.blacklist(kind);
		const entry = blacklist.find(numberOrThrow(number));
		if (entry !== undefined) blacklist.setDeleted(entry, true);
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

	// Lists

	/** @throws {Refusal} code 60 when there is no such list */
	list(listId: string): ContactList {
		const list = this.lists.get(listId);
		if (list === undefined) throw new Refusal(60);
		return list;
	}

	/** Creates a list with its columns, of type STRING by default. */
	createList(
		name: string,
		columns: ReadonlyArray<{ name: string; type?: FieldType; format?: string }> = [],
	): ContactList {
		const list = new ContactList(name, this);
		this.lists.set(list.id, list);
		for (const { name: column, type = 'STRING', format } of columns) {
			list.addField(column, type, format);
		}
		return list;
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

	// Statistics

	/** Statistics of a category, or of the whole account (interface document 2.8). */
	statistics(category?: string): CategoryStatistics {
		if (category !== undefined) return this.category(category).statistics();
		const replies = this.replyCollections().reduce((total, { length }) => total + length, 0);
		const unsubscribers = this.blacklist('unsubscribers').size;
		return {
			...countMessages(this.messages),
			replies,
			unsubscribers,
			...this.accountOverride,
		};
	}

	/** Makes some counters of a category, or of the account, say something else; {} ends that. */
	setStatistics(category: string | undefined, counters: Partial<CategoryStatistics>): void {
		if (category === undefined) this.accountOverride = counters;
		else this.category(category).statisticsOverride = counters;
	}

	/** Account statistics (interface document 2.10). */
	accountStatistics(): Record<string, number> {
		const { sent, submitted, delivered, unsubscribers } = this.statistics();
		return {
			bounces: this.blacklist('bounces').size,
			credits: Math.floor(this.credits),
			delivered,
			sent,
			submitted,
			undelivered: sent - delivered,
			unsubscribers,
		};
	}

	/** The pool of a category; without one, that of the messages that have none. */
	category(category: string = NO_CATEGORY): Pool {
		this.settleBounces();
		return poolIn(this.categories, category);
	}

	/** Nothing was ever sent in a category, or came of it. */
	isUnknown(category: string): boolean {
		const { messages, replies, blacklists, statisticsOverride } = this.category(category);
		return (
			messages.length === 0 &&
			replies.length === 0 &&
			Object.values(blacklists).every(({ size }) => size === 0) &&
			Object.keys(statisticsOverride).length === 0
		);
	}

	/** The pool of a campaign. */
	campaignPool(campaignId: string): Pool {
		this.settleBounces();
		return poolIn(this.campaignPools, campaignId);
	}

	private poolsOf(message: SimMessage | undefined, category = message?.category): Pool[] {
		const pools = [poolIn(this.categories, category ?? NO_CATEGORY)];
		if (message?.campaignId !== undefined) {
			pools.push(poolIn(this.campaignPools, message.campaignId));
		}
		return pools;
	}

	private strikeOff(
		kind: BlacklistKind,
		state: string,
		from: string,
		category: string | undefined,
	): void {
		const number = numberOrThrow(from);
		const latest = this.latestTo.get(number);
		this.addToBlacklist(kind, number);
		for (const pool of this.poolsOf(latest, category)) pool.blacklists[kind].add(number);
		latest?.setState(state);
	}

	/** Puts the numbers of messages that have bounced by now on the bounce list. */
	private settleBounces(): void {
		const due = this.bouncing.filter((message) => message.state === 'bounced');
		if (due.length === 0) return;
		this.bouncing = this.bouncing.filter((message) => message.state !== 'bounced');
		for (const message of due) {
			this.accountBlacklists.bounces.add(message.number, () => this.createId());
			for (const pool of this.poolsOf(message)) pool.blacklists.bounces.add(message.number);
		}
	}

	private messageOrThrow(snapshotId: string): SimMessage {
		const message = this.bySnapshot.get(snapshotId);
		if (message === undefined) throw new Error(`No message has the snapshot id ${snapshotId}`);
		return message;
	}
}

/** An odd number that JSON.parse rounds. */
function longId(place: number): string {
	return String(FIRST_LONG_ID + 2n * BigInt(place));
}

/** The i-th number of a bulk load: +33600000000 onwards. */
export function bulkNumber(index: number): string {
	return `+33${600_000_000 + index}`;
}

function poolIn(pools: Map<string, Pool>, key: string): Pool {
	let pool = pools.get(key);
	if (pool === undefined) {
		pool = new Pool();
		pools.set(key, pool);
	}
	return pool;
}

/** How credits are computed is not shown; here 1 within France and 1.5 elsewhere. */
function creditsFor(number: string): number {
	return number.startsWith('+33') ? 1 : 1.5;
}

/** Interface document section 8: with a custom sender, on campaigns, and on marketing to French numbers. */
function withStopMention({ kind, sender, number, campaignId, text }: MessageInput): string {
	const isFrenchMarketing = kind === 'marketing' && number.startsWith('+33');
	const added = sender !== undefined && (campaignId !== undefined || isFrenchMarketing);
	return added ? `${text} STOP 36XXX` : text;
}

function numberOrThrow(input: string): string {
	const number = parseNumber(input);
	if (number === undefined) throw new Error(`${input} is not a phone number`);
	return number;
}
