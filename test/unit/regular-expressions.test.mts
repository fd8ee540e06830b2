/** A text from outside stops n8n for no longer than it takes to read it: no regular expression is quadratic. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { growsWithSize } from '../harness/growth.mts';

const root = resolve(import.meta.dirname, '../..');
/** Characters of a text. A quadratic search of these takes 60 ms and more, and of 100 kB a second. */
const LONG = 25_600;

/** Each repetition makes some kind of search start over and over. */
const PARTS = [
	...' \n\u00a0\u200b\\/.,:-+*%&"«“’…([{<0aé😀',
	...['0 ', 'a ', 'a.', '-a', '0.', ' \n', '%25', '{{', '{{ $', '{a', '[a', '<a ', 'http://'],
	...['$json.', '["a"]', 'stop ', 'a@', '12/'],
];
/** Ends of the text at which a search that got far fails. */
const EDGES = ['', '\u0001', ' x'];

/** Files with patterns that are made of parts when they are loaded or used, and the tests that attack those. */
const BUILT = {
	'http/secret': 'http/secret',
	'service/characters': 'service/long-texts',
	'service/date': 'service/long-texts',
	'service/intent': 'service/intent',
	'service/links': 'service/long-texts',
	'service/number': 'service/long-texts',
	'service/phone': 'service/long-texts',
	'service/placeholders': 'service/long-texts',
	'service/unexpected': 'service/long-texts',
};

interface Found {
	file: string;
	line: number;
	source: string;
}

function* literalsOf(file: string): Generator<Found> {
	const text = readFileSync(join(root, file), 'utf8');
	const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const nodes: ts.Node[] = [parsed];
	for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
		if (ts.isRegularExpressionLiteral(node)) {
			const { line } = parsed.getLineAndCharacterOfPosition(node.getStart());
			yield { file, line: line + 1, source: node.text };
		}
		node.forEachChild((child) => void nodes.push(child));
	}
}

function compile(source: string): RegExp {
	const end = source.lastIndexOf('/');
	// One search is enough: after a match, the next one begins behind it.
	return new RegExp(source.slice(1, end), source.slice(end + 1).replace('g', ''));
}

/** The first hostile text on which a pattern stalls. */
function attack(pattern: RegExp): string | undefined {
	// A set of characters of the pattern itself gets further than any general text.
	const own = [...new Set(pattern.source.match(/[\p{L}\p{N} ]{2,}/gu) ?? [])].slice(0, 20);
	for (const part of [...PARTS, ...own]) {
		for (const edge of EDGES) {
			const search = (length: number) =>
				pattern.test(part.repeat(Math.ceil(length / part.length)) + edge);
			if (!growsWithSize(search, LONG)) return `${part} × n + ${JSON.stringify(edge)}`;
		}
	}
	return undefined;
}

const files = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true })
		.filter((name): name is string => typeof name === 'string' && name.endsWith('.ts'))
		.map((name) => join(folder, name)),
);
const found = files.flatMap((file) => [...literalsOf(file)]);

test('all of them are found', () => {
	expect(found.length).toBeGreaterThan(150);
});

describe.each(files.filter((file) => found.some((literal) => literal.file === file)))(
	'%s',
	(file) => {
		test.each(found.filter((literal) => literal.file === file))(
			'$line: $source',
			({ source }) => {
				expect(attack(compile(source))).toBeUndefined();
			},
		);
	},
);

test('those that are put together are known, and each has a test with long texts of its own', () => {
	const built = files.filter((file) =>
		readFileSync(join(root, file), 'utf8').includes('new RegExp('),
	);
	const folder = 'nodes/shared';
	expect(built.sort()).toEqual(
		Object.keys(BUILT)
			.map((file) => `${folder}/${file}.ts`)
			.sort(),
	);
	for (const [file, tested] of Object.entries(BUILT)) {
		const text = readFileSync(join(root, `test/unit/${tested}.test.mts`), 'utf8');
		expect(text, file).toMatch(/\.repeat\(/);
	}
});

test.each([
	['/^\\s*\\.{0,2}\\s*$/', true],
	['/\\/+$/', true],
	['/\\\\+u0026/', true],
	['/\\s+/', false],
	['/^[a-z]+$/', false],
])('the attack finds %s: %s', (source, isQuadratic) => {
	expect(attack(compile(source)) !== undefined).toBe(isQuadratic);
});
