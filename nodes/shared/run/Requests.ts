import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import type { Connection } from '../http/connection';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import type { Delivery } from './Delivery';
import { fingerprint } from './fingerprint';
import { EARLIER_UNKNOWN, isFailure, NOT_STARTED, StepFailed, type Outcome } from './outcome';
import type { Identity, Receipts } from './Receipts';

/** A request that changes something. */
export interface Change extends ServiceRequest {
	method: IHttpRequestMethods;
	/** Tells the changes of an item apart, where it makes several. */
	step?: string;
	/** What makes it the same one at a retry. By default, the request as it is sent. */
	essence?: readonly unknown[];
	/** It does no harm when repeated at once, after a lost answer: emptying a list. */
	repeatsAtOnce?: boolean;
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
}

/** What the requests of all items of a run have in common. */
export interface RunOfRequests {
	connection: Pick<Connection, 'request'>;
	delivery: Delivery;
	receipts: Receipts;
	/** What is asked or done once for all items. */
	shared: Map<string, Promise<unknown>>;
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
	 * A GET that is made once in a run, whatever the number of items that ask for it.
	 *
	 * @throws StepFailed
	 */
	async once<T>(request: Omit<ServiceRequest, 'method'>, read: Reader<T>): Promise<T> {
		const key = JSON.stringify([request.url, request.qs]);
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
	 * A deletion: repeated at once while its failures may pass; what is gone after a lost answer counts as
	 * deleted. It leaves a receipt: a later try doesn't delete what came since.
	 *
	 * @throws StepFailed
	 */
	async delete(deletion: Omit<Change, 'method'>, read: Reader<IDataObject>): Promise<void> {
		const change = { ...deletion, method: 'DELETE' as const, repeatsAtOnce: true };
		await this.perform(change, read, {});
	}

	private async perform<T extends IDataObject>(
		{ step = this.item.step, essence, expected, repeatsAtOnce = false, ...request }: Change,
		read: Reader<T>,
		whenGone?: T,
	): Promise<T> {
		const { connection, delivery, receipts } = this.run;
		const { index, identity: itself, resendUnknown } = this.item;
		const { method, url, qs, body } = request;
		const own = step === undefined && essence === undefined ? itself.essence : undefined;
		const identity = {
			...itself,
			essence: own ?? fingerprint(...(essence ?? [method, url, qs, body])),
		};
		const key = step === undefined ? String(index) : `${index}:${step}`;
		const receipt = receipts.find(key, identity);
		// What this very request kept is what was read from its answer then.
		if (receipt?.state === 'accepted') return receipt.kept as T;
		if (receipt?.state === 'unknown' && whenGone === undefined && !resendUnknown) {
			return await valueOf(delivery.settle(EARLIER_UNKNOWN, expected));
		}
		const outcome = await delivery.change<T>({
			repeatsAtOnce,
			book: receipts.bookOf(key, identity),
			expected,
			whenGone,
			attempt: async () => await connection.request(request, read),
		});
		return valueOf(outcome);
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
