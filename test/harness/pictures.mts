/**
 * Takes the pictures in docs/images from a real editor: node test/harness/pictures.mts [folder]
 * Look at them before you commit them.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startSimulator } from '../simulator/index.mts';
import { openEditor } from './editor.mts';
import { startN8n } from './n8n.mts';
import { root } from './package.mts';

const folder = resolve(process.argv[2] ?? join(root, 'docs/images'));
await mkdir(folder, { recursive: true });
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
	const one = await example('send-one-sms.json');
	const many = await example('send-to-many-from-a-table.json');

	const editor = await openEditor(n8n, { width: 1280, height: 960 });
	try {
		await editor.openWorkflow(many);
		await editor.executeWorkflow();
		await editor.screenshot(join(folder, 'workflow.png'));
		await editor.openWorkflow(one);
		await editor.executeWorkflow();
		await editor.openNode('Send SMS');
		await editor.screenshot(join(folder, 'send-sms.png'));
		const dialog = await editor.openCredential('SMS Service account');
		await dialog.getByText('Connection tested successfully').waitFor();
		await editor.screenshot(join(folder, 'credential.png'), dialog);
	} finally {
		await editor.close();
	}
} finally {
	await n8n.stop();
	await simulator.close();
}
