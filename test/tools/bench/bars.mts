/** Bar plots as SVG, readable in light and dark. Pure. */

export interface Bar {
	label: string;
	/** At least 0. */
	value: number;
	/** What is written behind the bar, such as `1.2 s`. */
	text: string;
	/** Set apart from the others by its colour. */
	isOwn: boolean;
}

const WIDTH = 760;
const LABELS = 200;
/** Left free behind the longest bar, for its text. */
const TEXT = 100;
const ROW = 30;
const TOP = 64;
const BOTTOM = 16;

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
};

/**
 * Horizontal bars from zero, one below the other.
 *
 * @param title what is shown
 * @param note under which conditions, and in which direction it is better
 * @returns an SVG document; its colours follow the colour scheme of who looks at it
 */
export function barChart(title: string, note: string, bars: readonly Bar[]): string {
	const height = TOP + ROW * bars.length + BOTTOM;
	const longest = Math.max(0, ...bars.map(({ value }) => value));
	const scale = longest > 0 ? (WIDTH - LABELS - TEXT) / longest : 0;
	const described = bars.map(({ label, text }) => `${label} ${text}`).join(', ');
	const rows = bars.flatMap(({ label, value, text, isOwn }, index) => {
		const middle = TOP + ROW * index + ROW / 2;
		const length = round(Math.max(value * scale, 1));
		return [
			`<text x="${LABELS - 12}" y="${middle + 5}" text-anchor="end">${escape(label)}</text>`,
			`<rect class="${isOwn ? 'own' : 'peer'}" x="${LABELS}" y="${middle - 9}" width="${length}" height="18" rx="2"/>`,
			`<text x="${round(LABELS + length + 8)}" y="${middle + 5}">${escape(text)}</text>`,
		];
	});
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(`${title}: ${described}`)}">`,
		'<style>',
		'text { font: 14px system-ui, sans-serif; fill: #1f2328 }',
		'.title { font-weight: 600; font-size: 16px }',
		'.note { fill: #59636e }',
		'.own { fill: #d9482b }',
		'.peer { fill: #818b98 }',
		'@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .note { fill: #9198a1 } .own { fill: #ff7a5c } .peer { fill: #656c76 } }',
		'</style>',
		`<text class="title" x="0" y="20">${escape(title)}</text>`,
		`<text class="note" x="0" y="42">${escape(note)}</text>`,
		...rows,
		'</svg>',
		'',
	].join('\n');
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

function escape(text: string): string {
	return text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
}
