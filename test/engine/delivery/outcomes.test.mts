/** A run tells what became of each item, whatever fails around it (design, guarantees 1 to 5). */
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { deduplicationStore, retryExecution, runNode, type RunOptions } from '../harness.mts';
import {
	answer,
	ERROR_OUTPUT,
	hooks,
	of,
	once,
	people,
	SEND,
	SENDING,
	sim,
	sms,
	statuses,
} from './sending.mts';
import { KEY, type AnswerName } from './answers.mts';
import { acceptedIn } from './support.mts';

const fail = (message: string) => () => {
	throw new Error(message);
};

describe('a batch tells what became of each item, whatever fails around it', () => {
	test.each<[what: string, settings: IDataObject, spoil: () => Partial<RunOptions>]>([
		[
			'the blacklists',
			{ skipBlacklisted: true },
			() => {
				sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
				return {};
			},
		],
		['the store of keys', once, () => ((hooks.store = fail('database is locked')), {})],
		['the credential', {}, () => ({ onSecret: fail('The vault is sealed') })],
	])('%s can not be had: nothing leaves by the success output', async (_, settings, spoil) => {
		const more = { settings: ERROR_OUTPUT, ...spoil() };
		const result = await runNode(sms('sendBatch', people(3), settings, more));
		expect(sim.messages).toHaveLength(0);
		expect(result.items).toEqual([]);
		expect(result.errorItems.map(({ json }) => json.status)).toEqual(Array(3).fill('notSent'));
	});

	test.each([
		['stop', {}],
		['error output', ERROR_OUTPUT],
	])(
		'the store fails midway: nothing leaves after the node has ended (%s)',
		async (_, settings) => {
			// The first ones are refused; others are under way when the store is asked for more keys.
			const items = people(800);
			answer('400 code 19', { times: 200 });
			sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 40 } });
			hooks.store = (stage) => {
				if (stage === 'read' && sim.messages.length > 0)
					throw new Error('database is locked');
			};
			const result = await runNode(
				sms('sendBatch', items, { ...once, concurrency: 10 }, { settings }),
			);
			const requests = sim.requestCount;
			const accepted = sim.messages.length;
			await new Promise((resolve) => setTimeout(resolve, 200));
			expect(sim.requestCount).toBe(requests);
			expect(sim.messages).toHaveLength(accepted);
			expect(accepted).toBeGreaterThan(0);
			const shown = [...result.items, ...result.errorItems];
			expect(shown).toHaveLength(800);
			expect(accepted).toBeLessThan(600);
			const ids = shown.flatMap(({ json }) => (json.snapshotId as string) ?? []);
			expect(ids).toHaveLength(accepted);
			expect(shown.every(({ json }) => typeof json.status === 'string')).toBe(true);
		},
	);

	test('the store fails: nothing that was not claimed before goes', async () => {
		let calls = 0;
		hooks.store = (stage, { kind }) => {
			// The first one is the claim of the first chunk: 50 for each place of Concurrency.
			const isRecord = stage === 'read' && kind === 'record';
			if (isRecord && ++calls > 1) throw new Error('database is locked');
		};
		const items = people(1_000);
		const result = await runNode(sms('sendBatch', items, { ...once, concurrency: 10 }));
		const sent = statuses(result).filter((status) => status === 'sent').length;
		expect(sim.messages).toHaveLength(sent);
		expect(sent).toBeGreaterThan(0);
		expect(statuses(result).slice(sent)).toEqual(Array(1_000 - sent).fill('notSent'));
		expect(sent).toBeLessThanOrEqual(500);
	});

	test('the credential can not be had: no key is claimed', async () => {
		await runNode(sms('sendBatch', people(3), once, { onSecret: fail('The vault is sealed') }));
		expect(deduplicationStore.rows.size).toBe(0);
	});

	test('a retry that can not begin: what was accepted is told', async () => {
		answer('400 code 19', { skip: 1, times: 1 });
		const options = sms('send', people(3));
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(1);
		const { parameters } = sms('send', people(3), { concurrency: 0 });
		const second = await retryExecution(first, options, {
			parameters,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(second.items[0].json).toHaveProperty('snapshotId', sim.messages[0].snapshotId);
		expect(statuses(second).slice(1)).toEqual(['invalid', 'invalid']);
		const stopped = await retryExecution(first, options, { parameters });
		expect(stopped.error?.description).toContain("'Concurrency'");
		expect(acceptedIn(stopped)).toEqual([sim.messages[0].snapshotId]);
		expect(sim.messages).toHaveLength(1);
	});

	test('the credential can not be had any more after sending: the results are not lost', async () => {
		const result = await runNode(
			sms(
				'sendBatch',
				people(3),
				{},
				{
					onSecret: () => {
						if (sim.messages.length === 3) throw new Error('The vault is sealed');
					},
				},
			),
		);
		expect(result.error).toBeUndefined();
		expect(statuses(result)).toEqual(['sent', 'sent', 'sent']);
	});
});

