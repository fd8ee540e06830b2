/**
 * Child processes that never outlive this one. Each child leads a process group of its own, so that
 * what it starts (compilers, task runners, browsers) can be ended with it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

/** Children that still run, each with the time it may take to end by itself. */
const running = new Map();
let interruptedBy;

/** Thrown when a signal ended the program in the middle of its work. */
export class Interrupted extends Error {
	/** @param {NodeJS.Signals} signal */
	constructor(signal) {
		super(`Interrupted by ${signal}`);
		this.exitCode = 128 + constants.signals[signal];
	}
}

/**
 * Runs a command in a process group of its own and waits for its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & {
 *   graceMs?: number,
 *   onLine?: (line: string) => void,
 * }} [options] `graceMs`: how long the command may take to end after Ctrl-C before it is killed.
 *   `onLine` gets each line of both output streams; without it the output is the terminal's.
 * @returns {Promise<number>} the exit code; 128 + n when signal n ended the command
 * @throws {Interrupted} when this program was told to stop while the command ran
 */
export async function run(command, args, { graceMs = 3_000, onLine, ...options } = {}) {
	if (interruptedBy) throw new Interrupted(interruptedBy);
	const child = spawn(command, args, {
		stdio: onLine ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
		...options,
		detached: true,
	});
	running.set(child, graceMs);
	if (onLine) {
		eachLine(child.stdout, onLine);
		eachLine(child.stderr, onLine);
	}
	let code;
	try {
		code = await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', (exitCode, signal) =>
				resolve(signal ? 128 + constants.signals[signal] : (exitCode ?? 1)),
			);
			// What a dead leader left behind may hold its output open, and 'close' would never come.
			child.once('exit', () => killGroup(child, 'SIGKILL'));
		});
	} finally {
		running.delete(child);
	}
	// A command that was told to stop and calls it success has come to a good end.
	if (interruptedBy && code !== 0) throw new Interrupted(interruptedBy);
	return code;
}

/**
 * Runs a program's main function and exits with its code. Ctrl-C, SIGTERM and a closed terminal end
 * all commands that `run` started; a second Ctrl-C ends them at once.
 *
 * @param {() => Promise<number>} main answers with the exit code
 */
export async function runMain(main) {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
	if (process.env.npm_lifecycle_event) stopWithNpm();
	process.on('exit', () => {
		for (const child of running.keys()) killGroup(child, 'SIGKILL');
	});
	try {
		process.exitCode = await main();
	} catch (error) {
		if (!(error instanceof Interrupted)) console.error(`\n${error.message ?? error}`);
		process.exitCode = error.exitCode ?? 1;
	}
	process.exit();
}

/**
 * Ends this program when the npm that runs it has ended: npm hands a signal only to the shell in
 * between, which dies and leaves this program behind.
 */
function stopWithNpm() {
	const npm = npmAbove(process.ppid);
	if (npm === undefined) return;
	setInterval(() => {
		try {
			process.kill(npm, 0);
		} catch {
			if (!interruptedBy) stop('SIGTERM');
		}
	}, 500).unref();
}

/** @returns {number | undefined} the process that runs a script of package.json, above a process */
function npmAbove(pid) {
	// The script's shell and, where `node` is a script itself, one more.
	for (let level = 0; level < 4; level++) {
		const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], {
			encoding: 'utf8',
		});
		const [, parent, command] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? '') ?? [];
		if (command === undefined) return undefined;
		if (/(^|[\s/])p?npm(-cli\.js|\.c?js)?\s/.test(command)) return pid;
		pid = Number(parent);
	}
	return undefined;
}

/** @param {NodeJS.Signals} signal */
function stop(signal) {
	if (interruptedBy) process.exit(new Interrupted(signal).exitCode);
	interruptedBy = signal;
	if (running.size === 0) process.exit(new Interrupted(signal).exitCode);
	for (const [child, graceMs] of running) {
		killGroup(child, 'SIGTERM');
		setTimeout(() => killGroup(child, 'SIGKILL'), graceMs).unref();
	}
}

function killGroup(child, signal) {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}

function eachLine(stream, onLine) {
	let rest = '';
	stream.setEncoding('utf8');
	stream.on('data', (chunk) => {
		const lines = (rest + chunk).split(/\r?\n/);
		rest = lines.pop();
		lines.forEach(onLine);
	});
	stream.on('end', () => rest && onLine(rest));
}
