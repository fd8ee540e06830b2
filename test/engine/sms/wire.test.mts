/**
 * Interface document 4.3 over the wire, where the table of operations and their variants can't say it: time
 * zones, several items.
 */
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { NUMBER, sendSms, wire } from './support.mts';

const sim = await useSimulator();

const MORNING = Date.UTC(2030, 6, 14, 7, 30);
const IN_NEW_YORK = Date.UTC(2030, 6, 14, 13, 30);
test.each([
	['Europe/Paris', '2030-07-14T09:30:00', MORNING],
	['America/New_York', '2030-07-14T09:30:00', IN_NEW_YORK],
	['Asia/Tokyo', '2030-07-14T09:30:00+02:00', MORNING],
	['Asia/Tokyo', '={{ $json.at }}', MORNING],
	['America/New_York', '={{ DateTime.fromISO("2030-07-14T09:30:00") }}', IN_NEW_YORK],
])('a message at a time in %s: %s', async (timeZone, date, milliseconds) => {
	const items = [{ at: '2030-07-14T07:30:00Z' }];
	const { error } = await sendSms(sim, { options: { date } }, { timeZone, items });
	expect(error).toBeUndefined();
	expect(wire(sim.requests[0]).body).toBe(
		`{"number":"${NUMBER}","message":"Bonjour","date":${milliseconds}}`,
	);
});

test.each(['send', 'sendByUrl'])('%s: one item for each, in order, paired', async (operation) => {
	const items = Array.from({ length: 40 }, (_, at) => ({ to: `+3363998${1000 + at}` }));
	const message = '=Item {{ $itemIndex }}';
	const parameters = { operation, number: '={{ $json.to }}', message };
	const { items: results } = await sendSms(sim, parameters, { items });
	expect(results.map(({ json }) => json.number)).toEqual(items.map(({ to }) => to));
	expect(results.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	for (const [index, { json }] of results.entries()) {
		const sent = sim.service.messageBySnapshot(json.snapshotId as string)!;
		expect([sent.number, sent.text]).toEqual([items[index].to, `Item ${index}`]);
	}
});

test('no items, no requests', async () => {
	expect((await sendSms(sim, {}, { items: [] })).error).toBeUndefined();
	expect(sim.requests).toEqual([]);
});
