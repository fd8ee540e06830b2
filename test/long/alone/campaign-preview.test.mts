/**
 * A campaign to 250,000 contacts is previewed with little memory, and without stopping n8n: its other work
 * gets its turn all the while.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCampaign, creation } from '../../engine/campaign/support.mts';

const COUNT = 250_000;
const MOST_MEMORY = 1_073_741_824;
const MOST_STALL = 150;

interface LargeList {
	baseUrl: string;
	apiKey: string;
	listId: string;
}

let child: ChildProcess;
let large: LargeList;
beforeAll(async () => {
	child = fork(join(import.meta.dirname, 'large-list.mts'), [String(COUNT)]);
	large = await new Promise((resolve, reject) => {
		child.once('message', resolve);
		child.once('exit', (code) => reject(new Error(`The simulator has ended: ${code}`)));
	});
});
afterAll(() => child.kill());

/** Milliseconds from one look at the event loop to the next. */
const LOOK = 5;

/** Processor time of this thread, in milliseconds: what a busy machine makes no longer. */
const processor = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
};

/**
 * What some work holds the event loop up for at most, in milliseconds by the clock and of processor time, and
 * the memory of this process in bytes.
 */
async function measure<T>(work: () => Promise<T>) {
	let [last, lastBusy, stall, busy, memory] = [performance.now(), processor(), 0, 0, 0];
	const look = () => {
		const [now, nowBusy] = [performance.now(), processor()];
		stall = Math.max(stall, now - last - LOOK);
		busy = Math.max(busy, nowBusy - lastBusy);
		[last, lastBusy] = [now, nowBusy];
		memory = Math.max(memory, process.memoryUsage.rss());
	};
	const looks = setInterval(look, LOOK);
	const started = performance.now();
	const result = await work();
	look();
	clearInterval(looks);
	return { result, seconds: (performance.now() - started) / 1_000, stall, busy, memory };
}

test.each(['summary', 'contacts'])('%s', async (output) => {
	const parameters = creation(large.listId, {
		operation: 'preview',
		output,
		message: 'Bonjour ${prenom} ${nom_de_famille} de ${ville}, vous avez ${points} points !',
		sender: 'MyShop',
	});
	const { result, seconds, stall, busy, memory } = await measure(
		async () => await runCampaign(large, parameters),
	);
	console.log(
		`${output} of ${COUNT} contacts: ${seconds.toFixed(1)} s, longest stall ${stall.toFixed()} ms (${busy.toFixed()} ms of processor time), memory ${(memory / 1_048_576).toFixed()} MB`,
	);
	expect(result.error).toBeUndefined();
	const { items } = result;
	if (output === 'summary') {
		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({
			contacts: COUNT,
			recipients: COUNT * 0.8,
			excluded: { unsubscribers: COUNT * 0.2, bounces: 0, duplicates: 0 },
		});
	} else {
		expect(items).toHaveLength(COUNT);
	}
	expect(stall).toBeLessThan(MOST_STALL);
	expect(memory).toBeLessThan(MOST_MEMORY);
});
