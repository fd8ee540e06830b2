/** The service's errors: codes and body shapes of the public facts ("Errors"). */
import { describe, expect, test } from 'vitest';
import {
	codeFor,
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
		['tooMuch', [18, 74]],
		['campaignNotFound', [47]],
		['listNotFound', [60]],
		['noAccess', [70, 72, 92, 93, 94, 95]],
		['noCredit', [71]],
		['quotaUsedUp', [44, 76]],
		['unknownError', [1000]],
	])('%s is what %j mean, with any status, and no others', (meaning, codes) => {
		for (const httpCode of [undefined, 200, 400, 404, 413, 500]) {
			const found = CODES.filter(([code]) => meaningOf({ code, httpCode }) === meaning);
			expect(found.map(([code]) => code)).toEqual(codes);
		}
		expect(codeFor(meaning).code).toBe(codes[0]);
		expect(codeFor(meaning).message).toBe(explain({ code: codes[0] }).message);
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
	test.each<[what: string, body: unknown, read: object | undefined]>([
		['code and error', { code: 12, error: 'No' }, { code: 12, text: 'No' }],
		['code and message', { code: 12, message: 'No' }, { code: 12, text: 'No' }],
		['a numeric string', { code: '12', error: 'No' }, { code: 12, text: 'No' }],
		['error before message', { code: 12, error: 'A', message: 'B' }, { code: 12, text: 'A' }],
		['an empty error', { code: 12, error: ' ', message: 'B' }, { code: 12, text: 'B' }],
		['code alone', { code: 72 }, { code: 72, text: undefined }],
		['code 1000', { code: 1000, error: '?' }, { code: 1000, text: '?' }],
		['status and error', { status: 400, error: 'Bad request' }, { text: 'Bad request' }],
		['spaces around', { code: 12, error: ' No \n' }, { code: 12, text: 'No' }],
		['a code that is no number', { code: 'E12', error: 'No' }, undefined],
		['an empty code', { code: '', error: 'No' }, undefined],
		['a fraction as a text', { code: '1.5', error: 'No' }, undefined],
		['error alone', { error: 'No' }, undefined],
		['status alone', { status: 500 }, undefined],
		['an empty object', {}, undefined],
		['a list', [{ code: 12 }], undefined],
		['HTML', '<html>code 12</html>', undefined],
		['a number', 12, undefined],
		['nothing', undefined, undefined],
		['null', null, undefined],
		['an empty text', '', undefined],
	])('%s', (_, body, read) => {
		expect(readServiceError(body)).toEqual(read);
	});

	test('words that are none are left out', () => {
		expect(readServiceError({ code: 12, error: { nested: true }, message: 7 })).toEqual({
			code: 12,
			text: undefined,
		});
	});

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

describe('there is nothing of what was asked for', () => {
	test.each([
		{ httpCode: 404, code: 16 },
		{ httpCode: 200, code: 16 },
		{ httpCode: 400, code: 16 },
		{ httpCode: 404, said: 'This number is not listed' },
		{ httpCode: 404, said: 'Contact not found' },
		{ httpCode: 404, said: 'No message found' },
		{ httpCode: 404, code: 404, said: 'No message for this number' },
	])('%j', (failure) => {
		expect(isNothingFound(failure)).toBe(true);
	});

	test.each([
		{},
		{ httpCode: 404 },
		{ httpCode: 404, said: 'Not found' },
		{ httpCode: 404, said: 'Not Found.' },
		{ httpCode: 404, said: 'No handler found for GET /v2/lists' },
		{ httpCode: 404, said: 'The requested URL was not found on this server' },
		{ httpCode: 404, code: 404 },
		{ httpCode: 404, code: 60 },
		{ httpCode: 404, code: 47, said: 'Campaign not found' },
		{ httpCode: 400, said: 'Contact not found' },
		{ httpCode: 405, said: 'Contact not found' },
		{ httpCode: 500, said: 'No message found' },
		{ httpCode: 401, code: 72 },
	])('not certainly: %j', (failure) => {
		expect(isNothingFound(failure)).toBe(false);
	});
});

describe('what a status means without a code', () => {
	test.each<[failure: Parameters<typeof meaningOf>[0], meaning: Meaning | undefined]>([
		[{ httpCode: 404 }, 'missing'],
		[{ httpCode: 404, code: 404 }, 'missing'],
		[{ httpCode: 404, said: 'Contact not found' }, 'nothingFound'],
		[{ httpCode: 404, said: 'No such route' }, 'noSuchPath'],
		[{ httpCode: 404, code: 4711 }, undefined],
		[{ httpCode: 405 }, 'noSuchMethod'],
		[{ httpCode: 410 }, 'gone'],
		[{ httpCode: 413 }, 'tooMuch'],
		[{ httpCode: 413, code: 12 }, undefined],
		[{ httpCode: 400, said: 'Contact not found' }, undefined],
		[{ httpCode: 500 }, undefined],
		[{ code: 4711 }, undefined],
		[{}, undefined],
	])('%j: %s', (failure, meaning) => {
		expect(meaningOf(failure)).toBe(meaning);
	});

	test.each<[httpCode: number, said: string | undefined, path: boolean, gone: boolean]>([
		[404, undefined, true, true],
		[404, 'Not found', true, true],
		[404, 'Contact not found', false, true],
		[405, undefined, true, false],
		[410, undefined, false, true],
		[400, 'Not found', false, false],
	])('%i %j: no such path %j, gone after a lost answer %j', (httpCode, said, path, gone) => {
		expect(isMissingPath({ httpCode, said })).toBe(path);
		expect(isNothingThere({ httpCode, said })).toBe(gone);
	});

	test('a list is missing by its code, or by words about it', () => {
		expect(isListMissing({ httpCode: 400, code: 60 })).toBe(true);
		expect(isListMissing({ httpCode: 404, said: 'No such list' })).toBe(true);
		expect(isListMissing({ httpCode: 404 })).toBe(false);
		expect(isListMissing({ httpCode: 404, code: 47 })).toBe(false);
	});
});

describe('a code shows that the service said no', () => {
	test.each([
		[12, 200],
		[71, 500],
		[72, 401],
		[120, 503],
	])('%i with %i', (code, status) => expect(isRefusalCode(code, status)).toBe(true));

	test.each<[code: number, status: number, why: string]>([
		[1000, 500, 'the service itself does not know'],
		[504, 504, 'a gateway repeats the status'],
		[200, 200, 'a gateway repeats the status'],
		[4, 504, 'not listed'],
		[99, 200, 'not listed'],
		[4711, 500, 'not listed'],
	])('not %i with %i: %s', (code, status) => {
		expect(isRefusalCode(code, status)).toBe(false);
	});
});
