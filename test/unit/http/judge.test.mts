/** What became of a request: design, guarantee 5 (sent, refused, certainly not sent, unknown). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSendReceipt } from '../../../nodes/shared/service/messages.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { judgeAnswer, judgeError } from '../../../nodes/shared/http/judge.ts';
import { parseRetryAfter } from '../../../nodes/shared/http/statuses.ts';
import { isNothingThere } from '../../../nodes/shared/service/errorCodes.ts';

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

	test('a receipt with another status is no success', () => {
		expect(judge(400, RECEIPT)).toMatchObject({ status: 'refused', httpCode: 400 });
		expect(judge(429, RECEIPT)).toMatchObject({ status: 'notSent', httpCode: 429 });
		for (const status of [302, 408, 500, 502, 504]) {
			expect(judge(status, RECEIPT)).toMatchObject({ status: 'unknown', httpCode: status });
		}
	});

	test('a web page is called one', () => {
		expect(judge(200, HTML).advice).toContain('web page');
		expect(judge(200, '').advice).not.toContain('web page');
	});
});

describe('3xx', () => {
	// Redirects are not followed: what they say was not done here. 302 and 303 are also what a server
	// answers to a form that it has taken (RFC 9110, 15.4).
	test.each<[status: number, fate: string]>([
		[301, 'notSent'],
		[307, 'notSent'],
		[308, 'notSent'],
		[302, 'unknown'],
		[303, 'unknown'],
	])('%i: %s, not repeated, and the same for every request', (status, fate) => {
		const { advice, message, ...rest } = judge(status, '', {
			location: 'https://evil.example.com/v2/send?apiKey=s3cret',
		});
		expect(rest).toMatchObject({ status: fate, transient: false, general: true });
		expect(message).toContain('evil.example.com');
		expect(`${message}${advice}`).not.toContain('s3cret');
		expect(advice).toContain("'Base URL'");
	});

	test.each([undefined, '', '/elsewhere', 'not a url', 7])(
		'a Location of %j does no harm',
		(location) => {
			expect(judge(307, '', { location })).toMatchObject({ status: 'notSent' });
			expect(judge(302, '', { location })).toMatchObject({ status: 'unknown' });
		},
	);

	test.each([300, 304, 305, 306, 399])('%i leaves open what happened', (status) => {
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

	test('401 is a matter of the key, for every request', () => {
		for (const [, body] of [...MEANINGLESS, ['', { error: 'Unauthorized' }]]) {
			expect(judge(401, body)).toMatchObject({
				status: 'refused',
				message: 'The service refused the API key',
				general: true,
				cause: 'credential-invalid',
				transient: false,
			});
		}
	});

	test('403 with a web page is a firewall that dislikes one message', () => {
		const judged = judge(403, HTML);
		expect(judged).toMatchObject({ status: 'refused', general: false, transient: false });
		expect(judged.cause).toBeUndefined();
		expect(judged.message).toContain('firewall');
	});

	test('403 without one points to the key, and is no reason to stop at once', () => {
		expect(judge(403, { status: 403, error: 'Forbidden' })).toMatchObject({
			status: 'refused',
			general: false,
			cause: 'credential-invalid',
		});
		expect(judge(403, '').advice).toContain("'API Key'");
	});

	test('401 with a code that nobody knows is about the key all the same', () => {
		const failure = judge(401, { code: 999, error: 'Sorry' });
		expect(failure).toMatchObject({ cause: 'credential-invalid', general: true });
		expect((failure as { message: string }).message).toContain('API key');
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

	test.each([408, 499])(
		'%i: somebody gave up waiting, which leaves open what happened',
		(status) => {
			for (const [, body] of MEANINGLESS) {
				expect(judge(status, body)).toMatchObject({ status: 'unknown', httpCode: status });
			}
		},
	);

	test('a code that is not listed is refused all the same: the status is evidence', () => {
		for (const code of [4, 400, 1000, 4711]) {
			expect(judge(400, { code, error: 'x' })).toMatchObject({ status: 'refused', code });
		}
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
		expect(judge(429, { code: 12, error: 'STOP' })).toMatchObject({ status: 'notSent' });
	});

	test('404 with words about what was asked for has nothing to do with the address', () => {
		const failure = judge(404, { status: 404, error: 'Contact not found' });
		expect(failure).toMatchObject({ status: 'refused', said: 'Contact not found' });
		expect(failure.cause).toBeUndefined();
	});
});

test('a permanent redirect with a code that is about the message is a refusal', () => {
	expect(judge(308, { code: 12, error: 'STOP' })).toMatchObject({
		status: 'refused',
		code: 12,
		general: false,
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

	test('503 with Retry-After and a code about the account is refused', () => {
		expect(judge(503, { code: 71, error: 'x' }, { 'retry-after': '1' })).toMatchObject({
			status: 'refused',
			transient: false,
			cause: 'quota-exhausted',
		});
	});
});

describe('a code on a 2xx or 5xx', () => {
	const STATUSES = [200, 201, 500, 502, 503, 504];

	test.each([12, 31, 71, 72, '12'])(
		'%j, which the service refuses with, is a refusal',
		(code) => {
			for (const status of STATUSES) {
				expect(judge(status, { code, error: 'x' })).toMatchObject({
					status: 'refused',
					code: Number(code),
					httpCode: status,
					transient: false,
				});
			}
		},
	);

	// The service itself doesn't know (1000), or it is no code of the service's.
	test.each([1000, '1000', 4, 0, 99, 200, 500, 503, 504, 4711])('%j is none', (code) => {
		for (const status of STATUSES) {
			expect(judge(status, { code, error: 'x' })).toMatchObject({
				status: 'unknown',
				httpCode: status,
			});
		}
	});

	test('that repeats the HTTP status is a gateway that speaks JSON', () => {
		for (const status of [...STATUSES, 599]) {
			expect(judge(status, { code: status, error: 'x' }).status).toBe('unknown');
		}
	});
});

describe('errors instead of an answer', () => {
	/**
	 * Every way in which n8n's request helper was seen to fail, on n8n 1.123 and 2.41 (POST, json, Node 24).
	 * Both give their own error with `httpCode` and the original text; only 2.41 gives the original too.
	 */
	interface Seen {
		what: string;
		/** The code of the original, or the status of an answer that began. */
		httpCode: string | null;
		text: string;
		/** What n8n says instead of the text, where it does. */
		n8nSays?: string;
		/** Of the HTTP client's error, where it is another than `httpCode`. */
		client?: { name?: string; code?: string; status?: number };
		/** The error of Node. */
		origin?: { code: string; syscall?: string };
		/** Whether it is certain that nothing was written to the service. */
		notSent?: true;
		/** Whether another try may succeed. */
		transient: boolean;
	}

	const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
	const readReset = { code: 'ECONNRESET', syscall: 'read' };
	const ssl = (text: string) =>
		`405D64B7887F0000:error:0A00010B:SSL routines:${text}:../deps/x.c:40:\n`;
	const OFFLINE = 'The connection was aborted, perhaps the server is offline';

	const SEEN: Seen[] = [
		{
			what: 'a connection that is refused',
			httpCode: 'ECONNREFUSED',
			text: 'connect ECONNREFUSED 127.0.0.1:40275',
			n8nSays: 'The service refused the connection - perhaps it is offline',
			origin: refused,
			notSent: true,
			transient: true,
		},
		{
			what: 'a host that is not found',
			httpCode: 'ENOTFOUND',
			text: 'getaddrinfo ENOTFOUND bad.invalid',
			origin: { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
			notSent: true,
			transient: true,
		},
		{
			what: 'a name server that does not answer',
			httpCode: 'EAI_AGAIN',
			text: 'getaddrinfo EAI_AGAIN sms.example.com',
			origin: { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
			notSent: true,
			transient: true,
		},
		{
			what: 'a host that can not be reached',
			httpCode: 'EHOSTUNREACH',
			text: 'connect EHOSTUNREACH 2001:db8::1:81',
			n8nSays: 'The host is unreachable, perhaps the server is offline',
			origin: { code: 'EHOSTUNREACH', syscall: 'connect' },
			notSent: true,
			transient: true,
		},
		{
			what: 'a network that can not be reached',
			httpCode: 'ENETUNREACH',
			text: 'connect ENETUNREACH 255.255.255.255:81 - Local (0.0.0.0:0)',
			origin: { code: 'ENETUNREACH', syscall: 'connect' },
			notSent: true,
			transient: true,
		},
		{
			what: "a connection that takes longer than the system's own limit",
			httpCode: 'ETIMEDOUT',
			text: 'connect ETIMEDOUT 192.0.2.1:443',
			n8nSays: OFFLINE,
			origin: { code: 'ETIMEDOUT', syscall: 'connect' },
			notSent: true,
			transient: true,
		},
		{
			what: 'a reset while connecting',
			httpCode: 'ECONNRESET',
			text: 'connect ECONNRESET 127.0.0.1:43853',
			n8nSays: OFFLINE,
			origin: { code: 'ECONNRESET', syscall: 'connect' },
			notSent: true,
			transient: true,
		},
		{
			what: 'a proxy that refuses',
			httpCode: 'ECONNREFUSED',
			text: 'connect ECONNREFUSED 127.0.0.1:40275',
			origin: refused,
			notSent: true,
			transient: true,
		},
		{
			what: 'a connection that hangs until the Timeout: the same as no answer',
			httpCode: 'ECONNABORTED',
			text: 'timeout of 700ms exceeded',
			n8nSays: OFFLINE,
			transient: true,
		},
		{
			what: 'a reset before or after the request was read',
			httpCode: 'ECONNRESET',
			text: 'read ECONNRESET',
			n8nSays: OFFLINE,
			origin: readReset,
			transient: true,
		},
		{
			what: 'a connection that is closed without an answer',
			httpCode: 'ECONNRESET',
			text: 'socket hang up',
			n8nSays: OFFLINE,
			origin: { code: 'ECONNRESET' },
			transient: true,
		},
		{
			what: 'a connection that is closed while the request is written',
			httpCode: 'EPIPE',
			text: 'write EPIPE',
			origin: { code: 'EPIPE', syscall: 'write' },
			transient: true,
		},
		{
			what: 'half of a body',
			httpCode: '200',
			text: 'stream has been aborted',
			client: { code: 'ERR_BAD_RESPONSE', status: 200 },
			transient: true,
		},
		{
			what: 'half of the body of a 401',
			httpCode: '401',
			text: 'stream has been aborted',
			n8nSays: 'Authorization failed - please check your credentials',
			client: { code: 'ERR_BAD_RESPONSE', status: 401 },
			transient: true,
		},
		{
			what: 'half of the body of a 502',
			httpCode: '502',
			text: 'stream has been aborted',
			n8nSays: 'Bad gateway - the service failed to handle your request',
			client: { code: 'ERR_BAD_RESPONSE', status: 502 },
			transient: true,
		},
		{
			what: 'a body that is said to be compressed and is not',
			httpCode: '200',
			text: 'incorrect header check',
			client: { code: 'Z_DATA_ERROR', status: 200 },
			origin: { code: 'Z_DATA_ERROR' },
			transient: true,
		},
		{
			what: 'an answer that is no HTTP',
			httpCode: 'HPE_INVALID_CONSTANT',
			text: 'Parse Error: Expected HTTP/, RTSP/ or ICE/',
			origin: { code: 'HPE_INVALID_CONSTANT' },
			transient: true,
		},
		{
			what: 'no answer in time, whether it began or not',
			httpCode: 'ECONNABORTED',
			text: 'timeout of 700ms exceeded',
			n8nSays: OFFLINE,
			transient: true,
		},
		{
			what: 'no answer for longer than the system waits',
			httpCode: 'ETIMEDOUT',
			text: 'read ETIMEDOUT',
			n8nSays: OFFLINE,
			origin: { code: 'ETIMEDOUT', syscall: 'read' },
			transient: true,
		},
		{
			what: 'plain HTTP behind https',
			httpCode: 'EPROTO',
			text: `write EPROTO ${ssl('ssl3_get_record:wrong version number')}`,
			origin: { code: 'EPROTO', syscall: 'write' },
			notSent: true,
			transient: false,
		},
		{
			what: 'a certificate that nobody vouches for',
			httpCode: 'DEPTH_ZERO_SELF_SIGNED_CERT',
			text: 'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
			origin: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
			notSent: true,
			transient: false,
		},
		{
			what: 'a reset in the handshake: the same as a reset after it',
			httpCode: 'ECONNRESET',
			text: 'read ECONNRESET',
			n8nSays: OFFLINE,
			origin: readReset,
			transient: true,
		},
		{
			what: 'a connection that is closed in the handshake',
			httpCode: 'ECONNRESET',
			text: 'Client network socket disconnected before secure TLS connection was established',
			n8nSays: OFFLINE,
			origin: { code: 'ECONNRESET' },
			notSent: true,
			transient: false,
		},
		{
			what: 'a client certificate that is missing (TLS 1.2: in the handshake)',
			httpCode: 'EPROTO',
			text: `write EPROTO ${ssl('ssl3_read_bytes:ssl/tls alert handshake failure')}`,
			origin: { code: 'EPROTO', syscall: 'write' },
			notSent: true,
			transient: false,
		},
		{
			what: 'a client certificate that is missing (TLS 1.3: after the request was written)',
			httpCode: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
			text: ssl('ssl3_read_bytes:tlsv13 alert certificate required'),
			origin: { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
			transient: true,
		},
		{
			what: 'no TLS any more, after the request was read (TLS 1.3)',
			httpCode: 'ERR_SSL_BAD_RECORD_TYPE',
			text: ssl('tls13_validate_record_header:bad record type'),
			origin: { code: 'ERR_SSL_BAD_RECORD_TYPE' },
			transient: true,
		},
		{
			what: 'no TLS any more, after the request was read (TLS 1.2)',
			httpCode: 'ERR_SSL_WRONG_VERSION_NUMBER',
			text: ssl('tls_default_validate_record_header:wrong version number'),
			origin: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
			transient: true,
		},
		{
			what: 'a protocol error that says no more',
			httpCode: 'EPROTO',
			text: `write EPROTO ${ssl('ssl3_read_bytes:unexpected message')}`,
			origin: { code: 'EPROTO', syscall: 'write' },
			transient: true,
		},
		{
			what: 'an execution that is cancelled',
			httpCode: 'ERR_CANCELED',
			text: 'canceled',
			client: { name: 'CanceledError' },
			transient: false,
		},
		{
			what: 'an address that is none',
			httpCode: 'ERR_INVALID_URL',
			text: 'Invalid URL',
			client: { name: 'TypeError' },
			notSent: true,
			transient: false,
		},
		{
			what: 'something that nobody has seen',
			httpCode: null,
			text: 'terminated',
			client: { name: 'TypeError' },
			transient: true,
		},
	];

	/** An error of the HTTP client, as both versions give it where a node calls it by itself. */
	function clientError({ httpCode, text, client = {}, origin }: Seen): Error {
		const { name = 'AxiosError', code = httpCode ?? undefined, status } = client;
		const cause = origin && Object.assign(new Error(text), origin);
		return Object.assign(new Error(text, cause && { cause }), {
			name,
			...(code === undefined ? {} : { code }),
			...(name === 'AxiosError' ? { isAxiosError: true } : {}),
			...(status === undefined ? {} : { status, response: { status } }),
		});
	}

	/** n8n's own error, which is all there is on 1.123. */
	function n8nError({ httpCode, text, n8nSays = text }: Seen, cause?: Error): Error {
		return Object.assign(new Error(n8nSays, cause && { cause }), {
			name: 'NodeApiError',
			messages: [text, text],
			httpCode,
			context: {},
			...(n8nSays === text ? {} : { description: text }),
		});
	}

	const FORMS: Array<[form: string, make: (seen: Seen) => unknown]> = [
		['n8n 1.123', (seen) => n8nError(seen)],
		['n8n 2.41', (seen) => n8nError(seen, clientError(seen))],
		['the HTTP client alone', clientError],
	];

	describe.each(FORMS)('%s', (_, make) => {
		test.each(SEEN)('$what', (seen) => {
			const { status, transient, message } = judgeError(make(seen));
			expect({ status, transient }).toEqual({
				status: seen.notSent ? 'notSent' : 'unknown',
				transient: seen.transient,
			});
			// n8n replaces a text with a code by its own, which tells to retry at once.
			expect(message).not.toMatch(/E[A-Z]{4,}|E[A-Z]+_/);
		});
	});

	test('what is certainly not sent concerns the whole service, what is unknown one request', () => {
		for (const seen of SEEN) {
			expect(judgeError(clientError(seen)).general).toBe(seen.notSent === true);
		}
	});

	test.each([
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
		'CERT_HAS_EXPIRED',
		'CERT_NOT_YET_VALID',
		'ERR_TLS_CERT_ALTNAME_INVALID',
	])('a certificate refused as %s: certainly not sent, and not tried again', (code) => {
		const seen = { what: '', httpCode: code, text: 'x', transient: false };
		for (const [, make] of FORMS) {
			expect(judgeError(make(seen))).toMatchObject({
				status: 'notSent',
				transient: false,
				cause: 'configuration-invalid',
			});
		}
	});

	test.each([
		['EHOSTUNREACH', 'read'],
		['ENETUNREACH', 'write'],
		['ETIMEDOUT', undefined],
		['EADDRNOTAVAIL', undefined],
	])('%s of %s, which can come after the request: unknown', (code, syscall) => {
		const error = Object.assign(new Error('x'), { code, ...(syscall ? { syscall } : {}) });
		expect(judgeError(error).status).toBe('unknown');
	});

	test('a service that takes too long, a connection that breaks off, a Stop: told apart', () => {
		const says = (what: RegExp) =>
			judgeError(n8nError(SEEN.find((seen) => what.test(seen.what))!)).message;
		expect(says(/^no answer in time/)).toMatch(/in time/);
		expect(says(/^a reset before or after/)).toMatch(/broke off/);
		expect(says(/cancelled/)).toMatch(/cancelled/);
	});

	const attempt = (code: string, syscall: string) =>
		Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

	test('all addresses of a host tried in vain: certainly not sent', () => {
		for (const [first, second] of [
			['ETIMEDOUT', 'ENETUNREACH'],
			['ECONNREFUSED', 'ECONNREFUSED'],
		]) {
			const all = Object.assign(
				new AggregateError([attempt(first, 'connect'), attempt(second, 'connect')]),
				{ code: first },
			);
			expect(judgeError(all).status).toBe('notSent');
			expect(judgeError(new Error('outer', { cause: all })).status).toBe('notSent');
		}
	});

	test.each(['ETIMEDOUT', 'ECONNREFUSED', 'ENOTFOUND'])(
		'a connection that failed (%s), beside one that broke off: unknown',
		(code) => {
			const error = new AggregateError([
				attempt(code, 'connect'),
				attempt('ECONNRESET', 'read'),
			]);
			expect(judgeError(error).status).toBe('unknown');
		},
	);

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

	test.each<[what: string, error: unknown]>([
		['undefined', undefined],
		['null', null],
		['a text', 'terminated'],
		['a number', 7],
		['an empty object', {}],
		['an object that says nothing', { message: 'terminated' }],
		['an error of a kind of its own', new RangeError('x')],
		['a code that is no text', { code: 7, httpCode: {}, messages: 'connect E' }],
		['a text that only looks like a code', new Error('ECONNREFUSED')],
	])('%s: unknown', (_, error) => {
		expect(judgeError(error)).toMatchObject({ status: 'unknown', general: false });
		expect(judgeError(error).message).toBeTruthy();
	});

	test('whatever it is: never certain without evidence, never an error of its own', () => {
		const text = fc.string({ maxLength: 12 });
		const link = fc.record(
			{
				name: text,
				message: text,
				code: fc.anything(),
				httpCode: fc.anything(),
				syscall: text,
			},
			{ requiredKeys: [] },
		);
		const chain = fc.tuple(link, link).map(([cause, outer]) => ({ ...outer, cause }));
		fc.assert(
			fc.property(fc.oneof(fc.anything(), chain), (error) => {
				expect(judgeError(error).status).toBe('unknown');
			}),
			{ numRuns: 2_000 },
		);
	});

	test('a chain that bites its own tail ends', () => {
		const error = Object.assign(new Error('x'), { code: 'ECONNRESET' });
		error.cause = error;
		expect(judgeError(error).status).toBe('unknown');
	});
});

describe('nothing is there', () => {
	const failureOf = (status: number, body: unknown) => {
		const judged = judgeAnswer({ statusCode: status, headers: {}, body }, readSendReceipt);
		if ('value' in judged) throw new Error('A failure was expected');
		return judged;
	};

	test.each<[status: number, body: unknown]>([
		[404, undefined],
		[404, { status: 404, error: 'Contact not found' }],
		[410, ''],
		[400, { code: 16, error: 'No message' }],
		[404, { code: 47, error: 'No campaign' }],
		[200, { code: 60, error: 'No list' }],
	])('%i with %j', (status, body) => {
		expect(isNothingThere(failureOf(status, body))).toBe(true);
	});

	test.each<[status: number, body: unknown]>([
		[400, undefined],
		[403, undefined],
		[405, undefined],
		[500, ''],
		[200, ''],
		[404, { code: 72, error: 'Key' }],
		[404, { code: 12, error: 'STOP' }],
	])('%i with %j says something else', (status, body) => {
		expect(isNothingThere(failureOf(status, body))).toBe(false);
	});
});

describe('Retry-After (RFC 9110, 10.2.3)', () => {
	const now = Date.UTC(2030, 0, 1, 12);
	test.each<[header: unknown, milliseconds: number | undefined]>([
		['120', 120_000],
		['86399', 86_399_000],
		// A day at most: nobody waits longer.
		['86401', 86_400_000],
		['9'.repeat(400), 86_400_000],
		['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
		['Tuesday, 01-Jan-30 12:00:30 GMT', 30_000],
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
	test.each(['-5', '1.5', 'soon 5', 'in 3', -5, 1.5])('%j says nothing', (header) => {
		expect(parseRetryAfter(header, now)).toBeUndefined();
	});

	test.each<[header: string, says: RegExp]>([
		['9'.repeat(400), /^It asks to wait a day or longer\. Try again after that\./],
		['7', /^It asks to wait 7 seconds\./],
		['-5', /^Try again later\./],
		['1.5', /^Try again later\./],
	])('%s is readable', (header, says) => {
		expect(judge(429, '', { 'retry-after': header }).advice).toMatch(says);
	});
});
