import type { IDataObject } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { isNothingFound, isNothingThere } from '../service/errorCodes';
import { jsonPieces } from '../service/jsonPieces';
import { Reading, type Collection } from '../service/records';
import {
	knownOf,
	mayHaveGone,
	type Attempted,
	type Carrier,
	type Repetition,
	type Task,
} from './carrier';
import { fingerprint } from './fingerprint';
import { failureOf, HELD_BACK, StepFailed, type Failed } from './outcome';
import type { Identity, Receipt, ReceiptBook, Receipts } from './Receipts';
import { inSlices } from './slices';

/** A request that changes something. */
export interface Change extends ServiceRequest {
	/**
	 * What is decided when the request leaves, such as its date; called again for each try.
	 *
	 * @returns the body, and what is kept with the answer
	 * @throws InputError where it may not leave any more
	 */
	atStart?: () => { body?: IDataObject; kept?: IDataObject };
	/** Tells the changes of an item apart, where it makes several. */
	step?: string;
	/** What makes a step the same one at a retry. By default, the request as it is sent. */
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
export interface Deletion extends Omit<Change, 'comesTo' | 'atStart'> {
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

export type AttemptAt = (
	address: Pick<ServiceRequest, 'endpoint' | 'path' | 'qs'>,
) => Promise<Attempted>;

/** Makes a request once and judges its answer. */
export type MakeRequest = <T>(
	request: ServiceRequest,
	read: Reader<T>,
) => Promise<{ value: T } | Failed>;

/** The same for a collection that may be large, as `Requests.getLarge` reads it. */
export type MakeLargeRequest = <T>(
	request: ServiceRequest,
	readRecord: (record: unknown) => T | undefined,
) => Promise<{ value: Collection<T> } | Failed>;

/** A place at the gate, in which several requests are made one after the other. */
export interface Place {
	/**
	 * Makes requests; again after a failure that may pass, where that does no harm.
	 *
	 * @param how with `finishes`, a stop of the execution doesn't break off the requests that are under way
	 */
	repeat: <T>(
		attempt: (make: MakeRequest, makeLarge: MakeLargeRequest) => Promise<Attempted<T>>,
		how?: Repetition,
	) => Promise<Attempted<T>>;
	/** `Requests.change`, in this place. */
	change: <T extends IDataObject>(
		change: Change,
		read: Reader<T>,
		how?: Finding<T>,
	) => Promise<Attempted<T>>;
	/** `Requests.delete`, in this place. */
	delete: (
		deletion: Deletion,
		read: Reader<object>,
		how?: Finding<IDataObject>,
	) => Promise<Attempted<boolean>>;
}

/** How a request of a place is repeated that leaves a receipt. */
export interface Finding<T> extends Pick<Repetition, 'finishes'> {
	/** What became of a try whose fate is unknown, where that can be found out. */
	findOut?: (lost: Failed) => Promise<Attempted<T>>;
}

/** A change as it is made: with the answers that its receipts give, or its task. */
interface Ready<T> {
	settled?: Attempted<T>;
	book: ReceiptBook;
	task: (request: MakeRequest, findOut?: Finding<T>['findOut']) => Task<T>;
}

/** Makes what is ready, in a place at the gate. */
interface Maker {
	make: <T>(ready: Ready<T>, how?: Finding<T>) => Promise<Attempted<T>>;
}

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

/** Of an item, what its requests need to know. */
export interface RequestingItem {
	index: number;
	/** What tells at a retry whether its one change was made before. */
	identity: Identity;
	/** What an earlier try has made of that change. */
	known: Receipt | undefined;
	/** That change is not made any more. */
	isSettled: boolean;
	/** Make a request again whose fate is unknown. */
	resendUnknown: boolean;
}

/** The requests of one item: all that an operation can ask of the service. */
export class Requests {
	constructor(
		private readonly run: RunOfRequests,
		private readonly item: RequestingItem,
	) {}

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
	 * @param expected a failure that the operation goes on from, so that it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async get<T>(
		request: ServiceRequest,
		read: Reader<T>,
		expected?: (failure: Failure) => boolean,
	): Promise<T> {
		const { carrier, connection } = this.run;
		const attempt = async () => await connection.request(request, read);
		return await carrier.make<T>({ expected, attempt });
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
		const { carrier, connection } = this.run;
		const attempt = async () => {
			const result = await connection.request(request, read, { timeout });
			return 'value' in result ? result : { ...result, transient: false };
		};
		return await carrier.make<T>({ expected: () => true, attempt }).then(
			(found) => ({ found }),
			(error: unknown) => (isNothingFound(failureOf(error)) ? {} : undefined),
		);
	}

