/**
 * The example workflows that work on n8n's own data tables, in a real n8n: each does what its notes say. The one with
 * once keys is in a file of its own.
 */
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredWorkflow } from '../harness/n8n.mts';
import { DataTables } from '../harness/tables.mts';
import { useExamples } from './examples-support.mts';
import { useEnvironment, useModel } from './support.mts';

const CUSTOMER = '+33639981234';
const TRIGGER = 'SMS Trigger';

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });
const model = await useModel(n8n, 'OpenAI account');
const { activate, change, importExample, post, run } = useExamples(n8n);
const tables = new DataTables(n8n);
beforeEach(async () => await tables.reset());

/** The SMS Trigger asks the service. */
const POLLED = { pins: { [TRIGGER]: null } };

/** The SMS Trigger gives several replies, as one poll may in production; by hand, it gives one. */
function given(...replies: Array<[number: string, message: string, intent?: string]>) {
	const items = replies.map(([number, message, intent = 'other']) => ({
		...{ event: 'reply', eventId: `reply:${crypto.randomUUID()}`, number, message, intent },
	}));
	return { pins: { [TRIGGER]: items } };
}

/** Who got a message. Several are sent at once, so the order in which they arrive says nothing. */
const numbers = () => simulator.messages.map(({ number }) => number).sort();
const texts = () => simulator.messages.map(({ text }) => text);
const column = async (table: string, name: string) =>
	(await tables.rows(table)).map((row) => row[name]);

test('example-tables: run again, it sets the example rows back and keeps your own', async () => {
	const first = await tables.rows('SMS Orders');
	expect(first).toHaveLength(4);
	const own = { orderId: 'mine', firstName: 'Ada', phone: '06 39 98 00 79' };
	await tables.insert('SMS Orders', own);
	await tables.update('SMS Orders', ['orderId', '2026-100'], { smsStatus: 'sent' });
	await tables.make();
	const second = await tables.rows('SMS Orders');
	expect(second).toEqual([...first, expect.objectContaining(own)]);
	for (const name of ['SMS Erased', 'SMS Codes', 'SMS Conversations']) {
		expect(await tables.rows(name)).toEqual([]);
	}
});

test('list-create-and-fill: the rows with their values', async () => {
	const execution = await run(await importExample('list-create-and-fill'));
	// Ten at once: their order in the list is that of their arrival.
	const byName = new Map(
		execution.json('Everybody on the List').map(({ attributes }) => {
			const values = attributes as IDataObject;
			return [values['Last name'], values];
		}),
	);
	expect(byName.get('Dubois')).toMatchObject({ Birthday: '24/12', Newsletter: '1' });
	expect(byName.get('Lefèvre')).toMatchObject({ Birthday: '24/02', Newsletter: '0' });
	expect(byName.get('Moreau')).toEqual({ 'Last name': 'Moreau', Newsletter: '1' });
});

test('blacklist-check-before-sending: who said STOP is left out, and the row says so', async () => {
	simulator.service.addToBlacklist('unsubscribers', '+33639980052');
	await run(await importExample('blacklist-check-before-sending'));
	const sent = simulator.messages.map(({ number, text }) => [number, text.slice(0, 11)]);
	expect(sent.sort()).toEqual([
		['+33639980051', 'Hello Inès,'],
		['+33639980053', 'Hello Chloé'],
	]);
	expect(await column('SMS Customers', 'smsStatus')).toEqual([
		'sent',
		'left out: unsubscribers',
		'sent',
	]);
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
	const first = await run(workflow, 'Person');
	const was = first.json('Was on These Lists').map(({ listId }) => listId);
	const recorded = ['One', 'Two'].map((list) => ({
		...{ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), list },
	}));
	expect(await tables.rows('SMS Erased')).toEqual(recorded);
	expect(was).toEqual([lists[0].id, lists[1].id]);
	expect(numbersOf()).toEqual([[CUSTOMER], [CUSTOMER], [CUSTOMER]]);
	expect(service.blacklist('unsubscribers').has('+33639980025')).toBe(true);
	const second = await run(workflow, 'Person');
	expect(second.json('Was on These Lists')).toEqual([]);
	expect(await tables.rows('SMS Erased')).toEqual(recorded);
});

