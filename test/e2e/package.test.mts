/** The published package: the contents of the tarball, and the verdict of n8n's scanner. */
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packTarball, root } from '../harness/package.mts';

/** All that a user downloads, and all that it becomes: 60,000 and 340,000 are the library of phone numbers. */
const MOST_PACKED_BYTES = 285_000;
const MOST_UNPACKED_BYTES = 1_300_000;

let folder: string;
let tarball: string;
/** The unpacked package. */
let unpacked: string;
let contents: string[];

beforeAll(async () => {
	tarball = await packTarball();
	folder = await mkdtemp(join(tmpdir(), 'published-'));
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder]);
	unpacked = join(folder, 'package');
	contents = await filesIn(unpacked);
});
afterAll(async () => {
	if (folder) await rm(folder, { recursive: true, force: true });
});

/** @returns the files of a folder and its folders, by their paths in it, sorted */
async function filesIn(folder: string, under = folder): Promise<string[]> {
	const entries = await readdir(under, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
		.sort();
}

const read = (path: string) => readFile(join(unpacked, path), 'utf8');
const code = () => contents.filter((path) => path.endsWith('.js'));

describe('the tarball', () => {
	test('holds the compiled sources, icons, codex files and schemas, and nothing else', async () => {
		const sources = [
			...(await filesIn(root, join(root, 'credentials'))),
			...(await filesIn(root, join(root, 'nodes'))),
		];
		const expected = [
			'LICENSE.md',
			'README.md',
			'package.json',
			...sources.map((path) => `dist/${path.replace(/(\.d)?\.ts$/, '.js')}`),
			'dist/nodes/shared/service/vendor/libphonenumber.LICENSE.txt',
		];
		expect(contents).toEqual(expected.sort());
	});

	test('is small', async () => {
		expect((await stat(tarball)).size).toBeLessThan(MOST_PACKED_BYTES);
		const sizes = contents.map(async (path) => (await stat(join(unpacked, path))).size);
		const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
		expect(total).toBeLessThan(MOST_UNPACKED_BYTES);
	});

	test('needs n8n-workflow and itself, no other package and no module of Node.js', async () => {
		const { dependencies, optionalDependencies, bundledDependencies, peerDependencies } =
			JSON.parse(await read('package.json'));
		expect([dependencies, optionalDependencies, bundledDependencies]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const needed = new Set<string>();
		for (const path of code()) {
			const required = (await read(path)).matchAll(
				/\b(?:require|import)\(["'`]([^"'`]+)["'`]\)/g,
			);
			for (const [, name] of required) if (!name.startsWith('.')) needed.add(name);
		}
		expect([...needed]).toEqual(['n8n-workflow']);
	});

	test('has the library of phone numbers, readable and as it is published, with its license', async () => {
		const folder = 'dist/nodes/shared/service/vendor';
		const library = join(root, 'node_modules/libphonenumber-js');
		const published = (path: string) => readFile(join(library, path), 'utf8');
		expect(await read(`${folder}/libphonenumber.LICENSE.txt`)).toBe(await published('LICENSE'));
		const bundle = await read(`${folder}/libphonenumber.js`);
		const modules = [
			...bundle.matchAll(
				/^'\.\/([^']+)': function \(module, exports, require\) \{\n(.*?)\n\},$/gms,
			),
		].slice(1);
		expect(modules.length).toBeGreaterThan(30);
		// All that differs: from where modules are named, and that there are no maps.
		const bare = (code: string) =>
			code
				.replaceAll(
					/require\(["'][./]*(.*?)["']\)/g,
					(_, path) => `require(${path.split('/').at(-1)})`,
				)
				.replace(/^\/\/# sourceMappingURL=.*$/gm, '')
				.trim();
		for (const [, path, code] of modules) {
			const own = await published(path);
			expect(bare(code), path).toBe(
				path.endsWith('.json') ? `module.exports = ${own.trim()};` : bare(own),
			);
		}
		const { version } = JSON.parse(await published('package.json'));
		expect(bundle.split('\n')[0]).toContain(`libphonenumber-js ${version}, MIT`);
	});

	test('runs no script on the machine that installs it', async () => {
		const { scripts } = JSON.parse(await read('package.json'));
		const onInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
		expect(Object.keys(scripts).filter((name) => onInstall.includes(name))).toEqual([]);
	});

	test('says what n8n, npm and people ask of it', async () => {
		const manifest = JSON.parse(await read('package.json'));
		expect(manifest).toMatchObject({
			name: 'n8n-nodes-sms-service',
			license: 'MIT',
			n8n: { n8nNodesApiVersion: 1, strict: true },
			publishConfig: { access: 'public', provenance: true },
		});
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.engines.node).toBe('>=20');
		const home = manifest.homepage;
		expect(manifest.repository.url).toBe(`git+${home}.git`);
		expect(manifest.bugs.url).toBe(`${home}/issues`);
		for (const path of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
			expect(contents).toContain(path);
		}
		expect(await read('LICENSE.md')).toContain('MIT License');
	});

	test('names no machine and no registry', async () => {
		for (const path of contents) {
			expect(await read(path), path).not.toMatch(
				/\/(?:home|root|Users|work|tmp)\/|registry\.npmjs|sourceMappingURL/,
			);
		}
	});
});

describe("n8n's scanner", () => {
	interface ScanResult {
		passed: boolean;
		message?: string;
		details?: string;
	}
	let analyzePackage: (folder: string, patterns: string[]) => Promise<ScanResult>;
	let sourcePatterns: string[];
	/** Files that the scanner reads of a published package. */
	const publishedPatterns = ['**/*.js', 'package.json'];

	beforeAll(async () => {
		// Where this says "test", the rules take each file for a node (they do so in their own tests).
		vi.stubEnv('NODE_ENV', 'production');
		const path =
			'test/harness/scan/node_modules/@n8n/scan-community-package/scanner/scanner.mjs';
		const scanner = await import(join(root, path));
		({ analyzePackage, SOURCE_FILE_PATTERNS: sourcePatterns } = scanner);
	});

	afterAll(() => void vi.unstubAllEnvs());

	// Its command line ends with 0 whatever it finds, so its result is read.
	test('passes the sources', async () => {
		expect(sourcePatterns).toContain('package.json');
		expect(await analyzePackage(root, sourcePatterns)).toEqual({ passed: true });
	});

	test('passes the tarball', async () => {
		expect(await analyzePackage(unpacked, publishedPatterns)).toEqual({ passed: true });
	});

	test('would not pass what its rules forbid', async () => {
		const forbidden: Array<[line: string, rule: RegExp]> = [
			['console.log("here");', /no-console/],
			['module.exports = eval("1");', /no-dangerous-functions/],
			['require("node:fs");', /no-restricted-imports/],
		];
		const copy = join(folder, 'changed');
		await cp(unpacked, copy, { recursive: true });
		const lines = forbidden.map(([line]) => line).join('\n');
		await appendFile(join(copy, 'dist/nodes/Sms/Sms.node.js'), `\n${lines}\n`);
		const { passed, details } = await analyzePackage(copy, publishedPatterns);
		expect(passed).toBe(false);
		for (const [, rule] of forbidden) expect(details).toMatch(rule);
	});
});
