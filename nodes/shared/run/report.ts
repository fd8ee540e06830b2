import type { IDataObject } from 'n8n-workflow';
import { countOf, listOf } from '../service/countOf';
import { showDate } from '../service/date';
import { isNotFound } from '../service/errorCodes';
import { withFieldNames } from '../service/InputError';
import { adviceForAll, type Open, type Situation } from './advice';
import type { Host } from './host';
import type { Entry, OperationDefinition } from './operation';
import { isFailure, type Failed, type Outcome } from './outcome';

/** Items that are named; the others are counted. */
const MAX_NAMED = 10;
/** The same in a headline. */
const MAX_IN_HEADLINE = 3;
/** Reasons in a hint, and under a headline that counts. */
const MAX_REASONS = 3;

export type Wrong = Open['outcome'];
export type WrongEntry = Entry & { outcome: Wrong };

/** A run that has ended, as far as it is told. */
export interface Ended {
	entries: readonly Entry[];
	definition: OperationDefinition;
	/** The entry whose failure was the first while items were sent. */
	firstFailed?: Entry;
	/** The failure that stopped the run, where its reason holds for the rest as well. */
	stoppedBy?: Failed;
	/** Items that other runs of a loop have carried out in this execution. */
	earlier: number;
	/** Nothing was carried out in this execution, and nothing may have been. */
	isEmpty: boolean;
	/** n8n shows the execution as failed. */
	fails: boolean;
	isTool: boolean;
}

/** An error, before it becomes one of n8n: a headline, and lines under it. */
export interface Told {
	headline: string;
	lines: string[];
	/** The item that it is about, where it is about one of several. */
	entry?: Entry;
}

export function isWrong(entry: Entry): entry is WrongEntry {
	const { outcome } = entry;
	return outcome !== undefined && (outcome.status === 'invalid' || isFailure(outcome));
}

/** "sent": the word for something that was carried out. */
export function verbOf({ verb, kind }: OperationDefinition): string {
	return verb ?? (kind === 'read' ? 'looked up' : 'carried out');
}

/** Fields that say whom or what an item is about, also where it could not be read. */
export function extraOf({ item, prepared }: Entry, { asTyped }: OperationDefinition): IDataObject {
	if (prepared !== undefined) return prepared.extra ?? {};
	try {
		return asTyped?.(item) ?? {};
	} catch {
		// The expression that n8n could not evaluate.
		return {};
	}
}

/** The number that an item is about, where it is one. */
function numberOf(entry: Entry, definition: OperationDefinition): string | undefined {
	const { number } = extraOf(entry, definition);
	return typeof number === 'string' && number.startsWith('+') ? number : undefined;
}

/** The same, or what else it is about. */
function nameOf(entry: Entry, definition: OperationDefinition): string | undefined {
	return numberOf(entry, definition) ?? entry.prepared?.subject;
}

export function situationOf({ entries, definition, fails, isTool, isEmpty }: Ended): Situation {
	const open = entries.filter(isWrong);
	return {
		...{ fails, isTool, isEmpty, verb: verbOf(definition) },
		isKeyed: open.every(({ prepared }) => prepared?.onceKey !== undefined),
		isOne: entries.length === 1,
		looksUp: definition.lookUp !== undefined,
		repeatOption: definition.repeatOption,
	};
}

/**
 * Advice about the reason. "Try again later" is no advice for something that may have been carried out; a
 * setting to correct, and what is left of a change, are.
 */
export function adviceOf({ outcome, item }: WrongEntry, { kind }: OperationDefinition): string {
	const isPassing = isFailure(outcome) && outcome.transient === true;
	if (outcome.status === 'unknown' && kind !== 'read' && isPassing) return '';
	return withFieldNames(outcome.advice, item.json);
}

export function openOf(
	{ outcome, prepared }: WrongEntry,
	{ ifUnknown }: OperationDefinition,
): Open {
	return { outcome, ifUnknown: prepared && ifUnknown?.(prepared) };
}

/** Why an item is not done, in a few words. */
export function reasonOf({ outcome }: WrongEntry, { stoppedBy }: Ended): string {
	const isStopped = isFailure(outcome) && outcome.origin === 'notStarted';
	return isStopped && stoppedBy !== undefined
		? `An earlier item stopped the run: ${stoppedBy.message}`
		: outcome.message;
}

