/** Arguments of a command, read before anything is installed: only Node's own modules may be imported here. */
import { parseArgs } from 'node:util';

/**
 * Prints the usage for `--help`, and one line for an argument that the command doesn't have; both end it.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {string} usage
 * @param {T} config as `parseArgs` takes it, without `help`
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readArguments(usage, config) {
	const args = process.argv.slice(2);
	if (args.includes('--help') || args.includes('-h')) {
		console.log(usage);
		process.exit(0);
	}
	try {
		return parseArgs({ ...config, args });
	} catch (error) {
		const [problem] = error.message.split(/\. |\n/);
		console.error(`${problem}. All options: --help`);
		process.exit(1);
	}
}
