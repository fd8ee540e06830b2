import { sleep, type IDataObject, type IExecuteFunctions, type INode } from 'n8n-workflow';
import { readPace } from '../shared/fields/pace';
import type { Guard } from '../shared/run/guards';
import type { OpenEntry, Prepared, RunInfo } from '../shared/run/operation';
import {
	invalid,
	NOT_STARTED,
	StepFailed,
	unknownBefore,
	type Failed,
	type Outcome,
} from '../shared/run/outcome';
import { InputError } from '../shared/service/InputError';
import { KeyStore, type KeyState } from './KeyStore';
import { isWrongMode } from './StoreLock';
import { STORE_TIMING } from './storeTiming';

/** A message that its node must not send twice for the same key. */
export interface KeyedMessage extends Prepared {
	onceKey: string | undefined;
}

/**
 * Keys that are claimed at once: at first, for each concurrent request, and at most. Each claim has n8n write its whole
 * store; after a kill, the messages of so many are unknown, most of them not begun.
 */
const FIRST_CLAIM = 250;
const CLAIMED_PER_SLOT = 50;
const LARGEST_CLAIM = 2_000;
/** A claim that lasts for longer is followed by a smaller one. Milliseconds. */
const SLOW = 10_000;
/** Milliseconds until a key is asked for again that another execution has claimed; doubles. */
const FIRST_POLL = 50;

/** An item that waits for its key. */
interface Waiting {
	key: string;
	isStopped: () => boolean;
	/** Undefined: the key is claimed, and the message may be sent. */
	answer: (refusal: Outcome | undefined) => void;
}

type KeyedRun = Pick<RunInfo, 'execution' | 'items' | 'options' | 'dryRun'>;

/**
 * Claims the once key of each message before it is sent, in n8n's deduplication store, and writes down that it was
 * sent. A key whose message certainly was not sent is free again; one whose message is unknown is used up.
 */
export function onceKeys(run: KeyedRun): Guard<KeyedMessage> {
	if (run.dryRun === undefined) return new OnceKeys(run);
	return run.dryRun.isTest ? {} : onceKeysLookedUp(run);
}

/** Shows in a dry run what becomes of each message, without claiming a key. */
function onceKeysLookedUp(run: KeyedRun): Guard<KeyedMessage> {
	return {
		async begin(entries) {
			const keys = [...new Set(keysOf(entries))];
			if (keys.length === 0) return;
			const store = openStore(run);
			const states = await store.look(keys).catch((error: unknown) => {
				throw new StepFailed(noStore(error));
			});
			for (const entry of entries) {
				const { onceKey } = entry.prepared;
				if (onceKey !== undefined && entry.outcome === undefined)
					entry.outcome = refusalOf(states.get(onceKey)!);
			}
		},
	};
}

/** Why a message isn't sent; undefined where its key is free. */
function refusalOf(state: KeyState): Outcome | undefined {
	if (state === 'free') return undefined;
	if (state === 'sent') {
		const reason =
			"Sent before with the same key by this node. To send it again, run the workflow with this item only, and with another key, such as '{{ $json.orderId }}-again'";
		return { status: 'skipped', reason };
	}
	return unknownBefore(
		'n8n was stopped while it sent this, the answer was lost, or another execution with the same key is still sending it',
	);
}

function keysOf(entries: ReadonlyArray<{ prepared: KeyedMessage }>): string[] {
	return entries.flatMap(({ prepared }) => prepared.onceKey ?? []);
}

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
	return new KeyStore(execution.helpers, owner, items, STORE_TIMING);
}

class OnceKeys implements Guard<KeyedMessage> {
	private store?: KeyStore;
	private readonly waiting: Waiting[] = [];
	private isClaiming = false;
	private readonly held = new Set<string>();
	private readonly concurrency: number;
	private readonly largest: number;
	private size: number;
	private claimedAt?: number;
	private readonly sent: string[] = [];
	private readonly released: string[] = [];
	private written: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private notMarked?: string;
	private notReleased?: string;

	constructor(private readonly run: KeyedRun) {
		const { concurrency, requestsPerSecond } = readPace(run.options);
		this.concurrency = concurrency;
		this.largest = Math.min(concurrency * CLAIMED_PER_SLOT, LARGEST_CLAIM);
		const inTime = Math.ceil((requestsPerSecond * SLOW) / 1_000);
		this.size = Math.min(FIRST_CLAIM, this.largest, inTime || Infinity);
	}

	/** @throws InputError where n8n has no store, or another node uses it */
	begin(entries: ReadonlyArray<OpenEntry<KeyedMessage>>): void {
		if (keysOf(entries).length === 0) return;
		this.store = openStore(this.run);
		void this.keepUp();
	}

	check(
		{ prepared: { onceKey: key } }: OpenEntry<KeyedMessage>,
		isStopped: () => boolean,
	): Promise<Outcome | undefined> | undefined {
		if (key === undefined) return undefined;
		return new Promise((answer) => {
			this.waiting.push({ key, isStopped, answer });
			// In the next turn: by then, all items of a chunk are waiting.
			if (this.waiting.length === 1) void Promise.resolve().then(() => this.next());
		});
	}

	done({ prepared: { onceKey: key } }: OpenEntry<KeyedMessage>, { status }: Outcome): void {
		if (key === undefined) return;
		this.held.delete(key);
		if (status === 'done') this.sent.push(key);
		else if (status !== 'unknown') this.released.push(key);
		this.next();
	}

