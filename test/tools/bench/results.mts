/** What the samples come to. Pure. */
import type { CaseName, Cell } from './plan.mts';
import type { Sample } from './rig.mts';

/** The samples of one comparison. */
export interface Measured {
	cell: Cell;
	samples: Partial<Record<CaseName, Sample[]>>;
	/** Why a case has fewer samples than it was to have. */
	failures: Partial<Record<CaseName, string>>;
	/** The same workflow without the node. */
	nothing: Sample[];
}

/** All that a run of the benchmark found. */
export interface Results {
	/** As `2026-11-22`. */
	date: string;
	machine: string;
	node: string;
	n8n: string;
	cells: Measured[];
}

/** A case in a comparison: medians, without what the workflow costs without the node. */
export interface Row {
	name: CaseName;
	runs: number;
	wallMs: number;
	cpuMs: number;
	/** Milliseconds of CPU. */
	cpuPerItem: number;
	stallMs: number;
	/** The most memory above that before the run, in bytes. */
	memory: number;
}

/** @returns the value in the middle, or the mean of the two; NaN of none */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	return sorted.length % 2 === 1
		? sorted[Math.floor(middle)]
		: (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The cases of a comparison, in the order of the plan. */
export function summarize({ cell, samples, nothing }: Measured): Row[] {
	const wallOfNothing = median(nothing.map(({ wallMs }) => wallMs)) || 0;
	const cpuOfNothing = median(nothing.map(({ cpuMs }) => cpuMs)) || 0;
	return (Object.keys(cell.runs) as CaseName[]).flatMap((name) => {
		const found = samples[name] ?? [];
		if (found.length === 0) return [];
		const isNode = name !== 'client';
		const own = (value: number, ofNothing: number) =>
			isNode ? Math.max(0, value - ofNothing) : value;
		const cpuMs = own(median(found.map((sample) => sample.cpuMs)), cpuOfNothing);
		return [
			{
				name,
				runs: found.length,
				wallMs: own(median(found.map(({ wallMs }) => wallMs)), wallOfNothing),
				cpuMs,
				cpuPerItem: cpuMs / cell.items,
				stallMs: median(found.map(({ stallMs }) => stallMs)),
				memory: median(found.map(({ rssBefore, rssPeak }) => rssPeak - rssBefore)),
			},
		];
	});
}
