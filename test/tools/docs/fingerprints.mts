/**
 * Fingerprints of the pictures in docs/images: of which form or workflow each one is, and what that looked like when
 * the picture was taken. Who takes a picture writes it down (`noteForm`, `noteWorkflow`); the lint compares it with the
 * form and the workflow of today.
 */
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { shownFields } from '../../harness/form.mts';
import { root } from '../../harness/package.mts';

export const IMAGES = 'docs/images';
const FILE = join(root, IMAGES, 'fingerprints.json');

/** Of a form: the node, by the name of its folder, and its parameters. Of a workflow: the name of its file. */
type Shown = { node: string; parameters: INodeParameters } | { workflow: string };
export type Fingerprints = Record<string, Shown & { fingerprint: string }>;

export const readFingerprints = () => JSON.parse(readFileSync(FILE, 'utf8')) as Fingerprints;

/** Writes down of which form a picture is. Pictures outside of docs/images have no fingerprint. */
export function noteForm(
	picture: string,
	node: string,
	description: INodeTypeDescription,
	parameters: INodeParameters,
): void {
	note(picture, { node, parameters, fingerprint: fingerprintOfForm(description, parameters) });
}

/** Writes down of which example workflow a picture is. */
export function noteWorkflow(picture: string): void {
	const workflow = `${basename(picture, '.png')}.json`;
	note(picture, { workflow, fingerprint: fingerprintOfWorkflow(workflow) });
}

function note(picture: string, entry: Fingerprints[string]): void {
	const name = relative(join(root, IMAGES), picture);
	if (name.startsWith('..')) return;
	const all = Object.entries({ ...readFingerprints(), [name]: entry });
	const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
	writeFileSync(FILE, `${JSON.stringify(sorted, null, '\t')}\n`);
}

/** All that is read in the form that these parameters show, from top to bottom. */
export function fingerprintOfForm(
	description: INodeTypeDescription,
	parameters: INodeParameters,
): string {
	return hash(textsOf(shownFields(description, parameters), parameters));
}

/** All that is seen of a workflow on the canvas: its nodes and notes, where they are, and how they are connected. */
export function fingerprintOfWorkflow(file: string): string {
	const { nodes, connections } = JSON.parse(
		readFileSync(join(root, 'workflows', file), 'utf8'),
	) as {
		nodes: Array<Record<string, unknown> & { parameters: INodeParameters }>;
		connections: object;
	};
	const seen = nodes.map(({ name, type, position, disabled, parameters }) => {
		const { operation, content, width, height, color } = parameters;
		return [name, type, position, disabled, operation, content, width, height, color];
	});
	return hash([seen, connections]);
}

function textsOf(fields: readonly INodeProperties[], values: INodeParameters): unknown[] {
	return fields.map((field) => {
		const { displayName, type, placeholder, hint } = field;
		return [displayName, type, placeholder, hint, valueOf(field, values[field.name])];
	});
}

/** What a field shows of its value: the name of a choice, the fields in a collection; a text is not of the form. */
function valueOf(field: INodeProperties, given: INodeParameters[string]): unknown {
	const value = given ?? field.default;
	const options = field.options ?? [];
	if (field.type === 'collection') {
		const added = (options as INodeProperties[]).filter(
			({ name }) => name in (value as object),
		);
		return textsOf(added, value as INodeParameters);
	}
	if (field.type === 'fixedCollection') {
		return (options as INodePropertyCollection[])
			.filter(({ name }) => name in (value as object))
			.map(({ displayName, name, values }) => {
				const [row = {}] = [(value as INodeParameters)[name]].flat() as INodeParameters[];
				return [displayName, textsOf(values, row)];
			});
	}
	const choices = (options as INodePropertyOptions[]).filter((option) =>
		[value].flat().includes(option.value as never),
	);
	return choices.map(({ name }) => name);
}

function hash(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
