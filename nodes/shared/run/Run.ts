import type { IContextObject, INode } from 'n8n-workflow';
import { Connection } from '../http/connection';
import { judgeError, type Failure } from '../http/failure';
import { retryPolicy } from '../http/retry';
import { readPace } from '../fields/pace';
import { InputError } from '../service/InputError';
import { Delivery } from './Delivery';
import { fingerprint } from './fingerprint';
import { Gate } from './Gate';
import type { Definition, Item, Prepared } from './operation';
import {
	EARLIER_UNKNOWN,
	fateOf,
	isFailure,
	notBegun,
	NOT_STARTED,
	StepFailed,
	stillUnknown,
	type Outcome,
	type Ticket,
} from './outcome';
import { stopAtFirstFailure, type Candidate, type Stage } from './policy';
import { Receipts, type Identity, type Receipt } from './Receipts';
import { report, type Report } from './report';
import { Requests, type RunOfRequests } from './Requests';
import { inSlices } from './slices';

/** What a run needs to know of n8n, whatever runs the node. */
export interface RunHost {
	node: INode;
	/** The user has chosen to continue on fail. */
	continues: boolean;
	runIndex: number;
	/** An agent invokes the node as a tool. */
	isTool: boolean;
	/** n8n's node context: it survives Retry On Fail and "Retry execution". */
	memory: IContextObject;
	signal: AbortSignal | undefined;
	/** Reads the credential. Never throws. */
	connect(): Promise<Connection | Failure>;
}

/** One item of the run. */
export interface Entry<P extends Prepared> {
	index: number;
	item: Item;
	prepared?: P;
	/** What tells at a retry whether it was made before. */
	identity: Identity;
	outcome?: Outcome;
}

/**
 * One run of an operation, whatever runs it: all items are read and checked, admitted by the stages,
 * carried out through one Delivery, and reported. The only place that knows this order.
 */
export class Run<P extends Prepared> {
	private readonly entries = new Map<number, Entry<P>>();
	private readonly shared = new Map<string, Promise<unknown>>();
	private readonly notes = new Set<string>();
	/** In the order in which they happened: an error is about the first. */
	private readonly failed: number[] = [];

	constructor(
		private readonly host: RunHost,
		private readonly definition: Definition<P>,
	) {}

	has(index: number): boolean {
		return this.entries.has(index);
	}

	get size(): number {
		return this.entries.size;
	}

	/** Reads and checks one item, without a request. Never throws. */
	register(item: Item): void {
		const intent = this.intentOf(item);
		const entry: Entry<P> = {
			index: item.index,
			item,
			identity: { essence: undefined, intent },
		};
		this.entries.set(item.index, entry);
		try {
			const prepared = this.definition.prepare(item);
			const essence = prepared.essence && fingerprint(...prepared.essence);
			entry.prepared = prepared;
			entry.identity = { essence, intent, ...duplicateOf(prepared) };
		} catch (error) {
			entry.outcome = invalid(error);
		}
	}

	/** Carries all registered items out. Never throws. */
	async finish(stages: Array<Stage<P>>): Promise<Report> {
		const { host, definition } = this;
		const policy = definition.policy ?? stopAtFirstFailure;
		const judge = policy.judge(host.continues);
		const connection = await host.connect();
		const problems: string[] = [];
		let receipts: Receipts | undefined;
		let isRetry = false;
		try {
			receipts = new Receipts(host.memory, host.runIndex, host.isTool);
			isRetry = this.knownOf(receipts).size > 0;
			const started = this.start(connection, receipts, judge.stopsAt.bind(judge));
			this.refuseExpired(receipts);
			if (this.mayGoOn) await this.checkAll(started);
			if (this.mayGoOn) await this.carryOutAll(started, stages, problems);
		} catch (error) {
			// Nothing has left now: what can be thrown here comes before the first item.
			if (receipts !== undefined) this.endKnown(receipts);
			this.endOpen(error instanceof InputError ? invalid(error) : notBegun(failureOf(error)));
		}
		const told = report({
			node: host.node,
			runIndex: host.runIndex,
			continues: host.continues,
			failuresAre: policy.failuresAre,
			clean: connection instanceof Connection ? connection.clean : (text) => text,
			entries: [...this.entries.values()].sort((a, b) => a.index - b.index),
			firstFailed: this.failed[0],
			stoppedBy: judge.stoppedBy,
			problems: problems.filter(Boolean),
			notes: [...this.notes],
			isRetry,
			definition,
		});
		if (told.error === undefined) receipts?.handOver();
		return told;
	}

