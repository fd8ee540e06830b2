import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { readPace } from '../shared/fields/pace';
import type { Guard } from '../shared/run/guards';
import type { OpenEntry, Prepared, RunInfo } from '../shared/run/operation';
import {
	invalid,
	NOT_STARTED,
	StepFailed,
	unknownBefore,
	type Outcome,
} from '../shared/run/outcome';
import { STORE_TIMING, type Fate } from './storeTiming';
import { InputError } from '../shared/service/InputError';
import { KeyStore, MOST_AT_ONCE, type Claimed, type Known, type Settled } from './KeyStore';
import { isWrongMode } from './StoreLock';

/** A message that must not be sent twice for the same key by its node. */
export interface KeyedMessage extends Prepared {
	onceKey: string | undefined;
}

/** How many keys are claimed at first. */
const FIRST_CLAIM = 250;
/**
 * What that grows to while messages go fast: each claim makes n8n write its whole store. After a kill, the
 * messages of so many, an eighth more and one for each place at most are unknown, most of them not begun.
 */
const CLAIMED_PER_PLACE = 50;
const LARGEST_CLAIM = 2_000;
/** How long to wait before it is asked again what another execution is sending; it doubles. Milliseconds. */
const FIRST_LOOK = 50;

/** An item that waits for its key to be claimed. */
interface Waiting {
	key: string;
	resendUnknown: boolean;
	isClosed: () => boolean;
	answer: (admission: Admission) => void;
	fail: (error: unknown) => void;
}

/** Whether a message was accepted, as the store is told. */
type Admission = { outcome: Outcome } | { ticket: Ticket } | undefined;
interface Ticket {
	settle(fate: Fate): void;
}

type KeyedRun = Pick<RunInfo, 'execution' | 'items' | 'options' | 'isDry'>;

/**
 * Claims the once key of each message before it is sent, in n8n's deduplication store, and writes down what
 * became of the message. A key that was free is released when its message certainly was not sent; one that
 * was not is left as it was.
 */
export function onceKeys(run: KeyedRun): Guard<KeyedMessage> {
	return run.isDry ? {} : new OnceKeys(run);
}

/** What keeps a message back whose key is known; undefined when it is sent. */
function refusal({ state }: Known, resendUnknown: boolean): { outcome: Outcome } | undefined {
	if (state === 'free') return undefined;
	if (state === 'sent') {
		const reason = 'Sent before with the same key by this node';
		return { outcome: { status: 'skipped', reason } };
	}
	if (resendUnknown) return undefined;
	const outcome =
		state === 'claimed'
			? unknownBefore(
					'Another execution is sending a message with the same key, or was stopped',
				)
			: unknownBefore();
	return { outcome };
}

