import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import { meaningOf } from '../service/errorCodes';

/**
 * What adding a number comes to that is there already.
 *
 * @param flag the field that says so; it is left out where an earlier try, whose answer was lost, may have
 *   added the number
 */
export function whenThere(flag: string) {
	return (failure: Failure, wasLost: boolean): IDataObject | undefined => {
		if (meaningOf(failure) !== 'alreadyExists') return undefined;
		return wasLost ? {} : { [flag]: true };
	};
}
