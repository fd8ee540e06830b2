import { expressionInFixedField } from '../fields/fixedMode';
import type { Item } from '../fields/item';
import { requireOneLimit } from '../fields/maxCredits';
import { readPace } from '../fields/pace';
import type { Options } from '../service/choices';
import type { InputError } from '../service/InputError';
import { Budget } from './budget';
import { forEach, forEachConcurrently } from '../chunks';
import { Client, type RunContext } from './client';
import { Progress } from './counts';
import { applyDryRun, describeDryRun, readDryRunOf } from './dryRun';
import type { Claims, End, Guard } from './guards';
import type { Host } from './host';
import { Limiter } from './limiter';
import type { Entry, LookUp, OpenEntry, OperationDefinition, Prepared } from './operation';
import {
	BESIDE_INVALID,
	failureOf,
	invalid,
	invalidForAll,
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
import { RETRY } from './retryPolicy';
import { neverStop, stopAtFirstFailure, stopWhenServiceFails } from './stopRule';

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
	private guards: Guard[] = [];
	private claims?: Claims;

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
		let rest: Outcome = NOT_STARTED;
		try {
			await run.carryOut();
		} catch (error) {
			// Before the first item is sent; `executeAll` throws only before its first change.
			rest = outcomeOfAll(error);
		}
		run.endOpen(rest);
		// The others of duplicates may be among those.
		if (run.reopen()) run.endOpen(rest);
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
		if (this.mistake !== undefined) {
			entry.outcome = invalidForAll(this.mistake);
			return entry;
		}
		try {
			const read = this.definition.prepare(item);
			const expired = item.forbidden ?? read.expired;
			const prepared = expired === undefined ? read : { ...read, expired };
			entry.prepared = prepared;
			entry.identity = identityOf(prepared);
		} catch (error) {
			this.end(entry, invalid(error));
		}
		return entry;
	}

	/** A person retries an execution that has changed something: all is done that can be done. */
	get isRetry(): boolean {
		return this.receipts?.isRetry === true;
	}

	/** @throws InputError, StepFailed before the first item is sent */
	private async carryOut(): Promise<void> {
		const { host, definition, entries } = this;
		const { memory, runIndex, executionId, isTool, execution, isManual, account } = host;
		const first = entries.find(({ prepared }) => prepared !== undefined) ?? entries[0];
		const { options } = first.item;
		this.options = options;
		this.receipts = new Receipts(memory, { runIndex, executionId, isTool });
		requireOneLimit(entries.filter(({ prepared }) => prepared).map(({ item }) => item));
		const dryRun = readDryRunOf(definition, { options, account, isManual });
		const lost = this.takeReceipts(this.receipts, dryRun !== undefined);
		if (dryRun !== undefined) applyDryRun(dryRun, definition, entries);
		this.context = this.contextOf(this.receipts, options);
		const found = await this.lookUp(lost);
		const info = { execution, isManual, account, options, dryRun, items: entries.length };
		Object.assign(this, { guards: [] }, definition.guards?.(info));
		await this.carryOutOpen(found);
		if (dryRun !== undefined) this.dryRun = describeDryRun(dryRun);
	}

	/**
	 * Ends entries that this execution has sent, or may have: the receipt is their result.
	 *
	 * @returns those that an earlier try may have sent, and that can be looked up
	 */
	private takeReceipts(receipts: Receipts, isDryRun: boolean): OpenEntry[] {
		const { resultOf = (kept) => kept, kind, lookUp } = this.definition;
		const lost: OpenEntry[] = [];
		for (const entry of this.open) {
			const { expired, resendUnknown } = entry.prepared;
			const receipt = receipts.take(String(entry.index), entry.identity);
			if (receipt === undefined) {
				if (expired) this.end(entry, invalid(expired));
			} else if (receipt.state === 'accepted')
				this.end(entry, { status: 'done', value: resultOf(receipt.answer) });
			else if (kind === 'delete') entry.mayRepeat = true;
			else if (receipt.isOwn || isDryRun) this.end(entry, unknownBefore());
			else if (lookUp !== undefined) lost.push(entry);
			else if (resendUnknown && !expired) entry.mayRepeat = true;
			else this.end(entry, expired ? invalid(expired) : unknownBefore());
		}
		return lost;
	}

	/**
	 * Looks up what an earlier try may have sent. The service may show late what it has accepted: what seems absent is
	 * looked up again before it is repeated.
	 *
	 * @returns those that were found
	 */
	private async lookUp(lost: readonly OpenEntry[]): Promise<OpenEntry[]> {
		const found: OpenEntry[] = [];
		const absent = await this.lookUpAll(lost, found);
		const wait = Math.max(0, ...absent.map((entry) => this.shownIn(entry)));
		if (wait === 0) return found;
		await this.context!.limiter.wait(wait);
		this.context!.cache.clear();
		for (const entry of absent) entry.mayRepeat = false;
		await this.lookUpAll(absent, found);
		return found;
	}

	/** Milliseconds until the service certainly shows the message of a lost request. */
	private shownIn({ index, identity }: OpenEntry): number {
		const receipt = this.receipts!.find(String(index), identity);
		if (receipt?.state !== 'unknown') return 0;
		const left = receipt.at + RETRY.shownAfter - Date.now();
		// The clock may have been set back.
		return Math.min(Math.max(0, left), RETRY.shownAfter);
	}

	/** @param found gets those that were found @returns those that are not there, and are to be repeated */
	private async lookUpAll(
		entries: readonly OpenEntry[],
		found: OpenEntry[],
	): Promise<OpenEntry[]> {
		const { resultOf = (kept) => kept } = this.definition;
		const absent: OpenEntry[] = [];
		await forEachConcurrently(entries, async (entry) => {
			const result = await this.lookUpOne(entry);
			const { expired } = entry.prepared;
			if (result === 'absent' && expired) this.end(entry, notAgain(expired));
			else if (result === 'absent') {
				entry.mayRepeat = true;
				absent.push(entry);
			} else if ('found' in result)
				this.end(entry, unknownBefore(result.message, result.found));
			else {
				this.receipts!.accept(String(entry.index), entry.identity, result.value);
				this.end(entry, { status: 'done', value: resultOf(result.value) });
				found.push(entry);
			}
		});
		return absent;
	}

	private async lookUpOne(entry: OpenEntry): Promise<LookUp> {
		const { prepared, identity, index } = entry;
		const receipt = this.receipts!.find(String(index), identity);
		if (receipt?.state !== 'unknown') return 'absent';
		const { unknown, due, has } = this.receipts!.toTarget(identity.target);
		const lost = { ...receipt, rivals: unknown - 1, due, isAnothers: has };
		try {
			return await this.definition.lookUp!(prepared, this.clientOf(entry), lost);
		} catch (error) {
			const message = `The answer was lost, and the look-up failed: ${failureOf(error).message}`;
			return { found: 'unclear', message };
		}
	}

	/** @throws InputError, StepFailed where there is no credential that works */
	private contextOf(receipts: Receipts, options: Options): RunContext {
		const { connection, signal, continueOnFail, memory, executionId } = this.host;
		const { request, isBatch, stopRule } = this.definition;
		const carriesOn = isBatch || (this.isRetry && !continueOnFail);
		// An operation without a request needs no credential.
		if (connection.problem !== undefined && request !== undefined)
			throw new StepFailed(connection.problem);
		const byDefault = continueOnFail ? neverStop : stopAtFirstFailure;
		const limiter = new Limiter(readPace(options), signal);
		return {
			connection: limiter.listenTo(connection),
			limiter,
			receipts,
			budget: new Budget(memory, options, executionId),
			stopRule: stopRule?.() ?? (carriesOn ? stopWhenServiceFails : byDefault)(),
			cache: new Map(),
			notes: this.notes,
			warnings: this.warnings,
		};
	}

	/** Checks the open entries, guards them and sends them. */
	private async carryOutOpen(found: readonly OpenEntry[]): Promise<void> {
		const { definition, claims } = this;
		await this.check();
		const [first] = this.open;
		if (this.mayGoOn && first)
			definition.compare?.(this.open, this.clientOf(first), this.endOne);
		if (!this.mayGoOn) {
			const isInvalid = this.entries.some(({ outcome }) => outcome?.status === 'invalid');
			return this.endOpen(isInvalid ? BESIDE_INVALID : NOT_STARTED);
		}
		const concerned = [...found, ...this.open];
		if (concerned.length === 0) return;
		try {
			await claims?.begin(concerned, this.clientOf(concerned[0]), this.endOne);
			for (const entry of found) claims?.done(entry, entry.outcome!);
			do {
				await this.guard();
				await (definition.executeAll === undefined ? this.send() : this.executeAll());
			} while (this.reopen() && !this.context!.limiter.isClosed);
		} finally {
			const { open } = this;
			const isCancelled = this.host.signal?.aborted === true;
			if (open.length > 0 && !isCancelled) await claims?.endUsed(open, this.endOne);
			const problem = await claims?.close();
			if (problem !== undefined) this.warnings.add(problem);
		}
	}

	/** Reopens duplicates of items that were not sent after all. @returns whether there are any */
	private reopen(): boolean {
		const outcomes = new Map(this.entries.map(({ index, outcome }) => [index, outcome]));
		for (const entry of this.entries) {
			const { outcome } = entry;
			if (outcome?.status !== 'skipped' || outcome.duplicateOf === undefined) continue;
			const { status, isSent } = outcomes.get(outcome.duplicateOf) as {
				status: string;
				isSent?: true;
			};
			if (!isSent && !['done', 'unknown', 'previewed'].includes(status))
				entry.outcome = undefined;
		}
		return this.open.length > 0;
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
				const hasSteps = this.receipts!.hasSteps(entry.identity, owner);
				this.end(entry, hasSteps ? stillUnknown(outcome) : outcome);
			}
		});
	}

	private async guard(): Promise<void> {
		for (const guard of this.guards) {
			const { open } = this;
			if (open.length > 0) await guard.begin(open, this.clientOf(open[0]), this.endOne);
		}
	}

	private async send(): Promise<void> {
		const { open, claims } = this;
		const { limiter, stopRule } = this.context!;
		const progress = new Progress(this.entries, this.definition, this.host);
		await forEachConcurrently(open, async (entry) => {
			const isStopped = () => limiter.isClosed;
			// One that is sent again has claimed its key at the first try.
			const refusal = entry.mayRepeat ? undefined : await claims?.claim(entry, isStopped);
			if (refusal === undefined) {
				this.end(entry, await this.sendOne(entry));
				claims?.done(entry, entry.outcome!);
			} else if (refusal === NOT_STARTED) return;
			else {
				if (stopRule.stopsAt(refusal)) limiter.close();
				this.end(entry, refusal);
			}
			progress.tell();
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
		const clientOf = (entry: OpenEntry) => this.clientOf(entry);
		const outcomes = await this.definition.executeAll!(open, clientOf, { items, extraResult });
		for (const entry of open) this.end(entry, outcomes.get(entry.index) ?? NOT_STARTED);
	}

	private clientOf({ index, identity, prepared, mayRepeat }: Entry): Client {
		// Steps have receipts of their own, by which a client knows what it may repeat.
		const repeats = mayRepeat === true || prepared?.resendUnknown === true;
		return new Client(this.context!, { index, identity, mayRepeat: repeats });
	}

	private get open(): OpenEntry[] {
		return this.entries.filter(
			(entry): entry is OpenEntry =>
				entry.outcome === undefined && entry.prepared !== undefined,
		);
	}

	/** The one door for outcomes. What was unknown before stays unknown, unless it was carried out. */
	private end(entry: Entry, outcome: Outcome): void {
		const { index, identity } = entry;
		const isUnknown = this.receipts?.find(String(index), identity)?.state === 'unknown';
		entry.outcome = isUnknown ? stillUnknown(outcome) : outcome;
	}

	private readonly endOne: End = (entry, outcome) => this.end(entry, outcome);

	private endOpen(outcome: Outcome): void {
		for (const entry of this.open) this.end(entry, outcome);
	}
}

/** Something that is not there, and can't be made again as it is set now. */
function notAgain({ message, description = '' }: InputError): Failed {
	const lost = `The answer to an earlier try was lost, and a look-up found nothing. ${message}`;
	return unknownBefore(lost, 'nothing', description);
}
