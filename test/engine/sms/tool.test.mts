/** SMS as a tool of an AI agent, in each of the two ways in which n8n runs one: what the agent hears, and what phones got. */
import type { IDataObject, INode, IRunExecutionData } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	asksTheEngine,
	invokes,
	invokesAtOnce,
	invokesSoon,
	invokeTool,
	type Agent,
	type Call,
} from '../delivery/agent.mts';
import { ANSWERS, KEY } from '../delivery/answers.mts';
import {
	answer,
	CONTINUE,
	people,
	reached,
	RETRY_ON_FAIL,
	SEND,
	sim,
} from '../delivery/sending.mts';
import { listOf } from '../../operations.mts';
import { NUMBER } from './support.mts';

const WAYS = [
	['the agent invokes it', invokes],
	['the agent asks the engine', asksTheEngine],
] as const;
const NOW = ['now', 'immediately', 'asap', 'right away', 'maintenant'];
const texts = () => sim.messages.map(({ text }) => text);
const asked = (name: string) => `={{ $fromAI('${name}', 'About ${name}', 'string') }}`;
const message = (text: string, number = NUMBER, more: IDataObject = {}): Call => ({
	input: { number, message: text, ...more },
});

interface More {
	node?: string;
	settings?: Partial<INode>;
	failed?: IRunExecutionData;
	executionId?: string;
}

/** The agent makes these calls. @returns what n8n stores of the execution */
async function call(agent: Agent, calls: Call[], parameters: IDataObject = {}, more: More = {}) {
	const usual = { operation: 'send', number: asked('number'), message: asked('message') };
	const data = await invokeTool({
		node: 'Sms',
		parameters: { ...usual, ...parameters } as never,
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		agent,
		calls,
		...more,
	});
	const { error } = data.resultData;
	if (error && !calls.some((one) => one.error)) calls[0].error ??= error as Error;
	return data;
}

/** All that the agent hears of a call. */
const heard = ({ answer: told, error }: Call) =>
	`${error?.message} ${(error as { description?: string } | undefined)?.description} ${told}`;
const loseAll = () => answer('502 page, accepted');

