/** Receipts (design, guarantee 4). */
import fc from 'fast-check';
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { fingerprint } from '../../../nodes/shared/run/fingerprint.ts';
import { Receipts, type Identity } from '../../../nodes/shared/run/Receipts.ts';

/** What n8n does with the context between tries of "Retry execution". */
const stored = (context: IContextObject) => JSON.parse(JSON.stringify(context)) as IContextObject;

const MESSAGE: Identity = { target: 'r', essence: 'a', intent: 'p' };
const KEPT = { creditsUsed: 1, snapshotId: '362891' };
const ACCEPTED = { state: 'accepted', kept: KEPT };
const UNKNOWN = { state: 'unknown' };

/** Makes a request, and hears or does not hear what became of it. */
function make(
	receipts: Receipts,
	fate: 'accepted' | 'notCarriedOut' | 'unknown',
	identity = MESSAGE,
	key = '0',
): void {
	const book = receipts.bookOf(key, identity);
	book.begin();
	if (fate === 'accepted') book.accepted(KEPT);
	if (fate === 'notCarriedOut') book.notCarriedOut();
}

describe('what is known of a request', () => {
	test('nothing before it was begun', () => {
		const receipts = new Receipts({}, 0);
		const book = receipts.bookOf('0', MESSAGE);
		expect(receipts.find('0', MESSAGE)).toBeUndefined();
		expect(book.isUnknown()).toBe(false);
	});

	test('what was accepted is found again, also after a storage', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0), 'accepted');
		for (const book of [context, stored(context)]) {
			expect(new Receipts(book, 0).find('0', MESSAGE)).toEqual(ACCEPTED);
		}
	});

	test('what was begun and never answered is unknown, at every moment and after a storage', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		const book = receipts.bookOf('0', MESSAGE);
		book.begin();
		expect(book.isUnknown()).toBe(true);
		expect(receipts.find('0', MESSAGE)).toEqual(UNKNOWN);
		expect(new Receipts(stored(context), 0).find('0', MESSAGE)).toEqual(UNKNOWN);
		book.accepted(KEPT);
		expect(book.isUnknown()).toBe(false);
	});

	test('what certainly was not carried out is forgotten', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0), 'notCarriedOut');
		expect(new Receipts(stored(context), 0).find('0', MESSAGE)).toBeUndefined();
	});

	test('another item, and another step of the same item, have their own', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'accepted');
		expect(receipts.find('1', MESSAGE)).toBeUndefined();
		expect(receipts.find('0:column', MESSAGE)).toBeUndefined();
	});

	test('two nodes do not share them', () => {
		make(new Receipts({}, 0), 'accepted');
		expect(new Receipts({}, 0).find('0', MESSAGE)).toBeUndefined();
	});
});

describe('a try that certainly did nothing puts back what was known before', () => {
	test('unknown stays unknown', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'unknown');
		make(receipts, 'notCarriedOut');
		expect(receipts.find('0', MESSAGE)).toEqual(UNKNOWN);
		make(receipts, 'notCarriedOut');
		expect(receipts.find('0', MESSAGE)).toEqual(UNKNOWN);
	});

	test('within one book, too: several tries of one request', () => {
		const receipts = new Receipts({}, 0);
		const book = receipts.bookOf('0', MESSAGE);
		book.begin(); // the answer was lost
		book.begin();
		book.notCarriedOut();
		expect(book.isUnknown()).toBe(true);
		book.begin();
		book.accepted(KEPT);
		expect(receipts.find('0', MESSAGE)).toEqual(ACCEPTED);
	});

	test('accepted stays accepted', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'accepted');
		make(receipts, 'notCarriedOut');
		expect(receipts.find('0', MESSAGE)).toEqual(ACCEPTED);
	});

	test('under another essence, the earlier message keeps its own', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'unknown');
		const corrected = { ...MESSAGE, essence: 'b' };
		make(receipts, 'notCarriedOut', corrected);
		expect(receipts.find('0', MESSAGE)).toEqual(UNKNOWN);
		expect(receipts.find('0', corrected)).toEqual(UNKNOWN);
	});

	test('a resend that was accepted replaces what was unknown', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'unknown');
		make(receipts, 'accepted');
		expect(receipts.find('0', MESSAGE)).toEqual(ACCEPTED);
	});
});

