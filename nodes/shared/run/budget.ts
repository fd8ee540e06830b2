import type { IContextObject, IDataObject } from 'n8n-workflow';
import { HOW_TO_SEND_LATER } from '../fields/options';
import { readMaxCredits } from '../fields/maxCredits';
import type { Options } from '../service/choices';
import { NOT_STARTED, type Failed, type Result } from './outcome';

/**
 * Keeps the credits of a node in one execution below *Max Credits*: a sum in n8n's node context, over loops, retries and the
 * calls of a tool. A message reserves a credit for each of its segments while it is being sent; then it counts what
 * the service says that it cost, or the same where its answer was lost.
 */
export class Budget {
	private readonly limit: number;
	private reserved = 0;

	/** @throws InputError */
	constructor(
		private readonly memory: IContextObject,
		options: Options,
	) {
		this.limit = readMaxCredits(options);
	}

	/** @param cost segments of a message @returns why it can't be sent; undefined where it is within the limit */
	reserve(cost: number): Failed | undefined {
		if (this.spent + this.reserved + cost > this.limit) return this.exceeded();
		this.reserved += cost;
		return undefined;
	}

	/** Called for each reservation, with the result of the request. */
	settle(cost: number, result: Result): void {
		this.reserved -= cost;
		if ('value' in result) this.spent += Number(result.value.creditsUsed ?? cost);
		else if (result.status === 'unknown') this.spent += cost;
	}

	private get spent(): number {
		return Number((this.memory as IDataObject).smsCredits ?? 0);
	}

	private set spent(credits: number) {
		(this.memory as IDataObject).smsCredits = credits;
	}

	private exceeded(): Failed {
		const used = Number(this.spent.toFixed(4));
		const sending = this.reserved === 0 ? '' : ` and is sending for ${this.reserved}`;
		return {
			...NOT_STARTED,
			isNotStarted: undefined,
			message: `'Max Credits' is reached: ${this.limit}, of which this node has used ${used}${sending} in this execution`,
			advice: `Raise 'Max Credits' under Safeguards, or remove it. Once the workflow is saved, ${HOW_TO_SEND_LATER}.`,
		};
	}
}
