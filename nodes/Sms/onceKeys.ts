import { sleep, type IDataObject, type IExecuteFunctions, type INode } from 'n8n-workflow';
import { readPace } from '../shared/fields/pace';
import type { Client } from '../shared/run/client';
import type { Claims, End, Guard } from '../shared/run/guards';
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
import { KeyStore } from './KeyStore';
import { STORE_TIMING } from './storeTiming';

/** A message that its node must not send twice for the same key. */
export interface KeyedMessage extends Prepared {
	onceKey: string | undefined;
}

/**
 * Keys that are claimed at once: for each concurrent request, and at most. Each claim has n8n write its whole store;
 * after a kill, the messages of so many are unknown, most of them not begun.
 */
const CLAIMED_PER_SLOT = 50;
const LARGEST_CLAIM = 2_000;
/** Seconds of sending for which keys are claimed, where the pace is limited. */
const CLAIMED_AHEAD = 10;
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
 *
 * @returns what claims them; a dry run only looks, without claiming a key
 */
export function onceKeys(run: KeyedRun): {
	looks: Array<Guard<KeyedMessage>>;
	claims?: Claims<KeyedMessage>;
} {
	if (run.dryRun === undefined) return { looks: [], claims: new OnceKeys(run) };
	if (run.dryRun.isTest) return { looks: [] };
	const begin: Guard<KeyedMessage>['begin'] = async (entries, _client, end) => {
		if (keysOf(entries).length === 0) return;
		const store = openStore(run);
		await endUsed(entries, store, end).catch((error: unknown) => {
			throw new StepFailed(noStore(error));
		});
	};
	return { looks: [{ begin }] };
}

/** Ends messages whose keys are used. */
async function endUsed(
	entries: ReadonlyArray<OpenEntry<KeyedMessage>>,
	store: KeyStore,
	end: End,
): Promise<void> {
	const { free, sent } = await store.look([...new Set(keysOf(entries))]);
	for (const entry of entries) {
		const { onceKey } = entry.prepared;
		// One that is sent again has claimed its own.
		if (onceKey === undefined || entry.mayRepeat || free.has(onceKey)) continue;
		end(entry, sent.has(onceKey) ? SENT : CLAIMED);
	}
}

const SENT: Outcome = {
	status: 'skipped',
	message: 'Sent before with this key',
	isSent: true,
};
const CLAIMED = unknownBefore(
	'Another execution with this key was stopped while it sent this, lost the answer, or is sending it',
	'otherExecution',
);

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
	return new KeyStore(execution.helpers, owner, items);
}

class OnceKeys implements Claims<KeyedMessage> {
	private store?: KeyStore;
	private readonly waiting: Waiting[] = [];
	private isClaiming = false;
	private readonly held = new Set<string>();
	/** Keys that the pace lets be sent in the time ahead. */
	private readonly inTime: number;
	private client?: Client;
	private readonly sent: string[] = [];
	private readonly released: string[] = [];
	private written: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private notMarked?: string;
	private notReleased?: string;

	constructor(private readonly run: KeyedRun) {
		const { requestsPerSecond } = readPace(run.options);
		this.inTime = Math.ceil(requestsPerSecond * CLAIMED_AHEAD) || Infinity;
	}

	/** @throws InputError where n8n has no store, or another node uses it */
	begin(entries: ReadonlyArray<OpenEntry<KeyedMessage>>, client: Client): void {
		this.client = client;
		if (keysOf(entries).length === 0) return;
		this.store = openStore(this.run);
		void this.keepUp();
	}

	async endUsed(entries: ReadonlyArray<OpenEntry<KeyedMessage>>, end: End): Promise<void> {
		const keyed = entries.filter(({ prepared }) => prepared.onceKey !== undefined);
		if (this.store === undefined || keyed.length === 0) return;
		await this.write();
		// Without the store, nothing is known of them: they stay as they are.
		await endUsed(keyed, this.store, end).catch(() => {});
	}

	claim(
		{ prepared: { onceKey: key } }: OpenEntry<KeyedMessage>,
		isStopped: () => boolean,
	): Promise<Outcome | undefined> | undefined {
		if (key === undefined) return undefined;
		return new Promise((answer) => {
			this.waiting.push({ key, isStopped, answer });
			// In the next turn: by then, all items of a chunk are waiting.
			if (this.waiting.length === 1) void sleep(0).then(() => this.next());
		});
	}

	done({ prepared: { onceKey: key } }: OpenEntry<KeyedMessage>, { status }: Outcome): void {
		if (key === undefined) return;
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

	private next(): void {
		if (this.isClaiming || this.waiting.length === 0) return;
		const { concurrency } = this.client!;
		const size = Math.min(concurrency * CLAIMED_PER_SLOT, LARGEST_CLAIM, this.inTime);
		// Early enough that no slot stays empty.
		if (this.held.size > concurrency + size / 8) return;
		this.isClaiming = true;
		void this.claimAll(this.waiting.splice(0, size)).finally(() => {
			this.isClaiming = false;
			this.next();
		});
	}

	/** The store hears first what was sent so far: after a kill, only the rest is unknown. */
	private async claimAll(chunk: Waiting[]): Promise<void> {
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
		const keysOfOthers = others.map(({ key }) => key);
		const sent = await this.store!.findSent(keysOfOthers, isStopped);
		return others.filter(({ key, answer }) => {
			if (sent.has(key)) answer(SENT);
			else if (isStopped()) answer(NOT_STARTED);
			else return true;
			return false;
		});
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
			refuseAll(left, CLAIMED);
		} catch (error) {
			refuseAll(left, noStore(error));
		}
	}

	/** Until the end of the run, the store hears in time which messages were sent. */
	private async keepUp(): Promise<void> {
		while (!this.hasEnded) {
			await this.write();
			await sleep(STORE_TIMING.latestWrite);
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

function refuseAll(waiting: readonly Waiting[], refusal: Outcome): void {
	for (const { answer } of waiting) answer(refusal);
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
		advice: "Nothing is sent without checking 'Once Key'. Run these items again: those that were sent are skipped. If the reason names 'Keep Items Where', a Remove Duplicates node has used the store: run its operation 'Clear Deduplication History' once with the scope 'Workflow'.",
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