describe("'Requests per Second' holds after a pause that the service asked for", () => {
	test.each(SENDING)('%s', async (operation) => {
		sim.faults.add({ path: SEND, do: { kind: 'tooManyRequests', retryAfter: 1 } });
		await runNode(sms(operation, people(12), { requestsPerSecond: 20, concurrency: 12 }));
		expect(sim.messages).toHaveLength(12);
		const times = sim.requests.map(({ receivedAt }) => receivedAt);
		// The pause ends 1 s after the first answer; at 50 ms each, what waited for it takes half a second.
		// Half of that leaves room for a machine that is busy.
		const after = times.filter((time) => time - times[0] > 900);
		expect(after.length).toBeGreaterThan(7);
		expect(Math.max(...after) - Math.min(...after)).toBeGreaterThan(25 * (after.length - 1));
	});
});

describe('an item that can not be written as JSON', () => {
	const circular = () => {
		const item: IDataObject = { to: '+33639980002', text: 'Bonjour' };
		item.self = item;
		return item;
	};

	test.each(SENDING)('%s comes to an end', async (operation) => {
		const items = [...people(1), circular()];
		const result = await runNode(sms(operation, items));
		const { error } = result;
		// Either way, all or nothing: items are checked before the first one is sent.
		expect(sim.messages).toHaveLength(error === undefined ? 2 : 0);
	});

	test.each(SENDING)('%s with Continue on fail tells each outcome', async (operation) => {
		const items = [circular(), ...people(1)];
		const settings: Partial<INode> = { onError: 'continueRegularOutput' };
		const result = await runNode(sms(operation, items, {}, { settings }));
		expect(result.items).toHaveLength(2);
		expect(result.items[1].json).toHaveProperty('snapshotId');
	});
});

describe('what concerns one message, and what concerns all', () => {
	test.each(['send', 'sendBatch'])('%s: a wrong base path stops the run', async (operation) => {
		const credential = { baseUrl: `${sim.baseUrl}/wrong`, apiKey: KEY };
		const result = await runNode(sms(operation, people(30), {}, { credential }));
		expect(result.error?.message).toBeDefined();
		expect(sim.requestsTo('POST', /send$/).length).toBeLessThanOrEqual(5);
	});

	test.each<AnswerName>(['400 code 12', '400 code 19', '500 code 31'])(
		'a batch of which each message is refused for itself has sent nothing: an error, %s',
		async (name) => {
			answer(name);
			const { error, items } = await runNode(sms('sendBatch', people(2)));
			expect(error?.message).toMatch(/^All 2 items: /);
			expect(error?.description).toContain('No item has been sent.');
			expect(items).toEqual([]);
			// All of them were tried.
			expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(2);
			const settings: Partial<INode> = { onError: 'continueRegularOutput' };
			const result = await runNode(sms('sendBatch', people(2), {}, { settings }));
			expect(statuses(result)).toEqual(['refused', 'refused']);
		},
	);

	test.each<AnswerName>(['401 code 72', '402 code 71'])(
		'a batch of which none is sent for a reason that concerns all is an error: %s',
		async (name) => {
			answer(name);
			const { error, items } = await runNode(sms('sendBatch', people(2)));
			expect(error).toBeDefined();
			expect(items).toEqual([]);
			expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(1);
		},
	);

	test("a firewall's page for one message does not stop the batch", async () => {
		answer('403 page', { skip: 1, times: 1 });
		const result = await runNode(sms('sendBatch', people(4)));
		expect(statuses(result)).toEqual(['sent', 'refused', 'sent', 'sent']);
	});

	test.each(['send', 'sendBatch'])(
		'%s: the same text on another date is no duplicate',
		async (operation) => {
			const [one] = people(1);
			const items = [
				{ ...one, date: '2031-05-05T10:00:00' },
				{ ...one, date: '2031-05-06T10:00:00' },
				{ ...one, date: '2031-05-06T10:00:00' },
			];
			const options = { skipDuplicates: true, date: '={{ $json.date }}' };
			const result = await runNode(sms(operation, items, options));
			expect(result.error).toBeUndefined();
			expect(sim.messages).toHaveLength(2);
			expect(statuses(result)[2]).toBe('skipped');
		},
	);
});

describe("n8n's router", () => {
	// n8n has a text of its own for this status, about options that don't help here.
	test.each([
		['Sms', 'send', { number: people(1)[0].to, message: 'Bonjour' }],
		['Sms', 'sendByUrl', { number: people(1)[0].to, message: 'Bonjour' }],
		['SmsStats', 'account', {}],
		['SmsBlacklist', 'add', { number: people(1)[0].to }],
	] as Array<[node: string, operation: string, parameters: IDataObject]>)(
		'%s %s: the error of a 429 says what happened and what helps',
		async (node, operation, parameters) => {
			sim.faults.add({ times: Infinity, do: { kind: 'tooManyRequests', retryAfter: 0 } });
			const { error } = await runNode(of(node, { operation, ...parameters }));
			expect(error?.message).toContain('(HTTP 429)');
			expect(error?.description).toContain("'Requests per Second'");
			expect(`${error?.message} ${error?.description}`).not.toMatch(/spacing|from you/);
		},
	);
});
