/** What the tests of the resource nodes share. */
import type { INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/index.mts';
import { runNode, type RunOptions, type RunResult } from '../harness.mts';
import { wire } from '../sms/support.mts';

export { hurry, jsonOf } from '../sms/support.mts';
export { listOf } from '../../operations.mts';

export type Run = (
	operation: string,
	parameters?: INodeParameters,
	options?: Partial<RunOptions>,
) => Promise<RunResult>;

/** A function that runs an operation of a node against a simulator. */
export function runnerOf(node: string, sim: Simulator): Run {
	return async (operation, parameters = {}, options = {}) =>
		await runNode({
			node,
			parameters: { operation, ...parameters },
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			...options,
		});
}

/** The request lines that came over the wire, in order. */
export const linesOf = (sim: Simulator) =>
	sim.requests.map((request) => wire(request).line.replace(/ HTTP\/1\.1$/, ''));

/** The JSON bodies that came over the wire, in order; undefined for a request without one. */
export const bodiesOf = (sim: Simulator) =>
	sim.requests.map((request) => {
		const { body } = wire(request);
		return body === '' ? undefined : (JSON.parse(body) as unknown);
	});
