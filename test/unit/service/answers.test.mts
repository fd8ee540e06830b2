/** Answers of the service, read with some leniency: interface document, section 2, and public facts about campaigns. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectionOf } from '../../../nodes/shared/http/collectionOf.ts';
import { readAccountStatistics } from '../../../nodes/shared/service/account.ts';
import { asId, asObject } from '../../../nodes/shared/service/answers.ts';
import {
	readCategoryBlacklists,
	readEntry,
	readListedNumber,
} from '../../../nodes/shared/service/blacklists.ts';
import {
	asCampaign,
	readCampaignStatistics,
	readCreditsUsed,
} from '../../../nodes/shared/service/campaigns.ts';
import { readContact } from '../../../nodes/shared/service/contacts.ts';
import { readColumns, readList, readListSummary } from '../../../nodes/shared/service/lists.ts';
import { readCreated, readEach, readNothing } from '../../../nodes/shared/service/records.ts';
import { readReply, repliesIn, toReply } from '../../../nodes/shared/service/replies.ts';
import {
	findMessageStatus,
	readMessageStatus,
	readSendReceipt,
} from '../../../nodes/shared/service/sentMessages.ts';
import {
	CATEGORY_COUNTERS,
	readCategoryStatistics,
} from '../../../nodes/shared/service/statistics.ts';

const readId = (record: unknown) => asId(asObject(record)?.id);

/** Reads the records of a collection, of whatever answer it is the body. */
function recordsOf(...how: Parameters<typeof collectionOf>) {
	const read = collectionOf(...how);
	return async (body: unknown) =>
		(await read(body, { statusCode: 200, headers: {}, body }))?.records;
}

/** What an answer with nothing in it says: no record, nothing at all, or none of the service's answers. */
type Nothing = 'no records' | 'nothing' | 'no answer';
/** A reader, what nothing is to it, and answers as JSON, each with what is read from it; `none` where it is no answer. */
type Rows = [read: (body: unknown) => unknown, nothing: Nothing, lines: string];

