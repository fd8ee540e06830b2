/**
 * Over several executions of one workflow, nobody gets two of the same message, and each item's outcome is what
 * happened. Random histories against the simulator through n8n's engine, judged after every step (histories-model.mts).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HISTORIES, playHistories } from '../../harness/histories.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import type { AnswerName } from './answers.mts';
import { optionsFor, World } from './histories-execution.mts';
import { canonical, checkArrivals, Model, Violation, type Lineage } from './histories-model.mts';
import {
	describeHistory,
	history,
	NO_TROUBLE,
	NUMBERS,
	PLAIN,
	tagOf,
	type History,
	type Item,
	type Options,
	type RetryStep,
	type RunStep,
	type Trouble,
} from './histories-steps.mts';
import { retryable } from './support.mts';

/** Histories that are played at the same time, each in a world of its own: waiting costs no time. */
const WORLDS = 4;
/** Milliseconds from which on an execution counts as endless, on a busy machine, too. */
const LONGEST = 60_000;

/** Plays a history in a world. */
class Player {
	/** Of the last try; none where n8n was killed: there is nothing to be retried. */
	private readonly results = new Map<Lineage, RunResult>();

	constructor(
		private readonly world: World,
		private readonly model: Model,
	) {}

	/** @throws Violation */
	async play(steps: History): Promise<void> {
		this.world.reset();
		this.model.reset();
		for (const step of steps) {
			if (step.kind === 'run') await this.run(step);
			else if (step.kind === 'retry') await this.retry(step);
			else {
				this.world.sim.stop(NUMBERS[step.from]);
				this.model.stopped.add(canonical(NUMBERS[step.from]));
			}
		}
		await this.finish();
	}

	private plan({ id, runs }: Lineage, answers: (given: Item, item: number) => AnswerName[]) {
		for (const [run, list] of runs.entries()) {
			for (const [item, given] of list.entries()) {
				this.world.plan.set(tagOf(id, run, item), [...answers(given, item)]);
			}
		}
	}

	private async run(step: RunStep): Promise<Lineage> {
		const options = optionsFor(step.operation, step.options);
		const lineage = this.model.begin({ ...step, options });
		this.plan(lineage, ({ answers }) => answers);
		const workflow = this.world.workflowOf(lineage);
		await this.execute(lineage, step.trouble, async (more) => {
			return await runNode({ ...workflow, ...more });
		});
		return lineage;
	}

	private get retryable(): Lineage[] {
		return [...this.results]
			.filter(([, result]) => retryable(result) && !isRenumbered(result))
			.map(([lineage]) => lineage)
			.reverse();
	}

	private async retry({ of, corrections, answers, trouble }: RetryStep): Promise<void> {
		const candidates = this.retryable;
		if (candidates.length === 0) return;
		const lineage = candidates[of % candidates.length];
		this.plan(lineage, (_, item) => answers[item] ?? []);
		await this.tryAgain(lineage, corrections, trouble);
	}

	private async tryAgain(
		lineage: Lineage,
		corrections: Partial<Options> | null,
		trouble: Trouble,
	): Promise<RunResult> {
		const failed = this.results.get(lineage)!;
		const before = this.world.workflowOf(lineage);
		if (corrections !== null) {
			lineage.options = optionsFor(lineage.operation, { ...lineage.options, ...corrections });
		}
		const edited = corrections === null ? undefined : this.world.workflowOf(lineage);
		const start = async (more: Partial<RunOptions>) =>
			await retryExecution(failed, { ...before, ...more }, edited);
		await this.execute(lineage, trouble, start, true);
		return this.results.get(lineage)!;
	}

	private async execute(
		lineage: Lineage,
		trouble: Trouble,
		start: (more: Partial<RunOptions>) => Promise<RunResult>,
		isRetry = false,
	): Promise<void> {
		const ending = await inTime(this.world.execute(trouble, start));
		if (ending.result === undefined) this.results.delete(lineage);
		else this.results.set(lineage, ending.result);
		this.model.judge(lineage, ending, isRetry);
	}

	/** Everything can be delivered when all is well again, and every key can be used. */
	private async finish(): Promise<void> {
		const { world, model } = this;
		for (const number of model.stopped) {
			world.sim.service.removeFromBlacklist('unsubscribers', number);
		}
		world.plan.clear();
		const corrections = {
			noNobody: true,
			unsupported: 'replace',
			onError: 'stopWorkflow',
			resendUnknown: false,
			maxCredits: 0,
		} as const;
		for (const lineage of this.retryable) {
			let result = await this.tryAgain(lineage, corrections, NO_TROUBLE);
			if (result.run.status !== 'success') {
				result = await this.tryAgain(lineage, { resendUnknown: true }, NO_TROUBLE);
			}
			model.checkDelivered(lineage, result);
		}
		if (model.keys.size > 0) {
			const lineage = await this.run({
				kind: 'run',
				operation: 'sendBatch',
				items: [...model.keys].map((key) => ({ to: 2, text: 0, key, answers: [] })),
				loop: null,
				options: { ...PLAIN, onceKeys: true },
				trouble: NO_TROUBLE,
			});
			model.checkKeys(lineage, this.results.get(lineage)!);
		}
		await world.quiet();
		checkArrivals(world.takeArrivals(), 0);
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

/** @throws Violation when it takes too long */
async function inTime<T>(work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Violation('The execution never ends')), LONGEST);
	});
	return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Here, whoever holds the store for a third of a second counts as gone, instead of seconds. On a busy machine, a process
 * can stand still for as long: a history during which it did is played again.
 */
const STANDSTILL = 30;
const TICK = 10;
const MOST_TRIES = 5;
let tickedAt = performance.now();
let stoodStillAt = 0;
function tick(): void {
	const now = performance.now();
	if (now - tickedAt > TICK + STANDSTILL) stoodStillAt = now;
	tickedAt = now;
}

async function undisturbed(play: () => Promise<void>): Promise<void> {
	for (let tries = 1; ; tries++) {
		const begun = performance.now();
		try {
			return await play();
		} catch (error) {
			tick();
			const isDisturbed = stoodStillAt > begun && error instanceof Violation;
			if (!isDisturbed || tries === MOST_TRIES) throw error;
			console.log(`Played again: ${error.message}`);
		}
	}
}

let worlds: World[];
beforeAll(async () => {
	setInterval(tick, TICK).unref();
	worlds = await Promise.all(Array.from({ length: WORLDS }, () => World.start()));
});
afterAll(async () => await Promise.all(worlds.map((world) => world.close())));

test(`${HISTORIES.toLocaleString('en')} histories of messages`, async () => {
	const models = worlds.map((world) => ({ world, model: new Model() }));
	await playHistories({
		count: HISTORIES,
		drawn: history,
		worlds: models,
		isShortened: false,
		tell: describeHistory,
		play: async (steps, { world, model }) =>
			await undisturbed(async () => {
				try {
					await new Player(world, model).play(steps);
				} finally {
					await world.quiet();
				}
			}),
	});
	const sum = (name: keyof Model['tally']) =>
		models.reduce((total, { model }) => total + model.tally[name], 0);
	console.log(
		`${sum('executions')} executions: ${sum('accepted')} messages accepted, ${sum('unknown')} items shown as unknown, ${sum('lookedUp')} found by a look-up, ${sum('resent')} sent again`,
	);
	expect(sum('executions')).toBeGreaterThan(HISTORIES);
	expect(sum('accepted')).toBeGreaterThan(HISTORIES);
	expect(sum('unknown')).toBeGreaterThan(HISTORIES / 20);
}, 14_400_000);
