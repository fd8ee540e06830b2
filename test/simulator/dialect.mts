/**
 * How the service speaks where the interface document is silent: every "not shown" with the answers
 * that it might have, the simulator's own first.
 */
import type { Answer } from './endpoints.mts';

export const DIALECTS = {
	/** Which path deletes a contact by number: interface document 4.5 shows both. */
	deletePath: ['both', 'contacts', 'contact'],
	/** Line breaks in a message: accepted, or not (8). */
	lineBreaks: [true, false],
	/** Reading `identifier` and `tag` as `number` and `category` in a send (4.3). */
	legacyFieldNames: [true, false],
	/** A number that is in the list or blacklist: refused with code 15, or accepted once more. */
	duplicates: ['refuse', 'accept'],
	/** The id of a column: its reference (`nom_de_famille`), or digits that say nothing (2.3). */
	fieldIds: ['reference', 'opaque'],
	/** Stats and replies of the whole account without a category. */
	withoutCategory: [true, false],
	/**
	 * How the numbers of contacts, blacklist entries and status queries are compared: both formats of
	 * one are the same, or they are kept as written and only the same text is found.
	 */
	numbers: ['number', 'text'],
	/** Stats, replies and blacklists of a category without messages (4.4). `empty`: {}, [] and {}. */
	unknownCategory: ['zeros', 'code16', 'notFound', 'empty'],
	/** The status where there is no message: code 16, a 404 that says so, 200 [], 200 {} (4.4). */
	noMessage: ['code16', 'notFound', 'list', 'object'],
	/** A category's blacklist with nothing on it: in the answer, or left out (2.11). */
	blacklistKeys: ['both', 'filled'],
	/** The letters of a message's state (3). */
	states: ['lower', 'upper'],
	/** IDs as texts, as JSON numbers, and both beyond what a JavaScript number can hold (2). */
	ids: ['text', 'number', 'longText', 'longNumber'],
	/** Counters, credits and times as JSON numbers or as texts (2). */
	counters: ['number', 'text'],
	/** Error bodies (7): {code, error}, or {status, error}, a web page, nothing. */
	errors: ['codes', 'statuses', 'html', 'empty'],
	/** The slash at the end of /v2/lists/ (4.5), of fields and campaigns. */
	slashes: ['optional', 'required', 'refused'],
	/** The answer to a deletion: 204 (4.5), or 200 with nothing, or with {}. */
	deletion: ['noContent', 'nothing', 'object'],
	/** Whose time the Date header has: the service's, that of a gateway with a right clock, none. */
	dateHeader: ['service', 'gateway', 'none'],
} as const;

/** One answer to each open point. */
export type Dialect = {
	-readonly [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name][number];
};

/** The simulator's own dialect. */
export function defaultDialect(): Dialect {
	return Object.fromEntries(
		Object.entries(DIALECTS).map(([name, [first]]) => [name, first]),
	) as Dialect;
}

/** Every dialect that differs from the simulator's own in one point, with a name. */
export function singleDialects(): Array<[name: string, dialect: Partial<Dialect>]> {
	return Object.entries(DIALECTS).flatMap(([name, [, ...others]]) =>
		others.map((value): [string, Partial<Dialect>] => [
			`${name} ${String(value)}`,
			{ [name]: value },
		]),
	);
}

/**
 * Dialects in which every two answers to two open points meet at least once: the same ones each time, the simulator's own
 * first.
 */
export function pairwiseDialects(): Dialect[] {
	const points: Readonly<Record<string, readonly unknown[]>> = DIALECTS;
	const names = Object.keys(points);
	const sizes = names.map((name) => points[name].length);
	const key = (a: number, i: number, b: number, j: number) =>
		a < b ? `${a}.${i}-${b}.${j}` : `${b}.${j}-${a}.${i}`;
	const missing = new Set<string>();
	for (const [a, sizeOfA] of sizes.entries()) {
		for (let b = a + 1; b < sizes.length; b++) {
			for (let i = 0; i < sizeOfA; i++) {
				for (let j = 0; j < sizes[b]; j++) missing.add(key(a, i, b, j));
			}
		}
	}
	const chosen: number[][] = [];
	function take(row: number[]): void {
		chosen.push(row);
		for (let a = 0; a < row.length; a++) {
			for (let b = a + 1; b < row.length; b++) missing.delete(key(a, row[a], b, row[b]));
		}
	}
	take(names.map(() => 0));
	while (missing.size > 0) {
		// A row starts with a pair that is missing, and each further value meets most that are.
		const [[a, i], [b, j]] = [...missing][0]
			.split('-')
			.map((one) => one.split('.').map(Number));
		const row = names.map((_, at) => (at === a ? i : at === b ? j : -1));
		for (const [at, size] of sizes.entries()) {
			if (row[at] >= 0) continue;
			const gain = (value: number) =>
				row.filter((other, b) => other >= 0 && missing.has(key(at, value, b, other)))
					.length;
			const values = Array.from({ length: size }, (_, value) => value);
			row[at] = values.reduce((best, value) => (gain(value) > gain(best) ? value : best));
		}
		take(row);
	}
	return chosen.map(
		(row) =>
			Object.fromEntries(names.map((name, at) => [name, points[name][row[at]]])) as Dialect,
	);
}

const ID_FIELDS = /"(id|listId|campaignId|snapshotId)":"(\d+)"/g;

/** An answer of the service in a dialect: its IDs and numbers, and what a deletion says. */
export function inDialect(answer: Answer, dialect: Dialect): Answer {
	if (answer.status === 204) return deletionIn(dialect);
	const asTexts = dialect.counters === 'text';
	const asNumbers = dialect.ids === 'number' || dialect.ids === 'longNumber';
	if (!asTexts && !asNumbers) return answer;
	const { json, chunks, ...rest } = answer;
	if (json === undefined && chunks === undefined) return answer;
	let text = chunks ? Buffer.concat(chunks).toString('utf8') : JSON.stringify(json);
	if (asTexts) text = JSON.stringify(JSON.parse(text), numbersAsTexts);
	// In the text, because a JavaScript number could not hold them.
	if (asNumbers) text = text.replace(ID_FIELDS, '"$1":$2');
	return { ...rest, chunks: [Buffer.from(text)] };
}

function deletionIn({ deletion }: Dialect): Answer {
	switch (deletion) {
		case 'noContent':
			return { status: 204 };
		case 'nothing':
			return { status: 200 };
		case 'object':
			return { status: 200, json: {} };
	}
}

function numbersAsTexts(_key: string, value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}