	/**
	 * A GET of what there may be nothing of.
	 *
	 * @param expected a further failure that the operation goes on from
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
	async getLarge<T>(
		request: ServiceRequest,
		readRecord: (record: unknown) => T | undefined,
	): Promise<Collection<T>> {
		const { carrier, connection } = this.run;
		const read = async (json: Uint8Array) => await readInSlices(json, readRecord);
		const attempt = async () => await connection.requestLarge(request, read);
		return await carrier.make({ attempt });
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
		return await this.perform(this.ready<T>(change, read), change.expected);
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
		const ready = this.readyToDelete(deletion, read);
		const { deleted } = await this.perform(ready, deletion.expected);
		return deleted !== false;
	}

	/** What an earlier try has made of a deletion. */
	wasDeleted({ step, essence, ...request }: Deletion): boolean {
		const { key, identity } = this.nameOf(step, essence, request);
		const receipt = this.run.receipts.find(key, identity);
		return receipt !== undefined && !('kept' in receipt && receipt.kept.deleted === false);
	}

	/**
	 * Changes of which a later one completes an earlier one. They have one place at the gate, and those that
	 * finish what has begun are made although the run was stopped. What is repeated leaves no receipt: that is for
	 * an operation that reads at the service what is left to do.
	 *
	 * @param work makes and repeats them
	 * @param expected a failure that the operation goes on from, so that it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async inOnePlace<T>(
		work: (place: Place) => Promise<Attempted<T>>,
		expected?: (failure: Failure) => boolean,
	): Promise<T> {
		return await this.enter(work, { expected });
	}

	private async enter<T>(
		work: (place: Place & Maker) => Promise<Attempted<T>>,
		how: { expected?: (failure: Failure) => boolean; heldBack?: () => Failed },
	): Promise<T> {
		const { carrier, connection } = this.run;
		// Who enters may start a request.
		let mayStart = true;
		/** What makes the requests of one try: each one starts at the pace. */
		const makers = (finishes?: () => boolean) => {
			const limits = { evenIfCancelled: finishes !== undefined };
			const start = async () => {
				const may = mayStart || (await carrier.gate.startSlot(finishes?.()));
				mayStart = false;
				return may;
			};
			const make: MakeRequest = async (request, read) =>
				(await start()) ? await connection.request(request, read, limits) : HELD_BACK;
			const makeLarge: MakeLargeRequest = async (request, readRecord) =>
				(await start())
					? await connection.requestLarge(
							request,
							async (json) => await readInSlices(json, readRecord),
							limits,
						)
					: HELD_BACK;
			let isFirst = true;
			const again = () => {
				// Who repeats has waited for its start.
				mayStart ||= !isFirst;
				isFirst = false;
			};
			return { make, makeLarge, again };
		};
		const makeReady: Maker['make'] = async ({ settled, task }, { finishes, findOut } = {}) => {
			if (settled !== undefined) return settled;
			const { make, again } = makers(finishes);
			const { attempt, ...rest } = task(make, findOut);
			const once = async () => (again(), await attempt());
			return await carrier.makeHere({ ...rest, attempt: once }, finishes);
		};
		const place: Place & Maker = {
			make: makeReady,
			repeat: async (attempt, repetition = {}) => {
				const { make, makeLarge, again } = makers(repetition.finishes);
				const once = async () => (again(), await attempt(make, makeLarge));
				return await carrier.repeat(once, repetition);
			},
			change: async (change, read, finding) =>
				await makeReady(this.ready(change, read), finding),
			delete: async (deletion, read, finding) => {
				const result = await makeReady(this.readyToDelete(deletion, read), finding);
				return 'value' in result ? { value: result.value.deleted !== false } : result;
			},
		};
		return await carrier.inPlace(async () => await work(place), how);
	}

	/** @throws StepFailed */
	private async perform<T>(
		ready: Ready<T>,
		expected: ((failure: Failure) => boolean) | undefined,
	): Promise<T> {
		const { settled, book } = ready;
		if (settled !== undefined) {
			if ('value' in settled) return settled.value;
			throw this.refuse(settled, expected);
		}
		const heldBack = () => knownOf(HELD_BACK, book);
		return await this.enter(async ({ make }) => await make(ready), { expected, heldBack });
	}

