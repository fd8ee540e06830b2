/** Send and Wait for Response: the message, and when the execution is put to wait. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { linkOf } from '../../operations.mts';
import { retryExecution, workflow, type RunOptions, type RunResult } from '../harness.mts';
import { hurry, jsonOf, NUMBER, sendSms } from './support.mts';

hurry();
const sim = await useSimulator();

/** As long as an address is where a proxy is before n8n: with the link, no message is one segment. */
const PUBLIC = 'https://n8n.example.com/automation-of-the-company/webhook-waiting';
const limitOf = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	({ limitWaitTime: { values: { resumeAmount, resumeUnit } } }) as INodeParameters;
const untilOf = (maxDateAndTime: unknown) =>
	({
		limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime } },
	}) as INodeParameters;
const limited = { options: limitOf(45) };
const triedAgain = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };

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
/** The page of the question is made from this. */
const asked = ({ data }: RunResult) =>
	(data.executionData?.contextData['node:Under Test'] as IDataObject | undefined)
		?.smsQuestion as IDataObject;

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
				segments: 2,
				replacements: 'ê → e',
			},
		]);
		expect(run.waitTill).toEqual(workflow.WAIT_INDEFINITELY);
	});

	test.each([
		['Go to {link} to answer', (link: string) => `Go to ${link} to answer`],
		['Repondez ici:{link}\u200bMerci', (link: string) => `Repondez ici:${link} Merci`],
		['Ici{link}Merci', (link: string) => `Ici ${link} Merci`],
		['{link}{link} $& ({link}), $1', (link: string) => `${link} ${link} $& (${link}), $1`],
	])('%j keeps the link whole', async (message, expected) => {
		await ask({ message });
		expect(texts()).toEqual([expected(linkOf(sim)!)]);
	});

	test.each([
		['long', 'x'.repeat(2_000), {}],
		['full of what counts twice', '{}'.repeat(350), {}],
		['in UCS-2', `¤${'a'.repeat(700)}`, {}],
		['longer with the STOP mention', 'x'.repeat(600), { messageType: 'marketing' }],
	])('that is %s has at most 5 segments; the page has all', async (_, message, more) => {
		const result = await ask({ message, sender: 'MyShop', ...more });
		expect(result.error).toBeUndefined();
		expect(result.items[0].json.segments).toBeLessThanOrEqual(5);
		const [text] = texts();
		expect(text).toBe(`${message.slice(0, text.indexOf('... http'))}... ${linkOf(sim)}`);
		expect(linkOf(sim)).toContain('signature=');
		expect(asked(result).text).toBe(message);
	});

	test.each([
		[{ message: ' ' }, 'Message'],
		[{ message: ' {link} ' }, 'Message'],
		[{ message: 'Cut \ud83d' }, 'Message'],
		[{ message: `Hello {{ $json.name }} ${'x'.repeat(1_000)}` }, 'Message'],
		[{ message: `=${'x'.repeat(1_000)} {{ { a: 1 } }}` }, 'Message'],
		[{ number: '06 39' }, 'Phone Number'],
		[{ responseType: 'shout' }, 'Response Type'],
		[{ responseType: 'choice', choices: ' \n ' }, 'Choices'],
		[{ responseType: 'choice', choices: ['Yes \ud83d', 'No'] }, 'Choices'],
		[{ responseType: 'choice', choices: '={{ [{ a: 1 }] }}' }, 'Choices'],
		[{ approvalOptions: { values: { approvalType: 'triple' } } }, 'Type of Approval'],
		[{ approvalOptions: { values: { approveLabel: '\ude00 OK' } } }, 'Approve Button Label'],
		[{ options: limitOf(0) }, 'Limit Wait Time'],
		[{ options: limitOf('soon') }, 'Limit Wait Time'],
		[{ options: limitOf(1e12, 'days') }, 'Limit Wait Time'],
		[{ options: limitOf('={{ $json.none }}') }, 'Amount'],
		[{ options: limitOf(1, 'years') }, 'Unit'],
		[{ options: limitOf(1, '={{ $json.none }}') }, 'Unit'],
		[{ options: { limitWaitTime: { values: { limitType: 'never' } } } }, 'Limit Type'],
		[{ options: untilOf('') }, "'Max Date and Time' is empty"],
		[{ options: untilOf('={{ $json.none }}') }, "'Max Date and Time' is empty"],
		[{ options: untilOf('demain') }, "'Max Date and Time'"],
		[{ options: untilOf('2020-01-01T09:00:00') }, 'is in the past'],
	] as Array<[INodeParameters, string]>)('is not sent with %j', async (parameters, field) => {
		const result = await ask(parameters);
		expect(result.error?.message ?? '').toContain(field);
		expectSentNothing(result);
	});

	test('outside of the allowed hours is refused: it has no later date', async () => {
		setClock('2026-01-15T19:30:00Z');
		const hours = { from: '08:00', to: '20:00', days: ['thursday'], holidays: false };
		const result = await ask({ options: { allowedHours: { hours } } });
		expect(result.error?.message).toContain('Allowed Hours');
		expectSentNothing(result);
	});
});

