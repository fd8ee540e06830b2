/** What tells the items of a run apart (design, guarantee 4). */
import { expect, test } from 'vitest';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import { Entries } from '../../../nodes/shared/run/entries.ts';

/** The intent of an item with these fields, in a node with these parameters. */
function intentOf(json: Item['json'], parameters: Record<string, string>): string | undefined {
	const entries = new Entries();
	const prepare = () => ({ target: ['somebody'], essence: ['text'] });
	const reading = { prepare, madeOf: ['number', 'message'] };
	entries.read({ index: 0, json } as Item, reading, parameters);
	return entries.all[0].identity.intent;
}

const TYPED = { number: '={{ $json.to }}', message: '={{ $now }}' };

test('an item means the same as before while it and what makes its message are unchanged', () => {
	const intent = intentOf({ to: '1' }, TYPED);
	expect(intent).toEqual(expect.any(String));
	expect(intentOf({ to: '1' }, { ...TYPED, concurrency: '5' })).toBe(intent);
	expect(intentOf({ to: '2' }, TYPED)).not.toBe(intent);
	expect(intentOf({ to: '1' }, { ...TYPED, message: 'Hello' })).not.toBe(intent);
});
