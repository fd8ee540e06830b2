/** A bare HTTP client for the simulator's own tests: what came over the wire, nothing interpreted. */
import { Agent, request } from 'node:http';
import { expect } from 'vitest';
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

/**
 * A request, and what its answer is: a status, the whole text, a pattern of the text, or fields of the JSON. A number
 * below 100 is a code of the service in an answer of 400 or 404.
 */
export type Step = [line: string, answer: number | string | RegExp | object, body?: unknown];

/** Makes requests one after the other, and compares the answers. */
export async function follow(
	call: ReturnType<typeof clientOf>,
	steps: readonly Step[],
): Promise<void> {
	for (const [line, answer, body] of steps) {
		const [method, target] = line.split(' ');
		const { status, text, json } = await call(method, target, body);
		const about = `${line} ${JSON.stringify(body) ?? ''}`;
		if (answer instanceof RegExp) expect(text, about).toMatch(answer);
		else if (typeof answer === 'string') expect(text, about).toBe(answer);
		else if (typeof answer === 'object') expect(json, about).toMatchObject(answer);
		else if (answer >= 100) expect(status, about).toBe(answer);
		else expect([status, json?.code], about).toEqual([expect.toBeOneOf([400, 404]), answer]);
	}
}
