import {
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

/** One operation of a node: its entry in the Operation dropdown and the fields that it shows. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
}

/**
 * The properties of a node from its operations: the dropdown, then each operation's fields, shown
 * for that operation only. A field that several operations share by the same object appears once,
 * shown for all of them.
 *
 * @param operations the one with the most fields first: fields appear in the order of their first use
 * @param resource value of the hidden `resource` parameter, by which n8n finds custom operations
 */
export function toProperties(
	resource: string,
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
			default: resource,
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: operations
				.map(({ option }) => option)
				.sort((a, b) => a.name.localeCompare(b.name)),
			default: defaultOperation,
		},
		...fields,
	];
}
