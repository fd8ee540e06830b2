import { fork } from 'node:child_process';
import { join } from 'node:path';
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
