/**
 * What `npm test` runs: the checks that it has, or those named.
 *
 * The last line of the output is `N passed, N failed`. Each lint, types and build command counts as
 * one check, each test of vitest as one.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readArguments } from './arguments.mjs';
import { bootstrap, environment, n8nFolders, root } from './bootstrap.mjs';
import { Interrupted, run, runMain } from './processes.mjs';

/** The steps, in the order in which they run, each with the checks that it consists of. */
const steps = {
	lint: [
		// As "n8n-node lint", which ends with 0 where it finds no package manager to start this with. That
		// the configuration is n8n's, as it asks, is in unit/release.test.mts.
		['eslint', '.'],
		['eslint', '--config', 'test/eslint.config.mjs', '.'],
		['prettier', '--check', '--cache', '.'],
		['node', 'test/tools/docs/main.mts'],
	],
	// The build checks the types of the nodes.
	types: [['tsc', '-p', 'test/tsconfig.json']],
	build: [['npm', 'run', 'build']],
	pack: [['node', 'test/tools/pack.mts']],
	unit: 'vitest',
	engine: 'vitest',
	e2e: 'vitest',
	long: 'vitest',
};

const USAGE = `npm test                        everything but the slow proofs
npm test -- all                 everything
npm test -- lint unit           these steps (${Object.keys(steps).join(', ')})
npm test -- engine sms          the engine tests in files whose path contains "sms"
npm run test:long               the slow proofs, on the newest n8n, and some on 1.123
npm run test:versions           each version of n8n that the package is said to work on`;

/** How much of a failed test's message is shown again at the end, in characters. */
const LONGEST_MESSAGE = 2_000;

/** @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Counts */

await runMain(async () => {
	const { values, positionals: words } = readArguments(USAGE, {
		options: { 'all-versions': { type: 'boolean' } },
		allowPositionals: true,
	});
	const named = words.flatMap((word) =>
		word === 'all' ? Object.keys(steps) : word in steps ? [word] : [],
	);
	const filters = words.filter((word) => word !== 'all' && !(word in steps));
	// Tests of all kinds but unit load the built nodes.
	if (['types', 'engine', 'e2e', 'long'].some((step) => named.includes(step)))
		named.push('build');
	if (['e2e', 'long'].some((step) => named.includes(step))) named.push('pack');
	const chosen = Object.keys(steps).filter((step) =>
		named.length === 0 ? step !== 'long' : named.includes(step),
	);
	// What versions.test.mts tries on an older n8n, the other tests try on the newest.
	const versions = values['all-versions'] ? n8nFolders : ['n8n-1.123'];

	/** @type {Counts} */
	const total = { passed: 0, failed: 0, skipped: 0, failures: [] };
	const add = (counts) => {
		for (const key of ['passed', 'failed', 'skipped']) total[key] += counts[key];
		total.failures.push(...counts.failures);
	};
	try {
		await bootstrap();
		// Side by side: they read the sources, and the one that writes does so into dist.
		const suites = chosen.filter((step) => steps[step] === 'vitest');
		const commands = chosen.filter((step) => !suites.includes(step));
		for (const counts of await Promise.all(
			commands.flatMap((step) => steps[step]).map(command),
		))
			add(counts);
		// Those that need no n8n run as one: the end of a suite leaves cores idle.
		const light = suites.filter((step) => step === 'unit' || step === 'engine');
		if (light.length > 0) {
			add(await timed(light.join(', '), () => vitest(light, filters, versions)));
		}
		for (const step of suites.filter((one) => !light.includes(one))) {
			// Just before it is needed: what can't be installed doesn't keep other checks from running.
			await bootstrap({
				n8n: { e2e: ['n8n'], long: [...new Set(['n8n', ...versions])] }[step],
				scanner: step === 'e2e' || step === 'long',
				registry: step === 'e2e',
			});
			add(await timed(step, () => vitest([step], filters, versions)));
		}
	} catch (error) {
		if (error instanceof Interrupted) throw error;
		console.error(error.message);
		total.failed++;
	}
	// Together at the end: the output of many steps is long.
	for (const failure of total.failures) console.log(`\nFailed: ${failure}`);
	// A skipped test proves nothing: where nobody watches, it counts as a failure.
	if (total.skipped > 0) console.log(`\n${total.skipped} skipped`);
	const failed = total.failed + (process.env.CI ? total.skipped : 0);
	console.log(`\n${total.passed} passed, ${failed} failed`);
	return failed === 0 && total.passed > 0 ? 0 : 1;
});

/** @returns {Promise<Counts>} one check; as others run beside it, its output is shown when it has ended */
async function command([name, ...args]) {
	const title = [name, ...args].join(' ');
	const lines = [];
	return await timed(title, async () => {
		const options = { cwd: root, env: environment(), onLine: (line) => lines.push(line) };
		const code = await run(name, args, options);
		for (const line of lines) console.log(line);
		const failures = code === 0 ? [] : [title];
		return { passed: Number(code === 0), failed: failures.length, skipped: 0, failures };
	});
}

/** @returns {Promise<Counts>} what vitest counted; what it could not count is one failure */
async function vitest(projects, filters, versions) {
	const folder = mkdtempSync(join(tmpdir(), 'vitest-'));
	const report = join(folder, 'report.json');
	try {
		const code = await run(
			'vitest',
			[
				'run',
				...['--config', 'test/vitest.config.mts'],
				// "engine" and "long" have parts.
				...projects.flatMap((project) => ['--project', `${project}*`]),
				...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
				...filters,
			],
			{ cwd: root, env: { ...environment(), N8N_TEST_FOLDERS: versions.join(',') } },
		);
		const counts = existsSync(report)
			? countTests(JSON.parse(readFileSync(report, 'utf8')))
			: { passed: 0, failed: 0, skipped: 0, failures: [] };
		const ranAny = counts.passed + counts.failed > 0;
		if ((code !== 0 && counts.failed === 0) || !ranAny) {
			counts.failed++;
			counts.failures.push(`vitest, which ended with ${code}`);
		}
		return counts;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * @param {object} report of vitest's JSON reporter
 * @returns {Counts} its tests; a file that did not load or whose hooks failed is one failure
 */
function countTests({ numPassedTests, numFailedTests, numTotalTests, testResults }) {
	const brokenFiles = testResults.filter(
		({ status, assertionResults }) =>
			status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
	);
	const tests = testResults.flatMap(({ name, assertionResults }) =>
		assertionResults.map(({ fullName, status, failureMessages }) => ({
			status,
			name: `${relative(root, name)}: ${fullName}`,
			why: failureMessages?.[0]?.slice(0, LONGEST_MESSAGE) ?? '',
		})),
	);
	for (const { name, status } of tests) {
		if (status !== 'passed' && status !== 'failed') console.log(`Skipped: ${name}`);
	}
	return {
		passed: numPassedTests,
		failed: numFailedTests + brokenFiles.length,
		skipped: numTotalTests - numPassedTests - numFailedTests,
		failures: [
			...brokenFiles.map(({ name }) => relative(root, name)),
			...tests
				.filter(({ status }) => status === 'failed')
				.map(({ name, why }) => `${name}\n${why}`),
		],
	};
}

/**
 * @param {string} title
 * @param {() => Promise<Counts>} check
 */
async function timed(title, check) {
	console.log(`\n▶ ${title}`);
	const started = Date.now();
	const counts = await check();
	const seconds = ((Date.now() - started) / 1000).toFixed(1);
	console.log(`${counts.failed === 0 ? '✔' : '✘'} ${title} (${seconds} s)`);
	return counts;
}
