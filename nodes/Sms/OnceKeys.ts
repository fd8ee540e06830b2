import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps this many entries; each message takes two. Older ones are forgotten. */
const KEPT_ENTRIES = 200_000;

/** What the store knows of a key before this run. */
export type Claim = 'free' | 'sent' | 'unknown';

/**
 * Keys for which a message must never be sent twice in this workflow, across executions, in n8n's
 * own deduplication store.
 *
 * A key is claimed before its message is sent and confirmed when the service has accepted it. A claim
 * without a confirmation (a lost answer, an n8n that was killed) means unknown. The store is one value
 * that is read, changed and written: calls go one after another, and claims are made in chunks. Two
 * executions at the same moment are not kept apart.
 */
export class OnceKeys {
	private last: Promise<unknown> = Promise.resolve();
	private readonly options: ICheckProcessedOptions;

	/** @param items number of items of the run: the store has room for all of them */
	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		items: number,
	) {
		this.options = { mode: 'entries', maxEntries: Math.max(KEPT_ENTRIES, 4 * items) };
	}

	/**
	 * Claims keys that are still free.
	 *
	 * @param keys without repetitions
	 * @returns what was known of each, in order
	 */
	async claim(keys: string[]): Promise<Claim[]> {
		if (keys.length === 0) return [];
		return await this.inTurn(async () => {
			const claimed = await this.record(keys.map(claimOf));
			const taken = keys.filter((key) => !claimed.has(claimOf(key)));
			// The store can't be asked without being written to: what was not there is taken out again.
			const unconfirmed = await this.record(taken.map(confirmationOf));
			await this.remove([...unconfirmed]);
			return keys.map((key) => {
				if (claimed.has(claimOf(key))) return 'free';
				return unconfirmed.has(confirmationOf(key)) ? 'unknown' : 'sent';
			});
		});
	}

	/** The service has accepted the messages of these keys. */
	async confirm(keys: string[]): Promise<void> {
		await this.inTurn(async () => await this.record(keys.map(confirmationOf)));
	}

	/** The messages of these keys were certainly not sent. */
	async release(keys: string[]): Promise<void> {
		await this.inTurn(async () => await this.remove(keys.map(claimOf)));
	}

	/** @returns the entries that were not there before */
	private async record(entries: string[]): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		const { new: added } = await this.helpers.checkProcessedAndRecord(
			entries,
			'workflow',
			this.options,
		);
		return new Set(added.map(String));
	}

	private async remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.helpers.removeProcessed(entries, 'workflow', this.options);
	}

	private async inTurn<T>(work: () => Promise<T>): Promise<T> {
		const turn = this.last.then(work, work);
		this.last = turn.catch(() => {});
		return await turn;
	}
}

function claimOf(key: string): string {
	return `sms:${key}`;
}

function confirmationOf(key: string): string {
	return `sms-sent:${key}`;
}
