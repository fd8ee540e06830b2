/** Proxies and certificates over real sockets: used, or refused with advice that names the right field. */
import { createServer as createHttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import {
	CERTIFICATE,
	CERTIFICATE_KEY,
	startListeningProxy,
} from '../../harness/listening-proxy.mts';
import { hurry, pressTest, runNode, succeeded, type RunResult } from '../harness.mts';
import { listen } from '../sockets.mts';
import { otherNode } from './support.mts';

hurry();
const sim = await useSimulator();
const elsewhere = await useSimulator();

function join(one: Socket, other: Socket): void {
	for (const socket of [one, other]) socket.on('error', () => socket.destroy());
	one.pipe(other).pipe(one);
}

const tls = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) =>
	join(socket, connect(Number(new URL(sim.baseUrl).port), '127.0.0.1')),
);
tls.on('tlsClientError', () => {});
const secure = `https://${(await listen(tls)).host}`;

/** Hosts that the proxy was asked for. */
let connects: string[] = [];
let authorizations: unknown[] = [];
const tunnel = createHttpServer();
tunnel.on('connect', ({ url = '', headers }, socket: Socket) => {
	connects.push(url);
	authorizations.push(headers['proxy-authorization']);
	socket.write('HTTP/1.1 200 OK\r\n\r\n');
	join(socket, connect(Number(url.split(':')[1]), '127.0.0.1'));
});
const { host: proxy } = await listen(tunnel);
beforeEach(() => {
	[connects, authorizations] = [[], []];
});

const TRUSTING = { allowUnauthorizedCerts: true };
const send = async (data: IDataObject, requestOptions: IDataObject = {}) =>
	await runNode({
		node: 'Sms',
		parameters: {
			operation: 'send',
			number: '+33639981234',
			message: 'Bonjour',
			requestOptions: requestOptions as never,
		},
		credential: { baseUrl: secure, apiKey: sim.apiKey, ...data },
	});

const told = ({ error }: RunResult) => error && `${error.message} ${error.description}`;

/** The Test button. @returns what it complains about */
async function press(data: IDataObject): Promise<string | undefined> {
	const { status, message } = await pressTest({ baseUrl: secure, apiKey: sim.apiKey, ...data });
	return status === 'OK' ? undefined : message;
}

