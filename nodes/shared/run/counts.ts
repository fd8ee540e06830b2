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

/** All was carried out, and at once: there is nothing to count. */
export function isAllDone(entries: readonly Entry[]): boolean {
	return entries.every(
		({ outcome }) => outcome?.status === 'done' && dateOf(outcome) === undefined,
	);
}

/**
 * How many items of a run have which outcome: "12 sent, 4 scheduled for 23 Nov, 03:00, 3 refused".
 *
 * @param entries those without an outcome don't count
 * @param timeZone IANA name: whose clocks dates are read on
 * @param named added to a kind of a headline: "12 of 25 sent, 3 refused (+33639987003), 10 not sent"
 */
export function describeCounts(
	entries: readonly Entry[],
	definition: OperationDefinition,
	timeZone: string,
	named?: (kind: Kind) => string,
): string {
	const items = new Map<Kind, number>();
	const dates = new Set<number>();
	for (const { outcome } of entries) {
		if (outcome === undefined) continue;
		const date = dateOf(outcome);
		let kind = statusOf(outcome, definition);
		if (date !== undefined) {
			dates.add(date);
			kind = kind === 'done' ? 'scheduled' : 'wouldSchedule';
		}
		items.set(kind, (items.get(kind) ?? 0) + 1);
	}
	const verb = verbOf(definition);
	const done = (named === undefined && definition.words?.done) || verb;
	const firstDate = dates.size === 0 ? '' : showDate(Math.min(...dates), timeZone);
	const when = dates.size > 1 ? `, first for ${firstDate}` : ` for ${firstDate}`;
	const labels: Array<[Kind, string]> = [
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
	const first = items.has('scheduled') && !items.has('done') ? 'scheduled' : 'done';
	const parts = labels.flatMap(([kind, label]) => {
		const count = items.get(kind) ?? 0;
		const isFirst = named !== undefined && kind === first;
		if (isFirst) return [`${count} of ${entries.length} ${label}`];
		return count === 0 ? [] : [`${count} ${label}${named?.(kind) ?? ''}`];
	});
	return parts.join(', ');
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
const TOLD_EVERY = 10_000;

/** Says in n8n's log how far a long run is. @returns to be called after each item */
export function progressOf(
	entries: readonly Entry[],
	definition: OperationDefinition,
	{ timeZone, log }: { timeZone: string; log: (text: string) => void },
): () => void {
	let lastTold = Date.now();
	return () => {
		const now = Date.now();
		if (now - lastTold < TOLD_EVERY) return;
		lastTold = now;
		const { length } = entries.filter(({ outcome }) => outcome !== undefined);
		const counts = describeCounts(entries, definition, timeZone);
		log(`${length} of ${entries.length} items done: ${counts}`);
	};
}
