import { countOutcomes } from './counts';
import type { Outcome } from './outcome';

/** How often n8n's log hears of a run that takes long. Milliseconds. */
export const progressPolicy = { interval: 10_000 };

/** Tells n8n's log how far a long run is. A run that ends before the first interval tells nothing. */
export class Progress {
	private readonly counts = new Map<Outcome['status'], number>();
	private done = 0;
	private lastTold = Date.now();

	constructor(
		private readonly total: number,
		private readonly deed: string,
		private readonly log: (text: string) => void,
	) {}

	/** Called for each item, when it is known what became of it. */
	count({ status }: Pick<Outcome, 'status'>): void {
		this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
		this.done++;
		const now = Date.now();
		if (now - this.lastTold < progressPolicy.interval) return;
		this.lastTold = now;
		this.log(
			`${this.done} of ${this.total} items done: ${countOutcomes(this.counts, this.deed)}`,
		);
	}
}
