/** The base URL of the credential: what people paste, and when http:// is refused (design). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { parseBaseUrl } from '../../../nodes/shared/http/baseUrl.ts';

/** Base URLs as people paste them, from a page, a chat or a table too; separated by ` | `. */
const PASTED: Record<string, string> = {
	'https://sms.example.com':
		'https://sms.example.com | https://sms.example.com/ | https://sms.example.com/// |   https://sms.example.com \n | \u00a0https://sms.example.com\u00a0 | https://sms.example.com/v2 | https://sms.example.com/v2/ | https://sms.example.com/V2// | HTTPS://SMS.Example.COM/V2 | https://sms.example.com:443 | sms.example.com |  sms.example.com/v2/  | \ufeffhttps://sms.example.com\u200b | https://sms.\u00adexample.com/\u200d | \u202ahttps://sms.example.com\u202c | sms.example\u2060.com\ufe0f/v2\u200e',
	'https://sms.example.com:8443': 'https://sms.example.com:8443/v2',
	'https://sms.example.com:8443/api': 'SMS.example.com:8443/api',
	'https://example.com/sms/api': 'https://example.com/sms/api | https://example.com/sms/api/v2/',
	'https://example.com/myv2': 'https://example.com/myv2',
	'https://example.com/v2/sms': 'https://example.com/v2/sms',
	'https://v2': 'https://v2',
	'https://192.0.2.1': 'https://192.0.2.1',
	'https://[2001:db8::1]': 'https://[2001:db8::1]/v2',
};
const rows = Object.entries(PASTED).flatMap(([parsed, typed]) =>
	typed.split(' | ').map((text) => [text, parsed] as const),
);
test.each(rows)('%j', (typed, parsed) => {
	expect(parseBaseUrl(typed)).toBe(parsed);
	expect(parseBaseUrl(parsed)).toBe(parsed);
});

const PRIVATE =
	'localhost:8080 LOCALHOST. sms.localhost 127.0.0.1:3000 127.1 127.255.255.254 [::1]:3000 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.1.10 169.254.10.10 [fd12:3456::1] [fc00::1] [fe80::1] [::ffff:127.0.0.1] [::ffff:10.1.2.3] [::ffff:192.168.1.1] [::ffff:172.20.0.1] simulator simulator:8080/prefix sms.internal sms.local sms.lan';
test.each(PRIVATE.split(' '))('http://%s, which the internet can not reach, is taken', (host) => {
	expect(parseBaseUrl(`http://${host}`)).toMatch(/^http:\/\//);
});

// Names of countries can have a website; clouds hand out secrets at some addresses.
const PUBLIC =
	'ai ws. com. museum. sms-service. 169.254.169.254 2852039166 [::ffff:169.254.169.254] [fd00:ec2::254] [fc::1] [fd::1] [fe8::1] [fdf::] sms.example.com 192.0.2.1 11.0.0.1 172.15.0.1 172.32.0.1 192.169.1.1 169.253.1.1 128.0.0.1 [2001:db8::1] [::ffff:192.0.2.1] 127.0.0.1.example.com localhost.example.com 10.example.com mylocalhost.com fd12.example.com 0.0.0.0';
test.each(PUBLIC.split(' '))('http://%s is taken only when the credential allows it', (host) => {
	expect(() => parseBaseUrl(`http://${host}`)).toThrowError(InputError);
	expect(() => parseBaseUrl(`http://${host}`)).toThrowError(/not encrypted \(http:\/\/\)/);
	expect(parseBaseUrl(`http://${host}`, true)).toMatch(/^http:\/\//);
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
		// The user says whether they speak http:// or https://.
		['localhost:8080', /doesn't start with https:/],
		['sms.internal:8080', /doesn't start with https:/],
		['127.0.0.1:4010', /is not a web address/],
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
