/** The Test button of the credential: GET /v2/account/stats (interface document 4.6), each outcome told clearly. */
import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator, type FaultAction } from '../../simulator/index.mts';
import { additionalData, core, loadNode } from '../harness.mts';
import { wire } from './support.mts';

const sim = await useSimulator();
const elsewhere = await useSimulator();

/** Runs it as n8n's credential tester does: the function that the node names, in n8n's own context. */
async function press(data: Record<string, unknown>): Promise<INodeCredentialTestResult> {
	const node = loadNode('Sms');
	const name = node.description.credentials![0].testedBy as string;
	const context = new core.CredentialTestContext(additionalData({ credential: {} }));
	const credential: ICredentialsDecrypted = {
		id: '1',
		name: 'SMS',
		type: 'smsServiceApi',
		data: {
			baseUrl: sim.baseUrl,
			apiKey: sim.apiKey,
			headerName: 'X-Service-ApiKey',
			allowHttp: false,
			...data,
		} as never,
	};
	const result = await node.methods!.credentialTest![name].call(context as never, credential);
	expect(result.message).not.toContain(sim.apiKey);
	return result;
}

describe('Send to a Test Number', () => {
	const pressWith = (testNumber?: string) => press({ manualRuns: 'testNumber', testNumber });

	test.each([
		[
			'without a number',
			undefined,
			/'Test Number' of the credential is empty\. Enter your own/,
		],
		['with an empty one', '', /'Test Number' of the credential is empty\. Enter your own/],
		['with what is no number', 'me', /'Test Number' "me" is not a phone number/],
		['with a fixed line', '01 42 68 53 00', /'Test Number'/],
	])('%s is told before a run tells it', async (_, testNumber, says) => {
		const { status, message } = await pressWith(testNumber);
		expect(status).toBe('Error');
		expect(message).toMatch(says);
		expect(sim.requests).toEqual([]);
	});

	test('with a number is fine', async () => {
		expect(await pressWith('06 39 98 12 34')).toMatchObject({ status: 'OK' });
	});

	test('a number that is left from before does not matter', async () => {
		expect(await press({ manualRuns: 'send', testNumber: 'me' })).toMatchObject({
			status: 'OK',
		});
	});
});

test('a refused key says first to copy it again', async () => {
	const { message } = await press({ apiKey: 'wrong-key-0123' });
	expect(message).toMatch(/^The service refused the API key\. Copy the key again /);
});

describe('the right key', () => {
	test('asks for the account statistics, and is told so', async () => {
		expect(await press({})).toMatchObject({ status: 'OK' });
		expect(sim.requests).toHaveLength(1);
		const { line, headers, body } = wire(sim.requests[0]);
		expect(line).toBe('GET /v2/account/stats HTTP/1.1');
		expect(headers['x-service-apikey']).toBe(sim.apiKey);
		expect(body).toBe('');
	});

	test.each([
		['a slash at the end', '/'],
		['/v2 at the end', '/v2'],
		['/v2/ at the end', '/v2/'],
	])('with %s', async (_, end) => {
		expect(await press({ baseUrl: ` ${sim.baseUrl}${end} ` })).toMatchObject({ status: 'OK' });
		expect(wire(sim.requests[0]).line).toBe('GET /v2/account/stats HTTP/1.1');
	});

	test('with spaces and a line break around the key', async () => {
		expect(await press({ apiKey: ` ${sim.apiKey}\n` })).toMatchObject({ status: 'OK' });
	});

	test('with the header of a reseller', async () => {
		const reseller = await startSimulator({ headerName: 'X-Reseller-Key' });
		try {
			const { baseUrl } = reseller;
			expect(await press({ baseUrl, headerName: 'X-Reseller-Key' })).toMatchObject({
				status: 'OK',
			});
			expect(await press({ baseUrl })).toMatchObject({ status: 'Error' });
		} finally {
			await reseller.close();
		}
	});

	test('in a credential of an older version, which lacks the later fields', async () => {
		expect(await press({ headerName: undefined, allowHttp: undefined })).toMatchObject({
			status: 'OK',
		});
	});
});

