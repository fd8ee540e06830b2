/** Helpers of the tests of SMS Campaign. */
import type { INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/index.mts';
import { runNode, type RunOptions, type RunResult } from '../harness.mts';

export { succeeded } from '../harness.mts';
export { hurry, jsonOf } from '../sms/support.mts';

/** A value of the resource locator for campaigns. */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

/** The options of a run of SMS Campaign. */
export function campaignRun(
	sim: Pick<Simulator, 'baseUrl' | 'apiKey'>,
	parameters: INodeParameters,
	options: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'SmsCampaign',
		parameters,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...options,
	};
}

export async function runCampaign(
	...[sim, parameters, options]: Parameters<typeof campaignRun>
): Promise<RunResult> {
	return await runNode(campaignRun(sim, parameters, options));
}

/** A campaign without landing page to this list. */
export function creation(listId: string, more: INodeParameters = {}): INodeParameters {
	return {
		operation: 'create',
		name: 'Summer sale',
		message: 'Bonjour',
		list: { __rl: true, mode: 'id', value: listId },
		...more,
	};
}

/** A campaign that exists in the simulator. */
export function addCampaign(sim: Simulator, id: string, listId: string, more: object = {}): string {
	sim.service.campaigns.set(id, {
		...{ id, kind: 'marketing', name: id, message: 'Bonjour', listId },
		...{ state: 'CREATED', creditsUsed: 0, ...more },
	});
	return id;
}
