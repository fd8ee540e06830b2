import type { IContextObject, IDataObject } from 'n8n-workflow';
import { fingerprint } from '../fingerprint';
import { InputError } from '../service/InputError';
import type { Host } from './host';

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

/** Changes of one execution to the same target. */
export interface Siblings {
	/** Number of those that are unknown. */
	unknown: number;
	/** When the service is to send those, if later: the last of them. */
	due?: number;
	/** Whether one of those that were accepted has an answer like this. */
	has: (test: (answer: IDataObject) => boolean) => boolean;
}

/** A change whose answer got lost, and all changes of this execution to the same target. */
export interface LostChange extends Lost {
	/** Those to the same target, itself included, as they are now: a tool may be called at the same moment. */
	siblings: () => Siblings;
}

/** The values by which an item is recognised. */
export interface Identifiable {
	/** Whom or what it must be about at a retry to be the same, such as the recipient, or the list. */
	target?: readonly unknown[];
	/** The content that makes two calls of a tool the same. */
	content?: readonly unknown[];
	/** Another item with one of these is a duplicate. */
	dedupeBy?: readonly DedupeKey[];
}

/** What duplicates share. */
export interface DedupeKey {
	/** Stands for it in a reason: "recipient and text". */
	what: string;
	/** Its checksum where it is stored. */
	key: string;
	/** A once key: several items that share it are a mistake that a retry can correct, unlike the same content. */
	isKey?: boolean;
	/** It makes none a duplicate now. It is written down in case that a retry is to skip duplicates. */
	onlyKept?: boolean;
}

/** Tells whether a change is the same as one that was made before. Checksums. */
export interface RequestIdentity {
	/** Of whom or what it is about: another recipient is always another message. */
	target?: string;
	/** Of what is sent: tells the calls of a tool apart, and the steps of an item. */
	content?: string;
	/** Name of the request where an item makes several. */
	step?: string;
	/** What duplicates of it share. */
	dedupeKeys?: readonly DedupeKey[];
}

/**
 * Checksums of an item, by which a retry recognises it.
 *
 * @param kind of the operation: at a retry with another one, what was deleted isn't added, and what was added isn't updated
 */
export function identityOf(
	{ target, content, dedupeBy = [] }: Identifiable,
	kind: string,
): RequestIdentity {
	return {
		target: target && fingerprint(kind, ...target),
		content: content && fingerprint(...content),
		dedupeKeys: dedupeBy.map((by) => ({ ...by, key: fingerprint(by.what, by.key) ?? by.key })),
	};
}

/**
 * Where an execution is: a loop runs a node several times, and each try of a person is an execution of its own. All calls
 * of an agent share one run: each call, and each try, is another one for n8n.
 */
type RunPosition = Pick<Host, 'runIndex' | 'executionId' | 'isTool'>;

/** A change as it is stored: with its keys, about 90 bytes. */
type StoredChange = [
	/** Execution that has written it: its position in `executions`. */
	by: number,
	/** Null: unknown. */
	answer: IDataObject | null,
	lost?: Lost | null,
	/** An agent has its result: in the same execution, the same call means another message. */
	isOver?: true,
];

/** As it is stored with an execution. */
interface StoredReceipts {
	v: 2;
	/** Executions that have written into it. */
	executions: string[];
	/** Changes by target, then by run, item and step. A tool may make the same one several times. */
	changes: Record<string, Record<string, StoredChange[]>>;
	/** Run and item that has, or may have, used a dedupe key. */
	dedupe: Record<string, [run: string, index: number]>;
	/** Items that were skipped as duplicates, by run and index, and the dedupe key that they shared. */
	skipped?: Record<string, [target: string, dedupeKey: string]>;
}

const VERSION = 2;
const TOOL_RUN = 'tool';

/**
 * The one record of what an execution has changed, in n8n's node context, which survives Retry On Fail and is stored
 * with a failed execution. It holds for all runs of a loop, tries, retries and calls of a tool, parallel ones too: a
 * change is written down before its request leaves.
 *
 * In a retry, an item is the same while its run, index and target are; a call of a tool while target and content are.
 */
export class Receipts {
	private readonly stored: StoredReceipts;
	private readonly run: string;
	private readonly own: number;
	/** Entries that this run has written, or found. */
	private readonly seen = new Set<StoredChange>();
	/** Results that the agent had got when this call of a tool began: it means another message. */
	private readonly over: ReadonlySet<StoredChange>;
	/** Items that have begun while another one had their dedupe key: where that was not sent, the first of them has it. */
	private readonly next = new Map<string, Set<number>>();