	/** @throws InputError, StepFailed when the run can't begin */
	private start(
		connection: Connection | Failure,
		receipts: Receipts,
		stopsAt: (outcome: { status: string }) => boolean,
	): RunOfRequests {
		const [first] = this.entries.values();
		const gate = new Gate(readPace(first.item.options), this.host.signal);
		const isConnected = connection instanceof Connection;
		// What makes no request needs no credential that works.
		if (!isConnected && this.definition.request !== undefined) throw new StepFailed(connection);
		return {
			connection: isConnected
				? connection
				: { request: async () => await Promise.resolve(connection) },
			delivery: new Delivery(gate, retryPolicy, stopsAt),
			receipts,
			shared: this.shared,
			notes: this.notes,
		};
	}

	private get open(): Array<Entry<P> & { prepared: P }> {
		return [...this.entries.values()].filter(isOpen);
	}

	/** No item was found that can't go, or the user continues on fail. */
	private get mayGoOn(): boolean {
		const entries = [...this.entries.values()];
		return this.host.continues || entries.every(({ outcome }) => outcome === undefined);
	}

	/** What is known of items from an earlier try. */
	private knownOf(receipts: Receipts): Map<Entry<P>, Receipt> {
		const known = new Map<Entry<P>, Receipt>();
		for (const entry of this.entries.values()) {
			const receipt = this.receiptOf(entry, receipts);
			if (receipt !== undefined) known.set(entry, receipt);
		}
		return known;
	}

	/** Where this try can do nothing: what an earlier one has done stays done. */
	private endKnown(receipts: Receipts): void {
		for (const [entry, receipt] of this.knownOf(receipts)) {
			if (!isOpen(entry)) continue;
			this.end(
				entry,
				receipt.state === 'accepted'
					? { status: 'done', value: receipt.kept }
					: EARLIER_UNKNOWN,
			);
		}
	}

	private endOpen(outcome: Outcome): void {
		for (const entry of this.open) this.end(entry, outcome);
	}

	private end(entry: Entry<P>, outcome: Outcome): void {
		entry.outcome = outcome;
		if (isFailure(outcome) && outcome !== NOT_STARTED) this.failed.push(entry.index);
	}

	/** Checksum of what makes the request, as typed, and of the input item. */
	private intentOf({ json }: Pick<Item, 'json'>): string | undefined {
		const { parameters } = this.host.node;
		const { madeOf } = this.definition;
		return (
			madeOf &&
			fingerprint(
				madeOf.map((name) => parameters[name]),
				json,
			)
		);
	}

	private receiptOf({ index, identity }: Entry<P>, receipts: Receipts): Receipt | undefined {
		return receipts.find(String(index), identity);
	}

	/** A date may have passed since the message was accepted, but not before. */
	private refuseExpired(receipts: Receipts): void {
		for (const entry of this.open) {
			const { expired } = entry.prepared;
			if (expired === undefined) continue;
			if (this.receiptOf(entry, receipts) === undefined) entry.outcome = invalid(expired);
			else entry.prepared = { ...entry.prepared, resendUnknown: false };
		}
	}

	private requestsOf(started: RunOfRequests, { index, identity, prepared }: Entry<P>): Requests {
		return new Requests(started, {
			index,
			identity,
			resendUnknown: prepared?.resendUnknown === true,
		});
	}

	/** Makes the checks that need the service. */
	private async checkAll(started: RunOfRequests): Promise<void> {
		const { check } = this.definition;
		if (check === undefined) return;
		await Promise.all(
			this.open.map(async (entry) => {
				// What was accepted before has passed its checks; what they look up may be gone by now.
				if (this.receiptOf(entry, started.receipts) !== undefined) return;
				try {
					const requests = this.requestsOf(started, entry);
					entry.prepared = await check(entry.prepared, requests, entry.item);
				} catch (error) {
					this.end(
						entry,
						error instanceof StepFailed ? notBegun(error.failure) : invalid(error),
					);
				}
			}),
		);
	}

	/** @param problems gets what the stages have to say in the end */
	private async carryOutAll(
		started: RunOfRequests,
		stages: Array<Stage<P>>,
		problems: string[],
	): Promise<void> {
		const candidates = this.open.map(
			(entry): Candidate<P> => ({
				index: entry.index,
				prepared: entry.prepared,
				duplicate: entry.identity.duplicate,
			}),
		);
		if (candidates.length === 0) return;
		const { carryOutAll } = this.definition;
		if (carryOutAll !== undefined) {
			await this.carryOutTogether(started, candidates, carryOutAll);
			return;
		}
		const [first] = this.open;
		const underWay: Array<Promise<void>> = [];
		try {
			for (const stage of stages) {
				await stage.begin?.(candidates, {
					requests: this.requestsOf(started, first),
					madeBefore: this.madeBefore(candidates, started.receipts),
				});
			}
			await inSlices(candidates, (candidate) => {
				underWay.push(this.carryOutOne(started, stages, candidate));
			});
		} finally {
			await Promise.all(underWay);
			for (const stage of stages) problems.push((await stage.end?.()) ?? '');
		}
	}

