/** Send and Wait for Response: the message, and when the execution is put to wait. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { linkOf } from '../../operations.mts';
import { KEY } from '../delivery/answers.mts';
import { CONTINUE, RETRY_ON_FAIL } from '../delivery/sending.mts';
import { answer, sim } from '../delivery/service.mts';
import { jsonOf, textOf } from '../delivery/support.mts';
import { retryExecution, runNode, workflow, type RunOptions, type RunResult } from '../harness.mts';
import { hours } from './hours.mts';
import { NUMBER } from './support.mts';

/** As long as an address is where a proxy is before n8n: with the link, no message is one segment. */
const PUBLIC = 'https://n8n.example.com/automation-of-the-company/webhook-waiting';
const limitOf = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	({ limitWaitTime: { values: { resumeAmount, resumeUnit } } }) as INodeParameters;
const untilOf = (maxDateAndTime: unknown) =>
	({
		limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime } },
	}) as INodeParameters;
const limited = { options: limitOf(45) };

/** A question in production, where n8n has a public address. */
const question = (
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
): RunOptions => ({
	node: 'Sms',
	parameters: { operation: 'sendAndWait', number: NUMBER, message: 'OK?', ...parameters },
	credential: { baseUrl: sim.baseUrl, apiKey: KEY },
	...{ mode: 'trigger', publicUrl: PUBLIC },
	...more,
});
const ask = async (...given: Parameters<typeof question>) => await runNode(question(...given));

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
		const result = await ask({ message: 'Votre colis est prêt. OK ?' });
		const link = linkOf(sim)!;
		expect(texts()).toEqual([`Votre colis est pret. OK ? ${link}`]);
		expect(link).toMatch(
			/^https:\/\/n8n\.example\.com\/automation-of-the-company\/webhook-waiting\/1\/under-test\?q=0&signature=\w{64}$/,
		);
		const { snapshotId, creditsUsed } = sim.messages[0];
		expect(jsonOf(result)).toEqual([
			{
				...{ answered: false, status: 'sent', number: NUMBER, snapshotId, creditsUsed },
				...{ segments: 2, replacements: 'ê → e' },
			},
		]);
		expect(result.run.waitTill).toEqual(workflow.WAIT_INDEFINITELY);
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
		const result = await ask({ options: hours({ days: ['thursday'] }) as INodeParameters });
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
	const forgiven = await ask(limited, { settings: CONTINUE });
	expect(forgiven.items[0].json.error).toBeDefined();
	expectNoWait(forgiven);
});

describe('a message of which nobody knows whether it was sent', () => {
	const retry = async (
		failed: RunResult,
		executionId: string,
		...given: Parameters<typeof question>
	) => await retryExecution(failed, question(...given), { executionId });
	const tried = { settings: RETRY_ON_FAIL };

	test.each([{}, tried])('is an error, and nothing waits for its answer (%j)', async (more) => {
		answer('reset, accepted', { times: 1 });
		const result = await ask(limited, more);
		expect(result.error?.message).toContain('unknown whether this was sent');
		expect(textOf(result)).toContain("it can't be answered");
		expectNoWait(result);
		expect(sim.messages).toHaveLength(1);
	});

	test('and has arrived: a retry finds it, neither sends nor waits, and says how to ask again', async () => {
		answer('reset, accepted', { times: 1 });
		const again = await retry(await ask(), '2', limited, tried);
		expect(sim.messages).toHaveLength(1);
		expect(again.error?.message).toContain('sent by an earlier execution');
		expect(textOf(again)).toContain('Start a new execution to ask again');
		expect(textOf(again)).not.toContain('Retry');
		expectNoWait(again);
	});

	test('and has not: a retry sends it with its own link, if the user says so', async () => {
		answer('reset, not accepted', { times: 1 });
		const again = await retry(await ask(), '2', limited, tried);
		expect(again.error?.message).toContain('unknown whether this was sent');
		expect(textOf(again)).toContain("it can't be answered");
		expect(textOf(again)).toContain("'Send Again if Unknown'");
		expect(sim.messages).toEqual([]);
		expectNoWait(again);
		const options = { ...limited.options, resendUnknown: true };
		expect((await retry(again, '3', { options })).run.status).toBe('waiting');
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

	test('one that was refused is sent by the retry, with the link of the retry', async () => {
		answer('400 code 19', { times: 1 });
		expect((await retry(await ask(), '2')).run.status).toBe('waiting');
		expect(texts()).toEqual([expect.stringContaining('/webhook-waiting/2/under-test')]);
	});
});

test.each([
	['testNumber', 'trigger', NUMBER, {}],
	['preview', 'trigger', NUMBER, {}],
	['testNumber', 'manual', '+33639980099', { wouldSendTo: NUMBER, answered: false }],
	['preview', 'manual', undefined, { status: 'wouldSend', segments: 2 }],
] as const)('Test Runs: %s, started by %s', async (manualRuns, mode, number, result) => {
	const own = { manualRuns, testNumber: '06 39 98 00 99' };
	const credential = { baseUrl: sim.baseUrl, apiKey: KEY, ...own };
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

	const LOCAL = 'http://localhost:5678/webhook-waiting';
	const PRIVATE = ['http://192.168.1.20/webhook-waiting', 'https://n8n/webhook-waiting'];
	const allowing = (allowPrivateLink: boolean) => ({ options: { allowPrivateLink } });

	test.each(PRIVATE)('in production, %s needs the option', async (publicUrl) => {
		for (const parameters of [{}, allowing(false)]) {
			const result = await ask(parameters, { publicUrl });
			expect(result.error?.message).toContain(new URL(publicUrl).hostname);
			expect(textOf(result)).toMatch(/WEBHOOK_URL.*'Allow Private Link' under Options/);
			expectSentNothing(result);
		}
		const { run, hints } = await ask(allowing(true), { publicUrl });
		expect(run.status).toBe('waiting');
		expect(JSON.stringify(hints)).not.toContain('WEBHOOK_URL');
	});

	test('the option sends no link that nobody can open', async () => {
		const result = await ask(allowing(true), { publicUrl: LOCAL });
		expect(textOf(result)).toContain('WEBHOOK_URL');
		expect(textOf(result)).not.toContain('Allow Private Link');
		expectSentNothing(result);
	});

	test.each([LOCAL, ...PRIVATE])('from the editor, %s is sent with a hint', async (publicUrl) => {
		const { run, hints } = await ask({}, { publicUrl, mode: 'manual' });
		expect(run.status).toBe('waiting');
		expect(JSON.stringify(hints)).toMatch(/can't open from the internet\..*WEBHOOK_URL/);
	});
});