	/**
	 * @param memories the node contexts of all nodes of the execution
	 * @throws InputError for receipts that another version of this package has written
	 */
	constructor(
		memory: IContextObject,
		private readonly position: RunPosition,
		private readonly memories: () => readonly IContextObject[],
	) {
		this.stored = readStored(memory);
		this.run = position.isTool ? TOOL_RUN : String(position.runIndex);
		const { executions } = this.stored;
		const known = executions.indexOf(position.executionId);
		this.own = known < 0 ? executions.length : known;
		const isOver = ([by, , , isOver]: StoredChange) => isOver === true && by === this.own;
		// A loop has many runs, and no calls.
		const calls = position.isTool ? Object.values(this.stored.changes) : [];
		this.over = new Set(calls.flatMap((of) => Object.values(of).flat()).filter(isOver));
	}

	/** A person retries an execution that has changed something: Retry On Fail is the same execution. */
	get isRetry(): boolean {
		return this.stored.executions.some((id) => id !== this.position.executionId);
	}

	/** Neither this execution nor one that it retries has changed anything, in any of its nodes. */
	get isEmpty(): boolean {
		return this.all.every(({ changes }) => Object.keys(changes).length === 0);
	}

	/** Items of other runs of the node that were accepted. */
	get acceptedInOtherRuns(): number {
		return Object.values(this.stored.changes)
			.flatMap((ofTarget) => Object.entries(ofTarget))
			.filter(([key]) => !isStep(key) && !this.isOfRun(key))
			.flatMap(([, entries]) => entries)
			.filter(([, answer]) => answer !== null).length;
	}

	/** Called when n8n has got the results: what an agent calls again now is another message. Other calls go on. */
	handOver(): void {
		if (!this.position.isTool) return;
		for (const entry of this.seen) {
			const [by, answer, lost = null] = entry;
			if (by === this.own && answer !== null) entry.splice(2, 2, lost, true);
		}
	}

	find(index: number, identity: RequestIdentity): Receipt | undefined {
		const entry = this.entryOf(index, identity);
		if (entry === undefined) return undefined;
		const [by, answer, lost] = entry;
		if (answer !== null) return { state: 'accepted', answer };
		return { state: 'unknown', isOwn: by === this.own, ...lost! };
	}

	/**
	 * Writes a change down before its request leaves: from here to its answer, it is unknown.
	 *
	 * @returns how to write down when it leaves, and what became of it
	 */
	begin(index: number, identity: RequestIdentity) {
		const before = this.entryOf(index, identity);
		const lost: Lost = { since: 0, at: 0 };
		const leaves = (due?: number) => {
			lost.at = Date.now();
			lost.since = before?.[2]?.since ?? lost.at;
			if (due !== undefined) lost.due = due;
		};
		leaves();
		const entry: StoredChange = [this.ownExecution(), null, lost];
		this.replace(index, identity, before, entry);
		const claimed = this.claimKeys(index, identity);
		const others = (identity.dedupeKeys ?? []).flatMap(({ key }) =>
			claimed.includes(key) ? [] : this.nextOf(key),
		);
		for (const next of others) next.add(index);
		return {
			/** @param due when the service is to send it, if later; milliseconds */
			leaves,
			accepted: (answer: IDataObject) => {
				entry.splice(1, 2, answer);
				// Another call of a tool, which had them, may have been refused meanwhile.
				this.claimKeys(index, identity);
			},
			/** It certainly was not carried out: what was known before holds again. */
			notSent: () => {
				this.replace(index, identity, entry, before);
				if (before !== undefined) return;
				for (const next of others) next.delete(index);
				for (const each of claimed) this.passOn(each);
			},
		};
	}

	/** Writes down that a change was carried out whose answer got lost; or values of an item, for a retry. */
	accept(index: number, identity: RequestIdentity, answer: IDataObject): void {
		const before = this.entryOf(index, identity);
		this.replace(index, identity, before, [this.ownExecution(), answer]);
	}

	/** Whether a step of an item was made, or may have been, or one that it shares with other items. */
	hasSteps({ target = '' }: RequestIdentity): boolean {
		return [target, '']
			.flatMap((of) => Object.keys(this.stored.changes[of] ?? {}))
			.some((key) => isStep(key) && this.isOfRun(key));
	}

	/** Keeps that an item is a duplicate: a retry, in which its text may be another one, leaves it out as well. */
	skip(index: number, { target = '' }: RequestIdentity, dedupeKey: string): void {
		if (this.position.isTool) return;
		(this.stored.skipped ??= {})[`${this.run}:${index}`] = [target, dedupeKey];
	}

	/** The dedupe key that an item was skipped for in an earlier try. */
	skippedFor(index: number, { target = '' }: RequestIdentity): string | undefined {
		const [of, key] = this.stored.skipped?.[`${this.run}:${index}`] ?? [];
		return of === target ? key : undefined;
	}

	/** Writes down that an item uses its dedupe keys, or may. @returns those that were free */
	claimKeys(index: number, { dedupeKeys = [] }: RequestIdentity): string[] {
		const { dedupe } = this.stored;
		const free = dedupeKeys.map(({ key }) => key).filter((key) => dedupe[key] === undefined);
		for (const each of free) dedupe[each] = [this.run, index];
		return free;
	}

	private nextOf(key: string): Set<number> {
		const next = this.next.get(key) ?? new Set();
		this.next.set(key, next);
		return next;
	}

