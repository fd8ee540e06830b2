/** What became of a request: design, guarantee 5 (sent, refused, certainly not sent, unknown). */
import { describe, expect, test } from 'vitest';
import { readSendReceipt } from '../../../nodes/shared/service/messages.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import {
	judgeAnswer,
	judgeError,
	parseRetryAfter,
	type Failure,
} from '../../../nodes/shared/http/failure.ts';

function judge(
	statusCode: number,
	body: unknown,
	headers: Record<string, unknown> = {},
): { value?: unknown } & Partial<Failure> {
	return judgeAnswer({ statusCode, headers, body }, readSendReceipt);
}

const RECEIPT = { creditsUsed: 1, snapshotId: '362891' };
const HTML = '<!DOCTYPE html><html><body>Hello</body></html>';

/** Bodies in which nothing of the service can be recognised. */
const MEANINGLESS: Array<[kind: string, body: unknown]> = [
	['HTML', HTML],
	['no body', undefined],
	['an empty text', ''],
	['a text', 'upstream connect error'],
	['half of a JSON', '{"creditsUsed":1,"snap'],
	['an empty object', {}],
	['another object', { hello: 'world' }],
	['a list', [1, 2]],
	['null', null],
	['a number', 7],
	['a message without a code', { message: 'Internal Server Error' }],
];

describe('2xx', () => {
	test.each([200, 201, 202])('%i with a receipt is sent', (status) => {
		expect(judge(status, RECEIPT)).toEqual({ value: RECEIPT });
	});

	test.each(MEANINGLESS)('200 with %s is unknown', (_, body) => {
		expect(judge(200, body)).toMatchObject({
			status: 'unknown',
			httpCode: 200,
			transient: false,
		});
	});

	test('204 without a body is unknown: a send answers with a receipt', () => {
		expect(judge(204, undefined)).toMatchObject({ status: 'unknown', httpCode: 204 });
	});

	test('200 with a receipt whose values make no sense is unknown', () => {
		expect(judge(200, { creditsUsed: 'many', snapshotId: {} }).status).toBe('unknown');
	});

	test('200 with an error code is refused', () => {
		expect(judge(200, { code: 12, error: 'Number is unsubscribed' })).toMatchObject({
			status: 'refused',
			message: 'The recipient has unsubscribed (STOP)',
			code: 12,
			httpCode: 200,
			transient: false,
		});
	});

	test('200 with {status, error} is no receipt, and no certain refusal', () => {
		expect(judge(200, { status: 500, error: 'Oops' }).status).toBe('unknown');
	});

	test('a web page is called one', () => {
		expect(judge(200, HTML).advice).toContain('web page');
		expect(judge(200, '').advice).not.toContain('web page');
	});
});

describe('3xx', () => {
	test.each([301, 302, 307, 308])('%i is certainly not sent, nor repeated', (status) => {
		const { advice, message, ...rest } = judge(status, '', {
			location: 'https://evil.example.com/v2/send?apiKey=s3cret',
		});
		expect(rest).toMatchObject({ status: 'notSent', transient: false, general: true });
		expect(message).toContain('evil.example.com');
		expect(`${message}${advice}`).not.toContain('s3cret');
		expect(advice).toContain("'Base URL'");
	});

	test.each([undefined, '', '/elsewhere', 'not a url', 7])(
		'a Location of %j does no harm',
		(location) => {
			expect(judge(302, '', { location })).toMatchObject({ status: 'notSent' });
		},
	);

	test.each([300, 303, 304, 306])('%i leaves open what happened', (status) => {
		expect(judge(status, '')).toMatchObject({ status: 'unknown' });
	});
});

