import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
	cp,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rename,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The project's folder. */
export const root = resolve(import.meta.dirname, '../..');

/** Paths that have no part in the package: the tests, build and install folders, notes that npm leaves out. */
const outside = new Set([
	'node_modules',
	'dist',
	'test',
	'test-results',
	'docs',
	'workflows',
	'CHANGELOG.md',
	'CONTRIBUTING.md',
	'SECURITY.md',
]);

export interface PackageManifest {
	name: string;
	version: string;
	author?: { name?: string; email?: string };
	n8n: { nodes: string[]; credentials: string[] };
}

/** @returns the project's package.json */
export async function readManifest(): Promise<PackageManifest> {
	return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
}

/**
 * Builds the package with its own build script and packs it with `npm pack`, in a copy of the sources,
 * so that a build in the project's folder at the same time does no harm. The result is kept until a
 * source file changes.
 *
 * @returns the tarball's absolute path
 * @throws {Error} when the build fails or the tarball lacks a file that package.json names
 */
export async function packTarball(): Promise<string> {
	const sources = await sourceFiles();
	const hash = createHash('sha256').update(process.version);
	for (const file of sources) {
		hash.update(`\0${file}\0`).update(await readFile(join(root, file)));
	}
	const cache = join(root, 'node_modules/.cache/tarballs');
	const tarball = join(cache, `${hash.digest('hex').slice(0, 20)}.tgz`);
	if (existsSync(tarball)) return tarball;

	const folder = await mkdtemp(join(tmpdir(), 'package-'));
	try {
		for (const file of sources) await cp(join(root, file), join(folder, file));
		await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
		await npm(folder, 'run', 'build');
		const [packed] = JSON.parse(await npm(folder, 'pack', '--json')) as [
			{ filename: string; files: Array<{ path: string }> },
		];
		const { n8n } = await readManifest();
		const contents = new Set(packed.files.map((file) => file.path));
		const missing = [...n8n.nodes, ...n8n.credentials].filter((file) => !contents.has(file));
		if (missing.length > 0) throw new Error(`The tarball lacks ${missing.join(', ')}`);
		await mkdir(cache, { recursive: true });
		await rename(join(folder, packed.filename), tarball).catch(
			// The temporary folder may be on another disk.
			() => cp(join(folder, packed.filename), tarball),
		);
		return tarball;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * Installs a tarball the way that n8n installs a community package (`downloadPackage` in its
 * community-packages service): unpacked under `.n8n/nodes/node_modules`, without the dependencies
 * that only development needs, and named in `.n8n/nodes/package.json`.
 *
 * @param userFolder n8n's user folder (`N8N_USER_FOLDER`)
 * @param tarball path of an `npm pack` tarball
 */
export async function installTarball(userFolder: string, tarball: string): Promise<void> {
	const nodesFolder = join(userFolder, '.n8n/nodes');
	const { name } = await readManifest();
	const packageFolder = join(nodesFolder, 'node_modules', name);
	await rm(packageFolder, { recursive: true, force: true });
	await mkdir(packageFolder, { recursive: true });
	await execute('tar', ['-xzf', tarball, '-C', packageFolder, '--strip-components=1']);

	const manifestPath = join(packageFolder, 'package.json');
	const { devDependencies, peerDependencies, optionalDependencies, ...manifest } = JSON.parse(
		await readFile(manifestPath, 'utf8'),
	);
	await writeFile(manifestPath, JSON.stringify(manifest, null, 2));
	const installed = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [name]: manifest.version },
	};
	await writeFile(join(nodesFolder, 'package.json'), JSON.stringify(installed, null, 2));
}

/** @returns the files that the package is made of, relative to the project's folder, sorted */
async function sourceFiles(): Promise<string[]> {
	const files: string[] = [];
	for (const top of await readdir(root, { withFileTypes: true })) {
		if (outside.has(top.name) || top.name.startsWith('.')) continue;
		if (top.isFile()) files.push(top.name);
		if (!top.isDirectory()) continue;
		const inside = await readdir(join(root, top.name), {
			recursive: true,
			withFileTypes: true,
		});
		for (const entry of inside) {
			if (entry.isFile()) files.push(relative(root, join(entry.parentPath, entry.name)));
		}
	}
	return files.sort();
}

async function npm(folder: string, ...args: string[]): Promise<string> {
	const path = [
		dirname(process.execPath),
		join(root, 'node_modules/.bin'),
		process.env.PATH ?? '',
	].join(delimiter);
	try {
		const { stdout } = await execute('npm', args, {
			cwd: folder,
			env: { ...process.env, PATH: path },
			maxBuffer: 2 ** 26,
		});
		return stdout;
	} catch (error) {
		const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
		throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
	}
}
