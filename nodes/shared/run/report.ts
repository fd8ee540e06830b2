import type { IDataObject } from 'n8n-workflow';
import { countOf, listOf, rowOf } from '../service/countOf';
import { adviceForItem } from '../service/InputError';
import { wayOut } from './advice';
import { describeCost, describeCounts, isAllDone, verbOf } from './counts';
import { hasFailed, isAboutAll, isNotStarted, type FailedEntry } from './failed';
import type { Entry, OperationDefinition } from './operation';
import { hasOwnCause, type Outcome, mayBeDone } from './outcome';
import type { Run } from './run';

/** Items and reasons that are named; the others are counted. */
const MAX_NAMED = 3;
/** Where the others are. */
const REST = ', in Error details';
/** The same for items that are unknown. */
const MAX_UNKNOWN = 10;
/** Outcomes whose items a headline names. */
const NAMED = ['refused', 'unknown', 'invalid'];
/** Failed items in Error details: beyond, only those that have left something. */
const MAX_LISTED = 1_000;

/** An error, before it becomes one of n8n: a headline, and lines under it. */
export interface ErrorReport {
	headline: string;
	lines: string[];
	/** Explains the way out. */
	page?: string;
	/** The item whose failure says most. */
	cause: FailedEntry;
	/** It is about that one of several items. */
	isOfItem: boolean;
}

type SkippedEntry = Entry & { outcome: Extract<Outcome, { status: 'skipped' }> };

function isSkipped(entry: Entry): entry is SkippedEntry {
	return entry.outcome?.status === 'skipped';
}

/** Fields that say whom or what an item is about, also where it could not be read. */
export function subjectOf(entry: Entry, { words }: OperationDefinition): IDataObject {
	const { item, prepared } = entry;
	return (prepared === undefined ? words?.asTyped?.(item) : prepared.extra) ?? {};
}

/** The texts about a run that has ended, from its entries and its record. */
export class Report {
	private readonly failed: readonly FailedEntry[];

	/** @param fails n8n shows the execution as failed */
	constructor(
		private readonly run: Run,
		private readonly fails: boolean,
	) {
		this.failed = run.entries.filter(hasFailed);
	}

	/** Why an item is not done, in a few words. */
	reasonOf(entry: FailedEntry | SkippedEntry): string {
		const { stoppedBy } = this.run;
		return isNotStarted(entry) && stoppedBy !== undefined
			? `An earlier item stopped the run: ${stoppedBy.message}`
			: entry.outcome.message;
	}

	/** Advice on an item: its cause, then the way out. What to do about invalid ones is said once, above the results. */
	adviceTo(entry: FailedEntry): string[] {
		const { way } = wayOut([entry], this.run, this.fails);
		const isReported = entry.outcome.status === 'invalid' && !this.fails;
		return [this.adviceOf(entry), isReported ? '' : way].filter(Boolean);
	}

	/**
	 * Advice about the reason. "Try again later" is no advice for something that may have been carried out; a
	 * setting to correct, and what is left of a change, are. The reason of one that was stopped names the other one.
	 */
	private adviceOf(entry: FailedEntry): string {
		const { outcome, item } = entry;
		if (isNotStarted(entry) && this.run.stoppedBy !== undefined) return '';
		const isNone = outcome.transient === true && this.isLost(entry);
		return isNone ? '' : adviceForItem(outcome.advice, item.json, this.run.host.isTool);
	}

	/** The error of a run that failed: the one reason that there is, or counts. */
	error(): ErrorReport {
		const { failed, fails, run } = this;
		const { entries, definition } = run;
		const { way, isAfterCause, page } = wayOut(failed, run, fails);
		// Of look-ups that fail together, nothing is left to count.
		const isUntouched =
			definition.kind === 'read' ||
			(failed.length === entries.length && !failed.some((one) => this.isLost(one)));
		const forAll = failed.find(isAboutAll);
		const causes = isUntouched && forAll !== undefined ? [forAll] : causesOf(failed);
		const [cause] = causes;
		const isOfItem = causes.length === 1 && (entries.length === 1 || forAll === undefined);
		const reasons = this.reasonLines(causes, REST);
		const why = this.why(causes);
		// What is hardly meant in items that are still to be sent can be put right before a retry.
		const warnings = this.notesOn(entries).warnings.slice(0, MAX_NAMED);
		const isOneReason = isUntouched && reasons.length === 1 && why.length === 1;
		if (entries.length === 1 || isOneReason) {
			const headline = this.isLost(cause)
				? this.unknownHeadline(cause)
				: (forAll?.outcome.message ?? reasons[0].replace(/\.$/, ''));
			const lines = [this.adviceOf(cause), way, ...warnings];
			return { headline, lines, page, cause, isOfItem };
		}
		const lines = [...(isAfterCause ? [...why, way] : [way, ...why]), ...warnings];
		return { headline: this.counts(), lines, page, cause, isOfItem };
	}

