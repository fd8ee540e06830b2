/**
 * Send and Wait for Response in a real n8n that is said to be reached at a public address: the SMS, the
 * page behind its link, and what the execution goes on with.
 */
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import { hasBrowser, launchBrowser } from '../harness/editor.mts';
import { connected } from '../harness/mcp.mts';
import { root } from '../harness/package.mts';
import { linkOf } from '../operations.mts';
import {
	agentWorkflow,
	credentialName,
	packageName,
	useEnvironment,
	useModel,
	workflowOf,
} from './support.mts';

const NUMBER = '+33639981234';
const PUBLIC = 'https://n8n.example.com/';

const { n8n, simulator } = await useEnvironment({ n8n: { env: { WEBHOOK_URL: PUBLIC } } });
const model = await useModel(n8n, 'Model');

const double = { approvalOptions: { values: { approvalType: 'double' } } };

/** A question (`Node`), and a node after it that reads the answer and the item before it (`After`). */
function definition(
	parameters: INodeParameters = {},
	settings: Partial<INode> = {},
): WorkflowDefinition {
	const workflow = workflowOf(
		[{ order: 7 }],
		'sms',
		{
			operation: 'sendAndWait',
			number: NUMBER,
			message: 'Order {{ $json.order }}: OK?',
			...parameters,
		},
		settings,
	);
	workflow.nodes[1].parameters = Object.fromEntries(
		Object.entries(workflow.nodes[1].parameters).map(([name, value]) => [
			name,
			typeof value === 'string' && value.includes('{{') ? `=${value}` : value,
		]),
	) as INodeParameters;
	workflow.nodes.push({
		name: 'After',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			mode: 'raw',
			jsonOutput:
				'={{ { answer: $json, order: $("Start").item.json.order, runs: $runIndex } }}',
			options: {},
		},
	});
	workflow.connections.Node = { main: [[{ node: 'After', type: 'main', index: 0 }]] };
	return workflow;
}

interface Waiting {
	id: string;
	link: string;
}

/** Starts it, and waits until the question is out. */
async function ask(workflow: WorkflowDefinition): Promise<Waiting> {
	const { id } = await n8n.createWorkflow(workflow);
	const execution = await n8n.startRun(id);
	await reached(execution, 'waiting');
	return { id: execution, link: linkOf(simulator)! };
}

async function statusOf(id: string): Promise<string> {
	return (await n8n.getExecution(id)).status;
}

async function reached(id: string, status: string): Promise<void> {
	for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
		const now = await statusOf(id);
		if (now === status) return;
		if (['error', 'crashed'].includes(now)) break;
	}
	const { error } = await n8n.getExecution(id);
	throw new Error(`Execution ${id} did not come to ${status}: ${error?.message}`);
}

/** What a browser asks of the page, at the address at which n8n listens here. */
async function visit(
	link: string,
	config: AxiosRequestConfig = {},
): Promise<AxiosResponse<string>> {
	const { url } = n8n;
	return await axios.request({
		url: link.replace(PUBLIC, `${url}/`),
		proxy: false,
		validateStatus: () => true,
		responseType: 'text',
		...config,
	});
}

/** A press of a button. */
async function press(
	link: string,
	answer: string,
	language = 'en',
): Promise<AxiosResponse<string>> {
	return await visit(link, {
		method: 'POST',
		data: new URLSearchParams({ answer }),
		headers: { 'Accept-Language': language },
	});
}

async function ended(id: string): Promise<Execution> {
	return await n8n.waitFor(id, 120_000);
}

/** What the workflow went on with. */
async function answerOf(id: string): Promise<IDataObject> {
	const execution = await ended(id);
	expect(execution.error).toBeUndefined();
	const [{ answer, order }] = execution.json('After');
	expect(order).toBe(7);
	return answer as IDataObject;
}

/** Asked before all others: n8n looks once a minute, and when it starts, whose time is over. */
let overdue: Waiting;
beforeAll(async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
	overdue = await ask(definition({ options: { limitWaitTime: { values } } }));
});

