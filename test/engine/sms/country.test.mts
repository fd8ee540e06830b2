/** Default Country of the credential: how numbers without a country code are read. */
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { load } from '../harness.mts';
import { jsonOf, sendSms } from './support.mts';

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator()));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

async function sendFrom(defaultCountry: string | undefined, parameters: INodeParameters) {
	const credential = {
		baseUrl: sim.baseUrl,
		apiKey: sim.apiKey,
		...(defaultCountry === undefined ? {} : { defaultCountry }),
	};
	return await sendSms(sim, parameters, { credential });
}

const sentTo = () =>
	sim.requests
		.filter(({ path }) => path.endsWith('/send'))
		.map(({ query, bodyText, method }) =>
			method === 'GET'
				? query.get('identifier')
				: (JSON.parse(bodyText) as { number: string }).number,
		);

describe.each(['send', 'sendBatch', 'sendByUrl'])('%s', (operation) => {
	test.each([
		[undefined, '06 39 98 12 34', '0639981234', '+33639981234'],
		['', '06 39 98 12 34', '0639981234', '+33639981234'],
		['FR', '06 39 98 12 34', '0639981234', '+33639981234'],
		['FR', '639981234', '0639981234', '+33639981234'],
		['BE', '0470 12 34 56', '+32470123456'],
		['BE', '470123456', '+32470123456'],
		['BE', '+33 6 39 98 12 34', '+33639981234'],
		['CH', '079 123 45 67', '+41791234567'],
		['US', '(212) 555-0123', '+12125550123'],
	])('%s: %s goes to %s', async (country, number, sent, shown = sent) => {
		const { items, error } = await sendFrom(country, { operation, number });
		expect(error).toBeUndefined();
		expect(sentTo()).toEqual([sent]);
		expect(jsonOf(items)).toMatchObject([{ number: shown }]);
	});

	test.each(['01 39 98 12 34', '+33 5 39 98 12 34', '09 39 98 12 34'])(
		'%s is a fixed line: nothing is sent, as the service would refuse (code 19)',
		async (number) => {
			const { items, error } = await sendFrom('FR', { operation, number });
			const said = error?.message ?? (items[0].json.reason as string);
			expect(said).toMatch(/fixed line/i);
			expect(sim.requests).toHaveLength(0);
		},
	);

	test('a country that is none is named, and nothing is sent', async () => {
		const { items, error } = await sendFrom('XX', { operation, number: '0470 12 34 56' });
		expect(error?.message ?? (items[0].json.reason as string)).toContain("'Default Country'");
		expect(sim.requests).toHaveLength(0);
	});
});

test('the credential offers the countries by name, France first chosen', () => {
	const { SmsServiceApi } = load<{
		SmsServiceApi: new () => {
			properties: Array<{ name: string; default: string; options?: unknown[] }>;
		};
	}>('credentials/SmsServiceApi.credentials.js');
	const field = new SmsServiceApi().properties.find(({ name }) => name === 'defaultCountry');
	expect(field?.default).toBe('FR');
	expect(field?.options).toContainEqual({ name: 'France (+33)', value: 'FR' });
	expect(field?.options).toContainEqual({ name: 'Belgium (+32)', value: 'BE' });
});
