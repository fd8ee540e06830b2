/**
 * The simulator as a program.
 * Usage: node test/tools/simulator/main.mts [--port 4010] [--key KEY] [--extended] [--host 127.0.0.1]
 * (all options: --help)
 */
import { readArguments } from '../arguments.mjs';
import { startSimulator } from '../../simulator/index.mts';
import { OPTIONS, USAGE } from './usage.mjs';

function fail(message: string): never {
	console.error(message);
	process.exit(1);
}

const { values } = readArguments(USAGE, { options: OPTIONS });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`${values.port} is not a port.`);

const simulator = await startSimulator({
	port,
	host: values.host,
	apiKey: values.key,
	headerName: values.header,
	extended: values.extended,
	// It may run for days: what matters is on the page.
	keepRequests: values['keep-requests'],
}).catch((error: NodeJS.ErrnoException) =>
	fail(
		error.code === 'EADDRINUSE'
			? `Port ${port} is taken. Choose another with --port.`
			: `The simulator could not start: ${error.message}`,
	),
);

console.log(`The SMS service simulator is up.

  Base URL   ${simulator.baseUrl}
  API key    ${simulator.apiKey}
  Header     ${simulator.headerName}
  Phones     ${simulator.baseUrl}/

Ctrl-C ends it.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => void simulator.close());
}
