import type {
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { Connection } from '../http/connection';
import type { RequestOptions } from '../http/request';
import { splitEndpoint } from '../service/endpoint';
import { hostOf } from './host';
import { NodeItem } from './item';
import type { OperationDefinition } from './operation';
import { resultsOf } from './results';
import { Run } from './run';

/** Undeclared parts of n8n's single-item context. */
interface Undeclared {
	inputData?: Record<string, Array<INodeExecutionData[] | null> | undefined>;
	runIndex?: number;
}

/**
 * The routing of an operation. n8n's router runs it only where an agent calls the node as a tool, with one
 * item; its pagination hook takes the place of the request.
 */
export function toolRouting(definition: OperationDefinition): INodePropertyRouting {
	const { request } = definition;
	return {
		...(request === undefined ? {} : { request: splitEndpoint(request) }),
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions) {
				return await runTool(this, definition);
			},
		},
	};
}

/** Runs one item; its index tells it apart from others only where there are several. */
async function runTool(
	context: IExecutePaginationFunctions & Undeclared,
	definition: OperationDefinition,
): Promise<INodeExecutionData[]> {
	const options = context.getNodeParameter('requestOptions', {}) as RequestOptions;
	const connection = await Connection.open(context, options);
	const index = context.getItemIndex();
	const { runIndex = 0 } = context;
	const host = hostOf(context, {
		...{ connection, runIndex, execution: undefined },
		parameter: (_, name, fallback) => context.getNodeParameter(name, fallback) as unknown,
		chosen: (_, name) => context.getNodeParameter(name, '', { extractValue: true }),
		evaluate: (_, text) => context.evaluateExpression(text, index),
	});
	// The arguments of a tool are its input.
	const { main, ai_tool: args } = context.inputData ?? {};
	const json = (main ?? args)?.[0]?.[index]?.json ?? {};
	const run = await Run.of(host, definition, [new NodeItem(host, index, json)]);
	const { items } = await resultsOf(run);
	return items;
}
