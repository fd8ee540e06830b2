/** Receipts (design, guarantee 4), and checksums. */
import fc from 'fast-check';
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../nodes/shared/run/fingerprint.ts';
import { Receipts } from '../../../nodes/shared/run/Receipts.ts';

/** What n8n does with the context between tries of "Retry execution". */
const stored = (context: IContextObject) => JSON.parse(JSON.stringify(context)) as IContextObject;

const SENT = { sent: 'a', intent: 'p' };
const KEPT = { creditsUsed: 1, snapshotId: '362891' };

describe('receipts', () => {
	test('what was accepted is found again, also after a storage', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		expect(receipts.find('0', SENT)).toBeUndefined();
		receipts.noteUnknown('0', SENT);
		receipts.noteAccepted('0', SENT, KEPT);
		for (const book of [context, stored(context)]) {
			expect(new Receipts(book, 0).find('0', SENT)).toEqual({
				state: 'accepted',
				kept: KEPT,
			});
		}
	});

	test('what was begun and never answered is unknown', () => {
		const context: IContextObject = {};
		new Receipts(context, 0).noteUnknown('0', SENT);
		expect(new Receipts(stored(context), 0).find('0', SENT)).toEqual({ state: 'unknown' });
	});

	test('what certainly was not carried out is forgotten', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		receipts.noteUnknown('0', SENT);
		receipts.forget('0');
		expect(new Receipts(stored(context), 0).find('0', SENT)).toBeUndefined();
	});

	test('another item, and another step of the same item, have their own', () => {
		const receipts = new Receipts({}, 0);
		receipts.noteAccepted('0', SENT, KEPT);
		expect(receipts.find('1', SENT)).toBeUndefined();
		expect(receipts.find('0/column', SENT)).toBeUndefined();
	});

	test('another text with other parameters is another message', () => {
		const receipts = new Receipts({}, 0);
		receipts.noteAccepted('0', SENT, KEPT);
		expect(receipts.find('0', { sent: 'b', intent: 'q' })).toBeUndefined();
	});

	test('another text by the same parameters and item is the same message ($now)', () => {
		const receipts = new Receipts({}, 0);
		receipts.noteAccepted('0', SENT, KEPT);
		expect(receipts.find('0', { sent: 'b', intent: 'p' })?.state).toBe('accepted');
	});

	test('the same text by other parameters is the same message (an option was changed)', () => {
		const receipts = new Receipts({}, 0);
		receipts.noteAccepted('0', SENT, KEPT);
		expect(receipts.find('0', { sent: 'a', intent: 'q' })?.state).toBe('accepted');
	});

	test('another round of a loop sends again, and drops what earlier rounds kept', () => {
		const context: IContextObject = {};
		new Receipts(context, 0).noteAccepted('0', SENT, KEPT);
		expect(new Receipts(context, 1).find('0', SENT)).toBeUndefined();
		new Receipts(context, 1).noteAccepted('0', SENT, KEPT);
		new Receipts(context, 2);
		expect(JSON.stringify(context)).not.toContain('362891');
	});

	test('two nodes do not share them', () => {
		new Receipts({}, 0).noteAccepted('0', SENT, KEPT);
		expect(new Receipts({}, 0).find('0', SENT)).toBeUndefined();
	});

	test('they stay small: at most 120 bytes for a send', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		for (let item = 0; item < 1_000; item++) {
			const identity = { sent: fingerprint(item), intent: fingerprint('p', item) };
			receipts.noteAccepted(String(item), identity, {
				creditsUsed: 1.5,
				snapshotId: String(362_891 + item),
			});
		}
		expect(JSON.stringify(context).length / 1_000).toBeLessThan(120);
	});
});

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
		const seen = new Set<string>();
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

	test('is short', () => expect(fingerprint('x'.repeat(10_000)).length).toBeLessThan(13));
});
