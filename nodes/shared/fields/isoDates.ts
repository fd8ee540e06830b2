import type { IDataObject } from 'n8n-workflow';

/**
 * The same fields, with an ISO date (UTC) beside each of the times that are there: `sentIso` beside `sent`.
 *
 * @param times names of the fields that hold milliseconds since the Unix epoch
 */
export function withIsoDates(fields: object, times: readonly string[]): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).flatMap(([name, value]) => {
			const time = new Date(times.includes(name) ? Number(value ?? NaN) : NaN);
			if (Number.isNaN(time.getTime())) return [[name, value]];
			return [
				[name, value],
				[isoName(name), time.toISOString()],
			];
		}),
	);
}

/** The name of the ISO date of a time. */
export function isoName(time: string): string {
	return `${time}Iso`;
}
