/** Forms in the editor: what is offered, what a saved workflow keeps, what a dropdown says. */
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, hasBrowser, labelsIn, openEditor } from '../harness/editor.mts';
import {
	type Environment,
	eventually,
	packageName,
	startEnvironment,
	workflowOf,
} from './support.mts';

describe.skipIf(!hasBrowser && !process.env.CI)('a form in the editor', () => {
	let environment: Environment;
	let editor: Editor;

	beforeAll(async () => {
		environment = await startEnvironment({ simulator: { extended: true } });
		editor = await openEditor(environment.n8n, { height: 1300 });
	});
	afterAll(async () => {
		await editor?.close();
		await environment?.close();
	});
	beforeEach(() => environment.simulator.reset());

	async function open(type: string, parameters: INodeParameters): Promise<Locator> {
		const { id } = await environment.n8n.createWorkflow(workflowOf([{}], type, parameters));
		await editor.openWorkflow(id);
		return await editor.openNode('Node');
	}

	/** What an open dropdown offers: the first line of each entry. */
	async function offered(): Promise<string[]> {
		const items = editor.page.locator('.el-select-dropdown__item').filter({ visible: true });
		return (await items.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	}

	test('each setting is offered in one collection', async () => {
		const add = async (text: string) => {
			const panel = await open('sms', { operation: 'send' });
			await panel.getByPlaceholder(text, { exact: true }).first().click();
			await eventually(offered).not.toEqual([]);
			return await offered();
		};
		const options = await add('Add option');
		expect(options).toContain('Category');
		const safeguards = await add('Add safeguard');
		expect(safeguards).toContain('Once Key');
		expect(options).toContain('Concurrency');
		const all = [...options, ...safeguards];
		expect(new Set(all).size).toBe(all.length);
		expect(all).not.toContain('Sender');
	});

	test('Allowed Hours open with their fields, in the order in which people say them', async () => {
		const panel = await open('sms', { operation: 'send' });
		await panel.getByPlaceholder('Add option', { exact: true }).first().click();
		const option = editor.page.getByTestId('collection-parameter-option');
		await option.filter({ visible: true }).getByText('Allowed Hours', { exact: true }).click();
		const fields = ['From', 'To', 'Days', 'Outside These Hours', 'Closed on Holidays'];
		await eventually(async () =>
			(await labelsIn(panel)).filter((label) => fields.includes(label)),
		).toEqual(fields);
	});

	test('the editor gets no Batching to show beside Concurrency', async () => {
		const { data } = await environment.n8n.rest.get(`${environment.n8n.url}/types/nodes.json`);
		const types = (data as INodeTypeDescription[]).filter(
			({ name, polling }) => name.startsWith(`${packageName}.`) && polling !== true,
		);
		expect(types.length).toBeGreaterThanOrEqual(12); // six nodes, each as a tool as well
		for (const { name, properties } of types) {
			const found = properties.filter((property) => property.name === 'requestOptions');
			expect(found, name).toHaveLength(1);
			const offers = found[0].options?.map((option) => option.name);
			expect(offers, name).toEqual(['proxy', 'timeout']);
		}
	});

	test('Delete asks by what', async () => {
		const panel = await open('smsContact', { operation: 'delete' });
		await eventually(() => labelsIn(panel)).toEqual(
			expect.arrayContaining(['Delete By', 'Phone Number']),
		);
		const byId = await open('smsContact', { operation: 'delete', deleteBy: 'id' });
		await eventually(() => labelsIn(byId)).toContain('Contact ID');
		expect(await labelsIn(byId)).not.toContain('Phone Number');
	});

	test('no column is offered, and nothing fails, before a list is chosen', async () => {
		const panel = await open('smsList', { operation: 'deleteColumn' });
		await panel.getByTestId('parameter-input-column').click();
		await eventually(() => panel.getByText(/error fetching/i).count()).toBe(0);
		expect((await offered()).filter((name) => name !== 'No data')).toEqual([]);
	});

	test('the columns of a list that was deleted say so', async () => {
		const list = { __rl: true, mode: 'id', value: '5e0000000000000000000099' };
		const panel = await open('smsContact', { operation: 'add', list });
		await panel.getByText('This list no longer exists').first().waitFor();
	});

	test('a preview is summed up above its results', async () => {
		const panel = await open('sms', { operation: 'preview', message: 'a'.repeat(161) });
		await panel.getByTestId('node-execute-button').click();
		await panel.getByText('1 message, 2 segments.').waitFor();
	});
});
