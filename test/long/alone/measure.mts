/** What a long run in this process costs: how long it holds up other work, and how much memory it takes. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll } from 'vitest';

export interface LargeList {
	baseUrl: string;
	apiKey: string;
	listId: string;
}

/** The simulator with a large list, in a process of its own, from before the first test to after the last one. */
export function useLargeList(count: number): { large: LargeList } {
	const used = {} as { large: LargeList };
	let end = () => {};
	beforeAll(async () => {
		const child = fork(join(import.meta.dirname, 'large-list.mts'), [String(count)]);
		end = () => void child.kill();
		used.large = await new Promise((resolve, reject) => {
			child.once('message', (large) => resolve(large as LargeList));
			child.once('exit', (code) => reject(new Error(`The simulator has ended: ${code}`)));
		});
	});
	afterAll(() => end());
	return used;
}

/** Milliseconds from one look at the event loop to the next. */
const LOOK = 5;

/** Processor time of this thread, in milliseconds: what a busy machine makes no longer. */
const processor = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

/** What earlier work has left behind is none of the memory of the next. */
function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as (options: object) => void;
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * What some work holds the event loop up for at most, in milliseconds by the clock and of processor time, and
 * the memory of this process in bytes.
 */
export async function measure<T>(work: () => Promise<T>) {
	collectGarbage();
	let [last, lastBusy, stall, busy, memory] = [performance.now(), processor(), 0, 0, 0];
	const look = () => {
		const [now, nowBusy] = [performance.now(), processor()];
		stall = Math.max(stall, now - last - LOOK);
		busy = Math.max(busy, nowBusy - lastBusy);
		[last, lastBusy] = [now, nowBusy];
		memory = Math.max(memory, process.memoryUsage.rss());
	};
	const looks = setInterval(look, LOOK);
	const started = performance.now();
	const result = await work();
	look();
	clearInterval(looks);
	return { result, seconds: (performance.now() - started) / 1_000, stall, busy, memory };
}
