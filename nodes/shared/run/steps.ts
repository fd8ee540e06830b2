import type { IDataObject } from 'n8n-workflow';
import { isFailure, NOT_STARTED, type Delivery } from './Delivery';
import { fingerprint } from './fingerprint';
import type { Failure, Reader } from '../http/failure';
import type { ServiceRequest } from '../http/request';

/** Makes a request once and judges its answer. Never throws. */
export type Attempt = <T>(
	request: ServiceRequest,
	read: Reader<T>,
) => Promise<{ value: T } | Failure>;

/** Ends an item whose step did not succeed. */
export class StepFailed extends Error {
	constructor(readonly failure: Failure) {
		super(failure.message);
		this.name = 'StepFailed';
	}

	/** The same, with what the user has to know about the steps before. */
	after(advice: string, details: IDataObject): StepFailed {
		const { failure } = this;
		return new StepFailed({
			...failure,
			advice: [advice, failure.status === 'unknown' ? '' : failure.advice]
				.filter(Boolean)
				.join(' '),
			transient: false,
			details,
		});
	}
}

/** The requests of one item, for operations that need several of them. */
export class Steps {
	/**
	 * @param shared requests that all items of the run share
	 * @param key the item index
	 * @param intent checksum of the node's parameters as typed and of the input item
	 */
	constructor(
		private readonly delivery: Delivery,
		private readonly shared: Map<string, Promise<unknown>>,
		private readonly key: string,
		private readonly intent: string,
		private readonly attempt: Attempt,
		private readonly resendUnknown = false,
	) {}

	/**
	 * Makes a request with a place at the gate, retries and, unless it is a GET or DELETE, a receipt of
	 * its own: what was accepted isn't repeated when the execution is retried.
	 *
	 * @param name tells the steps of an item apart
	 * @param expected a failure that the operation goes on from, so that it doesn't stop the run
	 * @throws StepFailed, for an expected failure too
	 */
	async step<T>(
		name: string,
		request: ServiceRequest,
		read: Reader<T>,
		expected?: (failure: Failure) => boolean,
	): Promise<T> {
		const { method, url, qs, body } = request;
		const outcome = await this.delivery.perform({
			key: `${this.key}:${name}`,
			repeatable: method === 'GET' || method === 'DELETE',
			identity: { sent: fingerprint(method, url, qs, body), intent: this.intent },
			resendUnknown: this.resendUnknown,
			expected,
			attempt: async () => {
				const result = await this.attempt(request, read);
				return 'value' in result
					? { value: { answer: result.value } as IDataObject }
					: result;
			},
		});
		if (isFailure(outcome)) throw new StepFailed(outcome);
		return (outcome as { value: IDataObject }).value.answer as T;
	}

	/**
	 * A GET that is made once in a run, whatever the number of items that ask for it.
	 *
	 * @param url path below the base URL, beginning with /v2
	 * @throws StepFailed
	 */
	async once<T>(url: string, read: Reader<T>): Promise<T> {
		return await this.together(
			url,
			async () => await this.step(url, { method: 'GET', url }, read),
		);
	}

	/**
	 * Work that is done once in a run, whatever the number of items that ask for it.
	 *
	 * @param key tells it apart from other work of the run
	 */
	async together<T>(key: string, work: () => Promise<T>): Promise<T> {
		const earlier = this.shared.get(key);
		if (earlier) return (await earlier) as T;
		const result = work();
		this.shared.set(key, result);
		return await result;
	}

	/**
	 * Waits without keeping a place at the gate.
	 *
	 * @throws StepFailed when the execution was cancelled or another item stopped the run
	 */
	async wait(milliseconds: number): Promise<void> {
		if (!(await this.delivery.gate.wait(milliseconds))) throw new StepFailed(NOT_STARTED);
	}
}
