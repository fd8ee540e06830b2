/**
 * The simulator against the interface document, row by row: the requests of the table of operations, made by a bare
 * client, and the answers that the document has for them.
 */
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { endpoints, isOf, operations, prepare, type Shape, variants } from '../operations.mts';
import { clientOf } from './client.mts';
import { coreEndpoints } from './endpoints.mts';
import { createMatcher } from './router.mts';

const simulator = await useSimulator({ extended: true });
const call = clientOf(simulator);

/** The mistake in a value, if there is one. */
function differs(value: unknown, shape: Shape, place = 'answer'): string | undefined {
	if (typeof shape === 'string') {
		const isRight =
			shape === 'integer'
				? Number.isInteger(value)
				: value !== null && typeof value === shape;
		return isRight ? undefined : `${place} is no ${shape}: ${JSON.stringify(value)}`;
	}
	if (Array.isArray(shape)) {
		if (!Array.isArray(value)) return `${place} is no list`;
		return value.map((one) => differs(one, shape[0], `${place}[]`)).find(Boolean);
	}
	if (typeof value !== 'object' || value === null) return `${place} is no object`;
	const known = Object.entries(shape).map(([field, of]) => [field.replace('?', ''), of] as const);
	const more = Object.keys(value).filter((name) => !known.some(([field]) => field === name));
	if (more.length > 0) return `${place} has ${more.join()}`;
	for (const [name, of] of known) {
		const isLeftOut = `${name}?` in shape && !(name in value);
		const wrong = differs((value as Record<string, unknown>)[name], of, `${place}.${name}`);
		if (!isLeftOut && wrong !== undefined) return wrong;
	}
	return undefined;
}

/** Of the others, a body before the last one is not in the table. */
const rows = [...operations, ...variants].filter(
	({ lines }) => lines.length > 0 && !lines.slice(0, -1).some((line) => line.startsWith('POST')),
);

/** Lists that had something in them. */
const filled = new Set<string>();

describe.each(rows)('$node $operation $what', (row) => {
	it('is answered as documented', async () => {
		const { lines, body } = prepare(row, simulator).expected();
		for (const [index, line] of lines.entries()) {
			const [method, target] = line.split(' ');
			const isLast = index === lines.length - 1;
			const header = row.keyInQuery ? { 'X-Service-ApiKey': undefined } : undefined;
			const answer = await call(method, target, isLast ? body : undefined, header);
			// Of two spellings of a path, one may not exist.
			if (!isLast && method === 'DELETE' && answer.status === 404) continue;
			const { endpoint, answers, section } = endpoints.find((one) =>
				isOf(one.endpoint, line),
			)!;
			const { status, text, json, headers } = answer;
			if (answers !== undefined) {
				expect(status).toBe(200);
				expect(headers['content-type']).toMatch(/^application\/json/);
				expect(differs(json, answers)).toBeUndefined();
				if (Array.isArray(answers) && json.length > 0) filled.add(endpoint);
				continue;
			}
			expect(status).toBeOneOf(section === undefined ? [201, 204] : [204]);
			expect(text).toBe('');
			expect(headers).not.toHaveProperty('content-type');
			if (status === 204) expect(headers).not.toHaveProperty('content-length');
		}
	});
});

it('has no endpoint that the table lacks, and no list that was empty in each row', () => {
	const match = createMatcher(coreEndpoints);
	const reached = rows.flatMap(({ lines }) =>
		lines.map((line) => {
			const [method, target] = line.split(' ');
			return match(method, target.split('?')[0].replace(/\/$/, '')).found?.route;
		}),
	);
	expect(new Set(reached.filter(Boolean)).size).toBe(coreEndpoints.length);
	const lists = endpoints.filter(({ section, answers }) => section && Array.isArray(answers));
	expect([...filled]).toEqual(expect.arrayContaining(lists.map(({ endpoint }) => endpoint)));
});
