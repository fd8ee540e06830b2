import type { CategoryCounter, CategoryStatistics } from '../shared/service/statistics';

/**
 * What becomes of messages, each step after the one before. Openers and clickers are recipients,
 * not opens and clicks. A reply is no step: it needs no click, nor an opened link.
 */
const FUNNEL: Array<{ counter: CategoryCounter; name: string }> = [
	{ counter: 'sent', name: 'Sent' },
	{ counter: 'delivered', name: 'Delivered' },
	{ counter: 'openers', name: 'Opened' },
	{ counter: 'clickers', name: 'Clicked' },
];

/**
 * The other counters; those that count messages or recipients are shown as a share of the sent too.
 * `timespent` is left out: nobody knows its unit.
 */
const OTHERS: Array<{ counter: CategoryCounter; name: string; isShare: boolean }> = [
	{ counter: 'replies', name: 'Replies', isShare: true },
	{ counter: 'submitted', name: 'Submitted', isShare: true },
	{ counter: 'bounced', name: 'Bounced (unassigned numbers)', isShare: true },
	{ counter: 'errors', name: 'Errors', isShare: true },
	{ counter: 'unsubscribers', name: 'Unsubscribed (STOP)', isShare: true },
	{ counter: 'complaint', name: 'Complaints', isShare: true },
	{ counter: 'opens', name: 'Opens, in all', isShare: false },
	{ counter: 'clicks', name: 'Clicks, in all', isShare: false },
];

const UNKNOWN = '–';
/** On one line, with a space that doesn't break. */
const OF_SENT = 'Of\u00a0sent';

/**
 * The statistics of a category as a web page of its own: no script, nothing loaded from elsewhere.
 *
 * @param category name of the category; shown as it is
 * @param statistics counters that are missing are shown as not reported
 * @param timeZone IANA name of the zone in which the date is written
 */
export function reportHtml(
	category: string,
	statistics: CategoryStatistics,
	date: Date,
	timeZone: string,
): string {
	const written = new Intl.DateTimeFormat('en-GB', {
		dateStyle: 'long',
		timeStyle: 'short',
		timeZone,
	}).format(date);
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(category)}: SMS statistics</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<p class="kind">SMS statistics</p>
<h1><bdi>${escapeHtml(category)}</bdi></h1>
<p class="date">As of <time datetime="${date.toISOString()}">${escapeHtml(written)}</time> (${escapeHtml(timeZone)})</p>
</header>
<section class="card">
${funnelSvg(statistics)}
</section>
<section class="card">
${funnelTable(statistics)}
</section>
${othersTable(statistics)}
</main>
</body>
</html>
`;
}

/** A name for the file that every mail program and file system takes. */
export function reportFileName(category: string): string {
	const plain = category
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.slice(0, 60)
		.replace(/^-|-$/g, '');
	return `sms-report${plain === '' ? '' : `-${plain}`}.html`;
}

/**
 * A share in percent. What is not nothing is never shown as 0%, and what is not all never as 100%.
 *
 * @returns a dash where there is no share: nothing to be a share of, or a count that is missing
 */
export function percent(part: number | undefined, whole: number | undefined): string {
	if (part === undefined || whole === undefined || whole <= 0) return UNKNOWN;
	const share = (part / whole) * 100;
	if (share > 0 && share < 0.1) return '<0.1%';
	if (share > 99.9 && share < 100) return '>99.9%';
	return `${count(Math.round(share * 10) / 10)}%`;
}

const WIDTH = 360;
const ROW = 64;
const BAR = 44;
/** The part of the width in which the bars are; names are on its left, shares on its right. */
const BARS = { left: 104, right: 292 };
const MIDDLE = (BARS.left + BARS.right) / 2;
/** Width of the line that stands for a count of 0, or for a part too small to be seen. */
const LEAST = 2;

function funnelSvg(statistics: CategoryStatistics): string {
	const most = Math.max(0, ...FUNNEL.map(({ counter }) => statistics[counter] ?? 0));
	const rows = FUNNEL.map(({ counter, name }, index) => {
		const value = statistics[counter];
		const part = most > 0 ? Math.max(0, value ?? 0) / most : 0;
		const half = Math.max(LEAST, part * (BARS.right - BARS.left)) / 2;
		return { name, value, half, top: index * ROW };
	});
	const links = rows.slice(1).map(({ half, top, value }, index) => {
		const above = rows[index];
		if (value === undefined || above.value === undefined) return '';
		const corners = [
			[MIDDLE - above.half, above.top + BAR],
			[MIDDLE + above.half, above.top + BAR],
			[MIDDLE + half, top],
			[MIDDLE - half, top],
		];
		return `<polygon class="link" points="${corners.map((xy) => xy.map(round).join(',')).join(' ')}"/>`;
	});
	const bars = rows.map(({ name, value, half, top }) => {
		const bar =
			value === undefined
				? ''
				: `<rect class="bar" x="${round(MIDDLE - half)}" y="${top}" width="${round(half * 2)}" height="${BAR}" rx="${Math.min(4, half)}"/>`;
		return `<g>
