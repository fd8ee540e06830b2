/**
 * Every operation as a user comes to it: found in the editor's search, its form filled in by mouse and
 * keyboard, executed, and its result read; an error of each node, in dark.
 *
 * For `npm run pictures`, it takes the pictures of the docs too (those of errors are for a look): PICTURES is the folder.
 */
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useEnvironment } from '../e2e/support.mts';
import { type Editor, openEditor } from '../harness/editor.mts';
import { descriptions } from '../descriptions.mts';
import { Form, labelsOf, shownFields } from '../harness/form.mts';
import { firstRows, linkOf, prepare, type Row } from '../operations.mts';
import { noteForm } from '../tools/docs/fingerprints.mts';

const { n8n, simulator } = await useEnvironment({ n8n: {}, simulator: { extended: true } });
let editor: Editor;
const errors: string[] = [];

beforeAll(async () => {
	editor = await openEditor(n8n);
	editor.page.on('pageerror', (error) => errors.push(String(error)));
});
afterAll(async () => await editor?.close());
beforeEach(async () => {
	errors.length = 0;
	await editor.page.emulateMedia({ colorScheme: 'light' });
});
afterEach(() => {
	expect(errors).toEqual([]);
});

/** Opens a new workflow that has no more than a start. */
async function openStart(name: string): Promise<void> {
	const { id } = await n8n.createWorkflow({
		name,
		nodes: [{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} }],
		connections: {},
		pinData: { Start: [{ json: { order: 'A-1001' } }] },
	});
	await editor.openWorkflow(id);
	// n8n's own code throws when it leaves a workflow for another: what counts is what our forms do.
	errors.length = 0;
}

/** Adds a node to a new workflow, by the search for "sms". @returns its panel */
async function addNode(description: INodeTypeDescription, action: string): Promise<Locator> {
	await openStart(action);
	return await editor.addNode('sms', description.displayName, action);
}

describe.each(firstRows)('$node $operation', (row: Row) => {
	const description = descriptions[row.node];

	test('is found, filled in, executed and understood', async () => {
		const { parameters: values, expected } = prepare(row, simulator);
		const parameters = { ...values, operation: row.operation };
		const fields = shownFields(description, parameters);
		const panel = await addNode(description, actionOf(description, row.operation));
		const form = new Form(panel, (id) => nameOf(id));
		await form.fill(description, parameters);
		const labels = labelsOf(fields);
		expect((await form.labels()).filter((label) => labels.includes(label))).toEqual(labels);

		const before = simulator.requests.length;
		const shown = await editor.executeNode(panel, row.waits ? answer : undefined);
		const { lines, result, contains } = expected();
		const made = simulator.requests.slice(before);
		const requested = made.map(({ method, target }) => `${method} ${target}`);
		expect(requested).toEqual(expect.arrayContaining(lines));
		// The editor fills its dropdowns meanwhile.
		expect(requested.filter(changes)).toEqual(lines.filter(changes));
		if (row.isEmpty) expect(shown).toEqual([]);
		else if (row.waits) expect(shown).toMatchObject([{ ...contains, answered: true }]);
		else expect(shown).toMatchObject([result ?? contains ?? {}]);
		await takePicture(panel, row, parameters);

		if (!showsError(row)) return;
		await editor.page.emulateMedia({ colorScheme: 'dark' });
		await causeFailure(panel, row);
		const error = await editor.failNode(panel);
		expect(error).toContain(asksNothing(row) ? "'Sender' " : 'The service refused the API key');
		await takePicture(panel, row);
	});

	function nameOf(id: string): string | undefined {
		const { service } = simulator;
		const columns = [...service.lists.values()].flatMap(({ fields }) => fields);
		return [...service.lists.values(), ...service.campaigns.values(), ...columns].find(
			(of) => of.id === id,
		)?.name;
	}
});

/** Approves on a phone what is asked. */
async function answer(): Promise<void> {
	await expect.poll(() => linkOf(simulator), { timeout: 180_000 }).toBeDefined();
	const phone = await editor.page.context().newPage();
	await phone.setViewportSize({ width: 390, height: 844 });
	// A person is not as quick as this: until n8n has saved that it waits, it answers with an error.
	const open = async () => (await phone.goto(linkOf(simulator)!))?.status();
	await expect.poll(open, { timeout: 180_000 }).toBe(200);
	await phone.getByRole('button', { name: 'Approve' }).click();
	await phone.getByText('Thank you').waitFor();
	await phone.close();
}

const changes = (line: string) => !line.startsWith('GET ');

function actionOf({ properties }: INodeTypeDescription, operation: string): string {
	const options = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => options as Array<{ value: string; action: string }>);
	const { action } = options.find(({ value }) => value === operation)!;
	return action;
}

/**
 * Takes a picture of the form, when pictures are wanted.
 *
 * @param shown its parameters, for the picture of a result; without them it is the picture of an error
 */
async function takePicture(panel: Locator, row: Row, shown?: INodeParameters): Promise<void> {
	const folder = process.env.PICTURES;
	if (!folder) return;
	await mkdir(join(folder, 'errors'), { recursive: true });
	const picture = join(folder, shown ? '' : 'errors', `${row.node}-${row.operation}.png`);
	await editor.screenshot(picture, panel);
	if (shown) noteForm(picture, row.node, descriptions[row.node], shown);
}

/** Errors come from one place: the editor shows one for each node, and one that no request has caused. */
function showsError(row: Row): boolean {
	return asksNothing(row) || row === firstRows.find(({ node }) => node === row.node);
}

/** It makes no request that could be refused. */
function asksNothing({ lines }: Row): boolean {
	return lines.length === 0;
}

/** Makes the next run fail: what has no request gets a wrong sender, the others no longer get in. */
async function causeFailure(panel: Locator, row: Row): Promise<void> {
	if (asksNothing(row)) {
		const sender = panel.getByTestId('parameter-input-sender').locator('input');
		await sender.fill('Much too long for a sender');
		return;
	}
	simulator.faults.add({
		times: Infinity,
		do: { kind: 'json', status: 401, body: { code: 72, error: 'Authentication failed' } },
	});
}