describe('which message is the same one', () => {
	const receipts = new Receipts({}, 0);
	make(receipts, 'accepted');

	test('another text by other parameters is another message', () => {
		expect(receipts.find('0', { ...MESSAGE, essence: 'b', intent: 'q' })).toBeUndefined();
	});

	test('another text by the same parameters and item is the same message ($now)', () => {
		expect(receipts.find('0', { ...MESSAGE, essence: 'b' })).toEqual(ACCEPTED);
	});

	test('the same text by other parameters is the same message (an option was changed)', () => {
		expect(receipts.find('0', { ...MESSAGE, intent: 'q' })).toEqual(ACCEPTED);
	});

	test('another recipient is another message, always', () => {
		for (const target of ['s', undefined]) {
			expect(receipts.find('0', { ...MESSAGE, target })).toBeUndefined();
			const other = new Receipts({}, 0);
			make(other, 'unknown', { ...MESSAGE, target });
			expect(other.find('0', MESSAGE)).toBeUndefined();
		}
	});

	test('what can not be told is no message that was made before', () => {
		expect(receipts.find('0', { target: 'r' })).toBeUndefined();
		const other = new Receipts({}, 0);
		make(other, 'accepted', { target: 'r' });
		expect(other.find('0', { target: 'r' })).toBeUndefined();
		expect(other.find('0', MESSAGE)).toBeUndefined();
	});

	test('where one was accepted and one is unknown that agree with it, it was accepted', () => {
		for (const [first, second] of [
			['accepted', 'unknown'],
			['unknown', 'accepted'],
		] as const) {
			const both = new Receipts({}, 0);
			make(both, first);
			make(both, second, { ...MESSAGE, essence: 'b', intent: 'q' });
			expect(both.find('0', { ...MESSAGE, intent: 'q' })).toEqual(ACCEPTED);
		}
	});

	test('two messages of one item are kept beside each other', () => {
		const both = new Receipts({}, 0);
		const other = { ...MESSAGE, essence: 'b', intent: 'q' };
		make(both, 'accepted');
		make(both, 'unknown', other);
		expect(both.find('0', MESSAGE)).toEqual(ACCEPTED);
		expect(both.find('0', other)).toEqual(UNKNOWN);
		make(both, 'accepted', other);
		expect(both.find('0', other)).toEqual(ACCEPTED);
	});
});

describe('what duplicates are recognised by', () => {
	const ofItem = (...alike: string[]) => ({ ...MESSAGE, alike });

	test('is kept with what was made, or may have been, also after a storage', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		make(receipts, 'accepted', ofItem('x'), '3');
		make(receipts, 'unknown', ofItem('y', 'key'), '12');
		make(receipts, 'notCarriedOut', ofItem('z'), '4');
		make(receipts, 'accepted', ofItem(), '5');
		for (const book of [context, stored(context)]) {
			expect([...new Receipts(book, 0).alike()]).toEqual([
				['x', 3],
				['y', 12],
				['key', 12],
			]);
		}
	});

	test('is put back by a try that did nothing', () => {
		const receipts = new Receipts({}, 0);
		make(receipts, 'unknown', ofItem('x'));
		make(receipts, 'notCarriedOut', ofItem('y'));
		expect([...receipts.alike()]).toEqual([['x', 0]]);
	});
});

describe('runs of the node', () => {
	test('another round of a loop sends again, and drops what earlier rounds kept', () => {
		const context: IContextObject = {};
		for (const round of [0, 1]) {
			const receipts = new Receipts(context, round);
			expect(receipts.find('0', MESSAGE)).toBeUndefined();
			make(receipts, 'accepted');
			receipts.handOver();
		}
		new Receipts(context, 2);
		expect(JSON.stringify(context)).not.toContain('362891');
	});

	test('what an earlier round could not hand over is kept', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0), 'accepted');
		new Receipts(context, 1).handOver();
		new Receipts(context, 2);
		expect(JSON.stringify(context)).toContain('362891');
	});

	test('a retry of the same round finds its own', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 3), 'accepted');
		expect(new Receipts(context, 3).find('0', MESSAGE)).toEqual(ACCEPTED);
	});
});

