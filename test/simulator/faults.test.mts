/** Faults on the socket, as far as no test of the nodes sees them: each kind is one of test/engine/delivery/answers.mts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { startSimulator } from './index.mts';

const simulator = await useSimulator();
const headers = { [simulator.headerName]: simulator.apiKey };
const get = async (path: string, more: RequestInit = {}) =>
	await fetch(`${simulator.baseUrl}/v2/${path}`, { headers, ...more });

it.each([
	[undefined, 302],
	[307, 307],
])('leads elsewhere with the status %s', async (status, expected) => {
	const location = 'http://other.example/';
	simulator.faults.add({ do: { kind: 'redirect', location, status } });
	const answer = await get('account/stats', { redirect: 'manual' });
	expect([answer.status, answer.headers.get('Location')]).toEqual([expected, location]);
});

describe('a body', () => {
	/** The first piece of an answer, and what comes after it. */
	async function begin() {
		const response = await get('account/stats');
		const reader = response.body!.getReader();
		return { response, reader, first: Buffer.from((await reader.read()).value!) };
	}

	it('that is slow comes with its first half at once', async () => {
		simulator.faults.add({ do: { kind: 'slowBody', ms: 300 } });
		const { reader, first } = await begin();
		const start = performance.now();
		const second = Buffer.from((await reader.read()).value!);
		expect(performance.now() - start).toBeGreaterThan(150);
		expect(JSON.parse(`${first}${second}`)).toHaveProperty('credits');
	});

	it('that is cut ends in its middle', async () => {
		simulator.faults.add({ do: { kind: 'cutBody' } });
		const { response, reader, first } = await begin();
		const promised = Number(response.headers.get('Content-Length'));
		expect([response.status, first.length]).toEqual([200, Math.floor(promised / 2)]);
		await expect(reader.read()).rejects.toThrow('terminated');
	});

	it('whose client goes away harms no other', async () => {
		simulator.service.addReplies(500_000);
		for (const slow of [true, false]) {
			if (slow) simulator.faults.add({ do: { kind: 'slowBody', ms: 100 } });
			const leaving = new AbortController();
			const response = await get('messages/replies', { signal: leaving.signal });
			await response.body!.getReader().read();
			leaving.abort();
			await expect.poll(() => simulator.inFlight).toBe(0);
		}
		await sleep(150);
		expect(await (await get('messages/replies')).json()).toHaveLength(500_000);
	});
});

it('cuts requests in flight when it closes, and keeps none where it should not', async () => {
	const slow = await startSimulator({ keepRequests: false });
	slow.faults.add({ do: { kind: 'noAnswerAfterAccept' } });
	const hanging = fetch(`${slow.baseUrl}/v2/account/stats`, { headers });
	await expect.poll(() => slow.requestCount).toBe(1);
	expect(slow.requests).toEqual([]);
	const closed = slow.close();
	await expect(hanging).rejects.toThrow();
	await closed;
});
