/**
 * Runs from the editor, by the credential: for real, to a test number, or not at all. Everything that n8n
 * runs in production sends for real.
 */
import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { editorOf } from '../editor.mts';
import {
	deduplicationStore,
	loadNode,
	retryExecution,
	runNode,
	type RunOptions,
} from '../harness.mts';
import { hurry, jsonOf, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const OWN = '+33639980000';
const AS_TYPED = '06 39 98 00 00';
const TO = ['+33639981231', '+33639981232', '+33639981233'];
/** What a batch has in every row, where nothing was sent. */
const NOT_SENT = { reason: '', snapshotId: null, creditsUsed: null, advice: '' };
const OPERATIONS = ['send', 'sendBatch', 'sendByUrl'];

function options(
	operation: string,
	manualRuns: string | undefined,
	{ options: more = {}, ...rest }: Partial<RunOptions> & { options?: IDataObject } = {},
): RunOptions {
	const items = TO.map((to) => ({ to }));
	const { baseUrl, apiKey } = sim;
	const credential = { baseUrl, apiKey, manualRuns, testNumber: AS_TYPED };
	return smsRun(sim, items, { operation, options: more }, { credential, ...rest });
}
const texted = () => sim.messages.map(({ number }) => number);
const stored = () => [...deduplicationStore.rows.values()].flat();

describe.each(OPERATIONS)('%s from the editor', (operation) => {
	const run = (
		...rest: [string | undefined, (Partial<RunOptions> & { options?: IDataObject })?]
	) => options(operation, ...rest);

	test.each([undefined, 'send'])('sends for real with %s', async (manualRuns) => {
		const { items } = await runNode(run(manualRuns));
		expect(texted()).toEqual(TO);
		for (const { json } of items) expect(json).not.toHaveProperty('wouldSendTo');
	});

	test('sends nothing with Send Nothing, and shows what would go', async () => {
		const { items, error } = await runNode(run('preview'));
		expect(error).toBeUndefined();
		expect(sim.requests).toHaveLength(0);
		expect(jsonOf(items)).toEqual(
			TO.map((number) => ({
				status: 'wouldSend',
				number,
				message: 'Bonjour',
				encoding: 'GSM-7',
				segments: 1,
				...(operation === 'sendBatch' ? NOT_SENT : {}),
			})),
		);
	});

	test('sends the first message to the test number, and shows the others', async () => {
		const { items } = await runNode(run('testNumber'));
		expect(texted()).toEqual([OWN]);
		expect(jsonOf(items)).toMatchObject([
			{ number: OWN, wouldSendTo: TO[0], snapshotId: expect.any(String) },
			{ status: 'wouldSend', number: TO[1] },
			{ status: 'wouldSend', number: TO[2] },
		]);
		expect(items[1].json.snapshotId ?? undefined).toBeUndefined();
	});

	test.each([
		['no test number', { testNumber: '' }],
		['a test number that is none', { testNumber: 'me' }],
		['a fixed line', { testNumber: '01 39 98 12 34' }],
		['another word', { manualRuns: 'sometimes' }],
	])('sends nothing when the credential has %s', async (_, wrong) => {
		const given = run('testNumber');
		const { error } = await runNode({
			...given,
			credential: { ...given.credential, ...wrong },
		});
		expect(error?.message).toMatch(/'Test Number'|'Test Runs'|fixed line/);
		expect(sim.requests).toHaveLength(0);
	});

	test('checks the items as a real run does', async () => {
		const items = [{ to: TO[0] }, { to: 'nobody' }];
		const { items: outcomes, error } = await runNode(run('preview', { items }));
		if (operation === 'sendBatch') expect(outcomes[1].json.status).toBe('invalid');
		else expect(error?.message).toContain('nobody');
	});

	test('shows duplicates as a real run would leave them out', async () => {
		const items = [{ to: TO[0] }, { to: TO[0] }];
		const { items: outcomes } = await runNode(
			run('preview', { items, options: { skipDuplicates: true } }),
		);
		expect(outcomes.map(({ json }) => json.status)).toEqual(['wouldSend', 'skipped']);
	});

	test.each(['testNumber', 'preview'])(
		'a run with %s keeps nothing from being sent for real later',
		async (manualRuns) => {
			const more = { onError: 'continueRegularOutput' } as const;
			const test = run(manualRuns, { settings: more });
			const first = await runNode(test);
			sim.reset();
			// The same stored execution, as a retry would find it, now for real.
			const result = await retryOf(first, test);
			expect(texted()).toEqual(TO);
			expect(result.items).toHaveLength(3);
		},
	);

	test('Retry On Fail texts the test number once', async () => {
		sim.faults.add({
			match: ({ target }) => target.includes('/send'),
			times: 1,
			do: { kind: 'json', status: 402, body: { code: 71, error: 'Credits' } },
		});
		const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error } = await runNode(run('testNumber', { settings: retryOnFail }));
		expect(error).toBeUndefined();
		expect(texted()).toEqual([OWN]);
	});
});

