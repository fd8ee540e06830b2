import { countOutcomes } from './counts';
import type { Outcome } from './outcome';

/** Tells n8n's log how far a long run is. A run that ends before the first interval tells nothing. */
export class Progress {
	private readonly counts = new Map<Outcome['status'], number>();
	private done = 0;
	private lastTold = Date.now();

	/**
	 * @param total number of items
	 * @param deed what is done with an item that succeeds
	 * @param interval milliseconds
	 */
	constructor(
		private readonly total: number,
		private readonly deed: string | undefined,
		private readonly interval: number,
		private readonly log: (text: string) => void,
	) {}

	/** Called for each item, when it is known what became of it. */
	count({ status }: Pick<Outcome, 'status'>): void {
		this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
		this.done++;
		const now = Date.now();
		if (now - this.lastTold < this.interval) return;
		this.lastTold = now;
		this.log(
			`${this.done} of ${this.total} items done: ${countOutcomes(this.counts, this.deed)}`,
		);
	}
}
