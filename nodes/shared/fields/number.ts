import type { INodeProperties } from 'n8n-workflow';

/** A phone number. */
export const numberField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 06 39 98 12 34 or +33 6 39 98 12 34',
	description: 'Mobile number in national or international format',
};
