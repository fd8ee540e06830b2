/** Sends and statuses: interface document 2.6, 2.7, section 3, 4.3, 4.4. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	findMessageStatus,
	isFinalState,
	readMessageStatus,
	readSendReceipt,
} from '../../../nodes/shared/service/sentMessages.ts';

/** Answers as JSON, each with the receipt that is read from it; `none` where there is none. */
const RECEIPTS = `
	{"creditsUsed":1.5,"snapshotId":"362891"} => {"creditsUsed":1.5,"snapshotId":"362891"}
	{"creditsUsed":1,"snapshotId":362891} => {"creditsUsed":1,"snapshotId":"362891"}
	{"creditsUsed":"1.5","snapshotId":"1"} => {"creditsUsed":1.5,"snapshotId":"1"}
	{"creditsUsed":0,"snapshotId":"1"} => {"creditsUsed":0,"snapshotId":"1"}
	{"snapshotId":"1"} => {"snapshotId":"1"}
	{"creditsUsed":"many","snapshotId":"1"} => {"snapshotId":"1"}
	{"creditsUsed":-1.5,"snapshotId":"1"} => {"snapshotId":"1"}
	{"creditsUsed":"-1.5","snapshotId":"1"} => {"snapshotId":"1"}
	{"creditsUsed":"Infinity","snapshotId":"1"} => {"snapshotId":"1"}
	{"creditsUsed":1e400,"snapshotId":"1"} => {"snapshotId":"1"}
	{"snapshotId":"900719925474099300001"} => {"snapshotId":"900719925474099300001"}
	{"snapshotId":9007199254740993} => none
	[{"creditsUsed":1,"snapshotId":"1"}] => none
	{"creditsUsed":1} => none
	{"creditsUsed":1,"snapshotId":" "} => none
	{"creditsUsed":1,"snapshotId":null} => none
	{"creditsUsed":1,"snapshotId":{"id":1}} => none
	{"creditsUsed":1,"snapshotId":true} => none
	{"code":71,"error":"Not enough credits"} => none
	"<html></html>" => none
	362891 => none
	null => none
	{} => none
	[] => none
`;
/** Statuses in the same way. The first one is the public sample. */
const STATUSES = `
	{"delivered":5,"id":362891,"sent":3,"state":"delivered","stateDate":5,"submitted":4,"test":false} => {"delivered":5,"id":362891,"sent":3,"state":"delivered","stateDate":5,"submitted":4,"test":false}
	{"id":"362891","state":"sent"} => {"id":362891,"state":"sent"}
	{"id":"5e00a1","state":"sent"} => {"id":"5e00a1","state":"sent"}
	{"id":"9007199254740993","state":"sent"} => {"id":"9007199254740993","state":"sent"}
	{"id":"007","state":"sent"} => {"id":"007","state":"sent"}
	{"id":1,"state":" DELIVERED "} => {"id":1,"state":"delivered"}
	{"id":1,"state":"Parked"} => {"id":1,"state":"Parked"}
	{"id":1,"state":"sent","sent":"5","delivered":null,"reply":"","test":true} => {"id":1,"state":"sent","sent":5,"test":true}
	{"id":1,"state":"sent","operator":"X"} => {"id":1,"state":"sent","operator":"X"}
	{"id":9007199254740993,"state":"sent"} => none
	{"id":1} => none
	{"id":1,"state":" "} => none
	{"id":1,"state":3} => none
	{"state":"sent"} => none
	{"id":1,"state":"sent","delivered":"yesterday"} => none
	[{"id":1,"state":"sent"}] => none
	"sent" => none
`;
const rowsOf = (lines: string) =>
	lines
		.trim()
		.split('\n')
		.map((line) => line.trim().split(' => '));

describe.each([
	['a receipt is what has a snapshot ID', RECEIPTS, readSendReceipt],
	['a status', STATUSES, readMessageStatus],
])('%s', (_, lines, read) => {
	test.each(rowsOf(lines))('%s: %s', (body, answer) => {
		const expected: unknown = answer === 'none' ? undefined : JSON.parse(answer);
		expect(read(JSON.parse(body))).toEqual(expected);
	});

	test('no body is none', () => expect(read(undefined)).toBeUndefined());
});

describe('the state', () => {
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