describe.each(WAYS)('%s', (_, agent) => {
	test('messages go out, and the agent hears the receipts', async () => {
		const calls = [message('One'), message('Two', '+33639981235'), message('Three')];
		await call(agent, calls);
		for (const { error } of calls) expect(error).toBeUndefined();
		expect(texts().sort()).toEqual(['One', 'Three', 'Two']);
		for (const one of calls) {
			const { snapshotId } = sim.messages.find(({ text }) => text === one.input.message)!;
			expect(one.answer).toContain(snapshotId);
			expect(one.answer).toContain(one.input.number);
		}
	});

	test('a marketing message with an option that the agent fills in', async () => {
		const marketing = { messageType: 'marketing', sender: 'MyShop' };
		const options = { category: asked('category') };
		await call(agent, [message('Bonjour')], { ...marketing, options });
		expect(sim.messages).toEqual([]);
		const complete = [message('Bonjour', NUMBER, { category: 'orders' })];
		await call(agent, complete, { ...marketing, options });
		const sent = { kind: 'marketing', sender: 'MyShop', category: 'orders' };
		expect(sim.messages).toMatchObject([sent]);
	});

	test('an option that it leaves out: the advice helps', async () => {
		const calls = [message('Bonjour'), message('Bonjour')];
		await call(agent, calls.slice(0, 1), { options: { category: asked('category') } });
		if (agent === asksTheEngine)
			expect(heard(calls[0])).toContain('give $fromAI that default as its fourth argument');
		const category = "={{ $fromAI('category', 'A tag', 'string', '') }}";
		await call(agent, calls.slice(1), { options: { category } });
		expect(calls[1].error).toBeUndefined();
		expect(sim.messages).toHaveLength(1);
	});

	test.each<[what: string, made: Call, says: string, given?: () => void]>([
		['a bad number', message('Bonjour', '06 39'), 'has 4 digits'],
		['a refusal', message('Bonjour'), 'unsubscribed (STOP)', () => sim.stop(NUMBER)],
		['a lost answer', message('Bonjour'), 'unknown whether', loseAll],
	])('%s: the agent hears what is wrong', async (what, made, says, given) => {
		given?.();
		await call(agent, [made]);
		expect(heard(made).toLowerCase()).toContain(says.toLowerCase());
		expect(heard(made)).not.toContain(KEY);
		expect(sim.messages).toHaveLength(what === 'a lost answer' ? 1 : 0);
	});

	test('what recipients would hardly expect: the agent hears it', async () => {
		const made = message('Bonjour {prenom}, à bientôt');
		await call(agent, [made]);
		expect(made.answer).toContain(
			'Recipients read {prenom} (+33639981234) as it is. Write the value',
		);
		expect(made.answer).toContain('ô → o');
		expect(sim.messages).toHaveLength(1);
	});

	test('it reads no HTML, and nothing of the editor', async () => {
		const typed = ['', 'Bonjour {{ name }}', 'Zoë : zoë@exemple.de', '👋'];
		const calls = [message('Bonjour', '<b>'), ...typed.map((text) => message(text))];
		await call(agent, calls);
		loseAll();
		const lost = [message('Perdu')];
		await call(agent, lost);
		for (const one of [...calls, ...lost])
			expect(heard(one)).not.toMatch(/<br>|&lt;|&amp;|Executions|On Error|currently saved/);
	});

	test.each(NOW)('Send At %s: it hears how to send now', async (date) => {
		const options = { date: asked('date') };
		const calls = [date, ''].map((when) => message('Bonjour', NUMBER, { date: when }));
		await call(agent, calls.slice(0, 1), { options });
		expect(heard(calls[0])).toContain('To send now, leave the field empty');
		expect(sim.messages).toEqual([]);
		await call(agent, calls.slice(1), { options });
		expect(sim.messages).toMatchObject([{ date: undefined }]);
	});

	test('what is unknown is not sent again, by the same call or by Retry On Fail', async () => {
		loseAll();
		const calls = [message('Bonjour'), message('Bonjour')];
		await call(agent, calls);
		for (const one of calls) expect(heard(one)).toMatch(/unknown whether/i);
		expect(sim.messages).toHaveLength(1);
		await call(agent, [message('Bonsoir')], {}, { settings: RETRY_ON_FAIL });
		expect(texts()).toEqual(['Bonjour', 'Bonsoir']);
	});

	test.each([
		['a preview', 'preview', 'GSM-7', 0],
		['a batch of one', 'sendBatch', '"status":"sent"', 1],
		['by URL', 'sendByUrl', '362891', 1],
	])('%s', async (__, operation, says, count) => {
		const made = message('Bonjour');
		await call(agent, [made], { operation });
		expect(made.error).toBeUndefined();
		expect(made.answer).toContain(says);
		expect(sim.messages).toHaveLength(count);
	});
});

test.each([
	["'Once Key'", { operation: 'sendBatch', safeguards: { onceKey: 'a' } }],
	["'Send SMS and Wait for Response'", { operation: 'sendAndWait' }],
])('the agent invokes it: %s is told to go another way', async (says, parameters) => {
	const made = message('OK?');
	await call(invokes, [made], parameters);
	expect(sim.requests).toEqual([]);
	expect(heard(made)).toContain(says);
});

test('a lost answer does not keep later, different messages from being sent', async () => {
	answer('reset, accepted', { times: 1 });
	const [ada, bob] = people(2).map(({ to }) => String(to));
	const calls = [message('One', ada), message('One', bob), message('Two', ada)];
	await call(invokes, calls);
	expect(sim.messages.map(({ number, text }) => [number, text])).toEqual([
		[ada, 'One'],
		[bob, 'One'],
		[ada, 'Two'],
	]);
	expect(heard(calls[0])).toMatch(/unknown/i);
	for (const [at, made] of calls.slice(1).entries())
		expect(made.answer).toContain(sim.messages[at + 1].snapshotId);
});

