/** What the benchmark makes of its samples (issue 10, "Fast"): medians, without what the workflow costs. */
import { describe, expect, test } from 'vitest';
import { benchmarks, replaceMeasured, scaling, time } from '../../bench/pages.mts';
import { FULL_PLAN, only, QUICK_PLAN, type Cell } from '../../bench/plan.mts';
import { type Measured, median, summarize } from '../../bench/results.mts';

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

describe('the pages of a whole run', () => {
	const usual = { engine: 'vm', expressions: 2, latency: 20 } as const;
	const taken = (ms: number, memory = 0) => [
		{ wallMs: ms, cpuMs: ms / 2, stallMs: 7, rssBefore: 0, rssPeak: memory },
	];
	const measuredOf = (items: number, samples: Measured['samples'], fresh?: true): Measured => ({
		cell: {
			...usual,
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
				send: taken(3_000),
				sendBatch: taken(1_000),
				httpRequest: taken(2_500),
				twin: taken(4_000),
				twilio: taken(24_000),
			}),
			measuredOf(10_000, { category: taken(20_000), onceKey: taken(22_000) }),
			measuredOf(50_000, { onceKey: taken(100_000, 700 * 2 ** 20) }, true),
		],
	};

	test('say what was found, beside what was aimed at', () => {
		const page = benchmarks(results);
		const line = (what: string) => page.split('\n').find((each) => each.includes(what));
		expect(line('Send Batch, beside HTTP Request')).toContain('1,000 items: time 0.40 ×');
		expect(line('Send, beside HTTP Request')).toContain('time 1.20 ×');
		expect(line('Send, beside the declarative twin')).toContain('time 0.75 ×');
		expect(line('Faster than Twilio')).toContain('Send Batch 24.0 ×, Send 8.0 ×');
		expect(line('Once keys')).toContain('time +10 %');
		expect(line('50,000 messages')).toContain('700 MB');
		expect(page).toContain('n8n 2.41.1, Node.js v24.0.0, 2 × a core');
		expect(page).toContain('### 1,000 items, two expressions, 20 ms, engine vm');
	});

	test('say how far one n8n goes', () => {
		const page = scaling(results);
		expect(page).toMatch(/\| 1,000 +\| plain +\| 20 ms +\| 20 +\| 1\.00 s +\| 1,000 /);
		expect(page).toMatch(/\| 50,000 +\| with Once Key +\|.* 500 .* 700 MB/);
	});
});
