/** Sends and statuses: interface document 2.6, 2.7, section 3, 4.3, 4.4. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	findMessageStatus,
	isFinalState,
	readMessageStatus,
	readSendReceipt,
} from '../../../nodes/shared/service/messages.ts';

describe('a receipt is what has a snapshot ID', () => {
	test.each<[what: string, body: unknown, receipt: object | undefined]>([
		[
			'as documented',
			{ creditsUsed: 1.5, snapshotId: '362891' },
			{ creditsUsed: 1.5, snapshotId: '362891' },
		],
		[
			'a numeric ID',
			{ creditsUsed: 1, snapshotId: 362891 },
			{ creditsUsed: 1, snapshotId: '362891' },
		],
		[
			'credits as a text',
			{ creditsUsed: '1.5', snapshotId: '1' },
			{ creditsUsed: 1.5, snapshotId: '1' },
		],
		[
			'free of charge',
			{ creditsUsed: 0, snapshotId: '1' },
			{ creditsUsed: 0, snapshotId: '1' },
		],
		['without credits', { snapshotId: '1' }, { snapshotId: '1' }],
		[
			'credits that make no sense',
			{ creditsUsed: 'many', snapshotId: '1' },
			{ snapshotId: '1' },
		],
		['negative credits', { creditsUsed: -1.5, snapshotId: '1' }, { snapshotId: '1' }],
		['the same as a text', { creditsUsed: '-1.5', snapshotId: '1' }, { snapshotId: '1' }],
		['no number', { creditsUsed: 'NaN', snapshotId: '1' }, { snapshotId: '1' }],
		['endless credits', { creditsUsed: 'Infinity', snapshotId: '1' }, { snapshotId: '1' }],
		[
			'credits beyond any number',
			JSON.parse('{"creditsUsed":1e400,"snapshotId":"1"}'),
			{ snapshotId: '1' },
		],
		[
			'a list of one',
			[{ creditsUsed: 1, snapshotId: '1' }],
			{ creditsUsed: 1, snapshotId: '1' },
		],
		['a list of two', [{ snapshotId: '1' }, { snapshotId: '2' }], undefined],
		['no ID', { creditsUsed: 1 }, undefined],
		['an ID that JSON has rounded', JSON.parse('{"snapshotId":9007199254740993}'), undefined],
		[
			'a long ID',
			{ snapshotId: '900719925474099300001' },
			{ snapshotId: '900719925474099300001' },
		],
		['an empty ID', { creditsUsed: 1, snapshotId: '' }, undefined],
		['a blank ID', { creditsUsed: 1, snapshotId: ' ' }, undefined],
		['null as ID', { creditsUsed: 1, snapshotId: null }, undefined],
		['an object as ID', { creditsUsed: 1, snapshotId: { id: 1 } }, undefined],
		['true as ID', { creditsUsed: 1, snapshotId: true }, undefined],
		['an error', { code: 71, error: 'Not enough credits' }, undefined],
		['HTML', '<html></html>', undefined],
		['a text', '362891', undefined],
		['a number', 362891, undefined],
		['null', null, undefined],
		['nothing', undefined, undefined],
		['an empty object', {}, undefined],
		['an empty list', [], undefined],
	])('%s', (_, body, receipt) => {
		expect(readSendReceipt(body)).toEqual(receipt);
	});
});

describe('a status', () => {
	/** Public sample. */
	const SAMPLE = {
		delivered: 1387808142057,
		id: 362891,
		sent: 1387808111339,
		state: 'delivered',
		stateDate: 1387808142057,
		submitted: 1387808111833,
		test: false,
	};

	test('as documented', () => expect(readMessageStatus(SAMPLE)).toEqual(SAMPLE));

	test.each<[body: unknown, status: object | undefined]>([
		[
			{ id: '362891', state: 'sent' },
			{ id: 362891, state: 'sent' },
		],
		[
			{ id: '5e00a1', state: 'sent' },
			{ id: '5e00a1', state: 'sent' },
		],
		[
			{ id: '9007199254740993', state: 'sent' },
			{ id: '9007199254740993', state: 'sent' },
		],
		[
			{ id: '007', state: 'sent' },
			{ id: '007', state: 'sent' },
		],
		[
			{ id: 1, state: ' DELIVERED ' },
			{ id: 1, state: 'delivered' },
		],
		[
			{ id: 1, state: 'Parked' },
			{ id: 1, state: 'Parked' },
		],
		[
			{ id: 1, state: 'sent', sent: '5', delivered: null, reply: '', test: 'true' },
			{ id: 1, state: 'sent', sent: 5, test: true },
		],
		[[{ id: 1, state: 'sent', operator: 'X' }], { id: 1, state: 'sent', operator: 'X' }],
		[JSON.parse('{"id":9007199254740993,"state":"sent"}'), undefined],
		[{ id: 1 }, undefined],
		[{ id: 1, state: ' ' }, undefined],
		[{ id: 1, state: 3 }, undefined],
		[{ state: 'sent' }, undefined],
		[{ id: 1, state: 'sent', delivered: 'yesterday' }, undefined],
		[
			[
				{ id: 1, state: 'sent' },
				{ id: 2, state: 'sent' },
			],
			undefined,
		],
		['sent', undefined],
	])('%j', (body, status) => {
		expect(readMessageStatus(body)).toEqual(status);
	});

	test.each(['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'])(
		'%s is final, in any letters',
		(state) => {
			const letters = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
			fc.assert(
				fc.property(letters, (upper) => {
					const typed = [...state].map((c, at) => (upper[at] ? c.toUpperCase() : c));
					const status = readMessageStatus({ id: 1, state: typed.join('') });
					expect(status?.state).toBe(state);
					expect(isFinalState(status!.state)).toBe(true);
				}),
				{ numRuns: 20 },
			);
		},
	);

	test.each(['sent', 'submitted', 'scheduled', 'Parked'])('%s settles nothing', (state) => {
		expect(isFinalState(readMessageStatus({ id: 1, state })!.state)).toBe(false);
	});
});

describe('a status, if there is one', () => {
	test.each([[[]], [{}], [null], [''], [undefined]])('%j is none', (body) => {
		expect(findMessageStatus(body)).toEqual({});
	});

	test('a status is one', () => {
		expect(findMessageStatus({ id: 1, state: 'SENT' })).toEqual({
			status: { id: 1, state: 'sent' },
		});
	});

	test.each([' ', 'none', '<html></html>', { id: 1 }, { status: 'ok' }, [{}], [[]], 0])(
		'%j is neither',
		(body) => expect(findMessageStatus(body)).toBeUndefined(),
	);
});
