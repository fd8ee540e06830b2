/** An answer of the service as n8n's request helper hands it over. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * The outcome of a request that did not succeed.
 * - `refused`: the service said no. Nothing was done.
 * - `notSent`: it is certain that the service did not take the request.
 * - `unknown`: the request was written to the network and no answer was understood.
 */
export type FailureStatus = 'refused' | 'notSent' | 'unknown';

/** n8n's vocabulary for why something failed (`failure.cause` of its error classes). */
export type FailureCause =
	| 'rate-limited'
	| 'quota-exhausted'
	| 'temporarily-unavailable'
	| 'credential-invalid'
	| 'configuration-invalid';

/** A request that did not succeed, told so that a user knows what happened and what to do. */
export interface Failure {
	status: FailureStatus;
	message: string;
	advice: string;
	/** HTTP status of the answer, if there was one. */
	httpCode?: number;
	/** The service's error code, if it gave one. */
	code?: number;
	/** Another try may succeed, and may be made where a repetition does no harm. */
	transient?: boolean;
	/** How long the service asks to wait. */
	retryAfterMs?: number;
	/** The whole account or service is concerned: other requests would fare no better. */
	concernsAll?: boolean;
	cause?: FailureCause;
	/** The service's own words, if it gave any and no code. */
	said?: string;
	/** The ID that was not found is the name of something. */
	isName?: true;
}

/** Reads the body of a successful answer; undefined when it isn't what the document says. A long one is read with breaks. */
export type Reader<T> = (body: unknown, answer: Answer) => T | undefined | Promise<T | undefined>;
