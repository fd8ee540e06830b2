import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';
import type { Clean } from '../http/secret';
import type { Item } from '../fields/item';
import { countOf } from '../service/countOf';
import type { Endpoint } from '../service/endpoint';
import { CARRIED_OUT, Counts, LOOKED_UP } from './counts';
import type { Entry, Prepared } from './entries';
import { toNodeError, type Place, type Told } from './errors';
import { HELD_BACK, isFailure, type Failed, type Outcome } from './outcome';
import { linesOf, MOST_NAMED, tellReasons } from './reasons';
import type { RunSettings } from './settings';

/** All that is known of a run in the end. */
export interface Finished {
	node: INode;
	runIndex: number;
	settings: RunSettings;
	/** Redacts the API key. */
	clean: Clean;
	/** In item order. */
	entries: readonly Entry[];
	/** What failed first. */
	firstFailed: Entry | undefined;
	/** What turned away the rest. */
	stoppedBy: Failed | undefined;
	/** What the user should look at beside the items, such as a store that could not be written. */
	problems: readonly string[];
	/** Where it was a dry run or a test run: what was and wasn't sent. */
	trial: string | undefined;
	/** What the user should know of the run beside its items. */
	notes: readonly string[];
	/** An earlier try of this execution has made some of it. */
	isRetry: boolean;
	/** What was done with an item that succeeded: "sent". By default, "carried out". */
	verb?: string;
	request?: Endpoint;
	howToFindOut?: (prepared: never) => string;
	asTyped?: (item: Item) => IDataObject;
	columns?: readonly string[];
}

const NOT_REPEATED = "A retry of this execution doesn't repeat what was accepted.";
const HOW_TO_GO_ON =
	"When you have solved this, open Executions and retry this execution: it does the rest and doesn't repeat what was accepted. If you execute the step or the workflow again instead, it starts from the first item.";

/** Reasons that the line above the results names. */
const MOST_IN_HINT = 3;

/** Outcomes that are told as something that went wrong. */
export type Wrong = Exclude<Outcome, { status: 'done' | 'skipped' | 'previewed' }>;

/** Turns what became of items into texts for users. The API key is in none. */
export class Teller {
	constructor(readonly run: Finished) {}

	/** The texts of what went wrong with an item, for this operation. */
	tell(outcome: Wrong, { prepared }: Entry): Told {
		const { clean, stoppedBy } = this.run;
		const { verb, isRead } = this;
		let { message, advice } = outcome;
		if (isFailure(outcome) && outcome.isHeldBack && stoppedBy !== undefined) {
			message = `Not ${verb}, because an earlier item stopped the run: ${stoppedBy.message}`;
			({ advice } = stoppedBy);
		} else if (outcome.status === 'unknown' && !isRead) {
			const whom = prepared?.subject === undefined ? '' : ` (${prepared.subject})`;
			message = `It is unknown whether this was ${verb}${whom}: ${lowerFirst(message)}`;
			// "Try again later" is no advice for what may have been carried out.
			advice = [
				outcome.seen?.text,
				this.howToFindOut(prepared),
				outcome.transient ? '' : advice,
			]
				.filter(Boolean)
				.join(' ');
		}
		return { message: clean(message), advice: clean(advice) };
	}

	private get verb(): string {
		return this.run.verb ?? (this.isRead ? LOOKED_UP : CARRIED_OUT);
	}

	/** It only reads: nothing can have been carried out. */
	private get isRead(): boolean {
		const { request, howToFindOut } = this.run;
		return request?.startsWith('GET') === true && howToFindOut === undefined;
	}

	private howToFindOut(prepared: Prepared | undefined): string {
		return prepared === undefined ? '' : (this.run.howToFindOut?.(prepared as never) ?? '');
	}

	/** Whom or what an item is about. */
	who({ item, prepared }: Entry): IDataObject {
		if (prepared !== undefined) return prepared.extra ?? {};
		try {
			return this.run.asTyped?.(item) ?? {};
		} catch {
			// The expression that n8n could not evaluate.
			return {};
		}
	}

