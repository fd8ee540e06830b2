import { forEachConcurrently } from '../chunks';
import type { Client, RunContext } from './client';
import { leftOut } from './guards';
import {
	isDone,
	type Claims,
	type End,
	type OpenEntry,
	type OperationDefinition,
} from './operation';
import { invalid, type Failed, type Outcome, type Result } from './outcome';
import type { Receipts } from './receipts';
import {
	afterEarlierTry,
	failureOf,
	inDoubtNow,
	notAgain,
	untilShown,
	type LookUp,
} from './unknown';

/** Decides which items earlier tries of this execution have done, or may have, and looks up what this one has lost. */
export class EarlierTries {
	constructor(
		private readonly definition: OperationDefinition,
		private readonly receipts: Receipts,
		private readonly end: End,
	) {}

	/**
	 * Ends entries that this execution has sent, or may have: the receipt is their result. Their duplicates stay left out,
	 * and others that can't be sent any more are over.
	 *
	 * @returns those that an earlier try may have sent, and that can be looked up
	 */
	async takeReceipts(
		entries: readonly OpenEntry[],
		isDryRun: boolean,
		claims?: Claims,
	): Promise<OpenEntry[]> {
		const { kind, lookUp } = this.definition;
		const lost: OpenEntry[] = [];
		const over: OpenEntry[] = [];
		for (const entry of entries) {
			const { expired, resendUnknown } = entry.prepared;
			const receipt = this.receipts.find(entry.index, entry.identity);
			const refusal = receipt === undefined ? leftOut(entry, this.receipts) : undefined;
			const next = afterEarlierTry(receipt, {
				isHarmless: kind === 'delete',
				looksUp: lookUp !== undefined && !isDryRun,
				mayRepeat: resendUnknown === true && !isDryRun && expired === undefined,
			});
			if (refusal !== undefined) this.end(entry, refusal);
			else if (next === 'lookUp') lost.push(entry);
			else if (next !== 'make') {
				const outcome = this.outcomeOf(next);
				const isBlocked = outcome.status === 'unknown' && expired !== undefined;
				this.end(entry, isBlocked ? invalid(expired) : outcome);
			} else if (receipt !== undefined) entry.mayRepeat = true;
			else if (expired !== undefined) over.push(entry);
		}
		// Who has their once key is told so, whatever else is wrong with them.
		if (over.length > 0) await claims?.endUsed(over, this.end);
		for (const entry of over)
			if (entry.outcome === undefined) this.end(entry, invalid(entry.prepared.expired));
		return lost;
	}

	/**
	 * Looks up changes whose answers got lost. The service may show late what it has accepted: what isn't found is looked up
	 * again when it certainly shows it, and only then is it repeated, or told that there is none.
	 *
	 * @param isOwn this run has lost them: nothing is repeated
	 * @returns those that were found
	 */
	async lookUp(
		lost: readonly OpenEntry[],
		clientOf: (entry: OpenEntry) => Client,
		{ limiter, cache }: Pick<RunContext, 'limiter' | 'cache'>,
		isOwn = false,
	): Promise<OpenEntry[]> {
		let open = lost;
		for (const isLast of [false, true]) {
			// A clock that was set back may never get there.
			const late = new Set(open.filter((entry) => !isLast && this.untilShown(entry) > 0));
			cache.clear();
			await forEachConcurrently(open, async (entry) => {
				const result = await this.ask(entry, clientOf(entry), isOwn);
				if (result !== 'absent' && 'value' in result) {
					this.end(entry, this.outcomeOf(result));
					late.delete(entry);
				} else if (!late.has(entry)) this.leave(entry, result, isOwn);
			});
			open = [...late];
			const wait = Math.max(0, ...open.map((entry) => this.untilShown(entry)));
			if (open.length === 0 || !(await limiter.wait(wait))) break;
		}
		return lost.filter(isDone);
	}

	private async ask(entry: OpenEntry, client: Client, isOwn: boolean): Promise<LookUp> {
		const prepared = isOwn ? { ...entry.prepared, resendUnknown: false } : entry.prepared;
		return await client.lookUp(
			async (change) => await this.definition.lookUp!(prepared, client, change),
		);
	}

	/** Leaves something unknown that was not found, or has it repeated. */
	private leave(entry: OpenEntry, result: Failed | 'absent', isOwn: boolean): void {
		const { expired } = entry.prepared;
		if (isOwn) {
			if (result !== 'absent') this.end(entry, inDoubtNow(entry.outcome as Failed, result));
		} else if (result !== 'absent') this.end(entry, result);
		else if (expired !== undefined) this.end(entry, notAgain(expired));
		else entry.mayRepeat = true;
	}

	private untilShown({ index, identity }: OpenEntry): number {
		return untilShown(this.receipts.find(index, identity));
	}

	private outcomeOf(result: Result): Outcome {
		if (!('value' in result)) return result;
		const { resultOf = (kept) => kept } = this.definition;
		try {
			return { status: 'done', value: resultOf(result.value) };
		} catch (error) {
			return failureOf(error);
		}
	}
}
