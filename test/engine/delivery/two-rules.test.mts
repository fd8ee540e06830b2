/** Two rules meet: corrections, retries, limits and checks, each of which broke a promise of the design once. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import {
	deduplicationStore,
	hurry,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { invokeTool, type Call } from './agent.mts';

const ADA = '+33639980001';
const BOB = '+33639980002';
const CAROL = '+33639980003';

/** The service has carried it out, and nobody hears of it. */
const LOST: FaultAction = { kind: 'resetAfterAccept' };
/** The service never saw it, and nobody hears of that. */
const SWALLOWED: FaultAction = { kind: 'resetBeforeRead' };
const REFUSED: FaultAction = { kind: 'json', status: 400, body: { code: 11, error: 'no' } };

hurry();
const sim = await useSimulator({ extended: true });
beforeEach(() => {
	deduplicationStore.clear();
});

function runOf(
	parameters: IDataObject,
	items: IDataObject[],
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation: 'send',
			number: '={{ $json.to }}',
			message: '={{ $json.text }}',
			...parameters,
		} as INodeParameters,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...more,
	};
}

/** What goes wrong with the requests in which a text occurs. */
function spoil(text: string, action: FaultAction, times = 1): void {
	sim.faults.add({
		match: (request) => decodeURIComponent(request.target + request.bodyText).includes(text),
		times,
		do: action,
	});
}

/** SMS as a tool of an agent. */
const tool = {
	node: 'Sms',
	parameters: {
		operation: 'send',
		number: "={{ $fromAI('number', '', 'string') }}",
		message: "={{ $fromAI('message', '', 'string') }}",
	},
	credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
};

const jsonOf = ({ items }: RunResult) => items.map(({ json }) => json);
const sentTo = () => sim.messages.map(({ number }) => number);

