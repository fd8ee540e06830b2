/** The plots of the benchmark: bars that say what was measured, in light and dark. */
import { describe, expect, test } from 'vitest';
import { barChart } from '../../bench/bars.mts';

const bar = (label: string, value: number, isOwn = false) => ({
	label,
	value,
	text: `${value} s`,
	isOwn,
});
const widths = (svg: string) =>
	[...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));

describe('a bar plot', () => {
	test('has bars as long as their values say, from zero', () => {
		const [first, second, third] = widths(
			barChart('Time', '', [bar('a', 4), bar('b', 2), bar('c', 1)]),
		);
		expect(first / second).toBeCloseTo(2, 1);
		expect(first / third).toBeCloseTo(4, 1);
	});

	test('leaves room for each text within its width', () => {
		const svg = barChart('Time', '', [bar('a', 123_456), bar('b', 1)]);
		const [, width] = /viewBox="0 0 (\d+) \d+"/.exec(svg)!;
		const ends = [...svg.matchAll(/<rect [^>]*x="(\d+)" [^>]*width="([\d.]+)"/g)].map(
			([, x, length]) => Number(x) + Number(length),
		);
		expect(Math.max(...ends)).toBeLessThanOrEqual(Number(width) - 100);
	});

	test('grows with the number of its bars, and has one row for each', () => {
		const heightOf = (count: number) => {
			const svg = barChart(
				'Time',
				'',
				Array.from({ length: count }, () => bar('a', 1)),
			);
			const [, height] = /viewBox="0 0 \d+ (\d+)"/.exec(svg)!;
			const rows = [...svg.matchAll(/<rect [^>]*y="([\d.]+)"/g)].map(([, y]) => Number(y));
			expect(new Set(rows).size).toBe(count);
			expect(Math.max(...rows) + 18).toBeLessThanOrEqual(Number(height));
			return Number(height);
		};
		expect(heightOf(6)).toBeGreaterThan(heightOf(3));
	});

	test('sets its own bars apart, in both colour schemes', () => {
		const svg = barChart('Time', '', [bar('a', 1, true), bar('b', 1)]);
		expect([...svg.matchAll(/<rect class="(\w+)"/g)].map(([, name]) => name)).toEqual([
			'own',
			'peer',
		]);
		const [light, dark] = svg.split('@media (prefers-color-scheme: dark)');
		for (const scheme of [light, dark]) {
			for (const name of ['text', '.own', '.peer', '.note']) {
				expect(scheme).toMatch(new RegExp(`${name.replace('.', '\\.')} \\{[^}]*fill: #`));
			}
		}
	});

	test('says all of it in words, for who does not see it, and writes any text', () => {
		const svg = barChart('Less < is "more" & better', 'note', [bar('<a>', 1)]);
		expect(svg).toContain(
			'aria-label="Less &lt; is &quot;more&quot; &amp; better: &lt;a&gt; 1 s"',
		);
		expect(svg).not.toContain('<a>');
	});

	test('stands without any measurement, and with zeros', () => {
		expect(widths(barChart('Time', '', []))).toEqual([]);
		expect(widths(barChart('Time', '', [bar('a', 0)]))).toEqual([1]);
	});
});
