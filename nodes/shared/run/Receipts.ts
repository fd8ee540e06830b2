import type { IContextObject, IDataObject } from 'n8n-workflow';

/** What is known of a request that was made before: accepted, with what it answered, or unknown. */
export type Receipt = { state: 'accepted'; kept: IDataObject } | { state: 'unknown' };

/** Checksums that tell whether a request is the one that was made before. */
export interface Identity {
	/** Of what goes over the wire. */
	sent: string;
	/**
	 * Of the node's parameters as typed and of the input item. Unchanged, they mean the same message,
	 * even when an expression such as `$now` gives another text at the next try.
	 */
	intent: string;
	/** Of what makes two items duplicates, where duplicates are to be skipped. */
	duplicate?: string;
}

/** `null` in the place of what the service answered: unknown. */
type Entry = [sent: string, intent: string, kept: IDataObject | null, duplicate?: string];

/**
 * The receipts of one run of a node, in n8n's node context: it survives Retry On Fail and is stored
 * with a failed execution, so that "Retry execution" finds it again.
 *
 * About 60 bytes per request. What earlier runs of the node (in a loop) accepted has been handed to
 * n8n and is dropped.
 */
export class Receipts {
	private readonly entries: Record<string, Entry>;
	/** Duplicate checksum → key of the item that has the receipt. */
	private readonly duplicates = new Map<string, string>();

	/**
	 * @param keepsUnknown take over what is unknown from earlier runs: where an agent invokes the node as
	 *   a tool, n8n counts each try of Retry On Fail as another run
	 */
	constructor(context: IContextObject, runIndex: number, keepsUnknown = false) {
		const book = (context.smsReceipts ??= {}) as Record<string, Record<string, Entry>>;
		this.entries = book[runIndex] ??= {};
		for (const run of Object.keys(book)) {
			if (Number(run) >= runIndex) continue;
			if (keepsUnknown) {
				for (const [key, entry] of Object.entries(book[run])) {
					if (entry[2] === null) this.entries[key] ??= entry;
				}
			}
			delete book[run];
		}
		for (const [key, [, , , duplicate]] of Object.entries(this.entries)) {
			if (duplicate !== undefined) this.duplicates.set(duplicate, key);
		}
	}

	/**
	 * @param key the item index, with the name of the step where an item makes several requests
	 * @returns undefined when this request has not been made, or another one was
	 */
	find(key: string, { sent, intent, duplicate }: Identity): Receipt | undefined {
		let entry: Entry | undefined = this.entries[key];
		if (entry !== undefined && entry[0] !== sent && entry[1] !== intent) entry = undefined;
		if (entry === undefined && duplicate !== undefined) {
			entry = this.entries[this.duplicates.get(duplicate) ?? ''];
		}
		if (entry === undefined) return undefined;
		return entry[2] === null ? { state: 'unknown' } : { state: 'accepted', kept: entry[2] };
	}

	/** To be called before the request is written: until its answer is known, it is unknown. */
	noteUnknown(key: string, identity: Identity): void {
		this.note(key, identity, null);
	}

	noteAccepted(key: string, identity: Identity, kept: IDataObject): void {
		this.note(key, identity, kept);
	}

	private note(
		key: string,
		{ sent, intent, duplicate }: Identity,
		kept: IDataObject | null,
	): void {
		this.entries[key] = [
			sent,
			intent,
			kept,
			...(duplicate === undefined ? [] : [duplicate]),
		] as Entry;
		if (duplicate !== undefined) this.duplicates.set(duplicate, key);
	}

	/** The request certainly was not carried out. */
	forget(key: string): void {
		const duplicate = this.entries[key]?.[3];
		if (duplicate !== undefined) this.duplicates.delete(duplicate);
		delete this.entries[key];
	}
}
