/** What an earlier try sent is told the same where a later try can't begin (design, "Results", guarantee 4). */
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { hurry, jsonOf, sendSms } from './support.mts';

hurry();
const sim = await useSimulator();

test.each([
	['sent', ''],
	['scheduled', '2099-06-01T10:00:00Z'],
])('%s', async (status, date) => {
	sim.faults.add({
		path: /send$/,
		do: { kind: 'json', status: 400, body: { code: 12, error: 'STOP' } },
	});
	// The second try can't have the blacklists.
	sim.faults.add({
		path: /contacts$/,
		skip: 2,
		times: Infinity,
		do: { kind: 'json', status: 400, body: { code: 12, error: 'No' } },
	});
	const { items } = await sendSms(
		sim,
		{
			number: '={{ $json.to }}',
			options: { ...(date && { date }), concurrency: 1, skipBlacklisted: true },
		},
		{
			items: [{ to: '+33639980001' }, { to: '+33639980002' }],
			settings: {
				onError: 'continueRegularOutput',
				retryOnFail: true,
				maxTries: 2,
				waitBetweenTries: 1,
			},
		},
	);
	// n8n tries again where the first item has an error.
	const [held, earlier] = jsonOf(items);
	expect(held.error).toContain('blacklists could not be fetched');
	expect(earlier).toMatchObject({
		status,
		number: '+33639980002',
		snapshotId: expect.any(String),
	});
	expect(sim.messages).toHaveLength(1);
});
