/** Requests are recorded as they came. */
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';

const simulator = await useSimulator();

it('tells what was in a request', async () => {
	const target = '/v2/messages/stats?category=a%20b&x=%2B';
	await fetch(simulator.baseUrl + target, {
		headers: { [simulator.headerName]: simulator.apiKey, 'X-Case': 'Kept' },
	});
	const [request] = simulator.requestsTo('get', '/v2/messages/stats');
	expect(request).toMatchObject({
		method: 'GET',
		target,
		path: '/v2/messages/stats',
		httpVersion: '1.1',
		receivedAt: expect.any(Number),
		status: 200,
	});
	expect([...request.query]).toEqual([
		['category', 'a b'],
		['x', '+'],
	]);
	expect(request.headers).toContainEqual(['X-Case', 'Kept']);
	expect(request.header('x-CASE')).toBe('Kept');
	expect(request.raw.toString()).toMatch(
		/^GET \/v2\/messages\/stats\?category=a%20b&x=%2B HTTP\/1\.1\r\n[^]*\r\nX-Case: Kept\r\n[^]*\r\n\r\n$/,
	);
	expect(request.header('x-none')).toBeUndefined();
	expect(simulator.requestsTo('GET', /stats$/)).toEqual([request]);
	expect(simulator.requestsTo('POST', /stats$/)).toEqual([]);
});

it('keeps requests that were refused or cut, in order of arrival', async () => {
	await fetch(`${simulator.baseUrl}/v2/lists`);
	simulator.faults.add({ do: { kind: 'resetBeforeRead' } });
	await fetch(`${simulator.baseUrl}/v2/account/stats`).catch(() => undefined);
	expect(simulator.requests.map(({ path, status }) => [path, status])).toEqual([
		['/v2/lists', 401],
		['/v2/account/stats', undefined],
	]);
});
