/** All orders in which several processes can go on, on a clock that a test turns. */
import { afterEach, beforeEach, vi } from 'vitest';

/** Called at the top of a file or a group: its tests turn the clock themselves. */
export function useTurnedClock(): void {
	beforeEach(() => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
	});
	afterEach(() => void vi.useRealTimers());
}

/**
 * Plays all schedules.
 *
 * @param play plays one: `choices` says which of the things that can happen next does; after them, always the first.
 *   Returns how many there were each time.
 * @returns how many schedules there are
 */
export async function playAll(play: (choices: number[]) => Promise<number[]>): Promise<number> {
	let choices: number[] = [];
	for (let played = 1; ; played++) {
		const counts = await play(choices);
		const taken = counts.map((_, at) => choices[at] ?? 0);
		while (taken.length > 0 && taken.at(-1)! + 1 >= counts[taken.length - 1]) taken.pop();
		if (taken.length === 0) return played;
		taken[taken.length - 1]++;
		choices = taken;
	}
}

/** Gives what follows from a step its turn. */
export async function breath(): Promise<void> {
	for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
