import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import type { ServiceRequest } from '../http/request';
import { isNothingFound, isNothingThere } from '../service/errorCodes';
import type { Attempted } from './outcome';

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
	content?: readonly unknown[];
	/**
	 * It does no harm when it is repeated after a lost answer: at once, such as emptying a list, or by a retry of
	 * the execution as well, such as a deletion.
	 */
	repeats?: 'atOnce' | 'always';
	/** It completes what has begun: it is made although the run was stopped. */
	finishes?: () => boolean;
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
	/**
	 * What a failure comes to that leaves nothing to be done. It is kept as an answer would be.
	 *
	 * @param wasLost an earlier try may have been carried out, so that it may be its doing
	 */
	comesTo?: (failure: Failure, wasLost: boolean) => IDataObject | undefined;
	/**
	 * Tries several addresses of the same thing. By default, there is one.
	 *
	 * @param attempt makes the request at one address
	 * @returns what the whole comes to
	 */
	search?: <T>(attempt: (address: Address) => Promise<Attempted<T>>) => Promise<Attempted<T>>;
}

/** What differs from the request itself at another address. */
export type Address = Partial<Pick<ServiceRequest, 'endpoint' | 'qs'>>;

/** Something that is to be deleted. */
export interface Deletion extends Omit<Change, 'comesTo' | 'atStart' | 'repeats'> {
	/** Whether a failure says that it isn't there. By default, code 16 or a 404 about the thing itself. */
	isNothing?: (failure: Failure) => boolean;
}

/** A deletion as the change that it is: with `deleted`. */
export function asChange({ isNothing, ...deletion }: Deletion): Change {
	return { ...deletion, repeats: 'always', comesTo: whenGone(isNothing) };
}

/**
 * What a deletion comes to that fails because there is nothing to delete: `deleted` is true after a lost answer,
 * since that one may have deleted it.
 */
export function whenGone(
	isNothing: (failure: Failure) => boolean = isNothingFound,
): NonNullable<Change['comesTo']> {
	return (failure, wasLost) => {
		if (wasLost && isNothingThere(failure)) return { deleted: true };
		return isNothing(failure) ? { deleted: false } : undefined;
	};
}