describe('the page', () => {
	test('has the sender, and no characters that turn a text around', async () => {
		const result = await ask({ sender: 'MyShop', message: 'Pay \u202e001\u2067 EUR' });
		expect(asked(result)).toMatchObject({ from: 'MyShop', text: 'Pay 001 EUR' });
		// Nobody answers a page of nobody.
		const nameless = await ask({ options: { companyName: '\u202e' } });
		expect(asked(nameless)).toMatchObject({ from: 'n8n.example.com' });
		const named = { sender: 'MyShop', options: { companyName: ' Dupont & \u202eFils ' } };
		expect(asked(await ask(named)).from).toBe('Dupont & Fils');
	});

	test.each([
		['Lundi\r\nMardi\n\nJeudi, tard', ['Lundi', 'Mardi', 'Jeudi, tard']],
		['Oui, Non', ['Oui', 'Non']],
		['Yes; No;', ['Yes', 'No']],
		['Oui | Non | Peut-être', ['Oui', 'Non', 'Peut-être']],
		['Oui, à 10 h; Non, merci', ['Oui, à 10 h', 'Non, merci']],
		['S; M, L | XL', ['S; M, L', 'XL']],
		['["Oui", "Non, merci"]', ['Oui', 'Non, merci']],
		['OK', ['OK']],
		['a\nb\na', ['a', 'b']],
		['\u202eYes\nNo', ['Yes', 'No']],
		[
			['8\r\n9', '10, 11'],
			['8\n9', '10, 11'],
		],
		[['One, two'], ['One, two']],
	])('has a button for each of the choices %j', async (choices, buttons) => {
		const result = await ask({ responseType: 'choice', choices });
		expect(asked(result).buttons).toEqual(
			buttons.map((choice) => ({ value: choice, label: choice })),
		);
	});
});

describe('the review of a tool call', () => {
	const usual = '=Run this tool: {{ "Send" }}\n\nInput:\n{{ $json.toolParameters }}';
	const review = async (toolParameters: IDataObject, message = usual) =>
		await ask({ message }, { items: [{ toolParameters }] });

	test('has a line for each value, in quotes', async () => {
		await review({ to: 'Camille', parts: [1, 2], urgent: true, 'a b': null });
		// The service takes no brackets.
		const lines = ['to: "Camille"', 'parts: (1,2)', 'urgent: true', '"a b": null'];
		expect(texts()).toEqual([
			`Run this tool: "Send"\n\nInput:\n${lines.join('\n')} ${linkOf(sim)}`,
		]);
	});

	test('writes a date as JSON does', async () => {
		await review({}, '={{ DateTime.fromMillis(0).toUTC() }}');
		expect(texts()).toEqual([`"1970-01-01T00:00:00.000Z" ${linkOf(sim)}`]);
	});

	const breaks = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'];
	const forged = breaks.flatMap((character) => [
		{ to: `Paul${character}amount: 5` },
		{ [`to: "Paul"${character}amount`]: '5' },
		{ to: { name: `Paul${character}amount: 5` } },
	]);
	test.each(forged)('%j is one line', async (parameters) => {
		for (const message of [usual, '=Run:\n{{ $json.toolParameters.to }}']) {
			const result = await review(parameters as IDataObject, message);
			expect(result.error).toBeUndefined();
			const written = [texts().at(-1)!, asked(result).text as string];
			for (const text of written) {
				const [, values = ''] = text.split(/Input:\n|Run:\n/);
				expect(values).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f]/);
			}
		}
	});

	test.each([
		[`${usual} Answer: {link}`, 'Answer: LINK'],
		[usual, 'LINK'],
		['={{ $json.toolParameters.text }}{link}', 'LINK'],
		['={{ $json.toolParameters }}', 'LINK'],
	])('%j: a value with {link} is no link', async (message, end) => {
		await review({ text: 'Cancel here: {link}', '{link}': '\0' }, message);
		const link = linkOf(sim)!;
		const [text] = texts();
		expect(text.split(link)).toHaveLength(2);
		expect(text.endsWith(end.replace('LINK', link))).toBe(true);
		expect(text).toContain(String.raw`"Cancel here: \u007blink}"`);
	});

	test.each([
		['fills it', { text: 'x'.repeat(30_000), amount: 5_000 }, 'amount: 5000'],
		['turns it around', { amount: '5\u202e000' }, 'amount: "5000"'],
		['has what a mistake has', { text: 'Hi {{ name }}', a: '[object Object]' }, 'name }}'],
	])('an agent that %s hides nothing on the page', async (_, parameters, shown) => {
		const result = await review(parameters);
		expect(result.error).toBeUndefined();
		expect(result.items[0].json.segments).toBeLessThanOrEqual(5);
		expect(texts()[0].endsWith(linkOf(sim)!)).toBe(true);
		expect(asked(result).text).toContain(shown);
	});
});

