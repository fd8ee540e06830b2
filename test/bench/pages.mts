/** What the measurements look like in words, in the documentation and in the terminal: texts, tables, plots. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../harness/package.mts';
import { barChart } from './bars.mts';
import { type CaseName, type Cell, concurrencyOf, type Fields, OWN } from './plan.mts';
import { type Measured, type Results, type Row, summarize } from './results.mts';
import type { Sample } from './rig.mts';
import { isAbout, judge, type Target, TARGETS } from './targets.mts';

/** What the cases are called. */
export const TITLES: Readonly<Record<CaseName, string>> = {
	send: 'Send SMS',
	sendBatch: 'Send SMS in Batch',
	sendKeyed: 'Send SMS, Once Key',
	batchKeyed: 'Send SMS in Batch, Once Key',
	keyedAgain: 'The same keys again: all skipped',
	contactAdd: 'SMS Contact: Add',
	blacklistAdd: 'SMS Blacklist: Add',
	listCreate: 'SMS List: Create',
	listGet: 'SMS List: Get',
	campaignCreate: 'SMS Campaign: Create',
	httpRequest: 'HTTP Request',
	twilio: 'Twilio',
	client: 'Bare Node client',
};

const FIELDS: Readonly<Record<Fields, string>> = {
	one: 'one plain field',
	two: 'two plain fields',
	three: 'three plain fields in the message',
	evaluated: 'two expressions for n8n to evaluate',
};

const BEGIN = '<!-- measured -->';
const END = '<!-- /measured -->';

/**
 * Writes the figures into the pages, between the marks, and the plots beside them.
 *
 * @returns the files, from the project's folder
 */
export async function writePages(results: Results): Promise<string[]> {
	const texts = {
		'docs/benchmarks.md': benchmarks(results),
		'docs/scaling.md': scaling(results),
	};
	for (const [file, text] of Object.entries(texts)) {
		const path = join(root, file);
		const page = replaceMeasured(await readFile(path, 'utf8'), text);
		const style = await resolveConfig(path);
		await writeFile(path, await format(page, { ...style, filepath: path }));
	}
	const drawn = plots(results);
	for (const [file, svg] of Object.entries(drawn)) await writeFile(join(root, file), svg);
	return [...Object.keys(texts), ...Object.keys(drawn)];
}

/** @throws {Error} for a page without the two marks */
export function replaceMeasured(page: string, text: string): string {
	const begin = page.indexOf(BEGIN);
	const end = page.indexOf(END);
	if (begin === -1 || end < begin) throw new Error(`There is no ${BEGIN} … ${END}`);
	return `${page.slice(0, begin + BEGIN.length)}\n\n${text.trim()}\n\n${page.slice(end)}`;
}

/** The targets, and the tables of all comparisons. */
export function benchmarks(results: Results): string {
	const { date, machine, node, n8n, cells } = results;
	return [
		`Measured on ${date}: n8n ${n8n}, Node.js ${node}, ${machine}.`,
		'## Targets',
		table(
			['', 'Measured', '', ''],
			TARGETS.map((target) => {
				const { what, found, limit, verdict } = wordsOf(target, cells);
				return [what, found, limit, verdict];
			}),
		),
		...PLOTS.map(({ file, title }) => `![${title}](${file.replace('docs/', '')})`),
		'## All figures',
		...cells.flatMap((measured) => [
			`### ${headingOf(measured.cell)}`,
			tableOf(measured),
			...failuresOf(measured),
		]),
	].join('\n\n');
}

/** How far one n8n goes: what it takes for how many messages. */
export function scaling(results: Results): string {
	const rows = results.cells.flatMap((measured) => {
		const { cell } = measured;
		if (cell.engine !== 'vm' || cell.items < 1_000 || cell.fields !== 'two') return [];
		return summarize(measured)
			.filter(({ name }) => name === 'sendBatch' || name === 'batchKeyed')
			.filter(({ name }) => cell.fresh !== true || name === 'batchKeyed')
			.map(({ name, wallMs, stallMs, memory }) => [
				number(cell.items),
				name === 'batchKeyed' ? 'with Once Key' : 'plain',
				`${cell.latency} ms`,
				String(concurrencyOf(cell)),
				time(wallMs),
				number(Math.round(cell.items / (wallMs / 1_000))),
				time(stallMs),
				cell.fresh ? megabytes(memory) : '',
			]);
	});
	return [
		`Send SMS in Batch with two plain fields, n8n ${results.n8n}, ${results.machine}, ${results.date}:`,
		table(
			[
				'Messages',
				'',
				'The service answers after',
				'_Concurrency_',
				'Time',
				'Messages per second',
				'Longest stall',
				'Memory',
			],
			rows,
		),
	].join('\n\n');
}

/** The targets that these comparisons measure, a line each, for the terminal. */
export function targetLines(cells: readonly Measured[]): string[] {
	return TARGETS.filter((target) => cells.some(({ cell }) => isAbout(target, cell))).map(
		(target) => {
			const { what, found, limit, verdict } = wordsOf(target, cells);
			return `${what}: ${found} (${limit}${verdict === '' ? '' : `, ${verdict}`})`;
		},
	);
}

