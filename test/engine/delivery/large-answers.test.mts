/**
 * Answers that could stop n8n (SECURITY.md): too large when unpacked, of too many records, nested too deep. They are
 * not read to their end, the error says so, and what the service may have done stays unknown: nothing is done twice.
 */
import { createServer } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection as ConnectionType } from '../../../nodes/shared/http/connection.ts';
import { measure } from '../../harness/measure.mts';
import { editorOf } from '../editor.mts';
import { load, runNode, type RunOptions } from '../harness.mts';
import { listOf } from '../resources/support.mts';
import { listen } from '../sockets.mts';
import { tries } from './sending.mts';
import { textOf } from './support.mts';

/** An answer of the service, in pieces of a body. */
type Body = () => Iterable<string | Uint8Array>;

let body: Body;
let status = 200;
let isCompressed = true;
let requests: string[] = [];
/** Pieces that the service could write. */
let written = 0;
const server = createServer((request, response) => {
	requests.push(`${request.method} ${request.url}`);
	request.resume();
	response.writeHead(status, {
		'Content-Type': 'application/json',
		...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
	});
	const counted = function* () {
		for (const piece of body()) {
			written++;
			yield typeof piece === 'string' ? Buffer.from(piece) : piece;
		}
	};
	const pieces = Readable.from(counted());
	if (isCompressed) pipeline(pieces, createGzip({ level: 1 }), response, () => {});
	else pipeline(pieces, response, () => {});
});
const { host, sockets } = await listen(server);
beforeEach(() => {
	[requests, written, status, isCompressed] = [[], 0, 200, true];
});

const MB = 1_000_000;
function* repeated(start: string, part: string, count: number, end: string) {
	yield start;
	const each = Math.max(1, Math.round(65_536 / part.length));
	for (let at = 0; at < count; at += each) yield part.repeat(Math.min(each, count - at));
	yield end;
}
const nested = (levels: number): Body =>
	function* () {
		yield `{"id":"7","name":"Clients","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
	};
const record = (bytes: number): Body =>
	function* () {
		yield* repeated('{"id":"7","name":"', 'a', bytes, '"}');
	};

const service = { baseUrl: `http://${host}`, apiKey: 'key-of-a-large-service' };
const listRun = (parameters: RunOptions['parameters']): RunOptions => ({
	node: 'SmsList',
	parameters,
	credential: service,
});
const createList = listRun({ operation: 'create', name: 'Clients' });
const getList = listRun({ operation: 'get', list: listOf('7') });
const getLists = listRun({ operation: 'getMany', returnAll: true });

const SCREAMS = /call stack|heap|invalid string length|undefined|NaN/i;

describe.each<[what: string, body: Body, says: RegExp]>([
	['101 levels', nested(101), /the answer of the service is nested too deep/i],
	['3,000 levels', nested(3_000), /the answer of the service is nested too deep/i],
	['10 MB, unpacked', record(10 * MB), /the answer of the service is too large/i],
	['256 MB, unpacked', record(256 * MB), /the answer of the service is too large/i],
])('%s', (_, given, says) => {
	beforeEach(() => void (body = given));

	test('after a change, it is unknown whether it was made, and a retry makes it no second time', async () => {
		const [failed] = await tries(createList, () => {
			expect(requests).toEqual(['POST /v2/lists/']);
		});
		expect(failed.error?.message).toMatch(
			/^It is unknown whether this was created \(Clients\)/,
		);
		expect(failed.error?.message).toMatch(says);
		expect(textOf(failed)).toMatch(/^Retry this execution/m);
		expect(textOf(failed)).toMatch(/10 MB for a record and 100 levels/);
		expect(JSON.stringify(failed.error)).not.toMatch(SCREAMS);
		expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
	});

	test('a GET fails at once, in words', async () => {
		const { error } = await runNode(getList);
		expect(error?.message).toMatch(says);
		expect(requests).toHaveLength(1);
	});

	test('also in a dropdown', async () => {
		const { Connection } = load<{ Connection: typeof ConnectionType }>(
			'nodes/shared/http/connection.js',
		);
		const connection = await Connection.open(editorOf('SmsList', service));
		const request = { endpoint: 'GET /v2/lists/' } as const;
		expect(await connection.request(request, (read) => read)).toMatchObject({
			status: 'unknown',
			transient: false,
			message: expect.stringMatching(says) as unknown,
		});
	});
});

test('256 MB cost neither memory nor time: the connection is closed', async () => {
	body = record(9.9 * MB);
	const { busy: allowed } = await measure(async () => await runNode(getList));
	[body, written] = [record(256 * MB), 0];
	const before = process.memoryUsage.rss();
	const { busy, memory } = await measure(async () => await runNode(createList));
	// The longest turn is that of an answer which is read to its end; 26 times as long, and 558 MB, where all of it was.
	expect(busy).toBeLessThan(5 * allowed);
	expect(memory - before).toBeLessThan(100 * MB);
	await vi.waitFor(() => expect(sockets.size).toBe(0));
	expect(written).toBeLessThan((256 * MB) / 65_536 / 2);
});

test.each<[what: string, body: Body]>([
	[
		'100 MB of records',
		() => repeated('[', `{"id":"7","name":"${'a'.repeat(9_978)}"},`, 10_001, '{"id":"8"}]'),
	],
	['two million records', () => repeated('[', '{},', 2_000_001, '{}]')],
	['a long record among short ones', () => repeated('[{"id":"1"},{"id":"', 'a', 10 * MB, '"}]')],
	['a page of HTML', () => repeated('<html>', 'a', 10 * MB, '</html>')],
])('a collection: %s are too much', async (_, given) => {
	body = given;
	const { error } = await runNode(getLists);
	expect(error?.message).toBe('The answer of the service is too large');
	expect(requests).toHaveLength(1);
});

test('what the status says needs no body: a refusal stays one', async () => {
	[status, body] = [400, record(20 * MB)];
	const { error } = await runNode(createList);
	expect(error?.message).toMatch(/refused.*400/i);
	expect(error?.message).not.toMatch(/unknown/);
});

describe.each([true, false])('within the limits (compressed: %s)', (compressed) => {
	beforeEach(() => void (isCompressed = compressed));

	test('100 levels are read', async () => {
		body = nested(100);
		expect((await runNode(createList)).items[0].json).toMatchObject({ id: '7' });
	});

	test('nearly 10 MB are read, as a record and as records', async () => {
		body = record(9.9 * MB);
		const [{ json }] = (await runNode(getList)).items;
		expect(json.name).toHaveLength(9.9 * MB);
		body = () =>
			repeated('[', `{"id":"7","name":"${'é,[\\"{'.repeat(400_000)}"},`, 8, '{"id":"8"}]');
		const { items } = await runNode(getLists);
		expect(items).toHaveLength(9);
		expect(items[7].json.name).toBe('é,["{'.repeat(400_000));
	});

	test('characters that arrive in pieces are whole', async () => {
		const bytes = Buffer.from('\ufeff{"id":"7","name":"😀 é"}');
		body = () => [...bytes].map((byte) => Uint8Array.of(byte));
		expect((await runNode(getList)).items[0].json).toMatchObject({ id: '7', name: '😀 é' });
	});
});
