import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { InputError, show } from '../service/InputError';

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
	if (typeof value === 'boolean') return value;
	throw new InputError(`'Simplify' is ${show(value)}`, 'It is either true or false.');
}

/** Those of the fields that are there, in this order. */
export function only(fields: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(
		names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
	);
}
