import type { IContextObject, IDataObject } from 'n8n-workflow';
import { fingerprint } from '../fingerprint';
import { InputError } from '../service/InputError';
import type { Prepared } from './operation';

/** A change whose answer got lost, by the clock of n8n. Milliseconds. */
export interface Lost {
	/** When the first request left whose answer got lost, and the last one. */
	since: number;
	at: number;
	/** When the service was to send it, if later. */
	due?: number;
}

/** The state of a change that this execution has made. */
export type Receipt =
	| { state: 'accepted'; answer: IDataObject }
	/** `isOwn`: it was lost in this try of the execution, or is being made right now. */
	| ({ state: 'unknown'; isOwn: boolean } & Lost);

/** Tells whether a change is the same as one that was made before. Checksums. */
export interface RequestIdentity {
	/** Of whom or what it is about: another recipient is always another message. */
	target?: string;
	/** Of what is sent: tells the calls of a tool apart, and the steps of an item. */
	content?: string;
	/** Checksums that duplicates of it share. */
	dedupeKeys?: readonly string[];
}

/** Checksums of an item, by which a retry recognises it. */
export function identityOf({ target, content, dedupeBy = [] }: Prepared): RequestIdentity {
	return {
		target: target && fingerprint(...target),
		content: content && fingerprint(...content),
		dedupeKeys: dedupeBy.map(({ what, value }) => fingerprint(what, value) ?? value),
	};
}

/** Where an execution is: a loop runs a node several times, and each try of a person is an execution of its own. */
export interface Place {
	runIndex: number;
	executionId: string;
	/** All calls of an agent share one page: each call, and each try, is another run. */
	isTool: boolean;
}

/** As it is stored: about 90 bytes. */
type Entry = [
	target: string | null,
	/** Execution that has written it, or was given it: its place in `executions`. */
	by: number,
	/** Null: unknown. */
	answer: IDataObject | null,
	lost?: Lost | null,
	content?: string | null,
	/** An agent has its result: in the same execution, the same call means another message. */
	isOver?: true,
];

/** The receipts of one run of the node, by item and step. */
type Page = Record<string, Entry[]>;

/** As it is stored with an execution. */
interface Book {
	v: 2;
	/** Executions that have written into it. */
	executions: string[];
	runs: Record<string, Page>;
	/** Run and item that has, or may have, used a dedupe key. */
	dedupe: Record<string, [run: string, index: number]>;
	/** Items that were skipped as duplicates, by run and index, and the dedupe key that they shared. */
	skipped?: Record<string, [target: string, dedupeKey: string]>;
}

const VERSION = 2;
const TOOL_PAGE = 'tool';

/**
 * The one record of what an execution has changed, in n8n's node context, which survives Retry On Fail and is stored
 * with a failed execution. It holds for all runs of a loop, tries, retries and calls of a tool, parallel ones too: a
 * change is written down before its request leaves. About 100 bytes for each.
 *
 * In a retry, an item is the same while its run, index and target are; a call of a tool while target and content are.
 */
export class Receipts {
	private readonly book: Book;
	private readonly run: string;
	private readonly own: number;
	private byTarget?: Map<string, Entry[]>;
	/** Entries that this run has written, or found. */
	private readonly seen = new Set<Entry>();

	/** @throws InputError for receipts that another version of this package has written */
	constructor(
		memory: IContextObject,
		private readonly place: Place,
	) {
		this.book = readBook(memory);
		this.run = place.isTool ? TOOL_PAGE : String(place.runIndex);
		const { executions } = this.book;
		const known = executions.indexOf(place.executionId);
		this.own = known < 0 ? executions.length : known;
	}

	/** A person retries an execution that has changed something: Retry On Fail is the same execution. */
	get isRetry(): boolean {
		return this.book.executions.some((id) => id !== this.place.executionId);
	}

	/** Neither this execution nor one that it retries has changed anything. */
	get isEmpty(): boolean {
		return Object.values(this.book.runs).every((page) => Object.keys(page).length === 0);
	}

