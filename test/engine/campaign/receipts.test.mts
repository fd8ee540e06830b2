/**
 * Creating, testing and sending must not happen twice (design, guarantees 4 and 5). More on it is in
 * `delivery/repeated-changes`.
 */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { load, retryExecution, runNode, succeeded } from '../harness.mts';
import {
	addCampaign,
	byId,
	campaignRun,
	creation,
	hurry,
	jsonOf,
	runCampaign,
} from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const NAME = '={{ $json.name }}';
const campaign = byId('={{ $json.id }}');
const number = '+33639981234';

const listId = () => [...sim.service.lists.keys()][0];

/** A list with one contact, and three campaigns that exist. */
function prepare(): Array<{ id: string; name: string }> {
	const list = sim.service.createList('Clients');
	list.addContact('+33639981111');
	return ['a', 'b', 'c'].map((name) => {
		const id = addCampaign(sim, `c-${name}`, list.id, { name, message: `Text ${name}` });
		return { id, name: `New ${name}` };
	});
}

/** The campaigns that were created or sent, however the answer came back. */
const carriedOut = (operation: string) =>
	(operation === 'create'
		? [...sim.service.campaigns.values()].filter(({ id }) => !id.startsWith('c-'))
		: sim.messages.map(({ text }) => ({ name: text.replace('Text', 'New') }))
	).map(({ name }) => name);

/** Requests about the campaign b. */
const ABOUT_B = ({ target, bodyText }: { target: string; bodyText: string }) =>
	target.includes('c-b') || bodyText.includes('New b');

// Of the others, the account tells whether they were carried out: delivery/repeated-changes.
test('a test that is unknown is sent again where the user says so, and the others are not', async () => {
	const items = prepare();
	const parameters = { operation: 'sendTest', campaign, number };
	sim.faults.add({ method: 'POST', match: ABOUT_B, do: { kind: 'resetBeforeRead' } });
	const run = campaignRun(sim, parameters, { items });
	const failed = await runNode(run);
	expect(failed.error?.message).toBe(`2 of 3 sent, 1 unknown (${number})`);
	expect(failed.error?.description).toContain("'Repeat if Unknown'");
	const again = await retryExecution(failed, run);
	expect(again.error?.message).toContain(`1 unknown (${number})`);
	const sent = () => sim.messages.map(({ text }) => text).sort();
	expect(sent()).toEqual(['Text a', 'Text c']);
	const corrected = { ...parameters, options: { resendUnknown: true } };
	succeeded(await retryExecution(again, run, { parameters: corrected }));
	expect(sent()).toEqual(['Text a', 'Text b', 'Text c']);
});

test('a campaign that the service shows late as sent is not sent again', async () => {
	const { RETRY } = load<{ RETRY: { shownAfter: number } }>('nodes/shared/run/retryPolicy.js');
	RETRY.shownAfter = 400;
	prepare();
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	const run = campaignRun(sim, { operation: 'send', campaign: byId('c-a') });
	const failed = await runNode(run);
	sim.faults.add({ path: /status$/, do: { kind: 'json', body: { state: 'CREATED' } } });
	succeeded(await retryExecution(failed, run));
	expect(sim.messages).toHaveLength(1);
	hurry();
});

test('a campaign whose state the service does not show is not sent again', async () => {
	prepare();
	sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
	const run = campaignRun(sim, { operation: 'send', campaign: byId('c-a') });
	const failed = await runNode(run);
	sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'json', body: { id: 'c-a' } } });
	const again = await retryExecution(failed, run);
	expect(again.error?.message).toContain("the account doesn't show the state of the campaign");
	expect(sim.messages).toHaveLength(1);
});

