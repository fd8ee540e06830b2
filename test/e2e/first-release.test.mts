/** The first release as CONTRIBUTING.md has it, on a registry of our own: by a token, without provenance. */
import axios from 'axios';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packTarball, readManifest, root } from '../harness/package.mts';
import { freePort, Program } from '../harness/process.mts';

let folder: string;
let registry: Program;
let url: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registry-'));
	const port = await freePort();
	url = `http://127.0.0.1:${port}`;
	const config = {
		storage: join(folder, 'storage'),
		auth: { htpasswd: { file: join(folder, 'users'), max_users: 1 } },
		// It knows no other registry: what is installed from it was published to it.
		uplinks: {},
		packages: { '**': { access: '$all', publish: '$authenticated' } },
		log: { type: 'stdout', level: 'error' },
	};
	await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
	registry = await Program.start({
		command: join(root, 'test/harness/registry/node_modules/.bin/verdaccio'),
		args: ['--config', join(folder, 'config.yaml'), '--listen', url],
		folder,
		temporary: true,
		logFile: join(folder, 'registry.log'),
		env: process.env,
	});
	const isUp = async () =>
		await axios.get(`${url}/-/ping`, { proxy: false }).then(
			() => true,
			() => false,
		);
	await vi.waitUntil(isUp, { timeout: 60_000, interval: 200 });
	const user = { name: 'maintainer', password: 'only-for-this-test' };
	const { data } = await axios.put(`${url}/-/user/org.couchdb.user:maintainer`, user, {
		proxy: false,
	});
	const token = `//${new URL(url).host}/:_authToken=${data.token}\n`;
	await writeFile(join(folder, '.npmrc'), token);
});
afterAll(async () => {
	await registry?.end('SIGTERM');
	if (folder) await rm(folder, { recursive: true, force: true });
});

/** @returns what npm printed, and whether it ended well */
async function npm(at: string, ...args: string[]): Promise<{ succeeded: boolean; said: string }> {
	const env = {
		...process.env,
		...{ npm_config_userconfig: join(folder, '.npmrc'), npm_config_registry: url },
		// As on a developer's machine: CI signs provenance only with GitHub's token.
		...{ CI: '', GITHUB_ACTIONS: '' },
	};
	return await promisify(execFile)('npm', args, { cwd: at, env }).then(
		({ stdout, stderr }) => ({ succeeded: true, said: stdout + stderr }),
		({ stdout, stderr }) => ({ succeeded: false, said: `${stdout}${stderr}` }),
	);
}

test('the command of CONTRIBUTING.md publishes the tarball, and it can be installed from the registry', async () => {
	const { name, version, n8n } = await readManifest();
	const tarball = await packTarball();
	const contributing = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
	const [, flags] = /`npm publish \.\/n8n-nodes-sms-service-[\d.]+\.tgz (.+?)`/.exec(
		contributing,
	)!;

	// The provenance that package.json asks of later releases can't be had here.
	const signed = await npm(folder, 'publish', tarball, '--access', 'public');
	expect(signed).toMatchObject({ succeeded: false, said: expect.stringContaining('provenance') });

	const published = await npm(folder, 'publish', tarball, ...flags.split(' '));
	expect(published.said).toContain(`+ ${name}@${version}`);
	const { data } = await axios.get(`${url}/${name}`, { proxy: false });
	expect(data['dist-tags']).toEqual({ latest: version });
	expect(data.versions[version].dist).not.toHaveProperty('attestations');

	const clean = join(folder, 'clean');
	await mkdir(clean);
	await writeFile(join(clean, 'package.json'), '{ "private": true }');
	const installed = await npm(clean, 'install', '--legacy-peer-deps', `${name}@${version}`);
	expect(installed).toMatchObject({ succeeded: true });
	for (const file of [...n8n.nodes, ...n8n.credentials]) {
		expect(existsSync(join(clean, 'node_modules', name, file)), file).toBe(true);
	}

	// A version is published once.
	expect(await npm(folder, 'publish', tarball, ...flags.split(' '))).toMatchObject({
		succeeded: false,
	});
});

test("n8n's guard refuses a publication from the folder, and not one of a tarball", async () => {
	const { RELEASE_MODE: _, ...env } = process.env;
	const guard = promisify(execFile)('npm', ['run', 'prepublishOnly'], { cwd: root, env });
	await expect(guard).rejects.toMatchObject({ stdout: expect.stringContaining('run release') });
});
