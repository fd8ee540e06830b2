/**
 * 10,000 sends in one execution of a real n8n, to a service that fails one request in twenty in every
 * way it can, then the same again with the same once keys. Judged item by item by the phones.
 */
import type { IDataObject } from 'n8n-workflow';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { HealthReport } from '../../harness/n8n.mts';
import { SEED, chance } from '../../harness/random.mts';
import { ANSWERS, type Answer } from '../../engine/delivery/answers.mts';
import type { FaultHandle } from '../../simulator/index.mts';
import { countByStatus, createWebhookWorkflow, report } from '../../e2e/delivery-support.mts';
import { phones, Received, snapshots } from '../../harness/phones.mts';
import { useEnvironment } from '../../e2e/support.mts';
import { nothingBeside, placed } from '../../harness/settings.mts';

const COUNT = 10_000;
const numbers = phones(COUNT);
const orders = numbers.map((to, order) => ({ to, order: `2026-${order}` }));
/** Numbers that the service itself refuses, with its codes 12 and 13. */
const unsubscribed = numbers.filter((_, index) => index % 500 === 7);
const bounced = numbers.filter((_, index) => index % 1_000 === 13);

/** Answers that concern one item, and slow ones: three requests of a thousand get each. */
const FAULTS = [
	...Object.entries<Answer>(ANSWERS).flatMap(([name, { do: action }]) =>
		action === undefined || /^40[123]|code 20|key/.test(name) ? [] : [[name, action] as const],
	),
	...([1, undefined] as const).map(
		(retryAfter) =>
			[`429, Retry-After ${retryAfter}`, { kind: 'tooManyRequests', retryAfter }] as const,
	),
	['late by half a second', { kind: 'delay', ms: 500 }] as const,
	['no answer, accepted', { kind: 'noAnswerAfterAccept' }] as const,
];
const PER_THOUSAND = 3;

const { n8n, simulator } = await useEnvironment({
	n8n: {},
	simulator: { keepRequests: false },
});

/** The most memory that a process has while something runs, in MB. */
async function watchMemory<T>(pid: number, work: () => Promise<T>): Promise<[T, number]> {
	let most = 0;
	const measure = async () => {
		const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
		most = Math.max(most, Number(stdout) / 1024);
	};
	const timer = setInterval(() => void measure().catch(() => {}), 250);
	try {
		await measure();
		return [await work(), Math.round(most)];
	} finally {
		clearInterval(timer);
	}
}

interface Measured {
	results: IDataObject[];
	health: HealthReport;
	seconds: number;
	memoryMb: number;
	requests: number;
}

/** Runs the workflow and waits for its end; n8n is asked for its health until its data is stored. */
async function measure(workflowId: string, start: () => Promise<string>): Promise<Measured> {
	const requestsBefore = simulator.requestCount;
	const started = performance.now();
	const [[id, health], memoryMb] = await watchMemory(
		n8n.pid,
		async () =>
			await n8n.watchHealth(async () => {
				const executionId = await start();
				for (;;) {
					const [{ status }] = await n8n.listExecutions(workflowId);
					if (status === 'success') return executionId;
					if (status !== 'running' && status !== 'new') throw new Error(status);
					await sleep(250);
				}
			}, 200),
	);
	const seconds = (performance.now() - started) / 1000;
	const execution = await n8n.getExecution(id);
	const requests = simulator.requestCount - requestsBefore;
	return { results: execution.json('Node'), health, seconds, memoryMb, requests };
}

/** The messages that a phone must have received for a status; undefined where none may be right. */
const AGREEING: Record<string, number[]> = {
	sent: [1],
	skipped: [1],
	refused: [0],
	notSent: [0],
	unknown: [0, 1],
};

/** The items whose status does not agree with their phone. */
function disagreeing(items: IDataObject[]): IDataObject[] {
	const counts = new Received(simulator);
	const known = snapshots(simulator);
	return items.filter(({ status, snapshotId }, index) => {
		const number = numbers[index];
		if (status === 'sent' && snapshotId !== known.get(number)) return true;
		return !AGREEING[String(status)]?.includes(counts.by(number));
	});
}

test('10,000 sends, one in twenty fails, and the same 10,000 again', async () => {
	const random = chance(SEED);
	console.log(`seed ${SEED}`);
	const hits: Array<[string, FaultHandle]> = FAULTS.map(([name, action]) => [
		name,
		simulator.faults.add({
			path: /\/messages\/send$/,
			probability: PER_THOUSAND / 1_000,
			random,
			times: Infinity,
			do: action,
		}),
	]);
	for (const number of unsubscribed) simulator.stop(number);
	for (const number of bounced) simulator.bounce(number);

	const workflow = await createWebhookWorkflow(n8n, {
		operation: 'sendBatch',
		...placed('Sms', 'sendBatch', {
			onceKey: '={{ $json.order }}',
			...nothingBeside('sendBatch'),
		}),
		requestOptions: { timeout: 2_000 },
	});
	const idleMb = (await watchMemory(n8n.pid, async () => {}))[1];
	const runs: Measured[] = [];
	for (const run of ['first', 'second']) {
		const measured = await measure(workflow.id, async () => await workflow.start(orders));
		runs.push(measured);
		const { results, health, seconds, memoryMb, requests } = measured;
		const counts = new Received(simulator);
		const unknown = numbers.filter((_, index) => results[index]?.status === 'unknown');
		report(`10,000 sends, ${run} run`, {
			outcomes: JSON.stringify(countByStatus(results)),
			'unknown that had arrived': counts.count(unknown, 1),
			'received twice': counts.twice.length,
			requests,
			seconds: seconds.toFixed(1),
			'slowest answer of /healthz, ms': health.slowestMs.toFixed(0),
			'health checks': health.checks,
			'memory of n8n, MB (most; idle before)': `${memoryMb}; ${idleMb}`,
		});
		expect(results.map(({ number }) => number)).toEqual(numbers);
		expect(counts.twice).toEqual([]);
		expect(disagreeing(results)).toEqual([]);
		expect(health.failures).toBe(0);
	}
	report(
		'Faults that hit',
		Object.fromEntries(hits.map(([name, handle]) => [name, handle.hits])),
	);
	for (const [name, handle] of hits) expect(handle.hits, name).toBeGreaterThan(0);

	const [first, second] = runs.map(({ results }) => results.map(({ status }) => status));
	expect(new Set(first)).toEqual(new Set(['sent', 'refused', 'unknown']));
	for (const [index, status] of first.entries()) {
		// Sent once, known once; a lost answer stays one; a refusal was worth another try.
		if (status === 'sent') expect(second[index]).toBe('skipped');
		else if (status === 'unknown') expect(second[index]).toBe('unknown');
		else expect(second[index]).toBeOneOf(['sent', 'refused', 'notSent', 'unknown']);
	}
	const listed = new Set([...unsubscribed, ...bounced]);
	const counts = new Received(simulator);
	for (const [index, number] of numbers.entries()) {
		if (listed.has(number)) expect(counts.by(number)).toBe(0);
		else if (second[index] === 'skipped') expect(counts.by(number)).toBe(1);
	}
});