describe('a campaign whose creation got no answer', () => {
	const DATE = Date.UTC(2036, 0, 1, 9);
	const dated = { options: { date: '2036-01-01T10:00:00' } };
	const lost = async (
		kind: 'resetBeforeRead' | 'resetAfterAccept',
		more: INodeParameters = {},
	) => {
		sim.faults.add({ method: 'POST', do: { kind } });
		const run = campaignRun(sim, creation(listId(), more));
		return { run, failed: await runNode(run) };
	};
	const named = () =>
		[...sim.service.campaigns.values()].filter(({ name }) => name === 'Summer sale');

	test.each([{}, dated])('is found by a retry %#', async (more) => {
		prepare();
		const { run, failed } = await lost('resetAfterAccept', more);
		const again = await retryExecution(failed, run);
		const [{ id }] = named();
		expect(jsonOf(again.items)).toMatchObject([{ id, name: 'Summer sale', state: 'CREATED' }]);
		if (more === dated)
			expect(again.items?.[0].json.scheduledFor).toBe('2036-01-01T10:00:00.000+01:00');
		expect(named()).toHaveLength(1);
	});

	test.each([
		['is to another list', { listId: 'other' }],
		['was sent', { state: 'SENT' }],
	] as const)('is created by a retry where one of its name %s', async (_, other) => {
		prepare();
		addCampaign(sim, 'old', listId(), { name: 'Summer sale', ...other });
		const { run, failed } = await lost('resetBeforeRead');
		const again = succeeded(await retryExecution(failed, run));
		expect(again.items?.[0].json.id).not.toBe('old');
		expect(named()).toHaveLength(2);
	});

	test('is not created twice where its text was corrected before the retry', async () => {
		prepare();
		const { run, failed } = await lost('resetAfterAccept');
		const parameters = creation(listId(), { message: 'Bonsoir' });
		const again = await retryExecution(failed, run, { parameters });
		expect(again.error?.message).toMatch(/doesn't tell whether the campaign "Summer sale" was/);
		expect(named()).toHaveLength(1);
	});

	test('is not created twice where it would be sent by itself', async () => {
		prepare();
		addCampaign(sim, 'old', listId(), { name: 'Summer sale', date: DATE + 3_600_000 });
		const { run, failed } = await lost('resetBeforeRead', dated);
		const again = await retryExecution(failed, run);
		expect(again.error?.message).toMatch(
			/the account shows no campaign "Summer sale" for that date so far$/,
		);
		expect(again.error?.description).toContain('look there yourself, or retry later');
		expect(named()).toHaveLength(1);
	});

	test.each([
		['without texts', 200, [{ id: 'old', name: 'Summer sale' }]],
		['not at all', 404, { error: 'Not found' }],
	])('stays unknown where the account shows its campaigns %s', async (_, status, body) => {
		prepare();
		const { run, failed } = await lost('resetAfterAccept');
		sim.faults.add({ path: '/v2/campaigns', do: { kind: 'json', status, body } });
		const again = await retryExecution(failed, run);
		expect(again.error?.message).toMatch(/^It is unknown whether this was created/);
		expect(again.error?.description).toContain('look there yourself, or retry later');
		expect(named()).toHaveLength(1);
	});
});

/** The options of a campaign with a date, on some days of the week only. */
function inHours(days: string): INodeParameters {
	const hours = { from: '08:00', to: '20:00', days, holidays: false, otherwise: 'schedule' };
	return { options: { date: '2036-01-01T10:00:00', allowedHours: { hours } } };
}

/** Runs of several items about one campaign. */
const SAME: Array<[what: string, parameters: () => INodeParameters, done: () => string[]]> = [
	[
		'sent',
		() => ({ operation: 'send', campaign: byId('c-a') }),
		() => sim.messages.map(({ text }) => text),
	],
	[
		'sent as a test',
		() => ({ operation: 'sendTest', campaign: byId('c-a'), number }),
		() => sim.messages.map(({ text }) => text),
	],
	['created', () => creation(listId()), () => carriedOut('create')],
];

describe.each(SAME)('a campaign is %s once', (_, parameters, done) => {
	test('however many items ask for it, and the others say so', async () => {
		prepare();
		const items = Array.from({ length: 5 }, () => ({}));
		const run = campaignRun(sim, parameters(), { items });
		const result = succeeded(await runNode(run));
		expect(done()).toHaveLength(1);
		const [first, ...others] = jsonOf(result.items);
		expect(first.id).toEqual(expect.any(String));
		expect(others).toHaveLength(4);
		for (const { status, reason } of others) {
			expect(status).toBe('skipped');
			expect(reason).toMatch(
				/^Same campaign(?: and number)? as another item: Row 1 \(item 0\)$/,
			);
		}
	});
});

test('a campaign of another type is another one', async () => {
	prepare();
	const items = [{ type: 'marketing' }, { type: 'notification' }];
	const parameters = {
		operation: 'send',
		campaign: byId('c-a'),
		campaignType: '={{ $json.type }}',
	};
	const options = { items, settings: { onError: 'continueRegularOutput' } } as const;
	const result = await runCampaign(sim, parameters, options);
	expect(jsonOf(result.items).map(({ status }) => status)).toEqual(['sent', 'refused']);
});

test.each<[what: string, more: INodeParameters]>([
	['name', { name: '={{ $json.a }}' }],
	['message', { message: '={{ $json.a }}' }],
	['type', { campaignType: '={{ $json.type }}' }],
	['sender', { sender: '={{ "Shop" + $json.a }}' }],
	['date', { options: { date: '={{ "2036-01-0" + $json.a + "T10:00:00" }}' } }],
	// 1 January 2036 is a Tuesday.
	['days', inHours('={{ $json.a === "1" ? "tuesday" : "monday" }}')],
])('campaigns that differ in their %s are all created', async (_, more) => {
	prepare();
	const items = [
		{ a: '1', type: 'marketing' },
		{ a: '2', type: 'notification' },
	];
	succeeded(await runCampaign(sim, creation(listId(), more), { items }));
	expect(carriedOut('create')).toHaveLength(2);
});

test('campaigns with the same date, written otherwise, are one', async () => {
	prepare();
	const items = [{ date: '2036-01-01T10:00' }, { date: '01/01/2036 10:00' }];
	const parameters = creation(listId(), { options: { date: '={{ $json.date }}' } });
	succeeded(await runCampaign(sim, parameters, { items }));
	expect(carriedOut('create')).toHaveLength(1);
});

test('of equal campaigns, a retry creates none again', async () => {
	prepare();
	const run = campaignRun(sim, creation(listId(), { name: '={{ $json.name }}' }), {
		items: [{ name: 'New a' }, { name: 'New a' }, { name: 'New b' }],
	});
	sim.faults.add({
		...{ method: 'POST', match: ABOUT_B },
		do: { kind: 'json', status: 400, body: { code: 1000, error: 'no' } },
	});
	const failed = await runNode(run);
	const retried = succeeded(await retryExecution(failed, run));
	expect(carriedOut('create').sort()).toEqual(['New a', 'New b']);
	expect(jsonOf(retried.items)[1]).toMatchObject({ status: 'skipped' });
});

// Each would be sent by itself, to the same people.
test.each<[what: string, more: INodeParameters]>([
	['name', { name: '={{ $json.name }} 2036' }],
	['type', { name: NAME, campaignType: 'notification' }],
])('whoever corrects the %s before a retry makes no second campaign', async (_, more) => {
	const items = prepare().slice(0, 2);
	const dated = { options: { date: '2036-01-01T10:00:00' } };
	const run = campaignRun(sim, creation(listId(), { name: NAME, ...dated }), { items });
	const wrong = { kind: 'json', status: 400, body: { code: 40, error: 'no' } } as const;
	sim.faults.add({ method: 'POST', match: ABOUT_B, do: wrong });
	const failed = await runNode(run);
	expect(carriedOut('create')).toEqual(['New a']);
	const corrected = campaignRun(sim, creation(listId(), { ...dated, ...more }));
	const retried = await retryExecution(failed, run, { parameters: corrected.parameters });
	expect(retried.error).toBeUndefined();
	expect(carriedOut('create')).toHaveLength(2);
});

test.each([
	['send', { campaign: byId('c-a') }],
	['sendTest', { campaign: byId('c-a'), number: '0639981234' }],
])('%s of a campaign of the other type: the error names that type', async (operation, more) => {
	prepare();
	const parameters = { operation, campaignType: 'notification', ...more };
	const { error } = await runCampaign(sim, parameters);
	expect(error?.message).toBe('The campaign was not found (ID c-a)');
	expect(error?.description).toContain("set 'Campaign Type' to Marketing");
	expect(sim.messages).toEqual([]);
	const corrected = { ...parameters, campaignType: 'marketing' };
	expect((await runCampaign(sim, corrected)).error).toBeUndefined();
});
