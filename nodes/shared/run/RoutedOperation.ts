import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestMethods,
	INodeExecutionData,
} from 'n8n-workflow';
import type { InputError } from '../service/InputError';
import type { Reader } from '../http/failure';
import type { Steps } from './steps';

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
	/** Why the request can't be made any more, unless it was accepted in an earlier try. */
	expired?: InputError;
	resendUnknown?: boolean;
	duplicateKey?: string;
	/** What a duplicate shares with the first one. By default, recipient and text. */
	duplicateOf?: string;
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
