import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';
import { toNodeError, type Told } from '../http/nodeError';
import { cleanData, type Clean } from '../http/secret';
import { without } from '../service/answers';
import { isOn } from '../service/choices';
import { countOf, listOf } from '../service/countOf';
import { escapeMarkup } from '../service/html';
import { withFieldNames } from '../service/InputError';
import { forEach } from '../chunks';
import {
	asSentence,
	Counts,
	describeCost,
	describeReasons,
	linesOf,
	MAX_NAMED,
	statusOf,
	withSubject,
} from './messages';
import type { Entry, Prepared } from './operation';
import { isFailure, type Failed, type Outcome } from './outcome';
import type { Run } from './run';

/** Reasons in a hint: each item has its own. */
const MAX_REASONS = 3;
/** Lines of a hint beside counts and warnings. */
const MAX_LINES = 3;
const ABOUT_UNKNOWN = "Before you repeat what is unknown, check it: its 'reason' says how.";
const GO_ON = "To go on with the others, set 'On Error' in the settings of the node to Continue.";
const STARTS_ANEW =
	'If you execute the step or the workflow again instead, it starts from the first item.';
const NOT_REPEATED = `A retry of this execution doesn't repeat what was accepted. ${STARTS_ANEW}`;
const RETRY = "open Executions and choose 'Retry with currently saved workflow'";
const HOW_TO_GO_ON = `When you have solved this and the workflow is saved, ${RETRY}: it does the rest and doesn't repeat what was accepted. ${STARTS_ANEW}`;
/** A retry gets the items of the first try. */
const OWN_DATA = `If the data of this item have to be corrected, a retry doesn't help on its own, since it has the same items. Set 'On Error' in the settings of the node to Continue and, once the workflow is saved, ${RETRY}: it does the others. Then set it back, and run the corrected item in a new workflow.`;

/** Fields of results, except for those that say whom a result is about. */
const RESULT_FIELDS = [
	...['status', 'reason', 'error', 'snapshotId', 'creditsUsed', 'scheduledFor', 'segments'],
	...['replacements', 'code', 'httpCode', 'wouldSendTo'],
];

/** Fields that stand before the reason. */
const BEFORE_REASON = ['status', 'accepted', 'number'];

type Hint = Pick<NodeExecutionHint, 'message' | 'type'>;
type Wrong = Exclude<Outcome, { status: 'done' | 'skipped' | 'previewed' }>;
type WrongEntry = Entry & { outcome: Wrong };

/**
 * Turns the outcomes of a run into n8n's items, in item order, and a hint, and hands its receipts over.
 *
 * @throws NodeApiError, NodeOperationError for a run that failed, unless the user continues on fail
 */
export async function resultsOf(run: Run): Promise<{ items: INodeExecutionData[]; hint?: Hint }> {
	const presenter = new Presenter(run);
	const error = run.host.continueOnFail ? undefined : presenter.error();
	if (error !== undefined) throw error;
	const items: INodeExecutionData[] = [];
	await forEach(run.entries, (entry) => {
		for (const item of presenter.itemsOf(entry)) items.push(item);
	});
	run.handOver();
	showReason(items);
	const hint = presenter.hint();
	// An agent reads only the results of its tool.
	if (run.host.isTool && hint !== undefined && items.length > 0)
		items[0].json = { ...items[0].json, hint: hint.message };
	return { items, hint };
}

/** n8n orders a table by its first item: where one has a reason, all have one, beside their status. */
function showReason(items: readonly INodeExecutionData[]): void {
	const own = items.filter(({ error }) => error === undefined);
	if (!own.some(({ json }) => 'reason' in json)) return;
	for (const item of own) {
		const fields = Object.entries(item.json);
		const last = fields.findLastIndex(([name]) => BEFORE_REASON.includes(name));
		if ('reason' in item.json || last < 0) continue;
		item.json = Object.fromEntries(fields.toSpliced(last + 1, 0, ['reason', '']));
	}
}

/** Tells users what became of a run. The API key is in none of its texts. */
class Presenter {
	private readonly verb: string;
	/** It only reads: nothing can have been carried out. */
	private readonly isRead: boolean;
	private readonly clean: Clean;
	private readonly entries: readonly Entry[];
	/** How the other items are carried out anyway. */
	private readonly forSeveral: string;

