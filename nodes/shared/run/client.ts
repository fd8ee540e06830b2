import type { IDataObject } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { isNothingFound } from '../service/errorCodes';
import type { Collection } from '../service/records';
import type { Carrier } from './carrier';
import { asChange, type Change, type Deletion } from './changes';
import { ItemReceipts, type RequestingItem } from './ItemReceipts';
import { failureOf, HELD_BACK, StepFailed, type Attempted, type Failed } from './outcome';
import { Place } from './Place';
import type { Receipts } from './Receipts';

/** What the requests of all items of a run have in common. */
export interface RunOfRequests {
	connection: Pick<Connection, 'request' | 'requestLarge'>;
	carrier: Carrier;
	receipts: Receipts;
	/** What is asked or done once for all items. */
	shared: Map<string, Promise<unknown>>;
	/** What the user should know of the run. */
	notes: Set<string>;
	/** What the user should look at. */
	warnings: Set<string>;
}

/** How requests are made in one place. */
interface Entering {
	expected?: (failure: Failure) => boolean;
	finishes?: () => boolean;
}

/** The requests of one item: all that an operation can ask of the service. */
export class Client {
	private readonly receipts: ItemReceipts;

	constructor(
		private readonly run: RunOfRequests,
		private readonly item: RequestingItem,
	) {
		this.receipts = new ItemReceipts(run.receipts, item);
	}

	/** The one change of the item was made by an earlier try, or may not be made again: its receipt answers. */
	get isSettled(): boolean {
		return this.item.isSettled;
	}

	/** An earlier try may have made the one change of the item. */
	get mayBeMade(): boolean {
		return this.item.known?.state === 'unknown';
	}

	/**
	 * A GET, repeated while its failures may pass.
	 *
	 * @param expected a failure that the operation handles itself, so that it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async get<T>(
		request: ServiceRequest,
		read: Reader<T>,
		expected?: (failure: Failure) => boolean,
	): Promise<T> {
		return await this.enter(
			async (place) => await place.repeat(async () => await place.request(request, read)),
			{ expected },
		);
	}

	/**
	 * A GET that the run can do without: it is made once, and its failure stops nothing.
	 *
	 * @param timeout milliseconds
	 * @returns without `found` where the service says that there is nothing; undefined where it gave no
	 *   answer that says anything
	 */
	async tryGet<T>(
		request: ServiceRequest,
		read: Reader<T>,
		timeout: number,
	): Promise<{ found?: T } | undefined> {
		const once = async (place: Place) => await place.request(request, read, { timeout });
		return await this.enter(once, { expected: () => true }).then(
			(found) => ({ found }),
			(error: unknown) => (isNothingFound(failureOf(error)) ? {} : undefined),
		);
	}

	/**
	 * A GET of something that may not exist.
	 *
	 * @param expected another failure that the operation handles itself
	 * @returns undefined where the service says that there is nothing
	 * @throws StepFailed, for an expected failure too
	 */
	async find<T>(
		request: ServiceRequest,
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
	 * A GET of a collection that may have hundreds of thousands of records. They are parsed and read in
	 * slices that leave room for n8n's other work.
	 *
	 * @param readRecord undefined for what is no such record
	 * @throws StepFailed
	 */
	async getAll<T>(
		request: ServiceRequest,
		readRecord: (record: unknown) => T | undefined,
		expected?: (failure: Failure) => boolean,
	): Promise<Collection<T>> {
		return await this.enter(
			async (place) =>
				await place.repeat(async () => await place.requestLarge(request, readRecord)),
			{ expected },
		);
	}

	/**
	 * A GET that is made once in a run, whatever the number of items that ask for it.
	 *
	 * @throws StepFailed
	 */
	async once<T>(request: ServiceRequest, read: Reader<T>): Promise<T> {
		const key = JSON.stringify([request.endpoint, request.path, request.qs]);
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

	/** What was done together is not needed any more. */
	forget(key: string): void {
		this.run.shared.delete(key);
	}

	/**
	 * A request that changes something. It leaves a receipt: what was accepted is not made again when
	 * the execution is retried, nor what may have been, unless the user allowed that.
	 *
	 * @returns what was read, also from the receipt of an earlier try
	 * @throws StepFailed
	 */
	async change<T extends IDataObject>(change: Change, read: Reader<T>): Promise<T> {
		return await this.enter(async (place) => await place.change(change, read), change);
	}

	/**
	 * A deletion: repeated at once while its failures may pass. It leaves a receipt: a later try doesn't
	 * delete what came since.
	 *
	 * @returns whether it was deleted; true also for what is gone after a lost answer, since this may have
	 *   deleted it, and false for what certainly wasn't there
	 * @throws StepFailed
	 */
	async delete(deletion: Deletion, read: Reader<object>): Promise<boolean> {
		return await this.enter(async (place) => await place.delete(deletion, read), deletion);
	}

	/** Whether an earlier try has deleted it, or may have. */
	wasDeleted(deletion: Deletion): boolean {
		const receipt = this.receipts.find(asChange(deletion));
		return receipt !== undefined && !('kept' in receipt && receipt.kept.deleted === false);
	}

	/**
	 * Requests of which a later one completes an earlier one, made in one place at the gate.
	 *
	 * @param work makes and repeats them
	 * @param how `expected`: a failure that the operation goes on from, so that it doesn't stop the run. `finishes`:
	 *   whether they complete what has begun, and are made although the run was stopped
	 * @throws StepFailed, for an expected failure too
	 */
	async inOnePlace<T>(
		work: (place: Place) => Promise<Attempted<T>>,
		how: Entering = {},
	): Promise<T> {
		const start = async (place: Place) =>
			(await place.start()) ? await work(place) : HELD_BACK;
		return await this.enter(start, how);
	}

	private async enter<T>(
		work: (place: Place) => Promise<Attempted<T>>,
		{ expected, finishes }: Entering = {},
	): Promise<T> {
		const { carrier, connection } = this.run;
		const place = new Place(carrier, connection, this.receipts, finishes);
		try {
			const result = await work(place);
			if (!('value' in result)) throw carrier.refuse(result, expected);
			// What an earlier try has made was counted then.
			if (place.isEntered) carrier.settle({ status: 'done', value: result.value });
			return result.value;
		} finally {
			if (place.isEntered) carrier.gate.leave();
		}
	}

	/**
	 * Ends the item with an answer that was understood and says no, as any other failure does: it may
	 * stop the run.
	 *
	 * @param expected a failure that the operation handles itself
	 */
	refuse(failure: Failed, expected?: (failure: Failed) => boolean): StepFailed {
		return this.run.carrier.refuse(failure, expected);
	}

	/** Maximum number of concurrent requests of the run. */
	get concurrency(): number {
		return this.run.carrier.gate.places;
	}

	/** Something that the user should know of the run, beside its items. */
	note(text: string): void {
		this.run.notes.add(text);
	}

	/** The same, where the user should look at it. */
	warn(text: string): void {
		this.run.warnings.add(text);
	}

	/**
	 * Waits without keeping a place at the gate.
	 *
	 * @throws StepFailed when the execution was cancelled or another item stopped the run
	 */
	async wait(milliseconds: number): Promise<void> {
		if (!(await this.canWait(milliseconds))) throw new StepFailed(HELD_BACK);
	}

	/** The same. @returns false when the execution was cancelled or another item stopped the run */
	async canWait(milliseconds: number): Promise<boolean> {
		return await this.run.carrier.gate.wait(milliseconds);
	}
}
