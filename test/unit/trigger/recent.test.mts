/** What a process remembers of triggers doesn't grow for ever: design.md, guarantee 7. */
import { expect, test } from 'vitest';
import { Recent } from '../../../nodes/SmsTrigger/cursor/Recent.ts';

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