describe.each<[what: string, ask: (data: IDataObject) => Promise<string | undefined>]>([
	['an operation', async (data) => told(await send(data))],
	['the Test button', press],
])('%s', (_, ask) => {
	test('names a self-signed certificate and the switch for it, which works', async () => {
		const text = await ask({});
		expect(text).toMatch(/self-signed/);
		expect(text).toContain("'Ignore SSL Issues (Insecure)' in the credential");
		expect(sim.requests).toEqual([]);
		expect(await ask(TRUSTING)).toBeUndefined();
		expect(sim.requests).toHaveLength(1);
	});

	test('says that a server speaks no https://', async () => {
		const text = await ask({ baseUrl: sim.baseUrl.replace('http', 'https') });
		expect(text).toMatch(/doesn't speak https:\/\//);
		expect(text).toContain("'Base URL'");
		expect(text).not.toMatch(/E[A-Z]{4,}|SSL routines/);
	});
});

test('the credential is read once, whatever the number of requests', async () => {
	const readsOf = async (items: number) => {
		let reads = 0;
		const { error } = await runNode({
			node: 'Sms',
			parameters: { operation: 'send', number: '+33639981234', message: 'Bonjour' },
			items: Array.from({ length: items }, () => ({})),
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			onSecret: () => void reads++,
		});
		expect(error).toBeUndefined();
		return reads;
	};
	expect(await readsOf(20)).toBe(await readsOf(1));
	expect(sim.messages).toHaveLength(21);
});

describe('a proxy', () => {
	test.each(['', 'http://', 'user:pw@', 'http://user:pw@'])('%s… is used', async (before) => {
		const options = { proxy: `${before}${proxy}` };
		// The certificate is checked through the proxy: its refusal shows that the proxy was used.
		expect(told(await send({}, options))).toMatch(/self-signed/);
		expect(connects.length).toBeGreaterThan(0);
		expect(new Set(connects)).toEqual(new Set([new URL(secure).host]));
		const expected = before.includes('user') ? `Basic ${btoa('user:pw')}` : undefined;
		expect(authorizations[0]).toBe(expected);
		expect(sim.requests).toEqual([]);
	});

	test.each<[what: string, credential: () => IDataObject, proxy: () => string, says: RegExp]>([
		['of another kind', () => ({}), () => `socks5://${proxy}`, /HTTP proxy/],
		['beside Ignore SSL Issues', () => TRUSTING, () => proxy, /with http:\/\/ or 'Ignore SSL/],
		['for http://', () => ({ baseUrl: sim.baseUrl }), () => proxy, /with http:\/\/ or/],
	])('%s is refused, and nothing is sent past it', async (_, credential, typed, says) => {
		expect(told(await send(credential(), { proxy: typed() }))).toMatch(says);
		expect(connects).toEqual([]);
		expect(sim.requests).toEqual([]);
	});

	test.each([
		'nowhere',
		'socks5://user:hunter2@proxy.example:1080',
		'user:hunter2@proxy.example',
		'http://user:hunter2@proxy.example:99999',
		'ftp://proxy.example:21',
	])('%s is none: nothing is sent, and nothing of it is repeated', async (typed) => {
		const text = told(await send({}, { proxy: typed }));
		expect(text).toContain("'Proxy' in the settings of the node is not the address of an HTTP");
		expect(text).not.toMatch(/hunter2|nowhere|1080|99999/);
		expect(sim.requests).toEqual([]);
	});

	test('that is down is named, not the Base URL', async () => {
		const text = told(await send({}, { proxy: '127.0.0.1:1' }));
		expect(text).toMatch(/proxy refused the connection/);
		expect(text).toContain("'Proxy'");
		expect(text).not.toContain("'Base URL'");
	});
});

/** Requests of another node with our credential: n8n's older form of a request, and the newer. */
const FORMS = ['requestWithAuthentication', 'httpRequestWithAuthentication'] as const;

describe.each(FORMS)('a proxy that listens, set in another node: %s', (form) => {
	const ask = async (request: IDataObject) => {
		const address = form === 'requestWithAuthentication' ? 'uri' : 'url';
		const node = otherNode(async function () {
			return await (this.helpers[form].call(this, 'smsServiceApi', {
				method: 'GET',
				[address]: `${secure}/v2/account/stats`,
				json: true,
				...request,
			} as never) as Promise<unknown>);
		});
		const credential = { baseUrl: secure, apiKey: sim.apiKey };
		return await runNode({ ...node, credential });
	};

	test('gets no key, whomever the request trusts', async () => {
		const listener = await startListeningProxy();
		const { port } = new URL(listener.url);
		const by =
			form === 'requestWithAuthentication'
				? listener.url
				: { protocol: 'http', host: '127.0.0.1', port: Number(port) };
		for (const request of [
			{ agentOptions: { ca: CERTIFICATE } },
			{ agentOptions: { ca: [CERTIFICATE], cert: CERTIFICATE, key: CERTIFICATE_KEY } },
			{ agentOptions: { rejectUnauthorized: false } },
			{ agentOptions: { checkServerIdentity: () => undefined, ca: CERTIFICATE } },
			{ rejectUnauthorized: false },
			{ skipSslCertificateValidation: true },
		]) {
			const { error } = await ask({ ...request, proxy: by } as never);
			expect(`${error?.message} ${error?.description}`).toMatch(/key/i);
		}
		expect(listener.heard).toEqual([]);
		await listener.close();
		expect(sim.requests).toEqual([]);
	});

	test('a CA without a proxy is for a service in your own network; no redirect leads out of it', async () => {
		succeeded(await ask({ agentOptions: { ca: CERTIFICATE } }));
		expect(sim.requests).toHaveLength(1);
		for (const status of [301, 302, 303, 307, 308]) {
			const location = `${elsewhere.baseUrl}/v2/account/stats`;
			sim.faults.add({ do: { kind: 'redirect', status, location } });
			await ask({ agentOptions: { ca: CERTIFICATE } });
		}
		expect([sim.requestCount, elsewhere.requestCount]).toEqual([6, 0]);
	});
});