function keysOf(asked: ReadonlyArray<{ prepared: KeyedMessage }>): string[] {
	return asked.flatMap(({ prepared }) => prepared.onceKey ?? []);
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
	private readonly tickets = new Map<number, Ticket>();
	private store?: KeyStore;
	private readonly waiting: Waiting[] = [];
	private isClaiming = false;
	/** Claimed, and not settled yet. */
	private readonly held = new Set<Claimed>();
	private readonly concurrency: number;
	/** Most keys that are claimed at once. */
	private readonly largest: number;
	private size: number;
	private claimedAt?: number;
	private settled: Settled[] = [];
	private written: Promise<void> = Promise.resolve();
	private hasEnded = false;
	private problem?: string;

	constructor(private readonly run: KeyedRun) {
		const { concurrency, requestsPerSecond } = readPace(run.options);
		this.concurrency = concurrency;
		this.largest = Math.min(concurrency * CLAIMED_PER_PLACE, LARGEST_CLAIM);
		const inTime = Math.ceil((requestsPerSecond * STORE_TIMING.signOfLife) / 2_000);
		this.size = Math.min(FIRST_CLAIM, this.largest, inTime || Infinity);
	}

	/** @throws InputError, StepFailed where n8n has no store, or another node uses it */
	async begin(entries: ReadonlyArray<OpenEntry<KeyedMessage>>): Promise<void> {
		if (keysOf(entries).length === 0) return;
		this.store = openStore(this.run);
		void this.keepUp();
	}

	check(
		entry: OpenEntry<KeyedMessage>,
		isClosed: () => boolean,
	): Promise<Outcome | undefined> | undefined {
		const { onceKey: key, resendUnknown = false } = entry.prepared;
		if (key === undefined) return undefined;
		return new Promise((resolve, fail) => {
			const answer = (admission: Admission) => {
				if (admission !== undefined && 'outcome' in admission)
					return resolve(admission.outcome);
				if (admission !== undefined) this.tickets.set(entry.index, admission.ticket);
				resolve(undefined);
			};
			this.waiting.push({ key, resendUnknown, isClosed, answer, fail });
			// In the next turn: by then, those that come together are all waiting.
			if (this.waiting.length === 1) void Promise.resolve().then(() => this.next());
		});
	}

	done({ index }: OpenEntry<KeyedMessage>, { status }: Outcome): void {
		const fate =
			status === 'done' ? 'accepted' : status === 'unknown' ? 'unknown' : 'notCarriedOut';
		this.tickets.get(index)?.settle(fate);
	}

	async end(): Promise<string | undefined> {
		this.hasEnded = true;
		await this.write();
		return this.problem;
	}

	/** Claims the next keys when those before are nearly through, so that no place stays empty. */
	private next(): void {
		if (this.isClaiming || this.waiting.length === 0) return;
		if (this.held.size > this.concurrency + this.size / 8) return;
		this.isClaiming = true;
		this.adapt();
		const chunk = this.waiting.splice(0, this.size);
		void this.claim(chunk).finally(() => {
			this.isClaiming = false;
			this.next();
		});
	}

	/** Each sign of life of a key takes room until it is sent: most messages go before one is due. */
	private adapt(): void {
		const { claimedAt: before, largest, size } = this;
		this.claimedAt = performance.now();
		if (before === undefined) return;
		const isSlow = this.claimedAt - before > STORE_TIMING.signOfLife / 2;
		this.size = isSlow ? Math.ceil(size / 2) : Math.min(size * 2, largest);
	}

	/** Before, the store hears what was sent so far: after a kill, only the rest is unknown. */
	private async claim(chunk: Waiting[]): Promise<void> {
		await this.write();
		try {
			await this.decide(await this.found(chunk), true);
		} catch (error) {
			failAll(chunk, error);
		}
	}

	/**
	 * What is free goes at once: only the signs of life of what goes keep others away while the rest is asked for.
	 *
	 * @returns what is known of the rest
	 */
	private async found(waiting: readonly Waiting[]): Promise<Array<[Waiting, Known]>> {
		const { isClosed } = waiting[0];
		const own = await this.store!.claim(
			waiting.map(({ key }) => key),
			isClosed,
		);
		for (const one of waiting) if (own.has(one.key)) this.go(one, firstClaim(one.key));
		const others = waiting.filter(({ key }) => !own.has(key));
		const known = await this.store!.ask(
			others.map(({ key }) => key),
			isClosed,
		);
		return others.flatMap((one): Array<[Waiting, Known]> => {
			const found = known.get(one.key);
			// It was stopped before it was asked for.
			if (found === undefined) one.answer({ outcome: NOT_STARTED });
			return found === undefined ? [] : [[one, found]];
		});
	}

	/** @param mayWait for what another execution is sending just now */
	private async decide(asked: ReadonlyArray<[Waiting, Known]>, mayWait: boolean): Promise<void> {
		const busy: (typeof asked)[number][] = [];
		const again: (typeof asked)[number][] = [];
		for (const [one, known] of asked) {
			const refused = refusal(known, one.resendUnknown);
			if (known.state === 'claimed' && mayWait) busy.push([one, known]);
			else if (refused !== undefined) one.answer(refused);
			else again.push([one, known]);
		}
		for (let start = 0; start < again.length; start += MOST_AT_ONCE)
			await this.goAgain(again.slice(start, start + MOST_AT_ONCE));
		// After what can fail, and then answers them all.
		if (busy.length > 0) void this.wait(busy);
	}

	/** Sends what is unknown again, unless another execution is doing so. */
	private async goAgain(again: ReadonlyArray<[Waiting, Known]>): Promise<void> {
		const { own, others } = await this.store!.claimAgain(
			again.map(([{ key }, { step }]) => ({ key, step })),
		);
		const claims = new Map(own.map((claimed) => [claimed.key, claimed]));
		for (const [one] of again) {
			const claimed = claims.get(one.key);
			const known = others.get(one.key)!;
			if (claimed !== undefined) this.go(one, claimed);
			else if (known.state === 'sent') one.answer(refusal(known, false));
			else one.answer(refusal({ ...known, state: 'claimed' }, false));
		}
	}

	/**
	 * Waits for what another execution is sending: mostly, it is accepted in a moment. Before it is sent again,
	 * it has to be sure that the other one is gone.
	 */
	private async wait(busy: ReadonlyArray<[Waiting, Known]>): Promise<void> {
		const { sending, abandoned } = STORE_TIMING;
		const begun = performance.now();
		const { isClosed } = busy[0][0];
		let open = [...busy];
		try {
			for (let pause = FIRST_LOOK; open.length > 0; pause *= 2) {
				const waited = performance.now() - begun;
				const next = waited < sending ? sending : abandoned;
				if (!isClosed()) await sleep(Math.min(pause, next - waited));
				const now = performance.now() - begun;
				const found = await this.found(open.map(([one]) => one));
				const before = new Map(open);
				const isStill = ([one, { state }]: [Waiting, Known]) =>
					state === 'claimed' && now < (one.resendUnknown ? abandoned : sending);
				// Of one that has gone on since, the step is not the one that was seen: it stays its own.
				const seen = found.map(([one, known]): [Waiting, Known] => [
					one,
					known.state === 'claimed' ? before.get(one)! : known,
				]);
				await this.decide(
					seen.filter((one) => !isStill(one)),
					false,
				);
				open = seen.filter(isStill);
			}
		} catch (error) {
			failAll(
				open.map(([one]) => one),
				error,
			);
		}
	}

	private go(one: Waiting, claimed: Claimed): void {
		this.held.add(claimed);
		one.answer({ ticket: this.ticket(claimed) });
	}

	private ticket(claimed: Claimed): Ticket {
		return {
			settle: (fate) => {
				this.held.delete(claimed);
				this.settled.push({ claimed, fate });
				this.next();
			},
		};
	}

	/**
	 * Until the end of the run, the store hears in time which messages were sent, and that the others are not
	 * abandoned: so nobody sends them again.
	 */
	private async keepUp(): Promise<void> {
		const { latestWrite, signOfLife } = STORE_TIMING;
		let earlier = new Set<Claimed>();
		let shownAt = performance.now();
		for (;;) {
			await sleep(latestWrite);
			if (this.hasEnded) return;
			await this.write();
			if (performance.now() - shownAt < signOfLife) continue;
			shownAt = performance.now();
			const still = [...this.held].filter((claimed) => earlier.has(claimed));
			earlier = new Set(this.held);
			if (still.length > 0) await this.inTurn(async (store) => await renew(store, still));
		}
	}

	/** Tells the store what became of messages; otherwise the next claim does. */
	private async write(): Promise<void> {
		const settled = this.settled.splice(0);
		if (settled.length === 0) return await this.written;
		await this.inTurn(async (store) => await store.settle(settled));
	}

	private async inTurn(work: (store: KeyStore) => Promise<void>): Promise<void> {
		this.written = this.written.then(async () => {
			try {
				await work(this.store!);
			} catch (error) {
				this.problem = notStored(error);
			}
		});
		await this.written;
	}
}

