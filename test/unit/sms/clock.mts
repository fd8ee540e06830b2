/** Waits of seconds pass at once: whenever nothing else is left to do, time goes on to the next of them. */
import { afterEach, beforeEach, vi } from 'vitest';

/** For all tests of a file. */
export function useVirtualTime(): void {
	let now = 0;
	beforeEach(() => {
		const own = ++now;
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
		void (async () => {
			for (await breath(); own === now; await breath()) {
				if (vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
			}
		})();
	});
	afterEach(() => {
		now++;
		vi.useRealTimers();
	});
}

/** What follows from what has happened gets its turn. */
export async function breath(): Promise<void> {
	for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
}
