import type { IDataObject } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import { toWire, type ServiceRequest } from '../http/request';
import { isNothingFound, isNothingThere } from '../service/errorCodes';
import type { Delivery } from './Delivery';
import { fingerprint } from './fingerprint';
import { EARLIER_UNKNOWN, isFailure, NOT_STARTED, StepFailed, type Outcome } from './outcome';
import type { Identity, Receipts } from './Receipts';

/** A request that changes something. */
export interface Change extends ServiceRequest {
	/** Tells the changes of an item apart, where it makes several. */
	step?: string;
	/** What makes it the same one at a retry. By default, the request as it is sent. */
	essence?: readonly unknown[];
	/** It does no harm when repeated at once, after a lost answer: emptying a list. */
	repeatsAtOnce?: boolean;
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
	/**
	 * What a failure comes to that leaves nothing to be done. It is kept as an answer would be.
	 *
	 * @param wasLost an earlier try may have been carried out, so that it may be its doing
	 */
	comesTo?: (failure: Failure, wasLost: boolean) => IDataObject | undefined;
}

/** Something that is to be deleted. */
export interface Deletion extends Omit<Change, 'method' | 'comesTo'> {
	/**
	 * Tries several addresses of the same thing. By default, there is one.
	 *
	 * @param attempt makes the request at one address
	 * @returns what the whole comes to
	 */
	search?: (attempt: AttemptAt) => Promise<Attempted>;
	/** Whether a failure says that it isn't there. By default, code 16 or a 404 about the thing itself. */
	isNothing?: (failure: Failure) => boolean;
}

export type Attempted = { value: IDataObject } | Failure;
export type AttemptAt = (
	address: Pick<ServiceRequest, 'endpoint' | 'path' | 'url' | 'qs'>,
) => Promise<Attempted>;

/** What the requests of all items of a run have in common. */
export interface RunOfRequests {
	connection: Pick<Connection, 'request'>;
	delivery: Delivery;
	receipts: Receipts;
	/** What is asked or done once for all items. */
	shared: Map<string, Promise<unknown>>;
	/** What the user should know of the run. */
	notes: Set<string>;
}

/** Of an item, what its requests need to know. */
export interface RequestingItem {
	index: number;
	/** What tells at a retry whether its one change was made before. */
	identity: Identity;
	/** Make a request again whose fate is unknown. */
	resendUnknown: boolean;
	/** The step that all of its changes belong to, unless they name their own. */
	step?: string;
}

/** The requests of one item: all that an operation can ask of the service. */
export class Requests {
	constructor(
		private readonly run: RunOfRequests,
		private readonly item: RequestingItem,
	) {}

	/**
	 * A GET, repeated while its failures may pass.
	 *
	 * @param expected a failure that the operation goes on from, so that it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async get<T>(
		request: Omit<ServiceRequest, 'method'>,
		read: Reader<T>,
		expected?: (failure: Failure) => boolean,
	): Promise<T> {
		const { delivery, connection } = this.run;
		const outcome = await delivery.read<T>({
			expected,
			attempt: async () => await connection.request({ ...request, method: 'GET' }, read),
		});
		return valueOf(outcome);
	}

	/**
	 * A GET that the run can do without: it is made once, and its failure stops nothing.
	 *
	 * @param timeout milliseconds
	 * @returns undefined where it was not answered as it should be
	 */
	async tryGet<T>(
		request: Omit<ServiceRequest, 'method'>,
		read: Reader<T>,
		timeout: number,
	): Promise<T | undefined> {
		const { delivery, connection } = this.run;
		const get = { ...request, method: 'GET' as const };
		const outcome = await delivery.read<T>({
			expected: () => true,
			attempt: async () => {
				const result = await connection.request(get, read, { timeout });
				return 'value' in result ? result : { ...result, transient: false };
			},
		});
		return outcome.status === 'done' ? outcome.value : undefined;
	}

	/**
	 * A GET of what there may be nothing of.
	 *
	 * @param expected a further failure that the operation goes on from
	 * @returns undefined where the service says that there is nothing
	 * @throws StepFailed, for an expected failure too
	 */
	async find<T>(
		request: Omit<ServiceRequest, 'method'>,
		read: Reader<T>,
		expected: (failure: Failure) => boolean = () => false,
	): Promise<T | undefined> {
		const goesOn = (failure: Failure) => isNothingFound(failure) || expected(failure);
		return await this.get(request, read, goesOn).catch((error: unknown) => {
			if (error instanceof StepFailed && isNothingFound(error.failure)) return undefined;
			throw error;
		});
	}

	/**
	 * A GET that is made once in a run, whatever the number of items that ask for it.
	 *
	 * @throws StepFailed
	 */
	async once<T>(request: Omit<ServiceRequest, 'method'>, read: Reader<T>): Promise<T> {
		const key = JSON.stringify([toWire(request).url, request.qs]);
		return await this.together(key, async () => await this.get(request, read));
	}

