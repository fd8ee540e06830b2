/** Every kind of fault, as a client sees it on the socket and as the phones see it. */
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosResponse } from 'axios';
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { startSimulator, type Fault, type FaultAction } from './index.mts';

const NUMBER = '+33612345678';

const simulator = await useSimulator();

interface Outcome {
	status?: number;
	headers?: AxiosResponse['headers'];
	/** The body as text, unparsed. */
	text?: string;
	/** The error's code when there was no answer. */
	code?: string;
	ms: number;
}

async function send(number = NUMBER, timeout = 5_000): Promise<Outcome> {
	const start = performance.now();
	const outcome = await axios
		.post<string>(
			`${simulator.baseUrl}/v2/notification/messages/send`,
			{ number, message: 'Bonjour' },
			{
				headers: { [simulator.headerName]: simulator.apiKey },
				timeout,
				maxRedirects: 0,
				proxy: false,
				validateStatus: null,
				responseType: 'text',
				transformResponse: (body: string) => body,
			},
		)
		.then(({ status, headers, data }) => ({ status, headers, text: data }))
		.catch((error: { code: string }) => ({ code: error.code }));
	return { ...outcome, ms: performance.now() - start };
}

const html = expect.stringMatching(/^<!DOCTYPE html>/);
const htmlType = { 'content-type': expect.stringMatching(/^text\/html/) };

