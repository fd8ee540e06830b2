/**
 * Interface document 4.3 over the wire, where the table of operations and their variants can't say it: other accounts,
 * time zones, several items.
 */
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator, type SimulatorOptions } from '../../simulator/index.mts';
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

/** @returns the first request of a send to another account of the service */
async function sentTo(account: SimulatorOptions, operation: string, credential: IDataObject = {}) {
	const other = await startSimulator(account);
	const { baseUrl, apiKey } = other;
	const known = { baseUrl: `  ${baseUrl}/v2/ `, apiKey: ` ${apiKey}\n`, ...credential };
	const { error } = await sendSms(other, { operation }, { credential: known });
	expect(error).toBeUndefined();
	await other.close();
	return { request: other.requests[0], apiKey };
}

test('the header of the key has the name that a reseller gave it, and no other', async () => {
	const named = { headerName: 'X-Reseller-Key' };
	const { request, apiKey } = await sentTo(named, 'send', named);
	const { line, headers } = wire(request);
	expect(line).toBe('POST /v2/notification/messages/send HTTP/1.1');
	expect(headers['x-reseller-key']).toBe(apiKey);
	expect(headers).not.toHaveProperty('x-service-apikey');
});

test('a key that needs escaping is escaped in the URL form', async () => {
	const { request, apiKey } = await sentTo({ apiKey: 'a+b/c=&d?e#f%20' }, 'sendByUrl');
	expect(request.query.get('apiKey')).toBe(apiKey);
});

test('the path of the base URL comes first', async () => {
	await sendSms({ baseUrl: `${sim.baseUrl}/sms/`, apiKey: 'k3y-0123456' });
	expect(wire(sim.requests[0]).line).toBe('POST /sms/v2/notification/messages/send HTTP/1.1');
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
