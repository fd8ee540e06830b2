import type { IDataObject } from 'n8n-workflow';
import { countOf } from '../service/countOf';
import { showDate } from '../service/date';
import { isNotFound } from '../service/errorCodes';
import type { Host } from './host';
import { isFailure, type Outcome } from './outcome';

/** Items, and reasons, that are named; the others are counted. */
export const MAX_NAMED = 10;

/** Why one item was not carried out. */
export interface Reason {
	index: number;
	/** The number that it is about, where it has one. */
	subject?: string;
	message: string;
	advice: string;
}

/**
 * The title and description of an error about several items: each reason with its items, and each advice once.
 *
 * @param reasons in item order, at least one
 * @param items number of items of the run
 * @param verb "sent"
 */
export function describeReasons(
	reasons: readonly Reason[],
	items: number,
	verb: string,
): { title: string; description: string } {
	const groups = groupsOf(reasons);
	if (groups.length === 1) {
		const [line] = linesOf(reasons, items);
		const [{ message, advice, subject }] = reasons;
		const own = items === 1 ? message : withSubject(message, subject);
		return { title: reasons.length === 1 ? own : line.replace(/\.$/, ''), description: advice };
	}
	const told = new Set<string>();
	const lines = groups.slice(0, MAX_NAMED).map((group) => {
		const [{ advice }] = group;
		const line = lineOf(group, items);
		if (told.has(advice)) return line;
		told.add(advice);
		return `${line} ${advice.replaceAll('\n', ' ')}`;
	});
	const more = groups.length - MAX_NAMED;
	if (more > 0) lines.push(`And ${countOf(more, 'more reason')}.`);
	return {
		title: `${reasons.length} of ${items} items can't be ${verb}. ${lineOf(groups[0], items)}`,
		description: lines.filter(Boolean).join('\n'),
	};
}

/** Each reason once, with its items: `Items 0 and 3: The number is a fixed line.` */
export function linesOf(reasons: readonly Reason[], items: number, most = MAX_NAMED): string[] {
	const groups = groupsOf(reasons);
	const lines = groups.slice(0, most).map((group) => lineOf(group, items));
	if (groups.length > most)
		lines.push(`And ${countOf(groups.length - most, 'more reason')}: see 'reason'.`);
	return lines;
}

function groupsOf(reasons: readonly Reason[]): Reason[][] {
	const groups = new Map<string, Reason[]>();
	for (const reason of reasons) {
		const key = `${reason.message}\n${reason.advice}`;
		const group = groups.get(key) ?? [];
		group.push(reason);
		groups.set(key, group);
	}
	return [...groups.values()];
}

function lineOf(reasons: readonly Reason[], items: number): string {
	return asSentence(`${nameItems(reasons, items)}: ${reasons[0].message}`);
}

/** Names the number that a text is about. */
export function withSubject(message: string, subject: string | undefined): string {
	return subject === undefined || message.includes(subject) ? message : `${subject}: ${message}`;
}

/** Ends a text with a full stop, since the editor shows several lines in one. */
export function asSentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `All 5 items`, `Items 0, 3 and 8`, `Item 2 (+33639981234)`: counted from 0, as n8n counts them. */
function nameItems(reasons: readonly Reason[], items: number): string {
	if (reasons.length === items && items > 1) return `All ${items} items`;
	const names = reasons.slice(0, MAX_NAMED).map(({ index }) => String(index));
	if (reasons.length === 1) {
		const [{ subject, message }] = reasons;
		const isNamed = subject === undefined || message.includes(subject);
		return `Item ${names[0]}${isNamed ? '' : ` (${subject})`}`;
	}
	const last = reasons.length > MAX_NAMED ? `${reasons.length - MAX_NAMED} more` : names.pop()!;
	return `Items ${names.join(', ')} and ${last}`;
}

/** Kinds of outcomes that are counted: the service keeps scheduled messages until their date. */
type Kind = Outcome['status'] | 'scheduled' | 'wouldSchedule' | 'notFound' | 'failed';

