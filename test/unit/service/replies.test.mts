/** Replies: interface document 2.9, 4.4. */
import { expect, test } from 'vitest';
import { readReplies, toReply } from '../../../nodes/shared/service/replies.ts';

const REPLY = { id: '5ea1', identifier: '+33639981234', message: 'Oui' };

test.each<[body: unknown, replies: object[] | undefined]>([
	[[REPLY], [REPLY]],
	[[], []],
	[{}, []],
	[null, []],
	[[{ id: 7 }], [{ id: 7 }]],
	[[{ identifier: '06' }], [{ identifier: '06' }]],
	[[REPLY, { message: 'from nobody' }, null, [REPLY], 'x'], [REPLY]],
	[[{ message: 'from nobody' }], undefined],
	[[{}], undefined],
	[REPLY, undefined],
	[{ status: 'ok' }, undefined],
	['', []],
	[undefined, []],
	['<html></html>', undefined],
])('%j', (body, replies) => {
	expect(readReplies(body)).toEqual(replies);
});

test('are not copied', () => {
	expect(readReplies([REPLY])?.[0]).toBe(REPLY);
});

test('have texts where the document has them', () => {
	expect(toReply({ id: 7, identifier: 33639981234, message: 1, other: 2 })).toEqual({
		id: '7',
		identifier: '33639981234',
		message: '1',
		other: 2,
		intent: 'other',
	});
	expect(toReply({ id: 'a' })).toEqual({ id: 'a', intent: 'other' });
});

test('say what they mean, whatever else the service may call so', () => {
	expect(toReply(REPLY)).toEqual({ ...REPLY, intent: 'yes' });
	expect(toReply({ ...REPLY, message: 'Stop svp' }).intent).toBe('stop');
	expect(toReply({ ...REPLY, intent: 'stop' }).intent).toBe('yes');
	expect(toReply({ ...REPLY, message: null, intent: { name: 'stop' } }).intent).toBe('other');
});
