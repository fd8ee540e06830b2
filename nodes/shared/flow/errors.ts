import { NodeApiError, type IDataObject, type INode, type JsonObject } from 'n8n-workflow';
import type { Failure } from './outcome';

/** Where in a run something happened. */
export interface Place {
	itemIndex: number;
	runIndex?: number;
}

/** An error of n8n from plain, checked fields only: never from a raw error, which holds the key. */
export function toNodeError(
	node: INode,
	failure: Pick<Failure, 'message' | 'advice' | 'httpCode' | 'cause' | 'retryAfterMs'>,
	place: Place,
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

/** Takes a secret out of a text, also in the form that it has in a URL. */
export function redact(text: string, secret: string): string {
	if (secret.length < 4) return text;
	return text.replaceAll(secret, '*****').replaceAll(encodeURIComponent(secret), '*****');
}