/** Of a key that was free. */
function firstClaim(key: string): Claimed {
	return { key, step: 1, wasFree: true };
}

async function renew(store: KeyStore, held: readonly Claimed[]): Promise<void> {
	let own: Claimed[] | undefined;
	try {
		own = await store.renew(held);
	} finally {
		const steps = new Map(own?.map(({ key, step }) => [key, step]));
		for (const claimed of held) {
			const step = steps.get(claimed.key);
			if (step === undefined) {
				// It may be there all the same: the call failed, or somebody was killed who asked. The next sign has to
				// be another one. From now on, it can't be told from one of somebody else, who would lose the key if
				// it were set free.
				claimed.step += 2;
				claimed.wasFree = false;
			} else claimed.step = step;
		}
	}
}

function failAll(waiting: readonly Waiting[], error: unknown): void {
	const failure = noStore(error);
	for (const { fail } of waiting) fail(failure);
}

/** The messages are sent; a later execution with the same keys will call them unknown. */
function notStored(error: unknown): string {
	return `n8n could not store which keys were sent (${invalid(error).message}); a later execution will report them as unknown.`;
}

/** Nothing can be sent without the store: what was not claimed yet does not go. */
function noStore(error: unknown): StepFailed {
	const why = isWrongMode(error)
		? "a Remove Duplicates node of this workflow has used it with the scope 'Workflow'"
		: invalid(error).message;
	return new StepFailed({
		status: 'notSent',
		message: `n8n's store of keys that were sent before can't be used: ${why}`,
		advice: isWrongMode(error)
			? "Set its 'Scope' to 'Node', then run its operation 'Clear Deduplication History' once with the scope 'Workflow'. Nothing is sent without checking 'Once Key'."
			: "Nothing is sent without checking 'Once Key'. Run these items again: those that were sent are skipped.",
		transient: false,
		general: true,
		cause: 'configuration-invalid',
	});
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
	const { workflow } = context as IExecuteFunctions & {
		workflow?: {
			nodes?: Record<
				string,
				{
					name: string;
					type: string;
					disabled?: boolean;
					parameters: { options?: unknown };
				}
			>;
		};
	};
	const sharing = Object.values(workflow?.nodes ?? {}).find(
		({ type, disabled, parameters: { options } }) =>
			type === REMOVE_DUPLICATES &&
			disabled !== true &&
			(options as { scope?: unknown } | undefined)?.scope === 'workflow',
	);
	if (sharing === undefined) return;
	throw new InputError(
		`The node '${sharing.name}' shares n8n's store with 'Once Key'`,
		`Set 'Scope' under Options of '${sharing.name}' (Remove Duplicates) to 'Node'.`,
	);
}
