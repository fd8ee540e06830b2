import type { IExecuteFunctions } from 'n8n-workflow';
import { readPace } from '../shared/fields/pace';
import { describeInvalid } from '../shared/run/errors';
import type { Admission, Stage, Ticket } from '../shared/run/admission';
import { mayHaveGone } from '../shared/run/carrier';
import type { Prepared, Renamed } from '../shared/run/entries';
import type { StagedRun } from '../shared/run/operation';
import { HELD_BACK, StepFailed, type Fate, type Outcome } from '../shared/run/outcome';
import { InputError } from '../shared/service/InputError';
import { KeyStore, type Claim } from './KeyStore';

/** A message that must not be sent twice for the same key in its workflow. */
export interface KeyedMessage extends Prepared {
	onceKey: string | undefined;
}

/** How many keys are claimed at first. */
const FIRST_CLAIM = 250;
/**
 * What that grows to while all goes well: each claim makes n8n write its whole store. After a kill, the
 * messages of so many and an eighth more at most are unknown, most of them not begun.
 */
const CLAIMED_PER_PLACE = 50;
const LARGEST_CLAIM = 2_000;

/** An item that waits for its key to be claimed. */
interface Waiting {
	key: string;
	resendUnknown: boolean;
	isClosed: () => boolean;
	answer: (admission: Admission) => void;
	fail: (error: unknown) => void;
}

/**
 * Claims the once key of each message before it is sent, in n8n's deduplication store, and confirms it
 * when the service has accepted the message. A key that was free is released when its message certainly
 * did not go; one that was not is left as it was.
 */
export function onceKeys(
	run: Pick<StagedRun, 'execution' | 'items' | 'options' | 'looksOnly' | 'isTest'>,
): Stage<KeyedMessage> {
	if (run.isTest) return { admit: () => undefined };
	if (run.looksOnly) return onceKeysLookedUp(run);
	return new OnceKeys(run.execution, run.items, readPace(run.options).concurrency);
}

/** What would be said of each message, without claiming anything. */
function onceKeysLookedUp({
	execution,
	items,
}: Pick<StagedRun, 'execution' | 'items'>): Stage<KeyedMessage> {
	const claims = new Map<string, Claim>();
	return {
		async begin(candidates) {
			const keys = candidates.flatMap(({ prepared }) => prepared.onceKey ?? []);
			if (keys.length === 0) return;
			const unique = [...new Set(keys)];
			const store = openStore(execution, items);
			const known = await store.look(unique).catch(async (error: unknown) => {
				await store.close();
				throw noStore(error);
			});
			await store.close();
			if (known === undefined) throw new InputError(...CUT);
			for (const [position, key] of unique.entries()) claims.set(key, known[position]);
		},
		admit({ prepared: { onceKey, resendUnknown = false } }) {
			const claim = onceKey === undefined ? undefined : claims.get(onceKey);
			return claim && refusal(claim, resendUnknown);
		},
	};
}

/** What keeps a message back whose key is known; undefined when it goes. */
function refusal(claim: Claim, resendUnknown: boolean): { outcome: Outcome } | undefined {
	if (claim === 'sent') {
		const reason = 'Sent before with the same key in this workflow';
		return { outcome: { status: 'skipped', reason } };
	}
	if (claim === 'busy') {
		return { outcome: mayHaveGone('Another execution is sending a message with the same key') };
	}
	return claim === 'unknown' && !resendUnknown ? { outcome: mayHaveGone() } : undefined;
}

/** @throws InputError where n8n has no store, or another node cuts it */
function openStore(context: IExecuteFunctions | undefined, items: number): KeyStore {
	if (context === undefined) {
		throw new InputError(
			"'Once Key' can't be used here: n8n gives no store to a tool that is run in this way",
			"Remove 'Once Key' under Safeguards, or call a sub-workflow as the tool, with the SMS node in it.",
		);
	}
	refuseSharedStore(context);
	const { id = '' } = context.getWorkflow();
	return new KeyStore(context.helpers, id, items);
}

class OnceKeys implements Stage<KeyedMessage> {
	private store?: KeyStore;
	private readonly waiting: Waiting[] = [];
	private isClaiming = false;
	/** Claimed, and not settled yet. */
	private underWay = 0;
	/** Most keys that are claimed at once. */
	private readonly largest: number;
	private size: number;
	private accepted: string[] = [];
	private released: string[] = [];
	private written: Promise<void> = Promise.resolve();
	private problem?: string;

	constructor(
		private readonly context: IExecuteFunctions | undefined,
		private readonly items: number,
		concurrency: number,
	) {
		this.largest = Math.min(concurrency * CLAIMED_PER_PLACE, LARGEST_CLAIM);
		this.size = Math.min(FIRST_CLAIM, this.largest);
	}

	/** @throws InputError, StepFailed where n8n has no store, or another node cuts it */
	async begin(
		candidates: ReadonlyArray<{ prepared: KeyedMessage }>,
		_: unknown,
		renamed: ReadonlyArray<Renamed<KeyedMessage>> = [],
	): Promise<void> {
		const asked = [...candidates, ...renamed];
		if (!asked.some(({ prepared }) => prepared.onceKey !== undefined)) return;
		const store = openStore(this.context, this.items);
		const isWhole = await store.open().catch(async (error: unknown) => {
			await store.close();
			throw noStore(error);
		});
		if (!isWhole) {
			await store.close();
			throw new InputError(...CUT);
		}
		this.store = store;
		await this.adopt(renamed).catch((error: unknown) => {
			throw noStore(error);
		});
	}

