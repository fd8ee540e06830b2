import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { inSlices } from './slices';

/** n8n takes a field of this name for a failure, whatever is in it. */
const NEVER_EMPTY = 'error';
/** Fields that say whom a result is about: an input item has them, too. */
const OF_INPUT: readonly string[] = ['number', 'message'];

/**
 * The fields of an input item that is a result itself: they say what became of another one.
 *
 * @param columns of the operation's results
 */
export function ofEarlierResult(json: IDataObject, columns: readonly string[] = []): string[] {
	return columns.filter((name) => Object.hasOwn(json, name) && !OF_INPUT.includes(name));
}

/**
 * Gives the results of a run the same fields, in the same order, so that n8n shows them as one table: what an
 * item has no value for is null. Failed items have a table of their own where n8n has an output for them.
 *
 * @param first names of the fields that people look at first
 */
export async function asTable(
	items: readonly INodeExecutionData[],
	first: readonly string[],
): Promise<void> {
	for (const failed of [false, true]) {
		const output = items.filter(({ error }) => (error !== undefined) === failed);
		const found = new Set<string>();
		await inSlices(output, ({ json }) => {
			for (const name of Object.keys(json)) found.add(name);
		});
		const names = [...first.filter((name) => found.delete(name)), ...found];
		await inSlices(output, (item) => (item.json = withFields(item.json, names)));
	}
}

function withFields(json: IDataObject, names: readonly string[]): IDataObject {
	const shown = names.filter((name) => name !== NEVER_EMPTY || Object.hasOwn(json, name));
	return Object.fromEntries(shown.map((name) => [name, valueOf(json, name)]));
}

/** A field of an input item can have the name of what every object has. */
function valueOf(json: IDataObject, name: string): IDataObject[string] {
	const value = Object.hasOwn(json, name) ? json[name] : undefined;
	return value === undefined && name !== NEVER_EMPTY ? null : value;
}
