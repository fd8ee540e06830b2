import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

/** An Options field with these options in alphabetical order, as n8n's guidelines ask. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** For operations that must not be repeated on their own. */
export const repeatUnknown: INodeProperties = {
	displayName: 'Repeat if Unknown',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether a retry of the execution makes the request again when it is unknown whether the first try was carried out. It may then be carried out twice.',
};

/** @throws InputError */
export function readRepeatUnknown(options: Options): boolean {
	return readSwitch(options, 'resendUnknown', 'Repeat if Unknown');
}