describe('reply-yes-or-no', () => {
	const people = ['+33639980081', '+33639980082', '+33639980083'];

	test('asks everybody once, so that one can reply', async () => {
		const workflow = await importExample('reply-yes-or-no');
		await run(workflow);
		expect(await column('SMS Appointments', 'smsNumber')).toEqual(people);
		expect(await column('SMS Appointments', 'answer')).toEqual(people.map(() => 'asked'));
		expect(numbers()).toEqual(people);
		expect(texts()).toContainEqual(
			expect.stringMatching(
				/^Hello Camille, will you come on \w+day at 10:15\? Please reply YES or NO\.$/,
			),
		);
		expect(simulator.messages.map(({ sender }) => sender)).toEqual(people.map(() => undefined));
		await run(workflow);
		expect(numbers()).toEqual(people);
	});

	test.each<[reply: string, answer: string, sent: string[]]>([
		['YES', 'confirmed', []],
		[' oui, merci', 'confirmed', []],
		['No', 'cancelled', ['+33639980063']],
		['Non.', 'cancelled', ['+33639980063']],
		['Yes, but at 3 pm', 'Yes, but at 3 pm', []],
		['Yesterday I was ill', 'Yesterday I was ill', []],
	])('on "%s"', async (text, answer, sent) => {
		await tables.update('SMS Appointments', ['appointment', 'A-101'], { smsNumber: CUSTOMER });
		const workflow = await importExample('reply-yes-or-no', POLLED);
		simulator.reply(CUSTOMER, text, { category: 'confirm-appointments' });
		simulator.reply(CUSTOMER, 'YES', { category: 'something-else' });
		await run(workflow, TRIGGER);
		expect(await column('SMS Appointments', 'answer')).toEqual(['', answer, '']);
		expect(numbers()).toEqual(sent);
	});

	test('one word to a person with two appointments, and none to a stranger', async () => {
		for (const appointment of ['A-100', 'A-101']) {
			const row: [string, string] = ['appointment', appointment];
			await tables.update('SMS Appointments', row, { smsNumber: CUSTOMER });
		}
		const both = given([CUSTOMER, 'NO', 'no'], ['+33639981235', 'NO', 'no']);
		const workflow = await importExample('reply-yes-or-no', both);
		await run(workflow, TRIGGER);
		expect(await column('SMS Appointments', 'answer')).toEqual(['cancelled', 'cancelled', '']);
		expect(numbers()).toEqual(['+33639980063']);
	});

	test('as it is, it runs with the example', async () => {
		await run(await importExample('reply-yes-or-no'), TRIGGER);
	});
});

