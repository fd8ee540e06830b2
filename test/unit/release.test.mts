/** How the package is published: what n8n asks for, and nothing that could leak. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(root, path), 'utf8');
/** Without its comments. */
const readYaml = async (path: string) => (await read(path)).replaceAll(/^\s*#.*$\n?/gm, '');

test('a version tag publishes by trusted publishing, after all checks', async () => {
	const workflow = await readYaml('.github/workflows/publish.yml');
	expect(workflow).toMatch(/^on:\n {2}push:\n {4}tags:\n {6}- '\*\.\*\.\*'$/m);
	expect(workflow).toMatch(/uses: \.\/\.github\/workflows\/ci\.yml/);
	expect(workflow).toMatch(/^ {2}build:\n(?: {4}.*\n)*? {4}needs: check$/m);
});

test('one job has the token: it publishes a tarball that another one has built, and runs nothing else', async () => {
	const workflow = await readYaml('.github/workflows/publish.yml');
	const [before, publish] = workflow.split(/^ {2}publish:$/m);
	expect(before).not.toContain('id-token');
	expect(before).toMatch(/git merge-base --is-ancestor "\$GITHUB_SHA" origin\/main$/m);
	expect(before).toMatch(/^ {10}fetch-depth: 0$/m);
	expect(before).toMatch(/npm pack --ignore-scripts$/m);
	expect(publish).toMatch(/^ {4}needs: build$/m);
	expect(publish).toMatch(/^ {4}environment: npm$/m);
	expect(publish).toMatch(/^ {4}permissions:\n {6}id-token: write$/m);
	expect(publish).not.toMatch(/checkout|contents:/);
	expect([...publish.matchAll(/run: (.*)/g)].map(([, command]) => command)).toEqual([
		'npm publish ./*.tgz --provenance --access public --ignore-scripts',
	]);
});

test('no workflow holds a token, names a registry, or may write to the repository', async () => {
	for (const file of ['ci.yml', 'publish.yml']) {
		const workflow = await readYaml(`.github/workflows/${file}`);
		expect(workflow).not.toMatch(/secrets\.|token:(?! write)|_TOKEN|registry|npmjs/i);
		expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
		expect(workflow).not.toMatch(/contents: write|write-all|pull_request_target/);
		const checkouts = workflow.match(/actions\/checkout@/g) ?? [];
		const kept = workflow.match(/persist-credentials: false$/gm) ?? [];
		expect(kept).toHaveLength(checkouts.length);
	}
});

test('actions are pinned by commit: a tag can be moved', async () => {
	for (const file of ['ci.yml', 'publish.yml']) {
		const workflow = await readYaml(`.github/workflows/${file}`);
		const used = [...workflow.matchAll(/uses: (.*)/g)].map(([, action]) => action);
		expect(used.length).toBeGreaterThan(1);
		for (const action of used) {
			expect(action).toMatch(
				/^(actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/\.github\/workflows\/ci\.yml)$/,
			);
		}
	}
});

test('the image in which all checks run is pinned by digest, for each version of Node.js', async () => {
	const workflow = await readYaml('.github/workflows/ci.yml');
	expect(workflow.match(/container: .*/g)).toEqual(['container: ${{ matrix.image }}']);
	const versions = [...workflow.matchAll(/- node: (\d+)\n\s+image: (.*)/g)];
	expect(versions.map(([, node]) => node)).toEqual(['20', '24']);
	for (const [, node, image] of versions)
		expect(image).toMatch(new RegExp(`^node:${node}-bookworm@sha256:[0-9a-f]{64}$`));
});

test('the job that builds the tarball runs nothing that no hash is known of', async () => {
	const workflow = await readYaml('.github/workflows/publish.yml');
	expect(workflow).not.toMatch(/run: .*(\bnpx\b|\bnpm (ci|i|install|exec)\b)/);
	expect(workflow).toMatch(/run: corepack pnpm install --frozen-lockfile$/m);
	const { packageManager, devDependencies } = JSON.parse(await read('package.json'));
	const [, version, hash] = /^pnpm@(.*)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
	expect(version).toBe(devDependencies.pnpm);
	const integrity = `sha512-${Buffer.from(hash, 'hex').toString('base64')}`;
	const lock = await read('pnpm-lock.yaml');
	expect(lock).toContain(`  pnpm@${version}:\n    resolution: {integrity: ${integrity}}`);
});

test('every folder with a lock that still has updates gets them from the bot', async () => {
	const config = await readYaml('.github/dependabot.yml');
	const folders = [...config.matchAll(/directory: (\S+)/g)].map(([, folder]) => folder);
	const harness = ['n8n', 'n8n-1.123', 'scan', 'registry'].map(
		(folder) => `/test/harness/${folder}`,
	);
	expect(folders).toEqual(['/', ...harness, '/']);
	for (const folder of folders) {
		await expect(read(`.${folder}/pnpm-lock.yaml`)).resolves.toContain('lockfileVersion');
	}
});

test("n8n's lint is n8n's own, unchanged: n8n-node lint refuses any other", async () => {
	const template = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default';
	expect(await read('eslint.config.mjs')).toBe(await read(`${template}/eslint.config.mjs`));
	expect(JSON.parse(await read('package.json'))).toMatchObject({ n8n: { strict: true } });
});

test('the changelog begins with the version of package.json', async () => {
	const { version } = JSON.parse(await read('package.json'));
	const [, newest] = /^## (\S+)$/m.exec(await read('CHANGELOG.md')) ?? [];
	expect(newest).toBe(version);
});

test('each link to the repository is to the one that package.json names', async () => {
	const { homepage, bugs, repository } = JSON.parse(await read('package.json'));
	expect(repository.url).toBe(`git+${homepage}.git`);
	expect(bugs.url).toBe(`${homepage}/issues`);
	const files = (await Promise.all(['nodes', 'credentials'].map(filesIn))).flat();
	const links = (
		await Promise.all(
			files.map(
				async (file) => (await read(file)).match(/https:\/\/github\.com\/[^'"]*/g) ?? [],
			),
		)
	).flat();
	expect(links.length).toBeGreaterThan(7);
	expect(links.filter((link) => !/^[#/]|^$/.test(link.replace(homepage, '')))).toEqual([]);
});

async function filesIn(folder: string): Promise<string[]> {
	const names = await readdir(join(root, folder), { recursive: true });
	return names.filter((name) => /\.(ts|json)$/.test(name)).map((name) => `${folder}/${name}`);
}
