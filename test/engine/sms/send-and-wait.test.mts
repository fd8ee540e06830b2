/** Send and Wait for Response: the message, and when the execution is put to wait. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { linkOf } from '../../operations.mts';
import { retryExecution, workflow, type RunOptions, type RunResult } from '../harness.mts';
import { everythingOf, hurry, jsonOf, NUMBER, sendSms } from './support.mts';

hurry();
const sim = await useSimulator();

/** As long as an address is where a proxy is before n8n: with the link, no message is one segment. */
const PUBLIC = 'https://n8n.example.com/automation-of-the-company/webhook-waiting';
const MINUTE = 60_000;
const limitOf = (resumeAmount: unknown, resumeUnit = 'minutes') => ({
	limitWaitTime: { values: { limitType: 'afterTimeInterval', resumeAmount, resumeUnit } },
});
const limited = { options: limitOf(45) } as INodeParameters;

const optionsOf = (options: Partial<RunOptions>): Partial<RunOptions> => ({
	mode: 'trigger',
	publicUrl: PUBLIC,
	...options,
});

/** Asks in production, where n8n has a public address. */
async function ask(
	parameters: INodeParameters = {},
	options: Partial<RunOptions> = {},
): Promise<RunResult> {
	return await sendSms(
		sim,
		{ operation: 'sendAndWait', message: 'OK?', ...parameters },
		optionsOf(options),
	);
}

const texts = () => sim.messages.map(({ text }) => text);

function expectNoWait({ run }: RunResult): void {
	expect(run.waitTill).toBeUndefined();
	expect(run.status).not.toBe('waiting');
}

function expectSentNothing(result: RunResult): void {
	expect(sim.requests).toEqual([]);
	expectNoWait(result);
}

