import type { IContextObject, IDataObject } from 'n8n-workflow';

/** What is known of a request that was made before: accepted, with what it answered, or unknown. */
export type Receipt = { state: 'accepted'; kept: IDataObject } | { state: 'unknown' };

/** Two checksums that tell whether a request is the one that was made before. */
export interface Identity {
	/** Of what goes over the wire. */
	sent: string;
	/**
	 * Of the node's parameters as typed and of the input item. Unchanged, they mean the same message,
	 * even when an expression such as `$now` gives another text at the next try.
	 */
	intent: string;
}

type Entry = [sent: string, intent: string, kept?: IDataObject];

/**
 * The receipts of one run of a node, in n8n's node context: it survives Retry On Fail and is stored
 * with a failed execution, so that "Retry execution" finds it again.
 *
 * About 60 bytes per request. What earlier runs of the node (in a loop) accepted has been handed to
 * n8n and is dropped.
 */
export class Receipts {
	private readonly entries: Record<string, Entry>;

	constructor(context: IContextObject, runIndex: number) {
		const book = (context.smsReceipts ??= {}) as Record<string, Record<string, Entry>>;
		for (const run of Object.keys(book)) if (Number(run) < runIndex) delete book[run];
		this.entries = book[runIndex] ??= {};
	}

	/**
	 * @param key the item index, with the name of the step where an item makes several requests
	 * @returns undefined when this request has not been made, or another one was
	 */
	find(key: string, { sent, intent }: Identity): Receipt | undefined {
		const entry = this.entries[key];
		if (entry === undefined || (entry[0] !== sent && entry[1] !== intent)) return undefined;
		return entry[2] === undefined
			? { state: 'unknown' }
			: { state: 'accepted', kept: entry[2] };
	}

	/** To be called before the request is written: until its answer is known, it is unknown. */
	noteUnknown(key: string, { sent, intent }: Identity): void {
		this.entries[key] = [sent, intent];
	}

	noteAccepted(key: string, { sent, intent }: Identity, kept: IDataObject): void {
		this.entries[key] = [sent, intent, kept];
	}

	/** The request certainly was not carried out. */
	forget(key: string): void {
		delete this.entries[key];
	}
}