	/** Sets a dedupe key free, or gives it to an item that is sent at the same moment. */
	private passOn(key: string): void {
		const { dedupe } = this.stored;
		const next = this.nextOf(key);
		const [index] = next;
		if (index === undefined) {
			delete dedupe[key];
			return;
		}
		next.delete(index);
		dedupe[key] = [this.run, index];
	}

	/** Whether an item has claimed its once key in this execution: a retry may have been given another one. */
	hasClaimedKey(index: number, { dedupeKeys = [] }: RequestIdentity): boolean {
		return dedupeKeys.every(({ isKey, key }) => !isKey || this.hasClaimed(key, index));
	}

	/** Whether an item has, or may have, used a dedupe key itself. The calls of a tool count as one. */
	private hasClaimed(key: string, index: number): boolean {
		const [run, other] = this.stored.dedupe[key] ?? [];
		return run === this.run && (this.position.isTool || other === index);
	}

	/** @returns the item that has, or may have, used a dedupe key, undefined for none but this one */
	usedBy(
		key: string,
		{ index, mayRepeat = false }: { index: number; mayRepeat?: boolean },
	): { index: number; isThisRun: boolean } | undefined {
		const [run, other] = this.stored.dedupe[key] ?? [];
		// To an agent, the same call is another message.
		const isOwn = this.hasClaimed(key, index) && (mayRepeat || !this.position.isTool);
		return other === undefined || isOwn
			? undefined
			: { index: other, isThisRun: run === this.run };
	}

	/** All changes of this execution, in any node, to the same target. */
	toTarget(target = ''): Siblings {
		const entries = this.all.flatMap(({ changes }) =>
			Object.values(changes[target] ?? {}).flat(),
		);
		const unknown = entries.filter(([, answer]) => answer === null);
		const dues = unknown.flatMap(([, , lost]) => lost?.due ?? []);
		return {
			unknown: unknown.length,
			due: dues.length === 0 ? undefined : Math.max(...dues),
			has: (test) => entries.some(([, answer]) => answer !== null && test(answer)),
		};
	}

	/** Those of all nodes of this package in the execution, its own included. */
	private get all(): StoredReceipts[] {
		const all = this.memories().map(({ smsReceipts }): unknown => smsReceipts);
		return [...new Set<unknown>([this.stored, ...all])].filter(isStored);
	}

	private entryOf(index: number, identity: RequestIdentity): StoredChange | undefined {
		const { target = '' } = identity;
		const entries = this.stored.changes[target]?.[this.keyOf(index, identity)] ?? [];
		const open = entries.filter((entry) => !this.over.has(entry));
		const entry = open.find(([, answer]) => answer !== null) ?? open[0];
		if (entry !== undefined) this.seen.add(entry);
		return entry;
	}

	/** Puts an entry in the place of another one; undefined for none. */
	private replace(
		index: number,
		identity: RequestIdentity,
		old: StoredChange | undefined,
		entry: StoredChange | undefined,
	): void {
		const { target = '' } = identity;
		const { changes } = this.stored;
		const ofTarget = (changes[target] ??= {});
		const key = this.keyOf(index, identity);
		const entries = (ofTarget[key] ?? []).filter((each) => each !== old);
		if (entry !== undefined) {
			entries.push(entry);
			this.seen.add(entry);
		}
		if (entries.length > 0) {
			ofTarget[key] = entries;
			return;
		}
		delete ofTarget[key];
		if (Object.keys(ofTarget).length === 0) delete changes[target];
	}

	private ownExecution(): number {
		this.stored.executions[this.own] ??= this.position.executionId;
		return this.own;
	}

	/** All calls of a tool have the item index 0: their content tells them apart. */
	private keyOf(index: number, { content = '', step }: RequestIdentity): string {
		const { isTool } = this.position;
		const item = isTool ? this.run : `${this.run}:${index}`;
		if (step !== undefined) return `${item}:${content}:${step}`;
		return isTool ? `${item}:${content}` : item;
	}

	private isOfRun(key: string): boolean {
		return key.startsWith(`${this.run}:`);
	}
}

/** Keys of whole items have one colon. */
function isStep(key: string): boolean {
	return key.split(':').length > 2;
}

/** Whether they are receipts of this version. */
function isStored(stored: unknown): stored is StoredReceipts {
	const { v, executions, changes, dedupe } = (stored ?? {}) as Partial<StoredReceipts>;
	return v === VERSION && [executions, changes, dedupe].every(Boolean);
}

function readStored(memory: IContextObject): StoredReceipts {
	const empty: StoredReceipts = { v: VERSION, executions: [], changes: {}, dedupe: {} };
	const stored: unknown = (memory.smsReceipts ??= empty);
	if (isStored(stored)) return stored;
	throw new InputError(
		'What this execution has sent so far was written down by another version of the SMS nodes',
		'Nothing is sent, because some of it could be sent twice. Retry the execution with the version that it began with, or start a new one.',
	);
}
