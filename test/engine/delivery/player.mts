/**
 * Plays a history in a world, through n8n's engine, and has the judge look at what happened after every
 * step.
 */
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { invokeTool, type Call } from './agent.mts';
import type { AnswerName } from './answers.mts';
import {
	NO_TROUBLE,
	NUMBERS,
	PLAIN,
	tagOf,
	TEXTS,
	type History,
	type Item,
	type Options,
	type RetryStep,
	type RunStep,
	type Step,
	type ToolStep,
	type Trouble,
} from './history.mts';
import { checkArrivals, inTime, Judge, type Tally } from './judge.mts';
import { Model, type Lineage } from './model.mts';
import { retryable } from './support.mts';
import { CREDITS, optionsFor, type World } from './world.mts';

/** @throws Violation */
export async function play(world: World, history: History, tally: Tally): Promise<void> {
	world.reset();
	const player = new Player(world, tally);
	for (const step of history) await player.play(step);
	await player.finish();
}

class Player {
	private readonly model = new Model();
	private readonly judge: Judge;
	/** Of the last try; none where n8n was killed: there is nothing to be retried. */
	private readonly results = new Map<Lineage, RunResult>();

	constructor(
		private readonly world: World,
		private readonly tally: Tally,
	) {
		this.judge = new Judge(world, this.model, tally);
	}

	async play(step: Step): Promise<void> {
		if (step.kind === 'run') await this.run(step);
		else if (step.kind === 'retry') await this.retry(step);
		else if (step.kind === 'together') await this.together(step.runs);
		else if (step.kind === 'tool') await this.invoke(step);
		else {
			this.world.sim.stop(NUMBERS[step.from]);
			this.model.stop(NUMBERS[step.from]);
		}
	}

	private begin(step: RunStep): Lineage {
		const options = optionsFor(step.operation, step.options);
		const lineage = this.model.begin({ ...step, options });
		this.plan(lineage, ({ answers }) => answers);
		return lineage;
	}

	private plan(
		{ id, runs }: Lineage,
		answersTo: (given: Item, item: number) => AnswerName[],
	): void {
		for (const [run, list] of runs.entries()) {
			for (const [item, given] of list.entries()) {
				this.world.plan.set(tagOf(id, run, item), [...answersTo(given, item)]);
			}
		}
	}

	private async run(step: RunStep): Promise<Lineage> {
		const lineage = this.begin(step);
		const options = this.world.workflowOf(lineage);
		await this.execute(lineage, step.trouble, async (more) => {
			return await runNode({ ...options, ...more });
		});
		return lineage;
	}

	private retryable(): Lineage[] {
		return [...this.results]
			.filter(([, result]) => retryable(result) && !isRenumbered(result))
			.map(([lineage]) => lineage)
			.reverse();
	}

	private async retry({ of, corrections, answers, trouble }: RetryStep): Promise<void> {
		const candidates = this.retryable();
		const lineage = candidates[of % Math.max(1, candidates.length)];
		if (lineage === undefined) return;
		this.plan(lineage, (_, item) => answers[item] ?? []);
		await this.tryAgain(lineage, corrections, trouble);
	}

	private async tryAgain(
		lineage: Lineage,
		corrections: Partial<Options> | null,
		trouble: Trouble,
	): Promise<void> {
		const failed = this.results.get(lineage)!;
		const before = this.world.workflowOf(lineage);
		if (corrections !== null) lineage.options = { ...lineage.options, ...corrections };
		const edited = corrections === null ? undefined : this.world.workflowOf(lineage);
		await this.execute(lineage, trouble, async (more) => {
			return await retryExecution(failed, { ...before, ...more }, edited);
		});
	}

	private async execute(
		lineage: Lineage,
		trouble: Trouble,
		start: (more: Partial<RunOptions>) => Promise<RunResult>,
	): Promise<void> {
		const { world, judge, tally } = this;
		const checkTrial = judge.watchTrial(lineage, trouble);
		const { result, ...circumstances } = await world.execute(
			trouble,
			async (more) => await inTime(start(more)),
		);
		tally.executions++;
		judge.receive([lineage], circumstances);
		checkTrial();
		if (result === undefined) this.results.delete(lineage);
		else this.conclude(lineage, result, circumstances.interrupted);
	}

