/** Collections, and what the service answers when it has created or deleted something. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asId, asObject } from '../../../nodes/shared/service/answers.ts';
import { collectionOf, readCreated, readNothing } from '../../../nodes/shared/service/records.ts';

const readIdOf = (record: unknown) => asId(asObject(record)?.id);

describe('a collection', () => {
	test('leaves out what makes no sense', () => {
		expect(collectionOf(readIdOf)([{ id: 'a' }, null, {}, [{ id: 'b' }], { id: 3 }])).toEqual([
			'a',
			'3',
		]);
	});

	test('may be empty', () => {
		expect(collectionOf(readIdOf)([])).toEqual([]);
	});

	test.each([[[{}]], [[null, 'x']], [{}], [{ id: 'a' }], ['x'], [null], [undefined], [7]])(
		'%j is none',
		(body) => expect(collectionOf(readIdOf)(body)).toBeUndefined(),
	);

	test('every record that makes sense is read, in order', () => {
		const record = fc.oneof(fc.record({ id: fc.integer() }), fc.anything());
		fc.assert(
			fc.property(fc.array(record), (body) => {
				const collection = collectionOf(readIdOf)(body);
				const readable = body.map(readIdOf).filter((id) => id !== undefined);
				if (collection === undefined) {
					expect(body.length > 0 && readable.length === 0).toBe(true);
				} else {
					expect(collection).toEqual(readable);
				}
			}),
		);
	});
});

test.each<[body: unknown, created: object | undefined]>([
	[{ id: 'a' }, { id: 'a' }],
	[
		{ id: 7, name: 'x' },
		{ id: '7', name: 'x' },
	],
	[
		{ id: 'a', error: null },
		{ id: 'a', error: null },
	],
	[{ id: 'request', code: 99 }, undefined],
	[{ id: 'request', error: 'No such list' }, undefined],
	[[{ id: 'a' }], undefined],
	[JSON.parse('{"id":9007199254740993}'), undefined],
	[{ id: '' }, undefined],
	[{}, undefined],
	['a', undefined],
	[undefined, undefined],
])('created: %j', (body, created) => {
	expect(readCreated(body)).toEqual(created);
});

describe('deleted', () => {
	test.each([undefined, null, '', {}, [], { id: 'a' }, { deleted: true }])('%j', (body) => {
		expect(readNothing(body)).toEqual({});
	});

	test.each([
		{ code: 200 },
		{ code: 60, error: 'List not found' },
		{ status: 500, error: 'x' },
		'<html></html>',
		[{}],
		7,
	])('not: %j', (body) => {
		expect(readNothing(body)).toBeUndefined();
	});
});
