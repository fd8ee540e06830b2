/** The base URL of the credential: what people paste, and when http:// is refused (design). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { parseBaseUrl } from '../../../nodes/shared/http/baseUrl.ts';

test.each([
	['https://sms.example.com', 'https://sms.example.com'],
	['https://sms.example.com/', 'https://sms.example.com'],
	['https://sms.example.com///', 'https://sms.example.com'],
	['  https://sms.example.com \n', 'https://sms.example.com'],
	['\u00a0https://sms.example.com\u00a0', 'https://sms.example.com'],
	['https://sms.example.com/v2', 'https://sms.example.com'],
	['https://sms.example.com/v2/', 'https://sms.example.com'],
	['https://sms.example.com/V2//', 'https://sms.example.com'],
	['HTTPS://SMS.Example.COM/V2', 'https://sms.example.com'],
	['https://sms.example.com:8443/v2', 'https://sms.example.com:8443'],
	['https://sms.example.com:443', 'https://sms.example.com'],
	['https://example.com/sms/api', 'https://example.com/sms/api'],
	['https://example.com/sms/api/v2/', 'https://example.com/sms/api'],
	['https://example.com/myv2', 'https://example.com/myv2'],
	['https://example.com/v2/sms', 'https://example.com/v2/sms'],
	['https://v2', 'https://v2'],
	['sms.example.com', 'https://sms.example.com'],
	[' sms.example.com/v2/ ', 'https://sms.example.com'],
	['SMS.example.com:8443/api', 'https://sms.example.com:8443/api'],
	['https://192.0.2.1', 'https://192.0.2.1'],
	// Copied from a page, a chat or a table.
	['\ufeffhttps://sms.example.com\u200b', 'https://sms.example.com'],
	['https://sms.\u00adexample.com/\u200d', 'https://sms.example.com'],
	['\u202ahttps://sms.example.com\u202c', 'https://sms.example.com'],
	['sms.example\u2060.com\ufe0f/v2\u200e', 'https://sms.example.com'],
	['https://[2001:db8::1]/v2', 'https://[2001:db8::1]'],
])('%j', (typed, parsed) => {
	expect(parseBaseUrl(typed)).toBe(parsed);
	expect(parseBaseUrl(parsed)).toBe(parsed);
});

describe('http:// to a host that the internet can not reach', () => {
	test.each([
		'http://localhost:8080',
		'http://LOCALHOST.',
		'http://sms.localhost',
		'http://127.0.0.1:3000',
		'http://127.1',
		'http://127.255.255.254',
		'http://[::1]:3000',
		'http://10.0.0.1',
		'http://10.255.255.255',
		'http://172.16.0.1',
		'http://172.31.255.254',
		'http://192.168.1.10',
		'http://169.254.10.10',
		'http://[fd12:3456::1]',
		'http://[fc00::1]',
		'http://[fe80::1]',
		'http://[::ffff:127.0.0.1]',
		'http://[::ffff:10.1.2.3]',
		'http://[::ffff:192.168.1.1]',
		'http://[::ffff:172.20.0.1]',
		'http://simulator',
		'http://simulator:8080/prefix',
		'http://sms.internal',
		'http://sms.local',
		'http://sms.lan',
	])('%s is taken', (typed) => {
		expect(parseBaseUrl(typed)).toMatch(/^http:\/\//);
	});
});

describe('http:// to a public host', () => {
	const PUBLIC = [
		// Names of countries can have a website; clouds hand out secrets at these addresses.
		'http://ai',
		'http://ws.',
		'http://169.254.169.254',
		'http://2852039166',
		'http://[::ffff:169.254.169.254]',
		'http://[fd00:ec2::254]',
		'http://[fc::1]',
		'http://[fd::1]',
		'http://[fe8::1]',
		'http://[fdf::]',
		'http://sms.example.com',
		'http://192.0.2.1',
		'http://11.0.0.1',
		'http://172.15.0.1',
		'http://172.32.0.1',
		'http://192.169.1.1',
		'http://169.253.1.1',
		'http://128.0.0.1',
		'http://[2001:db8::1]',
		'http://[::ffff:192.0.2.1]',
		'http://127.0.0.1.example.com',
		'http://localhost.example.com',
		'http://10.example.com',
		'http://mylocalhost.com',
		'http://fd12.example.com',
		'http://0.0.0.0',
	];
	test.each(PUBLIC)('%s is refused', (typed) => {
		expect(() => parseBaseUrl(typed)).toThrowError(InputError);
		expect(() => parseBaseUrl(typed)).toThrowError(/not encrypted \(http:\/\/\)/);
	});

	test.each(PUBLIC)('%s is taken when the credential allows it', (typed) => {
		expect(parseBaseUrl(typed, true)).toMatch(/^http:\/\//);
	});
});

describe('what is no base URL', () => {
	test.each<[typed: unknown, says: RegExp]>([
		['', /is empty/],
		['   ', /is empty/],
		[undefined, /is empty/],
		[null, /is empty/],
		[42, /is empty/],
		['sms', /is not a web address$/],
		['\u200b \ufeff', /is empty/],
		[`https://sms.example.com/${'/'.repeat(100_000)}v2`, /is not a web address$/],
		['//sms.example.com', /is not a web address/],
		['https://', /is not a web address/],
		['https:// sms.example.com', /is not a web address/],
		['not a url', /is not a web address/],
		['ftp://sms.example.com', /doesn't start with https:\/\//],
		['file:///etc/hosts', /doesn't start with https:\/\//],
		['javascript:alert(1)', /doesn't start with https:/],
		// Whether they speak http:// or https:// is for the user to say.
		['localhost:8080', /doesn't start with https:/],
		['sms.internal:8080', /doesn't start with https:/],
		['127.0.0.1:4010', /doesn't start with https:\/\/ or http:\/\/$/],
		['https://user:secret@sms.example.com', /username or password/],
		['https://user@sms.example.com', /username or password/],
		['https://sms.example.com?apiKey=abc', /contains a \? or #/],
		['https://sms.example.com/v2?x=1', /contains a \? or #/],
		['https://sms.example.com/#top', /contains a \? or #/],
	])('%j', (typed, says) => {
		for (const allowHttp of [false, true]) {
			expect(() => parseBaseUrl(typed, allowHttp)).toThrowError(says);
			expect(() => parseBaseUrl(typed, allowHttp)).toThrowError(
				/^'Base URL' of the credential/,
			);
			expect(() => parseBaseUrl(typed, allowHttp)).toThrowError(InputError);
		}
	});

	test.each([
		'https://user:hunter2@sms.example.com',
		'https://user:hunter2@host:99999',
		'localhost:4010/?password=hunter2',
		'ftp://user:hunter2@sms.example.com',
		'user:hunter2@sms.example.com',
		'hunter2',
		'sms.example.com/?key=hunter2',
		'http://sms.example.com/hunter2',
	])('%s: nothing of it is repeated', (typed) => {
		expect.assertions(1);
		try {
			parseBaseUrl(typed);
		} catch (error) {
			const { message, description } = error as InputError;
			expect(`${message} ${description}`).not.toMatch(/hunter2|4010|99999/);
		}
	});
});