const READERS: Record<string, Rows> = {
	'a receipt is what has a snapshot ID (2.6)': [
		readSendReceipt,
		'no answer',
		`
		{"creditsUsed":1.5,"snapshotId":"362891"} => {"creditsUsed":1.5,"snapshotId":"362891"}
		{"creditsUsed":1,"snapshotId":362891} => {"creditsUsed":1,"snapshotId":"362891"}
		{"creditsUsed":" 2 ","snapshotId":0} => {"creditsUsed":2,"snapshotId":"0"}
		{"creditsUsed":true,"snapshotId":"1"} => {"snapshotId":"1"}
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
		`,
	],
	// The first one is the public sample.
	'a status (2.7)': [
		readMessageStatus,
		'no answer',
		`
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
		`,
	],
	'a status, if there is one': [
		findMessageStatus,
		'nothing',
		`
		{"id":1,"state":"SENT"} => {"status":{"id":1,"state":"sent"}}
		" " => none
		{"id":1} => none
		{"status":"ok"} => none
		[{}] => none
		[[]] => none
		`,
	],
	'statistics of a category (2.8)': [
		readCategoryStatistics,
		'nothing',
		`
		{"sent":"3","opens":null,"period":"day"} => {"sent":3,"period":"day"}
		{"sent":0,"opens":1} => {"sent":0,"opens":1}
		[{"sent":3}] => none
		{"visitors":3} => none
		{"sent":"many"} => none
		{"sent":null} => none
		`,
	],
	'replies (2.9)': [
		recordsOf(readReply, repliesIn),
		'no records',
		`
		{} => []
		null => []
		"" => []
		[{"id":"5ea1","identifier":"+33639981234","message":"Oui"}] => [{"id":"5ea1","identifier":"+33639981234","message":"Oui"}]
		[{"id":7}] => [{"id":7}]
		[{"identifier":"06"}] => [{"identifier":"06"}]
		[{"id":1},{"message":"from nobody"},null,[{"id":2}],"x"] => [{"id":1}]
		[{"message":"from nobody"}] => none
		{"id":"5ea1"} => none
		{"status":"ok"} => none
		`,
	],
	'account statistics (2.10)': [
		readAccountStatistics,
		'no answer',
		`
		{"bounces":1247,"credits":279,"delivered":12484,"sent":14925,"submitted":14811,"undelivered":2441,"unsubscribers":213} => {"bounces":1247,"credits":279,"delivered":12484,"sent":14925,"submitted":14811,"undelivered":2441,"unsubscribers":213}
		{"credits":"279","sent":1,"currency":"EUR"} => {"credits":279,"sent":1,"currency":"EUR"}
		{"status":"ok"} => none
		{"credits":{}} => none
		`,
	],
	// Nothing but an empty list says that nobody is on it.
	'entries of a blacklist (2.1)': [
		recordsOf(readEntry),
		'no records',
		`
		{} => none
		null => none
		"" => none
		[{"id":"a","identifier":"+33639980001","deleted":true}] => [{"id":"a","identifier":"+33639980001","deleted":true}]
		[{"id":7,"identifier":33639980001,"deleted":"true","blacklistId":"x"}] => [{"id":"7","identifier":"33639980001","deleted":true,"blacklistId":"x"}]
		[null,{"id":"a"},{"identifier":""},{"identifier":"+33639980001","deleted":null}] => [{"identifier":"+33639980001","deleted":false}]
		{"identifier":"+33639980001"} => none
		[{"id":"a"}] => none
		{"code":71,"error":"x"} => none
		`,
	],
	'lists (2.2)': [
		recordsOf(readListSummary),
		'no records',
		`
		{} => none
		[{"id":"a","name":"Customers"}] => [{"id":"a","name":"Customers"}]
		[{"id":7}] => [{"id":"7","name":"7"}]
		[{"name":"no ID"},null,{"id":"a","name":"x"}] => [{"id":"a","name":"x"}]
		[{"name":"no ID"}] => none
		{"id":"a","name":"x"} => none
		`,
	],
	'a list with its columns (2.3)': [
		readList,
		'no answer',
		`
		{"id":"a","name":"x","fields":[{"id":"b","listId":"a","name":"Birthday","type":"DATE","format":"dd/MM"}]} => {"id":"a","name":"x","fields":[{"id":"b","name":"Birthday","type":"DATE","format":"dd/MM"}]}
		{"id":1,"name":"x","fields":[{"name":"lost"},{"id":7,"listId":"a","name":"Birthday","type":"date","format":""}]} => {"id":"1","name":"x","fields":[{"id":"7","name":"Birthday","type":"date"}]}
		{"id":"a"} => {"id":"a","name":"a","fields":[]}
		{"id":"a","fields":null} => {"id":"a","name":"a","fields":[]}
		{"id":"a","fields":[]} => {"id":"a","name":"a","fields":[]}
		{"name":"x"} => none
		{"id":"a","fields":"x"} => none
		{"id":"a","fields":[{}]} => none
		`,
	],
	// A type that nobody knows is a text.
	'the columns of a list (2.3)': [
		readColumns,
		'no answer',
		`
		{"id":"a","fields":[{"id":"b","listId":"a","name":"Birthday","type":"DATE","format":"dd/MM"}]} => [{"id":"b","name":"Birthday","type":"DATE","format":"dd/MM"}]
		{"id":1,"fields":[{"name":"lost"},{"id":7,"name":"Birthday","type":"date","format":""}]} => [{"id":"7","name":"Birthday","type":"DATE"}]
		{"id":"a","fields":[{"id":"x","type":"COLOUR"}]} => [{"id":"x","name":"x","type":"STRING"}]
		{"id":"a","fields":null} => []
		{"id":"a","fields":"x"} => none
		{"id":"a","fields":[{}]} => none
		`,
	],
	'contacts (2.4)': [
		recordsOf(readContact),
		'no records',
		`
		{} => none
		[{"id":"a","identifier":"+33639980001","attributes":{"nom":"Moreau"}}] => [{"id":"a","identifier":"+33639980001","attributes":{"nom":"Moreau"}}]
		[{"id":7,"identifier":33639980001}] => [{"id":"7","identifier":"33639980001","attributes":{}}]
		[{"id":"a","attributes":[]}] => [{"id":"a","attributes":{}}]
		[{"id":"a","identifier":"","attributes":null}] => [{"id":"a","attributes":{}}]
		[{"attributes":{}},"x",{"id":"b","attributes":"x"},{"identifier":"06","attributes":""}] => [{"identifier":"06","attributes":{}}]
		[{"attributes":{}}] => none
		`,
	],
	'any collection': [
		(body) => readEach(body, readId),
		'no records',
		`
		[{"id":"a"},null,{},[{"id":"b"}],{"id":3}] => ["a","3"]
		[{}] => none
		[null,"x"] => none
		{} => none
		{"id":"a"} => none
		null => none
		`,
	],
	'what was created': [
		readCreated,
		'no answer',
		`
		{"id":"a"} => {"id":"a"}
		{"id":7,"name":"x"} => {"id":"7","name":"x"}
		{"id":"a","error":null} => {"id":"a","error":null}
		{"id":"request","code":99} => none
		{"id":"request","error":"No such list"} => none
		[{"id":"a"}] => none
		{"id":9007199254740993} => none
		{"id":""} => none
		`,
	],
	'what was deleted': [
		readNothing,
		'nothing',
		`
		{"id":"a"} => {}
		{"deleted":true} => {}
		{"code":200} => none
		{"code":60,"error":"List not found"} => none
		{"status":500,"error":"x"} => none
		[{}] => none
		`,
	],
	'a campaign': [
		asCampaign,
		'no answer',
		`
		{"id":"5ea1"} => {"id":"5ea1"}
		{"campaignId":7,"state":"SENT"} => {"state":"SENT","id":"7"}
		{"id":"","campaignId":"c"} => {"id":"c"}
		[{"id":1}] => none
		{"id":"a","date":"1768467600000"} => {"id":"a","date":1768467600000}
		{"id":"a","totalCredits":"1.5"} => {"id":"a","totalCredits":1.5}
		{"id":"a","date":"tomorrow"} => {"id":"a","date":"tomorrow"}
		{"id":"a","totalCredits":null} => {"id":"a","totalCredits":null}
		{"id":null} => none
		{"name":"x"} => none
		`,
	],
	campaigns: [
		recordsOf(asCampaign),
		'no records',
		`
		[{"id":1},{"campaignId":"b"}] => [{"id":"1"},{"id":"b"}]
		{"id":1} => none
		[{"id":1},{},null] => [{"id":"1"}]
		[{}] => none
		[[{"id":1}]] => none
		`,
	],
	'the credits of a campaign': [
		readCreditsUsed,
		'no answer',
		`
		{"creditsUsed":26146.0} => {"creditsUsed":26146}
		{"creditsUsed":"1.5"} => {"creditsUsed":1.5}
		{"creditsUsed":0} => {"creditsUsed":0}
		{"creditsUsed":"some"} => none
		{"creditsUsed":-1} => none
		`,
	],
	'statistics of a campaign': [
		readCampaignStatistics,
		'no answer',
		`
		{"bounces":130,"creditsUsed":2000,"delivered":1752,"id":"5ea1","name":"Summer sale","state":"SENT","submitted":1977} => {"bounces":130,"creditsUsed":2000,"delivered":1752,"id":"5ea1","name":"Summer sale","state":"SENT","submitted":1977}
		{"sent":"3"} => {"sent":3}
		{"state":"SENT"} => none
		{"sent":1,"errors":"x"} => none
		`,
	],
};

