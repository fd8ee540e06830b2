import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';
import { toNodeError } from '../http/nodeError';
import { cleanData, type Clean } from '../http/secret';
import { isOn } from '../service/choices';
import { escapeMarkup } from '../service/html';
import { forEach } from '../chunks';
import { adviceFor, type Situation } from './advice';
import type { Entry } from './operation';
import { isFailure, type Outcome } from './outcome';
import {
	adviceOf,
	Counts,
	describeCost,
	extraOf,
	failureLines,
	isAboutAll,
	isWrong,
	openOf,
	reasonOf,
	reportOf,
	situationOf,
	statusOf,
	verbOf,
	type Ended,
	type WrongEntry,
} from './report';
import type { Run } from './run';

/** Lines of a hint beside counts and warnings. */
const MAX_LINES = 3;
/** Fields that stand before the reason. */
const BEFORE_REASON = ['status', 'accepted', 'number'];
/** Fields of results that n8n must not fill up from the input on the error output: they would tell of another message. */
const RESULT_FIELDS = [
	...['status', 'reason', 'error', 'advice', 'snapshotId', 'creditsUsed', 'scheduledFor'],
	...['segments', 'replacements', 'code', 'httpCode', 'wouldSendTo'],
];
/** The field that holds the result beside the fields of the input item. */
export const RESULT_FIELD = 'sms';

type Hint = Pick<NodeExecutionHint, 'message' | 'type'>;

/**
 * Turns the outcomes of a run into n8n's items, in item order, and a hint, and hands its receipts over.
 *
 * @throws NodeApiError, NodeOperationError for a run that failed, unless the user continues on fail
 */
