import { sleep } from 'n8n-workflow';
import type { Pace } from '../fields/pace';

/** Milliseconds, from a clock that doesn't jump when the computer's time is set. */
const now = () => performance.now();
/** Milliseconds after which a waiting request notices that the execution was cancelled. */
const LONGEST_SLEEP = 200;
/** More starts in one turn of the event loop would keep n8n's other work waiting. */
const STARTS_PER_TURN = 3;

interface Waiting {
	start: (mayStart: boolean) => void;
	evenIfClosed: boolean;
}

/**
 * Rate limiter of one run: at most `concurrency` requests in flight, at most `requestsPerSecond` starts, and none
 * after `close()` or a cancelled execution, unless it completes something half done: that goes first, everything else in its order.
 */
export class Limiter {
	private inFlight = 0;
	private queue: Waiting[] = [];
	private stopped = false;
	/** Starts wait for one another where a pace or a pause holds them up. */
	private lastStart: Promise<unknown> = Promise.resolve();
	private held = 0;
	private nextStart = 0;
	private pausedUntil = 0;
	private lastTurn: Promise<unknown> = Promise.resolve();
	private startsOfTurn = 0;

	constructor(
		readonly pace: Pace,
		private readonly signal?: AbortSignal,
	) {}

	get isClosed(): boolean {
		return this.stopped || this.signal?.aborted === true;
	}

	/** Waits for a free slot. The caller must call `release()` where it gets true. */
	async acquire(evenIfClosed = false): Promise<boolean> {
		if (this.isClosed && !evenIfClosed) return false;
		if (this.inFlight < this.pace.concurrency) {
			this.inFlight++;
			return true;
		}
		return await new Promise<boolean>((start) => {
			if (evenIfClosed) this.queue.unshift({ start, evenIfClosed });
			else this.queue.push({ start, evenIfClosed });
		});
	}

	/** Gives the slot to the next in line. */
	release(): void {
		if (this.isClosed) this.close();
		const next = this.queue.shift();
		if (next === undefined) this.inFlight--;
		else next.start(true);
	}

	/** Waits until the pace, and a pause that the service asked for, allow one more start. */
	async nextTurn(evenIfClosed = false): Promise<boolean> {
		if (this.pace.requestsPerSecond === 0) {
			await this.yieldToEventLoop();
			const isFree = this.held === 0 && this.pausedUntil <= now();
			if (isFree) return evenIfClosed || !this.isClosed;
		}
		this.held++;
		const start = this.lastStart.then(async () => await this.waitForPace(evenIfClosed));
		this.lastStart = start;
		const mayStart = await start;
		this.held--;
		return mayStart;
	}

	/** The service asked for a break (Retry-After). */
	pause(milliseconds: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, now() + milliseconds);
	}

	/** @returns false when the run was stopped meanwhile */
	async wait(milliseconds: number, evenIfClosed = false): Promise<boolean> {
		const end = now() + milliseconds;
		for (let left = milliseconds; left > 0; left = end - now()) {
			if (this.isClosed && !evenIfClosed) return false;
			await sleep(Math.min(left, LONGEST_SLEEP));
		}
		return evenIfClosed || !this.isClosed;
	}

	/** Nothing new starts any more, except for what completes something half done. */
	close(): void {
		this.stopped = true;
		const waiting = this.queue;
		this.queue = waiting.filter(({ evenIfClosed }) => evenIfClosed);
		for (const { start, evenIfClosed } of waiting) if (!evenIfClosed) start(false);
	}

	/** Otherwise, answers that come together would all be handled before the first of the next requests leaves. */
	private async yieldToEventLoop(): Promise<void> {
		const { lastTurn } = this;
		this.startsOfTurn++;
		if (this.startsOfTurn === STARTS_PER_TURN) {
			this.startsOfTurn = 0;
			this.lastTurn = lastTurn.then(async () => await sleep(0));
		}
		await lastTurn;
	}

	/** A pause can begin while this one waits: a start that was due during it is due after it, at the pace. */
	private async waitForPace(evenIfClosed: boolean): Promise<boolean> {
		do {
			const start = Math.max(this.nextStart, this.pausedUntil);
			if (!(await this.wait(start - now(), evenIfClosed))) return false;
			await this.yieldToEventLoop();
		} while (now() < this.pausedUntil);
		if (this.isClosed && !evenIfClosed) return false;
		const { requestsPerSecond } = this.pace;
		if (requestsPerSecond > 0) this.nextStart = now() + 1000 / requestsPerSecond;
		return true;
	}
}
