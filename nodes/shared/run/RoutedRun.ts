import {
	sleep,
	type IDataObject,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { Delivery, isFailure, NOT_STARTED, type Outcome } from './Delivery';
import {
	describeInvalid,
	errorItem,
	invalidItemsError,
	NAMED_ITEMS,
	toNodeError,
	type Invalid,
} from './errors';
import { fingerprint } from './fingerprint';
import { Gate } from './Gate';
import { readPace } from '../fields/pace';
import { judgeError, type Failure } from '../http/failure';
import { redact } from '../http/secret';
import { Receipts } from './Receipts';
import type { Prepared, RoutedOperation } from './RoutedOperation';
import { StepFailed, Steps, type Attempt } from './steps';

type Operation = RoutedOperation<unknown, Prepared>;

/** One item of the run. */
interface Entry {
	context: IExecuteSingleFunctions;
	prepared?: Prepared;
	invalid?: Invalid;
	/** What kept the service from being asked whether the item is valid. */
	unchecked?: Failure;
}

/** Why a run is rejected as a whole: items that can't be sent, or the one that failed first. */
interface Verdict {
	invalid: Array<[number, Invalid]>;
	failed?: number;
}

/**
 * All items of one try of a declarative node.
 *
 * n8n's router starts every item at once, in one synchronous loop, and runs each by itself. This
 * brings them together again: the items register while the loop runs; none is sent before all are
 * registered and found valid; then they go through one Delivery.
 */
export class RoutedRun {
	private static readonly runs = new WeakMap<object, RoutedRun>();

	private readonly entries = new Map<number, Entry>();
	private readonly gate: Gate;
	private readonly delivery: Delivery;
	private readonly continues: boolean;
	private readonly total: number | undefined;
	private ready?: Promise<void>;
	private announceComplete: () => void = () => {};
	private readonly complete = new Promise<void>((resolve) => (this.announceComplete = resolve));
	private settled = 0;
	private announceSettled: () => void = () => {};
	private readonly allSettled = new Promise<void>((resolve) => (this.announceSettled = resolve));
	private readonly outcomes = new Map<number, Outcome>();
	private firstFailed?: number;
	private secret = '';
	private readonly shared = new Map<string, Promise<unknown>>();
	private stopped = false;
	private verdict?: Verdict;

	private constructor(context: IExecuteSingleFunctions) {
		this.continues = context.continueOnFail();
		const { items, isTool } = inputOf(context);
		this.total = items;
		this.gate = new Gate(readPace(context), context.getExecutionCancelSignal());
		this.delivery = new Delivery(
			this.gate,
			new Receipts(context.getContext('node'), runIndexOf(context), isTool),
			(outcome) => !this.continues && isFailure(outcome),
		);
	}

	/** The run that this item belongs to. An item that comes a second time starts the next try. */
	static join(context: IExecuteSingleFunctions): RoutedRun {
		const { key } = inputOf(context);
		let run = RoutedRun.runs.get(key);
		if (run === undefined || run.entries.has(context.getItemIndex()) || run.isSettled) {
			run = new RoutedRun(context);
			RoutedRun.runs.set(key, run);
		}
		return run;
	}

	static of(context: IExecuteSingleFunctions): RoutedRun {
		return RoutedRun.runs.get(inputOf(context).key)!;
	}

	private get isSettled(): boolean {
		return (
			this.entries.size > 0 && this.settled === this.entries.size && this.ready !== undefined
		);
	}

	register(context: IExecuteSingleFunctions, prepared: Prepared): void {
		const entry: Entry = { context, prepared };
		if (prepared.expired && !this.wasMadeBefore(entry)) {
			entry.invalid = describeInvalid(prepared.expired);
		}
		this.add(context, entry);
	}

	registerInvalid(context: IExecuteSingleFunctions, error: unknown): void {
		this.add(context, { context, invalid: describeInvalid(error) });
	}

	private wasMadeBefore(entry: Entry): boolean {
		const key = String(entry.context.getItemIndex());
		return this.delivery.hasReceipt(key, { sent: '', intent: intentOf(entry) });
	}

	private add(context: IExecuteSingleFunctions, entry: Entry): void {
		this.entries.set(context.getItemIndex(), entry);
		if (this.entries.size === this.total) this.announceComplete();
	}

	/** The result of one item; resolves when its fate, or that of the whole run, is settled. */
	async settle(
		context: IExecuteSingleFunctions,
		operation: Operation,
		attempt: Attempt,
	): Promise<INodeExecutionData[]> {
		const index = context.getItemIndex();
		await (this.ready ??= this.becomeReady(context, operation, attempt));

		const entry = this.entries.get(index)!;
		let outcome: Outcome | undefined = entry.unchecked;
		if (!this.stopped && entry.invalid === undefined) {
			outcome ??= await this.perform(index, entry, operation, attempt);
		}
		if (outcome !== undefined) {
			this.outcomes.set(index, outcome);
			if (isFailure(outcome) && outcome !== NOT_STARTED) this.firstFailed ??= index;
		}
		this.settled++;
		if (this.settled === this.entries.size) this.announceSettled();

		if (this.continues) return [await this.resultOf(index, entry, outcome, operation)];
		await this.allSettled;
		return await this.resultOfAll(index, entry, outcome, operation);
	}

	/** Waits until all items are registered, then makes the checks that need the service. */
	private async becomeReady(
		context: IExecuteSingleFunctions,
		operation: Operation,
		attempt: Attempt,
	): Promise<void> {
		await this.allRegistered(context);
		const { apiKey } = await context
			.getCredentials<{ apiKey?: string }>('smsServiceApi')
			.catch(() => ({ apiKey: '' }));
		this.secret = apiKey ?? '';
		if (operation.check) {
			await Promise.all(
				[...this.entries].map(async ([index, entry]) => {
					await this.check(index, entry, operation, attempt);
				}),
			);
		}
		this.stopped =
			!this.continues &&
			[...this.entries.values()].some(({ invalid, unchecked }) => invalid ?? unchecked);
	}

	private async check(
		index: number,
		entry: Entry,
		operation: Operation,
		attempt: Attempt,
	): Promise<void> {
		// What was accepted before has passed its checks; what they look up may be gone by now.
		if (entry.prepared === undefined || this.wasMadeBefore(entry)) return;
		const { context, prepared } = entry;
		try {
			const requests = this.stepsOf(index, entry, attempt);
			entry.prepared = await operation.check!.call(context, prepared, requests);
		} catch (error) {
			if (error instanceof StepFailed) entry.unchecked = error.failure;
			else entry.invalid = describeInvalid(error);
		}
	}

	/**
	 * The router's loop is synchronous, unless a batch interval makes it pause. An item whose
	 * expression n8n itself can't evaluate never registers: without "Continue on fail" the router then
	 * throws, nobody listens any more, and this waits for ever, which is what keeps the other items
	 * from being sent. With it, the loop goes on, and its end has to be found by time.
	 */
	private async allRegistered(context: IExecuteSingleFunctions): Promise<void> {
		if (this.total === undefined) return await sleep(0);
		if (!this.continues) return await this.complete;
		const { batching } = context.getNodeParameter('requestOptions', {}) as {
			batching?: { batch?: { batchSize?: number; batchInterval?: number } };
		};
		const interval = Math.max(batching?.batch?.batchInterval ?? 0, 0);
		const size = Math.max(batching?.batch?.batchSize ?? 1, 1);
		const pauses = interval > 0 ? Math.ceil(this.total / size) : 1;
		let known = -1;
		for (let pause = 0; this.entries.size < this.total; pause++) {
			if (pause >= pauses && known === this.entries.size) return;
			known = this.entries.size;
			await sleep(interval > 0 ? interval + 10 : 0);
		}
	}

	private async perform(
		index: number,
		entry: Entry,
		operation: Operation,
		attempt: Attempt,
	): Promise<Outcome> {
		const prepared = entry.prepared!;
		if (operation.steps) {
			try {
				const requests = this.stepsOf(index, entry, attempt);
				const value = await operation.steps.call(entry.context, prepared, requests);
				return { status: 'done', value, fromReceipt: false };
			} catch (error) {
				return error instanceof StepFailed ? error.failure : judgeError(error);
			}
		}
		const { read, result } = operation;
		const { method = operation.method, url = operation.url, qs = {}, body } = prepared;
		return await this.delivery.perform({
			key: String(index),
			repeatable: operation.repeatable === true,
			identity: {
				sent: fingerprint(method, url, qs, body),
				intent: intentOf(entry),
				...(prepared.duplicateKey && { duplicate: fingerprint(prepared.duplicateKey) }),
			},
			resendUnknown: prepared.resendUnknown,
			attempt: async () => {
				const answer = await attempt({ method, url, qs, body }, read);
				if (!('value' in answer)) return answer;
				const { value } = answer;
				return { value: result ? result(value, prepared) : (value as IDataObject) };
			},
		});
	}

	private stepsOf(index: number, entry: Entry, attempt: Attempt): Steps {
		return new Steps(
			this.delivery,
			this.shared,
			String(index),
			intentOf(entry),
			attempt,
			entry.prepared?.resendUnknown,
		);
	}

	/** "Continue on fail": each item has its own outcome. */
	private async resultOf(
		index: number,
		entry: Entry,
		outcome: Outcome | undefined,
		operation: Operation,
	): Promise<INodeExecutionData> {
		if (outcome !== undefined && !isFailure(outcome)) {
			return await this.successItem(index, entry, outcome, operation);
		}
		const failure =
			outcome === undefined ? invalidFailure(entry) : this.explain(outcome, entry, operation);
		const json: IDataObject = {
			error: failure.message,
			status: outcome?.status ?? 'invalid',
			...(failure.advice ? { description: failure.advice } : {}),
			...(outcome?.code === undefined ? {} : { code: outcome.code }),
			...(outcome?.httpCode === undefined ? {} : { httpCode: outcome.httpCode }),
			...outcome?.details,
			...entry.prepared?.extra,
		};
		return errorItem(entry.context.getNode(), json, failure, index);
	}

	/** Without it: one error for the whole run, or all results. */
	private async resultOfAll(
		index: number,
		entry: Entry,
		outcome: Outcome | undefined,
		operation: Operation,
	): Promise<INodeExecutionData[]> {
		const { invalid, failed } = (this.verdict ??= this.judge());
		if (invalid.length === 0 && failed === undefined) {
			return [await this.successItem(index, entry, outcome as Success, operation)];
		}
		// The router throws what the first rejected item gives. Only the one that the error is about
		// rejects, so that the error carries its index.
		if (index === invalid[0]?.[0]) {
			const clean = (text: string) => this.clean(text);
			const before = [...this.entries.values()].some((other) => this.wasMadeBefore(other));
			throw invalidItemsError(entry.context.getNode(), invalid, this.entries.size, {
				clean,
				before,
			});
		}
		if (invalid.length === 0 && index === failed) {
			throw this.stoppedError(index, entry, outcome as Failure, operation);
		}
		return [];
	}

	/** What the whole run has come to, found once for all items. */
	private judge(): Verdict {
		const invalid = [...this.entries]
			.flatMap(([index, { invalid: reason }]): Verdict['invalid'] =>
				reason ? [[index, reason]] : [],
			)
			.sort(([a], [b]) => a - b);
		const failed =
			this.firstFailed ?? [...this.outcomes].find(([, outcome]) => isFailure(outcome))?.[0];
		return { invalid, failed };
	}

	private async successItem(
		index: number,
		{ context, prepared }: Entry,
		outcome: Success,
		{ finish }: Operation,
	): Promise<INodeExecutionData> {
		const item: INodeExecutionData = {
			json: { ...resultJson(outcome, prepared), ...prepared?.extra },
			pairedItem: { item: index },
		};
		return finish ? await finish.call(context, item, prepared!) : item;
	}

	private stoppedError(
		index: number,
		entry: Entry,
		failure: Failure,
		operation: Operation,
	): Error {
		const { repeatable } = operation;
		const { message, advice } = this.explain(failure, entry, operation);
		const accepted: IDataObject[] = [];
		const unknown: IDataObject[] = [];
		for (const [item, outcome] of [...this.outcomes].sort(([a], [b]) => a - b)) {
			const { prepared } = this.entries.get(item)!;
			const subject = prepared?.subject;
			if (outcome.status === 'done') accepted.push({ item, subject, ...outcome.value });
			else if (outcome.status === 'unknown' && item !== index)
				unknown.push({ item, subject });
		}
		const lines = [advice];
		if (this.entries.size > 1) {
			if (accepted.length > 0 && !repeatable) {
				lines.push(
					`Accepted before the stop: ${accepted.length} of ${this.entries.size} items (${list(accepted)}). A retry of this execution doesn't repeat them.`,
				);
			}
			if (unknown.length > 0 && !repeatable) {
				lines.push(`Unknown as well: ${list(unknown)}.`);
			}
			const rest = this.entries.size - accepted.length - unknown.length - 1;
			if (rest > 0 && !repeatable) lines.push(`Not sent: ${rest} other items.`);
		}
		const details = {
			...(repeatable ? {} : { accepted, unknown }),
			...failure.details,
		};
		return toNodeError(
			entry.context.getNode(),
			{ ...failure, message, advice: this.clean(lines.join('\n')) },
			{ itemIndex: index, runIndex: runIndexOf(entry.context) },
			details,
		);
	}

	/** The texts of a failure for this operation and item. */
	private explain(
		failure: Failure,
		{ prepared }: Entry,
		{ repeatable, howToFindOut }: Operation,
	): { message: string; advice: string } {
		if (failure.status !== 'unknown' || repeatable) {
			return { message: this.clean(failure.message), advice: this.clean(failure.advice) };
		}
		const whom = prepared?.subject ? ` (${prepared.subject})` : '';
		return {
			message: this.clean(
				`It is unknown whether this was carried out${whom}: ${lowerFirst(failure.message)}`,
			),
			// "Try again later" is no advice for what may have been carried out.
			advice: this.clean(
				[howToFindOut?.(prepared!), failure.transient ? '' : failure.advice]
					.filter(Boolean)
					.join(' '),
			),
		};
	}

	private clean(text: string): string {
		return redact(text, this.secret);
	}
}

type Success = Extract<Outcome, { status: 'done' | 'skipped' }>;

function resultJson(outcome: Success, prepared: Prepared | undefined): IDataObject {
	return outcome.status === 'done'
		? outcome.value
		: {
				status: 'skipped',
				reason: `Same ${prepared?.duplicateOf ?? 'recipient and text'} as item ${outcome.duplicateOf}`,
			};
}

/** Checksum of the node's parameters as typed and of the input item. */
function intentOf({ context }: Entry): string {
	return fingerprint(context.getNode().parameters, context.getInputData()?.json);
}

function invalidFailure({ invalid }: Entry) {
	return { message: invalid!.message, advice: invalid!.description ?? '' };
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

/**
 * The input of this try: n8n's single-item context has it, without declaring it. The object is the
 * same for all items and stays the same for each Retry On Fail, which `join` tells apart.
 */
function inputOf(context: IExecuteSingleFunctions) {
	const { inputData } = context as unknown as {
		inputData?: Record<string, Array<INodeExecutionData[] | null>>;
	};
	const input = inputData?.main ?? inputData?.ai_tool;
	return {
		key: inputData ?? context.getExecuteData(),
		items: input?.[0]?.length,
		isTool: inputData?.main === undefined && inputData?.ai_tool !== undefined,
	};
}

function runIndexOf(context: IExecuteSingleFunctions): number {
	return (context as unknown as { runIndex?: number }).runIndex ?? 0;
}
