/**
 * The example workflow that sends to the rows of a table, in a real n8n. Its look-ups wait for half a minute: each test
 * has a shop of its own, and all shops are open at once.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test as base } from 'vitest';
import { readExample } from '../harness/examples.mts';
import type { Execution } from '../harness/n8n.mts';
import { sharedN8n } from '../harness/shared.mts';
import { DataTables } from '../harness/tables.mts';
import type { FaultAction } from '../simulator/faults.mts';
import { startSimulator } from '../simulator/index.mts';
import { useExamples } from './examples-support.mts';
import { credentialOf } from './support.mts';

const CAMILLE = '+33639980071';
const LEA = '+33639980073';
const ORDERS = 'SMS Orders';
const CUSTOMER = '+33639981234';
const lost: FaultAction = { kind: 'html200' };
const arrived: FaultAction = { kind: 'html200', accept: true };

const n8n = sharedN8n();
const { change, run } = useExamples(n8n);

/** A service with an account, data tables, and the workflow as it is, but for the wait. */
async function openShop() {
	const name = crypto.randomUUID();
	const simulator = await startSimulator({ extended: true });
	const tables = new DataTables(n8n, ` of ${name}`);
	await tables.make();
	const example = tables.renamedIn(await readExample('batch-with-once-keys'));
	/** Stores the workflow with a credential of its own. */
	async function store(credential: string, settings: IDataObject = {}) {
		const data = { ...credentialOf(simulator), ...settings };
		await n8n.createCredential('smsServiceApi', credential, data);
		const nodes = example.nodes.map(({ credentials, ...node }) => ({
			...node,
			...(credentials && { credentials: { smsServiceApi: { id: null, name: credential } } }),
			...(node.name === 'Five Minutes' && { parameters: { amount: 1, unit: 'seconds' } }),
		}));
		return await n8n.createWorkflow({ ...example, nodes });
	}
	const workflow = await store(name);
	const column = async (of: string) => (await tables.rows(ORDERS)).map((row) => row[of]);
	return {
		...{ simulator, tables, store, column },
		run: async (other = workflow) => await run(other),
		/** Changes the options of the node that sends. */
		setSafeguards: async (safeguards: IDataObject) => {
			const { parameters } = workflow.nodes.find(({ name: of }) => of === SENDS)!;
			const own = parameters.safeguards as IDataObject;
			await change(workflow, { [SENDS]: { safeguards: { ...own, ...safeguards } } });
		},
		setOrder: async (orderId: string, data: IDataObject) =>
			await tables.update(ORDERS, ['orderId', orderId], data),
		statuses: async () => await column('smsStatus'),
		began: async () => await column('smsBegan'),
		/** Who got a message. Several are sent at once, so the order in which they arrive says nothing. */
		numbers: () => simulator.messages.map(({ number }) => number).sort(),
		texts: () => simulator.messages.map(({ text }) => text),
		/** A message of somebody else to a number, so long ago. */
		sentEarlier(number: string, hours: number): void {
			simulator.clock.advance(-hours * 3_600_000);
			simulator.service.accept({ kind: 'notification', number, text: 'Earlier' });
			simulator.clock.advance(hours * 3_600_000);
		},
	};
}
const SENDS = 'Send SMS in Batch';

const test = base.extend<{ shop: Awaited<ReturnType<typeof openShop>> }>({
	shop: async ({ onTestFinished }, use) => {
		const shop = await openShop();
		onTestFinished(async () => await shop.simulator.close());
		await use(shop);
	},
});

