import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Connection } from '../http/connection';
import { readRequestOptions } from '../http/request';
import { isManual, logOf } from './context';
import { NodeItem, type ItemSource } from './NodeItem';
import type { Definition, Prepared } from './operation';
import { plainParameters } from './plainFields';
import { Run } from './Run';
import { TIMING } from './timing';

/** Runs an operation where n8n's engine hands over all items at once (custom operations). */
export async function runCustom<P extends Prepared>(
	execution: IExecuteFunctions,
	definition: Definition<P>,
	timing = TIMING,
): Promise<INodeExecutionData[][]> {
	const input = execution.getInputData();
	if (input.length === 0) return [[]];
	const node = execution.getNode();
	const connection = await Connection.open(execution, readRequestOptions(execution));
	const run = new Run(
		{
			node,
			continues: execution.continueOnFail(),
			runIndex: execution.getWorkflowDataProxy(0).$runIndex as number,
			execution,
			memory: execution.getContext('node'),
			signal: execution.getExecutionCancelSignal(),
			connection,
			isManual: isManual(execution),
			log: logOf(execution),
			timing,
		},
		definition,
	);
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
		file: async (...file) => await execution.helpers.prepareBinaryData(...file),
	};
	const items = input.map(({ json }, index) => new NodeItem(source, index, json));
	const { items: results, error, hint } = await run.carryOut(items);
	if (error !== undefined) throw error;
	if (hint !== undefined) execution.addExecutionHints({ ...hint, location: 'outputPane' });
	return [results];
}
