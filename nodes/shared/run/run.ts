import { expressionInFixedField } from '../fields/fixedMode';
import type { Item } from '../fields/item';
import { requireOneLimit } from '../fields/maxCredits';
import { readPace } from '../fields/pace';
import type { Options } from '../service/choices';
import type { InputError } from '../service/InputError';
import { Budget } from './budget';
import { forEach, forEachConcurrently } from '../chunks';
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
	type Failed,
	type Outcome,
} from './outcome';
import { identityOf, Receipts } from './receipts';
import { neverStop, stopAtFirstFailure, stopWhenServiceFails } from './stopRule';

/**
 * One run of an operation: all items are read and checked, then guarded and sent, each with its receipt. The only
 * place that knows this order.
 */
export class Run {
	/** In item order. */
	readonly entries: Entry[] = [];
	/** The entry whose failure was the first while items were sent. */
	firstFailed?: Entry;
	/** An earlier try of this execution made some of it. */
	isRetry = false;
	/** When the first try of it began; milliseconds. */
	begun = 0;
	/** Where it was a dry run or a test run: what was and wasn't sent. */
	dryRun?: string;
	/** Lines above the output. */
	readonly notes = new Set<string>();
	/** The same, where the user should look at it. */
	readonly warnings = new Set<string>();
	/** Those of the first item that could be read: they hold for the whole run. */
	options: Options = {};
	private receipts?: Receipts;
	private context?: RunContext;
	private guards: Guard[] = [];

	/** A mistake of the form, which holds for all items. */
	private readonly mistake: InputError | undefined;

	private constructor(
		readonly host: Host,
		readonly definition: OperationDefinition,
	) {
		this.mistake = expressionInFixedField(definition.fields, host.node.parameters);
	}

	/** Carries an operation out for all items. Never throws: each entry has its outcome then. */
	static async of(
		host: Host,
		definition: OperationDefinition,
		items: Iterable<Item>,
	): Promise<Run> {
		const run = new Run(host, definition);
		await forEach(items, (item) => void run.entries.push(run.read(item)));
		try {
			await run.carryOut();
		} catch (error) {
			// Before the first item is sent; `executeAll` throws only before its first change.
			run.endOpen(outcomeOfAll(error));
		}
		run.endOpen(NOT_STARTED);
		run.keepUnknown();
		return run;
	}

	/** The failure that stopped the run, where its reason holds for the rest as well. */
	get stoppedBy(): Failed | undefined {
		return this.context?.stopRule.stoppedBy;
	}

	/** Ends the receipts, when n8n gets the results. */
	handOver(): void {
		this.receipts?.handOver();
	}

	private read(item: Item): Entry {
		const { prepare, sourceParameters } = this.definition;
		// With all of its fields from the beginning: V8 needs less memory for them.
		const entry: Entry = {
			index: item.index,
			item,
			prepared: undefined,
			identity: {},
			outcome: undefined,
			showsOnly: false,
		};
		if (this.mistake !== undefined) {
			entry.outcome = { ...invalid(this.mistake), general: true };
			return entry;
		}
		try {
			const read = prepare(item);
			const expired = item.forbidden ?? read.expired;
			const prepared = expired === undefined ? read : { ...read, expired };
			const source = sourceParameters?.map((name) => this.host.node.parameters[name]);
			entry.prepared = prepared;
			entry.identity = identityOf(prepared, source && [source, item.json]);
		} catch (error) {
			entry.outcome = invalid(error);
		}
		return entry;
	}

