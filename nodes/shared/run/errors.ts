import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';
import type { Failure } from '../http/failure';

/** The item and the run that an error is about. */
export interface Place {
	itemIndex?: number;
	runIndex?: number;
}

/** The texts of an error. */
export interface Told {
	message: string;
	advice: string;
}

/** An error of n8n from plain, checked fields only: never from a raw error, which holds the key. */
export function toNodeError(
	node: INode,
	failure: Told & Pick<Failure, 'httpCode' | 'cause' | 'retryAfterMs'>,
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
	// n8n replaces texts by its own for some statuses, which say less.
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

/**
 * An item for "Continue on fail". n8n moves an item with `error` to the error output, but also replaces all its fields
 * by the error's text there. A property that can't be enumerated is seen by the first and not by the second, so that
 * the item keeps its fields, beside those of its input.
 *
 * @param hidden fields of its input that are not to be beside them
 */
export function errorItem(
	node: INode,
	json: IDataObject,
	{ message, advice }: Told,
	{
		index,
		pairedItem,
		hidden,
	}: Pick<INodeExecutionData, 'pairedItem'> & { index: number; hidden: readonly string[] },
): INodeExecutionData {
	if (node.onError !== 'continueErrorOutput') return { json, pairedItem };
	const shown = { ...Object.fromEntries(hidden.map((name) => [name, undefined])), ...json };
	const item: INodeExecutionData = { json: shown, pairedItem };
	const error = new NodeOperationError(node, message, { itemIndex: index, description: advice });
	return Object.defineProperty(item, 'error', { value: error });
}
