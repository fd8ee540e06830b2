/** Long answers: every event comes, and n8n's other work gets its turn in between. */
import { expect, test } from 'vitest';
import { Host } from './harness.mts';

const replies = (count: number) =>
	Array.from({ length: count }, (_, at) => ({
		id: `5ea1b2c3d4e5f607${String(at).padStart(8, '0')}`,
		identifier: '+33639981234',
		message: `Thank you, see you on the ${at}th`,
	}));

/** @returns the longest time that nothing else could run, as a part of the whole */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	let longest = 0;
	let last = start;
	const look = () => {
		longest = Math.max(longest, performance.now() - last);
		last = performance.now();
	};
	const timer = setInterval(look, 1);
	await work();
	look();
	clearInterval(timer);
	return longest / (last - start);
}

test.each([
	[100_000, 3, 0.5],
	[300_000, 1, 0.9],
])('%i replies', { timeout: 300_000 }, async (count, rounds, most) => {
	let body = replies(count);
	const one = new Host({
		parameters: { events: ['reply'], categories: 'a' },
		answer: () => ({ statusCode: 200, body }),
	});
	await one.activate();
	await one.poll();
	const stalls: number[] = [];
	for (let round = 1; round <= rounds; round++) {
		body = [...replies(count).reverse(), ...replies(count + round).slice(count)];
		stalls.push(await longestStall(async () => await one.poll()));
	}
	expect(one.items).toHaveLength(rounds);
	expect(one.stateBytes).toBeLessThan(12 * (count + rounds) + 200);
	// A machine that is busy stops everything for a while, not each time.
	expect(Math.min(...stalls)).toBeLessThan(most);
});