describe('what a client sees, and whether the message went out', () => {
	const cases: Array<[name: string, action: FaultAction, outcome: object, messages: number]> = [
		['reset before reading', { kind: 'resetBeforeRead' }, { code: 'ECONNRESET' }, 0],
		['reset after accepting', { kind: 'resetAfterAccept' }, { code: 'ECONNRESET' }, 1],
		['no answer', { kind: 'noAnswerAfterAccept' }, { code: 'ECONNABORTED' }, 1],
		...[500, 502, 503, 504].flatMap((status): typeof cases => [
			[
				`${status} with HTML`,
				{ kind: 'status', status },
				{ status, text: html, headers: htmlType },
				0,
			],
			[
				`${status} with HTML after accepting`,
				{ kind: 'status', status, accept: true },
				{ status, text: html, headers: htmlType },
				1,
			],
		]),
		[
			'a status with a body and headers of its own',
			{
				kind: 'status',
				status: 503,
				body: 'later',
				contentType: 'text/plain',
				headers: { 'Retry-After': '7' },
			},
			{
				status: 503,
				text: 'later',
				headers: { 'content-type': 'text/plain', 'retry-after': '7' },
			},
			0,
		],
		['429', { kind: 'tooManyRequests' }, { status: 429 }, 0],
		[
			'429 with Retry-After',
			{ kind: 'tooManyRequests', retryAfter: 3 },
			{ status: 429, headers: { 'retry-after': '3' } },
			0,
		],
		['200 with HTML', { kind: 'html200' }, { status: 200, text: html, headers: htmlType }, 0],
		[
			'200 with HTML after accepting',
			{ kind: 'html200', accept: true },
			{ status: 200, text: html },
			1,
		],
		[
			'truncated JSON',
			{ kind: 'truncatedJson' },
			{ status: 200, text: expect.stringMatching(/^\{"creditsUsed":[^}]*$/) },
			0,
		],
		[
			'truncated JSON after accepting',
			{ kind: 'truncatedJson', accept: true },
			{ status: 200, text: expect.stringMatching(/^\{"creditsUsed":[^}]*$/) },
			1,
		],
		[
			'wrong types',
			{ kind: 'wrongTypes' },
			{ status: 200, text: expect.stringContaining('"snapshotId":{}') },
			0,
		],
		[
			'wrong types after accepting',
			{ kind: 'wrongTypes', accept: true },
			{
				status: 200,
				text: '{"creditsUsed":{"unexpected":true},"snapshotId":{"unexpected":true}}',
			},
			1,
		],
		[
			'other JSON',
			{ kind: 'json', body: { code: 71, error: 'Not enough credits' } },
			{ status: 200, text: '{"code":71,"error":"Not enough credits"}' },
			0,
		],
		[
			'other JSON after accepting',
			{ kind: 'json', status: 201, body: [], accept: true },
			{ status: 201, text: '[]' },
			1,
		],
		[
			'a redirect',
			{ kind: 'redirect', location: 'http://other.example/' },
			{ status: 302, headers: { location: 'http://other.example/' } },
			0,
		],
		[
			'a redirect with a status',
			{ kind: 'redirect', location: 'http://other.example/', status: 307 },
			{ status: 307 },
			0,
		],
		['a delay', { kind: 'delay', ms: 150 }, { status: 200 }, 1],
		['a slow body', { kind: 'slowBody', ms: 150 }, { status: 200 }, 1],
	];

	it.each(cases)('%s', async (_, action, outcome, messages) => {
		const fault = simulator.faults.add({ do: action });
		const seen = await send(NUMBER, action.kind === 'noAnswerAfterAccept' ? 200 : undefined);
		expect(seen).toMatchObject(outcome);
		if ('ms' in action) expect(seen.ms).toBeGreaterThanOrEqual(action.ms - 5);
		expect(simulator.messagesTo(NUMBER)).toHaveLength(messages);
		expect(fault.hits).toBe(1);
		expect(simulator.requests).toHaveLength(1);
		expect(simulator.requests[0].status).toBe(seen.status);

		expect(await send()).toMatchObject({ status: 200 });
		expect(simulator.messagesTo(NUMBER)).toHaveLength(messages + 1);
	});

	it('keeps the shape of a collection in wrong types', async () => {
		simulator.faults.add({ do: { kind: 'wrongTypes', accept: true } });
		const { data } = await axios.get(`${simulator.baseUrl}/v2/lists`, {
			headers: { [simulator.headerName]: simulator.apiKey },
			proxy: false,
		});
		expect(data).toEqual({ unexpected: 'object' });
	});

	it('sends the first half of a slow body at once', async () => {
		simulator.faults.add({ do: { kind: 'slowBody', ms: 300 } });
		const response = await fetch(`${simulator.baseUrl}/v2/account/stats`, {
			headers: { [simulator.headerName]: simulator.apiKey },
		});
		const start = performance.now();
		const reader = response.body!.getReader();
		const first = Buffer.from((await reader.read()).value!);
		const firstMs = performance.now() - start;
		const second = Buffer.from((await reader.read()).value!);
		expect(performance.now() - start).toBeGreaterThan(firstMs + 150);
		expect(JSON.parse(`${first}${second}`)).toHaveProperty('credits');
	});

	it('ends the connection in the middle of a body', async () => {
		simulator.faults.add({ do: { kind: 'cutBody' } });
		const response = await fetch(`${simulator.baseUrl}/v2/account/stats`, {
			headers: { [simulator.headerName]: simulator.apiKey },
		});
		expect(response.status).toBe(200);
		const promised = Number(response.headers.get('Content-Length'));
		const reader = response.body!.getReader();
		const first = (await reader.read()).value!;
		expect(first.length).toBe(Math.floor(promised / 2));
		await expect(reader.read()).rejects.toThrow('terminated');
	});

	it('processes a request whose answer it cuts', async () => {
		simulator.faults.add({ do: { kind: 'cutBody' } });
		expect(await send()).toMatchObject({ code: 'ERR_BAD_RESPONSE' });
		expect(simulator.messagesTo(NUMBER)).toHaveLength(1);
	});

	it('survives clients that go away in the middle of an answer', async () => {
		const url = `${simulator.baseUrl}/v2/messages/replies`;
		const headers = { [simulator.headerName]: simulator.apiKey };
		simulator.service.addReplies(500_000);
		for (const slow of [true, false]) {
			if (slow) simulator.faults.add({ do: { kind: 'slowBody', ms: 100 } });
			const leaving = new AbortController();
			const response = await fetch(url, { headers, signal: leaving.signal });
			await response.body!.getReader().read();
			leaving.abort();
			await expect.poll(() => simulator.inFlight).toBe(0);
		}
		await sleep(150);
		const { data } = await axios.get(url, { headers, proxy: false });
		expect(data).toHaveLength(500_000);
	});

	it('processes a delayed request at once', async () => {
		simulator.faults.add({ do: { kind: 'delay', ms: 2_000 } });
		expect(await send(NUMBER, 600)).toMatchObject({ code: 'ECONNABORTED' });
		expect(simulator.messagesTo(NUMBER)).toHaveLength(1);
	});
});

