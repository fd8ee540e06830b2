/** Switches and numbers as models, forms and spreadsheets write them: the obvious is taken, the rest is refused by name. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { placed } from '../harness/settings.mts';
import { runNode } from './harness.mts';
import { Host, now, phone, texts } from './trigger/harness.mts';

const sim = await useSimulator({ now });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => phone(index + 1));

async function run(node: string, parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const { baseUrl, apiKey } = sim;
	return await runNode({ node, parameters, credential: { baseUrl, apiKey }, items: items });
}

const entries = async (parameters: INodeParameters) =>
	await run('SmsBlacklist', { operation: 'getMany', ...parameters });

const ON = ['true', 'True', ' TRUE ', 'yes', 'on', '1', 1, 'oui'];
const NEITHER = ['"maybe"', '""', '2', '-1', '{}', '[true]', 'null', '$json.missing'];
const NO_LIMIT = ['true', '""', '"ten"', '1.5', '0', '-3', '[2]', '"1e3"', '"0x10"', 'null'];
const OFF = ['false', 'False', 'no', 'off', '0', 0, 'non'];

describe('Return All', () => {
	test.each(ON)('%j is on', async (typed) => {
		for (const number of numbers(60)) sim.service.addToBlacklist('unsubscribers', number);
		const { items } = await entries({ returnAll: `={{ ${JSON.stringify(typed)} }}`, limit: 2 });
		expect(items).toHaveLength(60);
	});

	test.each(OFF)('%j is off', async (typed) => {
		for (const number of numbers(3)) sim.service.addToBlacklist('unsubscribers', number);
		const { items } = await entries({
			returnAll: `={{ ${JSON.stringify(typed)} }}`,
			limit: '={{ "2" }}',
		});
		expect(items).toHaveLength(2);
	});

	test.each(NEITHER)('%s is refused', async (typed) => {
		const { error } = await entries({ returnAll: `={{ ${typed} }}` });
		expect(error!.message).toContain("'Return All'");
		expect(error!.description).toContain('{{ $json.field || false }}');
		expect(sim.requests).toHaveLength(0);
	});
});

describe('Limit', () => {
	test.each(NO_LIMIT)('%s is refused', async (typed) => {
		const { error } = await entries({ limit: `={{ ${typed} }}` });
		expect(error!.message).toContain("'Limit'");
		expect(error!.description).toContain('{{ $json.field || 50 }}');
		expect(sim.requests).toHaveLength(0);
	});
});

describe.each<[field: string, node: string, operation: string, setting: string]>([
	['Include Deleted', 'SmsBlacklist', 'getMany', 'includeDeleted'],
	['Wait for Final State', 'SmsStats', 'messageStatus', 'waitForFinalState'],
	['Simplify', 'SmsStats', 'messageStatus', 'simplify'],
	['Include Input Fields', 'Sms', 'sendBatch', 'includeInputFields'],
	['Skip Duplicates', 'Sms', 'send', 'skipDuplicates'],
	['Skip Blacklisted Numbers', 'Sms', 'send', 'skipBlacklisted'],
	['Refuse Empty Fields', 'Sms', 'send', 'refuseEmptyFields'],
	['Send Again if Unknown', 'Sms', 'send', 'resendUnknown'],
])('%s', (field, node, operation, setting) => {
	test.each(['"maybe"', '""', '2', 'null'])('%s is refused', async (typed) => {
		const { error } = await run(node, {
			...{ operation, lookupBy: 'number', number: phone(1), message: 'a' },
			...placed(node, operation, { [setting]: `={{ ${typed} }}` }),
		});
		expect(`${error!.message} ${error!.description}`).toContain(`'${field}' is`);
		expect(sim.requests).toHaveLength(0);
	});
});

test('an option that is written as a text does what it says', async () => {
	sim.service.addToBlacklist('unsubscribers', phone(1));
	sim.service.removeFromBlacklist('unsubscribers', phone(1));
	const deleted = await entries({ options: { includeDeleted: '={{ "yes" }}' } });
	expect(deleted.items).toHaveLength(1);
	const message = { number: phone(1), message: 'a' };
	const options = { includeInputFields: '={{ "True" }}' };
	const batch = await run('Sms', { operation: 'sendBatch', ...message, options }, [{ id: 7 }]);
	expect(batch.items[0].json).toMatchObject({ id: 7, sms: { status: 'sent' } });
	const status = { operation: 'messageStatus', lookupBy: 'number', number: phone(1) };
	const waiting = {
		waitForFinalState: '={{ "true" }}',
		waitInterval: '={{ "1" }}',
		waitTimeLimit: 1,
	};
	const waited = await run('SmsStats', { ...status, options: waiting });
	expect(waited.items[0].json).toHaveProperty('isFinal');
});

describe('the trigger', () => {
	const trigger = (options: INodeParameters) =>
		new Host({ simulator: sim, parameters: { events: ['reply'], categories: 'a', options } });

	test('takes the same', async () => {
		for (const text of ['1', '2', '3']) sim.reply(phone(1), text, { category: 'a' });
		const host = trigger({ emitExisting: 'Yes', maxItemsPerPoll: '2' });
		expect(texts(await host.activate())).toEqual(['1', '2']);
		expect(texts(await host.poll())).toEqual(['3']);
	});

	test.each<[field: string, options: INodeParameters]>([
		['Also Emit What Is Already There', { emitExisting: 'maybe' }],
		['Max Items per Poll', { maxItemsPerPoll: 'true' }],
		['Max Items per Poll', { maxItemsPerPoll: '' }],
	])('refuses %s by name', async (field, options) => {
		await expect(trigger(options).activate()).rejects.toThrowError(`'${field}'`);
	});
});