	/**
	 * One error for all items that can't be sent, each reason once. What is wrong for all of them alike, such
	 * as a setting, is no item's fault: it is told alone.
	 */
	invalidItems(): Error | undefined {
		const { node, entries, clean } = this.run;
		const { verb } = this;
		const invalid = entries.flatMap(({ index, outcome }) =>
			outcome?.status === 'invalid' ? [{ ...outcome, index }] : [],
		);
		if (invalid.length === 0) return undefined;
		const ofAll = invalid.find(({ general }) => general === true);
		const told = ofAll === undefined ? invalid : [ofAll];
		const { title, lines, advice } = tellReasons(told, entries.length, verb);
		const description = [...lines, advice, ...this.nothingDone()].filter(Boolean);
		return new NodeOperationError(node, clean(title), {
			...this.placeOf(invalid, ofAll !== undefined),
			description: clean(description.join(lines.length > 0 ? '\n' : ' ')),
		});
	}

	/** The error of a run in which nothing was done with any item; undefined where it was cancelled. */
	allWrong(): Error | undefined {
		const { entries } = this.run;
		const wrong = entries.filter(isWrong);
		const failed = wrong.flatMap(({ outcome }) => (isFailure(outcome) ? [outcome] : []));
		if (failed.length === 0) return this.invalidItems();
		if (failed.every(({ isHeldBack }) => isHeldBack) && this.run.stoppedBy === undefined) {
			return undefined;
		}
		const reasons = wrong.map((entry) => ({
			index: entry.index,
			...this.tell(entry.outcome, entry),
		}));
		const { title, lines, advice } = tellReasons(reasons, entries.length, this.verb);
		const { itemIndex } = this.placeOf(wrong);
		const description = [...lines, advice].filter(Boolean).join('\n');
		return this.ended(itemIndex, { ...failed[0], message: title, advice: description });
	}

	/** The error of a run that has ended before anything was done. */
	ended(index: number | undefined, failure: Failed): Error {
		const advice = [failure.advice, ...this.nothingDone(failure)].filter(Boolean).join('\n');
		return this.failed(index, { ...failure, advice });
	}

	/** The item that n8n names beside an error: none where it is about all of several. */
	private placeOf(wrong: ReadonlyArray<{ index: number }>, concernsAll = false): Place {
		const { length } = this.run.entries;
		const isAll = length > 1 && (concernsAll || wrong.length === length);
		return isAll ? {} : { itemIndex: wrong[0].index };
	}

	/** @param failure what ended the run, unless items can't be sent */
	private nothingDone(failure?: Failed): string[] {
		const { entries, isRetry } = this.run;
		const { verb } = this;
		if (entries.length === 1 && failure !== undefined) {
			return failure.status === 'notSent' ? [`Nothing has been ${verb}.`] : [];
		}
		if (isRetry) {
			return [
				`Nothing more has been ${verb}. What an earlier try ${verb} is not ${verb} again.`,
			];
		}
		return entries.length > 1 ? [`No item has been ${verb}.`] : [];
	}

	/** The error of a run that an item has ended. */
	failed(index: number | undefined, failure: Failed, details: IDataObject = {}): Error {
		const { node, runIndex, clean } = this.run;
		const { message, advice } = failure;
		const place = index === undefined ? {} : this.placeOf([{ index }], isOfAll(failure));
		return toNodeError(
			node,
			{ ...failure, message: clean(message), advice: clean(advice) },
			{ ...place, runIndex },
			this.cleanData({ ...details, ...detailsOf(failure) }),
		);
	}

	/** The same, with what became of the other items. */
	stopped(entry: Entry, failure: Failed): Error {
		const told = { ...failure, ...this.tell(failure, entry) };
		if (this.isRead) return this.failed(entry.index, told);
		const { verb } = this;
		const { entries } = this.run;
		const others = entries.filter((other) => other !== entry);
		const those = (status: Outcome['status']) =>
			others.filter(({ outcome }) => outcome?.status === status).map(aboutItem);
		const accepted = those('done');
		const unknown = those('unknown');
		// What failed and left something behind is told of each.
		const failed = others.flatMap(({ index: item, outcome }) => {
			if (outcome === undefined || !isFailure(outcome) || !outcome.details) return [];
			const { status, message: error, advice, details } = outcome;
			return status === 'unknown' ? [] : [{ item, error, advice, details }];
		});
		const rest = others.length - accepted.length - unknown.length - failed.length;
		const lines = [told.advice];
		if (accepted.length > 0) {
			lines.push(
				`Accepted anyway: ${accepted.length} of ${entries.length} items (${list(accepted)}).`,
			);
		}
		if (unknown.length > 0) lines.push(`Also unknown: ${list(unknown)}.`);
		for (const { item, error, advice } of failed.slice(0, MOST_NAMED)) {
			lines.push(`Also failed: item ${item} (${error}). ${advice}`);
		}
		const isOpen = failure.status === 'unknown' || failure.details !== undefined;
		const [undone, which] = isOfAll(failure) ? [rest + 1, ''] : [rest, 'other '];
		if (rest === others.length && !isOpen) lines.push(...this.nothingDone(failure));
		else if (undone > 0) lines.push(`Not ${verb}: ${countOf(undone, `${which}item`)}.`);
		if (accepted.length > 0) {
			const isUnknown = failure.status === 'unknown' || unknown.length > 0;
			lines.push(isUnknown ? NOT_REPEATED : HOW_TO_GO_ON);
		}
		const advice = lines.join('\n');
		const left = failed.map(({ item, error, details }) => ({ item, error, ...details }));
		const data = { accepted, unknown, ...(left.length === 0 ? {} : { failed: left }) };
		return this.failed(entry.index, { ...told, advice }, data);
	}

