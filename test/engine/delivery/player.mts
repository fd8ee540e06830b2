/**
 * Plays a history against the simulator through n8n's engine, and holds what is reported against what
 * the service accepted, after every step. What must hold is written from the design (guarantees 1 to 5
 * and 8) and of what users read of test runs (docs/delivery.md), not from the code.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { offered, placed } from '../../harness/settings.mts';
import {
	deduplicationStore,
	forgetModules,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { invokeTool, type Call } from './agent.mts';
import {
	NO_TROUBLE,
	NUMBERS,
	TEXTS,
	type History,
	type Item,
	type Operation,
	type Options,
	type RetryStep,
	type RunStep,
	type ToolStep,
	type Trouble,
} from './history.mts';
import {
	ANSWERS,
	hurry,
	keyIn,
	listedIn,
	storedReceipts,
	type Arrival,
	type World,
} from './support.mts';

/** What must not happen. */
export class Violation extends Error {
	constructor(message: string) {
		super(message);
		this.name = 'Violation';
	}
}

/** An execution with its retries: one intention of a user for each of its items. */
interface Lineage {
	id: number;
	operation: Operation;
	runs: Item[][];
	options: Options;
	/** The options of the runs in a loop that have come to their end: a retry doesn't repeat these. */
	ended: Options[];
	/** Of the last try. */
	result?: RunResult;
	/** n8n was killed: there is nothing to be retried. */
	lost?: boolean;
	/** Messages for which there was something that leaves open whether they went out. */
	doubtful: Set<string>;
}

/** One item of one run of the node. */
interface Slot {
	run: number;
	item: number;
	tag: string;
	number: string;
	text: string;
	/** Recipient and text; undefined for what can't be sent. */
	message?: string;
	/** The same as it may arrive: in a test run, the recipient is the test number. */
	goes?: string;
	key?: string;
}

/** What the service accepted, also what went to the test number: that is another message. */
interface Acceptance {
	slot: string;
	lineage: number;
	/** Counts the executions, retries included. */
	step: number;
	message: string;
	key?: string;
	date?: number;
	snapshotId: string;
	/** The node can't but know that it was accepted. */
	known: boolean;
	/** The same, for the store of once keys. */
	keyKnown: boolean;
}

/** What is said of an item. */
interface Report {
	status: string;
	snapshotId?: string;
	/** It says that it is of a test run. */
	test: boolean;
	number?: string;
	wouldSendTo?: string;
	said: string;
}

const LONGEST = 10_000;
const DATES = { none: '', May: '2031-05-05T10:00:00', June: '2031-06-06T10:00:00' };
const NEW_TEXT = 'Corrected';
const NEW_NUMBER = '+33639980009';
const SOMEBODY = '+33639980008';
const TEST_NUMBER = '+33639980007';

export interface Tally {
	executions: number;
	accepted: number;
	unknown: number;
}

/** @throws Violation */
export async function play(world: World, history: History, tally: Tally): Promise<void> {
	await new Player(world, tally).play(history);
}

class Player {
	private readonly lineages: Lineage[] = [];
	private readonly acceptances: Acceptance[] = [];
	private readonly doubtfulKeys = new Set<string>();
	/** Recipients who said STOP, now and at some time. */
	private readonly stopped = new Set<string>();
	private readonly everStopped = new Set<string>();
	private seen = 0;
	private step = 0;
	/** Whether something may send now. */
	private active = 0;
	private problem?: Violation;

	constructor(
		private readonly world: World,
		private readonly tally: Tally,
	) {
		world.reset();
	}

	async play(history: History): Promise<void> {
		for (const step of history) {
			switch (step.kind) {
				case 'run':
					await this.run(step);
					break;
				case 'retry':
					await this.retry(step);
					break;
				case 'together':
					await this.together(step.runs);
					break;
				case 'tool':
					await this.invoke(step);
					break;
				case 'STOP':
					this.world.sim.stop(NUMBERS[step.from]);
					this.stopped.add(canonical(NUMBERS[step.from]));
					this.everStopped.add(canonical(NUMBERS[step.from]));
			}
		}
		await this.finish();
	}

	// Steps

	private async run(step: RunStep): Promise<void> {
		await this.execute(this.begin(step), step.trouble, (options) => runNode(options));
	}

	/** What a trial leaves alone. */
	private written(): { messages: number; keys: string } {
		const entries = deduplicationStore.rows.get(`${this.world.workflowId}/under-test`) ?? [];
		// What an earlier execution could not take out again: the key is unknown with it as it is without.
		const asked = entries.filter((entry) => entry.startsWith('sms:1:asked:'));
		const left = new Set(
			asked.flatMap((entry) => [
				entry,
				...['sent', '2', '3', '4'].map((what) => entry.replace('asked', what)),
			]),
		);
		const keys = entries.filter((entry) => !left.has(entry));
		const real = this.world.sim.messages.filter(({ number }) => number !== TEST_NUMBER);
		return { messages: real.length, keys: keys.join() };
	}

