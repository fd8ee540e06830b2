import type { IExecuteFunctions } from 'n8n-workflow';
import { runCustom } from './custom';
import type { Definition, Operation, Prepared } from './operation';
import { routed } from './routed';

/**
 * An operation, defined once, as a node lists it: the router of n8n runs it, also when an agent invokes
 * the node as a tool; or, with `custom`, n8n's engine runs it as a custom operation and only the tools
 * go through the router.
 */
export function defineOperation<P extends Prepared>(definition: Definition<P>): Operation {
	const { name, value, action, description, isOfferedWhereChosen, fields, custom } = definition;
	return {
		option: {
			name,
			value,
			action,
			description,
			...(isOfferedWhereChosen === true
				? { displayOptions: { show: { operation: [value] } } }
				: {}),
			routing: routed(definition),
		},
		fields,
		...(custom === undefined
			? {}
			: {
					custom: async function (this: IExecuteFunctions) {
						return await runCustom(this, definition);
					},
				}),
	};
}