// A second call of one execution is no retry by a person.
test.each([true, false])(
	'a second call sends nothing again (Send Again if Unknown: %s)',
	async (resendUnknown) => {
		sim.faults.add({ path: SEND, do: ANSWERS['reset, not accepted'].do });
		const calls = [message('Hi'), message('Hi')];
		const safeguards = { skipDuplicates: true };
		await call(invokes, calls, { safeguards, options: { resendUnknown } });
		expect(heard(calls[1])).not.toContain('NaN');
		expect(sim.messages).toEqual([]);
	},
);

describe('the same call', () => {
	const same = (count: number) => Array.from({ length: count }, () => message('Bonjour'));
	const receipts = (calls: Call[]) =>
		calls.filter(({ answer: told }) => told?.includes('snapshotId'));

	test.each([true, false])(
		'at once is one message (Skip Duplicates: %s)',
		async (skipDuplicates) => {
			const calls = same(3);
			await call(invokesAtOnce, calls, { safeguards: { skipDuplicates } });
			expect(reached()).toEqual([NUMBER]);
			expect(receipts(calls)).toHaveLength(1);
		},
	);

	test('at the moment of another try is one message', async () => {
		sim.faults.add({ path: SEND, do: { kind: 'tooManyRequests', retryAfter: 1 } });
		const calls = same(2);
		await call(invokesSoon, calls);
		expect(reached()).toEqual([NUMBER]);
		expect(receipts(calls)).toHaveLength(2);
	});

	test('after a lost answer sends nothing, also where the tool goes on after errors', async () => {
		answer('reset, not accepted', { times: 1 });
		const calls = same(2);
		await call(invokes, calls, {}, { settings: CONTINUE });
		expect(sim.messages).toEqual([]);
	});

	test.each<[how: string, agent: Agent, sent: number]>([
		// A call that comes when the first one has ended means another message.
		['one after the other', invokes, 2],
		['at once', invokesAtOnce, 1],
	])('twice, %s: a retry sends neither again', async (_, agent, sent) => {
		const fails: Agent = (all) =>
			async function (this) {
				await agent(all)!.call(this);
				throw new Error('The model is overloaded');
			};
		const failed = await call(fails, same(2));
		expect(sim.messages).toHaveLength(sent);
		const again = same(3);
		await call(agent, again, {}, { failed, executionId: 'retry' });
		expect(sim.messages).toHaveLength(sent);
		expect(receipts(again)).toHaveLength(3);
	});

	// With 'Unsupported Characters' set to 'Replace', these are one text.
	test('in other spellings, two at once of which one is refused, then a third: one message', async () => {
		answer('402 code 71', { times: 1 });
		const twoAndOne: Agent = (all) =>
			async function (this) {
				await invokesAtOnce(all.slice(0, 2))!.call(this);
				return await invokes(all.slice(2))!.call(this);
			};
		const calls = ['it’s', "it's", 'it‘s'].map((text) => message(text));
		await call(twoAndOne, calls, { safeguards: { skipDuplicates: true } });
		expect(calls.filter(({ error }) => error !== undefined)).toHaveLength(1);
		expect(texts()).toEqual(["it's"]);
	});

	test('another message at the moment of a retry is not taken for the lost one', async () => {
		const fails: Agent = (all) =>
			async function (this) {
				await invokes(all)!.call(this);
				throw new Error('The model is overloaded');
			};
		answer('reset, not accepted', { times: 1 });
		const failed = await call(fails, [message('Un')]);
		// The other one is accepted meanwhile.
		const delay = { kind: 'delay', ms: 100 } as const;
		sim.faults.add({ path: /\/messages\/status$/, times: Infinity, do: delay });
		const again = [message('Un'), message('Deux')];
		await call(invokesAtOnce, again, {}, { failed, executionId: 'retry' });
		expect(texts()).toEqual(['Deux']);
		expect(heard(again[0])).toContain('another message of this execution');
		expect(again[1].answer).toContain('snapshotId');
	});
});

