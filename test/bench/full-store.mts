/**
 * How long once keys hold up n8n where its store is full: 100,000 keys that were sent before. Prints the longest
 * stall for messages with new keys, and for the same ones again.
 *
 *   node test/bench/full-store.mts [keys in the store]
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoredWorkflow } from '../harness/n8n.mts';
import { Rig, Server } from './rig.mts';

const keys = Number(process.argv[2] ?? 100_000);
const server = await Server.start();
const rig = await Rig.start('vm', server);
try {
	for (const items of [1, 1, 20, 1_000, 1_000, 10_000]) {
		const cell = { engine: 'vm', fields: 'two', latency: 20, items, runs: {} } as const;
		const { fresh, again } = await rig.measureKeyed(cell, fill);
		const line = (what: string, { stallMs, blockMs = 0, wallMs, cpuMs }: typeof fresh) =>
			`${what}: longest stall ${Math.round(stallMs)} ms (${Math.round(blockMs)} ms of CPU), ` +
			`${(wallMs / 1_000).toFixed(1)} s (${(cpuMs / 1_000).toFixed(1)} s of CPU)`;
		console.log(`${items} keys, ${line('new', fresh)}; ${line('again', again)}`);
	}
} finally {
	await rig.stop();
	server.stop();
}

/** Writes n8n's row of the node with the keys, as n8n and the node would have (`KeyStore.ts`). */
function fill({ id, nodes }: StoredWorkflow): void {
	const { id: nodeId } = nodes.find(({ name }) => name === 'Measured')! as { id?: string };
	const hash = (entry: string) => createHash('md5').update(entry).digest('base64');
	const data = Array.from({ length: keys }, (_, at) => hash(`sms:1:1:earlier-${at}`));
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