/** Runs the node again on what the execution has stored, with the credential as it is for real. */
async function retryOf(first: Awaited<ReturnType<typeof runNode>>, given: RunOptions) {
	const contextData = first.data.executionData?.contextData ?? {};
	const again = { ...first, data: structuredClone(first.data) };
	again.data.executionData!.contextData = contextData;
	again.data.executionData!.nodeExecutionStack = [
		{
			node: { ...given } as never,
			data: { main: [given.items!.map((json, item) => ({ json, pairedItem: { item } }))] },
			source: { main: [{ previousNode: 'Input', previousNodeRun: 0 }] },
		},
	];
	again.data.resultData.lastNodeExecuted = 'Under Test';
	delete again.data.resultData.runData['Under Test'];
	return await retryExecution(again, given, {
		credential: { ...given.credential, manualRuns: 'send' },
	});
}

describe('once keys', () => {
	test.each([
		['send', 'testNumber'],
		['send', 'preview'],
		['sendBatch', 'testNumber'],
		['sendBatch', 'preview'],
	])('none is claimed in %s with %s', async (operation, manualRuns) => {
		const once = { onceKey: '={{ $json.to }}' };
		await runNode(options(operation, manualRuns, { options: once }));
		expect(stored()).toEqual([]);
		const { items } = await runNode(options(operation, 'send', { options: once }));
		expect(items.map(({ json }) => json.status)).toEqual(['sent', 'sent', 'sent']);
	});
});

test.each([
	[{}, 'Send for Real'],
	[{ manualRuns: 'send', testNumber: AS_TYPED }, 'Send for Real'],
	[{ manualRuns: 'preview' }, 'Send Nothing'],
	[{ manualRuns: 'testNumber', testNumber: AS_TYPED }, `Send to ${OWN} Only`],
	// Such a run fails: see above.
	[{ manualRuns: 'testNumber', testNumber: '' }, 'See the Credential'],
	[{ manualRuns: 'shout' }, 'See the Credential'],
])('with %j, the form shows "%s", and asks the service nothing', async (settings, shown) => {
	for (const node of ['Sms', 'SmsCampaign']) {
		const { getTestRuns } = loadNode(node).methods!.loadOptions!;
		const form = editorOf(node, sim, {}, 'parameters', settings);
		expect(await getTestRuns.call(form)).toMatchObject([{ name: shown, value: 'credential' }]);
	}
	expect(sim.requests).toEqual([]);
});

test('a form without a credential says where to look', async () => {
	const { getTestRuns } = loadNode('Sms').methods!.loadOptions!;
	const form = editorOf('Sms', sim);
	form.getCredentials = async () => await Promise.reject(new Error('none is set'));
	expect(await getTestRuns.call(form)).toMatchObject([{ name: 'See the Credential' }]);
});

test.each(OPERATIONS)('%s says in front that nobody else was texted', async (operation) => {
	const { hints } = await runNode(options(operation, 'testNumber'));
	expect(hints).toMatchObject([
		{
			type: 'info',
			message: expect.stringMatching(
				/^Test run: nobody but the test number \+33639980000 was texted, .+ 1 sent, 2 would be sent\./,
			),
		},
	]);
});

test('of one whose answer was lost, it does not claim that nobody was texted', async () => {
	sim.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
	const settings = { onError: 'continueRegularOutput' } as const;
	const run = { items: [{ to: TO[0] }], settings };
	const { hints } = await runNode(options('send', 'testNumber', run));
	expect(JSON.stringify(hints)).toContain('nobody but the test number +33639980000 was texted');
	expect(JSON.stringify(hints)).toContain('1 unknown.');
});

test('without a test number, it says that nothing was sent', async () => {
	const { hints } = await runNode(options('sendBatch', 'preview'));
	expect(JSON.stringify(hints)).toContain('Test run: nothing was sent, as ');
	expect(JSON.stringify(hints)).toContain('3 would be sent. 3 segments.');
	expect(texted()).toEqual([]);
});