/** The error of a run that failed: of one item, of something that concerns all, or with counts. */
export function reportOf(run: Ended): Told {
	const { entries, definition } = run;
	const wrong = entries.filter(isWrong);
	const started = startedOf(wrong);
	const first = started.find((entry) => entry === run.firstFailed) ?? byCause(started)[0];
	const general = started.find(({ outcome }) => isAboutAll(outcome));
	const isUntouched = wrong.length === entries.length && !wrong.some(isUnknown);
	const ways = adviceForAll(
		wrong.map((entry) => openOf(entry, definition)),
		situationOf(run),
	);
	const [way = '', ...page] = ways;
	const entry = started.length === 1 && !isAboutAll(first.outcome) ? first : undefined;
	if (entries.length === 1) return ofOne(run, first, ways);
	if (isUntouched && general !== undefined) return ofOne(run, general, ways);
	if (!isUntouched) {
		if (definition.kind === 'read') return ofOne(run, general ?? first, []);
		const causes = linesOf(reasonsOf(started, run, true), entries.length, MAX_REASONS);
		return { headline: headlineOf(run), lines: [way, ...causes, ...page], entry };
	}
	const reasons = reasonsOf(started, run);
	const { title, description } = describeReasons(reasons, entries.length, verbOf(definition));
	return { headline: title, lines: [description, ...ways], entry };
}

/** The error of the only item, or of something that concerns all of them. */
function ofOne(run: Ended, entry: WrongEntry, ways: readonly string[]): Told {
	const { entries, definition } = run;
	const { outcome } = entry;
	const isOfAll = entries.length > 1 && isAboutAll(outcome);
	const name = nameOf(entry, definition);
	const own =
		entries.length > 1 && !isOfAll
			? withSubject(outcome.message, numberOf(entry, definition))
			: outcome.message;
	const isDoubtful = outcome.status === 'unknown' && definition.kind !== 'read';
	const whom = name === undefined ? '' : ` (${name})`;
	const headline = isDoubtful
		? `It is unknown whether this was ${verbOf(definition)}${whom}: ${lowerFirst(own)}`
		: own;
	return {
		headline,
		lines: [adviceOf(entry, definition), ...ways],
		entry: isOfAll ? undefined : entry,
	};
}

/** "11 of 25 sent, 1 unknown (+33639987003), 13 not sent". */
function headlineOf({ entries, definition, earlier }: Ended): string {
	const counts = new Counts();
	for (const { outcome } of entries) counts.add(outcome!);
	const names = (status: string) =>
		entries.flatMap((entry) =>
			entry.outcome!.status === status
				? [nameOf(entry, definition) ?? `item ${entry.index}`]
				: [],
		);
	const named = (kind: string) =>
		['refused', 'unknown', 'invalid'].includes(kind)
			? ` (${listOf(names(kind), MAX_IN_HEADLINE)})`
			: '';
	const before = earlier === 0 ? '' : `; ${earlier} ${verbOf(definition)} by earlier runs`;
	return `${counts.describeOf(entries.length, verbOf(definition), named)}${before}`;
}

/** Lines of a hint: how many items there are of each outcome, then why, the user's own causes first. */
export function failureLines(run: Ended): string[] {
	const { entries, definition } = run;
	const wrong = entries.filter(isWrong);
	const isRead = definition.kind === 'read';
	const unknown = isRead ? [] : wrong.filter(isUnknown);
	const others = wrong.filter((entry) => !unknown.includes(entry));
	const lines = linesOf(reasonsOf(startedOf(others), run), entries.length, MAX_REASONS);
	if (unknown.length === 0) return lines;
	const names = unknown.map((entry) => nameOf(entry, definition) ?? `item ${entry.index}`);
	const reasons = new Set(unknown.map((entry) => reasonOf(entry, run)));
	const why = [...reasons].slice(0, MAX_REASONS).join('; ');
	return [...lines, asSentence(`Unknown: ${listOf(names, MAX_NAMED)} (${why})`)];
}

/** @param withAdvice each reason with what a user can do about it */
function reasonsOf(wrong: readonly WrongEntry[], run: Ended, withAdvice = false): Reason[] {
	return byCause(wrong).map((entry) => {
		const { index, pairedItem } = entry;
		return {
			index: pairedItem === undefined ? index : undefined,
			subject: numberOf(entry, run.definition),
			message: reasonOf(entry, run),
			advice: adviceOf(entry, run.definition),
			showsAdvice: withAdvice,
		};
	});
}

/** Causes in the user's power stand first: the key, credits, the pace, settings. */
function byCause(wrong: readonly WrongEntry[]): WrongEntry[] {
	const isOwn = ({ outcome }: WrongEntry) =>
		'cause' in outcome &&
		outcome.cause !== undefined &&
		outcome.cause !== 'temporarily-unavailable';
	return [...wrong.filter(isOwn), ...wrong.filter((entry) => !isOwn(entry))];
}

