import type { IContextObject, IDataObject } from 'n8n-workflow';
import { InputError } from '../service/InputError';
import { fingerprint } from './fingerprint';
import type { Prepared } from './operation';

/** The state of a request that an earlier try made. */
export type Receipt = { state: 'accepted'; answer: IDataObject } | { state: 'unknown' };

/**
 * Checksums that tell whether a request is the same as at the last try: it has the same target, and the same content
 * or the same source.
 */
export interface RequestIdentity {
	/** Of whom it is about: another recipient is always another message. */
	target?: string;
	/** Of what is sent. */
	content?: string;
	/** Checksum of the parameters as typed and of the input item: `$now` gives another text at a retry, this stays. */
	source?: string;
	/** Checksums that duplicates of it share. */
	dedupeKeys?: readonly string[];
}

/** Checksums of an item, by which a retry recognises it. */
export function identityOf(
	{ target, content = target, dedupeBy = [] }: Prepared,
	source?: readonly unknown[],
): RequestIdentity {
	return {
		target: target && fingerprint(...target),
		content: content && fingerprint(...content),
		source: source && fingerprint(...source),
		dedupeKeys: dedupeBy.map(({ what, value }) => fingerprint(what, value) ?? value),
	};
}

/** `null` in the place of an answer: unknown. */
type Entry = [
	target: string | null,
	content: string | null,
	source: string | null,
	answer: IDataObject | null,
	dedupeKeys?: readonly string[],
];

/** The receipts of one run of the node, by item and step. */
type Page = Record<string, Entry[]>;

/** As it is stored with an execution. */
interface Book {
	v: 1;
	runs: Record<string, Page>;
	/** The run whose results n8n has got. */
	over?: string;
}

const VERSION = 1;
/** All calls that an agent makes of the node as a tool share one page. */
const TOOL_PAGE = 'tool';

/**
 * The requests that this execution has made, in n8n's node context: it survives Retry On Fail and is stored with a
 * failed execution, so that "Retry execution" sends only the rest. About 60 bytes per request.
 *
 * In a loop, the receipts of earlier runs are dropped, as n8n has their results. Where an agent calls the node as a
 * tool, each call and each try is another run: then only unknown requests are kept, since an agent that says the same
 * again may mean it.
 */
export class Receipts {
	private readonly page: Page;
	private readonly book: Book;
	private readonly run: string;

	/** @throws InputError for receipts that another version of this package has written */
	constructor(
		memory: IContextObject,
		runIndex: number,
		private readonly isTool = false,
	) {
		this.book = readBook(memory);
		this.run = isTool ? TOOL_PAGE : String(runIndex);
		const { over } = this.book;
		if (over !== undefined && over !== this.run) delete this.book.runs[over];
		delete this.book.over;
		this.page = this.book.runs[this.run] ??= {};
	}

	/** Called when n8n has got the results. */
	handOver(): void {
		if (!this.isTool) {
			this.book.over = this.run;
			return;
		}
		for (const [key, entries] of Object.entries(this.page)) {
			const unknown = entries.filter(([, , , answer]) => answer === null);
			if (unknown.length > 0) this.page[key] = unknown;
			else delete this.page[key];
		}
	}

	/** @param key the item's index, with `:step` where an item makes several requests */
	find(key: string, identity: RequestIdentity): Receipt | undefined {
		const entry = this.entryOf(key, identity);
		if (entry === undefined) return undefined;
		const [, , , answer] = entry;
		return answer === null ? { state: 'unknown' } : { state: 'accepted', answer };
	}

	/**
	 * The one place that decides whether an earlier try settles a request: it was accepted, or may have been.
	 *
	 * @param mayRepeat repeating it does no harm, or the user allowed it
	 * @returns undefined where the request is to be made
	 */
	settled(key: string, identity: RequestIdentity, mayRepeat: boolean): Receipt | undefined {
		const receipt = this.find(key, identity);
		return receipt?.state === 'unknown' && mayRepeat ? undefined : receipt;
	}

	/**
	 * Writes a request down before it leaves: from here to its answer, it is unknown.
	 *
	 * @returns how to write down what became of it
	 */
	begin(key: string, identity: RequestIdentity) {
		const before = this.entryOf(key, identity);
		this.replace(key, identity, null);
		return {
			accepted: (answer: IDataObject) => {
				// A tool's steps make up a whole, which a failed call has not reached.
				if (this.isTool && !key.includes(':')) this.remove(key, identity);
				else this.replace(key, identity, answer);
			},
			/** It certainly was not carried out: what was known before holds again. */
			notSent: () => {
				this.remove(key, identity);
				if (before !== undefined) this.entriesOf(key).push(before);
			},
		};
	}

	/** Whether an earlier try made anything. */
	get isEmpty(): boolean {
		return Object.keys(this.page).length === 0;
	}

	/** Whether a step of an item, or of any item, was made or may have been. */
	hasSteps(index?: number): boolean {
		const start = index === undefined ? undefined : this.keyOf(`${index}:`);
		return Object.keys(this.page).some((key) =>
			start === undefined ? key.includes(':') : key.startsWith(start),
		);
	}

	/** Items of earlier tries by their dedupe keys. */
	dedupeKeys(): Map<string, number> {
		return new Map(
			Object.entries(this.page).flatMap(([key, entries]) =>
				entries.flatMap(([, , , , dedupeKeys = []]) => {
					const index = this.isTool ? 0 : Number.parseInt(key, 10);
					return dedupeKeys.map((each) => [each, index] as const);
				}),
			),
		);
	}

	private entryOf(key: string, { target, content, source }: RequestIdentity): Entry | undefined {
		const same = this.page[this.keyOf(key)]?.filter(
			([knownTarget, knownContent, knownSource]) =>
				knownTarget === (target ?? null) &&
				((content !== undefined && knownContent === content) ||
					(source !== undefined && knownSource === source)),
		);
		return same?.find(([, , , answer]) => answer !== null) ?? same?.[0];
	}

	private replace(key: string, identity: RequestIdentity, answer: IDataObject | null): void {
		this.remove(key, identity);
		const { target = null, content = null, source = null, dedupeKeys = [] } = identity;
		const entry: Entry = [target, content, source, answer];
		if (dedupeKeys.length > 0) entry.push(dedupeKeys);
		this.entriesOf(key).push(entry);
	}

	private remove(key: string, identity: RequestIdentity): void {
		const entry = this.entryOf(key, identity);
		if (entry === undefined) return;
		const entries = this.entriesOf(key);
		entries.splice(entries.indexOf(entry), 1);
		if (entries.length === 0) delete this.page[this.keyOf(key)];
	}

	private entriesOf(key: string): Entry[] {
		return (this.page[this.keyOf(key)] ??= []);
	}

	/** All calls of a tool have the item index 0: their identity tells them apart. */
	private keyOf(key: string): string {
		return this.isTool ? key.replace(/^\d+/, '') : key;
	}
}

function readBook(memory: IContextObject): Book {
	const book = (memory.smsReceipts ??= { v: VERSION, runs: {} }) as Partial<Book>;
	if (book.v === VERSION && book.runs !== undefined) return book as Book;
	throw new InputError(
		'What this execution has sent so far was written down by another version of the SMS nodes',
		'Nothing is sent, because some of it could be sent twice. Retry the execution with the version that it began with, or start a new one.',
	);
}