/** What must not happen: an OK, a bare code, the text of another case. */
async function refusal(data: Record<string, unknown>): Promise<string> {
	const { status, message } = await press(data);
	expect(status).toBe('Error');
	expect(message).toMatch(/\w+ \w+ .*\. \S+ \S+/s); // what happened, and what to do
	expect(message).not.toMatch(/undefined|\[object/);
	return message;
}

const CASES: Array<
	[what: string, data: () => Record<string, unknown>, says: RegExp, fault?: FaultAction]
> = [
	['a wrong key', () => ({ apiKey: 'another-key' }), /refused the API key/],
	['a wrong header', () => ({ headerName: 'X-Other' }), /refused the API key/],
	[
		'a wrong port',
		() => ({ baseUrl: 'http://127.0.0.1:1' }),
		/refused the connection.*'Base URL'/s,
	],
	[
		'a host that does not exist',
		() => ({ baseUrl: 'https://sms.example.invalid' }),
		/host of the service (was not found|could not be looked up).*'Base URL'/s,
	],
	[
		'a website instead of the API',
		() => ({}),
		/an unexpected answer.*web page.*'Base URL'/s,
		{ kind: 'html200' },
	],
	[
		'a host that answers, but knows no such address',
		() => ({ baseUrl: `${sim.baseUrl}/website` }),
		/does not know this address \(HTTP 404\).*'Base URL'/s,
	],
	[
		'a host that redirects elsewhere',
		() => ({}),
		/redirects elsewhere \(to example\.invalid\).*If https:\/\/example\.invalid is right, .*'Base URL'/s,
		{ kind: 'redirect', location: 'https://example.invalid/login' },
	],
	[
		'another service, which answers with JSON',
		() => ({}),
		/an unexpected answer.*'Base URL'/s,
		{ kind: 'json', body: { status: 'ok' } },
	],
	[
		'a host without TLS',
		() => ({ baseUrl: sim.baseUrl.replace('http:', 'https:') }),
		/doesn't speak https:.*'Base URL'/s,
	],
	[
		'a service under repair',
		() => ({}),
		/no usable answer.*503/s,
		{ kind: 'status', status: 503 },
	],
	['a service that is too busy', () => ({}), /no more requests/, { kind: 'tooManyRequests' }],
	['a connection that breaks off', () => ({}), /broke off/, { kind: 'resetBeforeRead' }],
	[
		'a blocked account',
		() => ({}),
		/account is blocked/,
		{ kind: 'json', status: 400, body: { code: 92, error: 'Blocked' } },
	],
	['no base URL', () => ({ baseUrl: '' }), /'Base URL' of the credential is empty/],
	['no web address', () => ({ baseUrl: 'sms' }), /not a web address/],
	['http:// to the internet', () => ({ baseUrl: 'http://sms.example.com' }), /not encrypted/],
	['no key', () => ({ apiKey: ' ' }), /'API Key' of the credential is empty/],
	[
		'a key in two lines',
		() => ({ apiKey: 'a\nb' }),
		/'API Key' of the credential is too short, or contains/,
	],
	['a header that is none', () => ({ headerName: 'a b' }), /'Header Name' of the credential/],
];

describe('each other outcome has its own clear message', () => {
	test.each(CASES)('%s', async (_, data, says, fault) => {
		if (fault) sim.faults.add({ do: fault });
		expect(await refusal(data())).toMatch(says);
	});
});

describe('the key goes nowhere else', () => {
	test.each([301, 302, 303, 307, 308])('on a redirect with %i', async (status) => {
		const location = `${elsewhere.baseUrl}/v2/account/stats`;
		sim.faults.add({ do: { kind: 'redirect', status, location } });
		expect(await press({})).toMatchObject({ status: 'Error' });
		expect(elsewhere.requestCount).toBe(0);
		expect(sim.requests).toHaveLength(1);
	});

	test('nor into the message when the service repeats it', async () => {
		sim.faults.add({
			do: {
				kind: 'json',
				status: 403,
				body: { code: 4711, error: `The key ${sim.apiKey} is unknown` },
			},
		});
		await refusal({});
	});
});
