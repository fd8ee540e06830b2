import type { IDataObject } from 'n8n-workflow';
import { forEachConcurrently } from '../chunks';
import type { InputError } from '../service/InputError';
import type { Client, RunContext } from './client';
import { leftOut } from './guards';
import type { End, OpenEntry, OperationDefinition, SkipUsed } from './operation';
import { invalid, notLookedUp, unknownBefore, type Failed, type LookUp } from './outcome';
import type { Receipts } from './receipts';
import { untilShown } from './retryPolicy';

/** The parts of a run that a look-up needs. */
type Run = Pick<RunContext, 'limiter' | 'cache'>;

/** Decides, before anything is sent, which items earlier tries of this execution have done, or may have. */
export class EarlierTries {
	constructor(
		private readonly definition: OperationDefinition,
		private readonly receipts: Receipts,
		private readonly end: End,
	) {}

	/**
	 * Ends entries that this execution has sent, or may have: the receipt is their result. Their duplicates stay left out.
	 *
	 * @returns those that an earlier try may have sent, and that can be looked up
	 */
	takeReceipts(entries: readonly OpenEntry[], isDryRun: boolean): OpenEntry[] {
		const { kind, lookUp } = this.definition;
		const lost: OpenEntry[] = [];
		for (const entry of entries) {
			const { expired, resendUnknown } = entry.prepared;
			const receipt = this.receipts.find(entry.index, entry.identity);
			if (receipt === undefined) {
				const refusal = leftOut(entry, this.receipts);
				if (refusal !== undefined) this.end(entry, refusal);
			} else if (receipt.state === 'accepted') this.endDone(entry, receipt.answer);
			else if (kind === 'delete') entry.mayRepeat = true;
			else if (receipt.isOwn || isDryRun) this.end(entry, unknownBefore());
			else if (lookUp !== undefined) lost.push(entry);
			else if (resendUnknown && !expired) entry.mayRepeat = true;
			else this.end(entry, expired ? invalid(expired) : unknownBefore());
		}
		return lost;
	}

	/** Ends what can't be sent any more, and what this execution has not sent. */
	async endExpired(entries: readonly OpenEntry[], skipUsed?: SkipUsed): Promise<void> {
		const expired = entries.filter(
			({ prepared, index, identity }) =>
				prepared.expired !== undefined && !this.receipts.find(index, identity),
		);
		if (expired.length === 0) return;
		await skipUsed?.(expired, this.end);
		for (const entry of expired)
			if (entry.outcome === undefined) this.end(entry, invalid(entry.prepared.expired));
	}

	/**
	 * Looks up what an earlier try may have sent. The service may show late what it has accepted: what seems absent is
	 * looked up again before it is repeated.
	 *
	 * @returns those that were found
	 */
	async lookUp(
		lost: readonly OpenEntry[],
		clientOf: (entry: OpenEntry) => Client,
		{ limiter, cache }: Run,
	): Promise<OpenEntry[]> {
		const absent = await this.lookUpAll(lost, clientOf);
		const wait = Math.max(0, ...absent.map((entry) => this.shownIn(entry)));
		if (wait > 0) {
			await limiter.wait(wait);
			cache.clear();
			for (const entry of absent) entry.mayRepeat = false;
			await this.lookUpAll(absent, clientOf);
		}
		return lost.filter(({ outcome }) => outcome?.status === 'done');
	}

	/** @returns those that are not there, and are to be repeated */
	private async lookUpAll(
		entries: readonly OpenEntry[],
		clientOf: (entry: OpenEntry) => Client,
	): Promise<OpenEntry[]> {
		await forEachConcurrently(entries, async (entry) => {
			const result = await this.lookUpOne(entry, clientOf(entry));
			const { expired } = entry.prepared;
			if (result === 'absent' && expired) this.end(entry, notAgain(expired));
			else if (result === 'absent') entry.mayRepeat = true;
			else if ('found' in result)
				this.end(entry, unknownBefore(result.message, result.found));
			else {
				this.receipts.accept(entry.index, entry.identity, result.value);
				this.endDone(entry, result.value);
			}
		});
		return entries.filter(({ mayRepeat }) => mayRepeat);
	}

	private async lookUpOne(
		{ prepared, identity, index }: OpenEntry,
		client: Client,
	): Promise<LookUp> {
		const receipt = this.receipts.find(index, identity);
		if (receipt?.state !== 'unknown') return 'absent';
		const siblings = () => this.receipts.toTarget(identity.target);
		const lost = { ...receipt, siblings };
		return await this.definition.lookUp!(prepared, client, lost).catch(notLookedUp);
	}

	/** Milliseconds until the service certainly shows the message of a lost request. */
	private shownIn({ index, identity }: OpenEntry): number {
		const receipt = this.receipts.find(index, identity);
		return receipt?.state === 'unknown' ? untilShown(receipt.at) : 0;
	}

	private endDone(entry: OpenEntry, answer: IDataObject): void {
		const { resultOf = (kept) => kept } = this.definition;
		this.end(entry, { status: 'done', value: resultOf(answer) });
	}
}

/** Something that is not there, and can't be made again as it is set now. */
function notAgain({ message, description = '' }: InputError): Failed {
	const lost = `The answer to an earlier try was lost, and a look-up found nothing. ${message}`;
	return unknownBefore(lost, 'nothing', description);
}
