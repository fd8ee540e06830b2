/**
 * A person who does what the texts say, to the letter, and nothing else. What became of each row is read from the
 * simulator: the person looks where a text says to look, and the judge looks after every step.
 */
import type { IDataObject } from 'n8n-workflow';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import type { Dice } from '../../harness/random.mts';
import { DONE, wayIn, type Way } from '../../harness/ways.mts';
import { load, retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { ANSWERS, FAULTS } from './answers.mts';
import { SEND, sim } from './service.mts';
import { listedIn, retryable } from './support.mts';

/** A broken promise, with the texts that led to it. */
export class Broken extends Error {}

/** A workflow with one node of the package, and what it is to bring about. */
export interface Story {
	title: string;
	/** The input items of each run of the node: several in a loop. */
	runs: IDataObject[][];
	/** The workflow as it is saved, without items. */
	workflow: (settings: IDataObject) => RunOptions;
	settings: IDataObject;
	/** Times that a row has been carried out, by the state of the service. */
	count: (row: IDataObject) => number;
	/** Times that it is to be. Default 1: of the same rows, the others are duplicates. */
	wanted?: (row: IDataObject) => number;
	/** The same for rows that mean the same. Default: no two do. */
	nameOf?: (row: IDataObject) => string;
	/** Changes that belong to no row, such as contacts that are removed. */
	others?: number;
	/** Somebody who looks finds it, complete or not. Default: it was carried out. */
	isThere?: (row: IDataObject) => boolean;
	/** Nobody can carry it out: somebody who said STOP. */
	isBarred?: (row: IDataObject) => boolean;
	/** The node looks up what is unknown: what it says about that needs no second look. */
	looksUp?: boolean;
	/** Checks at the end beyond the rows: a sentence where something is wrong. */
	judge?: () => string;
}

/** No answer of the service: a look-up, or the reading of a list, that tells nothing. */
const READ_FAULTS: FaultAction[] = [
	{ kind: 'html200' },
	{ kind: 'status', status: 502 },
	{ kind: 'resetBeforeRead' },
];

/** Milliseconds after which a slow service shows a message that it has accepted, and after which the node relies on it. */
const SLOWLY = { shows: 25, shownAfter: 200 };
let shows = 0;
const { service } = sim;
service.latestMessageTo = (number) =>
	service.messages.findLast(
		(one) => one.number === number && one.acceptedAt + shows <= sim.clock.now(),
	);

/** Has the service take its time to show a message that it has accepted. */
export function beSlow(isSlow: boolean): void {
	const { RETRY } = load<{ RETRY: { shownAfter: number } }>('nodes/shared/run/retryPolicy.js');
	shows = isSlow ? SLOWLY.shows : 0;
	RETRY.shownAfter = isSlow ? SLOWLY.shownAfter : 1;
}

/** Faults of requests, each decided once by the dice. */
export class Weather {
	private readonly decided = new WeakMap<RecordedRequest, unknown>();

	/** @param faulty percent of the requests that go wrong */
	constructor(
		private readonly dice: Dice,
		private faulty: number,
	) {
		const isChange = ({ method, path }: RecordedRequest) => method !== 'GET' || SEND.test(path);
		const add = (match: (request: RecordedRequest) => boolean, action: FaultAction) =>
			sim.faults.add({ times: Infinity, match, do: action });
		for (const name of FAULTS) {
			const { do: action } = ANSWERS[name];
			add((request) => isChange(request) && this.decide(request, FAULTS) === name, action);
		}
		for (const action of READ_FAULTS)
			add(
				(request) => !isChange(request) && this.decide(request, READ_FAULTS) === action,
				action,
			);
	}

	/** From now on, all is well. */
	clear(): void {
		this.faulty = 0;
	}

	private decide<T>(request: RecordedRequest, faults: readonly T[]): T | undefined {
		if (!this.decided.has(request))
			this.decided.set(
				request,
				this.dice.chance(this.faulty) ? this.dice.one(faults) : undefined,
			);
		return this.decided.get(request) as T | undefined;
	}
}

/** Steps after which a person would give up; the weather is good from the half of them on. */
const MOST_STEPS = 14;

/** Times that each way was told: proof that the histories hold anything. */
export type Tally = Map<Way | 'done' | 'circle', number>;

/** One row as a result shows it. */
interface Shown {
	row: IDataObject;
	json: IDataObject;
}

/** One history. @throws Broken */
export class Person {
	private readonly told: string[] = [];
	private settings: IDataObject;
	private runs: IDataObject[][];
	private result!: RunResult;
	/** Credits spent before the execution. */
	private spentBefore = 0;
	private executions = 0;
	private minutes = 0;
	private asked = 0;
	/** Later rounds of a loop that never ran. */
	private readonly unreached = new Set<IDataObject>();

	constructor(
		private readonly story: Story,
		private readonly dice: Dice,
		private readonly weather: Weather,
		private readonly tally: Tally,
	) {
		this.settings = { ...story.settings };
		this.runs = story.runs;
	}

	async play(): Promise<void> {
		await this.start(this.runs);
		for (let step = 1; ; step++) {
			this.audit();
			const way = this.wayOut();
			this.tally.set(way, (this.tally.get(way) ?? 0) + 1);
			this.told.push(`${way} <- ${this.text()}`);
			if (step === MOST_STEPS / 2) this.weather.clear();
			if (!(await this.follow(way))) return this.end(way);
			if (step === MOST_STEPS) return this.giveUp();
		}
	}

	/** @returns whether there was anything to do */
	private async follow(way: Way | 'done'): Promise<boolean> {
		switch (way) {
			case 'done':
			case 'over':
				return false;
			case 'raise':
				delete this.settings.maxCredits;
				if (!retryable(this.result)) return await this.runMissing(this.open());
				await this.retry();
				return true;
			case 'retry':
				// Whoever reads on corrects the rest at the same time, or later.
				if (this.dice.chance(50)) this.correctSettings();
				await this.retry();
				return true;
			case 'repeat':
				return await this.repeat();
			case 'again':
			case 'keys':
			case 'nothing':
				this.correctRows();
				return await this.startAll();
			case 'otherKey':
				return await this.withOtherKey();
			case 'rows':
				return await this.runMissing(this.open());
			case 'own':
				return await this.correct();
			case 'ask':
				if (++this.asked > 2) return false;
				await this.retry();
				return true;
			case 'look':
				return await this.runMissing(this.open());
		}
	}

	private async startAll(): Promise<boolean> {
		const runs = this.runs.map((rows) => this.withoutStopped(rows)).filter(isFull);
		if (runs.length > 0) await this.start(runs);
		return runs.length > 0;
	}

	private async start(runs: IDataObject[][]): Promise<void> {
		this.runs = runs;
		this.executions++;
		this.spentBefore = spent();
		this.result = await runNode(this.options());
	}

	private async retry(): Promise<void> {
		if (!retryable(this.result)) this.fail("a retry is advised that n8n doesn't offer");
		const { parameters } = this.options();
		this.result = await retryExecution(this.result, this.options(), { parameters });
	}

	private options(): RunOptions {
		const [items, ...furtherRuns] = this.runs;
		return { ...this.story.workflow(this.settings), items, furtherRuns };
	}

	/** "To repeat what the service doesn't show": who can't rely on a look-up of the node looks first. */
	private async repeat(): Promise<boolean> {
		// An option that repeats all of them is no way to repeat some of them.
		const isShown = (row: IDataObject) => this.story.count(row) > 0;
		if (!this.story.looksUp && this.open().some(isShown))
			return await this.runMissing(this.open());
		this.settings.resendUnknown = true;
		await this.retry();
		return true;
	}

	/** Looks at the phones, and gives those who have got nothing another key. */
	private async withOtherKey(): Promise<boolean> {
		if (this.minutes++ > 0) {
			const missing = this.open().filter((row) => this.story.count(row) === 0);
			if (missing.length === 0) return false;
			for (const row of missing) row.key = `${String(row.key)}'`;
		}
		await this.start(this.runs);
		return true;
	}

	/** Runs the workflow with those rows only that are not there. */
	private async runMissing(open: IDataObject[]): Promise<boolean> {
		const { isBarred } = this.story;
		const missing = open.filter((row) => !this.isThere(row) && isBarred?.(row) !== true);
		if (missing.length === 0) return false;
		this.leave();
		this.runs = [missing];
		this.correctRows();
		await this.start(this.runs);
		return true;
	}

	/** "Correct it in the node and retry, or run the workflow with that item only". */
	private async correct(): Promise<boolean> {
		const wrong = this.wrongRows();
		if (wrong.length > 0 && this.dice.chance(50)) return await this.runMissing(wrong);
		const isChanged = this.correctSettings();
		if (isChanged) await this.retry();
		return isChanged;
	}

	/** "correct the node and retry". @returns whether there was anything to correct */
	private correctSettings(): boolean {
		const text = this.text();
		const { settings } = this;
		const before = { ...settings };
		const isToCorrect =
			text.includes('correct the node and retry') && this.wrongRows().length > 0;
		// The form of the URL has no such option.
		const isOffered = this.story.title !== 'sendByUrl';
		if (isToCorrect) settings.corrected = true;
		if (isOffered && text.includes("'Skip Blacklisted Numbers', a safeguard of"))
			settings.skipBlacklisted = true;
		return Object.keys(settings).length > Object.keys(before).length;
	}

	private wrongRows(): IDataObject[] {
		return this.runs.flat().filter(({ to }) => to === NOBODY);
	}

	/** "Leave this number out", where a text says so. */
	private withoutStopped(rows: IDataObject[]): IDataObject[] {
		if (!this.text().includes('Leave this number out')) return rows;
		return rows.filter((row) => !this.story.isBarred?.(row));
	}

	private correctRows(): void {
		for (const row of this.runs.flat()) if (row.to === NOBODY) row.to = row.meant;
	}

	/** Rows that are not done: of a failed run, those that its error lists as unknown. */
	private open(): IDataObject[] {
		const { error, runs } = this.result;
		const unknown = listedIn(error).unknown ?? [];
		const failed = unknown.map(({ item }) => this.runs[runs.length - 1][item]);
		return [
			...failed,
			...this.shown()
				.filter(isOpen)
				.map(({ row }) => row),
		];
	}

	/** The rows of the runs that have results. */
	private shown(): Shown[] {
		return this.result.runs.flatMap(({ failed, items, errorItems }, run) =>
			failed
				? []
				: [...items, ...errorItems].filter(isOfRow).flatMap(({ json, pairedItem }) => {
						const places = [pairedItem].flat() as Array<{ item: number }>;
						return places.map(({ item }) => ({ json, row: this.runs[run][item] }));
					}),
		);
	}

	private text(): string {
		const { error, hints = [] } = this.result;
		const advice = this.shown()
			.filter(isOpen)
			.map(
				({ json }) =>
					`${String(json.status)}: ${String(json.reason)} ${String(json.advice)}`,
			);
		const texts = [error?.message, error?.description, ...hints.map(({ message }) => message)];
		return [...texts, ...new Set(advice)].filter(Boolean).join('\n');
	}

	private wayOut(): Way | 'done' {
		const way = wayIn(this.text());
		if (way !== 'nothing' || this.result.error !== undefined) return way;
		// The reason of a row without advice says what to correct.
		return this.shown().some(isOpen) ? 'rows' : 'done';
	}

	/** Holds what the texts say against the simulator. */
	private audit(): void {
		const { count, wanted = () => 1 } = this.story;
		for (const row of this.story.runs.flat())
			if (count(row) > wanted(row))
				this.fail(`${show(row)}: carried out ${count(row)} times`);
		const shown = this.shown();
		for (const same of grouped(shown, ({ row }) => this.nameOf(row))) this.auditSame(same);
		for (const { json, row } of shown) {
			const { snapshotId } = json;
			if (typeof snapshotId === 'string' && !isOf(snapshotId, row))
				this.fail(`${show(row)} has the snapshot ${snapshotId} of another message`);
		}
		this.auditError();
		const limit = this.settings.maxCredits;
		const used = spent() - this.spentBefore;
		if (limit !== undefined && used > Number(limit))
			this.fail(`${used} credits of ${Number(limit)}`);
	}

	/** Results that mean the same, such as two of one message. */
	private auditSame(same: Shown[]): void {
		const [{ row }] = same;
		const { count, wanted = () => 1 } = this.story;
		const got = count(row);
		const statuses = same.map(({ json }) => String(json.status ?? 'done'));
		const how = (...named: string[]) => statuses.filter((one) => named.includes(one)).length;
		const done = how('done', 'sent', 'scheduled');
		const skipped = same.filter(({ json }) => json.status === 'skipped');
		const isMissing = skipped.length > 0 && !skipped.every(({ json }) => isHeldBack(json));
		const most = done + how('unknown', 'skipped');
		const isMore = got > most && wanted(row) < Infinity;
		if (got < done || isMore || (isMissing && got === 0 && how('unknown') === 0))
			this.fail(
				`${show(row)} is called ${statuses.join()}, and was carried out ${got} times`,
			);
	}

	private auditError(): void {
		const { error, runs } = this.result;
		if (error === undefined) return;
		const rows = this.runs[runs.length - 1] ?? [];
		const [, done] = /^(\d+) of \d+ (?!items)/.exec(error.message) ?? [];
		const number = (pattern: RegExp) => Number(pattern.exec(error.message)?.[1] ?? 0);
		if (done !== undefined) {
			const most = Number(done) + number(/(\d+) unknown/) + number(/(\d+) skipped/);
			const got = this.doneOf(rows);
			const { others = 0 } = this.story;
			if (got + others < Number(done) || got > most) this.fail(`${got} were carried out`);
		}
		const earlier = number(/; (\d+) \w+ by earlier runs/);
		const others = this.runs.flat().filter((row) => !rows.includes(row));
		if (earlier > this.doneOf(others))
			this.fail(`${this.doneOf(others)} were carried out by earlier runs`);
		const text = `${error.message}\n${error.description}`;
		const isFirst = this.executions === 1;
		if (isFirst && /No item has been/.test(text) && this.doneOf(this.runs.flat()) > 0)
			this.fail('some were carried out');
	}

	/** Number of these rows that were carried out. */
	private doneOf(rows: IDataObject[]): number {
		const groups = grouped(rows, (row) => this.nameOf(row));
		return groups.reduce(
			(sum, same) => sum + Math.min(same.length, this.story.count(same[0])),
			0,
		);
	}

	/** Whoever said STOP can't be reached, whatever is done: nobody else may be left. */
	private giveUp(): void {
		const { runs, isBarred, count } = this.story;
		this.leave();
		const open = runs.flat().filter((row) => count(row) === 0 && !this.unreached.has(row));
		if (open.length === 0 || !open.every((row) => isBarred?.(row))) this.fail('no way out');
		this.tally.set('circle', (this.tally.get('circle') ?? 0) + 1);
	}

	private nameOf(row: IDataObject): string {
		return this.story.nameOf?.(row) ?? show(row);
	}

	/** @param way the last one, with which nothing is left to be done */
	private end(way: Way | 'done'): void {
		if (way === 'ask') return;
		const { runs, isBarred } = this.story;
		this.leave();
		for (const row of runs.flat())
			if (!this.isThere(row) && isBarred?.(row) !== true && !this.unreached.has(row))
				this.fail(`${show(row)} was left out`);
		const wrong = this.unreached.size === 0 ? this.story.judge?.() : '';
		if (wrong) this.fail(wrong);
	}

	private isThere(row: IDataObject): boolean {
		return this.story.isThere?.(row) ?? this.story.count(row) > 0;
	}

	/** The rounds of a loop that a failed one has kept from running: docs/delivery.md, "What is not guaranteed". */
	private leave(): void {
		const { error, runs } = this.result;
		if (error === undefined) return;
		for (const row of this.runs.slice(runs.length).flat()) this.unreached.add(row);
	}

	private fail(what: string): never {
		const { title, settings } = this.story;
		const last = this.text();
		const story = `${title} ${JSON.stringify(settings)}`;
		const told = this.told.filter((text, step) => text !== this.told[step - 1]);
		throw new Broken([story, what, ...told, last].join('\n'));
	}
}

/** A number that can't be read, which stands for the one that was meant. */
export const NOBODY = 'nobody';

function grouped<T>(all: readonly T[], nameOf: (one: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const one of all) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
	return [...groups.values()];
}

/** A message of the service is the one that a row means. */
function isOf(snapshotId: string, row: IDataObject): boolean {
	const message = sim.messages.find((one) => one.snapshotId === snapshotId);
	return message?.number === row.meant && message?.text === row.text;
}

/** A contact that a sync removes belongs to no row. */
const isOfRow = ({ json }: { json: IDataObject }) => json.action !== 'removed';
const show = (row: IDataObject) => JSON.stringify(row);
const isFull = (rows: IDataObject[]) => rows.length > 0;

function isOpen({ json }: Shown): boolean {
	return json.status !== undefined && !DONE.includes(String(json.status));
}

/** Nobody has to get what a blacklist holds back. */
function isHeldBack({ status, reason }: IDataObject): boolean {
	return status === 'skipped' && /blacklist|STOP|unsubscrib/i.test(String(reason));
}

function spent(): number {
	return sim.messages.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
}
