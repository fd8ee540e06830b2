import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** n8n takes a field of this name for a failure, whatever is in it. */
const NEVER_EMPTY = 'error';

/**
 * Gives the results of a run the same fields, in the same order, so that n8n shows them as one table: what an
 * item has no value for is null. Failed items have a table of their own where n8n has an output for them.
 *
 * @param first names of the fields that people look at first
 */
export function asTable(items: readonly INodeExecutionData[], first: readonly string[]): void {
	const outputs = [false, true].map((failed) =>
		items.filter(({ error }) => (error !== undefined) === failed),
	);
	for (const output of outputs) {
		const found = new Set(output.flatMap(({ json }) => Object.keys(json)));
		const names = [...first.filter((name) => found.delete(name)), ...found];
		for (const item of output) item.json = withFields(item.json, names);
	}
}

function withFields(json: IDataObject, names: readonly string[]): IDataObject {
	const fields: IDataObject = {};
	for (const name of names) {
		if (name in json) fields[name] = json[name];
		else if (name !== NEVER_EMPTY) fields[name] = null;
	}
	return fields;
}