	constructor(private readonly run: Run) {
		const { request, howToFindOut, verb, isBatch } = run.definition;
		this.isRead = request?.startsWith('GET') === true && howToFindOut === undefined;
		this.verb = verb ?? (this.isRead ? 'looked up' : 'carried out');
		this.clean = run.host.connection.clean;
		this.entries = run.entries;
		const { forSeveral = isBatch ? '' : GO_ON } = run.definition;
		this.forSeveral = run.entries.length > 1 ? forSeveral : '';
	}

	itemsOf(entry: Entry): INodeExecutionData[] {
		const { index, item, pairedItem = { item: index } } = entry;
		const outcome = entry.outcome!;
		if (outcome.status === 'done' && Array.isArray(outcome.value))
			return outcome.value.map((one) => ({ pairedItem, ...one }));
		const input = isOn(this.run.options.includeInputFields)
			? (without(item.json, RESULT_FIELDS) as IDataObject)
			: {};
		const json = { ...input, ...cleanData(this.jsonOf(entry, outcome), this.clean) };
		const isErrorItem = isWrong(entry) && this.run.host.node.onError === 'continueErrorOutput';
		return [isErrorItem ? this.errorItem(entry, { json, pairedItem }) : { json, pairedItem }];
	}

	/**
	 * An item for the error output. n8n moves an item with `error` there, but also replaces all its fields by the error's
	 * text. A property that can't be enumerated is seen by the first and not by the second, so that the item keeps its
	 * fields, beside those of its input: except for fields of the input that are called like results.
	 */
	private errorItem(
		entry: WrongEntry,
		{ json, pairedItem }: INodeExecutionData,
	): INodeExecutionData {
		const { index, item, outcome } = entry;
		const hidden = RESULT_FIELDS.filter((name) => Object.hasOwn(item.json, name));
		const shown = { ...Object.fromEntries(hidden.map((name) => [name, undefined])), ...json };
		const { message, advice } = this.textsOf(outcome, entry);
		const error = new NodeOperationError(this.run.host.node, message, {
			itemIndex: index,
			description: this.lines(advice),
		});
		return Object.defineProperty({ json: shown, pairedItem }, 'error', { value: error });
	}

	private jsonOf(entry: Entry, outcome: Outcome): IDataObject {
		const extra = this.extraOf(entry);
		const number = 'number' in extra ? { number: extra.number } : {};
		if (outcome.status === 'done') {
			const { status, ...value } = outcome.value as IDataObject;
			// A result without fields of the service keeps the order of its own.
			const first = Object.keys(value).length === 0 ? {} : number;
			return { ...(status === undefined ? {} : { status }), ...first, ...value, ...extra };
		}
		if (outcome.status === 'skipped')
			return { status: 'skipped', ...number, reason: outcome.reason, ...extra };
		if (outcome.status === 'previewed')
			return { status: 'wouldSend', ...number, ...extra, ...outcome.fields };
		const { message, advice } = this.textsOf(outcome, entry);
		const { code, httpCode, details } = isFailure(outcome) ? outcome : {};
		return {
			status: statusOf(outcome, this.isRead),
			...number,
			reason: [asSentence(message), advice.replaceAll('\n', ' ')].filter(Boolean).join(' '),
			// n8n takes a first item with `error` for a failed run: a batch reports.
			...(this.run.definition.isBatch ? {} : { error: message }),
			...(code === undefined ? {} : { code }),
			...(httpCode === undefined ? {} : { httpCode }),
			...details,
			...extra,
		};
	}

	/** Whom or what an item is about. */
	private extraOf({ item, prepared }: Entry): IDataObject {
		if (prepared !== undefined) return prepared.extra ?? {};
		try {
			return this.run.definition.asTyped?.(item) ?? {};
		} catch {
			// The expression that n8n could not evaluate.
			return {};
		}
	}

	/** The number that an item is about, where it is one. */
	private subjectOf(entry: Entry): string | undefined {
		const { number } = this.extraOf(entry);
		return typeof number === 'string' && number.startsWith('+') ? number : undefined;
	}

