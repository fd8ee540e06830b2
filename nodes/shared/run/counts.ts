import type { IDataObject } from 'n8n-workflow';
import { countOf } from '../service/countOf';
import { showDate } from '../service/date';
import { isNotFound } from '../service/errorCodes';
import type { Entry, OperationDefinition } from './operation';
import { isFailure, type Outcome } from './outcome';

/** Kinds of outcomes that are counted: the service keeps scheduled messages until their date. */
type Kind = Outcome['status'] | 'scheduled' | 'wouldSchedule' | 'notFound' | 'failed';

/** "sent": the word for something that was carried out. */
export function verbOf({ words, kind }: OperationDefinition): string {
	return words?.verb ?? (kind === 'read' ? 'looked up' : 'carried out');
}

/** An outcome as results show it: where it is only looked up, nothing can have been refused, or be unknown. */
export function statusOf(outcome: Outcome, { kind }: OperationDefinition): Kind {
	const isLookUp = kind === 'read' && isFailure(outcome) && outcome.origin === undefined;
	if (!isLookUp) return outcome.status;
	return isNotFound(outcome) ? 'notFound' : 'failed';
}

/** How many items of a run have which outcome. */
export class Counts {
	private readonly items = new Map<Kind, number>();
	private readonly dates = new Set<number>();

	/** @param entries those without an outcome don't count */
	constructor(
		private readonly entries: readonly Entry[],
		private readonly definition: OperationDefinition,
	) {
		for (const { outcome } of entries) if (outcome !== undefined) this.add(outcome);
	}

	private add(outcome: Outcome): void {
		const date = dateOf(outcome);
		let kind = statusOf(outcome, this.definition);
		if (date !== undefined) {
			this.dates.add(date);
			kind = kind === 'done' ? 'scheduled' : 'wouldSchedule';
		}
		this.items.set(kind, (this.items.get(kind) ?? 0) + 1);
	}

	get isAllDone(): boolean {
		return this.items.size === 1 && this.items.has('done');
	}

	/**
	 * In words: "12 sent, 4 scheduled for 23 Nov, 03:00, 3 refused".
	 *
	 * @param timeZone IANA name: whose clocks dates are read on
	 * @param named added to a kind of a headline: "12 of 25 sent, 3 refused (+33639987003), 10 not sent"
	 */
	describe(timeZone: string, named?: (kind: Kind) => string): string {
		const isScheduled = this.items.has('scheduled') && !this.items.has('done');
		const first = isScheduled ? 'scheduled' : 'done';
		const verb = verbOf(this.definition);
		const done = (named === undefined && this.definition.words?.done) || verb;
		const parts = this.labels(done, verb, timeZone).flatMap(([kind, label]) => {
			const count = this.items.get(kind) ?? 0;
			const isFirst = named !== undefined && kind === first;
			if (isFirst) return [`${count} of ${this.entries.length} ${label}`];
			return count === 0 ? [] : [`${count} ${label}${named?.(kind) ?? ''}`];
		});
		return parts.join(', ');
	}

	private labels(done: string, verb: string, timeZone: string): Array<[Kind, string]> {
		const { size } = this.dates;
		const first = size === 0 ? '' : showDate(Math.min(...this.dates), timeZone);
		const when = size > 1 ? `, first for ${first}` : ` for ${first}`;
		return [
			['done', done],
			['scheduled', `scheduled${when}`],
			['previewed', 'would be sent'],
			['wouldSchedule', `would be scheduled${when}`],
			['refused', 'refused'],
			['unknown', 'unknown'],
			['notFound', 'not found'],
			['failed', 'failed'],
			['skipped', 'skipped'],
			['invalid', 'invalid'],
			['notSent', `not ${verb}`],
		];
	}
}

/** When the service sends a message that it keeps; milliseconds. */
function dateOf(outcome: Outcome): number | undefined {
	const isPreview = outcome.status === 'previewed';
	if (!isPreview && outcome.status !== 'done') return undefined;
	const shown = (isPreview ? outcome.fields : outcome.value) as IDataObject;
	const isKept = isPreview || shown.status === 'scheduled';
	return isKept && shown.scheduledFor ? Date.parse(shown.scheduledFor as string) : undefined;
}

/** The credits that the service named, "at least" where it named none for some; the segments of a dry run. */
export function describeCost(entries: readonly Entry[]): string[] {
	let [credits, segments] = [0, 0];
	let isPart = false;
	for (const { outcome } of entries) {
		if (outcome?.status === 'done') {
			const { creditsUsed } = outcome.value as IDataObject;
			credits += Number(creditsUsed ?? 0);
			isPart ||= typeof creditsUsed !== 'number';
		} else if (outcome?.status === 'unknown') isPart = true;
		else if (outcome?.status === 'previewed') segments += Number(outcome.fields.segments ?? 0);
	}
	const used = Number(credits.toFixed(4));
	return [
		...(used > 0 ? [`${isPart ? 'At least ' : ''}${countOf(used, 'credit')} used.`] : []),
		...(segments > 0 ? [`${countOf(segments, 'segment')}.`] : []),
	];
}

/** Milliseconds between two lines of the log. */
export const PROGRESS = { interval: 10_000 };

/** Says in n8n's log how far a long run is. */
export class Progress {
	private lastTold = Date.now();

	constructor(
		private readonly entries: readonly Entry[],
		private readonly definition: OperationDefinition,
		private readonly host: { timeZone: string; log: (text: string) => void },
	) {}

	/** Called after each item. */
	tell(): void {
		const now = Date.now();
		if (now - this.lastTold < PROGRESS.interval) return;
		this.lastTold = now;
		const { length } = this.entries.filter(({ outcome }) => outcome !== undefined);
		const counts = new Counts(this.entries, this.definition).describe(this.host.timeZone);
		this.host.log(`${length} of ${this.entries.length} items done: ${counts}`);
	}
}