describe('appointment-reminder', () => {
	const SCHEDULE = 'Workdays at 17:00';
	const HOUR = 3_600_000;
	const PARIS = { timeZone: 'Europe/Paris', hourCycle: 'h23' } as const;
	const clock = (time: number) =>
		new Date(time).toLocaleTimeString('en-GB', {
			...PARIS,
			hour: '2-digit',
			minute: '2-digit',
		});
	const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
	const TO_CUSTOMERS = { 'Test Number': { assignments: {}, includeOtherFields: true } };
	const ALL = ['+33639980081', '+33639980082', '+33639980083'];

	/** Saves it with hours on all days that begin in so many hours, and last three. */
	async function setHours(
		workflow: StoredWorkflow,
		inHours: number,
		changes: Record<string, IDataObject> = {},
	): Promise<void> {
		const remind = workflow.nodes.find(({ name }) => name === 'Remind')!;
		const options = remind.parameters.options as { allowedHours: { hours: IDataObject } };
		const from = Date.now() + inHours * HOUR;
		const hours = {
			...options.allowedHours.hours,
			...{ from: clock(from), to: clock(from + 3 * HOUR), days: DAYS },
		};
		await change(workflow, {
			Remind: { options: { ...options, allowedHours: { hours } } },
			...changes,
		});
	}
	const remind = async (workflow: StoredWorkflow) =>
		(await run(workflow, SCHEDULE)).json('Remind').map(({ status }) => status);

	test('reminds of each appointment of tomorrow once, and again of one that is moved', async () => {
		const later = { appointment: 'A-200', firstName: 'Ada', phone: '06 39 98 00 84' };
		await tables.insert('SMS Appointments', { ...later, date: '2099-12-31', time: '9:00' });
		const workflow = await importExample('appointment-reminder');
		await setHours(workflow, -1, TO_CUSTOMERS);
		expect(await remind(workflow)).toEqual(['sent', 'sent', 'sent']);
		expect(numbers()).toEqual(ALL);
		expect(texts()).toContainEqual(
			expect.stringMatching(
				/^Hello Camille, we expect you on \d+ \w+ at 10:15\. Call us if you can't come\.$/,
			),
		);
		expect(await column('SMS Appointments', 'smsStatus')).toEqual([
			...['sent', 'sent', 'sent'],
			null,
		]);
		expect(await remind(workflow)).toEqual(['skipped', 'skipped', 'skipped']);
		await tables.update('SMS Appointments', ['appointment', 'A-100'], { time: '12:45' });
		expect((await remind(workflow)).sort()).toEqual(['sent', 'skipped', 'skipped']);
		expect(texts()).toHaveLength(4);
		expect(texts().at(-1)).toMatch(/at 12:45/);
	});

	test('trying it with the test number uses no key of a customer', async () => {
		const workflow = await importExample('appointment-reminder');
		await setHours(workflow, -1);
		await remind(workflow);
		await remind(workflow);
		expect(numbers()).toEqual(Array.from({ length: 6 }, () => '+33639980064'));
		await setHours(workflow, -1, TO_CUSTOMERS);
		expect(await remind(workflow)).toEqual(['sent', 'sent', 'sent']);
		expect(numbers().slice(6)).toEqual(ALL);
	});

	test('outside of the hours, it refuses instead of reminding too late, and uses no key', async () => {
		const workflow = await importExample('appointment-reminder');
		await setHours(workflow, 2, TO_CUSTOMERS);
		const { status, error } = await n8n.run(workflow.id, { trigger: SCHEDULE });
		expect(status).toBe('error');
		expect(error?.message).toContain("outside the 'Allowed Hours'");
		expect(numbers()).toEqual([]);
		await setHours(workflow, -1, TO_CUSTOMERS);
		expect(await remind(workflow)).toEqual(['sent', 'sent', 'sent']);
	});

	test('outside of the hours, a test waits for them', async () => {
		const workflow = await importExample('appointment-reminder');
		await setHours(workflow, 2);
		expect(await remind(workflow)).toEqual(['scheduled', 'scheduled', 'scheduled']);
	});

	test.each([
		['Friday', '2031-02-28', ['01']],
		['Saturday', '2031-03-01', ['02', '03']],
		['Monday', '2031-03-03', ['04']],
	])('on %s, it reads up to the next day on which it sends', async (_, today, days) => {
		const rows = ['01', '02', '03', '04'].map((day) => ({
			...{ appointment: `B-${day}`, firstName: 'Ada', phone: `06 39 98 00 ${day}` },
			...{ date: `2031-03-${day}`, time: '8:30' },
		}));
		await tables.insert('SMS Appointments', ...rows);
		const workflow = await importExample('appointment-reminder');
		const { filters } = workflow.nodes.find(({ name }) => name === 'Appointments')!.parameters;
		const then = `DateTime.fromISO('${today}T17:00')`;
		const asOf = JSON.parse(JSON.stringify(filters).replaceAll('$now', then)) as IDataObject;
		await setHours(workflow, -1, { ...TO_CUSTOMERS, Appointments: { filters: asOf } });
		await remind(workflow);
		expect(numbers()).toEqual(days.map((day) => `+336399800${day}`));
	});
});

