/**
 * Send and Wait for Response in a real n8n that is said to be reached at a public address: the SMS, the
 * page behind its link, and what the execution goes on with.
 */
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import { hasBrowser, launchBrowser } from '../harness/editor.mts';
import { connected } from '../harness/mcp.mts';
import { type Node, own, to } from '../harness/nodes.mts';
import { PUBLIC } from '../harness/shared.mts';
import { linkOf } from '../operations.mts';
import { agentWorkflow, useEnvironment, useModel, workflowOf } from './support.mts';

const NUMBER = '+33639981234';

const { n8n, simulator } = await useEnvironment();
const model = await useModel(n8n, 'Model');

const double = { approvalOptions: { values: { approvalType: 'double' } } };

/** A question (`Node`), and a node after it that reads the answer and the item before it (`After`). */
function definition(parameters: INodeParameters = {}): WorkflowDefinition {
	const workflow = workflowOf([{ order: 7 }], 'sms', {
		operation: 'sendAndWait',
		number: NUMBER,
		message: '=Order {{ $json.order }}: OK?',
		...parameters,
	});
	workflow.nodes.push({
		name: 'After',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			mode: 'raw',
			jsonOutput: '={{ { answer: $json, order: $("Start").item.json.order } }}',
			options: {},
		},
	});
	workflow.connections.Node = to('After');
	return workflow;
}

/** Starts it, and waits until the question is out. */
async function ask(workflow: WorkflowDefinition): Promise<{ id: string; link: string }> {
	const { id } = await n8n.createWorkflow(workflow);
	const execution = await n8n.startRun(id);
	await reached(execution, 'waiting');
	return { id: execution, link: linkOf(simulator)! };
}

const statusOf = async (id: string) => (await n8n.statusOf(id)) ?? 'unknown';

async function reached(id: string, status: string): Promise<void> {
	for (const end = Date.now() + 300_000; Date.now() < end; await sleep(50)) {
		const now = await statusOf(id);
		if (now === status) return;
		if (['error', 'crashed'].includes(now)) break;
	}
	const { error } = await n8n.getExecution(id);
	throw new Error(`Execution ${id} did not come to ${status}: ${error?.message}`);
}

/** Opens the page at the address at which n8n listens here. */
async function visit(
	link: string,
	config: AxiosRequestConfig = {},
): Promise<AxiosResponse<string>> {
	return await axios.request({
		url: link.replace(PUBLIC, `${n8n.url}/`),
		proxy: false,
		validateStatus: () => true,
		responseType: 'text',
		...config,
	});
}

/** A press of a button. */
async function press(link: string, answer: string, language = 'en') {
	return await visit(link, {
		method: 'POST',
		data: new URLSearchParams({ answer }),
		headers: { 'Accept-Language': language },
	});
}

const ended = async (id: string): Promise<Execution> => await n8n.waitFor(id, 120_000);

/** The item with which the workflow continued. */
async function answerOf(id: string): Promise<IDataObject> {
	const execution = await ended(id);
	expect(execution.error).toBeUndefined();
	const [{ answer, order }] = execution.json('After');
	expect(order).toBe(7);
	return answer as IDataObject;
}

const hours = (resumeAmount: number, resumeUnit = 'hours') => ({
	options: { limitWaitTime: { values: { resumeAmount, resumeUnit } } },
});

/** Asked before all others, because n8n looks once a minute for executions whose time is over. */
let overdue: { id: string; link: string };
beforeAll(async () => {
	overdue = await ask(definition(hours(0.02, 'minutes')));
});

test('a link that is opened and pressed before the execution waits takes nothing, and works then', async () => {
	simulator.faults.add({ path: /send$/, do: { kind: 'delay', ms: 3_000 } });
	const { id } = await n8n.createWorkflow(definition());
	const execution = await n8n.startRun(id);
	await expect.poll(() => linkOf(simulator), { timeout: 120_000 }).toBeDefined();
	const link = linkOf(simulator)!;
	for (const early of [await visit(link), await press(link, 'approve')]) {
		// n8n itself answers for an execution of which it has not saved yet that it waits.
		expect(early.status).toBeGreaterThanOrEqual(400);
	}
	await reached(execution, 'waiting');
	expect((await press(link, 'approve')).status).toBe(200);
	expect(await answerOf(execution)).toMatchObject({ answered: true, data: { approved: true } });
	expect(simulator.messages).toHaveLength(1);
});

