import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** More than cores: much of the time of these tests is waiting, for answers late on purpose, or for n8n. */
const maxWorkers = Math.max(4, availableParallelism());

/** A process for several files: see `setup.mts`. */
const shared = {
	pool: 'forks',
	isolate: false,
	maxWorkers,
	// Tests that wait for n8n at the same time.
	maxConcurrency: 16,
	// The build that Node loads by itself: of the other, vitest would transform each module for each file.
	alias: [
		{
			find: 'n8n-workflow',
			replacement: createRequire(import.meta.url).resolve('n8n-workflow'),
		},
		// A file that the build puts into dist.
		{
			find: /^.*\/vendor\/libphonenumber$/,
			replacement: resolve(import.meta.dirname, 'harness/libphonenumber.mts'),
		},
	],
	setupFiles: 'harness/setup.mts',
} as const;
/** A tool of its own (`npm run test:versions`), and on one older n8n among the slow proofs. */
const VERSIONS = 'tools/versions.test.mts';
/** Lines that n8n logs from its first one on: seen only where nobody has loaded it before. */
const KEY = 'engine/delivery/key.test.mts';
/** Random histories: 300 in `npm test`, 600 others of the same kind among the slow proofs. */
const HISTORIES = [
	'engine/delivery/{histories,player}.test.mts',
	'engine/trigger/{histories-*,overlapping-polls}.test.mts',
	'engine/resources/contact-histories.test.mts',
];

/** Settings of a suite in a real n8n. */
const inN8n = { ...shared, maxWorkers: 3, testTimeout: 300_000, hookTimeout: 300_000 };
const long = { ...inN8n, isolate: true, maxWorkers: 3, testTimeout: 600_000 };

/**
 * Four suites: pure functions, the real engine in process, a real n8n, and slow proofs. The last is in
 * three parts: what measures n8n has the machine for itself, and of the random histories there are more.
 */
export default defineConfig({
	test: {
		root: import.meta.dirname,
		// Against a hang only: the machine may be busy.
		testTimeout: 300_000,
		hookTimeout: 300_000,
		projects: [
			{
				test: {
					name: 'unit',
					include: ['{unit,simulator,tools}/**/*.test.mts'],
					exclude: [VERSIONS],
					...shared,
				},
			},
			{
				test: {
					name: 'engine together',
					include: ['engine/**/*.test.mts'],
					exclude: [KEY],
					...shared,
					testTimeout: 300_000,
				},
			},
			{
				test: {
					name: 'engine alone',
					include: [KEY],
					...shared,
					isolate: true,
					testTimeout: 300_000,
				},
			},
			{
				test: {
					name: 'e2e',
					include: ['e2e/**/*.test.mts'],
					globalSetup: 'harness/shared.mts',
					sequence: { groupOrder: 1 },
					...inN8n,
				},
			},
			{
				test: {
					name: 'long',
					include: ['long/**/*.test.mts', VERSIONS],
					exclude: ['long/alone/**'],
					sequence: { groupOrder: 2 },
					...long,
				},
			},
			{
				test: {
					name: 'long histories',
					include: HISTORIES,
					env: {
						HISTORIES: process.env.HISTORIES ?? '600',
						SEED: process.env.SEED ?? '1001',
					},
					sequence: { groupOrder: 2 },
					...long,
				},
			},
			{
				test: {
					name: 'long alone',
					include: ['long/alone/**/*.test.mts'],
					sequence: { groupOrder: 3 },
					...long,
					maxWorkers: 1,
				},
			},
		],
	},
});