describe('one-time-code', () => {
	/** In production, with codes to whoever asks. @returns what asks for a code, and what enters one */
	async function publish() {
		const workflow = await importExample('one-time-code');
		await change(workflow, { 'Test Number': { assignments: {} } });
		await activate(workflow);
		return {
			ask: async (phone: string) => await post('sms-code', { phone }),
			enter: async (id: unknown, code: unknown) =>
				await post('sms-code-check', { id, code } as IDataObject),
		};
	}
	const sentCode = () => /^Your code is (\d{6})\. /.exec(texts().at(-1)!)![1];
	const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

	test('the right code is valid once, as people type it, and for its own request only', async () => {
		const { ask, enter } = await publish();
		const { sent, id } = await ask('06 39 98 12 34');
		expect(sent).toBe(true);
		expect(numbers()).toEqual([CUSTOMER]);
		const code = sentCode();
		expect(await enter('another', code)).toEqual({ valid: false });
		expect(await enter(id, another(code))).toEqual({ valid: false });
		expect(await enter(id, undefined)).toEqual({ valid: false });
		expect(await enter(undefined, code)).toEqual({ valid: false });
		expect(await enter(id, ` ${code} `)).toEqual({ valid: true, number: CUSTOMER });
		expect(await enter(id, code)).toEqual({ valid: false });
		expect(await tables.rows('SMS Codes')).toEqual([]);
	});

	test('after five tries, or ten minutes, the right one is not valid either', async () => {
		const { ask, enter } = await publish();
		const { id } = await ask('06 39 98 12 34');
		const code = sentCode();
		// Many at the same moment, as a machine tries them.
		const tried = Array.from({ length: 12 }, async () => await enter(id, another(code)));
		expect(await Promise.all(tried)).toEqual(tried.map(() => ({ valid: false })));
		const [{ tries }] = await tables.rows('SMS Codes');
		expect(tries).toBeGreaterThan(0);
		expect(tries).toBeLessThanOrEqual(5);
		for (let rest = Number(tries); rest < 5; rest++) await enter(id, another(code));
		expect(await column('SMS Codes', 'tries')).toEqual([5]);
		expect(await enter(id, code)).toEqual({ valid: false });

		const other = await ask('06 39 98 12 35');
		await tables.update('SMS Codes', ['token', String(other.id)], { expires: Date.now() - 1 });
		expect(await enter(other.id, sentCode())).toEqual({ valid: false });
	});

	test('one code a minute for a number, however it is written; none for a wrong number', async () => {
		const { ask } = await publish();
		// Not at the turn of a minute.
		await expect.poll(() => new Date().getSeconds() < 50, { timeout: 15_000 }).toBe(true);
		const notSent = { sent: false, reason: expect.any(String) };
		expect(await ask('06 39 98 12 34')).toMatchObject({ sent: true });
		expect(await ask('+33 6 39 98 12 34')).toEqual(notSent);
		expect(await ask('no number')).toEqual(notSent);
		expect(numbers()).toEqual([CUSTOMER]);
	});

	test('as it is, it sends to the test number, and knows no code', async () => {
		const workflow = await importExample('one-time-code');
		const asked = await run(workflow, 'Code Requested');
		expect(asked.json('Answer: Sent')).toHaveLength(1);
		expect(numbers()).toEqual(['+33639980065']);
		expect((await run(workflow, 'Code Entered')).json('Answer: Not Valid')).toHaveLength(1);
	});
});

