/** A campaign with a date may be sent by the service at that time: a test run must not create it. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { creation, runCampaign } from './support.mts';

const sim = await useSimulator();

const DATED = { options: { date: '2031-01-15T10:00:00' } };

function run(manualRuns: string, mode: 'manual' | 'trigger', more: object) {
	const { id } = sim.service.createList('Customers', []);
	const credential = {
		baseUrl: sim.baseUrl,
		apiKey: sim.apiKey,
		manualRuns,
		testNumber: '0639980999',
	};
	return runCampaign(sim, creation(id, { ...more }), { mode, credential });
}

const posts = () => sim.requests.filter(({ method }) => method === 'POST').length;

describe.each(['preview', 'testNumber'])('Test Runs = %s', (manualRuns) => {
	test('a campaign with Send At is not created from the editor', async () => {
		const { error, items } = await run(manualRuns, 'manual', DATED);
		expect(error?.message).toContain("A campaign with 'Send At' isn't created in a test run");
		expect(items).toEqual([]);
		expect(posts()).toBe(0);
	});

	test('one without a date is, because creating does not send', async () => {
		expect((await run(manualRuns, 'manual', {})).error).toBeUndefined();
		expect(posts()).toBe(1);
	});

	test('in production, both are', async () => {
		expect((await run(manualRuns, 'trigger', DATED)).error).toBeUndefined();
		expect(posts()).toBe(1);
	});
});

test('Test Runs = send: created from the editor with its date', async () => {
	expect((await run('send', 'manual', DATED)).error).toBeUndefined();
	expect(posts()).toBe(1);
});
