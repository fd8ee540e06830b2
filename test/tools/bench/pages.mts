/** What the measurements look like in words, in the documentation and in the terminal: texts, tables, plots. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../../harness/package.mts';
import { barChart } from './bars.mts';
import { type CaseName, type Cell, type Fields, OWN } from './plan.mts';
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
	contactAdd: 'Add Contact',
	blacklistAdd: 'Add Number to Blacklist',
	listCreate: 'Create List',
	listGet: 'Get List',
	campaignCreate: 'Create Campaign',
	httpRequest: 'HTTP Request',
	twilio: 'Twilio',
	client: 'Bare Node client',
};

const FIELDS: Readonly<Record<Fields, string>> = {
	one: 'one plain',
	two: 'two plain',
	three: 'three plain',
	evaluated: 'two evaluated',
};

const PAGE = 'docs/benchmarks.md';
const BEGIN = '<!-- measured -->';
const END = '<!-- /measured -->';

/**
 * Writes the figures into the page, between the marks, and the plots beside it.
 *
 * @returns the files, from the project's folder
 */
export async function writePage(results: Results): Promise<string[]> {
	const path = join(root, PAGE);
	const page = replaceMeasured(await readFile(path, 'utf8'), benchmarks(results));
	const style = await resolveConfig(path);
	await writeFile(path, await format(page, { ...style, filepath: path }));
	const drawn = plots(results);
	for (const [file, svg] of Object.entries(drawn)) await writeFile(join(root, file), svg);
	return [PAGE, ...Object.keys(drawn)];
}

/** @throws {Error} for a page without the two marks */
export function replaceMeasured(page: string, text: string): string {
	const begin = page.indexOf(BEGIN);
	const end = page.indexOf(END);
	if (begin === -1 || end < begin) throw new Error(`There is no ${BEGIN} … ${END}`);
	return `${page.slice(0, begin + BEGIN.length)}\n\n${text.trim()}\n\n${page.slice(end)}`;
}

/** Tables of times, of what else was measured, and at the end of missed targets; plots of CPU time and stalls. */
export function benchmarks(results: Results): string {
	const { date, machine, node, n8n, cells } = results;
	return [
		`Measured on ${date}: n8n ${n8n}, Node.js ${node}, ${machine}. Seconds for all items:`,
		table(
			['Items, fields, answer', ...COLUMNS.map((name) => TITLES[name])],
			cells.filter(isInTable).map(timesOf),
		),
		'In a series of its own, with a once key, and other operations (memory: how far an n8n grew that was started for this run):',
		table(['Items, answer', 'Operation', 'Seconds', 'Memory'], cells.flatMap(moreOf)),
		...cells.flatMap(failuresOf),
		...PLOTS.map(({ file, title }) => `![${title}](${file.replace('docs/', '')})`),
		...missedTargets(cells),
	].join('\n\n');
}

const COLUMNS = ['send', 'sendBatch', 'httpRequest', 'twilio', 'client'] as const;

function isInTable({ cell: { fresh, runs } }: Measured): boolean {
	return fresh !== true && 'send' in runs;
}

function timesOf(measured: Measured): string[] {
	const { engine, fields, items, latency } = measured.cell;
	const rows = summarize(measured);
	const times = COLUMNS.map((column) => {
		const row = rows.find(({ name }) => name === column);
		return row === undefined ? '' : seconds(row.wallMs);
	});
	const fewer = engine === 'vm' ? [] : [engine];
	return [[number(items), FIELDS[fields], `${latency} ms`, ...fewer].join(', '), ...times];
}

function missedTargets(cells: readonly Measured[]): string[] {
	const measured = TARGETS.filter((target) => judge(target, cells).isMet !== undefined);
	const missed = measured.filter((target) => judge(target, cells).isMet === false);
	const met = `${measured.length - missed.length} of ${measured.length} targets of the project are met`;
	if (missed.length === 0) return [`${met}.`];
	const rows = missed.map((target) => wordsOf(target, cells));
	return [
		`${met} (0.24 × is 24 % of the time). The others:`,
		table(
			['Missed', 'Measured', 'Target'],
			rows.map(({ what, found, limit }) => [what, found, limit.replace('target ', '')]),
		),
	];
}

/** Once keys, other operations, and how far n8n's process grows where it was started for the run. */
function moreOf(measured: Measured): string[][] {
	const { cell } = measured;
	if (!cell.fresh && !('keyedAgain' in cell.runs) && !('contactAdd' in cell.runs)) return [];
	return summarize(measured).map(({ name, wallMs, memory }) => [
		`${number(cell.items)}, ${cell.latency} ms`,
		TITLES[name],
		seconds(wallMs),
		cell.fresh ? megabytes(memory) : '',
	]);
}

/** The targets that these comparisons measure, a line each, for the terminal. */
export function targetLines(cells: readonly Measured[], targets = TARGETS): string[] {
	return targets
		.filter((target) => cells.some(({ cell }) => isAbout(target, cell)))
		.map((target) => {
			const { what, found, limit, verdict } = wordsOf(target, cells);
			return `${what}: ${found} (${limit}${verdict === '' ? '' : `, ${verdict}`})`;
		});
}

/** A target and what it comes to, in words. */
function wordsOf(target: Target, cells: readonly Measured[]) {
	const { own, at, limit } = target;
	const peer = target.kind === 'stall' ? '' : TITLES[target.peer];
	const { value, isMet } = judge(target, cells);
	const items = `${count(at.items)}, ${at.latency} ms`;
	const [what, sign, text] = {
		ratio: [`time beside ${peer}`, '≤', (ratio: number) => `${ratio.toFixed(2)} ×`],
		speed: [`times as fast as ${peer}`, '≥', (times: number) => `${times.toFixed(1)} ×`],
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

/** A comparison, as `1,000 items, fields: two plain, 20 ms, engine vm`. */
export function headingOf({ engine, fields, items, latency, runs, fresh }: Cell): string {
	return [
		count(items),
		'contactAdd' in runs ? 'other operations' : `fields: ${FIELDS[fields]}`,
		`${latency} ms`,
		`engine ${engine}`,
		...(fresh ? ['each in a new n8n'] : []),
	].join(', ');
}

/** One run, for the terminal. */
export function sampleLine(name: CaseName, { wallMs, cpuMs, stallMs }: Sample): string {
	return `${TITLES[name]}: ${time(wallMs)}, CPU ${time(cpuMs)}, stall ${time(stallMs)}`;
}

function table(head: readonly string[], rows: readonly string[][]): string {
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Seconds with as many digits as another run would give again. */
function seconds(milliseconds: number): string {
	return String(Number((milliseconds / 1_000).toPrecision(2)));
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