	private unknownHeadline(entry: FailedEntry): string {
		const name = this.nameOf(entry);
		const whom = name === undefined ? '' : ` (${name})`;
		const verb = verbOf(this.run.definition);
		return `It is unknown whether this was ${verb}${whom}: ${this.reasonOf(entry)}`;
	}

	/** "11 of 25 sent, 1 unknown (+33639987003), 13 not sent". */
	private counts(): string {
		const { entries, definition, host, receipts } = this.run;
		const counts = describeCounts(entries, definition, host.timeZone, (kind) => {
			if (!NAMED.includes(kind)) return '';
			const those = entries.filter(({ outcome }) => outcome?.status === kind);
			const areNamed = those.some((entry) => this.nameOf(entry) !== undefined);
			return areNamed ? ` (${this.labels(those, MAX_NAMED)})` : '';
		});
		const earlier = receipts?.acceptedInOtherRuns ?? 0;
		return earlier === 0
			? counts
			: `${counts}; ${earlier} ${verbOf(definition)} by earlier runs`;
	}

	/** Lines above the results: counts, causes, what else the user should know; undefined for none. */
	hint(): { message: string; type: 'warning' | 'info' } | undefined {
		const { entries, notes } = this.run;
		const told = this.notesOn(entries.filter(({ outcome }) => mayBeDone(outcome!)));
		const warnings = new Set([...this.run.warnings, ...told.warnings]);
		const failures = this.reasons();
		const others = [...told.others, ...notes].filter(Boolean);
		const lines = [
			this.summary(),
			...failures,
			this.wayOn(),
			...warnings,
			...others.slice(0, Math.max(1, MAX_NAMED - failures.length)),
		].filter(Boolean);
		if (lines.length === 0) return undefined;
		const type = this.failed.length + warnings.size > 0 ? 'warning' : 'info';
		return { message: lines.join('\n'), type };
	}

	/** Lines on some items, as their operation has them: those that are never left out, and others. */
	private notesOn(entries: readonly Entry[]): { warnings: string[]; others: string[] } {
		const prepared = entries.flatMap((entry) => entry.prepared ?? []);
		const warnings = new Set<string>();
		const warn = (text: string) => warnings.add(text);
		const others = this.run.definition.words?.noteOn?.(prepared, warn) ?? [];
		return { warnings: [...warnings], others };
	}

	/** How to go on from here: what to put right, then the way out. An agent reads it in the results. */
	private wayOn(): string {
		const { failed, run } = this;
		const own = failed.find(({ outcome }) => hasOwnCause(outcome));
		if (run.host.isTool || run.dryRun !== undefined || failed.length === 0) return '';
		const cause = own === undefined ? '' : this.adviceOf(own);
		const { way, page } = wayOut(failed, run, false);
		const how = page === undefined ? '' : `How: ${page}`;
		return [cause, way, how].filter(Boolean).join(' ');
	}

	/** How many items there are of each kind where not all is simply done, and what a batch or a dry run costs. */
	private summary(): string {
		const { entries, definition, host, dryRun } = this.run;
		const isReport = definition.isBatch === true || dryRun !== undefined;
		const isCounted = isReport || !isAllDone(entries);
		const results = entries.flatMap(({ outcome, prepared }) =>
			outcome?.status === 'done' && !Array.isArray(outcome.value)
				? [{ ...prepared?.extra, ...(outcome.value as IDataObject) }]
				: [],
		);
		const sentences = [
			dryRun,
			isCounted && `${describeCounts(entries, definition, host.timeZone)}.`,
			...(isReport ? describeCost(entries) : []),
			definition.words?.summaryOf?.(results),
		];
		return sentences.filter(Boolean).join(' ');
	}

	/** Why items are not done: the user's own causes first, unknown ones together in one line, with their numbers. */
	private reasons(): string[] {
		const lost = this.failed.filter((entry) => this.isLost(entry));
		const causes = causesOf(this.failed.filter((entry) => !this.isLost(entry)));
		const skipped = this.run.entries.filter(isSkipped);
		const lines = this.reasonLines([...causes, ...skipped]);
		if (lost.length === 0) return lines;
		const reasons = new Set(lost.map((entry) => this.reasonOf(entry)));
		const unknown = this.labels(lost, MAX_UNKNOWN);
		return [...lines, asSentence(`Unknown: ${unknown} (${listOf([...reasons], MAX_NAMED)})`)];
	}

