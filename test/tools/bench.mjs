import { OPTIONS, USAGE } from './bench/usage.mjs';
import { readArguments } from './arguments.mjs';
import { bootstrap, environment, root, runOnNode24 } from './bootstrap.mjs';
import { run, runMain } from './processes.mjs';

await runMain(async () => {
	const { values } = readArguments(USAGE, { options: OPTIONS });
	if (values.poll) {
		await bootstrap();
		const built = await run('npm', ['run', 'build'], { cwd: root, env: environment() });
		return built === 0 ? await runOnNode24('test/tools/bench/trigger/poll.mts', []) : built;
	}
	await bootstrap({ n8n: ['n8n'] });
	return await runOnNode24('test/tools/bench/main.mts', process.argv.slice(2));
});