	private textsOf(outcome: Wrong, { prepared, item }: Entry): Told {
		const { definition, host, stoppedBy } = this.run;
		let { message, advice } = outcome;
		if (isFailure(outcome) && outcome.isNotStarted && stoppedBy !== undefined) {
			message = `Not ${this.verb}, because an earlier item stopped the run: ${stoppedBy.message}`;
			({ advice } = stoppedBy);
		} else if (outcome.status === 'unknown' && !this.isRead) {
			const subject = prepared && nameOf(prepared);
			const fails = !definition.isBatch && !host.continueOnFail && !host.isTool;
			const others = fails ? this.entries.filter(isUnknown).length - 1 : 0;
			const more = others > 0 ? `, and ${countOf(others, 'more item')}` : '';
			const whom = subject === undefined ? '' : ` (${subject}${more})`;
			message = `It is unknown whether this was ${this.verb}${whom}: ${lowerFirst(message)}`;
			const since = new Date(this.run.begun).toISOString();
			const doubt = { fails, others, since, isEarlier: outcome.isEarlier };
			const howToFindOut =
				prepared && definition.howToFindOut?.({ ...prepared, subject }, doubt);
			// "Try again later" is no advice for something that may have been carried out.
			const own = outcome.transient ? '' : advice;
			advice = [howToFindOut, own].filter(Boolean).join('\n');
		}
		advice = withFieldNames(advice, item.json);
		return { message: this.clean(message), advice: this.clean(advice) };
	}

	/** The error of a run in which the user doesn't continue on fail; undefined where there is none. */
	error(): Error | undefined {
		return this.run.definition.isBatch ? this.batchError() : this.firstError();
	}

	private firstError(): Error | undefined {
		// Before anything is sent, an entry can fail behind others that were not started.
		const failed =
			this.run.firstFailed ??
			this.entries.find((entry) => isFailed(entry) && !entry.outcome.isNotStarted) ??
			this.entries.find(isFailed);
		const invalid = this.entries.filter(isInvalid);
		if (invalid.length > 0) return this.invalidItems(invalid);
		if (failed === undefined || !isFailed(failed)) return undefined;
		return this.stopped(failed);
	}

	/** A batch fails where nothing was accepted and something concerns all items, or no item is valid. */
	private batchError(): Error | undefined {
		const { entries } = this;
		const { options, stoppedBy } = this.run;
		const invalid = entries.filter(isInvalid);
		const isOfAll = ({ outcome }: WrongEntry) => 'general' in outcome && outcome.general;
		if (invalid.length > 0 && (options.invalidItems === 'stop' || invalid.some(isOfAll)))
			return this.invalidItems(invalid);
		const has = (...statuses: Array<Outcome['status']>) =>
			entries.some(({ outcome }) => statuses.includes(outcome!.status));
		if (has('done', 'unknown')) return undefined;
		const failed = entries.filter(isFailed);
		const ofAll = failed.find(({ outcome }) => outcome.general || outcome === stoppedBy);
		if (ofAll !== undefined) return this.ended(ofAll.index, stoppedBy ?? ofAll.outcome);
		if (has('skipped', 'previewed')) return undefined;
		if (failed.length === 0) return this.invalidItems(invalid);
		// The user cancelled it.
		if (failed.every(({ outcome }) => outcome.isNotStarted)) return undefined;
		const wrong = entries.filter(isWrong);
		const { title, description } = this.reasonsOf(wrong);
		const told = { ...failed[0].outcome, message: title, advice: description };
		return this.ended(this.placeOf(wrong).itemIndex, told);
	}

	private reasonsOf(wrong: readonly WrongEntry[]) {
		// A mistake that holds for all items is no item's fault.
		const ofAll = wrong.find(({ outcome }) => isInvalidForAll(outcome));
		if (ofAll !== undefined) {
			const { message, advice } = this.textsOf(ofAll.outcome, ofAll);
			return { title: message, description: advice };
		}
		const reasons = wrong.map((entry) => ({
			index: entry.index,
			subject: this.subjectOf(entry),
			...this.textsOf(entry.outcome, entry),
		}));
		return describeReasons(reasons, this.entries.length, this.verb);
	}

	private invalidItems(invalid: readonly WrongEntry[]): Error {
		const { title, description } = this.reasonsOf(invalid);
		const others = invalid.length < this.entries.length ? this.forSeveral : '';
		const lines = [description, ...this.nothingDone(), others];
		return new NodeOperationError(this.run.host.node, this.clean(title), {
			...this.placeOf(invalid),
			description: this.lines(lines.filter(Boolean).join('\n')),
		});
	}

	/** The error of a run that has ended before anything was done. */
	private ended(index: number | undefined, failure: Failed): Error {
		const advice = [failure.advice, ...this.nothingDone(failure)].filter(Boolean).join('\n');
		return this.toError(index, { ...failure, advice });
	}