	/** What an earlier try made, or may have, by what its duplicates are recognised by: then and now. */
	private madeBefore(candidates: Array<Candidate<P>>, receipts: Receipts): Map<string, number> {
		const made = receipts.duplicates();
		for (const { index, duplicate } of candidates) {
			if (duplicate === undefined || made.has(duplicate)) continue;
			if (this.receiptOf(this.entries.get(index)!, receipts)) made.set(duplicate, index);
		}
		return made;
	}

	private async carryOutOne(
		started: RunOfRequests,
		stages: Array<Stage<P>>,
		candidate: Candidate<P>,
	): Promise<void> {
		const entry = this.entries.get(candidate.index)!;
		const receipt = this.receiptOf(entry, started.receipts);
		const { prepared } = candidate;
		// What was accepted before, or must not be repeated, needs no admission: its receipt answers.
		const isAnswered = receipt?.state === 'accepted' || (receipt && !prepared.resendUnknown);
		const tickets: Ticket[] = [];
		let outcome: Outcome;
		try {
			const kept = isAnswered
				? undefined
				: await this.admit(started, stages, candidate, tickets);
			const requests = this.requestsOf(started, entry);
			outcome =
				kept ??
				({
					status: 'done',
					value: await this.definition.carryOut(prepared, requests, entry.item),
				} as const);
		} catch (error) {
			outcome = failureOf(error);
		}
		const wasUnknown =
			receipt?.state === 'unknown' || tickets.some((ticket) => ticket.wasUnknown);
		if (wasUnknown && outcome.status !== 'done' && outcome.status !== 'unknown') {
			outcome = stillUnknown(outcome);
		}
		for (const ticket of tickets) ticket.settle(fateOf(outcome));
		this.end(entry, outcome);
	}

	/**
	 * Leads an item through the stages.
	 *
	 * @param tickets gets those of the stages that it passed
	 * @returns what keeps it from being carried out, if anything does
	 */
	private async admit(
		{ delivery }: RunOfRequests,
		stages: Array<Stage<P>>,
		candidate: Candidate<P>,
		tickets: Ticket[],
	): Promise<Outcome | undefined> {
		for (const stage of stages) {
			if (delivery.gate.isClosed) return NOT_STARTED;
			try {
				const answer = stage.admit(candidate, () => delivery.gate.isClosed);
				const admission = answer instanceof Promise ? await answer : answer;
				if (admission === undefined) continue;
				if ('outcome' in admission) return delivery.settle(admission.outcome);
				tickets.push(admission.ticket);
			} catch (error) {
				return delivery.settle(notBegun(failureOf(error)));
			}
		}
		return undefined;
	}

	/** Requests for many items at once. */
	private async carryOutTogether(
		started: RunOfRequests,
		candidates: Array<Candidate<P>>,
		carryOutAll: NonNullable<Definition<P>['carryOutAll']>,
	): Promise<void> {
		const items = new Map(candidates.map(({ index, prepared }) => [index, prepared]));
		const [first] = this.open;
		// Each of its requests names its essence: what one item was made of says nothing of all of them.
		const together = { ...first, identity: { essence: undefined, intent: undefined } };
		try {
			const outcomes = await carryOutAll(items, this.requestsOf(started, together));
			for (const entry of this.open) this.end(entry, outcomes.get(entry.index)!);
		} catch (error) {
			this.endOpen(failureOf(error));
		}
	}
}

/** Whether an option was typed as an expression. */
export function isExpression({ parameters }: INode, option: string): boolean {
	const { options } = parameters as { options?: Record<string, unknown> };
	const typed = options?.[option];
	return typeof typed === 'string' && typed.startsWith('=');
}

function isOpen<P extends Prepared>(entry: Entry<P>): entry is Entry<P> & { prepared: P } {
	return entry.outcome === undefined && entry.prepared !== undefined;
}

function duplicateOf({ duplicateKey }: Prepared): Pick<Identity, 'duplicate'> {
	return duplicateKey === undefined ? {} : { duplicate: fingerprint(duplicateKey) };
}

function failureOf(error: unknown): Failure {
	return error instanceof StepFailed ? error.failure : judgeError(error);
}

/** What a check has thrown, as the outcome of its item. */
function invalid(error: unknown): Outcome {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}
