/** The example workflows in workflows/, imported and run in a real n8n: each does what its notes say. */
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Mailbox, startMailbox } from '../harness/mailbox.mts';
import type { StoredWorkflow } from '../harness/n8n.mts';
import { root } from '../harness/package.mts';
import { type ReceivedCall, type Receiver, startReceiver } from '../harness/receiver.mts';
import { linkOf, listOf } from '../operations.mts';
import type { FaultAction } from '../simulator/faults.mts';
import { useEnvironment, useModel } from './support.mts';

const CUSTOMER = '+33639981234';
const TRIGGER = 'SMS Trigger';

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });
const model = await useModel(n8n, 'OpenAI account');
/** The other tools: a CRM, a chat … */
let tools: Receiver;
let mailbox: Mailbox;

beforeAll(async () => {
	[tools, mailbox] = await Promise.all([startReceiver(0), startMailbox()]);
	const { host, port } = mailbox;
	await n8n.createCredential('smtp', 'SMTP account', {
		...{ host, port, user: '', password: '', secure: false, disableStartTls: true },
	});
});
afterAll(async () => {
	await tools?.close();
	await mailbox?.close();
});
beforeEach(() => {
	tools.calls.length = 0;
	mailbox.mails.length = 0;
});

/** Two workflows can't have the same webhook. */
const active: string[] = [];
afterEach(async () => {
	for (const id of active.splice(0)) await n8n.deactivate(id);
});

async function activate({ id }: StoredWorkflow): Promise<void> {
	active.push(id);
	await n8n.activate(id);
}

/** Imports a workflow as it is, but for the addresses of the other tools. */
async function importExample(file: string): Promise<StoredWorkflow> {
	const text = await readFile(join(root, 'workflows', `${file}.json`), 'utf8');
	const definition = JSON.parse(
		text.replaceAll(/https:\/\/(\w+)\.example\.com/g, `${tools.baseUrl}/$1`),
	);
	return await n8n.createWorkflow(definition);
}

