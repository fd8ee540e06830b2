/** The player takes the ways that docs/delivery.md tells people: each row of its table is played. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { wayIn } from '../harness/ways.mts';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/delivery.md'), 'utf8');
const [, section] = page.split('## How to recover');
const rows = section.match(/^\| .*\|$/gm)!.slice(2);

test('the table has at most eight rows, and the player takes each of them', () => {
	expect(rows.length).toBeLessThanOrEqual(8);
	const sentences = rows.flatMap((row) => [...row.split('|')[1].matchAll(/"([^"]+)"/g)]);
	const ways = sentences.map(([, sentence]) => wayIn(sentence));
	expect(ways).toEqual([
		...['retry', 'again', 'own', 'repeat', 'ask'],
		...['rows', 'rows', 'keys', 'otherKey'],
	]);
});

test('the page has at most 900 words', () => {
	const words = page.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/\||-{3,}/g, ' ');
	expect(words.match(/\S+/g)!.length).toBeLessThanOrEqual(900);
});