describe.each(Object.entries(READERS))('%s', (_, [read, nothing, lines]) => {
	const rows = lines.trim().split('\n');
	test.each(rows.map((line) => line.trim().split(' => ')))('%s: %s', async (body, answer) => {
		const expected: unknown = answer === 'none' ? undefined : JSON.parse(answer);
		expect(await read(JSON.parse(body))).toEqual(expected);
	});

	test('nothing, and what is no answer at all', async () => {
		for (const body of ['<html></html>', 'OK', 7, true])
			expect(await read(body)).toBeUndefined();
		if (nothing === 'nothing')
			for (const body of [undefined, null, '', {}, []]) expect(await read(body)).toEqual({});
		else expect(await read([])).toEqual(nothing === 'no records' ? [] : undefined);
		if (nothing === 'no answer')
			for (const body of [undefined, null, '', {}]) expect(await read(body)).toBeUndefined();
	});
});

describe('blacklists of a category (2.11)', () => {
	const NUMBERS = ['0639980001', '0639980002'];
	const NONE = { number: 0, identifiers: [] };
	const TWO = { number: 2, identifiers: NUMBERS };
	const both = (bounces: object, unsubscribers: object = NONE) => ({ bounces, unsubscribers });
	const bounces = (number: unknown, identifiers: unknown) => ({
		bounces: { number, identifiers },
	});

	test.each<[body: unknown, blacklists: object | undefined]>([
		[both(TWO, TWO), both(TWO, TWO)],
		[{ bounces: TWO }, both(TWO)],
		[{ unsubscribers: TWO }, both(NONE, TWO)],
		[{ bounces: TWO, unsubscribers: null }, both(TWO)],
		[{ bounces: {}, unsubscribers: [] }, both(NONE)],
		[{ bounces: null }, both(NONE)],
		[{ bounces: { identifiers: NUMBERS } }, both(TWO)],
		[{ bounces: { number: '0' } }, both(NONE)],
		...[{}, [], null, '', undefined].map((body): [unknown, object] => [body, both(NONE)]),
		...['', {}].map((identifiers): [unknown, object] => [bounces(0, identifiers), both(NONE)]),
		[bounces(1, []), both({ number: 1, identifiers: [] })],
		[
			bounces(2, [639980001, null, {}, '', 639980002]),
			both({ number: 2, identifiers: ['639980001', '639980002'] }),
		],
		[
			{ ...both(TWO), category: 'x' },
			{ ...both(TWO), category: 'x' },
		],
		...[{ status: 'ok' }, { code: 16, error: 'x' }, '<html></html>', { bounces: 3 }].map(
			(body): [unknown, undefined] => [body, undefined],
		),
		...[undefined, null, [null], NUMBERS[0], { 0: NUMBERS[0] }, [{ id: NUMBERS[0] }], 7].map(
			(identifiers): [unknown, undefined] => [bounces(2, identifiers), undefined],
		),
		[bounces('x', []), undefined],
	])('%j', (body, blacklists) => expect(readCategoryBlacklists(body)).toEqual(blacklists));

	test.each([
		[{ identifier: '0690 12 34 56', deleted: false }, '+590690123456'],
		[{ identifier: '+33639980001' }, '+33639980001'],
		[{ identifier: 639980003 }, '+33639980003'],
		[{ identifier: '+33639980002', deleted: true }, null],
		[{ id: 'a' }, undefined],
	])('the number that counts, in one spelling: %j', (record, number) => {
		expect(readListedNumber(record)).toBe(number);
	});
});