	private conclude(lineage: Lineage, result: RunResult, interrupted: boolean): void {
		this.results.set(lineage, result);
		for (const [index, { failed }] of result.runs.entries()) {
			// n8n repeats the run that failed, and none before it.
			const isLast = index === result.runs.length - 1;
			const isRepeated = failed && isLast && result.run.status !== 'success';
			if (!isRepeated) lineage.ended[index] ??= lineage.options;
		}
		this.judge.check(lineage, result, interrupted);
	}

	/** What can't be done to two executions at once is left out: stops, stores, secrets. */
	private async together(steps: [RunStep, RunStep]): Promise<void> {
		const { world, judge, model } = this;
		const lineages = steps.map((step) => this.begin(step));
		const both = lineages.map((lineage) => world.workflowOf(lineage));
		const results = await world.during({}, async () => {
			return await Promise.all(both.map(async (one) => await inTime(runNode(one))));
		});
		this.tally.executions += 2;
		const happened = { interrupted: false, storeFailed: false, secretFailed: false };
		judge.receive(lineages, { ...happened, arrivals: world.takeArrivals() });
		// One of them can't know what became of the other's message with the same key.
		for (const { key } of lineages.flatMap((one) => model.slotsOf(one))) {
			if (key !== undefined) model.doubtfulKeys.add(key);
		}
		for (const [index, lineage] of lineages.entries()) {
			this.conclude(lineage, results[index], false);
		}
	}

	private async invoke(step: ToolStep): Promise<void> {
		const { world, judge } = this;
		const tag = tagOf(this.model.nextId(), 0, 0);
		const starts: number[] = [];
		const calls = step.calls.map(
			({ to, text, answers }): Call => ({
				input: { number: NUMBERS[to], message: TEXTS[text] },
				before() {
					starts.push(world.arrivals.length);
					world.plan.set(tag, [...answers]);
				},
			}),
		);
		world.sim.service.setCredits(CREDITS);
		const tool = { ...world.toolOf(step, tag), calls };
		const { plainErrors } = step;
		const stored = await world.during({ plainErrors }, async () => {
			return await inTime(invokeTool(tool));
		});
		this.tally.executions++;
		const arrivals = world.takeArrivals();
		checkArrivals(arrivals, 1);
		const heard = calls.map(({ answer, error }, index) => ({
			asked: step.calls[index],
			heard: `${answer ?? ''} ${error?.message ?? ''}`,
			arrivals: arrivals.slice(starts[index], starts[index + 1]),
		}));
		judge.checkCalls(heard, JSON.stringify(stored));
	}

	/** Nothing is blocked for ever: when all is well again, everything can be delivered. */
	async finish(): Promise<void> {
		const { world, model } = this;
		for (const kind of ['unsubscribers', 'bounces'] as const) {
			for (const number of model.stopped) world.sim.service.removeFromBlacklist(kind, number);
		}
		model.stopped.clear();
		world.plan.clear();
		const corrections = {
			noNobody: true,
			unsupported: 'replace',
			onError: 'stopWorkflow',
			resendUnknown: false,
		} as const;
		for (const lineage of this.retryable()) {
			await this.tryAgain(lineage, corrections, NO_TROUBLE);
			if (this.results.get(lineage)!.run.status !== 'success') {
				await this.tryAgain(lineage, { resendUnknown: true }, NO_TROUBLE);
			}
			this.judge.checkDelivered(lineage, this.results.get(lineage)!);
		}
		await this.sweepKeys();
		await world.quiet();
		checkArrivals(world.takeArrivals(), 0);
	}

	private async sweepKeys(): Promise<void> {
		const keys = new Set(
			this.model.lineages
				.filter(({ options }) => options.onceKeys)
				.flatMap(({ runs }) => runs.flat().map(({ key }) => key)),
		);
		if (keys.size === 0) return;
		for (const resendUnknown of [false, true]) {
			const lineage = await this.run({
				kind: 'run',
				operation: 'sendBatch',
				items: [...keys].map((key) => ({ to: 2, text: 0, key, answers: [] })),
				loop: null,
				options: { ...PLAIN, onceKeys: true, resendUnknown },
				trouble: NO_TROUBLE,
			});
			this.judge.checkKeys(lineage, this.results.get(lineage)!);
		}
	}
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
