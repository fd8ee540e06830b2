/** The report of a category, as the binary output of a run. */
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { answerWith, CATEGORY, onlyItem, smsStats } from './support.mts';

const COUNTERS = {
	sent: 925,
	submitted: 925,
	delivered: 872,
	openers: 178,
	clickers: 114,
	clicks: 145,
	opens: 241,
	replies: 62,
	unsubscribers: 3,
	errors: 31,
	bounced: 28,
	complaint: 3,
	timespent: 18,
};

const sim = await useSimulator();

async function report(category: string, options = {}, rest = {}) {
	return await smsStats(
		sim,
		'category',
		{ category, simplify: false, options: { report: true, ...options } },
		rest,
	);
}

test('is an HTML file beside the statistics', async () => {
	sim.service.setStatistics(CATEGORY, COUNTERS);
	const result = await report(CATEGORY);

	expect(onlyItem(result)).toEqual(COUNTERS);
	const [{ binary, pairedItem }] = result.items;
	expect(pairedItem).toEqual({ item: 0 });
	expect(Object.keys(binary!)).toEqual(['data']);
	expect(binary!.data).toMatchObject({
		mimeType: 'text/html',
		fileName: 'sms-report-orders.html',
		fileExtension: 'html',
	});
	const html = Buffer.from(binary!.data.data, 'base64').toString('utf8');
	expect(html).toMatch(/^<!DOCTYPE html>/);
	expect(html).toContain('<h1><bdi>orders</bdi></h1>');
	expect(html).toContain(
		'<tr><th scope="row">Delivered</th><td>872</td><td>94.3%</td><td>94.3%</td></tr>',
	);
});

test('goes into the field that the user names, for each item its own', async () => {
	sim.service.setStatistics('a', { sent: 1 });
	sim.service.setStatistics('b', { sent: 2 });
	const { items } = await report(
		'={{ $json.tag }}',
		{ binaryPropertyName: 'page' },
		{
			items: [{ tag: 'a' }, { tag: 'b' }],
		},
	);
	expect(items.map(({ binary }) => binary!.page.fileName)).toEqual([
		'sms-report-a.html',
		'sms-report-b.html',
	]);
	expect(items.map(({ json }) => json.sent)).toEqual([1, 2]);
});

test("is dated in the workflow's time zone", async () => {
	sim.service.setStatistics(CATEGORY, COUNTERS);
	const { items } = await report(CATEGORY, {}, { timeZone: 'Asia/Tokyo' });
	const html = Buffer.from(items[0].binary!.data.data, 'base64').toString('utf8');
	expect(html).toContain('</time> (Asia/Tokyo)');
});

test('is not made unless asked for', async () => {
	sim.service.setStatistics(CATEGORY, COUNTERS);
	const { items } = await smsStats(sim, 'category', { category: CATEGORY });
	expect(items[0]).not.toHaveProperty('binary');
});

test('is made of an answer with few counters too', async () => {
	answerWith(sim, { sent: '3' });
	const { items, error } = await report(CATEGORY);
	expect(error).toBeUndefined();
	expect(Buffer.from(items[0].binary!.data.data, 'base64').toString()).toContain('not reported');
});
