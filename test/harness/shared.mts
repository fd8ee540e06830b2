/**
 * vitest's global set-up of the suite e2e: an n8n for each worker, which the files share one after
 * another. A file that ends n8n, or sets its environment, starts one of its own.
 */
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { joinN8n, type N8n, type N8nPlace, startN8n } from './n8n.mts';
import { packTarball } from './package.mts';

/** Where these n8ns are said to be reached: links in messages begin with it. */
export const PUBLIC = 'https://n8n.example.com/';

declare module 'vitest' {
	interface ProvidedContext {
		/** The running instances, one for each worker. */
		instances: N8nPlace[];
	}
}

/** Called by vitest before the first file. @returns what ends the instances, after the last file */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const files = project.vitest.state.getPaths();
	const count = Math.min(project.config.maxWorkers, files.length);
	const tarball = await packTarball();
	// At the level debug, so that whatever is looked for in the log would be there.
	const instances = await Promise.all(
		Array.from(
			{ length: count },
			async () =>
				await startN8n({ tarball, logLevel: 'debug', env: { WEBHOOK_URL: PUBLIC } }),
		),
	);
	project.provide(
		'instances',
		instances.map(({ place }) => place),
	);
	return async () => {
		await Promise.all(instances.map(async (n8n) => await n8n.stop()));
	};
}

/**
 * @returns the instance of the worker in which this file runs
 * @throws {Error} in another suite
 */
export function sharedN8n(): N8n {
	const place = (inject('instances') as N8nPlace[] | undefined)?.[
		Number(process.env.VITEST_POOL_ID) - 1
	];
	if (!place) throw new Error('The files of this suite share no n8n: start one');
	return joinN8n(place);
}
