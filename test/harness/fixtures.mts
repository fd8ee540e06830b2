/** Fixtures of a test file, started and ended with it: called once, at the top of the file. */
import { afterAll, beforeEach, onTestFinished, vi } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/index.mts';

/** @returns a running simulator: as new before each test, ended after the last one */
export async function useSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const simulator = await startSimulator(options);
	beforeEach(() => simulator.reset());
	afterAll(async () => await simulator.close());
	return simulator;
}

/** Sets the clock for the rest of a test; it goes on. @returns moves it forward, by milliseconds */
export function setClock(moment: string): (milliseconds: number) => void {
	const now = Date.now.bind(Date);
	let ahead = Date.parse(moment) - now();
	const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
	onTestFinished(() => clock.mockRestore());
	return (milliseconds) => (ahead += milliseconds);
}
