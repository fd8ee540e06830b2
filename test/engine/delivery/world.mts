/** A world in which everything can go wrong: an account of the service, a workflow of n8n, and its store. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { offered, placed } from '../../harness/settings.mts';
import { startSimulator, type RecordedRequest, type Simulator } from '../../simulator/index.mts';
import {
	deduplicationStore,
	forgetModules,
	hurry,
	wires,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { SOON } from '../store.mts';
import type { Invocation } from './agent.mts';
import {
	ANSWERS,
	KEY,
	type Answer,
	type AnswerName,
	type Arrival,
	type Circumstances,
} from './answers.mts';
import {
	isTestRun,
	keyOf,
	NEW_NUMBER,
	NEW_TEXT,
	NUMBERS,
	SOMEBODY,
	tagOf,
	TEST_NUMBER,
	TEXTS,
	type Execution,
	type Operation,
	type Options,
	type ToolStep,
	type Trouble,
} from './history.mts';

/** Many histories leave a lock behind. */
const WAITS = { store: { ...SOON, longestHold: 300, silence: 330 } };

/** Finds out which item a request belongs to; undefined for those that are left alone. */
export type TagOf = (request: RecordedRequest) => string | undefined;

/** What goes wrong beside the service's answers, while something is under way. */
interface Hooks {
	plainErrors?: boolean;
	onRequest?: () => void;
	onStoreCall?: (stage: 'read' | 'written') => Promise<void>;
}

/** What came of an execution. */
export interface Ending extends Circumstances {
	/** Of the last try; undefined where n8n was killed. */
	result?: RunResult;
}

const SENDING = /\/messages\/send$/;
/** More than can be used up. */
export const CREDITS = 1_000_000;
const DATES = { none: '', May: '2031-05-05T10:00:00', June: '2031-06-06T10:00:00' };
let worlds = 0;

/** One account of the service, one workflow of n8n, and what goes wrong with both. */
export class World {
	/** The requests to send that nobody has taken yet, in order. */
	readonly arrivals: Arrival[] = [];
	/** Answers that are still to come, by tag. */
	readonly plan = new Map<string, AnswerName[]>();
	/** Undefined while nothing is under way that may send. */
	hooks?: Hooks;
	workflowId = '';
	/** Calls of the store that it has not answered yet. */
	storeCalls = 0;
	/** The same for n8n's HTTP client: not all of them have arrived. */
	private outgoing = 0;
	private current?: Arrival;
	private ignored?: RecordedRequest;

	private constructor(
		readonly sim: Simulator,
		/** By default, of messages. */
		public tagOf: TagOf,
	) {}

	static async start(): Promise<World> {
		hurry(WAITS);
		const world = new World(
			await startSimulator({ apiKey: KEY, extended: true }),
			tagOfMessage,
		);
		world.listen();
		world.reset();
		return world;
	}

	async close(): Promise<void> {
		wires.delete(this.sim.baseUrl);
		await this.sim.close();
	}

	get credential() {
		return { baseUrl: this.sim.baseUrl, apiKey: KEY };
	}

	/** A new account and a new workflow. */
	reset(): void {
		this.sim.reset();
		this.arrivals.length = 0;
		this.plan.clear();
		this.hooks = undefined;
		this.storeCalls = 0;
		deduplicationStore.locks.delete(`${this.workflowId}/`);
		deduplicationStore.rows.delete(`${this.workflowId}/under-test`);
		byWorkflow.delete(this.workflowId);
		this.workflowId = `workflow-${++worlds}`;
		byWorkflow.set(this.workflowId, this);
		for (const [name, { do: action }] of Object.entries<Answer>(ANSWERS)) {
			if (action === undefined) continue;
			this.sim.faults.add({
				times: Infinity,
				match: (request) => this.answerTo(request) === name,
				do: action,
			});
		}
	}

	/**
	 * Everything that was under way has ended. What n8n gave up arrives one turn after the other: the service
	 * accepts one connection in each.
	 */
	async quiet(): Promise<void> {
		let [still, seen] = [0, -1];
		while (still < 3) {
			await new Promise((resolve) => setTimeout(resolve, 1));
			const { inFlight, requestCount } = this.sim;
			const underWay = this.outgoing + inFlight + this.storeCalls;
			still = underWay === 0 && requestCount === seen ? still + 1 : 0;
			seen = requestCount;
		}
	}

	takeArrivals(): Arrival[] {
		return this.arrivals.splice(0);
	}

	/** What the store knows of the workflow. */
	get entries(): string[] {
		return deduplicationStore.rows.get(`${this.workflowId}/under-test`) ?? [];
	}

