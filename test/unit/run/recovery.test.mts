/** What earlier tries of an execution have made of its items (design, guarantee 4). */
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Open, Prepared } from '../../../nodes/shared/run/entries.ts';
import { Receipts } from '../../../nodes/shared/run/Receipts.ts';
import { Recovery } from '../../../nodes/shared/run/recovery.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';

const KEPT = { snapshotId: '362891', creditsUsed: 1.5 };
/** Those of the one that was accepted, and one that the unknown one may have used. */
const CREDITS = 2.5;

/** An item of its own recipient and text, with this likeness. */
function entry(index: number, prepared: Prepared = {}, likeness = `like ${index}`): Open<Prepared> {
	const alike = [likeness];
	const identity = { target: `to ${index}`, essence: `text ${index}`, alike };
	return { index, item: {} as Item, prepared, identity, alike };
}

/** An execution in which item 0 was accepted, item 1 may have been, and item 2 certainly was not. */
function tried(): IContextObject {
	const context: IContextObject = {};
	const receipts = new Receipts(context, 0);
	const [accepted, , refused] = [0, 1, 2].map((index) => {
		const book = receipts.bookOf(String(index), entry(index).identity);
		book.begin();
		return book;
	});
	accepted.accepted(KEPT);
	refused.notCarriedOut();
	return context;
}

const recover = (entries: Array<Open<Prepared>>, context = tried()) =>
	new Recovery(new Receipts(context, 0), entries);

test('is fresh, accepted or unknown, said for each item', () => {
	const entries = [0, 1, 2, 3].map((index) => entry(index));
	const recovery = recover(entries);
	expect(entries.map((each) => recovery.of(each)?.state)).toEqual([
		'accepted',
		'unknown',
		undefined,
		undefined,
	]);
	expect(entries.map((each) => recovery.wasUnknown(each))).toEqual([false, true, false, false]);
	expect(recovery.creditsUsed).toBe(CREDITS);
	expect(recovery.isRetry).toBe(true);
	expect(recover(entries, {}).isRetry).toBe(false);
});

test('another recipient is another message, and fresh', () => {
	const one = entry(0);
	const other = { ...one, identity: { ...one.identity, target: 'to somebody else' } };
	const recovery = recover([other]);
	expect(recovery.of(other)).toBeUndefined();
	expect(recovery.creditsUsed).toBe(CREDITS);
});

test('the last word of a try that can do nothing', () => {
	const entries = [0, 1, 2].map((index) => entry(index));
	const recovery = recover(entries);
	const [accepted, unknown, fresh] = entries.map((each) => recovery.lastWordOn(each));
	expect(accepted).toEqual({ status: 'done', value: KEPT });
	expect(unknown).toMatchObject({ status: 'unknown', isEarlier: true });
	expect(fresh).toBeUndefined();
});

test('of an item of which only a step was made, or may have been, it is unknown', () => {
	const context: IContextObject = {};
	new Receipts(context, 0).bookOf('3:column', { essence: 'c' }).begin();
	const [item, other] = [entry(3), entry(0)];
	const recovery = recover([item, other], context);
	expect(recovery.lastWordOn(item)).toMatchObject({ status: 'unknown' });
	expect(recovery.lastWordOn(other)).toBeUndefined();
});

test('one request for many items has its receipt under one of them: it is unknown of each', () => {
	const context: IContextObject = {};
	const entries = [0, 1].map((index) => entry(index));
	new Receipts(context, 0).bookOf('0:import', { essence: 'i' }).begin();
	const recovery = new Recovery(new Receipts(context, 0), entries, { carryOutAll: true });
	for (const each of entries) expect(recovery.lastWordOn(each)?.status).toBe('unknown');
});

test('of those that are alike now, what was accepted counts before what is unknown', () => {
	const [accepted, unknown] = [entry(0, {}, 'same'), entry(1, {}, 'same')];
	const recovery = recover([unknown, accepted]);
	expect(recovery.alike.get('same')).toBe(0);
	const renamed = recovery.renamedOf([unknown, accepted]);
	expect(renamed.map(({ fate }) => fate)).toEqual(['unknown']);
	expect(recover([entry(0)]).renamedOf([entry(0)])).toEqual([]);
});

describe('is settled, so that nothing more is asked', () => {
	test.each<[index: number, resendUnknown: boolean, isSettled: boolean]>([
		[0, false, true],
		[0, true, true],
		[1, false, true],
		[1, true, false],
		[2, true, false],
	])('item %i, resend if unknown %j: %j', (index, resendUnknown, isSettled) => {
		const one = entry(index, { resendUnknown });
		expect(recover([one]).isSettled(one)).toBe(isSettled);
	});
});

describe('what can not be made any more', () => {
	const expired = new InputError("'Send At' is in the past");

	test('is invalid where it was never made', () => {
		const fresh = entry(2, { expired });
		recover([fresh]).refuseExpired([fresh]);
		expect(fresh.outcome).toMatchObject({ status: 'invalid', message: expired.message });
	});

	test('is what it was where it was made, and is not made again', () => {
		const made = [0, 1].map((index) => entry(index, { expired, resendUnknown: true }));
		const recovery = recover(made);
		recovery.refuseExpired(made);
		expect(made.map(({ outcome }) => outcome)).toEqual([undefined, undefined]);
		expect(made.map((each) => recovery.isSettled(each))).toEqual([true, true]);
	});

	test('what can be made is left alone', () => {
		const item = entry(2, { resendUnknown: true });
		recover([item]).refuseExpired([item]);
		expect([item.outcome, item.prepared.resendUnknown]).toEqual([undefined, true]);
	});
});

describe('what duplicates are recognised by', () => {
	test('is what they had in common when they were made, and what they have now', () => {
		const corrected = entry(0, {}, 'like nothing before');
		const { alike } = recover([corrected, entry(1), entry(2)]);
		expect(Object.fromEntries(alike)).toEqual({
			'like 0': 0,
			'like 1': 1,
			'like nothing before': 0,
		});
	});
});

test('a rewritten item is asked for anew', () => {
	const one = entry(0);
	const recovery = recover([one, entry(1)]);
	one.identity = { target: 'test', essence: 'another' };
	expect(recovery.ask(one)).toBeUndefined();
	expect(recovery.of(one)).toBeUndefined();
	expect(recovery.creditsUsed).toBe(CREDITS);
	one.identity = entry(0).identity;
	expect(recovery.ask(one)?.state).toBe('accepted');
	expect(recovery.creditsUsed).toBe(CREDITS);
});