describe('4xx', () => {
	test.each([400, 402, 406, 409, 410, 413, 415, 422])(
		'%i is refused, whatever the body',
		(status) => {
			for (const [, body] of MEANINGLESS) {
				expect(judge(status, body)).toMatchObject({
					status: 'refused',
					httpCode: status,
					transient: false,
					general: false,
				});
			}
		},
	);

	test('a code of the service says why', () => {
		expect(judge(400, { code: '31', error: 'Invalid characters' })).toMatchObject({
			status: 'refused',
			code: 31,
			message: 'The message has characters that the service refuses',
		});
	});

	test('without a code, the words of the service are passed on', () => {
		expect(judge(400, { status: 400, error: 'Bad thing' }).advice).toContain('Bad thing');
	});

	test.each([401, 403])('%i is a matter of the key, for every request', (status) => {
		for (const body of [undefined, HTML, 'Unauthorized', { error: 'Unauthorized' }]) {
			expect(judge(status, body)).toMatchObject({
				status: 'refused',
				message: 'The service refused the API key',
				general: true,
				cause: 'credential-invalid',
				transient: false,
			});
		}
	});

	test('401 with a code of the service', () => {
		expect(judge(401, { code: 72, error: 'Authentication failed' })).toMatchObject({
			status: 'refused',
			code: 72,
			general: true,
			cause: 'credential-invalid',
		});
	});

	// Which status the service gives with which code is unknown.
	test.each([401, 403])('%i with a code of one recipient is no matter of the key', (status) => {
		expect(judge(status, { code: 12, error: 'Unsubscribed' })).toMatchObject({
			status: 'refused',
			general: false,
			cause: undefined,
		});
	});

	test('not enough credits concerns the whole account', () => {
		expect(judge(400, { code: 71, error: 'No credit' })).toMatchObject({
			status: 'refused',
			general: true,
			cause: 'quota-exhausted',
		});
	});

	test.each([404, 405])('%i points to the address', (status) => {
		expect(judge(status, HTML)).toMatchObject({
			status: 'refused',
			cause: 'configuration-invalid',
		});
		expect(judge(status, HTML).advice).toContain("'Base URL'");
	});

	test('408 leaves open what happened', () => {
		expect(judge(408, '')).toMatchObject({ status: 'unknown', httpCode: 408 });
	});

	test('429 is certainly not sent, and may be tried again', () => {
		expect(judge(429, 'Too many')).toMatchObject({
			status: 'notSent',
			transient: true,
			cause: 'rate-limited',
			retryAfterMs: undefined,
		});
		expect(judge(429, '', { 'retry-after': '7' })).toMatchObject({
			status: 'notSent',
			transient: true,
			retryAfterMs: 7_000,
		});
		expect(judge(429, '', { 'retry-after': '7' }).advice).toContain('7 seconds');
	});

	test('429 with a code stays a matter of pace, but for credits and quota', () => {
		expect(judge(429, { code: 1000, error: 'Slow down' })).toMatchObject({
			status: 'notSent',
			transient: true,
		});
		expect(judge(429, { code: 76, error: 'Quota' })).toMatchObject({
			status: 'refused',
			transient: false,
			cause: 'quota-exhausted',
		});
	});
});

describe('5xx', () => {
	test.each([500, 501, 502, 503, 504, 520, 599])('%i without a code is unknown', (status) => {
		for (const [, body] of MEANINGLESS) {
			expect(judge(status, body)).toMatchObject({ status: 'unknown', httpCode: status });
		}
		expect(judge(status, { status, error: 'Internal Server Error' }).status).toBe('unknown');
	});

	test('503 with Retry-After is certainly not sent', () => {
		expect(judge(503, HTML, { 'retry-after': '120' })).toMatchObject({
			status: 'notSent',
			transient: true,
			retryAfterMs: 120_000,
			cause: 'temporarily-unavailable',
		});
	});

	test('503 with a Retry-After that says nothing is unknown', () => {
		expect(judge(503, HTML, { 'retry-after': 'soon' }).status).toBe('unknown');
	});

	test('502 with Retry-After is unknown', () => {
		expect(judge(502, HTML, { 'retry-after': '1' }).status).toBe('unknown');
	});

	test.each([12, 31, 71])('500 with the code %i of the service is refused', (code) => {
		expect(judge(500, { code, error: 'x' })).toMatchObject({ status: 'refused', code });
	});
});

