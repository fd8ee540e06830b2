/** The dropdown of lists, the fields for their columns, and fields that come and go, in the editor. */
import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, hasBrowser, labelsIn, openEditor } from '../harness/editor.mts';
import { type Environment, eventually, startEnvironment, workflowOf } from './support.mts';

describe.skipIf(!hasBrowser && !process.env.CI)('in the editor', () => {
	let environment: Environment;
	let editor: Editor;

	beforeAll(async () => {
		environment = await startEnvironment({ simulator: { extended: true } });
		editor = await openEditor(environment.n8n);
	});
	afterAll(async () => {
		await editor?.close();
		await environment?.close();
	});
	beforeEach(() => environment.simulator.reset());

	/** Opens a workflow with one node. @returns the node's panel */
	async function open(type: string, parameters: INodeParameters): Promise<Locator> {
		const { id } = await environment.n8n.createWorkflow(
			workflowOf([{ phone: '06 39 98 00 01' }], type, parameters),
		);
		await editor.openWorkflow(id);
		return await editor.openNode('Node');
	}

	const locator = (value: string) => ({
		__rl: true,
		mode: 'list',
		value,
		cachedResultName: 'Clients',
	});
	const lists = () => editor.page.getByTestId('rlc-item');

	test('a list is found among 2,000, by scrolling or by typing', async () => {
		const { service } = environment.simulator;
		for (let index = 1; index < 2_000; index++) service.createList(`Magasin ${index}`);
		service.createList('Clients fidèles');
		const panel = await open('smsContact', { operation: 'getMany' });
		await panel.getByTestId('rlc-input').first().click();
		await lists().first().waitFor();
		expect(await lists().first().innerText()).toBe('Clients fidèles');
		const shown = await lists().count();

		await lists().last().scrollIntoViewIfNeeded();
		await eventually(async () => await lists().count()).toBeGreaterThan(shown);

		await editor.page.getByTestId('rlc-search').fill('fideles');
		await eventually(async () => await lists().count()).toBe(1);
		await lists().first().click();
		expect(await panel.getByTestId('rlc-input').first().inputValue()).toBe('Clients fidèles');
	});

	test('each of 60 columns has its field, and its value is written as the column wants it', async () => {
		const types = ['STRING', 'DATE', 'BOOLEAN', 'NUMBER'] as const;
		const columns = Array.from({ length: 60 }, (_, index) => {
			const type = types[index % 4];
			const format = type === 'DATE' ? { format: 'dd/MM' } : {};
			return { name: `Colonne ${index + 1}`, type, ...format };
		});
		const list = environment.simulator.service.createList('Clients', columns);
		const panel = await open('smsContact', {
			operation: 'add',
			list: locator(list.id),
			number: '={{ $json.phone }}',
		});
		await eventually(async () =>
			(await labelsIn(panel)).filter((label) => label.startsWith('Colonne')),
		).toHaveLength(60);
		expect(await labelsIn(panel)).toEqual(
			expect.arrayContaining(['Colonne 1', 'Colonne 2 (dd/MM)', 'Colonne 60']),
		);

		const field = (name: string) => panel.getByTestId(`parameter-input-${name}`);
		await field('Colonne 1').locator('input').fill('Dupont');
		await field('Colonne 2').locator('input').fill('24/12');
		await field('Colonne 3').click();
		await editor.page
			.getByTestId('parameter-input-item')
			.filter({ visible: true })
			.getByText('Yes', { exact: true })
			.click();
		await field('Colonne 4').locator('input').fill('12');
		await panel.getByTestId('node-execute-button').click();

		await eventually(() => list.contacts.length).toBe(1);
		// Columns that nobody touched are left out, also those for yes or no.
		expect(list.contacts.items()[0].attributes).toEqual({
			colonne_1: 'Dupont',
			colonne_2: '24/12',
			colonne_3: '1',
			colonne_4: '12',
		});
	});

	test('the format is asked for with a date only', async () => {
		const { id } = environment.simulator.service.createList('Clients');
		const panel = await open('smsList', { operation: 'addColumn', list: locator(id) });
		await eventually(() => labelsIn(panel)).toContain('Column Type');
		expect(await labelsIn(panel)).not.toContain('Date Format');
		await panel.getByTestId('parameter-input-columnType').click();
		await editor.page
			.getByTestId('parameter-input-item')
			.filter({ visible: true })
			.getByText('Date', { exact: true })
			.click();
		await eventually(() => labelsIn(panel)).toContain('Date Format');
	});

	test('the columns of a list are offered for deletion', async () => {
		const { id } = environment.simulator.service.createList('Clients', [
			{ name: 'Nom de famille' },
			{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		]);
		const panel = await open('smsList', { operation: 'deleteColumn', list: locator(id) });
		const items = editor.page.getByTestId('parameter-input-item').filter({ visible: true });
		const offered = async () => {
			// While n8n still asks for the columns, a click opens nothing.
			if ((await items.count()) === 0) {
				await panel.getByTestId('parameter-input-column').click();
				await items.first().waitFor({ timeout: 3_000 });
			}
			return await items.allInnerTexts();
		};
		await eventually(offered).toEqual(['Nom de famille\nText', 'Anniversaire\nDate (dd/MM)']);
	});

	test('the dropdown says what is wrong', async () => {
		environment.simulator.faults.add({
			times: Infinity,
			do: { kind: 'json', status: 401, body: { code: 72, error: 'Authentication failed' } },
		});
		const panel = await open('smsContact', { operation: 'getMany' });
		await panel.getByTestId('rlc-input').first().click();
		await editor.page.getByText('The service refused the API key').waitFor();
	});
});
