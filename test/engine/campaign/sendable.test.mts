/** Campaign Send looks at the campaign first. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { addCampaign, byId, hurry, jsonOf, runCampaign, succeeded } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const NUMBER = '+33639981111';

/** A campaign to a list with these numbers. */
function campaign(id: string, state: string, ...numbers: string[]): string {
	const list = sim.service.createList('Clients');
	for (const number of numbers) list.addContact(number);
	return addCampaign(sim, id, list.id, { state });
}

const sending = (id: string, options: INodeParameters = {}): INodeParameters => ({
	operation: 'send',
	campaign: byId(id),
	options,
});
const sends = () => sim.requestsTo('POST', /send$/);

test.each(['SENT', 'sent', 'SENDING', 'Finished', 'IN_PROGRESS'])(
	'a campaign whose state is %s is refused, and sent if the user wants that',
	async (state) => {
		const id = campaign('c-1', state, NUMBER);
		const { error } = await runCampaign(sim, sending(id));
		expect(error?.message).toBe(
			`The campaign c-1 was sent before: its state is now "${state}"`,
		);
		expect(error?.description).toContain("turn on 'Send Without Checks' under Options");
		expect(sends()).toEqual([]);
		succeeded(await runCampaign(sim, sending(id, { sendAnyway: true })));
		expect(sim.messages).toHaveLength(1);
	},
);

test('an error names a campaign that was picked', async () => {
	const id = campaign('c-1', 'SENT', NUMBER);
	const picked = { __rl: true, mode: 'list', value: id, cachedResultName: 'Soldes (SENT, …c-1)' };
	const { error } = await runCampaign(sim, { ...sending(id), campaign: picked });
	expect(error?.message).toMatch(/^The campaign 'Soldes' was sent before/);
});

test.each(['QUEUED', 'PROCESSING', 'Submitted', 'READY_2'])(
	'a campaign whose state is %s, which no document shows, is not sent',
	async (state) => {
		const { error } = await runCampaign(sim, sending(campaign('c-1', state, NUMBER)));
		expect(error?.message).toBe(
			`The state of the campaign c-1, "${state}", doesn't tell whether it was sent`,
		);
		expect(error?.description).toContain("If nobody got it, turn on 'Send Without Checks'");
		expect(sends()).toEqual([]);
	},
);

test.each(['CREATED', 'DRAFT', 'SCHEDULED', 'UNSENT', ''])(
	'a campaign whose state is %j is sent',
	async (state) => {
		succeeded(await runCampaign(sim, sending(campaign('c-1', state, NUMBER))));
		expect(sim.messages).toHaveLength(1);
	},
);

test('a test before does not count as having been sent', async () => {
	const id = campaign('c-1', 'CREATED', NUMBER);
	await runCampaign(sim, { operation: 'sendTest', campaign: byId(id), number: NUMBER });
	succeeded(await runCampaign(sim, sending(id)));
	expect(sim.messages).toHaveLength(2);
});

test('a campaign to an empty list is refused, and sent if the user wants that', async () => {
	const id = campaign('c-1', 'CREATED');
	const { error } = await runCampaign(sim, sending(id));
	expect(error?.message).toBe('The list of the campaign c-1 is empty');
	expect(sends()).toEqual([]);
	const anyway = await runCampaign(sim, sending(id, { sendAnyway: true }));
	expect(jsonOf(anyway.items)).toEqual([{ status: 'sent', creditsUsed: 0, id: 'c-1' }]);
	expect(sim.requests.at(-1)?.method).toBe('POST');
});