	/** How many of each outcome, in a line. */
	counts(): string {
		return this.counted.describe(this.timeZone, this.verb);
	}

	/** The same where the service keeps some until a date, which not every operation counts up. */
	scheduled(): string[] {
		return this.counted.hasScheduled ? [`${this.counts()}.`] : [];
	}

	private get counted(): Counts {
		const counts = new Counts();
		for (const { outcome = HELD_BACK } of this.run.entries) counts.add(outcome);
		return counts;
	}

	/** Of the workflow. */
	private get timeZone(): string {
		return this.run.entries[0].item.timeZone;
	}

	/** Why items were skipped, and how many for each reason. */
	skipped(): string[] {
		const counts = new Map<string, number>();
		for (const { outcome } of this.run.entries) {
			if (outcome?.status !== 'skipped') continue;
			const reason = outcome.reason.replace(/ as item \d+/, ' as another item');
			counts.set(reason, (counts.get(reason) ?? 0) + 1);
		}
		const reasons = [...counts].map(([reason, count]) => `${reason} (${count})`);
		return reasons.length === 0 ? [] : [`Skipped: ${reasons.join('; ')}.`];
	}

	/** Why items failed that the run did not fail for: their own fields say so far off on the right of a table. */
	failures(): string[] {
		const { entries } = this.run;
		// Without whom each is about: what happened to several is one reason.
		const reasons = entries.filter(isWrong).map((entry) => ({
			index: entry.index,
			message: this.tell(entry.outcome, { ...entry, prepared: undefined }).message,
		}));
		return linesOf(reasons, entries.length, MOST_IN_HINT);
	}

	cleanData(data: IDataObject): IDataObject {
		return cleanStrings(data, this.run.clean) as IDataObject;
	}
}

/** What a failure has to show beside its texts. */
export function detailsOf({ details, seen }: Failed): IDataObject {
	const latest = seen?.latestMessage;
	return { ...details, ...(latest === undefined ? {} : { latestMessage: latest }) };
}

/** What concerns the whole account is no item's fault, but which item is unknown has to be said. */
function isOfAll({ general, status }: Failed): boolean {
	return general && status !== 'unknown';
}

function isWrong(entry: Entry): entry is Entry & { outcome: Wrong } {
	return (
		entry.outcome?.status === 'invalid' || (entry.outcome ? isFailure(entry.outcome) : false)
	);
}

/** Of an item that was accepted, or may have been, for a list. */
function aboutItem({ index: item, prepared, outcome, pairedItem }: Entry): IDataObject {
	const isReceipt = outcome?.status === 'done' && !Array.isArray(outcome.value);
	return {
		...(pairedItem === undefined ? { item } : {}),
		...(prepared?.subject === undefined ? {} : { subject: prepared.subject }),
		...(isReceipt ? (outcome.value as IDataObject) : {}),
		...(outcome?.status === 'unknown' ? outcome.details : {}),
	};
}

function list(items: IDataObject[]): string {
	const named = items
		.slice(0, MOST_NAMED)
		.map(({ item, subject, snapshotId }) =>
			[item !== undefined && `item ${item}`, subject, snapshotId && `snapshot ${snapshotId}`]
				.filter(Boolean)
				.join(' '),
		);
	if (items.length > MOST_NAMED) named.push(`and ${items.length - MOST_NAMED} more`);
	return named.join(', ');
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

function cleanStrings(value: unknown, clean: Clean): unknown {
	if (typeof value === 'string') return clean(value);
	if (Array.isArray(value)) return value.map((part) => cleanStrings(part, clean));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, part]) => [key, cleanStrings(part, clean)]),
	);
}
