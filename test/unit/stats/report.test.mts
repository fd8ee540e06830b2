/** The report of a category: its numbers, its drawing, and that nothing in it comes alive. */
import { describe, expect, test } from 'vitest';
import { percent, reportFileName, reportHtml } from '../../../nodes/SmsStats/report.ts';
import type { CategoryStatistics } from '../../../nodes/shared/service/statistics.ts';

const DATE = new Date(Date.UTC(2030, 11, 24, 8, 30));
const page = (statistics: CategoryStatistics, category = 'orders') =>
	reportHtml(category, statistics, DATE, 'Europe/Paris');

/** The cells of a table row, by its first cell. */
function cells(html: string, name: string): string[] {
	const row = html.split('<tr>').find((part) => part.startsWith(`<th scope="row">${name}`));
	return [...(row ?? '').matchAll(/<td>(.*?)<\/td>/g)].map(([, text]) => text);
}

const widths = (html: string) =>
	[...html.matchAll(/<rect [^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));

const FULL = { sent: 2000, delivered: 1500, openers: 300, clickers: 150, replies: 30 };

describe('percentages', () => {
	test.each<[part: number | undefined, whole: number | undefined, text: string]>([
		[872, 925, '94.3%'],
		[1, 2, '50%'],
		[5, 5, '100%'],
		[0, 5, '0%'],
		[0, 0, '–'],
		[3, 0, '–'],
		[undefined, 5, '–'],
		[3, undefined, '–'],
		[1, 100_000, '<0.1%'],
		[99_999, 100_000, '>99.9%'],
		[1, 1000, '0.1%'],
		[178, 114, '156.1%'],
		[25, 2, '1,250%'],
	])('%s of %s is %s', (part, whole, text) => {
		expect(percent(part, whole)).toBe(text);
	});
});

describe('the numbers', () => {
	test('are of the sent, and of the step before', () => {
		const html = page(FULL);
		expect(cells(html, 'Sent')).toEqual(['2,000', '100%', '–']);
		expect(cells(html, 'Delivered')).toEqual(['1,500', '75%', '75%']);
		expect(cells(html, 'Opened')).toEqual(['300', '15%', '20%']);
		expect(cells(html, 'Clicked')).toEqual(['150', '7.5%', '50%']);
	});

	test('of a category of which nothing was sent', () => {
		const html = page({ sent: 0, delivered: 0, openers: 0, clickers: 0, replies: 0 });
		expect(cells(html, 'Sent')).toEqual(['0', '–', '–']);
		expect(cells(html, 'Clicked')).toEqual(['0', '–', '–']);
		expect(cells(html, 'Replies')).toEqual(['0', '–']);
		expect(html).not.toMatch(/NaN|Infinity|undefined/);
		expect(widths(html)).toEqual([2, 2, 2, 2]);
	});

	test('that are missing are not taken for 0', () => {
		const html = page({ sent: 10, delivered: 5 });
		expect(cells(html, 'Opened')).toEqual(['not reported', '–', '–']);
		expect(widths(html)).toHaveLength(2);
		expect(html).not.toMatch(/NaN|Infinity|undefined/);
	});

	test('beyond the funnel are listed where there are any', () => {
		expect(page(FULL)).not.toContain('Bounced');
		const html = page({ ...FULL, bounced: 20, opens: 5000 });
		expect(cells(html, 'Bounced')).toEqual(['20', '1%']);
		expect(cells(html, 'Opens')).toEqual(['5,000', '']);
	});

	test('of a unit that the service does not tell are left out', () => {
		expect(page({ ...FULL, timespent: 18 })).toBe(page(FULL));
	});
});

describe('the drawing', () => {
	test('has bars as wide as the counts', () => {
		const [sent, ...others] = widths(page(FULL));
		expect(others.map((width) => Math.round((width / sent) * 1000) / 1000)).toEqual([
			0.75, 0.15, 0.075,
		]);
	});

	test('has no step for replies: they need no click', () => {
		const html = page(FULL);
		expect(html.slice(html.indexOf('<svg'), html.indexOf('</svg>'))).not.toMatch(/repl/i);
		const steps = html.slice(html.indexOf('<th scope="col">Step'), html.indexOf('Also'));
		expect(steps).not.toMatch(/repl/i);
		expect(cells(html, 'Replies')).toEqual(['30', '1.5%']);
	});

	test('stays within its frame when a later step counts more than the sent', () => {
		const html = page({ sent: 10, delivered: 10, openers: 40, clickers: 60, replies: 0 });
		const [sent, , , clicked] = widths(html);
		expect(clicked).toBeLessThanOrEqual(200);
		expect(Math.round((sent / clicked) * 1000)).toBe(167);
	});

	test('is told in words too', () => {
		expect(page(FULL)).toContain('Sent: 2,000. Delivered: 1,500. Opened: 300. Clicked: 150.');
	});
});

describe('the page', () => {
	test('is dated in the given time zone', () => {
		expect(page(FULL)).toContain(
			'<time datetime="2030-12-24T08:30:00.000Z">24 December 2030 at 09:30</time> (Europe/Paris)',
		);
	});

	test('needs nothing from elsewhere, and is light and dark', () => {
		const html = page(FULL);
		expect(html).not.toMatch(/<script|<link |<img|<iframe|@import|url\(|https?:|\son\w+=/i);
		expect(html).toContain('@media (prefers-color-scheme: dark)');
		expect(html).toContain('width=device-width');
		expect(html.length).toBeLessThan(10_000);
	});

	test('shows a category as it is, whatever is in it', () => {
		const html = page(FULL, `</title><script>alert("1")</script>&amp;'`);
		const escaped =
			'&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;&#39;';
		expect(html).toContain(`<title>${escaped}: SMS statistics</title>`);
		expect(html).toContain(`<bdi>${escaped}</bdi>`);
		expect(html).not.toContain('<script');
	});

	test.each([
		['orders', 'sms-report-orders.html'],
		['Été 2030 / Noël', 'sms-report-ete-2030-noel.html'],
		['../../etc', 'sms-report-etc.html'],
		['日本', 'sms-report.html'],
		['x'.repeat(300), `sms-report-${'x'.repeat(60)}.html`],
	])('of %s is the file %s', (category, fileName) => {
		expect(reportFileName(category)).toBe(fileName);
	});
});