describe('a campaign whose list needs more credits than there are', () => {
	const OTHER = '+33639982222';

	test('is refused before anybody gets it, and sent if the user wants that', async () => {
		sim.service.setCredits(1);
		const id = campaign('c-1', 'CREATED', NUMBER, OTHER);
		const { error } = await runCampaign(sim, sending(id));
		expect(error?.message).toBe(
			'The account has 1 credit; the campaign c-1 to 2 contacts needs at least 2',
		);
		expect(error?.description).toContain("turn on 'Send Without Checks' under Options");
		expect(error?.description).toContain('No item has been sent. Run the workflow again');
		expect(sends()).toEqual([]);
		await runCampaign(sim, sending(id, { sendAnyway: true }));
		expect(sends()).toHaveLength(1);
	});

	test.each<[what: string, contacts: string[], isListed: boolean]>([
		['who is on a blacklist', [NUMBER, OTHER], true],
		['a number that is there twice', [NUMBER, '0033639981111'], false],
		['a fixed line', [NUMBER, '+33142681234'], false],
	])('%s needs none', async (_, contacts, isListed) => {
		sim.service.setCredits(1);
		if (isListed) sim.service.addToBlacklist('bounces', OTHER);
		await runCampaign(sim, sending(campaign('c-1', 'CREATED', ...contacts)));
		expect(sends()).toHaveLength(1);
	});

	test('a test run to one number needs none for the others', async () => {
		sim.service.setCredits(1);
		const testNumber = '+33639980999';
		const { baseUrl, apiKey } = sim;
		const credential = { baseUrl, apiKey, manualRuns: 'testNumber', testNumber };
		const id = campaign('c-1', 'CREATED', NUMBER, OTHER);
		succeeded(await runCampaign(sim, sending(id), { credential, mode: 'manual' }));
		expect(sim.messages.map(({ number }) => number)).toEqual([testNumber]);
	});

	test('without an answer about the credits, it is sent', async () => {
		sim.service.setCredits(1);
		sim.faults.add({ path: /account/, times: Infinity, do: { kind: 'status', status: 404 } });
		await runCampaign(sim, sending(campaign('c-1', 'CREATED', NUMBER, OTHER)));
		expect(sends()).toHaveLength(1);
	});
});

test('a date that the account shows for it is told', async () => {
	const { id: list } = sim.service.createList('Clients');
	sim.service.list(list).addContact(NUMBER);
	const date = Date.parse('2031-12-24T08:30:00Z');
	const id = addCampaign(sim, 'c-1', list, { date });
	const { hints } = await runCampaign(sim, sending(id), { timeZone: 'Europe/Paris' });
	expect(hints?.[0].message).toContain(
		'The campaign c-1 has a date, 24 Dec 2031, 09:30 (Europe/Paris): the service may send it only then.',
	);
});

test('none is sent while one is refused', async () => {
	const ids = [campaign('c-1', 'CREATED', NUMBER), campaign('c-2', 'SENT', NUMBER)];
	const items = ids.map((id) => ({ id }));
	const stopped = await runCampaign(sim, sending('={{ $json.id }}'), { items });
	expect(stopped.error?.context.itemIndex).toBe(1);
	expect(sends()).toEqual([]);
	const others = await runCampaign(sim, sending('={{ $json.id }}'), {
		items,
		settings: { onError: 'continueErrorOutput' },
	});
	expect(jsonOf(others.items)).toEqual([{ status: 'sent', creditsUsed: 1, id: 'c-1' }]);
	expect(others.errorItems.map(({ json }) => [json.status, json.id])).toEqual([
		['invalid', 'c-2'],
	]);
});

test.each<[what: string, FaultAction]>([
	[
		'404 about the path',
		{ kind: 'json', status: 404, body: { status: 404, error: 'Not found' } },
	],
	['405', { kind: 'json', status: 405, body: { status: 405, error: 'Method not allowed' } }],
	['404 with a web page', { kind: 'status', status: 404 }],
])('an account that can not look at campaigns sends them: %s', async (_, action) => {
	sim.faults.add({ method: 'GET', times: Infinity, do: action });
	succeeded(await runCampaign(sim, sending(campaign('c-1', 'SENT', NUMBER))));
	expect(sim.messages).toHaveLength(1);
});

test.each<[what: string, FaultAction, RegExp]>([
	['the service fails', { kind: 'status', status: 500 }, /checked before sending: /],
	['it answers with a web page', { kind: 'html200' }, /checked before sending: /],
	['the key is wrong', { kind: 'status', status: 401 }, /refused the API key$/],
])('nothing is sent when %s', async (_, action, message) => {
	sim.faults.add({ method: 'GET', times: Infinity, do: action });
	const { error } = await runCampaign(sim, sending(campaign('c-1', 'CREATED', NUMBER)));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(/^It was not sent\. .*'Send Without Checks'/);
	expect(sends()).toEqual([]);
});

test('nothing is sent when there is no such campaign, and no advice goes round the checks', async () => {
	const body = { code: 47, error: 'Campaign not found' };
	sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'json', status: 404, body } });
	const { error } = await runCampaign(sim, sending(campaign('c-1', 'CREATED', NUMBER)));
	expect(error?.message).toBe('The campaign was not found (ID c-1)');
	expect(error?.description).toMatch(
		/^It was not sent\. Check the campaign ID, and 'Campaign Type'/,
	);
	expect(error?.description).not.toContain('Send Without Checks');
	expect(sends()).toEqual([]);
});

