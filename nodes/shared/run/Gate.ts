import { sleep } from 'n8n-workflow';
import type { Pace } from '../fields/pace';
import { waitUnless } from './waitUnless';

/** Milliseconds, from a clock that doesn't jump when the computer's time is set. */
const now = () => performance.now();

/** Requests that start in one turn of the event loop at most. With fewer, n8n would wait where a service is quick. */
const STARTS_OF_TURN = 3;

/**
 * Lets requests through one after another: never more than `concurrency` at once, never faster than
 * `requestsPerSecond`, none after it was closed or the execution was cancelled. First come, first
 * served.
 */
export class Gate {
	private inFlight = 0;
	private waiting: Array<(open: boolean) => void> = [];
	private closed = false;
	/** Starts go one after the other: each waits for the one before. */
	private lastStart: Promise<unknown> = Promise.resolve();
	/** How many of them wait for the pace, or for the end of a pause. */
	private held = 0;
	private lastTurn: Promise<unknown> = Promise.resolve();
	private startsOfTurn = 0;
	private nextStart = 0;
	private pausedUntil = 0;
	private readonly closesAt: number;

	constructor(
		private readonly pace: Pace,
		private readonly signal?: AbortSignal,
		/** After how many milliseconds it closes by itself. */
		lasts = Infinity,
	) {
		this.closesAt = now() + lasts;
	}

	/**
	 * A gate for what comes after this one, at the same pace: an end, or a stop, of this one doesn't close it.
	 *
	 * @param lasts after how many milliseconds it closes by itself
	 */
	successor(lasts: number): Gate {
		const gate = new Gate(this.pace, this.signal, lasts);
		gate.nextStart = this.nextStart;
		gate.pausedUntil = this.pausedUntil;
		return gate;
	}

	/** How many can be through at once. */
	get places(): number {
		return this.pace.concurrency;
	}

	get isClosed(): boolean {
		return this.closed || this.isCancelled || now() >= this.closesAt;
	}

	/** Milliseconds until it closes by itself. */
	get timeLeft(): number {
		return this.closesAt - now();
	}

	/** The user has stopped the execution. */
	get isCancelled(): boolean {
		return this.signal?.aborted === true;
	}

	/**
	 * Waits for a place. False: the gate is closed and the request must not be made.
	 *
	 * @param finishes it completes what has begun, so that it is let in although the gate is closed
	 */
	async enter(finishes = false): Promise<boolean> {
		if (this.isClosed && !finishes) return false;
		if (this.inFlight >= this.pace.concurrency) {
			const admitted = await new Promise<boolean>((resolve) => this.waiting.push(resolve));
			if (!admitted) return false;
		} else {
			this.inFlight++;
		}
		if (await this.startSlot()) return true;
		this.leave();
		return false;
	}

	/** Gives the place to the next in line; after a cancellation, turns all of them away. */
	leave(): void {
		if (this.isClosed) this.close();
		const next = this.waiting.shift();
		if (next) next(true);
		else this.inFlight--;
	}

	/**
	 * Waits until the pace allows one more start. False: the gate was closed meanwhile.
	 *
	 * @param finishes it completes what has begun, so that it starts although the gate is closed
	 */
	async startSlot(finishes = false): Promise<boolean> {
		if (this.pace.requestsPerSecond === 0) {
			await this.turn();
			if (this.held === 0 && this.pausedUntil <= now()) return finishes || !this.isClosed;
		}
		this.held++;
		const start = this.lastStart.then(async () => await this.waitForStart(finishes));
		this.lastStart = start;
		const isOpen = await start;
		this.held--;
		return isOpen;
	}

	/**
	 * Few requests start in one turn of the event loop. Otherwise answers that come together are all worked
	 * through before the first of the next requests leaves, these are answered together again, and n8n waits
	 * meanwhile.
	 */
	private async turn(): Promise<void> {
		const { lastTurn } = this;
		this.startsOfTurn++;
		if (this.startsOfTurn === STARTS_OF_TURN) {
			this.startsOfTurn = 0;
			this.lastTurn = lastTurn.then(async () => await sleep(0));
		}
		await lastTurn;
	}

	/** A pause can begin while this one waits: what was due during it is due after it, at the pace. */
	private async waitForStart(finishes: boolean): Promise<boolean> {
		for (;;) {
			const start = Math.max(this.nextStart, this.pausedUntil);
			if (!(await this.wait(start - now(), finishes))) return false;
			await this.turn();
			if (now() >= this.pausedUntil) break;
		}
		if (this.isClosed && !finishes) return false;
		const { requestsPerSecond } = this.pace;
		if (requestsPerSecond > 0) this.nextStart = now() + 1000 / requestsPerSecond;
		return true;
	}

	/** Holds back all further starts: the service asked for a break. */
	pause(milliseconds: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, now() + milliseconds);
	}

	/**
	 * Sleeps. False: the gate was closed meanwhile.
	 *
	 * @param finishes as in `startSlot`
	 */
	async wait(milliseconds: number, finishes = false): Promise<boolean> {
		return await waitUnless(() => this.isClosed && !finishes, milliseconds);
	}

	/** Turns away all that have not started. */
	close(): void {
		this.closed = true;
		for (const turnAway of this.waiting.splice(0)) turnAway(false);
	}
}
