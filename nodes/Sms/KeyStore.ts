import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import type { Fate } from '../shared/run/outcome';
import type { StoreTiming } from '../shared/run/timing';
import { StoreLock } from './StoreLock';

/** n8n keeps this many entries: two for each key whose message was sent. */
const KEPT_ENTRIES = 200_000;
/**
 * To take an entry out, n8n compares it with all that are older, about 15 ns each, and does nothing else
 * meanwhile. So many comparisons take as long as it takes n8n to read and write a full store: about 75 ms.
 */
const COMPARISONS_AT_ONCE = 5_000_000;
/** Keys that are taken out in one call: each call has n8n write its whole store. */
const LEAST_AT_ONCE = 20;
const MOST_AT_ONCE = 1_000;

/** Tells the entries of this version of the nodes from those of others in the same store. */
const VERSION = 1;

/**
 * What the store knows of a key.
 *
 * - `free`: nobody had it. It is claimed now, at step 1.
 * - `sent`: the service has accepted its message.
 * - `unknown`: whoever sent its message heard no answer.
 * - `claimed`: somebody is sending its message, or was killed meanwhile.
 */
export interface Known {
	state: 'free' | 'sent' | 'unknown' | 'claimed';
	/** The last step of the key: claimed (1), unknown (2), claimed again (3), unknown again (4), ... */
	step: number;
	/** Somebody was killed who asked for it: that it was sent can't be told any more. */
	isDoubtful?: boolean;
}

/** A key that this run has claimed. */
export interface Claimed {
	key: string;
	step: number;
	/** Nobody had it before. */
	wasFree?: boolean;
	isDoubtful?: boolean;
}
/** What became of its message. */
export interface Settled {
	claimed: Claimed;
	fate: Fate;
}

/**
 * Once keys in n8n's own deduplication store, which lasts across executions and is shared by all workers. They
 * belong to the node.
 *
 * A key gets an entry for each step before the step is done: so what is claimed first is never sent twice, and
 * whoever dies in between leaves a key that is claimed. All calls are made under a lock. The store can't be
 * asked without being written to: whoever asks whether a key was sent writes `asked` together with `sent`,
 * and takes out what was not there. A crash in between can turn *sent* into *unknown*, never the other way.
 */