describe('as a tool that an agent invokes: each call is item 0 of another run', () => {
	const other = { ...MESSAGE, essence: 'b', intent: 'q' };

	test('what is unknown is known to every later call', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0, true), 'unknown');
		for (const run of [1, 2, 7]) {
			expect(new Receipts(context, run, true).find('0', MESSAGE)).toEqual(UNKNOWN);
		}
	});

	test('and keeps no other message from being sent', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0, true), 'unknown');
		expect(new Receipts(context, 1, true).find('0', other)).toBeUndefined();
		make(new Receipts(context, 1, true), 'unknown', other);
		for (const identity of [MESSAGE, other]) {
			expect(new Receipts(context, 2, true).find('0', identity)).toEqual(UNKNOWN);
		}
	});

	test('what was accepted was told to the agent: the same again is meant', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0, true), 'accepted');
		expect(new Receipts(context, 1, true).find('0', MESSAGE)).toBeUndefined();
	});

	test('the calls of one run are one another’s, whatever their item', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0, true), 'unknown', MESSAGE, '1');
		expect(new Receipts(context, 1, true).find('0', MESSAGE)).toEqual(UNKNOWN);
	});

	test('steps are told apart', () => {
		const context: IContextObject = {};
		make(new Receipts(context, 0, true), 'unknown', MESSAGE, '0:column');
		expect(new Receipts(context, 1, true).find('0', MESSAGE)).toBeUndefined();
		expect(new Receipts(context, 1, true).find('3:column', MESSAGE)).toEqual(UNKNOWN);
	});
});

describe('as they are stored', () => {
	test('they are small: at most 120 bytes for a send', () => {
		const context: IContextObject = {};
		const receipts = new Receipts(context, 0);
		for (let item = 0; item < 1_000; item++) {
			const identity = {
				target: fingerprint('to', item),
				essence: fingerprint(item),
				intent: fingerprint('p', item),
			};
			const book = receipts.bookOf(String(item), identity);
			book.begin();
			book.accepted({ creditsUsed: 1.5, snapshotId: String(362_891 + item) });
		}
		expect(JSON.stringify(context).length / 1_000).toBeLessThan(120);
	});

	test('what was not carried out leaves nothing behind', () => {
		const context: IContextObject = {};
		const before = JSON.stringify((new Receipts(context, 0), context));
		for (let item = 0; item < 100; item++) {
			make(new Receipts(context, 0), 'notCarriedOut', MESSAGE, String(item));
		}
		expect(JSON.stringify(context)).toBe(before);
	});

	test('those of a later version are not read: nothing can be sent', () => {
		for (const smsReceipts of [{ v: 2, runs: {} }, { v: 1 }, {}, { '0': { '0': ['a'] } }]) {
			expect(() => new Receipts({ smsReceipts }, 0)).toThrow(InputError);
		}
	});
});

test('over any sequence of tries: what was accepted is found, what may have been is never free', () => {
	const fates = fc.constantFrom('accepted', 'notCarriedOut', 'unknown');
	const tries = fc.array(fc.tuple(fates, fc.boolean()), { minLength: 1, maxLength: 12 });
	fc.assert(
		fc.property(tries, (history) => {
			let context: IContextObject = {};
			let known: string | undefined;
			for (const [fate, isStored] of history) {
				make(new Receipts(context, 0), fate);
				if (fate === 'accepted') known = 'accepted';
				else if (fate === 'unknown') known = 'unknown';
				if (isStored) context = stored(context);
				expect(new Receipts(context, 0).find('0', MESSAGE)?.state).toBe(known);
			}
		}),
	);
});
