import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';

/** The service's code for a number that is there already (public facts). */
const ALREADY_EXISTS = 15;

/**
 * What adding a number comes to that is there already.
 *
 * @param flag the field that says so; it is left out where an earlier try, whose answer was lost, may have
 *   added the number
 */
export function whenThere(flag: string) {
	return ({ code }: Failure, wasLost: boolean): IDataObject | undefined => {
		if (code !== ALREADY_EXISTS) return undefined;
		return wasLost ? {} : { [flag]: true };
	};
}
