/** The simulator's time: a base clock plus what a test has turned it forward by. */
export class Clock {
	private readonly base: () => number;
	private offset = 0;

	constructor(base: () => number) {
		this.base = base;
	}

	/** Milliseconds since the Unix epoch. */
	now(): number {
		return this.base() + this.offset;
	}

	/** Turns the clock forward by `ms` (negative: back). Messages move on accordingly. */
	advance(ms: number): void {
		this.offset += ms;
	}

	reset(): void {
		this.offset = 0;
	}
}
