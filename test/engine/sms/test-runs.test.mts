/**
 * Runs from the editor, by the credential: for real, to a test number, or not at all. All that n8n runs in production is
 * sent for real.
 */
import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import { KEY } from '../delivery/answers.mts';
import {
	CONTINUE,
	of,
	once,
	people,
	RETRY_ON_FAIL,
	SENDING,
	sms,
	tries,
} from '../delivery/sending.mts';
import { answer, changes, reached, sim } from '../delivery/service.mts';
import { hintOf, jsonOf, statuses, textOf } from '../delivery/support.mts';
import { addCampaign } from '../campaign/support.mts';
import { editorOf } from '../editor.mts';
import {
	deduplicationStore,
	loadNode,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
	succeeded,
} from '../harness.mts';
import { hours } from './hours.mts';

const OWN = '+33639980099';
const AS_TYPED = '06 39 98 00 99';
const TO = people(3).map(({ to }) => String(to));
const [FIRST, SECOND, THIRD] = TO;

const credentialOf = (manualRuns?: string, testNumber = AS_TYPED): IDataObject => ({
	...{ baseUrl: sim.baseUrl, apiKey: KEY },
	...{ manualRuns, testNumber },
});
/** Three messages, with this choice in the credential. */
const options = (
	operation: string,
	manualRuns?: string,
	settings: IDataObject = {},
	more: Partial<RunOptions> = {},
): RunOptions => ({
	...sms(operation, people(3), settings),
	credential: credentialOf(manualRuns),
	...more,
});
const play = async (...given: Parameters<typeof options>) => await runNode(options(...given));

/** Runs the node again on what the execution has stored, with the credential as it is for real. */
async function forReal(first: RunResult, given: RunOptions): Promise<RunResult> {
	const data = structuredClone(first.data);
	data.executionData!.nodeExecutionStack = [
		{
			node: { ...given } as never,
			data: { main: [given.items!.map((json, item) => ({ json, pairedItem: { item } }))] },
			source: { main: [{ previousNode: 'Input', previousNodeRun: 0 }] },
		},
	];
	data.resultData.lastNodeExecuted = 'Under Test';
	delete data.resultData.runData['Under Test'];
	const credential = { ...given.credential, manualRuns: 'send' };
	return await retryExecution({ ...first, data }, given, { credential });
}

