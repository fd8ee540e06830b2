import { updateDisplayOptions, type INodeProperties, type INodeType } from 'n8n-workflow';
import { requestOptions } from '../fields/requestOptions';
import type { Operation } from './operation';

/**
 * The properties of a node from its operations: the dropdown, then each operation's fields, shown
 * for that operation only, and the Request Options. A field that several operations share by the same object
 * appears once, shown for all of them.
 *
 * A node gives n8n a copy of them (`get properties()`): n8n adds Request Options of its own to the list that
 * it gets when it loads the node.
 *
 * @param operations in the order of the dropdown and of the node panel; fields appear in the order of their
 *   first use
 * @param resource value of the hidden `resource` parameter, by which n8n finds custom operations
 * @param title how a user calls it
 */
export function toProperties(
	{ resource, title }: { resource: string; title: string },
	operations: Operation[],
	defaultOperation: string,
): INodeProperties[] {
	const shownFor = new Map<INodeProperties, string[]>();
	for (const { option, fields } of operations) {
		for (const field of fields)
			shownFor.set(field, [...(shownFor.get(field) ?? []), option.value]);
	}
	const fields = [...shownFor].flatMap(([field, operation]) =>
		updateDisplayOptions({ show: { operation } }, [field]),
	);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			noDataExpression: true,
			// With its option, and the operations shown for it, n8n takes their `action` as the name of a
			// new node, in the node panel and for the description of a tool.
			options: [{ name: title, value: resource }],
			default: resource,
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: operations.map(({ option }) => option),
			default: defaultOperation,
		},
		...fields,
		requestOptions,
	];
}

/**
 * The custom operations of a node, as n8n looks them up: by the parameters `resource` and `operation`.
 */
export function toCustomOperations(
	resource: string,
	operations: Operation[],
): NonNullable<INodeType['customOperations']> {
	const runs = operations.map(({ option, run }) => [option.value, run] as const);
	return { [resource]: Object.fromEntries(runs) };
}