test('asks by SMS, decides nothing when the link is opened, and goes on when a button is pressed', async () => {
	const { id, link } = await ask(definition());
	const [{ number, text, snapshotId }] = simulator.messages;
	expect({ number, text }).toEqual({ number: NUMBER, text: `Order 7: OK? ${link}` });
	expect(link.startsWith(PUBLIC)).toBe(true);
	const waiting = await n8n.getExecution(id);
	expect(waiting.json('Node')).toMatchObject([{ answered: false, status: 'sent', snapshotId }]);

	const french = await visit(link, { headers: { 'Accept-Language': 'fr-FR,fr;q=0.9,en;q=0.8' } });
	expect(french.status).toBe(200);
	expect(french.data).toMatch(/<html lang="fr">[^]*Order 7: OK\?[^]*Accepter/);
	expect(french.data).not.toMatch(/Refuser|<script/);
	expect(french.headers).toMatchObject({
		'cache-control': 'no-store',
		'content-security-policy': expect.stringContaining("default-src 'none'"),
		'content-type': 'text/html; charset=utf-8',
		'referrer-policy': 'no-referrer',
	});
	const english = await visit(link, { headers: { 'Accept-Language': 'de,en;q=0.5' } });
	expect(english.data).toContain('<html lang="en">');
	// As previews and scanners do.
	await visit(link, { method: 'HEAD' });
	await visit(`${link}&answer=approve`);
	// Not a button of this page.
	const wrong = await press(link, 'decline');
	expect(wrong.status).toBe(422);
	expect(wrong.data).toContain('Order 7: OK?');
	expect(await statusOf(id)).toBe('waiting');

	const pressed = await press(link, 'approve', 'fr');
	expect(pressed.status).toBe(200);
	expect(pressed.data).toContain('Votre réponse est enregistrée');
	const answer = await answerOf(id);
	expect(answer).toEqual({
		answered: true,
		data: { approved: true, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
		status: 'sent',
		number: NUMBER,
		snapshotId,
		creditsUsed: expect.any(Number),
		segments: 2,
	});
	expect(Object.keys(answer)).toEqual([
		...['answered', 'data', 'status', 'number', 'segments', 'snapshotId', 'creditsUsed'],
	]);

	// n8n itself answers for an execution that has ended.
	for (const late of [await press(link, 'approve'), await visit(link)]) {
		expect(late.data).toContain('No action required');
	}
	expect((await ended(id)).json('After')).toHaveLength(1);
});

test('an answer is what the form of the page posts, with the signature that n8n gave the link', async () => {
	const { id, link } = await ask(definition({ responseType: 'freeText' }));
	for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
		await visit(link, { method, data: 'answer=x' });
	}
	const bodies: Array<[type: string, data?: string]> = [
		['x-www-form-urlencoded'],
		['x-www-form-urlencoded', 'answer[]=x'],
		['x-www-form-urlencoded', 'answer=a&answer=b'],
		['json', '{"answer":'],
		['json', '{"answer":{"a":1}}'],
		['json', 'null'],
		['octet-stream', 'answer=x'],
	];
	for (const [type, data] of bodies) {
		const headers = { 'Content-Type': `application/${type}` };
		expect((await visit(link, { method: 'POST', data, headers })).status).toBe(422);
	}
	const forged = [
		link.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
		link.replace('q=0', 'q=1'),
		link.replace(/&signature=.*/, ''),
		link.replace(/\?.*/, ''),
	];
	for (const address of forged) expect((await press(address, 'x')).status).toBe(401);
	expect(await statusOf(id)).toBe('waiting');
	await press(link, 'Oui');
	expect((await answerOf(id)).data).toMatchObject({ text: 'Oui' });
});

test('two presses at once are one answer', async () => {
	const { id, link } = await ask(definition(double));
	const pressed = await Promise.all([press(link, 'approve'), press(link, 'decline')]);
	const execution = await ended(id);
	expect(execution.data.resultData.runData.After).toHaveLength(1);
	const recorded = pressed.filter(({ data }) => data.includes('has been recorded'));
	expect(recorded).toHaveLength(1);
	const [{ answer }] = execution.json('After');
	expect(answer).toMatchObject({ data: { approved: recorded[0] === pressed[0] } });
});

