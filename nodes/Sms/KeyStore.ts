import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import type { Fate, StoreTiming } from './storeTiming';
import { StoreLock } from './StoreLock';

/** Keys that are kept: with more, each message would have n8n read and write too much. */
const KEPT_KEYS = 50_000;
/** What is kept of a key in the end: that it was claimed, and that its message was sent. */
const ENTRIES_OF_KEY = 2;
/** Room for what is written to ask, and for signs of life. */
const ROOM = 10_000;
/** Keys that this process knows to be sent. */
const REMEMBERED_KEYS = 100_000;
/** Most keys that are asked for, or set free, at once: others wait for the store meanwhile. */
export const MOST_AT_ONCE = 250;
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
 * - `free`: nobody has it.
 * - `sent`: the service has accepted its message.
 * - `unknown`: whoever sent its message heard no answer.
 * - `claimed`: somebody is sending its message, or was killed meanwhile.
 */
export interface Known {
	state: 'free' | 'sent' | 'unknown' | 'claimed';
	/** The last step of the key: claimed (1), unknown (2), claimed again (3), unknown again (4), ... */
	step: number;
}

const FREE: Known = { state: 'free', step: 1 };
const SENT: Known = { state: 'sent', step: 1 };

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

/** Whose keys they are. */
export interface KeyOwner {
	workflowId: string;
	nodeId: string;
}

/**
 * What this process knows to be sent, by node. A message stays sent, so n8n's store need not be asked again: a
 * workflow that reads the same list every few minutes has all of its keys in here.
 */
export const sentKeys = new Set<string>();

/**
 * Once keys in n8n's own deduplication store, which lasts across executions and is shared by all workers. They
 * belong to the node.
 *
 * A key is claimed before its message is sent, and gets a second entry when the message was accepted: so whoever
 * dies in between leaves a key that is claimed. The store can't be asked without being written to. Who asks
 * whether a message was sent writes, in the same call, that it is being asked, and takes both out at once: a
 * crash in between can turn *sent* into *claimed*, never the other way. All calls are made under a lock.
 */