describe('conversation-with-an-agent', () => {
	const CATEGORY = { category: 'conversation' };

	/** Answers whoever wrote. The memory and the once keys are those of a workflow: another poll is another trigger. */
	async function prepare() {
		const workflow = await importExample('conversation-with-an-agent', POLLED);
		await change(workflow, { 'Test Number': { assignments: {} } });
		return workflow;
	}
	/** Gives one poll's replies to the workflow. */
	async function poll({ id }: StoredWorkflow, ...replies: Parameters<typeof given>) {
		const pins = given(...replies).pins[TRIGGER].map((json) => ({ json }));
		await n8n.updateWorkflow(id, { pinData: { [TRIGGER]: pins } });
		return await run(await n8n.getWorkflow(id), TRIGGER);
	}
	const said = () => simulator.messages.map(({ number, text }) => [number, text]);
	const row = async () => (await tables.rows('SMS Conversations'))[0];

	test('a reply of the category is answered, so that it can be replied to', async () => {
		const workflow = await prepare();
		simulator.reply(CUSTOMER, 'When are you open?', CATEGORY);
		simulator.reply(CUSTOMER, 'Of another category', { category: 'orders' });
		model.say('Until 19:00.');
		await run(workflow, TRIGGER);
		expect(said()).toEqual([[CUSTOMER, 'Until 19:00.']]);
		expect(simulator.messages[0]).toMatchObject({ sender: undefined, ...CATEGORY });
		expect(model.conversations()).toEqual([['When are you open?']]);
	});

	test('remembers what was said to this number, and to no other; counts the answers', async () => {
		const workflow = await prepare();
		model.say('Until 19:00.');
		await poll(workflow, [CUSTOMER, 'When are you open?']);
		expect(await row()).toMatchObject({ number: CUSTOMER, answers: 1 });

		model.say('No.');
		await poll(workflow, [CUSTOMER, 'On Sunday, too?'], ['+33639981235', 'Hello?']);
		expect(said()).toEqual([
			[CUSTOMER, 'Until 19:00.'],
			[CUSTOMER, 'No.'],
			['+33639981235', 'No.'],
		]);
		expect(model.conversations()).toEqual([
			['When are you open?', 'Until 19:00.', 'On Sunday, too?'],
			['Hello?'],
		]);
		expect(await row()).toMatchObject({ number: CUSTOMER, answers: 2 });
	});

	test('a STOP in whatever words is obeyed and not answered, and the others are', async () => {
		const workflow = await prepare();
		model.say('Yes.');
		await poll(workflow, [CUSTOMER, 'Arrêtez svp', 'stop'], ['+33639981235', 'Open?']);
		expect(simulator.service.blacklist('unsubscribers').has(CUSTOMER)).toBe(true);
		expect(model.conversations()).toEqual([['Open?']]);
		expect(said()).toEqual([['+33639981235', 'Yes.']]);
	});

	test('a person takes over when the agent asks for one, and the agent is silent then', async () => {
		const workflow = await prepare();
		model.plan('Hand_Over', {});
		model.say('A colleague will answer.');
		await poll(workflow, [CUSTOMER, 'I want to talk to somebody']);
		expect(said()).toEqual([[CUSTOMER, 'A colleague will answer.']]);
		expect(await row()).toMatchObject({ number: CUSTOMER, person: true });

		model.say('Not to be sent');
		await poll(workflow, [CUSTOMER, 'Are you there?']);
		expect(said()).toHaveLength(1);
		expect(await row()).toMatchObject({ person: true, message: 'Are you there?' });

		// Until the person gives it back.
		await tables.update('SMS Conversations', ['number', CUSTOMER], { person: false });
		model.say('Here I am again.');
		await poll(workflow, [CUSTOMER, 'And now?']);
		expect(said()).toHaveLength(2);
	});

	test('ten answers a day to a number, and then a person', async () => {
		const workflow = await prepare();
		const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris' });
		const day = today.format(new Date());
		await tables.insert('SMS Conversations', { number: CUSTOMER, day, answers: 9 });
		model.say('Yes.');
		await poll(workflow, [CUSTOMER, 'The tenth'], [CUSTOMER, 'One too many']);
		expect(said()).toEqual([[CUSTOMER, 'Yes.']]);
		expect(await row()).toMatchObject({ answers: 10, message: 'One too many' });

		await tables.update('SMS Conversations', ['number', CUSTOMER], { day: '2020-01-01' });
		await poll(workflow, [CUSTOMER, 'The next day']);
		expect(said()).toHaveLength(2);
		expect(await row()).toMatchObject({ day, answers: 1 });
	});

	test('what neither the model nor the service took goes to a person, and the others are answered', async () => {
		const workflow = await prepare();
		model.fail();
		await poll(workflow, [CUSTOMER, 'Anybody?']);
		expect(said()).toEqual([]);
		expect(await row()).toMatchObject({ number: CUSTOMER, message: 'Anybody?' });

		model.say('Yes.');
		simulator.faults.add({ path: /send$/, do: { kind: 'json', body: { code: 19 } } });
		await poll(workflow, [CUSTOMER, 'And now?'], ['+33639981235', 'Open?']);
		expect(said()).toEqual([['+33639981235', 'Yes.']]);
		expect(await row()).toMatchObject({ number: CUSTOMER, message: 'And now?' });
	});

	test('as it is, it answers the example, to the test number', async () => {
		model.say('From Tuesday to Saturday.');
		await run(await importExample('conversation-with-an-agent'), TRIGGER);
		expect(said()).toEqual([['+33639980068', 'From Tuesday to Saturday.']]);
	});
});
