import { sleep } from 'n8n-workflow';

/** Milliseconds of work after which other work of n8n gets its turn. */
const LONGEST_BLOCK = 20;
/** Items in work at once, most of them waiting for a slot or a guard, at some KB each. */
const MAX_STARTED = 2_500;

/** Calls a function for each value, with breaks for n8n's other work. */
export async function forEach<T>(values: Iterable<T>, work: (value: T) => void): Promise<void> {
	let end = Date.now() + LONGEST_BLOCK;
	for (const value of values) {
		if (Date.now() > end) {
			await sleep(0);
			end = Date.now() + LONGEST_BLOCK;
		}
		work(value);
	}
}

/** When the work of all that wait together has to make a break. Milliseconds since the epoch. */
let breakAt = 0;

/** Waits for a turn: for work of which many pieces become possible at one moment. */
export async function takeTurn(): Promise<void> {
	while (Date.now() > breakAt) {
		await sleep(0);
		if (Date.now() > breakAt) breakAt = Date.now() + LONGEST_BLOCK;
	}
}

/**
 * Starts work for each value, in order, with such breaks. Waits for all of it.
 *
 * @param maxStarted how many may be unfinished; asked again each time
 *
 * @throws the first error, when all has ended
 */
export async function forEachConcurrently<T>(
	values: Iterable<T>,
	work: (value: T) => Promise<void>,
	maxStarted = () => MAX_STARTED,
): Promise<void> {
	let running = 0;
	let wake: () => void = () => {};
	const errors: unknown[] = [];
	const untilFewerThan = async (limit: () => number) => {
		while (running >= limit()) await new Promise<void>((resolve) => (wake = resolve));
	};
	let end = Date.now() + LONGEST_BLOCK;
	for (const value of values) {
		await untilFewerThan(maxStarted);
		if (Date.now() > end) {
			await sleep(0);
			end = Date.now() + LONGEST_BLOCK;
		}
		running++;
		void work(value)
			.catch((error: unknown) => errors.push(error))
			.finally(() => {
				running--;
				wake();
			});
	}
	await untilFewerThan(() => 1);
	if (errors.length > 0) throw errors[0];
}
