import type { IDataObject } from 'n8n-workflow';
import type { Connection, TimeLimits } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { isNothingFound, isNothingThere } from '../service/errorCodes';
import type { Budget } from './budget';
import { fingerprint } from '../fingerprint';
import type { Limiter } from './limiter';
import { ignoring, invalidNow, NOT_STARTED, StepFailed, type Failed, type Result } from './outcome';
import type { LostChange, Receipt, Receipts, RequestIdentity } from './receipts';
import { retryAfter } from './retryPolicy';
import type { StopRule } from './stopRule';
import {
	afterEarlierTry,
	failureOf,
	inDoubt,
	stillUnknown,
	untilShown,
	type LookUp,
} from './unknown';

/** State that the clients of all items of a run share. */
export interface RunContext {
	connection: Pick<Connection, 'request'>;
	limiter: Limiter;
	receipts: Receipts;
	budget: Budget;
	stopRule: StopRule;
	/** GETs that the run makes only once. */
	cache: Map<string, Promise<unknown>>;
	/** Lines above the output. */
	notes: Set<string>;
	/** The same, where the user should look at it. */
	warnings: Set<string>;
	/** How long answers to GETs may take that the run can do without. Milliseconds. */
	timeout?: number;
}

/** Of an item, what its requests need to know. */
interface RequestOwner {
	index: number;
	identity: RequestIdentity;
	/** Its change is made again although the answer to an earlier try was lost. */
	mayRepeat: boolean;
}

/** The parts of a change that depend on the time. */
interface AtStart {
	body?: IDataObject;
	/** Kept with the answer. */
	kept?: IDataObject;
	/** When the service is to carry it out, if later; milliseconds. */
	due?: number;
}

/** A request that changes something on the service. */
export interface Change extends ServiceRequest {
	/**
	 * Called when the request leaves, for what depends on the time: its date.
	 *
	 * @throws InputError where it may not leave any more
	 */
	atStart?: () => AtStart | undefined;
	/** Segments of a message, which cost credits. */
	segments?: number;
	/** Name of this request where an item makes several. */
	step?: string;
	/** The content that makes a step the same one at a retry. By default, the request. */
	content?: readonly unknown[];
	/** Repeating it does no harm: at once, such as emptying a list, or also by a retry, such as a deletion. */
	repeats?: 'atOnce' | 'always';
	/**
	 * `onceSent`: it is not broken off when the run is stopped. `always`: it completes an earlier step, so it is made
	 * although the run was stopped.
	 */
	evenIfStopped?: 'onceSent' | 'always';
	/**
	 * The result where a failure leaves nothing to do, such as adding what is there.
	 *
	 * @param wasLost the answer to an earlier try was lost, so that it may have done it
	 */
	successOf?: (failure: Failure, wasLost: boolean) => IDataObject | undefined;
	/** Asks the service for a step of an earlier execution whose answer got lost. @throws StepFailed */
	lookUp?: () => Promise<LookUp>;
	/** Tries several addresses of the same thing, each with `attempt`. */
	search?: <T>(attempt: (address: OtherAddress) => Promise<Result<T>>) => Promise<Result<T>>;
}

/** The parts of a request that differ at another address. */
export type OtherAddress = Partial<Pick<ServiceRequest, 'endpoint' | 'qs'>>;

/** Something to delete. Repeated also by a retry; deleting what isn't there is no failure. */
export interface Deletion extends Omit<Change, 'successOf' | 'atStart' | 'repeats'> {
	/** Whether a failure says that it isn't there. By default, code 16 or a 404 about the thing itself. */
	isNothing?: (failure: Failure) => boolean;
}

/** The part of a change by which it is recognised. */
type Step = Partial<Pick<Change, 'step' | 'content' | 'endpoint' | 'path' | 'qs' | 'body'>>;

type Expected = (failure: Failure) => boolean;

/** How long the answer may take that a run can do without. Milliseconds. */
export const PATIENCE = 10_000;

/** Requests of one item: limited, repeated where that is safe, with receipts for those that change something. */
export class Client {
	constructor(
		private readonly run: RunContext,
		private readonly owner: RequestOwner,
	) {}

	/**
	 * A GET, repeated while its failures may pass.
	 *
	 * @param expected a failure that the operation handles itself: it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async get<T>(request: ServiceRequest, read: Reader<T>, expected?: Expected): Promise<T> {
		const attempt = async () => await this.ask(request, read);
		return await this.inSlot(async () => await this.repeat(attempt, true), expected);
	}

	/**
	 * A GET of something that may not exist.
	 *
	 * @returns undefined where the service says that there is nothing
	 * @throws StepFailed
	 */
	async find<T>(
		request: ServiceRequest,
		read: Reader<T>,
		expected: Expected = () => false,
	): Promise<T | undefined> {
		const handles = (failure: Failure) => isNothingFound(failure) || expected(failure);
		return await this.get(request, read, handles).catch(ignoring(isNothingFound));
	}

