import type { IContextObject, IDataObject } from 'n8n-workflow';
import { InputError } from '../service/InputError';

/** What is known of a request that was made before: accepted, with what it answered, or unknown. */
export type Receipt = { state: 'accepted'; kept: IDataObject } | { state: 'unknown' };

/** Writes down what becomes of one request, while it is made. */
export interface ReceiptBook {
	/** The request is about to be made: until more is heard, its fate is unknown. */
	begin(): void;
	/** @param kept what the service answered */
	accepted(kept: IDataObject): void;
	/** The request certainly was not carried out: what was known before `begin` holds again. */
	notCarriedOut(): void;
	/** Whether, as far as is known now, the request may have been carried out. */
	isUnknown(): boolean;
}

/**
 * Checksums that tell whether a request is the one that was made before: it has the same target, and the
 * same content or the same intent.
 */
export interface Identity {
	/** Of whom or what it is about: another recipient is always another message. */
	target?: string;
	/** Of what makes it the same one: for a message, its text. */
	content?: string;
	/**
	 * Of the parameters that make the content, as typed, and of the input item. Unchanged, they mean the
	 * same, even when an expression such as `$now` gives another text at the next try.
	 */
	intent?: string;
	/** Of what it has in common with duplicates of it. */
	alike?: readonly string[];
}

/** `null` in the place of what the service answered: unknown. */
type Entry = [
	target: string | null,
	content: string | null,
	intent: string | null,
	kept: IDataObject | null,
	alike?: readonly string[],
];

/** The receipts of one run of the node, by item and step. */
type Page = Record<string, Entry[]>;

/** As it is stored with an execution. */
interface Book {
	v: 1;
	runs: Record<string, Page>;
	/** The run whose results were handed to n8n. */
	over?: string[];
}

const VERSION = 1;
/** Where an agent invokes the node as a tool, there is one page for all of its calls. */
const TOOL_PAGE = 'tool';

/**
 * The receipts of one run of a node, in n8n's node context: it survives Retry On Fail and is stored
 * with a failed execution, so that "Retry execution" finds it again. About 60 bytes per request.
 *
 * In a loop, what earlier runs of the node accepted has been handed to n8n and is dropped. Where an
 * agent invokes the node as a tool, each call and each try of Retry On Fail is another run: then what
 * is unknown is kept for all of them, and what was accepted was told to the agent, which may mean it
 * when it says the same again.
 */
export class Receipts {
	private readonly page: Page;
	private readonly book: Book;
	private readonly name: string;

	/** @throws InputError for receipts of a later version of this package */
	constructor(
		context: IContextObject,
		runIndex: number,
		private readonly isTool = false,
	) {
		this.book = readBook(context);
		this.name = isTool ? TOOL_PAGE : String(runIndex);
		this.page = this.book.runs[this.name] ??= {};
		for (const run of this.book.over ?? []) if (run !== this.name) delete this.book.runs[run];
		delete this.book.over;
	}

	/** The results of this run go to n8n, which keeps them, or to an agent: the next run drops the receipts. */
	handOver(): void {
		if (!this.isTool) this.book.over = [this.name];
		else this.keepUnknown();
	}

	private keepUnknown(): void {
		for (const [key, entries] of Object.entries(this.page)) {
			const unknown = entries.filter(([, , , kept]) => kept === null);
			if (unknown.length > 0) this.page[key] = unknown;
			else delete this.page[key];
		}
	}

	/**
	 * @param key the item index, with the name of the step where an item makes several requests
	 * @returns undefined when this request has not been made, or another one was
	 */
	find(key: string, identity: Identity): Receipt | undefined {
		const entry = this.entryOf(key, identity);
		if (entry === undefined) return undefined;
		const [, , , kept] = entry;
		return kept === null ? { state: 'unknown' } : { state: 'accepted', kept };
	}

	/** Whether a step of an item, or without one of any, was made, or may have been. */
	hasSteps(index?: number): boolean {
		const isStep = (key: string) =>
			index === undefined ? key.includes(':') : key.startsWith(this.keyOf(`${index}:`));
		return Object.keys(this.page).some(isStep);
	}

	/** Where it is written down what becomes of a request. */
	bookOf(key: string, identity: Identity): ReceiptBook {
		let before: Entry | undefined;
		return {
			begin: () => {
				before = this.entryOf(key, identity);
				this.replace(key, identity, null);
			},
			accepted: (kept) => {
				// Steps of a tool lead on to a whole, which a failed call has not reached.
				if (this.isTool && !key.includes(':')) this.remove(key, identity);
				else this.replace(key, identity, kept);
			},
			notCarriedOut: () => {
				this.remove(key, identity);
				if (before !== undefined) this.entriesOf(key).push(before);
			},
			isUnknown: () => this.find(key, identity)?.state === 'unknown',
		};
	}

	/**
	 * Of what was made before, or may have been: what duplicates are recognised by, and the item; undefined
	 * for that of another call of a tool.
	 */
	alike(): Map<string, number | undefined> {
		return new Map(
			Object.entries(this.page).flatMap(([key, entries]) =>
				entries.flatMap(([, , , , alike = []]) =>
					alike.map((each) => {
						const index = this.isTool ? undefined : Number.parseInt(key, 10);
						return [each, index] as const;
					}),
				),
			),
		);
	}

	/**
	 * Answers to all that was made in this run of the node, whatever its items are by now; null where that is
	 * unknown.
	 */
	made(): Array<IDataObject | null> {
		return Object.values(this.page)
			.flat()
			.map(([, , , kept]) => kept);
	}

	private entryOf(key: string, { target, content, intent }: Identity): Entry | undefined {
		const same = this.page[this.keyOf(key)]?.filter(
			([knownTarget, knownContent, knownIntent]) =>
				knownTarget === (target ?? null) &&
				((content !== undefined && knownContent === content) ||
					(intent !== undefined && knownIntent === intent)),
		);
		return same?.find(([, , , kept]) => kept !== null) ?? same?.[0];
	}

	private replace(key: string, identity: Identity, kept: IDataObject | null): void {
		this.remove(key, identity);
		const { target = null, content = null, intent = null, alike = [] } = identity;
		const entry: Entry = [target, content, intent, kept];
		if (alike.length > 0) entry.push(alike);
		this.entriesOf(key).push(entry);
	}

	private remove(key: string, identity: Identity): void {
		const entry = this.entryOf(key, identity);
		if (entry === undefined) return;
		const entries = this.entriesOf(key);
		entries.splice(entries.indexOf(entry), 1);
		if (entries.length === 0) delete this.page[this.keyOf(key)];
	}

	private entriesOf(key: string): Entry[] {
		return (this.page[this.keyOf(key)] ??= []);
	}

	/** The calls of a tool all have the item index 0: what they are tells them apart. */
	private keyOf(key: string): string {
		return this.isTool ? key.replace(/^\d+/, '') : key;
	}
}

function isBook(book: Partial<Book>): book is Book {
	return book.v === VERSION && book.runs !== undefined;
}

function readBook(context: IContextObject): Book {
	const book = context.smsReceipts as Partial<Book> | undefined;
	if (book === undefined) {
		const empty: Book = { v: VERSION, runs: {} };
		context.smsReceipts = empty;
		return empty;
	}
	if (isBook(book)) return book;
	throw new InputError(
		'What this execution has sent so far was written down by another version of the SMS nodes',
		'Nothing is sent, because some of it could be sent twice. Retry the execution with the version that it began with, or start a new one.',
	);
}
