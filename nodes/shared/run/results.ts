import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';
import { toNodeError } from '../http/nodeError';
import { cleanData, type Clean } from '../http/secret';
import { isOn } from '../service/choices';
import { rowOf } from '../service/countOf';
import { escapeMarkup } from '../service/html';
import { forEach } from '../chunks';
import { statusOf } from './counts';
import { failsRun, hasFailed, type FailedEntry } from './failed';
import type { Entry } from './operation';
import { isFailure, type Outcome } from './outcome';
import { Report, subjectOf } from './report';
import type { Run } from './run';

/** Fields of results that n8n must not fill up from the input on the error output: they would tell of another item. */
const RESULT_FIELDS = ['status', 'reason', 'error', 'advice', 'code', 'httpCode'];
/** The same, where messages are sent. */
const MESSAGE_FIELDS = [
	...['snapshotId', 'creditsUsed', 'scheduledFor', 'segments', 'replacements', 'wouldSendTo'],
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
	const hint = results.hint();
	// An agent reads only the results of its tool.
	if (run.host.isTool && hint !== undefined) {
		const [{ json } = { json: {} }] = items;
		items[0] = { ...items[0], json: { ...json, hint: hint.message } };
	}
	return { items, hint };
}

/** The results of a run, without the API key. */
class Results {
	private readonly report: Report;
	private readonly clean: Clean;

	constructor(
		private readonly run: Run,
		fails: boolean,
	) {
		this.report = new Report(run, fails);
		this.clean = run.host.connection.clean;
	}

	itemsOf(entry: Entry): INodeExecutionData[] {
		const { index, item, pairedItem = { item: index } } = entry;
		const outcome = entry.outcome!;
		if (outcome.status === 'done' && Array.isArray(outcome.value))
			return outcome.value.map((one) => ({ pairedItem, ...one }));
		const own = cleanData(this.jsonOf(entry), this.clean);
		const json = isOn(this.run.options.includeInputFields)
			? { ...item.json, [RESULT_FIELD]: own }
			: own;
		const isErrorItem =
			hasFailed(entry) && this.run.host.node.onError === 'continueErrorOutput';
		return [isErrorItem ? this.errorItem(entry, { json, pairedItem }) : { json, pairedItem }];
	}

	/**
	 * An item for the error output. n8n moves an item with `error` there, but also replaces all its fields by the error's
	 * text. A property that can't be enumerated is seen by the first and not by the second, so that the item keeps its
	 * fields, beside those of its input: except for fields of the input that are called like results.
	 */
	private errorItem(entry: FailedEntry, item: INodeExecutionData): INodeExecutionData {
		const { node } = this.run.host;
		const error = new NodeOperationError(node, this.clean(this.report.reasonOf(entry)), {
			itemIndex: entry.index,
			description: this.lines(this.report.adviceTo(entry)),
		});
		const isApart = isOn(this.run.options.includeInputFields);
		const sends = this.run.definition.kind === 'send';
		const names = [...RESULT_FIELDS, ...(sends ? MESSAGE_FIELDS : [])];
		const hidden = names.filter((name) => !isApart && name in entry.item.json);
		const none = Object.fromEntries(hidden.map((name) => [name, undefined]));
		const shown = { ...item, json: { ...none, ...item.json } };
		return Object.defineProperty(shown, 'error', { value: error });
	}

	/** The fields of a result in their order: what people look at first, then the service's, advice last. */
	private jsonOf(entry: Entry): IDataObject {
		const { definition } = this.run;
		const { isBatch } = definition;
		const { status, advice = isBatch ? '' : undefined, ...own } = this.ownOf(entry);
		const { number, ...subject } = subjectOf(entry, definition);
		return {
			...(status === undefined ? {} : { status }),
			...(number === undefined ? {} : { number }),
			// The same columns in every run, so that a table keeps its form.
			...(isBatch ? { reason: '', snapshotId: null, creditsUsed: null } : {}),
			...own,
			...subject,
			...(advice === undefined ? {} : { advice }),
		};
	}

	/** The fields that tell what became of an item, beside those that say whom it is about. */
	private ownOf(entry: Entry): IDataObject {
		const outcome = entry.outcome!;
		if (hasFailed(entry)) return this.failedFieldsOf(entry);
		if (outcome.status === 'done') return outcome.value as IDataObject;
		if (outcome.status === 'previewed') return { status: 'wouldSend', ...outcome.fields };
		const { status, message, duplicateOf } = outcome as Extract<Outcome, { status: 'skipped' }>;
		const of = duplicateOf === undefined ? '' : `: ${rowOf(duplicateOf)}`;
		return { status, reason: `${message}${of}` };
	}

	private failedFieldsOf(entry: FailedEntry): IDataObject {
		const { outcome } = entry;
		const { definition } = this.run;
		const { code, httpCode, details } = outcome;
		return {
			status: statusOf(outcome, definition),
			// n8n takes a first item with `error` for a failed run, and may run it again: a batch reports.
			[definition.isBatch ? 'reason' : 'error']: this.report.reasonOf(entry),
			...(code === undefined ? {} : { code }),
			...(httpCode === undefined ? {} : { httpCode }),
			...details,
			advice: this.report.adviceTo(entry).join(' ').replaceAll('\n', ' '),
		};
	}

	/** The error of a run in which the user doesn't continue on fail. */
	error(): Error {
		const { node, runIndex } = this.run.host;
		const { headline, lines, page, cause, isOfItem } = this.report.error();
		const { outcome, index, pairedItem } = cause;
		const itemIndex = isOfItem && pairedItem === undefined ? { itemIndex: index } : {};
		const place = { ...itemIndex, runIndex };
		const told = { message: this.clean(headline), advice: this.lines(lines, page) };
		const data = cleanData({ ...this.report.details(), ...outcome.details }, this.clean);
		if (isFailure(outcome)) return toNodeError(node, { ...outcome, ...told }, place, data);
		const description = told.advice;
		const error = new NodeOperationError(node, told.message, { ...place, description });
		error.context.data = data;
		return error;
	}

	hint(): Hint | undefined {
		const hint = this.report.hint();
		return hint && { ...hint, message: this.clean(hint.message) };
	}

	/** The editor shows the description of an error as HTML; an agent reads it as text. */
	private lines(lines: readonly string[], page?: string): string {
		const text = this.clean(lines.filter(Boolean).join('\n'));
		if (this.run.host.isTool) return text;
		const link =
			page === undefined ? '' : `\n<a href="${page}" target="_blank">How to recover</a>`;
		return `${escapeMarkup(text)}${link}`.replaceAll('\n', '<br>\n');
	}
}