/** What went to Needs a Look, over all its runs. */
function looked(execution: Execution): IDataObject[] {
	const runs = execution.data.resultData.runData['Needs a Look'] ?? [];
	return runs.flatMap((_, index) => execution.json('Needs a Look', 0, index));
}
const results = (execution: Execution) =>
	execution.json(SENDS).map(({ orderId, sms }) => [orderId, (sms as IDataObject).status]);
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe.concurrent('batch-with-once-keys', () => {
	test('each row once, whoever said STOP left out', async ({ shop }) => {
		const { began, column, numbers, run, setOrder, simulator, statuses, tables, texts } = shop;
		simulator.service.addToBlacklist('unsubscribers', '+33639980072');
		const first = await run();
		const after = ['sent', 'skipped', 'sent', 'invalid'];
		expect(await statuses()).toEqual(after);
		expect(texts()).toContain(
			'Hello Camille, your order 2026-100 (25,90 EUR) is ready. You can pick it up until Saturday.',
		);
		expect(looked(first)).toMatchObject([{ orderId: '2026-103', sms: { status: 'invalid' } }]);
		const some = expect.stringMatching(/\S/);
		expect(await column('smsNote')).toEqual(['', some, '', some]);
		// Of the others, certainly nothing was sent.
		expect(await began()).toEqual([some, '', some, '']);

		const second = await run();
		expect(results(second)).toEqual([['2026-103', 'invalid']]);
		expect(await statuses()).toEqual(after);
		await setOrder('2026-103', { phone: '06 39 98 00 74' });
		expect(looked(await run())).toEqual([]);
		expect(await statuses()).toEqual(['sent', 'skipped', 'sent', 'sent']);
		expect(numbers()).toEqual([CAMILLE, LEA, '+33639980074']);
		expect((await run()).json('Open')).toEqual([]);

		// Whatever happens to the table, the once key remembers.
		await tables.make();
		await run();
		expect(numbers()).toHaveLength(3);
	});

	test('what was refused needs a look, and is sent by the next run', async ({ shop }) => {
		const { began, numbers, run, simulator, statuses } = shop;
		// The first message goes, the others don't.
		const fault = simulator.faults.add({
			...{ method: 'POST', skip: 1, times: Infinity },
			do: { kind: 'json', body: { code: 19 } },
		});
		const execution = await run();
		expect(looked(execution)).toHaveLength(3);
		expect((await statuses()).filter((status) => status === 'sent')).toHaveLength(1);
		expect((await began()).filter(Boolean)).toHaveLength(1);
		fault.remove();
		await run();
		expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
		expect(numbers()).toHaveLength(3);
	});

	test('a dry run leaves the rows open', async ({ shop }) => {
		const { began, run, setSafeguards, statuses } = shop;
		await setSafeguards({ dryRun: true });
		await run();
		expect(await statuses()).toEqual(['wouldSend', 'wouldSend', 'wouldSend', 'invalid']);
		expect(await began()).toEqual(['', '', '', '']);
		await setSafeguards({});
		await run();
		expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
	});

	test('a test run with a test number leaves the rows open', async ({ shop }) => {
		const { began, numbers, run, statuses, store } = shop;
		const own = { manualRuns: 'testNumber', testNumber: CUSTOMER };
		const testing = await store(`Test number ${crypto.randomUUID()}`, own);
		await run(testing);
		expect(numbers()).toEqual([CUSTOMER]);
		expect(await statuses()).toEqual(['wouldSend', 'wouldSend', 'wouldSend', 'invalid']);
		expect(await began()).toEqual(['', '', '', '']);
	});

	describe('messages whose answer got lost', () => {
		test('and that arrived: the batch finds them itself', async ({ shop }) => {
			const { numbers, run, simulator, statuses } = shop;
			simulator.faults.add({ path: /send$/, times: 3, do: arrived });
			const execution = await run();
			expect(execution.json('Unknown')).toEqual([]);
			expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
			expect(looked(execution).map(({ orderId }) => orderId)).toEqual(['2026-103']);
			expect(numbers()).toHaveLength(3);
		});

		test('and that are missing: they are sent with another key', async ({ shop }) => {
			const { numbers, run, sentEarlier, simulator, statuses } = shop;
			sentEarlier(CAMILLE, 1);
			simulator.faults.add({ path: /send$/, times: 3, do: lost });
			const execution = await run();
			expect(execution.json('Send with Another Key')).toHaveLength(3);
			expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
			// Each row's own text to its own number.
			const messages = simulator.messages.map(({ number, text }) => `${number} ${text}`);
			expect(messages).toHaveLength(4);
			for (const [number, text] of [
				[CAMILLE, 'Hello Camille, your order 2026-100 (25,90 EUR)'],
				['+33639980072', 'Hello Karim, your order 2026-101 (112,00 EUR)'],
				[LEA, 'Hello Léa, your order 2026-102 (8,50 EUR)'],
			]) {
				expect(messages).toContainEqual(expect.stringContaining(`${number} ${text}`));
			}
			expect(looked(execution).map(({ orderId }) => orderId)).toEqual(['2026-103']);
			expect((await run()).json('Unknown')).toEqual([]);
			expect(numbers()).toHaveLength(4);
		});

		test("and that can't be looked up: they stay unknown until the next run", async ({
			shop,
		}) => {
			const { began, numbers, run, simulator, statuses } = shop;
			simulator.faults.add({ path: /send$/, times: 3, do: lost });
			const down = simulator.faults.add({
				...{ path: /status$/, times: Infinity },
				do: { kind: 'status', status: 500 },
			});
			const execution = await run();
			expect(execution.json('Five Minutes')).toHaveLength(3);
			expect(await statuses()).toEqual(['unknown', 'unknown', 'unknown', 'invalid']);
			expect(looked(execution)).toHaveLength(4);
			const before = await began();
			down.remove();
			const next = await run();
			expect(
				results(next)
					.slice(0, 3)
					.map(([, status]) => status),
			).toEqual(Array(3).fill('unknown'));
			expect(await began()).toEqual(before);
			expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
			expect(numbers()).toHaveLength(3);
		});

		test('with a start that is no time: nothing is sent again', async ({ shop }) => {
			const { numbers, run, setOrder, simulator, statuses } = shop;
			await setOrder('2026-100', { smsBegan: 'this morning' });
			simulator.faults.add({ path: /send$/, times: 3, do: lost });
			const execution = await run();
			expect(await statuses()).toEqual(['unknown', 'sent', 'sent', 'invalid']);
			expect(numbers()).toEqual(['+33639980072', LEA]);
			expect(looked(execution)).toContainEqual(
				expect.objectContaining({ orderId: '2026-100', smsStatus: 'unknown' }),
			);
		});

		test('and that the service refuses the second time: the start is kept', async ({
			shop,
		}) => {
			const { began, numbers, run, simulator, statuses } = shop;
			simulator.faults.add({ path: /send$/, times: 3, do: lost });
			simulator.faults.add({
				...{ path: /send$/, times: 3 },
				do: { kind: 'json', body: { code: 19 } },
			});
			await run();
			expect(new Set(await statuses())).not.toContain('sent');
			expect((await began()).slice(0, 3).every(Boolean)).toBe(true);
			await run();
			expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
			expect(numbers()).toHaveLength(3);
		});
	});

	test('a row that is corrected has a new start: an older message is not taken for its own', async ({
		shop,
	}) => {
		const { numbers, run, sentEarlier, setOrder, simulator } = shop;
		await run();
		sentEarlier('+33639980074', 1);
		await setOrder('2026-103', { phone: '06 39 98 00 74' });
		simulator.faults.add({ path: /send$/, do: lost });
		const execution = await run();
		expect(execution.json('Send with Another Key')).toHaveLength(1);
		expect(numbers().filter((number) => number === '+33639980074')).toHaveLength(2);
	});

	test('a start that a run before has noted is kept, also if this run sends nothing', async ({
		shop,
	}) => {
		const { began, numbers, run, sentEarlier, setOrder, simulator, statuses } = shop;
		const start = hoursAgo(2);
		for (const orderId of ['2026-100', '2026-103']) {
			await setOrder(orderId, { smsBegan: start });
		}
		sentEarlier(CAMILLE, 1);
		simulator.faults.add({ path: /send$/, times: 3, do: lost });
		await run();
		expect(await began()).toEqual([start, expect.any(String), expect.any(String), start]);
		// As if the message of an hour ago were the one that a crashed run has sent.
		expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
		expect(numbers().filter((number) => number === CAMILLE)).toHaveLength(1);
	});

	test.for<[string, FaultAction, string[]]>([
		['and did not arrive: the other one is taken for it', lost, ['2026-101']],
		['and arrived: nobody gets it twice', arrived, ['2026-100', '2026-101']],
	])(
		'two rows to one number: the answer to one got lost, %s',
		async ([, fault, orders], { shop }) => {
			const { column, run, setOrder, simulator, statuses } = shop;
			await setOrder('2026-101', { phone: '+33 6 39 98 00 71' });
			simulator.faults.add({
				...{ path: /send$/, do: fault },
				match: ({ bodyText }) => bodyText.includes('2026-100'),
			});
			for (const status of ['unknown', undefined]) {
				const execution = await run();
				expect(results(execution).find(([order]) => order === '2026-100')?.[1]).toBe(
					status,
				);
				expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'invalid']);
			}
			const notes = await column('smsNote');
			expect(notes.slice(0, 2)).toEqual(['Found by a look-up', '']);
			const both = simulator.messages.filter(({ number }) => number === CAMILLE);
			expect(both.map(({ text }) => /2026-\d+/.exec(text)![0]).sort()).toEqual(orders);
		},
	);
});