/** Runs a workflow from one of its triggers; the first manual one by default. */
async function run(workflow: StoredWorkflow, trigger?: string) {
	const execution = await n8n.run(workflow.id, { trigger });
	expect(execution.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** Calls the webhook of an active workflow and waits for the end of what that starts. */
async function callWebhook(workflow: StoredWorkflow, path: string, body: IDataObject) {
	const before = (await n8n.listExecutions(workflow.id)).length;
	const url = `${n8n.url}/webhook/${path}`;
	// The webhook is there soon after the workflow is active.
	for (let tries = 0; ; tries++) {
		const { status } = await axios.post(url, body, { validateStatus: () => true });
		if (status === 200) break;
		if (tries === 50) throw new Error(`The webhook answered ${status}`);
		await sleep(200);
	}
	for (let tries = 0; ; tries++) {
		const executions = await n8n.listExecutions(workflow.id);
		if (executions.length > before) return await n8n.waitFor(executions[0].id);
		if (tries === 100) throw new Error('The webhook started nothing');
		await sleep(100);
	}
}

/** Who got a message. Several are sent at once, so the order in which they arrive says nothing. */
const numbers = () => simulator.messages.map(({ number }) => number).sort();
const texts = () => simulator.messages.map(({ text }) => text);
const told = ({ method, tool, path, body }: ReceivedCall) => [
	`${method} ${tool}${path}`,
	JSON.parse(body),
];

test('crm-event-to-sms: the customer is told, and the CRM what became of it', async () => {
	const workflow = await importExample('crm-event-to-sms');
	await activate(workflow);
	const order = { orderId: '2026-100', firstName: 'Camille', phone: CUSTOMER };
	await callWebhook(workflow, 'order-shipped', order);
	expect(numbers()).toEqual(['+33639980061']);
	expect(texts()).toEqual(['Hello Camille, your order 2026-100 is on its way.']);
	expect(tools.calls.map(told)).toEqual([
		[
			'PUT crm/api/orders/2026-100/sms',
			{ state: 'delivered', isFinal: true, snapshotId: expect.anything() },
		],
	]);
});

test('crm-event-to-sms: a customer of yours once the test number is empty; what fails is told too', async () => {
	const workflow = await importExample('crm-event-to-sms');
	const live = workflow.nodes.map((node) =>
		node.name === 'Test Number'
			? { ...node, parameters: { includeOtherFields: true, assignments: {}, options: {} } }
			: node,
	);
	await n8n.updateWorkflow(workflow.id, { nodes: live });
	await activate(workflow);
	const order = { orderId: 7, firstName: 'Camille', phone: CUSTOMER };
	await callWebhook(workflow, 'order-shipped', order);
	expect(numbers()).toEqual([CUSTOMER]);
	tools.calls.length = 0;
	await callWebhook(workflow, 'order-shipped', { ...order, phone: 'no number' });
	expect(numbers()).toEqual([CUSTOMER]);
	expect(tools.calls.map(told)).toEqual([
		[
			'PUT crm/api/orders/7/sms',
			{ state: 'not sent', reason: expect.stringContaining('Phone Number') },
		],
	]);
});

test('batch-with-once-keys: each row once, whoever said STOP left out', async () => {
	const workflow = await importExample('batch-with-once-keys');
	simulator.service.addToBlacklist('unsubscribers', '+33639980072');
	const first = await run(workflow);
	expect(first.json('Send Batch').map(({ status }) => status)).toEqual([
		'sent',
		'skipped',
		'sent',
		'sent',
	]);
	expect(texts()).toContain(
		'Hello Camille, your order 2026-100 (25,90 EUR) is ready. You can pick it up until Saturday.',
	);
	expect(first.json('Needs a Look')).toEqual([]);
	const second = await run(workflow);
	expect(second.json('Send Batch').map(({ status }) => status)).toEqual(
		Array.from({ length: 4 }, () => 'skipped'),
	);
	expect(numbers()).toHaveLength(3);
});

test('batch-with-once-keys: what was refused needs a look', async () => {
	const workflow = await importExample('batch-with-once-keys');
	// The first message goes, the others don't.
	simulator.faults.add({
		...{ method: 'POST', skip: 1, times: Infinity },
		do: { kind: 'json', body: { code: 19 } },
	});
	const execution = await run(workflow);
	expect(execution.json('Needs a Look').length).toBe(4 - numbers().length);
	expect(execution.json('Needs a Look').length).toBeGreaterThan(0);
});

describe('marketing-once-a-week', () => {
	const statuses = (items: IDataObject[]) =>
		items.map(({ status }) => (status === 'scheduled' ? 'sent' : status));
	const everybody = [71, 72, 73].map((last) => `+336399800${last}`);

	test('each phone once a week, however its number is written and often it runs', async () => {
		const workflow = await importExample('marketing-once-a-week');
		simulator.service.addToBlacklist('unsubscribers', '+33639980072');
		const first = await run(workflow);
		expect(statuses(first.json('Send Batch'))).toEqual(['sent', 'skipped', 'sent', 'skipped']);
		expect(numbers()).toEqual(everybody.filter((number) => number !== '+33639980072'));
		for (const { kind, sender } of simulator.messages) {
			expect([kind, sender]).toEqual(['marketing', 'MyShop']);
		}
		simulator.service.removeFromBlacklist('unsubscribers', '+33639980072');
		const second = await run(workflow);
		expect(statuses(second.json('Send Batch'))).toEqual([
			'skipped',
			'sent',
			'skipped',
			'skipped',
		]);
		const another = workflow.nodes.map((node) =>
			node.name === 'Send Batch'
				? { ...node, parameters: { ...node.parameters, message: 'Another offer' } }
				: node,
		);
		await n8n.updateWorkflow(workflow.id, { nodes: another });
		const third = await run(workflow);
		expect(statuses(third.json('Send Batch'))).toEqual(
			Array.from({ length: 4 }, () => 'skipped'),
		);
		expect(numbers()).toEqual(everybody);
	});

	test('and again in the next week', async () => {
		const workflow = await importExample('marketing-once-a-week');
		await run(workflow);
		const nextWeek = JSON.stringify(workflow.nodes)
			.replaceAll('$now.toFormat', '$now.plus({ weeks: 1 }).toFormat')
			.replace('everything for your garden', 'everything for your kitchen');
		const nodes = JSON.parse(nextWeek) as typeof workflow.nodes;
		await n8n.updateWorkflow(workflow.id, { nodes });
		const again = await run(workflow);
		expect(statuses(again.json('Send Batch'))).toEqual(['sent', 'sent', 'sent', 'skipped']);
		expect(numbers()).toEqual(everybody.flatMap((number) => [number, number]));
	});
});

test('campaign-to-a-new-list: a list, its contacts, a campaign, and no message', async () => {
	await run(await importExample('campaign-to-a-new-list'));
	const { lists, campaigns } = simulator.service;
	const [list] = lists.values();
	expect([...list.contacts.items()].map(({ identifier }) => identifier).sort()).toEqual([
		'+33639980075',
		'+33639980076',
		'+33639980077',
	]);
	expect([...campaigns.values()]).toEqual([
		expect.objectContaining({
			name: 'Opening in Lyon',
			message: expect.stringContaining('Hello ${first_name},'),
		}),
	]);
	expect(numbers()).toEqual([]);
});

test('list-that-follows-the-crm: who is new, has changed and is gone, and nothing in a quiet night', async () => {
	const workflow = await importExample('list-that-follows-the-crm');
	const list = simulator.service.createList('Customers', [
		{ name: 'First name' },
		{ name: 'City' },
	]);
	const held = () =>
		list.contacts
			.items()
			.map(({ identifier, attributes: { first_name: name, city } }) => [
				identifier,
				name,
				city,
			])
			.sort();
	const choose = async (maxRemovals: number) => {
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Sync'
				? {
						...node,
						parameters: {
							...node.parameters,
							...{ list: listOf(list.id), maxRemovals },
						},
					}
				: node,
		);
		await n8n.updateWorkflow(workflow.id, { nodes });
	};
	const night = async () => {
		tools.calls.length = 0;
		simulator.requests.length = 0;
		const execution = await n8n.run(workflow.id, { trigger: 'Every Night at 2' });
		return {
			error: execution.error?.message,
			said: tools.calls.map(told),
			changes: simulator.requests.filter(({ method }) => method !== 'GET').length,
		};
	};
	const PEOPLE = [
		['+33639980021', 'Camille', 'Lyon'],
		['+33639980022', 'Karim', 'Lille'],
		['+33639980023', 'Léa', undefined],
	];
	const message = (text: string) => [['POST chat/hooks/your-webhook', { text }]];

	list.addContact('+33639980022', { first_name: 'Karim', city: 'Paris' });
	await choose(10);
	expect(await night()).toEqual({
		error: undefined,
		said: message('SMS list: 2 added, 1 updated, 0 removed'),
		changes: 4,
	});
	expect(held()).toEqual(PEOPLE);
	expect(await night()).toEqual({ error: undefined, said: [], changes: 0 });

	// Who withdraws the consent is one of four.
	list.addContact('+33639980024', { first_name: 'Hugo', city: 'Nantes' });
	expect(await night()).toEqual({
		error: expect.stringContaining('1 of 4 contacts would be removed'),
		said: [],
		changes: 0,
	});
	await choose(25);
	expect(await night()).toEqual({
		error: undefined,
		said: message('SMS list: 0 added, 0 updated, 1 removed'),
		changes: 1,
	});
	expect(held()).toEqual(PEOPLE);
});

test('erase-a-person-from-all-lists: and nobody else', async () => {
	const workflow = await importExample('erase-a-person-from-all-lists');
	const { service } = simulator;
	service.settings.numbers = 'text';
	const lists = ['One', 'Two', 'Three'].map((name) => service.createList(name));
	const numbersOf = () =>
		lists.map(({ contacts }) => contacts.items().map(({ identifier }) => identifier));
	lists[0].addContact('+33639980025');
	lists[1].addContact('0639980025');
	for (const list of lists) list.addContact(CUSTOMER);
	service.addToBlacklist('unsubscribers', '+33639980025');
	const first = await run(workflow);
	const was = first.json('Was on These Lists').map(({ listId }) => listId);
	expect(was).toEqual([lists[0].id, lists[1].id]);
	expect(numbersOf()).toEqual([[CUSTOMER], [CUSTOMER], [CUSTOMER]]);
	expect(service.blacklist('unsubscribers').has('+33639980025')).toBe(true);
	const second = await run(workflow);
	expect(second.json('Was on These Lists')).toEqual([]);
});

test('replies-to-tickets: a ticket, and a word to the customer', async () => {
	const workflow = await importExample('replies-to-tickets');
	simulator.reply(CUSTOMER, 'Where is my parcel?', { category: 'orders' });
	await run(workflow, TRIGGER);
	expect(tools.calls.map(told)).toEqual([
		[
			'POST helpdesk/api/tickets',
			expect.objectContaining({ phone: CUSTOMER, text: 'Where is my parcel?' }),
		],
	]);
	expect(numbers()).toEqual(['+33639980062']);
});

describe('reply-yes-or-no', () => {
	test('asks everybody, so that one can reply', async () => {
		await run(await importExample('reply-yes-or-no'));
		expect(numbers()).toEqual(['+33639980081', '+33639980082', '+33639980083']);
		expect(texts()).toContain(
			'Hello Camille, will you come on Tuesday at 10:15? Please reply YES or NO.',
		);
		expect(simulator.messages.map(({ sender }) => sender)).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});

	const appointment = `PUT calendar/api/appointments/${encodeURIComponent(CUSTOMER)}`;
	test.each([
		['YES', appointment, { status: 'confirmed' }, []],
		[' oui, merci', appointment, { status: 'confirmed' }, []],
		['No', appointment, { status: 'cancelled' }, ['+33639980063']],
		['Non.', appointment, { status: 'cancelled' }, ['+33639980063']],
		[
			'Yes, but at 3 pm',
			'POST chat/hooks/your-webhook',
			{ text: expect.stringMatching(/^Neither yes nor no, from \+33.*: Yes, but at 3 pm/) },
			[],
		],
		[
			'Yesterday I was ill',
			'POST chat/hooks/your-webhook',
			{ text: expect.stringMatching(/^Neither yes nor no, from \+33.*: Yesterday/) },
			[],
		],
	])('on "%s"', async (text, call, body, sent) => {
		const workflow = await importExample('reply-yes-or-no');
		simulator.reply(CUSTOMER, text, { category: 'confirm-appointments' });
		simulator.reply(CUSTOMER, 'YES', { category: 'something-else' });
		await run(workflow, TRIGGER);
		expect(tools.calls.map(told)).toEqual([[call, expect.objectContaining(body)]]);
		expect(numbers()).toEqual(sent);
	});
});

/** Waits until an execution asks, and presses a button of the page behind the link. */
async function press(execution: string, answer: string): Promise<void> {
	const status = async () => (await n8n.getExecution(execution)).status;
	await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe('waiting');
	const { pathname, search } = new URL(linkOf(simulator)!);
	const page = n8n.url + pathname + search;
	await axios.post(page, new URLSearchParams({ answer }), { proxy: false });
}

describe('ask-and-wait', () => {
	test.each([
		[
			'approve',
			'PUT shop/api/orders/2026-100',
			{ state: 'released', approvedAt: expect.stringMatching(/Z$/) },
		],
		['decline', 'POST chat/hooks/your-webhook', { text: 'Order 2026-100: declined' }],
	])('%s', async (answer, call, body) => {
		const { id } = await importExample('ask-and-wait');
		const execution = await n8n.startRun(id);
		await press(execution, answer);
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(numbers()).toEqual(['+33639980091']);
		expect(tools.calls.map(told)).toEqual([[call, body]]);
	});
});

describe('campaign-with-approval', () => {
	/** Imports it, with a list of four contacts: one has no first name, one has unsubscribed. */
	async function prepare({ sends = false } = {}) {
		const { service } = simulator;
		const list = service.createList('Customers', [{ name: 'First name' }]);
		for (const [number, name] of [
			['+33639980094', 'Camille'],
			['+33639980095', ''],
			['+33639980096', 'Hugo'],
			['+33639980097', 'Inès'],
		]) {
			list.addContact(number, name ? { first_name: name } : {});
		}
		service.addToBlacklist('unsubscribers', '+33639980097');
		const { id, nodes } = await importExample('campaign-with-approval');
		const ready = nodes.map((node) => {
			const chosen = { __rl: true, mode: 'id', value: list.id };
			if (node.name === 'Recipients') {
				return { ...node, parameters: { ...node.parameters, list: chosen } };
			}
			return node.name === 'Send to Everybody' && sends ? { ...node, disabled: false } : node;
		});
		await n8n.updateWorkflow(id, { nodes: ready });
		return { id, listId: list.id };
	}

	const QUESTION =
		'Campaign Summer sale: 3 recipients, about 3 credits. Problems: ${first_name} is empty for 1 recipient: +33639980095. Create it? ';

	test.each([
		['approve', 1, []],
		[
			'decline',
			0,
			[['POST chat/hooks/your-webhook', { text: 'Campaign Summer sale: declined' }]],
		],
	])('%s: nobody is texted but who decides', async (answer, created, calls) => {
		const { id, listId } = await prepare();
		const execution = await n8n.startRun(id);
		await press(execution, answer);
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(numbers()).toEqual(['+33639980093']);
		expect(texts()[0]).toContain(QUESTION);
		const { campaigns } = simulator.service;
		expect([...campaigns.values()]).toEqual(
			Array.from({ length: created }, () =>
				expect.objectContaining({ name: 'Summer sale', listId, state: 'CREATED' }),
			),
		);
		expect(tools.calls.map(told)).toEqual(calls);
	});

	test('switched on, it sends what was previewed, to whom was counted', async () => {
		const { id } = await prepare({ sends: true });
		const execution = await n8n.startRun(id);
		await press(execution, 'approve');
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		const [question, ...campaign] = ['93', '94', '95', '96'].map((last) => `+336399800${last}`);
		expect(numbers()).toEqual([question, ...campaign]);
		expect(texts()).toContain(
			'Hello Camille, our summer sale starts on Friday: -20% on everything.',
		);
	});
});

describe('escalation', () => {
	const asked = () => simulator.messages.map(({ number }) => number);
	const onCall = [71, 72, 73].map((last) => `+336399800${last}`);

	/** The workflow, which waits a second for each person. */
	async function hurried(): Promise<StoredWorkflow> {
		const workflow = await importExample('escalation');
		const text = JSON.stringify(workflow.nodes).replace(
			'"resumeAmount":10',
			'"resumeAmount":0.02',
		);
		const nodes = JSON.parse(text) as typeof workflow.nodes;
		expect(nodes).not.toEqual(workflow.nodes);
		await n8n.updateWorkflow(workflow.id, { nodes });
		return workflow;
	}

	test('the first one takes it, and nobody else is woken', async () => {
		const { id } = await importExample('escalation');
		const execution = await n8n.startRun(id);
		await press(execution, 'approve');
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(asked()).toEqual(onCall.slice(0, 1));
		expect(texts()[0]).toContain('Cold room 2 is at 9 degrees. Camille, can you take it?');
		expect(tools.calls.map(told)).toEqual([
			[
				'POST chat/hooks/your-webhook',
				{ text: 'Cold room 2 is at 9 degrees: taken by Camille' },
			],
		]);
		expect(mailbox.mails).toEqual([]);
	});

	test('who says no is followed by the next one', async () => {
		const { id } = await importExample('escalation');
		const execution = await n8n.startRun(id);
		await press(execution, 'decline');
		await expect.poll(asked, { timeout: 60_000, interval: 200 }).toEqual(onCall.slice(0, 2));
		await press(execution, 'approve');
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(asked()).toEqual(onCall.slice(0, 2));
		expect(tools.calls.map(told)).toEqual([
			[
				'POST chat/hooks/your-webhook',
				{ text: 'Cold room 2 is at 9 degrees: taken by Karim' },
			],
		]);
		expect(mailbox.mails).toEqual([]);
	});

	test("nobody answers, one can't be texted: all are asked, and an e-mail goes out", async () => {
		const { id } = await hurried();
		simulator.stop(onCall[1]);
		const execution = await n8n.startRun(id);
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(asked()).toEqual([onCall[0], onCall[2]]);
		expect(tools.calls).toEqual([]);
		expect(mailbox.mails.map(({ to }) => to)).toEqual([['you@example.com']]);
		const [{ content }] = mailbox.mails;
		expect(content).toContain('Subject: Cold room 2 is at 9 degrees: nobody took it');
		expect(content).toContain('Asked by SMS, in this order: Camille, Karim,');
	});
});

describe('agent-with-human-approval', () => {
	test.each([
		['approve', ['+33639980091', '+33639980092']],
		['decline', ['+33639980091']],
	])('%s', async (answer, texted) => {
		const message = 'Your order 2026-100 arrives tomorrow between 9 and 11.';
		model.plan('Text_a_Customer', { toolParameters: { number: '06 39 98 00 92', message } });
		const { id } = await importExample('agent-with-human-approval');
		const execution = await n8n.startRun(id);
		await press(execution, answer);
		const { status, error } = await n8n.waitFor(execution);
		expect([status, error]).toEqual(['success', undefined]);
		expect(numbers()).toEqual(texted);
		expect(texts()[0]).toContain(message);
	});
});

describe('opt-outs-in-own-words', () => {
	test.each([
		['STOP', true],
		['Arrêtez svp', true],
		['no more texts please', true],
		['Stop by the shop tomorrow?', false],
		['Je n’arrête pas de vous appeler', false],
	])('%s', async (text, isUnsubscribed) => {
		const workflow = await importExample('opt-outs-in-own-words');
		simulator.reply(CUSTOMER, text, { category: 'promotions' });
		await run(workflow, TRIGGER);
		expect(simulator.service.blacklist('unsubscribers').has(CUSTOMER)).toBe(isUnsubscribed);
		expect(numbers()).toEqual([]);
	});

	test('somebody who is on the list already stays there', async () => {
		const workflow = await importExample('opt-outs-in-own-words');
		simulator.service.addToBlacklist('unsubscribers', CUSTOMER);
		simulator.reply(CUSTOMER, 'Désabonnez-moi', { category: 'orders' });
		const execution = await run(workflow, TRIGGER);
		expect(execution.json('Unsubscribe')).toMatchObject([{ number: CUSTOMER }]);
		expect(simulator.service.blacklist('unsubscribers').has(CUSTOMER)).toBe(true);
	});
});

describe('opt-outs-both-ways', () => {
	test('a STOP and a bounce go to the CRM', async () => {
		const workflow = await importExample('opt-outs-both-ways');
		simulator.stop(CUSTOMER);
		simulator.bounce('+33639981235');
		await run(workflow, TRIGGER);
		expect(tools.calls.map(told)).toEqual(
			expect.arrayContaining([
				[
					`PUT crm/api/phones/${encodeURIComponent(CUSTOMER)}/sms`,
					expect.objectContaining({ mayBeTexted: false, reason: 'STOP' }),
				],
				[
					`PUT crm/api/phones/${encodeURIComponent('+33639981235')}/sms`,
					expect.objectContaining({ mayBeTexted: false, reason: 'unassigned number' }),
				],
			]),
		);
	});

	test('what the CRM says is done once, in both directions', async () => {
		const workflow = await importExample('opt-outs-both-ways');
		await activate(workflow);
		const { service } = simulator;
		const isListed = () => service.blacklist('unsubscribers').has(CUSTOMER);
		const phone = '06 39 98 12 34';
		for (const [consent, ran] of [
			[true, undefined],
			[false, 'Opt Out'],
			[false, undefined],
			[true, 'Opt In'],
		] as const) {
			const { data, status } = await callWebhook(workflow, 'sms-consent', {
				phone,
				consent,
			});
			expect(status).toBe('success');
			const changed = ['Opt Out', 'Opt In'].filter((name) => data.resultData.runData[name]);
			expect(changed).toEqual(ran === undefined ? [] : [ran]);
			expect(isListed()).toBe(!consent);
		}
	});
});

test('weekly-report-by-email: a mail for each category, with the page', async () => {
	simulator.service.setStatistics('orders', { sent: 100, delivered: 90, replies: 3 });
	await run(await importExample('weekly-report-by-email'), 'Monday at 8');
	expect(mailbox.mails.map(({ to }) => to)).toEqual([['you@example.com'], ['you@example.com']]);
	const [{ content }] = mailbox.mails;
	expect(content).toContain('Subject: SMS report: orders');
	expect(content).toContain('Sent: 100, delivered: 90, replies: 3.');
	expect(content).toContain('sms-report-orders.html');
});

test('low-credit-alert: the team hears of it', async () => {
	simulator.service.setCredits(42);
	await run(await importExample('low-credit-alert'), TRIGGER);
	expect(tools.calls.map(told)).toEqual([
		[
			'POST chat/hooks/your-webhook',
			{ text: 'SMS credits: 42 left. You are told when there are fewer than 500.' },
		],
	]);
});

describe('appointment-reminder', () => {
	const SCHEDULE = 'Every Evening at 9';
	const PARIS = { timeZone: 'Europe/Paris', hourCycle: 'h23' } as const;
	const clock = (time: number) =>
		new Date(time).toLocaleTimeString('en-GB', {
			...PARIS,
			hour: '2-digit',
			minute: '2-digit',
		});
	const weekday = (time: number) =>
		new Date(time).toLocaleDateString('en-GB', { ...PARIS, weekday: 'long' });

	test('reminds of each appointment once, at a decent hour', async () => {
		const workflow = await importExample('appointment-reminder');
		const first = (await run(workflow, SCHEDULE)).json('Remind');
		expect(first).toHaveLength(3);
		for (const { status, scheduledFor = Date.now() } of first) {
			const isNow = first.every((json) => json.scheduledFor === undefined);
			expect(status).toBe(isNow ? 'sent' : 'scheduled');
			expect(clock(scheduledFor as number) >= '09:00').toBe(true);
			expect(clock(scheduledFor as number) < '19:00').toBe(true);
			expect(weekday(scheduledFor as number)).not.toBe('Sunday');
		}
		const second = (await run(workflow, SCHEDULE)).json('Remind');
		expect(second.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped']);
		expect(numbers()).toEqual(Array.from({ length: 3 }, () => '+33639980064'));
		expect(texts()).toContain(
			"Hello Camille, we expect you tomorrow at 10:15. Call us if you can't come.",
		);
	});

	test('leaves to the service what is not for now', async () => {
		const workflow = await importExample('appointment-reminder');
		const hour = 3_600_000;
		const from = Math.ceil(Date.now() / hour) * hour + 2 * hour;
		const hours = { from: clock(from), to: clock(from + hour), holidays: false };
		const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
		const nodes = workflow.nodes.map((node) => {
			if (node.name !== 'Remind') return node;
			const options = {
				...(node.parameters.options as IDataObject),
				allowedHours: { hours: { ...hours, days, otherwise: 'schedule' } },
			};
			return { ...node, parameters: { ...node.parameters, options } } as typeof node;
		});
		await n8n.updateWorkflow(workflow.id, { nodes });
		for (const json of (await run(workflow, SCHEDULE)).json('Remind')) {
			expect(json).toMatchObject({
				status: 'scheduled',
				scheduledFor: from,
			});
		}
		expect(numbers()).toHaveLength(3);
	});
});

describe('error-workflow-unknown', () => {
	/** A workflow in production that sends to two numbers, and stops. @returns what the team is told */
	async function fail(fault: FaultAction, told: number): Promise<ReceivedCall[]> {
		const watcher = await importExample('error-workflow-unknown');
		const nodes = watcher.nodes.map((node) =>
			node.name === 'Half a Minute' ? { ...node, parameters: { amount: 1 } } : node,
		);
		await n8n.updateWorkflow(watcher.id, { nodes });
		await activate(watcher);
		const path = crypto.randomUUID();
		const failing = await n8n.createWorkflow({
			name: 'Orders',
			nodes: [
				{
					name: 'Order',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					webhookId: path,
					parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' },
				},
				{
					name: 'Rows',
					type: 'n8n-nodes-base.splitOut',
					parameters: { fieldToSplitOut: 'body.numbers', options: {} },
				},
				{
					name: 'Send',
					type: 'n8n-nodes-sms-service.sms',
					parameters: {
						number: "={{ $json['body.numbers'] }}",
						message: 'Bonjour',
					},
					credentials: { smsServiceApi: { id: null, name: 'SMS Service account' } },
				},
			],
			connections: {
				Order: { main: [[{ node: 'Rows', type: 'main', index: 0 }]] },
				Rows: { main: [[{ node: 'Send', type: 'main', index: 0 }]] },
			},
			settings: { errorWorkflow: watcher.id },
		});
		await activate(failing);
		simulator.faults.add({ times: 2, do: fault });
		const body = { numbers: [CUSTOMER, '+33639981235'] };
		const { status } = await callWebhook(failing, path, body);
		expect(status).toBe('error');
		await expect
			.poll(async () => (await n8n.listExecutions(watcher.id))[0]?.status, {
				timeout: 60_000,
			})
			.toBe('success');
		expect(tools.calls).toHaveLength(told);
		return tools.calls;
	}
	const text = ({ body }: ReceivedCall) => (JSON.parse(body) as { text: string }).text;

	test('finds the messages of which the answer was lost', async () => {
		const calls = await fail({ kind: 'resetAfterAccept' }, 2);
		expect(calls.map(text).sort()).toEqual(
			[CUSTOMER, '+33639981235'].map((number) =>
				expect.stringMatching(
					new RegExp(
						`^Orders stopped, and nobody knows whether \\${number} got its message\\. The latest message to this number was sent on ${new Date().getFullYear()}-.*Z, its state is \\w+\\.$`,
					),
				),
			),
		);
	});

	test('says when the service has none', async () => {
		const calls = await fail({ kind: 'html200' }, 2);
		for (const call of calls) {
			expect(text(call)).toContain('The service has no message to this number: ');
		}
	});

	test('has nothing to look up when nothing is unknown', async () => {
		await fail({ kind: 'json', status: 200, body: { code: 19 } }, 0);
	});
});
