/** A Date header says which second it is (RFC 9110, 6.6.1). */
const RESOLUTION = 1_000;
/** What may stay uncertain beside the time that an answer takes, at best and at most. Milliseconds. */
const BEST = 2;
const ENOUGH = 30;

/** This computer's clock may be corrected by so many milliseconds in a run; more is a leap. */
const CORRECTED = 250;

/** This computer's time: milliseconds since the Unix epoch. */
export function timeHere(): number {
	return Date.now();
}

/** How far this computer's clock is ahead of what goes on evenly. */
function ahead(): number {
	return Date.now() - performance.now();
}

/**
 * What the service's own clock says, read from the Date headers of its answers. A header was written
 * between request and answer, in the second that it names: each answer bounds how far that clock is
 * ahead of this computer's, and many answers bound it closely. All times are milliseconds since the Unix
 * epoch; "here" is this computer's time, as `timeHere` tells it.
 */
export class ServiceClock {
	/** Bounds of how far it is ahead. */
	private least = -Infinity;
	private most = Infinity;
	private fastest = Infinity;
	private readonly aheadAtFirst = ahead();

	/** This computer's clock was not set meanwhile: times before and after can be compared. */
	get isSteady(): boolean {
		return Math.abs(ahead() - this.aheadAtFirst) < CORRECTED;
	}

	/**
	 * @param date the Date header of an answer
	 * @param asked when the request was made, here
	 * @param answered when the answer was there, here
	 */
	observe(date: unknown, asked: number, answered: number): void {
		const second = typeof date === 'string' ? Date.parse(date) : NaN;
		if (Number.isNaN(second)) return;
		this.least = Math.max(this.least, second - answered);
		this.most = Math.min(this.most, second + RESOLUTION - asked);
		this.fastest = Math.min(this.fastest, answered - asked);
	}

	/** What it certainly shows, or more, at a moment here; -Infinity while nothing is known. */
	earliest(here: number): number {
		return here + this.least;
	}

	/** What it most probably shows at a moment here; NaN while nothing is known. */
	likely(here: number): number {
		return here + (this.least + this.most) / 2;
	}

	/** What it certainly shows, or less, at a moment here; Infinity while nothing is known. */
	latest(here: number): number {
		return here + this.most;
	}

	/** By how much what it certainly shows can be wrong; Infinity while nothing is known. */
	get uncertainty(): number {
		return Math.max(0, this.most - this.least);
	}

	/** Whether an answer had a Date header. */
	get isKnown(): boolean {
		return this.fastest < Infinity;
	}

	/** Whether it is known as closely as the time that an answer takes allows. */
	get isExact(): boolean {
		return this.isWithin(BEST);
	}

	/** Whether it is known closely enough to tell what came before a moment from what came after it. */
	get isClose(): boolean {
		return this.isWithin(ENOUGH);
	}

	/** Not where headers contradict each other by a second: then there are several clocks. */
	private isWithin(uncertain: number): boolean {
		const width = this.most - this.least;
		return this.isKnown && width <= uncertain + 1.25 * this.fastest && width >= -RESOLUTION;
	}

	/**
	 * The next moment here at which a request halves what is uncertain: when the answer will be written
	 * at about the turn of a second.
	 */
	nextTurn(now: number): number {
		if (!this.isKnown) return now;
		const ahead = (this.least + this.most) / 2;
		const turn = Math.ceil((now + this.fastest / 2 + ahead) / RESOLUTION) * RESOLUTION;
		return turn - ahead - this.fastest / 2;
	}
}
