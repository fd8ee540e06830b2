import { Counts } from './messages';
import type { Outcome } from './outcome';

/** Milliseconds between two lines of the log. */
export const PROGRESS = { interval: 10_000 };

/** Says in n8n's log how far a long run is. */
export class Progress {
	private readonly counts = new Counts();
	private done = 0;
	private lastTold = Date.now();

	/**
	 * @param total number of items
	 * @param verb "sent"
	 * @param timeZone IANA name of the workflow's
	 */
	constructor(
		private readonly total: number,
		private readonly verb: string,
		private readonly timeZone: string,
		private readonly log: (text: string) => void,
	) {}

	count(outcome: Outcome): void {
		this.counts.add(outcome);
		this.done++;
		const now = Date.now();
		if (now - this.lastTold < PROGRESS.interval) return;
		this.lastTold = now;
		const counts = this.counts.describe(this.timeZone, this.verb);
		this.log(`${this.done} of ${this.total} items done: ${counts}`);
	}
}
