/** Executions in which everything can go wrong: an account of the service, a workflow of n8n, and its store of keys. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { offered, placed } from '../../harness/settings.mts';
import {
	startSimulator,
	type FaultAction,
	type RecordedRequest,
	type Simulator,
} from '../../simulator/index.mts';
import {
	deduplicationStore,
	forgetModules,
	hurry,
	wires,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { SOON } from '../store.mts';
import { ANSWERS, KEY, type Answer, type AnswerName, type Arrival } from './answers.mts';
import {
	keyOf,
	NEW_NUMBER,
	NEW_TEXT,
	NUMBERS,
	SOMEBODY,
	tagOf,
	TEXTS,
	type Item,
	type Operation,
	type Options,
	type Trouble,
} from './histories-steps.mts';
import { retrying } from './support.mts';

/** An execution as it is set, with the input of each run of the node. */
export interface Execution {
	id: number;
	operation: Operation;
	runs: Item[][];
	options: Options;
}

/** The end of an execution, as far as it bears on what can be known. */
export interface Ending {
	/** Of the last try; undefined where n8n was killed. */
	result?: RunResult;
	/** Its requests to send, in order. */
	arrivals: Arrival[];
	/** It was stopped, or n8n was killed. */
	interrupted: boolean;
	/** A call of the store failed, and may have been written. */
	storeFailed: boolean;
	trouble: Trouble;
}

/** Faults beside the service's answers, while an execution may send. */
interface Hooks {
	plainErrors: boolean;
	lookUps: Trouble['lookUps'];
	onRequest: () => void;
	onStoreCall: (stage: 'read' | 'written') => Promise<void>;
}

/** Many histories leave a lock behind. */
const WAITS = { store: { ...SOON, longestHold: 300, silence: 330 } };
/** More than can be used up. */
const CREDITS = 1_000_000;
const DATES = { none: '', May: '2031-05-05T10:00:00', June: '2031-06-06T10:00:00' };
/** "No message found" (interface document 2.7), and no answer of the service. */
const LOOK_UPS: Record<string, FaultAction> = {
	hide: { kind: 'json', body: {} },
	fail: { kind: 'json', status: 500, body: { code: 1000, error: 'Unknown' } },
};
let worlds = 0;
const byWorkflow = new Map<string, World>();

/** One account of the service, one workflow of n8n, and their faults. */
export class World {
	/** Answers that are still to come, by tag. */
	readonly plan = new Map<string, AnswerName[]>();
	/** The requests to send that nobody has taken yet, in order. */
	private arrivals: Arrival[] = [];
	/** Undefined while nothing may send. */
	private hooks?: Hooks;
	private workflowId = '';
	/** Calls that the store, or n8n's HTTP client, has not answered yet. */
	private pending = 0;
	private current?: Arrival;

	private constructor(readonly sim: Simulator) {}

	static async start(): Promise<World> {
		hurry(WAITS);
		const world = new World(await startSimulator({ apiKey: KEY, extended: true }));
		world.listen();
		return world;
	}

	async close(): Promise<void> {
		wires.delete(this.sim.baseUrl);
		await this.sim.close();
	}

	/** A new account and a new workflow. */
	reset(): void {
		this.sim.reset();
		this.arrivals = [];
		this.plan.clear();
		this.hooks = undefined;
		this.pending = 0;
		deduplicationStore.locks.delete(`${this.workflowId}/`);
		deduplicationStore.rows.delete(`${this.workflowId}/under-test`);
		byWorkflow.delete(this.workflowId);
		this.workflowId = `workflow-${++worlds}`;
		byWorkflow.set(this.workflowId, this);
		for (const [name, { do: action }] of Object.entries<Answer>(ANSWERS)) {
			if (action === undefined) continue;
			const match = (request: RecordedRequest) => this.answerTo(request) === name;
			this.sim.faults.add({ times: Infinity, match, do: action });
		}
		for (const [how, action] of Object.entries(LOOK_UPS)) {
			const match = () => this.hooks?.lookUps === how;
			this.sim.faults.add({
				path: /\/messages\/status$/,
				times: Infinity,
				match,
				do: action,
			});
		}
	}

	/**
	 * Waits for the end of every request. Those that n8n gave up arrive one turn after the other: the service accepts one
	 * connection in each.
	 */
	async quiet(): Promise<void> {
		let [still, seen] = [0, -1];
		while (still < 3) {
			await new Promise((resolve) => setTimeout(resolve, 1));
			const { inFlight, requestCount } = this.sim;
			const isQuiet = this.pending + inFlight === 0 && requestCount === seen;
			still = isQuiet ? still + 1 : 0;
			seen = requestCount;
		}
	}

	takeArrivals(): Arrival[] {
		return this.arrivals.splice(0);
	}

