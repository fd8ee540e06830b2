/** Creating, testing and sending must not happen twice (design, guarantees 4 and 5). */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode } from '../harness.mts';
import { byId, campaignRun, creation, hurry, jsonOf, runCampaign } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const LOST: Array<[what: string, FaultAction]> = [
	['a reset', { kind: 'resetAfterAccept' }],
	['504', { kind: 'status', status: 504, accept: true }],
	['a page', { kind: 'html200', accept: true }],
	['an answer of wrong types', { kind: 'wrongTypes', accept: true }],
];

/** Each operation that changes something, how often it was carried out, and how to find out. */
const OPERATIONS: Array<
	[name: string, parameters: (options: INodeParameters) => INodeParameters, string]
> = [
	[
		'create',
		(options) => creation(listId(), { name: '={{ $json.name }}', options }),
		'Get Many Campaigns',
	],
	[
		'send',
		(options) => ({
			operation: 'send',
			campaign: byId('={{ $json.id }}'),
			options,
		}),
		'Get Campaign Statistics',
	],
	[
		'sendTest',
		(options) => ({
			operation: 'sendTest',
			campaign: byId('={{ $json.id }}'),
			number: '+33639981234',
			options,
		}),
		'+33639981234',
	],
];

const listId = () => [...sim.service.lists.keys()][0];

/** A list with one contact, and three campaigns that exist. */
function prepare(): Array<{ id: string; name: string }> {
	const list = sim.service.createList('Clients');
	list.addContact('+33639981111');
	return ['a', 'b', 'c'].map((name) => {
		const id = `c-${name}`;
		sim.service.campaigns.set(id, {
			id,
			kind: 'marketing',
			name,
			message: `Text ${name}`,
			listId: list.id,
			state: 'CREATED',
			creditsUsed: 0,
		});
		return { id, name: `New ${name}` };
	});
}

/** What was carried out, however the answer came back. */
const carriedOut = (operation: string) =>
	(operation === 'create'
		? [...sim.service.campaigns.values()].filter(({ id }) => !id.startsWith('c-'))
		: sim.messages.map(({ text }) => ({ name: text.replace('Text', 'New') }))
	).map(({ name }) => name);

describe.each(OPERATIONS)('%s', (operation, parameters, whereToLook) => {
	const oneAtATime = { concurrency: 1 };

	test('Retry On Fail and Retry Execution repeat nothing that was accepted', async () => {
		const items = prepare();
		sim.faults.add({
			method: 'POST',
			skip: 1,
			times: 2,
			do: { kind: 'json', status: 400, body: { code: 1000, error: 'no' } },
		});
		const run = campaignRun(sim, parameters(oneAtATime), {
			items,
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		const failed = await runNode(run);
		expect(failed.error).toBeDefined();
		expect(carriedOut(operation)).toEqual(['New a']);
		const retried = await retryExecution(failed, run);
		expect(retried.error).toBeUndefined();
		expect(retried.items).toHaveLength(3);
		expect(carriedOut(operation)).toEqual(['New a', 'New b', 'New c']);
	});

	test.each(LOST)('unknown after %s: said so, and not repeated', async (_, action) => {
		const items = prepare().slice(0, 1);
		sim.faults.add({ method: 'POST', do: action });
		const run = campaignRun(sim, parameters({}), {
			items,
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		const failed = await runNode(run);
		expect(failed.error?.message).toMatch(/^It is unknown whether this was (sent|created) \(/);
		expect(failed.error?.description).toContain(whereToLook);
		expect(failed.error?.description).toContain('Repeat if Unknown');
		const retried = await retryExecution(failed, run);
		expect(retried.error?.message).toContain('It is unknown');
		expect(carriedOut(operation)).toEqual(['New a']);
	});

	test('unknown and repeated because the user says so', async () => {
		const items = prepare().slice(0, 1);
		sim.faults.add({ method: 'POST', do: { kind: 'resetBeforeRead' } });
		const run = campaignRun(sim, parameters({ resendUnknown: true }), { items });
		const failed = await runNode(run);
		expect(failed.error).toBeDefined();
		const retried = await retryExecution(failed, run);
		expect(retried.error).toBeUndefined();
		expect(carriedOut(operation)).toEqual(['New a']);
	});

	test('429 is certain, and waited for', async () => {
		const items = prepare();
		sim.faults.add({ method: 'POST', do: { kind: 'tooManyRequests', retryAfter: 0 } });
		const { error } = await runNode(campaignRun(sim, parameters({}), { items }));
		expect(error).toBeUndefined();
		expect(carriedOut(operation).sort()).toEqual(['New a', 'New b', 'New c']);
	});

	test('each item has its own outcome with "Continue on fail"', async () => {
		const items = prepare();
		sim.faults.add({
			method: 'POST',
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 71, error: 'no credit' } },
		});
		const result = await runNode(
			campaignRun(sim, parameters(oneAtATime), {
				items,
				settings: { onError: 'continueErrorOutput' },
			}),
		);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
		]);
		expect(result.errorItems[0].json).toMatchObject({ status: 'refused', code: 71 });
		expect(carriedOut(operation)).toEqual(['New a', 'New c']);
	});
});

test('a campaign is sent once, however many items ask for it', async () => {
	prepare();
	const items = Array.from({ length: 5 }, () => ({}));
	const result = await runCampaign(sim, { operation: 'send', campaign: byId('c-a') }, { items });
	expect(sim.requestsTo('POST', /./)).toHaveLength(1);
	expect(sim.messages).toHaveLength(1);
	const [first, ...others] = jsonOf(result.items);
	expect(first).toMatchObject({ id: 'c-a', creditsUsed: expect.any(Number) });
	expect(others).toEqual(
		Array.from({ length: 4 }, () => ({
			status: 'skipped',
			reason: 'Same campaign as item 0',
			id: 'c-a',
		})),
	);
});

test('a campaign that could not be sent is tried for the next item that asks for it', async () => {
	prepare();
	sim.faults.add({
		method: 'POST',
		do: { kind: 'json', status: 400, body: { code: 1000, error: 'no' } },
	});
	const result = await runCampaign(
		sim,
		{ operation: 'send', campaign: byId('c-a') },
		{ items: [{}, {}], settings: { onError: 'continueRegularOutput' } },
	);
	expect(result.items.map(({ json }) => json.status)).toEqual(['refused', 'sent']);
	expect(sim.messages).toHaveLength(1);
});