	/** @throws InputError, StepFailed before the first item is sent */
	private async carryOut(): Promise<void> {
		const { host, definition, entries } = this;
		const { memory, execution, isManual, account } = host;
		const first = entries.find(({ prepared }) => prepared !== undefined) ?? entries[0];
		const { options } = first.item;
		requireOneLimit(entries.filter(({ prepared }) => prepared).map(({ item }) => item));
		this.options = options;
		const receipts = new Receipts(memory, host.runIndex, host.isTool);
		this.receipts = receipts;
		this.isRetry = !receipts.isEmpty;
		this.begun = (this.isRetry && Number(memory.smsBegun)) || host.now;
		memory.smsBegun = this.begun;
		const dryRun = readDryRunOf(definition, { options, account, isManual });
		this.takeReceipts(receipts);
		if (dryRun !== undefined) applyDryRun(dryRun, definition, entries);
		this.context = this.contextOf(receipts, options);
		const earlier = this.earlierKeys(receipts);
		const info = { execution, isManual, account, options, dryRun, earlier };
		await this.carryOutOpen({ ...info, items: entries.length });
		if (dryRun !== undefined) this.dryRun = describeDryRun(dryRun);
	}

	/** Ends entries that an earlier try has sent, or may have: the receipt is their result. */
	private takeReceipts(receipts: Receipts): void {
		const { resultOf = (kept) => kept, request } = this.definition;
		// Deleting again does no harm.
		const isDeletion = request?.startsWith('DELETE') === true;
		for (const entry of this.open) {
			const { expired, resendUnknown } = entry.prepared;
			const mayRepeat = isDeletion || resendUnknown === true;
			const settled = receipts.settled(String(entry.index), entry.identity, mayRepeat);
			if (settled === undefined) {
				if (expired) entry.outcome = invalid(expired);
			} else {
				entry.outcome =
					settled.state === 'accepted'
						? { status: 'done', value: resultOf(settled.answer) }
						: unknownBefore();
			}
		}
	}

	/** Items that earlier tries have made, or may have, by their dedupe keys of then and now. */
	private earlierKeys(receipts: Receipts): Map<string, number> {
		const keys = receipts.dedupeKeys();
		for (const { outcome, identity, index } of this.entries)
			if (outcome?.status === 'done')
				for (const key of identity.dedupeKeys ?? []) keys.set(key, index);
		return keys;
	}

	/** @throws InputError, StepFailed where there is no credential that works */
	private contextOf(receipts: Receipts, options: Options): RunContext {
		const { connection, signal, continueOnFail, memory } = this.host;
		const { request, isBatch, stopRule } = this.definition;
		// An operation without a request needs no credential.
		if (connection.problem !== undefined && request !== undefined)
			throw new StepFailed(connection.problem);
		const byDefault = continueOnFail ? neverStop : stopAtFirstFailure;
		const limiter = new Limiter(readPace(options), signal);
		return {
			connection: limiter.listenTo(connection),
			limiter,
			receipts,
			budget: new Budget(memory, options),
			stopRule: stopRule?.() ?? (isBatch ? stopWhenServiceFails : byDefault)(),
			cache: new Map(),
			notes: this.notes,
			warnings: this.warnings,
		};
	}

	/** Checks the open entries, guards them and sends them. */
	private async carryOutOpen(info: RunInfo): Promise<void> {
		const { definition } = this;
		this.guards = definition.guards?.(info) ?? [];
		await this.check();
		const [first] = this.open;
		if (this.mayGoOn && first) definition.compare?.(this.open, this.clientOf(first));
		if (!this.mayGoOn) {
			const isInvalid = this.entries.some(({ outcome }) => outcome?.status === 'invalid');
			return this.endOpen(isInvalid ? BESIDE_INVALID : NOT_STARTED);
		}
		if (this.open.length === 0) return;
		try {
			const client = this.clientOf(this.open[0]);
			for (const guard of this.guards) await guard.begin?.(this.open, client);
			this.keepUnknown();
			await (definition.executeAll === undefined ? this.send() : this.executeAll());
		} finally {
			for (const guard of this.guards) {
				const problem = await guard.end?.();
				if (problem !== undefined) this.warnings.add(problem);
			}
		}
	}

