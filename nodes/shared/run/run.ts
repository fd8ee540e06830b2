import { expressionInFixedField } from '../fields/fixedMode';
import type { Item } from '../fields/item';
import { requireSameForAll } from '../fields/options';
import { readPace } from '../fields/pace';
import { explainNames } from '../http/explainNames';
import type { Options } from '../service/choices';
import { isAboutNumberOrText } from '../service/errorCodes';
import { Budget } from './budget';
import { forEach, forEachConcurrently } from '../chunks';
import { Client, PATIENCE, type RunContext } from './client';
import { progressOf } from './counts';
import { applyDryRun, describeDryRun, readDryRunOf } from './dryRun';
import { EarlierTries } from './earlier';
import type { Host } from './host';
import { Limiter } from './limiter';
import {
	isDone,
	type Claims,
	type End,
	type Entry,
	type Guard,
	type OpenEntry,
	type OperationDefinition,
	type Prepared,
} from './operation';
import {
	BESIDE_INVALID,
	invalid,
	invalidForAll,
	isFailure,
	mayBeDone,
	NOT_STARTED,
	StepFailed,
	type Failed,
	type Outcome,
} from './outcome';
import { identityOf, Receipts } from './receipts';
import { neverStop, stopAtFirstFailure, stopWhenServiceFails } from './stopRule';
import { failureOf, outcomeOfAll, outcomeOfCheck, stillUnknown } from './unknown';

/**
 * One run of an operation: all items are read and checked, then guarded and sent, each with its receipt. The only
 * place that knows this order.
 */
export class Run {
	/** In item order. */
	readonly entries: Entry[] = [];
	/** Where it was a dry run or a test run: what was and wasn't sent. */
	dryRun?: string;
	/** Lines above the output. */
	readonly notes = new Set<string>();
	/** The same, where the user should look at it. */
	readonly warnings = new Set<string>();
	/** Those of the first item that could be read: they hold for the whole run. */
	options: Options = {};
	/** The record of the execution, where it could be read. */
	receipts?: Receipts;
	private context?: RunContext;

	private constructor(
		readonly host: Host,
		readonly definition: OperationDefinition,
	) {}

	/** Carries an operation out for all items. Never throws: each entry has its outcome then. */
	static async of(
		host: Host,
		definition: OperationDefinition,
		items: Iterable<Item>,
	): Promise<Run> {
		const run = new Run(host, definition);
		let rest: Outcome = NOT_STARTED;
		await run.readAll(items);
		try {
			await run.carryOut();
		} catch (error) {
			// Before the first item is sent; `executeAll` throws only before its first change.
			rest = outcomeOfAll(error);
		}
		run.endOpen(rest);
		// Duplicates of those.
		run.reopen();
		run.endOpen(rest);
		return run;
	}

	/** The failure that stopped the run, where its reason holds for the rest as well. */
	get stoppedBy(): Failed | undefined {
		return this.context?.stopRule.stoppedBy;
	}

	/** A person retries an execution that has changed something: all is done that can be done. */
	get isRetry(): boolean {
		return this.receipts?.isRetry === true;
	}

	/**
	 * Entries, receipts and look-ups, check, guards, keys, client.
	 *
	 * @throws InputError, StepFailed before the first item is sent
	 */
	private async carryOut(): Promise<void> {
		const { host, definition, entries, end } = this;
		const { memory, execution, isManual, account } = host;
		const read = entries.filter(({ prepared }) => prepared !== undefined);
		const { options } = (read[0] ?? entries[0]).item;
		this.options = options;
		const receipts = new Receipts(memory, host, host.memories);
		this.receipts = receipts;
		requireSameForAll(read.map(({ item }) => item));
		const dryRun = readDryRunOf(definition, { options, account, isManual });
		const info = { execution, isManual, account, options, dryRun, items: entries.length };
		const { guards = [], claims } = definition.guards?.(info) ?? {};

		const earlier = new EarlierTries(definition, receipts, end);
		const lost = await earlier.takeReceipts(this.open, dryRun !== undefined, claims);
		if (dryRun !== undefined) applyDryRun(dryRun, definition, entries);
		const context = this.contextOf(receipts);
		this.context = context;
		const found = await earlier.lookUp(lost, this.clientOf, context);

		await this.check();
		await this.compare();
		if (!this.mayGoOn) {
			const isInvalid = entries.some(({ outcome }) => outcome?.status === 'invalid');
			return this.endOpen(isInvalid ? BESIDE_INVALID : NOT_STARTED);
		}

		await this.withClaims(claims, found, async () => {
			let round = 0;
			do {
				await this.guard(guards);
				await (definition.executeAll === undefined ? this.send(claims) : this.executeAll());
			} while (this.reopen(round++) && !this.isStopped());
			if (dryRun === undefined) await this.lookUpLost(earlier, claims);
		});
		if (dryRun !== undefined) this.dryRun = describeDryRun(dryRun);
	}

