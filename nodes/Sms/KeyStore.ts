import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { StoreLock } from './StoreLock';

/** Keys that are kept, with two entries each: with more, each message would have n8n read and write too much. */
const KEPT_KEYS = 50_000;
/** Entries that are written to ask. */
const ROOM = 10_000;
/** Keys that this process knows to be sent. */
const REMEMBERED_KEYS = 100_000;
/** Keys that are asked for, or set free, at once: others wait for the store meanwhile. */
const MAX_AT_ONCE = 250;
/** Entries that are taken out at once, an even number: n8n compares each with all older ones, and does nothing else. */
const REMOVED_AT_ONCE = 40;
/** Tells the entries of this version of the nodes from those of others in the same store. */
const VERSION = 2;

/**
 * Keys that this process knows to be sent, by node: a workflow that reads the same list every few minutes asks n8n's
 * store nothing.
 */
export const sentKeys = new Set<string>();

/**
 * Once keys in n8n's deduplication store, which lasts across executions and is shared by all workers. They belong to
 * the node. All calls hold `StoreLock`.
 *
 * The state of a key is in its entries. Any run may claim it or look; only the run that claimed it says what became of
 * its message. A row for each state, from which test/unit/sms/protocol.test.mts is made:
 *
 * | entries              | state   | looked at | claimed by a run | its run sent it | its run did not send it |
 * | -------------------- | ------- | --------- | ---------------- | --------------- | ----------------------- |
 * | none                 | free    | free      | claimed          | -               | -                       |
 * | claimed              | claimed | claimed   | refused          | sent            | free                    |
 * | claimed, sent, asked | claimed | claimed   | refused          | sent            | free                    |
 * | claimed, sent        | sent    | sent      | refused          | sent            | -                       |
 * | sent, asked          | free    | free      | claimed          | -               | -                       |
 *
 * The store can't be asked without being written to: `ask` writes `sent` and `asked`, and takes out at once those that
 * were not there. A crash in between leaves `asked`, which turns *sent* into *claimed*, never the other way.
 */
export class KeyStore {
	private readonly lock: StoreLock;
	private readonly options: ICheckProcessedOptions;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly owner: { workflowId: string; nodeId: string },
		items: number,
	) {
		this.lock = new StoreLock(helpers, owner.workflowId);
		const maxEntries = 2 * Math.max(KEPT_KEYS, items) + ROOM;
		this.options = { mode: 'entries', maxEntries };
	}

	/**
	 * Claims keys that nobody has.
	 *
	 * @param keys without repetitions
	 * @param isStopped ends the waiting for the store
	 * @returns those that are claimed now: none where it was stopped
	 * @throws Error where the store can't be used: then none of the keys may be relied on
	 */
	async claim(keys: readonly string[], isStopped?: () => boolean): Promise<Set<string>> {
		const open = keys.filter((key) => !this.isKnownSent(key));
		if (open.length === 0) return new Set();
		const entries = open.map(claimEntry);
		const added = await this.lock.hold(async () => await this.record(entries), isStopped);
		return new Set(open.filter((key) => added?.has(claimEntry(key))));
	}

	/**
	 * @param keys that somebody has claimed
	 * @returns those whose messages were sent, of those that were asked for before it was stopped
	 */
	async findSent(keys: readonly string[], isStopped?: () => boolean): Promise<Set<string>> {
		const sent = new Set(keys.filter((key) => this.isKnownSent(key)));
		const open = keys.filter((key) => !sent.has(key));
		await this.inParts(open, async (part) => await this.ask(part, sent), isStopped);
		return sent;
	}

	/** Tells free keys and those that were sent from the others: free ones are claimed for a moment. */
	async look(keys: readonly string[]): Promise<{ free: Set<string>; sent: Set<string> }> {
		// Not even a row is made where there is none.
		if ((await this.helpers.getProcessedDataCount('node', this.options)) === 0)
			return { free: new Set(keys), sent: new Set() };
		const free = new Set<string>();
		for (const part of partsOf(keys, MAX_AT_ONCE)) {
			const claimed = [...(await this.claim(part))];
			await this.release(claimed);
			for (const key of claimed) free.add(key);
		}
		return { free, sent: await this.findSent(keys.filter((key) => !free.has(key))) };
	}

	/** Writes down that messages were sent. */
	async markSent(keys: readonly string[]): Promise<void> {
		if (keys.length === 0) return;
		const added = await this.lock.hold(async () => await this.record(keys.map(sentEntry)));
		for (const key of keys) this.remember(key);
		// An asker that was killed may have left its entries.
		const left = keys.filter((key) => !added!.has(sentEntry(key)));
		await this.inParts(left, async (part) => await this.remove(part.map(askedEntry)));
	}

	/** Sets keys free that this run has claimed: their messages certainly were not sent. */
	async release(keys: readonly string[]): Promise<void> {
		await this.inParts(keys, async (part) => await this.remove(part.map(claimEntry)));
	}

	/** @param sent gets the keys whose messages were sent */
	private async ask(keys: readonly string[], sent: Set<string>): Promise<void> {
		const added = await this.record(keys.flatMap(askingEntries));
		const open = new Set(keys.filter((key) => added.has(sentEntry(key))));
		// Where both entries were there, an asker was killed, and `sent` may be its own.
		const certain = keys.filter((key) => !open.has(key) && added.has(askedEntry(key)));
		for (const key of certain) {
			sent.add(key);
			this.remember(key);
		}
		// The pairs come first, so that no call takes one of two: `asked` alone would hide what comes later.
		await this.remove([...[...open].flatMap(askingEntries), ...certain.map(askedEntry)]);
	}

	private isKnownSent(key: string): boolean {
		return sentKeys.has(this.nameOf(key));
	}

	private remember(key: string): void {
		if (sentKeys.size === REMEMBERED_KEYS) sentKeys.clear();
		sentKeys.add(this.nameOf(key));
	}

	private nameOf(key: string): string {
		return `${this.owner.workflowId}/${this.owner.nodeId}/${key}`;
	}

	/** A lock for each part: nobody waits for long, and n8n does other things in between. */
	private async inParts(
		all: readonly string[],
		work: (part: string[]) => Promise<void>,
		isStopped?: () => boolean,
	): Promise<void> {
		for (const part of partsOf(all, MAX_AT_ONCE)) {
			await this.lock.hold(async () => await work(part), isStopped);
		}
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

	private async remove(entries: readonly string[]): Promise<void> {
		for (const part of partsOf(entries, REMOVED_AT_ONCE)) {
			const remove = async () => {
				this.lock.check();
				await this.helpers.removeProcessed(part, 'node', this.options);
			};
			// Entries of `ask` that stay make keys unknown that were sent: worth a second try.
			await remove().catch(remove);
		}
	}
}

function* partsOf(all: readonly string[], size: number): Generator<string[]> {
	for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}

const claimEntry = (key: string) => `sms:${VERSION}:claimed:${key}`;
const sentEntry = (key: string) => `sms:${VERSION}:sent:${key}`;
/** Says that the sent entry was written to ask, or by an asker that was killed. */
const askedEntry = (key: string) => `sms:${VERSION}:asked:${key}`;
const askingEntries = (key: string) => [sentEntry(key), askedEntry(key)];
