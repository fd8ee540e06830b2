import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { STORE_TIMING } from './storeTiming';

/** The row of the whole workflow in n8n's store, in the mode in which it holds one number. */
const ROW = ['workflow', { mode: 'latestIncrementalKey' }] as const;
/** The number with which the row is made; no number in it is smaller. */
const FIRST = 1;
const LARGEST = 2 ** 52;
/** Milliseconds in which callers leave numbers of one size: shorter than between two numbers of one caller. */
const SLOT = 10_000;
const NUMBERS_OF_SLOT = 2 ** 24;
const MINUTE = 60_000;
/**
 * Failures in a row after which the database is taken to be out of order. Where many workers make the row again
 * and again, each of them is refused several times.
 */
const MOST_FAILURES = 20;

/** How often a caller that waits in line checks whether it was stopped. Milliseconds. */
const SLICE = 200;

/** The callers of this process that want the lock of one workflow: only the first one asks the database. */
interface Line {
	/** Resolves when the last caller has left. */
	last?: Promise<void>;
	/** When a caller got the lock the last time: as long as the line moves on, all others wait. */
	movedAt: number;
}

const lines = new Map<string, Line>();
const BUSY = 'other executions of this workflow keep it busy';

/**
 * A lock around n8n's deduplication store that holds across executions, processes and workers.
 *
 * n8n reads, changes and writes a row of its store without a lock. But to *insert* a row that is there already fails,
 * by the primary key of the table: the caller that makes the row of the workflow has the lock, and deletes the row in
 * the end. A holder that was killed leaves the row behind. n8n keeps the largest number that the row was given, and
 * says which numbers were larger: a caller that waits for long leaves its own number, which is gone with the row when
 * the lock is given back. A holder that stands still finds out by its own clock; no clock of another computer is
 * trusted: they only decide who gives way. A row for each state, from which test/unit/sms/protocol.test.mts is made:
 *
 * | the row has         | since  | who looks   | does                         |
 * | ------------------- | ------ | ----------- | ---------------------------- |
 * | no number           | -      | anybody     | makes it, and has the lock   |
 * | 1                   | 13.9 s | the holder  | works, then deletes it       |
 * | 1                   | 14.1 s | the holder  | works, then leaves it        |
 * | 1                   | 18.9 s | the holder  | works, then leaves it        |
 * | 1                   | 19.1 s | the holder  | fails, and leaves it         |
 * | 1                   | 0.4 s  | another one | waits                        |
 * | 1                   | 0.6 s  | another one | leaves its number            |
 * | its own number      | 19.9 s | another one | waits                        |
 * | its own number      | 20.2 s | another one | has the lock                 |
 * | 1 again, after 10 s | 19.9 s | another one | waits                        |
 * | 1 again, after 10 s | 20.2 s | another one | has the lock                 |
 * | 1 again, after 14 s | 19.9 s | another one | waits                        |
 * | 1 again, after 14 s | 20.2 s | another one | has the lock                 |
 * | a larger number     | 34.5 s | another one | waits                        |
 * | a larger number     | 35.5 s | another one | leaves a still larger number |
 *
 * *1 again*: the holder has given the lock back, and the next one has it since then. A caller whose number is gone counts
 * anew, also where it finds out only as the time is over for which its number has to stay.
 */
export class StoreLock {
	private askedAt = { clock: 0, time: 0 };

	constructor(
		private readonly helpers: IExecuteFunctions['helpers'],
		private readonly workflowId: string,
	) {}

	/**
	 * Does some work while nobody else has the lock.
	 *
	 * @param isStopped ends the waiting for it
	 * @returns undefined where that was stopped
	 * @throws Error where the lock can't be had, or was lost meanwhile
	 */
	async hold<T>(work: () => Promise<T>, isStopped = () => false): Promise<T | undefined> {
		const { workflowId } = this;
		const line: Line = lines.get(workflowId) ?? { movedAt: 0 };
		lines.set(workflowId, line);
		const before = line.last;
		let leave = () => {};
		const own = new Promise<void>((resolve) => (leave = resolve));
		line.last = own;
		try {
			if (!(await this.take(line, before, isStopped))) return undefined;
			return await this.use(work);
		} finally {
			if (line.last === own) lines.delete(workflowId);
			leave();
		}
	}

	private async use<T>(work: () => Promise<T>): Promise<T> {
		try {
			const result = await work();
			// Nobody takes over before twice `silence`.
			this.check(1.9 * STORE_TIMING.silence);
			return result;
		} finally {
			// A holder that stood still may lose it during the call: the row can be another one's by then.
			if (this.isHeld()) {
				// If that fails, the row stays and is taken over.
				await this.helpers.clearAllProcessedItems(...ROW).catch(() => {});
			}
		}
	}

