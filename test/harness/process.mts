/** Programs that tests start, n8n above all, none of which outlives this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const guard = join(import.meta.dirname, 'guard.mjs');

/** An n8n that is installed in a folder beside this file. */
export class Installation {
	/** The folder of the package `n8n`. */
	readonly folder: string;
	/** As `2.41.1`. */
	readonly version: string;

	/**
	 * @param name the folder's name, e.g. `n8n-1.123`
	 * @throws {Error} when it is not installed
	 */
	constructor(name: string) {
		this.folder = join(import.meta.dirname, name, 'node_modules/n8n');
		if (!existsSync(join(this.folder, 'package.json'))) {
			throw new Error(
				`There is no n8n in ${this.folder}: "npm test" and "npm run test:long" install what they run`,
			);
		}
		this.version = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')).version;
	}

	/**
	 * Whether it is of the time (1.123, 2.0) when the editor did what n8n itself does now: it sent the
	 * workflow that runs, found the credentials of an imported one, and waited for an activation.
	 */
	get leavesMoreToEditor(): boolean {
		const [major, minor] = this.version.split('.').map(Number);
		return major < 2 || (major === 2 && minor === 0);
	}

	/** The environment that an n8n of this version needs beside what all have. */
	get settings(): Record<string, string> {
		// It would reach for the Internet; older versions refuse the name of a module they don't have.
		const hasRegistry = existsSync(join(this.folder, 'dist/modules/mcp-registry'));
		return hasRegistry ? { N8N_DISABLED_MODULES: 'mcp-registry' } : {};
	}
}

export interface ProgramOptions {
	command: string;
	args: string[];
	/** Where it runs. */
	folder: string;
	/** Removes the folder when this process is gone. */
	temporary?: boolean;
	/** Gets what it writes to both output streams, after what is there. */
	logFile: string;
	/** Its whole environment. */
	env: Record<string, string | undefined>;
}

/** A running program that ends with this process, all that it started included. */
export class Program {
	/** The id of the program's process itself. */
	readonly pid: number;
	/** Resolves when it has ended. */
	readonly exited: Promise<void>;
	readonly #guard: ChildProcess;

	private constructor(child: ChildProcess, pid: number, exited: Promise<void>) {
		this.#guard = child;
		this.pid = pid;
		this.exited = exited;
	}

	/** @throws {Error} when the program can't be started */
	static async start(options: ProgramOptions): Promise<Program> {
		const { command, args, folder, temporary, logFile, env } = options;
		const removed = temporary ? folder : '';
		const log = openSync(logFile, 'a');
		const child = spawn(process.execPath, [guard, removed, command, ...args], {
			cwd: folder,
			detached: true,
			env,
			stdio: ['ignore', log, log, 'ipc'],
		});
		closeSync(log);
		const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
		const pid = await new Promise<number>((resolve, reject) => {
			child.on('message', (message: { pid?: number; error?: string }) => {
				if (message.pid) resolve(message.pid);
				if (message.error) reject(new Error(message.error));
			});
			child.once('error', reject);
			child.once('close', () => reject(new Error(`${command} ended at once`)));
		});
		return new Program(child, pid, exited);
	}

	/** Sends a signal to the program itself and waits for its end; after 40 s it is killed. */
	async end(signal: NodeJS.Signals): Promise<void> {
		try {
			process.kill(this.pid, signal);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
		}
		// n8n gives running executions 30 seconds; closing the channel ends the whole group.
		const forced = setTimeout(() => {
			if (this.#guard.connected) this.#guard.disconnect();
		}, 40_000);
		await this.exited;
		clearTimeout(forced);
	}
}

export interface N8nProgramOptions {
	installation: Installation;
	/** Arguments after `n8n` on the command line. */
	args: string[];
	userFolder: string;
	/** Removes the user folder when this process is gone. */
	temporary?: boolean;
	/** Gets what it writes, after what is there. */
	logFile: string;
	/** Added to the environment. */
	env?: Record<string, string>;
}

/** Starts n8n, the server or a worker. See `Program.start`. */
export async function startN8nProgram(options: N8nProgramOptions): Promise<Program> {
	const { installation, args, userFolder, temporary, logFile, env } = options;
	return await Program.start({
		command: process.execPath,
		args: [join(installation.folder, 'bin/n8n'), ...args],
		folder: userFolder,
		temporary,
		logFile,
		env: environment({ N8N_USER_FOLDER: userFolder, ...installation.settings, ...env }),
	});
}

/**
 * The environment of an n8n that is like a user's, but reaches for nothing on the Internet by itself.
 * Settings of another n8n in the shell must not get through: they may point to its database.
 */
function environment(settings: Record<string, string>): Record<string, string> {
	const foreign =
		/^(N8N|DB|QUEUE|EXECUTIONS|CREDENTIALS|WEBHOOK|GENERIC|VITEST|npm)_|^NODE_OPTIONS$/;
	const inherited = Object.entries(process.env).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
	);
	const noProxy = [process.env.NO_PROXY ?? process.env.no_proxy, 'localhost,127.0.0.1,::1']
		.filter(Boolean)
		.join(',');
	return {
		...Object.fromEntries(inherited),
		NODE_ENV: 'production',
		// The task runner is started with the `node` that the PATH has.
		PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
		NO_PROXY: noProxy,
		no_proxy: noProxy,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		// Executions of any size can be read back.
		EXECUTIONS_DATA_MAX_DISPLAY_SIZE: String(2 ** 31),
		...settings,
	};
}

/**
 * A port of the loopback interface that nobody listens on. It is below those that systems give to outgoing
 * connections, one of which could take it before n8n, which starts seconds later, listens there.
 */
export async function freePort(): Promise<number> {
	const port = 20_000 + Math.floor(Math.random() * 12_000);
	return (await isFree(port)) ? port : await freePort();
}

/** Nobody listens on the port of the loopback interface. */
export async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	const listens = await new Promise<boolean>((resolve) => {
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => resolve(true));
	});
	if (listens) await new Promise((resolve) => server.close(resolve));
	return listens;
}
