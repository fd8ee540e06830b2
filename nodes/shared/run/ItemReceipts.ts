import type { IDataObject } from 'n8n-workflow';
import type { Change } from './changes';
import { fingerprint } from './fingerprint';
import type { Attempted } from './outcome';
import type { Identity, Receipt, ReceiptBook, Receipts } from './Receipts';
import { isSettledBy, mayHaveGone } from './unknown';

/** Of an item, what its requests need to know. */
export interface RequestingItem {
	index: number;
	/** What tells at a retry whether its one change was made before. */
	identity: Identity;
	/** What an earlier try has made of that change. */
	known: Receipt | undefined;
	/** That change is not made any more. */
	isSettled: boolean;
	/** Make a request again whose fate is unknown. */
	resendUnknown: boolean;
}

/** The receipts of one item: of its one change, or of its steps. */
export class ItemReceipts {
	constructor(
		private readonly receipts: Receipts,
		private readonly item: RequestingItem,
	) {}

	/** Where it is written down what becomes of a change. */
	bookOf(change: Change): ReceiptBook {
		return this.receipts.bookOf(this.keyOf(change), this.identityOf(change));
	}

	/** What an earlier try has made of a change. */
	find(change: Change): Receipt | undefined {
		const identity = this.identityOf(change);
		if (identity === this.item.identity) return this.item.known;
		return this.receipts.find(this.keyOf(change), identity);
	}

	/** What answers instead of a change that is not made any more; undefined for one that is to be made. */
	settled<T extends IDataObject>(change: Change): Attempted<T> | undefined {
		const receipt = this.find(change);
		const mayRepeat = change.repeats === 'always' || this.item.resendUnknown;
		if (!isSettledBy(receipt, mayRepeat)) return undefined;
		// What this very request kept is what was read from its answer then.
		return receipt.state === 'accepted' ? { value: receipt.kept as T } : mayHaveGone();
	}

	private keyOf({ step }: Change): string {
		const { index } = this.item;
		return step === undefined ? String(index) : `${index}:${step}`;
	}

	/** The one change of an item is known by the item; a step by what it is made of. */
	private identityOf({ step, content, endpoint, path, qs, body }: Change): Identity {
		const { identity } = this.item;
		if (step === undefined && identity.content !== undefined) return identity;
		return { ...identity, content: fingerprint(...(content ?? [endpoint, path, qs, body])) };
	}
}
