/**
 * The demo: the example workflows in a real n8n, against the simulator. Without arguments it keeps its
 * data in the folder .demo and stays up; with `--once` it starts from nothing, runs them and ends.
 */
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SimMessage, type Simulator, startSimulator } from '../simulator/index.mts';
import {
	type Execution,
	N8n,
	owner,
	type StoredWorkflow,
	type WorkflowDefinition,
} from '../harness/n8n.mts';
import { freePort, isFree } from '../harness/process.mts';
import { packTarball, root } from '../harness/package.mts';
import { TABLES_FILE } from '../harness/tables.mts';

const sendSms = 'n8n-nodes-sms-service.sms';
const smsTrigger = 'n8n-nodes-sms-service.smsTrigger';

const once = process.argv.includes('--once');
const dataFolder = join(root, '.demo');
/** Where the running demo leaves the editor's address, for a second one to find. */
const addressFile = join(dataFolder, 'address');

let n8n: N8n | undefined;
let simulator: Simulator | undefined;
let isUp = false;
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => void stop());
}

try {
	if (!once) await mustBeTheOnlyOne();
	const tarball = await step('Building and packing the nodes', packTarball);
	simulator = await startSimulator({ port: await portOr(4010), extended: true });
	n8n = new N8n({
		tarball,
		...(once ? {} : { userFolder: join(dataFolder, 'n8n'), port: await portOr(5678) }),
	});
	const instance = n8n;
	await step('Starting n8n with the package installed', () => instance.start());
	await storeCredentials(instance, simulator);
	const examples = await importExamples(instance);
	const succeeded = [
		await sendExamples(instance, simulator, examples.filter(startsByItself)),
		await receiveExamples(instance, simulator, examples.filter(startsBySms)),
	];
	if (once) {
		isStopping = true;
		await close();
		process.exit(succeeded.every(Boolean) ? 0 : 1);
	}
	await writeFile(addressFile, instance.url);
	printAddresses(instance, simulator);
	isUp = true;
} catch (error) {
	if (!isStopping) {
		isStopping = true;
		console.error(`\n${(error as Error).message}`);
		await close();
		process.exit(1);
	}
}

