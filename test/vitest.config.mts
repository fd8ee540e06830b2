import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** More than cores: much of the time of these tests is waiting, for answers late on purpose, or for n8n. */
const maxWorkers = Math.max(3, availableParallelism());

/** Where properties hold for anything, what is tried comes from one seed. */
const setupFiles = 'harness/random.mts';

/** What a suite in a real n8n asks for. */
const inN8n = { pool: 'forks', maxWorkers, testTimeout: 300_000, hookTimeout: 300_000 } as const;
const long = { ...inN8n, maxWorkers: 2, testTimeout: 600_000 };

/**
 * Four suites: pure functions, the real engine in process, a real n8n, and slow proofs. The last is in
 * three parts: what measures n8n has the machine for itself, and of the random histories there are more.
 */
export default defineConfig({
	test: {
		root: import.meta.dirname,
		testTimeout: 30_000,
		hookTimeout: 60_000,
		projects: [
			{
				test: {
					name: 'unit',
					include: ['unit/**/*.test.mts', 'simulator/**/*.test.mts'],
					setupFiles,
				},
			},
			{
				test: {
					name: 'engine',
					include: ['engine/**/*.test.mts'],
					exclude: ['engine/alone/**'],
					setupFiles,
					pool: 'forks',
					maxWorkers,
					testTimeout: 120_000,
				},
			},
			{
				test: {
					// Look-ups, which a busy machine keeps from finding: they wait, most of their time.
					name: 'engine alone',
					include: ['engine/alone/**/*.test.mts'],
					pool: 'forks',
					maxWorkers: 12,
					sequence: { groupOrder: 1 },
					testTimeout: 120_000,
				},
			},
			{
				test: {
					name: 'e2e',
					include: ['e2e/**/*.test.mts'],
					globalSetup: 'harness/shared.mts',
					...inN8n,
				},
			},
			{
				test: {
					name: 'long',
					include: ['long/**/*.test.mts'],
					exclude: ['long/alone/**'],
					sequence: { groupOrder: 2 },
					...long,
				},
			},
			{
				test: {
					name: 'long histories',
					include: [
						'engine/delivery/{histories,random}.test.mts',
						'engine/trigger/model-*.test.mts',
						'engine/resources/sync-histories.test.mts',
					],
					setupFiles,
					env: { HISTORIES: process.env.HISTORIES ?? '3000' },
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
