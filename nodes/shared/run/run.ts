import type { Item } from '../fields/item';
import { readPace } from '../fields/pace';
import { Budget } from './budget';
import { forEach, forEachConcurrently } from './chunks';
import { Client, type RunContext } from './client';
import { applyDryRun, describeDryRun, readDryRunOf } from './dryRun';
import type { Guard } from './guards';
import type { Host } from './host';
import { Limiter } from './limiter';
import { Progress } from './messages';
import type { Entry, OpenEntry, OperationDefinition, Prepared, RunInfo } from './operation';
import {
	BESIDE_INVALID,
	failureOf,
	invalid,
	isFailure,
	NOT_STARTED,
	outcomeOfAll,
	outcomeOfCheck,
	StepFailed,
	stillUnknown,
	unknownBefore,
	type Outcome,
} from './outcome';
import { identityOf, Receipts } from './receipts';
import { RETRY } from './retryPolicy';
import { neverStop, stopAtFirstFailure, stopWhenServiceFails, type StopRule } from './stopRule';

/** A run that has ended, for its results, hint and error. */
export interface FinishedRun<P extends Prepared = Prepared> {
	/** In item order. */
	entries: Array<Entry<P>>;
	/** The entry whose failure was the first while items were sent. */
	firstFailed?: Entry<P>;
	stoppedBy?: StopRule['stoppedBy'];
	/** An earlier try of this execution made some of it. */
	isRetry: boolean;
	/** Where it was a dry run or a test run: what was and wasn't sent. */
	dryRun?: string;
	notes: string[];
	warnings: string[];
	/** Drops the receipts, when n8n has got the results. */
	handOver: () => void;
}

/**
 * One run of an operation: all items are read and checked, then guarded and sent, each with its receipt. The only
 * place that knows this order. Never throws.
 */
export async function runOperation<P extends Prepared>(
	host: Host,
	definition: OperationDefinition<P>,
	items: Iterable<Item>,
): Promise<FinishedRun<P>> {
	const run: FinishedRun<P> = {
		entries: [],
		isRetry: false,
		notes: [],
		warnings: [],
		handOver: () => {},
	};
	await forEach(items, (item) => {
		run.entries.push(readItem(item, definition, host.node.parameters));
	});
	let context: RunContext | undefined;
	let receipts: Receipts | undefined;
	try {
		receipts = new Receipts(host.memory, host.runIndex, host.execution === undefined);
		run.handOver = () => receipts?.handOver();
		run.isRetry = !receipts.isEmpty;
		const options = firstOf(run.entries).item.options;
		const { account } = host.connection;
		const { isManual } = host;
		const dry = readDryRunOf(definition, { options, account, isManual });
		takeReceipts(run.entries, receipts, definition);
		if (dry !== undefined) applyDryRun(dry, definition, run.entries);
		context = openContext(host, definition, run.entries, receipts);
		const info: RunInfo = {
			...{ execution: host.execution, memory: host.memory, isManual, account, options },
			items: run.entries.length,
			dryRun: dry,
			earlier: earlierKeys(run.entries, receipts),
		};
		await new Sending(host, definition, run, context, info).carryOut();
		if (dry !== undefined) run.dryRun = describeDryRun(dry, run.entries);
	} catch (error) {
		// Nothing was sent: what can be thrown here comes before the first item.
		endOpen(run, outcomeOfAll(error));
	}
	endOpen(run, NOT_STARTED);
	if (receipts !== undefined) keepUnknown(run, receipts, definition);
	if (context !== undefined) {
		run.stoppedBy = context.stopRule.stoppedBy;
		run.notes = [...context.notes];
		run.warnings.push(...context.warnings);
	}
	return run;
}

/** The item whose options hold for the whole run. */
function firstOf<P extends Prepared>(entries: ReadonlyArray<Entry<P>>): Entry<P> {
	return entries.find(({ prepared }) => prepared !== undefined) ?? entries[0];
}

function openOf<P extends Prepared>({ entries }: FinishedRun<P>): Array<OpenEntry<P>> {
	return entries.filter(
		(entry): entry is OpenEntry<P> =>
			entry.outcome === undefined && entry.prepared !== undefined,
	);
}

function end<P extends Prepared>(run: FinishedRun<P>, entry: Entry<P>, outcome: Outcome): void {
	entry.outcome = outcome;
	if (isFailure(outcome) && !outcome.isNotStarted) run.firstFailed ??= entry;
}

function endOpen<P extends Prepared>(run: FinishedRun<P>, outcome: Outcome): void {
	for (const entry of openOf(run)) end(run, entry, outcome);
}

