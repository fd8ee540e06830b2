/** Every operation of every node, over the wire: method, path, query, headers and body. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { descriptions } from '../../descriptions.mts';
import { endpoints, isOf, operations, prepare, variants } from '../../operations.mts';
import { loadNode, runNode } from '../harness.mts';
import { wire } from '../sms/support.mts';

const sim = await useSimulator({ extended: true });

/** Headers that an HTTP client adds; all others are named in the document. */
const OF_HTTP = ['accept', 'accept-encoding', 'connection', 'content-length', 'host', 'user-agent'];

/**
 * A request line, taken apart: which punctuation of a value is escaped is the client's choice, what it means is not. A
 * bare plus sign would be a space.
 */
function parts(line: string) {
	const [method, target] = line.split(' ');
	const [path, query = ''] = target.split('?');
	expect(query).not.toContain('+');
	return [method, path, ...new URLSearchParams(query)];
}

describe.each([...operations, ...variants])('$node: $operation $what', (row) => {
	test('goes over the wire as documented', async () => {
		const { parameters, expected } = prepare(row, sim);
		const { baseUrl, apiKey } = sim;

		const { items, error } = await runNode({
			node: row.node,
			parameters: { operation: row.operation, ...parameters },
			credential: { baseUrl, apiKey, ...row.credential },
			// In the editor, a hint may take a request more; n8n's address here is for the editor only.
			mode: row.operation === 'sendAndWait' ? 'manual' : 'trigger',
		});
		const { lines, body, result, contains } = expected();

		expect(error).toBeUndefined();
		const requests = sim.requests.map(wire);
		expect(requests.map(({ line }) => parts(line))).toEqual(lines.map(parts));
		for (const { line, headers, body: sent } of requests) {
			expect(line).toMatch(/ HTTP\/1\.1$/);
			const documented = Object.entries(headers).filter(([name]) => !OF_HTTP.includes(name));
			expect(Object.fromEntries(documented)).toEqual({
				// In the query "instead of the header" (section 5).
				...(row.keyInQuery ? {} : { 'x-service-apikey': apiKey }),
				...(sent === '' ? {} : { 'content-type': 'application/json' }),
			});
		}
		const last = requests.at(-1)?.body ?? '';
		expect(last === '' ? undefined : JSON.parse(last)).toEqual(body);
		const statuses = sim.requests.map(({ status }) => status!);
		// Of an endpoint with two spellings, only one may exist.
		const answered =
			row.lines.length > 1 && row.operation === 'delete' ? statuses.slice(-1) : statuses;
		expect(answered.every((status) => status < 300)).toBe(true);
		const json = items.map((item) => item.json);
		if (result) expect(json).toEqual([result]);
		if (contains) expect(json).toEqual([expect.objectContaining(contains)]);
		if (row.isEmpty) expect(json).toEqual([]);
		expect([result, contains, row.isEmpty].filter(Boolean)).toHaveLength(1);
		expect(items.every(({ pairedItem }) => pairedItem !== undefined)).toBe(true);
	});
});

const manifest = JSON.parse(
	readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { n8n: { nodes: string[] } };

const service = readFileSync(join(import.meta.dirname, '../../../docs/service.md'), 'utf8');

const nodes = manifest.n8n.nodes.map((path) => /(\w+)\.node\.js$/.exec(path)![1]);

test('each endpoint of the documents is one of an operation', () => {
	const known = operations.map(({ node, operation }) => `${node} ${operation}`);
	for (const { endpoint, of, besides = [] } of endpoints) {
		expect([...of, ...besides], endpoint).not.toEqual([]);
		expect(known, endpoint).toEqual(expect.arrayContaining([...of, ...besides]));
	}
});

// The trigger has events instead of operations.
describe.each(nodes.filter((node) => node !== 'SmsTrigger'))('%s', (node) => {
	const { description } = loadNode(node);
	const dropdown = description.properties.find(({ name }) => name === 'operation');
	const options = (dropdown?.options ?? []) as INodePropertyOptions[];

	test('has a row for each of its operations', () => {
		expect(options.length).toBeGreaterThan(0);
		const rows = operations
			.filter((row) => row.node === node)
			.map(({ operation }) => operation);
		expect(new Set(rows)).toEqual(new Set(options.map(({ value }) => value)));
	});

	test.each(options.map(({ value, routing }) => [String(value), routing?.request]))(
		'%s declares the request of the documents, and makes it',
		(value, request) => {
			const name = `${node} ${value}`;
			const own = endpoints.filter(({ of }) => of.includes(name));
			const declared = request && `${request.method} ${request.url}`;
			expect(own.map(({ endpoint }) => endpoint)).toEqual(declared ? [declared] : []);

			const rows = operations.filter((row) => row.node === node && row.operation === value);
			const made = rows
				.flatMap(({ lines }) => lines)
				.map((line) => endpoints.find(({ endpoint }) => isOf(endpoint, line)));
			const besides = endpoints.filter((endpoint) => endpoint.besides?.includes(name));
			expect(new Set(made)).toEqual(new Set([...own, ...besides]));
			expect(own.some(({ section }) => section === undefined)).toBe(
				rows.some(({ extended }) => extended),
			);
		},
	);

	test('has its extended operations marked in docs/service.md, and only those', () => {
		const extended = new Set(
			operations
				.filter((row) => row.node === node && row.extended)
				.map((row) => row.operation),
		);
		const { displayName } = descriptions[node];
		const rows = service.matchAll(/^\|[^|]+\|([^|]+)\| extended +\|$/gm);
		const named = [...rows].flatMap(([, cell]) => {
			const [of, names] = cell.trim().split(': ');
			return of === displayName ? names.split(', ') : [];
		});
		const marked = options.filter(({ name }) => named.includes(name));
		expect(marked).toHaveLength(named.length);
		expect(new Set(marked.map(({ value }) => value))).toEqual(extended);
	});
});