const LABELS: ReadonlyArray<[kind: Kind, label: string]> = [
	['scheduled', 'scheduled'],
	['previewed', 'would be sent'],
	['wouldSchedule', 'would be scheduled'],
	['refused', 'refused'],
	['unknown', 'unknown'],
	['notFound', 'not found'],
	['failed', 'failed'],
	['skipped', 'skipped'],
	['invalid', 'invalid'],
];

/** @param isRead it is only looked up: nothing can have been refused, or be unknown */
export function statusOf(outcome: Outcome, isRead: boolean): Kind {
	if (!isRead || !isFailure(outcome)) return outcome.status;
	return isNotFound(outcome) ? 'notFound' : 'failed';
}

/** Counts the outcomes of the items of a run. */
export class Counts {
	private readonly counts = new Map<Kind, { items: number; dates: Set<number> }>();

	/** @param isRead as `statusOf` */
	add(outcome: Outcome, isRead = false): void {
		const date = dateOf(outcome);
		let kind = statusOf(outcome, isRead);
		if (date !== undefined) kind = kind === 'done' ? 'scheduled' : 'wouldSchedule';
		const count = this.counts.get(kind) ?? { items: 0, dates: new Set() };
		count.items++;
		if (date !== undefined) count.dates.add(date);
		this.counts.set(kind, count);
	}

	has(...kinds: Kind[]): boolean {
		return kinds.some((kind) => this.counts.has(kind));
	}

	/**
	 * In words: "12 sent, 4 scheduled for 23 Nov, 03:00, 3 refused".
	 *
	 * @param timeZone IANA name: whose clocks the dates are read on
	 */
	describe(timeZone: string, verb: string, done = verb): string {
		const labels: Array<[Kind, string]> = [
			['done', done],
			...LABELS,
			['notSent', `not ${verb}`],
		];
		return labels
			.flatMap(([kind, label]) => {
				const count = this.counts.get(kind);
				if (count === undefined) return [];
				const { items, dates } = count;
				const first = dates.size === 0 ? '' : showDate(Math.min(...dates), timeZone);
				const when = { 0: '', 1: ` for ${first}` }[dates.size] ?? `, first for ${first}`;
				return [`${items} ${label}${when}`];
			})
			.join(', ');
	}
}

/** When the service sends a message that it keeps; milliseconds. */
function dateOf(outcome: Outcome): number | undefined {
	const { status, value, fields } = outcome as {
		status: string;
		value?: IDataObject;
		fields?: IDataObject;
	};
	const kept = status === 'done' ? value : fields;
	const isKept = status === 'previewed' || kept?.status === 'scheduled';
	const date = kept?.scheduledFor;
	return isKept && typeof date === 'string' ? Date.parse(date) : undefined;
}

/** The credits that the service named, a part of them where it named none or may have; the segments of a dry run. */
export function describeCost(outcomes: readonly Outcome[]): string[] {
	let [credits, segments] = [0, 0];
	let isPart = false;
	for (const outcome of outcomes) {
		if (outcome.status === 'done') {
			const { creditsUsed } = outcome.value as IDataObject;
			credits += Number(creditsUsed ?? 0);
			isPart ||= creditsUsed === undefined;
		} else if (outcome.status === 'unknown') isPart = true;
		else if (outcome.status === 'previewed') segments += Number(outcome.fields.segments ?? 0);
	}
	const used = Number(credits.toFixed(4));
	const isSaid = used > 0 || (!isPart && segments === 0);
	return [
		...(isSaid ? [`${isPart ? 'At least ' : ''}${countOf(used, 'credit')} used.`] : []),
		...(segments > 0 ? [`${countOf(segments, 'segment')}.`] : []),
	];
}

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
	 */
	constructor(
		private readonly total: number,
		private readonly verb: string,
		private readonly host: Pick<Host, 'timeZone' | 'log'>,
	) {}

	count(outcome: Outcome): void {
		this.counts.add(outcome);
		this.done++;
		const now = Date.now();
		if (now - this.lastTold < PROGRESS.interval) return;
		this.lastTold = now;
		const counts = this.counts.describe(this.host.timeZone, this.verb);
		this.host.log(`${this.done} of ${this.total} items done: ${counts}`);
	}
}