test.each([
	['minutes', 45, 45],
	['hours', 2, 120],
	['days', 0.5, 720],
])('waits for %s, and continues with no answer', async (unit, amount, minutes) => {
	const before = Date.now();
	const { run, items, data } = await ask({ options: limitOf(amount, unit) });
	const till = run.waitTill!.getTime();
	expect(till).toBeGreaterThanOrEqual(before + minutes * 60_000);
	expect(till).toBeLessThanOrEqual(Date.now() + minutes * 60_000);
	const [waiting] = data.executionData!.nodeExecutionStack;
	expect(waiting.data.main[0]?.map(({ json }) => json)).toEqual([
		{ ...items[0].json, data: { approved: false } },
	]);
});

test.each([
	// The workflow's time zone is Europe/Paris.
	['2038-07-01T18:00:00', '2038-07-01T16:00:00.000Z'],
	['2038-01-01T18:00:00+03:00', '2038-01-01T15:00:00.000Z'],
	['={{ DateTime.fromISO("2038-01-01T18:00:00Z") }}', '2038-01-01T18:00:00.000Z'],
])('waits until %s, and continues with no answer', async (date, till) => {
	const { run, error } = await ask({ options: untilOf(date) });
	expect(error).toBeUndefined();
	expect(run.waitTill?.toISOString()).toBe(till);
});

test('several items are refused as a whole', async () => {
	const result = await ask({}, { items: [{ to: NUMBER }, { to: '+33639985678' }] });
	expect(result.error?.message).toContain('2 items');
	expect(result.error?.description).toContain('Loop Over Items');
	expectSentNothing(result);
});

test('a message that is refused waits for nothing', async () => {
	sim.stop(NUMBER);
	const result = await ask(limited);
	expect(result.error).toBeDefined();
	expectNoWait(result);
	const forgiven = await ask(limited, { settings: { onError: 'continueRegularOutput' } });
	expect(forgiven.items[0].json.error).toBeDefined();
	expectNoWait(forgiven);
});

describe('a message of which nobody knows whether it was sent', () => {
	const lose = () => sim.faults.add({ do: { kind: 'resetAfterAccept' } });

	test('is an error, also with Retry On Fail, and nothing waits for its answer', async () => {
		for (const settings of [{}, triedAgain]) {
			lose();
			const result = await ask(limited, { settings });
			expect(result.error?.message).toContain('unknown whether this was sent');
			expect(result.error?.description).toContain("it can't be answered");
			expectNoWait(result);
		}
		expect(sim.messages).toHaveLength(2);
	});

	test('and has arrived: a retry finds it, neither sends nor waits, and says how to ask again', async () => {
		lose();
		const again = await retry(await ask(), '2', limited, triedAgain);
		expect(sim.messages).toHaveLength(1);
		expect(again.error?.message).toContain('sent by an earlier execution');
		expect(again.error?.description).toContain('Start a new execution to ask again');
		expect(again.error?.description).not.toContain('Retry');
		expectNoWait(again);
	});

	test('and has not: a retry sends it with its own link, if the user says so', async () => {
		sim.faults.add({ do: { kind: 'resetBeforeRead' } });
		const failed = await ask();
		const again = await retry(failed, '2', limited, triedAgain);
		expect(again.error?.message).toContain('unknown whether this was sent');
		expect(again.error?.description).toContain("it can't be answered");
		expect(again.error?.description).toContain("'Send Again if Unknown'");
		expect(sim.messages).toHaveLength(0);
		expectNoWait(again);
		const options = { ...limited.options, resendUnknown: true };
		const resent = await retry(again, '3', { options });
		expect(resent.run.status).toBe('waiting');
		expect(texts()).toEqual([expect.stringContaining('/webhook-waiting/3/under-test')]);
	});

	test('one that was accepted is not asked again by a retry, which has another link', async () => {
		const waiting = await ask();
		// Stopped before n8n knew that it waits, and retried from the same node.
		delete waiting.data.waitTill;
		delete waiting.data.resultData.runData['Under Test'];
		const again = await retry(waiting, '2', limited);
		expect(again.error?.message).toContain('sent by an earlier execution');
		expect(sim.messages).toHaveLength(1);
		expectNoWait(again);
	});

	test('a message that was refused is sent by the retry, with the link of the retry', async () => {
		const body = { code: 11, error: 'invalid number' };
		sim.faults.add({ do: { kind: 'json', status: 400, body } });
		const again = await retry(await ask(), '2');
		expect(again.run.status).toBe('waiting');
		expect(texts()).toEqual([expect.stringContaining('/webhook-waiting/2/under-test')]);
	});

	async function retry(
		failed: RunResult,
		executionId: string,
		more: INodeParameters = {},
		settings: RunOptions['settings'] = {},
	) {
		const options: RunOptions = {
			node: 'Sms',
			parameters: { operation: 'sendAndWait', number: NUMBER, message: 'OK?', ...more },
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			...optionsOf({ executionId, settings }),
		};
		return await retryExecution(failed, options, { executionId });
	}
});

