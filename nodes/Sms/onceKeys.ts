import { sleep, type IDataObject, type IExecuteFunctions, type INode } from 'n8n-workflow';
import { readPace } from '../shared/fields/pace';
import type { Client } from '../shared/run/client';
import type { Claims, End, Guard, OpenEntry, RunInfo } from '../shared/run/operation';
import { invalid, NOT_STARTED, StepFailed, type Failed, type Outcome } from '../shared/run/outcome';
import { unknownBefore } from '../shared/run/unknown';
import { InputError } from '../shared/service/InputError';
import { KeyStore } from './KeyStore';
import { STORE_TIMING } from './storeTiming';

/**
 * Sending for which keys are claimed at once, in milliseconds: each claim has n8n write its whole store, and after a
 * kill, the messages of claimed keys are unknown, also those that had not begun.
 */
const CLAIMED_AHEAD = 2_000;
/** The same, in times of a claim: the store holds a run up by a twentieth at most. */
const CLAIMS_AHEAD = 20;
/** Keys that are claimed at once at most: for each request that may be in flight, and in all. */
const CLAIMED_PER_SLOT = 50;
const LARGEST_CLAIM = 2_000;
/** Milliseconds until a key is asked for again that another execution has claimed; doubles. */
const FIRST_POLL = 50;

/** An item that waits for its key. */
interface Waiting {
	key: string;
	/** Undefined: the key is claimed, and the message may be sent. */
	answer: (refusal: Outcome | undefined) => void;
}

type KeyedRun = Pick<RunInfo, 'execution' | 'items' | 'options' | 'dryRun'>;

const hasNoKey = ({ prepared }: OpenEntry) => prepared.onceKey === undefined;

const SENT: Outcome = {
	status: 'skipped',
	message: 'Sent before with this key (another text or number needs another key)',
	isSent: true,
};
const CLAIMED = unknownBefore(
	'Another execution with this key may have sent this: it was stopped, lost the answer, or is still sending',
	'otherExecution',
);

/** @throws InputError where n8n has no store, or another node uses it */
function openStore({ execution, items }: KeyedRun): KeyStore {
	if (execution === undefined) {
		throw new InputError(
			"'Once Key' can't be used here, because n8n doesn't let tools that are called in this way store anything",
			"Remove 'Once Key' under Safeguards, or use a sub-workflow with the SMS node in it as the tool.",
		);
	}
	refuseSharedStore(execution);
	const owner = { workflowId: execution.getWorkflow().id ?? '', nodeId: execution.getNode().id };
	return new KeyStore(execution.helpers, owner, items);
}

/**
 * Claims the once key of each message before it is sent, in n8n's deduplication store, and writes down that it was
 * sent: the one place that keeps a key from being used twice. A key whose message certainly was not sent is free again;
 * one whose message is unknown is used up. A dry run only looks at keys, a test run not even that.
 */
export class OnceKeys implements Claims {
	private store?: KeyStore;
	private readonly waiting: Waiting[] = [];
	private isClaiming = false;
	private begun = 0;
	/** Keys that were asked for since then, and those of them that were free. */
	private asked = 0;
	private claimed = 0;
	/** Milliseconds. */
	private longestClaim = 0;
	private readonly held = new Set<string>();
	private client?: Client;
	private isStopped = () => false;
	private readonly sent: string[] = [];
	private readonly released: string[] = [];
	private written: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private notMarked?: string;
	private notReleased?: string;

	constructor(private readonly run: KeyedRun) {}

	/** Ends those whose keys are used, in a dry run: it claims none later. */
	readonly look: Guard = async (entries, _client, end) => {
		if (this.run.dryRun !== undefined) await this.lookAt(entries, end);
	};

	begin(entries: readonly OpenEntry[], client: Client, isStopped: () => boolean): void {
		this.client = client;
		this.isStopped = isStopped;
		if (this.run.dryRun !== undefined || entries.every(hasNoKey)) return;
		this.store = openStore(this.run);
		this.begun = performance.now();
		void this.keepUp();
	}

	async endUsed(entries: readonly OpenEntry[], end: End): Promise<void> {
		await this.write();
		// Without the store, nothing is known of them: they stay as they are.
		await this.lookAt(entries, end).catch(() => {});
	}

