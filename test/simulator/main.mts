/**
 * The simulator as a program.
 * Usage: node test/simulator/main.mts [--port 4010] [--key KEY] [--extended] [--host 127.0.0.1]
 * (all options: --help)
 */
import { parseArgs } from 'node:util';
import { startSimulator } from './index.mts';

const USAGE = `The SMS service in memory, to play with.

  --port <port>   the port to listen on (default 4010; 0 for any free one)
  --host <host>   the address to listen on (default 127.0.0.1)
  --key <key>     the API key (default: a fixed test key)
  --header <name> the authentication header (default X-Service-ApiKey)
  --extended      the endpoints that only public client libraries know, too
  --keep-requests every request, as it came, at /_simulator/requests
  --help          this text`;

function readArguments() {
	try {
		return parseArgs({
			options: {
				port: { type: 'string', default: '4010' },
				host: { type: 'string', default: '127.0.0.1' },
				key: { type: 'string' },
				header: { type: 'string' },
				extended: { type: 'boolean', default: false },
				'keep-requests': { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		}).values;
	} catch (error) {
		return fail(`${(error as Error).message}\n\n${USAGE}`);
	}
}

function fail(message: string): never {
	console.error(message);
	process.exit(1);
}

const values = readArguments();
if (values.help) {
	console.log(USAGE);
	process.exit(0);
}
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