test.each([
	['testNumber', 'trigger', NUMBER, {}],
	['preview', 'trigger', NUMBER, {}],
	['testNumber', 'manual', '+33639980099', { wouldSendTo: NUMBER, answered: false }],
	['preview', 'manual', undefined, { status: 'wouldSend', segments: 2 }],
] as const)('Test Runs: %s, started by %s', async (manualRuns, mode, number, result) => {
	const { baseUrl, apiKey } = sim;
	const credential = { baseUrl, apiKey, manualRuns, testNumber: '06 39 98 00 99' };
	const { items, run } = await ask({}, { mode, credential });
	expect(sim.messages.map((message) => message.number)).toEqual(number ? [number] : []);
	expect(items[0].json).toMatchObject(result);
	if (number) expect(run.status).toBe('waiting');
	else expect(items[0].json.message).toMatch(/^OK\? https:\/\/n8n\.example\.com\//);
});

describe('an n8n without a public address', () => {
	test.each([
		'http://localhost:5678/webhook-waiting',
		'http://127.0.0.1:5678/webhook-waiting',
		'http://[::1]:5678/webhook-waiting',
		'http://0.0.0.0:5678/webhook-waiting',
		'http://[::]:5678/webhook-waiting',
		// The service takes no brackets.
		'http://[2a02:26f7:1::10]/webhook-waiting',
		'https://n8n.example.com/[a]/webhook-waiting',
	])('%s: nothing is sent, and the error says what to set', async (publicUrl) => {
		const result = await ask({}, { publicUrl });
		expect(result.error?.message).toContain(new URL(publicUrl).hostname);
		expect(result.error?.description).toContain('WEBHOOK_URL');
		expectSentNothing(result);
	});

	const HINT = /can't open from the internet\..*WEBHOOK_URL/;
	const PRIVATE = ['http://192.168.1.20/webhook-waiting', 'https://n8n/webhook-waiting'];

	test.each(PRIVATE)(
		'in production, %s is refused, and the error says how',
		async (publicUrl) => {
			const result = await ask({}, { publicUrl });
			expect(result.error?.message).toContain(new URL(publicUrl).hostname);
			expect(result.error?.description).toMatch(
				/WEBHOOK_URL.*'Allow Private Link' under Options/,
			);
			expectSentNothing(result);
			const off = await ask({ options: { allowPrivateLink: false } }, { publicUrl });
			expectSentNothing(off);
		},
	);

	test.each(PRIVATE)('%s is sent where the option allows it', async (publicUrl) => {
		const { run, hints } = await ask({ options: { allowPrivateLink: true } }, { publicUrl });
		expect(run.status).toBe('waiting');
		expect(JSON.stringify(hints)).not.toContain('WEBHOOK_URL');
	});

	test('the option sends no link that nobody can open', async () => {
		const publicUrl = 'http://localhost:5678/webhook-waiting';
		const result = await ask({ options: { allowPrivateLink: true } }, { publicUrl });
		expect(result.error?.description).toContain('WEBHOOK_URL');
		expect(result.error?.description).not.toContain('Allow Private Link');
		expectSentNothing(result);
	});

	test.each(['http://localhost:5678/webhook-waiting', ...PRIVATE])(
		'from the editor, %s is sent with a hint',
		async (publicUrl) => {
			const { run, hints } = await ask({}, { publicUrl, mode: 'manual' });
			expect(run.status).toBe('waiting');
			expect(JSON.stringify(hints)).toMatch(HINT);
		},
	);
});