	/** @throws InputError, StepFailed where the store can't be used */
	private async lookAt(entries: readonly OpenEntry[], end: End): Promise<void> {
		if (this.run.dryRun?.isTest || entries.every(hasNoKey)) return;
		const store = this.store ?? openStore(this.run);
		const keys = new Set(entries.flatMap(({ prepared }) => prepared.onceKey ?? []));
		const { free, sent } = await store.look([...keys]).catch((error: unknown) => {
			throw new StepFailed(noStore(error));
		});
		for (const entry of entries) {
			const { onceKey } = entry.prepared;
			// A message that is sent again has claimed its key at the first try.
			if (onceKey === undefined || entry.mayRepeat || free.has(onceKey)) continue;
			end(entry, sent.has(onceKey) ? SENT : CLAIMED);
		}
	}

	async claim(entry: OpenEntry): Promise<Outcome | undefined> {
		const { index, identity, prepared, mayRepeat, outcome } = entry;
		const { onceKey: key } = prepared;
		if (key === undefined || this.run.dryRun !== undefined) return undefined;
		const { receipts } = this.client!;
		// A retry may have been given another key, also for what was sent before.
		const wasMade = mayRepeat === true || outcome !== undefined;
		if (wasMade && receipts.hasClaimedKey(index, identity)) return undefined;
		const refusal = await new Promise<Outcome | undefined>((answer) => {
			this.waiting.push({ key, answer });
			// In the next turn: by then, all items of a chunk are waiting.
			if (this.waiting.length === 1) void sleep(0).then(() => this.next());
		});
		// No request may follow that would write it down.
		if (wasMade && refusal === undefined) receipts.claimKeys(index, identity);
		return refusal;
	}

	done({ prepared: { onceKey: key } }: OpenEntry, { status }: Outcome): void {
		if (key === undefined || this.run.dryRun !== undefined) return;
		this.held.delete(key);
		if (status === 'done') this.sent.push(key);
		else if (status !== 'unknown') this.released.push(key);
		this.next();
	}

	async close(): Promise<string | undefined> {
		this.hasEnded = true;
		await this.write();
		return this.notMarked ?? this.notReleased;
	}

	/** Claims no more keys than the free slots, and those that are going to be free soon, need. */
	private next(): void {
		if (this.isClaiming || this.waiting.length === 0) return;
		if (this.isStopped()) {
			for (const { answer } of this.waiting.splice(0)) answer(NOT_STARTED);
			return;
		}
		const { concurrency } = this.client!;
		const free = concurrency - this.held.size;
		const ended = this.asked - this.held.size;
		const elapsed = Math.max(performance.now() - this.begun, 1);
		const perMillisecond = ended / elapsed;
		// Early enough that no slot stays empty.
		if (free + perMillisecond * 2 * this.longestClaim < 1) return;
		const ahead = Math.max(CLAIMED_AHEAD, CLAIMS_AHEAD * this.longestClaim);
		const wanted = Math.max(free, Math.ceil(perMillisecond * ahead));
		const most = Math.min(concurrency * CLAIMED_PER_SLOT, LARGEST_CLAIM);
		const size = Math.min(wanted, this.atPace(elapsed + ahead), most);
		if (size === 0) return;
		const chunk = this.waiting.splice(0, size);
		this.asked += chunk.length;
		this.isClaiming = true;
		const begun = performance.now();
		void this.claimAll(chunk).finally(() => {
			this.isClaiming = false;
			this.longestClaim = Math.max(this.longestClaim, performance.now() - begun);
			this.next();
		});
	}

	/**
	 * Keys to ask for so that as many are free as the pace lets begin, if as many are as so far.
	 *
	 * @param time since the beginning of the run, in milliseconds
	 */
	private atPace(time: number): number {
		const { requestsPerSecond } = readPace(this.run.options);
		if (requestsPerSecond === 0) return Infinity;
		// The first one begins at once.
		const missing = Math.floor(1 + (requestsPerSecond * time) / 1_000) - this.claimed;
		return Math.max(0, Math.ceil((missing * (this.asked + 1)) / (this.claimed + 1)));
	}

	/** The store hears first what was sent so far: after a kill, only the rest is unknown. */
	private async claimAll(chunk: Waiting[]): Promise<void> {
		await this.write();
		void this.wait(await this.claimFree(chunk));
	}

