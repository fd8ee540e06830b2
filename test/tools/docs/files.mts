/** The files that the lint of the docs reads, by their paths in the project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../harness/package.mts';

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
export const exists = (path: string): boolean => existsSync(join(root, path));

/** @returns the files of a folder and its folders, or the file itself, whose names end like this */
export function filesIn(place: string, ending: RegExp): string[] {
	const files = place.includes('.')
		? [place]
		: readdirSync(join(root, place), { recursive: true }).map((file) => `${place}/${file}`);
	return files.filter((file) => ending.test(file)).sort();
}

/** What users read. */
export const userPages = ['README.md', ...filesIn('docs', /\.md$/)];
/** All that somebody reads. */
export const allPages = [
	...readdirSync(root).filter((file) => file.endsWith('.md')),
	...filesIn('docs', /\.md$/),
	'test/simulator/README.md',
];
/** What users see in the editor is written here. */
export const sources = filesIn('nodes', /\.ts$/);

/** @returns what the first group of a pattern finds */
export const found = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map(([, first]) => first.replaceAll(/\s+/g, ' '));

/** @returns the part of a page under a heading */
export function sectionOf(page: string, heading: string): string {
	const [, section] = read(page).split(`\n## ${heading}\n`);
	if (section === undefined) throw new Error(`${page} has no section '${heading}'`);
	return section.split('\n## ')[0];
}
