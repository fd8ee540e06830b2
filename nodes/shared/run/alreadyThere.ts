import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import { meaningOf } from '../service/errorCodes';

/**
 * What adding a number comes to that is there already.
 *
 * @param flag the field that says so; null where an earlier try, whose answer was lost, may have added the
 *   number
 * @param further what else is true of one that was there
 */
export function whenThere(flag: string, further: IDataObject = {}) {
	return (failure: Failure, wasLost: boolean): IDataObject | undefined => {
		if (meaningOf(failure) !== 'alreadyExists') return undefined;
		return wasLost ? { [flag]: null } : { [flag]: true, ...further };
	};
}
