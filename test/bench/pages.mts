/** What the measurements look like in the documentation: tables, plots, and where they go. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../harness/package.mts';
import { barChart } from './bars.mts';
import { type CaseName, type Cell, concurrencyOf } from './plan.mts';
import { type Measured, type Results, type Row, summarize } from './results.mts';

const OWN: readonly CaseName[] = ['send', 'sendBatch', 'category', 'onceKey', 'onceKeyAgain'];
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

/** The tables of all comparisons, and what they come to. */
export function benchmarks(results: Results): string {
	const { date, machine, node, n8n, cells } = results;
	return [
		`Measured on ${date}: n8n ${n8n}, Node.js ${node}, ${machine}.`,
		'## In short',
		table(
			['What', 'Aim', 'Measured'],
			aims(results).map(({ what, aim, found }) => [what, aim, found]),
		),
		...PLOTS.map(({ file, title }) => `![${title}](${file.replace('docs/', '')})`),
		'## All figures',
		...cells.flatMap((measured) => [
			`### ${headingOf(measured.cell)}`,
			tableOf(measured),
			...Object.entries(measured.failures).map(
				([name, message]) => `${name} failed: ${message}`,
			),
		]),
	].join('\n\n');
}

/** How far one n8n goes: what it takes for how many messages. */
export function scaling(results: Results): string {
	const rows = results.cells.flatMap((measured) => {
		const { cell } = measured;
		if (cell.engine !== 'vm' || cell.items < 1_000 || cell.expressions !== 2) return [];
		return summarize(measured)
			.filter(({ name }) => name === 'sendBatch' || name === 'onceKey')
			.filter(({ name }) => cell.fresh !== true || name === 'onceKey')
			.map(({ name, wallMs, stallMs, memory }) => [
				number(cell.items),
				name === 'onceKey' ? 'with Once Key' : 'plain',
				`${cell.latency} ms`,
				String(concurrencyOf(cell)),
				time(wallMs),
				number(Math.round(cell.items / (wallMs / 1_000))),
				time(stallMs),
				cell.fresh ? megabytes(memory) : '',
			]);
	});
	return [
		`Send Batch with two expressions (with _Once Key_: three), n8n ${results.n8n}, ${results.machine}, ${results.date}:`,
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

interface Aim {
	what: string;
	aim: string;
	found: string;
}

function aims({ cells }: Results): Aim[] {
	const rowOf = (match: Partial<Cell>, name: CaseName): Row | undefined => {
		const measured = cells.find(
			({ cell, samples }) =>
				Object.entries({ engine: 'vm', expressions: 2, ...match }).every(
					([key, value]) => cell[key as keyof Cell] === value,
				) && samples[name] !== undefined,
		);
		return measured && summarize(measured).find((row) => row.name === name);
	};
	const ratio = (own: CaseName, peer: CaseName, of: 'wallMs' | 'cpuMs') => (items: number) => {
		const [first, second] = [own, peer].map((name) => rowOf({ items, latency: 20 }, name));
		return first && second ? `${(first[of] / second[of]).toFixed(2)} ×` : '–';
	};
	const both = (own: CaseName, peer: CaseName) =>
		[1_000, 10_000]
			.map((items) => {
				const [wall, cpu] = [ratio(own, peer, 'wallMs'), ratio(own, peer, 'cpuMs')];
				return `${number(items)} items: time ${wall(items)}, CPU ${cpu(items)}`;
			})
			.join('; ');
	const faster = (own: CaseName) => {
		const [mine, twilio] = [own, 'twilio' as const].map((name) =>
			rowOf({ items: 1_000, latency: 20 }, name),
		);
		return mine && twilio ? `${(twilio.wallMs / mine.wallMs).toFixed(1)} ×` : '–';
	};
	const stall = (name: CaseName) => {
		const row = rowOf({ items: 10_000, latency: 20 }, name);
		return row ? `${row.title} ${time(row.stallMs)}` : '–';
	};
	const [plain, keyed] = (['category', 'onceKey'] as const).map((name) =>
		rowOf({ items: 10_000 }, name),
	);
	const large = rowOf({ items: 50_000, fresh: true }, 'onceKey');
	return [
		{
			what: 'Send Batch, beside HTTP Request',
			aim: '≤ 0.5 ×',
			found: both('sendBatch', 'httpRequest'),
		},
		{ what: 'Send, beside HTTP Request', aim: '≤ 1.2 ×', found: both('send', 'httpRequest') },
		{
			what: 'Send, beside the declarative twin',
			aim: '≤ 0.8 ×',
			found: both('send', 'twin'),
		},
		{
			what: 'Faster than Twilio, 1,000 items, 20 ms',
			aim: '≥ 5 ×',
			found: `Send Batch ${faster('sendBatch')}, Send ${faster('send')}`,
		},
		{
			what: 'Longest stall of n8n, 10,000 items',
			aim: '< 150 ms',
			found: (['sendBatch', 'send', 'onceKey', 'httpRequest', 'twin'] as const)
				.map(stall)
				.join(', '),
		},
		{
			what: 'Once keys, 10,000 items, as many expressions',
			aim: '< 15 %',
			found:
				plain && keyed
					? `time ${percent(keyed.wallMs / plain.wallMs)}, CPU ${percent(keyed.cpuMs / plain.cpuMs)}`
					: '–',
		},
		{
			what: '50,000 messages with once keys: memory',
			aim: '< 1 GB above the idle n8n',
			found: large ? megabytes(large.memory) : '–',
		},
	];
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
		note: 'The service answers after 20 ms; two expressions each. Shorter is better.',
		match: { items: 1_000, latency: 20 },
		value: ({ wallMs }) => wallMs,
		text: time,
	},
	{
		file: 'docs/images/benchmark-10000.svg',
		title: 'Time for 10,000 messages',
		note: 'The service answers after 20 ms; two expressions each. Shorter is better.',
		match: { items: 10_000, latency: 20 },
		value: ({ wallMs }) => wallMs,
		text: time,
	},
	{
		file: 'docs/images/benchmark-cpu.svg',
		title: 'CPU time per message',
		note: 'Of 1,000, the service answers after 20 ms; two expressions each. Shorter is better.',
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
					cell.expressions === 2 &&
					cell.items === match.items &&
					cell.latency === match.latency &&
					samples.twin !== undefined,
			);
			if (measured === undefined) return [];
			const bars = summarize(measured)
				.filter(({ name }) => name !== 'client' || !nodesOnly)
				.map((row) => ({
					label: row.title,
					value: value(row),
					text: text(value(row)),
					isOwn: OWN.includes(row.name),
				}));
			return [[file, barChart(title, note, bars)]];
		}),
	);
}

function headingOf({ engine, expressions, items, latency, fresh }: Cell): string {
	return [
		`${number(items)} ${items === 1 ? 'item' : 'items'}`,
		expressions === 1 ? 'one expression' : 'two expressions',
		`${latency} ms`,
		`engine ${engine}`,
		...(fresh ? ['each in a new n8n'] : []),
	].join(', ');
}

function tableOf(measured: Measured): string {
	const { cell } = measured;
	const rows = summarize(measured).map(
		({ title, name, runs, wallMs, cpuPerItem, stallMs, memory }) => [
			title,
			String(runs),
			time(wallMs),
			`${cpuPerItem.toFixed(2)} ms`,
			name === 'client' ? '' : time(stallMs),
			...(cell.fresh ? [megabytes(memory)] : []),
		],
	);
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

function number(value: number): string {
	return value.toLocaleString('en');
}

function megabytes(bytes: number): string {
	return `${number(Math.round(bytes / 2 ** 20))} MB`;
}

function percent(ratio: number): string {
	return `${ratio >= 1 ? '+' : '−'}${Math.abs((ratio - 1) * 100).toFixed(0)} %`;
}
