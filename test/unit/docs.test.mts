/** What the docs point to is there: links, their sections, tests, commands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = [
	...readdirSync(root).filter((file) => file.endsWith('.md')),
	...readdirSync(join(root, 'docs'), { recursive: true })
		.map((file) => `docs/${String(file)}`)
		.filter((file) => file.endsWith('.md')),
	'test/simulator/README.md',
];
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** The sections of a page, as GitHub names them in links. */
const sectionsOf = (page: string) =>
	[...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
		title
			.toLowerCase()
			.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);

describe.each(pages)('%s', (page) => {
	const text = read(page);

	test('links to what there is', () => {
		const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
			.map(([, target]) => target)
			.filter((target) => !/^(https?|mailto):/.test(target));
		for (const target of targets) {
			const [path, section] = target.split('#');
			const file = path === '' ? page : join(dirname(page), path);
			expect(existsSync(join(root, file)), target).toBe(true);
			if (section !== undefined) expect(sectionsOf(file), target).toContain(section);
		}
	});

	test('names files, folders and commands that there are', () => {
		const files = text.match(/`(?:test|nodes|docs|workflows|credentials|\.github)\/[\w./-]*`/g);
		for (const name of files ?? []) {
			expect(existsSync(join(root, name.slice(1, -1))), name).toBe(true);
		}
		const { scripts } = JSON.parse(read('package.json'));
		for (const [, script] of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
			expect(Object.keys(scripts)).toContain(script);
		}
		const steps = ['all', 'lint', 'types', 'build', 'unit', 'engine', 'e2e', 'long'];
		for (const [, step] of text.matchAll(/\bnpm test -- (\w+)/g)) {
			expect(steps).toContain(step);
		}
	});
});

test('each picture is on a page', () => {
	const pictures = readdirSync(join(root, 'docs/images'), { recursive: true })
		.map(String)
		.filter((file) => file.endsWith('.png'));
	const shown = pages.flatMap((page) =>
		[...read(page).matchAll(/!\[[^\]]+\]\((?:docs\/)?images\/([^)]+)\)/g)].map(
			([, file]) => file,
		),
	);
	expect(pictures.length).toBeGreaterThan(20);
	expect(pictures.filter((file) => !shown.includes(file))).toEqual([]);
});

test('the README names the versions of n8n that the tests run on, exactly', () => {
	const harness = join(root, 'test/harness');
	const locked = readdirSync(harness)
		.filter(
			(folder) =>
				folder.startsWith('n8n') && existsSync(join(harness, folder, 'pnpm-lock.yaml')),
		)
		.map((folder) => {
			const [, version] = /^  n8n@(\d+\.\d+\.\d+):$/m.exec(
				read(`test/harness/${folder}/pnpm-lock.yaml`),
			)!;
			return version;
		});
	const [, compatibility] = /^## Compatibility\n([^#]*)/m.exec(read('README.md'))!;
	const named = compatibility.match(/\b\d+\.\d+\.\d+\b/g);
	expect(locked.length).toBeGreaterThan(0);
	expect(named?.sort()).toEqual(locked.sort());
});
