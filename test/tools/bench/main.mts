/**
 * `npm run bench`: what our operations cost, beside the peers, inside one running n8n. Prints what it does and
 * the targets, asserts nothing, and writes docs/benchmarks.md and the plots. (`--help` says how.)
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../arguments.mjs';
import { root } from '../../harness/package.mts';
import { headingOf, sampleLine, targetLines, TITLES, writePage } from './pages.mts';
import { type CaseName, type Cell, FULL_PLAN, only, QUICK_PLAN } from './plan.mts';
import { type Measured, summarize } from './results.mts';
import { measureClient, Rig, type Sample, Server } from './rig.mts';
import { OPTIONS, USAGE } from './usage.mjs';

const { values } = readArguments(USAGE, { options: OPTIONS });
const most = Number(values['at-most'] ?? Infinity);
const whole = values.quick ? QUICK_PLAN : FULL_PLAN;
const named = values.only === undefined ? whole : only(whole, values.only.split(','));
const plan = named
	.filter(({ items }) => values.items === undefined || items === Number(values.items))
	.map((cell) => ({ ...cell, items: Math.min(cell.items, most) }));
const isPublished = [values.quick, values.only, values.items, values['at-most']].every(
	(option) => option === undefined || option === false,
);
const started = Date.now();
const server = await Server.start();
let rig: Rig | undefined;
let engine: Cell['engine'] | undefined;
let version = '';
/** The cases that this n8n has run before. */
const warm = new Set<CaseName>();
const measured: Measured[] = [];
try {
	for (const [position, cell] of plan.entries()) {
		say(`${position + 1} of ${plan.length}: ${headingOf(cell)}`);
		const found = await measureCell(cell);
		measured.push(found);
		console.table(table(found));
		for (const line of targetLines([found])) say(`  ${line}`);
	}
} finally {
	await rig?.stop();
	server.stop();
}
const results = {
	date: new Date().toISOString().slice(0, 10),
	machine: `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GB`,
	node: process.version,
	n8n: version,
	cells: measured,
};
if (isPublished) {
	const folder = join(root, 'test-results');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'bench.json'), JSON.stringify(results, null, '\t'));
	for (const file of await writePage(results)) say(`wrote ${file}`);
}
say('targets:');
for (const line of targetLines(measured)) say(`  ${line}`);
say('done');

/** An n8n that has what the comparison asks for, and has run the case before. */
async function rigFor(cell: Cell, name?: CaseName): Promise<Rig> {
	if (rig === undefined || engine !== cell.engine || cell.fresh) {
		await rig?.stop();
		rig = undefined;
		warm.clear();
		rig = await Rig.start(cell.engine, server);
		engine = cell.engine;
		version = rig.n8n.version;
		// What is loaded and compiled once is no cost of an item.
		await rig.measureNothing(100);
	}
	if (name !== undefined && !warm.has(name)) {
		await rig.measure(name, { ...cell, items: 100, latency: 0, runs: {} });
		warm.add(name);
	}
	return rig;
}

async function measureCell(cell: Cell): Promise<Measured> {
	const samples: Measured['samples'] = {};
	const failures: Measured['failures'] = {};
	const nothing: Sample[] = [];
	const rounds = Math.max(...Object.values(cell.runs));
	for (let round = 0; round < rounds; round++) {
		const due = (Object.keys(cell.runs) as CaseName[]).filter(
			(name) => round < cell.runs[name]! && name !== 'keyedAgain',
		);
		// Each comes first once: what one leaves behind is another one's burden.
		const order = due.map((_, index) => due[(index + round) % due.length]);
		if (round < 3) nothing.push(await (await rigFor(cell)).measureNothing(cell.items));
		for (const name of order) {
			try {
				const found: Partial<Record<CaseName, Sample>> =
					name === 'client'
						? { client: await measureClient(server, cell) }
						: await (await rigFor(cell, name)).measure(name, cell);
				for (const [each, sample] of Object.entries(found) as Array<[CaseName, Sample]>) {
					(samples[each] ??= []).push(sample);
					say(`  ${sampleLine(each, sample)}`);
				}
			} catch (error) {
				const { message } = error as Error;
				failures[name] = message;
				say(`  ${TITLES[name]} failed: ${message}`);
			}
		}
	}
	return { cell, samples, failures, nothing };
}

function table(cell: Measured): object {
	return Object.fromEntries(
		summarize(cell).map(({ name, runs, wallMs, cpuPerItem, stallMs, memory }) => [
			TITLES[name],
			{
				runs,
				seconds: Number((wallMs / 1_000).toFixed(2)),
				'CPU ms per item': Number(cpuPerItem.toFixed(2)),
				'stall ms': Math.round(stallMs),
				'memory MB': Math.round(memory / 2 ** 20),
			},
		]),
	);
}

function say(text: string): void {
	const seconds = Math.round((Date.now() - started) / 1_000);
	const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
	console.log(`${clock.padStart(6)}  ${text}`);
}
