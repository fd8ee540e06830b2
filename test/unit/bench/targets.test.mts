/** The targets of the benchmark, and when they are met. Nothing here measures a time. */
import { describe, expect, test } from 'vitest';
import { type CaseName, type Cell, FULL_PLAN, QUICK_PLAN } from '../../bench/plan.mts';
import type { Measured } from '../../bench/results.mts';
import { isAbout, judge, type Target, TARGETS } from '../../bench/targets.mts';

type Found = Partial<Record<CaseName, { wallMs?: number; stallMs?: number }>>;

const measuredOf = (found: Found, cell: Partial<Cell> = {}): Measured => ({
	cell: {
		engine: 'vm',
		fields: 'two',
		latency: 20,
		items: 1_000,
		runs: Object.fromEntries(Object.keys(found).map((name) => [name, 1])),
		...cell,
	},
	samples: Object.fromEntries(
		Object.entries(found).map(([name, { wallMs = 0, stallMs = 0 }]) => [
			name,
			[{ wallMs, stallMs, cpuMs: 0, rssBefore: 0, rssPeak: 0 }],
		]),
	),
	failures: {},
	nothing: [],
});
const at = { items: 1_000, latency: 20 } as const;
const ratio: Target = { kind: 'ratio', own: 'send', peer: 'httpRequest', at, limit: 0.38 };
const speed: Target = { kind: 'speed', own: 'send', peer: 'twilio', at, limit: 15 };
const stall: Target = { kind: 'stall', own: 'send', at, limit: 100 };

describe('the targets', () => {
	const limitOf = (kind: Target['kind'], own: CaseName, items: number, latency = 20) =>
		TARGETS.find(
			(target) =>
				target.kind === kind &&
				target.own === own &&
				target.at.items === items &&
				target.at.latency === latency,
		)?.limit;

	test.each(['send', 'sendBatch'] as const)('hold %s to its time and its stall', (own) => {
		expect(limitOf('ratio', own, 1_000)).toBe(0.38);
		expect(limitOf('ratio', own, 1_000, 0)).toBe(0.2);
		expect(limitOf('ratio', own, 1)).toBe(1.2);
		expect(limitOf('speed', own, 1_000)).toBe(15);
		expect(limitOf('stall', own, 10_000)).toBe(100);
	});

	test.each(['sendKeyed', 'batchKeyed'] as const)('hold %s to its stall', (own) => {
		expect(limitOf('stall', own, 50_000)).toBe(150);
	});

	test.each(['contactAdd', 'blacklistAdd', 'listCreate', 'listGet', 'campaignCreate'] as const)(
		'hold %s to its stall',
		(own) => expect(limitOf('stall', own, 1_000)).toBe(100),
	);

	test.each([
		['whole', FULL_PLAN],
		['quick', QUICK_PLAN],
	])('are all measured by the %s plan', (_, plan) => {
		const missing = TARGETS.filter((target) => !plan.some((cell) => isAbout(target, cell)));
		expect(missing).toEqual([]);
	});
});

describe('a target', () => {
	const of = (target: Target, found: Found) => judge(target, [measuredOf(found)]);

	test('is met at its limit, and missed by what is printed beyond it', () => {
		const beside = (ms: number) =>
			of(ratio, { send: { wallMs: ms }, httpRequest: { wallMs: 1_000 } });
		expect(beside(380)).toEqual({ value: 0.38, isMet: true });
		expect(beside(381)).toEqual({ value: 0.39, isMet: false });
		const faster = (ms: number) => of(speed, { send: { wallMs: 100 }, twilio: { wallMs: ms } });
		expect(faster(1_500)).toEqual({ value: 15, isMet: true });
		expect(faster(1_499)).toEqual({ value: 14.9, isMet: false });
	});

	test('of a stall is met below its limit', () => {
		expect(of(stall, { send: { stallMs: 98.2 } })).toEqual({ value: 99, isMet: true });
		expect(of(stall, { send: { stallMs: 99.2 } })).toEqual({ value: 100, isMet: false });
	});

	test('is read from its own comparison only', () => {
		const found = { send: { stallMs: 7 } };
		for (const other of [
			{ items: 200 },
			{ latency: 0 },
			{ fields: 'evaluated' },
			{ engine: 'legacy' },
		] as const) {
			expect(judge(stall, [measuredOf(found, other)])).toEqual({});
		}
		const own = measuredOf(found);
		expect(
			judge(stall, [measuredOf({ send: { stallMs: 500 } }, { items: 1 }), own]).value,
		).toBe(7);
	});

	test('is open where a case failed or was left out', () => {
		expect(of(ratio, { send: { wallMs: 1 } })).toEqual({});
		const failed = measuredOf({ send: { wallMs: 1 }, httpRequest: { wallMs: 1 } });
		expect(judge(ratio, [{ ...failed, samples: { send: failed.samples.send } }])).toEqual({});
	});
});
