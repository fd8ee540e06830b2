import { sleep } from 'n8n-workflow';

/** Milliseconds of work after which other work of n8n gets its turn. */
const SLICE_OF_WORK = 20;

/** Calls a function for each value, in slices that leave room for n8n's other work. */
export async function inSlices<T>(
	values: Iterable<T>,
	work: (value: T, position: number) => void,
): Promise<void> {
	let sliceEnd = Date.now() + SLICE_OF_WORK;
	let position = 0;
	for (const value of values) {
		if (Date.now() > sliceEnd) {
			await sleep(0);
			sliceEnd = Date.now() + SLICE_OF_WORK;
		}
		work(value, position++);
	}
}
