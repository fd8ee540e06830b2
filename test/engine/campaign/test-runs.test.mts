/** A campaign with a date may be sent by the service at that time: a test run must not create it. */
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { creation, runCampaign } from './support.mts';

const sim = await useSimulator();

const DATED = { options: { date: '2031-01-15T10:00:00' } };

test.each([
	['preview', 'manual', DATED, false],
	['testNumber', 'manual', DATED, false],
	['send', 'manual', DATED, true],
	// Creating one without a date sends nothing.
	['preview', 'manual', {}, true],
	['testNumber', 'manual', {}, true],
	['preview', 'trigger', DATED, true],
	['testNumber', 'trigger', DATED, true],
] as const)('Test Runs = %s, %s: %j', async (manualRuns, mode, more, isCreated) => {
	const { id } = sim.service.createList('Customers', []);
	const { baseUrl, apiKey } = sim;
	const credential = { baseUrl, apiKey, manualRuns, testNumber: '0639980999' };
	const { error } = await runCampaign(sim, creation(id, more), { mode, credential });
	expect(sim.requestsTo('POST', /./)).toHaveLength(isCreated ? 1 : 0);
	if (isCreated) return expect(error).toBeUndefined();
	expect(error?.message).toContain("A campaign with 'Send At' isn't created in a test run");
	expect(error?.description).toContain("'Test Runs' in the credential");
});
