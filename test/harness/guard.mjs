/**
 * Runs a program and sees to it that nothing of it outlives the one who asked for it: when the channel
 * to that process closes, for whatever reason, or when the program ends, the whole process group goes.
 *
 * Arguments: a folder to remove when the channel closes (or an empty string), the command and its
 * arguments. To be started with an IPC channel and as the leader of a process group.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const endGroup = () => process.kill(-process.pid, 'SIGKILL');

child.once('spawn', () => process.send({ pid: child.pid }));
child.once('error', (error) => process.send({ error: error.message }, endGroup));
child.once('exit', () => {
	if (process.connected) return endGroup();
	if (folder) rmSync(folder, { recursive: true, force: true });
	endGroup();
});
process.once('disconnect', () => child.kill('SIGKILL'));
