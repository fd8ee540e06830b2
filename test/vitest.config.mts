import { defineConfig } from 'vitest/config';

/** Four suites: pure functions, the real engine in process, a real n8n, and slow proofs on it. */
export default defineConfig({
	test: {
		root: import.meta.dirname,
		testTimeout: 30_000,
		hookTimeout: 60_000,
		projects: [
			{ test: { name: 'unit', include: ['unit/**/*.test.mts', 'simulator/**/*.test.mts'] } },
			{
				test: {
					name: 'engine',
					include: ['engine/**/*.test.mts'],
					pool: 'forks',
					testTimeout: 120_000,
				},
			},
			{
				test: {
					name: 'e2e',
					include: ['e2e/**/*.test.mts'],
					pool: 'forks',
					fileParallelism: false,
					testTimeout: 300_000,
					hookTimeout: 300_000,
				},
			},
			{
				test: {
					name: 'long',
					include: ['long/**/*.test.mts'],
					pool: 'forks',
					fileParallelism: false,
					testTimeout: 600_000,
					hookTimeout: 300_000,
				},
			},
		],
	},
});