	/** All items can be sent, or the user wants the others to be sent anyway. */
	private get mayGoOn(): boolean {
		const { continueOnFail } = this.host;
		const { isBatch } = this.definition;
		const sendsOthers = isBatch ? this.options.invalidItems !== 'stop' : continueOnFail;
		return this.entries.every(({ outcome }) => {
			if (outcome === undefined) return true;
			if (outcome.status === 'invalid') return sendsOthers;
			return !isFailure(outcome) || isBatch || continueOnFail;
		});
	}

	private async check(): Promise<void> {
		const { check, executeAll } = this.definition;
		if (check === undefined) return;
		await forEachConcurrently(this.open, async (entry) => {
			try {
				entry.prepared = await check(entry.prepared, this.clientOf(entry), entry.item);
			} catch (error) {
				const outcome = outcomeOfCheck(error);
				// One request for many items has its receipt under one of them.
				const owner = executeAll === undefined ? entry.index : undefined;
				const hasSteps = this.receipts!.hasSteps(owner);
				this.end(entry, hasSteps ? stillUnknown(outcome) : outcome);
			}
		});
	}

	private async send(): Promise<void> {
		const { limiter, stopRule } = this.context!;
		const { open } = this;
		if (open.length === 0) return;
		const { verb = 'carried out' } = this.definition;
		const progress = new Progress(open.length, verb, this.host);
		await forEachConcurrently(open, async (entry) => {
			const refusal = await this.refusal(entry, () => limiter.isClosed);
			const outcome = refusal ?? (await this.sendOne(entry));
			if (refusal === undefined)
				for (const guard of this.guards) guard.done?.(entry, outcome);
			else if (stopRule.stopsAt(refusal)) limiter.close();
			this.end(entry, outcome);
			progress.count(outcome);
		});
	}

	/** @returns the outcome of the first guard that refuses */
	private async refusal(
		entry: OpenEntry,
		isStopped: () => boolean,
	): Promise<Outcome | undefined> {
		for (const guard of this.guards) {
			const refusal = guard.check && (await guard.check(entry, isStopped));
			if (refusal !== undefined) return refusal;
		}
		return undefined;
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
		const items = entries.length;
		// Paired with two items, so that n8n says that it can't tell which one is meant.
		const pairedItem = [{ item: entries[0].index }, { item: entries[items - 1].index }];
		const extraResult = (prepared: Prepared, outcome: Outcome) => {
			const entry = { ...entries[0], prepared, identity: {}, pairedItem };
			entries.push(entry);
			this.end(entry, outcome);
		};
		const clientOf = (entry: OpenEntry) => this.clientOf(entry);
		const outcomes = await this.definition.executeAll!(open, clientOf, { items, extraResult });
		for (const entry of open) this.end(entry, outcomes.get(entry.index) ?? NOT_STARTED);
	}

	private clientOf({ index, identity, prepared }: Entry): Client {
		const resendUnknown = prepared?.resendUnknown === true;
		return new Client(this.context!, { index, identity, resendUnknown });
	}

	/** Keeps entries unknown that an earlier try left unknown. */
	private keepUnknown(): void {
		if (!this.isRetry) return;
		for (const entry of this.entries) {
			const { index, identity, outcome } = entry;
			if (outcome === undefined || outcome.status === 'done') continue;
			const isUnknown = this.receipts?.find(String(index), identity)?.state === 'unknown';
			if (isUnknown) entry.outcome = stillUnknown(outcome);
		}
	}

	private get open(): OpenEntry[] {
		return this.entries.filter(
			(entry): entry is OpenEntry =>
				entry.outcome === undefined && entry.prepared !== undefined,
		);
	}

	private end(entry: Entry, outcome: Outcome): void {
		entry.outcome = outcome;
		if (isFailure(outcome) && !outcome.isNotStarted) this.firstFailed ??= entry;
	}

	private endOpen(outcome: Outcome): void {
		for (const entry of this.open) this.end(entry, outcome);
	}
}