function readItem<P extends Prepared>(
	item: Item,
	{ prepare, sourceParameters }: OperationDefinition<P>,
	typed: Record<string, unknown>,
): Entry<P> {
	// With all of its fields from the beginning: V8 needs less memory for them.
	const entry: Entry<P> = {
		index: item.index,
		item,
		prepared: undefined,
		identity: {},
		outcome: undefined,
		showsOnly: false,
	};
	try {
		const read = prepare(item);
		const expired = item.forbidden ?? read.expired;
		const prepared = expired === undefined ? read : { ...read, expired };
		const source = sourceParameters?.map((name) => typed[name]);
		entry.prepared = prepared;
		entry.identity = identityOf(prepared, source && [source, item.json]);
	} catch (error) {
		entry.outcome = invalid(error);
	}
	return entry;
}

/** Ends entries that an earlier try has sent, or may have: the receipt is their result. */
function takeReceipts<P extends Prepared>(
	entries: ReadonlyArray<Entry<P>>,
	receipts: Receipts,
	{ resultOf = (kept) => kept, request, resumes }: OperationDefinition<P>,
): void {
	// Deleting again does no harm.
	const isDeletion = request?.startsWith('DELETE') === true;
	for (const entry of entries) {
		const { prepared, index, identity } = entry;
		if (prepared === undefined || entry.outcome !== undefined) continue;
		const receipt = receipts.find(String(index), identity);
		if (receipt !== undefined && resumes) continue;
		if (receipt?.state === 'accepted') {
			entry.outcome = { status: 'done', value: resultOf(receipt.answer) };
		} else if (
			receipt !== undefined &&
			(prepared.expired || !(isDeletion || prepared.resendUnknown))
		) {
			entry.outcome = unknownBefore();
		} else if (prepared.expired && receipt === undefined) {
			entry.outcome = invalid(prepared.expired);
		}
	}
}

/** Items that earlier tries have made, or may have, by their dedupe keys of then and now. */
function earlierKeys(entries: readonly Entry[], receipts: Receipts): Map<string, number> {
	const keys = receipts.dedupeKeys();
	for (const { outcome, identity, index } of entries)
		if (outcome?.status === 'done')
			for (const key of identity.dedupeKeys ?? []) keys.set(key, index);
	return keys;
}

/** @throws InputError, StepFailed where there is no credential that works */
function openContext<P extends Prepared>(
	{ connection, signal, continueOnFail, memory }: Host,
	{ request, isBatch, stopRule }: OperationDefinition<P>,
	entries: ReadonlyArray<Entry<P>>,
	receipts: Receipts,
): RunContext {
	const { problem } = connection;
	const { options } = firstOf(entries).item;
	// An operation without a request needs no credential.
	if (problem !== undefined && request !== undefined) throw new StepFailed(problem);
	const byDefault = isBatch
		? stopWhenServiceFails
		: continueOnFail
			? neverStop
			: stopAtFirstFailure;
	return {
		connection,
		limiter: new Limiter(readPace(options), signal),
		retry: RETRY,
		receipts,
		budget: new Budget(memory, options),
		stopRule: stopRule?.(continueOnFail) ?? byDefault(),
		cache: new Map(),
		notes: new Set(),
		warnings: new Set(),
	};
}

/** Keeps entries unknown that an earlier try left unknown, or of which it made a step. */
function keepUnknown<P extends Prepared>(
	run: FinishedRun<P>,
	receipts: Receipts,
	{ executeAll }: OperationDefinition<P>,
): void {
	if (!run.isRetry) return;
	for (const entry of run.entries) {
		const { index, identity, outcome } = entry;
		if (outcome === undefined || outcome.status === 'done') continue;
		const isHeldUp =
			outcome.status === 'invalid' || ('isNotStarted' in outcome && outcome.isNotStarted);
		// One request for many items has its receipt under one of them.
		const hasSteps = () => receipts.hasSteps(executeAll === undefined ? index : undefined);
		const isUnknown = receipts.find(String(index), identity)?.state === 'unknown';
		if (isUnknown || (isHeldUp && hasSteps())) entry.outcome = stillUnknown(outcome);
	}
}

/** Checks the open entries of a run, guards them and sends them. */
class Sending<P extends Prepared> {
	private readonly guards: Array<Guard<P>>;

	constructor(
		private readonly host: Host,
		private readonly definition: OperationDefinition<P>,
		private readonly run: FinishedRun<P>,
		private readonly context: RunContext,
		private readonly info: RunInfo,
	) {
		this.guards = definition.guards?.(info) ?? [];
	}

	/** @throws InputError, StepFailed before the first item is sent */
	async carryOut(): Promise<void> {
		const { definition, run } = this;
		if (this.mayGoOn) await this.check();
		if (this.mayGoOn) definition.compare?.(openOf(run));
		if (!this.mayGoOn) {
			const isInvalid = run.entries.some(({ outcome }) => outcome?.status === 'invalid');
			return endOpen(run, isInvalid ? BESIDE_INVALID : NOT_STARTED);
		}
		if (openOf(run).length === 0) return;
		try {
			await this.begin();
			await (definition.executeAll === undefined ? this.send() : this.executeAll());
		} finally {
			for (const guard of this.guards) {
				const problem = await guard.end?.();
				if (problem !== undefined) run.warnings.push(problem);
			}
		}
	}

