/** Checksums (design, guarantee 4). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../nodes/shared/fingerprint.ts';

describe('fingerprint', () => {
	test('is the same for the same values, different for others', () => {
		const values = fc.array(fc.jsonValue());
		fc.assert(
			fc.property(values, values, (a, b) => {
				expect(fingerprint(...structuredClone(a))).toBe(fingerprint(...a));
				if (JSON.stringify(a) !== JSON.stringify(b)) {
					expect(fingerprint(...a)).not.toBe(fingerprint(...b));
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	test('has no collision among 200,000 messages that differ by little', () => {
		const seen = new Set<string | undefined>();
		for (let index = 0; index < 100_000; index++) {
			const number = `+33${600_000_000 + index}`;
			seen.add(fingerprint('POST', '/v2/notification/messages/send', {}, { number }));
			seen.add(fingerprint('POST', '/v2/marketing/messages/send', {}, { number }));
		}
		expect(seen.size).toBe(200_000);
	});

	test('tells values apart that look alike when joined', () => {
		expect(fingerprint('ab', 'c')).not.toBe(fingerprint('a', 'bc'));
		expect(fingerprint(1)).not.toBe(fingerprint('1'));
		expect(fingerprint({ a: 1 })).not.toBe(fingerprint({ a: '1' }));
		expect(fingerprint(undefined)).toBe(fingerprint(undefined));
	});

	test('is short', () => expect(fingerprint('x'.repeat(10_000))).toMatch(/^.{1,12}$/));

	test('is none for what can not be written as JSON', () => {
		const circular: { self?: unknown } = {};
		circular.self = circular;
		expect(fingerprint('a', circular)).toBeUndefined();
		// n8n teaches JSON to write a bigint; this is what one does without that.
		const unwritable = { toJSON: () => JSON.parse('no JSON') as never };
		expect(fingerprint(unwritable)).toBeUndefined();
	});
});
