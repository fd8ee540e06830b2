/**
 * How long `send` and `sendBatch` take, and for how long they keep n8n from its other work, through
 * n8n's own engine in this process, against the simulator in another one. Prints, asserts nothing.
 *
 *   npm run build && node test/bench/send.mts      with Node 24
 *
 * Expressions are evaluated by n8n's engine `legacy`; its default engine `vm`, an isolate that only a
 * server has, takes about 0.4 ms more for each evaluation, in either operation.
 */
import axios from 'axios';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { runNode } from '../engine/harness.mts';

const COUNTS = [1_000, 5_000];
const OPERATIONS = ['send', 'sendBatch'];
/** How late the service answers, ms. */
const LATENCY = 20;

const program = join(import.meta.dirname, '../simulator/main.mts');
const simulator = spawn(process.execPath, [program, '--port', '0'], {
	stdio: ['ignore', 'pipe', 'inherit'],
});
try {
	const credential = await readAddress();
	await axios.post(`${credential.baseUrl}/_simulator/faults`, {
		times: 'always',
		do: { kind: 'delay', ms: LATENCY },
	});
	console.log(
		`${LATENCY} ms until the service answers, 10 requests at once, Node ${process.version}`,
	);
	await measure('send', 100, credential); // warms up
	console.table(await all(credential));
} finally {
	simulator.kill();
	rmSync(process.env.N8N_USER_FOLDER!, { recursive: true, force: true });
}

interface Credential {
	baseUrl: string;
	apiKey: string;
}

/** What the simulator prints when it is up. */
async function readAddress(): Promise<Credential> {
	const lines = createInterface({ input: simulator.stdout });
	const found: Record<string, string> = {};
	for await (const line of lines) {
		const [, name, value] = /^ {2}(Base URL|API key) +(\S+)$/.exec(line) ?? [];
		if (name) found[name] = value;
		if (found['Base URL'] && found['API key']) break;
	}
	return { baseUrl: found['Base URL'], apiKey: found['API key'] };
}

async function all(credential: Credential): Promise<object[]> {
	const rows: object[] = [];
	for (const count of COUNTS) {
		for (const operation of OPERATIONS) rows.push(await measure(operation, count, credential));
	}
	return rows;
}

/** One run of a node over `count` items, each with an expression in its number and in its message. */
async function measure(operation: string, count: number, credential: Credential): Promise<object> {
	const items = Array.from({ length: count }, (_, order) => ({
		to: `+3363998${String(order).padStart(4, '0')}`,
		order,
	}));
	const longestGap = watchEventLoop();
	await sleep(50);
	const cpu = process.cpuUsage();
	const started = performance.now();
	const { error, items: results } = await runNode({
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '=Order {{ $json.order }} has been shipped',
		},
		items,
		credential: { ...credential },
	});
	const milliseconds = performance.now() - started;
	const { user, system } = process.cpuUsage(cpu);
	const gap = longestGap();
	if (error) throw error;
	return {
		operation,
		items: count,
		results: results.length,
		seconds: round(milliseconds / 1_000),
		'ms per item': round(milliseconds / count),
		'CPU ms per item': round((user + system) / 1_000 / count),
		'longest standstill in ms': round(gap),
	};
}

/**
 * Asks for a turn of the event loop every five milliseconds.
 *
 * @returns a function that ends it and gives the longest time from one turn to the next, in ms
 */
function watchEventLoop(): () => number {
	let last = performance.now();
	let longest = 0;
	const turn = () => {
		const now = performance.now();
		longest = Math.max(longest, now - last);
		last = now;
	};
	const timer = setInterval(turn, 5);
	return () => {
		turn();
		clearInterval(timer);
		return longest;
	};
}

function round(value: number): number {
	return Math.round(value * 100) / 100;
}
