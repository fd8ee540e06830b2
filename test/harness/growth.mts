import { processorTime } from './processor-time.mts';

/** Milliseconds of work for each character that are too few to tell how it grows: no square takes so little. */
const SHORT = 0.000_5;

/**
 * Whether time grows with a size and not with the square of it, on a machine of any speed: ten times as much takes ten
 * times as long, or, where it grows with the square, a hundred times.
 *
 * @param work does all that is to be done for a size
 * @param power with which it may grow: 1 for the size, 2 for the square of it
 */
export function growsWithSize(work: (size: number) => unknown, size: number, power = 1): boolean {
	const timeOf = (part: number) => {
		const begun = processorTime();
		work(part);
		return processorTime() - begun;
	};
	const isLinear = () => {
		const short = timeOf(size / 10);
		return timeOf(size) < 3 * 10 ** power * Math.max(short, (SHORT * size) / 10);
	};
	// Garbage collection in one of the tries is nobody's fault.
	return isLinear() || isLinear() || isLinear();
}
