/**
 * Interface document 4.3 over the wire, where the table of operations and their variants can't say it: other accounts,
 * time zones, several items.
 */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator } from '../../simulator/index.mts';
import { NUMBER, sendSms, wire } from './support.mts';

const sim = await useSimulator();

describe.each(['notification', 'marketing'])('a %s message', (messageType) => {
	test('with characters that are kept', async () => {
		// The simulator refuses them, as the document says; what counts is what was sent.
		await sendSms(sim, {
			messageType,
			message: 'ç’👋\u00a0Ж',
			options: { unsupportedCharacters: 'keep' },
		});
		expect(JSON.parse(wire(sim.requests[0]).body).message).toBe('ç’👋\u00a0Ж');
	});

	test.each([
		['Europe/Paris', '2030-07-14T09:30:00', Date.UTC(2030, 6, 14, 7, 30)],
		['America/New_York', '2030-07-14T09:30:00', Date.UTC(2030, 6, 14, 13, 30)],
		['Asia/Tokyo', '2030-07-14T09:30:00+02:00', Date.UTC(2030, 6, 14, 7, 30)],
		['Asia/Tokyo', '={{ $json.at }}', Date.UTC(2030, 6, 14, 7, 30)],
		[
			'America/New_York',
			'={{ DateTime.fromISO("2030-07-14T09:30:00") }}',
			Date.UTC(2030, 6, 14, 13, 30),
		],
	])('at a time in %s: %s', async (timeZone, date, milliseconds) => {
		const items = [{ at: '2030-07-14T07:30:00Z' }];
		const parameters = { messageType, options: { date } };
		const { error } = await sendSms(sim, parameters, { timeZone, items });
		expect(error).toBeUndefined();
		expect(wire(sim.requests[0]).body).toBe(
			`{"number":"${NUMBER}","message":"Bonjour","date":${milliseconds}}`,
		);
	});
});

describe('the header of the key', () => {
	test('has the name that a reseller gave it, and no other', async () => {
		const reseller = await startSimulator({ headerName: 'X-Reseller-Key' });
		try {
			const result = await sendSms(
				reseller,
				{},
				{
					credential: {
						baseUrl: `  ${reseller.baseUrl}/v2/ `,
						apiKey: ` ${reseller.apiKey}\n`,
						headerName: 'X-Reseller-Key',
					},
				},
			);
			expect(result.error).toBeUndefined();
			const { line, headers } = wire(reseller.requests[0]);
			expect(line).toBe('POST /v2/notification/messages/send HTTP/1.1');
			expect(headers['x-reseller-key']).toBe(reseller.apiKey);
			expect(headers).not.toHaveProperty('x-service-apikey');
		} finally {
			await reseller.close();
		}
	});

	test('goes below the path of the base URL', async () => {
		await sendSms(
			sim,
			{},
			{ credential: { baseUrl: `${sim.baseUrl}/sms/`, apiKey: 'k3y-0123456' } },
		);
		expect(wire(sim.requests[0]).line).toBe('POST /sms/v2/notification/messages/send HTTP/1.1');
	});
});

test('a key that needs escaping is escaped in the URL form', async () => {
	const guarded = await startSimulator({ apiKey: 'a+b/c=&d?e#f%20' });
	try {
		const result = await sendSms(guarded, { operation: 'sendByUrl' });
		expect(result.error).toBeUndefined();
		expect(guarded.requests[0].query.get('apiKey')).toBe('a+b/c=&d?e#f%20');
	} finally {
		await guarded.close();
	}
});

describe('what a send answers', () => {
	test('and for when it is scheduled, in place of sent', async () => {
		const { items } = await sendSms(sim, { options: { date: '2030-12-24T09:30:00' } });
		expect(items[0].json).toEqual({
			status: 'scheduled',
			creditsUsed: 1,
			snapshotId: '362891',
			number: NUMBER,
			message: 'Bonjour',
			segments: 1,
			scheduledFor: '2030-12-24T09:30:00.000+01:00',
		});
	});

	test.each(['send', 'sendByUrl'])(
		'%s: one item for each item, in order, paired',
		async (operation) => {
			const items = Array.from({ length: 40 }, (_, index) => ({
				to: `+3363998${1000 + index}`,
			}));
			const result = await sendSms(
				sim,
				{ operation, number: '={{ $json.to }}', message: '=Item {{ $itemIndex }}' },
				{ items },
			);
			expect(result.items.map(({ json }) => json.number)).toEqual(items.map(({ to }) => to));
			expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
				items.map((_, item) => ({ item })),
			);
			for (const [index, { json }] of result.items.entries()) {
				const message = sim.service.messageBySnapshot(json.snapshotId as string)!;
				expect([message.number, message.text]).toEqual([items[index].to, `Item ${index}`]);
			}
		},
	);

	test('no items, no requests', async () => {
		const result = await sendSms(sim, {}, { items: [] });
		expect(result.error).toBeUndefined();
		expect(sim.requests).toHaveLength(0);
	});
});
