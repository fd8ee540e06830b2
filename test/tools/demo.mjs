import { readArguments } from './arguments.mjs';
import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

const USAGE = `npm run demo             run the example workflows, then stay up to play with
npm run demo -- --once   run them and end; exit code 0 if all messages arrived`;

await runMain(async () => {
	readArguments(USAGE, { options: { once: { type: 'boolean' } } });
	await bootstrap({ n8n: ['n8n'] });
	return await runOnNode24('test/tools/demo.mts', process.argv.slice(2));
});