describe('the message', () => {
	test('ends with the link, which n8n signs, and counts it', async () => {
		const { items, run } = await ask({ message: 'Votre colis est prêt. OK ?' });
		const link = linkOf(sim)!;
		expect(texts()).toEqual([`Votre colis est pret. OK ? ${link}`]);
		expect(link).toMatch(
			/^https:\/\/n8n\.example\.com\/automation-of-the-company\/webhook-waiting\/1\/under-test\?q=0&signature=\w{64}$/,
		);
		expect(jsonOf(items)).toEqual([
			{
				answered: false,
				status: 'sent',
				snapshotId: sim.messages[0].snapshotId,
				creditsUsed: expect.any(Number),
				number: NUMBER,
				encoding: 'GSM-7',
				segments: 2,
				replacements: 'ê → e',
			},
		]);
		expect(run.status).toBe('waiting');
		expect(run.waitTill).toEqual(workflow.WAIT_INDEFINITELY);
	});

	test('has the link where {link} stands', async () => {
		await ask({ message: 'Go to {link} to answer' });
		expect(texts()).toEqual([`Go to ${linkOf(sim)} to answer`]);
	});

	test('is counted with the STOP mention that the service adds, as a preview counts it', async () => {
		// The link fills the first segment but for what the mention needs (interface document, section 8).
		const marketing = { messageType: 'marketing', sender: 'MyShop' };
		await ask(marketing);
		const link = linkOf(sim)!;
		const message = 'x'.repeat(306 - link.length - 1);
		expect((await ask({ message })).items[0].json).toMatchObject({ segments: 2 });
		const counted = { encoding: 'GSM-7', segments: 3 };
		const preview = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, manualRuns: 'preview' };
		for (const options of [{}, { mode: 'manual', credential: preview } as const]) {
			const { items } = await ask({ ...marketing, message }, options);
			expect(items[0].json).toMatchObject(counted);
		}
	});

	test.each([
		'http://[2a02:26f7:1::10]/webhook-waiting',
		'https://n8n.example.com/[a]/webhook-waiting',
	])('is not sent with a link that the service would not take: %s', async (publicUrl) => {
		const result = await ask({}, { publicUrl });
		expect(result.error?.message).toContain('The link has characters');
		expect(result.error?.description).toContain('WEBHOOK_URL');
		expectSentNothing(result);
	});

	test.each([
		['Repondez ici:{link}\u200bMerci', (link: string) => `Repondez ici:${link} Merci`],
		['Ici{link}Merci', (link: string) => `Ici ${link} Merci`],
		['{link}{link} $& ({link}), $1', (link: string) => `${link} ${link} $& (${link}), $1`],
	])('%j keeps the link whole', async (message, expected) => {
		await ask({ message });
		expect(texts()).toEqual([expected(linkOf(sim)!)]);
	});

	test.each([
		['Amount', { resumeAmount: '={{ $json.none }}' }],
		['Unit', { resumeUnit: '={{ $json.none }}' }],
		['Limit Type', { limitType: '={{ $json.none }}' }],
	])("is not sent where the expression in '%s' finds nothing", async (field, nothing) => {
		const { limitWaitTime } = limitOf(45);
		const values = { ...limitWaitTime.values, ...nothing };
		const result = await ask({
			options: { limitWaitTime: { values } },
		} as INodeParameters);
		expect(result.error?.message ?? '').toContain(field);
		expectSentNothing(result);
	});

	test("spells out the input of a tool, which n8n's own message writes as an object", async () => {
		const toolParameters = { to: 'Camille', parts: [1, 2], urgent: true };
		await ask(
			{ message: '=Run this tool: {{ "Send" }}\n\nInput:\n{{ $json.toolParameters }}' },
			{ items: [{ toolParameters }] },
		);
		// The service takes no brackets.
		expect(texts()).toEqual([
			`Run this tool: Send\n\nInput:\nto: Camille\nparts: (1,2)\nurgent: true ${linkOf(sim)}`,
		]);
	});

	test('goes with the options of a message', async () => {
		const sender = 'MyShop';
		const options = { campaignName: 'Spring', category: 'approvals' };
		const { items } = await ask({ messageType: 'marketing', sender, options });
		expect(sim.messages).toMatchObject([{ kind: 'marketing', sender, ...options }]);
		expect(items[0].json).toMatchObject({ category: 'approvals' });
	});

	test.each([
		[{ message: ' ' }, 'Message'],
		[{ message: ' {link} ' }, 'Message'],
		[{ number: '06 39' }, 'Phone Number'],
		[{ sender: 'X' }, 'Sender'],
		[{ responseType: 'shout' }, 'Response Type'],
		[{ responseType: 'choice', choices: ' \n ' }, 'Choices'],
		[{ responseType: 'choice', choices: 'a\nb\na' }, 'Choices'],
		[{ responseType: 'choice', choices: 'x'.repeat(101) }, 'Choices'],
		[
			{ responseType: 'choice', choices: Array.from({ length: 31 }, String).join('\n') },
			'Choices',
		],
		[{ responseType: 'choice', choices: '={{ [{ a: 1 }] }}' }, 'Choices'],
		[{ approvalOptions: { values: { approvalType: 'triple' } } }, 'Type of Approval'],
		[
			{ approvalOptions: { values: { approveLabel: 'x'.repeat(101) } } },
			'Approve Button Label',
		],
		[{ language: 'de' }, 'Page Language'],
		[{ options: limitOf(0) }, 'Limit Wait Time'],
		[{ options: limitOf(-1) }, 'Limit Wait Time'],
		[{ options: limitOf('soon') }, 'Limit Wait Time'],
		[{ options: limitOf(1e12, 'days') }, 'Limit Wait Time'],
		[{ options: limitOf(1, 'years') }, 'Unit'],
		[
			{
				options: {
					limitWaitTime: {
						values: {
							limitType: 'atSpecifiedTime',
							maxDateAndTime: '2020-01-01T10:00',
						},
					},
				},
			},
			'Max Date and Time',
		],
		[
			{
				options: {
					limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: '' } },
				},
			},
			'Max Date and Time',
		],
	] as Array<[INodeParameters, string]>)('is not sent with %j', async (parameters, field) => {
		const result = await ask(parameters);
		expect(result.error?.message ?? '').toContain(field);
		expectSentNothing(result);
	});

	test('outside of the allowed hours is refused: it has no later date', async () => {
		const today = new Date().toLocaleDateString('en-GB', {
			weekday: 'long',
			timeZone: 'Europe/Paris',
		});
		const days = [
			'monday',
			'tuesday',
			'wednesday',
			'thursday',
			'friday',
			'saturday',
			'sunday',
		].filter((day) => day !== today.toLowerCase());
		const hours = { from: '00:00', to: '24:00', days, holidays: false, otherwise: 'schedule' };
		const result = await ask({ options: { allowedHours: { hours } } });
		expect(result.error?.message).toContain('Allowed Hours');
		expectSentNothing(result);
	});
});