	private async readAll(items: Iterable<Item>): Promise<void> {
		const { fields } = this.definition;
		// It holds for all items.
		const mistake = expressionInFixedField(fields, this.host.node.parameters);
		await forEach(items, (item) => {
			// With all of its fields from the beginning: V8 needs less memory for them.
			const entry: Entry = {
				index: item.index,
				item,
				prepared: undefined,
				identity: {},
				outcome: undefined,
				mayRepeat: false,
				showsOnly: false,
			};
			this.entries.push(entry);
			if (mistake === undefined) this.read(entry);
			else this.end(entry, invalidForAll(mistake));
		});
	}

	private read(entry: Entry): void {
		const { item } = entry;
		try {
			const read = this.definition.prepare(item);
			const expired = item.forbidden ?? read.expired;
			entry.prepared = expired === undefined ? read : { ...read, expired };
			entry.identity = identityOf(read, this.definition.kind);
		} catch (error) {
			this.end(entry, invalid(error));
		}
	}

	/** @throws InputError, StepFailed where there is no credential that works */
	private contextOf(receipts: Receipts): RunContext {
		const { connection, signal, continueOnFail, memory, executionId } = this.host;
		const { isLocal } = this.definition;
		if (connection.problem !== undefined && !isLocal) throw new StepFailed(connection.problem);
		const carriesOn = this.definition.carriesOn || (this.isRetry && !continueOnFail);
		const byDefault = continueOnFail ? neverStop : stopAtFirstFailure;
		const limiter = new Limiter(readPace(this.options), signal, memory);
		return {
			connection: explainNames(limiter.listenTo(connection)),
			limiter,
			receipts,
			budget: new Budget(memory, this.options, executionId),
			stopRule: (carriesOn ? stopWhenServiceFails : byDefault)(),
			cache: new Map(),
			notes: this.notes,
			warnings: this.warnings,
		};
	}

	private async check(): Promise<void> {
		const { check } = this.definition;
		if (check === undefined) return;
		await forEachConcurrently(this.open, async (entry) => {
			try {
				entry.prepared = await check(entry.prepared, this.clientOf(entry), entry.item);
			} catch (error) {
				const outcome = outcomeOfCheck(error);
				const hasSteps = this.receipts!.hasSteps(entry.identity);
				this.end(entry, hasSteps ? stillUnknown(outcome) : outcome);
			}
		});
	}

	private async compare(): Promise<void> {
		const { open } = this;
		if (this.mayGoOn && open.length > 0)
			await this.definition.compare?.(open, this.clientOf(open[0]), this.end);
	}

	/** All items can be sent, or the others are sent anyway. */
	private get mayGoOn(): boolean {
		const { continueOnFail } = this.host;
		const { isBatch } = this.definition;
		if (this.isRetry) return true;
		const sendsOthers = isBatch ? this.options.invalidItems !== 'stop' : continueOnFail;
		return this.entries.every(({ outcome }) => {
			if (outcome === undefined) return true;
			if (outcome.status === 'invalid') return sendsOthers;
			return !isFailure(outcome) || isBatch || continueOnFail;
		});
	}

	/** Sends what is open, while its once keys can be claimed. */
	private async withClaims(
		claims: Claims | undefined,
		found: readonly OpenEntry[],
		send: () => Promise<void>,
	): Promise<void> {
		// A retry may have been given other keys, also for what was sent before.
		const isNew = ({ index, identity }: OpenEntry) =>
			!this.receipts!.hasClaimedKey(index, identity);
		const sent = new Set([...found, ...this.entries.filter(isDone).filter(isNew)]);
		const concerned = [...sent, ...this.open];
		if (concerned.length === 0) return;
		try {
			claims?.begin(concerned, this.clientOf(concerned[0]), this.isStopped);
			await forEachConcurrently(sent, async (entry) => {
				const refusal = await claims?.claim(entry);
				if (refusal === undefined) claims?.done(entry, entry.outcome!);
			});
			await send();
		} finally {
			const { open } = this;
			const isCancelled = this.host.signal?.aborted === true;
			if (open.length > 0 && !isCancelled) await claims?.endUsed(open, this.end);
			const problem = await claims?.close();
			if (problem !== undefined) this.warnings.add(problem);
		}
	}

	/** Looks up what this run has left unknown where it mostly ends as a success, which n8n offers no retry for. */
	private async lookUpLost(earlier: EarlierTries, claims: Claims | undefined): Promise<void> {
		const { isBatch, lookUp } = this.definition;
		const lost = this.entries.filter(isLost);
		if (lookUp === undefined || lost.length === 0) return;
		if (!isBatch && !this.host.continueOnFail) return;
		// With a key that is refused, nothing can be looked up. Whatever else has stopped the run may have passed.
		if (this.stoppedBy?.cause === 'credential-invalid') return;
		this.context!.limiter.open();
		this.context = { ...this.context!, timeout: PATIENCE };
		for (const entry of await earlier.lookUp(lost, this.clientOf, this.context, true))
			claims?.done(entry, entry.outcome!);
	}

