/** What the benchmark makes of its samples (issue 10, "Fast"): medians, without what the workflow costs. */
import { describe, expect, test } from 'vitest';
import { replaceMeasured, time } from '../../bench/pages.mts';
import { FULL_PLAN, only, QUICK_PLAN, type Cell } from '../../bench/plan.mts';
import { median, summarize } from '../../bench/results.mts';

const sample = (wallMs: number, cpuMs: number) => ({
	wallMs,
	cpuMs,
	stallMs: 7,
	rssBefore: 100,
	rssPeak: 150,
});
const cell: Cell = {
	engine: 'vm',
	expressions: 2,
	latency: 20,
	items: 10,
	runs: { client: 1, send: 3, twin: 3 },
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
		failures: { twin: 'No' },
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

describe('the plan', () => {
	test('measures 1, 100, 1,000 and 10,000 items, all latencies, both engines, one and two expressions', () => {
		const all = (key: keyof Cell) => new Set(FULL_PLAN.map((each) => each[key]));
		for (const items of [1, 100, 1_000, 10_000]) expect(all('items')).toContain(items);
		expect(all('latency')).toEqual(new Set([0, 20, 200]));
		expect(all('engine')).toEqual(new Set(['vm', 'legacy']));
		expect(all('expressions')).toEqual(new Set([1, 2]));
	});

	test('can be cut to some cases', () => {
		const cut = only(QUICK_PLAN, ['httpRequest']);
		expect(cut.length).toBeGreaterThan(0);
		for (const { runs } of cut) expect(Object.keys(runs)).toEqual(['httpRequest']);
		expect(only(QUICK_PLAN, ['nothing'])).toEqual([]);
	});
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