test('a stopped execution takes no answer, and its retry goes on without one', async () => {
	const { id, link } = await ask(definition());
	await n8n.stopExecution(id);
	expect((await press(link, 'approve')).status).toBe(409);
	const again = await n8n.retryExecution(id);
	expect(again.json('After')).toMatchObject([
		{ answer: { answered: false, data: { approved: false } } },
	]);
	expect(simulator.messages).toHaveLength(1);
});

test('in a loop, the link of an earlier question does not answer a later one', async () => {
	const workflow = definition({ message: '=Order {{ $json.order }}?' });
	workflow.pinData = { Start: [{ json: { order: 1 } }, { json: { order: 2 } }] };
	workflow.nodes.push({
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	});
	workflow.connections = {
		...{ Start: to('Loop'), Node: to('Loop') },
		Loop: { main: [[], ...to('Node').main] },
	};
	const { id, link: first } = await ask(workflow);
	await press(first, 'approve');
	await expect.poll(() => simulator.messages.length, { timeout: 120_000 }).toBe(2);
	await reached(id, 'waiting');
	const second = linkOf(simulator)!;
	expect(simulator.messages.map(({ text }) => text)).toEqual([
		`Order 1? ${first}`,
		`Order 2? ${second}`,
	]);
	const late = await press(first, 'approve');
	expect(late.status).toBe(410);
	expect(late.data).toContain('already been answered');
	expect(await statusOf(id)).toBe('waiting');
	expect((await press(second, 'approve')).status).toBe(200);
	const execution = await ended(id);
	expect(execution.json('Loop', 0, 2)).toMatchObject([{ answered: true }, { answered: true }]);
	expect(simulator.messages).toHaveLength(2);
});

/** As with the editor: nothing to look at where there is no browser; see `.ci/run`. */
describe.skipIf(!hasBrowser && !process.env.CI)('on a phone without JavaScript', () => {
	let browser: Browser;
	beforeAll(async () => {
		browser = await launchBrowser();
	});
	afterAll(async () => await browser?.close());

	const long = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);

	test.each([
		['answer-page', 'light', { ...double, sender: 'ChezCamille' }, 'Accepter'],
		[
			'answer-choice',
			'dark',
			{ responseType: 'choice', choices: `Lundi\n${long}\nMardi <matin>` },
			'Mardi <matin>',
		],
		['answer-text', 'light', { responseType: 'freeText' }, 'Envoyer'],
	] as const)('%s, %s', async (name, colorScheme, parameters, button) => {
		const message = 'La commande 1042 dépasse le budget de 20 %. On la valide ? {link}';
		const { id, link } = await ask(definition({ ...parameters, message }));
		const context = await browser.newContext({
			viewport: { width: 390, height: 844 },
			javaScriptEnabled: false,
			hasTouch: true,
			isMobile: true,
			locale: 'fr-FR',
			colorScheme,
		});
		const page = await context.newPage();
		const refused: string[] = [];
		page.on('console', (one) => refused.push(one.text()));
		await page.goto(link.replace(PUBLIC, `${n8n.url}/`));
		await page.getByText('La commande 1042 dépasse le budget').waitFor();

		// All that can be pressed is wide and high enough for a thumb, and nothing sticks out.
		for (const one of await page.getByRole('button').all()) {
			const { x, width, height } = (await one.boundingBox())!;
			expect(height).toBeGreaterThanOrEqual(48);
			expect(x).toBeGreaterThanOrEqual(0);
			expect(x + width).toBeLessThanOrEqual(390);
		}
		expect((await page.locator('main').boundingBox())!.width).toBeLessThanOrEqual(390);
		// The style is applied: the policy knows its hash.
		expect(refused).toEqual([]);
		// For `npm run pictures`: the folder.
		const { PICTURES } = process.env;
		if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });

		if (button === 'Envoyer') {
			const field = page.getByLabel('Votre réponse');
			// The browser itself lets it through.
			await field.fill('   ');
			await page.getByRole('button', { name: button }).tap();
			await expect.poll(() => field.inputValue()).toBe('');
			await field.fill('Oui, mais\ndemain « tôt »');
		}
		await page.getByRole('button', { name: button }).tap();
		await page.getByText('Votre réponse est enregistrée').waitFor();
		expect((await answerOf(id)).data).toMatchObject({
			...(button === 'Accepter' ? { approved: true } : {}),
			...(button === 'Mardi <matin>' ? { choice: button } : {}),
			...(button === 'Envoyer' ? { text: 'Oui, mais\ndemain « tôt »' } : {}),
		});
		await context.close();
	});
});

