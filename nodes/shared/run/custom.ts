import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Connection } from '../http/connection';
import { readRequestOptions } from '../http/request';
import { isManual } from './manual';
import { NodeItem, type ItemSource } from './NodeItem';
import type { Definition, Prepared } from './operation';
import { Run } from './Run';
import { inSlices } from './slices';
import { waitingOf } from './waiting';

/** Runs an operation where n8n's engine hands over all items at once (custom operations). */
export async function runCustom<P extends Prepared>(
	context: IExecuteFunctions,
	definition: Definition<P>,
): Promise<INodeExecutionData[][]> {
	const input = context.getInputData();
	if (input.length === 0) return [[]];
	const connection = await Connection.open(context, readRequestOptions(context));
	const run = new Run(
		{
			node: context.getNode(),
			continues: context.continueOnFail(),
			runIndex: context.getWorkflowDataProxy(0).$runIndex as number,
			isTool: false,
			memory: context.getContext('node'),
			signal: context.getExecutionCancelSignal(),
			connection,
			context,
			isManual: isManual(context),
			log: logOf(context),
		},
		definition,
	);
	const source: ItemSource = {
		node: context.getNode(),
		country: connection.account.country,
		timeZone: context.getTimezone(),
		now: Date.now(),
		parameter: (index, name, fallback) => context.getNodeParameter(name, index, fallback),
		chosen: (index, name) => context.getNodeParameter(name, index, '', { extractValue: true }),
		evaluate: (index, text) => context.evaluateExpression(text, index),
		file: async (...file) => await context.helpers.prepareBinaryData(...file),
		waiting: () => waitingOf(context),
	};
	await inSlices(input, ({ json }, index) => run.register(new NodeItem(source, index, json)));
	const { results, error, hint } = await run.finish();
	if (error !== undefined) throw error;
	if (hint !== undefined) context.addExecutionHints({ ...hint, location: 'outputPane' });
	const items = [...results.values()];
	return [items.length === 1 ? items[0] : items.flat()];
}

/** n8n's log, which names the node. */
export function logOf(context: Pick<IExecuteFunctions, 'logger' | 'getNode'>) {
	return (text: string) => context.logger.info(`${context.getNode().name}: ${text}`);
}
