import type { IDataObject } from 'n8n-workflow';
import type { Connection, TimeLimits } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { jsonPieces } from '../service/jsonPieces';
import { Reading, type Collection } from '../service/records';
import type { Carrier } from './carrier';
import { asChange, type Address, type Change, type Deletion } from './changes';
import type { ItemReceipts } from './ItemReceipts';
import { HELD_BACK, invalid, type Attempted, type Failed } from './outcome';
import type { ReceiptBook } from './Receipts';
import { repeatOf } from './repeat';
import { inSlices } from './slices';
import { inAll } from './unknown';

/** How something is repeated, and what becomes of it. */
export interface Repetition<T> {
	/** It changes something, and does so again when it is repeated: sending, adding. */
	isSending?: boolean;
	/** For what changes something: where it is written down what becomes of it. */
	book?: ReceiptBook;
	/**
	 * What a failure comes to that leaves nothing to be done, such as a deletion of what isn't there.
	 *
	 * @param wasLost the answer to an earlier try was lost, so that it may have been this one's own doing
	 */
	comesTo?: (failure: Failure, wasLost: boolean) => T | undefined;
}

/** Finds out what became of a try whose fate is unknown. */
export type FindOut<T> = (lost: Failed) => Promise<Attempted<T>>;

/**
 * A place at the gate, which is entered with the first request. In it, requests are made one after the other, each
 * one at the pace of the run.
 */
export class Place {
	/** The gate was entered. */
	isEntered = false;
	/** A start was granted that no request has used yet. */
	private mayStart = false;

	/** @param finishes whether it completes what has begun, so that it goes on although the run was stopped */
	constructor(
		private readonly carrier: Carrier,
		private readonly connection: Pick<Connection, 'request' | 'requestLarge'>,
		private readonly receipts: ItemReceipts,
		private readonly finishes?: () => boolean,
	) {}

	/** Waits until a request may start. False: none may any more. */
	async start(): Promise<boolean> {
		const { gate } = this.carrier;
		if (this.mayStart) return true;
		this.mayStart = await (this.isEntered
			? gate.startSlot(this.finishes?.())
			: gate.enter(this.finishes?.()));
		this.isEntered ||= this.mayStart;
		return this.mayStart;
	}

	/** Makes a request once and judges its answer. */
	async request<T>(
		request: ServiceRequest,
		read: Reader<T>,
		limits: TimeLimits = {},
	): Promise<Attempted<T>> {
		if (!(await this.useStart())) return HELD_BACK;
		return await this.connection.request(request, read, { ...this.limits, ...limits });
	}

	/** The same for a collection that may be large, as `Requests.getLarge` reads it. */
	async requestLarge<T>(
		request: ServiceRequest,
		readRecord: (record: unknown) => T | undefined,
	): Promise<Attempted<Collection<T>>> {
		if (!(await this.useStart())) return HELD_BACK;
		const read = async (json: Uint8Array) => await readInSlices(json, readRecord);
		return await this.connection.requestLarge(request, read, this.limits);
	}

	/** Tries something; again after a failure that may pass, where that does no harm. */
	async repeat<T>(
		attempt: () => Promise<Attempted<T>>,
		{ isSending = false, book, comesTo }: Repetition<T> = {},
	): Promise<Attempted<T>> {
		const { gate, retry } = this.carrier;
		let result: Attempted<T> = HELD_BACK;
		let wasLost = book?.isUnknown() === true;
		for (let tries = 1, waited = 0; await this.start(); tries++) {
			book?.begin();
			const attemptedAt = Date.now();
			result = await attempt();
			const value = 'value' in result ? result.value : comesTo?.(result, wasLost);
			if (value !== undefined) book?.accepted(value as IDataObject);
			if ('value' in result) return result;
			if (value !== undefined) return { value };
			if (result.status === 'unknown') {
				wasLost = true;
				result = { ...result, attemptedAt };
			} else {
				book?.notCarriedOut();
			}
			const repeat = repeatOf(result, { isSending, tries, waited }, retry);
			if ('never' in repeat) break;
			if (result.retryAfterMs !== undefined) gate.pause(repeat.after);
			waited += repeat.after;
			if (!(await gate.wait(repeat.after, this.finishes?.()))) break;
		}
		return book === undefined ? result : inAll(result, wasLost);
	}

	/** A request that changes something, as `Requests.change` makes it. */
	async change<T extends IDataObject>(
		change: Change,
		read: Reader<T>,
		findOut: FindOut<T> = async (lost) => await Promise.resolve(lost),
	): Promise<Attempted<T>> {
		const settled = this.receipts.settled<T>(change);
		if (settled !== undefined) return settled;
		const { search = async (attempt) => await attempt({}) } = change;
		const attempt = async () => {
			const result = await search(async (address) => await this.make(change, address, read));
			const isLost = !('value' in result) && result.status === 'unknown';
			return isLost ? await findOut(result) : result;
		};
		return await this.repeat(attempt, {
			isSending: change.repeats === undefined,
			book: this.receipts.bookOf(change),
			// What it gives is what `read` and `comesTo` give.
			comesTo: change.comesTo as Repetition<T>['comesTo'],
		});
	}

	/** A deletion, as `Requests.delete` makes it. */
	async delete(
		deletion: Deletion,
		read: Reader<object>,
		findOut?: FindOut<IDataObject>,
	): Promise<Attempted<boolean>> {
		const readDeleted: Reader<IDataObject> = (...answer) =>
			read(...answer) && { deleted: true };
		const result = await this.change(asChange(deletion), readDeleted, findOut);
		return 'value' in result ? { value: result.value.deleted !== false } : result;
	}

	/** Makes the request of a change once, at one address. */
	private async make<T extends IDataObject>(
		{ endpoint, path, qs, body, atStart }: Change,
		address: Address,
		read: Reader<T>,
	): Promise<Attempted<T>> {
		const leaving = leave(atStart);
		if ('status' in leaving) return leaving;
		const { kept, ...parts } = leaving;
		const request = { endpoint, path, qs, body, ...parts, ...address };
		const result = await this.request(request, read);
		return 'value' in result && kept ? { value: { ...result.value, ...kept } } : result;
	}

	private async useStart(): Promise<boolean> {
		const mayStart = await this.start();
		this.mayStart = false;
		return mayStart;
	}

	/** What finishes something is not broken off by a stop of the execution. */
	private get limits(): TimeLimits {
		return { evenIfCancelled: this.finishes !== undefined };
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
		const { message, advice } = invalid(error);
		return { status: 'notSent', message, advice, transient: false, general: false };
	}
}
