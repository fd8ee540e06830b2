import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps this many entries: two for each key whose message was sent, `claimed` and `sent`. */
const KEPT_ENTRIES = 200_000;

/**
 * Always the oldest entry. Where it is gone from a store that isn't full, another node has cut the store
 * to its own size.
 */
const FIRST_ENTRY = 'sms-first';
/** A process has claimed keys that it will settle; or it was killed. */
const BUSY_ENTRY = 'sms-busy';
/** There may be claimed keys that nobody will settle, so that it has to be asked of each. Stays for good. */
const UNSURE_ENTRY = 'sms-unsure';
/** The store counts as full from this part of the entries that are kept. */
const FULL = 0.9;

/**
 * To take an entry out, n8n compares it with all that are older, about 15 ns each, and does nothing else
 * meanwhile: with so many comparisons in a call, for less than a tenth of a second.
 */
const COMPARISONS_AT_ONCE = 5_000_000;
/** Keys that are taken out in one call at least: each call has n8n write its whole store. */
const LEAST_AT_ONCE = 50;

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
	/** The busy entry in the store is that of this process: it was alone when it began. */
	isMarked: boolean;
	/** Of a key, it may stay unknown whether its message was sent. */
	hasUnknown: boolean;
}

/** By workflow. Executions share nothing else; n8n offers no lock. */
const desks = new Map<string, Desk>();

/**
 * Keys of messages in n8n's own deduplication store, which lasts across executions and is shared by the
 * nodes of a workflow.
 *
 * A key gets the entry `claimed` before its message goes and the entry `sent` when the service has
 * accepted it. With the first alone, it is unknown whether it was sent. Nothing is taken out on the way:
 * that takes n8n the longer, the more the store holds.
 *
 * The store can't be asked without being written to. Whoever asks which claimed keys were sent writes
 * `asked` together with `sent`, and then takes out what was not there: a crash in between can turn *sent*
 * into *unknown*, never the other way. Where every process has settled all that it claimed, as the busy
 * and the unsure entry tell, a claimed key is a sent one, and nobody has to ask.
 */