	/** Items by outcome, for programs and for *Error details*: texts name a few only. */
	details(): IDataObject {
		const { entries } = this.run;
		const isUnknown = ({ outcome }: FailedEntry) => outcome.status === 'unknown';
		const failed = this.failed.filter((entry) => !isUnknown(entry) && !isNotStarted(entry));
		// A cause that all share is listed once.
		const shared = failed.find(isAboutAll);
		const listed = failed.filter(
			(entry, at) =>
				entry.outcome.details !== undefined ||
				(at < MAX_LISTED && (!isAboutAll(entry) || entry === shared)),
		);
		const detailsOf = (entry: Entry) => this.detailsOf(entry);
		return {
			accepted: entries.filter(({ outcome }) => outcome?.status === 'done').map(detailsOf),
			unknown: this.failed.filter(isUnknown).map(detailsOf),
			failed: listed.map(detailsOf),
		};
	}

	private detailsOf(entry: Entry): IDataObject {
		const { index: item, prepared, outcome, pairedItem } = entry;
		const { number: subject = prepared?.subject } = subjectOf(entry, this.run.definition);
		const isReceipt = outcome?.status === 'done' && !Array.isArray(outcome.value);
		return {
			...(pairedItem === undefined ? { item } : {}),
			...(subject === undefined ? {} : { subject }),
			...(isReceipt ? (outcome.value as IDataObject) : {}),
			...(hasFailed(entry) ? { reason: this.reasonOf(entry), ...entry.outcome.details } : {}),
		};
	}

	/** It may have been carried out: a look-up changes nothing. */
	private isLost({ outcome }: FailedEntry): boolean {
		return outcome.status === 'unknown' && this.run.definition.kind !== 'read';
	}

	/** Its number, or what else it is about. */
	private nameOf(entry: Entry): string | undefined {
		const { number } = subjectOf(entry, this.run.definition);
		const isNumber = typeof number === 'string' && number.startsWith('+');
		return isNumber ? number : entry.prepared?.subject;
	}

	/** The same, or else its row. */
	private labelOf(entry: Entry): string {
		return this.nameOf(entry) ?? rowOf(entry.index);
	}

	private labels(entries: readonly Entry[], most: number): string {
		return listOf(
			entries.map((entry) => this.labelOf(entry)),
			most,
		);
	}

	/** Why items are not done: those with the same advice in one line, with it. */
	private why(causes: readonly FailedEntry[]): string[] {
		const advices = causes.map((entry) => ({
			text: this.adviceOf(entry).replaceAll('\n', ' '),
			of: entry,
		}));
		return firstOf(advices, REST, (advice, those) =>
			[...this.reasonLines(those, REST), advice].join(' ').trim(),
		);
	}

	/** Why items are not done, each reason once. @param rest where the other reasons are */
	private reasonLines(entries: ReadonlyArray<FailedEntry | SkippedEntry>, rest = ''): string[] {
		const reasons = entries.map((entry) => ({
			text: asSentence(this.reasonOf(entry)),
			of: this.labelOf(entry),
		}));
		return linesOf(reasons, this.run.entries.length, rest);
	}
}

/**
 * Items that say why a run failed or stopped: first those whose cause is in the user's power (the key, credits, the
 * pace), then those that the service refused, such as for a STOP. Of many reasons, the first ones are named.
 */
function causesOf(failed: readonly FailedEntry[]): readonly FailedEntry[] {
	const started = failed.filter((entry) => !isNotStarted(entry));
	const causes = started.length > 0 ? started : failed;
	const weightOf = ({ outcome }: FailedEntry) =>
		hasOwnCause(outcome) ? 0 : outcome.status === 'refused' ? 1 : 2;
	return [...causes].sort((one, other) => weightOf(one) - weightOf(other));
}

/** A text, and what it holds for. */
interface Told<T> {
	text: string;
	of: T;
}

/** Each reason once, with its items: "+33639981231, Row 3 (item 2) and 4 more: The number is a fixed line." */
export function linesOf(reasons: ReadonlyArray<Told<string>>, items: number, rest = ''): string[] {
	return firstOf(reasons, rest, (text, names) => withNames(names, text, items));
}

/** A line for each of the first texts, then how many more reasons there are. */
function firstOf<T>(
	told: ReadonlyArray<Told<T>>,
	rest: string,
	lineOf: (text: string, those: readonly T[]) => string,
): string[] {
	const groups = new Map<string, T[]>();
	for (const { text, of } of told) {
		const group = groups.get(text);
		if (group === undefined) groups.set(text, [of]);
		else group.push(of);
	}
	const lines = [...groups].slice(0, MAX_NAMED).map(([text, those]) => lineOf(text, those));
	const more = groups.size - lines.length;
	return more === 0 ? lines : [...lines, `And ${countOf(more, 'more reason')}${rest}.`];
}

/** Puts the items in front of a text about them: those that it doesn't name itself. */
function withNames(names: readonly string[], text: string, items: number): string {
	if (names.length === items && items > 1) return `All ${items} items: ${text}`;
	const others = [...new Set(names)].filter((name) => items > 1 && !text.includes(name));
	if (others.length === 0) return text;
	return `${listOf(others, MAX_NAMED)}: ${text}`;
}

/** Ends a text with a full stop, since the editor shows several lines in one. */
export function asSentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
