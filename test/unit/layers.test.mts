/** Folders that may import one another, and the way of a message through the files, as docs/architecture.md has them. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const files = globSync('nodes/**/*.ts', { cwd: root });

/** Modules that a file imports: paths from the root for its own, names for others. */
function importsOf(file: string): string[] {
	const text = readFileSync(join(root, file), 'utf8');
	return [...text.matchAll(/^(?:import|export) [^;]*?from '([^']+)';/gm)].map(([, name]) =>
		name.startsWith('.') ? `${relative(root, resolve(root, dirname(file), name))}.ts` : name,
	);
}

/** Folders of `nodes/shared` that each of them may import, beside itself. */
const ALLOWED: Record<string, readonly string[]> = {
	service: [],
	http: ['service'],
	fields: ['service', 'http'],
	run: ['service', 'http', 'fields'],
	lookups: ['service', 'http', 'fields', 'run'],
};

describe('imports', () => {
	test.each(Object.entries(ALLOWED))(
		'shared/%s imports only %j and itself',
		(folder, allowed) => {
			const own = files.filter((file) => file.startsWith(`nodes/shared/${folder}/`));
			expect(own.length).toBeGreaterThan(3);
			const folders = [folder, ...allowed].map((each) => `nodes/shared/${each}/`);
			if (folder !== 'service') folders.push('nodes/shared/chunks.ts');
			if (folder === 'run') folders.push('nodes/shared/fingerprint.ts');
			const others = own.flatMap((file) =>
				importsOf(file)
					.filter((name) => name !== 'n8n-workflow')
					.filter((name) => !folders.some((each) => name.startsWith(each)))
					.map((name) => `${file} imports ${name}`),
			);
			expect(others).toEqual([]);
		},
	);

	test('a node imports only itself, what is shared, and n8n-workflow', () => {
		const own = files.filter((file) => /^nodes\/Sms\w*\//.test(file));
		expect(own.length).toBeGreaterThan(50);
		const others = own.flatMap((file) => {
			const folder = file.split('/').slice(0, 2).join('/');
			const allowed = [`${folder}/`, 'nodes/shared/', 'n8n-workflow'];
			return importsOf(file)
				.filter((name) => !allowed.some((each) => name.startsWith(each)))
				.map((name) => `${file} imports ${name}`);
		});
		expect(others).toEqual([]);
	});
});

test('no file of shared/run imports itself over others', () => {
	const own = files.filter((file) => file.startsWith('nodes/shared/run/'));
	const circles: string[] = [];
	const follow = (file: string, way: readonly string[]) => {
		for (const next of importsOf(file).filter((name) => own.includes(name))) {
			const at = way.indexOf(next);
			if (at < 0) follow(next, [...way, next]);
			else circles.push([...way.slice(at), next].join(' -> '));
		}
	};
	for (const file of own) follow(file, [file]);
	expect(circles).toEqual([]);
});

test('a message goes through the files that docs/architecture.md draws, at most 12', () => {
	const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
	const [, drawn] = /From the form to the wire: (.*?)\. Each/s.exec(page) ?? ['', ''];
	const stations = [...drawn.matchAll(/`([\w./]+\.ts)`/g)].map(([, file]) => `nodes/${file}`);
	expect(stations[0]).toBe('nodes/Sms/Sms.node.ts');
	expect(stations.at(-1)).toBe('nodes/shared/http/connection.ts');
	expect(stations.length).toBeLessThanOrEqual(12);
	for (const [index, file] of stations.slice(1).entries())
		expect(importsOf(stations[index])).toContain(file);
	// Only the last one has n8n's request helper.
	const callers = files.filter((file) =>
		readFileSync(join(root, file), 'utf8').includes('helpers.httpRequestWithAuthentication'),
	);
	expect(callers).toEqual(['nodes/shared/http/connection.ts']);
});
