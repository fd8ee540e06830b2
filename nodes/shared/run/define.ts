import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';
import { Connection } from '../http/connection';
import { settingsFields } from '../fields/options';
import { splitEndpoint } from '../service/endpoint';
import { escapeHtml } from '../service/html';
import { PAGE_URL } from './advice';
import { hostOf, NodeItem } from './host';
import type { Operation, OperationDefinition, Prepared } from './operation';
import { plainParameters } from '../fields/plainFields';
import { resultsOf } from './results';
import { Run } from './run';

/**
 * An operation as a node lists it: n8n's engine runs it as a custom operation; where an agent calls the node as a tool,
 * n8n's router does.
 */
export function defineOperation<P extends Prepared>(own: OperationDefinition<P>): Operation {
	// A run hands an operation only what its own `prepare` gave.
	const given = own as unknown as OperationDefinition;
	const fields = [...given.fields, ...settingsFields(given)];
	const definition = { ...given, fields };
	const { name, value, action, description, builderHint } = definition;
	const hint = builderHint === undefined ? {} : { builderHint: { propertyHint: builderHint } };
	return {
		option: { name, value, action, description, ...hint, routing: toolRouting(definition) },
		fields,
		async run(this: IExecuteFunctions) {
			return await execute(this, definition);
		},
	};
}

/** Runs an operation where n8n's engine hands over all items at once. */
async function execute(
	execution: IExecuteFunctions,
	definition: OperationDefinition,
): Promise<INodeExecutionData[][]> {
	const input = execution.getInputData();
	if (input.length === 0) return [[]];
	const options = execution.getNodeParameter('requestOptions', 0, {});
	const connection = await Connection.open(execution, options);
	const runIndex = execution.getWorkflowDataProxy(0).$runIndex as number;
	const host = hostOf(execution, {
		...{ connection, runIndex, execution },
		plain: plainParameters(execution.getNode()),
		parameter: (index, name, fallback) => execution.getNodeParameter(name, index, fallback),
		chosen: (index, name) =>
			execution.getNodeParameter(name, index, '', { extractValue: true }),
		evaluate: (index, text) => execution.evaluateExpression(text, index),
	});
	const items = input.map(({ json }, index) => new NodeItem(host, index, json));
	const { items: results, hint } = await resultsOf(await Run.of(host, definition, items));
	if (hint !== undefined) {
		// The editor shows it as HTML.
		const message = escapeHtml(hint.message)
			.replaceAll('\n', '<br>')
			.replaceAll(PAGE_URL, '<a href="$&" target="_blank">$&</a>');
		execution.addExecutionHints({ ...hint, message, location: 'outputPane' });
	}
	return [results];
}

/** Undeclared parts of n8n's single-item context. */
interface Undeclared {
	inputData?: Record<string, Array<INodeExecutionData[] | null> | undefined>;
	runIndex?: number;
}

/**
 * The routing of an operation. n8n's router runs it only where an agent calls the node as a tool, with one
 * item; its pagination hook takes the place of the request.
 */
function toolRouting(definition: OperationDefinition): INodePropertyRouting {
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
	const options = context.getNodeParameter('requestOptions', {});
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