	/** Items of other runs of the node that were accepted. */
	get acceptedInOtherRuns(): number {
		const others = Object.entries(this.book.runs).filter(([run]) => run !== this.run);
		return others
			.flatMap(([, page]) => Object.entries(page))
			.filter(([key]) => !key.includes(':'))
			.flatMap(([, entries]) => entries)
			.filter(([, , answer]) => answer !== null).length;
	}

	/** Called when n8n has got the results: what an agent calls again now is another message. Other calls go on. */
	handOver(): void {
		if (!this.place.isTool) return;
		for (const entry of this.seen) {
			const [target, by, answer, lost = null, content = null] = entry;
			if (by !== this.own || answer === null) continue;
			entry.splice(0, entry.length, target, by, answer, lost, content, true);
		}
	}

	/** @param key the item's index, with `:step` where an item makes several requests */
	find(key: string, identity: RequestIdentity): Receipt | undefined {
		const entry = this.entryOf(key, identity);
		if (entry === undefined) return undefined;
		const [, by, answer, lost] = entry;
		if (answer !== null) return { state: 'accepted', answer };
		return { state: 'unknown', isOwn: by === this.own, ...lost! };
	}

	/** The same, for a result that is handed out: to a tool, each receipt of an earlier execution once. */
	take(key: string, identity: RequestIdentity): Receipt | undefined {
		const entry = this.entryOf(key, identity);
		const receipt = this.find(key, identity);
		if (this.place.isTool && entry && receipt?.state === 'accepted') entry[1] = this.ownPlace();
		return receipt;
	}

	/**
	 * Writes a change down before its request leaves: from here to its answer, it is unknown.
	 *
	 * @param due when the service is to send it, if later; milliseconds
	 * @returns how to write down what became of it
	 */
	begin(key: string, identity: RequestIdentity, due?: number) {
		const before = this.entryOf(key, identity);
		const at = Date.now();
		const since = before?.[3]?.since ?? at;
		const lost = { since, at, ...(due === undefined ? {} : { due }) };
		const entry = this.write(key, identity, null, lost);
		const claimed = this.claimDedupeKeys(key, identity);
		return {
			accepted: (answer: IDataObject) => {
				entry[2] = answer;
				entry[3] = null;
				if (entry[4] === undefined) entry.length = 3;
			},
			/** It certainly was not carried out: what was known before holds again. */
			notSent: () => {
				this.remove(key, entry);
				if (before !== undefined) this.entriesOf(key).push(before);
				else for (const each of claimed) delete this.book.dedupe[each];
			},
		};
	}

	/** Writes down that a change was carried out whose answer got lost. */
	accept(key: string, identity: RequestIdentity, answer: IDataObject): void {
		this.write(key, identity, answer);
	}

	/** Keeps values of an item for a retry, such as those of a contact that is about to be deleted. */
	keep(key: string, identity: RequestIdentity, values: IDataObject): void {
		this.begin(key, identity).accepted(values);
	}

	/** Whether a step of an item, or of any item, was made or may have been. Calls of a tool are told apart by target. */
	hasSteps({ target }: RequestIdentity, index?: number): boolean {
		const start = index === undefined ? undefined : this.keyOf(`${index}:`);
		return Object.entries(this.page).some(
			([key, entries]) =>
				(start === undefined ? key.includes(':') : key.startsWith(start)) &&
				(!this.place.isTool || entries.some(([of]) => of === null || of === target)),
		);
	}

	/** Keeps that an item is a duplicate: a retry, in which its text may be another one, leaves it out as well. */
	skip(index: number, { target = '' }: RequestIdentity, dedupeKey: string): void {
		if (this.place.isTool) return;
		(this.book.skipped ??= {})[`${this.run}:${index}`] = [target, dedupeKey];
	}

	/** The dedupe key that an item was skipped for in an earlier try. */
	skippedFor(index: number, { target = '' }: RequestIdentity): string[] {
		const [of, key] = this.book.skipped?.[`${this.run}:${index}`] ?? [];
		return key === undefined || of !== target ? [] : [key];
	}

	/** @returns the item that has, or may have, used a dedupe key, undefined for none but this one */
	usedBy(key: string, index: number): { index: number; isThisRun: boolean } | undefined {
		const [run, other] = this.book.dedupe[key] ?? [];
		if (other === undefined) return undefined;
		const isThisRun = run === this.run;
		const isSame = !this.place.isTool && isThisRun && other === index;
		return isSame ? undefined : { index: other, isThisRun };
	}

