/** A bare HTTP client for the simulator's own tests: what came over the wire, nothing interpreted. */
import { Agent, request } from 'node:http';
import type { Simulator } from './index.mts';

export interface WireResponse {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	/** The body parsed as JSON; undefined when there is none. */
	json: any;
}

/**
 * Makes a function that calls the simulator with its key, over connections of their own.
 * @param headers replaces or adds headers; undefined leaves one out
 */
export function clientOf(simulator: Simulator) {
	return async (
		method: string,
		target: string,
		body?: unknown,
		headers: Record<string, string | undefined> = {},
	): Promise<WireResponse> => {
		const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
		const sent: Record<string, string | undefined> = {
			[simulator.headerName]: simulator.apiKey,
			...(payload && {
				'Content-Type': 'application/json',
				'Content-Length': String(payload.length),
			}),
			...headers,
		};
		for (const [name, value] of Object.entries(sent))
			if (value === undefined) delete sent[name];
		return await new Promise((resolve, reject) => {
			const agent = new Agent({ keepAlive: false });
			const outgoing = request(simulator.baseUrl + target, { method, headers: sent, agent });
			outgoing.on('error', reject);
			outgoing.on('response', (response) => {
				const chunks: Buffer[] = [];
				response.on('data', (chunk: Buffer) => chunks.push(chunk));
				response.on('error', reject);
				response.on('end', () => {
					const text = Buffer.concat(chunks).toString('utf8');
					const isJson = response.headers['content-type']?.startsWith('application/json');
					resolve({
						status: response.statusCode ?? 0,
						headers: response.headers,
						text,
						json: isJson ? JSON.parse(text) : undefined,
					});
				});
			});
			outgoing.end(payload);
		});
	};
}