	/** Executes the workflow while all of this goes wrong. */
	async execute(
		trouble: Trouble,
		start: (options: Pick<RunOptions, 'onStart'>) => Promise<RunResult>,
	): Promise<Ending> {
		const { stop, store, credits, storeIsLate, plainErrors, lookUps } = trouble;
		let [cancelled, isDead, storeFailed] = [false, false, false];
		let [requests, storeCalls] = [0, 0];
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
			this.pending--;
			await new Promise(() => {});
		};
		this.hooks = {
			plainErrors,
			lookUps,
			onRequest: () => stopAt('request', ++requests),
			async onStoreCall(stage) {
				if (isDead) await hang();
				if (stage === 'read') stopAt('store', ++storeCalls);
				if (storeIsLate) await new Promise((resolve) => setTimeout(resolve, 1));
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
		this.sim.service.setCredits(credits ?? CREDITS);
		const onStart = (stopIt: () => void) => {
			cancel = stopIt;
			if (stop?.count === 0) setImmediate(() => stopAt(stop.at, 0));
		};
		try {
			const result = await Promise.race([start({ onStart }), death]);
			if (cancelled || result === undefined) await this.quiet();
			const interrupted =
				cancelled || result === undefined || result.run.status === 'canceled';
			const arrivals = this.takeArrivals();
			return { result, interrupted, storeFailed, arrivals, trouble };
		} finally {
			this.hooks = undefined;
			if (isDead) {
				// A new process.
				forgetModules();
				hurry(WAITS);
			}
			// The callbacks that are left over get their turn.
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** The workflow of an execution, and its input. */
	workflowOf({ id, operation, options, runs }: Execution): RunOptions {
		const byUrl = operation === 'sendByUrl';
		const tag = tagOf(id, '{{ $runIndex }}', '{{ $itemIndex }}');
		const sender = options.sender === 'none' ? {} : { sender: options.sender };
		const settings: IDataObject = {
			...(byUrl ? { sender: `=${options.sender === 'Store' ? 'y' : 'x'}${tag}` } : sender),
			campaignName: `=x${tag}`,
			...(options.category === 'none' ? {} : { category: options.category }),
			...(options.date === 'none' ? {} : { date: DATES[options.date] }),
			resendUnknown: options.resendUnknown,
			skipDuplicates: options.skipDuplicates,
			unsupportedCharacters: options.unsupported,
			concurrency: options.concurrency,
			...(options.onceKeys ? { onceKey: '={{ $json.key }}' } : {}),
			...(options.maxCredits === 0 ? {} : { maxCredits: options.maxCredits }),
			skipBlacklisted: options.skipBlacklisted,
			invalidItems: options.invalidItems,
			failIfIncomplete: options.failIfIncomplete,
			checkBalance: options.checkBalance,
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
			credential: { baseUrl: this.sim.baseUrl, apiKey: KEY },
			settings: { onError: options.onError, ...retrying(options.tries) },
		};
	}

	private listen(): void {
		const { service } = this.sim;
		const accept = service.accept.bind(service);
		// Called in the same tick in which the faults of a request are looked up.
		service.accept = (input) => {
			const message = accept(input);
			if (this.current) this.current.message = message;
			return message;
		};
		wires.set(this.sim.baseUrl, async (_request, make) => {
			this.pending++;
			try {
				return await (this.hooks?.plainErrors ? plainly(make) : make());
			} finally {
				this.pending--;
			}
		});
	}

	/** Called for each of the faults: a request is planned at the first one. */
	private answerTo(request: RecordedRequest): AnswerName | undefined {
		if (this.current?.request === request) return this.current.answer;
		const tag = tagOfMessage(request);
		if (tag === undefined) return undefined;
		const answer = this.plan.get(tag)?.shift() ?? 'ok';
		const isLate = this.hooks === undefined;
		this.current = { request, tag, answer, isLate, inFlight: this.sim.inFlight };
		this.arrivals.push(this.current);
		this.hooks?.onRequest();
		return answer;
	}

	async onStoreCall(stage: 'read' | 'written'): Promise<void> {
		if (stage === 'read') this.pending++;
		try {
			await this.hooks?.onStoreCall(stage);
		} catch (error) {
			this.pending--;
			throw error;
		}
		if (stage === 'written') this.pending--;
	}
}

deduplicationStore.onCall = async ({ workflowId }, stage) =>
	await byWorkflow.get(workflowId)?.onStoreCall(stage);

/** Errors of n8n's HTTP client reach the nodes as plain Errors, as on n8n 1.123. */
async function plainly(make: () => Promise<unknown>): Promise<unknown> {
	return await make().catch((error: Error) => {
		throw new Error(error.message);
	});
}

/** The test writes it into the campaign name, or into the sender of the URL form (interface document 4.3). */
function tagOfMessage({ method, path, query, bodyText }: RecordedRequest): string | undefined {
	if (!path.endsWith('/messages/send')) return undefined;
	if (method === 'GET') return (query.get('sender') ?? '').slice(1);
	return ((JSON.parse(bodyText) as { campaignName?: string }).campaignName ?? '').slice(1);
}

function corrected(value: string, item: number | undefined, by: string): string {
	return item === undefined
		? `={{ ${value} }}`
		: `={{ $itemIndex === ${item} ? '${by}' : ${value} }}`;
}

/** The options with which an operation runs: without those that it doesn't have. */
export function optionsFor(operation: Operation, options: Options): Options {
	const has = (setting: string) => setting in offered('Sms', operation, { [setting]: true });
	return {
		...options,
		onceKeys: has('onceKey') && options.onceKeys,
		skipBlacklisted: has('skipBlacklisted') && options.skipBlacklisted,
		maxCredits: has('maxCredits') ? options.maxCredits : 0,
		failIfIncomplete: has('failIfIncomplete') && options.failIfIncomplete,
	};
}
