/** What a process remembers of triggers doesn't grow for ever: design.md, guarantee 7. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Recent } from '../../../nodes/SmsTrigger/cursor/Recent.ts';

const DAY = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('what was not used for eight days is forgotten; n8n can poll once a week', () => {
	const recent = new Recent<number>();
	recent.set('gone', 1);
	recent.set('weekly', 2);
	for (let week = 0; week < 5; week++) {
		vi.setSystemTime(Date.now() + 7 * DAY);
		expect(recent.get('weekly')).toBe(2);
	}
	expect(recent.get('gone')).toBeUndefined();
});

test('of more than a thousand, the one used least recently is forgotten', () => {
	const recent = new Recent<number>();
	for (let index = 0; index < 1_000; index++) recent.set(`trigger ${index}`, index);
	recent.get('trigger 0');
	recent.set('one more', 1);
	expect(recent.get('trigger 0')).toBe(0);
	expect(recent.get('trigger 1')).toBeUndefined();
	recent.delete('trigger 0');
	expect(recent.get('trigger 0')).toBeUndefined();
});