/** A target and what it comes to, in words. */
function wordsOf(target: Target, cells: readonly Measured[]) {
	const { own, at, limit } = target;
	const { value, isMet } = judge(target, cells);
	const items = `${count(at.items)}, ${at.latency} ms`;
	const [what, sign, text] = {
		ratio: ['time beside HTTP Request', '≤', (ratio: number) => `${ratio.toFixed(2)} ×`],
		speed: ['times as fast as Twilio', '≥', (times: number) => `${times.toFixed(1)} ×`],
		stall: ['longest stall', '<', (ms: number) => `${number(ms)} ms`],
	}[target.kind] as [string, string, (value: number) => string];
	return {
		what: `${TITLES[own]}, ${items}: ${what}`,
		found: value === undefined ? 'not measured' : text(value),
		limit: `target ${sign} ${text(limit)}`,
		verdict: isMet === undefined ? '' : isMet ? 'met' : 'missed',
	};
}

/** Why a case of a comparison has no figures. */
function failuresOf({ failures }: Measured): string[] {
	return (Object.entries(failures) as Array<[CaseName, string]>).map(
		([name, message]) => `${TITLES[name]} failed: ${message}`,
	);
}

interface Plot {
	file: string;
	title: string;
	note: string;
	match: Pick<Cell, 'items' | 'latency'>;
	value: (row: Row) => number;
	text: (value: number) => string;
	nodesOnly?: true;
}

const PLOTS: readonly Plot[] = [
	{
		file: 'docs/images/benchmark-1000.svg',
		title: 'Time for 1,000 messages',
		note: 'The service answers after 20 ms; two plain fields each. Shorter is better.',
		match: { items: 1_000, latency: 20 },
		value: ({ wallMs }) => wallMs,
		text: time,
	},
	{
		file: 'docs/images/benchmark-10000.svg',
		title: 'Time for 10,000 messages',
		note: 'The service answers after 20 ms; two plain fields each. Shorter is better.',
		match: { items: 10_000, latency: 20 },
		value: ({ wallMs }) => wallMs,
		text: time,
	},
	{
		file: 'docs/images/benchmark-cpu.svg',
		title: 'CPU time per message',
		note: 'Of 1,000, the service answers after 20 ms; two plain fields each. Shorter is better.',
		match: { items: 1_000, latency: 20 },
		value: ({ cpuPerItem }) => cpuPerItem,
		text: (value) => `${value.toFixed(2)} ms`,
	},
	{
		file: 'docs/images/benchmark-stall.svg',
		title: 'Longest time in which n8n answered nobody',
		note: 'While 10,000 messages were sent; the service answers after 20 ms. Shorter is better.',
		match: { items: 10_000, latency: 20 },
		value: ({ stallMs }) => stallMs,
		text: time,
		nodesOnly: true,
	},
];

function plots({ cells }: Results): Record<string, string> {
	return Object.fromEntries(
		PLOTS.flatMap(({ file, title, note, match, value, text, nodesOnly }) => {
			const measured = cells.find(
				({ cell, samples }) =>
					cell.engine === 'vm' &&
					cell.fields === 'two' &&
					cell.items === match.items &&
					cell.latency === match.latency &&
					samples.httpRequest !== undefined,
			);
			if (measured === undefined) return [];
			const bars = summarize(measured)
				.filter(({ name }) => name !== 'client' || !nodesOnly)
				.map((row) => ({
					label: TITLES[row.name],
					value: value(row),
					text: text(value(row)),
					isOwn: isOwn(row.name),
				}));
			return [[file, barChart(title, note, bars)]];
		}),
	);
}

function isOwn(name: CaseName): boolean {
	return (OWN as readonly CaseName[]).includes(name);
}

/** A comparison, as `1,000 items, two plain fields, 20 ms, engine vm`. */
export function headingOf({ engine, fields, items, latency, runs, fresh }: Cell): string {
	return [
		count(items),
		'contactAdd' in runs ? 'other operations' : FIELDS[fields],
		`${latency} ms`,
		`engine ${engine}`,
		...(fresh ? ['each in a new n8n'] : []),
	].join(', ');
}

/** One run, for the terminal. */
export function sampleLine(name: CaseName, { wallMs, cpuMs, stallMs }: Sample): string {
	return `${TITLES[name]}: ${time(wallMs)}, CPU ${time(cpuMs)}, stall ${time(stallMs)}`;
}

function tableOf(measured: Measured): string {
	const { cell } = measured;
	const rows = summarize(measured).map(({ name, runs, wallMs, cpuPerItem, stallMs, memory }) => [
		TITLES[name],
		String(runs),
		time(wallMs),
		`${cpuPerItem.toFixed(2)} ms`,
		name === 'client' ? '' : time(stallMs),
		...(cell.fresh ? [megabytes(memory)] : []),
	]);
	const heads = ['', 'Runs', 'Time', 'CPU per item', 'Longest stall'];
	return table(cell.fresh ? [...heads, 'Memory above idle'] : heads, rows);
}

function table(head: readonly string[], rows: readonly string[][]): string {
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A duration, as people read it. */
export function time(milliseconds: number): string {
	if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
	const seconds = milliseconds / 1_000;
	return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

function count(items: number): string {
	return `${number(items)} ${items === 1 ? 'item' : 'items'}`;
}

function number(value: number): string {
	return value.toLocaleString('en');
}

function megabytes(bytes: number): string {
	return `${number(Math.round(bytes / 2 ** 20))} MB`;
}
