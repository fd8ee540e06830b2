import { defineConfig } from 'vitest/config';

/** Three suites: pure functions, the real engine in process, and a real n8n. */
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
		],
	},
});
