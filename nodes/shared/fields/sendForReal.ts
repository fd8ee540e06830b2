import type { INodeProperties } from 'n8n-workflow';
import { readSwitch, type Options } from '../service/choices';

/** For the Options of every operation that sends. */
export const sendForReal: INodeProperties = {
	displayName: 'Send for Real in Test Runs',
	name: 'sendForReal',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		"Whether to send to the real recipients even when you run the workflow from the editor, regardless of 'Test Runs' in the credential",
};

/** @throws InputError */
export function readSendForReal(options: Options): boolean {
	return readSwitch(options, sendForReal.name, sendForReal.displayName);
}
