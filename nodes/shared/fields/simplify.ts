import type { INodeProperties } from 'n8n-workflow';
import { only, type Fields } from '../service/answers';
import { parseSwitch, readChoice } from '../service/choices';
import type { Item } from './item';

/** Simplify, as n8n words it. */
const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	displayOptions: { hide: { '@tool': [true] } },
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** In its place where an agent uses the node as a tool: each field costs tokens. */
const toolOutput: INodeProperties = {
	displayName: 'Output',
	name: 'toolOutput',
	type: 'options',
	options: [
		{ name: 'Raw', value: 'raw', description: 'All fields' },
		{ name: 'Selected Fields', value: 'selected', description: 'The fields that you name' },
		{ name: 'Simplified', value: 'simplified', description: 'The fields that are used most' },
	],
	default: 'simplified',
	displayOptions: { show: { '@tool': [true] } },
	description: 'Which fields the agent gets',
};

const toolFields: INodeProperties = {
	displayName: 'Fields',
	name: 'toolFields',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. state, delivered',
	displayOptions: { show: { '@tool': [true], toolOutput: ['selected'] } },
	description: 'Names of the fields, separated by commas. The ID is always included.',
};

/** Fields of an operation whose answers have more than ten fields. */
export const simplifyFields: INodeProperties[] = [simplify, toolOutput, toolFields];

/**
 * The fields of an answer that the user wants.
 *
 * @throws InputError for a value that only an expression can give
 */
export function readOutput(item: Pick<Item, 'parameter'>): 'raw' | 'selected' | 'simplified' {
	const output = item.parameter('toolOutput', '');
	if (output !== '') {
		return readChoice(output, ['raw', 'selected', 'simplified'], toolOutput.displayName);
	}
	const isSimple = parseSwitch(item.parameter('simplify', true), simplify.displayName);
	return isSimple ? 'simplified' : 'raw';
}

/** Takes those of the fields of an answer that are wanted; raw data are given as they are. */
export type Shape = (fields: Fields) => Fields;

/**
 * @param simple names of the fields that are used most
 * @param choice what the user wants of them
 * @throws InputError for a value that only an expression can give
 */
export function readShape(
	item: Pick<Item, 'parameter'>,
	simple: readonly string[],
	choice = readOutput(item),
): Shape {
	if (choice === 'raw') return (fields) => fields;
	if (choice === 'simplified') return (fields) => only(fields, simple);
	const names = String(item.parameter('toolFields', '')).split(/[\s,]+/);
	return (fields) => only(fields, [...new Set(['id', ...names])]);
}