	private async guard(guards: readonly Guard[]): Promise<void> {
		for (const guard of guards) {
			const { open } = this;
			if (open.length > 0) await guard(open, this.clientOf(open[0]), this.end);
		}
	}

	private async send(claims: Claims | undefined): Promise<void> {
		const { open } = this;
		const { limiter, stopRule } = this.context!;
		const tellProgress = progressOf(this.entries, this.definition, this.host);
		await forEachConcurrently(open, async (entry) => {
			const refusal = await claims?.claim(entry);
			if (refusal === undefined) {
				this.end(entry, await this.sendOne(entry));
				claims?.done(entry, entry.outcome!);
			} else if (refusal === NOT_STARTED) return;
			else {
				if (stopRule.stopsAt(refusal)) limiter.close();
				this.end(entry, refusal);
			}
			tellProgress();
		});
	}

	private async sendOne(entry: OpenEntry): Promise<Outcome> {
		const { prepared, item, showsOnly } = entry;
		if (showsOnly) return { status: 'previewed', fields: prepared.preview?.() ?? {} };
		try {
			const value = await this.definition.execute!(prepared, this.clientOf(entry), item);
			return { status: 'done', value };
		} catch (error) {
			return failureOf(error);
		}
	}

	private async executeAll(): Promise<void> {
		const { entries, open } = this;
		if (open.length === 0) return;
		const items = entries.length;
		// Paired with two items, so that n8n says that it can't tell which one is meant.
		const pairedItem = [{ item: entries[0].index }, { item: entries[items - 1].index }];
		const extraResult = (prepared: Prepared, outcome: Outcome) => {
			const entry = { ...entries[0], prepared, identity: {}, pairedItem };
			entries.push(entry);
			this.end(entry, outcome);
		};
		const outcomes = await this.definition.executeAll!(open, this.clientOf, {
			items,
			extraResult,
		});
		for (const entry of open) this.end(entry, outcomes.get(entry.index) ?? NOT_STARTED);
	}

	/**
	 * Opens duplicates of items that were not sent after all. One that the service would refuse for the same number and
	 * text is refused as well, and each is tried once more for other reasons: many duplicates are few requests.
	 *
	 * @returns whether there are any
	 */
	private reopen(round = 0): boolean {
		const outcomes = new Map(this.entries.map(({ index, outcome }) => [index, outcome]));
		for (const entry of this.entries) {
			const { outcome } = entry;
			if (outcome?.status !== 'skipped' || outcome.duplicateOf === undefined) continue;
			const original = outcomes.get(outcome.duplicateOf);
			// One that was stopped has none yet.
			if (original === undefined || mayBeSent(original)) continue;
			const { isSame } = outcome;
			entry.outcome = undefined;
			if (!isSame || !isFailure(original)) continue;
			const isRefused = original.status === 'refused' && isAboutNumberOrText(original);
			if (isRefused || round > 0) this.end(entry, original);
		}
		return this.open.length > 0;
	}

	private readonly clientOf = ({ index, identity, prepared, mayRepeat }: Entry): Client => {
		// Steps have receipts of their own, by which a client knows what it may repeat.
		const repeats = mayRepeat === true || prepared?.resendUnknown === true;
		return new Client(this.context!, { index, identity, mayRepeat: repeats });
	};

	private readonly isStopped = () => this.context?.limiter.isClosed === true;

	private get open(): OpenEntry[] {
		return this.entries.filter(
			(entry): entry is OpenEntry =>
				entry.outcome === undefined && entry.prepared !== undefined,
		);
	}

	/** The one door for outcomes. What was unknown before stays unknown, unless it was carried out. */
	private readonly end: End = (entry, outcome) => {
		const { index, identity } = entry;
		const isUnknown = this.receipts?.find(index, identity)?.state === 'unknown';
		entry.outcome = isUnknown ? stillUnknown(outcome) : outcome;
	};

	private endOpen(outcome: Outcome): void {
		for (const entry of this.open) this.end(entry, outcome);
	}
}

/** This run has lost its answer, and nothing has been found out since. */
function isLost(entry: Entry): entry is OpenEntry {
	const { outcome, prepared } = entry;
	if (prepared === undefined || outcome?.status !== 'unknown') return false;
	return outcome.origin === undefined && outcome.found === undefined;
}

/** Also by another execution. */
function mayBeSent(outcome: Outcome): boolean {
	return outcome.status === 'skipped' ? outcome.isSent === true : mayBeDone(outcome);
}
