import type {
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { Connection } from '../http/connection';
import type { RequestOptions } from '../http/request';
import { splitEndpoint } from '../service/endpoint';
import { isManual, logOf } from './context';
import { NodeItem, type ItemSource } from './NodeItem';
import type { Definition, Prepared } from './operation';
import { Run } from './Run';
import { TIMING } from './timing';

/** What n8n's single-item context has without declaring it. */
interface Undeclared {
	inputData?: Record<string, Array<INodeExecutionData[] | null> | undefined>;
	runIndex?: number;
}

/**
 * The routing of an operation. n8n's router runs it only where an agent calls the node as a tool, with one
 * item; its pagination hook takes the place of the request.
 */
export function toolRouting<P extends Prepared>(definition: Definition<P>): INodePropertyRouting {
	const { request } = definition;
	return {
		...(request === undefined ? {} : { request: splitEndpoint(request) }),
		send: { paginate: true },
		operations: {
			async pagination(
				this: IExecutePaginationFunctions,
				_request: unknown,
				timing = TIMING,
			) {
				return await runTool(this, definition, timing);
			},
		},
	};
}

/** Runs one item; its index tells it apart from others only where there are several. */
async function runTool<P extends Prepared>(
	context: IExecutePaginationFunctions & Undeclared,
	definition: Definition<P>,
	timing: typeof TIMING,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const options = context.getNodeParameter('requestOptions', {}) as RequestOptions;
	const connection = await Connection.open(context, options);
	const index = context.getItemIndex();
	const run = new Run(
		{
			node,
			continues: context.continueOnFail(),
			runIndex: context.runIndex ?? 0,
			execution: undefined,
			memory: context.getContext('node'),
			signal: context.getExecutionCancelSignal(),
			connection,
			isManual: isManual(context),
			log: logOf(context),
			timing,
		},
		definition,
	);
	const source: ItemSource = {
		node,
		execution: undefined,
		account: connection.account,
		timeZone: context.getTimezone(),
		now: Date.now(),
		parameter: (_, name, fallback) => context.getNodeParameter(name, fallback) as unknown,
		chosen: (_, name) => context.getNodeParameter(name, '', { extractValue: true }),
		evaluate: (_, text) => context.evaluateExpression(text, index),
		file: async (...file) => await context.helpers.prepareBinaryData(...file),
	};
	// The arguments of a tool are its input.
	const { main, ai_tool: args } = context.inputData ?? {};
	const json = (main ?? args)?.[0]?.[index]?.json ?? {};
	const { items, error } = await run.carryOut([new NodeItem(source, index, json)]);
	if (error !== undefined) throw error;
	return items;
}
