import type {
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { judgeAnswer, judgeError, type Answer, type Reader } from './outcome';
import type { ServiceRequest } from './request';
import { RoutedRun } from './RoutedRun';
import type { Attempt, Steps } from './steps';

/** The request of one item, checked and ready to leave. */
export interface Prepared {
	method?: IHttpRequestMethods;
	/** Path below the base URL, beginning with /v2. */
	url?: string;
	qs?: IDataObject;
	body?: IDataObject | IDataObject[];
	/** Whom or what it is about, such as the phone number: named in errors and lists. */
	subject?: string;
	/** Fields that the result has beside the service's answer. */
	extra?: IDataObject;
	resendUnknown?: boolean;
	duplicateKey?: string;
}

/** How a declarative operation talks to the service. */
interface OperationBase<P extends Prepared> {
	method: IHttpRequestMethods;
	/** Path below the base URL, beginning with /v2; `prepare` may give another one for an item. */
	url: string;
	/**
	 * Reads the parameters of one item and checks them. Runs for all items before the first request
	 * leaves.
	 *
	 * @throws InputError for what the user has to correct
	 */
	prepare: (this: IExecuteSingleFunctions) => P;
	/**
	 * Checks that need the service itself, such as the columns of a list. Run for all items before the
	 * first request that changes anything.
	 *
	 * @throws InputError, StepFailed
	 */
	check?: (this: IExecuteSingleFunctions, prepared: P, requests: Steps) => Promise<P>;
	/** Whether making the request again does no harm. By default, true for GET and DELETE. */
	repeatable?: boolean;
	/** What a user can do to find out, when it is unknown whether the request was carried out. */
	howToFindOut?: (prepared: P) => string;
	/** Gives the item of a success what is no JSON, such as a file. */
	finish?: (
		this: IExecuteSingleFunctions,
		item: INodeExecutionData,
		prepared: P,
	) => Promise<INodeExecutionData>;
}

/** One request for each item. */
interface SingleRequest<T, P extends Prepared> {
	/** Reads the body of a successful answer; undefined when it makes no sense. */
	read: Reader<T>;
	/** The result of an item; the service's own fields by default. */
	result?: (value: T, prepared: P) => IDataObject;
	steps?: undefined;
}

/** Several requests for each item, or one that items share. */
interface SeveralRequests<P extends Prepared> {
	/**
	 * Makes the requests of an item.
	 *
	 * @returns its result
	 * @throws StepFailed
	 */
	steps: (this: IExecuteSingleFunctions, prepared: P, requests: Steps) => Promise<IDataObject>;
}

export type RoutedOperation<T, P extends Prepared> = OperationBase<P> &
	(SingleRequest<T, P> | SeveralRequests<P>);

/**
 * The routing of a declarative operation. The router of n8n sends all items at once and forgets
 * everything at the first failure; its pagination hook is the one place where a request can be held
 * back, so that each operation goes through it (see RoutedRun).
 */
export function routed<T, P extends Prepared = Prepared>(
	operation: RoutedOperation<T, P>,
): INodePropertyRouting {
	const { method, url, repeatable = method === 'GET' || method === 'DELETE' } = operation;
	const complete = { ...operation, repeatable } as unknown as RoutedOperation<unknown, Prepared>;
	return {
		request: { method, url },
		send: {
			paginate: true,
			preSend: [
				async function (this: IExecuteSingleFunctions, request: IHttpRequestOptions) {
					const run = RoutedRun.join(this);
					try {
						run.register(this, operation.prepare.call(this));
					} catch (error) {
						run.registerInvalid(this, error);
					}
					return request;
				},
			],
		},
		operations: {
			async pagination(this: IExecutePaginationFunctions, settings) {
				const attempt: Attempt = async (request, read) => {
					const options = address(settings.options as IHttpRequestOptions, request);
					try {
						const [answer] = await this.makeRoutingRequest({ ...settings, options });
						return judgeAnswer(answer.json as unknown as Answer, read);
					} catch (error) {
						return judgeError(error);
					}
				};
				return await RoutedRun.of(this).settle(this, complete, attempt);
			},
		},
		output: {
			postReceive: [
				// Hands the whole answer, success or not, to the pagination hook above, which judges it.
				async (_items: INodeExecutionData[], response: IN8nHttpFullResponse) => [
					{ json: response as unknown as IDataObject },
				],
			],
		},
	};
}

function address(options: IHttpRequestOptions, request: ServiceRequest): IHttpRequestOptions {
	const { method, url, qs = {}, body } = request;
	const addressed = { ...options, method, url, qs };
	delete addressed.body;
	return body === undefined ? addressed : { ...addressed, body };
}
