import type { Locator } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, hasBrowser, labelsIn, openEditor } from '../harness/editor.mts';
import { root } from '../harness/package.mts';
import { credentialName, type Environment, packageName, startEnvironment } from './support.mts';

if (!hasBrowser) console.log('No Chromium here: the tests of the editor are skipped');

describe.skipIf(!hasBrowser && !process.env.CI)('in the editor', () => {
	let environment: Environment;
	let editor: Editor;

	beforeAll(async () => {
		environment = await startEnvironment();
		editor = await openEditor(environment.n8n);
	});
	afterAll(async () => {
		await editor?.close();
		await environment?.close();
	});
	beforeEach(() => environment.simulator.reset());

	test('the credential dialog tests the connection and says what is wrong', async () => {
		const dialog = await editor.openCredential(credentialName);
		await dialog.getByText('Connection tested successfully').waitFor();
		expect(environment.simulator.requests.map(({ path }) => path)).toContain(
			'/v2/account/stats',
		);

		const key = dialog.getByTestId('parameter-input-apiKey').locator('input');
		await key.fill('wrong-key');
		await dialog.getByTestId('credential-save-button').click();
		await dialog.getByText('Couldn’t connect with these settings').waitFor();
		await dialog.getByText('More details').click();
		expect(await dialog.innerText()).toContain('The service refused the API key');

		await key.fill(environment.simulator.apiKey);
		await dialog.getByTestId('credential-save-button').click();
		await dialog.getByText('Connection tested successfully').waitFor();
	});

	test('an example workflow, imported from its file, finds the credential and sends', async () => {
		const { n8n, simulator } = environment;
		const { page } = editor;
		await page.goto(`${n8n.url}/workflow/new`);
		await page
			.getByTestId('workflow-import-input')
			.setInputFiles(join(root, 'workflows/send-one-sms.json'));
		await page.locator('[data-node-name="Send SMS"]').first().waitFor({ state: 'attached' });
		await page.getByTestId('execute-workflow-button').click();
		await expect.poll(() => simulator.messages.length, { timeout: 180_000 }).toBe(1);

		const panel = await editor.openNode('Send SMS');
		const credential = panel.getByTestId('node-credentials-select').locator('input');
		// Until the editor has loaded the credentials, it shows an id.
		await expect.poll(() => credential.inputValue(), { timeout: 180_000 }).toBe(credentialName);
		const { messages } = simulator;
		await panel.getByTestId('output-panel').getByText(messages[0].snapshotId).first().waitFor();
	});

	test('an example workflow runs in the editor with its pinned data, without an account elsewhere', async () => {
		const { n8n, simulator } = environment;
		const { page } = editor;
		await page.goto(`${n8n.url}/workflow/new`);
		await page
			.getByTestId('workflow-import-input')
			.setInputFiles(join(root, 'workflows/marketing-once-a-week.json'));
		await page
			.locator('[data-node-name="Send SMS in Batch"]')
			.first()
			.waitFor({ state: 'attached' });
		await page.getByTestId('execute-workflow-button').click();
		await expect.poll(() => simulator.messages.length, { timeout: 180_000 }).toBe(3);
		const panel = await editor.openNode('Write Status');
		await panel.getByText('SMS Status').first().waitFor();
	});

	test.each([
		['list-create-and-fill', 'Add Contact', ['Last name', 'Birthday', 'Newsletter']],
		['campaign-to-a-new-list', 'Add Contact', ['First name']],
	])('%s: the columns stay mapped when the node is opened', async (file, node, columns) => {
		const { n8n, simulator } = environment;
		const text = await readFile(join(root, `workflows/${file}.json`), 'utf8');
		const { id } = await n8n.createWorkflow(JSON.parse(text));
		await editor.openWorkflow(id);
		await editor.page.getByTestId('execute-workflow-button').click();
		const contacts = () =>
			[...simulator.service.lists.values()].flatMap((list) => list.contacts);
		await expect.poll(() => contacts().length, { timeout: 180_000 }).toBeGreaterThan(0);

		const before = simulator.requests.length;
		const panel = await editor.openNode(node);
		// The form asks for the columns of the list that the run has made.
		await expect
			.poll(() => simulator.requests.length, { timeout: 180_000 })
			.toBeGreaterThan(before);
		for (const column of columns) {
			const field = panel.getByTestId(`parameter-input-${column}`);
			await expect.poll(() => field.innerText(), { timeout: 180_000 }).toContain('$json');
		}
		await editor.closeNode(panel);
	});

	test('a node shows the fields of the chosen operation', async () => {
		const { n8n } = environment;
		const file = await readFile(join(root, 'workflows/send-one-sms.json'), 'utf8');
		const { id } = await n8n.createWorkflow(JSON.parse(file));
		await editor.openWorkflow(id);
		const panel = await editor.openNode('Send SMS');
		const labels = async () => await labelsIn(panel);
		expect(await labels()).toEqual(
			expect.arrayContaining([
				'Operation',
				'Message Type',
				'Phone Number',
				'Message',
				'Safeguards',
			]),
		);

		await chooseOperation(panel, 'Preview SMS');
		await expect.poll(labels).not.toContain('Safeguards');
		expect(await labels()).toContain('Message');
	});

	test('Dry Run and Once Key stay when another operation is chosen', async () => {
		const { id } = await environment.n8n.createWorkflow({
			name: 'Another operation',
			nodes: [
				{
					name: 'Send SMS',
					type: `${packageName}.sms`,
					parameters: {
						number: '+33639981234',
						message: 'Bonjour',
						options: { category: 'orders' },
						safeguards: { dryRun: true, onceKey: 'A-1' },
					},
				},
			],
			connections: {},
		});
		await editor.openWorkflow(id);
		const panel = await editor.openNode('Send SMS');
		for (const operation of ['Send SMS in Batch', 'Send SMS']) {
			await chooseOperation(panel, operation);
			await expect
				.poll(async () => await labelsIn(panel))
				.toEqual(expect.arrayContaining(['Category', 'Dry Run', 'Once Key']));
		}
	});
});

async function chooseOperation(panel: Locator, name: string): Promise<void> {
	await panel.getByTestId('parameter-input-operation').click();
	await panel
		.page()
		.getByTestId('parameter-input-item')
		.filter({ visible: true })
		.getByText(name, { exact: true })
		.click();
}
