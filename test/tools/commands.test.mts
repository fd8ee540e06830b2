/** The commands of package.json say how they are used before they install anything. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../..');
/** A clone, as far as these commands need it: nothing is installed there. */
const clone = mkdtempSync(join(tmpdir(), 'clone-'));
for (const path of ['package.json', 'test/tools', 'test/simulator'])
	cpSync(join(root, path), join(clone, path), { recursive: true });
afterAll(() => rmSync(clone, { recursive: true }));

const commands = Object.entries(manifest.scripts).filter(([, line]) => line.startsWith('node '));

describe.each(commands)('npm run %s', (name, line) => {
	const [, ...words] = line.split(' ');
	const run = (argument: string) =>
		spawnSync(process.execPath, [...words, argument], { cwd: clone, encoding: 'utf8' });

	test.each(['--help', '-h'])('%s tells how it is used', (help) => {
		const { status, stdout, stderr } = run(help);
		expect([status, stderr]).toEqual([0, '']);
		expect(stdout).toMatch(
			name === 'simulator' ? /--port <port>/ : /npm (run )?(demo|bench|pictures|test)/,
		);
		expect(readdirSync(clone).sort()).toEqual(['package.json', 'test']);
	});

	test('an option that it does not have is told in one line', () => {
		const { status, stdout, stderr } = run('--fast');
		expect([status, stdout]).toEqual([1, '']);
		expect(stderr).toBe("Unknown option '--fast'. All options: --help\n");
	});
});
