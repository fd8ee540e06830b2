/** The figures of docs/benchmarks.md, as they follow from samples. Nothing here measures a time. */
import { describe, expect, test } from 'vitest';
import { benchmarks, replaceMeasured, targetLines, time } from './pages.mts';
import { type CaseName, type Cell, FULL_PLAN, QUICK_PLAN } from './plan.mts';
import { type Measured, median, summarize } from './results.mts';
import { isAbout, judge, type Target, TARGETS } from './targets.mts';

const sample = (wallMs: number, cpuMs: number) => ({
	wallMs,
	cpuMs,
	stallMs: 7,
	rssBefore: 100,
	rssPeak: 150,
});
const cell: Cell = {
	engine: 'vm',
	fields: 'two',
	latency: 20,
	items: 10,
	runs: { client: 1, send: 3, twilio: 3 },
};

describe('the median', () => {
	test('is the value in the middle, whatever their order', () => {
		expect(median([9, 1, 5])).toBe(5);
		expect(median([4, 1, 3, 2])).toBe(2.5);
	});
});

describe('a comparison', () => {
	const [client, send, ...others] = summarize({
		cell,
		samples: {
			send: [sample(110, 60), sample(900, 500), sample(130, 80)],
			client: [sample(5, 4)],
		},
		failures: { twilio: 'No' },
		nothing: [sample(10, 20), sample(12, 22), sample(90, 90)],
	});

	test('gives medians, without what the workflow costs without the node', () => {
		expect(send).toMatchObject({
			runs: 3,
			wallMs: 118,
			cpuMs: 58,
			cpuPerItem: 5.8,
			stallMs: 7,
			memory: 50,
		});
	});

	test('takes nothing off a client that runs in no workflow', () => {
		expect(client).toMatchObject({ wallMs: 5, cpuMs: 4 });
	});

	test('leaves out what was not measured', () => {
		expect(others).toEqual([]);
	});
});

test.each([
	['whole', FULL_PLAN],
	['quick', QUICK_PLAN],
])('the %s plan measures all targets', (_, plan) => {
	const missing = TARGETS.filter((target) => !plan.some((each) => isAbout(target, each)));
	expect(missing).toEqual([]);
});

test('a target is met at its limit, and missed by what is printed beyond it', () => {
	const at = { items: 10, latency: 20 } as const;
	const valueOf = (target: Target, found: Partial<Record<CaseName, number>>) => {
		const samples = Object.entries(found).map(([name, ms]) => [
			name,
			[{ ...sample(ms, 0), stallMs: ms }],
		]);
		const runs = Object.fromEntries(samples.map(([name]) => [name, 1]));
		const measured: Measured = {
			cell: { ...cell, runs },
			samples: Object.fromEntries(samples),
			failures: {},
			nothing: [],
		};
		return judge(target, [measured]);
	};
	const ratio: Target = { kind: 'ratio', own: 'send', peer: 'httpRequest', at, limit: 0.38 };
	const speed: Target = { kind: 'speed', own: 'send', peer: 'twilio', at, limit: 15 };
	const stall: Target = { kind: 'stall', own: 'send', at, limit: 100 };
	expect(valueOf(ratio, { send: 380, httpRequest: 1_000 })).toEqual({ value: 0.38, isMet: true });
	expect(valueOf(ratio, { send: 381, httpRequest: 1_000 })).toEqual({
		value: 0.39,
		isMet: false,
	});
	expect(valueOf(speed, { send: 100, twilio: 1_500 })).toEqual({ value: 15, isMet: true });
	expect(valueOf(speed, { send: 100, twilio: 1_499 })).toEqual({ value: 14.9, isMet: false });
	expect(valueOf(stall, { send: 98.2 })).toEqual({ value: 99, isMet: true });
	expect(valueOf(stall, { send: 99.2 })).toEqual({ value: 100, isMet: false });
	expect(valueOf(ratio, { send: 1 })).toEqual({});
});

describe('a page', () => {
	test('gets what was measured between its marks, and keeps the rest', () => {
		const page = 'before\n\n<!-- measured -->\n\nold\n\n<!-- /measured -->\n\nafter\n';
		expect(replaceMeasured(page, '\nnew\n')).toBe(
			'before\n\n<!-- measured -->\n\nnew\n\n<!-- /measured -->\n\nafter\n',
		);
		expect(() => replaceMeasured('no marks', 'new')).toThrow('<!-- measured -->');
	});

	test('has times as people read them', () => {
		expect([0.4, 999, 1_000, 12_345].map(time)).toEqual(['0 ms', '999 ms', '1.00 s', '12.3 s']);
	});
});

describe('the pages of a whole run', () => {
	const taken = (ms: number, memory = 0) => [
		{ wallMs: ms, cpuMs: ms / 2, stallMs: 7, rssBefore: 0, rssPeak: memory },
	];
	const measuredOf = (items: number, samples: Measured['samples'], fresh?: true): Measured => ({
		cell: {
			engine: 'vm',
			fields: 'two',
			latency: 20,
			items,
			runs: Object.fromEntries(Object.keys(samples).map((name) => [name, 1])),
			...(fresh === undefined ? {} : { fresh }),
		},
		samples,
		failures: {},
		nothing: [],
	});
	const results = {
		date: '2026-11-22',
		machine: '2 × a core',
		node: 'v24.0.0',
		n8n: '2.41.1',
		cells: [
			measuredOf(1_000, {
				send: taken(1_000),
				sendBatch: taken(500),
				httpRequest: taken(2_500),
				twilio: taken(24_000),
			}),
			measuredOf(50_000, { batchKeyed: taken(100_000, 700 * 2 ** 20) }, true),
		],
	};

	test('have the times of each comparison in one table', () => {
		const page = benchmarks(results);
		expect(page).toContain('n8n 2.41.1, Node.js v24.0.0, 2 × a core');
		expect(page).toContain('| 1,000, two plain, 20 ms | 1 | 0.5 | 2.5 | 24 |  |');
		expect(page).not.toContain('| 50,000 ');
	});

	test('name the targets that are missed, what other operations take, and memory', () => {
		const lines = benchmarks(results).split('\n');
		expect(lines).toContain(
			'6 of 7 targets of the project are met (0.24 × is 24 % of the time). The others:',
		);
		expect(lines.at(-1)).toBe(
			'| Send SMS, 1,000 items, 20 ms: time beside HTTP Request | 0.40 × | ≤ 0.22 × |',
		);
		expect(lines).toContain('| 50,000, 20 ms | Send SMS in Batch, Once Key | 100 | 700 MB |');
		const others = measuredOf(1_000, { contactAdd: taken(1_540), listGet: taken(900) });
		expect(benchmarks({ ...results, cells: [others] })).toContain(
			'| 1,000, 20 ms | Add Contact | 1.5 |  |\n| 1,000, 20 ms | Get List | 0.9 |  |',
		);
	});

	test('tell the terminal the same, of the comparisons that were measured', () => {
		const [first, ...others] = targetLines(results.cells.slice(0, 1));
		expect(first).toBe(
			'Send SMS, 1,000 items, 20 ms: time beside HTTP Request: 0.40 × (target ≤ 0.22 ×, missed)',
		);
		expect(others).toHaveLength(5);
		expect(targetLines([])).toEqual([]);
	});
});
