/**
 * A person who follows the texts to the letter, on a real n8n that is killed in between: retries by n8n's own button,
 * runs the workflow again, looks at the phones where a text says so. Nobody gets a message twice, and nobody is left
 * out while the texts say that all is done. `HISTORIES` plays more, `SEED` the same again.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebhookWorkflow, report } from '../e2e/delivery-support.mts';
import { phones } from '../harness/phones.mts';
import { startEnvironment, type Environment } from '../e2e/support.mts';
import { ANSWERS, FAULTS } from '../engine/delivery/answers.mts';
import type { Execution, ExecutionSummary } from '../harness/n8n.mts';
import { called, calling, inARow, own } from '../harness/nodes.mts';
import { Dice, SEED } from '../harness/random.mts';
import { offered, placed } from '../harness/settings.mts';
import { DONE, wayIn, type Way } from '../harness/ways.mts';
import type { FaultAction, RecordedRequest } from '../simulator/index.mts';

const HISTORIES = Number(process.env.HISTORIES ?? 24);
/** Histories at once, between a start of n8n and its two kills. */
const AT_ONCE = 72;
/** Steps, and milliseconds, after which a person would give up. */
const MOST_STEPS = 14;
const LONGEST = 900_000;
/** Recipients of one history. */
const MOST_ROWS = 8;
/** Milliseconds between two looks at n8n, and without a message until a kill comes anyway. */
const POLL = 300;
const QUIET = 6_000;
const SEND = /\/messages\/send$/;
const STOP = ANSWERS['400 code 12'].do;
const ACTIONS = FAULTS.map((name): FaultAction => ANSWERS[name].do);

/** A broken promise, with the texts that led to it. */
class Broken extends Error {}

let environment: Environment;
/** Resolves when n8n has started again. */
let isUp: Promise<unknown> = Promise.resolve();
const tally: Record<string, number> = {};
const count = (what: string) => (tally[what] = (tally[what] ?? 0) + 1);
const receivedBy = (row: IDataObject) =>
	environment.simulator.messagesTo(String(row.to)).filter(({ text }) => text === row.text).length;

class Person {
	readonly rows: IDataObject[];
	/** Those of the newest run: a workflow that is run again has them. */
	private items: IDataObject[];
	private readonly told: string[] = [];
	private readonly operation: string;
	private readonly isKeyed: boolean;
	private readonly isSub: boolean;
	private readonly settings: IDataObject;
	private readonly stopped: string | undefined;
	/** Percent of the requests that go wrong. */
	private faulty: number;
	/** Of the workflow that has SMS in it. */
	private workflowId = '';
	private post: (rows: IDataObject[]) => Promise<void> = async () => {};
	/** Of the workflow that calls it, where it is a sub-workflow. */
	private callerId = '';
	private runsAgain = 0;
	private asked = 0;
	/** "Leave this number out". */
	private left: string | undefined;
	private steps = 0;
	private readonly latest = Date.now() + LONGEST;

	constructor(
		private readonly dice: Dice,
		place: number,
	) {
		const numbers = phones(3 + dice.to(MOST_ROWS - 2), place * MOST_ROWS);
		this.rows = numbers.map((to, index) => ({ to, text: `T${index}`, key: `K${index}` }));
		this.items = this.rows;
		this.operation = dice.one(['send', 'sendBatch', 'sendByUrl']);
		this.isKeyed = this.operation !== 'sendByUrl' && dice.chance(50);
		this.isSub = dice.chance(20);
		this.settings = offered('Sms', this.operation, {
			concurrency: dice.one([1, 3]),
			checkBalance: false,
			...(this.isKeyed ? { onceKey: '={{ $json.key }}' } : {}),
			...(dice.chance(60) ? { failIfIncomplete: true } : {}),
			...(dice.chance(20) ? { resendUnknown: true } : {}),
		});
		this.stopped = dice.chance(20) ? numbers[0] : undefined;
		this.faulty = dice.one([0, 15, 30]);
	}

	/** Decides on a request about one of its recipients. */
	fault(number: string): FaultAction | undefined {
		if (number === this.stopped) return STOP;
		return this.dice.chance(this.faulty) ? this.dice.one(ACTIONS) : undefined;
	}

