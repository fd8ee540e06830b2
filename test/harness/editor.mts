import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { N8n } from './n8n.mts';

selectors.setTestIdAttribute('data-test-id');

/** Where Chromium and its relatives usually are. */
const browsers = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** In which a busy machine shows what is there. Milliseconds. */
const LONG_ENOUGH = 15_000;

/** Elements that n8n lays over the canvas. */
const BUTTONS_ON_CANVAS = `:is(${[
	'canvas-controls',
	'canvas-minimap',
	'node-creator-plus-button',
	'command-bar-button',
	'add-sticky-button',
	'toggle-focus-panel-button',
	'instance-ai-canvas-action-button',
	'execute-workflow-button',
	'canvas-handle-plus-wrapper',
]
	.map((id) => `[data-test-id="${id}"]`)
	.join(', ')}, :has(> * > [data-test-id="execute-workflow-button"]))`;

/** A browser for `openEditor` is there. */
export const hasBrowser = browserPath() !== undefined;

/** The element of the editor, as Vue marks it. */
interface EditorElement {
	__vue_app__: {
		config: { globalProperties: { $router: { push(path: string): Promise<unknown> } } };
	};
}

export interface EditorOptions {
	/** Size of the window in CSS pixels. Default 1440 × 900. */
	width?: number;
	height?: number;
}

/**
 * Starts a browser without a window.
 *
 * @throws {Error} when there is no Chromium; see `hasBrowser`
 */
