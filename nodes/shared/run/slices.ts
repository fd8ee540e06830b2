import { sleep } from 'n8n-workflow';

/** Milliseconds of work after which other work of n8n gets its turn. */
const SLICE_OF_WORK = 20;

/** Items that are on their way at once, most of them waiting at the gate or for a stage, at some KB each. */
const MOST_UNDER_WAY = 2_500;

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

/**
 * Begins work that takes its time for each value, in order, in such slices. Those begun don't wait for
 * one another; no more than a few thousand at a time.
 *
 * @throws what the first of them throws, when all have ended
 */
export async function beginInSlices<T>(
	values: Iterable<T>,
	work: (value: T) => Promise<void>,
): Promise<void> {
	let underWay = 0;
	let wake: () => void = () => {};
	const errors: unknown[] = [];
	const untilFewerThan = async (limit: number) => {
		while (underWay >= limit) await new Promise<void>((resolve) => (wake = resolve));
	};
	let sliceEnd = Date.now() + SLICE_OF_WORK;
	for (const value of values) {
		await untilFewerThan(MOST_UNDER_WAY);
		if (Date.now() > sliceEnd) {
			await sleep(0);
			sliceEnd = Date.now() + SLICE_OF_WORK;
		}
		underWay++;
		void work(value)
			.catch((error: unknown) => errors.push(error))
			.finally(() => {
				underWay--;
				wake();
			});
	}
	await untilFewerThan(1);
	if (errors.length > 0) throw errors[0];
}