test('a link that is opened and pressed before the execution waits takes nothing, and works then', async () => {
	simulator.faults.add({ path: /send$/, do: { kind: 'delay', ms: 3_000 } });
	const { id } = await n8n.createWorkflow(definition());
	const execution = await n8n.startRun(id);
	await expect.poll(() => linkOf(simulator), { timeout: 30_000 }).toBeDefined();
	const link = linkOf(simulator)!;
	for (const early of [await visit(link), await press(link, 'approve')]) {
		// n8n itself answers for an execution of which it has not saved yet that it waits.
		expect(early.status).toBeGreaterThanOrEqual(400);
	}
	expect(await statusOf(execution)).toBe('running');
	await reached(execution, 'waiting');
	expect((await visit(link)).status).toBe(200);
	expect(await statusOf(execution)).toBe('waiting');
	expect((await press(link, 'approve')).status).toBe(200);
	expect(await answerOf(execution)).toMatchObject({ answered: true, data: { approved: true } });
	expect(simulator.messages).toHaveLength(1);
});

test('asks by SMS, decides nothing when the link is opened, and goes on when a button is pressed', async () => {
	const { id, link } = await ask(definition());
	expect(simulator.messages).toHaveLength(1);
	const [{ number, text, snapshotId }] = simulator.messages;
	expect(number).toBe(NUMBER);
	expect(text).toBe(`Order 7: OK? ${link}`);
	expect(link.startsWith(PUBLIC)).toBe(true);
	const waiting = await n8n.getExecution(id);
	expect(waiting.json('Node')).toMatchObject([
		{ answered: false, status: 'sent', number: NUMBER, snapshotId, segments: 2 },
	]);

	const french = await visit(link, { headers: { 'Accept-Language': 'fr-FR,fr;q=0.9,en;q=0.8' } });
	expect(french.status).toBe(200);
	expect(french.data).toContain('<html lang="fr">');
	expect(french.data).toContain('Order 7: OK?');
	expect(french.data).toContain('Accepter');
	expect(french.data).not.toContain('Refuser');
	expect(french.data).not.toContain('<script');
	expect(french.headers).toMatchObject({
		'cache-control': 'no-store',
		'content-type': 'text/html; charset=utf-8',
		'referrer-policy': 'no-referrer',
		'x-frame-options': 'DENY',
	});
	expect(french.headers['content-security-policy']).toContain("default-src 'none'");
	const english = await visit(link, { headers: { 'Accept-Language': 'de,en;q=0.5' } });
	expect(english.data).toContain('<html lang="en">');
	// Previews and scanners: other methods, and programs that call themselves so.
	await visit(link, { method: 'HEAD' });
	await visit(link, { headers: { 'User-Agent': 'WhatsApp/2.23 preview' } });
	await visit(`${link}&answer=approve`);
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
		encoding: 'GSM-7',
		segments: 2,
	});
	// It is what the docs show.
	const page = readFileSync(join(root, 'docs/send-and-wait.md'), 'utf8');
	const shown = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)![1]) as object;
	expect(Object.keys(shown)).toEqual(Object.keys(answer as object));
	expect(simulator.messages).toHaveLength(1);

	// n8n itself answers for an execution that has ended.
	for (const late of [await press(link, 'approve'), await visit(link)]) {
		expect(late.data).toContain('No action required');
	}
	expect((await ended(id)).json('After')).toHaveLength(1);
});

