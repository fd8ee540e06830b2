import type { INodeProperties } from 'n8n-workflow';
import { parseAmount, parseSwitch } from '../service/choices';

/** Return All and Limit, as n8n words them. The service knows no paging: both are done here. */
export const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
];

/**
 * How many results are wanted: Infinity for all.
 *
 * @throws InputError
 */
export function readLimit(returnAll: unknown, limit: unknown): number {
	if (parseSwitch(returnAll, 'Return All')) return Infinity;
	return parseAmount(limit, {
		field: 'Limit',
		isAllowed: (amount) => Number.isInteger(amount) && amount >= 1,
		advice: "Enter a whole number of at least 1, or turn on 'Return All'.",
		byDefault: 50,
	});
}
