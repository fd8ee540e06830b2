/** The outcome of a request: design, guarantee 5 (sent, refused, certainly not sent, unknown). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSendReceipt } from '../../../nodes/shared/service/sentMessages.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { judgeAnswer, judgeError } from '../../../nodes/shared/http/judge.ts';
import { parseRetryAfter } from '../../../nodes/shared/http/statuses.ts';
import { isNothingThere } from '../../../nodes/shared/service/errorCodes.ts';

async function judge(
	statusCode: number,
	body: unknown,
	headers: Record<string, unknown> = {},
): Promise<{ value?: unknown } & Partial<Failure>> {
	return await judgeAnswer({ statusCode, headers, body }, readSendReceipt);
}

const RECEIPT = { creditsUsed: 1, snapshotId: '362891' };
const HTML = '<!DOCTYPE html><html><body>Hello</body></html>';

/** Bodies in which nothing of the service can be recognised. */
const MEANINGLESS: unknown[] = [
	...[HTML, undefined, '', 'upstream connect error', '{"creditsUsed":1,"snap'],
	...[{}, { hello: 'world' }, [1, 2], null, 7, { message: 'Internal Server Error' }],
];

type Judged = Partial<Failure>;

describe('2xx', () => {
	test.each([200, 201, 202])('%i with a receipt is sent', async (status) => {
		expect(await judge(status, RECEIPT)).toEqual({ value: RECEIPT });
	});

	test.each<[body: unknown, judged: Judged]>([
		...MEANINGLESS.map((body): [unknown, Judged] => [body, { status: 'unknown' }]),
		[{ creditsUsed: 'many', snapshotId: {} }, { status: 'unknown' }],
		// No receipt, and no certain refusal
		[{ status: 500, error: 'Oops' }, { status: 'unknown' }],
		[
			{ code: 12, error: 'Number is unsubscribed' },
			{ status: 'refused', code: 12, message: 'The recipient has unsubscribed (STOP)' },
		],
	])('200 with %j', async (body, judged) => {
		expect(await judge(200, body)).toMatchObject({
			...judged,
			httpCode: 200,
			transient: false,
		});
	});

	test('204 without a body is unknown: a send answers with a receipt', async () => {
		expect(await judge(204, undefined)).toMatchObject({ status: 'unknown', httpCode: 204 });
	});

	test('a receipt with another status is no success', async () => {
		expect(await judge(400, RECEIPT)).toMatchObject({ status: 'refused', httpCode: 400 });
		expect(await judge(429, RECEIPT)).toMatchObject({ status: 'notSent', httpCode: 429 });
		for (const status of [302, 408, 500, 502, 504]) {
			expect(await judge(status, RECEIPT)).toMatchObject({
				status: 'unknown',
				httpCode: status,
			});
		}
	});

	test('a web page is called one', async () => {
		expect((await judge(200, HTML)).advice).toContain('web page');
		expect((await judge(200, '')).advice).not.toContain('web page');
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
	])('%i: %s, not repeated, and the same for every request', async (status, fate) => {
		const { advice, message, ...rest } = await judge(status, '', {
			location: 'https://evil.example.com/v2/send?apiKey=s3cret',
		});
		expect(rest).toMatchObject({ status: fate, transient: false, concernsAll: true });
		expect(message).toContain('evil.example.com');
		expect(`${message}${advice}`).not.toContain('s3cret');
		expect(advice).toContain("'Base URL'");
		for (const location of [undefined, '', '/elsewhere', 'not a url', 7]) {
			expect((await judge(status, '', { location })).status).toBe(fate);
		}
	});

	test.each([300, 304, 305, 306, 399])('%i leaves open what happened', async (status) => {
		expect(await judge(status, '')).toMatchObject({ status: 'unknown' });
	});
});

describe('4xx and 5xx, whatever the body', () => {
	const KEY = { concernsAll: true, cause: 'credential-invalid' };
	test.each<[statuses: number[], judged: object]>([
		[[400, 402, 406, 409, 410, 413, 415, 422], { status: 'refused', concernsAll: false }],
		[[401], { status: 'refused', message: 'The service refused the API key', ...KEY }],
		// Somebody gave up waiting, which leaves open what happened.
		[[408, 499, 500, 501, 502, 503, 504, 520, 599], { status: 'unknown' }],
	])('%j: %j', async (statuses, judged) => {
		for (const status of statuses) {
			for (const body of [...MEANINGLESS, { status, error: 'Internal Server Error' }]) {
				const transient = (judged as Judged).status === 'unknown';
				expect(await judge(status, body)).toMatchObject({
					...judged,
					httpCode: status,
					transient,
				});
			}
		}
	});
});