	/** All items can be sent, or the user wants the others to be sent anyway. */
	private get mayGoOn(): boolean {
		const { continueOnFail } = this.host;
		const { isBatch } = this.definition;
		const sendsOthers = isBatch ? this.info.options.invalidItems !== 'stop' : continueOnFail;
		return this.run.entries.every(({ outcome }) => {
			if (outcome === undefined) return true;
			if (outcome.status === 'invalid') return sendsOthers;
			return !isFailure(outcome) || isBatch || continueOnFail;
		});
	}

	private clientOf(entry: Entry<P>): Client {
		const { index, identity, prepared } = entry;
		const resendUnknown = prepared?.resendUnknown === true;
		return new Client(this.context, { index, identity, resendUnknown });
	}

	private async check(): Promise<void> {
		const { check } = this.definition;
		if (check === undefined) return;
		await forEachConcurrently(openOf(this.run), async (entry) => {
			try {
				entry.prepared = await check(entry.prepared, this.clientOf(entry), entry.item);
			} catch (error) {
				const outcome = outcomeOfCheck(error);
				const wasBegun = this.context.receipts.hasSteps(
					this.definition.executeAll === undefined ? entry.index : undefined,
				);
				end(this.run, entry, wasBegun ? stillUnknown(outcome) : outcome);
			}
		});
	}

	private async begin(): Promise<void> {
		const client = this.clientOf(openOf(this.run)[0]);
		for (const guard of this.guards) await guard.begin?.(openOf(this.run), client);
		keepUnknown(this.run, this.context.receipts, this.definition);
		if (!this.mayGoOn) return endOpen(this.run, NOT_STARTED);
		await this.definition.begin?.(this.info, openOf(this.run), client);
	}

	private async send(): Promise<void> {
		const { run, host, definition, context } = this;
		const open = openOf(run);
		if (open.length === 0) return;
		const progress = new Progress(
			open.length,
			definition.verb ?? 'carried out',
			open[0].item.timeZone,
			host.log,
		);
		const isStopped = () => context.limiter.isClosed;
		await forEachConcurrently(open, async (entry) => {
			const passed: Array<Guard<P>> = [];
			const refusal = await this.refusal(entry, passed, isStopped);
			const outcome = refusal ?? (await this.sendOne(entry));
			if (refusal !== undefined && context.stopRule.stopsAt(refusal)) context.limiter.close();
			for (const guard of passed) guard.done?.(entry, outcome);
			end(run, entry, outcome);
			progress.count(outcome);
		});
	}

	/** @returns the outcome of the first guard that refuses */
	private async refusal(
		entry: OpenEntry<P>,
		passed: Array<Guard<P>>,
		isStopped: () => boolean,
	): Promise<Outcome | undefined> {
		for (const guard of this.guards) {
			if (guard.check === undefined) continue;
			if (isStopped()) return NOT_STARTED;
			try {
				const answer = guard.check(entry, isStopped);
				const refusal = answer instanceof Promise ? await answer : answer;
				if (refusal !== undefined) return refusal;
				passed.push(guard);
			} catch (error) {
				return outcomeOfAll(error);
			}
		}
		return undefined;
	}

	private async sendOne(entry: OpenEntry<P>): Promise<Outcome> {
		const { prepared, item, showsOnly } = entry;
		if (showsOnly) return { status: 'previewed', fields: prepared.preview?.() ?? {} };
		try {
			const value = await this.definition.execute(prepared, this.clientOf(entry), item);
			return { status: 'done', value };
		} catch (error) {
			return failureOf(error);
		}
	}

	private async executeAll(): Promise<void> {
		const { run, definition } = this;
		const open = openOf(run);
		const [first] = run.entries;
		const last = run.entries.at(-1)!;
		const extra: Array<[Entry<P>, Outcome]> = [];
		const whole = {
			items: run.entries.length,
			extraResult: (prepared: P, outcome: Outcome) => {
				const { index, item } = first;
				// Paired with two items, so that n8n says that it can't tell which one is meant.
				const pairedItem = [{ item: index }, { item: last.index }];
				extra.push([{ index, item, prepared, identity: {}, pairedItem }, outcome]);
			},
		};
		const outcomes = await definition.executeAll!(open, (entry) => this.clientOf(entry), whole);
		for (const entry of open) end(run, entry, outcomes.get(entry.index) ?? NOT_STARTED);
		for (const [entry, outcome] of extra) {
			run.entries.push(entry);
			end(run, entry, outcome);
		}
	}
}
