/**
 * Check Lost Answers tells what the service shows of a message whose answer was lost (interface document 4.4),
 * and decides nothing: the service doesn't say whose message it shows.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { deduplicationStore, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { hurry, jsonOf } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const TO = ['+33639981231', '+33639981232', '+33639981233'];

function given(operation: string, options: IDataObject = {}, to = TO): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: 'Bonjour',
			options,
		} as INodeParameters,
		items: to.map((number) => ({ to: number })),
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
	};
}
/** The answer to the second message is lost, or to others. */
const lose = ({ skip = 1, times = 1 } = {}) =>
	sim.faults.add({ path: /send$/, skip, times, do: { kind: 'resetAfterAccept' } });
const asked = () => sim.requestsTo('GET', /messages\/status$/).map(({ query }) => [...query]);

describe('an unknown message of a batch', () => {
	test('stays unknown, with the latest message to its number beside it', async () => {
		lose();
		const { items, error } = await runNode(given('sendBatch', { concurrency: 1 }));
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'unknown', 'sent']);
		const { snapshotId } = sim.messages[1];
		expect(items[1].json).toMatchObject({
			number: TO[1],
			latestMessage: {
				snapshotId,
				sentIso: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				state: 'sent',
			},
		});
		expect(items[1].json).toMatchObject({ snapshotId: null, creditsUsed: null });
		expect(items[1].json.description).toMatch(
			new RegExp(
				`snapshot ${snapshotId} \\(sent\\), sent \\d seconds? (before|after) this attempt\\..* compare `,
			),
		);
		for (const { json } of [items[0], items[2]]) {
			expect(json.latestMessage).toBeNull();
		}
	});

	test('is asked for twice, each number once each time, after all messages', async () => {
		lose({ skip: 0, times: 2 });
		await runNode(given('sendBatch', { concurrency: 1 }, [TO[0], TO[0], TO[1]]));
		expect(asked()).toEqual(Array(2).fill([['identifier', TO[0]]]));
		expect(sim.requests.slice(-2).map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	test('is not asked for where the user says so, nor where nothing is unknown', async () => {
		await runNode(given('sendBatch'));
		lose();
		const { items } = await runNode(given('sendBatch', { lookUpUnknown: false }));
		expect(asked()).toEqual([]);
		for (const { json } of items) expect(json).not.toHaveProperty('latestMessage');
	});

	test('never takes the message of somebody else for its own', async () => {
		await runNode(given('sendBatch', {}, [TO[1]]));
		const [{ snapshotId }] = sim.messages;
		// It was not accepted: all there is to see is the message before.
		sim.faults.add({ path: /send$/, do: { kind: 'status', status: 502 } });
		const { items } = await runNode(given('sendBatch', {}, [TO[1]]));
		expect(items[0].json).toMatchObject({ status: 'unknown', latestMessage: { snapshotId } });
		expect(sim.messages).toHaveLength(1);
	});

	test('keeps its once key unknown: nothing is settled by what was seen', async () => {
		const once = { onceKey: '={{ $json.to }}' };
		lose();
		await runNode(given('sendBatch', { ...once, concurrency: 1 }));
		const { items } = await runNode(given('sendBatch', once));
		expect(jsonOf(items).map(({ status }) => status)).toEqual([
			'skipped',
			'unknown',
			'skipped',
		]);
		expect(sim.messages).toHaveLength(3);
		await runNode(given('sendBatch', { ...once, resendUnknown: true }));
		expect(sim.messages.map(({ number }) => number)).toEqual([...TO, TO[1]]);
	});

	test.each(['code16', 'notFound', 'list', 'object'] as const)(
		'says that there was nothing to see, however the service says so: %s',
		async (noMessage) => {
			sim.service.settings.noMessage = noMessage;
			sim.faults.add({ path: /send$/, do: { kind: 'status', status: 502 } });
			const { items } = await runNode(given('sendBatch', {}, [TO[0]]));
			expect(items[0].json).toMatchObject({
				status: 'unknown',
				description: expect.stringContaining('shows no message to this number'),
			});
			expect(items[0].json).not.toHaveProperty('latestMessage');
		},
	);

	test.each<[string, FaultAction]>([
		['is an error', { kind: 'status', status: 500 }],
		['is a web page', { kind: 'html200' }],
		['is of other types', { kind: 'wrongTypes' }],
		['breaks off', { kind: 'resetBeforeRead' }],
		['asks to wait a day', { kind: 'tooManyRequests', retryAfter: 86_400 }],
	])('says that it could not be looked up where the answer %s', async (_, action) => {
		lose({ skip: 0 });
		sim.faults.add({ path: /messages\/status$/, times: Infinity, do: action });
		const { items, error } = await runNode(given('sendBatch', {}, [TO[0]]));
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({
			status: 'unknown',
			description: expect.stringContaining('could not be looked up'),
		});
		expect(items[0].json).not.toHaveProperty('latestMessage');
	});

	test('gives what one look has shown where the other fails', async () => {
		lose({ skip: 0 });
		sim.faults.add({ path: /messages\/status$/, skip: 1, do: { kind: 'html200' } });
		const { items } = await runNode(given('sendBatch', {}, [TO[0]]));
		expect(items[0].json.latestMessage).toMatchObject({
			snapshotId: sim.messages[0].snapshotId,
		});
	});

	test('is asked for no longer where the user stops the execution', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'noAnswerAfterAccept' } });
		await runNode({
			...given('sendBatch', {}, [TO[0]]),
			onStart: (cancel) => void setTimeout(cancel, 500),
		});
		expect(sim.messages).toHaveLength(1);
		expect(asked()).toEqual([]);
	});
});

describe('Send', () => {
	const settings = { onError: 'continueRegularOutput' } as const;

	test('looks up nothing unless the user turns it on', async () => {
		lose();
		await runNode({ ...given('send'), settings });
		expect(asked()).toEqual([]);
	});

	test('tells it in the error of a run that it stops, and holds the rest back', async () => {
		lose();
		const options = given('send', { lookUpUnknown: true, concurrency: 1 });
		const { error } = await runNode(options);
		const { snapshotId } = sim.messages[1];
		expect(error?.message).toContain('unknown whether');
		expect(error?.description).toContain(`snapshot ${snapshotId} (sent)`);
		expect(error?.description).toContain('Accepted anyway: 1 of 3');
		expect(sim.messages).toHaveLength(2);
	});

	test('sends nothing again at a retry, and no receipt comes of it', async () => {
		lose();
		const options = given('send', { lookUpUnknown: true, concurrency: 1 });
		const first = await runNode(options);
		const { error } = await retryExecution(first, options, { settings: {} });
		expect(error?.message).toContain('unknown whether');
		expect(sim.messages.map(({ number }) => number)).toEqual(TO.slice(0, 2));
	});

	test('gives it with each item where the user continues', async () => {
		lose();
		const { items } = await runNode({
			...given('send', { lookUpUnknown: true, concurrency: 1 }),
			settings,
		});
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'unknown', 'sent']);
		expect(items[1].json.latestMessage).toMatchObject({
			snapshotId: sim.messages[1].snapshotId,
		});
	});
});
