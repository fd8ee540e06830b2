/**
 * How long once keys hold up n8n where its store is full: 50,000 keys that were sent before. Prints the longest
 * stall for messages with new keys, for the same ones again in the same process, which knows them, and for keys
 * that were sent before this process was started: it has to ask n8n's store.
 *
 *   node test/tools/bench/full-store.mts [keys in the store]
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoredWorkflow } from '../../harness/n8n.mts';
import { Rig, Server } from './rig.mts';

const keys = Number(process.argv[2] ?? 50_000);
const server = await Server.start();
const rig = await Rig.start('vm', server);
try {
	for (const items of [1, 1, 20, 1_000, 1_000, 10_000]) {
		const cell = { engine: 'vm', fields: 'two', latency: 20, items, runs: {} } as const;
		const { fresh, again } = await rig.measureKeyed(cell, (workflow) => fill(workflow, []));
		const { fresh: asked } = await rig.measureKeyed(
			cell,
			(workflow) => fill(workflow, keysOf(workflow, items)),
			0,
		);
		const line = (what: string, { stallMs, wallMs, cpuMs }: typeof fresh) =>
			`${what}: longest stall ${Math.round(stallMs)} ms, ` +
			`${(wallMs / 1_000).toFixed(1)} s (${(cpuMs / 1_000).toFixed(1)} s of CPU)`;
		console.log(
			`${items} keys, ${line('new', fresh)}; ${line('again', again)}; ${line('asked for', asked)}`,
		);
	}
} finally {
	await rig.stop();
	server.stop();
}

/** Those that the run asks for (`rig.mts`). */
function keysOf({ nodes }: StoredWorkflow, items: number): string[] {
	const { parameters } = nodes.find(({ name }) => name === 'Items')!;
	const run = new URL(parameters.url as string).searchParams.get('run');
	return Array.from({ length: items }, (_, order) => `${run}-${order}`);
}

/** Writes n8n's row of the node with keys that were sent, as n8n and the node would have (`KeyStore.ts`). */
function fill({ id, nodes }: StoredWorkflow, last: readonly string[]): void {
	const { id: nodeId } = nodes.find(({ name }) => name === 'Measured')! as { id?: string };
	const hash = (entry: string) => createHash('md5').update(entry).digest('base64');
	const earlier = Array.from({ length: keys - last.length }, (_, at) => `earlier-${at}`);
	const data = [...earlier, ...last].flatMap((key) =>
		['claimed', 'sent'].map((what) => hash(`sms:2:${what}:${key}`)),
	);
	const database = new DatabaseSync(join(rig.n8n.userFolder, '.n8n/database.sqlite'));
	try {
		database
			.prepare(
				'INSERT INTO processed_data ("workflowId", "context", "value") VALUES (?, ?, ?)',
			)
			.run(id, `n:${nodeId}`, JSON.stringify({ mode: 'entries', data }));
	} finally {
		database.close();
	}
}
