import { readArguments } from './arguments.mjs';
import { bootstrap, environment, root, runOnNode24 } from './bootstrap.mjs';
import { run, runMain } from './processes.mjs';

const USAGE = `node test/tools/faults.mjs   six workflows that have just failed, in a real n8n, to recover from by their texts alone`;

await runMain(async () => {
	readArguments(USAGE, {});
	await bootstrap({ n8n: ['n8n'] });
	const built = await run('npm', ['run', 'build'], { cwd: root, env: environment() });
	return built === 0 ? await runOnNode24('test/tools/faults.mts', []) : built;
});