describe('the time of waiting', () => {
	test.each([
		['minutes', 45],
		['hours', 2],
		['days', 0.5],
	])('%s', async (unit, amount) => {
		const units: Record<string, number> = { minutes: 1, hours: 60, days: 1_440 };
		const before = Date.now();
		const { run, items, data } = await ask({
			options: limitOf(amount, unit),
		} as INodeParameters);
		const wait = amount * units[unit] * MINUTE;
		const till = run.waitTill!.getTime();
		expect(till).toBeGreaterThanOrEqual(before + wait);
		expect(till).toBeLessThanOrEqual(Date.now() + wait);
		expect(items[0].json.waitingUntil).toBe(run.waitTill!.toISOString());
		// What n8n passes on when it is over.
		const [waiting] = data.executionData!.nodeExecutionStack;
		expect(waiting.data.main[0]?.map(({ json }) => json)).toEqual([
			{
				answered: false,
				status: 'sent',
				data: { approved: false },
				number: NUMBER,
				snapshotId: sim.messages[0].snapshotId,
				creditsUsed: expect.any(Number),
				encoding: 'GSM-7',
				segments: 2,
			},
		]);
	});

	test('until a date in the time zone of the workflow', async () => {
		const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '2040-07-01T10:00:00' };
		const { run } = await ask({ options: { limitWaitTime: { values } } });
		expect(run.waitTill).toEqual(new Date('2040-07-01T08:00:00Z'));
	});
});

describe('one question at a time', () => {
	const two = { items: [{}, {}] };

	test('several items are refused as a whole', async () => {
		const result = await ask({}, two);
		expect(result.error?.message).toContain('2 items');
		expect(result.error?.description).toContain('Loop Over Items');
		expectSentNothing(result);
	});

	test('also where the user continues on fail: each item says so', async () => {
		const result = await ask({}, { ...two, settings: { onError: 'continueRegularOutput' } });
		expect(result.error).toBeUndefined();
		expect(jsonOf(result.items)).toEqual([
			expect.objectContaining({ error: expect.stringContaining('2 items') }),
			expect.objectContaining({ error: expect.stringContaining('2 items') }),
		]);
		expectSentNothing(result);
	});

	test('Execute Once asks for the first item', async () => {
		const items = [{ to: NUMBER }, { to: '+33639985678' }];
		const { run } = await ask(
			{ number: '={{ $json.to }}' },
			{ items, settings: { executeOnce: true } },
		);
		expect(run.status).toBe('waiting');
		expect(sim.messages.map(({ number }) => number)).toEqual([NUMBER]);
	});
});