describe('which requests a fault hits', () => {
	const statuses = async (count: number, number?: string) => {
		const seen = [];
		for (let index = 0; index < count; index++) seen.push((await send(number)).status);
		return seen;
	};
	const failure: Fault = { do: { kind: 'status', status: 500 } };

	it('one by default, some after some, or all', async () => {
		simulator.faults.add(failure);
		expect(await statuses(2)).toEqual([500, 200]);
		simulator.faults.add({ ...failure, skip: 1, times: 2 });
		expect(await statuses(4)).toEqual([200, 500, 500, 200]);
		const always = simulator.faults.add({ ...failure, times: Infinity });
		expect(await statuses(3)).toEqual([500, 500, 500]);
		expect(always.hits).toBe(3);
		always.remove();
		expect(await statuses(1)).toEqual([200]);
		simulator.faults.add({ ...failure, times: Infinity });
		simulator.faults.clear();
		expect(await statuses(1)).toEqual([200]);
	});

	it('those with the method, the path, the content', async () => {
		simulator.faults.add({ ...failure, method: 'GET', times: Infinity });
		simulator.faults.add({ ...failure, path: '/v2/lists', times: Infinity });
		simulator.faults.add({
			...failure,
			path: /\/notification\/messages\/send$/,
			match: (request) => request.json().number === '+33600000002',
			times: Infinity,
		});
		expect(await statuses(1)).toEqual([200]);
		expect(await statuses(1, '+33600000002')).toEqual([500]);
	});

	it('a reset before reading, too, by content', async () => {
		const match: Fault['match'] = (request) => request.json().number === '+33600000002';
		simulator.faults.add({ match, do: { kind: 'resetBeforeRead' } });
		expect(await send()).toMatchObject({ status: 200 });
		expect(await send('+33600000002')).toMatchObject({ code: 'ECONNRESET' });
		expect(simulator.messagesTo('+33600000002')).toEqual([]);
	});

	it('a share of them, by the given source of chance', async () => {
		const chances = [0.04, 0.5, 0.05, 0.01];
		const fault = simulator.faults.add({
			...failure,
			times: Infinity,
			probability: 0.05,
			random: () => chances.shift()!,
		});
		expect(await statuses(4)).toEqual([500, 200, 200, 500]);
		expect(fault.hits).toBe(2);
	});

	it('the first one added wins; delays add to what follows', async () => {
		simulator.faults.add({ do: { kind: 'delay', ms: 100 } });
		simulator.faults.add({ do: { kind: 'status', status: 502 } });
		simulator.faults.add({ do: { kind: 'status', status: 503 } });
		const first = await send();
		expect(first.status).toBe(502);
		expect(first.ms).toBeGreaterThanOrEqual(95);
		expect(await statuses(2)).toEqual([503, 200]);
	});
});

describe('requests in flight', () => {
	it('are counted', async () => {
		simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 100 } });
		await Promise.all(Array.from({ length: 20 }, () => send()));
		expect(simulator.maxInFlight).toBe(20);
		await expect.poll(() => simulator.inFlight).toBe(0);
		simulator.reset();
		await send();
		expect(simulator.maxInFlight).toBe(1);
	});

	it('are cut when it closes', async () => {
		const slow = await startSimulator({ keepRequests: false });
		const headers = { [slow.headerName]: slow.apiKey };
		expect((await fetch(`${slow.baseUrl}/v2/account/stats`, { headers })).status).toBe(200);
		expect([slow.requests.length, slow.requestCount]).toEqual([0, 1]);

		slow.faults.add({ do: { kind: 'noAnswerAfterAccept' } });
		const hanging = fetch(`${slow.baseUrl}/v2/account/stats`, { headers });
		await expect.poll(() => slow.requestCount).toBe(2);
		const closed = slow.close();
		await expect(hanging).rejects.toThrow();
		await closed;
	});
});