export class KeyStore {
	private readonly lock: StoreLock;
	private readonly options: ICheckProcessedOptions;
	/** Room for all: nothing is pushed out by what is taken out again at once. */
	private readonly roomy: ICheckProcessedOptions;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		workflowId: string,
		items: number,
		timing: StoreTiming,
	) {
		this.lock = new StoreLock(helpers, workflowId, timing);
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_ENTRIES, 4 * items) };
		this.roomy = { ...this.options, maxEntries: Number.MAX_SAFE_INTEGER };
	}

	/**
	 * Claims keys that are free, and asks what is known of the others.
	 *
	 * @param keys without repetitions
	 * @param settled what became of messages before, written down in the same call
	 * @param isStopped ends the waiting for the store, and the asking
	 * @returns what is known of each, in order: where the asking was stopped, that the others are claimed;
	 *   undefined where it was stopped before, with nothing written
	 * @throws Error where the store can't be used: then none of the keys may be relied on
	 */
	async claim(
		keys: readonly string[],
		settled: readonly Settled[] = [],
		isStopped?: () => boolean,
	): Promise<Known[] | undefined> {
		const claims = keys.map((key) => stepEntry(1, key));
		const added = await this.lock.hold(
			async () => await this.record([...entriesOf(settled), ...claims]),
			isStopped,
		);
		if (added === undefined) return undefined;
		const known = new Map<string, Known>();
		const others = keys.filter((_, at) => !added.has(claims[at]));
		let isKnown = false;
		try {
			await this.putBack(settled);
			await this.inParts(others, async (part) => await this.ask(part, known), isStopped);
			isKnown = true;
		} finally {
			const own = keys.filter((_, at) => added.has(claims[at]));
			if (!isKnown) await this.putBack(own.map(unused));
		}
		return keys.map(
			(key, at): Known =>
				known.get(key) ?? { state: added.has(claims[at]) ? 'free' : 'claimed', step: 1 },
		);
	}

	/** The same without claiming any, and without waiting. */
	async look(keys: readonly string[]): Promise<Known[]> {
		const known = new Map<string, Known>();
		// Not even a row is made where there is none.
		const asked = (await this.count()) === 0 ? [] : keys;
		await this.inParts(asked, async (part) => {
			const claims = part.map((key) => stepEntry(1, key));
			const added = await this.record(claims, this.roomy);
			await this.remove(claims.filter((entry) => added.has(entry)));
			const others = part.filter((_, at) => !added.has(claims[at]));
			await this.ask(others, known);
		});
		return keys.map((key): Known => known.get(key) ?? { state: 'free', step: 1 });
	}

	/**
	 * Claims keys again: those whose messages are unknown, or were claimed by one that is gone; and those of
	 * this run, as a sign of life.
	 *
	 * @param claimed at the step that was last seen
	 * @returns those that nobody else has claimed again since, at their new step
	 */
	async claimAgain(claimed: readonly Claimed[]): Promise<Claimed[]> {
		const next = claimed.map((one) => ({ ...one, step: one.step + 1 + (one.step % 2) }));
		// With all steps before it: a call before may have failed.
		const entries = next.flatMap(({ key, step }) => stepsUpTo(step, key));
		const added = await this.lock.hold(async () => await this.record(entries));
		return next.filter(({ key, step }) => added!.has(stepEntry(step, key)));
	}

	/** Writes down what became of the messages of keys that were claimed. */
	async settle(settled: readonly Settled[]): Promise<void> {
		const entries = entriesOf(settled);
		if (entries.length > 0) await this.lock.hold(async () => await this.record(entries));
		await this.putBack(settled);
	}

	/** Takes out what is true no more: keys that were free, and whose messages certainly were not sent, are free again. */
	private async putBack(settled: readonly Settled[]): Promise<void> {
		await this.inParts(settled.filter(isFreeAgain), async (part) => {
			// Somebody who took this run to be gone may have claimed the key again.
			const further = part.map(({ claimed: { key, step } }) => stepEntry(step + 1, key));
			const added = await this.record(further, this.roomy);
			const own = part.filter((_, at) => added.has(further[at]));
			await this.remove(
				own.flatMap(({ claimed: { key, step } }) => stepsUpTo(step + 1, key)),
			);
		});
		await this.inParts(settled.filter(isBeyondDoubt), async (part) => {
			await this.remove(part.map(({ claimed }) => askedEntry(claimed.key)));
		});
	}

	/**
	 * @param claimed keys that have been claimed before, whoever did
	 * @param known gets what is known of them
	 */
	private async ask(claimed: readonly string[], known: Map<string, Known>): Promise<void> {
		const asked = await this.record(
			claimed.flatMap((key) => [askedEntry(key), sentEntry(key)]),
			this.roomy,
		);
		// What was written to ask. What an asker has left that was killed stays: it casts doubt on the key.
		const written = [...asked];
		for (const key of claimed) {
			const isDoubtful = !asked.has(askedEntry(key));
			if (isDoubtful) known.set(key, { state: 'claimed', step: 1, isDoubtful });
			else if (!asked.has(sentEntry(key))) known.set(key, { state: 'sent', step: 1 });
		}
		let open = claimed.filter((key) => known.get(key)?.state !== 'sent');
		for (let step = 2; open.length > 0; step++) {
			const further = open.map((key) => stepEntry(step, key));
			const added = await this.record(further, this.roomy);
			written.push(...added);
			for (const key of open.filter((_, at) => added.has(further[at]))) {
				const isDoubtful = known.get(key)?.isDoubtful;
				const state = step % 2 === 0 ? 'claimed' : 'unknown';
				known.set(key, { state, step: step - 1, isDoubtful });
			}
			open = open.filter((_, at) => !added.has(further[at]));
		}
		await this.remove(written);
	}

	/** A lock for each part: nobody waits for long, and n8n does other things in between. */
	private async inParts<T>(
		all: readonly T[],
		work: (part: readonly T[]) => Promise<void>,
		isStopped = () => false,
	): Promise<void> {
		if (all.length === 0) return;
		const count = all.length > LEAST_AT_ONCE ? await this.count() : 0;
		const most = Math.floor(COMPARISONS_AT_ONCE / (count + MOST_AT_ONCE));
		const size = Math.min(MOST_AT_ONCE, Math.max(LEAST_AT_ONCE, most));
		for (let start = 0; start < all.length && !isStopped(); start += size) {
			await this.lock.hold(async () => await work(all.slice(start, start + size)), isStopped);
		}
	}

	private async count(): Promise<number> {
		return await this.helpers.getProcessedDataCount('node', this.options);
	}

	/** @returns the entries that were not there */
	private async record(entries: string[], options = this.options): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		this.lock.check();
		const { new: added } = await this.helpers.checkProcessedAndRecord(entries, 'node', options);
		return new Set(added.map(String));
	}

	private async remove(entries: string[]): Promise<void> {
		if (entries.length === 0) return;
		this.lock.check();
		await this.helpers.removeProcessed(entries, 'node', this.options);
	}
}

/** A key that was free, and whose message does not go. */
function unused(key: string): Settled {
	return { claimed: { key, step: 1, wasFree: true }, fate: 'notCarriedOut' };
}

/** The message of a key that was free certainly was not sent. */
function isFreeAgain({ claimed, fate }: Settled): boolean {
	return claimed.wasFree === true && fate === 'notCarriedOut';
}

function isBeyondDoubt({ claimed, fate }: Settled): boolean {
	return claimed.isDoubtful === true && fate === 'accepted';
}

/** A key that was unknown before is unknown again, unless its message was accepted. */
function entriesOf(settled: readonly Settled[]): string[] {
	return settled
		.filter((one) => !isFreeAgain(one))
		.map(({ claimed: { key, step }, fate }) =>
			fate === 'accepted' ? sentEntry(key) : stepEntry(step + 1, key),
		);
}

function stepsUpTo(last: number, key: string): string[] {
	return Array.from({ length: last }, (_, before) => stepEntry(before + 1, key));
}

function stepEntry(step: number, key: string): string {
	return `sms:${VERSION}:${step}:${key}`;
}

function sentEntry(key: string): string {
	return `sms:${VERSION}:sent:${key}`;
}

function askedEntry(key: string): string {
	return `sms:${VERSION}:asked:${key}`;
}
