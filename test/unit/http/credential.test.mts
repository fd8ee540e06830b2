/** The key: interface document, section 5, and design ("The key never leaves except …"). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { authenticateRequest } from '../../../nodes/shared/http/credential.ts';

const CREDENTIAL = { baseUrl: 'https://sms.example.com/v2/', apiKey: 'k3y-s3cret' };
const REQUEST = {
	method: 'GET',
	url: '/v2/account/stats',
	headers: { Accept: 'application/json' },
};

const refused = (credential: object, request: object, says: RegExp) => {
	const attempt = () => authenticateRequest({ ...CREDENTIAL, ...credential }, request);
	expect(attempt).toThrowError(InputError);
	expect(attempt).toThrowError(says);
	expect(attempt).not.toThrowError(/k3y|top|secret|clé/);
};

describe('the credential', () => {
	const KEY = { 'X-Service-ApiKey': 'k3y-s3cret' };
	test.each<[credential: object, header: object]>([
		[{ headerName: undefined }, KEY],
		[{ headerName: '  ' }, KEY],
		[{ headerName: null }, KEY],
		[{ headerName: ' X-Reseller-Key ' }, { 'X-Reseller-Key': 'k3y-s3cret' }],
		[{ apiKey: ' k3y-s3cret' }, KEY],
		[{ apiKey: '\t k3y-s3cret \r\n' }, KEY],
		[{ apiKey: '\u00a0k3y-s3cret' }, KEY],
	])('%j gives the header %j', (credential, header) => {
		const { headers } = authenticateRequest({ ...CREDENTIAL, ...credential }, REQUEST);
		expect(headers).toEqual({ Accept: 'application/json', ...header });
	});

	const NAMES = ['X Key', 'X-Key:', 'X-Key: k3y-s3cret', 'X-Key\r\nEvil: 1', 'Clé', '(X)', 'a,b'];
	const UNFIT = [
		'top secret',
		'top\nsecret',
		'top\r\nX-Evil: 1',
		'top\u00a0secret',
		'clé',
		'top\0',
	];
	test.each<[field: string, values: unknown[], says: RegExp]>([
		['headerName', NAMES, /^'Header Name' of the credential is not a valid header name$/],
		['apiKey', ['', '   ', undefined, null, 42, {}], /'API Key' of the credential is empty/],
		['apiKey', ['k3y', '1234567', ' 1234567\n'], /'API Key' of .* is too short$/],
		['apiKey', UNFIT, /'API Key' of .* contains a character that a key can't have$/],
	])('%s: %j is refused, and not repeated', (field, values, says) => {
		for (const value of values) refused({ [field]: value }, REQUEST, says);
	});
});

describe('the address', () => {
	test('is below the path of the base URL', () => {
		const credential = { ...CREDENTIAL, baseUrl: 'https://example.com/sms/v2' };
		expect(authenticateRequest(credential, REQUEST).url).toBe(
			'https://example.com/sms/v2/account/stats',
		);
	});

	test('may be complete where it is of the same host', () => {
		const url = 'https://sms.example.com/v2/lists/';
		expect(authenticateRequest(CREDENTIAL, { url }).url).toBe(url);
	});

	test.each([
		'https://evil.example.com/v2/account/stats',
		'https://sms.example.com.evil.com/v2',
		'http://sms.example.com/v2/account/stats',
		'https://sms.example.com:8443/v2/account/stats',
		'https://sms.example.com@evil.com/v2',
		'ftp://sms.example.com/v2',
		'https:evil.example.com',
		'https:\\\\evil.example.com/',
		'HTTPS:evil.example.com/v2',
		' https://evil.example.com/',
	])('of another origin is refused: %s', (url) => refused({}, { url }, /isn't on the host/));

	test('is asked for where there is none', () => refused({}, { url: ' ' }, /has no address/));

	test('that begins with two slashes stays on the host', () => {
		const { url } = authenticateRequest(CREDENTIAL, { url: '//evil.example.com/v2' });
		expect(new URL(url).host).toBe('sms.example.com');
	});

	test('overrides another base URL', () => {
		const { baseURL } = authenticateRequest(CREDENTIAL, {
			...REQUEST,
			baseURL: 'https://evil.example.com',
		});
		expect(baseURL).toBeUndefined();
	});

	test('is checked as the credential has it', () => {
		const http = { baseUrl: 'http://sms.example.com' };
		for (const allowHttp of [undefined, 'true', 1, {}]) {
			refused({ ...http, allowHttp }, REQUEST, /not encrypted/);
		}
		const { url } = authenticateRequest({ ...CREDENTIAL, ...http, allowHttp: true }, REQUEST);
		expect(url).toBe('http://sms.example.com/v2/account/stats');
	});
});

describe('Ignore SSL Issues', () => {
	const IGNORED = { skipSslCertificateValidation: true, rejectUnauthorized: false };

	test('is set in both forms of a request, by exactly true in the credential', () => {
		const given = { ...CREDENTIAL, allowUnauthorizedCerts: true };
		expect(authenticateRequest(given, REQUEST)).toMatchObject(IGNORED);
		for (const allowUnauthorizedCerts of [undefined, false, 'true', 1, {}]) {
			const request = authenticateRequest({ ...CREDENTIAL, allowUnauthorizedCerts }, REQUEST);
			for (const name of Object.keys(IGNORED)) expect(request).not.toHaveProperty(name);
		}
	});

	const proxy = { host: 'proxy.example.com', port: 3128, protocol: 'http' };
	// n8n's HTTP Request node puts its SSL Certificates into `agentOptions`, in the older form of a request.
	test.each<[what: string, credential: object, request: object, says: RegExp]>([
		['of the credential', { allowUnauthorizedCerts: true }, {}, /'Ignore SSL Issues'$/],
		['of a request', {}, { skipSslCertificateValidation: true }, /'Ignore SSL Issues'$/],
		['of an older request', {}, { rejectUnauthorized: false }, /'Ignore SSL Issues'$/],
		['as an option', {}, { agentOptions: { rejectUnauthorized: false } }, /SSL Issues'$/],
		['left off, and http://', { baseUrl: 'http://localhost:4010' }, {}, /with http:\/\/ or/],
		['and http:// allowed', { baseUrl: 'http://a.example', allowHttp: true }, {}, /http/],
		['and a CA', {}, { agentOptions: { cert: 'x', key: 'x', ca: ['PEM'] } }, /'Proxy' .* a CA/],
	])('%s: a proxy could read the key', (_, credential, request, says) => {
		for (const by of [proxy, 'http://proxy.example.com:3128']) {
			refused(credential, { ...REQUEST, ...request, proxy: by }, says);
			refused(credential, { uri: '/v2/account/stats', ...request, proxy: by }, says);
		}
	});

	const LEADING =
		'pfx checkServerIdentity secureContext servername host port socketPath path lookup';
	test.each<[name: string, request: object]>([
		...`${LEADING} createConnection secureOptions`
			.split(' ')
			.map((name): [string, object] => [name, { agentOptions: { [name]: 'x' } }]),
		...['agent', 'httpAgent', 'httpsAgent', 'socketPath', 'ca', 'pfx'].map(
			(name): [string, object] => [name, { [name]: 'x' }],
		),
	])(
		'%s of a request leads elsewhere, and is refused with a proxy or without',
		(name, request) => {
			for (const by of [undefined, proxy])
				refused({}, { ...REQUEST, ...request, proxy: by }, new RegExp(`\\(${name}\\)$`));
		},
	);

	test('a client certificate is passed on, also with a proxy, and a CA without one', () => {
		const own = { cert: 'PEM', key: 'PEM', passphrase: 'x' };
		for (const request of [
			{ agentOptions: own, proxy },
			{ agentOptions: { ...own, ca: 'PEM' } },
			{ agentOptions: { ...own, ca: '' }, proxy },
		])
			expect(authenticateRequest(CREDENTIAL, { ...REQUEST, ...request })).toMatchObject(
				request,
			);
	});
});

test('a request can not have redirects followed', () => {
	const request = { ...REQUEST, disableFollowRedirect: false };
	expect(authenticateRequest(CREDENTIAL, request).disableFollowRedirect).toBe(true);
});

test('in the older form of a request, `uri` is its address, and redirects have other names', () => {
	const { url: uri, ...rest } = REQUEST;
	const request = authenticateRequest(CREDENTIAL, { ...rest, uri, url: 'https://else.example' });
	expect(request).toMatchObject({
		uri: 'https://sms.example.com/v2/account/stats',
		url: undefined,
		followRedirect: false,
		followAllRedirects: false,
		headers: { 'X-Service-ApiKey': 'k3y-s3cret' },
	});
	expect(() =>
		authenticateRequest(CREDENTIAL, { ...rest, uri: 'https://else.example/v2/account/stats' }),
	).toThrowError(InputError);
});

test('the request that was given stays as it was, without the key', () => {
	const request = Object.freeze({
		...REQUEST,
		headers: Object.freeze({ Accept: 'application/json' }),
		qs: Object.freeze({ apiKey: '' }),
	});
	const before = JSON.stringify(request);
	authenticateRequest(CREDENTIAL, request);
	authenticateRequest(CREDENTIAL, { ...request, qs: undefined });
	expect(JSON.stringify(request)).toBe(before);
});