describe('errors instead of an answer', () => {
	/** As axios and n8n wrap an error of the socket. */
	function wrapped(cause: object, code?: string): Error {
		const inner = Object.assign(new Error('inner'), cause);
		const axios = Object.assign(new Error('axios', { cause: inner }), {
			isAxiosError: true,
			code: code ?? (cause as { code?: string }).code,
		});
		return Object.assign(new Error('The request failed', { cause: axios }), {
			name: 'NodeApiError',
		});
	}

	const plain = (fields: object) => Object.assign(new Error('plain'), fields);

	describe.each<[string, (fields: { code?: string; syscall?: string }) => unknown]>([
		['plain', plain],
		['wrapped', (fields) => wrapped(fields)],
	])('%s', (_, make) => {
		test.each([
			['ECONNREFUSED', 'connect'],
			['ENOTFOUND', 'getaddrinfo'],
			['EAI_AGAIN', 'getaddrinfo'],
			['ETIMEDOUT', 'connect'],
			['EHOSTUNREACH', 'connect'],
			['ENETUNREACH', 'connect'],
			['EADDRNOTAVAIL', 'connect'],
			['ECONNRESET', 'connect'],
		])('%s of %s: certainly not sent, may be tried again', (code, syscall) => {
			expect(judgeError(make({ code, syscall }))).toMatchObject({
				status: 'notSent',
				transient: true,
				general: true,
			});
			expect(judgeError(make({ code, syscall })).message).toContain(code);
		});

		test.each([
			['ECONNRESET', 'read'],
			['ECONNRESET', undefined],
			['EPIPE', 'write'],
			['ETIMEDOUT', 'read'],
			['ETIMEDOUT', undefined],
			['ECONNABORTED', undefined],
			['EHOSTUNREACH', 'read'],
			['ERR_BAD_RESPONSE', undefined],
			['ERR_STREAM_PREMATURE_CLOSE', undefined],
			['Z_DATA_ERROR', undefined],
			['HPE_INVALID_CONSTANT', undefined],
			['ERR_SOMETHING_NEW', undefined],
		])('%s of %s: unknown', (code, syscall) => {
			expect(judgeError(make({ code, ...(syscall ? { syscall } : {}) })).status).toBe(
				'unknown',
			);
		});

		test.each([
			'DEPTH_ZERO_SELF_SIGNED_CERT',
			'SELF_SIGNED_CERT_IN_CHAIN',
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
			'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
			'CERT_HAS_EXPIRED',
			'CERT_NOT_YET_VALID',
			'ERR_TLS_CERT_ALTNAME_INVALID',
			'EPROTO',
			'ERR_SSL_WRONG_VERSION_NUMBER',
		])('%s: certainly not sent, and not tried again', (code) => {
			expect(judgeError(make({ code }))).toMatchObject({
				status: 'notSent',
				transient: false,
				cause: 'configuration-invalid',
			});
		});

		test('a read that takes too long is told from a connection that breaks off', () => {
			expect(judgeError(make({ code: 'ECONNABORTED' })).message).toMatch(/in time/);
			expect(judgeError(make({ code: 'ECONNRESET', syscall: 'read' })).message).toMatch(
				/broke off/,
			);
		});

		test('a cancelled execution: unknown, and not tried again', () => {
			expect(judgeError(make({ code: 'ERR_CANCELED' }))).toMatchObject({
				status: 'unknown',
				transient: false,
			});
		});
	});

	test('all addresses of a host tried in vain: certainly not sent', () => {
		const attempts = [
			plain({ code: 'ETIMEDOUT', syscall: 'connect' }),
			plain({ code: 'ENETUNREACH', syscall: 'connect' }),
		];
		const error = Object.assign(new AggregateError(attempts), { code: 'ETIMEDOUT' });
		expect(judgeError(error).status).toBe('notSent');
		expect(judgeError(new Error('outer', { cause: error })).status).toBe('notSent');
		const refused = Object.assign(
			new AggregateError([
				plain({ code: 'ECONNREFUSED', syscall: 'connect' }),
				plain({ code: 'ECONNREFUSED', syscall: 'connect' }),
			]),
			{ code: 'ECONNREFUSED' },
		);
		expect(judgeError(refused).status).toBe('notSent');
	});

	test('a failed connection followed by one that broke off: unknown', () => {
		const error = new AggregateError([
			plain({ code: 'ETIMEDOUT', syscall: 'connect' }),
			plain({ code: 'ECONNRESET', syscall: 'read' }),
		]);
		expect(judgeError(error).status).toBe('unknown');
	});

	test('a check of ours passes its own words on', () => {
		const check = new InputError("'Base URL' of the credential is empty", 'Set it.');
		for (const error of [check, new Error('outer', { cause: check })]) {
			expect(judgeError(error)).toMatchObject({
				status: 'notSent',
				transient: false,
				message: "'Base URL' of the credential is empty",
				advice: 'Set it.',
				cause: 'configuration-invalid',
			});
		}
	});

	test('what n8n refused before it made a request: certainly not sent', () => {
		expect(judgeError(new Error('Node does not have any credentials set'))).toMatchObject({
			status: 'notSent',
			transient: false,
			message: 'Node does not have any credentials set',
		});
	});

	test.each([undefined, null, 'text', 7])('%j instead of an error', (value) => {
		const failure = judgeError(value);
		expect(failure.message).toBeTruthy();
		expect(failure.transient).toBe(false);
	});

	test('a chain that bites its own tail ends', () => {
		const error = plain({ code: 'ECONNRESET' }) as Error;
		error.cause = error;
		expect(judgeError(error).status).toBe('unknown');
	});
});

describe('Retry-After (RFC 9110, 10.2.3)', () => {
	const now = Date.UTC(2030, 0, 1, 12);
	test.each<[header: unknown, milliseconds: number | undefined]>([
		['120', 120_000],
		[' 120 ', 120_000],
		['0', 0],
		[5, 5_000],
		['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
		['Tue, 01 Jan 2030 11:59:00 GMT', 0],
		['soon', undefined],
		['', undefined],
		['5 minutes', undefined],
		[undefined, undefined],
		[null, undefined],
		[['120'], undefined],
		[{}, undefined],
	])('%j', (header, milliseconds) => {
		expect(parseRetryAfter(header, now)).toBe(milliseconds);
	});

	// V8 reads such texts as dates of 2001.
	test.each(['-5', '1.5'])('%j says nothing', (header) => {
		expect(parseRetryAfter(header, now)).toBeUndefined();
	});
});
