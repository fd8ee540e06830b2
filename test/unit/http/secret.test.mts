/** The key in texts (design, guarantee 9). */
import { describe, expect, test } from 'vitest';
import { cleanData, cleanerOf, receive } from '../../../nodes/shared/http/secret.ts';
import { growsWithSize } from '../../harness/growth.mts';

describe('the key is taken out', () => {
	test.each<[text: string, secret: string, redacted: unknown]>([
		['The key k3y-s3cret is wrong', 'k3y-s3cret', 'The key ***** is wrong'],
		['k3y-s3cret k3y-s3cret', 'k3y-s3cret', '***** *****'],
		['?apiKey=a%2Bb%2Fc%3D%3Dxy', 'a+b/c==xy', '?apiKey=*****'],
		['key a+b/c==xy here', 'a+b/c==xy', 'key ***** here'],
		['nothing here', 'k3y-s3cret', 'nothing here'],
		['anything', '', 'anything'],
		['abc%21DEF%28123%29xyz', 'abc!DEF(123)xyz', '*****'],
		['a %61bc%21DEF%28123)xyz', 'abc!DEF(123)xyz', 'a *****'],
		['?k=abc%2521DEF%2528123%2529xyz&', 'abc!DEF(123)xyz', '?k=*****&'],
		['a%2bb%2fc%3d%3Dxy', 'a+b/c==xy', '*****'],
		['{"k":"a\\\\b\\"cdefgh"}', 'a\\b"cdefgh', '{"k":"*****"}'],
		['ab\\u0026cdefgh', 'ab&cdefgh', '*****'],
		// Escapes in the key itself: each level is looked at.
		['{"k":"a\\\\x41bcdefg"}', 'a\\x41bcdefg', '{"k":"*****"}'],
		['k=a%2541bcdefg&amp;', 'a%41bcdefg', 'k=*****&'],
		['k=a%26amp%3Bbcdefg', 'a&amp;bcdefg', 'k=*****'],
		['ab&amp;cdefgh', 'ab&cdefgh', '*****'],
		// Issue 49, as services, mails and logs write it.
		['k a&#x2B;b&#x2F;c&#x3D;&#61;xy', 'a+b/c==xy', 'k *****'],
		['k a&#43;b&#47;c&#0061;&#x00003d;xy', 'a+b/c==xy', 'k *****'],
		['k a\\x2bb\\/c\\x3D\\u003dxy', 'a+b/c==xy', 'k *****'],
		['k a\\\\u002bb\\\\\\\\u002fc==xy', 'a+b/c==xy', 'k *****'],
		['apiKey=a+b/c=3D=3Dxy', 'a+b/c==xy', 'apiKey=*****'],
		['apiKey=3D41bc=\r\nd=2Befgh', '41bcd+efgh', 'apiKey=*****'],
		['k a&amp;#x2B;b%26%23x2F%3Bc==xy', 'a+b/c==xy', 'k *****'],
		['Basic bWU6YStiL2M9PXh5emE=', 'a+b/c==xyza', 'Basic bWU6*****E='],
		...[0, 1, 2].map(
			(shift) =>
				[
					`<${Buffer.from(`${'~'.repeat(shift)}k3y-s3cret: no`).toString('base64')}>`,
					'k3y-s3cret',
					expect.stringMatching(/^<.{0,4}\*{5}.{1,9}>$/),
				] satisfies [string, string, unknown],
		),
		['url Pj8_Pj8_Pj8_', '>??>??>??', 'url *****'],
		['hex 6B33792D733363726574.', 'k3y-s3cret', 'hex *****.'],
		['a code 12345678901234567000', '12345678901234567890', 'a code *****'],
		['&#27;%1b\\x1b&#x9b;a%2Bb/c==xy', 'a+b/c==xy', '&#27;%1b\\x1b&#x9b;*****'],
		// Nothing but the key is touched, and nothing in other encodings.
		['terc3s-y3k and k3y- s3cret', 'k3y-s3cret', 'terc3s-y3k and k3y- s3cret'],
		[
			'a=41 %41 &amp; \\x41 \\/ a3y-s3cret',
			'k3y-s3cret',
			'a=41 %41 &amp; \\x41 \\/ a3y-s3cret',
		],
		['The host K3Y-S3CRET and k3Y-s3CreT', 'k3y-s3cret', 'The host ***** and *****'],
		// Cut off where a text is too long to be shown.
		['"Bearer k3y-s3cr…"', 'k3y-s3cret', '"Bearer *****…"'],
		['"apiKey=abc%21DE…"', 'abc!DEF(123)xyz', '"apiKey=*****…"'],
		['k3y-s3cr and k3…', 'k3y-s3cret', 'k3y-s3cr and k3…'],
	])('%j without %j', (text, secret, redacted) => {
		expect(cleanerOf(secret)(text)).toEqual(redacted);
	});

	test.each(['s', 'ser', 'service', '', '  ', undefined, null, 42])(
		'%j is too short for a key, and would be found in every other word',
		(secret) => {
			expect(cleanerOf(secret)('The service ser ver')).toBe('The service ser ver');
		},
	);

	test('a key with spaces around it', () => {
		expect(cleanerOf(' k3y-s3cret\n')('The key k3y-s3cret is wrong')).not.toContain(
			'k3y-s3cret',
		);
	});
});

