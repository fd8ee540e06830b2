import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

await runMain(async () => {
	await bootstrap();
	return await runOnNode24('test/simulator/main.mts', process.argv.slice(2));
});
