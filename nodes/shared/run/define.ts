import type { IExecuteFunctions } from 'n8n-workflow';
import { runCustom } from './custom';
import type { Prepared } from './entries';
import type { Definition, Operation } from './operation';
import type { Timing } from './timing';
import { toolRouting } from './tool';

/**
 * An operation, defined once, as a node lists it: n8n's engine runs it as a custom operation; where an
 * agent calls the node as a tool, n8n's router does.
 */
export function defineOperation<P extends Prepared>(definition: Definition<P>): Operation {
	const { name, value, action, description, builderHint, fields } = definition;
	return {
		option: {
			name,
			value,
			action,
			description,
			...(builderHint === undefined ? {} : { builderHint: { propertyHint: builderHint } }),
			routing: toolRouting(definition),
		},
		fields,
		async run(this: IExecuteFunctions, timing?: Timing) {
			return await runCustom(this, definition, timing);
		},
	};
}
