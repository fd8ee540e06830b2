import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';
import { InputError, show } from '../service/InputError';
import { adviceOnBraces, expressionIn, fixedPart } from '../service/messageText';

/** A date of n8n without braces. */
const BARE_DATE = /^\$(?:now|today)\b.*/s;

/**
 * A mistake of the form, not of an item: an expression in a field that is in Fixed mode, or without its braces, which
 * n8n takes as it is typed. 'Message' has a check of its own, since what its expressions give must have none either.
 *
 * @param fields those that are read
 * @param typed the parameters as the workflow stores them
 */
export function expressionInFixedField(
	fields: readonly INodeProperties[],
	typed: INodeParameters,
): InputError | undefined {
	for (const field of fields.filter(({ name }) => name !== 'message')) {
		for (const [title, value] of textsIn(field, typed[field.name])) {
			if (typeof value !== 'string') continue;
			const expression = expressionIn(fixedPart(value)) ?? BARE_DATE.exec(value)?.[0];
			if (expression === undefined) continue;
			const change = value.startsWith('=')
				? ''
				: `Switch '${title}' from Fixed to Expression.`;
			return new InputError(
				`'${title}' contains ${show(expression)} as text`,
				`${adviceOnBraces(expression)}${change}`.trim(),
			);
		}
	}
	return undefined;
}

/** The values in a field, each with the name that the editor shows. */
function* textsIn(field: INodeProperties, value: unknown): Generator<[title: string, unknown]> {
	const { displayName, type, options = [], noDataExpression } = field;
	const values = (typeof value === 'object' && value !== null ? value : {}) as IDataObject;
	if (type === 'collection')
		for (const option of options as INodeProperties[])
			yield* textsIn(option, values[option.name]);
	else if (type === 'fixedCollection')
		for (const { name, values: parts } of options as INodePropertyCollection[])
			for (const group of [values[name] ?? []].flat() as IDataObject[])
				for (const part of parts) yield* textsIn(part, group[part.name]);
	else if (type === 'resourceMapper') yield* Object.entries(values.value ?? {});
	else if (type === 'resourceLocator') yield [displayName, values.value ?? value];
	// The HTML editor has no modes: n8n resolves what is in it.
	else if (noDataExpression !== true) yield [displayName, value];
}
