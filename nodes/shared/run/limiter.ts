import { sleep } from 'n8n-workflow';
import { MOST_CONCURRENT, type Pace } from '../fields/pace';
import type { Connection } from '../http/connection';
import type { Failure } from '../http/failure';

/** Requests in flight when a run begins. */
const FIRST_WINDOW = 10;
/** Milliseconds for which the window doesn't grow after trouble: the first time, and at most. */
const FIRST_HOLD = 4_000;
const LONGEST_HOLD = 16_000;
/** Part of the window that a run uses which could do with more. */
const USED = 0.75;
/** Milliseconds by which an answer may be late that is twice as slow as the quickest one: n8n has other work, too. */
const LATE = 10;

/** How many requests may be in flight, as the answers of the run suggest. */
export interface Window {
	size: number;
	/** It has neither met trouble nor been too large for the run: it still grows fast. */
	isFirst: boolean;
	/** Its size before it grew, or half of it: where trouble takes it back to. */
	before: number;
	/** Quick answers since it last changed. */
	quick: number;
	/** Answers of the round, which has as many as it is large, and the most requests in flight with one of them. */
	answers: number;
	most: number;
	/** Requests that began before this time belong to the latest trouble; milliseconds. */
	troubleAt: number;
	/** For how long that trouble keeps it from growing. */
	hold: number;
}

export const FIRST: Readonly<Window> = {
	size: FIRST_WINDOW,
	isFirst: true,
	before: FIRST_WINDOW / 2,
	quick: 0,
	answers: 0,
	most: 0,
	troubleAt: -Infinity,
	hold: 0,
};

/** How an answer moves the window. */
export type Sign =
	/** Accepted, about as quickly as the quickest one so far. */
	| 'quick'
	/** Accepted, later than that. */
	| 'slow'
	/** The service asks for fewer requests: 429, 503 with Retry-After. */
	| 'tooMany'
	/** No connection, or no usable answer. It can have any reason. */
	| 'broken'
	| 'none';

/** An answer. */
export interface Heard {
	sign: Sign;
	/** When the request began, and when it was answered; milliseconds. */
	began: number;
	ended: number;
	/** Requests in flight when it began, itself included. */
	inFlight: number;
}

/**
 * The window after an answer, much as TCP has it (RFC 5681): as many quick answers as it is large make it three times
 * as large. At 100, or if the run doesn't use it, it becomes as large as what is used. From then on, or after the first
 * trouble, they add one where all of it is used. Slower answers don't make it larger (TCP Vegas). Trouble takes it back to its size before it grew, or else
 * to half of its size, and holds it there, each time longer: a service with a limit refuses a few requests in a run,
 * not some in each round.
 */
export function nextWindow(window: Window, { sign, began, ended, inFlight }: Heard): Window {
	const { size, isFirst, before, troubleAt, hold } = window;
	if (sign === 'none') return window;
	if (sign === 'quick' || sign === 'slow') {
		if (ended < troubleAt + hold) return window;
		const answers = window.answers + 1;
		const quick = window.quick + Number(sign === 'quick');
		const most = Math.max(window.most, inFlight);
		if (answers < size) return { ...window, answers, quick, most };
		const fresh = { ...window, answers: 0, quick, most: 0 };
		const isLargest = size === MOST_CONCURRENT;
		if (most < USED * size || (isFirst && isLargest)) {
			const used = Math.min(size, Math.max(most, FIRST_WINDOW));
			const goesOn = isFirst && used === size && !isLargest;
			return { ...fresh, quick: 0, size: used, isFirst: goesOn };
		}
		if (isLargest || quick < size || (!isFirst && most < size)) return fresh;
		const grown = Math.min(isFirst ? 3 * size : size + 1, MOST_CONCURRENT);
		return { ...fresh, quick: 0, size: grown, before: size };
	}
	if (began <= troubleAt) return window;
	// Connections break off for other reasons, too: for them, a run isn't slower than it began.
	const least = sign === 'broken' ? FIRST_WINDOW : 1;
	const smaller = Math.min(size, Math.max(before, least));
	return {
		...FIRST,
		size: smaller,
		isFirst: false,
		before: Math.max(1, Math.floor(smaller / 2)),
		troubleAt: ended,
		hold: Math.min(2 * hold || FIRST_HOLD, LONGEST_HOLD),
	};
}

function signOf(result: { value: unknown } | Failure, isQuick: boolean): Sign {
	if ('value' in result) return isQuick ? 'quick' : 'slow';
	if (result.transient !== true) return 'none';
	return result.status === 'notSent' && result.httpCode !== undefined ? 'tooMany' : 'broken';
}

/** Milliseconds, from a clock that doesn't jump when the computer's time is set. */
const now = () => performance.now();
/** Milliseconds after which a waiting request notices that the execution was cancelled. */
const LONGEST_SLEEP = 200;
/** More starts in one turn of the event loop would keep n8n's other work waiting. */
const STARTS_PER_TURN = 3;