	/** Gives a key to what an earlier try has made without it, or may have. */
	private async adopt(renamed: ReadonlyArray<Renamed<KeyedMessage>>): Promise<void> {
		const fates = new Map<string, Fate>();
		for (const { prepared, fate } of renamed) {
			const { onceKey } = prepared;
			if (onceKey !== undefined && fates.get(onceKey) !== 'accepted')
				fates.set(onceKey, fate);
		}
		const keys = [...fates.keys()];
		for (let start = 0; start < keys.length; start += LARGEST_CLAIM) {
			const part = keys.slice(start, start + LARGEST_CLAIM);
			const claims = await this.store!.claim(part);
			const own = part.filter((_, position) =>
				['free', 'unknown'].includes(claims[position]),
			);
			const sent = own.filter((key) => fates.get(key) === 'accepted');
			await this.store!.confirm(sent);
			for (const key of own) if (fates.get(key) === 'unknown') this.store!.leave(key);
		}
	}

	admit(
		{ prepared: { onceKey: key, resendUnknown = false } }: { prepared: KeyedMessage },
		isClosed: () => boolean,
	): Promise<Admission> | undefined {
		if (key === undefined) return undefined;
		return new Promise((answer, fail) => {
			this.waiting.push({ key, resendUnknown, isClosed, answer, fail });
			// In the next turn: by then, those that come together are all waiting.
			if (this.waiting.length === 1) void Promise.resolve().then(() => this.next());
		});
	}

	async end(): Promise<string | undefined> {
		this.write(1);
		await this.written;
		await this.store?.close();
		return this.problem;
	}

	/** Claims the next keys when those before are nearly through, so that no place stays empty. */
	private next(): void {
		if (this.isClaiming || this.waiting.length === 0) return;
		if (this.waiting[0].isClosed()) {
			for (const { answer } of this.waiting.splice(0)) answer({ outcome: HELD_BACK });
			return;
		}
		if (this.underWay > this.largest / 8) return;
		this.isClaiming = true;
		const chunk = this.waiting.splice(0, this.size);
		void this.claim(chunk).finally(() => {
			this.isClaiming = false;
			this.next();
		});
	}

	/** In the same call, the store hears what was sent so far: after a kill, only the rest is unknown. */
	private async claim(chunk: Waiting[]): Promise<void> {
		const sent = this.accepted.splice(0);
		this.write(1);
		await this.written;
		try {
			const claims = await this.store!.claim(
				chunk.map(({ key }) => key),
				sent,
			);
			this.size = Math.min(this.size * 2, this.largest);
			chunk.forEach(({ answer, key, resendUnknown }, position) => {
				answer(this.admission(claims[position], key, resendUnknown));
			});
		} catch (error) {
			if (sent.length > 0) this.problem = notStored(error);
			const failure = noStore(error);
			for (const { fail } of chunk) fail(failure);
		}
	}

	private admission(claim: Claim, key: string, resendUnknown: boolean): Admission {
		const refused = refusal(claim, resendUnknown);
		if (refused !== undefined) {
			if (claim === 'unknown') this.store?.leave(key);
			return refused;
		}
		this.underWay++;
		return { ticket: this.ticket(key, claim === 'unknown') };
	}

	private ticket(key: string, wasUnknown: boolean): Ticket {
		return {
			wasUnknown,
			settle: (fate) => {
				this.underWay--;
				if (fate === 'accepted') this.accepted.push(key);
				else if (fate === 'notCarriedOut' && !wasUnknown) this.released.push(key);
				else this.store?.leave(key);
				// Otherwise the next claim tells it.
				if (this.waiting.length === 0) this.write(this.size);
				this.next();
			},
		};
	}

	/** Tells the store what was sent and what was not, when there are enough of them. */
	private write(least: number): void {
		if (this.store === undefined || this.accepted.length + this.released.length < least) return;
		const { store, accepted, released } = this;
		this.accepted = [];
		this.released = [];
		this.written = this.written.then(async () => {
			try {
				if (accepted.length > 0) await store.confirm(accepted);
				if (released.length > 0) await store.release(released);
			} catch (error) {
				this.problem = notStored(error);
			}
		});
	}
}

/** The messages are sent; a later execution with the same keys will call them unknown. */
function notStored(error: unknown): string {
	return `n8n could not store which keys were sent (${describeInvalid(error).message}); a later execution will call them unknown.`;
}

const CUT = [
	"Another node has deleted keys from n8n's store, so that 'Once Key' can't tell what was sent",
	"It is a Remove Duplicates node of this workflow with the scope 'Workflow': set its 'Scope' to 'Node'. Then run its operation 'Clear Deduplication History' once with the scope 'Workflow': the keys used so far are forgotten by that. Nothing was sent.",
] as const;

const STORE_ADVICE =
	"If a Remove Duplicates node of this workflow uses the scope 'Workflow', set it to 'Node'. Nothing is sent without the check of 'Once Key'.";

/** Nothing can be sent without the store: what was not claimed yet does not go. */
function noStore(error: unknown): StepFailed {
	return new StepFailed({
		status: 'notSent',
		message: `n8n's store of keys that were sent before can't be used: ${describeInvalid(error).message}`,
		advice: STORE_ADVICE,
		transient: false,
		general: true,
		cause: 'configuration-invalid',
	});
}

const REMOVE_DUPLICATES = 'n8n-nodes-base.removeDuplicates';

/**
 * A Remove Duplicates node with the scope 'Workflow' keeps its items in the same store, and cuts it to
 * its own history size: keys would be forgotten, and their messages sent again.
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
		`The node '${sharing.name}' shares n8n's store with 'Once Key' and can delete its keys`,
		`Set 'Scope' under Options of '${sharing.name}' (Remove Duplicates) to 'Node'. Nothing was sent.`,
	);
}
