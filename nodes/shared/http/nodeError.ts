import { NodeApiError, type IDataObject, type INode, type JsonObject } from 'n8n-workflow';
import { oneLine } from '../service/InputError';
import type { Failure } from './failure';

/** The item and the run that an error is about. */
export interface ErrorPlace {
	itemIndex?: number;
	runIndex?: number;
}

/** An error of n8n from plain, checked fields only: never from a raw error, which holds the key. */
export function toNodeError(
	node: INode,
	failure: Pick<Failure, 'message' | 'advice' | 'httpCode' | 'cause' | 'retryAfterMs'>,
	place: ErrorPlace = {},
	details: IDataObject = {},
): NodeApiError {
	const httpCode = failure.httpCode === undefined ? undefined : String(failure.httpCode);
	const message = oneLine(failure.message);
	const error = new NodeApiError(node, { message } as JsonObject, {
		message,
		description: failure.advice,
		httpCode,
		...place,
		failure: n8nFailure(failure),
	});
	// n8n replaces texts by its own for some statuses, which say less.
	error.message = message;
	error.description = failure.advice;
	error.context.data = details;
	return error;
}

function n8nFailure({ cause, retryAfterMs }: Pick<Failure, 'cause' | 'retryAfterMs'>) {
	if (cause === undefined) return undefined;
	if (cause === 'credential-invalid' || cause === 'configuration-invalid') return { cause };
	return { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
