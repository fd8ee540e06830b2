import { sleep, type IContextObject, type IDataObject } from 'n8n-workflow';
import { readMaxCredits } from '../fields/maxCredits';
import type { Options } from '../service/choices';
import { NOT_STARTED, type Failed, type Result } from './outcome';

/** Milliseconds until a message asks again that waits for the first price. */
const POLL = 5;

/** The credits of a node in one execution, in n8n's node context. */
interface Credits {
	spent: number;
	/** For messages that are being sent. */
	reserved: number;
	/** The execution that reserved them. */
	by?: string;
	/** The most that a segment has cost so far, which may be nothing; none until one was paid. */
	dearest?: number;
}

/**
 * Keeps the credits of a node in one execution below *Max Credits*, over loops, retries and the calls of a tool. A
 * message reserves the dearest price seen so far for each of its segments; until one is known, one message goes alone.
 * Then it counts what the service says that it cost, or the reservation where its answer was lost.
 */
export class Budget {
	private readonly limit: number;
	private readonly credits: Credits;

	/** @throws InputError */
	constructor(memory: IContextObject, options: Options, executionId: string) {
		this.limit = readMaxCredits(options);
		const credits = (memory.smsCredits ??= { spent: 0, reserved: 0 }) as Credits;
		if (credits.by !== executionId) {
			// An execution that was killed or cancelled has them still, and may have used them.
			credits.spent += credits.reserved;
			Object.assign(credits, { reserved: 0, by: executionId });
		}
		this.credits = credits;
	}

	/**
	 * Makes a request, if its segments fit.
	 *
	 * @param isStopped ends the waiting for the first price
	 */
	async pay<T>(
		segments: number,
		request: () => Promise<Result<T>>,
		isStopped: () => boolean,
	): Promise<Result<T>> {
		const { credits } = this;
		if (this.limit < Infinity)
			while (credits.dearest === undefined && credits.reserved > 0 && !isStopped())
				await sleep(POLL);
		const cost = segments * (credits.dearest || 1);
		if (credits.spent + credits.reserved + cost > this.limit) return this.exceeded();
		if (isStopped()) return NOT_STARTED;
		credits.reserved += cost;
		const result = await request();
		credits.reserved -= cost;
		if ('value' in result) {
			const used = Number((result.value as IDataObject).creditsUsed ?? segments);
			credits.spent += used;
			credits.dearest = Math.max(credits.dearest ?? 0, used / segments);
		} else if (result.status === 'unknown') credits.spent += cost;
		return result;
	}

	private exceeded(): Failed {
		const { spent, reserved } = this.credits;
		const used = Number(spent.toFixed(4));
		const sending = reserved > 0 ? ` and is sending for ${Number(reserved.toFixed(4))}` : '';
		return {
			status: 'notSent',
			message: `'Max Credits' is reached: this node has used ${used} of ${this.limit}${sending} in this execution`,
			advice: "Raise 'Max Credits' under Safeguards, or remove it. A retry counts what was used before.",
			cause: 'configuration-invalid',
		};
	}
}