describe('a message that did not go', () => {
	test.each([
		['is refused', () => sim.stop(NUMBER)],
		[
			'finds no service',
			() =>
				sim.faults.add({
					times: 100,
					do: { kind: 'status', status: 503, headers: { 'Retry-After': '0' } },
				}),
		],
	])('because it %s waits for nothing', async (_, spoil) => {
		spoil();
		const result = await ask(limited);
		expect(result.error).toBeDefined();
		expectNoWait(result);
		const forgiven = await ask(limited, { settings: { onError: 'continueRegularOutput' } });
		expect(forgiven.error).toBeUndefined();
		expect(forgiven.items[0].json.error).toBeDefined();
		expectNoWait(forgiven);
	});
});

describe('a message whose fate is unknown', () => {
	const lose = () => sim.faults.add({ do: { kind: 'resetAfterAccept' } });

	test('is waited for, as long as there is an end to it', async () => {
		lose();
		const { error, run, items, hints, data } = await ask(limited);
		expect(error).toBeUndefined();
		expect(run.status).toBe('waiting');
		expect(items[0].json).toMatchObject({ answered: false, status: 'unknown', number: NUMBER });
		expect(JSON.stringify(hints)).toContain('unknown whether the message was sent');
		const [waiting] = data.executionData!.nodeExecutionStack;
		expect(waiting.data.main[0]?.[0].json).toMatchObject({
			answered: false,
			status: 'unknown',
		});
		expect(sim.messages).toHaveLength(1);
	});

	test('is an error where the execution could wait for ever', async () => {
		lose();
		const result = await ask();
		expect(result.error?.message).toContain('unknown whether this was sent');
		expect(result.error?.description).toContain('Limit Wait Time');
		expectNoWait(result);
	});

	test.each([
		['waits', limited],
		['stops', {}],
	])('is not sent again by Retry On Fail: it %s', async (how, parameters) => {
		lose();
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { run } = await ask(parameters, { settings });
		expect(sim.messages).toHaveLength(1);
		expect(run.status).toBe(how === 'waits' ? 'waiting' : 'error');
	});

	test('its link leads to the execution that sent it: a retry of that one neither sends nor waits', async () => {
		lose();
		const failed = await ask();
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const again = await retry(failed, '2', limited, settings);
		expect(sim.messages).toHaveLength(1);
		expect(again.error?.message).toContain('unknown whether this was sent');
		expect(again.error?.description).toContain('earlier execution');
		expect(again.error?.description).toContain('Send Again if Unknown');
		expectNoWait(again);
		const options = { ...(limited.options as IDataObject), resendUnknown: true };
		const resent = await retry(again, '3', { options } as INodeParameters);
		expect(resent.run.status).toBe('waiting');
		expect(texts()[1]).toContain('/webhook-waiting/3/under-test');
	});

	test('a message that was refused is sent by the retry, with the link of the retry', async () => {
		sim.faults.add({
			do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
		});
		const failed = await ask();
		expectNoWait(failed);
		const again = await retry(failed, '2');
		expect(again.run.status).toBe('waiting');
		expect(texts()).toEqual([expect.stringContaining('/webhook-waiting/2/under-test')]);
	});

	async function retry(
		failed: RunResult,
		executionId: string,
		parameters: INodeParameters = {},
		settings: RunOptions['settings'] = {},
	) {
		const options: RunOptions = {
			node: 'Sms',
			parameters: {
				operation: 'sendAndWait',
				number: NUMBER,
				message: 'OK?',
				...parameters,
			},
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			...optionsOf({ executionId, settings }),
		};
		return await retryExecution(failed, options, {});
	}
});

