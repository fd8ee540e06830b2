/** Debian's PostgreSQL and Redis, for n8n's queue mode; installed when they are missing. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, Program } from './process.mts';

const execute = promisify(execFile);
const CLUSTERS = '/usr/lib/postgresql';

/** A server on the loopback interface, with a folder of its own that goes when it ends. */
export interface Server {
	port: number;
	/** Ends it. */
	stop(): Promise<void>;
}

/** Starts a PostgreSQL with an empty database `postgres`; its superuser `n8n` needs no password. */
export async function startPostgres(): Promise<Server> {
	const programs = await postgresPrograms();
	// PostgreSQL refuses to run as root.
	const asUser = isRoot()
		? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
		: ['env'];
	const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
	if (isRoot()) await execute('chown', ['postgres:postgres', folder]);
	const data = join(folder, 'data');
	const [command, ...args] = asUser;
	await execute(
		command,
		[
			...[...args, join(programs, 'initdb'), '-D', data, '-U', 'n8n', '-A', 'trust'],
			// As Debian's own cluster, whatever the machine's language is.
			...['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'],
		],
		{ cwd: folder },
	);
	return await startServer('PostgreSQL', folder, (port) => ({
		command,
		args: [
			...args,
			...[join(programs, 'postgres'), '-D', data, '-p', String(port)],
			...['-h', '127.0.0.1', '-k', folder],
		],
	}));
}

/** Starts a Redis that keeps everything in memory. */
export async function startRedis(): Promise<Server> {
	const command =
		programOnPath('redis-server') ??
		(await install('redis-server').then(() => programOnPath('redis-server')));
	if (command === undefined)
		throw new Error('redis-server was installed, but is not on the PATH');
	const folder = await mkdtemp(join(tmpdir(), 'redis-'));
	return await startServer('Redis', folder, (port) => ({
		command,
		args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
	}));
}

async function startServer(
	name: string,
	folder: string,
	program: (port: number) => { command: string; args: string[] },
): Promise<Server> {
	const port = await freePort();
	const logFile = join(folder, 'log');
	const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
	const running = await Program.start({
		...program(port),
		folder,
		temporary: true,
		logFile,
		env,
	});
	for (const end = Date.now() + 30_000; !(await listens(port)); await sleep(100)) {
		if (Date.now() < end) continue;
		await running.end('SIGKILL');
		throw new Error(
			`${name} did not start within 30 seconds:\n${readFileSync(logFile, 'utf8')}`,
		);
	}
	return {
		port,
		stop: async () => {
			// PostgreSQL's fast shutdown.
			await running.end('SIGINT');
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** @returns the folder with PostgreSQL's own programs, which Debian keeps off the PATH */
async function postgresPrograms(): Promise<string> {
	const newest = async () => {
		const versions = existsSync(CLUSTERS) ? await readdir(CLUSTERS) : [];
		const [version] = versions.sort((a, b) => Number(b) - Number(a));
		return version === undefined ? undefined : join(CLUSTERS, version, 'bin');
	};
	const found = (await newest()) ?? (await install('postgresql').then(newest));
	if (found === undefined) throw new Error(`postgresql was installed, but not in ${CLUSTERS}`);
	return found;
}

/** Installs a package of Debian's, without starting the service that it brings. */
async function install(name: string): Promise<void> {
	if (programOnPath('apt-get') === undefined) {
		throw new Error(`${name} is needed, and there is no apt-get to install it with`);
	}
	const asRoot = isRoot() ? [] : ['sudo', '--non-interactive'];
	// Debian's scripts start no service in a runlevel that is not the present one.
	const apt = async (...args: string[]) => {
		const [command, ...rest] = [
			...asRoot,
			...['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get'],
			...args,
		];
		await execute(command, rest, { maxBuffer: 2 ** 26 });
	};
	console.log(`Installing ${name} …`);
	await apt('update');
	await apt('install', '--yes', '--no-install-recommends', name);
}

function programOnPath(name: string): string | undefined {
	const folders = (process.env.PATH ?? '').split(delimiter);
	return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function isRoot(): boolean {
	return process.getuid?.() === 0;
}

async function listens(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true));
		socket.once('error', () => resolve(false));
		socket.once('close', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