describe('with an agent', () => {
	const PHONE = '+33639985678';
	const message = "={{ $fromAI('message', 'The message', 'string') }}";
	const sendTool = own('Send', 'smsTool', { operation: 'send', number: PHONE, message });
	const review = own('Review', 'smsHitlTool', { number: NUMBER, ...double });
	const sent = () => simulator.messagesTo(PHONE).map(({ text }) => text);

	/** An agent with a tool, and the calls of its model, one after the other. */
	async function callTools(nodes: Node[], ...words: IDataObject[]) {
		model.plan(nodes.at(-1)!.name, ...words);
		const chain = nodes.map((node, index) =>
			connected([node], index === 0 ? 'Agent' : nodes[index - 1].name),
		);
		return await ask({
			...agentWorkflow(3.1, nodes, Object.assign({}, ...chain)),
			// As the editor makes them; in the older order, n8n loses what an agent waited for.
			settings: { executionOrder: 'v1' },
		});
	}

	/** n8n asks a model for this where a tool has a review before it. */
	const wordsOf = (text: string) => ({ toolParameters: { message: text } });

	test('each call has a review and a link of its own', async () => {
		const { id, link: first } = await callTools(
			[review, sendTool],
			wordsOf('Un'),
			wordsOf('Deux'),
		);
		await press(first, 'approve');
		const questions = () => simulator.messagesTo(NUMBER).length;
		await expect.poll(questions, { timeout: 120_000 }).toBe(2);
		await reached(id, 'waiting');
		const second = linkOf(simulator)!;
		expect(second).not.toBe(first);
		await press(first, 'approve');
		expect(sent()).toEqual(['Un']);
		expect(await statusOf(id)).toBe('waiting');
		await press(second, 'approve');
		expect((await ended(id)).error).toBeUndefined();
		expect(sent()).toEqual(['Un', 'Deux']);
	});

	test('as a tool itself: the agent hears the answer', async () => {
		const parameters = { operation: 'sendAndWait', number: NUMBER, responseType: 'freeText' };
		const tool = own('Ask', 'smsTool', { ...parameters, message });
		const { id, link } = await callTools([tool], { message: 'Quelle heure ?' });
		expect(simulator.messages[0].text).toBe(`Quelle heure ? ${link}`);
		expect((await press(link, 'Dix heures')).status).toBe(200);
		expect((await ended(id)).error).toBeUndefined();
		expect(model.heard()).toContain('Dix heures');
	});

	test.each([
		['approve', 'Votre colis arrive', '"Votre colis arrive"', true],
		['decline', 'OK\nto: "Paul" {link}', String.raw`"OK\nto: \"Paul\" \u007blink}"`, false],
	] as const)('%s: the review of a call with %j', async (answer, words, shown, isCalled) => {
		const { id, link } = await callTools([review, sendTool], wordsOf(words));
		const asked = `The agent wants to run this tool: "Send"\n\nInput:\nmessage: ${shown}`;
		expect(simulator.messages.map(({ text }) => text)).toEqual([`${asked} ${link}`]);
		expect((await visit(link)).data).toContain(shown);
		expect((await press(link, answer)).status).toBe(200);
		expect((await ended(id)).error).toBeUndefined();
		expect(sent()).toEqual(isCalled ? [words] : []);
		expect(model.heard()).toContain(
			isCalled ? simulator.messagesTo(PHONE)[0].snapshotId : 'rejected',
		);
	});
});

// The last: see `overdue`.
test('goes on without an answer when the time is over, and says so', async () => {
	expect(await answerOf(overdue.id)).toMatchObject({
		answered: false,
		status: 'sent',
		number: NUMBER,
		data: { approved: false },
	});
	expect((await press(overdue.link, 'approve')).data).toContain('No action required');
});
