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
import { judgeAnswer, judgeError, type Failure, type Reader } from './outcome';
import { RoutedRun } from './RoutedRun';

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
export interface RoutedOperation<T> {
	method: IHttpRequestMethods;
	/** Path below the base URL, beginning with /v2; `prepare` may give another one for an item. */
	url: string;
	/**
	 * Reads the parameters of one item and checks them. Runs for all items before the first request
	 * leaves.
	 *
	 * @throws InputError for what the user has to correct
	 */
	prepare: (this: IExecuteSingleFunctions) => Prepared;
	/**
	 * Checks that need the service itself, such as the columns of a list. Run for all items before the
	 * first request that changes anything.
	 *
	 * @throws InputError
	 */
	check?: (this: IExecuteSingleFunctions, prepared: Prepared) => Promise<Prepared>;
	/** Whether making the request again does no harm. By default, true for GET and DELETE. */
	repeatable?: boolean;
	/** Reads the body of a successful answer; undefined when it makes no sense. */
	read: Reader<T>;
	/** The result of an item; the service's own fields by default. */
	result?: (value: T, prepared: Prepared) => IDataObject;
	/** What a user can do to find out, when it is unknown whether the request was carried out. */
	howToFindOut?: (prepared: Prepared) => string;
}

/**
 * The routing of a declarative operation. The router of n8n sends all items at once and forgets
 * everything at the first failure; its pagination hook is the one place where a request can be held
 * back, so that each operation goes through it (see RoutedRun).
 */
export function routed<T>(operation: RoutedOperation<T>): INodePropertyRouting {
	const { repeatable = operation.method === 'GET' || operation.method === 'DELETE' } = operation;
	return {
		request: {
			method: operation.method,
			url: operation.url,
		},
		send: {
			paginate: true,
			preSend: [
				async function (this: IExecuteSingleFunctions, request: IHttpRequestOptions) {
					const run = RoutedRun.join(this);
					try {
						const prepared = operation.prepare.call(this);
						run.register(this, prepared, applyTo(request, prepared, operation.method));
					} catch (error) {
						run.registerInvalid(this, error);
					}
					return request;
				},
			],
		},
		operations: {
			async pagination(this: IExecutePaginationFunctions, settings) {
				return await RoutedRun.of(this).settle(this, {
					repeatable,
					check: operation.check,
					howToFindOut: operation.howToFindOut,
					applyTo: (prepared) =>
						applyTo(
							settings.options as IHttpRequestOptions,
							prepared,
							operation.method,
						),
					attempt: async (prepared) => {
						try {
							const [item] = await this.makeRoutingRequest(settings);
							const judged = item.json as unknown as { value: T } | Failure;
							if (!('value' in judged)) return judged;
							const value = operation.result
								? operation.result(judged.value, prepared)
								: (judged.value as IDataObject);
							return { value };
						} catch (error) {
							return judgeError(error);
						}
					},
				});
			},
		},
		output: {
			postReceive: [
				// Hands the judged answer, success or not, to the pagination hook above.
				async (_items: INodeExecutionData[], response: IN8nHttpFullResponse) => [
					{ json: judgeAnswer(response, operation.read) as unknown as IDataObject },
				],
			],
		},
	};
}

function applyTo(
	request: IHttpRequestOptions,
	prepared: Prepared,
	method: IHttpRequestMethods,
): IHttpRequestOptions {
	request.method = prepared.method ?? method;
	if (prepared.url !== undefined) request.url = prepared.url;
	request.qs = prepared.qs ?? {};
	if (prepared.body === undefined) delete request.body;
	else request.body = prepared.body;
	return request;
}
