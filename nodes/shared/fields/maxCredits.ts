import type { INodeProperties } from 'n8n-workflow';
import { parseAmount, type Options } from '../service/choices';

export const maxCredits: INodeProperties = {
	displayName: 'Max Credits',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 100,
	description:
		'Maximum number of credits that this node may use in one execution, with its loops, retries and tool calls. A message that would exceed it is not sent.',
};

/** @returns Infinity for no limit @throws InputError */
export function readMaxCredits(options: Options): number {
	if (!('maxCredits' in options)) return Infinity;
	return parseAmount(options.maxCredits, {
		field: 'Max Credits',
		isAllowed: (amount) => amount > 0,
		advice: 'Enter a number greater than 0, or remove the option for no limit.',
		byDefault: 100,
	});
}
