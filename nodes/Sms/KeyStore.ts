import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps this many entries: one for each key, two while its message is on its way. */
const KEPT_ENTRIES = 100_000;

/** Tells the entries of this version of the nodes from those of others in the same store. */
const VERSION = 1;

/** What the store knew of a key before it was claimed. */
export type Claim = 'free' | 'sent' | 'unknown';

/**
 * The store's calls of a workflow in this process, one after the other: n8n reads the whole store,
 * changes it and writes it back, so that two executions at the same moment would lose each other's
 * claims. This has to be shared by all executions, and is the only thing that is.
 */
const turns = new Map<string, Promise<unknown>>();

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

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly workflowId: string,
		items: number,
	) {
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_ENTRIES, 4 * items) };
	}

	/**
	 * Claims keys.
	 *
	 * @param keys without repetitions
	 * @returns what was known of each, in order
	 */
	async claim(keys: readonly string[]): Promise<Claim[]> {
		return await this.inTurn(async () => {
			const { new: added } = await this.helpers.checkProcessedAndRecord(
				keys.flatMap((key) => [entryOf(key), openEntryOf(key)]),
				'workflow',
				this.options,
			);
			const isNew = new Set(added.map(String));
			const claims = keys.map((key): Claim => {
				if (!isNew.has(openEntryOf(key))) return 'unknown';
				return isNew.has(entryOf(key)) ? 'free' : 'sent';
			});
			const sent = keys.filter((_, position) => claims[position] === 'sent');
			await this.remove(sent.map(openEntryOf));
			return claims;
		});
	}

	/** The service has accepted the messages of these keys. */
	async confirm(keys: readonly string[]): Promise<void> {
		await this.inTurn(async () => await this.remove(keys.map(openEntryOf)));
	}

	/** The messages of these keys, which were free before, were certainly not sent. */
	async release(keys: readonly string[]): Promise<void> {
		await this.inTurn(
			async () => await this.remove(keys.flatMap((key) => [entryOf(key), openEntryOf(key)])),
		);
	}

	private async remove(entries: string[]): Promise<void> {
		if (entries.length === 0) return;
		await this.helpers.removeProcessed(entries, 'workflow', this.options);
	}

	private async inTurn<T>(work: () => Promise<T>): Promise<T> {
		const before = turns.get(this.workflowId) ?? Promise.resolve();
		const turn = before.then(work, work);
		const quiet = turn.catch(() => {});
		turns.set(this.workflowId, quiet);
		try {
			return await turn;
		} finally {
			if (turns.get(this.workflowId) === quiet) turns.delete(this.workflowId);
		}
	}
}

function entryOf(key: string): string {
	return `sms:${VERSION}:${key}`;
}

function openEntryOf(key: string): string {
	return `sms-open:${VERSION}:${key}`;
}