describe('only what the page offers is an answer', () => {
	test('decline, where it is offered', async () => {
		const { id, link } = await ask(definition(double));
		expect((await visit(link)).data).toContain('>Decline<');
		expect((await press(link, 'perhaps')).status).toBe(422);
		expect(await statusOf(id)).toBe('waiting');
		expect((await press(link, 'decline')).status).toBe(200);
		expect((await answerOf(id)).data).toMatchObject({ approved: false });
	});

	test('one of the choices', async () => {
		const choices = 'Lundi "matin"\nMardi & mercredi\n<b>Jeudi</b>';
		const { id, link } = await ask(definition({ responseType: 'choice', choices }));
		const { data: page } = await visit(link);
		expect(page).toContain('>Mardi &amp; mercredi</button>');
		expect(page).not.toContain('<b>');
		for (const wrong of ['Vendredi', 'approve', '']) {
			const again = await press(link, wrong, 'fr');
			expect(again.status).toBe(422);
			expect(again.data).toContain('role="alert"');
		}
		for (const data of ['answer[]=Lundi', 'answer=a&answer=b', '{"answer":{"a":1}}', '[]']) {
			const type = data.startsWith('answer') ? 'x-www-form-urlencoded' : 'json';
			const headers = { 'Content-Type': `application/${type}` };
			expect((await visit(link, { method: 'POST', data, headers })).status).toBe(422);
		}
		expect(await statusOf(id)).toBe('waiting');
		expect((await press(link, 'Lundi "matin"')).status).toBe(200);
		expect((await answerOf(id)).data).toMatchObject({ choice: 'Lundi "matin"' });
	});

	test('a free text that is neither empty nor too long, and nothing of it is markup', async () => {
		const evil = '</textarea><script>alert(1)</script>';
		const { id, link } = await ask(
			definition({ responseType: 'freeText', message: `Note {link} ${evil}` }),
		);
		expect(simulator.messages[0].text).toContain(`Note ${PUBLIC}`);
		expect((await visit(link)).data).not.toContain('<script');
		expect((await press(link, ' \n ')).status).toBe(422);
		const long = await press(link, evil.repeat(40));
		expect(long.status).toBe(422);
		expect(long.data).not.toContain('<script');
		expect(await statusOf(id)).toBe('waiting');
		expect((await press(link, ` ${evil}\r\nfin `)).status).toBe(200);
		expect((await answerOf(id)).data).toMatchObject({ text: `${evil}\nfin` });
	});

	test('posted to the page: no other method, and no body that gives none, ends the waiting', async () => {
		const { id, link } = await ask(definition({ responseType: 'freeText' }));
		for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
			await visit(link, { method, data: 'answer=x' });
			expect(await statusOf(id)).toBe('waiting');
		}
		const bodies: Array<[type: string, data?: string]> = [
			['application/x-www-form-urlencoded'],
			['text/plain', 'answer=x'],
			['application/json', '{"answer":'],
			['application/json', 'null'],
			['application/octet-stream', 'answer=x'],
		];
		for (const [type, data] of bodies) {
			const headers = { 'Content-Type': type };
			expect((await visit(link, { method: 'POST', data, headers })).status).toBe(422);
			expect(await statusOf(id)).toBe('waiting');
		}
		await press(link, 'Oui');
		expect((await answerOf(id)).data).toMatchObject({ text: 'Oui' });
	});

	test('with the signature that n8n gave the link', async () => {
		const { id, link } = await ask(definition());
		const forged = [
			link.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
			link.replace('q=0', 'q=1'),
			link.replace(/&signature=.*/, ''),
			link.replace(/\?.*/, ''),
		];
		for (const address of forged) expect((await press(address, 'approve')).status).toBe(401);
		expect(await statusOf(id)).toBe('waiting');
		await press(link, 'approve');
		await answerOf(id);
	});
});

test('two presses at once are one answer', async () => {
	const { id, link } = await ask(definition(double));
	const [first, second] = await Promise.all([press(link, 'approve'), press(link, 'decline')]);
	expect([first, second].map(({ status }) => status).sort()[0]).toBe(200);
	const execution = await ended(id);
	expect(execution.json('After')).toHaveLength(1);
	expect(execution.data.resultData.runData.After).toHaveLength(1);
	const recorded = [first, second].filter(({ data }) => data.includes('has been recorded'));
	expect(recorded).toHaveLength(1);
	const { answer } = execution.json('After')[0] as { answer: { data: { approved: boolean } } };
	expect(answer.data.approved).toBe(recorded[0] === first);
});

test('n8n is killed while it waits, and the answer comes after', async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' };
	const { id, link } = await ask(definition({ options: { limitWaitTime: { values } } }));
	await n8n.kill();
	await n8n.start();
	expect((await visit(link)).status).toBe(200);
	expect((await press(link, 'approve')).data).toContain('has been recorded');
	expect(await answerOf(id)).toMatchObject({ answered: true, data: { approved: true } });
	expect(simulator.messages).toHaveLength(1);
});

