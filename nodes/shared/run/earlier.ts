import { forEachConcurrently } from '../chunks';
import type { Client, RunContext } from './client';
import { leftOut } from './guards';
import type { Claims, End, OpenEntry, OperationDefinition } from './operation';
import { invalid, type Failed, type Outcome, type Result } from './outcome';
import type { Receipts } from './receipts';
import { afterEarlierTry, inDoubtNow, notAgain, untilShown } from './unknown';

/** The parts of a run that a look-up needs. */
type Run = Pick<RunContext, 'limiter' | 'cache'>;

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
		const wait = this.untilAllShown(absent);
		if (wait > 0) {
			await limiter.wait(wait);
			cache.clear();
			for (const entry of absent) entry.mayRepeat = false;
			await this.lookUpAll(absent, clientOf);
		}
		return lost.filter(isFound);
	}

	/**
	 * The same for what this run has lost: at once, and when the service certainly shows what it has accepted. Nothing is
	 * repeated.
	 *
	 * @returns those that were found
	 */
	async lookUpOwn(
		lost: readonly OpenEntry[],
		clientOf: (entry: OpenEntry) => Client,
		{ limiter, cache }: Run,
	): Promise<OpenEntry[]> {
		const ask = async (entry: OpenEntry, isShown: boolean) => {
			const client = clientOf(entry);
			const prepared = { ...entry.prepared, resendUnknown: false };
			const result = await client.lookUp(
				async (change) => await this.definition.lookUp!(prepared, client, change),
			);
			if (result === 'absent') return;
			if ('value' in result) this.end(entry, this.outcomeOf(result));
			else if (isShown) this.end(entry, inDoubtNow(entry.outcome as Failed, result));
		};
		for (const isShown of [false, true]) {
			const left = lost.filter((entry) => !isFound(entry));
			const wait = isShown ? this.untilAllShown(left) : 0;
			if (left.length === 0 || !(await limiter.wait(wait))) break;
			cache.clear();
			await forEachConcurrently(left, async (entry) => await ask(entry, isShown));
		}
		return lost.filter(isFound);
	}

	private untilAllShown(entries: readonly OpenEntry[]): number {
		return entries.reduce(
			(longest, { index, identity }) =>
				Math.max(longest, untilShown(this.receipts.find(index, identity))),
			0,
		);
	}

	/** @returns those that are not there, and are to be repeated */
	private async lookUpAll(
		entries: readonly OpenEntry[],
		clientOf: (entry: OpenEntry) => Client,
	): Promise<OpenEntry[]> {
		await forEachConcurrently(entries, async (entry) => {
			const { prepared } = entry;
			const client = clientOf(entry);
			const result = await client.lookUp(
				async (lost) => await this.definition.lookUp!(prepared, client, lost),
			);
			if (result !== 'absent') this.end(entry, this.outcomeOf(result));
			else if (prepared.expired !== undefined) this.end(entry, notAgain(prepared.expired));
			else entry.mayRepeat = true;
		});
		return entries.filter(({ mayRepeat }) => mayRepeat);
	}

	private outcomeOf(result: Result): Outcome {
		const { resultOf = (kept) => kept } = this.definition;
		return 'value' in result ? { status: 'done', value: resultOf(result.value) } : result;
	}
}

function isFound({ outcome }: OpenEntry): boolean {
	return outcome?.status === 'done';
}
