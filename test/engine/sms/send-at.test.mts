/** Send At: what is now, what a hint says about it, and what an agent hears. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { asksTheEngine, invokes, invokeTool, type Call } from '../delivery/agent.mts';
import { runNode } from '../harness.mts';
import { hurry, NUMBER, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
const dates = () =>
	sim
		.requestsTo('POST', /send$/)
		.map(({ bodyText }) => (JSON.parse(bodyText) as { date?: number }).date);
const sending = (date: string, rows: IDataObject[] = [{}], options: IDataObject = {}) =>
	runNode(
		smsRun(
			sim,
			rows.map((row, index) => ({ ...row, to: `+3363998123${index}` })),
			{ operation: 'send', number: '={{ $json.to }}', options: { date, ...options } },
			{ timeZone: 'Europe/Paris' },
		),
	);

describe('now', () => {
	test.each([
		'={{ $now }}',
		'={{ $now.toISO() }}',
		'={{ $json.at ?? $now }}',
		'={{ $now.minus({ seconds: 50 }) }}',
		'={{ new Date() }}',
		'={{ Date.now() }}',
	])('%s is sent at once, without a date', async (date) => {
		const { error, items } = await sending(date, [{}, {}]);
		expect(error?.message).toBeUndefined();
		expect(items.map(({ json }) => json.status)).toEqual(['sent', 'sent']);
		expect(dates()).toEqual([undefined, undefined]);
	});

	test('stays now, however long the messages before it take', async () => {
		const moveOn = setClock('2030-01-15T09:00:00Z');
		sim.faults.add({
			path: /send$/,
			// Each message takes five minutes.
			match: () => {
				moveOn(300_000);
				return false;
			},
			do: { kind: 'cutBody' },
		});
		const { error } = await sending('={{ $now }}', [{}, {}], { concurrency: 1 });
		expect(error?.message).toBeUndefined();
		expect(dates()).toEqual([undefined, undefined]);
	});

	test('tells no two messages apart', async () => {
		const rows = [{ to: NUMBER }, { to: NUMBER }];
		const { items } = await runNode(
			smsRun(sim, rows, {
				...{ operation: 'sendBatch', number: NUMBER, options: { date: '={{ $now }}' } },
				safeguards: { skipDuplicates: true },
			}),
		);
		expect(items.map(({ json }) => json.status)).toEqual(['sent', 'skipped']);
	});

	test('earlier is past', async () => {
		const { error } = await sending('={{ $now.minus({ seconds: 70 }) }}');
		expect(error?.message).toContain('is in the past');
		expect(sim.requests).toEqual([]);
	});
});

describe('hints', () => {
	const hintOf = async (date: string, options: IDataObject = {}) => {
		const { error, hints } = await sending(date, [{ at: 'x' }], options);
		expect(error?.message).toBeUndefined();
		return JSON.stringify(hints);
	};

	test('a day without a time is midnight', async () => {
		expect(await hintOf('2030-12-24')).toContain(
			"'Send At' without a time is midnight: 2030-12-24 (1 item).",
		);
		expect(dates()).toEqual([Date.UTC(2030, 11, 23, 23)]);
		expect(await hintOf('2030-12-24T00:00')).not.toContain('midnight');
		expect(await hintOf('2030-12-24 09:30')).not.toContain('midnight');
	});

	test.each(['2030-12-24T09:00:00Z', '2031-05-05T09:00:00Z', '2031-05-06T09:00:00Z'])(
		'the day comes before the month, read at %s',
		async (moment) => {
			setClock(moment);
			const hint = await hintOf('05/06/2031 09:30');
			expect(hint).toContain('day before the month: 05/06/2031 09:30 (1 item)');
			expect(dates()).toEqual([Date.UTC(2031, 5, 5, 7, 30)]);
			expect(await hintOf('24/06/2031 09:30')).not.toContain('the month');
		},
	);

	test('with Allowed Hours, nobody gets it at midnight', async () => {
		const allowedHours = { hours: { from: '08:00', to: '20:00', days: ['tuesday'] } };
		expect(await hintOf('2030-12-24', { allowedHours })).not.toContain('midnight');
		expect(dates()).toEqual([Date.UTC(2030, 11, 24, 7)]);
		// But the day may still be another one.
		const hint = await hintOf('05/06/2031 09:30', { allowedHours });
		expect(hint).toContain('day before the month: 05/06/2031 09:30 (1 item)');
	});
});

describe.each([
	['the agent invokes it', invokes],
	['the agent asks the engine', asksTheEngine],
])('%s', (_, agent) => {
	const call = async (date: string) => {
		const calls: Call[] = [{ input: { number: NUMBER, message: 'Bonjour', date } }];
		await invokeTool({
			node: 'Sms',
			parameters: {
				operation: 'send',
				number: "={{ $fromAI('number', 'To', 'string') }}",
				message: "={{ $fromAI('message', 'Text', 'string') }}",
				options: { date: "={{ $fromAI('date', 'When', 'string') }}" },
			},
			settings: {},
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			agent,
			calls,
		});
		return JSON.stringify([calls[0].answer, calls[0].error?.message, calls[0].error]);
	};

	test.each(['now', 'immediately', 'asap', 'right away', 'maintenant'])(
		'%s hears how to send now, and then does',
		async (word) => {
			expect(await call(word)).toContain('eave the field empty to send now');
			expect(sim.messages).toEqual([]);
			await call('');
			expect(sim.messages).toHaveLength(1);
			expect(dates()).toEqual([undefined]);
		},
	);
});
