/** The key in texts (design, guarantee 8). */
import { describe, expect, test } from 'vitest';
import { cleanerOf } from '../../../nodes/shared/http/secret.ts';

describe('the key is taken out', () => {
	test.each([
		['The key k3y-s3cret is wrong', 'k3y-s3cret', 'The key ***** is wrong'],
		['k3y-s3cret k3y-s3cret', 'k3y-s3cret', '***** *****'],
		['?apiKey=a%2Bb%2Fc%3D%3D', 'a+b/c==', '?apiKey=*****'],
		['key a+b/c== here', 'a+b/c==', 'key ***** here'],
		['nothing here', 'k3y-s3cret', 'nothing here'],
		['anything', '', 'anything'],
		['abc%21DEF%28123%29xyz', 'abc!DEF(123)xyz', '*****'],
		['a %61bc%21DEF%28123)xyz', 'abc!DEF(123)xyz', 'a *****'],
		['?k=abc%2521DEF%2528123%2529xyz&', 'abc!DEF(123)xyz', '?k=*****&'],
		['a%2bb%2fc%3d%3D', 'a+b/c==', '*****'],
		['{"k":"a\\\\b\\"cd"}', 'a\\b"cd', '{"k":"*****"}'],
		['ab\\u0026cd', 'ab&cd', '*****'],
		['ab&amp;cd', 'ab&cd', '*****'],
	])('%j without %j', (text, secret, redacted) => {
		expect(cleanerOf(secret)(text)).toBe(redacted);
	});

	test.each(['s', 'er', 'ser', '', '  ', undefined, null, 42])(
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