	/**
	 * To be called before each step of the work: another one takes the place of a holder that stands still.
	 *
	 * @throws Error where that may happen during the step
	 */
	check(longest: number = STORE_TIMING.longestHold): void {
		if (this.isHeld(longest)) return;
		throw new Error('n8n stood still for too long while it used the store');
	}

	private isHeld(longest: number = STORE_TIMING.longestHold): boolean {
		const { clock, time } = this.askedAt;
		// While a machine is suspended, one of the two clocks may stand still.
		return Math.max(performance.now() - clock, Date.now() - time) < longest;
	}

	/** @returns false where it was stopped */
	private async take(
		line: Line,
		before: Promise<void> | undefined,
		isStopped: () => boolean,
	): Promise<boolean> {
		const { firstPoll, longestPoll, longestWait } = STORE_TIMING;
		const begun = performance.now();
		const takeover = new Takeover(async (numbers) => await this.give(numbers));
		let isFirst = before === undefined;
		void before?.then(() => (isFirst = true));
		for (let wait: number = firstPoll; !isStopped(); ) {
			// Where the call took too long that made the row, no step can begin: the row is taken over later.
			if (isFirst && (await takeover.succeeds()) && this.isHeld()) {
				line.movedAt = performance.now();
				return true;
			}
			const waited = performance.now() - Math.max(begun, line.movedAt);
			if (waited > longestWait) throw takeover.failure ?? new Error(BUSY);
			if (isFirst) {
				await sleep(wait * (0.5 + Math.random()));
				wait = Math.min(2 * wait, longestPoll);
			} else {
				await Promise.race([before, sleep(SLICE)]);
			}
		}
		return false;
	}

	/** Makes the row, or leaves the largest of the numbers in it. */
	private async give(numbers: number[]): Promise<number[]> {
		// Before the row is made: it is not held for longer than this says.
		this.askedAt = { clock: performance.now(), time: Date.now() };
		const { new: larger } = await this.helpers.checkProcessedAndRecord(numbers, ...ROW);
		return larger as number[];
	}
}

/** A caller that waits for the lock, and takes it over where it was left behind. */
class Takeover {
	private begun?: number;
	private mark = FIRST;
	/** When the number was left in the row, or was seen to be there still. */
	private markedAt = 0;
	private silences = 0;
	private gaveWay = false;
	private raises = 0;
	private failures = 0;
	/** The error of the last call, if it failed. */
	failure?: Error;

	/** @param once gives numbers to the row, and says which are larger than the one in it: all, where there is none */
	constructor(private readonly once: (numbers: number[]) => Promise<number[]>) {}

	/** @returns whether the lock is ours now */
	async succeeds(): Promise<boolean> {
		const now = performance.now();
		this.begun ??= now;
		if (this.mark === FIRST && now - this.begun > STORE_TIMING.patience) this.raise();
		const { mark } = this;
		const isDue = mark > FIRST && now - this.markedAt > STORE_TIMING.silence;
		const larger = await this.ask(isDue ? [FIRST, mark, mark + 1] : [FIRST, mark]);
		if (larger.includes(FIRST)) return true;
		const isNew = larger.includes(mark);
		// After the answer: from here on, the row has certainly been seen.
		if (isNew || isDue) this.markedAt = performance.now();
		if (isNew) this.silences = 0;
		if (!isDue) return false;
		if (larger.length === 0) return this.giveWay();
		this.mark = mark + 1;
		// A late answer can suggest the first silence; by the second, the lock would be given back.
		return !isNew && ++this.silences >= 2;
	}

	/** To one whose number is larger, for as long as it takes to take over: it may be gone as well. */
	private giveWay(): false {
		this.silences = 0;
		this.gaveWay = !this.gaveWay;
		if (this.gaveWay) this.markedAt += 1.5 * STORE_TIMING.silence;
		else this.raise();
		return false;
	}

	/**
	 * To a number that nobody else takes, and that is larger than those of callers that were killed before: it grows with
	 * the time. Theirs may come from a clock that is ahead, so each further one is further ahead, too.
	 */
	private raise(): void {
		const ahead = (16 ** this.raises++ - 1) * MINUTE;
		const slot = Math.floor((Date.now() + ahead) / SLOT);
		const number = Math.floor((slot + Math.random()) * NUMBERS_OF_SLOT);
		this.mark = Math.max(this.mark + 3, Math.min(number, LARGEST));
		this.markedAt = performance.now();
	}

	/** Of several that make the row at the same moment, the database refuses all but one. */
	private async ask(numbers: number[]): Promise<number[]> {
		this.failure = undefined;
		const larger = await this.once([...new Set(numbers)]).catch((error: Error) => {
			this.failure = error;
			if (++this.failures === MOST_FAILURES) throw error;
			return [];
		});
		if (this.failure === undefined) this.failures = 0;
		return larger;
	}
}
