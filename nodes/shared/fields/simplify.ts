import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { parseSwitch } from '../service/choices';

/** Simplify, as n8n words it. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** @throws InputError for a value that only an expression can give */
export function readSimplify(value: unknown): boolean {
	return parseSwitch(value, simplifyField.displayName);
}

/** Those of the fields that are there, in this order. */
export function only(fields: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(
		names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
	);
}
