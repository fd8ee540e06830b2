/** Lists, columns and contacts: interface document 2.2 to 2.4, 4.5. */
import { describe, expect, test } from 'vitest';
import { readContacts } from '../../../nodes/shared/service/contacts.ts';
import { readColumns, readList, readLists } from '../../../nodes/shared/service/lists.ts';

test.each<[body: unknown, lists: object[] | undefined]>([
	[[], []],
	[[{ id: 'a', name: 'Customers' }], [{ id: 'a', name: 'Customers' }]],
	[[{ id: 7 }], [{ id: '7', name: '7' }]],
	[[{ name: 'no ID' }, null, { id: 'a', name: 'x' }], [{ id: 'a', name: 'x' }]],
	[[{ name: 'no ID' }], undefined],
	[{ id: 'a', name: 'x' }, undefined],
	[{}, undefined],
	['<html></html>', undefined],
])('lists: %j', (body, lists) => {
	expect(readLists(body)).toEqual(lists);
});

describe('a list with its columns', () => {
	const FIELD = { id: 'anniversaire', listId: 'a', name: 'Anniversaire', type: 'DATE' };
	const DATE = { id: 'anniversaire', name: 'Anniversaire', type: 'DATE', format: 'dd/MM' };

	test('as documented', () => {
		const list = { id: 'a', name: 'x', fields: [{ ...FIELD, format: 'dd/MM' }] };
		expect(readList(list)).toEqual({ ...list, fields: [DATE] });
		expect(readColumns(list)).toEqual([DATE]);
	});

	test.each([{ id: 'a' }, { id: 'a', fields: null }, { id: 'a', fields: [] }])(
		'without columns: %j',
		(body) => {
			expect(readList(body)).toEqual({ id: 'a', name: 'a', fields: [] });
			expect(readColumns(body)).toEqual([]);
		},
	);

	test('leaves out a column without an ID', () => {
		const fields = [{ name: 'lost' }, { ...FIELD, id: 7, type: 'date', format: '' }];
		expect(readList({ id: 1, name: 'x', fields })).toEqual({
			id: '1',
			name: 'x',
			fields: [{ id: '7', name: 'Anniversaire', type: 'date' }],
		});
		expect(readColumns({ id: 1, fields })).toEqual([
			{ id: '7', name: 'Anniversaire', type: 'DATE', format: undefined },
		]);
	});

	test('a type that nobody knows is a text', () => {
		expect(readColumns({ id: 'a', fields: [{ id: 'x', type: 'COLOUR' }] })).toEqual([
			{ id: 'x', name: 'x', type: 'STRING', format: undefined },
		]);
	});

	test.each([{}, { name: 'x' }, [], 'x', { id: 'a', fields: 'x' }, { id: 'a', fields: [{}] }])(
		'none: %j',
		(body) => {
			expect(readList(body)).toBeUndefined();
			expect(readColumns(body)).toBeUndefined();
		},
	);
});

test.each<[body: unknown, contacts: object[] | undefined]>([
	[[], []],
	[
		[{ id: 'a', identifier: '+33639980001', attributes: { nom: 'Moreau' } }],
		[{ id: 'a', identifier: '+33639980001', attributes: { nom: 'Moreau' } }],
	],
	[
		[{ id: 7, identifier: 33639980001 }],
		[{ id: '7', identifier: '33639980001', attributes: {} }],
	],
	[[{ id: 'a', attributes: [] }], [{ id: 'a', attributes: {} }]],
	[[{ id: 'a', identifier: '', attributes: null }], [{ id: 'a', attributes: {} }]],
	[
		[
			{ attributes: {} },
			'x',
			{ id: 'b', attributes: 'x' },
			{ identifier: '06', attributes: '' },
		],
		[{ identifier: '06', attributes: {} }],
	],
	[[{ attributes: {} }], undefined],
	[{}, undefined],
	['<html></html>', undefined],
])('contacts: %j', (body, contacts) => {
	expect(readContacts(body)).toEqual(contacts);
});
