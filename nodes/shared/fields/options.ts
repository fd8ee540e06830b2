import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

/** The collections of an operation, *Options* and *Safeguards*, each in alphabetical order. */
export function settingsFields({
	options = [],
	safeguards = [],
}: Partial<Record<'options' | 'safeguards', INodeProperties[]>>): INodeProperties[] {
	return [
		collection('Options', 'options', 'Add option', options),
		{
			...collection('Safeguards', 'safeguards', 'Add safeguard', safeguards),
			description:
				'Who must not get a message, or not twice, what sending may cost, and a dry run',
		},
	].filter(({ options: offered = [] }) => offered.length > 0);
}

function collection(
	displayName: string,
	name: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties {
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
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
		'Whether a retry of the execution makes the request again if its answer got lost. It may then be carried out twice.',
};

/** @throws InputError */
export function readRepeatUnknown(options: Options): boolean {
	return readSwitch(options, 'resendUnknown', 'Repeat if Unknown');
}
