/** The Test button of the credential: GET /v2/account/stats (interface document 4.6), each outcome told clearly. */
import type { IDataObject, INodeCredentialTestResult } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator, type FaultAction } from '../../simulator/index.mts';
import { pressTest } from '../harness.mts';
import { wire } from './support.mts';

const sim = await useSimulator();
const elsewhere = await useSimulator();

async function press(data: IDataObject = {}): Promise<INodeCredentialTestResult> {
	const usual = { baseUrl: sim.baseUrl, apiKey: sim.apiKey };
	const more = { headerName: 'X-Service-ApiKey', allowHttp: false };
	const result = await pressTest({ ...usual, ...more, ...data });
	expect(result.message).not.toContain(sim.apiKey);
	return result;
}

test('the right key asks for the account statistics, and is told so', async () => {
	expect(await press()).toMatchObject({ status: 'OK' });
	expect(sim.requests).toHaveLength(1);
	const { line, headers, body } = wire(sim.requests[0]);
	expect(line).toBe('GET /v2/account/stats HTTP/1.1');
	expect(headers['x-service-apikey']).toBe(sim.apiKey);
	expect(body).toBe('');
});

test.each<[what: string, data: () => IDataObject]>([
	['a slash at the end', () => ({ baseUrl: ` ${sim.baseUrl}/ ` })],
	['/v2 at the end', () => ({ baseUrl: ` ${sim.baseUrl}/v2 ` })],
	['/v2/ at the end', () => ({ baseUrl: ` ${sim.baseUrl}/v2/ ` })],
	['spaces and a line break around the key', () => ({ apiKey: ` ${sim.apiKey}\n` })],
	['fields of an older version only', () => ({ headerName: undefined, allowHttp: undefined })],
	['a test number', () => ({ manualRuns: 'testNumber', testNumber: '06 39 98 12 34' })],
	['a wrong test number that is not used', () => ({ manualRuns: 'send', testNumber: 'me' })],
])('%s is fine', async (_, data) => {
	expect(await press(data())).toMatchObject({ status: 'OK' });
	expect(wire(sim.requests[0]).line).toBe('GET /v2/account/stats HTTP/1.1');
});

test('the header of a reseller is used', async () => {
	const reseller = await startSimulator({ headerName: 'X-Reseller-Key' });
	const { baseUrl } = reseller;
	const data = { baseUrl, headerName: 'X-Reseller-Key' };
	expect(await press(data)).toMatchObject({ status: 'OK' });
	expect(await press({ baseUrl })).toMatchObject({ status: 'Error' });
	await reseller.close();
});

const testNumber = (number?: string) => () => ({ manualRuns: 'testNumber', testNumber: number });
const NO_NUMBER = /'Test Number' of the credential is empty\. Enter your own/;

type Case = [what: string, data: () => IDataObject, says: RegExp, fault?: FaultAction];
const usual = () => ({});
const CASES: Case[] = [
	[
		'a wrong key',
		() => ({ apiKey: 'another-key' }),
		/^The service refused the API key\. Copy the key again /,
	],
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
	['a website', usual, /an unexpected answer.*web page.*'Base URL'/s, { kind: 'html200' }],
	[
		'a host that knows no such address',
		() => ({ baseUrl: `${sim.baseUrl}/website` }),
		/does not know this address \(HTTP 404\).*'Base URL'/s,
	],
	[
		'a host that redirects elsewhere',
		usual,
		/redirects elsewhere \(to example\.invalid\).*If https:\/\/example\.invalid is right, .*'Base URL'/s,
		{ kind: 'redirect', location: 'https://example.invalid/login' },
	],
	[
		'another service, which answers with JSON',
		usual,
		/an unexpected answer.*'Base URL'/s,
		{ kind: 'json', body: { status: 'ok' } },
	],
	[
		'a host without TLS',
		() => ({ baseUrl: sim.baseUrl.replace('http:', 'https:') }),
		/doesn't speak https:.*'Base URL'/s,
	],
	['a service under repair', usual, /no usable answer.*503/s, { kind: 'status', status: 503 }],
	['a service that is too busy', usual, /no more requests/, { kind: 'tooManyRequests' }],
	['a connection that breaks off', usual, /broke off/, { kind: 'resetBeforeRead' }],
	[
		'a blocked account',
		usual,
		/account is blocked/,
		{ kind: 'json', status: 400, body: { code: 92, error: 'Blocked' } },
	],
	[
		'a service that repeats the key',
		usual,
		/./,
		{
			kind: 'json',
			status: 403,
			body: { code: 4711, error: `The key ${sim.apiKey} is unknown` },
		},
	],
	['no base URL', () => ({ baseUrl: '' }), /'Base URL' of the credential is empty/],
	['no web address', () => ({ baseUrl: 'sms' }), /not a web address/],
	['http:// to the internet', () => ({ baseUrl: 'http://sms.example.com' }), /not encrypted/],
	['no key', () => ({ apiKey: ' ' }), /'API Key' of the credential is empty/],
	['a key in two lines', () => ({ apiKey: 'a\nb' }), /'API Key' of the credential contains/],
	['a header that is none', () => ({ headerName: 'a b' }), /'Header Name' of the credential/],
	['no test number', testNumber(), NO_NUMBER],
	['an empty test number', testNumber(''), NO_NUMBER],
	['a test number that is none', testNumber('me'), /'Test Number' "me" is not a phone number/],
	['a fixed line as the test number', testNumber('01 42 68 53 00'), /'Test Number'/],
];

test.each(CASES)('%s has its own clear message', async (_, data, says, fault) => {
	if (fault) sim.faults.add({ do: fault });
	const { status, message } = await press(data());
	// No OK, no bare code, no text of another case.
	expect(status).toBe('Error');
	expect(message).toMatch(says);
	expect(message).toMatch(/\w+ \w+ .*\. \S+ \S+/s); // what happened, and what to do
	expect(message).not.toMatch(/undefined|\[object/);
	if (says === NO_NUMBER) expect(sim.requests).toEqual([]);
});

test.each([301, 302, 303, 307, 308])('%i takes the key nowhere else', async (status) => {
	const location = `${elsewhere.baseUrl}/v2/account/stats`;
	sim.faults.add({ do: { kind: 'redirect', status, location } });
	expect(await press()).toMatchObject({ status: 'Error' });
	expect(elsewhere.requestCount).toBe(0);
	expect(sim.requests).toHaveLength(1);
});
