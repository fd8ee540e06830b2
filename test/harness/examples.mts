/**
 * The example workflows, imported as they are, with a witness beside each node of another tool (a sheet, a
 * chat). n8n doesn't run a node that is pinned or switched off, so nobody would see whether its fields are
 * right: the witness is an Edit Fields node on the same input that evaluates them.
 */
import type { IDataObject, INode, IPinData } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Execution, WorkflowDefinition } from './n8n.mts';
import { root } from './package.mts';

interface Example extends WorkflowDefinition {
	nodes: INode[];
	pinData: IPinData;
}

/** Nodes of tools in which users have an account. Those after a Send and Wait are switched off instead. */
export const TOOLS = ['airtable', 'gmail', 'googleSheets', 'hubspot', 'slack', 'zendesk'].map(
	(name) => `n8n-nodes-base.${name}`,
);

const witnessOf = (name: string) => `${name}: told`;

/**
 * @param file its name without `.json`
 * @param options.pins pinned data in the place of a node's own; `null` for none: the node runs
 * @param options.inProduction pinned data doesn't count there: nodes of other tools are switched off
 */
export async function readExample(
	file: string,
	options: { pins?: Record<string, IDataObject[] | null>; inProduction?: boolean } = {},
): Promise<Example> {
	const text = await readFile(join(root, 'workflows', `${file}.json`), 'utf8');
	const example = JSON.parse(text) as Example;
	const tools = example.nodes.filter(({ type }) => TOOLS.includes(type));
	for (const tool of tools) addWitness(example, tool);
	for (const [name, items] of Object.entries(options.pins ?? {})) {
		if (!(name in example.pinData)) throw new Error(`${file} has no data pinned to ${name}`);
		if (items === null) delete example.pinData[name];
		else example.pinData[name] = items.map((json) => ({ json }));
	}
	if (options.inProduction) for (const tool of tools) tool.disabled = true;
	return example;
}

/** @returns what the fields of a tool are, one object for each item, over all its runs */
export function toldTo(execution: Execution, name: string): IDataObject[] {
	const runs = execution.data.resultData.runData[witnessOf(name)] ?? [];
	return runs.flatMap((_, run) => execution.json(witnessOf(name), 0, run));
}

function addWitness(example: Example, tool: INode): void {
	const { name } = tool;
	const fields = fieldsOf(tool.parameters);
	const [x, y] = tool.position;
	example.nodes.push({
		id: crypto.randomUUID(),
		name: witnessOf(name),
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [x, y + 100],
		parameters: {
			assignments: {
				assignments: fields.map(([field, value], index) => ({
					...{ id: String(index), name: field, value, type: 'string' },
				})),
			},
			options: { dotNotation: false },
		},
		...(tool.executeOnce ? { executeOnce: true } : {}),
	});
	for (const { main = [] } of Object.values(example.connections)) {
		for (const output of main) {
			const link = output?.find(({ node }) => node === name);
			if (link) output!.push({ ...link, node: witnessOf(name) });
		}
	}
}

/** The fields that hold an expression, by name, wherever they stand; a property that is set, by its own. */
function fieldsOf(value: unknown, name = ''): Array<[string, string]> {
	if (typeof value === 'string') return value.startsWith('=') ? [[name, value]] : [];
	if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, name));
	if (typeof value !== 'object' || value === null) return [];
	const { property, value: set } = value as IDataObject;
	if (typeof property === 'string') return fieldsOf(set, property);
	return Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, key));
}
