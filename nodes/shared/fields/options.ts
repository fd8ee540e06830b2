import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';
import { InputError } from '../service/InputError';
import type { Item } from './item';

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

/** Options of a whole run, with their names in the form: those of the first item hold for all. */
const OF_RUN = {
	concurrency: 'Concurrency',
	failIfIncomplete: 'Fail if Any Is Missing',
	includeInputFields: 'Include Input Fields',
	invalidItems: 'Invalid Items',
	maxCredits: 'Max Credits',
	requestsPerSecond: 'Requests per Second',
};

/** @throws InputError where an expression gives items different values for an option of the whole run */
export function requireSameForAll(items: readonly Item[]): void {
	for (const [name, field] of Object.entries(OF_RUN)) {
		const given = items.filter((item) => item.varies(name)).map(({ options }) => options[name]);
		const [one, other] = new Set(given.map((value) => String(value).trim()));
		if (other === undefined) continue;
		throw new InputError(
			`'${field}' differs between the items`,
			`It holds for all items of an execution together, and its expression gives ${one} for one and ${other} for another. Enter a value, or an expression that gives the same for all items.`,
		);
	}
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
