import type { ILoadOptionsFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { readAccount, readTestNumber, readTestRuns } from '../http/credential';
import { canonicalNumber } from '../service/number';

/** The only value: the credential decides, whatever a workflow says. */
const AS_CREDENTIAL = 'credential';

/** Shown until the credential is chosen, or where it is wrong. */
const UNSURE = 'May Send for Real: See the Credential';

/** Apart, because n8n's lint asks a dropdown that is loaded to take IDs. */
const LOADED = { loadOptionsMethod: 'getTestRuns' };

/**
 * Shows what a run from the editor does, which the credential says. A notice can't: its text is fixed, and the editor
 * doesn't have the credential's data. Needs the node method `getTestRuns`.
 */
export const testRunsField: INodeProperties = {
	displayName: 'Test Runs',
	name: 'testRuns',
	type: 'options',
	noDataExpression: true,
	typeOptions: LOADED,
	default: AS_CREDENTIAL,
	displayOptions: { hide: { '@tool': [true] } },
	hint: 'Set in the credential',
	description:
		"What happens to messages when you run the workflow in the editor, as set under 'Test Runs' in the credential when you opened this form. Published workflows always send for real.",
};

/** Reads the credential, without a request. Never throws: a form has no other place for an error. */
export async function getTestRuns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return [
		{
			name: await describe(this),
			value: AS_CREDENTIAL,
			description: "To change it, edit 'Test Runs' in the credential",
		},
	];
}

async function describe(context: ILoadOptionsFunctions): Promise<string> {
	const credential = await context.getCredentials('smsServiceApi').catch(() => undefined);
	// A new node has none until n8n has chosen it.
	if (credential === undefined) return UNSURE;
	try {
		const account = readAccount(credential);
		const choice = readTestRuns(account, true);
		if (choice === 'send') return 'Send for Real';
		if (choice === 'preview') return 'Send Nothing';
		return `Send to ${canonicalNumber(readTestNumber(account))} Only`;
	} catch {
		return UNSURE;
	}
}
