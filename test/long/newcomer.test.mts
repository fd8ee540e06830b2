/**
 * Somebody who has never seen the project, with its README and nothing else: from a clone to a reply that
 * arrives in a workflow. Each step is one of the README's, by mouse and keyboard.
 */
import type { Page } from 'playwright-core';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Editor, logIn } from '../harness/editor.mts';
import { Form } from '../harness/form.mts';
import { root } from '../harness/package.mts';
import { Program } from '../harness/process.mts';
import { descriptions } from '../descriptions.mts';

const NUMBER = '06 39 98 77 01';

let folder: string | undefined;
let demo: Program;
let logFile: string;
let editor: Editor;
let phones: Page;

beforeAll(async () => {
	folder = await clone();
	logFile = join(folder, 'demo.log');
	const program = { command: 'npm', args: ['run', 'demo'] };
	demo = await Program.start({ ...program, folder, temporary: true, logFile, env: process.env });
});
afterAll(async () => {
	await editor?.close();
	// npm hands SIGINT to a shell that goes on waiting: only a terminal's Ctrl-C reaches what it runs.
	await demo?.end('SIGTERM');
	if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
});

describe('by the README alone', () => {
	test('the demo prints where to go, and how to log in there', async () => {
		await expect.poll(printed, { timeout: 240_000 }).toContain('Ctrl-C ends the demo');
		expect(await printed()).toContain('and each has its receipt.');
		expect((await printed()).match(/^ {2}error: .*/gm)).toBeNull();
		editor = await logIn(
			await printedAfter("n8n's editor"),
			await printedAfter('log in with'),
			await printedAfter('password'),
		);
		await editor.page.getByText('SMS: send one message').first().waitFor();
		phones = await editor.page.context().newPage();
		await phones.goto(await printedAfter('The phones'));
		await editor.page.bringToFront();
	});

	test('a first SMS arrives on a phone, and its status can be looked up', async () => {
		const panel = await editor.startWorkflow('sms', 'SMS', 'Send SMS', 'action');
		await panel.getByTestId('parameter-input-number').locator('input').fill(NUMBER);
		await panel.getByTestId('parameter-input-message').locator('textarea').fill('Is it you?');
		const [{ snapshotId }] = (await editor.executeNode(panel)) as [{ snapshotId: string }];
		expect(snapshotId).toEqual(expect.any(String));
		await editor.closeNode(panel);
		await phone().locator('.bubble', { hasText: 'Is it you?' }).waitFor();
		await phone().getByText('delivered').waitFor();

		const status = await editor.addNode('sms', 'SMS Stats', 'Get message status');
		await new Form(status, () => undefined).fill(descriptions.SmsStats, {
			operation: 'messageStatus',
			lookupBy: 'snapshotId',
			snapshotId,
		});
		// The editor chooses the only credential by itself, in a moment.
		const credential = status.getByTestId('node-credentials-select').locator('input');
		await expect.poll(() => credential.inputValue(), { timeout: 180_000 }).not.toBe('');
		expect(await editor.executeNode(status)).toMatchObject([{ state: 'delivered' }]);
		await editor.closeNode(status);
	});

	test('a reply arrives in a workflow', async () => {
		const panel = await editor.startWorkflow('sms', 'SMS', 'On reply received');
		await editor.closeNode(panel);
		await editor.publish();
		await phones.bringToFront();
		await phone().locator('input[name=text]').fill('Yes, it is');
		await phones.keyboard.press('Enter');
		await phone().locator('.bubble', { hasText: 'Yes, it is' }).waitFor();

		const { page } = editor;
		await page.bringToFront();
		await editor.openExecution();
		await page.getByTestId('canvas-trigger-node').dblclick();
		await page.getByTestId('output-panel').getByText('Yes, it is').first().waitFor();
	});
});

/** A copy of the project as a clone has it, with what `npm run demo` installs there already. */
async function clone(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'clone-'));
	const made = ['.git', '.demo', 'dist', 'node_modules', 'test-results'];
	await cp(root, folder, { recursive: true, filter: (path) => !made.includes(basename(path)) });
	for (const installed of ['node_modules', 'test/harness/n8n/node_modules']) {
		await symlink(join(root, installed), join(folder, installed));
	}
	return folder;
}

async function printed(): Promise<string> {
	return await readFile(logFile, 'utf8');
}

/** @returns the word that the demo has printed after a label */
async function printedAfter(label: string): Promise<string> {
	const [, word] = new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(await printed())!;
	return word;
}

function phone() {
	return phones.locator('.phone', { hasText: NUMBER });
}
