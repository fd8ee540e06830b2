/**
 * The trigger in a real n8n: what n8n saves when, and what survives. The same tests for each way in which
 * n8n can poll, each in a file of its own, so that two run at the same time: most of it is waiting.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import axios from 'axios';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type N8n, pollEvery, startN8n } from '../../harness/n8n.mts';
import { inARow, noOp, own } from '../../harness/nodes.mts';
import { type Simulator, startSimulator } from '../../simulator/index.mts';

const TRIGGER = 'SMS Trigger';
const CREDENTIAL = 'SMS Service account';
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};
/** n8n's settings for each way in which it can poll. */
const WAYS = {
	'as usual': {},
	"with n8n's scheduler": SCHEDULER,
	'with durable cursors': { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' },
};
const phone = (index: number) => `+336399800${String(index).padStart(2, '0')}`;

function workflow(parameters: INodeParameters, name = 'Trigger') {
	return {
		name,
		...inARow(
			own(TRIGGER, 'smsTrigger', {
				...({ pollTimes: pollEvery(3), ...parameters } as INodeParameters),
			}),
			noOp(),
		),
	};
}

/** Waits until something is so, as long as a few polls may take. */
async function until<T>(look: () => Promise<T | undefined> | T | undefined, patience = 40_000) {
	for (const end = Date.now() + patience; Date.now() < end; await sleep(200)) {
		const found = await look();
		if (found) return found;
	}
	throw new Error(`It did not happen within ${patience} ms`);
}

/** Declares the tests of one way. */
export function testTrigger(mode: keyof typeof WAYS): void {
	const env = WAYS[mode];
	let simulator: Simulator;
	let n8n: N8n;

	beforeAll(async () => {
		simulator = await startSimulator();
		n8n = await startN8n({ env });
		const { baseUrl, apiKey } = simulator;
		await n8n.createCredential('smsServiceApi', CREDENTIAL, { baseUrl, apiKey });
	});
	beforeEach(() => simulator.reset());
	afterAll(async () => {
		await n8n?.stop();
		await simulator?.close();
	});

	/** Somebody types a reply into the simulator's page. */
	async function type(text: string, category = 'a', from = phone(1)): Promise<void> {
		const body = { from, text, category };
		await axios.post(`${simulator.baseUrl}/_simulator/reply`, body, { proxy: false });
	}

	/** What executions were started with that have ended, by their IDs: it stays the same. */
	const known = new Map<string, IDataObject[]>();

	/** All items that the trigger has started executions with, oldest first. */
	async function itemsOf(id: string): Promise<IDataObject[]> {
		const items: IDataObject[] = [];
		for (const { id: execution, status } of (await n8n.listExecutions(id)).reverse()) {
			if (status !== 'success') continue;
			const found = known.get(execution) ?? (await n8n.getExecution(execution)).json(TRIGGER);
			known.set(execution, found);
			items.push(...found);
		}
		return items;
	}

	/** Polls of n8n's scheduler that meet may repeat an event, with the same ID. */
	const messagesOf = async (id: string) => {
		const items = await itemsOf(id);
		const isFirst = ({ eventId }: IDataObject, index: number) =>
			items.findIndex((item) => item.eventId === eventId) === index;
		const events = mode === 'as usual' ? items : items.filter(isFirst);
		return events.map(({ message }) => message);
	};

	/** Waits for so many polls that began after this moment. */
	async function polls(count: number, path = '/v2/messages/replies'): Promise<void> {
		const before = simulator.requestsTo('GET', path).length;
		await until(() => simulator.requestsTo('GET', path).length >= before + count);
		await sleep(500);
	}

	/** Waits for these replies, and for some more polls: no others come. */
	async function hears(id: string, ...texts: string[]): Promise<void> {
		await until(async () => (await messagesOf(id)).length >= texts.length, 100_000);
		await polls(2);
		expect(await messagesOf(id)).toEqual(texts);
	}

	async function activated(parameters: INodeParameters): Promise<string> {
		const { id } = await n8n.createWorkflow(workflow(parameters));
		await n8n.activate(id);
		return id;
	}

	const ofA = { events: ['reply'], categories: 'a' };

	test('what came before the activation is no event, what comes right after it is one, once', async () => {
		await type('old');
		const id = await activated(ofA);
		await type('right after');
		await hears(id, 'right after');
		// Fetch Test Event takes nothing away.
		await type('later');
		const execution = await n8n.run(id, { trigger: TRIGGER });
		expect(execution.json(TRIGGER)).toMatchObject([{ event: 'reply', message: 'later' }]);
		await until(async () => (await messagesOf(id)).includes('later'));
		await n8n.deactivate(id);
	});

	test('it resumes when it is deactivated and activated again, and when n8n is killed', async () => {
		const id = await activated(ofA);
		await type('before');
		await hears(id, 'before');
		await n8n.deactivate(id);
		await type('meanwhile');
		await sleep(6_000);
		expect(await messagesOf(id)).toEqual(['before']);
		await n8n.activate(id);
		await hears(id, 'before', 'meanwhile');
		await n8n.kill('SIGKILL');
		await type('killed');
		await n8n.start();
		await hears(id, 'before', 'meanwhile', 'killed');
		await n8n.deactivate(id);
	});

	test('a failing category holds back no other; a poll in which nothing works is a failed execution', async () => {
		const id = await activated({ events: ['reply'], categories: 'a, b' });
		await polls(2);
		const fail = (category?: string) =>
			simulator.faults.add({
				match: ({ query }) => category === undefined || query.get('category') === category,
				times: Infinity,
				do: { kind: 'status', status: 503 },
			});
		const fault = fail('b');
		await type('of b', 'b');
		await type('of a', 'a');
		await until(async () => (await messagesOf(id)).includes('of a'));
		fault.remove();
		await hears(id, 'of a', 'of b');
		const findFailed = async () =>
			(await n8n.listExecutions(id)).find(({ status }) => status === 'error');
		expect(await findFailed()).toBeUndefined();
		const outage = fail();
		const failed = await until(findFailed);
		outage.remove();
		expect((await n8n.getExecution(failed.id)).error?.message).toContain('replies of');
		await n8n.deactivate(id);
	});

	test('a workflow imported again, with the same node IDs, starts with its own baseline', async () => {
		const id = await activated(ofA);
		await type('old');
		await hears(id, 'old');
		// A copy as the editor downloads it.
		const { name, nodes, connections, settings } = await n8n.getWorkflow(id);
		const imported = await n8n.createWorkflow({ name, nodes, connections, settings });
		await n8n.activate(imported.id);
		await type('new');
		await hears(imported.id, 'new');
		await hears(id, 'old', 'new');
		for (const one of [imported.id, id]) await n8n.deactivate(one);
	});

	test('what quiet polls have seen is known to the next ones: first messages, and credits', async () => {
		simulator.service.setCredits(50);
		const id = await activated({
			events: ['creditsLow', 'statusChanged'],
			creditsThreshold: 10,
			watchNumbers: phone(1),
		});
		const quiet = async () => await polls(2, '/v2/account/stats');
		await quiet();
		const number = phone(1);
		const message = simulator.service.accept({ kind: 'notification', number, text: 'Hello' });
		simulator.setState(message.snapshotId, 'delivered');
		await until(async () => (await itemsOf(id)).length >= 1);
		for (const credits of [5, 50, 4]) {
			simulator.service.setCredits(credits);
			await quiet();
		}
		expect(
			(await itemsOf(id)).map(({ event, credits, state }) => [event, credits ?? state]),
		).toEqual([
			['statusChanged', 'delivered'],
			['creditsLow', 5],
			['creditsLow', 4],
		]);
		await n8n.deactivate(id);
	});

	if (mode !== 'as usual') return;

	// With durable cursors n8n itself stays away for up to half an hour after several failures.
	test('started while the service is down, it comes back', async () => {
		const id = await activated(ofA);
		await type('before');
		await hears(id, 'before');
		await n8n.kill('SIGTERM');
		await type('meanwhile');
		const fault = simulator.faults.add({ times: Infinity, do: { kind: 'resetBeforeRead' } });
		await n8n.start();
		await until(() => fault.hits > 0);
		// n8n itself gives up on a trigger whose activation fails for 15 seconds.
		await sleep(20_000);
		fault.remove();
		await hears(id, 'before', 'meanwhile');
		await n8n.deactivate(id);
	});
}