	/** Answers those whose keys are free, or sent; all where the store can't be used. @returns the others */
	private async claimFree(waiting: readonly Waiting[]): Promise<Waiting[]> {
		const { isStopped } = this;
		const store = this.store!;
		const keysOf = (some: readonly Waiting[]) => some.map(({ key }) => key);
		try {
			const own = await store.claim(keysOf(waiting), isStopped);
			this.claimed += own.size;
			for (const { key, answer } of waiting) {
				if (!own.has(key)) continue;
				this.held.add(key);
				answer(undefined);
			}
			const others = waiting.filter(({ key }) => !own.has(key));
			const sent = await store.findSent(keysOf(others), isStopped);
			return others.filter(({ key, answer }) => {
				if (sent.has(key)) answer(SENT);
				else if (isStopped()) answer(NOT_STARTED);
				else return true;
				return false;
			});
		} catch (error) {
			const refusal = noStore(error);
			for (const { answer } of waiting) answer(refusal);
			return [];
		}
	}

	/** Waits for messages that other executions are sending: mostly, they are accepted in a moment. */
	private async wait(busy: Waiting[]): Promise<void> {
		const end = performance.now() + STORE_TIMING.sending;
		let left = busy;
		for (let pause = FIRST_POLL; left.length > 0; pause *= 2) {
			const rest = end - performance.now();
			if (rest <= 0) break;
			await sleep(Math.min(pause, rest));
			left = await this.claimFree(left);
		}
		for (const { answer } of left) answer(CLAIMED);
	}

	/** Until the end of the run, the store hears in time which messages were sent, and what the pace allows is claimed. */
	private async keepUp(): Promise<void> {
		while (!this.hasEnded) {
			await this.write();
			this.next();
			await sleep(STORE_TIMING.latestWrite);
		}
	}

	/** Writes down which messages were sent, and sets keys free; one call after the other. */
	private async write(): Promise<void> {
		await (this.written = this.written.then(async () => await this.writeNow()));
	}

	private async writeNow(): Promise<void> {
		const { store } = this;
		if (store === undefined) return;
		const sent = this.sent.splice(0);
		try {
			await store.markSent(sent);
			this.notMarked = undefined;
		} catch (error) {
			// The next call tries it again: otherwise, these messages would be unknown for good.
			this.sent.unshift(...sent);
			this.notMarked = notStored(error);
			return;
		}
		// Not a second time: after a lost answer, the key may be another execution's.
		await store.release(this.released.splice(0)).catch((error: unknown) => {
			this.notReleased = notStored(error);
		});
	}
}

/** For a later execution, keys without their second entry are unknown. */
function notStored(error: unknown): string {
	return `n8n could not store which keys were sent (${invalid(error).message}); a later execution will report them as unknown.`;
}

/** Without the store, nothing is sent. */
function noStore(error: unknown): Failed {
	return {
		status: 'notSent',
		message: `n8n's store of keys that were sent before can't be used: ${invalid(error).message}`,
		advice: "Nothing is sent without checking 'Once Key'. If the reason names 'Keep Items Where', a Remove Duplicates node has used the store: run its operation 'Clear Deduplication History' once with the scope 'Workflow'.",
		transient: false,
		concernsAll: true,
		cause: 'configuration-invalid',
	};
}

/**
 * A Remove Duplicates node with the scope 'Workflow' keeps its items where the lock of the keys is, and can
 * take the lock away.
 *
 * @throws InputError naming the node
 */
function refuseSharedStore(context: IExecuteFunctions): void {
	// n8n's context has the workflow, without declaring it.
	const { workflow } = context as IExecuteFunctions & { workflow?: { nodes?: object } };
	const sharing = Object.values<INode>({ ...workflow?.nodes }).find(
		({ type, disabled, parameters: { options } }) =>
			type === 'n8n-nodes-base.removeDuplicates' &&
			disabled !== true &&
			(options as IDataObject | undefined)?.scope === 'workflow',
	);
	if (sharing === undefined) return;
	throw new InputError(
		`The node '${sharing.name}' shares n8n's store with 'Once Key'`,
		`Set 'Scope' under Options of '${sharing.name}' (Remove Duplicates) to 'Node'.`,
	);
}