	async end(): Promise<string | undefined> {
		this.hasEnded = true;
		await this.write();
		return this.notMarked ?? this.notReleased;
	}

	/** Claims the next keys when those before are nearly through, so that no slot stays empty. */
	private next(): void {
		if (this.isClaiming || this.waiting.length === 0) return;
		if (this.held.size > this.concurrency + this.size / 8) return;
		this.isClaiming = true;
		this.adaptSize();
		const chunk = this.waiting.splice(0, this.size);
		void this.claim(chunk).finally(() => {
			this.isClaiming = false;
			this.next();
		});
	}

	private adaptSize(): void {
		const { claimedAt: before, largest, size } = this;
		this.claimedAt = performance.now();
		if (before === undefined) return;
		const isSlow = this.claimedAt - before > SLOW;
		this.size = isSlow ? Math.ceil(size / 2) : Math.min(size * 2, largest);
	}

	/** The store hears first what was sent so far: after a kill, only the rest is unknown. */
	private async claim(chunk: Waiting[]): Promise<void> {
		await this.write();
		try {
			const busy = await this.claimFree(chunk);
			if (busy.length > 0) void this.wait(busy);
		} catch (error) {
			refuseAll(chunk, noStore(error));
		}
	}

	/** Answers those whose keys are free, or sent. @returns the others */
	private async claimFree(waiting: readonly Waiting[]): Promise<Waiting[]> {
		const { isStopped } = waiting[0];
		const keysOfAll = waiting.map(({ key }) => key);
		const own = await this.store!.claim(keysOfAll, isStopped);
		for (const { key, answer } of waiting) {
			if (!own.has(key)) continue;
			this.held.add(key);
			answer(undefined);
		}
		const others = waiting.filter(({ key }) => !own.has(key));
		const sent = await this.store!.findSent(
			others.map(({ key }) => key),
			isStopped,
		);
		const left: Waiting[] = [];
		for (const one of others) {
			if (sent.has(one.key)) one.answer(refusalOf('sent'));
			else if (one.isStopped()) one.answer(NOT_STARTED);
			else left.push(one);
		}
		return left;
	}

	/** Waits for messages that other executions are sending: mostly, they are accepted in a moment. */
	private async wait(busy: Waiting[]): Promise<void> {
		const end = performance.now() + STORE_TIMING.sending;
		let left = busy;
		try {
			for (let pause = FIRST_POLL; left.length > 0; pause *= 2) {
				const rest = end - performance.now();
				if (rest <= 0) break;
				await sleep(Math.min(pause, rest));
				left = await this.claimFree(left);
			}
			refuseAll(left, refusalOf('claimed'));
		} catch (error) {
			refuseAll(left, noStore(error));
		}
	}

	/** Until the end of the run, the store hears in time which messages were sent. */
	private async keepUp(): Promise<void> {
		for (;;) {
			await sleep(STORE_TIMING.latestWrite);
			if (this.hasEnded) return;
			await this.write();
		}
	}

	/** Writes down which messages were sent, and sets keys free; one call after the other. */
	private async write(): Promise<void> {
		if (this.store === undefined) return;
		this.written = this.written.then(async () => {
			const sent = this.sent.splice(0);
			try {
				await this.store!.markSent(sent);
				this.notMarked = undefined;
			} catch (error) {
				// The next call tries it again: otherwise, these messages would be unknown for good.
				this.sent.unshift(...sent);
				this.notMarked = notStored(error);
				return;
			}
			// Not a second time: after a lost answer, the key may be another execution's.
			await this.store!.release(this.released.splice(0)).catch((error: unknown) => {
				this.notReleased = notStored(error);
			});
		});
		await this.written;
	}
}

function refuseAll(waiting: readonly Waiting[], refusal: Outcome | undefined): void {
	for (const { answer } of waiting) answer(refusal);
}

/** For a later execution, keys without their second entry are unknown. */
function notStored(error: unknown): string {
	return `n8n could not store which keys were sent (${invalid(error).message}); a later execution will report them as unknown.`;
}

/** Without the store, nothing is sent. */
function noStore(error: unknown): Failed {
	const why = isWrongMode(error)
		? "a Remove Duplicates node of this workflow has used it with the scope 'Workflow'"
		: invalid(error).message;
	return {
		status: 'notSent',
		message: `n8n's store of keys that were sent before can't be used: ${why}`,
		advice: isWrongMode(error)
			? "Set its 'Scope' to 'Node', then run its operation 'Clear Deduplication History' once with the scope 'Workflow'. Nothing is sent without checking 'Once Key'."
			: "Nothing is sent without checking 'Once Key'. Run these items again: those that were sent are skipped.",
		transient: false,
		general: true,
		cause: 'configuration-invalid',
	};
}

const REMOVE_DUPLICATES = 'n8n-nodes-base.removeDuplicates';

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
			type === REMOVE_DUPLICATES &&
			disabled !== true &&
			(options as IDataObject | undefined)?.scope === 'workflow',
	);
	if (sharing === undefined) return;
	throw new InputError(
		`The node '${sharing.name}' shares n8n's store with 'Once Key'`,
		`Set 'Scope' under Options of '${sharing.name}' (Remove Duplicates) to 'Node'.`,
	);
}
