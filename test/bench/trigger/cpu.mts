/**
 * What a poll costs n8n in CPU time, beside n8n's own RSS Feed Trigger, with both of its engines for
 * expressions. A real n8n polls every five seconds; the CPU time of its process is read from the system,
 * and what it takes when nothing polls is taken off.
 *
 *   npm run build && node test/bench/trigger/cpu.mts      with Node 24, on Linux, n8n installed
 *
 * Prints a table, asserts nothing.
 */
import type { INodeParameters } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pollEvery, startN8n, type N8n } from '../../harness/n8n.mts';
import { startSimulator } from '../../simulator/index.mts';

const POLLS = 6;
/** Milliseconds of a tick in /proc. */
const TICK = 10;
const CREDENTIAL = 'SMS';
const numbers = Array.from(
	{ length: 200 },
	(_, index) => `+3363998${String(index).padStart(4, '0')}`,
);
const TRIGGERS: Array<[string, string, INodeParameters]> = [
	['RSS Feed Trigger', 'n8n-nodes-base.rssFeedReadTrigger', {}],
	[
		'SMS Trigger, three events',
		'n8n-nodes-sms-service.smsTrigger',
		{ events: ['reply', 'unsubscribed', 'statisticsChanged'], categories: 'a' },
	],
	[
		'SMS Trigger, 200 look-ups',
		'n8n-nodes-sms-service.smsTrigger',
		{ events: ['statusChanged'], watchNumbers: numbers.join(',') },
	],
	// Last: an n8n that has just started has other things to do.
	['nothing', '', {}],
];

const simulator = await startSimulator({ keepRequests: false });
for (const number of numbers) {
	simulator.service.accept({ kind: 'notification', number, text: 'Hello', category: 'a' });
}
let feeds = 0;
const feed = createServer((_, response) => {
	feeds++;
	response.setHeader('Content-Type', 'application/rss+xml');
	response.end(
		`<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>${'<item><title>One</title><link>http://localhost/1</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>'.repeat(20)}</channel></rss>`,
	);
});
await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
const feedUrl = `http://127.0.0.1:${(feed.address() as AddressInfo).port}/`;

try {
	for (const engine of ['vm', 'legacy']) {
		const n8n = await startN8n({ env: { N8N_EXPRESSION_ENGINE: engine } });
		try {
			const { baseUrl, apiKey } = simulator;
			await n8n.createCredential('smsServiceApi', CREDENTIAL, { baseUrl, apiKey });
			await sleep(10_000);
			const used: Array<[name: string, cpu: number]> = [];
			for (const [name, type, parameters] of TRIGGERS) {
				used.push([name, await measure(n8n, type, parameters)]);
			}
			const idle = used.at(-1)![1];
			const rss = used[0][1] - idle;
			const rows = used.map(([trigger, cpu]) => ({
				trigger,
				'CPU in 5 s, ms': Math.round(cpu),
				'of the poll, ms': Math.round(cpu - idle),
				'× RSS': Number(((cpu - idle) / rss).toFixed(1)),
			}));
			console.log(`n8n ${n8n.version}, expression engine ${engine}, ${POLLS} polls each`);
			console.table(rows);
		} finally {
			await n8n.stop();
		}
	}
} finally {
	feed.close();
	await simulator.close();
}

/** CPU time of n8n for each five seconds, ms. */
async function measure(n8n: N8n, type: string, parameters: INodeParameters): Promise<number> {
	let id: string | undefined;
	if (type !== '') {
		const isSms = type.includes('sms');
		const node = {
			name: 'Trigger',
			type,
			parameters: {
				pollTimes: pollEvery(5),
				...(isSms ? parameters : { feedUrl }),
			} as INodeParameters,
			...(isSms ? { credentials: { smsServiceApi: { id: null, name: CREDENTIAL } } } : {}),
		};
		({ id } = await n8n.createWorkflow({ name: type, nodes: [node], connections: {} }));
		await n8n.activate(id);
		await sleep(12_000);
	}
	const before = { cpu: cpuOf(n8n.pid), requests: simulator.requestCount + feeds };
	await sleep(POLLS * 5_000);
	const used = cpuOf(n8n.pid) - before.cpu;
	const requests = simulator.requestCount + feeds - before.requests;
	if (id !== undefined) {
		if (requests < POLLS - 1) throw new Error(`Only ${requests} requests: n8n does not poll`);
		await n8n.deactivate(id);
	}
	return used / POLLS;
}

/** User and system time of a process, ms. */
function cpuOf(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK;
}