export class KeyStore {
	private readonly lock: StoreLock;
	private readonly options: ICheckProcessedOptions;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly owner: KeyOwner,
		items: number,
		timing: StoreTiming,
	) {
		this.lock = new StoreLock(helpers, owner.workflowId, timing);
		const maxEntries = ENTRIES_OF_KEY * Math.max(KEPT_KEYS, items) + ROOM;
		this.options = { mode: 'entries', maxEntries };
	}

	/**
	 * Claims keys that nobody has.
	 *
	 * @param keys without repetitions
	 * @param isStopped ends the waiting for the store
	 * @returns those that are claimed now, at step 1: none where it was stopped
	 * @throws Error where the store can't be used: then none of the keys may be relied on
	 */
	async claim(keys: readonly string[], isStopped?: () => boolean): Promise<ReadonlySet<string>> {
		const open = keys.filter((key) => !this.remembers(key));
		if (open.length === 0) return new Set();
		const added = await this.lock.hold(
			async () => await this.record(open.map(claimEntry)),
			isStopped,
		);
		return new Set(open.filter((key) => added?.has(claimEntry(key))));
	}

	/**
	 * What is known of keys that somebody has claimed.
	 *
	 * @param isStopped ends the asking
	 * @returns what is known of those that were asked for before it was stopped
	 */
	async ask(
		keys: readonly string[],
		isStopped?: () => boolean,
	): Promise<ReadonlyMap<string, Known>> {
		const [sent, open] = split(keys, (key) => this.remembers(key));
		const known = new Map(sent.map((key) => [key, SENT]));
		await this.inParts(open, async (part) => await this.find(part, known), isStopped);
		return known;
	}

	/** What is known of any keys, without claiming any. */
	async look(keys: readonly string[]): Promise<ReadonlyMap<string, Known>> {
		const [sent, open] = split(keys, (key) => this.remembers(key));
		const known = new Map(sent.map((key) => [key, SENT]));
		// Not even a row is made where there is none.
		const asked = open.length > 0 && (await this.count()) > 0 ? open : [];
		await this.inParts(asked, async (part) => {
			const added = await this.record(part.map(claimEntry));
			const [free, others] = split(part, (key) => added.has(claimEntry(key)));
			await this.remove(free.map((key) => [claimEntry(key)]));
			await this.find(others, known);
		});
		return new Map(keys.map((key) => [key, known.get(key) ?? FREE]));
	}

	/**
	 * Claims keys again: those whose messages are unknown, or were claimed by one that is gone.
	 *
	 * @param seen at the step that was last seen; at most `MOST_AT_ONCE`
	 * @returns those that nobody else has gone on with since, at their new step, and what is known of the others
	 */
	async claimAgain(
		seen: readonly Claimed[],
	): Promise<{ own: Claimed[]; others: ReadonlyMap<string, Known> }> {
		const now = new Map<string, Known>();
		const own = await this.lock.hold(async () => {
			await this.find(
				seen.map(({ key }) => key),
				now,
			);
			const same = seen.filter(({ key, step }) => {
				const { state, step: last } = now.get(key)!;
				return state !== 'sent' && last === step;
			});
			const next = same.map((one) => ({ ...one, step: nextClaim(one.step) }));
			// With the first one: it may have been set free since.
			await this.record(
				next.flatMap(({ key, step }) => [claimEntry(key), ...stepsAfterFirst(step, key)]),
			);
			return next;
		});
		for (const { key } of own!) now.delete(key);
		return { own: own!, others: now };
	}

	/**
	 * A sign of life of this run for its keys.
	 *
	 * @returns those that nobody else has claimed again, at their new step
	 */
	async renew(claimed: readonly Claimed[]): Promise<Claimed[]> {
		const next = claimed.map((one) => ({ ...one, step: nextClaim(one.step) }));
		// With all steps before it: a call before may have failed.
		const entries = next.flatMap(({ key, step }) => stepsAfterFirst(step, key));
		const added = await this.lock.hold(async () => await this.record(entries));
		return next.filter(({ key, step }) => added!.has(stepEntry(step, key)));
	}

	/** Writes down what became of the messages of keys that were claimed. */
	async settle(settled: readonly Settled[]): Promise<void> {
		const [free, others] = split(
			settled,
			({ claimed, fate }) => claimed.wasFree === true && fate === 'notCarriedOut',
		);
		await this.close(others);
		await this.inParts(free, async (part) => {
			// Somebody who took this run to be gone may have claimed a key again.
			const added = await this.record(part.map(({ claimed }) => endEntry(claimed)));
			const own = part.filter(({ claimed }) => added.has(endEntry(claimed)));
			await this.remove(
				own.map(({ claimed: { key, step } }) => [
					claimEntry(key),
					...questionOf(key),
					...stepsAfterFirst(step + 1, key),
				]),
			);
		});
	}

	/** Of messages that were sent, or may have been. */
	private async close(settled: readonly Settled[]): Promise<void> {
		if (settled.length === 0) return;
		const [sent, others] = split(settled, ({ fate }) => fate === 'accepted');
		const entries = [
			...sent.map(({ claimed: { key } }) => sentEntry(key)),
			...others.map(({ claimed }) => endEntry(claimed)),
		];
		const added = await this.lock.hold(async () => await this.record(entries));
		for (const { claimed } of sent) this.remember(claimed.key);
		// What signs of life have left, and one that was killed while it asked.
		const marked = sent.filter(
			({ claimed: { key, step } }) => step > 1 || !added!.has(sentEntry(key)),
		);
		await this.inParts(marked, async (part) => {
			await this.remove(
				part.map(({ claimed: { key, step } }) => [
					askedEntry(key),
					...stepsAfterFirst(step, key),
				]),
			);
		});
	}

	/**
	 * @param keys that have been claimed before, whoever did
	 * @param known gets what is known of them
	 */
	private async find(keys: readonly string[], known: Map<string, Known>): Promise<void> {
		const written = await this.add(keys, questionOf);
		const [sent, others] = split(keys, (key) => {
			// Otherwise, one who asked was killed, and may have written the other entry.
			const isCertain = written.get(key)!.includes(askedEntry(key));
			return isCertain && !written.get(key)!.includes(sentEntry(key));
		});
		for (const key of sent) {
			known.set(key, SENT);
			this.remember(key);
		}
		try {
			for (let open = others, step = 1; open.length > 0; step += 2) {
				// Two steps at once: who dies here leaves a key that is claimed again.
				const further = await this.add(open, (key) => [
					stepEntry(step + 1, key),
					stepEntry(step + 2, key),
				]);
				const [ended, later] = split(open, (key) => further.get(key)!.length > 0);
				for (const key of ended) {
					const added = further.get(key)!;
					const isClaimed = added.includes(stepEntry(step + 1, key));
					known.set(
						key,
						isClaimed
							? { state: 'claimed', step }
							: { state: 'unknown', step: step + 1 },
					);
					written.get(key)!.push(...added);
				}
				open = later;
			}
		} finally {
			// Also where the store has failed: those that were sent would be unknown.
			await this.remove([...written.values()]);
		}
	}

	/** @returns of each key, those of its entries that were not there */
	private async add(
		keys: readonly string[],
		entriesOf: (key: string) => string[],
	): Promise<Map<string, string[]>> {
		const added = await this.record(keys.flatMap(entriesOf));
		return new Map(keys.map((key) => [key, entriesOf(key).filter((one) => added.has(one))]));
	}

	private remembers(key: string): boolean {
		return sentKeys.has(this.nameOf(key));
	}

	private remember(key: string): void {
		sentKeys.add(this.nameOf(key));
		if (sentKeys.size <= REMEMBERED_KEYS) return;
		const [oldest] = sentKeys;
		sentKeys.delete(oldest);
	}

	private nameOf(key: string): string {
		return `${this.owner.workflowId}/${this.owner.nodeId}/${key}`;
	}

	/** A lock for each part: nobody waits for long, and n8n does other things in between. */
	private async inParts<T>(
		all: readonly T[],
		work: (part: readonly T[]) => Promise<void>,
		isStopped?: () => boolean,
	): Promise<void> {
		for (let start = 0; start < all.length; start += MOST_AT_ONCE) {
			const part = all.slice(start, start + MOST_AT_ONCE);
			await this.lock.hold(async () => await work(part), isStopped);
		}
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

	/**
	 * In several calls where n8n would do nothing else for long.
	 *
	 * @param groups the entries of a key: they go at once
	 */
	private async remove(groups: readonly string[][]): Promise<void> {
		const left = groups.filter((group) => group.length > 0);
		const count = left.length > LEAST_REMOVED ? await this.count() : 1;
		const size = Math.max(LEAST_REMOVED, Math.floor(COMPARISONS_AT_ONCE / count));
		while (left.length > 0) {
			const part: string[] = [];
			while (left.length > 0 && part.length < size) part.push(...left.shift()!);
			// What was written to ask makes keys unknown that were sent: it is worth a second try.
			await this.removeAtOnce(part).catch(async () => await this.removeAtOnce(part));
		}
	}

	private async removeAtOnce(entries: string[]): Promise<void> {
		this.lock.check();
		await this.helpers.removeProcessed(entries, 'node', this.options);
	}
}

