/**
 * What one poll costs in CPU time, memory and state, beside `JSON.parse` of the same answer, and for how
 * long it blocks n8n at most. CPU time, not time that passes, so that a machine with other work to do gives
 * the same figures.
 *
 *   npm run build && node test/bench/trigger/poll.mts [replies …]
 *
 * Prints a table, asserts nothing. The service is the simulator in a process of its own; the poll runs
 * through n8n's PollContext and request helper.
 */
import axios from 'axios';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type * as Collection from '../../../nodes/SmsTrigger/cursor/collection.ts';
import { startSimulator } from '../../simulator/index.mts';

const ROUNDS = 5;
const NEW = 10;
const MB = 1024 * 1024;

if (process.send) await serve();
else await measureAll(process.argv.slice(2).map(Number));

/** The service, until the parent goes. */
async function serve(): Promise<void> {
	const { baseUrl, apiKey, service } = await startSimulator({ keepRequests: false });
	process.on('message', (message: { add?: number }) => {
		service.addReplies(message.add ?? 0, 'bench');
		process.send!({ added: message.add });
	});
	process.on('disconnect', () => process.exit(0));
	process.send!({ baseUrl, apiKey });
}

async function measureAll(sizes: number[]): Promise<void> {
	setFlagsFromString('--expose-gc');
	const rows = [];
	for (const size of sizes.length > 0 ? sizes : [1_000, 100_000, 1_000_000]) {
		rows.push(await measure(size));
	}
	console.log(
		`One poll of a category with ${NEW} new replies. Medians of ${ROUNDS} polls; Node ${process.version}.`,
	);
	console.table(rows);
}

async function measure(replies: number) {
	const { Host } = await import('../../engine/trigger/harness.mts');
	const { load } = await import('../../engine/harness.mts');
	const { compareCollection } = load<typeof Collection>('nodes/SmsTrigger/cursor/collection.js');
	const child = fork(import.meta.filename, { serialization: 'advanced' });
	const [simulator] = await once(child, 'message');
	const add = async (count: number) => {
		child.send({ add: count });
		await once(child, 'message');
	};
	try {
		await add(replies);
		const host = new Host({
			simulator,
			parameters: { events: ['reply'], categories: 'bench' },
		});
		const activation = await timed(() => host.activate());

		const polls: number[] = [];
		const pollStalls: number[] = [];
		const comparisonStalls: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			await add(NEW);
			const { ms, stall, result } = await timed(() => host.poll());
			if (result.length !== NEW) throw new Error(`${result.length} events instead of ${NEW}`);
			polls.push(ms);
			pollStalls.push(stall);
		}
		const quiet: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			quiet.push((await timed(() => host.poll())).ms);
		}

		const text = await answerOf(simulator);
		const parses: number[] = [];
		const comparisons: number[] = [];
		let memory = 0;
		const state = host.state as {
			sources: Record<string, { state: Collection.CollectionState }>;
		};
		const before = state.sources['reply:bench'].state;
		for (let round = 0; round < ROUNDS; round++) {
			const parsed = await timed(() => JSON.parse(text) as Array<{ id: string }>);
			parses.push(parsed.ms);
			const answer = parsed.result;
			for (let index = 0; index < NEW; index++) answer.push({ id: `new ${index}` });
			const start = usedMemory(true);
			const compared = await timed(async () => {
				const changes = await compareCollection(before, answer, {
					idOf: ({ id }) => id,
					emitExisting: false,
					limit: 1_000,
				});
				return { changes, settled: changes.settle(NEW) };
			});
			comparisons.push(compared.ms);
			comparisonStalls.push(compared.stall);
			memory = Math.max(memory, usedMemory(false) - start);
		}
		const bytes = JSON.stringify(host.state).length;
		return {
			replies,
			'answer, MB': round(text.length / MB, 1),
			'JSON.parse, ms': round(median(parses)),
			'compare, ms': round(median(comparisons), 1),
			'stall of compare, ms': round(median(comparisonStalls)),
			'poll, ms': round(median(polls)),
			'stall of poll, ms': round(median(pollStalls)),
			'quiet poll, ms': round(median(quiet)),
			'activation, ms': round(activation.ms),
			'memory of compare, MB': round(memory / MB, 1),
			'state, bytes': bytes,
			'bytes per reply': round(bytes / (replies + NEW * ROUNDS), 2),
		};
	} finally {
		child.disconnect();
	}
}

async function answerOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<string> {
	const { data } = await axios.get<string>(`${baseUrl}/v2/messages/replies?category=bench`, {
		headers: { 'X-Service-ApiKey': apiKey },
		responseType: 'text',
		transformResponse: (body: string) => body,
		maxContentLength: Infinity,
		proxy: false,
	});
	return data;
}

/**
 * @returns what it gives, the milliseconds of CPU that this process spent on it, and the most that its
 *   main thread spent without giving other work a turn
 */
async function timed<T>(
	work: () => T | Promise<T>,
): Promise<{ ms: number; stall: number; result: T }> {
	let stall = 0;
	let last = process.threadCpuUsage();
	const turn = () => {
		const { user, system } = process.threadCpuUsage(last);
		stall = Math.max(stall, (user + system) / 1_000);
		last = process.threadCpuUsage();
	};
	const turns = setInterval(turn, 1);
	const start = process.cpuUsage();
	const result = await work();
	const { user, system } = process.cpuUsage(start);
	turn();
	clearInterval(turns);
	return { ms: (user + system) / 1_000, stall, result };
}

/** Bytes in use, garbage included unless it is collected first. */
function usedMemory(collect: boolean): number {
	if (collect) (runInNewContext('gc') as () => void)();
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return heapUsed + arrayBuffers;
}

function median(numbers: number[]): number {
	return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function round(number: number, digits = 0): number {
	return Number(number.toFixed(digits));
}