test('in a loop, the link of an earlier question does not answer a later one', async () => {
	const workflow = definition({ message: 'Order {{ $json.order }}?' });
	workflow.pinData = { Start: [{ json: { order: 1 } }, { json: { order: 2 } }] };
	workflow.nodes.push({
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	});
	workflow.connections = {
		Start: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		Loop: { main: [[], [{ node: 'Node', type: 'main', index: 0 }]] },
		Node: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
	};
	const { id, link: first } = await ask(workflow);
	await press(first, 'approve');
	await expect.poll(() => simulator.messages.length, { timeout: 30_000 }).toBe(2);
	await reached(id, 'waiting');
	const second = linkOf(simulator)!;
	expect(second).not.toBe(first);
	expect(simulator.messages.map(({ text }) => text.split(' http')[0])).toEqual([
		'Order 1?',
		'Order 2?',
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

test('an answer proves that a message has arrived whose fate was unknown', async () => {
	simulator.faults.add({ do: { kind: 'resetAfterAccept' } });
	const values = { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' };
	const { id, link } = await ask(definition({ options: { limitWaitTime: { values } } }));
	const waiting = await n8n.getExecution(id);
	expect(waiting.json('Node')).toMatchObject([{ answered: false, status: 'unknown' }]);
	await press(link, 'approve');
	expect(await answerOf(id)).toMatchObject({ answered: true, status: 'sent', number: NUMBER });
	expect(simulator.messages).toHaveLength(1);
});

/** As with the editor: nothing to look at where there is no browser; see `.ci/run`. */
describe.skipIf(!hasBrowser && !process.env.CI)('on a phone without JavaScript', () => {
	let browser: Browser;
	beforeAll(async () => {
		browser = await launchBrowser();
	});
	afterAll(async () => await browser?.close());

	/** A visit with a thumb; `PICTURES` names a folder for pictures of what is seen. */
	async function open(link: string, locale: string, colorScheme: 'light' | 'dark' = 'light') {
		const context = await browser.newContext({
			viewport: { width: 390, height: 844 },
			javaScriptEnabled: false,
			hasTouch: true,
			isMobile: true,
			locale,
			colorScheme,
		});
		const page = await context.newPage();
		const refused: string[] = [];
		page.on('console', (message) => refused.push(message.text()));
		await page.goto(link.replace(PUBLIC, `${n8n.url}/`));
		return { page, refused, close: async () => await context.close() };
	}

	/** All that can be pressed is wide and high enough for a thumb, and nothing sticks out. */
	async function expectFits(page: Page): Promise<void> {
		for (const button of await page.getByRole('button').all()) {
			const { x, width, height } = (await button.boundingBox())!;
			expect(height).toBeGreaterThanOrEqual(48);
			expect(x).toBeGreaterThanOrEqual(0);
			expect(x + width).toBeLessThanOrEqual(390);
		}
		const { width } = (await page.locator('main').boundingBox())!;
		expect(width).toBeLessThanOrEqual(390);
	}

	async function picture(page: Page, name: string): Promise<void> {
		const folder = process.env.PICTURES;
		if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
	}

	test('approve, in French', async () => {
		const { id, link } = await ask(
			definition({
				...double,
				message: 'La commande 1042 dépasse le budget de 20 %. On la valide ? {link}',
			}),
		);
		const { page, refused, close } = await open(link, 'fr-FR');
		await page.getByText('La commande 1042 dépasse le budget').waitFor();
		await expectFits(page);
		// The style is applied: the policy knows its hash.
		expect(refused).toEqual([]);
		const main = page.getByRole('button', { name: 'Accepter' });
		expect(await main.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(
			'rgb(31, 95, 191)',
		);
		await picture(page, 'answer-page');
		await main.tap();
		await page.getByText('Votre réponse est enregistrée').waitFor();
		await picture(page, 'answer-recorded');
		expect((await answerOf(id)).data).toMatchObject({ approved: true });
		await close();
	});

	test('a choice among long ones, in the dark', async () => {
		const long = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);
		const choices = `Lundi\n${long}\nMardi <matin>`;
		const { id, link } = await ask(definition({ responseType: 'choice', choices }));
		const { page, close } = await open(link, 'en-GB', 'dark');
		await expectFits(page);
		await picture(page, 'answer-choice');
		await page.getByRole('button', { name: 'Mardi <matin>' }).tap();
		await page.getByText('Your answer has been recorded').waitFor();
		expect((await answerOf(id)).data).toMatchObject({ choice: 'Mardi <matin>' });
		await close();
	});

	test('a text, with a word too few at first', async () => {
		const { id, link } = await ask(definition({ responseType: 'freeText' }));
		const { page, close } = await open(link, 'fr-FR');
		await expectFits(page);
		const field = page.getByLabel('Votre réponse');
		// What the browser itself lets through.
		await field.fill('   ');
		await page.getByRole('button', { name: 'Envoyer' }).tap();
		await page.getByRole('alert').waitFor();
		await picture(page, 'answer-text');
		await field.fill('Oui, mais\ndemain « tôt »');
		await page.getByRole('button', { name: 'Envoyer' }).tap();
		await page.getByText('Votre réponse est enregistrée').waitFor();
		expect((await answerOf(id)).data).toMatchObject({ text: 'Oui, mais\ndemain « tôt »' });
		await close();
	});
});

describe('as a human review step of an agent', () => {
	const sendTool: WorkflowDefinition['nodes'][number] = {
		name: 'Send',
		type: `${packageName}.smsTool`,
		parameters: {
			operation: 'send',
			number: '+33639985678',
			message: "={{ $fromAI('message', 'The message', 'string') }}",
		},
		credentials: { smsServiceApi: { id: null, name: credentialName } },
	};
	const review: WorkflowDefinition['nodes'][number] = {
		name: 'Review',
		type: `${packageName}.smsHitlTool`,
		parameters: { number: NUMBER, ...double },
		credentials: { smsServiceApi: { id: null, name: credentialName } },
	};

	/** An agent with a tool, and what the model says to it, one call after the other. */
	async function callTools(
		nodes: WorkflowDefinition['nodes'],
		...words: IDataObject[]
	): Promise<Waiting> {
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

	/** What n8n asks of a model for a tool with a review before it. */
	const wordsOf = (message: string) => ({ toolParameters: { message } });

	test('each call has a question and a link of its own', async () => {
		const { id, link: first } = await callTools(
			[review, sendTool],
			wordsOf('Un'),
			wordsOf('Deux'),
		);
		await press(first, 'approve');
		const questions = () => simulator.messagesTo(NUMBER).length;
		await expect.poll(questions, { timeout: 30_000 }).toBe(2);
		await reached(id, 'waiting');
		const second = linkOf(simulator)!;
		expect(second).not.toBe(first);
		await press(first, 'approve');
		expect(simulator.messagesTo('+33639985678').map(({ text }) => text)).toEqual(['Un']);
		expect(await statusOf(id)).toBe('waiting');
		await press(second, 'approve');
		expect((await ended(id)).error).toBeUndefined();
		expect(simulator.messagesTo('+33639985678').map(({ text }) => text)).toEqual([
			'Un',
			'Deux',
		]);
	});

	test('as a tool itself: the agent hears the answer', async () => {
		const tool: WorkflowDefinition['nodes'][number] = {
			name: 'Ask',
			type: `${packageName}.smsTool`,
			parameters: {
				operation: 'sendAndWait',
				number: NUMBER,
				message: "={{ $fromAI('message', 'The question', 'string') }}",
				responseType: 'freeText',
			},
			credentials: { smsServiceApi: { id: null, name: credentialName } },
		};
		const { id, link } = await callTools([tool], { message: 'Quelle heure ?' });
		expect(simulator.messages[0].text).toBe(`Quelle heure ? ${link}`);
		expect((await press(link, 'Dix heures')).status).toBe(200);
		expect((await ended(id)).error).toBeUndefined();
		expect(model.heard()).toContain('Dix heures');
	});

	test.each([
		['approve', 1],
		['decline', 0],
	] as const)('%s: the tool is called %i times', async (answer, times) => {
		const { id, link } = await callTools([review, sendTool], wordsOf('Votre colis arrive'));
		expect(simulator.messages).toHaveLength(1);
		const asked =
			'The agent wants to run this tool: Send\n\nInput:\nmessage: Votre colis arrive';
		expect(simulator.messages[0].text).toBe(`${asked} ${link}`);
		expect((await visit(link)).data).toContain('Votre colis arrive');
		expect(simulator.messagesTo('+33639985678')).toEqual([]);

		expect((await press(link, answer)).status).toBe(200);
		const execution = await ended(id);
		expect(execution.error).toBeUndefined();
		const sent = simulator.messagesTo('+33639985678');
		expect(sent.map(({ text }) => text)).toEqual(Array(times).fill('Votre colis arrive'));
		if (times === 0) expect(model.heard()).toContain('rejected');
		else expect(model.heard()).toContain(sent[0].snapshotId);
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