	/**
	 * A GET that is made once in a run, however many items need it.
	 *
	 * @param nothing the result where the service says that there is nothing; by default, that is a failure
	 * @throws StepFailed
	 */
	async once<T>(request: ServiceRequest, read: Reader<T>, nothing?: T): Promise<T> {
		const key = JSON.stringify([request.endpoint, request.path, request.qs]);
		const ask = async () =>
			nothing === undefined
				? await this.get(request, read)
				: ((await this.find(request, read)) ?? nothing);
		return await this.cached(key, ask);
	}

	/** Work that is done once in a run, however many items need it. */
	async cached<T>(key: string, work: () => Promise<T>): Promise<T> {
		const { cache } = this.run;
		if (!cache.has(key)) cache.set(key, work());
		return (await cache.get(key)) as T;
	}

	/**
	 * A GET that the run can do without: its failure stops nothing.
	 *
	 * @returns undefined where there was no answer, or none soon
	 */
	async tryGet<T>(request: ServiceRequest, read: Reader<T>): Promise<T | undefined> {
		const attempt = async () => await this.ask(request, read, { timeout: PATIENCE });
		const ignored = () => true;
		return await this.inSlot(attempt, ignored).catch(() => undefined);
	}

	/**
	 * Sends, adds or changes something. A try of this execution that was accepted is not made again; nor one that is
	 * unknown, unless that does no harm or the user allowed it.
	 *
	 * @returns what was read from the answer, now or at the earlier try
	 * @throws StepFailed
	 */
	async change<T extends IDataObject>(change: Change, read: Reader<T>): Promise<T> {
		const { repeats, lookUp } = change;
		const isSafe = repeats !== undefined;
		const evenIfStopped = change.evenIfStopped === 'always';
		let isAbsent = false;
		const nextStep = () =>
			afterEarlierTry(this.receiptOf(change), {
				isHarmless: repeats === 'always',
				looksUp: lookUp !== undefined && !isAbsent,
				mayRepeat: this.owner.mayRepeat || isAbsent,
			});
		const next = nextStep();
		if (next === 'lookUp') await this.wait(untilShown(this.receiptOf(change)));
		const before = next === 'lookUp' ? await this.lookUp(lookUp!, change) : next;
		isAbsent = before === 'absent';
		if (typeof before === 'object') {
			if ('value' in before) return before.value as T;
			throw this.refuse(before);
		}
		let wasLost = this.receiptOf(change)?.state === 'unknown';
		let isLost = false;
		const attempt = async (): Promise<Result<T>> => {
			// While this one waited for its slot or its next try, the same call of a tool may have begun.
			const same = isLost ? 'make' : nextStep();
			if (typeof same === 'object') return same as Result<T>;
			const result = await this.attempt(change, wasLost, read);
			isLost = !('value' in result) && result.status === 'unknown';
			wasLost ||= isLost;
			return result;
		};
		const work = async () => {
			const result = await this.repeat(attempt, isSafe, evenIfStopped);
			return 'value' in result || !wasLost ? result : (stillUnknown(result) as Failed);
		};
		return await this.inSlot(work, undefined, evenIfStopped);
	}

	/**
	 * @returns whether it was deleted; true also for what is gone after a lost answer, since that try may have deleted it
	 * @throws StepFailed
	 */
	async delete(deletion: Deletion, read: Reader<object>): Promise<boolean> {
		const { isNothing = isNothingFound, ...request } = deletion;
		const change: Change = {
			...request,
			repeats: 'always',
			successOf(failure, wasLost) {
				if (wasLost && isNothingThere(failure)) return { deleted: true };
				return isNothing(failure) ? { deleted: false } : undefined;
			},
		};
		const { deleted } = await this.change<IDataObject>(
			change,
			async (...answer) => (await read(...answer)) && { deleted: true },
		);
		return deleted !== false;
	}

	/**
	 * Asks the service for a change of an earlier try whose answer got lost.
	 *
	 * @returns its result, from now on also as its receipt; why it stays unknown; or that nothing is there. Never throws.
	 */
	async lookUp(ask: (lost: LostChange) => Promise<LookUp>, change: Step = {}): Promise<LookUp> {
		const { receipts } = this.run;
		const [index, identity] = this.identityOf(change);
		const receipt = receipts.find(index, identity);
		if (receipt?.state !== 'unknown') return 'absent';
		const siblings = () => receipts.toTarget(identity.target);
		const found = await ask({ ...receipt, siblings }).catch((error: unknown) =>
			inDoubt(`the look-up failed: ${failureOf(error).message}`),
		);
		if (found !== 'absent' && 'value' in found) receipts.accept(index, identity, found.value);
		return found;
	}

	/** Keeps values of the item for a retry, such as those of a contact that is about to be deleted. */
	keep(name: string, values: IDataObject): void {
		this.run.receipts.accept(...this.identityOf({ step: name, content: [name] }), values);
	}

	/** Values that an earlier try, or this one, has kept. */
	kept(name: string): IDataObject | undefined {
		const receipt = this.receiptOf({ step: name, content: [name] });
		return receipt?.state === 'accepted' ? receipt.answer : undefined;
	}

	/** Whether an earlier try may have made the one change of the item. */
	get isUnknown(): boolean {
		return this.receiptOf({})?.state === 'unknown';
	}

