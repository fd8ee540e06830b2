import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import { countOf } from '../service/countOf';
import { isAlreadyThere } from '../service/errorCodes';

/**
 * The result of adding a number that is already there.
 *
 * @param flag the field that says so; null where an earlier try, whose answer was lost, may have added the
 *   number
 */
export function whenThere(flag: string) {
	return (failure: Failure, wasLost: boolean): IDataObject | undefined => {
		if (!isAlreadyThere(failure)) return undefined;
		return { [flag]: wasLost ? null : true };
	};
}

/** A line above the results: how many of what was to be deleted was not there. */
export function notThere(what: string, where: string) {
	return (results: readonly IDataObject[]): string | undefined => {
		const missing = results.filter(({ deleted }) => deleted === false).length;
		if (missing === 0) return undefined;
		return `${countOf(missing, what)} ${missing === 1 ? 'was' : 'were'} not ${where}.`;
	};
}
