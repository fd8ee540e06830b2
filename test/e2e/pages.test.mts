/** The pages that people look at, in a browser: the simulator's phones. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, launchBrowser } from '../harness/editor.mts';
import { type Simulator, startSimulator } from '../simulator/index.mts';

/** As with the editor: nothing to look at where there is no browser; see `.ci/run`. */
const isBlind = !hasBrowser && !process.env.CI;

let browser: Browser;
beforeAll(async () => {
	if (!isBlind) browser = await launchBrowser();
});
afterAll(async () => await browser?.close());

describe.skipIf(isBlind)('the phones of the simulator', () => {
	const PHONE = '+33639980001';
	let simulator: Simulator;
	let page: Page;
	beforeAll(async () => {
		simulator = await startSimulator();
		for (let index = 1; index <= 20; index++) send(PHONE, `Message ${index}`);
		send('+33139980001', 'To a fixed line');
		simulator.clock.advance(60_000);
		page = await browser.newPage({ viewport: { width: 390, height: 800 } });
		await page.goto(`${simulator.baseUrl}/`);
	});
	afterAll(async () => {
		await page?.close();
		await simulator?.close();
	});

	const send = (number: string, text: string) =>
		simulator.service.accept({ kind: 'notification', number, text });
	const phone = (name: string) => page.locator('.phone', { hasText: name });
	const newest = () => phone('06 39 98 00 01').locator('.bubble').last();
	/** Looks for the newest message in the part of the conversation that is seen. */
	const isInView = () =>
		newest().evaluate((bubble) => {
			const frame = bubble.parentElement!.getBoundingClientRect();
			return bubble.getBoundingClientRect().bottom <= frame.bottom + 1;
		});

	test('show the newest message, from the start and when one comes', async () => {
		await newest().getByText('Message 20').waitFor();
		expect(await isInView()).toBe(true);
		simulator.reply(PHONE, 'An answer');
		await newest().getByText('An answer').waitFor();
		expect(await isInView()).toBe(true);
	});

	test('show it still when another phone has gone before and this one comes back', async () => {
		send('+33639980002', 'Hello');
		await phone('06 39 98 00 02').waitFor();
		send(PHONE, 'And again');
		await newest().getByText('And again').waitFor();
		expect(await isInView()).toBe(true);
	});

	test('open the links of a message', async () => {
		send(PHONE, 'Answer here: https://n8n.example.com/webhook-waiting/1?q=0&signature=ab12.');
		const link = newest().locator('a');
		await link.waitFor();
		expect(await link.getAttribute('href')).toBe(
			'https://n8n.example.com/webhook-waiting/1?q=0&signature=ab12',
		);
		expect(await link.getAttribute('target')).toBe('_blank');
	});

	test('show what did not arrive as such', async () => {
		const bubble = phone('01 39 98 00 01').locator('.bubble');
		expect(await bubble.locator('.state').innerText()).toBe('error');
		expect(await bubble.getAttribute('class')).toContain('not-arrived');
	});

	test('count one credit as one', async () => {
		simulator.service.setCredits(1);
		await page.getByText('credit left', { exact: true }).waitFor();
		expect(await overflow(page)).toBe(0);
	});
});

/** By how many pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
	return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
