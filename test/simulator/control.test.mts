/** The page, the control API and the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf } from './client.mts';

const NUMBER = '+33612345678';

const simulator = await useSimulator();
const call = clientOf(simulator);

const control = async (path: string, body?: object) =>
	await call(body === undefined ? 'GET' : 'POST', `/_simulator/${path}`, body, {
		[simulator.headerName]: undefined,
	});
const send = (number = NUMBER) =>
	call('POST', '/v2/notification/messages/send', {
		number,
		message: 'Bonjour',
		category: 'soldes',
	});

describe('the page', () => {
	it('comes without a key, loads nothing from elsewhere, and is no request to the service', async () => {
		const page = await call('GET', '/', undefined, { [simulator.headerName]: undefined });
		expect(page.status).toBe(200);
		expect(page.headers['content-type']).toMatch(/^text\/html/);
		expect(page.headers['content-security-policy']).toMatch(/default-src 'none'/);
		const resources = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(
			(match) => match[1],
		);
		expect(resources).toEqual(['/_simulator/page.css', '/_simulator/page.mjs']);
		for (const resource of resources) {
			const file = await call('GET', resource);
			expect(file.status).toBe(200);
			expect(file.text).not.toMatch(/@import|url\(|import\(/);
		}
		expect(simulator.requests).toEqual([]);
	});

	it('lists the phones, the latest first, with what they got and sent', async () => {
		await send();
		await send('+33699990001');
		simulator.clock.advance(5_000);
		await control('reply', { from: '06 12 34 56 78', text: 'Merci' });
		const { json: phones } = await control('phones');
		expect(phones).toMatchObject([
			{
				number: NUMBER,
				national: '0612345678',
				unsubscribed: false,
				events: [{ message: { text: 'Bonjour', state: 'reply' } }, { text: 'Merci' }],
			},
			{ number: '+33699990001', unassigned: true },
		]);
		expect((await control('phones?search=06%2099')).json).toHaveLength(1);
		expect((await control('phones?limit=1')).json).toMatchObject([{ number: NUMBER }]);
	});
});

describe('the control API', () => {
	it('plays the recipients', async () => {
		const { json: receipt } = await send();
		const { json: reply } = await control('reply', { from: NUMBER, text: 'Merci' });
		expect(simulator.service.replies('soldes')).toEqual([
			{ id: reply.id, identifier: NUMBER, message: 'Merci' },
		]);
		await control('reply', { from: NUMBER, text: 'Oui', category: 'autre', id: 'r1' });
		expect(simulator.service.replies('autre')).toMatchObject([{ id: 'r1' }]);

		const { snapshotId } = receipt;
		await control('open', { snapshotId, click: true });
		expect(simulator.messages[0]).toMatchObject({ state: 'opened', clicks: 1 });

		expect((await control('reply', { from: NUMBER, text: ' stop ' })).json).toEqual({
			stopped: true,
		});
		expect((await send()).json.code).toBe(12);
		await control('stop', { from: '+33600000001', category: 'soldes' });
		await control('bounce', { number: '+33600000002', category: 'soldes' });
		expect((await call('GET', '/v2/messages/blacklists?category=soldes')).json).toEqual({
			bounces: { number: 1, identifiers: ['0600000002'] },
			unsubscribers: { number: 2, identifiers: ['0612345678', '0600000001'] },
		});
	});

	it('shows requests and totals', async () => {
		await send();
		await send('+33600000001');
		const { json: seen } = await control('requests?limit=1');
		expect(seen.total).toBe(2);
		expect(Buffer.from(seen.requests[0].raw, 'base64')).toEqual(simulator.requests[0].raw);
		expect((await control('state')).json).toMatchObject({
			baseUrl: simulator.baseUrl,
			apiKey: simulator.apiKey,
			messages: 2,
			requests: 2,
		});
	});

	it('turns the knobs', async () => {
		const before = simulator.clock.now();
		await control('clock', { advanceMs: 3_600_000 });
		expect(simulator.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
		await control('credits', { credits: 5 });
		await control('settings', { lineBreaks: false });
		expect(simulator.service.credits).toBe(5);
		expect(simulator.service.settings.lineBreaks).toBe(false);

		const { json: sample } = await control('sample-list', {});
		expect(sample).toMatchObject({ name: 'Customers', contacts: 5 });
		await control('reset', {});
		expect(simulator.service.lists.size).toBe(0);
	});

	it('sets faults', async () => {
		const fault = {
			method: 'POST',
			pathPattern: '/send$',
			bodyIncludes: '+33600000002',
			times: 'always',
			do: { kind: 'status', status: 503, accept: true },
		};
		const { json } = await control('faults', fault);
		expect((await send()).status).toBe(200);
		expect((await send('+33600000002')).status).toBe(503);
		expect((await send('+33600000002')).status).toBe(503);
		expect(simulator.messagesTo('+33600000002')).toHaveLength(2);
		expect((await control('faults')).json).toEqual([{ id: json.id, hits: 2, fault }]);
		expect((await call('DELETE', '/_simulator/faults')).status).toBe(204);
		expect((await send('+33600000002')).status).toBe(200);
	});

	it.each<[string, object]>([
		['reply', { from: 'nobody', text: 'a' }],
		['reply', { from: NUMBER }],
		['open', { snapshotId: '1' }],
		['settings', { unknown: 1 }],
		['faults', { do: { kind: 'explode' } }],
		['clock', { advanceMs: 'soon' }],
		['nothing', {}],
	])('says what is wrong with %s %j', async (path, body) => {
		const { status, json } = await control(path, body);
		expect(status).toBeGreaterThanOrEqual(400);
		expect(json).toEqual({ error: expect.stringMatching(/.+/) });
	});
});

describe('the program', () => {
	const main = fileURLToPath(new URL('../tools/simulator/main.mts', import.meta.url));
	const start = (...options: string[]) => spawn(process.execPath, [main, ...options]);

	it.each(['SIGINT', 'SIGTERM'] as const)(
		'runs until %s, then frees its port',
		async (signal) => {
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
		},
	);

	it('says so when its port is taken, or an option is wrong', async () => {
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
});