function isUnknown({ outcome }: WrongEntry): boolean {
	return outcome.status === 'unknown';
}

/** Those that say why a run stopped, where there are any. */
function startedOf(wrong: readonly WrongEntry[]): readonly WrongEntry[] {
	const started = wrong.filter(
		({ outcome }) => !isFailure(outcome) || outcome.origin !== 'notStarted',
	);
	return started.length > 0 ? started : wrong;
}

/** Something of the whole account is no item's fault, but which item is unknown has to be said. */
export function isAboutAll(outcome: Wrong): boolean {
	return outcome.general === true && outcome.status !== 'unknown';
}

/** Why one item was not carried out. */
interface Reason {
	/** None for something that belongs to no item, such as a contact to remove. */
	index?: number;
	/** The number that it is about, where it has one. */
	subject?: string;
	message: string;
	advice: string;
	/** Its line has the advice, too. */
	showsAdvice?: boolean;
}

/**
 * The title and description of an error about several items: each reason with its items, and each advice once.
 *
 * @param reasons in item order, at least one
 * @param items number of items of the run
 * @param verb "sent"
 */
function describeReasons(
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
	const lines = groups.slice(0, most).map((group) => {
		const [{ advice, showsAdvice }] = group;
		const line = lineOf(group, items);
		return showsAdvice && advice !== '' ? `${line} ${advice.replaceAll('\n', ' ')}` : line;
	});
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
	const [{ index, message, subject }] = reasons;
	const isNamed = index === undefined && subject !== undefined && message.includes(subject);
	if (isNamed) return asSentence(message);
	return asSentence(`${nameItems(reasons, items)}: ${message}`);
}

/** Names the number that a text is about. */
function withSubject(message: string, subject: string | undefined): string {
	return subject === undefined || message.includes(subject) ? message : `${subject}: ${message}`;
}

/** Ends a text with a full stop, since the editor shows several lines in one. */
export function asSentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `All 5 items`, `Items 0, 3 and 8`, `Items 0 to 499`, `Item 2 (+33639981234)`: counted from 0, as n8n counts them. */
function nameItems(reasons: readonly Reason[], items: number): string {
	if (reasons.length === items && items > 1) return `All ${items} items`;
	const names = reasons
		.slice(0, MAX_NAMED)
		.map(({ index, subject = 'another' }) => String(index ?? subject));
	const [{ subject, message, index }] = reasons;
	if (reasons.length === 1) {
		if (index === undefined) return names[0];
		const isNamed = subject === undefined || message.includes(subject);
		return `Item ${names[0]}${isNamed ? '' : ` (${subject})`}`;
	}
	const { index: end } = reasons[reasons.length - 1];
	const isRange = index !== undefined && end === index + reasons.length - 1;
	if (isRange && reasons.length > MAX_NAMED) return `Items ${index} to ${end}`;
	const last = reasons.length > MAX_NAMED ? `${reasons.length - MAX_NAMED} more` : names.pop()!;
	return `Items ${names.join(', ')} and ${last}`;
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
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
		return this.inWords(verb, done)
			.map(([kind, text]) => {
				const { dates } = this.counts.get(kind)!;
				const first = dates.size === 0 ? '' : showDate(Math.min(...dates), timeZone);
				return `${text}${{ 0: '', 1: ` for ${first}` }[dates.size] ?? `, first for ${first}`}`;
			})
			.join(', ');
	}

	/** "11 of 25 sent, 1 unknown (+33639987003), 13 not sent". @param named what is added to a kind */
	describeOf(items: number, verb: string, named: (kind: Kind) => string): string {
		const first =
			this.counts.has('scheduled') && !this.counts.has('done') ? 'scheduled' : 'done';
		const done = this.counts.get(first)?.items ?? 0;
		const word = first === 'done' ? verb : 'scheduled';
		const rest = this.inWords(verb, verb).filter(([kind]) => kind !== first);
		const others = rest.map(([kind, text]) => `${text}${named(kind)}`);
		return [`${done} of ${items} ${word}`, ...others].join(', ');
	}

	private inWords(verb: string, done: string): Array<[kind: Kind, text: string]> {
		const labels: Array<[Kind, string]> = [
			['done', done],
			...LABELS,
			['notSent', `not ${verb}`],
		];
		return labels.flatMap(([kind, label]) => {
			const count = this.counts.get(kind);
			return count === undefined ? [] : [[kind, `${count.items} ${label}`] as [Kind, string]];
		});
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
