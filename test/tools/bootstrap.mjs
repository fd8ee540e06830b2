/**
 * Installs what the demo and the tests need, when it is missing or out of date. Starts on Node 20 or
 * newer on a clean clone, with nothing installed: only Node's own modules may be imported here.
 */
import { createHash } from 'node:crypto';
import {
	closeSync,
	existsSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	unlinkSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './processes.mjs';

/** The project's folder. */
export const root = resolve(
	import.meta.dirname ?? dirname(new URL(import.meta.url).pathname),
	'../..',
);

const scannerFolder = join(root, 'test/harness/scan');
const registryFolder = join(root, 'test/harness/registry');
const nodeMajor = Number(process.versions.node.split('.')[0]);

/**
 * The Node 24 that n8n and the tests run on: this one if it is a 24, else the one among the
 * development tools. Not a newer one: n8n's isolated-vm has binaries for certain versions only.
 */
const node24 = () =>
	nodeMajor === 24 ? process.execPath : join(root, 'node_modules/node/bin/node');

/** The environment in which `node` is Node 24 and the development tools are on the PATH. */
export const environment = () => ({
	...process.env,
	PATH: [dirname(node24()), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
});

/**
 * The versions of n8n that there is a lock for, newest first. Each is a folder of test/harness with a
 * package.json, a lock and the pins of its own.
 */
export const n8nFolders = ['n8n', 'n8n-2.0', 'n8n-1.123'];

/**
 * Installs the development tools and, on request, full n8ns, n8n's scanner of packages and a registry.
 *
 * @param {{ n8n?: string[], scanner?: boolean, registry?: boolean }} [options] `n8n`: these of `n8nFolders` too
 * @throws {Error} with a message for the user when something can't be installed
 */
export async function bootstrap({ n8n = [], scanner = false, registry = false } = {}) {
	if (process.platform === 'win32') {
		throw new Error('This runs on Linux and macOS. On Windows, use WSL.');
	}
	if (nodeMajor < 20) {
		throw new Error(`Node.js 20 or newer is needed; this is ${process.version}.`);
	}
	await install({
		folder: root,
		title: 'development tools',
		isComplete: async () => existsSync(node24()),
		incomplete: 'The npm package "node" did not install its Node.js 24 for this platform.',
	});
	if (scanner) {
		await install({
			folder: scannerFolder,
			title: "n8n's scanner of packages",
			isComplete: async () =>
				existsSync(join(scannerFolder, 'node_modules/@n8n/scan-community-package')),
			incomplete: 'The npm package "@n8n/scan-community-package" was not installed.',
		});
	}
	if (registry) {
		await install({
			folder: registryFolder,
			title: 'a registry of packages',
			isComplete: async () => existsSync(join(registryFolder, 'node_modules/verdaccio')),
			incomplete: 'The npm package "verdaccio" was not installed.',
		});
	}
	for (const name of n8n) {
		const folder = join(root, 'test/harness', name);
		const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
		await install({
			folder,
			title: `n8n ${dependencies.n8n}, about 2 GB`,
			isComplete: () => loadsSqlite(folder),
			incomplete: 'n8n needs sqlite3, and its native module does not load.',
		});
	}
}

/**
 * Runs a TypeScript program on Node 24 in the terminal.
 *
 * @param {string} script path from the project's folder
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function runOnNode24(script, args) {
	const endWithParent = join(root, 'test/tools/end-with-parent.mjs');
	return await run(node24(), ['--import', endWithParent, join(root, script), ...args], {
		cwd: root,
		env: environment(),
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		graceMs: 40_000,
	});
}

/**
 * Installs one folder's locked dependencies with pnpm, unless its stamp says that it has been done.
 *
 * @param {{ folder: string, title: string, isComplete: () => Promise<boolean>, incomplete: string }} target
 */
async function install({ folder, title, isComplete, incomplete }) {
	const stamp = join(folder, 'node_modules/.installed');
	const wanted = fingerprint(folder);
	const isStamped = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
	if (isStamped()) return;

	const release = await lock(folder);
	try {
		if (isStamped()) return;
		const progress = new Progress(`Installing ${title}`);
		let output = await pnpmInstall(folder, progress);
		// Seen on a busy machine: pnpm reads a file before it has put it there. Again goes well.
		if (output.code !== 0 && !advice(output)) output = await pnpmInstall(folder, progress);
		if (output.code === 0 && (await isComplete())) {
			writeFileSync(stamp, wanted);
			progress.end('done');
			return;
		}
		progress.end('failed');
		const log = join(mkdtempSync(join(tmpdir(), 'install-')), 'install.log');
		writeFileSync(log, output.lines.join('\n') + '\n');
		const reason = output.code === 0 ? incomplete : output.lines.slice(-25).join('\n');
		const whatToDo = advice(output) ?? 'Run the command again to resume.';
		throw new Error(`${reason}\n\n${whatToDo}\nThe whole log: ${log}`);
	} finally {
		release();
	}
}

/**
 * Runs pnpm. Its own output (hundreds of warnings about n8n's peers) is kept from the terminal.
 *
 * @returns {Promise<{ code: number, lines: string[] }>} what a person would want to read of it
 */
async function pnpmInstall(folder, progress) {
	const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies
		.pnpm;
	const installed = join(root, 'node_modules/pnpm');
	const isInstalled =
		existsSync(join(installed, 'package.json')) &&
		JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version === version;
	const [command, ...prefix] = isInstalled
		? [process.execPath, join(installed, 'bin/pnpm.cjs')]
		: ['npx', '--yes', `pnpm@${version}`];

	const lines = [];
	let total = 0;
	let imported = 0;
	const onEvent = (event) => {
		if (event.name === 'pnpm:stats' && event.added) total = event.added;
		else if (event.name === 'pnpm:progress' && event.status === 'imported') imported++;
		else if (event.name === 'pnpm:lifecycle') {
			if (event.line !== undefined) lines.push(event.line);
			else if (event.script) {
				const name = event.depPath.split('node_modules/').at(-1);
				lines.push(`${name}: ${event.script}`);
				progress.say(`running the install script of ${name}, up to 3 minutes`);
			}
		} else if (event.level === 'error') {
			lines.push(event.err?.message ?? event.message ?? JSON.stringify(event));
		}
		if (event.name === 'pnpm:progress' && total > 0) {
			progress.say(`${Math.min(imported, total)} of ${total} packages`);
		}
	};
	const args = ['install', '--frozen-lockfile', '--reporter=ndjson'];
	const code = await run(command, [...prefix, ...args, '--config.confirmModulesPurge=false'], {
		cwd: folder,
		onLine: (line) => {
			try {
				onEvent(JSON.parse(line));
			} catch {
				lines.push(line);
			}
		},
	});
	return { code, lines };
}

/** What the installed packages depend on: what is asked for, the lock, pnpm's settings, the platform. */
function fingerprint(folder) {
	const { dependencies, devDependencies, peerDependencies } = JSON.parse(
		readFileSync(join(folder, 'package.json'), 'utf8'),
	);
	const hash = createHash('sha256');
	hash.update(JSON.stringify({ dependencies, devDependencies, peerDependencies }));
	for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
		hash.update(readFileSync(join(folder, file)));
	}
	hash.update(`${process.platform} ${process.arch}`);
	return hash.digest('hex');
}

/** Whether the database driver that n8n uses by default loads in Node 24. */
async function loadsSqlite(folder) {
	const script = `const { createRequire } = require('node:module');
		const n8n = require('node:fs').realpathSync('node_modules/n8n/package.json');
		createRequire(n8n)('sqlite3');`;
	const quiet = { cwd: folder, onLine: () => {} };
	return (await run(node24(), ['-e', script], quiet)) === 0;
}

/** @returns {string | undefined} what the user can do about a failed install, if its cause is known */
function advice({ lines }) {
	const log = lines.join('\n');
	const causes = [
		[
			/gyp ERR!|not found: make|make: not found|find Python/,
			'A compiler is missing: sqlite3 is built from source here, with python3, make and g++.\n' +
				'Debian and Ubuntu: sudo apt-get install python3 make g++ · macOS: xcode-select --install',
		],
		[
			/ENOSPC/,
			'The disk is full: n8n takes about 2 GB, and pnpm keeps its packages for later.',
		],
		[
			/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ERR_PNPM_FETCH|ERR_PNPM_META_FETCH/,
			'The npm registry was not reached. Check the network and the proxy settings, and try again.',
		],
		[
			/ERR_PNPM_OUTDATED_LOCKFILE|lockfile .*not up to date/i,
			'pnpm-lock.yaml does not match package.json: run "npx pnpm@10 install" and commit the lock.',
		],
	];
	return causes.find(([pattern]) => pattern.test(log))?.[1];
}

/**
 * Keeps two programs from installing into one folder at the same time.
 *
 * @returns {Promise<() => void>} gives the folder free again
 */
async function lock(folder) {
	const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
	const path = join(tmpdir(), `n8n-nodes-sms-service-${name}.lock`);
	let told = false;
	for (;;) {
		try {
			const file = openSync(path, 'wx');
			writeSync(file, String(process.pid));
			closeSync(file);
			return () => rmSync(path, { force: true });
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
		const owner = lockOwner(path);
		if (owner === undefined) {
			// Its owner was killed before it could give the folder free.
			if (existsSync(path)) unlinkSync(path);
			continue;
		}
		if (!told) console.log(`Waiting for another installation (process ${owner}) to end …`);
		told = true;
		await sleep(500);
	}
}

/** @returns {number | undefined} the living process that holds the lock */
function lockOwner(path) {
	try {
		const owner = Number(readFileSync(path, 'utf8'));
		process.kill(owner, 0);
		return owner;
	} catch (error) {
		return error.code === 'EPERM' ? Number(readFileSync(path, 'utf8')) : undefined;
	}
}

/** A line in the terminal that says how far a long step is; a line every ten seconds elsewhere. */
class Progress {
	#title;
	#detail = '';
	#started = Date.now();
	#timer;

	constructor(title) {
		this.#title = title;
		if (process.stdout.isTTY) {
			this.#timer = setInterval(() => process.stdout.write(`\r\x1b[K${this.#line()}`), 200);
		} else {
			console.log(`${title} …`);
			this.#timer = setInterval(() => console.log(`  ${this.#line()}`), 10_000);
		}
	}

	/** @param {string} detail how far it is */
	say(detail) {
		this.#detail = detail;
	}

	/** @param {string} result */
	end(result) {
		clearInterval(this.#timer);
		this.#detail = result;
		console.log(`${process.stdout.isTTY ? '\r\x1b[K' : ''}${this.#line()}`);
	}

	#line() {
		const seconds = Math.round((Date.now() - this.#started) / 1000);
		return `${this.#title}: ${this.#detail} (${seconds} s)`;
	}
}
