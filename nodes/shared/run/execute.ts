import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Connection } from '../http/connection';
import { readRequestOptions } from '../http/request';
import { isManual, logOf } from './context';
import { NodeItem, type ItemSource } from './item';
import type { OperationDefinition, Prepared } from './operation';
import { plainParameters } from './plainFields';
import { toResults } from './results';
import { runOperation, type Host } from './run';

/** Runs an operation where n8n's engine hands over all items at once (custom operations). */
export async function execute<P extends Prepared>(
	execution: IExecuteFunctions,
	definition: OperationDefinition<P>,
): Promise<INodeExecutionData[][]> {
	const input = execution.getInputData();
	if (input.length === 0) return [[]];
	const node = execution.getNode();
	const connection = await Connection.open(execution, readRequestOptions(execution));
	const host: Host = {
		node,
		continueOnFail: execution.continueOnFail(),
		runIndex: execution.getWorkflowDataProxy(0).$runIndex as number,
		execution,
		memory: execution.getContext('node'),
		signal: execution.getExecutionCancelSignal(),
		connection,
		isManual: isManual(execution),
		log: logOf(execution),
	};
	const source: ItemSource = {
		node,
		execution,
		account: connection.account,
		timeZone: execution.getTimezone(),
		now: Date.now(),
		plain: plainParameters(node),
		parameter: (index, name, fallback) => execution.getNodeParameter(name, index, fallback),
		chosen: (index, name) =>
			execution.getNodeParameter(name, index, '', { extractValue: true }),
		evaluate: (index, text) => execution.evaluateExpression(text, index),
	};
	const items = input.map(({ json }, index) => new NodeItem(source, index, json));
	const run = await runOperation(host, definition, items);
	const { items: results, error, hint } = await toResults(host, definition, run);
	if (error !== undefined) throw error;
	run.handOver();
	if (hint !== undefined) execution.addExecutionHints({ ...hint, location: 'outputPane' });
	return [results];
}
