import { OPTIONS, USAGE } from './simulator/usage.mjs';
import { readArguments } from './arguments.mjs';
import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

await runMain(async () => {
	readArguments(USAGE, { options: OPTIONS });
	await bootstrap();
	return await runOnNode24('test/tools/simulator/main.mts', process.argv.slice(2));
});
