/** Default Country of the credential: how numbers without a country code are read. */
import type { INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { load, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { jsonOf, sendSms, smsRun } from './support.mts';

const sim = await useSimulator();

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

describe.each(['send', 'sendByUrl'])('%s: another recipient is another message', (operation) => {
	const REFUSED = '+33639981232';
	afterEach(() => vi.restoreAllMocks());

	/** The second of two is refused; whatever was corrected, the execution is then retried. */
	async function retried(number: string, first: string, correct: () => Partial<RunOptions>) {
		const parameters = { operation, number, options: { concurrency: 1 } };
		const options = smsRun(sim, [{ to: first }, { to: REFUSED }], parameters);
		sim.stop(REFUSED);
		const failed = await runNode(options);
		expect(failed.error?.description).toContain('STOP');
		sim.service.removeFromBlacklist('unsubscribers', REFUSED);
		return await retryExecution(failed, options, correct());
	}

	/** To whom, as the service reads the number of a request, and what that became. */
	const texted = () => sim.messages.map(({ snapshotId, number }) => ({ snapshotId, number }));

	test('at a retry with the Default Country corrected', async () => {
		const { items, error } = await retried('={{ $json.to }}', '079 123 45 67', () => ({
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'CH' },
		}));
		expect(error).toBeUndefined();
		expect(texted().map(({ number }) => number)).toEqual([
			'+33791234567',
			'+41791234567',
			REFUSED,
		]);
		expect(jsonOf(items)).toMatchObject(texted().slice(1));
	});

	test('at a retry where the expression gives another number', async () => {
		const edge = Date.now() + 3_600_000;
		const number = `={{ Date.now() < ${edge} ? $json.to : $json.to.replace('1231', '1239') }}`;
		const { items, error } = await retried(number, '+33639981231', () => {
			const now = Date.now.bind(Date);
			vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
			return {};
		});
		expect(error).toBeUndefined();
		expect(texted().map(({ number: to }) => to)).toEqual([
			'+33639981231',
			'+33639981239',
			REFUSED,
		]);
		expect(jsonOf(items)).toMatchObject(texted().slice(1));
	});

	test('and the same one is the same, however the number is written', async () => {
		const { items, error } = await retried('={{ $json.to }}', '06 39 98 12 31', () => ({
			parameters: {
				operation,
				number: '={{ $json.to.replace(/^0/, "+33 ") }}',
				message: 'Bonjour',
			},
		}));
		expect(error).toBeUndefined();
		expect(texted().map(({ number: to }) => to)).toEqual(['+33639981231', REFUSED]);
		expect(jsonOf(items)).toMatchObject(texted());
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