describe('calls of other nodes', () => {
	const upsert = (list: string) => ({
		...{ operation: 'upsert', list: listOf(list) },
		attributes: { mappingMode: 'defineBelow', value: { City: 'Lyon' }, schema: [] },
	});
	const contact = { node: 'SmsContact' };
	const [first, second] = people(2).map(({ to }) => String(to));

	test('a call that ends leaves what another one has kept', async () => {
		const list = sim.service.createList('Clients', [{ name: 'City' }, { name: 'Points' }]);
		const [city, points] = list.fields.map(({ id }) => id);
		list.addContact(first, { [city]: 'Paris', [points]: '12' });
		sim.faults.add({ method: 'POST', path: /contacts$/, do: { kind: 'resetBeforeRead' } });
		const calls = [first, second, first].map((number) => message('', number));
		await call(invokes, calls, upsert(list.id), contact);
		expect(calls.map(({ error }) => error === undefined)).toEqual([false, true, true]);
		const back = list.contacts.items().find(({ identifier }) => identifier === first);
		expect(back?.attributes).toMatchObject({ [city]: 'Lyon', [points]: '12' });
	});

	test('of two that change one contact at the same moment, the second tells what the list has', async () => {
		const list = sim.service.createList('Clients', [{ name: 'City' }]);
		const [{ id: city }] = list.fields;
		list.addContact(first, { [city]: 'Paris' });
		const value = { City: asked('city') };
		const upsertCity = {
			...upsert(list.id),
			attributes: { mappingMode: 'defineBelow', value, schema: [] },
		};
		const both = ['Lyon', 'Lille'].map(
			(name): Call => ({ input: { number: first, city: name } }),
		);
		await call(invokesAtOnce, both, upsertCity, contact);
		expect(list.contacts.items()).toMatchObject([{ attributes: { [city]: 'Lyon' } }]);
		const told = heard(both[1]);
		expect(told).toContain('the list has it, perhaps with other values. Run this item again');
		expect(told).not.toMatch(/could not be added again|Nothing was changed|If Contact Exists/);
		await call(invokes, both.slice(1), upsertCity, { ...contact, executionId: '2' });
		expect(list.contacts.items()).toMatchObject([{ attributes: { [city]: 'Lille' } }]);
	});

	test('a call that fails before its first change is not in doubt for another one', async () => {
		const list = sim.service.createList('Clients', [{ name: 'City' }]);
		const calls = [first, second].map((number) => message('', number));
		calls[1].before = () =>
			void sim.faults.add({
				...{ method: 'GET', times: Infinity },
				do: { kind: 'status', status: 404 },
			});
		await call(invokes, calls, upsert(list.id), contact);
		expect(calls.map(({ error }) => error === undefined)).toEqual([true, false]);
		expect(heard(calls[1])).not.toContain('unknown');
	});

	test('a list is created once, though a column fails at first', async () => {
		const busy = { kind: 'json', status: 400, body: { code: 11, error: 'no' } } as const;
		sim.faults.add({ path: /\/fields$/, do: busy });
		const calls: Call[] = [{ input: { name: 'Clients' } }, { input: { name: 'Clients' } }];
		const columns = { column: [{ name: 'Points', type: 'NUMBER' }] };
		const create = { operation: 'create', name: asked('name'), columns };
		await call(invokes, calls, create, { node: 'SmsList' });
		expect(calls.map(({ error }) => error === undefined)).toEqual([false, true]);
		expect([...sim.service.lists.values()].map(({ fields }) => fields.length)).toEqual([1]);
	});
});
