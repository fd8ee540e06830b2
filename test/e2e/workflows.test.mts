/** The example workflows in workflows/, imported and run in a real n8n: each does what its notes say. */
import axios from 'axios';
import { type IDataObject, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readExample, TOOLS, toldTo } from '../harness/examples.mts';
import type { Execution, StoredWorkflow } from '../harness/n8n.mts';
import { calling, inARow, manual, own, splitOut, webhook } from '../harness/nodes.mts';
import { root } from '../harness/package.mts';
import { linkOf, listOf } from '../operations.mts';
import type { FaultAction } from '../simulator/faults.mts';
import { useExamples } from './examples-support.mts';
import { useEnvironment, useModel } from './support.mts';

const CUSTOMER = '+33639981234';
const TRIGGER = 'SMS Trigger';

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });
const model = await useModel(n8n, 'OpenAI account');

const { activate, callWebhook, change, importExample, run } = useExamples(n8n);

/** The SMS Trigger asks the service. */
const POLLED = { pins: { [TRIGGER]: null } };

/** Who got a message. Several are sent at once, so the order in which they arrive says nothing. */
const numbers = () => simulator.messages.map(({ number }) => number).sort();
const texts = () => simulator.messages.map(({ text }) => text);

describe('crm-event-to-sms', () => {
	const order = {
		...{ orderId: '2026-100', firstName: 'Camille', phone: CUSTOMER },
		email: 'camille@example.com',
	};
	const contact = { email: order.email, sms_order: order.orderId };

	test('in production, the webhook tells the customer, and HubSpot what became of it', async () => {
		const workflow = await importExample('crm-event-to-sms', { inProduction: true });
		await activate(workflow);
		const execution = await callWebhook(workflow, 'order-shipped', order);
		expect(numbers()).toEqual(['+33639980061']);
		expect(texts()).toEqual(['Hello Camille, your order 2026-100 is on its way.']);
		expect(toldTo(execution, 'Status to HubSpot')).toEqual([
			{ ...contact, sms_status: 'delivered', sms_note: '' },
		]);
		expect(toldTo(execution, 'Not Sent, to HubSpot')).toEqual([]);
	});

	test('as it is, it runs with the example', async () => {
		const execution = await run(await importExample('crm-event-to-sms'), 'Order Shipped');
		expect(numbers()).toEqual(['+33639980061']);
		expect(toldTo(execution, 'Status to HubSpot')).toMatchObject([contact]);
	});

	test('a call that comes twice, or after a test, tells the customer once', async () => {
		const workflow = await importExample('crm-event-to-sms');
		const ship = async () => await run(workflow, 'Order Shipped');
		await ship();
		await ship();
		expect(numbers()).toEqual(['+33639980061', '+33639980061']);
		await change(workflow, { 'Test Number': { assignments: {} } });
		expect((await ship()).json('Send SMS')).toMatchObject([{ status: 'sent' }]);
		const second = await ship();
		expect(second.json('Send SMS')).toMatchObject([{ status: 'skipped' }]);
		expect(toldTo(second, 'Status to HubSpot')).toEqual([]);
		expect(toldTo(second, 'Not Sent, to HubSpot')).toEqual([]);
		expect(numbers().slice(2)).toEqual([CUSTOMER]);
	});

	test('a customer of yours once the test number is empty; what fails is told too', async () => {
		const ship = async (phone: string) => {
			const pins = { 'Order Shipped': [{ body: { ...order, phone } }] };
			const workflow = await importExample('crm-event-to-sms', { pins });
			await change(workflow, { 'Test Number': { assignments: {} } });
			return await run(workflow, 'Order Shipped');
		};
		await ship(CUSTOMER);
		expect(numbers()).toEqual([CUSTOMER]);
		const failed = await ship('no number');
		expect(numbers()).toEqual([CUSTOMER]);
		expect(toldTo(failed, 'Status to HubSpot')).toEqual([]);
		expect(toldTo(failed, 'Not Sent, to HubSpot')).toEqual([
			{ ...contact, sms_note: expect.stringContaining('Phone Number') },
		]);
	});
});

