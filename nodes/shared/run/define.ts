import type { IExecuteFunctions } from 'n8n-workflow';
import { execute } from './execute';
import type { Operation, OperationDefinition, Prepared } from './operation';
import { toolRouting } from './tool';

/**
 * An operation as a node lists it: n8n's engine runs it as a custom operation; where an agent calls the node as a tool,
 * n8n's router does.
 */
export function defineOperation<P extends Prepared>(definition: OperationDefinition<P>): Operation {
	const { name, value, action, description, builderHint, fields } = definition;
	const hint = builderHint === undefined ? {} : { builderHint: { propertyHint: builderHint } };
	return {
		option: { name, value, action, description, ...hint, routing: toolRouting(definition) },
		fields,
		async run(this: IExecuteFunctions) {
			return await execute(this, definition);
		},
	};
}