	private get parameters(): INodeParameters {
		return {
			operation: this.operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text }}',
			...placed('Sms', this.operation, this.settings),
		};
	}

	async prepare(): Promise<void> {
		const { n8n } = environment;
		if (!this.isSub) {
			const stored = await createWebhookWorkflow(n8n, this.parameters);
			this.workflowId = stored.id;
			this.post = stored.post;
			return;
		}
		const sub = await n8n.createWorkflow({
			name: 'Called',
			...inARow(called(), own('Node', 'sms', this.parameters)),
		});
		await n8n.activate(sub.id);
		this.workflowId = sub.id;
		const parent = await createWebhookWorkflow(n8n, {}, { node: calling('Node', sub.id) });
		this.post = parent.post;
		this.callerId = parent.id;
	}

	/** @throws Broken */
	async play(): Promise<void> {
		for (;;) {
			try {
				if (await this.follow()) return;
			} catch (error) {
				if (error instanceof Broken) throw error;
				// n8n was killed meanwhile: what it shows afterwards says what to do.
				this.told.push(`interrupted: ${(error as Error).message}`);
				count('interrupted');
				if (Date.now() > this.latest) this.fail('n8n never came back');
				await sleep(1_000);
				await isUp;
			}
		}
	}

	/** @returns whether nothing is left to be done */
	private async follow(): Promise<boolean> {
		const execution = await this.newest();
		this.audit(execution);
		const open = execution === undefined ? [] : openIn(execution);
		const way = this.wayOut(execution, open);
		if (this.told.length === MOST_STEPS / 2) this.faulty = 0;
		if (this.isSub && way === 'retry') await this.lookAtCaller();
		const isDone = await this.take(way, execution?.id ?? '');
		count(way);
		this.told.push(`${execution?.id} ${way} <- ${textOf(execution, open)}`);
		if (!isDone && ++this.steps > MOST_STEPS) return this.giveUp();
		return isDone;
	}

	/** Its error is that of the sub-workflow: counts how often it speaks of another execution than its own. */
	private async lookAtCaller(): Promise<void> {
		const { n8n } = environment;
		const [newest] = await n8n.listExecutions(this.callerId);
		const execution = newest && (await n8n.getExecution(newest.id));
		if (wayIn(textOf(execution, [])) === 'retry') count('caller says retry');
	}

	private async take(way: Way | 'begin' | 'done', id: string): Promise<boolean> {
		const { n8n } = environment;
		switch (way) {
			case 'begin':
			case 'again':
			case 'keys':
			case 'nothing':
				return await this.start(this.items.filter(({ to }) => to !== this.left));
			case 'repeat':
				this.settings.resendUnknown = true;
				await this.save();
				await n8n.retryExecution(id, true);
				return false;
			case 'ask':
				if (++this.asked > 2) return true;
				await n8n.retryExecution(id, true);
				return false;
			case 'retry':
				await n8n.retryExecution(id, true);
				return false;
			case 'otherKey':
				return await this.withOtherKey();
			case 'rows':
			case 'look':
				return await this.startMissing();
			default:
				return this.end();
		}
	}

	private wayOut(execution: Execution | undefined, open: IDataObject[]): Way | 'begin' | 'done' {
		if (execution === undefined) return 'begin';
		// docs/delivery.md: with a once key, the workflow is run again; without one, all are looked up.
		if (execution.status === 'crashed') return this.isKeyed ? 'keys' : 'rows';
		const text = textOf(execution, open);
		if (text.includes('Leave this number out')) this.left = this.stopped;
		const way = wayIn(text);
		// Of those with a key, only who said STOP is left.
		if (way === 'keys' && open.every(({ number }) => number === this.stopped)) return 'done';
		if (way !== 'nothing' || execution.status !== 'success') return way;
		return open.length === 0 ? 'done' : 'rows';
	}

	private async withOtherKey(): Promise<boolean> {
		const missing = this.missing();
		if (this.runsAgain++ > 0 && missing.length === 0) return this.end();
		if (this.runsAgain > 1) for (const row of missing) row.key = `${String(row.key)}'`;
		return await this.start(this.rows);
	}

	/** Runs the workflow with those only who have got nothing, as the phones show it. */
	private async startMissing(): Promise<boolean> {
		const missing = this.missing();
		return missing.length === 0 ? this.end() : await this.start(missing);
	}

	private missing(): IDataObject[] {
		return this.rows.filter((row) => receivedBy(row) === 0 && row.to !== this.stopped);
	}

	/** Posts to the webhook, and waits until it has started an execution. */
	private async start(rows: IDataObject[]): Promise<false> {
		const before = (await this.executions()).length;
		await this.post(rows);
		this.items = rows;
		for (const end = Date.now() + 60_000; Date.now() < end; await sleep(POLL))
			if ((await this.executions()).length > before) return false;
		throw new Error('No execution');
	}

	private async executions(): Promise<ExecutionSummary[]> {
		return await environment.n8n.listExecutions(this.workflowId);
	}

	/** The newest execution, ended. */
	private async newest(): Promise<Execution | undefined> {
		for (; Date.now() < this.latest; await sleep(POLL)) {
			const [newest] = await this.executions();
			if (newest === undefined) return undefined;
			if (!['new', 'running', 'unknown', 'waiting'].includes(newest.status))
				return await environment.n8n.getExecution(newest.id);
		}
		return this.fail('The newest execution never ends');
	}

	private async save(): Promise<void> {
		const { n8n } = environment;
		const { nodes } = await n8n.getWorkflow(this.workflowId);
		const edited = nodes.map((node) =>
			node.name === 'Node' ? { ...node, parameters: this.parameters } : node,
		);
		await n8n.updateWorkflow(this.workflowId, { nodes: edited });
	}

	private audit(execution: Execution | undefined): void {
		for (const row of this.rows)
			if (receivedBy(row) > 1) this.fail(`${String(row.to)} got ${receivedBy(row)}`);
		for (const { status, number } of execution?.json('Node') ?? []) {
			const got = environment.simulator.messagesTo(String(number)).length;
			const isWrong = DONE.includes(String(status))
				? got === 0
				: status !== 'unknown' && got > 0;
			if (isWrong) this.fail(`${String(number)} is ${String(status)}, and got ${got}`);
		}
	}

	private end(): true {
		const missing = this.missing();
		if (missing.length > 0) this.fail(`${missing.map(({ to }) => to).join()} left out`);
		return true;
	}

	/** Whoever said STOP can't be reached, whatever is done: nobody else may be left. */
	private giveUp(): true {
		if (this.missing().length > 0) this.fail('no way out');
		count('circle');
		return true;
	}

	private fail(what: string): never {
		const { operation, isSub, settings } = this;
		const story = `${operation}${isSub ? ' in a sub-workflow' : ''} ${JSON.stringify(settings)}`;
		throw new Broken([story, what, ...this.told].join('\n'));
	}
}