describe.each(SENDING)('%s from the editor', (operation) => {
	test.each([undefined, 'send'])('sends for real with %s', async (manualRuns) => {
		const { items } = await play(operation, manualRuns);
		expect(reached()).toEqual(TO);
		for (const { json } of items) expect(json).not.toHaveProperty('wouldSendTo');
	});

	test('sends nothing with Send Nothing, and shows what would go', async () => {
		const result = succeeded(await play(operation, 'preview'));
		expect(sim.requests).toEqual([]);
		const shown = { status: 'wouldSend', message: 'Bonjour', encoding: 'GSM-7', segments: 1 };
		// A batch has the same columns in every run.
		const notSent = { reason: '', snapshotId: null, creditsUsed: null, advice: '' };
		const columns = operation === 'sendBatch' ? notSent : {};
		expect(jsonOf(result)).toEqual(TO.map((number) => ({ ...shown, ...columns, number })));
		expect(hintOf(result)).toMatch(
			/^Test run: nothing was sent, as .+ 3 would be sent\. 3 segments\./,
		);
	});

	test('sends the first message to the test number, and shows the others', async () => {
		const result = await play(operation, 'testNumber');
		expect(reached()).toEqual([OWN]);
		expect(jsonOf(result)).toMatchObject([
			{ number: OWN, wouldSendTo: FIRST, snapshotId: expect.any(String) },
			{ status: 'wouldSend', number: SECOND },
			{ status: 'wouldSend', number: THIRD },
		]);
		expect(result.items[1].json.snapshotId ?? undefined).toBeUndefined();
		expect(hintOf(result)).toMatch(
			/^Test run: nobody but the test number \+33639980099 was texted, .+ 1 sent, 2 would be sent\./,
		);
		expect(result.hints?.[0].type).toBe('info');
	});

	test.each([
		['no test number', { testNumber: '' }],
		['a test number that is none', { testNumber: 'me' }],
		['a fixed line', { testNumber: '01 39 98 12 34' }],
		['another word', { manualRuns: 'sometimes' }],
	])('sends nothing when the credential has %s', async (_, wrong) => {
		const credential = { ...credentialOf('testNumber'), ...wrong };
		const { error } = await play(operation, 'testNumber', {}, { credential });
		expect(error?.message).toMatch(/'Test Number'|'Test Runs'|fixed line/);
		expect(sim.requests).toEqual([]);
	});

	test('checks the items as a real run does, and leaves out duplicates', async () => {
		const items = [...people(1), { to: 'nobody', text: 'Bonjour' }];
		const wrong = await play(operation, 'preview', {}, { items });
		if (operation === 'sendBatch') expect(statuses(wrong)[1]).toBe('invalid');
		else expect(textOf(wrong)).toContain('nobody');
		const same = { items: [...people(1), ...people(1)] };
		const result = await play(operation, 'preview', { skipDuplicates: true }, same);
		expect(statuses(result)).toEqual(['wouldSend', 'skipped']);
	});

	test.each(['testNumber', 'preview'])('%s: all is sent for real later', async (manualRuns) => {
		const given = options(operation, manualRuns, {}, { settings: CONTINUE });
		const first = await runNode(given);
		sim.reset();
		expect((await forReal(first, given)).items).toHaveLength(3);
		expect(reached()).toEqual(TO);
	});

	test('Retry On Fail texts the test number once', async () => {
		answer('402 code 71', { times: 1 });
		succeeded(await play(operation, 'testNumber', {}, { settings: RETRY_ON_FAIL }));
		expect(reached()).toEqual([OWN]);
	});

	test.each<WorkflowExecuteMode>([
		...(['trigger', 'webhook', 'integrated', 'error'] as const),
		...(['cli', 'internal', 'chat', 'retry'] as const),
	])('%s: production sends for real, whatever the credential says', async (mode) => {
		const { items } = await play(operation, 'preview', {}, { mode });
		expect(reached()).toEqual(TO);
		for (const { json } of items) expect(json).not.toHaveProperty('wouldSendTo');
	});
});

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	test.each(['testNumber', 'preview'])('claims no once key with %s', async (manualRuns) => {
		await play(operation, manualRuns, once);
		expect([...deduplicationStore.rows.values()].flat()).toEqual([]);
		expect(statuses(await play(operation, 'send', once))).toEqual(['sent', 'sent', 'sent']);
	});
});

test('a refused test message has used no once key, which would skip it', async () => {
	answer('400 code 12', { times: 1 });
	const result = await play('sendBatch', 'testNumber', once);
	expect(statuses(result)).toEqual(['refused', 'wouldSend', 'wouldSend']);
	expect(hintOf(result)).not.toContain('Once Key');
});

test('where the answer was lost, nobody but the test number may have got it', async () => {
	answer('reset, accepted', { times: 1 });
	const more = { items: people(1), settings: CONTINUE };
	const hint = hintOf(await play('send', 'testNumber', {}, more));
	expect(hint).toContain('nobody but the test number +33639980099 was texted');
	expect(hint).toContain('1 unknown.');
});

test.each([
	[{}, 'Send for Real'],
	[{ manualRuns: 'send', testNumber: AS_TYPED }, 'Send for Real'],
	[{ manualRuns: 'preview' }, 'Send Nothing'],
	[{ manualRuns: 'testNumber', testNumber: AS_TYPED }, `Send to ${OWN} Only`],
	// Such a run fails: see above.
	[{ manualRuns: 'testNumber', testNumber: '' }, 'May Send for Real: See the Credential'],
	[{ manualRuns: 'shout' }, 'May Send for Real: See the Credential'],
	// A new node has no credential yet.
	[undefined, 'May Send for Real: See the Credential'],
])('with %j, the form shows "%s", and asks the service nothing', async (settings, name) => {
	for (const node of ['Sms', 'SmsCampaign']) {
		const { getTestRuns } = loadNode(node).methods!.loadOptions!;
		const form = editorOf(node, sim, {}, 'parameters', settings);
		if (settings === undefined)
			form.getCredentials = async () => await Promise.reject(new Error('none is set'));
		expect(await getTestRuns.call(form)).toMatchObject([{ name, value: 'credential' }]);
	}
	expect(sim.requests).toEqual([]);
});