describe('production sends for real, whatever the credential says', () => {
	const MODES: WorkflowExecuteMode[] = [
		'trigger',
		'webhook',
		'integrated',
		'error',
		'cli',
		'internal',
		'chat',
		'retry',
	];
	for (const operation of OPERATIONS) {
		test.each(MODES)(`${operation}: %s`, async (mode) => {
			const { items } = await runNode(options(operation, 'preview', { mode }));
			expect(texted()).toEqual(TO);
			for (const { json } of items) expect(json).not.toHaveProperty('wouldSendTo');
		});
	}

	test('a sub-workflow of a workflow in production', async () => {
		await runNode(options('send', 'preview', { mode: 'integrated', rootMode: 'webhook' }));
		expect(texted()).toEqual(TO);
	});

	test('the retry of an execution in production', async () => {
		const given = options('send', 'preview', { mode: 'webhook' });
		sim.stop(TO[1]);
		const failed = await runNode(given);
		expect(failed.error).toBeDefined();
		sim.service.removeFromBlacklist('unsubscribers', TO[1]);
		await retryExecution(failed, given);
		expect(texted().sort()).toEqual(TO);
	});
});

describe('a test run goes on as one', () => {
	test.each(['manual', 'evaluation'] as const)('in a sub-workflow: %s', async (rootMode) => {
		await runNode(options('send', 'preview', { mode: 'integrated', rootMode }));
		expect(sim.requests).toHaveLength(0);
	});

	test('in an evaluation', async () => {
		await runNode(options('send', 'preview', { mode: 'evaluation' }));
		expect(sim.requests).toHaveLength(0);
	});

	test('when its execution is retried', async () => {
		const given = options('send', 'testNumber');
		sim.stop(OWN);
		const failed = await runNode(given);
		expect(failed.error).toBeDefined();
		sim.service.removeFromBlacklist('unsubscribers', OWN);
		await retryExecution(failed, given);
		expect(texted()).toEqual([OWN]);
	});
});

describe('SMS Campaign', () => {
	const given = (operation: string, manualRuns: string): RunOptions => ({
		node: 'SmsCampaign',
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, manualRuns, testNumber: OWN },
		parameters: {
			operation,
			campaign: { __rl: true, mode: 'id', value: '5ea1b2c3d4e5f60718293a4b' },
			...(operation === 'sendTest' ? { number: TO[0] } : {}),
		},
	});

	test.each(['send', 'sendTest'])('%s sends nothing with Send Nothing', async (operation) => {
		const { items } = await runNode(given(operation, 'preview'));
		// A campaign's state may be looked at first.
		expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		expect(jsonOf(items)).toMatchObject([
			{ id: '5ea1b2c3d4e5f60718293a4b', status: 'wouldSend' },
		]);
	});

	test.each(['send', 'sendTest'])(
		'%s sends a test of the campaign to the test number',
		async (operation) => {
			await runNode(given(operation, 'testNumber'));
			expect(
				sim.requests
					.filter(({ method }) => method !== 'GET')
					.map(({ method, path, bodyText }) => [method, path, bodyText]),
			).toEqual([
				[
					'POST',
					'/v2/marketing/campaigns/5ea1b2c3d4e5f60718293a4b/test',
					JSON.stringify({ identifier: OWN }),
				],
			]);
		},
	);
});

/**
 * A test run differs from a real one in nobody but who gets it: it leaves when the real one would, and is
 * refused when that would be, not because of where the test number is.
 */
describe("Allowed Hours in the recipient's time zone are those of the real recipient", () => {
	afterEach(() => vi.restoreAllMocks());
	const JAPAN = '+819012345678'; // Of a country whose time zone isn't known
	const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
	const testRun = async (
		operation: string,
		to: string,
		otherwise: string,
		testNumber: string,
	) => {
		const hours = {
			...{ from: '08:00', to: '20:00', days: WEEK, holidays: false, otherwise },
			timeZone: 'recipient',
		};
		const given = options(operation, 'testNumber', {
			items: [{ to }],
			options: { allowedHours: { hours } },
		});
		// 23:30 in Paris, 18:30 in Guadeloupe.
		vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-15T22:30:00Z'));
		return await runNode({ ...given, credential: { ...given.credential, testNumber } });
	};

	test.each([OWN, JAPAN])('it leaves when the real one would, also to %s', async (own) => {
		for (const operation of ['send', 'sendBatch']) {
			sim.reset();
			const later = await testRun(operation, '0639981231', 'schedule', own);
			expect(later.items[0].json).toMatchObject({
				...{ number: own, status: 'scheduled' },
				scheduledFor: '2026-01-16T08:00:00.000+01:00',
			});
			const now = await testRun(operation, '0690123456', 'refuse', own);
			expect(now.items[0].json).toMatchObject({ number: own, status: 'sent' });
			expect(texted()).toEqual([own, own]);
		}
	});

	test.each(['0639981231', JAPAN])(
		'it is refused where the real one to %s would be',
		async (to) => {
			for (const operation of OPERATIONS) {
				const { items, error } = await testRun(operation, to, 'refuse', OWN);
				expect(items).toEqual([]);
				expect(error?.message).toMatch(/'Allowed Hours'|time zone of/);
			}
			expect(texted()).toEqual([]);
		},
	);
});