	/** The error of the first failure, with what became of the other items. */
	private stopped(entry: Entry & { outcome: Failed }): Error {
		const { outcome: failure, index } = entry;
		const told = { ...failure, ...this.textsOf(failure, entry) };
		const others = this.entries.filter((other) => other !== entry);
		// One request may be about many items.
		const isOwn = others.length > 0 && others.every(({ outcome }) => outcome !== failure);
		if (isOwn && !isAboutAll(failure))
			told.message = withSubject(told.message, this.subjectOf(entry));
		if (this.isRead) {
			const rest = isAboutAll(failure) ? '' : this.forSeveral;
			return this.toError(index, { ...told, advice: `${told.advice}\n${rest}`.trim() });
		}
		const those = (status: Outcome['status']) =>
			others.filter(({ outcome }) => outcome?.status === status).map(aboutItem);
		const accepted = those('done');
		const unknown = those('unknown');
		const failed = others.filter(isFailed).filter(({ outcome }) => leftSomething(outcome));
		const skipped = those('skipped');
		const named = accepted.length + unknown.length + failed.length + skipped.length;
		const rest = others.length - named;
		const lines = [told.advice];
		const alsoUnknown = others.find(isUnknown);
		if (alsoUnknown !== undefined) {
			const also = `Also unknown: ${list(unknown)}. Check each: the option that repeats one repeats all of them.`;
			// In front of advice that is for all of them.
			if (failure.status === 'unknown') lines.unshift(also);
			else lines.push(also, this.textsOf(alsoUnknown.outcome, alsoUnknown).advice);
		}
		for (const { index: item, outcome } of failed.slice(0, MAX_NAMED))
			lines.push(`Also failed: item ${item} (${outcome.message}). ${outcome.advice}`);
		lines.push(...this.skipped());
		const isOpen = failure.status === 'unknown' || failure.details !== undefined;
		const [undone, which] = isAboutAll(failure) ? [rest + 1, ''] : [rest, 'other '];
		if (rest === others.length && !isOpen) lines.push(...this.nothingDone(failure));
		else if (undone > 0) lines.push(`Not ${this.verb}: ${countOf(undone, `${which}item`)}.`);
		if (accepted.length > 0)
			lines.push(
				`Already accepted: ${accepted.length} of ${this.entries.length} items (${list(accepted)}).`,
				failure.status === 'unknown' || unknown.length > 0 ? NOT_REPEATED : HOW_TO_GO_ON,
				isOwn && failure.status === 'refused' && !failure.general ? OWN_DATA : '',
			);
		// Whoever changes the operation now executes anew, and sends what was accepted again.
		if (rest === others.length && !isOpen && !isAboutAll(failure)) lines.push(this.forSeveral);
		const data = { accepted, unknown, failed: failed.map(aboutItem) };
		return this.toError(index, { ...told, advice: lines.filter(Boolean).join('\n') }, data);
	}

	/** @param failure what ended the run, unless items are invalid */
	private nothingDone(failure?: Failed): string[] {
		const { verb } = this;
		const { length } = this.entries;
		if (length === 1 && failure !== undefined)
			return failure.status === 'notSent' ? [`Nothing has been ${verb}.`] : [];
		if (this.run.isRetry)
			return [
				`Nothing more has been ${verb}. What an earlier try ${verb} is not ${verb} again.`,
			];
		return length > 1 ? [`No item has been ${verb}.`] : [];
	}

	/** The item that n8n names beside an error: none where it is about all of several. */
	private placeOf(wrong: readonly WrongEntry[]): { itemIndex?: number } {
		const { length } = this.entries;
		const isOfAll = length > 1 && wrong.some(({ outcome }) => isInvalidForAll(outcome));
		return wrong.length > 1 || isOfAll ? {} : { itemIndex: wrong[0].index };
	}

	private toError(index: number | undefined, failure: Failed, data: IDataObject = {}): Error {
		const isAbout = index !== undefined && !(this.entries.length > 1 && isAboutAll(failure));
		const message = this.clean(failure.message);
		const advice = this.lines(failure.advice);
		return toNodeError(
			this.run.host.node,
			{ ...failure, message, advice },
			{ ...(isAbout ? { itemIndex: index } : {}), runIndex: this.run.host.runIndex },
			cleanData({ ...data, ...failure.details }, this.clean),
		);
	}

