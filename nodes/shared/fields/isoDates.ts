import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

/** The switch for what `withIsoDates` adds. */
export const isoDates: INodeProperties = {
	displayName: 'Include ISO Dates',
	name: 'isoDates',
	type: 'boolean',
	default: true,
	description:
		"Whether to add a readable date (ISO 8601, in UTC) to each time, such as 'deliveredIso' in addition to 'delivered'",
};

/**
 * @param byDefault whether they are added unless the user says otherwise
 * @throws InputError
 */
export function readIsoDates(options: Options, byDefault = true): boolean {
	return readSwitch(options, isoDates.name, isoDates.displayName, byDefault);
}

/**
 * The same fields, with an ISO date beside each of the times that are there: `sentIso` beside `sent`.
 *
 * @param times names of the fields that hold milliseconds since the Unix epoch
 */
export function withIsoDates(fields: IDataObject, times: readonly string[]): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).flatMap(([name, value]) => {
			const time = new Date(times.includes(name) ? Number(value ?? NaN) : NaN);
			if (Number.isNaN(time.getTime())) return [[name, value]];
			return [
				[name, value],
				[`${name}Iso`, time.toISOString()],
			];
		}),
	);
}