	private checkTrial(
		{ id, options: { trial } }: Lineage,
		{ store, stop }: Trouble,
		before: ReturnType<Player['written']>,
	): void {
		if (trial === 'none') return;
		const after = this.written();
		if (after.messages !== before.messages) {
			throw new Violation(`${id} is a trial, and texts real recipients`);
		}
		// A dry run asks the store, which can't be done without writing: where that fails in the middle,
		// what was written to ask can stay, and is in doubt. A test run has nothing to do with the store.
		const isSure = trial !== 'dry' || (store === null && stop === null);
		if (isSure && after.keys !== before.keys) {
			throw new Violation(`${id} is a trial, and writes keys: ${after.keys}`);
		}
	}

	private begin({ operation, items, loop, options }: RunStep): Lineage {
		const has = (setting: string) => setting in offered('Sms', operation, { [setting]: true });
		const lineage: Lineage = {
			id: this.lineages.length + 1,
			operation,
			runs: loop === null ? [items] : [items, loop],
			options: {
				...options,
				onceKeys: has('onceKey') && options.onceKeys,
				skipBlacklisted: has('skipBlacklisted') && options.skipBlacklisted,
				trial: options.trial === 'dry' && !has('dryRun') ? 'none' : options.trial,
			},
			ended: [],
			doubtful: new Set(),
		};
		this.lineages.push(lineage);
		for (const [run, list] of lineage.runs.entries()) {
			for (const [item, { answers }] of list.entries()) {
				this.world.plan.set(tagOf(lineage, run, item), [...answers]);
			}
		}
		return lineage;
	}

	private retryable(): Lineage[] {
		return this.lineages
			.filter(
				({ result, lost }) =>
					!lost &&
					result !== undefined &&
					result.run.status !== 'success' &&
					result.data.executionData!.nodeExecutionStack.length > 0 &&
					!isRenumbered(result),
			)
			.reverse();
	}

	private async retry({ of, corrections, answers, trouble }: RetryStep): Promise<void> {
		const candidates = this.retryable();
		const lineage = candidates[of % Math.max(1, candidates.length)];
		if (lineage === undefined) return;
		for (const [run, list] of lineage.runs.entries()) {
			for (const item of list.keys()) {
				this.world.plan.set(tagOf(lineage, run, item), [...(answers[item] ?? [])]);
			}
		}
		await this.tryAgain(lineage, corrections, trouble);
	}

	private async tryAgain(
		lineage: Lineage,
		corrections: Partial<Options> | null,
		trouble: Trouble,
	): Promise<void> {
		const failed = lineage.result!;
		const before = this.optionsOf(lineage);
		if (corrections !== null) lineage.options = { ...lineage.options, ...corrections };
		await this.execute(lineage, trouble, ({ onStart, onSecret }) =>
			retryExecution(
				failed,
				{ ...before, onStart, onSecret },
				corrections === null ? undefined : this.optionsOf(lineage),
			),
		);
	}

	/** What can't be done to two executions at once is left out: stops, stores, secrets. */
	private async together(steps: [RunStep, RunStep]): Promise<void> {
		const lineages = steps.map((step) => this.begin(step));
		this.active++;
		try {
			const most = lineages.reduce((sum, { options }) => sum + options.concurrency, 0);
			this.watch(most);
			const results = await Promise.all(
				lineages.map((lineage) => this.inTime(runNode(this.optionsOf(lineage)))),
			);
			for (const [index, lineage] of lineages.entries()) {
				lineage.result = results[index];
				this.note(lineage, results[index]);
			}
		} finally {
			this.active--;
			this.world.hooks = {};
		}
		this.tally.executions += 2;
		await breath();
		for (const lineage of lineages) {
			this.settleDoubts(lineage, NO_TROUBLE, { interrupted: false, storeFailed: false });
		}
		this.account(lineages, { interrupted: false, storeFailed: false });
		const keys = new Set(lineages.flatMap((one) => this.slotsOf(one)).map(({ key }) => key));
		// One of them can't know what became of the other's message with the same key.
		for (const key of keys) if (key !== undefined) this.doubtfulKeys.add(key);
		for (const lineage of lineages) this.check(lineage, { inParallel: keys });
	}

