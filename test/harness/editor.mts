import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import { existsSync } from 'node:fs';
import type { N8n } from './n8n.mts';

selectors.setTestIdAttribute('data-test-id');

/** Where Chromium and its relatives usually are. */
const browsers = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** What n8n lays over the canvas. */
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

/** Whether there is a browser for `openEditor`. */
export const hasBrowser = browserPath() !== undefined;

export interface EditorOptions {
	/** Size of the window in CSS pixels. Default 1440 × 900. */
	width?: number;
	height?: number;
	/** Default light. */
	theme?: 'light' | 'dark';
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
	const { width = 1440, height = 900, theme = 'light' } = options;
	const browser = await launchBrowser();
	try {
		const context = await browser.newContext({
			viewport: { width, height },
			colorScheme: theme,
			locale: 'en-US',
			timezoneId: 'Europe/Paris',
			reducedMotion: 'reduce',
		});
		const [name, value] = n8n.sessionCookie.split(/=(.*)/);
		await context.addCookies([{ name, value, url: n8n.url, httpOnly: true }]);
		return new Editor(n8n, browser, await context.newPage());
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/** n8n's editor in a browser. Made by `openEditor`. */
export class Editor {
	/** The page itself, for what has no method here. */
	readonly page: Page;
	readonly #n8n: N8n;
	readonly #browser: Browser;

	constructor(n8n: N8n, browser: Browser, page: Page) {
		this.#n8n = n8n;
		this.#browser = browser;
		this.page = page;
	}

	/** Shows a workflow on the canvas. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.#n8n.url}/workflow/${id}`);
		await this.#boxes().first().waitFor();
	}

	/** Takes a picture of the whole workflow: its nodes and notes, without n8n's buttons around them. */
	async screenshotOfCanvas(path: string): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
		await this.page.addStyleTag({
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
		await this.page.getByTestId('execute-workflow-button').click();
		const toast = this.page.locator('.el-notification', { hasText: 'executed successfully' });
		await toast.waitFor();
		await toast.locator('.el-notification__closeBtn').click();
	}

	/** Opens a node of the shown workflow. @returns the panel with the node's parameters */
	async openNode(name: string): Promise<Locator> {
		await this.#boxes(this.page.locator(`[data-node-name="${name}"]`)).dblclick();
		const panel = this.page.getByTestId('ndv');
		await panel.getByTestId('node-parameters').waitFor();
		return panel;
	}

	/** Opens a credential in the list of credentials. @returns the dialog */
	async openCredential(name: string): Promise<Locator> {
		await this.page.goto(`${this.#n8n.url}/home/credentials`);
		await this.page.getByTestId('resources-list-item').getByText(name, { exact: true }).click();
		const dialog = this.page.getByTestId('editCredential-modal');
		await dialog.getByTestId('credential-connection-parameter').first().waitFor();
		return dialog;
	}

	/** Takes a picture of the window, or of a part of it, as a PNG. */
	async screenshot(path: string, part?: Locator): Promise<void> {
		// Nothing is to look as if the mouse were over it.
		await this.page.mouse.move(0, 0);
		await this.page.evaluate(() => document.fonts.ready.then(() => undefined));
		await (part ?? this.page).screenshot({ path, animations: 'disabled' });
	}

	async close(): Promise<void> {
		await this.#browser.close();
	}

	/** What is drawn of the nodes; the elements around them have no size. */
	#boxes(within: Page | Locator = this.page): Locator {
		return within
			.getByTestId('canvas-default-node')
			.or(within.getByTestId('canvas-trigger-node'));
	}
}

function browserPath(): string | undefined {
	return [process.env.CHROMIUM_PATH, ...browsers].find((path) => path && existsSync(path));
}