/** The recipient of a request to send, empty for another request. */
function numberIn({ target, bodyText }: RecordedRequest): string {
	return /\+3363998\d{4}/.exec(`${decodeURIComponent(target)} ${bodyText}`)?.[0] ?? '';
}

function openIn(execution: Execution): IDataObject[] {
	return execution.json('Node').filter(({ status }) => !DONE.includes(String(status)));
}

function textOf(execution: Execution | undefined, open: IDataObject[]): string {
	const { message, description } = (execution?.error ?? {}) as IDataObject;
	const advice = new Set(open.map((row) => `${String(row.reason)}: ${String(row.advice)}`));
	return [message, description, ...advice].filter(Boolean).join('\n').replaceAll('<br>', '');
}

beforeAll(async () => {
	environment = await startEnvironment({ n8n: {}, simulator: { extended: true } });
});
afterAll(async () => await environment?.close());

/** Kills n8n when so many messages more have been accepted, or none any more, and starts it again. */
async function killAfter(messages: number): Promise<void> {
	const { n8n, simulator } = environment;
	const wanted = simulator.messages.length + messages;
	let [last, since] = [-1, Date.now()];
	while (simulator.messages.length < wanted && Date.now() - since < QUIET) {
		if (simulator.messages.length !== last) since = Date.now();
		last = simulator.messages.length;
		await sleep(20);
	}
	isUp = (async () => {
		await n8n.kill('SIGKILL');
		await n8n.restart();
	})();
	await isUp;
	count('kills');
}

/** As many histories as n8n can run at once, and two kills. @returns what was broken */
async function playTogether(first: number, size: number): Promise<string[]> {
	const { simulator } = environment;
	simulator.reset();
	const persons = Array.from(
		{ length: size },
		(_, place) => new Person(new Dice(SEED + first + place), place),
	);
	const byNumber = new Map(persons.flatMap((one) => one.rows.map(({ to }) => [String(to), one])));
	const decided = new WeakMap<RecordedRequest, FaultAction | undefined>();
	const decide = (request: RecordedRequest) => {
		const number = numberIn(request);
		if (!decided.has(request)) decided.set(request, byNumber.get(number)?.fault(number));
		return decided.get(request);
	};
	// Long enough for a kill to find many of them in the middle.
	simulator.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 150 } });
	for (const action of [...ACTIONS, STOP]) {
		const match = (request: RecordedRequest) => decide(request) === action;
		simulator.faults.add({ path: SEND, times: Infinity, match, do: action });
	}
	for (let at = 0; at < size; at += 5)
		await Promise.all(persons.slice(at, at + 5).map(async (one) => await one.prepare()));
	const played = persons.map(async (one, place) => {
		try {
			await one.play();
			return [];
		} catch (error) {
			if (!(error instanceof Broken)) throw error;
			return [`SEED=${SEED}, history ${first + place}: ${error.message}`];
		}
	});
	// In the middle of the first runs, and while people recover.
	await killAfter(size * 2);
	await killAfter(size);
	const broken = (await Promise.all(played)).flat();
	await archiveWorkflows();
	report(`Histories ${first} to ${first + size - 1}`, { broken: broken.length, ...tally });
	return broken;
}

/** n8n makes the webhooks of all active workflows at each start. */
async function archiveWorkflows(): Promise<void> {
	const { rest } = environment.n8n;
	const { data } = await rest.get<Array<{ id: string; isArchived: boolean }>>('/workflows');
	for (const { id, isArchived } of data)
		if (!isArchived) await rest.post(`/workflows/${id}/archive`);
}

test(`${HISTORIES} histories in which the texts are followed, and n8n is killed`, async () => {
	const broken: string[] = [];
	for (let first = 0; first < HISTORIES; first += AT_ONCE)
		broken.push(...(await playTogether(first, Math.min(AT_ONCE, HISTORIES - first))));
	report(`A person on a real n8n, seed ${SEED}`, {
		histories: HISTORIES,
		broken: broken.length,
		...tally,
	});
	expect(broken.slice(0, 5).join('\n\n')).toBe('');
	expect(tally.kills).toBeGreaterThan(1);
	for (const way of ['retry', 'keys', 'rows', 'done']) expect(tally[way], way).toBeGreaterThan(0);
}, 14_400_000);
