import {
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import type { Failure } from '../http/failure';
import type { Clean } from '../http/secret';
import { countOutcomes } from './counts';
import { errorItem, toNodeError, type Told } from './errors';
import type { Definition, Prepared } from './operation';
import { isFailure, NOT_STARTED, type Outcome } from './outcome';
import type { Policy, RunSettings } from './policy';
import type { Entry } from './Run';
import { inSlices } from './slices';

/** All that is known of a run in the end. */
export interface Finished<P extends Prepared> {
	node: INode;
	runIndex: number;
	continues: boolean;
	failuresAre: Policy['failuresAre'];
	settings: RunSettings;
	/** Takes the key out of a text. */
	clean: Clean;
	/** In item order. */
	entries: Array<Entry<P>>;
	/** Index of the item that failed first. */
	firstFailed: number | undefined;
	/** What turned away the rest. */
	stoppedBy: Failure | undefined;
	/** What went wrong beside the items, such as a store that could not be written. */
	problems: string[];
	/** What the user should know of the run beside its items. */
	notes: string[];
	/** An earlier try of this execution has made some of it. */
	isRetry: boolean;
	definition: Definition<P>;
}

/** What n8n gets of a run: its items, or its error. */
export interface Report {
	/** By item index. */
	results: Map<number, INodeExecutionData[]>;
	error?: Error;
	/** The item that the error is about. */
	errorIndex?: number;
	/** For above the output. */
	hint?: { message: string; type: 'info' | 'warning' };
}

/** Items named in an error; the others are counted. */
const NAMED_ITEMS = 10;

/**
 * Turns the outcomes of a run into items, errors and hints: the only place that makes texts of them for
 * users. The key is in none.
 */
export async function report<P extends Prepared>(run: Finished<P>): Promise<Report> {
	return await new Reporter(run).report();
}

class Reporter<P extends Prepared> {
	constructor(private readonly run: Finished<P>) {}

	async report(): Promise<Report> {
		const failed = this.run.continues ? undefined : this.error();
		if (failed !== undefined) return { results: new Map(), ...failed };
		const { entries, failuresAre } = this.run;
		const results = new Map<number, INodeExecutionData[]>();
		await inSlices(entries, (entry) => results.set(entry.index, this.itemsOf(entry)));
		const hint = failuresAre === 'outcome' ? this.summary() : this.noted();
		return { results, ...(hint === undefined ? {} : { hint }) };
	}

	/** The error of a run in which the user doesn't continue on fail, if it has come to one. */
	private error(): Pick<Report, 'error' | 'errorIndex'> | undefined {
		const { entries, firstFailed, failuresAre, settings } = this.run;
		const isForgiven = settings.invalidItems === 'report';
		const invalid = entries.flatMap(({ index, outcome }) =>
			outcome?.status === 'invalid' && (outcome.general || !isForgiven)
				? [{ index, ...outcome }]
				: [],
		);
		if (invalid.length > 0) {
			return { error: this.invalidItems(invalid), errorIndex: invalid[0].index };
		}
		const stopped =
			failuresAre === 'error'
				? (entries.find(({ index }) => index === firstFailed) ??
					entries.find(({ outcome }) => outcome && isFailure(outcome)))
				: this.nothingSent();
		if (stopped?.outcome === undefined || !isFailure(stopped.outcome)) return undefined;
		const error =
			failuresAre === 'error'
				? this.stopped(stopped, stopped.outcome)
				: this.failed(stopped.index, this.run.stoppedBy ?? stopped.outcome);
		return { error, errorIndex: stopped.index };
	}

	/** Where failures are outcomes: the item to blame when nothing was accepted for a general reason. */
	private nothingSent(): Entry<P> | undefined {
		const { entries, stoppedBy } = this.run;
		const happened = ({ outcome }: Entry<P>) =>
			['done', 'unknown'].includes(outcome?.status ?? '');
		if (entries.some(happened)) return undefined;
		return entries.find(
			({ outcome }) =>
				outcome !== undefined &&
				isFailure(outcome) &&
				(outcome.general || outcome === stoppedBy),
		);
	}

	/** One error for all items that can't be sent: the first ten by name, and how many more. */
	private invalidItems(invalid: Array<{ index: number } & Told>): NodeOperationError {
		const { node, entries, clean, isRetry } = this.run;
		const [{ index: itemIndex, message, advice }] = invalid;
		const nothingSent = isRetry
			? ['Nothing more has been sent. What an earlier try sent is not sent again.']
			: entries.length > 1
				? ['No item has been sent.']
				: [];
		if (invalid.length === 1) {
			const description = clean([advice, ...nothingSent].filter(Boolean).join(' '));
			return new NodeOperationError(node, clean(message), { itemIndex, description });
		}
		const named = invalid
			.slice(0, NAMED_ITEMS)
			.map((item) => `Item ${item.index}: ${item.message}`);
		if (invalid.length > NAMED_ITEMS) named.push(`and ${invalid.length - NAMED_ITEMS} more`);
		return new NodeOperationError(
			node,
			clean(
				`${invalid.length} of ${entries.length} items can't be sent. Item ${itemIndex}: ${message}`,
			),
			{
				itemIndex,
				description: clean([...named, advice, ...nothingSent].filter(Boolean).join('\n')),
			},
		);
	}

	/** The error of a run that stopped at an item, with what became of the others. */
	private stopped(entry: Entry<P>, failure: Failure): Error {
		const { entries, runIndex } = this.run;
		const told = this.tell(failure, entry);
		if (this.isRead) return this.failed(entry.index, { ...failure, ...told });
		const others = entries.filter(({ index }) => index !== entry.index);
		const about = ({ index: item, prepared, outcome }: Entry<P>) => ({
			item,
			subject: prepared?.subject,
			...(outcome?.status === 'done' && !Array.isArray(outcome.value) ? outcome.value : {}),
		});
		const accepted = others.filter(({ outcome }) => outcome?.status === 'done').map(about);
		const unknown = others.filter(({ outcome }) => outcome?.status === 'unknown').map(about);
		const rest = others.length - accepted.length - unknown.length;
		const lines = [told.advice];
		if (accepted.length > 0) {
			lines.push(
				`Accepted before the stop: ${accepted.length} of ${entries.length} items (${list(accepted)}). A retry of this execution doesn't repeat them.`,
			);
		}
		if (unknown.length > 0) lines.push(`Unknown as well: ${list(unknown)}.`);
		if (rest > 0)
			lines.push(`Not ${this.deed}: ${rest} other ${rest === 1 ? 'item' : 'items'}.`);
		return toNodeError(
			this.run.node,
			{ ...failure, message: told.message, advice: this.run.clean(lines.join('\n')) },
			{ itemIndex: entry.index, runIndex },
			this.cleanData({ accepted, unknown, ...failure.details }),
		);
	}

	private failed(itemIndex: number, failure: Failure): Error {
		const { node, runIndex, clean } = this.run;
		const { message, advice, details } = failure;
		return toNodeError(
			node,
			{ ...failure, message: clean(message), advice: clean(advice) },
			{ itemIndex, runIndex },
			this.cleanData({ ...details }),
		);
	}

	private itemsOf(entry: Entry<P>): INodeExecutionData[] {
		const { index, outcome = NOT_STARTED } = entry;
		if (outcome.status === 'done') return this.successItems(entry, outcome);
		const status = outcome.status;
		if (status === 'skipped') {
			const { reason } = outcome;
			const json =
				this.run.failuresAre === 'outcome'
					? { status, ...this.who(entry), reason }
					: { status, reason, ...this.who(entry) };
			return [{ json: this.jsonOf(entry, json), pairedItem: { item: index } }];
		}
		if (outcome.status === 'previewed') {
			const json = { status: 'wouldSend', ...this.who(entry), ...outcome.fields };
			return [{ json: this.jsonOf(entry, json), pairedItem: { item: index } }];
		}
		const told = this.tell(outcome, entry);
		const { code, httpCode, details } = isFailure(outcome) ? outcome : ({} as Partial<Failure>);
		const description = told.advice ? { description: told.advice } : {};
		const codes = code === undefined ? {} : { code };
		const json: IDataObject =
			this.run.failuresAre === 'outcome'
				? { status, ...this.who(entry), reason: told.message, ...description, ...codes }
				: {
						error: told.message,
						status,
						...description,
						...codes,
						...(httpCode === undefined ? {} : { httpCode }),
						...details,
						...entry.prepared?.extra,
					};
		return [errorItem(this.run.node, this.jsonOf(entry, json), told, index)];
	}

	private successItems(
		entry: Entry<P>,
		{ value }: Extract<Outcome, { status: 'done' }>,
	): INodeExecutionData[] {
		const { index, prepared } = entry;
		if (Array.isArray(value)) {
			return value.map((item) => ({ pairedItem: { item: index }, ...item }));
		}
		const json =
			this.run.failuresAre === 'outcome'
				? { status: 'sent', ...this.who(entry), ...value }
				: { ...value, ...prepared?.extra };
		return [{ json: this.jsonOf(entry, json), pairedItem: { item: index } }];
	}

	/** The fields of a result. Those of the input, where the user wants them, never stand in their way. */
	private jsonOf({ item }: Entry<P>, json: IDataObject): IDataObject {
		const own = this.cleanData(json);
		return this.run.settings.includesInput ? { ...item.json, ...own } : own;
	}

	/** Whom or what the item is about. */
	private who({ item, prepared }: Entry<P>): IDataObject {
		if (prepared !== undefined) return prepared.extra ?? {};
		try {
			return this.run.definition.asTyped?.(item) ?? {};
		} catch {
			// The expression that n8n could not evaluate.
			return {};
		}
	}

	/** The texts of what went wrong with an item, for this operation. */
	private tell(
		outcome: Exclude<Outcome, { status: 'done' | 'skipped' | 'previewed' }>,
		entry: Entry<P>,
	): Told {
		const { clean, stoppedBy, definition } = this.run;
		const { prepared } = entry;
		let { message, advice } = outcome;
		if (outcome === NOT_STARTED && stoppedBy !== undefined) {
			message = `Not ${this.deed}, because an earlier item stopped the run: ${stoppedBy.message}`;
			({ advice } = stoppedBy);
		} else if (outcome.status === 'unknown' && !this.isRead) {
			const whom = prepared?.subject === undefined ? '' : ` (${prepared.subject})`;
			message = `It is unknown whether this was ${this.deed}${whom}: ${lowerFirst(message)}`;
			// "Try again later" is no advice for what may have been carried out.
			advice = [
				outcome.seen,
				prepared && definition.howToFindOut?.(prepared),
				outcome.transient ? '' : advice,
			]
				.filter(Boolean)
				.join(' ');
		}
		return { message: clean(message), advice: clean(advice) };
	}

	/** It only reads: nothing can have been carried out. */
	private get isRead(): boolean {
		const { request, howToFindOut } = this.run.definition;
		return request?.startsWith('GET ') === true && howToFindOut === undefined;
	}

	private get deed(): string {
		return deedOf(this.run.definition);
	}

	/** How many of each outcome, in a line. */
	private summary(): NonNullable<Report['hint']> {
		const { entries, problems, notes, clean } = this.run;
		const counts = new Map<Outcome['status'], number>();
		let credits = 0;
		for (const { outcome = NOT_STARTED } of entries) {
			counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1);
			if (outcome.status === 'done' && !Array.isArray(outcome.value)) {
				credits += Number(outcome.value.creditsUsed ?? 0);
			}
		}
		const used = Number(credits.toFixed(4));
		const skipped = this.skipped();
		const lines = [
			`${countOutcomes(counts, this.deed)}. ${used} ${used === 1 ? 'credit' : 'credits'} used.`,
			...notes,
		];
		return {
			message: clean([...lines, ...skipped, ...problems].join(' ')),
			type:
				counts.has('unknown') || counts.has('invalid') || problems.length > 0
					? 'warning'
					: 'info',
		};
	}

	/** Why items were skipped, and how many for each reason. */
	private skipped(): string[] {
		const counts = new Map<string, number>();
		for (const { outcome } of this.run.entries) {
			if (outcome?.status !== 'skipped') continue;
			const reason = outcome.reason.replace(/ as item \d+/, ' as another item');
			counts.set(reason, (counts.get(reason) ?? 0) + 1);
		}
		const reasons = [...counts].map(([reason, count]) => `${reason} (${count})`);
		return reasons.length === 0 ? [] : [`Skipped: ${reasons.join('; ')}.`];
	}

	private noted(): Report['hint'] {
		const { notes, clean } = this.run;
		return notes.length === 0 ? undefined : { message: clean(notes.join(' ')), type: 'info' };
	}

	private cleanData(data: IDataObject): IDataObject {
		return cleanStrings(data, this.run.clean) as IDataObject;
	}
}

/** What was done with an item that succeeded. */
export function deedOf({ deed }: { deed?: string }): string {
	return deed ?? 'carried out';
}

function cleanStrings(value: unknown, clean: Clean): unknown {
	if (typeof value === 'string') return clean(value);
	if (Array.isArray(value)) return value.map((part) => cleanStrings(part, clean));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, part]) => [key, cleanStrings(part, clean)]),
	);
}

function list(items: IDataObject[]): string {
	const named = items
		.slice(0, NAMED_ITEMS)
		.map(({ item, subject, snapshotId }) =>
			[`item ${item}`, subject, snapshotId && `snapshot ${snapshotId}`]
				.filter(Boolean)
				.join(' '),
		);
	if (items.length > NAMED_ITEMS) named.push(`and ${items.length - NAMED_ITEMS} more`);
	return named.join(', ');
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}