	/** The record of the execution, for guards. */
	get receipts(): Receipts {
		return this.run.receipts;
	}

	/** How many requests of the run may be in flight now. */
	get concurrency(): number {
		return this.run.limiter.concurrency;
	}

	/** Ends the item with a failure, which may stop the run. */
	refuse(failure: Failed, expected?: Expected): StepFailed {
		const { stopRule, limiter } = this.run;
		if (expected?.(failure) !== true && stopRule.stopsAt(failure)) limiter.close();
		return new StepFailed(failure);
	}

	/** Something that the user should know of the run, beside its items; undefined for nothing. */
	note(text: string | undefined): void {
		if (text !== undefined) this.run.notes.add(text);
	}

	/** The same, where the user should look at it. */
	warn(text: string): void {
		this.run.warnings.add(text);
	}

	/** Waits without holding a slot. @throws StepFailed when the run was stopped meanwhile */
	async wait(milliseconds: number): Promise<void> {
		if (!(await this.run.limiter.wait(milliseconds))) throw new StepFailed(NOT_STARTED);
	}

	/** The way of every request: a slot, and the stop of the run where it fails. */
	private async inSlot<T>(
		work: () => Promise<Result<T>>,
		expected?: Expected,
		evenIfStopped = false,
	): Promise<T> {
		const { limiter, stopRule } = this.run;
		if (!(await limiter.acquire(evenIfStopped))) throw new StepFailed(NOT_STARTED);
		try {
			const result = await work();
			// Before the slot is given on: nothing may start after a stop.
			if (!('value' in result)) throw this.refuse(result, expected);
			stopRule.stopsAt({ status: 'done' });
			return result.value;
		} finally {
			limiter.release();
		}
	}

	/** Tries, and again after failures that may pass, as far as that is safe. */
	private async repeat<T>(
		attempt: () => Promise<Result<T>>,
		isSafe: boolean,
		evenIfStopped = false,
	): Promise<Result<T>> {
		const { limiter } = this.run;
		let result: Result<T> = NOT_STARTED;
		for (let tries = 1, waited = 0; ; tries++) {
			const next = await attempt();
			// It was stopped before another try: the last one has said more.
			if (next === NOT_STARTED) break;
			result = next;
			if ('value' in result) break;
			const after = retryAfter(result, { isSafe, tries, waited });
			if (after === undefined) break;
			if (result.retryAfterMs !== undefined) limiter.pause(after);
			waited += after;
			if (!(await limiter.wait(after, evenIfStopped))) break;
		}
		return result;
	}

	/** A request at the pace of the run. */
	private async ask<T>(
		request: ServiceRequest,
		read: Reader<T>,
		limits?: TimeLimits,
	): Promise<Result<T>> {
		const { limiter, connection, timeout } = this.run;
		if (!(await limiter.nextTurn())) return NOT_STARTED;
		return await connection.request(request, read, { timeout, ...limits });
	}

	/** Makes a change once, at the pace of the run: it has a receipt from before its request leaves. */
	private async attempt<T extends IDataObject>(
		change: Change,
		wasLost: boolean,
		read: Reader<T>,
	): Promise<Result<T>> {
		const { limiter, connection, budget, receipts } = this.run;
		const { endpoint, path, qs, body, segments, search, evenIfStopped } = change;
		const limits = { evenIfCancelled: evenIfStopped !== undefined };
		const receipt = receipts.begin(...this.identityOf(change));
		let start: AtStart | undefined;
		// Each address is a request of its own for the pace.
		const send = async (address?: OtherAddress): Promise<Result<T>> => {
			if (!(await limiter.nextTurn(evenIfStopped === 'always'))) return NOT_STARTED;
			try {
				if (start === undefined) receipt.leaves((start = change.atStart?.() ?? {}).due);
			} catch (error) {
				return invalidNow(error);
			}
			const own = { endpoint, path, qs, body: start.body ?? body };
			return await connection.request({ ...own, ...address }, read, limits);
		};
		const make = async () => await (search === undefined ? send() : search(send));
		// The first price is waited for before the pace.
		const result =
			segments === undefined
				? await make()
				: await budget.pay(segments, make, () => limiter.isClosed);
		const value =
			'value' in result
				? { ...result.value, ...start?.kept }
				: (change.successOf?.(result, wasLost) as T | undefined);
		if (value !== undefined) {
			receipt.accepted(value);
			return { value };
		}
		const failure = result as Failed;
		if (failure.status !== 'unknown') receipt.notSent();
		return failure;
	}

	private receiptOf(change: Step): Receipt | undefined {
		return this.run.receipts.find(...this.identityOf(change));
	}

	/** The one change of an item is known by the item; a step by its content. */
	private identityOf({ step, content, ...request }: Step): [number, RequestIdentity] {
		const { index, identity } = this.owner;
		if (step === undefined) return [index, identity];
		const { endpoint, path, qs, body } = request;
		const checksum = fingerprint(...(content ?? [endpoint, path, qs, body]));
		return [index, { target: identity.target, content: checksum, step }];
	}
}