describe('marketing-once-a-week', () => {
	const statuses = (items: IDataObject[]) =>
		items.map(({ status }) => (status === 'scheduled' ? 'sent' : status));
	const everybody = [71, 72, 73].map((last) => `+336399800${last}`);

	test('each phone once a week, however its number is written and often it runs', async () => {
		const workflow = await importExample('marketing-once-a-week');
		simulator.service.addToBlacklist('unsubscribers', '+33639980072');
		const first = await run(workflow);
		expect(statuses(first.json('Send SMS in Batch'))).toEqual([
			'sent',
			'skipped',
			'sent',
			'skipped',
		]);
		expect(toldTo(first, 'Write Status').map(({ id }) => id)).toEqual(
			first.json('Customers').map(({ id }) => id),
		);
		expect(toldTo(first, 'Write Status').map((told) => told['SMS Status'])).toEqual(
			first.json('Send SMS in Batch').map(({ status }) => status),
		);
		expect(numbers()).toEqual(everybody.filter((number) => number !== '+33639980072'));
		for (const { kind, sender } of simulator.messages) {
			expect([kind, sender]).toEqual(['marketing', 'MyShop']);
		}
		simulator.service.removeFromBlacklist('unsubscribers', '+33639980072');
		const second = await run(workflow);
		expect(statuses(second.json('Send SMS in Batch'))).toEqual([
			'skipped',
			'sent',
			'skipped',
			'skipped',
		]);
		await change(workflow, { 'Send SMS in Batch': { message: 'Another offer' } });
		const third = await run(workflow);
		expect(statuses(third.json('Send SMS in Batch'))).toEqual(
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
		expect(statuses(again.json('Send SMS in Batch'))).toEqual([
			'sent',
			'sent',
			'sent',
			'skipped',
		]);
		expect(numbers()).toEqual(everybody.flatMap((number) => [number, number]));
	});
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
		await change(workflow, { Sync: { list: listOf(list.id), maxRemovals } });
	};
	const night = async () => {
		simulator.requests.length = 0;
		const execution = await n8n.run(workflow.id, { trigger: 'Every Night at 2' });
		return {
			error: execution.error?.message,
			said: toldTo(execution, 'Tell the Team'),
			changes: simulator.requests.filter(({ method }) => method !== 'GET').length,
		};
	};
	const PEOPLE = [
		['+33639980021', 'Camille', 'Lyon'],
		['+33639980022', 'Karim', 'Lille'],
		['+33639980023', 'Léa', undefined],
	];
	const message = (text: string) => [{ text }];

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

test('replies-to-tickets: a ticket, and a word to the customer', async () => {
	const workflow = await importExample('replies-to-tickets', POLLED);
	simulator.reply(CUSTOMER, 'Where is my parcel?', { category: 'orders' });
	const execution = await run(workflow, TRIGGER);
	expect(toldTo(execution, 'Open Ticket')).toEqual([
		{
			description: 'Where is my parcel?',
			externalId: execution.json(TRIGGER)[0].eventId,
			subject: `SMS from ${CUSTOMER}`,
		},
	]);
	expect(numbers()).toEqual(['+33639980062']);
});

test.each([
	['replies-to-tickets', 'Open Ticket', { subject: 'SMS from +33639980001' }],
	[
		'trigger-replies-to-chat',
		'Post to Slack',
		{ text: 'SMS from +33639980001 (orders): Where is my parcel?' },
	],
	[
		'low-credit-alert',
		'Post to Slack',
		{ text: 'SMS credits: 42 left. You are told when there are fewer than 500.' },
	],
	['opt-outs-both-ways', 'Mark in Airtable', { Phone: '+33639980099', 'SMS Note': 'STOP' }],
])('%s: as it is, it runs with the example', async (file, tool, told) => {
	const execution = await run(await importExample(file), TRIGGER);
	expect(toldTo(execution, tool)).toMatchObject([told]);
});

/** Waits until an execution asks, and presses a button of the page behind the link. */
async function press(execution: string, answer: string): Promise<void> {
	const status = async () => (await n8n.getExecution(execution)).status;
	await expect.poll(status, { timeout: 180_000, interval: 200 }).toBe('waiting');
	const { pathname, search } = new URL(linkOf(simulator)!);
	const page = n8n.url + pathname + search;
	await axios.post(page, new URLSearchParams({ answer }), { proxy: false });
}

/** Runs a workflow to its question, presses a button, and waits for the end. */
async function answerTo({ id }: StoredWorkflow, ...answers: string[]): Promise<Execution> {
	const started = await n8n.startRun(id);
	for (const [index, answer] of answers.entries()) {
		await expect
			.poll(() => simulator.messages.length, { timeout: 180_000, interval: 200 })
			.toBe(index + 1);
		await press(started, answer);
	}
	const execution = await n8n.waitFor(started);
	expect([execution.status, execution.error]).toEqual(['success', undefined]);
	return execution;
}

describe('ask-and-wait', () => {
	test.each([
		[
			'approve',
			{ id: 'recExample0000100', 'Approved at': expect.stringMatching(/Z$/) },
			undefined,
		],
		['decline', undefined, { text: 'Order 2026-100: declined' }],
	])('%s', async (answer, released, text) => {
		const execution = await answerTo(await importExample('ask-and-wait'), answer);
		expect(numbers()).toEqual(['+33639980091']);
		expect(texts()[0]).toContain('Order 2026-100 of 1240 EUR is over budget.');
		expect(toldTo(execution, 'Release the Order')).toEqual(released ? [released] : []);
		expect(toldTo(execution, 'Tell the Team')).toEqual(text ? [text] : []);
	});
});

// With one question, and with n8n killed, it takes minutes: test/long/ask-by-sms.test.mts.
test('ask-by-sms: several questions at once are refused, and nobody is asked', async () => {
	const ask = await importExample('ask-by-sms');
	await activate(ask);
	const questions = ['+33639980001', '+33639980002', '+33639980003'].map((number) => ({
		number,
		question: 'Are you coming?',
		minutes: 1,
	}));
	const caller = await n8n.createWorkflow({
		name: 'Asks three people',
		...inARow(
			manual(),
			calling('Ask by SMS', ask.id, {
				workflowInputs: { mappingMode: 'autoMapInputData', value: {}, schema: [] },
			}),
		),
		pinData: { Start: questions.map((json) => ({ json })) },
	});
	const { status, error } = await n8n.run(caller.id);
	expect(status).toBe('error');
	expect(error?.message).toMatch(/one question at a time and got 3 items, so nobody was asked/);
	expect(texts()).toEqual([]);
});

describe('campaign-to-a-new-list', () => {
	/** Imports it with a sheet of four: one has no first name, one has unsubscribed. */
	async function prepare() {
		simulator.service.addToBlacklist('unsubscribers', '+33639980097');
		const people = [
			['06 39 98 00 94', 'Camille'],
			['+33639980095', ''],
			['06.39.98.00.96', 'Hugo'],
			['06 39 98 00 97', 'Inès'],
		];
		const Customers = people.map(([Phone, name]) => ({ Phone, 'First name': name }));
		return await importExample('campaign-to-a-new-list', { pins: { Customers } });
	}
	const campaigns = () => [...simulator.service.campaigns.values()];
	const everybody = ['94', '95', '96', '97'].map((last) => `+336399800${last}`);

	test('approved: it sends what was previewed, to whom was counted', async () => {
		const execution = await answerTo(await prepare(), 'approve');
		const [list] = simulator.service.lists.values();
		expect(
			list.contacts
				.items()
				.map(({ identifier }) => identifier)
				.sort(),
		).toEqual(everybody);
		expect(campaigns()).toEqual([
			expect.objectContaining({ name: 'Opening in Lyon', listId: list.id }),
		]);
		expect(texts()[0]).toContain(
			'Campaign Opening in Lyon: 3 recipients, about 3 credits. Problems: 1 recipient without a value for ${first_name}: +33639980095. Send it? ',
		);
		expect(numbers()).toEqual(['+33639980093', ...everybody.slice(0, 3)]);
		expect(texts()).toContain(
			'Hello Camille, our shop in Lyon opens on Friday. Coffee is on us!',
		);
		expect(toldTo(execution, 'Tell the Team')).toEqual([
			{ text: 'Campaign Opening in Lyon: sent' },
		]);
	});

	test('declined: nobody is texted but who decides', async () => {
		const execution = await answerTo(await prepare(), 'decline');
		expect(numbers()).toEqual(['+33639980093']);
		expect(campaigns()).toEqual([]);
		expect(toldTo(execution, 'Tell the Team')).toEqual([
			{ text: 'Campaign Opening in Lyon: declined' },
		]);
	});

	test('as it is, it asks with the example', async () => {
		await answerTo(await importExample('campaign-to-a-new-list'), 'decline');
		expect(texts()[0]).toContain('3 recipients, about 3 credits. No problems. Send it? ');
	});
});

describe('escalation', () => {
	const asked = () => simulator.messages.map(({ number }) => number);
	const onCall = [71, 72, 73].map((last) => `+336399800${last}`);

	const TAKEN = 'Cold room 2 is at 9 degrees: taken by';

	test('the first one takes it, and nobody else is woken', async () => {
		const execution = await answerTo(await importExample('escalation'), 'approve');
		expect(asked()).toEqual(onCall.slice(0, 1));
		expect(texts()[0]).toContain('Cold room 2 is at 9 degrees. Camille, can you take it?');
		expect(toldTo(execution, 'Tell the Team')).toEqual([{ text: `${TAKEN} Camille` }]);
		expect(toldTo(execution, 'Send Email')).toEqual([]);
	});

	test('who says no is followed by the next one', async () => {
		const execution = await answerTo(await importExample('escalation'), 'decline', 'approve');
		expect(asked()).toEqual(onCall.slice(0, 2));
		expect(toldTo(execution, 'Tell the Team')).toEqual([{ text: `${TAKEN} Karim` }]);
		expect(toldTo(execution, 'Send Email')).toEqual([]);
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
		const workflow = await importExample('opt-outs-in-own-words', POLLED);
		simulator.reply(CUSTOMER, text, { category: 'promotions' });
		await run(workflow, TRIGGER);
		expect(simulator.service.blacklist('unsubscribers').has(CUSTOMER)).toBe(isUnsubscribed);
		expect(numbers()).toEqual([]);
	});

	test('shows its point as it is', async () => {
		const workflow = await importExample('opt-outs-in-own-words');
		await run(workflow, TRIGGER);
		expect(simulator.service.blacklist('unsubscribers').has('+33639980001')).toBe(true);
	});
});

describe('opt-outs-both-ways', () => {
	test('a STOP and a bounce go to Airtable', async () => {
		const workflow = await importExample('opt-outs-both-ways', POLLED);
		simulator.stop(CUSTOMER);
		simulator.bounce('+33639981235');
		const execution = await run(workflow, TRIGGER);
		expect(toldTo(execution, 'Mark in Airtable')).toEqual(
			expect.arrayContaining([
				{ Phone: CUSTOMER, 'SMS Note': 'STOP' },
				{ Phone: '+33639981235', 'SMS Note': 'unassigned number' },
			]),
		);
	});

	test('what the base says is done once, in both directions', async () => {
		const { service } = simulator;
		const isListed = () => service.blacklist('unsubscribers').has(CUSTOMER);
		const phone = '06 39 98 12 34';
		for (const [consent, ran] of [
			[true, undefined],
			[false, 'Opt Out'],
			[false, undefined],
			[true, 'Opt In'],
		] as const) {
			const pins = { 'Consent Changed': [{ body: { phone, consent } }] };
			const workflow = await importExample('opt-outs-both-ways', { pins });
			const { data } = await run(workflow, 'Consent Changed');
			const changed = ['Opt Out', 'Opt In'].filter((name) => data.resultData.runData[name]);
			expect(changed).toEqual(ran === undefined ? [] : [ran]);
			expect(isListed()).toBe(!consent);
		}
	});
});

test('weekly-report-by-email: a mail for each category, with a table', async () => {
	simulator.service.setStatistics('orders', { sent: 100, delivered: 90, replies: 3 });
	const execution = await run(await importExample('weekly-report-by-email'), 'Monday at 8');
	const [first, second] = toldTo(execution, 'Send Email');
	expect(first).toEqual({
		sendTo: 'shop@example.com',
		subject: 'SMS report: orders',
		message: expect.stringMatching(
			/<h1>SMS: orders<\/h1>\s*<table><tr><td>Sent<\/td><td>100<\/td><\/tr><tr><td>Delivered<\/td><td>90</,
		),
	});
	expect(second).toMatchObject({ sendTo: 'reception@example.com' });
});

test('send-one-sms: it sends one', async () => {
	await run(await importExample('send-one-sms'));
	expect(numbers()).toEqual(['+33639980001']);
});

test('send-and-look-up-status: it waits until the message is delivered', async () => {
	const execution = await run(await importExample('send-and-look-up-status'));
	expect(execution.json('Message status')).toEqual([
		expect.objectContaining({ state: 'delivered', isFinal: true }),
	]);
});

describe('error-workflow-unknown', () => {
	/** A workflow in production that sends to two numbers, and stops. @returns what the team is told */
	async function fail(fault: FaultAction): Promise<unknown[]> {
		const watcher = await importExample('error-workflow-unknown', { inProduction: true });
		await change(watcher, { 'Half a Minute': { amount: 1 } });
		await activate(watcher);
		const path = crypto.randomUUID();
		const failing = await n8n.createWorkflow({
			name: 'Orders',
			...inARow(
				webhook(path, 'Order'),
				splitOut('Rows', 'body.numbers'),
				own('Send', 'sms', {
					...{ number: "={{ $json['body.numbers'] }}", message: 'Bonjour' },
				}),
			),
			settings: { errorWorkflow: watcher.id },
		});
		await activate(failing);
		simulator.faults.add({ times: 2, do: fault });
		const body = { numbers: [CUSTOMER, '+33639981235'] };
		const { status } = await callWebhook(failing, path, body);
		expect(status).toBe('error');
		await expect
			.poll(async () => (await n8n.listExecutions(watcher.id))[0]?.status, {
				timeout: 180_000,
			})
			.toBe('success');
		const [{ id }] = await n8n.listExecutions(watcher.id);
		return toldTo(await n8n.getExecution(id), 'Tell the Team').map(({ text }) => text);
	}

	test('finds the messages of which the answer was lost', async () => {
		const told = await fail({ kind: 'resetAfterAccept' });
		expect(told.sort()).toEqual(
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
		const told = await fail({ kind: 'html200' });
		expect(told).toHaveLength(2);
		for (const text of told) {
			expect(text).toContain('The service has no message to this number: ');
		}
	});

	test('as it is, it runs with the example', async () => {
		const example = await readExample('error-workflow-unknown');
		const wait = example.nodes.find(({ name }) => name === 'Half a Minute')!;
		wait.parameters = { amount: 1 };
		const execution = await run(await n8n.createWorkflow(example), 'Error Trigger');
		expect(toldTo(execution, 'Tell the Team')).toEqual([
			{
				text: expect.stringMatching(
					/^Orders stopped, and nobody knows whether \+33639980001 got its message\. The service has no message/,
				),
			},
		]);
	});

	test('has nothing to look up when nothing is unknown', async () => {
		expect(await fail({ kind: 'json', status: 200, body: { code: 19 } })).toEqual([]);
	});
});

test('nodes of other tools and of data tables have the fields that n8n gives them, and all that it needs', async () => {
	const { data: types } = await n8n.rest.get<INodeTypeDescription[]>(
		`${n8n.url}/types/nodes.json`,
	);
	let tools = 0;
	const isDataTable = ({ type }: { type: string }) => /\.dataTable(Tool)?$/.test(type);
	for (const file of await readdir(join(root, 'workflows'))) {
		const { nodes } = await readExample(file.replace(/\.json$/, ''));
		for (const node of nodes.filter((one) => isDataTable(one) || TOOLS.includes(one.type))) {
			const description = types.find(
				({ name, version }) =>
					name === node.type && [version].flat().includes(node.typeVersion),
			)!;
			const { properties } = description;
			const known = NodeHelpers.getNodeParameters(
				...([properties, node.parameters, true, false, node, description] as const),
			);
			expect(known, `${file}: ${node.name}`).toMatchObject(node.parameters);
			const issues = NodeHelpers.getNodeParametersIssues(
				...([properties, { ...node, parameters: known! }, description] as const),
			);
			expect(issues, `${file}: ${node.name}`).toBeNull();
			tools++;
		}
	}
	expect(tools).toBeGreaterThan(45);
});

test('docs/sms.md: one text to three people whose numbers are in one field', async () => {
	const phones = '06 39 98 12 31, 06 39 98 12 32,+33639981233';
	const { id } = await n8n.createWorkflow({
		name: 'Three in one field',
		...inARow(
			manual(),
			{
				name: 'Edit Fields',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: {
					assignments: {
						assignments: [
							{
								...{ id: '1', name: 'numbers', type: 'array' },
								value: "={{ $json.phones.split(',') }}",
							},
						],
					},
					includeOtherFields: true,
					options: {},
				},
			},
			{
				name: 'Split Out',
				type: 'n8n-nodes-base.splitOut',
				parameters: {
					...{ fieldToSplitOut: 'numbers', include: 'allOtherFields', options: {} },
				},
			},
			own('Send', 'sms', {
				...{ number: '={{ $json.numbers }}', message: '=Hello {{ $json.name }}' },
			}),
		),
		pinData: { Start: [{ json: { phones, name: 'all' } }] },
	});
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	expect(numbers()).toEqual(['+33639981231', '+33639981232', '+33639981233']);
	expect(texts()).toEqual(['Hello all', 'Hello all', 'Hello all']);
});