<text class="name" x="0" y="${top + 19}">${name}</text>
<text class="count" x="0" y="${top + 37}">${escapeHtml(count(value))}</text>
${bar}
<text class="share" x="${WIDTH}" y="${top + 28}">${escapeHtml(percent(value, statistics.sent))}</text>
</g>`;
	});
	const told = rows.map(({ name, value }) => `${name}: ${count(value)}`);
	const height = (FUNNEL.length - 1) * ROW + BAR;
	return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="funnel-title funnel-text">
<title id="funnel-title">From sent to clicked</title>
<desc id="funnel-text">${escapeHtml(told.join('. '))}.</desc>
${[...links, ...bars].filter(Boolean).join('\n')}
</svg>`;
}

function funnelTable(statistics: CategoryStatistics): string {
	const rows = FUNNEL.map(({ counter, name }, index) => {
		const value = statistics[counter];
		const before = index === 0 ? undefined : statistics[FUNNEL[index - 1].counter];
		return row(name, value, percent(value, statistics.sent), percent(value, before));
	});
	return table(['Step', 'Count', OF_SENT, 'Of step before'], rows);
}

function othersTable(statistics: CategoryStatistics): string {
	const rows = OTHERS.filter(({ counter }) => statistics[counter] !== undefined).map(
		({ counter, name, isShare }) => {
			const value = statistics[counter];
			return row(name, value, isShare ? percent(value, statistics.sent) : '');
		},
	);
	if (rows.length === 0) return '';
	return `<section class="card">
${table(['Also', 'Count', OF_SENT], rows)}
</section>`;
}

function table(heads: string[], rows: string[]): string {
	const cells = heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('');
	return `<table>
<thead><tr>${cells}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

function row(name: string, value: number | undefined, ...shares: string[]): string {
	const cells = [count(value), ...shares].map((text) => `<td>${escapeHtml(text)}</td>`).join('');
	return `<tr><th scope="row">${escapeHtml(name)}</th>${cells}</tr>`;
}

function count(value: number | undefined): string {
	return value === undefined ? 'not reported' : value.toLocaleString('en-US');
}

function round(value: number): number {
	return Math.round(value * 100) / 100;
}

/** Text for between tags and between double quotes. */
function escapeHtml(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #ffffff; --text: #1a1d23; --quiet: #5b6370; --line: #e3e6ea; --bar: #2563eb; --link: #c7d7fa; }
@media (prefers-color-scheme: dark) {
:root { --page: #14161a; --card: #1e2127; --text: #eceef2; --quiet: #a3abb8; --line: #333842; --bar: #6ea0ff; --link: #2c3d63; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 24px 16px 40px; }
.kind, .date { margin: 0; color: var(--quiet); font-size: 14px; }
h1 { margin: 2px 0; font-size: 26px; line-height: 1.2; overflow-wrap: anywhere; }
.card { margin-top: 16px; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
svg { display: block; width: 100%; max-width: 440px; height: auto; margin: 0 auto; }
svg text { fill: var(--text); font-size: 15px; }
svg .name { font-weight: 600; }
svg .count { fill: var(--quiet); font-size: 14px; }
svg .share { text-anchor: end; font-weight: 600; }
.bar { fill: var(--bar); }
.link { fill: var(--link); }
table { width: 100%; border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 0 7px 10px; text-align: right; vertical-align: top; }
th:first-child { padding-left: 0; text-align: left; }
thead th { color: var(--quiet); font-weight: 500; }
tbody th { font-weight: 500; }
tbody tr { border-top: 1px solid var(--line); }
@media print { body { background: none; } .card { break-inside: avoid; } }
`;