	hint(): Hint | undefined {
		const { isBatch, summaryOf, noteOn, onAnotherRun, done } = this.run.definition;
		const { dryRun, notes, warnings } = this.run;
		const outcomes = this.entries.map(({ outcome }) => outcome!);
		const failures = this.failures();
		const results = outcomes.flatMap((outcome) =>
			outcome.status === 'done' && !Array.isArray(outcome.value) ? [outcome.value] : [],
		);
		const counts = new Counts();
		for (const outcome of outcomes) counts.add(outcome, this.isRead);
		const carriedOut = this.entries.filter(mayBeDone).map(({ prepared }) => prepared!);
		const isKept = counts.has('scheduled', 'wouldSchedule');
		const isCounted = isBatch || isKept || dryRun !== undefined || failures.length > 0;
		const counted = [
			dryRun,
			isCounted && `${counts.describe(this.run.host.timeZone, this.verb, done)}.`,
			...(isBatch || dryRun !== undefined ? describeCost(outcomes) : []),
			summaryOf?.(results),
		];
		const told = noteOn?.(carriedOut, (text) => warnings.add(text)) ?? [];
		const others = [...this.skipped(), ...told, ...notes].filter(Boolean);
		const lines = [
			counted.filter(Boolean).join(' '),
			counts.has('unknown') && ABOUT_UNKNOWN,
			counts.has('done') && failures.length > 0 && onAnotherRun?.(carriedOut),
			...failures,
			...warnings,
			...others.slice(0, Math.max(1, MAX_LINES - failures.length)),
		].filter(Boolean);
		if (lines.length === 0) return undefined;
		const type = failures.length > 0 || warnings.size > 0 ? 'warning' : 'info';
		return { message: this.clean(lines.join('\n')), type };
	}

	/** Why items failed that the run did not fail for: their own fields are far off on the right of a table. */
	private failures(): string[] {
		const reasons = this.entries.filter(isWrong).map((entry) => ({
			index: entry.index,
			subject: this.subjectOf(entry),
			// Without whom each is about: several items with one reason are told once.
			...this.textsOf(entry.outcome, { ...entry, prepared: undefined }),
		}));
		return linesOf(reasons, this.entries.length, MAX_REASONS);
	}

	/** Why items were skipped, and how many for each reason. */
	private skipped(): string[] {
		const counts = new Map<string, number>();
		for (const { outcome } of this.entries) {
			if (outcome?.status !== 'skipped') continue;
			const { reason, kind = reason } = outcome;
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
		}
		const kinds = [...counts].map(([kind, count]) => `${count} (${lowerFirst(kind)})`);
		return kinds.length === 0 ? [] : [`Skipped: ${kinds.join(', ')}.`];
	}

	/** The editor shows the description of an error as HTML; an agent reads it as text. */
	private lines(text: string): string {
		if (this.run.host.isTool) return this.clean(text);
		return escapeMarkup(this.clean(text)).replaceAll('\n', '<br>\n');
	}
}

/** Carried out, or perhaps, or as it would be in a dry run. */
function mayBeDone({ outcome }: Entry): boolean {
	return ['done', 'unknown', 'previewed'].includes(outcome!.status);
}

function isInvalid(entry: Entry): entry is WrongEntry {
	return entry.outcome?.status === 'invalid';
}

function isFailed(entry: Entry): entry is Entry & { outcome: Failed } {
	return entry.outcome !== undefined && isFailure(entry.outcome);
}

function isWrong(entry: Entry): entry is WrongEntry {
	return isInvalid(entry) || isFailed(entry);
}

function isUnknown(entry: Entry): entry is WrongEntry {
	return entry.outcome?.status === 'unknown';
}

function isInvalidForAll(outcome: Wrong): boolean {
	return outcome.status === 'invalid' && outcome.general === true;
}

/** Something of the whole account is no item's fault, but which item is unknown has to be said. */
function isAboutAll({ general, status }: Failed): boolean {
	return general === true && status !== 'unknown';
}

/** Failed, and something exists nevertheless. */
function leftSomething({ status, details }: Failed): boolean {
	return status !== 'unknown' && details !== undefined;
}

/** A number as results have it. */
function nameOf({ extra, subject }: Prepared): string | undefined {
	return typeof extra?.number === 'string' ? extra.number : subject;
}

/** An item that was accepted, or may have been, or left something behind. */
function aboutItem({ index: item, prepared, outcome, pairedItem }: Entry): IDataObject {
	const isReceipt = outcome?.status === 'done' && !Array.isArray(outcome.value);
	return {
		...(pairedItem === undefined ? { item } : {}),
		...(prepared?.subject === undefined ? {} : { subject: nameOf(prepared) }),
		...(isReceipt ? (outcome.value as IDataObject) : {}),
		...(outcome && isFailure(outcome) ? outcome.details : {}),
	};
}

function list(items: IDataObject[]): string {
	const names = items.map(({ item, subject, snapshotId }) =>
		[item !== undefined && `item ${item}`, subject, snapshotId && `snapshot ${snapshotId}`]
			.filter(Boolean)
			.join(' '),
	);
	return listOf(names, MAX_NAMED);
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}
