import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readOptions } from '../fields/options';
import { Connection, countryOf } from '../http/connection';
import { readRequestOptions } from '../http/request';
import type { Options } from '../service/choices';
import { isManual } from './manual';
import type { Definition, Item, Prepared } from './operation';
import { isExpression, Run, templateOf } from './Run';
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
	const timeZone = context.getTimezone();
	const now = Date.now();
	const country = countryOf(connection);
	await inSlices(input, ({ json }, index) => {
		run.register(itemOf(context, index, json, { country, timeZone, now }));
	});
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

function itemOf(
	context: IExecuteFunctions,
	index: number,
	json: IDataObject,
	run: Pick<Item, 'country' | 'timeZone' | 'now'>,
): Item {
	const parameter = (name: string, fallback?: unknown) =>
		context.getNodeParameter(name, index, fallback) as unknown;
	let options: Options | undefined;
	return {
		...run,
		index,
		json,
		parameter,
		template: (name) => {
			const text = templateOf(context.getNode(), name);
			return text === undefined ? parameter(name) : context.evaluateExpression(text, index);
		},
		chosen: (name) => context.getNodeParameter(name, index, '', { extractValue: true }),
		get options() {
			// n8n evaluates all of its expressions each time, at 0.45 ms apiece.
			return (options ??= readOptions(parameter));
		},
		varies: (option) => isExpression(context.getNode(), option),
		file: async (content, name, mimeType) =>
			await context.helpers.prepareBinaryData(content, name, mimeType),
		waiting: () => waitingOf(context),
	};
}
