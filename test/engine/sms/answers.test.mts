/** What a user is told when the service answers anything but a receipt. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator } from '../../simulator/index.mts';
import { hurry, jsonOf, NUMBER, sendSms } from './support.mts';

hurry();
const sim = await useSimulator();
/** Another host: nothing must ever arrive there. */
const elsewhere = await useSimulator();

const OPERATIONS = ['send', 'sendByUrl'];

describe('a receipt in an unusual form', () => {
	test.each<[what: string, body: unknown, json: object]>([
		[
			'numbers and texts swapped',
			{ creditsUsed: '1.5', snapshotId: 7 },
			{ creditsUsed: 1.5, snapshotId: '7' },
		],
		['without credits', { snapshotId: '7' }, { snapshotId: '7' }],
	])('%s', async (_, body, json) => {
		sim.faults.add({ do: { kind: 'json', body } });
		const { items } = await sendSms(sim);
		expect(items[0].json).toEqual({
			status: 'sent',
			...json,
			number: NUMBER,
			message: 'Bonjour',
			segments: 1,
		});
	});

	test.each(['text/plain', 'text/html', 'application/octet-stream'])(
		'called %s',
		async (contentType) => {
			const body = '{"creditsUsed":1,"snapshotId":"7"}';
			sim.faults.add({ do: { kind: 'status', status: 200, body, contentType } });
			const { items } = await sendSms(sim);
			expect(items[0].json).toEqual({
				status: 'sent',
				creditsUsed: 1,
				snapshotId: '7',
				number: NUMBER,
				message: 'Bonjour',
				segments: 1,
			});
		},
	);
});

describe.each(OPERATIONS)('%s: what the service refuses becomes a sentence', (operation) => {
	test('as {status, error}', async () => {
		sim.faults.add({ do: { kind: 'json', status: 400, body: { status: 400, error: 'Nope' } } });
		const { error } = await sendSms(sim, { operation });
		expect(error!.message).toContain('HTTP 400');
		expect(error!.description).toContain('Nope');
	});

	test('a number that replied STOP, a bounced one, no credits, a wrong key: from the service itself', async () => {
		sim.stop('+33639980001');
		sim.bounce('+33639980002');
		const { items } = await sendSms(
			sim,
			{ operation, number: '={{ $json.to }}' },
			{
				items: [{ to: '+33639980001' }, { to: '+33639980002' }, { to: '+33639980003' }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(jsonOf(items)).toMatchObject([
			{ status: 'refused', code: 12, number: '+33639980001' },
			{ status: 'refused', code: 13, number: '+33639980002' },
			{ snapshotId: '362891', number: '+33639980003' },
		]);
		sim.service.setCredits(0);
		expect((await sendSms(sim, { operation })).error!.message).toMatch(/enough credits/);
		const { error } = await sendSms({ ...sim, apiKey: 'another-key' }, { operation });
		expect(error!.message).toBe('The service refused the API key');
		expect(error!.httpCode).toBe('401');
		expect(error!.failure).toMatchObject({ cause: 'credential-invalid' });
	});

	test('a service without codes', async () => {
		const bare = await startSimulator({ dialect: { errors: 'empty' } });
		try {
			const { error } = await sendSms({ ...bare, apiKey: 'another-key' }, { operation });
			expect(error!.message).toBe('The service refused the API key');
			bare.stop(NUMBER);
			const stopped = await sendSms(bare, { operation });
			expect(stopped.error!.message).toContain('HTTP 400');
		} finally {
			await bare.close();
		}
	});

	test('another path than that of the API', async () => {
		const { error } = await sendSms(
			{ ...sim, baseUrl: `${sim.baseUrl}/website` },
			{ operation },
		);
		expect(error!.message).toContain('HTTP 404');
		expect(error!.description).toContain("'Base URL'");
	});
});

describe.each(OPERATIONS)('%s: redirects', (operation) => {
	test.each([301, 302, 303, 307, 308])('%i to another host is not followed', async (status) => {
		const location = `${elsewhere.baseUrl}/v2/notification/messages/send?apiKey=${sim.apiKey}`;
		sim.faults.add({ do: { kind: 'redirect', status, location } });
		const { error, items } = await sendSms(sim, { operation });
		expect(elsewhere.requestCount).toBe(0);
		expect(items).toEqual([]);
		expect(error).toBeDefined();
		expect(`${error!.message}${error!.description}`).not.toContain(sim.apiKey);
		expect(sim.requests).toHaveLength(1);
	});
});

describe('what others have written', () => {
	const FORGED = 'No\u009b31m\u001b[2Kaccess\r\nAlready accepted: 3 of 3 items\u2028Go on\u202e.';
	const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e]/u;
	/** Line breaks between our own sentences aside. */
	const told = (text = '') => text.replaceAll('\n', '');

	test.each(['send', 'sendBatch', 'sendByUrl'])(
		"%s: an error of the service makes no line and no escape in n8n's log",
		async (operation) => {
			for (const body of [
				{ code: 4711, error: FORGED },
				{ status: 400, error: FORGED },
			]) {
				sim.faults.add({ times: Infinity, do: { kind: 'json', status: 400, body } });
				const { error, hints, items } = await sendSms(sim, { operation });
				const texts = [error?.message, error?.description];
				texts.push(...(hints ?? []).map(({ message }) => message));
				texts.push(...items.map(({ json }) => String(json.reason)));
				expect(texts.join()).toContain('Already accepted');
				for (const text of texts) expect(told(text)).not.toMatch(CONTROLS);
				for (const text of texts) expect(text ?? '').not.toMatch(/\nAlready/);
				sim.reset();
			}
		},
	);

	test('a line break in a field makes no line of its own', async () => {
		const number = '06\n3 of 3 items were sent.\nGo on';
		for (const operation of ['send', 'sendBatch']) {
			const { error, hints } = await sendSms(sim, { operation, number });
			const texts = [
				error?.message,
				error?.description,
				...(hints ?? []).map((hint) => hint.message),
			];
			expect(texts.join()).toContain('3 of 3 items');
			for (const text of texts) expect(text ?? '').not.toMatch(/\n3 of 3/);
		}
	});
});
