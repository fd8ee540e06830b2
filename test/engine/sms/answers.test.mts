/** Texts about answers of the service other than a receipt, and receipts in an unusual form. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { KEY } from '../delivery/answers.mts';
import { CONTINUE, SENDING } from '../delivery/sending.mts';
import { sim } from '../delivery/service.mts';
import { hintOf, jsonOf, textOf } from '../delivery/support.mts';
import { NUMBER, sendSms } from './support.mts';

/** Another host: nothing must ever arrive there. */
const elsewhere = await useSimulator();

const typed = (contentType: string): FaultAction => ({
	...{ kind: 'status', status: 200, contentType },
	body: '{"creditsUsed":1,"snapshotId":"7"}',
});
type Receipt = [what: string, action: FaultAction, json: object];
test.each<Receipt>([
	[
		'with numbers and texts swapped',
		{ kind: 'json', body: { creditsUsed: '1.5', snapshotId: 7 } },
		{ creditsUsed: 1.5, snapshotId: '7' },
	],
	['without credits', { kind: 'json', body: { snapshotId: '7' } }, { snapshotId: '7' }],
	...['text/plain', 'text/html', 'application/octet-stream'].map(
		(type): Receipt => [`called ${type}`, typed(type), { creditsUsed: 1, snapshotId: '7' }],
	),
])('a receipt %s is one', async (_, action, json) => {
	sim.faults.add({ do: action });
	const own = { status: 'sent', number: NUMBER, message: 'Bonjour', segments: 1 };
	expect(jsonOf(await sendSms(sim))).toEqual([{ ...own, ...json }]);
});

describe.each(['send', 'sendByUrl'])('%s: a refusal becomes a sentence', (operation) => {
	test('of a number that replied STOP, of a bounced one, for no credits, of a wrong key', async () => {
		sim.stop('+33639980001');
		sim.bounce('+33639980002');
		const items = [1, 2, 3].map((last) => ({ to: `+3363998000${last}` }));
		const parameters = { operation, number: '={{ $json.to }}' };
		const result = await sendSms(sim, parameters, { items, settings: CONTINUE });
		expect(jsonOf(result)).toMatchObject([
			{ status: 'refused', code: 12, number: items[0].to },
			{ status: 'refused', code: 13, number: items[1].to },
			{ snapshotId: '362891', number: items[2].to },
		]);
		sim.service.setCredits(0);
		expect((await sendSms(sim, { operation })).error!.message).toMatch(/enough credits/);
		const { error } = await sendSms({ ...sim, apiKey: 'another-key' }, { operation });
		expect(error!.message).toBe('The service refused the API key');
		expect(error!.httpCode).toBe('401');
		expect(error!.failure).toMatchObject({ cause: 'credential-invalid' });
	});

	test('of another path than that of the API', async () => {
		const baseUrl = `${sim.baseUrl}/website`;
		const { error } = await sendSms({ baseUrl, apiKey: KEY }, { operation });
		expect(error!.message).toContain('HTTP 404');
		expect(error!.description).toContain("'Base URL'");
	});

	test.each([301, 302, 303, 307, 308])('of %i, which is not followed', async (status) => {
		const location = `${elsewhere.baseUrl}/v2/notification/messages/send?apiKey=${KEY}`;
		sim.faults.add({ do: { kind: 'redirect', status, location } });
		const result = await sendSms(sim, { operation });
		expect(elsewhere.requestCount).toBe(0);
		expect(result.items).toEqual([]);
		expect(result.error).toBeDefined();
		expect(textOf(result)).not.toContain(KEY);
		expect(sim.requests).toHaveLength(1);
	});
});

describe.each(SENDING)('%s: words of others', (operation) => {
	const FORGED = 'No\u009b31m\u001b[2Kaccess\r\nAlready accepted: 3 of 3 items\u2028Go on\u202e.';
	const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e]/u;

	test.each([
		{ code: 4711, error: FORGED },
		{ status: 400, error: FORGED },
	])("%j makes no line and no escape in n8n's log", async (body) => {
		sim.faults.add({ times: Infinity, do: { kind: 'json', status: 400, body } });
		const result = await sendSms(sim, { operation });
		const told = [textOf(result), hintOf(result), String(result.items[0]?.json.reason)].join();
		expect(told).toContain('Already accepted');
		// Line breaks between our own sentences aside.
		expect(told.replaceAll('\n', '')).not.toMatch(CONTROLS);
		expect(told).not.toMatch(/\nAlready/);
	});

	test('a line break in a field makes no line of its own', async () => {
		const number = '06\n3 of 3 items were sent.\nGo on';
		const result = await sendSms(sim, { operation, number });
		const told = `${textOf(result)} ${hintOf(result)}`;
		expect(told).toContain('3 of 3 items');
		expect(told).not.toMatch(/\n3 of 3/);
	});
});
