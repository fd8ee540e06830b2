import type { INodeProperties } from 'n8n-workflow';

/** A phone number. */
export const numberField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. +33 6 12 34 56 78',
	description: 'Mobile number in national or international format',
};