describe('a reply', () => {
	const REPLY = { id: '5ea1', identifier: '+33639981234', message: 'Oui' };

	test('is not copied', () => expect(readReply(REPLY)).toBe(REPLY));

	test.each<[reply: object, result: object]>([
		[
			{ id: 7, identifier: 33639981234, message: 1, other: 2 },
			{ id: '7', identifier: '33639981234', message: '1', other: 2, intent: 'other' },
		],
		[{ id: 'a' }, { id: 'a', intent: 'other' }],
		[REPLY, { ...REPLY, intent: 'yes' }],
		// Whatever else the service may call so.
		[
			{ ...REPLY, message: 'Stop svp', intent: 'yes' },
			{ ...REPLY, message: 'Stop svp', intent: 'stop' },
		],
		[
			{ ...REPLY, message: null, intent: { name: 'stop' } },
			{ ...REPLY, message: null, intent: 'other' },
		],
	])('%j has texts, and says what it means', (reply, result) => {
		expect(toReply(reply as never)).toEqual(result);
	});
});

test('the counters of a category are those of the document', () => {
	expect(CATEGORY_COUNTERS.join(' ')).toBe(
		'sent submitted delivered openers clickers clicks opens replies unsubscribers errors bounced complaint timespent',
	);
});

test('a number stays exact as an ID: one that was rounded is none', () => {
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (id) => {
			const answered = asId(JSON.parse(String(id)));
			expect(answered === undefined || answered === String(id)).toBe(true);
			expect(asId(JSON.parse(`"${id}"`))).toBe(String(id));
		}),
	);
});
