/**
 * What one poll costs in CPU time and state, beside `JSON.parse` of the same answer, and for how long it blocks n8n at
 * most. CPU time, not time that passes, so that a machine with other work to do gives the same figures.
 *
 *   npm run bench -- --poll
 *
 * Prints a table, asserts nothing. The service is the simulator, whose work counts as none: it answers in a process of
 * its own. The poll runs through n8n's PollContext and request helper.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startSimulator } from '../../../simulator/index.mts';

const ROUNDS = 5;
const NEW = 10;

if (process.send) await serve();
else await measureAll(process.argv.slice(2).map(Number));

/** The service, until the parent goes. */
async function serve(): Promise<void> {
	const { baseUrl, apiKey, service } = await startSimulator({ keepRequests: false });
	process.on('message', (count: number) => {
		service.addReplies(count, 'bench');
		process.send!({ text: JSON.stringify(service.replies('bench')) });
	});
	process.on('disconnect', () => process.exit(0));
	process.send!({ baseUrl, apiKey });
}

async function measureAll(sizes: number[]): Promise<void> {
	const rows = [];
	for (const size of sizes.length > 0 ? sizes : [1_000, 100_000, 1_000_000]) {
		rows.push(await measure(size));
	}
	console.log(`${NEW} new replies in a category. Medians of ${ROUNDS}; Node ${process.version}.`);
	console.table(rows);
}

async function measure(replies: number) {
	const { Host } = await import('../../../engine/trigger/harness.mts');
	const child = fork(import.meta.filename, { serialization: 'advanced' });
	const [simulator] = await once(child, 'message');
	const add = async (count: number): Promise<string> => {
		child.send(count);
		return ((await once(child, 'message')) as [{ text: string }])[0].text;
	};
	try {
		let text = await add(replies);
		const parameters = { events: ['reply'], categories: 'bench' };
		const host = new Host({ simulator, parameters });
		await host.activate();
		const polls = [];
		const parses = [];
		for (let round = 0; round < ROUNDS; round++) {
			text = await add(NEW);
			polls.push(await timed(async () => await host.poll()));
			parses.push(await timed(async () => JSON.parse(text) as unknown));
		}
		if (host.items.length !== NEW * ROUNDS) throw new Error(`${host.items.length} events`);
		return {
			replies,
			'answer, MB': (text.length / 1024 ** 2).toFixed(1),
			'JSON.parse, ms': median(parses.map(({ ms }) => ms)),
			'poll, ms': median(polls.map(({ ms }) => ms)),
			'stall of poll, ms': median(polls.map(({ stall }) => stall)),
			'state, bytes': host.stateBytes,
		};
	} finally {
		child.disconnect();
	}
}

/** @returns the CPU time of some work in milliseconds, and the most of it without a turn for other work */
async function timed(work: () => Promise<unknown>): Promise<{ ms: number; stall: number }> {
	let stall = 0;
	let last = process.threadCpuUsage();
	const turn = () => {
		const { user, system } = process.threadCpuUsage(last);
		stall = Math.max(stall, (user + system) / 1_000);
		last = process.threadCpuUsage();
	};
	const turns = setInterval(turn, 1);
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	turn();
	clearInterval(turns);
	return { ms: (user + system) / 1_000, stall };
}

function median(values: number[]): number {
	return Math.round(values.sort((a, b) => a - b)[Math.floor(values.length / 2)]);
}
