/**
 * `npm run pictures`: takes the pictures in docs/images from a real editor, and writes down in fingerprints.json of which
 * forms they are. Those of operations, of options and of the page for an answer are taken by the tests that fill in
 * these forms. (`--help` says how.)
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Editor, openEditor } from '../harness/editor.mts';
import { type N8n, startN8n } from '../harness/n8n.mts';
import { root } from '../harness/package.mts';
import { type Simulator, startSimulator } from '../simulator/index.mts';
import './docs/sources.mts';

const { descriptions } = await import('./docs/descriptions.mts');
const { IMAGES, noteForm, noteWorkflow } = await import('./docs/fingerprints.mts');

const folder = join(root, IMAGES);
const chosen = process.argv.slice(2);
const isChosen = (picture: string) =>
	chosen.length === 0 ||
	chosen.some((name) => picture === name || picture.startsWith(`${name}/`));

interface Stage {
	n8n: N8n;
	simulator: Simulator;
	editor: Editor;
}

const workflows = (await readdir(join(root, 'workflows'))).sort();
const OWN: Array<[pictures: string[], take: (stage: Stage) => Promise<void>]> = [
	[['sms.png'], takeForm],
	[['list-dropdown.png', 'contact-columns.png'], takeContacts],
	[['retry.png'], takeRetry],
	...workflows.map((file): [string[], (stage: Stage) => Promise<void>] => {
		const picture = `workflows/${file.replace(/\.json$/, '.png')}`;
		return [[picture], async (stage) => await takeWorkflow(stage, file, picture)];
	}),
];

/** Tests that take pictures, and the name of the case that takes one. */
const BY_TESTS = [
	{ test: 'long/browser', to: 'forms', caseOf: (name: string) => name.replace('-', ' ') },
	{ test: 'long/options', to: 'options', caseOf: (name: string) => name },
];
const ANSWER = { test: 'e2e/send-and-wait', to: '', caseOf: (name: string) => name };

const own = OWN.filter(([pictures]) => pictures.some(isChosen));
if (own.length > 0) await takeOwn(own.map(([, take]) => take));
for (const by of BY_TESTS) {
	const files = (await readdir(join(folder, by.to))).filter((name) => name.endsWith('.png'));
	takeByTest(
		by,
		files.map((name) => `${by.to}/${name}`),
	);
}
takeByTest(ANSWER, ['answer-page.png']);

async function takeOwn(takes: Array<(stage: Stage) => Promise<void>>): Promise<void> {
	await mkdir(join(folder, 'workflows'), { recursive: true });
	const simulator = await startSimulator();
	const n8n = await startN8n();
	try {
		const { baseUrl, apiKey, headerName } = simulator;
		const credential = { baseUrl, apiKey, headerName };
		await n8n.createCredential('smsServiceApi', 'SMS Service account', credential);
		const editor = await openEditor(n8n, { width: 1280, height: 960 });
		try {
			for (const take of takes) await take({ n8n, simulator, editor });
		} finally {
			await editor.close();
		}
	} finally {
		await n8n.stop();
		await simulator.close();
	}
}

/** Runs a test in the mode in which it takes pictures: all its cases, or those of the pictures that are chosen. */
function takeByTest({ test, to, caseOf }: (typeof BY_TESTS)[number], pictures: string[]): void {
	const wanted = pictures.filter(isChosen);
	if (wanted.length === 0) return;
	const cases = wanted.map((picture) => caseOf(basename(picture, '.png')));
	const only =
		to !== '' && wanted.length === pictures.length ? [] : ['-t', `(${cases.join('|')})\\b`];
	const [project] = test.split('/');
	const vitest = [
		'run',
		'--config',
		'test/vitest.config.mts',
		'--project',
		project,
		test,
		...only,
	];
	for (const [command, args] of [
		['npm', ['run', 'build']],
		['vitest', vitest],
	] as const) {
		const env = { ...process.env, PICTURES: join(folder, to) };
		const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
		if (status !== 0) process.exit(status ?? 1);
	}
}

async function importExample({ n8n }: Stage, file: string): Promise<string> {
	const text = await readFile(join(root, 'workflows', file), 'utf8');
	return (await n8n.createWorkflow(JSON.parse(text))).id;
}

/** The form of a node, and the result of its run. */
async function takeForm(stage: Stage): Promise<void> {
	const { n8n, editor } = stage;
	const id = await importExample(stage, 'send-one-sms.json');
	await editor.openWorkflow(id);
	await editor.executeWorkflow();
	await editor.openNode('Send SMS');
	const picture = join(folder, 'sms.png');
	await editor.screenshot(picture);
	const { nodes } = await n8n.getWorkflow(id);
	const { parameters } = nodes.find(({ name }) => name === 'Send SMS')!;
	noteForm(picture, 'Sms', descriptions.Sms, parameters);
}

/** A list picked from many, and its columns as fields. */
async function takeContacts({ n8n, simulator, editor }: Stage): Promise<void> {
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
	const parameters = { operation: 'add', number: '={{ $json.phone }}' };
	const { id } = await n8n.createWorkflow({
		name: 'Contacts',
		nodes: [
			{ name: 'Customer', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
			{
				name: 'Add Contact',
				type: 'n8n-nodes-sms-service.smsContact',
				parameters,
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
	const take = async (name: string) => {
		const picture = join(folder, name);
		await editor.screenshot(picture, panel);
		noteForm(picture, 'SmsContact', descriptions.SmsContact, parameters);
	};
	const lists = editor.page.getByTestId('rlc-item');
	await panel.getByTestId('rlc-input').first().click();
	await lists.getByText('Magasin 6', { exact: true }).waitFor();
	await take('list-dropdown.png');
	await lists.first().click();
	await panel.getByTestId('parameter-input-Points').waitFor();
	await take('contact-columns.png');
}

/** Where a failed execution is retried. */
async function takeRetry(stage: Stage): Promise<void> {
	const { n8n, simulator, editor } = stage;
	const { page } = editor;
	simulator.faults.add({ path: /send$/, do: { kind: 'status', status: 500 } });
	const id = await importExample(stage, 'send-one-sms.json');
	await n8n.run(id);
	const [execution] = await n8n.listExecutions(id);
	await page.goto(`${n8n.url}/workflow/${id}/executions/${execution.id}`);
	await page.getByTestId('execution-preview-retry-button').click();
	await page.getByText('Retry with currently saved workflow').first().waitFor();
	// The list of executions slides in.
	await page.waitForTimeout(1_000);
	await page.screenshot({ path: join(folder, 'retry.png') });
}

/** An example workflow on the canvas, as it is imported. */
async function takeWorkflow(stage: Stage, file: string, name: string): Promise<void> {
	const picture = join(folder, name);
	await stage.editor.openWorkflow(await importExample(stage, file));
	await stage.editor.screenshotOfCanvas(picture);
	noteWorkflow(picture);
}