describe('runs from the editor', () => {
	const account = (manualRuns: string) => ({
		baseUrl: sim.baseUrl,
		apiKey: sim.apiKey,
		manualRuns,
		testNumber: '06 39 98 00 99',
	});

	test('Send to a Test Number asks there, and waits', async () => {
		const { items, run } = await ask({}, { mode: 'manual', credential: account('testNumber') });
		expect(sim.messages.map(({ number }) => number)).toEqual(['+33639980099']);
		expect(run.status).toBe('waiting');
		expect(items[0].json).toMatchObject({
			wouldSendTo: NUMBER,
			number: '+33639980099',
			answered: false,
		});
	});

	test('Send Nothing shows the message, and waits for nothing', async () => {
		const result = await ask({}, { mode: 'manual', credential: account('preview') });
		expectSentNothing(result);
		expect(jsonOf(result.items)).toEqual([
			{
				status: 'wouldSend',
				number: NUMBER,
				message: expect.stringMatching(/^OK\? https:\/\/n8n\.example\.com\//),
				encoding: 'GSM-7',
				segments: 2,
			},
		]);
	});

	test('in production both ask for real', async () => {
		for (const manualRuns of ['testNumber', 'preview']) {
			const { run } = await ask({}, { credential: account(manualRuns) });
			expect(run.status).toBe('waiting');
		}
		expect(sim.messages.map(({ number }) => number)).toEqual([NUMBER, NUMBER]);
	});
});

describe('an n8n without a public address', () => {
	const PRIVATE = [
		'http://localhost:5678/webhook-waiting',
		'http://127.0.0.1:5678/webhook-waiting',
		'http://192.168.1.20/webhook-waiting',
		'https://n8n/webhook-waiting',
		'http://[::1]:5678/webhook-waiting',
		'http://0.0.0.0:5678/webhook-waiting',
		'http://[::]:5678/webhook-waiting',
	];

	test.each(PRIVATE)(
		'%s: in production nothing is sent, and the error says what to set',
		async (publicUrl) => {
			const result = await ask({}, { publicUrl });
			expect(result.error?.message).toContain(new URL(publicUrl).hostname);
			expect(result.error?.description).toContain('WEBHOOK_URL');
			expect(result.error?.description).toContain('Allow Private Network Link');
			expectSentNothing(result);
		},
	);

	test('an option sends it to people in the same network', async () => {
		const [publicUrl] = PRIVATE;
		const { run } = await ask({ options: { allowPrivateAddress: true } }, { publicUrl });
		expect(run.status).toBe('waiting');
	});

	test('below a path of another host there is a hint: n8n signs the path too', async () => {
		const { run, hints } = await ask();
		expect(run.status).toBe('waiting');
		expect(JSON.stringify(hints)).toContain('its own host name');
		const publicUrl = 'https://n8n.example.com/webhook-waiting';
		expect((await ask({}, { publicUrl })).hints ?? []).toEqual([]);
	});

	test('from the editor it can be tried out, with a hint', async () => {
		const [publicUrl] = PRIVATE;
		const { run, hints } = await ask({}, { publicUrl, mode: 'manual' });
		expect(run.status).toBe('waiting');
		expect(JSON.stringify(hints)).toMatch(
			/When published, the workflow would send nothing\..*WEBHOOK_URL/,
		);
	});
});

test('the key is nowhere', async () => {
	const all = everythingOf(await ask(limited));
	expect(all).not.toContain(sim.apiKey);
});

test.each<[says: string, parameters: INodeParameters, from: string | undefined]>([
	[
		'the company',
		{ sender: 'MyShop', options: { companyName: ' Dupont & Fils ' } },
		'Dupont & Fils',
	],
	['the sender, without a company', { sender: 'MyShop' }, 'MyShop'],
	['nobody, without either', {}, undefined],
])('the page names %s', async (_, parameters, from) => {
	const { error, data } = await ask(parameters);
	expect(error).toBeUndefined();
	// What the page is made of waits with the execution.
	const kept = JSON.stringify(data.executionData?.contextData);
	if (from === undefined) expect(kept).not.toContain('"from"');
	else expect(kept).toContain(`"from":"${from}"`);
});

test('a company name that the page has no room for is refused', async () => {
	const result = await ask({ options: { companyName: 'x'.repeat(61) } });
	expect(result.error?.message).toContain("'Company Name'");
	expectSentNothing(result);
});
