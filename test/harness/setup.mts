/**
 * Runs before each test file. The files of a worker share a process, and with it what Node loads into it:
 * n8n-core takes seconds. Nothing else gets from one file to the next: modules of the project begin anew,
 * and so does the clock, which some tests move.
 */
import { vi } from 'vitest';

const kept = globalThis as typeof globalThis & { realNow?: typeof Date.now };
Date.now = kept.realNow ??= Date.now;
vi.resetModules();
await import('./random.mts');