	/** All changes of this execution to the same target: those that are unknown, and a test for those accepted. */
	toTarget(target = ''): {
		unknown: number;
		due?: number;
		has: (test: (answer: IDataObject) => boolean) => boolean;
	} {
		this.byTarget ??= this.groupByTarget();
		const entries = this.byTarget.get(target) ?? [];
		const unknown = entries.filter(([, , answer]) => answer === null);
		const dues = unknown.flatMap(([, , , lost]) => lost?.due ?? []);
		return {
			unknown: unknown.length,
			due: dues.length === 0 ? undefined : Math.max(...dues),
			has: (test) => entries.some(([, , answer]) => answer !== null && test(answer)),
		};
	}

	private groupByTarget(): Map<string, Entry[]> {
		const groups = new Map<string, Entry[]>();
		const pages = Object.values(this.book.runs);
		for (const entry of pages.flatMap((page) => Object.values(page).flat())) {
			const [target] = entry;
			const group = groups.get(target ?? '');
			if (group === undefined) groups.set(target ?? '', [entry]);
			else group.push(entry);
		}
		return groups;
	}

	private claimDedupeKeys(key: string, { dedupeKeys = [] }: RequestIdentity): string[] {
		const { dedupe } = this.book;
		const free = dedupeKeys.filter((each) => dedupe[each] === undefined);
		for (const each of free) dedupe[each] = [this.run, Number.parseInt(key, 10)];
		return free;
	}

	private entryOf(key: string, { target, content }: RequestIdentity): Entry | undefined {
		const isByContent = this.place.isTool || key.includes(':');
		const same = this.page[this.keyOf(key)]?.filter(
			([ofTarget, by, , , ofContent, isOver]) =>
				ofTarget === (target ?? null) &&
				(!isByContent || (ofContent ?? null) === (content ?? null)) &&
				!(isOver && by === this.own),
		);
		const entry = same?.find(([, , answer]) => answer !== null) ?? same?.[0];
		if (entry !== undefined) this.seen.add(entry);
		return entry;
	}

	private write(
		key: string,
		identity: RequestIdentity,
		answer: IDataObject | null,
		lost: Lost | null = null,
	): Entry {
		const before = this.entryOf(key, identity);
		if (before !== undefined) this.remove(key, before);
		const { target = null, content } = identity;
		const entry: Entry = [target, this.ownPlace(), answer];
		const isByContent = this.place.isTool || key.includes(':');
		if (isByContent && content !== undefined) entry.push(lost, content);
		else if (lost !== null) entry.push(lost);
		this.entriesOf(key).push(entry);
		this.seen.add(entry);
		this.byTarget = undefined;
		return entry;
	}

	private ownPlace(): number {
		this.book.executions[this.own] ??= this.place.executionId;
		return this.own;
	}

	private remove(key: string, entry: Entry): void {
		const entries = this.entriesOf(key);
		const at = entries.indexOf(entry);
		if (at >= 0) entries.splice(at, 1);
		if (entries.length === 0) delete this.book.runs[this.run][this.keyOf(key)];
		this.byTarget = undefined;
	}

	private get page(): Readonly<Page> {
		return this.book.runs[this.run] ?? {};
	}

	private entriesOf(key: string): Entry[] {
		const page = (this.book.runs[this.run] ??= {});
		return (page[this.keyOf(key)] ??= []);
	}

	/** All calls of a tool have the item index 0: their identity tells them apart. */
	private keyOf(key: string): string {
		return this.place.isTool ? key.replace(/^\d+/, '') : key;
	}
}

function readBook(memory: IContextObject): Book {
	const empty: Book = { v: VERSION, executions: [], runs: {}, dedupe: {} };
	const book = (memory.smsReceipts ??= empty) as Partial<Book>;
	const { v, executions, runs, dedupe } = book;
	if (v === VERSION && executions && runs && dedupe) return book as Book;
	throw new InputError(
		'What this execution has sent so far was written down by another version of the SMS nodes',
		'Nothing is sent, because some of it could be sent twice. Retry the execution with the version that it began with, or start a new one.',
	);
}