/** Those of which it is true, and the others. */
function split<T>(all: readonly T[], isSo: (one: T) => boolean): [T[], T[]] {
	return [all.filter((one) => isSo(one)), all.filter((one) => !isSo(one))];
}

function claimEntry(key: string): string {
	return stepEntry(1, key);
}

/** Claims are odd steps; after an unknown one comes the next claim, after a claim the one after it. */
function nextClaim(step: number): number {
	return step + 1 + (step % 2);
}

function stepsAfterFirst(last: number, key: string): string[] {
	return Array.from({ length: last - 1 }, (_, before) => stepEntry(before + 2, key));
}

/** Of one whose message was not accepted: it is unknown, unless it is set free. */
function endEntry({ key, step }: Claimed): string {
	return stepEntry(step + 1, key);
}

function stepEntry(step: number, key: string): string {
	return `sms:${VERSION}:${step}:${key}`;
}

/** Its message was accepted, unless somebody is asking for it, or was killed meanwhile. */
function sentEntry(key: string): string {
	return `sms:${VERSION}:sent:${key}`;
}

function askedEntry(key: string): string {
	return `sms:${VERSION}:asked:${key}`;
}

/**
 * What is written to ask whether it was sent. A full store forgets the first one first: alone, the entry that
 * is left by one who was killed must not say that it was sent.
 */
function questionOf(key: string): string[] {
	return [sentEntry(key), askedEntry(key)];
}
