import type { IDataObject } from 'n8n-workflow';
import { showDate } from '../service/date';
import type { Outcome } from './outcome';

/** What was done with an item that succeeded, where an operation has no word for it. */
export const CARRIED_OUT = 'carried out';
/** The same for an operation that only reads. */
export const LOOKED_UP = 'looked up';

/** What an outcome counts as: the service has accepted a message, and not sent it yet. */
type Kind = Outcome['status'] | 'scheduled' | 'wouldSchedule';

/** How the outcomes other than success are called, in the order in which they are counted up. */
const LABELS: ReadonlyArray<[kind: Kind, label: string]> = [
	['scheduled', 'scheduled'],
	['previewed', 'would be sent'],
	['wouldSchedule', 'would be scheduled'],
	['refused', 'refused'],
	['notSent', 'not sent'],
	['unknown', 'unknown'],
	['skipped', 'skipped'],
	['invalid', 'invalid'],
];

/** How many of a kind, and when the service sends those that it keeps. */
interface Count {
	items: number;
	/** Milliseconds. */
	dates: Set<number>;
}

/** Counts what becomes of the items of a run. */
export class Counts {
	private readonly counts = new Map<Kind, Count>();

	add(outcome: Pick<Outcome, 'status'>): void {
		const date = dateOf(outcome);
		const kind = date === undefined ? outcome.status : KEPT[outcome.status]!;
		const count = this.counts.get(kind) ?? { items: 0, dates: new Set() };
		count.items++;
		if (date !== undefined) count.dates.add(date);
		this.counts.set(kind, count);
	}

	get hasScheduled(): boolean {
		return this.counts.has('scheduled') || this.counts.has('wouldSchedule');
	}

	/**
	 * In words: "12 sent, 4 scheduled for 23 Nov, 03:00, 3 refused".
	 *
	 * @param verb what was done with the items that succeeded
	 * @param timeZone IANA name: whose clocks the dates are read on
	 */
	describe(timeZone: string, verb = CARRIED_OUT): string {
		const labels: Array<[Kind, string]> = [['done', verb], ...LABELS];
		return labels
			.flatMap(([kind, label]) => {
				const count = this.counts.get(kind);
				return count === undefined
					? []
					: [`${count.items} ${label}${when(count, timeZone)}`];
			})
			.join(', ');
	}
}

/** What is kept by the service until a date, by what it would be otherwise. */
const KEPT: Partial<Record<Outcome['status'], Kind>> = {
	done: 'scheduled',
	previewed: 'wouldSchedule',
};

/** When the service sends a message that it keeps; undefined for all other outcomes. */
function dateOf(outcome: Pick<Outcome, 'status'>): number | undefined {
	const { value, fields } = outcome as { value?: IDataObject; fields?: IDataObject };
	const kept = value?.status === 'scheduled' ? value : fields;
	const date = kept?.scheduledFor;
	return typeof date === 'string' && outcome.status in KEPT ? Date.parse(date) : undefined;
}

function when({ dates }: Count, timeZone: string): string {
	if (dates.size === 0) return '';
	const first = showDate(Math.min(...dates), timeZone);
	return dates.size === 1 ? ` for ${first}` : `, first for ${first}`;
}
