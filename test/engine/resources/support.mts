/** Shared by the tests of the resource nodes. */
import type { INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/index.mts';
import { runNode, type RunOptions, type RunResult } from '../harness.mts';
import { wire } from '../sms/support.mts';

export { succeeded } from '../harness.mts';
export { hurry, jsonOf } from '../sms/support.mts';
export { listOf } from '../../operations.mts';

export type Run = (
	operation: string,
	parameters?: INodeParameters,
	options?: Partial<RunOptions>,
) => Promise<RunResult>;

/** The run of an operation of a node against a simulator. */
export const optionsOf = (
	node: string,
	{ baseUrl, apiKey }: Pick<Simulator, 'baseUrl' | 'apiKey'>,
	operation: string,
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
): RunOptions => ({
	node,
	parameters: { operation, ...parameters },
	credential: { baseUrl, apiKey },
	...more,
});

/** A function that runs an operation of a node against a simulator. */
export function runnerOf(node: string, sim: Pick<Simulator, 'baseUrl' | 'apiKey'>): Run {
	return async (...call) => await runNode(optionsOf(node, sim, ...call));
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