export class KeyStore {
	private readonly options: ICheckProcessedOptions;
	/** Room for all: nothing is pushed out by what is taken out again at once. */
	private readonly roomy: ICheckProcessedOptions;
	private readonly desk: Desk;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly workflowId: string,
		items: number,
	) {
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_ENTRIES, 4 * items) };
		this.roomy = { ...this.options, maxEntries: Number.MAX_SAFE_INTEGER };
		this.desk = desks.get(workflowId) ?? {
			last: Promise.resolve(),
			held: new Set(),
			open: 0,
			isMarked: false,
			hasUnknown: false,
		};
		this.desk.open++;
		desks.set(workflowId, this.desk);
	}

	/** To be called once, when the run needs the store no more. Never throws. */
	async close(): Promise<void> {
		const { desk } = this;
		await this.inTurn(async () => {
			desk.open--;
			try {
				if (desk.open === 0 && desk.isMarked) await this.unmark();
			} finally {
				if (desk.open === 0) desks.delete(this.workflowId);
			}
		}).catch(() => {
			// The entry stays: later executions ask of each key.
		});
	}

	/**
	 * To be called before the first claim.
	 *
	 * @returns false when keys may be missing: another node uses the store too, and has cut it
	 */
	async open(): Promise<boolean> {
		return await this.inTurn(async () => {
			const { desk } = this;
			const count = await this.count();
			const mark = desk.isMarked ? [] : [BUSY_ENTRY];
			const added = await this.record([FIRST_ENTRY, ...mark]);
			const isWhole = !added.has(FIRST_ENTRY) || count === 0 || count >= FULL * KEPT_ENTRIES;
			// Otherwise another process is busy, or was killed.
			const isAlone = added.has(BUSY_ENTRY);
			if (!isWhole) await this.remove([[FIRST_ENTRY, ...(isAlone ? [BUSY_ENTRY] : [])]]);
			else if (isAlone) desk.isMarked = true;
			return isWhole;
		});
	}

	/**
	 * Claims keys.
	 *
	 * @param keys without repetitions
	 * @param sent keys that were claimed before: the service has accepted their messages, see `confirm`
	 * @returns what was known of each, in order
	 */
	async claim(keys: readonly string[], sent: readonly string[] = []): Promise<Claim[]> {
		const { held } = this.desk;
		let claims: Claim[] = [];
		await this.settle(sent, async () => {
			claims = await this.recall(keys, this.options, sent.map(sentEntryOf));
			for (const [position, key] of keys.entries()) {
				if (['free', 'unknown'].includes(claims[position])) held.add(key);
			}
		});
		return claims;
	}

	/**
	 * Looks keys up and claims none: what is written to ask the store is taken out again at once. Only who is at
	 * work on it may be told by an entry more.
	 *
	 * @param keys without repetitions
	 * @returns what is known of each, in order; undefined when keys may be missing, see `open`
	 */
	async look(keys: readonly string[]): Promise<Claim[] | undefined> {
		const { held } = this.desk;
		const count = await this.count();
		if (count === 0) return keys.map((key) => (held.has(key) ? 'busy' : 'free'));
		if (!(await this.open())) return undefined;
		const claims: Claim[] = [];
		const atOnce = removableAtOnce(count);
		for (let start = 0; start < keys.length; start += atOnce) {
			const part = keys.slice(start, start + atOnce);
			await this.inTurn(async () => {
				const found = await this.recall(part, this.roomy);
				const free = part.filter((_, position) => found[position] === 'free');
				await this.remove(free.map((key) => [claimedEntryOf(key)]));
				claims.push(...found);
			});
		}
		return claims;
	}

	/** The service has accepted the messages of these keys. */
	async confirm(keys: readonly string[]): Promise<void> {
		await this.settle(keys, async () => {
			await this.record(keys.map(sentEntryOf));
		});
	}

	/** The messages of these keys, which were free before, were certainly not sent. */
	async release(keys: readonly string[]): Promise<void> {
		await this.settle(keys, async () => {
			await this.remove(keys.map((key) => [claimedEntryOf(key)]));
		});
	}

	/** It stays unknown whether the message of a key was sent. */
	leave(key: string): void {
		this.desk.hasUnknown = true;
		this.desk.held.delete(key);
	}

	/** This process has settled all that it claimed, or says that it has not. */
	private async unmark(): Promise<void> {
		const { desk } = this;
		if (desk.hasUnknown || desk.held.size > 0) {
			// Anew: n8n drops the oldest entries, and this one has to stay longer than the keys.
			await this.remove([[UNSURE_ENTRY]]);
			await this.record([UNSURE_ENTRY]);
		}
		// Before the call: where it fails, it may have been taken out all the same.
		desk.isMarked = false;
		await this.remove([[BUSY_ENTRY]]);
	}

	private async settle(keys: readonly string[], write: () => Promise<void>): Promise<void> {
		try {
			await this.inTurn(write);
		} finally {
			for (const key of keys) this.desk.held.delete(key);
		}
	}

	/**
	 * Writes the entry `claimed` of keys that have none; says what was known before.
	 *
	 * @param further entries that are written in the same call
	 */
	private async recall(
		keys: readonly string[],
		options: ICheckProcessedOptions,
		further: readonly string[] = [],
	): Promise<Claim[]> {
		const { held } = this.desk;
		const isBusy = new Set(keys.filter((key) => held.has(key)));
		const others = keys.filter((key) => !isBusy.has(key));
		// Whoever was alone learns from the unsure entry that it is so no more.
		const mark = this.desk.isMarked || others.length === 0 ? [] : [UNSURE_ENTRY];
		const written = [...further, ...mark, ...others.map(claimedEntryOf)];
		const added = await this.record(written, options);
		const earlier = others.filter((key) => !added.has(claimedEntryOf(key)));
		const unknown = await this.unknownOf(earlier);
		return keys.map((key): Claim => {
			if (isBusy.has(key)) return 'busy';
			if (added.has(claimedEntryOf(key))) return 'free';
			return unknown.has(key) ? 'unknown' : 'sent';
		});
	}

	/** @returns those of the claimed keys of which it is unknown whether their messages were sent */
	private async unknownOf(claimed: readonly string[]): Promise<Set<string>> {
		if (claimed.length === 0 || (await this.isSure())) return new Set();
		const added = await this.record(
			claimed.flatMap((key) => [askedEntryOf(key), sentEntryOf(key)]),
			this.roomy,
		);
		const wasSent = (key: string) =>
			added.has(askedEntryOf(key)) && !added.has(sentEntryOf(key));
		const unknown = claimed.filter((key) => !wasSent(key));
		await this.remove([
			...unknown.map((key) => [sentEntryOf(key), askedEntryOf(key)]),
			...claimed.filter(wasSent).map((key) => [askedEntryOf(key)]),
		]);
		return new Set(unknown);
	}

	/**
	 * Whether no key can be claimed but those that were sent, and those that this process holds. Another
	 * process claims keys together with the unsure entry, so that it changes the count, before or between.
	 */
	private async isSure(): Promise<boolean> {
		const { desk } = this;
		if (!desk.isMarked || desk.hasUnknown) return false;
		const count = await this.count();
		const added = await this.record([UNSURE_ENTRY], this.roomy);
		const isOwn = added.has(UNSURE_ENTRY);
		if (isOwn) await this.remove([[UNSURE_ENTRY]]);
		// Never back to false: meanwhile, a message of this process may have become unknown.
		if (!isOwn || (await this.count()) !== count) desk.hasUnknown = true;
		return !desk.hasUnknown;
	}

	private async count(): Promise<number> {
		return await this.helpers.getProcessedDataCount('workflow', this.options);
	}

	/** @returns the entries that were not there */
	private async record(entries: string[], options = this.options): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		const { new: added } = await this.helpers.checkProcessedAndRecord(
			entries,
			'workflow',
			options,
		);
		return new Set(added.map(String));
	}

	/** @param groups entries; those of one group are taken out together, or none of them is */
	private async remove(groups: string[][]): Promise<void> {
		const filled = groups.filter((group) => group.length > 0);
		if (filled.length === 0) return;
		const atOnce =
			filled.length <= LEAST_AT_ONCE ? LEAST_AT_ONCE : removableAtOnce(await this.count());
		for (let start = 0; start < filled.length; start += atOnce) {
			const entries = filled.slice(start, start + atOnce).flat();
			await this.helpers.removeProcessed(entries, 'workflow', this.options);
		}
	}

	private async inTurn<T>(work: () => Promise<T>): Promise<T> {
		const { desk } = this;
		const turn = desk.last.then(work);
		desk.last = turn.catch(() => {
			// It may have been written all the same.
			desk.hasUnknown = true;
		});
		return await turn;
	}
}

/** How many keys n8n takes out of a store without standing still. */
function removableAtOnce(count: number): number {
	return Math.max(LEAST_AT_ONCE, Math.floor(COMPARISONS_AT_ONCE / Math.max(count, 1)));
}

function claimedEntryOf(key: string): string {
	return `sms:${VERSION}:${key}`;
}

function sentEntryOf(key: string): string {
	return `sms-sent:${VERSION}:${key}`;
}

function askedEntryOf(key: string): string {
	return `sms-asked:${VERSION}:${key}`;
}
