import type { IExecuteFunctions } from 'n8n-workflow';
import { runCustom } from './custom';
import type { Definition, Operation, Prepared } from './operation';
import { routed } from './routed';

/**
 * An operation, defined once, as a node lists it: n8n's engine runs it as a custom operation, and n8n's
 * router only where an agent invokes the node as a tool.
 */
export function defineOperation<P extends Prepared>(definition: Definition<P>): Operation {
	const { name, value, action, description, fields } = definition;
	return {
		option: { name, value, action, description, routing: routed(definition) },
		fields,
		custom: async function (this: IExecuteFunctions) {
			return await runCustom(this, definition);
		},
	};
}
