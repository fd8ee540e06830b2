import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import type { Fate } from '../shared/run/outcome';
import type { StoreTiming } from '../shared/run/timing';
import { StoreLock } from './StoreLock';

/** Keys that are kept: one entry for each whose message was sent. */
const KEPT_KEYS = 100_000;
/** Room for those that are not sent yet, or are unknown, and for what is written to ask. */
const ROOM = 10_000;
/** Most keys that are asked for, or settled, at once: others wait for the store meanwhile. */
const MOST_AT_ONCE = 500;
/**
 * To take an entry out, n8n compares it with all that are older, 5 to 10 ns each, and does nothing else
 * meanwhile. So many comparisons take about as long as it takes n8n to read a full store and to look into it.
 */
const COMPARISONS_AT_ONCE = 4_000_000;
/** Each call has n8n write its whole store. */
const LEAST_REMOVED = 20;

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
}

/** A key that this run has claimed. */
export interface Claimed {
	key: string;
	step: number;
	/** Nobody had it before. */
	wasFree?: boolean;
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
 * A key is claimed before its message is sent, together with `open`, which is taken out when the message was
 * accepted: so whoever dies in between leaves a key that is claimed. The store can't be asked without being
 * written to. What is written to ask makes a key one that somebody is sending, and is taken out at once: a crash
 * in between can turn *sent* into *claimed*, never the other way. All calls are made under a lock.
 */
export class KeyStore {
	private readonly lock: StoreLock;
	private readonly options: ICheckProcessedOptions;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		workflowId: string,
		items: number,
		timing: StoreTiming,
	) {
		this.lock = new StoreLock(helpers, workflowId, timing);
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_KEYS, items) + ROOM };
	}

	/**
	 * Claims keys that are free, and asks what is known of the others.
	 *
	 * @param keys without repetitions
	 * @param isStopped ends the waiting for the store, and the asking
	 * @returns what is known of each, in order: where the asking was stopped, of those before
	 * @throws Error where the store can't be used: then none of the keys may be relied on
	 */
	async claim(keys: readonly string[], isStopped?: () => boolean): Promise<Known[]> {
		const own: string[] = [];
		let isDone = false;
		try {
			const known = await this.inParts(
				keys,
				async (part) => await this.ask(part, (free) => void own.push(...free)),
				isStopped,
			);
			isDone = true;
			return known;
		} finally {
			if (!isDone) await this.settle(own.map(unused));
		}
	}

	/** The same without claiming any, and without waiting. */
	async look(keys: readonly string[]): Promise<Known[]> {
		// Not even a row is made where there is none.
		if ((await this.count()) === 0) return keys.map(() => ({ state: 'free', step: 1 }));
		return await this.inParts(keys, async (part) => await this.ask(part));
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
		const entries = next.flatMap(({ key, step }) => stepsAfterFirst(step, key));
		const added = await this.lock.hold(async () => await this.record(entries));
		return next.filter(({ key, step }) => added!.has(stepEntry(step, key)));
	}

	/** Writes down what became of the messages of keys that were claimed. */
	async settle(settled: readonly Settled[]): Promise<void> {
		await this.inParts(settled, async (part) => {
			const others = part.filter(({ fate }) => fate !== 'accepted');
			// Somebody who took this run to be gone may have claimed a key again.
			const added = await this.record(others.map(({ claimed }) => settledEntry(claimed)));
			const free = others.filter(
				({ claimed, fate }) =>
					claimed.wasFree === true &&
					fate === 'notCarriedOut' &&
					added.has(settledEntry(claimed)),
			);
			const accepted = part.filter(({ fate }) => fate === 'accepted');
			await this.remove([
				...accepted.flatMap(({ claimed: { key, step } }) => [
					openEntry(key),
					...stepsAfterFirst(step, key),
				]),
				...free.flatMap(({ claimed: { key, step } }) => [
					...claimOf(key),
					...stepsAfterFirst(step + 1, key),
				]),
			]);
			return [];
		});
	}

	/** @param keep gets the keys that are free: they stay claimed */
	private async ask(
		keys: readonly string[],
		keep?: (free: readonly string[]) => void,
	): Promise<Known[]> {
		const added = await this.record(keys.flatMap(claimOf));
		const isNew = (key: string) => added.has(stepEntry(1, key));
		const isOpen = (key: string) => !added.has(openEntry(key));
		const free = keys.filter((key) => isNew(key) && !isOpen(key));
		keep?.(free);
		const written = new Set(added);
		if (keep !== undefined) {
			for (const entry of free.flatMap(claimOf)) written.delete(entry);
		}
		const known = new Map<string, Known>();
		// Two steps at once: who dies here leaves a key that is claimed again.
		let open = keys.filter(isOpen);
		for (let step = 1; open.length > 0; step += 2) {
			const further = await this.record(
				open.flatMap((key) => [stepEntry(step + 1, key), stepEntry(step + 2, key)]),
			);
			for (const entry of further) written.add(entry);
			for (const key of open) {
				if (further.has(stepEntry(step + 1, key)))
					known.set(key, { state: 'claimed', step });
				else if (further.has(stepEntry(step + 2, key)))
					known.set(key, { state: 'unknown', step: step + 1 });
			}
			open = open.filter((key) => !known.has(key));
		}
		await this.remove([...written]);
		return keys.map(
			(key): Known => known.get(key) ?? { state: isNew(key) ? 'free' : 'sent', step: 1 },
		);
	}

	/** A lock for each part: nobody waits for long, and n8n does other things in between. */
	private async inParts<T, R>(
		all: readonly T[],
		work: (part: readonly T[]) => Promise<R[]>,
		isStopped = () => false,
	): Promise<R[]> {
		const results: R[] = [];
		for (let start = 0; start < all.length && !isStopped(); start += MOST_AT_ONCE) {
			const part = all.slice(start, start + MOST_AT_ONCE);
			const done = await this.lock.hold(async () => await work(part), isStopped);
			results.push(...(done ?? []));
		}
		return results;
	}

	private async count(): Promise<number> {
		return await this.helpers.getProcessedDataCount('node', this.options);
	}

	/** @returns the entries that were not there */
	private async record(entries: string[]): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		this.lock.check();
		const { new: added } = await this.helpers.checkProcessedAndRecord(
			entries,
			'node',
			this.options,
		);
		return new Set(added.map(String));
	}

	/** In several calls where n8n would do nothing else for long. */
	private async remove(entries: readonly string[]): Promise<void> {
		const count = entries.length > LEAST_REMOVED ? await this.count() : 1;
		const size = Math.max(LEAST_REMOVED, Math.floor(COMPARISONS_AT_ONCE / count));
		for (let start = 0; start < entries.length; start += size) {
			this.lock.check();
			const part = entries.slice(start, start + size);
			await this.helpers.removeProcessed(part, 'node', this.options);
		}
	}
}

/** A key that was free, and whose message does not go. */
function unused(key: string): Settled {
	return { claimed: { key, step: 1, wasFree: true }, fate: 'notCarriedOut' };
}

/** What is written of a key that is free, to claim it. */
function claimOf(key: string): string[] {
	return [stepEntry(1, key), openEntry(key)];
}

function stepsAfterFirst(last: number, key: string): string[] {
	return Array.from({ length: last - 1 }, (_, before) => stepEntry(before + 2, key));
}

/** Of one whose message was not accepted: it is unknown, unless it is set free. */
function settledEntry({ key, step }: Claimed): string {
	return stepEntry(step + 1, key);
}

function stepEntry(step: number, key: string): string {
	return `sms:${VERSION}:${step}:${key}`;
}

/** As long as it is there, nobody knows that the message was sent. */
function openEntry(key: string): string {
	return `sms:${VERSION}:open:${key}`;
}