describe('4xx', () => {
	const KEY = 'credential-invalid';
	const REFUSED = { status: 'refused', transient: false } as const;
	const PACE = { status: 'notSent', transient: true, cause: 'rate-limited' } as const;
	test.each<[status: number, body: unknown, judged: Judged]>([
		[400, { code: '31', error: 'x' }, { ...REFUSED, code: 31 }],
		// Not enough credits concern the whole account.
		[
			400,
			{ code: 71, error: 'x' },
			{ ...REFUSED, concernsAll: true, cause: 'quota-exhausted' },
		],
		// A code that is not listed is refused all the same: the status is evidence.
		...[4, 400, 1000, 4711].map((code): [number, unknown, Judged] => [
			400,
			{ code, error: 'x' },
			{ ...REFUSED, code },
		]),
		[401, { code: 999, error: 'Sorry' }, { ...REFUSED, concernsAll: true, cause: KEY }],
		[401, { code: 72, error: 'x' }, { ...REFUSED, code: 72, concernsAll: true, cause: KEY }],
		// Which status the service gives with which code is unknown: one recipient is no matter of the key.
		[401, { code: 12, error: 'x' }, { ...REFUSED, concernsAll: false, cause: undefined }],
		[403, { code: 12, error: 'x' }, { ...REFUSED, concernsAll: false, cause: undefined }],
		// A firewall that dislikes one message
		[403, HTML, { ...REFUSED, concernsAll: false, cause: undefined }],
		[403, { status: 403, error: 'x' }, { ...REFUSED, concernsAll: false, cause: KEY }],
		[404, HTML, { ...REFUSED, cause: 'configuration-invalid' }],
		[405, HTML, { ...REFUSED, cause: 'configuration-invalid' }],
		[404, { status: 404, error: 'No contact' }, { said: 'No contact', cause: undefined }],
		[429, 'Too many', { ...PACE, retryAfterMs: undefined }],
		// A matter of pace, but for credits and quota
		[429, { code: 1000, error: 'Slow down' }, PACE],
		[429, { code: 12, error: 'STOP' }, PACE],
		[429, { code: 76, error: 'Quota' }, { ...REFUSED, cause: 'quota-exhausted' }],
		// A permanent redirect with a code that is about the message
		[308, { code: 12, error: 'STOP' }, { ...REFUSED, code: 12, concernsAll: false }],
	])('%i with %j', async (status, body, judged) => {
		expect({ cause: undefined, ...(await judge(status, body)) }).toMatchObject(judged);
	});

	test.each<[status: number, body: unknown, says: string]>([
		[400, { code: 31, error: 'x' }, 'The message has characters that the service refuses'],
		[400, { status: 400, error: 'Bad thing' }, 'Bad thing'],
		[401, { code: 999, error: 'Sorry' }, 'API key'],
		[403, HTML, 'firewall'],
		[403, '', "'API Key'"],
		[404, HTML, "'Base URL'"],
		[405, HTML, "'Base URL'"],
	])('%i with %j says so', async (status, body, says) => {
		const { message, advice } = await judge(status, body);
		expect(`${message} ${advice}`).toContain(says);
	});
});

test.each<[status: number, after: string, judged: Judged]>([
	[429, '7', { status: 'notSent', transient: true, retryAfterMs: 7_000 }],
	[503, '120', { status: 'notSent', transient: true, retryAfterMs: 120_000 }],
	[503, 'soon', { status: 'unknown' }],
	[502, '1', { status: 'unknown' }],
])('%i with Retry-After: %s', async (status, after, judged) => {
	expect(await judge(status, HTML, { 'retry-after': after })).toMatchObject(judged);
});

test('503 with Retry-After and a code about the account is refused', async () => {
	const judged = { status: 'refused', transient: false, cause: 'quota-exhausted' };
	expect(await judge(503, { code: 71, error: 'x' }, { 'retry-after': '1' })).toMatchObject(
		judged,
	);
});

describe('a code on a 2xx or 5xx', () => {
	const STATUSES = [200, 201, 500, 502, 503, 504];

	test.each<[codes: unknown[], status: string]>([
		[[12, 31, 71, 72, '12'], 'refused'],
		// The service itself doesn't know (1000), or it is no code of the service's.
		[[1000, '1000', 4, 0, 99, 200, 500, 503, 504, 4711], 'unknown'],
	])('%j: %s', async (codes, status) => {
		for (const code of codes) {
			for (const httpCode of STATUSES) {
				expect(await judge(httpCode, { code, error: 'x' })).toMatchObject({
					status,
					httpCode,
				});
			}
		}
	});

	test('that repeats the HTTP status is a gateway that speaks JSON', async () => {
		for (const status of [...STATUSES, 599]) {
			expect((await judge(status, { code: status, error: 'x' })).status).toBe('unknown');
		}
	});
});

