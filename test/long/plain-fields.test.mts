/**
 * Plain fields beside the expression engines of the older versions of n8n that the package is said to
 * work on. The unit tests have the newest: a process can load the isolates of one version only.
 *
 * N8N_TEST_FOLDERS: the folders of test/harness with the versions, separated by commas.
 */
import { join } from 'node:path';
import { describe, test } from 'vitest';
import {
	ENGINES,
	evaluatorOf,
	expectSameAs,
	hasEngines,
	workflowOf,
} from '../harness/expressions.mts';

const folders = (process.env.N8N_TEST_FOLDERS ?? 'n8n-1.123').split(',');

describe.each(folders.filter((folder) => folder !== 'n8n'))('%s', (folder) => {
	const n8n = workflowOf(join(import.meta.dirname, '../harness', folder, 'node_modules/n8n'));
	const engines = hasEngines(n8n) ? ENGINES : (['legacy'] as const);

	test.each(engines)(
		'%s: the same value and type for anything, or left to n8n',
		async (engine) => {
			expectSameAs(await evaluatorOf(n8n, engine), 5_000);
		},
	);
});