	private async execute(
		lineage: Lineage,
		trouble: Trouble,
		start: (options: RunOptions) => Promise<RunResult>,
	): Promise<void> {
		const { world } = this;
		const before = this.written();
		let cancelled = false;
		let isDead = false;
		let killed: () => void = () => {};
		const kill = new Promise<'killed'>((resolve) => (killed = () => resolve('killed')));
		let cancel = () => {};
		let requests = 0;
		let storeCalls = 0;
		let secrets = 0;
		let storeFailed = false;
		const stopAt = (at: 'request' | 'store', count: number) => {
			if (trouble.stop?.at !== at || trouble.stop.count !== count) return;
			cancelled = true;
			cancel();
		};
		world.sim.service.setCredits(trouble.credits ?? 1_000_000);
		world.plainErrors = trouble.plainErrors;
		this.watch(lineage.options.concurrency, () => stopAt('request', ++requests));
		world.hooks.onStoreCall = async (stage) => {
			if (isDead) {
				world.storeCalls--;
				await new Promise(() => {});
			}
			if (stage === 'read') stopAt('store', ++storeCalls);
			if (trouble.storeIsLate) await new Promise((resolve) => setTimeout(resolve, 1));
			const { store } = trouble;
			if (store === null || store.stage !== stage) return;
			if (store.forever ? storeCalls < store.at : storeCalls !== store.at) return;
			storeFailed = true;
			if (!store.kill) throw new Error('database is locked');
			world.storeCalls--;
			// Nothing more of it reaches the service or the store.
			isDead = true;
			killed();
			cancel();
			await new Promise(() => {});
		};
		this.active++;
		let outcome: RunResult | 'killed';
		try {
			const running = start({
				...this.optionsOf(lineage),
				onStart: (stop) => {
					cancel = stop;
					if (trouble.stop?.count === 0) setImmediate(() => stopAt(trouble.stop!.at, 0));
				},
				onSecret: () => {
					const { secret } = trouble;
					if (secret === null || ++secrets < secret.at) return;
					if (secrets === secret.at || secret.forever) {
						throw new Error('The secret could not be had');
					}
				},
			});
			outcome = await this.inTime(Promise.race([running, kill]));
			if (cancelled || outcome === 'killed') await world.quiet();
		} finally {
			this.active--;
			world.hooks = {};
			world.plainErrors = false;
		}
		this.tally.executions++;
		await breath();
		if (outcome === 'killed') {
			// A new process.
			forgetModules();
			hurry();
			lineage.lost = true;
		} else {
			lineage.result = outcome;
			cancelled ||= outcome.run.status === 'canceled';
		}
		const interrupted = cancelled || outcome === 'killed';
		this.settleDoubts(lineage, trouble, { interrupted, storeFailed });
		this.account([lineage], { interrupted, storeFailed });
		this.checkTrial(lineage, trouble, before);
		if (outcome !== 'killed') this.note(lineage, outcome);
		if (outcome !== 'killed') this.check(lineage, { interrupted });
	}

	/** n8n repeats the run that failed, and none before it. */
	private note(lineage: Lineage, { run: { status }, runs }: RunResult): void {
		for (const [index, { failed }] of runs.entries()) {
			const repeated = failed && index === runs.length - 1 && status !== 'success';
			if (!repeated) lineage.ended[index] ??= lineage.options;
		}
	}

	private watch(concurrency: number, onRequest: () => void = () => {}): void {
		const { sim, hooks } = this.world;
		hooks.onRequest = ({ tag }) => {
			if (this.active === 0) {
				this.problem ??= new Violation(`${tag} was sent after its execution had ended`);
			}
			if (sim.inFlight > concurrency) {
				this.problem ??= new Violation(
					`${sim.inFlight} requests under way, at most ${concurrency} are allowed`,
				);
			}
			onRequest();
		};
	}

