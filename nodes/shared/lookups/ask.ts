import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { Connection } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { toNodeError } from '../http/nodeError';

/** Someone waits in front of a dropdown. Milliseconds. */
const PATIENCE = 60_000;

/**
 * One GET for the editor: a dropdown, the columns of a list.
 *
 * @param instead the result for a failure that the editor need not show
 * @throws NodeApiError
 */
export async function ask<T>(
	context: ILoadOptionsFunctions,
	request: Pick<ServiceRequest, 'endpoint' | 'path'>,
	read: Reader<T>,
	instead?: (failure: Failure) => T | undefined,
): Promise<T> {
	const connection = await Connection.open(context);
	const result = await connection.request(request, read, { timeout: PATIENCE });
	if ('value' in result) return result.value;
	const replaced = instead?.(result);
	if (replaced !== undefined) return replaced;
	throw toNodeError(context.getNode(), result);
}