describe('errors instead of an answer', () => {
	/**
	 * Every way in which n8n's request helper was seen to fail, on n8n 1.123 and 2.41 (POST, json, Node 24): the code of
	 * the original or the status of an answer that began, its text, the system call (`-`: no error of Node), what is
	 * certain, and whether another try may succeed. Both versions give their own error with `httpCode` and the original
	 * text; only 2.41 gives the original too.
	 */
	const LINES = `
		a connection that is refused | ECONNREFUSED | connect ECONNREFUSED 127.0.0.1:40275 | connect | notSent again
		a host that is not found | ENOTFOUND | getaddrinfo ENOTFOUND bad.invalid | getaddrinfo | notSent again
		a name server that does not answer | EAI_AGAIN | getaddrinfo EAI_AGAIN sms.example.com | getaddrinfo | notSent again
		a host that can not be reached | EHOSTUNREACH | connect EHOSTUNREACH 2001:db8::1:81 | connect | notSent again
		a network that can not be reached | ENETUNREACH | connect ENETUNREACH 255.255.255.255:81 - Local (0.0.0.0:0) | connect | notSent again
		a connection that takes longer than the system's own limit | ETIMEDOUT | connect ETIMEDOUT 192.0.2.1:443 | connect | notSent again
		a reset while connecting | ECONNRESET | connect ECONNRESET 127.0.0.1:43853 | connect | notSent again
		no answer in time, whether it began or not, or a connection that hangs | ECONNABORTED | timeout of 700ms exceeded | - | unknown again
		a reset before or after the request was read, or in the handshake | ECONNRESET | read ECONNRESET | read | unknown again
		a connection that is closed without an answer | ECONNRESET | socket hang up | none | unknown again
		a connection that is closed while the request is written | EPIPE | write EPIPE | write | unknown again
		half of a body | 200 ERR_BAD_RESPONSE | stream has been aborted | - | unknown again
		half of the body of a 401 | 401 ERR_BAD_RESPONSE | stream has been aborted | - | unknown again
		half of the body of a 502 | 502 ERR_BAD_RESPONSE | stream has been aborted | - | unknown again
		a body that is said to be compressed and is not | 200 Z_DATA_ERROR | incorrect header check | none | unknown again
		an answer that is no HTTP | HPE_INVALID_CONSTANT | Parse Error: Expected HTTP/, RTSP/ or ICE/ | none | unknown again
		no answer for longer than the system waits | ETIMEDOUT | read ETIMEDOUT | read | unknown again
		plain HTTP behind https | EPROTO | write EPROTO <ssl3_get_record:wrong version number> | write | notSent
		a certificate that nobody vouches for | DEPTH_ZERO_SELF_SIGNED_CERT | self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca | none | notSent
		a connection that is closed in the handshake | ECONNRESET | Client network socket disconnected before secure TLS connection was established | none | notSent
		a client certificate that is missing (TLS 1.2: in the handshake) | EPROTO | write EPROTO <ssl3_read_bytes:ssl/tls alert handshake failure> | write | notSent
		a client certificate that is missing (TLS 1.3: after the request was written) | ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED | <ssl3_read_bytes:tlsv13 alert certificate required> | none | unknown again
		no TLS any more, after the request was read (TLS 1.3) | ERR_SSL_BAD_RECORD_TYPE | <tls13_validate_record_header:bad record type> | none | unknown again
		no TLS any more, after the request was read (TLS 1.2) | ERR_SSL_WRONG_VERSION_NUMBER | <tls_default_validate_record_header:wrong version number> | none | unknown again
		a protocol error that says no more | EPROTO | write EPROTO <ssl3_read_bytes:unexpected message> | write | unknown again
		an execution that is cancelled | ERR_CANCELED | canceled | - | unknown
		an address that is none | ERR_INVALID_URL | Invalid URL | - | notSent
		something that nobody has seen | null | terminated | - | unknown again
	`;
	/** Texts that n8n puts in place of the error's own, by code. */
	const OFFLINE = 'The connection was aborted, perhaps the server is offline';
	const N8N_SAYS: Record<string, string> = {
		ECONNREFUSED: 'The service refused the connection - perhaps it is offline',
		EHOSTUNREACH: 'The host is unreachable, perhaps the server is offline',
		...{ ETIMEDOUT: OFFLINE, ECONNRESET: OFFLINE, ECONNABORTED: OFFLINE },
		401: 'Authorization failed - please check your credentials',
		502: 'Bad gateway - the service failed to handle your request',
	};
	/** Names of errors that are none of the HTTP client's. */
	const NAMES: Record<string, string> = {
		...{ ERR_CANCELED: 'CanceledError', ERR_INVALID_URL: 'TypeError', null: 'TypeError' },
	};
	const ssl = (text: string) =>
		`405D64B7887F0000:error:0A00010B:SSL routines:${text}:../deps/x.c:40:\n`;

	interface Seen {
		what: string;
		httpCode: string;
		/** Of the HTTP client's error. */
		code: string;
		text: string;
		syscall: string;
		status: string;
		transient: boolean;
	}
	const SEEN = LINES.trim()
		.split('\n')
		.map((line): Seen => {
			const [what, codes, typed, syscall, verdict] = line.trim().split(' | ');
			const [httpCode, code = httpCode] = codes.split(' ');
			const text = typed.replace(/<(.*)>/, (_, inner: string) => ssl(inner));
			const [status, again] = verdict.split(' ');
			return { what, httpCode, code, text, syscall, status, transient: again === 'again' };
		});

	/** An error of the HTTP client, as both versions give it where a node calls it by itself. */
	function clientError({ httpCode, code, text, syscall }: Seen): Error {
		const name = NAMES[code] ?? 'AxiosError';
		const origin = syscall === 'none' ? { code } : { code, syscall };
		const cause = syscall === '-' ? undefined : Object.assign(new Error(text), origin);
		const status = Number(httpCode);
		return Object.assign(new Error(text, cause && { cause }), {
			name,
			...(code === 'null' ? {} : { code }),
			...(name === 'AxiosError' ? { isAxiosError: true } : {}),
			...(status > 0 ? { status, response: { status } } : {}),
		});
	}

	/** n8n's own error, which is all there is on 1.123. */
	function n8nError({ httpCode, text }: Seen, cause?: Error): Error {
		const says = N8N_SAYS[httpCode] ?? text;
		return Object.assign(new Error(says, cause && { cause }), {
			name: 'NodeApiError',
			messages: [text, text],
			httpCode: httpCode === 'null' ? null : httpCode,
			context: {},
			...(says === text ? {} : { description: text }),
		});
	}

	const FORMS: Array<[form: string, make: (seen: Seen) => unknown]> = [
		['n8n 1.123', (seen) => n8nError(seen)],
		['n8n 2.41', (seen) => n8nError(seen, clientError(seen))],
		['the HTTP client alone', clientError],
	];

	describe.each(FORMS)('%s', (_, make) => {
		test.each(SEEN)('$what', (seen) => {
			const { message, ...judged } = judgeError(make(seen));
			expect(judged).toMatchObject({ status: seen.status, transient: seen.transient });
			// n8n replaces a text with a code by its own, which tells to retry at once.
			expect(message).not.toMatch(/E[A-Z]{4,}|E[A-Z]+_/);
		});
	});

	test('what is certainly not sent concerns the whole service, what is unknown one request', () => {
		for (const seen of SEEN) {
			expect(judgeError(clientError(seen)).concernsAll).toBe(seen.status === 'notSent');
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
		for (const [, make] of FORMS) {
			expect(
				judgeError(make({ ...SEEN[0], httpCode: code, code, text: 'x', syscall: '-' })),
			).toMatchObject({
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
		expect(judgeError(error)).toMatchObject({ status: 'unknown', concernsAll: false });
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
	const failureOf = async (status: number, body: unknown) => {
		const judged = await judgeAnswer(
			{ statusCode: status, headers: {}, body },
			readSendReceipt,
		);
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
	])('%i with %j', async (status, body) => {
		expect(isNothingThere(await failureOf(status, body))).toBe(true);
	});

	test.each<[status: number, body: unknown]>([
		[400, undefined],
		[403, undefined],
		[405, undefined],
		[500, ''],
		[200, ''],
		[404, { code: 72, error: 'Key' }],
		[404, { code: 12, error: 'STOP' }],
	])('%i with %j says something else', async (status, body) => {
		expect(isNothingThere(await failureOf(status, body))).toBe(false);
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
	])('%s is readable', async (header, says) => {
		expect((await judge(429, '', { 'retry-after': header })).advice).toMatch(says);
	});
});