	private async inTime<T>(work: Promise<T>): Promise<T> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new Violation('The execution never ends')), LONGEST);
		});
		try {
			return await Promise.race([work, late]);
		} finally {
			clearTimeout(timer);
		}
	}

	private async invoke({ operation, calls: list, tries, plainErrors }: ToolStep): Promise<void> {
		const { world } = this;
		const id = this.lineages.length + 1;
		const tag = `${id}r0i0`;
		// Takes the number of a lineage, but has nothing that could be retried.
		this.lineages.push({
			id,
			operation,
			runs: [],
			options: {} as Options,
			ended: [],
			lost: true,
			doubtful: new Set(),
		});
		const starts: number[] = [];
		const calls = list.map(({ to, text, answers }): Call => {
			const input = { number: NUMBERS[to], message: TEXTS[text] };
			return {
				input,
				before() {
					starts.push(world.arrivals.length);
					world.plan.set(tag, [...answers]);
				},
			};
		});
		world.sim.service.setCredits(1_000_000);
		world.plainErrors = plainErrors;
		this.active++;
		let stored: string;
		try {
			this.watch(1);
			stored = await this.inTime(
				invokeTool({
					node: 'Sms',
					parameters: {
						operation,
						number: "={{ $fromAI('number', 'To', 'string') }}",
						message: "={{ $fromAI('message', 'Text', 'string') }}",
						...placed('Sms', operation, {
							[operation === 'sendByUrl' ? 'sender' : 'campaignName']: `x${tag}`,
						}),
					},
					settings: { retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1 },
					credential: world.credential,
					workflowId: world.workflowId,
					calls,
				}),
			);
		} finally {
			this.active--;
			world.hooks = {};
			world.plainErrors = false;
		}
		this.tally.executions++;
		await breath();
		this.raise();
		this.seen = world.arrivals.length;
		starts.push(world.arrivals.length);
		if (keyIn(stored)) throw new Violation(`The API key is stored: ${keyIn(stored)}`);
		this.checkCalls(list, calls, starts);
	}

	private checkCalls(list: Item[], calls: Call[], starts: number[]): void {
		/** Messages that may have gone out, so that an equal one can't be told from a repetition. */
		const open = new Set<string>();
		for (const [index, call] of calls.entries()) {
			const own = this.world.arrivals.slice(starts[index], starts[index + 1]);
			const accepted = own.filter(({ message }) => message !== undefined);
			const wanted = `${canonical(NUMBERS[list[index].to])} ${plain(TEXTS[list[index].text])}`;
			const heard = `${call.answer ?? ''} ${call.error?.message ?? ''}`;
			const name = `call ${index} of the agent (${wanted})`;
			this.tally.accepted += accepted.length;
			if (keyIn(heard)) throw new Violation(`${name} hears the API key: ${heard}`);
			for (const { message } of accepted) {
				if (`${message!.number} ${message!.text}` !== wanted) {
					throw new Violation(`${name} sent something else`);
				}
			}
			if (accepted.length > 1)
				throw new Violation(`${name} was sent ${accepted.length} times`);
			if (accepted.length > 0 && open.has(wanted)) {
				throw new Violation(`${name} was sent again, though the first may have gone out`);
			}
			if (/retry the request/i.test(heard)) {
				throw new Violation(`${name} is told to retry: ${heard}`);
			}
			const [sent] = accepted;
			const stopped = this.stopped.has(canonical(NUMBERS[list[index].to]));
			if (sent !== undefined && isKnown(sent)) {
				if (!heard.includes(sent.message!.snapshotId)) {
					throw new Violation(`${name} was accepted, but the agent hears: ${heard}`);
				}
			} else if (own.some(isDoubtful)) {
				open.add(wanted);
				if (!/unknown/i.test(heard)) {
					throw new Violation(`${name} may have gone out, but the agent hears: ${heard}`);
				}
			} else if (own.length === 0 && !open.has(wanted) && !stopped) {
				throw new Violation(`${name} was never tried; the agent hears: ${heard}`);
			}
		}
	}

	// The node as it is set

	private optionsOf(lineage: Lineage): RunOptions {
		const { id, operation, options, runs } = lineage;
		const byUrl = operation === 'sendByUrl';
		const tag = `${id}r{{ $runIndex }}i{{ $itemIndex }}`;
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
			lookUpUnknown: options.lookUp,
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
				key: `order ${key}`,
			})),
		);
		return {
			node: 'Sms',
			workflowId: this.world.workflowId,
			parameters: {
				operation,
				number: corrected(number, options.newNumberOf, NEW_NUMBER),
				message: corrected('$json.text', options.newTextOf, NEW_TEXT),
				...placed('Sms', operation, offered('Sms', operation, settings)),
			} as INodeParameters,
			items: inputs[0],
			furtherRuns: inputs.slice(1),
			credential: {
				...this.world.credential,
				...(['preview', 'testNumber'].includes(options.trial)
					? { manualRuns: options.trial, testNumber: TEST_NUMBER }
					: {}),
			},
			settings: {
				onError: options.onError,
				retryOnFail: options.tries > 1,
				maxTries: options.tries,
				waitBetweenTries: 1,
			},
		};
	}

	private slotsOf(lineage: Lineage): Slot[] {
		return lineage.runs.flatMap((list, run) => {
			const options = lineage.ended[run] ?? lineage.options;
			return list.map((given, item): Slot => {
				let number = canonical(NUMBERS[given.to]);
				if (number === 'nobody' && options.noNobody) number = SOMEBODY;
				if (options.newNumberOf === item) number = NEW_NUMBER;
				const text = options.newTextOf === item ? NEW_TEXT : TEXTS[given.text];
				const valid =
					number !== 'nobody' &&
					!(options.unsupported === 'reject' && text !== plain(text));
				const key = options.onceKeys ? `order ${given.key}` : undefined;
				const tag = tagOf(lineage, run, item);
				const message = valid ? `${number} ${plain(text)}` : undefined;
				const goes =
					options.trial === 'testNumber' && valid
						? `${TEST_NUMBER} ${plain(text)}`
						: message;
				return { run, item, tag, number, text: plain(text), message, goes, key };
			});
		});
	}

	// What happened

	/** Notes what may have been sent though nobody can say so. */
	private settleDoubts(
		lineage: Lineage,
		{ secret }: Trouble,
		{ interrupted, storeFailed }: { interrupted: boolean; storeFailed: boolean },
	): void {
		const fresh = this.world.arrivals.slice(this.seen);
		for (const slot of this.slotsOf(lineage)) {
			const own = fresh.filter(({ tag }) => tag === slot.tag);
			// Where n8n can't read the credential, its error says nothing about what was sent.
			// A call of the store that failed may have been written, which makes what was sent unknown.
			if (storeFailed && slot.key !== undefined) this.forgetKey(slot.key);
			const doubt = interrupted || storeFailed || secret !== null || own.some(isDoubtful);
			if (doubt && slot.goes) lineage.doubtful.add(`${slot.tag} ${slot.goes}`);
			// A test run claims no key: it leaves none in doubt.
			if (doubt && slot.key && !isTestRun(lineage.options)) this.doubtfulKeys.add(slot.key);
		}
	}

	private forgetKey(key: string): void {
		for (const acceptance of this.acceptances) {
			if (acceptance.key === key) acceptance.keyKnown = false;
		}
	}

	/** Nobody got two of the same (guarantee 4), and nothing but what was meant. */
	private account(
		lineages: Lineage[],
		{ interrupted, storeFailed }: { interrupted: boolean; storeFailed: boolean },
	): void {
		const fresh = this.world.arrivals.slice(this.seen);
		this.seen = this.world.arrivals.length;
		this.step++;
		this.raise();
		const slots = new Map(
			lineages.flatMap((lineage) =>
				this.slotsOf(lineage).map((slot) => [slot.tag, { slot, lineage }] as const),
			),
		);
		/** The one item of each run that goes to the test number. */
		const onTrial = new Map<string, string>();
		for (const arrival of fresh) {
			const { message: sent, tag } = arrival;
			const found = slots.get(tag);
			if (found === undefined) throw new Violation(`${tag} was sent, which nobody asked for`);
			const { slot, lineage } = found;
			const { trial } = lineage.ended[slot.run] ?? lineage.options;
			if (trial === 'dry' || trial === 'preview') {
				throw new Violation(`${tag} is only to be shown, and asks the service to send`);
			}
			if (trial === 'testNumber') {
				const run = `${lineage.id}r${slot.run}`;
				const first = onTrial.get(run) ?? tag;
				if (first !== tag) throw new Violation(`${tag} is sent on trial after ${first}`);
				onTrial.set(run, tag);
			}
			if (sent === undefined) continue;
			const message = `${sent.number} ${sent.text}`;
			if (message !== slot.goes) {
				throw new Violation(`${tag} is ${slot.goes}, but ${message} was sent`);
			}
			this.tally.accepted++;
			const { resendUnknown, skipDuplicates } = lineage.options;
			// The same text at another time is a reminder, not a duplicate.
			const earlier = this.acceptances.filter(
				(one) =>
					one.message === message &&
					(one.slot === tag ||
						(skipDuplicates &&
							trial === 'none' &&
							one.lineage === lineage.id &&
							runOf(one.slot) === slot.run &&
							one.date === sent.date)),
			);
			this.refuse(earlier, resendUnknown, ({ known }) => known, `${tag} (${message})`);
			const key = trial === 'none' ? slot.key : undefined;
			if (key !== undefined) {
				const same = this.acceptances.filter((one) => one.key === key);
				this.refuse(same, resendUnknown, ({ keyKnown }) => keyKnown, `the key ${key}`);
			}
			const known = isKnown(arrival) && !interrupted;
			this.acceptances.push({
				slot: tag,
				lineage: lineage.id,
				step: this.step,
				message,
				key,
				date: sent.date,
				snapshotId: sent.snapshotId,
				known,
				keyKnown: known && !storeFailed,
			});
		}
	}

	private refuse(
		earlier: Acceptance[],
		resendUnknown: boolean,
		isCertain: (one: Acceptance) => boolean,
		what: string,
	): void {
		if (earlier.length === 0) return;
		if (!resendUnknown) throw new Violation(`${what} was sent twice`);
		if (earlier.some(isCertain)) {
			throw new Violation(
				`${what} was sent twice, though the first was known to be accepted`,
			);
		}
	}

	private raise(): void {
		if (this.problem) throw this.problem;
	}

	/** What is reported of each item is what happened. */
	private check(
		lineage: Lineage,
		{
			interrupted = false,
			inParallel = new Set(),
		}: { interrupted?: boolean; inParallel?: Set<string | undefined> },
	): void {
		const result = lineage.result!;
		const { error } = result;
		const shown = [
			JSON.stringify(result.data),
			error?.message,
			error?.description,
			error?.stack,
		].join('\n');
		if (keyIn(shown)) throw new Violation(`The API key is stored: ${keyIn(shown)}`);
		const reports = this.reportsOf(lineage, interrupted);
		const receipts = storedReceipts(result);
		const failedRun = result.runs.length - 1;
		const listed = error === undefined ? {} : listedIn(error);
		for (const { item, snapshotId } of listed.accepted ?? []) {
			const tag = tagOf(lineage, failedRun, item);
			this.checkSnapshot(lineage, tag, snapshotId, `the error lists ${tag} as accepted`);
		}
		const slots = this.slotsOf(lineage);
		for (const slot of slots) {
			const report = reports.get(slot.tag);
			// What went to the test number is told by a result of a test run, and by no other.
			const told =
				report === undefined
					? [slot.message, slot.goes]
					: [report.test ? slot.goes : slot.message];
			const own = this.acceptances.filter(
				({ slot: tag, message }) => tag === slot.tag && told.includes(message),
			);
			const name = `${slot.tag} (${slot.message ?? 'invalid'})`;
			if (report === undefined) {
				if (own.length === 0) continue;
				const isListed =
					failedRun === slot.run &&
					[...(listed.accepted ?? []), ...(listed.unknown ?? [])].some(
						({ item }) => item === slot.item,
					);
				const isTheError =
					failedRun === slot.run &&
					error?.context?.itemIndex === slot.item &&
					/unknown/i.test(error.message);
				const isStored = receipts.some(
					({ run, item, isTrial }) =>
						run === slot.run &&
						item === slot.item &&
						own.some(({ message }) => isTrial === isToTestNumber(message)),
				);
				if (!isListed && !isTheError && !isStored) {
					throw new Violation(`${name} was accepted, and nothing says so`);
				}
				const { trial, resendUnknown } = lineage.options;
				// What would be sent again is that in a test run, and nothing else.
				const isShown =
					trial === 'testNumber' && resendUnknown && own.every(({ known }) => !known);
				if (
					!interrupted &&
					listed.accepted &&
					failedRun === slot.run &&
					!isListed &&
					!isTheError &&
					!isShown
				) {
					throw new Violation(`${name} was accepted, and the error doesn't list it`);
				}
				continue;
			}
			this.checkReport(lineage, slot, slots, report, own, name, inParallel);
		}
		if (lineage.operation === 'sendBatch' && error && !interrupted) {
			const sent = this.acceptances.filter(
				({ slot, step }) =>
					step === this.step && slot.startsWith(`${lineage.id}r${failedRun}i`),
			);
			if (sent.length > 0) {
				throw new Violation(
					`The batch throws "${error.message}", though ${sent.length} messages were accepted`,
				);
			}
		}
	}

	private checkReport(
		lineage: Lineage,
		slot: Slot,
		slots: Slot[],
		report: Report,
		own: Acceptance[],
		name: string,
		inParallel: Set<string | undefined>,
	): void {
		const { status, snapshotId, said } = report;
		const options = lineage.ended[slot.run] ?? lineage.options;
		const keyTaken =
			slot.key !== undefined && this.acceptances.some(({ key }) => key === slot.key);
		const inSameRun = slots.filter(({ run, item }) => run === slot.run && item !== slot.item);
		// Also of what an item was in an earlier try, before it was corrected.
		const wasMade =
			this.acceptances.some(
				(one) =>
					one.lineage === lineage.id &&
					runOf(one.slot) === slot.run &&
					one.message === slot.message,
			) || [...lineage.doubtful].some((doubt) => doubt.endsWith(` ${slot.message}`));
		const asDuplicate =
			lineage.options.skipDuplicates &&
			(wasMade || inSameRun.some(({ message }) => message === slot.message));
		const sameKey = slot.key !== undefined && inSameRun.some(({ key }) => key === slot.key);
		const certain = own.some(({ known }) => known);
		const madeForReal = this.acceptances.filter(
			({ slot: tag, message }) => tag === slot.tag && message === slot.message,
		);
		const reported = `${name} is reported ${status} (${said})`;
		this.checkTestFields(slot, report, options, reported);
		switch (status) {
			case 'sent':
			case 'scheduled':
				this.checkSnapshot(lineage, slot.tag, snapshotId, reported, report.test);
				break;
			case 'wouldSend':
				if (options.trial === 'none') throw new Violation(`${reported}, for real`);
				if (isTestRun(options) && !report.test) {
					throw new Violation(`${reported}, without a word of the test run`);
				}
				if (madeForReal.some(({ known }) => known || !options.resendUnknown)) {
					throw new Violation(`${reported}, but it was accepted`);
				}
				break;
			case 'unknown':
				this.tally.unknown++;
				if (certain) throw new Violation(`${reported}, but its receipt arrived`);
				if (
					own.length === 0 &&
					!lineage.doubtful.has(
						`${slot.tag} ${report.test ? slot.goes : slot.message}`,
					) &&
					!(slot.key && (this.doubtfulKeys.has(slot.key) || inParallel.has(slot.key))) &&
					!asDuplicate
				) {
					throw new Violation(`${reported}, without any doubt about it`);
				}
				break;
			case 'skipped':
				if (own.length > 0 && !keyTaken && !asDuplicate) {
					throw new Violation(`${reported}, but it was accepted`);
				}
				if (
					!keyTaken &&
					!sameKey &&
					!asDuplicate &&
					!(lineage.options.skipBlacklisted && this.everStopped.has(slot.number))
				) {
					throw new Violation(`${reported}, without a reason`);
				}
				break;
			case 'refused':
			case 'notSent':
			case 'invalid':
				if (own.length > 0) throw new Violation(`${reported}, but it was accepted`);
				if (status === 'invalid' && slot.message !== undefined) {
					throw new Violation(`${reported}, but nothing is wrong with it`);
				}
				break;
			default:
				throw new Violation(`${name} has no outcome: ${said}`);
		}
	}

	/** What is told of a test run says so and to whom it would go, and nothing else does. */
	private checkTestFields(
		slot: Slot,
		{ status, test, number, wouldSendTo, said }: Report,
		options: Options,
		reported: string,
	): void {
		if (!test) return;
		if (!isTestRun(options)) throw new Violation(`${reported}, as a test run: ${said}`);
		if (canonical(wouldSendTo ?? '') !== slot.number) {
			throw new Violation(`${reported}, and would go to ${wouldSendTo}`);
		}
		const whom = status === 'wouldSend' ? slot.number : TEST_NUMBER;
		if (canonical(number ?? '') !== whom) throw new Violation(`${reported}, of ${number}`);
	}

	private checkSnapshot(
		{ id, options }: Lineage,
		tag: string,
		snapshotId: string | undefined,
		reported: string,
		test?: boolean,
	): void {
		const found = this.acceptances.find((one) => one.snapshotId === snapshotId);
		if (found === undefined) throw new Violation(`${reported}, but it was not accepted`);
		const slot = this.slotsOf(this.lineages[id - 1]).find((one) => one.tag === tag);
		const isOwn = found.slot === tag || (options.skipDuplicates && found.lineage === id);
		const isMeant = found.message === slot?.message || found.message === slot?.goes;
		if (!isOwn || !isMeant || (test !== undefined && test !== isToTestNumber(found.message))) {
			throw new Violation(
				`${reported}, but ${snapshotId} is ${found.slot} (${found.message})`,
			);
		}
	}

	/** By tag. Each input item has exactly one outcome in a run that did not fail. */
	private reportsOf(lineage: Lineage, interrupted: boolean): Map<string, Report> {
		const { result, runs, operation } = lineage;
		const reports = new Map<string, Report>();
		for (const [run, { items, errorItems, failed }] of result!.runs.entries()) {
			// n8n itself gives the input on when a node throws; an operation of ours must not let it.
			if (failed && operation !== 'sendBatch') continue;
			const outcomes = [...items, ...errorItems];
			for (const { json, pairedItem, error } of outcomes) {
				const item = (pairedItem as { item: number } | undefined)?.item ?? -1;
				const tag = tagOf(lineage, run, item);
				if (reports.has(tag)) throw new Violation(`${tag} has two outcomes`);
				const status =
					typeof json.status === 'string'
						? json.status
						: json.snapshotId !== undefined
							? 'sent'
							: 'none';
				reports.set(tag, {
					status,
					snapshotId: json.snapshotId as string | undefined,
					test: json.test === true,
					number: json.number as string | undefined,
					wouldSendTo: json.wouldSendTo as string | undefined,
					said: String(
						json.reason ?? json.error ?? error?.message ?? JSON.stringify(json),
					),
				});
			}
			if (!interrupted && !failed && outcomes.length !== runs[run].length) {
				throw new Violation(`${runs[run].length} items, but ${outcomes.length} outcomes`);
			}
		}
		return reports;
	}

	// In the end

	/** Nothing is blocked for ever: when all is well again, everything can be delivered. */
	private async finish(): Promise<void> {
		const { world } = this;
		for (const kind of ['unsubscribers', 'bounces'] as const) {
			for (const number of this.stopped) world.sim.service.removeFromBlacklist(kind, number);
		}
		this.stopped.clear();
		world.plan.clear();
		const corrections = {
			noNobody: true,
			unsupported: 'replace',
			onError: 'stopWorkflow',
		} as const;
		for (const lineage of this.retryable()) {
			await this.tryAgain(lineage, { ...corrections, resendUnknown: false }, NO_TROUBLE);
			if (lineage.result!.run.status !== 'success') {
				await this.tryAgain(lineage, { resendUnknown: true }, NO_TROUBLE);
			}
			const { error, run } = lineage.result!;
			if (run.status !== 'success' && !this.isKeyUsedUp(lineage)) {
				throw new Violation(`All is well, but ${lineage.id} fails: ${error?.message}`);
			}
		}
		await this.sweepKeys();
	}

	/**
	 * An item that is unknown stays it where another one has sent a message with its key since: nothing is
	 * left to be delivered, and nobody can say what became of the first.
	 */
	private isKeyUsedUp(lineage: Lineage): boolean {
		const { error } = lineage.result!;
		const isSaid = /This try did nothing: Sent before with the same key/.test(
			error?.message ?? '',
		);
		const keys = new Set(this.slotsOf(lineage).map(({ key }) => key));
		return isSaid && this.acceptances.some(({ key, known }) => key && known && keys.has(key));
	}

	private async sweepKeys(): Promise<void> {
		const keys = new Set(
			this.lineages
				.filter(({ options }) => options.onceKeys)
				.flatMap(({ runs }) => runs.flat().map(({ key }) => key)),
		);
		if (keys.size === 0) return;
		const sweep = async (resendUnknown: boolean) => {
			const before = new Set(this.acceptances.map(({ key }) => key));
			await this.run({
				kind: 'run',
				operation: 'sendBatch',
				items: [...keys].map((key) => ({ to: 2, text: 0, key, answers: [] })),
				loop: null,
				options: { ...PLAIN, onceKeys: true, resendUnknown },
				trouble: NO_TROUBLE,
			});
			const lineage = this.lineages.at(-1)!;
			const reports = this.reportsOf(lineage, false);
			return [...keys].map((key, item) => ({
				key: `order ${key}`,
				before: before.has(`order ${key}`),
				report: reports.get(tagOf(lineage, 0, item)),
			}));
		};
		for (const { key, report } of await sweep(false)) {
			const blocked = report?.status !== 'sent' && report?.status !== 'skipped';
			if (blocked && !this.doubtfulKeys.has(key)) {
				throw new Violation(`The key ${key} is blocked: ${report?.status} ${report?.said}`);
			}
		}
		for (const { key, report } of await sweep(true)) {
			if (!this.acceptances.some((one) => one.key === key)) {
				throw new Violation(
					`The key ${key} is never sent: ${report?.status} ${report?.said}`,
				);
			}
		}
	}
}

