import { Counts } from './counts';
import type { Outcome } from './outcome';

/** Tells n8n's log how far a long run is. A run that ends before the first interval tells nothing. */
export class Progress {
	private readonly counts = new Counts();
	private done = 0;
	private lastTold = Date.now();

	/**
	 * @param total number of items
	 * @param verb what is done with an item that succeeds
	 * @param interval milliseconds
	 * @param timeZone IANA name of the workflow's
	 */
	constructor(
		private readonly total: number,
		private readonly verb: string | undefined,
		private readonly interval: number,
		private readonly timeZone: string,
		private readonly log: (text: string) => void,
	) {}

	/** Called for each item, when it is known what became of it. */
	count(outcome: Outcome): void {
		this.counts.add(outcome);
		this.done++;
		const now = Date.now();
		if (now - this.lastTold < this.interval) return;
		this.lastTold = now;
		const counts = this.counts.describe(this.timeZone, this.verb);
		this.log(`${this.done} of ${this.total} items done: ${counts}`);
	}
}
