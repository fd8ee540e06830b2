import type { IDataObject } from 'n8n-workflow';
import type { Entry, Open, Prepared, Renamed } from './entries';
import { invalid, type Outcome } from './outcome';
import type { Receipt, Receipts } from './Receipts';
import { creditsOf } from './spending';
import { isSettledBy, mayHaveGone } from './unknown';

/** What an operation knows of what was made before. */
interface RecoveredBy {
	resultOf?: (kept: IDataObject) => IDataObject;
	executeAll?: unknown;
}

/**
 * What earlier tries of this execution have made of the items: asked once for each.
 */
export class Recovery {
	private readonly known = new Map<number, Receipt>();
	private readonly alikeBefore: Map<string, number | undefined>;
	/** Items that were made, or may have been, before what they are alike was corrected. */
	private readonly renamed = new Set<number>();

	constructor(
		readonly receipts: Receipts,
		entries: ReadonlyArray<Entry<Prepared>>,
		private readonly definition: RecoveredBy = {},
	) {
		this.alikeBefore = receipts.alike();
		for (const { index, identity } of entries) {
			const receipt = this.ask({ index, identity });
			if (receipt === undefined) continue;
			// By what it is now, too: an option may have been corrected. What was accepted counts before what is
			// unknown, which may be sent again.
			for (const each of identity.alike ?? []) {
				const other = this.alikeBefore.get(each);
				if (!this.alikeBefore.has(each)) this.renamed.add(index);
				const isBetter = receipt.state === 'accepted' && !this.isAccepted(other);
				if (other === undefined || isBetter) this.alikeBefore.set(each, index);
			}
		}
	}

	/** Asks for the receipt of an item, which is another one when the item was rewritten. */
	ask({ index, identity }: Pick<Entry<Prepared>, 'index' | 'identity'>): Receipt | undefined {
		const receipt = this.receipts.find(String(index), identity);
		if (receipt === undefined) this.known.delete(index);
		else this.known.set(index, receipt);
		return receipt;
	}

	/** Refuses what can't be made any more: a date may have passed since it was accepted, not before. */
	refuseExpired(open: ReadonlyArray<Open<Prepared>>): void {
		for (const entry of open) {
			const { expired } = entry.prepared;
			if (expired === undefined) continue;
			if (this.of(entry) === undefined) entry.outcome = invalid(expired);
			else entry.prepared = { ...entry.prepared, resendUnknown: false };
		}
	}

	/** An earlier try has made some of it, or may have. */
	get isRetry(): boolean {
		return this.receipts.made().length > 0;
	}

	/** What duplicates of what was made before are recognised by, and its item. */
	get alike(): ReadonlyMap<string, number | undefined> {
		return this.alikeBefore;
	}

	/** Undefined for an item of which nothing was made. */
	of({ index }: Pick<Entry<Prepared>, 'index'>): Receipt | undefined {
		return this.known.get(index);
	}

	wasUnknown(entry: Pick<Entry<Prepared>, 'index'>): boolean {
		return this.of(entry)?.state === 'unknown';
	}

	/** Credits that earlier tries have used, or may have, also for what the items were before they were corrected. */
	get creditsUsed(): number {
		return this.receipts.made().reduce((sum, kept) => sum + creditsOf(kept), 0);
	}

	/** Of these, the settled ones that were made before what they are alike was corrected. */
	renamedOf<P extends Prepared>(open: ReadonlyArray<Open<P>>): Array<Renamed<P>> {
		return open
			.filter((entry) => this.renamed.has(entry.index) && this.isSettled(entry))
			.map(({ index, prepared }) => {
				return { prepared, fate: this.isAccepted(index) ? 'accepted' : 'unknown' };
			});
	}

	private isAccepted(index: number | undefined): boolean {
		return index !== undefined && this.known.get(index)?.state === 'accepted';
	}

	/** Whether an earlier try has settled it, so that its receipt answers without any further check. */
	isSettled({ index, prepared }: Pick<Entry<Prepared>, 'index' | 'prepared'>): boolean {
		return isSettledBy(this.known.get(index), prepared?.resendUnknown === true);
	}

	/**
	 * What is known of an item where this try can do nothing.
	 *
	 * @returns undefined where nothing of it was made, not even a step
	 */
	lastWordOn({ index }: Entry<Prepared>): Outcome | undefined {
		const receipt = this.known.get(index);
		if (receipt?.state === 'accepted') {
			const { resultOf = (kept) => kept } = this.definition;
			return { status: 'done', value: resultOf(receipt.kept) };
		}
		// One request for many items has its receipt under one of them.
		const isTogether = this.definition.executeAll !== undefined;
		const hasSteps = this.receipts.hasSteps(isTogether ? undefined : index);
		return receipt !== undefined || hasSteps ? mayHaveGone() : undefined;
	}
}
