/** Requests are recorded as they came, byte for byte, however the bytes were cut on the way. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';

const simulator = await useSimulator();

const body = '{"number":"+33612345678","message":"Né à Å"}';

/** Three requests over one connection: with a length, with chunks and a trailer, without a body. */
function requests(): Buffer[] {
	const key = `x-SERVICE-apikey: ${simulator.apiKey}\r\n`;
	const send = `POST /v2/notification/messages/send HTTP/1.1\r\nHost:  sim\r\n${key}content-TYPE: application/json\r\n`;
	const bytes = Buffer.from(body);
	return [
		Buffer.concat([Buffer.from(`${send}Content-Length: ${bytes.length}\r\n\r\n`), bytes]),
		Buffer.concat([
			Buffer.from(`${send}Transfer-Encoding: chunked\r\n\r\nA;x=y\r\n`),
			bytes.subarray(0, 10),
			Buffer.from(`\r\n${(bytes.length - 10).toString(16)}\r\n`),
			bytes.subarray(10),
			Buffer.from('\r\n0\r\nX-Trailer: a\r\n\r\n'),
		]),
		Buffer.from(
			`GET /v2/messages/stats?category=a%20b&x=%2b HTTP/1.1\r\nhost: sim\r\n${key}Connection: close\r\n\r\n`,
		),
	];
}

it.each([1, 2, 7, 64, 100_000])('keeps the bytes, cut into pieces of %i', async (size) => {
	const sent = requests();
	const stream = Buffer.concat([sent[0], Buffer.from('\r\n'), sent[1], sent[2]]);
	const socket = connect({ port: Number(new URL(simulator.baseUrl).port), host: '127.0.0.1' });
	socket.setNoDelay(true);
	socket.resume();
	await once(socket, 'connect');
	const closed = once(socket, 'close');
	for (let start = 0; start < stream.length; start += size) {
		socket.write(stream.subarray(start, start + size));
		await turn();
	}
	await closed;

	const recorded = simulator.requests;
	expect(recorded.map((request) => request.raw.toString('latin1'))).toEqual(
		sent.map((bytes) => bytes.toString('latin1')),
	);
	expect(recorded.map((request) => request.status)).toEqual([200, 200, 200]);
	expect(recorded.map((request) => request.bodyText)).toEqual([body, body, '']);
});

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
