/** Interface document 4.3 over the wire: method, path, headers and body of each kind of send. */
import { describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator } from '../../simulator/index.mts';
import { jsonOf, NUMBER, sendSms, wire } from './support.mts';

const sim = await useSimulator();

/** What an HTTP client adds; everything else is named in the document. */
const OF_HTTP = ['accept', 'accept-encoding', 'connection', 'content-length', 'host', 'user-agent'];

function onlyRequest() {
	expect(sim.requests).toHaveLength(1);
	const { line, headers, body } = wire(sim.requests[0]);
	const documented = Object.fromEntries(
		Object.entries(headers).filter(([name]) => !OF_HTTP.includes(name)),
	);
	return { line, headers: documented, body };
}

describe.each(['notification', 'marketing'])('POST of a %s message', (messageType) => {
	const line = `POST /v2/${messageType}/messages/send HTTP/1.1`;
	const headers = () => ({
		'content-type': 'application/json',
		'x-service-apikey': sim.apiKey,
	});

	async function sendWith({ credential, ...parameters }: INodeParameters, timeZone?: string) {
		const result = await sendSms(
			sim,
			{ messageType, ...parameters },
			{
				timeZone,
				credential: {
					...{ baseUrl: sim.baseUrl, apiKey: sim.apiKey },
					...(credential as IDataObject | undefined),
				},
			},
		);
		expect(result.error).toBeUndefined();
		return result;
	}

	test('with nothing but what is required', async () => {
		await sendWith({});
		expect(onlyRequest()).toEqual({
			line,
			headers: headers(),
			body: '{"number":"+33639981234","message":"Bonjour"}',
		});
	});

	const ROWS: Array<[what: string, parameters: INodeParameters, body: IDataObject]> = [
		[
			'all options',
			{
				message: 'Déjà là',
				sender: 'MyShop',
				options: {
					campaignName: 'Été 2030',
					category: 'orders',
					date: '2030-12-24T09:30:00',
				},
			},
			{
				number: NUMBER,
				message: 'Déjà là',
				sender: 'MyShop',
				campaignName: 'Été 2030',
				category: 'orders',
				date: Date.UTC(2030, 11, 24, 8, 30),
			},
		],
		[
			'legacy names',
			{
				options: { category: 'orders', campaignName: 'Summer' },
				credential: { fieldNames: 'legacy' },
			},
			{ identifier: NUMBER, message: 'Bonjour', tag: 'orders', campaignName: 'Summer' },
		],
		[
			'options that were added and left empty',
			{ sender: '', options: { campaignName: '', category: '', date: '' } },
			{ number: NUMBER, message: 'Bonjour' },
		],
		[
			'options of blanks',
			{ sender: ' ', options: { campaignName: '  ', category: '\n' } },
			{ number: NUMBER, message: 'Bonjour' },
		],
		[
			'options that say how to send, not what',
			{
				options: {
					skipDuplicates: true,
					resendUnknown: true,
					concurrency: 5,
					requestsPerSecond: 100,
					unsupportedCharacters: 'reject',
				},
			},
			{ number: NUMBER, message: 'Bonjour' },
		],
		[
			'a national number',
			{ number: '06 39.98-12 34' },
			{ number: '0639981234', message: 'Bonjour' },
		],
		[
			'an international number',
			{ number: '00 33 (0)6 39 98 12 34' },
			{ number: NUMBER, message: 'Bonjour' },
		],
		[
			'a number and a text as numbers',
			{ number: `={{ "${NUMBER}" }}`, message: '={{ 482913 }}' },
			{ number: NUMBER, message: '482913' },
		],
		[
			'spaces around sender, category and campaign name',
			{ sender: ' MyShop ', options: { category: ' orders ', campaignName: ' Summer ' } },
			{
				number: NUMBER,
				message: 'Bonjour',
				sender: 'MyShop',
				category: 'orders',
				campaignName: 'Summer',
			},
		],
		[
			'spaces around the text, which are the text',
			{ message: ' Bonjour\n' },
			{ number: NUMBER, message: ' Bonjour\n' },
		],
		[
			'every character of the table',
			{
				message:
					'@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^{}~"\\\' azAZ09\r\n' +
					(messageType === 'marketing' ? '€' : '¤'),
				options: { unsupportedCharacters: 'reject' },
			},
			{
				number: NUMBER,
				message:
					'@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^{}~"\\\' azAZ09\r\n' +
					(messageType === 'marketing' ? '€' : '¤'),
			},
		],
		[
			'characters that are replaced by default',
			{ message: 'L’été… 👋' },
			{ number: NUMBER, message: "L'été..." },
		],
	];
	test.each(ROWS)('with %s', async (_, parameters, body) => {
		await sendWith(parameters);
		const request = onlyRequest();
		expect({ ...request, body: JSON.parse(request.body) }).toEqual({
			line,
			headers: headers(),
			body,
		});
	});

	describe('date', () => {
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
		])('%s: %s', async (timeZone, date, milliseconds) => {
			const result = await sendSms(
				sim,
				{ messageType, options: { date } },
				{ timeZone, items: [{ at: '2030-07-14T07:30:00Z' }] },
			);
			expect(result.error).toBeUndefined();
			expect(onlyRequest().body).toBe(
				`{"number":"${NUMBER}","message":"Bonjour","date":${milliseconds}}`,
			);
		});
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

describe.each(['notification', 'marketing'])('URL form of a %s message', (messageType) => {
	const path = `/v2/${messageType}/messages/send`;

	const ROWS: Array<[what: string, parameters: INodeParameters, query: string]> = [
		['nothing but what is required', {}, 'identifier=%2B33639981234&message=Bonjour'],
		[
			'a sender',
			{ sender: 'MyShop' },
			'identifier=%2B33639981234&sender=MyShop&message=Bonjour',
		],
		[
			'a national number',
			{ number: '06 39 98 12 34' },
			'identifier=0639981234&message=Bonjour',
		],
		[
			'spaces, plus signs and all that means something in a URL',
			{ message: '1 + 1 = 2 & 50%? #/;:@,"<>{}|^\\' },
			'identifier=%2B33639981234&message=1%20%2B%201%20%3D%202%20%26%2050%25%3F%20%23%2F%3B%3A%40%2C%22%3C%3E%7B%7D%7C%5E%5C',
		],
		[
			'accents and a line break',
			{ message: 'Déjà\nlà' },
			'identifier=%2B33639981234&message=D%C3%A9j%C3%A0%0Al%C3%A0',
		],
		[
			'characters that are replaced by default',
			{ message: 'L’été 👋' },
			"identifier=%2B33639981234&message=L'%C3%A9t%C3%A9",
		],
	];
	test.each(ROWS)('with %s', async (_, parameters, query) => {
		const result = await sendSms(sim, { operation: 'sendByUrl', messageType, ...parameters });
		expect(result.error).toBeUndefined();
		const { line, headers, body } = onlyRequest();
		expect(body).toBe('');
		expect(headers).toEqual({}); // the key is in the query "instead of the header" (section 5)

		const [method, target] = line.split(' ');
		expect(method).toBe('GET');
		expect(target.split('?')[0]).toBe(path);
		// Which unreserved punctuation is escaped is the client's choice; what it means is not.
		const sent = new URLSearchParams(target.split('?')[1]);
		expect([...sent]).toEqual([...new URLSearchParams(`apiKey=${sim.apiKey}&${query}`)]);
		expect(target).not.toMatch(/ |\+/); // %20 and %2B, never a bare plus sign
		expect(jsonOf(result.items)).toMatchObject([{ creditsUsed: 1 }]);
		expect(sim.messages).toHaveLength(1);
	});

	test('with a key that needs escaping', async () => {
		const guarded = await startSimulator({ apiKey: 'a+b/c=&d?e#f%20' });
		try {
			const result = await sendSms(guarded, { operation: 'sendByUrl', messageType });
			expect(result.error).toBeUndefined();
			expect(guarded.requests[0].query.get('apiKey')).toBe('a+b/c=&d?e#f%20');
		} finally {
			await guarded.close();
		}
	});
});

describe('what a send answers', () => {
	test.each(['send', 'sendByUrl'])(
		"%s: the service's own fields, the number in international format, and that it is sent",
		async (operation) => {
			const { items } = await sendSms(sim, { operation, number: '06 39 98 12 34' });
			expect(items).toEqual([
				{
					json: {
						status: 'sent',
						creditsUsed: 1,
						snapshotId: '362891',
						number: '+33639981234',
						message: 'Bonjour',
						segments: 1,
					},
					pairedItem: { item: 0 },
				},
			]);
		},
	);

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