const PLAIN: Options = {
	resendUnknown: false,
	onceKeys: false,
	skipBlacklisted: false,
	invalidItems: 'report',
	hours: 'any',
	skipDuplicates: false,
	trial: 'none',
	lookUp: true,
	balance: true,
	concurrency: 3,
	sender: 'none',
	category: 'none',
	date: 'none',
	unsupported: 'replace',
	onError: 'stopWorkflow',
	tries: 1,
};

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

/** By the credential; a dry run is none. */
function isTestRun({ trial }: Options): boolean {
	return trial === 'testNumber' || trial === 'preview';
}

function isToTestNumber(message: string): boolean {
	return message.startsWith(`${TEST_NUMBER} `);
}

function tagOf({ id }: Pick<Lineage, 'id'>, run: number, item: number): string {
	return `${id}r${run}i${item}`;
}

function runOf(tag: string): number {
	return Number(/r(\d+)i/.exec(tag)![1]);
}

function corrected(value: string, item: number | undefined, by: string): string {
	return item === undefined
		? `={{ ${value} }}`
		: `={{ $itemIndex === ${item} ? '${by}' : ${value} }}`;
}

/** International format. */
function canonical(number: string): string {
	return number.replace(/ /g, '').replace(/^0/, '+33');
}

/** With characters that the service takes. */
function plain(text: string): string {
	return text.replace('’', "'");
}

/**
 * Stopped in a loop right after a run that failed and was continued: a retry in n8n forgets that run, though it
 * does not repeat it, and the next one gets its number. Then $runIndex, by which messages are told apart here,
 * is another one than that of the first try.
 */
function isRenumbered({ runs, data }: RunResult): boolean {
	const [next] = data.executionData!.nodeExecutionStack;
	const isNextRun = next?.source?.main[0]?.previousNodeRun === runs.length;
	return isNextRun && runs.at(-1)?.failed === true;
}

/** The receipt of this message reached n8n as it should. */
function isKnown({ message, answer, request }: Arrival): boolean {
	return (
		message !== undefined && (answer === 'ok' || answer === 'slow') && request.status === 200
	);
}

function isDoubtful({ answer }: Arrival): boolean {
	return !ANSWERS[answer].evidence;
}

/** What is left over in the loop of events gets its turn. */
async function breath(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}
