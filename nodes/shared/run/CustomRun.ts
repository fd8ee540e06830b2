import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { Delivery, isFailure, NOT_STARTED } from './Delivery';
import { describeInvalid, errorItem, invalidItemsError, toNodeError, type Invalid } from './errors';
import { fingerprint } from './fingerprint';
import { Gate } from './Gate';
import { readPace } from '../fields/pace';
import { judgeError, unexpectedAnswer, type Failure } from '../http/failure';
import { inSlices } from './perItem';
import { redact } from '../http/secret';
import { Receipts } from './Receipts';
import { readRequestOptions, requestOnce, type RequestOptions } from '../http/request';
import { StepFailed, Steps, type Attempt } from './steps';

/** What a custom operation does for one item. */
export interface CustomOperation<P> {
	/**
	 * Reads the parameters of an item and checks them. Runs for all items before the first request.
	 *
	 * @throws InputError
	 */
	prepare: (context: IExecuteFunctions, index: number) => P;
	/** @throws StepFailed */
	run: (prepared: P, requests: Steps, index: number) => Promise<INodeExecutionData[]>;
}

/**
 * A run of an operation that can't be declarative, under the same guarantees: all items are checked
 * first, requests go through one Delivery, the first failure stops the rest.
 */
export class CustomRun {
	private readonly gate: Gate;
	private readonly delivery: Delivery;
	private readonly attempt: Attempt;
	private readonly shared = new Map<string, Promise<unknown>>();
	private readonly typed: string;
	private readonly invalid = new Map<number, Invalid>();

	/** @throws InputError for Options that make no sense */
	constructor(private readonly context: IExecuteFunctions) {
		const pace = readPace({
			getNodeParameter: (name, fallback) => context.getNodeParameter(name, 0, fallback),
		});
		const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		const requestOptions: RequestOptions = readRequestOptions(context);
		this.gate = new Gate(pace, context.getExecutionCancelSignal());
		this.delivery = new Delivery(
			this.gate,
			new Receipts(context.getContext('node'), runIndex),
			(outcome) => isFailure(outcome) && !context.continueOnFail(),
		);
		this.typed = fingerprint(context.getNode().parameters);
		this.attempt = async (request, read) =>
			await requestOnce(context, request, read, requestOptions);
	}

	/**
	 * Checks all items that no earlier check has found invalid.
	 *
	 * @returns what `prepare` gave for each valid item, by index
	 * @throws NodeOperationError naming the invalid items, unless the user continues on fail
	 */
	async prepareAll<P>(prepare: CustomOperation<P>['prepare']): Promise<Map<number, P>> {
		const { context, invalid } = this;
		const total = context.getInputData().length;
		const valid = new Map<number, P>();
		await inSlices(total, (index) => {
			if (invalid.has(index)) return;
			try {
				valid.set(index, prepare(context, index));
			} catch (error) {
				invalid.set(index, describeInvalid(error));
			}
		});
		if (invalid.size > 0 && !context.continueOnFail()) {
			throw invalidItemsError(context.getNode(), [...invalid], total);
		}
		return valid;
	}

	/** The error items of the invalid ones, by index. */
	invalidItems(): Map<number, INodeExecutionData> {
		const node = this.context.getNode();
		return new Map(
			[...this.invalid].map(([index, { message, description = '' }]) => {
				const json = {
					error: message,
					status: 'invalid',
					...(description ? { description } : {}),
				};
				return [index, errorItem(node, json, { message, advice: description }, index)];
			}),
		);
	}

	/**
	 * The requests of one item, or of the whole run.
	 *
	 * @param key tells it apart from others of the run
	 * @param input what it depends on beside the node's parameters
	 */
	requestsOf(key: string, input: unknown, resendUnknown = false): Steps {
		const intent = fingerprint(this.typed, input);
		return new Steps(this.delivery, this.shared, key, intent, this.attempt, resendUnknown);
	}

	/** The error that stops the run, without the key. */
	async stoppedBy(failure: Failure, itemIndex: number): Promise<Error> {
		const clean = await this.cleaner();
		const { message, advice, details } = failure;
		return toNodeError(
			this.context.getNode(),
			{ ...failure, message: clean(message), advice: clean(advice) },
			{ itemIndex },
			details,
		);
	}

	/** The error item of an item that failed, for "Continue on fail". */
	async failedItem(failure: Failure, index: number): Promise<INodeExecutionData> {
		const clean = await this.cleaner();
		const [message, advice] = [clean(failure.message), clean(failure.advice)];
		const json: IDataObject = {
			error: message,
			status: failure.status,
			...(advice ? { description: advice } : {}),
			...(failure.code === undefined ? {} : { code: failure.code }),
			...(failure.httpCode === undefined ? {} : { httpCode: failure.httpCode }),
			...failure.details,
		};
		return errorItem(this.context.getNode(), json, { message, advice }, index);
	}

	private async cleaner(): Promise<(text: string) => string> {
		const { apiKey } = await this.context
			.getCredentials<{ apiKey?: string }>('smsServiceApi')
			.catch(() => ({ apiKey: '' }));
		return (text) => redact(text, apiKey ?? '');
	}
}

/** @throws NodeOperationError for Options that make no sense */
export function startCustomRun(context: IExecuteFunctions): CustomRun {
	try {
		return new CustomRun(context);
	} catch (error) {
		const { message, description } = describeInvalid(error);
		throw new NodeOperationError(context.getNode(), message, { itemIndex: 0, description });
	}
}

/**
 * Runs a custom operation for each item.
 *
 * @returns the items of all items, in order
 * @throws NodeOperationError, NodeApiError unless the user continues on fail
 */
export async function runForEachItem<P>(
	context: IExecuteFunctions,
	operation: CustomOperation<P>,
): Promise<INodeExecutionData[][]> {
	const input = context.getInputData();
	if (input.length === 0) return [[]];
	const run = startCustomRun(context);
	const valid = await run.prepareAll(operation.prepare);
	const results: INodeExecutionData[][] = [];
	for (const [index, item] of run.invalidItems()) results[index] = [item];

	let first: { failure: Failure; index: number } | undefined;
	let turnedAway: typeof first;
	await Promise.all(
		[...valid].map(async ([index, prepared]) => {
			const requests = run.requestsOf(String(index), input[index].json);
			try {
				results[index] = await operation.run(prepared, requests, index);
			} catch (error) {
				const failure = error instanceof StepFailed ? error.failure : judgeError(error);
				// Those that were turned away hear of it first.
				if (failure !== NOT_STARTED) first ??= { failure, index };
				else turnedAway ??= { failure, index };
				if (context.continueOnFail()) {
					results[index] = [await run.failedItem(failure, index)];
				}
			}
		}),
	);
	first ??= turnedAway;
	if (first && !context.continueOnFail()) throw await run.stoppedBy(first.failure, first.index);
	return [results.length === 1 ? results[0] : results.flat()];
}

/**
 * Items from the records of a collection, paired with the item that asked for them.
 *
 * @param toJson gives undefined for a record that makes no sense
 * @throws StepFailed for such a record
 */
export async function toItems<T>(
	records: T[],
	itemIndex: number,
	toJson: (record: T) => IDataObject | undefined,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	await inSlices(records.length, (position) => {
		const json = toJson(records[position]);
		if (json === undefined) throw new StepFailed(unexpectedAnswer(records[position]));
		items.push({ json, pairedItem: { item: itemIndex } });
	});
	return items;
}