export async function resultsOf(run: Run): Promise<{ items: INodeExecutionData[]; hint?: Hint }> {
	const fails = !run.host.continueOnFail && failsRun(run);
	const results = new Results(run, fails);
	if (fails) throw results.error();
	const items: INodeExecutionData[] = [];
	await forEach(run.entries, (entry) => {
		for (const item of results.itemsOf(entry)) items.push(item);
	});
	run.receipts?.handOver();
	if (!run.definition.isBatch) showReason(items);
	const hint = results.hint();
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

/**
 * Whether a run fails: with any failure, and a batch where nothing was accepted and something concerns all items, no
 * item is valid, or the user wants it to be complete.
 */
function failsRun({ entries, definition, options, stoppedBy }: Run): boolean {
	const wrong = entries.filter(isWrong);
	if (wrong.length === 0) return false;
	if (!definition.isBatch || isOn(options.failIfIncomplete)) return true;
	const invalid = wrong.filter(({ outcome }) => outcome.status === 'invalid');
	if (invalid.length > 0 && options.invalidItems === 'stop') return true;
	if (invalid.some(({ outcome }) => isAboutAll(outcome))) return true;
	const has = (...statuses: Array<Outcome['status']>) =>
		entries.some(({ outcome }) => statuses.includes(outcome!.status));
	if (has('done', 'unknown')) return false;
	if (wrong.some(({ outcome }) => isAboutAll(outcome) || outcome === stoppedBy)) return true;
	// The user cancelled it.
	const isCancelled = wrong.every(
		({ outcome }) => isFailure(outcome) && outcome.origin === 'notStarted',
	);
	return !has('skipped', 'previewed') && !isCancelled;
}

/** The results of a run, without the API key. */
class Results {
	private readonly ended: Ended;
	private readonly situation: Situation;
	private readonly clean: Clean;
	private readonly isRead: boolean;

	constructor(
		private readonly run: Run,
		fails: boolean,
	) {
		const { host, definition, entries, firstFailed, stoppedBy, receipts } = run;
		this.ended = {
			...{ entries, definition, firstFailed, stoppedBy, fails, isTool: host.isTool },
			// Only errors tell of other runs: each run of a long loop would count all of them.
			earlier: fails ? (receipts?.acceptedInOtherRuns ?? 0) : 0,
			isEmpty: fails && receipts?.isEmpty === true,
		};
		this.situation = situationOf(this.ended);
		this.clean = host.connection.clean;
		this.isRead = definition.kind === 'read';
	}

	itemsOf(entry: Entry): INodeExecutionData[] {
		const { index, item, pairedItem = { item: index } } = entry;
		const outcome = entry.outcome!;
		if (outcome.status === 'done' && Array.isArray(outcome.value))
			return outcome.value.map((one) => ({ pairedItem, ...one }));
		const own = cleanData(this.jsonOf(entry, outcome), this.clean);
		const json = isOn(this.run.options.includeInputFields)
			? { ...item.json, [RESULT_FIELD]: own }
			: own;
		const isErrorItem = isWrong(entry) && this.run.host.node.onError === 'continueErrorOutput';
		return [isErrorItem ? this.errorItem(entry, { json, pairedItem }) : { json, pairedItem }];
	}

	/**
	 * An item for the error output. n8n moves an item with `error` there, but also replaces all its fields by the error's
	 * text. A property that can't be enumerated is seen by the first and not by the second, so that the item keeps its
	 * fields, beside those of its input: except for fields of the input that are called like results.
	 */
	private errorItem(entry: WrongEntry, item: INodeExecutionData): INodeExecutionData {
		const way = adviceFor(openOf(entry, this.run.definition), this.situation);
		const error = new NodeOperationError(
			this.run.host.node,
			this.clean(reasonOf(entry, this.ended)),
			{
				itemIndex: entry.index,
				description: this.lines([adviceOf(entry, this.run.definition), way]),
			},
		);
		const isApart = isOn(this.run.options.includeInputFields);
		const hidden = RESULT_FIELDS.filter((name) => !isApart && name in entry.item.json);
		const none = Object.fromEntries(hidden.map((name) => [name, undefined]));
		const shown = { ...item, json: { ...none, ...item.json } };
		return Object.defineProperty(shown, 'error', { value: error });
	}

	private jsonOf(entry: Entry, outcome: Outcome): IDataObject {
		const { definition } = this.run;
		const { number, ...extra } = extraOf(entry, definition);
		const named = number === undefined ? {} : { number };
		// The same columns in every run, so that a table keeps its form.
		const columns = definition.isBatch ? { snapshotId: null, creditsUsed: null } : {};
		const advice = definition.isBatch ? { advice: '' } : {};
		if (outcome.status === 'done') {
			const { status, ...value } = outcome.value as IDataObject;
			const first = status === undefined ? {} : { status };
			if (definition.isBatch)
				return {
					...first,
					...named,
					reason: '',
					...columns,
					...value,
					...extra,
					...advice,
				};
			// A result without fields of the service keeps the order of its own.
			if (Object.keys(value).length === 0) return { ...first, ...extraOf(entry, definition) };
			return { ...first, ...named, ...value, ...extra };
		}
		if (outcome.status === 'skipped')
			return {
				status: 'skipped',
				...named,
				reason: outcome.reason,
				...columns,
				...extra,
				...advice,
			};
		if (outcome.status === 'previewed') {
			const reason = definition.isBatch ? { reason: '' } : {};
			const fields = { ...extra, ...outcome.fields };
			return { status: 'wouldSend', ...named, ...reason, ...columns, ...fields, ...advice };
		}
		const open = { ...entry, outcome };
		const reason = this.clean(reasonOf(open, this.ended));
		const { code, httpCode, details } = isFailure(outcome) ? outcome : {};
		return {
			status: statusOf(outcome, this.isRead),
			...named,
			reason,
			...columns,
			// n8n takes a first item with `error` for a failed run: a batch reports.
			...(definition.isBatch ? {} : { error: reason }),
			...(code === undefined ? {} : { code }),
			...(httpCode === undefined ? {} : { httpCode }),
			...details,
			...extra,
			advice: [
				adviceOf(open, definition),
				adviceFor(openOf(open, definition), this.situation),
			]
				.filter(Boolean)
				.join(' ')
				.replaceAll('\n', ' '),
		};
	}

	/** The error of a run in which the user doesn't continue on fail. */
	error(): Error {
		const { host, entries, stoppedBy } = this.run;
		const { headline, lines, entry } = reportOf(this.ended);
		const wrong = entries.filter(isWrong);
		const failed = [entry, this.run.firstFailed, ...wrong].find(
			(one) => one?.outcome !== undefined && isFailure(one.outcome),
		);
		const failure = failed?.outcome ?? stoppedBy;
		const place = {
			...(entry === undefined || entry.pairedItem ? {} : { itemIndex: entry.index }),
			runIndex: host.runIndex,
		};
		const told = { message: this.clean(headline), advice: this.lines(lines) };
		const { details, ...of } = failure && isFailure(failure) ? failure : {};
		const data = cleanData({ ...this.detailsOfAll(), ...details }, this.clean);
		if (!('status' in of)) {
			const texts = { ...place, description: told.advice };
			const error = new NodeOperationError(host.node, told.message, texts);
			error.context.data = data;
			return error;
		}
		const { httpCode, cause, retryAfterMs } = of;
		return toNodeError(host.node, { ...told, httpCode, cause, retryAfterMs }, place, data);
	}

	/** Items that were accepted, may have been, or failed and left something: for programs, and for *Error details*. */
	private detailsOfAll(): IDataObject {
		const those = (test: (outcome: Outcome) => boolean) =>
			this.run.entries
				.filter(({ outcome }) => test(outcome!))
				.map((entry) => this.detailsOf(entry));
		return {
			accepted: those(({ status }) => status === 'done'),
			unknown: those(({ status }) => status === 'unknown'),
			failed: those(
				(outcome) =>
					isFailure(outcome) &&
					outcome.status !== 'unknown' &&
					outcome.details !== undefined,
			),
		};
	}

	private detailsOf(entry: Entry): IDataObject {
		const { index: item, prepared, outcome, pairedItem } = entry;
		const isReceipt = outcome?.status === 'done' && !Array.isArray(outcome.value);
		const subject = prepared?.extra?.number ?? prepared?.subject;
		return {
			...(pairedItem === undefined ? { item } : {}),
			...(subject === undefined ? {} : { subject }),
			...(isReceipt ? (outcome.value as IDataObject) : {}),
			...(outcome && isFailure(outcome) ? outcome.details : {}),
		};
	}

	hint(): Hint | undefined {
		const { definition, dryRun, notes, warnings, host, entries } = this.run;
		const { isBatch, summaryOf, noteOn, done } = definition;
		const outcomes = entries.map(({ outcome }) => outcome!);
		const failures = failureLines(this.ended);
		const results = outcomes.flatMap((outcome) =>
			outcome.status === 'done' && !Array.isArray(outcome.value) ? [outcome.value] : [],
		);
		const counts = new Counts();
		for (const outcome of outcomes) counts.add(outcome, this.isRead);
		const isKept = counts.has('scheduled', 'wouldSchedule');
		const isCounted = isBatch || isKept || dryRun !== undefined || failures.length > 0;
		const counted = [
			dryRun,
			isCounted && `${counts.describe(host.timeZone, verbOf(definition), done)}.`,
			...(isBatch || dryRun !== undefined ? describeCost(outcomes) : []),
			summaryOf?.(results),
		];
		const carriedOut = entries.filter(mayBeDone).map(({ prepared }) => prepared!);
		const added = new Set<string>();
		const told = noteOn?.(carriedOut, (text) => added.add(text)) ?? [];
		const others = [...this.skipped(), ...told, ...notes].filter(Boolean);
		const lines = [
			counted.filter(Boolean).join(' '),
			...failures,
			...new Set([...warnings, ...added]),
			...others.slice(0, Math.max(1, MAX_LINES - failures.length)),
		].filter(Boolean);
		if (lines.length === 0) return undefined;
		const isWarning = failures.length + warnings.size + added.size > 0;
		return { message: this.clean(lines.join('\n')), type: isWarning ? 'warning' : 'info' };
	}

	/** Why items were skipped, and how many for each reason. */
	private skipped(): string[] {
		const counts = new Map<string, number>();
		for (const { outcome } of this.run.entries) {
			if (outcome?.status !== 'skipped') continue;
			const { reason, kind = reason } = outcome;
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
		}
		const kinds = [...counts].map(([kind, count]) => `${count} (${lowerFirst(kind)})`);
		return kinds.length === 0 ? [] : [`Skipped: ${kinds.join(', ')}.`];
	}

	/** The editor shows the description of an error as HTML; an agent reads it as text. */
	private lines(lines: readonly string[]): string {
		const text = this.clean(lines.filter(Boolean).join('\n'));
		return this.ended.isTool ? text : escapeMarkup(text).replaceAll('\n', '<br>\n');
	}
}

/** Carried out, or perhaps, or as it would be in a dry run. */
function mayBeDone({ outcome }: Entry): boolean {
	return ['done', 'unknown', 'previewed'].includes(outcome!.status);
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}
