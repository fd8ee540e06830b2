import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { redact } from '../http/secret';
import { toNodeError } from '../run/errors';
import type { Reader } from '../http/failure';
import { requestOnce } from '../http/request';

/** Someone waits in front of a dropdown. Milliseconds. */
const PATIENCE = 60_000;

/**
 * One GET for the editor: a dropdown, the columns of a list.
 *
 * @param url path below the base URL, beginning with /v2
 * @throws NodeApiError
 */
export async function ask<T>(
	context: ILoadOptionsFunctions,
	url: string,
	read: Reader<T>,
): Promise<T> {
	const result = await requestOnce(context, { method: 'GET', url }, read, { timeout: PATIENCE });
	if ('value' in result) return result.value;
	const { apiKey } = await context
		.getCredentials<{ apiKey?: string }>('smsServiceApi')
		.catch(() => ({ apiKey: '' }));
	throw toNodeError(context.getNode(), {
		...result,
		message: redact(result.message, apiKey ?? ''),
		advice: redact(result.advice, apiKey ?? ''),
	});
}
