import { OPTIONS, USAGE } from '../bench/usage.mjs';
import { readArguments } from './arguments.mjs';
import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

await runMain(async () => {
	readArguments(USAGE, { options: OPTIONS });
	await bootstrap({ n8n: ['n8n'] });
	return await runOnNode24('test/bench/main.mts', process.argv.slice(2));
});
