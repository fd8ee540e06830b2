import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';
import { InputError } from '../service/InputError';
import type { Failure } from '../http/failure';

/** Where in a run something happened. */
export interface Place {
	itemIndex?: number;
	runIndex?: number;
}

/** An error of n8n from plain, checked fields only: never from a raw error, which holds the key. */
export function toNodeError(
	node: INode,
	failure: Pick<Failure, 'message' | 'advice' | 'httpCode' | 'cause' | 'retryAfterMs'>,
	place: Place = {},
	details: IDataObject = {},
): NodeApiError {
	const httpCode = failure.httpCode === undefined ? undefined : String(failure.httpCode);
	const error = new NodeApiError(node, { message: failure.message } as JsonObject, {
		message: failure.message,
		description: failure.advice,
		httpCode,
		...place,
		failure: n8nFailure(failure),
	});
	// n8n replaces texts that contain a code such as ECONNREFUSED by its own, which say less.
	error.message = failure.message;
	error.description = failure.advice;
	error.context.data = details;
	return error;
}

function n8nFailure({ cause, retryAfterMs }: Pick<Failure, 'cause' | 'retryAfterMs'>) {
	if (cause === undefined) return undefined;
	if (cause === 'credential-invalid' || cause === 'configuration-invalid') return { cause };
	return { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Why an item can't be sent. */
export interface Invalid {
	message: string;
	description?: string;
}

/** The texts of whatever a check threw. */
export function describeInvalid(error: unknown): Invalid {
	if (error instanceof InputError) return error;
	const { message, description } = error as Partial<Invalid>;
	return { message: message ?? String(error), description };
}

/** Items named in an error; the others are counted. */
export const NAMED_ITEMS = 10;

/**
 * One error for all items that can't be sent: the first ten by name, and how many more. Nothing has
 * left when it is thrown.
 *
 * @param invalid item index and reason, in item order, at least one
 * @param total number of items of the run
 * @param options `clean` takes secrets out of the texts; `before`: an earlier try sent something
 */
export function invalidItemsError(
	node: INode,
	invalid: Array<[number, Invalid]>,
	total: number,
	{
		clean = (text: string) => text,
		before = false,
	}: { clean?: (text: string) => string; before?: boolean } = {},
): NodeOperationError {
	const [[itemIndex, { message, description }]] = invalid;
	const nothingSent = before
		? ['Nothing more has been sent. What an earlier try sent is not sent again.']
		: total > 1
			? ['No item has been sent.']
			: [];
	if (invalid.length === 1) {
		return new NodeOperationError(node, clean(message), {
			itemIndex,
			description: clean([description, ...nothingSent].filter(Boolean).join(' ')),
		});
	}
	const named = invalid
		.slice(0, NAMED_ITEMS)
		.map(([index, reason]) => `Item ${index}: ${reason.message}`);
	if (invalid.length > NAMED_ITEMS) named.push(`and ${invalid.length - NAMED_ITEMS} more`);
	return new NodeOperationError(
		node,
		clean(`${invalid.length} of ${total} items can't be sent. Item ${itemIndex}: ${message}`),
		{
			itemIndex,
			description: clean([...named, description, ...nothingSent].filter(Boolean).join('\n')),
		},
	);
}

/**
 * An item for "Continue on fail". n8n moves an item with `error` to the error output, but also
 * replaces all its fields by the error's text there. A property that can't be enumerated is seen by
 * the first and not by the second, so that the item keeps its fields, beside those of its input. On
 * the regular output none is needed.
 */
export function errorItem(
	node: INode,
	json: IDataObject,
	failure: { message: string; advice: string },
	index: number,
): INodeExecutionData {
	const item: INodeExecutionData = { json, pairedItem: { item: index } };
	if (node.onError === 'continueErrorOutput') {
		Object.defineProperty(item, 'error', {
			value: new NodeOperationError(node, failure.message, {
				itemIndex: index,
				description: failure.advice,
			}),
		});
	}
	return item;
}