test.each([
	...['\\', '\\u00', '\\u005c', '%25', '%2525', '%', 'a', '&', '&amp;', '&#38;', '&#0', '&#x0'],
	...['=', '=\n', '=\r', '=3d', '=%3d', 'k3y-', 'k3y-s3cre', 'k3y-s3cre…', 'k3y-s3cre%', ' '],
])('a long text of %j is searched in time that grows with its length only', (part) => {
	for (const key of ['k3y-s3cret', 'a\\b"/cd%&<', '%%%%%%%%%%%%', 'aaaaaaaaaaaaab']) {
		const clean = cleanerOf(key);
		const cleaned = (length: number) => clean(part.repeat(length / part.length));
		expect(growsWithSize(cleaned, 100_000), key).toBe(true);
	}
});

describe('an answer, before anything reads it', () => {
	const clean = cleanerOf('k3y-s3cret');
	const read = async (body: unknown) =>
		await receive({ statusCode: 200, headers: {}, body }, clean);

	test('has the key nowhere, in no case, and nothing else is changed', async () => {
		const body = JSON.parse(
			'[{"id":"1","text":"k3y-s3cret","K3Y-S3CRET":[["x K3y-S3cret"]],"__proto__":"k3y-s3cret","n":[1,null,true]}]',
		);
		const headers = { location: 'https://k3y-s3cret.example', 'set-cookie': ['k3y-s3cret'] };
		const answer = await receive({ statusCode: 200, headers, body }, clean);
		expect(JSON.stringify(answer)).not.toMatch(/k3y-s3cret/i);
		expect(JSON.stringify(answer.body)).toContain('"__proto__":"*****"');
		expect(answer.body).toMatchObject([
			{ id: '1', text: '*****', '*****': [['x *****']], n: [1, null, true] },
		]);
		expect((await read('page with k3y-s3cret')).body).toBe('page with *****');
		expect(headers.location).toContain('k3y');
	});

	test('has a key of digits in no number, and keeps the other numbers', async () => {
		const key = '12345678901234567890';
		const body = JSON.parse(`{"code":${key},"list":[${key},"${key}",12345678]}`);
		const answer = { statusCode: 200, headers: {}, body };
		expect((await receive(answer, cleanerOf(key))).body).toEqual({
			code: '*****',
			list: ['*****', '*****', 12345678],
		});
	});

	test('of 200,000 names is read in time that grows with their number only', () => {
		const readNames = (count: number) => {
			const names = Array.from({ length: count }, (_, at) => [`n${at}`, `k3y-s3cret ${at}`]);
			const cleaned = cleanData<object>(Object.fromEntries(names), clean);
			expect(cleaned).toHaveProperty(`n${count - 1}`, `***** ${count - 1}`);
		};
		expect(growsWithSize(readNames, 200_000)).toBe(true);
	});
});
