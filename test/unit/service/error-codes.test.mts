/** The service's errors: codes and body shapes of the public facts ("Errors"). */
import { describe, expect, test } from 'vitest';
import {
	explain,
	isListMissing,
	isMissingPath,
	isNothingFound,
	isNothingThere,
	isRefusalCode,
	meaningOf,
	readServiceError,
	type Meaning,
} from '../../../nodes/shared/service/errorCodes.ts';

/** Every code of the table, with a word that its sentence can't do without. */
const CODES: Array<[code: number, about: RegExp]> = [
	[10, /phone number/i],
	[11, /phone number/i],
	[12, /unsubscribed/i],
	[13, /bounce list/i],
	[14, /bounce list of the service/i],
	[15, /already exists/i],
	[16, /no message was found/i],
	[17, /fields/i],
	[18, /too large/i],
	[19, /fixed line/i],
	[20, /sender.*characters/i],
	[21, /sender.*too short/i],
	[22, /sender.*too long/i],
	[23, /sender.*digits/i],
	[30, /no text/i],
	[31, /message.*characters/i],
	[32, /message.*too long/i],
	[40, /campaign name/i],
	[41, /time of the campaign/i],
	[42, /can\S* be deleted/i],
	[43, /can\S* be cancelled/i],
	[44, /free mode/i],
	[45, /tag is not valid/i],
	[46, /tag already exists/i],
	[47, /campaign was not found/i],
	[48, /list of recipients/i],
	[60, /list was not found/i],
	[61, /date.*format/i],
	[62, /scheduled date/i],
	[70, /API is disabled/i],
	[71, /credits/i],
	[72, /API key/i],
	[73, /could not read/i],
	[74, /limit of contacts/i],
	[75, /column/i],
	[76, /quota/i],
	[90, /country/i],
	[91, /international mode/i],
	[92, /account is blocked/i],
	[93, /user.*not found/i],
	[94, /unavailable/i],
	[95, /account was not created/i],
	[120, /automated sending.*not valid/i],
	[121, /contact of the automated sending/i],
	[1000, /unknown/i],
];

describe('each code has a sentence of its own, and says what to do', () => {
	test.each(CODES)('code %i', (code, about) => {
		const { message, advice } = explain({ code, text: 'what the service said' });
		expect(message).toMatch(about);
		expect(message).not.toMatch(/\.$|\berror\b|\bfailed\b/i);
		expect(advice).toMatch(/[.]$/);
		expect(advice).not.toContain('what the service said');
	});

	test('no two have the same message', () => {
		const messages = CODES.map(([code]) => explain({ code }).message);
		expect(new Set(messages).size).toBe(CODES.length);
	});

	test.each<[Meaning, codes: number[]]>([
		['unreadableNumber', [11]],
		['alreadyExists', [15]],
		['nothingFound', [16]],
		['campaignNotFound', [47]],
		['listNotFound', [60]],
		['noAccess', [70, 72, 92, 93, 94, 95]],
		['noCredit', [71]],
		['quotaUsedUp', [44, 76]],
		['unsubscribed', [12]],
		['unknownError', [1000]],
	])('%s is what %j mean, with any status, and no others', (meaning, codes) => {
		for (const httpCode of [undefined, 200, 400, 404, 413, 500]) {
			const found = CODES.filter(([code]) => meaningOf({ code, httpCode }) === meaning);
			expect(found.map(([code]) => code)).toEqual(codes);
		}
	});
});

describe('what is not in the table', () => {
	test('an unknown code comes with the words of the service', () => {
		expect(explain({ code: 77, text: 'Something new' })).toEqual({
			known: false,
			message: 'The service refused the request (code 77)',
			advice: 'It says: Something new',
		});
	});

	test('without words, its support is named', () => {
		expect(explain({ code: 77 }).advice).toContain('support');
		expect(explain({ text: 'Bad request' })).toEqual({
			known: false,
			message: 'The service refused the request',
			advice: 'It says: Bad request',
		});
	});
});

