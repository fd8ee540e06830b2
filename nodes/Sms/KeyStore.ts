import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps this many entries: one for each key, two while its message is on its way. */
const KEPT_ENTRIES = 100_000;

/**
 * Always the oldest entry. Where it is gone from a store that isn't full, another node has cut the store
 * to its own size.
 */
const FIRST_ENTRY = 'sms-first';
/** The store counts as full from this part of the entries that are kept. */
const FULL = 0.9;

/** Tells the entries of this version of the nodes from those of others in the same store. */
const VERSION = 1;

/**
 * What the store knew of a key before it was claimed; `busy`: another execution of this process has
 * claimed it and not settled it yet.
 */
export type Claim = 'free' | 'sent' | 'unknown' | 'busy';

/** What the executions of one workflow in this process have to know of each other. */
interface Desk {
	/**
	 * The store's calls, one after the other: n8n reads the whole store, changes it and writes it back, so
	 * that two at the same moment would lose each other's claims.
	 */
	last: Promise<unknown>;
	/** Keys that were claimed, until what became of them is written. */
	held: Set<string>;
	/** Runs that have the store open. */
	open: number;
}

/** By workflow. Executions share nothing else; n8n offers no lock. */
const desks = new Map<string, Desk>();

/**
 * Keys of messages in n8n's own deduplication store, which lasts across executions and is shared by the
 * nodes of a workflow.
 *
 * A claimed key has two entries, `key` and `open`. When the service has accepted the message, `open` is
 * taken out. The store can't be asked without being written to, so that a claim writes both and sees
 * from what was new how it was: a crash in between can turn *sent* into *unknown*, never the other way.
 */
export class KeyStore {
	private readonly options: ICheckProcessedOptions;
	private readonly desk: Desk;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly workflowId: string,
		items: number,
	) {
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_ENTRIES, 4 * items) };
		this.desk = desks.get(workflowId) ?? { last: Promise.resolve(), held: new Set(), open: 0 };
		this.desk.open++;
		desks.set(workflowId, this.desk);
	}

	/** To be called once, when the run needs the store no more. */
	close(): void {
		if (--this.desk.open === 0) desks.delete(this.workflowId);
	}

	/**
	 * To be called before the first claim.
	 *
	 * @returns false when keys may be missing: another node uses the store too, and has cut it
	 */
	async open(): Promise<boolean> {
		return await this.inTurn(async () => {
			const { helpers, options } = this;
			const count = await helpers.getProcessedDataCount('workflow', options);
			const first = await helpers.checkProcessedAndRecord([FIRST_ENTRY], 'workflow', options);
			const isWhole = first.new.length === 0 || count === 0 || count >= FULL * KEPT_ENTRIES;
			if (!isWhole) await this.remove([FIRST_ENTRY]);
			return isWhole;
		});
	}

	/**
	 * Claims keys.
	 *
	 * @param keys without repetitions
	 * @returns what was known of each, in order
	 */
	async claim(keys: readonly string[]): Promise<Claim[]> {
		const { held } = this.desk;
		return await this.inTurn(async () => {
			const isBusy = new Set(keys.filter((key) => held.has(key)));
			const claimed = keys.filter((key) => !isBusy.has(key));
			const { new: added } = await this.helpers.checkProcessedAndRecord(
				claimed.flatMap((key) => [entryOf(key), openEntryOf(key)]),
				'workflow',
				this.options,
			);
			const isNew = new Set(added.map(String));
			const claims = keys.map((key): Claim => {
				if (isBusy.has(key)) return 'busy';
				if (!isNew.has(openEntryOf(key))) return 'unknown';
				return isNew.has(entryOf(key)) ? 'free' : 'sent';
			});
			const sent = keys.filter((_, position) => claims[position] === 'sent');
			await this.remove(sent.map(openEntryOf));
			for (const [position, key] of keys.entries()) {
				if (['free', 'unknown'].includes(claims[position])) held.add(key);
			}
			return claims;
		});
	}

	/**
	 * Looks keys up and leaves the store as it was: what is written to ask it is taken out again at once.
	 *
	 * @param keys without repetitions
	 * @returns what is known of each, in order; undefined when keys may be missing, see `open`
	 */
	async look(keys: readonly string[]): Promise<Claim[] | undefined> {
		const { held } = this.desk;
		// Room for all: nothing may be pushed out.
		const options = { ...this.options, maxEntries: Number.MAX_SAFE_INTEGER };
		return await this.inTurn(async () => {
			const count = await this.helpers.getProcessedDataCount('workflow', options);
			if (count === 0) return keys.map((key) => (held.has(key) ? 'busy' : 'free'));
			const { new: added } = await this.helpers.checkProcessedAndRecord(
				[FIRST_ENTRY, ...keys.flatMap((key) => [entryOf(key), openEntryOf(key)])],
				'workflow',
				options,
			);
			await this.remove(added.map(String));
			const isNew = new Set(added.map(String));
			if (isNew.has(FIRST_ENTRY) && count < FULL * KEPT_ENTRIES) return undefined;
			return keys.map((key): Claim => {
				if (held.has(key)) return 'busy';
				if (!isNew.has(openEntryOf(key))) return 'unknown';
				return isNew.has(entryOf(key)) ? 'free' : 'sent';
			});
		});
	}

	/** The service has accepted the messages of these keys. */
	async confirm(keys: readonly string[]): Promise<void> {
		await this.settle(keys, keys.map(openEntryOf));
	}

	/** The messages of these keys, which were free before, were certainly not sent. */
	async release(keys: readonly string[]): Promise<void> {
		await this.settle(
			keys,
			keys.flatMap((key) => [entryOf(key), openEntryOf(key)]),
		);
	}

	/** It stays unknown whether the message of a key was sent. */
	leave(key: string): void {
		this.desk.held.delete(key);
	}

	private async settle(keys: readonly string[], entries: string[]): Promise<void> {
		try {
			await this.inTurn(async () => await this.remove(entries));
		} finally {
			for (const key of keys) this.leave(key);
		}
	}

	private async remove(entries: string[]): Promise<void> {
		if (entries.length === 0) return;
		await this.helpers.removeProcessed(entries, 'workflow', this.options);
	}

	private async inTurn<T>(work: () => Promise<T>): Promise<T> {
		const turn = this.desk.last.then(work);
		this.desk.last = turn.catch(() => {});
		return await turn;
	}
}

function entryOf(key: string): string {
	return `sms:${VERSION}:${key}`;
}

function openEntryOf(key: string): string {
	return `sms-open:${VERSION}:${key}`;
}
