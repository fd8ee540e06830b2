/**
 * Takes the pictures in docs/images from a real editor: those at its top, and one of each example
 * workflow. Look at them before you commit them. (Those in docs/images/forms are taken by
 * test/long/browser.test.mts, that of the page for an answer by test/e2e/send-and-wait.test.mts.)
 *
 *   node test/commands/pictures.mts [folder] [forms | workflows [name …]]
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startSimulator } from '../simulator/index.mts';
import { openEditor } from '../harness/editor.mts';
import { startN8n } from '../harness/n8n.mts';
import { root } from '../harness/package.mts';

const kinds = ['forms', 'workflows'];
const given = process.argv.slice(2);
const at = given.findIndex((argument) => kinds.includes(argument));
const [path] = given.slice(0, at === -1 ? undefined : at);
/** Those workflows only, by the names of their files. */
const [kind, ...names] = at === -1 ? [] : given.slice(at);
const folder = resolve(path ?? join(root, 'docs/images'));
await mkdir(join(folder, 'workflows'), { recursive: true });
const simulator = await startSimulator();
const n8n = await startN8n();
try {
	const { baseUrl, apiKey, headerName } = simulator;
	await n8n.createCredential('smsServiceApi', 'SMS Service account', {
		baseUrl,
		apiKey,
		headerName,
	});
	const example = async (file: string) => {
		const text = await readFile(join(root, 'workflows', file), 'utf8');
		const { id } = await n8n.createWorkflow(JSON.parse(text));
		return id;
	};
	const editor = await openEditor(n8n, { width: 1280, height: 960 });

	/** A list picked from many, and its columns as fields. */
	async function takeContactPictures(): Promise<void> {
		const { service } = simulator;
		for (let shop = 1; shop < 2_000; shop++) service.createList(`Magasin ${shop}`);
		service.createList('Clients fidèles', [
			{ name: 'Nom de famille' },
			{ name: 'Naissance', type: 'DATE', format: 'dd/MM/yyyy' },
			{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
			{ name: 'Inscrit', type: 'BOOLEAN' },
			{ name: 'Points', type: 'NUMBER' },
		]);
		const customer = { phone: '06 39 98 00 41', name: 'Dubois', birthday: '1990-12-24' };
		const { id } = await n8n.createWorkflow({
			name: 'Contacts',
			nodes: [
				{ name: 'Customer', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
				{
					name: 'Add Contact',
					type: 'n8n-nodes-sms-service.smsContact',
					parameters: { operation: 'add', number: '={{ $json.phone }}' },
					credentials: { smsServiceApi: { id: null, name: 'SMS Service account' } },
				},
			],
			connections: {
				Customer: { main: [[{ node: 'Add Contact', type: 'main', index: 0 }]] },
			},
			pinData: { Customer: [{ json: customer }] },
		});
		await editor.openWorkflow(id);
		const panel = await editor.openNode('Add Contact');
		const lists = editor.page.getByTestId('rlc-item');
		await panel.getByTestId('rlc-input').first().click();
		await lists.getByText('Magasin 6', { exact: true }).waitFor();
		await editor.screenshot(join(folder, 'list-dropdown.png'), panel);
		await lists.first().click();
		await panel.getByTestId('parameter-input-Points').waitFor();
		await editor.screenshot(join(folder, 'contact-columns.png'), panel);
	}

	/** The form of a node, and forms that are about a list. */
	async function takeFormPictures(): Promise<void> {
		await editor.openWorkflow(await example('send-one-sms.json'));
		await editor.executeWorkflow();
		await editor.openNode('Send SMS');
		await editor.screenshot(join(folder, 'sms.png'));
		await takeContactPictures();
		await takeRetryPicture();
	}

	/** Where a failed execution is retried. */
	async function takeRetryPicture(): Promise<void> {
		simulator.faults.add({ path: /send$/, do: { kind: 'status', status: 500 } });
		const id = await example('send-one-sms.json');
		await n8n.run(id);
		const [execution] = await n8n.listExecutions(id);
		const { page } = editor;
		await page.goto(`${n8n.url}/workflow/${id}/executions/${execution.id}`);
		await page.getByTestId('execution-preview-retry-button').click();
		await page.getByText('Retry with currently saved workflow').first().waitFor();
		await page.screenshot({ path: join(folder, 'retry.png') });
	}

	/** Each example workflow on the canvas, as it is imported. */
	async function takeWorkflowPictures(): Promise<void> {
		for (const file of (await readdir(join(root, 'workflows'))).sort()) {
			const name = file.replace(/\.json$/, '');
			if (names.length > 0 && !names.includes(name)) continue;
			await editor.openWorkflow(await example(file));
			await editor.screenshotOfCanvas(join(folder, 'workflows', `${name}.png`));
		}
	}

	try {
		if (kind !== 'workflows') await takeFormPictures();
		if (kind !== 'forms') await takeWorkflowPictures();
	} finally {
		await editor.close();
	}
} finally {
	await n8n.stop();
	await simulator.close();
}