	private readyToDelete(
		{ search, isNothing = isNothingFound, ...deletion }: Deletion,
		read: Reader<object>,
	): Ready<IDataObject> {
		const change: Change = {
			...deletion,
			repeatsAtOnce: true,
			comesTo: (failure, wasLost) => {
				if (wasLost && isNothingThere(failure)) return { deleted: true };
				return isNothing(failure) ? { deleted: false } : undefined;
			},
		};
		const readDeleted: Reader<IDataObject> = (body, answer) =>
			read(body, answer) && { deleted: true };
		return this.ready(change, readDeleted, { search, isDeletion: true });
	}

	private ready<T extends IDataObject>(
		{ step, essence, comesTo, repeatsAtOnce = false, atStart, ...request }: Change,
		read: Reader<T>,
		{
			search = async (attempt) => await attempt({ endpoint: request.endpoint }),
			isDeletion = false,
		}: { search?: Deletion['search']; isDeletion?: boolean } = {},
	): Ready<T> {
		const { receipts } = this.run;
		const { resendUnknown } = this.item;
		const { key, identity } = this.nameOf(step, essence, request);
		const receipt =
			identity === this.item.identity ? this.item.known : receipts.find(key, identity);
		const book = receipts.bookOf(key, identity);
		const isOpen = isDeletion || resendUnknown;
		const task: Ready<T>['task'] = (make, findOut) => {
			const attempt: AttemptAt = async (address) => {
				const leaving = leave(atStart);
				if ('status' in leaving) return leaving;
				const { kept, ...parts } = leaving;
				const result = await make({ ...request, ...parts, ...address }, read);
				return 'value' in result && kept ? { value: { ...result.value, ...kept } } : result;
			};
			const once = async () => {
				const result = await search(attempt);
				const isLost = !('value' in result) && result.status === 'unknown';
				return isLost && findOut !== undefined ? await findOut(result) : result;
			};
			// What it gives is what `read` and `comesTo` give.
			const attemptIt = once as () => Promise<Attempted<T>>;
			const result = comesTo as Task<T>['comesTo'];
			return { attempt: attemptIt, isSending: !repeatsAtOnce, book, comesTo: result };
		};
		// What this very request kept is what was read from its answer then.
		if (receipt?.state === 'accepted')
			return { settled: { value: receipt.kept as T }, book, task };
		if (receipt?.state === 'unknown' && !isOpen) return { settled: mayHaveGone(), book, task };
		return { book, task };
	}

	private nameOf(
		step: string | undefined,
		essence: readonly unknown[] | undefined,
		request: ServiceRequest,
	): { key: string; identity: Identity } {
		const { index } = this.item;
		const key = step === undefined ? String(index) : `${index}:${step}`;
		return { key, identity: this.identityOf(step, essence, request) };
	}

	/** The one change of an item is known by the item; a step by what it is made of. */
	private identityOf(
		step: string | undefined,
		essence: readonly unknown[] | undefined,
		{ endpoint, path, qs, body }: ServiceRequest,
	): Identity {
		const { identity } = this.item;
		const isItsOne = step === undefined && essence === undefined;
		if (isItsOne && identity.essence !== undefined) return identity;
		const made = essence ?? [endpoint, path, qs, body];
		return { ...identity, essence: fingerprint(...made) };
	}

	/**
	 * Ends the item with an answer that was understood and says no, as any other failure does: it may
	 * stop the run.
	 *
	 * @param expected a failure that the operation goes on from
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

/** @returns undefined for what is no such collection */
async function readInSlices<T>(
	json: Uint8Array,
	readRecord: (record: unknown) => T | undefined,
): Promise<Collection<T> | undefined> {
	const reading = new Reading(readRecord);
	return await inSlices(jsonPieces(json), (records) => reading.add(records)).then(
		() => reading.collection,
		(error: unknown) => {
			if (error instanceof SyntaxError) return undefined;
			throw error;
		},
	);
}

/** What is decided now that a request leaves; where it may not leave any more, why. */
function leave(atStart: Change['atStart']): Failed | { body?: IDataObject; kept?: IDataObject } {
	try {
		return atStart?.() ?? {};
	} catch (error) {
		const { message, description = '' } = error as { message: string; description?: string };
		return {
			status: 'notSent',
			message,
			advice: description,
			transient: false,
			general: false,
		};
	}
}
