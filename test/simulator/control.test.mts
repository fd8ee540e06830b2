/** The page, the control API and the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf, follow } from './client.mts';

const NUMBER = '+33612345678';

const simulator = await useSimulator();
const call = clientOf(simulator);
const send = (number = NUMBER) => {
	const message = { kind: 'notification', number, text: 'Bonjour', category: 'soldes' } as const;
	return simulator.service.accept(message).snapshotId;
};

it('the page comes without a key, loads nothing from elsewhere, and is no request to the service', async () => {
	const page = await call('GET', '/', undefined, { [simulator.headerName]: undefined });
	expect(page.status).toBe(200);
	expect(page.headers['content-type']).toMatch(/^text\/html/);
	expect(page.headers['content-security-policy']).toMatch(/default-src 'none'/);
	const resources = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
	expect(resources).toEqual(['/_simulator/page.css', '/_simulator/page.mjs']);
	for (const resource of resources) {
		const file = await call('GET', resource);
		expect(file.status).toBe(200);
		expect(file.text).not.toMatch(/@import|url\(|import\(/);
	}
	expect(simulator.requests).toEqual([]);
});

it('lists the phones, the latest first, with what they got and sent', async () => {
	send();
	send('+33699990001');
	simulator.clock.advance(5_000);
	const phone = {
		...{ number: NUMBER, national: '0612345678', unsubscribed: false },
		events: [{ message: { text: 'Bonjour', state: 'reply' } }, { text: 'Merci' }],
	};
	await follow(call, [
		['POST /_simulator/reply', 200, { from: '06 12 34 56 78', text: 'Merci' }],
		['GET /_simulator/phones', [phone, { number: '+33699990001', unassigned: true }]],
		['GET /_simulator/phones?search=06%2099', [{ number: '+33699990001' }]],
		['GET /_simulator/phones?limit=1', [{ number: NUMBER }]],
	]);
});

it('plays the recipients, and turns the clock', async () => {
	const snapshotId = send();
	const of = (text: string, more = {}) => ({ from: NUMBER, text, ...more });
	await follow(call, [
		['POST /_simulator/reply', 200, of('Merci')],
		['POST /_simulator/reply', { id: 'r1' }, of('Oui', { category: 'autre', id: 'r1' })],
		['POST /_simulator/open', { opened: true }, { snapshotId, click: true }],
	]);
	expect(simulator.service.replies('soldes')).toMatchObject([{ message: 'Merci' }]);
	expect(simulator.service.replies('autre')).toMatchObject([{ id: 'r1', message: 'Oui' }]);
	expect(simulator.messages[0]).toMatchObject({ state: 'opened', clicks: 1 });
	const before = simulator.clock.now();
	await follow(call, [
		['POST /_simulator/reply', { stopped: true }, of(' stop ')],
		['POST /_simulator/stop', { stopped: true }, { from: '0600000001' }],
		['POST /_simulator/clock', 200, { advanceMs: 3_600_000 }],
		['GET /_simulator/state', { messages: 1, unsubscribers: 2, baseUrl: simulator.baseUrl }],
		['POST /_simulator/sample-list', { name: 'Customers', contacts: 5 }],
	]);
	expect(simulator.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
	await follow(call, [['POST /_simulator/reset', { reset: true }]]);
	expect(simulator.service.lists.size).toBe(0);
});

it('shows requests as they came', async () => {
	await follow(call, [['GET /v2/account/stats', 200]]);
	const { json } = await call('GET', '/_simulator/requests?limit=1');
	expect(json.total).toBe(1);
	expect(Buffer.from(json.requests[0].raw, 'base64')).toEqual(simulator.requests[0].raw);
});

it.each<[path: string, body: object]>([
	['reply', { from: 'nobody', text: 'a' }],
	['reply', { from: NUMBER }],
	['open', { snapshotId: '1' }],
	['clock', { advanceMs: 'soon' }],
	['nothing', {}],
])('says what is wrong with %s %j', async (path, body) => {
	const { status, json } = await call('POST', `/_simulator/${path}`, body);
	expect(status).toBeGreaterThanOrEqual(400);
	expect(json).toEqual({ error: expect.stringMatching(/.+/) });
});

const main = fileURLToPath(new URL('../tools/simulator/main.mts', import.meta.url));
const start = (...options: string[]) => spawn(process.execPath, [main, ...options]);

it.each(['SIGINT', 'SIGTERM'] as const)('the program runs until %s', async (signal) => {
	const child = start('--port', '0', '--key', 'my-key', '--extended');
	const exited = once(child, 'exit');
	const [output] = (await once(child.stdout, 'data')) as [Buffer];
	const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(output.toString())![0];
	expect(output.toString()).toContain('my-key');
	const headers = { 'X-Service-ApiKey': 'my-key' };
	expect((await fetch(`${baseUrl}/v2/campaigns`, { headers })).status).toBe(200);
	child.kill(signal);
	expect(await exited).toEqual([0, null]);
	await expect(fetch(baseUrl)).rejects.toThrow();
});

it('the program says so when its port is taken, or an option is wrong', async () => {
	for (const [option, value, text] of [
		['--port', new URL(simulator.baseUrl).port, 'is taken'],
		['--port', 'abc', 'is not a port'],
		['--prot', '1', '--prot'],
	]) {
		const child = start(option, value);
		const exited = once(child, 'exit');
		let errors = '';
		child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
		expect(await exited).toEqual([1, null]);
		expect(errors).toContain(text);
	}
});
