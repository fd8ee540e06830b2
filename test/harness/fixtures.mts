/** What the tests of a file need, started and ended with it: called once, at the top of the file. */
import { afterAll, beforeEach } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/index.mts';

/** @returns a running simulator: as new before each test, ended after the last one */
export async function useSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const simulator = await startSimulator(options);
	beforeEach(() => simulator.reset());
	afterAll(async () => await simulator.close());
	return simulator;
}
