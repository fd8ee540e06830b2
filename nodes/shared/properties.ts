import {
	NodeConnectionTypes,
	updateDisplayOptions,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { requestOptions } from './fields/requestOptions';
import { REQUEST_DEFAULTS } from './http/request';
import type { Operation } from './run/operation';

/** Common parts of the descriptions of all nodes with operations. */
export const ACTION_NODE = {
	version: 1,
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	credentials: [{ name: 'smsServiceApi', required: true, testedBy: 'smsServiceApiTest' }],
	requestDefaults: REQUEST_DEFAULTS,
} satisfies Partial<INodeTypeDescription>;

/** The nodes that are used beside one, for n8n's AI builder: what for, by their names. */
export function relatedNodes(hints: Readonly<Record<string, string>>) {
	return Object.entries(hints).map(([name, relationHint]) => ({
		nodeType: `n8n-nodes-sms-service.${name}`,
		relationHint,
	}));
}

/**
 * The properties of a node from its operations: the dropdown, then each operation's fields, shown
 * for that operation only, and the Request Options. A field that several operations have alike appears once, shown
 * for all of them.
 *
 * A node gives n8n a copy of them (`get properties()`): n8n adds Request Options of its own to the list that
 * it gets when it loads the node.
 *
 * @param operations in the order of the dropdown and of the node panel; fields appear in the order of
 *   their first use, and before a shared one that comes after them
 * @param resource value of the hidden `resource` parameter, by which n8n finds custom operations
 * @param title how a user calls it
 */
export function toProperties(
	{ resource, title }: { resource: string; title: string },
	operations: Operation[],
	defaultOperation: string,
): INodeProperties[] {
	const shown: Array<{ field: INodeProperties; operation: string[] }> = [];
	const find = (wanted: INodeProperties) => shown.findIndex(({ field }) => isSame(field, wanted));
	for (const { option, fields } of operations) {
		for (const [index, field] of fields.entries()) {
			const known = find(field);
			if (known !== -1) {
				shown[known].operation.push(option.value);
				continue;
			}
			const later = fields.slice(index + 1).map(find);
			const next = later.find((place) => place !== -1) ?? shown.length;
			shown.splice(next, 0, { field, operation: [option.value] });
		}
	}
	const fields = shown.flatMap(({ field, operation }) =>
		// By its plain name, the editor would empty a collection when another operation is chosen: Dry Run with it.
		updateDisplayOptions(
			{ show: { [field.type === 'collection' ? '/operation' : 'operation']: operation } },
			[field],
		),
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

/** Fields with one name may differ: in their texts, or in the options of a collection. */
function isSame(one: INodeProperties, other: INodeProperties): boolean {
	return one.name === other.name && JSON.stringify(one) === JSON.stringify(other);
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
