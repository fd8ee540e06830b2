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
	expect(workflow).toMatch(/^ {4}needs: check$/m);
	expect(workflow).toMatch(/^ {6}id-token: write$/m);
	expect(workflow).toMatch(/run: npm run release$/m);
});

test('no workflow holds a token, names a registry, or may write to the repository', async () => {
	for (const file of ['ci.yml', 'publish.yml']) {
		const workflow = await readYaml(`.github/workflows/${file}`);
		expect(workflow).not.toMatch(/secrets\.|token:(?! write)|_TOKEN|registry|npmjs/i);
		expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
		expect(workflow).not.toMatch(/contents: write|write-all|pull_request_target/);
		for (const [, action] of workflow.matchAll(/uses: (\S+)/g)) {
			expect(action).toMatch(/^(actions\/[a-z-]+@v\d+|\.\/\.github\/workflows\/ci\.yml)$/);
		}
	}
});

test('every folder with a lock that still has updates gets them from the bot', async () => {
	const config = await readYaml('.github/dependabot.yml');
	const folders = [...config.matchAll(/directory: (\S+)/g)].map(([, folder]) => folder);
	const harness = ['n8n', 'n8n-1.123', 'scan'].map((folder) => `/test/harness/${folder}`);
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