test("with 'Allowed Countries', 'Send Without Checks' is no way round a look that fails", async () => {
	sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status: 500 } });
	const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries: ['FR'] };
	for (const sendAnyway of [false, true]) {
		const parameters = sending(campaign('c-1', 'CREATED', NUMBER), { sendAnyway });
		const { error } = await runCampaign(sim, parameters, { credential: credential as never });
		expect(error?.description).toContain('It was not sent.');
		expect(error?.description).not.toContain('Send Without Checks');
	}
	expect(sends()).toEqual([]);
});

test('each campaign is looked at once, whatever the number of items', async () => {
	const id = campaign('c-1', 'CREATED', NUMBER);
	await runCampaign(sim, sending(id), { items: [{}, {}, {}] });
	expect(sim.requestsTo('GET', /./)).toHaveLength(4);
	expect(sends()).toHaveLength(1);
});

describe('a message with a gap', () => {
	const GAP = '1 contact without a value for ${prenom}: +33639981112';
	const REFUSE = { refuseEmptyFields: true };
	let id = '';
	let list = '';
	beforeEach(() => {
		const clients = sim.service.createList('Clients', [{ name: 'Prénom' }]);
		list = clients.id;
		clients.addContact(NUMBER, { prenom: 'Zoé' });
		clients.addContact('+33639981112');
		const message = 'Bonjour ${prenom}, ${rich_message}';
		id = addCampaign(sim, 'c-1', list, { state: 'CREATED', message });
	});

	test('is warned of in the editor', async () => {
		const { hints } = succeeded(await runCampaign(sim, sending(id), { mode: 'manual' }));
		expect(hints?.[0].message).toContain(GAP);
		expect(hints?.[0].type).toBe('warning');
		expect(sends()).toHaveLength(1);
	});

	test('goes without another look where nobody reads a hint', async () => {
		const { hints } = succeeded(await runCampaign(sim, sending(id), { mode: 'trigger' }));
		expect(hints?.[0].message).not.toContain('without a value');
		expect(sim.requestsTo('GET', /./)).toHaveLength(4);
	});

	test.each(['manual', 'trigger'] as const)(
		"is sent to nobody with 'Refuse Empty Fields', also past the other checks: %s",
		async (mode) => {
			for (const sendAnyway of [false, true]) {
				const options = { ...REFUSE, sendAnyway };
				const { error } = await runCampaign(sim, sending(id, options), { mode });
				expect(error?.message).toBe(GAP);
				expect(error?.description).toContain(
					"turn 'Refuse Empty Fields' off under Options",
				);
			}
			expect(sends()).toEqual([]);
			sim.service.list(list).contacts.removeWhere(({ attributes }) => !attributes.prenom);
			succeeded(await runCampaign(sim, sending(id, REFUSE), { mode }));
			expect(sends()).toHaveLength(1);
		},
	);

	test('a column that was deleted since is a gap for everybody', async () => {
		const message = 'Bonjour ${prenom}, ${ville} ${rich_message}';
		sim.service.list(list).contacts.removeWhere(({ attributes }) => !attributes.prenom);
		addCampaign(sim, id, list, { state: 'CREATED', message });
		const { error } = await runCampaign(sim, sending(id, REFUSE), { mode: 'trigger' });
		expect(error?.message).toBe('The list has no column for ${ville}');
		expect(sends()).toEqual([]);
		const { hints } = await runCampaign(sim, sending(id), { mode: 'manual' });
		expect(hints?.[0].message).toContain('The list has no column for ${ville}.');
		expect(sends()).toHaveLength(1);
	});

	test.each<[what: string, path: RegExp, status: number]>([
		['the campaign', /campaigns\/c-1$/, 404],
		['its columns', /lists\/[^/]+$/, 403],
		['its contacts', /contacts$/, 403],
	])('where the account does not show %s, it is refused with it', async (_, path, status) => {
		const body = { code: 0, error: 'Not available' };
		const fault: FaultAction = { kind: 'json', status, body };
		sim.faults.add({ method: 'GET', path, times: Infinity, do: fault });
		const { error } = await runCampaign(sim, sending(id, REFUSE));
		expect(`${error?.message} ${error?.description}`).toContain('It was not sent.');
		expect(sends()).toEqual([]);
	});
});
