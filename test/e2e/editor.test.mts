/** Tests that need the editor: the credential's dialog, imported examples, fields that come and go, dropdowns. */
import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Editor, hasBrowser, labelsIn, openEditor } from '../harness/editor.mts';
import { root } from '../harness/package.mts';
import { credentialName, eventually, useEnvironment, workflowOf } from './support.mts';

if (!hasBrowser) console.log('No Chromium here: the tests of the editor are skipped');

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });

describe.skipIf(!hasBrowser && !process.env.CI)('in the editor', () => {
	let editor: Editor;
	beforeAll(async () => {
		editor = await openEditor(n8n, { height: 1300 });
	});
	afterAll(async () => await editor?.close());

	const isVisible = { visible: true };
	const choices = () => editor.page.getByTestId('parameter-input-item').filter(isVisible);
	const lists = () => editor.page.getByTestId('rlc-item');
	const locator = (value: string, mode = 'list') => ({
		...{ __rl: true, mode, value, cachedResultName: 'Clients' },
	});

	/** Opens a workflow with one node. @returns the node's panel */
	async function open(type: string, parameters: INodeParameters): Promise<Locator> {
		const { id } = await n8n.createWorkflow(
			workflowOf([{ phone: '06 39 98 00 01' }], type, parameters),
		);
		await editor.openWorkflow(id);
		return await editor.openNode('Node');
	}

	async function choose(panel: Locator, field: string, name: string): Promise<void> {
		await panel.getByTestId(`parameter-input-${field}`).click();
		await choices().getByText(name, { exact: true }).click();
	}

	test('the credential dialog tests the connection and says what is wrong', async () => {
		const dialog = await editor.openCredential(credentialName);
		await dialog.getByText('Connection tested successfully').waitFor();
		expect(simulator.requests.map(({ path }) => path)).toContain('/v2/account/stats');

		const key = dialog.getByTestId('parameter-input-apiKey').locator('input');
		await key.fill('wrong-key');
		await dialog.getByTestId('credential-save-button').click();
		await dialog.getByText('Couldn’t connect with these settings').waitFor();
		await dialog.getByText('More details').click();
		expect(await dialog.innerText()).toContain('The service refused the API key');

		await key.fill(simulator.apiKey);
		await dialog.getByTestId('credential-save-button').click();
		await dialog.getByText('Connection tested successfully').waitFor();
	});

	test('an example, imported from its file, finds the credential and runs without an account elsewhere', async () => {
		const { page } = editor;
		await page.goto(`${n8n.url}/workflow/new`);
		await page
			.getByTestId('workflow-import-input')
			.setInputFiles(join(root, 'workflows/marketing-once-a-week.json'));
		const node = page.locator('[data-node-name="Send SMS in Batch"]').first();
		await node.waitFor({ state: 'attached' });
		await editor.runWorkflow();
		await eventually(() => simulator.messages.length).toBe(3);

		const panel = await editor.openNode('Send SMS in Batch');
		const credential = panel.getByTestId('node-credentials-select').locator('input');
		// Until the editor has loaded the credentials, it shows an id.
		await eventually(() => credential.inputValue()).toBe(credentialName);
		await editor.closeNode(panel);
		const pinned = await editor.openNode('Write Status');
		await pinned.getByText('SMS Status').first().waitFor();
		await editor.closeNode(pinned);
	});

	test.each([
		['list-create-and-fill', 'Add Contact', ['Last name', 'Birthday', 'Newsletter']],
		['campaign-to-a-new-list', 'Add Contact', ['First name']],
	])('%s: the columns stay mapped when the node is opened', async (file, node, columns) => {
		const text = await readFile(join(root, `workflows/${file}.json`), 'utf8');
		const { id } = await n8n.createWorkflow(JSON.parse(text));
		await editor.openWorkflow(id);
		await editor.runWorkflow();
		const contacts = () =>
			[...simulator.service.lists.values()].flatMap((list) => list.contacts);
		await eventually(() => contacts().length).toBeGreaterThan(0);

		const before = simulator.requests.length;
		const panel = await editor.openNode(node);
		// The form asks for the columns of the list that the run has made.
		await eventually(() => simulator.requests.length).toBeGreaterThan(before);
		for (const column of columns) {
			const field = panel.getByTestId(`parameter-input-${column}`);
			await eventually(() => field.innerText()).toContain('$json');
		}
		await editor.closeNode(panel);
	});

	test('a node shows the fields of the chosen operation, and keeps what both have', async () => {
		const panel = await open('sms', {
			...{ number: '+33639981234', message: 'Bonjour', options: { category: 'orders' } },
			safeguards: { dryRun: true, onceKey: 'A-1' },
		});
		const kept = ['Message', 'Category', 'Dry Run', 'Once Key'];
		for (const operation of ['Send SMS in Batch', 'Send SMS']) {
			await choose(panel, 'operation', operation);
			await eventually(() => labelsIn(panel)).toEqual(expect.arrayContaining(kept));
		}
		await choose(panel, 'operation', 'Preview SMS');
		await eventually(() => labelsIn(panel)).not.toContain('Safeguards');
		expect(await labelsIn(panel)).toContain('Message');
	});

	test('Allowed Hours open with their fields, in the order in which people say them', async () => {
		const panel = await open('sms', { operation: 'send' });
		await panel.getByPlaceholder('Add option', { exact: true }).first().click();
		const option = editor.page.getByTestId('collection-parameter-option').filter(isVisible);
		await option.getByText('Allowed Hours', { exact: true }).click();
		const fields = ['From', 'To', 'Days', 'Outside These Hours', 'Closed on Holidays'];
		const shown = async () => (await labelsIn(panel)).filter((label) => fields.includes(label));
		await eventually(shown).toEqual(fields);
	});

	test('a list is found among 2,000, by scrolling or by typing', async () => {
		const { service } = simulator;
		for (let index = 1; index < 2_000; index++) service.createList(`Magasin ${index}`);
		service.createList('Clients fidèles');
		const panel = await open('smsContact', { operation: 'getMany' });
		await panel.getByTestId('rlc-input').first().click();
		await lists().first().waitFor();
		expect(await lists().first().innerText()).toBe('Clients fidèles');
		const shown = await lists().count();

		await lists().last().scrollIntoViewIfNeeded();
		await eventually(() => lists().count()).toBeGreaterThan(shown);

		await editor.page.getByTestId('rlc-search').fill('fideles');
		await eventually(() => lists().count()).toBe(1);
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
		const list = simulator.service.createList('Clients', columns);
		const panel = await open('smsContact', {
			operation: 'add',
			list: locator(list.id),
			number: '={{ $json.phone }}',
		});
		const shown = async () =>
			(await labelsIn(panel)).filter((label) => label.startsWith('Colonne'));
		await eventually(shown).toHaveLength(60);
		expect(await labelsIn(panel)).toEqual(
			expect.arrayContaining(['Colonne 1', 'Colonne 2 (dd/MM)', 'Colonne 60']),
		);

		const field = (name: string) =>
			panel.getByTestId(`parameter-input-${name}`).locator('input');
		await field('Colonne 1').fill('Dupont');
		await field('Colonne 2').fill('24/12');
		await choose(panel, 'Colonne 3', 'Yes');
		await field('Colonne 4').fill('12');
		await panel.getByTestId('node-execute-button').click();

		await eventually(() => list.contacts.length).toBe(1);
		// Columns that nobody touched are left out, also those for yes or no.
		expect(list.contacts.items()[0].attributes).toEqual({
			...{ colonne_1: 'Dupont', colonne_2: '24/12', colonne_3: '1', colonne_4: '12' },
		});
	});

	test('the format is asked for with a date only', async () => {
		const { id } = simulator.service.createList('Clients');
		const panel = await open('smsList', { operation: 'addColumn', list: locator(id) });
		await eventually(() => labelsIn(panel)).toContain('Column Type');
		expect(await labelsIn(panel)).not.toContain('Date Format');
		await choose(panel, 'columnType', 'Date');
		await eventually(() => labelsIn(panel)).toContain('Date Format');
	});

	test('the columns of the chosen list are offered for deletion, and none without a list', async () => {
		const before = await open('smsList', { operation: 'deleteColumn' });
		await before.getByTestId('parameter-input-column').click();
		await eventually(() => before.getByText(/error fetching/i).count()).toBe(0);
		const items = editor.page.locator('.el-select-dropdown__item').filter(isVisible);
		const names = (await items.allInnerTexts()).map((text) => text.split('\n')[0].trim());
		expect(names.filter((name) => name !== 'No data')).toEqual([]);
		await editor.page.keyboard.press('Escape');

		const { id } = simulator.service.createList('Clients', [
			{ name: 'Nom de famille' },
			{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		]);
		const panel = await open('smsList', { operation: 'deleteColumn', list: locator(id) });
		const offered = async () => {
			// While n8n still asks for the columns, a click opens nothing.
			if ((await choices().count()) === 0) {
				await panel.getByTestId('parameter-input-column').click();
				await choices().first().waitFor({ timeout: 3_000 });
			}
			return await choices().allInnerTexts();
		};
		await eventually(offered).toEqual(['Nom de famille\nText', 'Anniversaire\nDate (dd/MM)']);
	});

	test('the form says what is wrong: a list that was deleted, a key that is refused', async () => {
		const gone = locator('5e0000000000000000000099', 'id');
		const mapping = await open('smsContact', { operation: 'add', list: gone });
		await mapping.getByText('This list no longer exists').first().waitFor();

		simulator.faults.add({
			times: Infinity,
			do: { kind: 'json', status: 401, body: { code: 72, error: 'Authentication failed' } },
		});
		const panel = await open('smsContact', { operation: 'getMany' });
		await panel.getByTestId('rlc-input').first().click();
		await editor.page.getByText('The service refused the API key').waitFor();
	});
});