describe('a contact', () => {
	function contactRun(parameters: IDataObject, items: IDataObject[] = [{ to: ADA }]): RunOptions {
		const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
		return runOf(
			{
				operation: 'add',
				list: listOf(id),
				attributes: {
					mappingMode: 'defineBelow',
					value: { Prénom: 'Ada' },
					schema: [],
				},
				...parameters,
			},
			items,
			{ node: 'SmsContact' },
		);
	}
	const contacts = () => [...sim.service.lists.values()][0].contacts.items();

	test('that may have been added is not called refused because a later check fails', async () => {
		const options = contactRun({});
		sim.faults.add({ method: 'POST', path: /\/contacts$/, times: 1, do: LOST });
		const failed = await runNode(options);
		sim.faults.add({ method: 'GET', times: Infinity, do: REFUSED });
		const retried = await retryExecution(failed, options, {
			parameters: { ...options.parameters, options: { resendUnknown: true } },
		});
		expect(retried.error?.message).toMatch(/^It is unknown/);
	});

	test('that may be gone is not called refused because a later check fails', async () => {
		const options = contactRun({ operation: 'upsert' });
		[...sim.service.lists.values()][0].addContact(ADA, { prenom: 'Augusta' });
		sim.faults.add({ method: 'POST', path: /\/contacts$/, times: 1, do: SWALLOWED });
		const failed = await runNode(options);
		expect(contacts()).toHaveLength(0);
		sim.faults.add({ method: 'GET', times: Infinity, do: REFUSED });
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toMatch(/^It is unknown/);
		expect(retried.error?.description).not.toContain('Nothing has been');
	});

	test('that may have been imported is not called refused because a later check fails', async () => {
		const options = contactRun({ operation: 'import' }, [{ to: ADA }, { to: BOB }]);
		sim.faults.add({ path: /\/import$/, times: 1, do: LOST });
		const failed = await runNode(options);
		expect(contacts()).toHaveLength(2);
		sim.faults.add({ method: 'GET', times: Infinity, do: REFUSED });
		const retried = await retryExecution(failed, options, {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(jsonOf(retried).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
	});

	test('that was added stays when the retry is told to replace', async () => {
		const options = contactRun({}, [{ to: ADA }, { to: BOB }]);
		sim.faults.add({ method: 'POST', path: /\/contacts$/, skip: 1, do: REFUSED });
		const failed = await runNode(options);
		expect(failed.error).toBeDefined();
		expect(contacts()).toHaveLength(1);
		const retried = await retryExecution(failed, options, {
			parameters: { ...options.parameters, operation: 'upsert' },
		});
		expect(retried.error).toBeUndefined();
		expect(contacts().map(({ identifier }) => identifier)).toEqual([ADA, BOB]);
	});
});

function columnRun(listId: string): RunOptions {
	const parameters = {
		operation: 'deleteColumn',
		list: listOf(listId),
		column: 'nom de FAMILLE',
	};
	return runOf(parameters, [{}], { node: 'SmsList' });
}

test('a column is not called deleted while it is there', async () => {
	const list = sim.service.createList('Clients', [{ name: 'Nom de famille' }]);
	const options = columnRun(list.id);
	const fault = sim.faults.add({ method: 'DELETE', times: Infinity, do: SWALLOWED });
	const failed = await runNode(options);
	expect(failed.error).toBeDefined();
	fault.remove();
	const retried = await retryExecution(failed, options);
	expect(retried.error?.message).toBeUndefined();
	expect(jsonOf(retried)[0]).toMatchObject({ deleted: true });
	expect(list.fields).toEqual([]);
});

describe('Max Credits', () => {
	const spent = () => sim.messages.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);

	test('counts what went to a recipient who was corrected since', async () => {
		const options = runOf({ safeguards: { maxCredits: 2 }, options: { concurrency: 1 } }, [
			{ to: ADA, then: CAROL, text: 'a' },
			{ to: BOB, then: BOB, text: 'b' },
			{ to: CAROL, then: ADA, text: 'c' },
		]);
		spoil('"b"', REFUSED);
		const failed = await runNode(options);
		expect(sentTo()).toEqual([ADA]);
		await retryExecution(failed, options, {
			parameters: { ...options.parameters, number: '={{ $json.then }}' },
		});
		expect(spent()).toBe(2);
	});

	test.each(['send', 'sendBatch'])(
		'%s: is one sum for all rounds of a loop',
		async (operation) => {
			const [first, ...others] = Array.from({ length: 10 }, (_, run) => [
				{ to: ADA, text: `Run ${run}` },
			]);
			const options = runOf({ operation, safeguards: { maxCredits: 2 } }, first, {
				furtherRuns: others,
			});
			await runNode(options);
			expect(spent()).toBe(2);
		},
	);
});

describe('Skip Duplicates', () => {
	// A second call of one execution is no retry by a person.
	test.each([true, false])('in a tool: an unknown message is not resent: %s', async (resends) => {
		sim.faults.add({ path: /send$/, times: 1, do: SWALLOWED });
		const calls: Call[] = [
			{ input: { number: ADA, message: 'Hi' } },
			{ input: { number: ADA, message: 'Hi' } },
		];
		const safeguards = { skipDuplicates: true };
		const options = { resendUnknown: resends };
		await invokeTool({
			...tool,
			parameters: { ...tool.parameters, safeguards, options },
			calls,
		});
		expect(JSON.stringify(calls[1].answer ?? calls[1].error?.message)).not.toContain('NaN');
		expect(sentTo()).toEqual([]);
	});
});

test('a scheduled message stays scheduled where a later try can do nothing', async () => {
	const date = new Date(Date.now() + 3_600_000).toISOString();
	const options = runOf({ options: { date, concurrency: 1 } }, [
		{ to: ADA, text: 'a' },
		{ to: BOB, text: 'b' },
	]);
	spoil('"b"', REFUSED);
	const failed = await runNode(options);
	const retried = await retryExecution(failed, options, {
		credential: { baseUrl: 'nonsense', apiKey: sim.apiKey },
		settings: { onError: 'continueRegularOutput' },
	});
	expect(jsonOf(retried)[0]).toMatchObject({ status: 'scheduled', number: ADA });
});

test('a batch carries on behind items whose time has passed while they waited', async () => {
	const moveOn = setClock('2030-01-15T09:00:00Z');
	const soon = Date.now() + 60_000;
	const items = Array.from({ length: 9 }, (_, index) => ({
		to: `+3363998000${index}`,
		text: `m${index}`,
		at: new Date(index < 2 || index > 6 ? soon + 3_600_000 : soon).toISOString(),
	}));
	const options = runOf(
		{
			operation: 'sendBatch',
			options: { date: '={{ $json.at }}', concurrency: 1 },
		},
		items,
	);
	// The first message takes three minutes: a date up to a minute ago is now.
	let isFirst = true;
	const match = () => {
		if (isFirst) moveOn(180_000);
		return (isFirst = false);
	};
	sim.faults.add({ path: /send$/, match, do: SWALLOWED });
	const { items: results } = await runNode(options);
	expect(results.map(({ json }) => json.status)).toEqual([
		...['scheduled', 'scheduled'],
		...Array.from({ length: 5 }, () => 'notSent'),
		...['scheduled', 'scheduled'],
	]);
});

test('a list that an agent creates is created once, though a column fails at first', async () => {
	sim.faults.add({ path: /\/fields$/, times: 1, do: REFUSED });
	const input = { name: 'Clients' };
	const calls: Call[] = [{ input }, { input }];
	await invokeTool({
		node: 'SmsList',
		parameters: {
			operation: 'create',
			name: "={{ $fromAI('name', '', 'string') }}",
			columns: { column: [{ name: 'Points', type: 'NUMBER' }] },
		},
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		calls,
	});
	expect(calls.map(({ error }) => error === undefined)).toEqual([false, true]);
	expect([...sim.service.lists.values()].map(({ fields }) => fields.length)).toEqual([1]);
});
