/**
 * Where a setting stands in the form of a node, read from the node's own description: a test names the
 * setting, and the node says which collection holds it.
 */
import type { IDataObject, INodeProperties, INodeParameters, INodeType } from 'n8n-workflow';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const dist = join(import.meta.dirname, '../../dist/nodes');
const known = new Map<string, INodeProperties[]>();

/** @returns the properties of a compiled node, by the name of its folder */
function propertiesOf(node: string): INodeProperties[] {
	const found = known.get(node);
	if (found) return found;
	const module = require(join(dist, node, `${node}.node.js`)) as Record<
		string,
		new () => INodeType
	>;
	const { properties } = new module[node]().description;
	known.set(node, properties);
	return properties;
}

/** Operations for which a field is shown; undefined for all. */
export function operationsOf(
	displayOptions: INodeProperties['displayOptions'],
): string[] | undefined {
	const { show } = displayOptions ?? {};
	return (show?.operation ?? show?.['/operation']) as string[] | undefined;
}

/** @returns the collection that holds the setting, '' for a field of its own, undefined for none */
export function placeIn(
	properties: readonly INodeProperties[],
	operation: unknown,
	setting: string,
): string | undefined {
	const holder = properties.find(({ name, type, options, displayOptions }) => {
		const operations = operationsOf(displayOptions);
		if (operations && !operations.includes(operation as string)) return false;
		if (type !== 'collection') return name === setting;
		return options?.some((option) => option.name === setting);
	});
	return holder && (holder.type === 'collection' ? holder.name : '');
}

const placeOf = (node: string, operation: string, setting: string) =>
	placeIn(propertiesOf(node), operation, setting);

/**
 * @param node the name of its folder, as `Sms`
 * @param settings of the operation, by name
 * @returns the same as parameters: each one in the collection that the node declares it in
 * @throws {Error} for one that the operation doesn't have
 */
export function placed(node: string, operation: string, settings: IDataObject): INodeParameters {
	const parameters: Record<string, IDataObject> = {};
	for (const [name, value] of Object.entries(settings)) {
		const place = placeOf(node, operation, name);
		if (place === undefined) throw new Error(`${node} ${operation} has no setting ${name}`);
		if (place === '') parameters[name] = value as IDataObject;
		else parameters[place] = { ...parameters[place], [name]: value };
	}
	return parameters as INodeParameters;
}

/** @returns those of the settings that the operation has */
export function offered(node: string, operation: string, settings: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(settings).filter(([name]) => placeOf(node, operation, name) !== undefined),
	);
}

/** Sends, and nothing beside it: no balance is asked for, and nothing is looked up afterwards. */
export function nothingBeside(operation: string): IDataObject {
	return offered('Sms', operation, { checkBalance: false });
}
