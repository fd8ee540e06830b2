/** A run tells what became of each item, whatever fails around it (design, guarantees 1 to 5). */
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deduplicationStore, runNode, type RunOptions } from '../harness.mts';
import { KEY } from './answers.mts';
import { CONTINUE, ERROR_OUTPUT, of, once, people, SENDING, sms, tries } from './sending.mts';
import { answer, hooks, SEND, sim } from './service.mts';
import { acceptedIn, jsonOf, statuses, textOf } from './support.mts';

const fail = (message: string) => () => {
	throw new Error(message);
};

test.each<[what: string, settings: IDataObject, spoil: () => Partial<RunOptions> | void]>([
	[
		'the blacklists',
		{ skipBlacklisted: true },
		() => void sim.faults.add({ path: /unsub/, times: Infinity, do: { kind: 'html200' } }),
	],
	['the store of keys', once, () => void (hooks.store = fail('database is locked'))],
	['the credential', once, () => ({ onSecret: fail('The vault is sealed') })],
])('%s can not be had: nothing leaves by the success output', async (_, settings, spoil) => {
	const more = { settings: ERROR_OUTPUT, ...spoil() };
	const result = await runNode(sms('sendBatch', people(3), settings, more));
	expect(sim.messages).toEqual([]);
	expect(result.items).toEqual([]);
	expect(statuses({ ...result, items: result.errorItems })).toEqual(Array(3).fill('notSent'));
	expect(deduplicationStore.rows.size).toBe(0);
});

test.each([{}, ERROR_OUTPUT])(
	'the store fails midway: nothing leaves after the end (%j)',
	async (settings) => {
		// The first ones are refused; others are under way when the store is asked for more keys.
		answer('400 code 19', { times: 200 });
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 40 } });
		hooks.store = (stage) => {
			if (stage === 'read' && sim.messages.length > 0) throw new Error('database is locked');
		};
		const options = sms('sendBatch', people(800), { ...once, concurrency: 10 }, { settings });
		const { items, errorItems } = await runNode(options);
		const { requestCount } = sim;
		const accepted = sim.messages.length;
		await sleep(200);
		expect([sim.requestCount, sim.messages.length]).toEqual([requestCount, accepted]);
		expect(accepted).toBeGreaterThan(0);
		expect(accepted).toBeLessThan(600);
		const shown = [...items, ...errorItems].map(({ json }) => json);
		expect(shown).toHaveLength(800);
		expect(shown.filter(({ snapshotId }) => snapshotId)).toHaveLength(accepted);
		expect(shown.every(({ status }) => typeof status === 'string')).toBe(true);
	},
);

test('the store fails: nothing that was not claimed before goes', async () => {
	let calls = 0;
	hooks.store = (stage, { kind }) => {
		// The first one is the claim of the first chunk: 50 for each place of Concurrency.
		const isRecord = stage === 'read' && kind === 'record';
		if (isRecord && ++calls > 1) throw new Error('database is locked');
	};
	const result = await runNode(sms('sendBatch', people(1_000), { ...once, concurrency: 10 }));
	const sent = statuses(result).filter((status) => status === 'sent').length;
	expect(sim.messages).toHaveLength(sent);
	expect(sent).toBeGreaterThan(0);
	expect(sent).toBeLessThanOrEqual(500);
	expect(statuses(result).slice(sent)).toEqual(Array(1_000 - sent).fill('notSent'));
});

test('a retry that can not begin tells what was accepted', async () => {
	answer('400 code 19', { skip: 1, times: 1 });
	const { parameters } = sms('send', people(3), { concurrency: 0 });
	const [, stopped, told] = await tries(
		sms('send', people(3)),
		{ parameters },
		{ parameters, settings: CONTINUE },
	);
	const [{ snapshotId }] = sim.messages;
	expect(jsonOf(told)[0]).toMatchObject({ snapshotId });
	expect(statuses(told).slice(1)).toEqual(['invalid', 'invalid']);
	expect(textOf(stopped)).toContain("'Concurrency'");
	expect(acceptedIn(stopped)).toEqual([snapshotId]);
	expect(sim.messages).toHaveLength(1);
});

describe('an item that can not be written as JSON', () => {
	const circular = () => {
		const item: IDataObject = { to: '+33639980002', text: 'Bonjour' };
		item.self = item;
		return item;
	};

	test.each(SENDING)('%s comes to an end, and tells each outcome', async (operation) => {
		const { error } = await runNode(sms(operation, [...people(1), circular()]));
		// Either way, all or nothing: items are checked before the first one is sent.
		expect(sim.messages).toHaveLength(error === undefined ? 2 : 0);
		const items = [circular(), ...people(1)];
		const result = await runNode(sms(operation, items, {}, { settings: CONTINUE }));
		expect(result.items).toHaveLength(2);
		expect(result.items[1].json).toHaveProperty('snapshotId');
	});
});

test.each(['send', 'sendBatch'])('%s: a wrong base path stops the run', async (operation) => {
	const credential = { baseUrl: `${sim.baseUrl}/wrong`, apiKey: KEY };
	const result = await runNode(sms(operation, people(30), {}, { credential }));
	expect(result.error?.message).toBeDefined();
	expect(sim.requestsTo('POST', /send$/).length).toBeLessThanOrEqual(5);
});

// Who is skipped doesn't make it a success: n8n offers the retry.
test('a batch that a service without codes has stopped fails', async () => {
	const items = people(7);
	sim.stop(items[0].to as string);
	sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'json', status: 400, body: {} } });
	const result = await runNode(sms('sendBatch', items, { skipBlacklisted: true }));
	expect(result.error?.message).toMatch(/^0 of 7 sent, 5 refused .*1 skipped, 1 not sent$/);
	expect(sim.messages).toEqual([]);
});

// n8n has a text of its own for this status, about options that don't help here.
test.each<[node: string, operation: string, parameters: IDataObject]>([
	['Sms', 'send', { number: people(1)[0].to, message: 'Bonjour' }],
	['Sms', 'sendByUrl', { number: people(1)[0].to, message: 'Bonjour' }],
	['SmsStats', 'account', {}],
	['SmsBlacklist', 'add', { number: people(1)[0].to }],
])('%s %s: the error of a 429 says what happened and what helps', async (node, operation, more) => {
	sim.faults.add({ times: Infinity, do: { kind: 'tooManyRequests', retryAfter: 0 } });
	const result = await runNode(of(node, { operation, ...more }));
	expect(result.error?.message).toContain('(HTTP 429)');
	expect(textOf(result)).toContain("'Requests per Second'");
	expect(textOf(result)).not.toMatch(/spacing|from you/);
});