describe('a body is read leniently', () => {
	const NO = { code: 12, text: 'No' };
	test.each<[body: unknown, read: object]>([
		[{ code: 12, error: 'No' }, NO],
		[{ code: 12, message: 'No' }, NO],
		[{ code: '12', error: ' No \n' }, NO],
		[{ code: 12, error: 'No', message: 'B' }, NO],
		[{ code: 12, error: ' ', message: 'No' }, NO],
		[{ code: 72 }, { code: 72, text: undefined }],
		[
			{ code: 12, error: { nested: true }, message: 7 },
			{ code: 12, text: undefined },
		],
		[
			{ code: 1000, error: '?' },
			{ code: 1000, text: '?' },
		],
		[{ status: 400, error: 'Bad request' }, { text: 'Bad request' }],
	])('%j', (body, read) => expect(readServiceError(body)).toEqual(read));

	test.each([
		...[
			{ code: 'E12', error: 'No' },
			{ code: '', error: 'No' },
			{ code: '1.5', error: 'No' },
		],
		...[{ error: 'No' }, { status: 500 }, {}, [[{ code: 12 }]], '<html>code 12</html>', 12],
		...[undefined, null, ''],
	])('%j is none', (body) => expect(readServiceError(body)).toBeUndefined());

	test('a long text is cut, at the end of a word: half of a key would not be recognised', () => {
		const key = 'k'.repeat(24);
		const { text = '' } = readServiceError({
			code: 72,
			error: `${'Invalid key. '.repeat(15)}${key} is not a valid key.`,
		})!;
		expect(text.length).toBeLessThanOrEqual(200);
		expect(text).not.toMatch(/k{2,23}(?!k)/);
		expect(readServiceError({ code: 1, error: 'x'.repeat(5_000) })!.text!.length).toBeLessThan(
			201,
		);
	});
});

/** Failures of an HTTP status, an error code and words: what they mean, and what is true of them. */
describe('what a failure means', () => {
	const LIST = 'No such list';
	const OF_A_NUMBER = 'Contact not found';
	type Row = [httpCode: number | undefined, code: number | undefined, said: string | undefined];
	const ROWS: Array<[...Row, meaning: Meaning | undefined]> = [
		[404, 16, undefined, 'nothingFound'],
		[200, 16, undefined, 'nothingFound'],
		[404, undefined, 'This number is not listed', 'nothingFound'],
		[404, undefined, OF_A_NUMBER, 'nothingFound'],
		[404, undefined, 'No message found', 'nothingFound'],
		[404, undefined, LIST, 'nothingFound'],
		[404, 404, 'No message for this number', 'nothingFound'],
		[404, undefined, undefined, 'missing'],
		[404, 404, undefined, 'missing'],
		[404, undefined, 'Not found', 'noSuchPath'],
		[404, undefined, 'Not Found.', 'noSuchPath'],
		[404, undefined, 'No such route', 'noSuchPath'],
		[404, undefined, 'No handler found for GET /v2/lists', 'noSuchPath'],
		[404, undefined, 'The requested URL was not found on this server', 'noSuchPath'],
		[404, 60, undefined, 'listNotFound'],
		[400, 60, undefined, 'listNotFound'],
		[404, 47, 'Campaign not found', 'campaignNotFound'],
		[401, 72, undefined, 'noAccess'],
		[405, undefined, OF_A_NUMBER, 'noSuchMethod'],
		[410, undefined, undefined, 'gone'],
		[413, undefined, undefined, undefined],
		[413, 12, undefined, 'unsubscribed'],
		[413, 19, undefined, undefined],
		[404, 4711, undefined, undefined],
		[400, undefined, OF_A_NUMBER, undefined],
		[400, undefined, 'Not found', undefined],
		[500, undefined, 'No message found', undefined],
		[undefined, 4711, undefined, undefined],
		[undefined, undefined, undefined, undefined],
	];
	test.each(ROWS)('%s, code %s, %s: %s', (httpCode, code, said, meaning) => {
		const failure = { httpCode, code, said };
		expect(meaningOf(failure)).toBe(meaning);
		expect(isNothingFound(failure)).toBe(meaning === 'nothingFound');
		const isAmong = (...meanings: Meaning[]) => meanings.some((one) => one === meaning);
		expect(isListMissing(failure)).toBe(isAmong('listNotFound', 'nothingFound'));
		expect(isMissingPath(failure)).toBe(isAmong('missing', 'noSuchPath', 'noSuchMethod'));
		expect(isNothingThere(failure)).toBe(
			isAmong(
				'nothingFound',
				'campaignNotFound',
				'listNotFound',
				'missing',
				'noSuchPath',
				'gone',
			),
		);
	});
});

test.each<[code: number, status: number, isRefusal: boolean]>([
	[12, 200, true],
	[71, 500, true],
	[72, 401, true],
	[120, 503, true],
	// The service itself doesn't know; a gateway repeats the status; it is not listed.
	[1000, 500, false],
	[504, 504, false],
	[200, 200, false],
	[4, 504, false],
	[99, 200, false],
	[4711, 500, false],
])('code %i with %i shows that the service said no: %s', (code, status, isRefusal) => {
	expect(isRefusalCode(code, status)).toBe(isRefusal);
});