/** Shows a step while it runs, and how long it took. */
async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	process.stdout.write(`${title} … `);
	const result = await work();
	console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`);
	return result;
}

/** What Ctrl-C does. */
async function stop(): Promise<void> {
	if (isStopping) return;
	isStopping = true;
	if (isUp) console.log('\nStopping …');
	await close();
	// Ending a demo that has been shown is no failure.
	process.exit(isUp ? 0 : 1);
}

async function close(): Promise<void> {
	await Promise.all([n8n?.stop(), simulator?.close()]);
	if (isUp) await rm(addressFile, { force: true });
}

/** @throws {Error} when a demo is up that uses the same folder: two would share one database */
async function mustBeTheOnlyOne(): Promise<void> {
	await mkdir(dataFolder, { recursive: true });
	const address = await readFile(addressFile, 'utf8').catch(() => undefined);
	if (address === undefined) return;
	const isAnswering = await axios
		.get(`${address}/healthz`, { proxy: false, timeout: 5_000 })
		.then(
			() => true,
			() => false,
		);
	if (isAnswering) throw new Error(`The demo is up already: ${workflowsOf(address)}`);
}

/** @returns the port, or a free one when somebody listens on it */
async function portOr(preferred: number): Promise<number> {
	return (await isFree(preferred)) ? preferred : await freePort();
}

/** Stores what the example workflows authenticate with, at the simulator's present address. */
async function storeCredentials(instance: N8n, service: Simulator): Promise<void> {
	const { baseUrl, apiKey, headerName } = service;
	await storeCredential(instance, 'smsServiceApi', 'SMS Service account', {
		baseUrl,
		apiKey,
		headerName,
		allowHttp: false,
	});
}

/** Creates a credential, or replaces the data of the one that has the name. */
async function storeCredential(
	instance: N8n,
	type: string,
	name: string,
	data: IDataObject,
): Promise<void> {
	const { data: stored } =
		await instance.rest.get<Array<{ id: string; name: string; type: string }>>('/credentials');
	const existing = stored.find((one) => one.name === name && one.type === type);
	if (!existing) await instance.createCredential(type, name, data);
	else await instance.rest.patch(`/credentials/${existing.id}`, { name, type, data });
}

/**
 * Imports /workflows/*.json: other tools with their example data, but the SMS Trigger without, since the
 * simulator has replies. What an earlier demo imported stays as the user may have changed it, unless the
 * file is another by now.
 *
 * @returns them, first the one that makes the data tables of others
 */
async function importExamples(instance: N8n): Promise<StoredWorkflow[]> {
	const folder = join(root, 'workflows');
	const listFile = join(instance.userFolder, 'examples.json');
	const imported: Record<string, { id: string; hash: string }> = JSON.parse(
		await readFile(listFile, 'utf8').catch(() => '{}'),
	);
	const { data: stored } = await instance.rest.get<Array<{ id: string }>>('/workflows');
	const examples = [];
	const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
	for (const file of new Set([TABLES_FILE, ...files])) {
		const definition: WorkflowDefinition = JSON.parse(
			await readFile(join(folder, file), 'utf8'),
		);
		for (const { name, type } of definition.nodes) {
			if (type === smsTrigger) delete definition.pinData?.[name];
		}
		const hash = createHash('sha256').update(JSON.stringify(definition)).digest('hex');
		const earlier = imported[file];
		if (!earlier || !stored.some(({ id }) => id === earlier.id)) {
			imported[file] = { id: (await instance.createWorkflow(definition)).id, hash };
		} else if (earlier.hash !== hash) {
			await instance.updateWorkflow(earlier.id, definition);
			earlier.hash = hash;
		}
		examples.push(await instance.getWorkflow(imported[file].id));
	}
	await writeFile(listFile, JSON.stringify(imported, null, 2));
	return examples;
}

/** It needs a credential for a language model, which nobody has. */
function needsModel({ nodes }: StoredWorkflow): boolean {
	return nodes.some(({ type }) => type.startsWith('@n8n/n8n-nodes-langchain.lm'));
}

/** Runs to its end without an SMS, an answer or a language model; with data tables, from any trigger. */
function startsByItself(workflow: StoredWorkflow): boolean {
	const asks = workflow.nodes.some(({ parameters }) => parameters.operation === 'sendAndWait');
	return !asks && !needsModel(workflow) && triggersOf(workflow).length > 0;
}

function startsBySms(workflow: StoredWorkflow): boolean {
	return !needsModel(workflow) && workflow.nodes.some(({ type }) => type === smsTrigger);
}

/** Where the demo starts a workflow: by hand, and one with data tables as its schedule, form or webhook would. */
function triggersOf({ nodes }: StoredWorkflow): string[] {
	const hasTables = nodes.some(({ type }) => type === 'n8n-nodes-base.dataTable');
	const starting = hasTables
		? /\.(manualTrigger|scheduleTrigger|formTrigger|webhook)$/
		: /\.manualTrigger$/;
	return nodes.filter(({ type }) => starting.test(type)).map(({ name }) => name);
}

/**
 * Runs a copy of a workflow, so that its own first run sends: n8n keeps once keys, and the items that Remove Duplicates
 * has seen, by workflow.
 */
async function runCopy(
	instance: N8n,
	{ name, nodes, connections, settings, pinData }: StoredWorkflow,
	trigger?: string,
): Promise<Execution> {
	const copy = { name: `${name} (copy)`, nodes, connections, settings, pinData };
	const { id } = await instance.createWorkflow(copy);
	try {
		return await instance.run(id, { trigger });
	} finally {
		// n8n deletes only what was archived.
		await instance.rest.post(`/workflows/${id}/archive`);
		await instance.rest.delete(`/workflows/${id}`);
	}
}

/** Runs a copy of a workflow and shows it. @returns the execution, or undefined when it did not succeed */
async function show(
	instance: N8n,
	workflow: StoredWorkflow,
	trigger?: string,
): Promise<Execution | undefined> {
	const execution = await step(`Running "${workflow.name}"`, () =>
		runCopy(instance, workflow, trigger),
	);
	if (execution.status === 'success') return execution;
	console.error(`  ${execution.status}: ${execution.error?.message ?? ''}`);
	return undefined;
}

/** Runs the workflows that send and shows the phones. @returns whether all messages arrived */
async function sendExamples(
	instance: N8n,
	service: Simulator,
	workflows: StoredWorkflow[],
): Promise<boolean> {
	const receipts = new Set<string>();
	let succeeded = true;
	const runs = workflows.flatMap((workflow) =>
		triggersOf(workflow).map((trigger) => ({ workflow, trigger })),
	);
	for (const { workflow, trigger } of runs) {
		const execution = await show(instance, workflow, trigger);
		if (!execution) succeeded = false;
		for (const { name } of workflow.nodes.filter(({ type }) => type === sendSms)) {
			for (const json of execution?.json(name) ?? []) {
				// With 'Include Input Fields', the result is in one field. What was skipped has none.
				const { snapshotId } = { ...json, ...(json.sms as object | undefined) };
				if (typeof snapshotId === 'string') receipts.add(String(snapshotId));
			}
		}
	}
	// A phone that is on gets its messages within seconds.
	for (let tries = 0; tries < 50 && !service.messages.every(hasArrived); tries++)
		await sleep(100);
	printPhones(service.messages);

	const phones = new Set(
		service.messages.filter(hasArrived).map((message) => message.snapshotId),
	);
	const arrived =
		receipts.size > 0 &&
		receipts.size === service.messages.length &&
		[...receipts].every((receipt) => phones.has(receipt));
	console.log(
		arrived
			? `\nAll ${phones.size} messages arrived or are scheduled, and each has its receipt.\n`
			: `\n${receipts.size} receipts, ${service.messages.length} messages sent, ${phones.size} arrived: that does not fit together.\n`,
	);
	return succeeded && arrived;
}

/**
 * Lets two phones reply and another one send STOP, and runs the workflows that wait for such.
 *
 * @returns whether each workflow that has another tool has told it
 */
async function receiveExamples(
	instance: N8n,
	service: Simulator,
	workflows: StoredWorkflow[],
): Promise<boolean> {
	if (workflows.length === 0) return true;
	// The examples that read replies are about orders.
	service.reply('+33639980001', 'Thank you, I will come on Friday.', { category: 'orders' });
	// Who was asked by the workflow "reply YES or NO".
	service.reply('+33639980081', 'YES');
	service.stop('+33639980099');
	let succeeded = true;
	for (const workflow of workflows) {
		const trigger = workflow.nodes.find(({ type }) => type === smsTrigger)?.name;
		const execution = await show(instance, workflow, trigger);
		const hasTool = Object.keys(workflow.pinData ?? {}).length > 0;
		const hasTold = execution !== undefined && printTools(execution, workflow);
		if (!execution || (hasTool && !hasTold)) succeeded = false;
	}
	return succeeded;
}

/** It is on its phone, or kept until the hours that its workflow allows. */
function hasArrived({ state }: SimMessage): boolean {
	return ['delivered', 'scheduled'].includes(state);
}

function printPhones(messages: SimMessage[]): void {
	console.log('\nWhat the phones received:\n');
	const rows = messages.map(({ number, sender, state, snapshotId, deliveredText }) => [
		number,
		sender ?? '(short code)',
		state,
		snapshotId,
		deliveredText,
	]);
	const table = [['Phone', 'Sender', 'State', 'Receipt', 'Message'], ...rows];
	const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
	for (const row of table) {
		const cells = row.map((cell, column) => cell.padEnd(column < 4 ? widths[column] : 0));
		console.log(`  ${cells.join('   ')}`);
	}
}

/**
 * Prints what reached the nodes of other tools, which have pinned data: n8n doesn't run those.
 *
 * @returns whether something did
 */
function printTools(execution: Execution, { nodes, pinData = {} }: StoredWorkflow): boolean {
	const reached = nodes.flatMap(({ name, type }) => {
		const runs = (name in pinData && execution.data.resultData.runData[name]) || [];
		return runs.flatMap(({ source: [source] }) => {
			if (!source) return [];
			const { previousNode, previousNodeOutput, previousNodeRun } = source;
			const items = execution.json(previousNode, previousNodeOutput, previousNodeRun);
			return items.map(
				(item) => `  ${name} (${type.split('.')[1]}) got ${JSON.stringify(item)}`,
			);
		});
	});
	for (const line of reached) console.log(line);
	return reached.length > 0;
}

function printAddresses({ url }: N8n, { baseUrl, apiKey }: Simulator): void {
	console.log(`
n8n's editor      ${workflowsOf(url)}
  log in with     ${owner.email}
  password        ${owner.password}
The phones        ${baseUrl}/

A credential for the simulator is there already. For one of your own:
  Base URL        ${baseUrl}
  API Key         ${apiKey}

What to do there: "First SMS in two minutes" in README.md.
The example workflows are in the editor too: change them, run them, and look at the phones. To those that
wait for replies, give one on the page with the phones first. Sheets and chats have example data, and n8n's data
tables example rows: to set them back, run "SMS: tables for the examples".
Ctrl-C ends the demo. Your workflows and credentials are kept in .demo; the messages, lists and campaigns of the
simulator are forgotten.`);
}

/** The page of n8n to begin on. The one that it shows by itself is about its AI assistant. */
function workflowsOf(url: string): string {
	return `${url}/home/workflows`;
}