test('a sub-workflow of a workflow in production sends for real', async () => {
	await play('send', 'preview', {}, { mode: 'integrated', rootMode: 'webhook' });
	expect(reached()).toEqual(TO);
});

test.each<Partial<RunOptions>>([
	{ mode: 'integrated', rootMode: 'manual' },
	{ mode: 'integrated', rootMode: 'evaluation' },
	{ mode: 'evaluation' },
])('%j: a test run goes on as one', async (more) => {
	await play('send', 'preview', {}, more);
	expect(sim.requests).toEqual([]);
});

test.each<
	[what: string, manualRuns: string, mode: WorkflowExecuteMode, stopped: string, to: string[]]
>([
	['in production, for real', 'preview', 'webhook', SECOND, TO],
	['as a test run', 'testNumber', 'manual', OWN, [OWN]],
])('the retry of an execution %s, is the same', async (_, manualRuns, mode, stopped, to) => {
	sim.stop(stopped);
	const [failed] = await tries(options('send', manualRuns, {}, { mode }), () =>
		sim.service.removeFromBlacklist('unsubscribers', stopped),
	);
	expect(failed.error).toBeDefined();
	expect(reached()).toEqual(to);
});

describe.each(['send', 'sendTest'])('SMS Campaign %s', (operation) => {
	const id = '5ea1b2c3d4e5f60718293a4b';
	const campaign = async (manualRuns: string) => {
		const list = sim.service.createList('Clients');
		list.addContact(FIRST);
		addCampaign(sim, id, list.id);
		const number = operation === 'sendTest' ? { number: FIRST } : {};
		const run = of('SmsCampaign', { operation, campaign: listOf(id, 'id'), ...number });
		return await runNode({ ...run, credential: credentialOf(manualRuns, OWN) });
	};

	test('sends nothing with Send Nothing', async () => {
		expect(jsonOf(await campaign('preview'))).toMatchObject([{ id, status: 'wouldSend' }]);
		// A campaign's state may be looked at first.
		expect(changes()).toEqual([]);
	});

	test('sends a test of the campaign to the test number', async () => {
		await campaign('testNumber');
		expect(changes()).toMatchObject([
			{
				method: 'POST',
				path: `/v2/marketing/campaigns/${id}/test`,
				bodyText: JSON.stringify({ identifier: OWN }),
			},
		]);
	});
});

/**
 * A test run differs from a real one in nobody but who gets it: it leaves when the real one would, and is
 * refused when that would be, not because of where the test number is.
 */
describe("Allowed Hours in the recipient's time zone are those of the real recipient", () => {
	const JAPAN = '+819012345678'; // Of a country whose time zone isn't known
	// 23:30 in Paris, 18:30 in Guadeloupe.
	beforeEach(() => void setClock('2026-01-15T22:30:00Z'));
	const testRun = async (operation: string, to: string, otherwise: string, own = OWN) => {
		return await play(operation, '', hours({ otherwise, timeZone: 'recipient' }), {
			items: [{ to, text: 'Bonjour' }],
			credential: credentialOf('testNumber', own),
		});
	};

	test.each([OWN, JAPAN])('it leaves when the real one would, also to %s', async (own) => {
		for (const operation of ['send', 'sendBatch']) {
			sim.reset();
			const later = await testRun(operation, '0639981231', 'schedule', own);
			const scheduledFor = '2026-01-16T08:00:00.000+01:00';
			expect(jsonOf(later)).toMatchObject([
				{ number: own, status: 'scheduled', scheduledFor },
			]);
			const now = await testRun(operation, '0690123456', 'refuse', own);
			expect(jsonOf(now)).toMatchObject([{ number: own, status: 'sent' }]);
			expect(reached()).toEqual([own, own]);
		}
	});

	test.each(['0639981231', JAPAN])('it is refused where that to %s would be', async (to) => {
		for (const operation of SENDING) {
			const { items, error } = await testRun(operation, to, 'refuse');
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/'Allowed Hours'|time zone of/);
		}
		expect(reached()).toEqual([]);
	});
});
