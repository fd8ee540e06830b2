/** Helpers of the tests of SMS: a run with sensible defaults, and the request as it came over the wire. */
import { inspect } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { RecordedRequest, Simulator } from '../../simulator/index.mts';
import { runNode, type RunOptions, type RunResult } from '../harness.mts';

export const NUMBER = '+33639981234';

export { hurry } from '../harness.mts';

/** Runs SMS: by default, one notification to NUMBER. */
export async function sendSms(
	sim: Pick<Simulator, 'baseUrl' | 'apiKey'>,
	parameters: INodeParameters = {},
	options: Partial<RunOptions> = {},
): Promise<RunResult> {
	return await runNode({
		node: 'Sms',
		parameters: { operation: 'send', number: NUMBER, message: 'Bonjour', ...parameters },
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...options,
	});
}

/** One request, taken apart from its raw bytes. */
export interface Wire {
	line: string;
	/** Names in lower case. Throws on parsing when one comes twice. */
	headers: Record<string, string>;
	body: string;
}

export function wire({ raw }: RecordedRequest): Wire {
	const end = raw.indexOf('\r\n\r\n');
	const [line, ...fields] = raw.subarray(0, end).toString('latin1').split('\r\n');
	const headers: Record<string, string> = {};
	for (const field of fields) {
		const colon = field.indexOf(':');
		const name = field.slice(0, colon).toLowerCase();
		if (name in headers) throw new Error(`The header ${name} comes twice`);
		headers[name] = field.slice(colon + 1).trim();
	}
	const body = raw.subarray(end + 4);
	if (String(body.length) !== (headers['content-length'] ?? '0')) {
		throw new Error(
			`${body.length} bytes of body, Content-Length ${headers['content-length']}`,
		);
	}
	return { line, headers, body: body.toString('utf8') };
}

/** The items of a result, without what n8n adds. */
export const jsonOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json);

/**
 * Everything of a run that is stored, shown or held in memory by its error, as one text: the stored
 * execution, and the objects with their hidden properties, causes and stacks.
 */
export function everythingOf(result: RunResult): string {
	const errors = [result.error, ...result.errorItems.map(({ error }) => error)];
	return [
		JSON.stringify(result.run),
		JSON.stringify(result.data),
		...errors.map((error) => error?.stack ?? ''),
		inspect([result.run, result.data, result.items, result.errorItems, errors], {
			depth: 30,
			showHidden: true,
			maxArrayLength: null,
			maxStringLength: null,
		}),
	].join('\n');
}