	/** What is under way meanwhile may send. */
	async during<T>(hooks: Hooks, work: () => Promise<T>): Promise<T> {
		this.hooks = hooks;
		try {
			return await work();
		} finally {
			this.hooks = undefined;
			// What is left over in the loop of events gets its turn.
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** Executes the workflow while all of this goes wrong. */
	async execute(
		{ stop, store, secret, ...trouble }: Trouble,
		start: (options: Pick<RunOptions, 'onStart' | 'onSecret'>) => Promise<RunResult>,
	): Promise<Ending> {
		let [cancelled, isDead, storeFailed, secretFailed] = [false, false, false, false];
		let [requests, storeCalls, secrets] = [0, 0, 0];
		let cancel = () => {};
		let die = () => {};
		const death = new Promise<undefined>((resolve) => (die = () => resolve(undefined)));
		const stopAt = (at: 'request' | 'store', count: number) => {
			if (stop?.at !== at || stop.count !== count) return;
			cancelled = true;
			cancel();
		};
		/** The process that waits for an answer is no more. */
		const hang = async () => {
			this.storeCalls--;
			await new Promise(() => {});
		};
		const hooks: Hooks = {
			plainErrors: trouble.plainErrors,
			onRequest: () => stopAt('request', ++requests),
			async onStoreCall(stage) {
				if (isDead) await hang();
				if (stage === 'read') stopAt('store', ++storeCalls);
				if (trouble.storeIsLate) await new Promise((resolve) => setTimeout(resolve, 1));
				if (store === null || store.stage !== stage) return;
				if (store.forever ? storeCalls < store.at : storeCalls !== store.at) return;
				storeFailed = true;
				if (!store.kill) throw new Error('database is locked');
				// Nothing more of it reaches the service or the store.
				isDead = true;
				die();
				cancel();
				await hang();
			},
		};
		this.sim.service.setCredits(trouble.credits ?? CREDITS);
		const result = await this.during(hooks, async () => {
			const running = start({
				onStart(stopIt) {
					cancel = stopIt;
					if (stop?.count === 0) setImmediate(() => stopAt(stop.at, 0));
				},
				onSecret() {
					if (secret === null || ++secrets < secret.at) return;
					if (secrets > secret.at && !secret.forever) return;
					secretFailed = true;
					throw new Error('The secret could not be had');
				},
			});
			const outcome = await Promise.race([running, death]);
			if (cancelled || outcome === undefined) await this.quiet();
			return outcome;
		});
		if (result === undefined) {
			// A new process.
			forgetModules();
			hurry(WAITS);
		}
		const interrupted = cancelled || result === undefined || result.run.status === 'canceled';
		return { result, interrupted, storeFailed, secretFailed, arrivals: this.takeArrivals() };
	}

	/** The workflow of an execution, and what goes into it. */
	workflowOf({ id, operation, options, runs }: Execution): RunOptions {
		const byUrl = operation === 'sendByUrl';
		const tag = tagOf(id, '{{ $runIndex }}', '{{ $itemIndex }}');
		const sender = options.sender === 'none' ? {} : { sender: options.sender };
		const settings: IDataObject = {
			...(byUrl ? { sender: `=${options.sender === 'Store' ? 'y' : 'x'}${tag}` } : sender),
			campaignName: `=x${tag}`,
			...(options.category === 'none' ? {} : { category: options.category }),
			...(options.hours === 'any' || byUrl ? {} : hoursOf(options.hours)),
			...(options.date === 'none' ? {} : { date: DATES[options.date] }),
			resendUnknown: options.resendUnknown,
			skipDuplicates: options.skipDuplicates,
			unsupportedCharacters: options.unsupported,
			concurrency: options.concurrency,
			...(options.onceKeys ? { onceKey: '={{ $json.key }}' } : {}),
			skipBlacklisted: options.skipBlacklisted,
			invalidItems: options.invalidItems,
			checkBalance: options.balance,
			dryRun: options.trial === 'dry',
		};
		const number = options.noNobody
			? `($json.to === 'nobody' ? '${SOMEBODY}' : $json.to)`
			: '$json.to';
		const inputs = runs.map((list) =>
			list.map(({ to, text, key }) => ({
				to: NUMBERS[to],
				text: TEXTS[text],
				key: keyOf(key),
			})),
		);
		return {
			node: 'Sms',
			workflowId: this.workflowId,
			remembers: worlds % 2 === 1,
			parameters: {
				operation,
				number: corrected(number, options.newNumberOf, NEW_NUMBER),
				message: corrected('$json.text', options.newTextOf, NEW_TEXT),
				...placed('Sms', operation, offered('Sms', operation, settings)),
			} as INodeParameters,
			items: inputs[0],
			furtherRuns: inputs.slice(1),
			credential: {
				...this.credential,
				...(isTestRun(options)
					? { manualRuns: options.trial, testNumber: TEST_NUMBER }
					: {}),
			},
			settings: { onError: options.onError, ...retrying(options.tries) },
		};
	}

	/** The same for an agent that uses the node as a tool; without the calls. */
	toolOf({ operation, tries }: ToolStep, tag: string): Omit<Invocation, 'calls'> {
		return {
			node: 'Sms',
			parameters: {
				operation,
				number: "={{ $fromAI('number', 'To', 'string') }}",
				message: "={{ $fromAI('message', 'Text', 'string') }}",
				...placed('Sms', operation, {
					[operation === 'sendByUrl' ? 'sender' : 'campaignName']: `x${tag}`,
				}),
			},
			settings: retrying(tries),
			credential: this.credential,
			workflowId: this.workflowId,
		};
	}

	private listen(): void {
		const { service } = this.sim;
		const accept = service.accept.bind(service);
		// Called in the same tick in which the faults of a request are looked up.
		service.accept = (input) => {
			const message = accept(input);
			if (this.current && message.campaignId === undefined) this.current.message = message;
			return message;
		};
		wires.set(this.sim.baseUrl, async (_request, make) => {
			this.outgoing++;
			try {
				return await (this.hooks?.plainErrors ? plainly(make) : make());
			} finally {
				this.outgoing--;
			}
		});
	}

	/** How much of everything the service holds. */
	private memory(): string {
		const { lists, campaigns, messages } = this.sim.service;
		let [columns, contacts] = [0, 0];
		for (const list of lists.values()) {
			columns += list.fields.length;
			contacts += list.contacts.length;
		}
		const stopped = this.sim.service.blacklist('unsubscribers').size;
		return `${stopped} ${lists.size} ${columns} ${contacts} ${campaigns.size} ${messages.length}`;
	}

	private answerTo(request: RecordedRequest): AnswerName | undefined {
		if (this.current?.request === request) return this.current.answer;
		if (this.ignored === request) return undefined;
		const tag = this.tagOf(request);
		if (tag === undefined) {
			this.ignored = request;
			return undefined;
		}
		const answer = this.plan.get(tag)?.shift() ?? 'ok';
		const isLate = this.hooks === undefined;
		const { inFlight } = this.sim;
		const arrival: Arrival = { request, tag, answer, changed: false, isLate, inFlight };
		this.current = arrival;
		this.arrivals.push(arrival);
		const before = this.memory();
		// The service carries a request out in the same tick.
		queueMicrotask(() => (arrival.changed = this.memory() !== before));
		this.hooks?.onRequest?.();
		return answer;
	}
}

const byWorkflow = new Map<string, World>();
deduplicationStore.onCall = async ({ workflowId }, stage) => {
	const world = byWorkflow.get(workflowId);
	if (world === undefined) return;
	if (stage === 'read') world.storeCalls++;
	try {
		await world.hooks?.onStoreCall?.(stage);
	} catch (error) {
		world.storeCalls--;
		throw error;
	}
	if (stage === 'written') world.storeCalls--;
};

/** Errors of n8n's HTTP client reach the nodes as plain Errors, as on n8n 1.123. */
async function plainly(make: () => Promise<unknown>): Promise<unknown> {
	let answer: unknown;
	try {
		answer = await make();
	} catch (error) {
		throw new Error((error as Error).message);
	}
	const { body, headers } = answer as { body: unknown; headers: Record<string, string> };
	if (typeof body === 'string' && headers['content-type']?.includes('json')) {
		throw new Error('Unexpected end of JSON input');
	}
	return answer;
}

/** The test writes it into the campaign name, or into the sender of the URL form (interface document 4.3). */
function tagOfMessage({ method, path, query, bodyText }: RecordedRequest): string | undefined {
	if (!SENDING.test(path)) return undefined;
	if (method === 'GET') return (query.get('sender') ?? '').slice(1);
	return ((JSON.parse(bodyText) as { campaignName?: string }).campaignName ?? '').slice(1);
}

/** An hour or more in which messages may leave: now, or in some hours. */
function hoursOf(when: 'now' | 'later'): IDataObject {
	const begin = new Date(Date.now() + (when === 'now' ? -30 : 300) * 60_000);
	const end = new Date(begin.getTime() + 3_600_000);
	const clock = (time: Date) =>
		time.toLocaleTimeString('en-GB', { timeZone: 'Europe/Paris' }).slice(0, 5);
	const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
	return {
		allowedHours: { hours: { from: clock(begin), to: clock(end), days, holidays: false } },
	};
}

function corrected(value: string, item: number | undefined, by: string): string {
	return item === undefined
		? `={{ ${value} }}`
		: `={{ $itemIndex === ${item} ? '${by}' : ${value} }}`;
}

/** n8n's Retry On Fail. */
export function retrying(tries: number): Partial<INode> {
	return { retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1 };
}

/** The options with which an operation runs: without those that it doesn't have. */
export function optionsFor(operation: Operation, options: Options): Options {
	const has = (setting: string) => setting in offered('Sms', operation, { [setting]: true });
	return {
		...options,
		onceKeys: has('onceKey') && options.onceKeys,
		skipBlacklisted: has('skipBlacklisted') && options.skipBlacklisted,
		trial: options.trial === 'dry' && !has('dryRun') ? 'none' : options.trial,
	};
}