	/**
	 * Work that is done once in a run, whatever the number of items that ask for it.
	 *
	 * @param key tells it apart from other work of the run
	 */
	async together<T>(key: string, work: () => Promise<T>): Promise<T> {
		const { shared } = this.run;
		const earlier = shared.get(key) as Promise<T> | undefined; // the key says what it gives
		if (earlier) return await earlier;
		const result = work();
		shared.set(key, result);
		return await result;
	}

	/**
	 * A request that changes something. It leaves a receipt: what was accepted is not made again when
	 * the execution is retried, nor what may have been, unless the user allowed that.
	 *
	 * @returns what was read, also from the receipt of an earlier try
	 * @throws StepFailed
	 */
	async change<T extends IDataObject>(change: Change, read: Reader<T>): Promise<T> {
		return await this.perform<T>(change, read);
	}

	/**
	 * A deletion: repeated at once while its failures may pass. It leaves a receipt: a later try doesn't
	 * delete what came since.
	 *
	 * @returns whether it was deleted; true also for what is gone after a lost answer, since this may have
	 *   deleted it, and false for what certainly wasn't there
	 * @throws StepFailed
	 */
	async delete(
		{ search, isNothing = isNothingFound, ...deletion }: Deletion,
		read: Reader<object>,
	): Promise<boolean> {
		const change: Change = {
			...deletion,
			method: 'DELETE',
			repeatsAtOnce: true,
			comesTo: (failure, wasLost) => {
				if (wasLost && isNothingThere(failure)) return { deleted: true };
				return isNothing(failure) ? { deleted: false } : undefined;
			},
		};
		const readDeleted: Reader<IDataObject> = (body, answer) =>
			read(body, answer) && { deleted: true };
		const { deleted } = await this.perform(change, readDeleted, { search, isDeletion: true });
		return deleted !== false;
	}

	private async perform<T extends IDataObject>(
		{
			step = this.item.step,
			essence,
			expected,
			comesTo,
			repeatsAtOnce = false,
			...request
		}: Change,
		read: Reader<T>,
		{ search, isDeletion = false }: { search?: Deletion['search']; isDeletion?: boolean } = {},
	): Promise<T> {
		const { connection, delivery, receipts } = this.run;
		const { index, identity: itself, resendUnknown } = this.item;
		const { method, url, qs, body } = toWire(request);
		const isItsOne = step === this.item.step && essence === undefined;
		const own = isItsOne ? itself.essence : undefined;
		const identity = {
			...itself,
			essence: own ?? fingerprint(...(essence ?? [method, url, qs, body])),
		};
		const key = step === undefined ? String(index) : `${index}:${step}`;
		const receipt = receipts.find(key, identity);
		// What this very request kept is what was read from its answer then.
		if (receipt?.state === 'accepted') return receipt.kept as T;
		if (receipt?.state === 'unknown' && !isDeletion && !resendUnknown) {
			return await valueOf(delivery.settle(EARLIER_UNKNOWN, expected));
		}
		const attempt = async (address = {}) =>
			await connection.request({ ...request, ...address }, read);
		const outcome = await delivery.change<IDataObject>({
			repeatsAtOnce,
			book: receipts.bookOf(key, identity),
			expected,
			comesTo,
			attempt: async () =>
				search === undefined ? await attempt() : await search(this.oneByOne(attempt)),
		});
		return valueOf(outcome) as T;
	}

	/** Further requests of one place at the gate keep to the pace, too. */
	private oneByOne(attempt: AttemptAt): AttemptAt {
		let isFirst = true;
		return async (address) => {
			if (!isFirst && !(await this.run.delivery.gate.startSlot())) return NOT_STARTED;
			isFirst = false;
			return await attempt(address);
		};
	}

	/**
	 * Ends the item with an answer that was understood and says no, as any other failure does: it may
	 * stop the run.
	 *
	 * @param expected a failure that the operation goes on from
	 */
	refuse(failure: Failure, expected?: (failure: Failure) => boolean): StepFailed {
		return new StepFailed(this.run.delivery.settle(failure, expected));
	}

	/** Something that the user should know of the run, beside its items. */
	note(text: string): void {
		this.run.notes.add(text);
	}

	/**
	 * Waits without keeping a place at the gate.
	 *
	 * @throws StepFailed when the execution was cancelled or another item stopped the run
	 */
	async wait(milliseconds: number): Promise<void> {
		if (!(await this.run.delivery.gate.wait(milliseconds))) throw new StepFailed(NOT_STARTED);
	}
}

function valueOf<T>(outcome: Outcome<T>): T {
	if (outcome.status === 'done') return outcome.value;
	if (isFailure(outcome)) throw new StepFailed(outcome);
	throw new StepFailed(NOT_STARTED);
}
