import { readArguments } from './arguments.mjs';
import { bootstrap, runOnNode24 } from './bootstrap.mjs';
import { runMain } from './processes.mjs';

const USAGE = `npm run pictures                            all pictures in docs/images, about 8 minutes: look at them
npm run pictures -- forms                   those of a folder (forms, options, workflows)
npm run pictures -- sms.png forms/Sms-send.png   these`;

await runMain(async () => {
	readArguments(USAGE, { options: {}, allowPositionals: true });
	await bootstrap({ n8n: ['n8n'] });
	return await runOnNode24('test/tools/pictures.mts', process.argv.slice(2));
});
