import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

await runMain(async () => {
	const args = process.argv.slice(2);
	const isHelp = args.includes('--help') || args.includes('-h');
	if (isHelp || args.some((argument) => argument !== '--once')) {
		console.log(
			'npm run demo             run the example workflows, then stay up to play with',
		);
		console.log(
			'npm run demo -- --once   run them and end; exit code 0 if all messages arrived',
		);
		return isHelp ? 0 : 1;
	}
	await bootstrap({ n8n: ['n8n'] });
	return await runOnNode24('test/commands/demo.mts', args);
});
