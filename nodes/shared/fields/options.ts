import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../run/operation';
import { readSwitch, type Options } from '../service/choices';

/** What an operation offers beside its own fields. */
interface Settings {
	options?: INodeProperties[];
	/** How requests are made, which few users ever look at. */
	delivery?: INodeProperties[];
	/** Options of earlier versions that became fields of their own. */
	moved?: INodeProperties[];
}

/**
 * The collections *Options* and *Delivery Settings* of an operation, each in alphabetical order, as n8n's
 * guidelines ask. What is no option any more stays one where a saved workflow has it.
 */
export function settingsFields({
	options = [],
	delivery = [],
	moved = [],
}: Settings): INodeProperties[] {
	const earlier = [...delivery, ...moved].map(onlyWhereSet);
	return [
		...(options.length > 0
			? [collection('Options', 'options', 'Add option', [...options, ...earlier])]
			: earlier.length > 0
				? [EARLIER_OPTIONS]
				: []),
		...(delivery.length > 0
			? [collection('Delivery Settings', 'deliverySettings', 'Add setting', delivery)]
			: []),
	];
}

/**
 * What the user added under Options and Delivery Settings, and the sender, which was an option once: a
 * setting in its new place counts before one in its old.
 */
export function readOptions(parameter: Item['parameter']): Options {
	const sender = parameter('sender', '');
	return {
		...(parameter('options', {}) as Options | undefined),
		...(parameter('deliverySettings', {}) as Options | undefined),
		...(sender === '' ? {} : { sender }),
	};
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

/** n8n drops what is not declared, and offers what is: so it is declared where it is set. */
function onlyWhereSet(property: INodeProperties): INodeProperties {
	return {
		...property,
		displayOptions: { show: { [property.name]: [{ _cnd: { exists: true } }] } },
	};
}

/** Where no option is left. n8n can't show a collection only where it is set. */
const EARLIER_OPTIONS: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'hidden',
	default: {},
};

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