export async function launchBrowser(): Promise<Browser> {
	const executablePath = browserPath();
	if (!executablePath) throw new Error('No Chromium found: install the package "chromium"');
	return await chromium.launch({
		executablePath,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

/**
 * Opens n8n's editor in a browser without a window, as the owner.
 *
 * @throws {Error} when there is no Chromium; see `hasBrowser`
 */
export async function openEditor(n8n: N8n, options: EditorOptions = {}): Promise<Editor> {
	const editor = await openWindow(n8n.url, options);
	const [name, value] = n8n.sessionCookie.split(/=(.*)/);
	await editor.page.context().addCookies([{ name, value, url: n8n.url, httpOnly: true }]);
	return editor;
}

/**
 * Opens n8n in a browser without a window, and logs in on its page as a person does.
 *
 * @param url a page of n8n, which is shown then
 * @throws {Error} when there is no Chromium; see `hasBrowser`
 */
export async function logIn(url: string, email: string, password: string): Promise<Editor> {
	const editor = await openWindow(new URL(url).origin);
	const { page } = editor;
	await page.goto(url);
	await page.getByLabel('Email').fill(email);
	await page.getByLabel('Password').fill(password);
	await page.getByRole('button', { name: 'Sign in' }).click();
	return editor;
}

async function openWindow(url: string, options: EditorOptions = {}): Promise<Editor> {
	const { width = 1440, height = 900 } = options;
	const browser = await launchBrowser();
	try {
		const context = await browser.newContext({
			viewport: { width, height },
			colorScheme: 'light',
			locale: 'en-US',
			timezoneId: 'Europe/Paris',
			reducedMotion: 'reduce',
		});
		return new Editor(url, browser, await context.newPage());
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/** n8n's editor in a browser. Made by `openEditor` or `logIn`. */
export class Editor {
	/** The page itself, for what has no method here. */
	readonly page: Page;
	readonly #url: string;
	readonly #browser: Browser;

	constructor(url: string, browser: Browser, page: Page) {
		this.#url = url;
		this.#browser = browser;
		this.page = page;
	}

	/** Shows a workflow on the canvas. */
	async openWorkflow(id: string): Promise<void> {
		// Its nodes are told from those of the workflow before.
		await this.#goTo('/home/workflows');
		await this.#boxes().first().waitFor({ state: 'detached' });
		const path = `/workflow/${id}`;
		await this.#goTo(path);
		const first = this.#boxes().first();
		await first.waitFor({ timeout: 10_000 }).catch(async () => {
			// Now and then, n8n's router leaves the canvas empty.
			await this.page.goto(this.#url + path);
			await first.waitFor();
		});
	}

	/** Goes to a page of the editor as its own links do: loading the whole editor anew takes seconds. */
	async #goTo(path: string): Promise<void> {
		// Left open, the panel of a node throws an error in n8n's own code.
		const close = this.page.getByTestId('ndv-close-button');
		if (await close.isVisible()) {
			await close.click();
			await close.waitFor({ state: 'hidden' });
		}
		const isThere =
			this.page.url().startsWith(this.#url) &&
			(await this.page.evaluate(async (to) => {
				const app = document.querySelector('#app') as unknown as EditorElement;
				const { $router } = app.__vue_app__.config.globalProperties;
				const going = $router.push(to).then(() => true);
				// Where something isn't saved, the editor asks first.
				const asked = new Promise<false>((resolve) =>
					setTimeout(() => resolve(false), 3_000),
				);
				return await Promise.race([going, asked]);
			}, path));
		if (!isThere) await this.page.goto(this.#url + path);
	}

	/** Takes a picture of the whole workflow: its nodes and notes, without n8n's buttons around them. */
	async screenshotOfCanvas(path: string): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
		const style = await this.page.addStyleTag({
			content: `${BUTTONS_ON_CANVAS} { display: none !important; }`,
		});
		await this.page.mouse.move(0, 0);
		await this.page.evaluate(() => document.fonts.ready.then(() => undefined));
		// The zoom is animated, whatever a browser says about motion.
		let clip = await this.#extent();
		for (;;) {
			await this.page.waitForTimeout(300);
			const now = await this.#extent();
			if (JSON.stringify(now) === JSON.stringify(clip)) break;
			clip = now;
		}
		await this.page.screenshot({ path, clip, animations: 'disabled' });
		await style.evaluate((element) => (element as Element).remove());
	}

	/** The rectangle of the window in which all nodes and notes are. */
	async #extent(): Promise<{ x: number; y: number; width: number; height: number }> {
		return await this.page.evaluate(() => {
			const boxes = Array.from(document.querySelectorAll('.vue-flow__node'), (node) =>
				node.getBoundingClientRect(),
			);
			const left = Math.min(...boxes.map((box) => box.left)) - 40;
			const top = Math.min(...boxes.map((box) => box.top)) - 20;
			// Names hang below their nodes, and the first node has a mark on its left.
			const right = Math.max(...boxes.map((box) => box.right)) + 40;
			const bottom = Math.max(...boxes.map((box) => box.bottom)) + 50;
			return { x: left, y: top, width: right - left, height: bottom - top };
		});
	}

	/** Runs the shown workflow by its button and waits until it has succeeded. */
	async executeWorkflow(): Promise<void> {
		await this.runWorkflow();
		await this.#notice('executed successfully');
	}

	/** Runs the shown workflow by its button. */
	async runWorkflow(): Promise<void> {
		await this.#clickExecute(10_000).catch(async () => {
			// Now and then, a click on a page that has just been loaded starts nothing.
			await this.#clickExecute(30_000);
		});
	}

	/** @throws where n8n doesn't begin a run of this workflow within `timeout` milliseconds */
	async #clickExecute(timeout: number): Promise<void> {
		// Not a run of the workflow before, which n8n may only now be asked for. A new one has no ID yet.
		const [, id] = /\/workflow\/(?!new)([^/?]+)/.exec(this.page.url()) ?? [, '[^/]+'];
		const run = new RegExp(`/rest/workflows/${id}/run$`);
		const begun = this.page.waitForResponse(
			(response) => run.test(new URL(response.url()).pathname) && response.ok(),
			{ timeout },
		);
		await Promise.all([begun, this.page.getByTestId('execute-workflow-button').click()]);
	}

	/** Opens a node of the shown workflow. @returns the panel with the node's parameters */
	async openNode(name: string): Promise<Locator> {
		const box = this.#boxes(this.page.locator(`[data-node-name="${name}"]`));
		const panel = this.page.getByTestId('ndv');
		const parameters = panel.getByTestId('node-parameters');
		await box.dblclick();
		await parameters.waitFor({ timeout: 10_000 }).catch(async () => {
			// A canvas that is still arranging itself takes no clicks.
			if (!(await panel.isVisible())) await box.dblclick();
			await parameters.waitFor();
		});
		return panel;
	}

	/**
	 * Adds a node behind the last one of the shown workflow, through the editor's search.
	 *
	 * @param query what is typed into the search
	 * @param name the node's name in what was found
	 * @param action one of its actions
	 * @returns the panel with the node's parameters
	 */
	async addNode(query: string, name: string, action: string): Promise<Locator> {
		const plus = this.page.getByTestId('canvas-handle-plus').last();
		await plus.click();
		// Now and then, n8n draws the canvas anew at the click.
		await this.#search()
			.waitFor({ timeout: 10_000 })
			.catch(async () => await plus.click());
		return await this.#chooseAction(query, name, action);
	}

	/**
	 * Starts a new workflow with a node, as `addNode` adds one.
	 *
	 * @param kind what `action` is among what the node offers
	 */
	async startWorkflow(
		query: string,
		name: string,
		action: string,
		kind: 'trigger' | 'action' = 'trigger',
	): Promise<Locator> {
		await this.#goTo('/home/workflows');
		await this.page.getByTestId('add-resource-workflow').click();
		await this.page.getByTestId('canvas-plus-button').click();
		// An empty canvas asks for a trigger: actions are folded up.
		return await this.#chooseAction(query, name, action, kind === 'action');
	}

	#search(): Locator {
		return this.page.getByTestId('node-creator').locator('input').first();
	}

	async #chooseAction(
		query: string,
		name: string,
		action: string,
		isFoldedUp = false,
	): Promise<Locator> {
		const { page } = this;
		const found = page.getByTestId('item-iterator-item');
		await this.#search().fill(query);
		await found
			.filter({ has: page.getByText(name, { exact: true }) })
			.first()
			.click();
		if (isFoldedUp) await page.getByText(/^Actions \(\d+\)$/).click();
		await found.getByText(action, { exact: true }).click();
		const panel = page.getByTestId('ndv');
		await panel.getByTestId('node-parameters').waitFor();
		return panel;
	}

	/**
	 * Runs the node of an open panel by its button.
	 *
	 * @param meanwhile what has to happen for it to end
	 * @returns the items that the panel shows then
	 */
	async executeNode(panel: Locator, meanwhile?: () => Promise<void>): Promise<unknown> {
		const output = panel.getByTestId('output-panel');
		const empty = output.getByText('No output data returned');
		const json = output.getByTestId('radio-button-json');
		const shown = json.or(empty).filter({ visible: true }).first();
		const button = panel.getByTestId('node-execute-button');
		await button.click();
		if (meanwhile) {
			// An output can be there before an answer that is waited for. The notice is looked for from the start,
			// since n8n takes it away by itself: on a busy machine before it is seen.
			const ended = this.#noticeOf('Node executed successfully');
			const seen = ended.waitFor({ timeout: 4 * LONG_ENOUGH }).catch(() => {});
			await Promise.all([seen, meanwhile()]);
		}
		await shown.waitFor({ timeout: LONG_ENOUGH }).catch(async () => {
			// A click can be lost while the editor still draws: then nothing runs, and nothing is shown.
			const isIdle = (await button.innerText()).includes('Execute');
			const error = output.getByTestId('node-error-message');
			if (isIdle && !(await error.isVisible())) await button.click();
		});
		await shown.waitFor().catch(async (error: unknown) => {
			throw new Error(`No output is shown, but: ${await output.innerText()}`, {
				cause: error,
			});
		});
		// On a busy machine it can be gone before it is seen: n8n takes it away by itself.
		await this.#notice('Node executed successfully', 5_000).catch(() => {});
		if (await empty.isVisible()) return [];
		await json.click();
		// n8n draws what there is room for.
		const size = this.page.viewportSize()!;
		await this.page.setViewportSize({ ...size, height: 4_000 });
		const result = await this.#readTree(output);
		await this.page.setViewportSize(size);
		return result;
	}

	async #readTree(output: Locator): Promise<unknown> {
		// A busy machine draws the tree piece by piece.
		for (const end = Date.now() + LONG_ENOUGH; ; await sleep(100)) {
			const text = await output.locator('.vjs-tree').innerText();
			try {
				// It is indented with non-breaking spaces.
				return JSON.parse(text.replaceAll('\u00a0', ' '));
			} catch (error) {
				if (Date.now() > end) throw error;
			}
		}
	}

	/** Runs the node of an open panel by its button. @returns the error as the panel shows it */
	async failNode(panel: Locator): Promise<string> {
		const output = panel.getByTestId('output-panel');
		const parts = ['node-error-message', 'node-error-description'];
		const button = panel.getByTestId('node-execute-button');
		const message = output.getByTestId(parts[0]);
		await button.click();
		// It does nothing while n8n tidies up after the execution before.
		await message.waitFor({ timeout: LONG_ENOUGH }).catch(async () => await button.click());
		await message.waitFor();
		const texts = await Promise.all(
			parts.map(async (part) => (await output.getByTestId(part).allInnerTexts()).join(' ')),
		);
		return texts.join('\n');
	}

	/** Closes the panel of a node. */
	async closeNode(panel: Locator): Promise<void> {
		await panel.getByTestId('ndv-close-button').click();
		await panel.getByTestId('node-parameters').waitFor({ state: 'hidden' });
	}

	/** Publishes the shown workflow, which sets its trigger to work. */
	async publish(): Promise<void> {
		const { page } = this;
		await page.getByTestId('workflow-open-publish-modal-button').click();
		await page.getByTestId('workflow-publish-button').click();
		await page.getByText('Workflow published').waitFor();
		await page.getByRole('button', { name: 'Got it' }).click();
	}

	/** Waits for an execution of the shown workflow, and opens it from the list of executions. */
	async openExecution(): Promise<void> {
		await this.page.getByTestId('radio-button-executions').click();
		const executions = this.page.getByTestId('current-executions-list');
		await executions.getByText('Succeeded').first().click({ timeout: 180_000 });
	}

	/** Waits for a notice in the corner, and closes it. */
	async #notice(text: string, timeout?: number): Promise<void> {
		const notice = this.#noticeOf(text);
		await notice.waitFor({ timeout });
		await notice.locator('.el-notification__closeBtn').click({ timeout });
	}

	#noticeOf(text: string): Locator {
		return this.page.locator('.el-notification', { hasText: text });
	}

	/** Opens a credential in the list of credentials. @returns the dialog */
	async openCredential(name: string): Promise<Locator> {
		await this.#goTo('/home/credentials');
		await this.page.getByTestId('resources-list-item').getByText(name, { exact: true }).click();
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByTestId('credential-connection-parameter').first().waitFor();
		return dialog;
	}

	/** Takes a picture of the window, or of a part of it, as a PNG. */
	async screenshot(path: string, part?: Locator): Promise<void> {
		// Nothing is to look as if the mouse were over it, or as if it were still on its way.
		await this.page.mouse.move(0, 0);
		await this.page.evaluate(() => document.fonts.ready.then(() => undefined));
		await this.page.waitForFunction(() => {
			const fields = Array.from(document.querySelectorAll('input'));
			const texts = fields.map(({ value, placeholder }) => value + placeholder);
			return ![document.body.innerText, ...texts].join().includes('Loading options');
		});
		await (part ?? this.page).screenshot({ path, animations: 'disabled' });
	}

	async close(): Promise<void> {
		await this.#browser.close();
	}

	/** The drawn parts of the nodes; the elements around them have no size. */
	#boxes(within: Page | Locator = this.page): Locator {
		return within
			.getByTestId('canvas-default-node')
			.or(within.getByTestId('canvas-trigger-node'));
	}
}

function browserPath(): string | undefined {
	return [process.env.CHROMIUM_PATH, ...browsers].find((path) => path && existsSync(path));
}

/** The labels in a panel; below a label's own line is the switch between fixed and expression. */
export async function labelsIn(panel: Locator): Promise<string[]> {
	const texts = await panel.getByTestId('input-label').allInnerTexts();
	return texts.map((text) => text.split('\n')[0]);
}