/** When the next request may start, for all runs of a node in one execution: rounds of a loop, calls of a tool. */
const nextStarts = new WeakMap<object, number>();

interface QueuedStart {
	start: (mayStart: boolean) => void;
	evenIfClosed: boolean;
}

/**
 * Rate limiter of one run: at most `concurrency` requests in flight, without one as many as the window allows, at most
 * `requestsPerSecond` starts by all limiters of one owner, and none after `close()` or a cancelled execution, unless it
 * completes something half done: that goes first, everything else in its order.
 */
export class Limiter {
	/** Slots that are taken, also by requests that wait for their next try. */
	private inFlight = 0;
	/** Requests that wait for their answer. */
	private asking = 0;
	/** Further tries that were due when the window had become too small for them. */
	private readonly due: Array<() => void> = [];
	private window: Window = FIRST;
	/** The quickest answer to each kind of request; milliseconds. */
	private readonly quickest = new Map<string, number>();
	private queue: QueuedStart[] = [];
	private stopped = false;
	/** Starts wait for one another. */
	private lastStart: Promise<unknown> = Promise.resolve();
	private starts = 0;
	private pausedUntil = 0;

	constructor(
		private readonly pace: Pace,
		private readonly signal?: AbortSignal,
		private readonly owner: object = {},
	) {}

	get isClosed(): boolean {
		return this.stopped || this.signal?.aborted === true;
	}

	/** How many requests may be in flight now. */
	get concurrency(): number {
		return this.pace.concurrency ?? this.window.size;
	}

	/** The same connection. The limiter hears how each request went. */
	listenTo(connection: Pick<Connection, 'request'>): Pick<Connection, 'request'> {
		return {
			request: async (request, ...rest) => {
				const began = now();
				const inFlight = ++this.asking;
				const result = await connection.request(request, ...rest);
				this.asking--;
				this.hear(request.endpoint, result, { began, ended: now(), inFlight });
				return result;
			},
		};
	}

	/** Waits for a free slot. The caller must call `release()` where it gets true. */
	async acquire(evenIfClosed = false): Promise<boolean> {
		if (this.isClosed && !evenIfClosed) return false;
		if (this.inFlight < this.concurrency) {
			this.inFlight++;
			return true;
		}
		return await new Promise<boolean>((start) => {
			if (evenIfClosed) this.queue.unshift({ start, evenIfClosed });
			else this.queue.push({ start, evenIfClosed });
		});
	}

	/** Gives the slot to the next in line, and more of them where the window has grown. */
	release(): void {
		if (this.isClosed) this.close();
		this.inFlight--;
		while (this.queue.length > 0 && this.inFlight < this.concurrency) {
			this.inFlight++;
			this.queue.shift()!.start(true);
		}
		// One of them may have ended without a request.
		this.startDue();
	}

	/** Waits until the pace, a pause that the service asked for, and the window allow one more start. */
	async nextTurn(evenIfClosed = false): Promise<boolean> {
		while (await this.nextStartOfPace(evenIfClosed)) {
			if (this.asking < this.concurrency) return true;
			await new Promise<void>((resolve) => this.due.push(resolve));
		}
		return false;
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

	/** Requests may start again, at the same pace, unless the execution was cancelled. */
	open(): void {
		this.stopped = false;
	}

	private hear(
		endpoint: string,
		result: { value: unknown } | Failure,
		times: Omit<Heard, 'sign'>,
	): void {
		const taken = times.ended - times.began;
		const quickest = this.quickest.get(endpoint) ?? taken;
		// A refusal can be quicker than anything that is carried out.
		if ('value' in result) this.quickest.set(endpoint, Math.min(quickest, taken));
		const sign = signOf(result, taken <= 2 * quickest + LATE);
		this.window = nextWindow(this.window, { sign, ...times });
		this.startDue();
	}

	private startDue(): void {
		for (const start of this.due.splice(0, this.concurrency - this.asking)) start();
	}

	private async nextStartOfPace(evenIfClosed: boolean): Promise<boolean> {
		const start = this.lastStart.then(async () => await this.waitForPace(evenIfClosed));
		this.lastStart = start;
		return await start;
	}

	/** A pause can begin while this one waits: a start that was due during it is due after it, at the pace. */
	private async waitForPace(evenIfClosed: boolean): Promise<boolean> {
		// Otherwise, answers that come together would all be handled before the first of the next requests leaves.
		if (++this.starts % STARTS_PER_TURN === 0) await sleep(0);
		do {
			const start = this.reserveStart();
			if (!(await this.wait(start - now(), evenIfClosed))) return false;
		} while (now() < this.pausedUntil);
		return true;
	}

	/** Before the wait: several limiters of one owner can wait at the same time. */
	private reserveStart(): number {
		const { requestsPerSecond } = this.pace;
		const next = requestsPerSecond > 0 ? (nextStarts.get(this.owner) ?? 0) : 0;
		const start = Math.max(now(), next, this.pausedUntil);
		if (requestsPerSecond > 0) nextStarts.set(this.owner, start + 1_000 / requestsPerSecond);
		return start;
	}
}
