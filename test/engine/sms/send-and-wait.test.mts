import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { sendSms } from './support.mts';
let sim: Simulator;
beforeAll(async () => { sim = await startSimulator(); });
afterAll(async () => await sim.close());
test('smoke', async () => {
	const r = await sendSms(sim, { operation: 'sendAndWait', message: 'Approuvez-vous ?' });
	console.log(JSON.stringify([r.run.status, r.run.waitTill, r.items, r.error?.message, r.error?.description, r.hints, r.data.executionData?.nodeExecutionStack[0]?.data, r.data.executionData?.contextData], null, 1), sim.messages);
	expect(1).toBe(1);
});
