/** Phones of fiction, and what they got. */
import type { Simulator } from '../simulator/index.mts';

/** @returns the n-th of the 10,000 French mobile numbers that are kept for fiction, in E.164 */
export function phone(n: number): string {
	return `+3363998${String(n).padStart(4, '0')}`;
}

/** @returns `count` phones from the n-th on */
export function phones(count: number, from = 0): string[] {
	return Array.from({ length: count }, (_, index) => phone(from + index));
}

/** How many messages the phones of a simulator received. */
export class Received {
	private readonly counts = new Map<string, number>();

	constructor({ messages }: Pick<Simulator, 'messages'>) {
		for (const { number } of messages) this.counts.set(number, this.by(number) + 1);
	}

	/** @param number in E.164 */
	by(number: string): number {
		return this.counts.get(number) ?? 0;
	}

	/** How many of these numbers received exactly `times` messages. */
	count(numbers: string[], times: number): number {
		return numbers.filter((number) => this.by(number) === times).length;
	}

	/** The numbers that received more than one. */
	get twice(): string[] {
		return [...this.counts].filter(([, count]) => count > 1).map(([number]) => number);
	}
}

/** The snapshot ids of what the phones received, by number in E.164. */
export function snapshots({ messages }: Pick<Simulator, 'messages'>): Map<string, string> {
	return new Map(messages.map(({ number, snapshotId }) => [number, snapshotId]));
}
