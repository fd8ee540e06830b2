/** Guarantee 6 of design.md, rule by rule, with and without n8n's durable cursors. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { Host, KEEPINGS, now, passHours, phone, texts } from './harness.mts';

const simulator = await useSimulator({ now });

const reply = (message: string, category = 'a') => simulator.reply(phone(1), message, { category });

describe.each(KEEPINGS)('%s', (_, keeping) => {
	const host = (parameters: INodeParameters = {}, options: INodeParameters = {}) =>
		new Host({
			simulator,
			keeping,
			parameters: { events: ['reply'], categories: 'a', ...parameters, options },
		});

	describe('the baseline', () => {
		test('is what the service has at activation: no events for that', async () => {
			reply('old');
			const one = host();
			expect(await one.activate()).toEqual([]);
			expect(await one.poll()).toEqual([]);
			expect(one.errors).toEqual([]);
		});

		test('what arrives between activation and the first scheduled poll makes events', async () => {
			reply('old');
			const one = host();
			await one.activate();
			reply('between');
			expect(texts(await one.poll())).toEqual(['between']);
			reply('after');
			expect(texts(await one.poll())).toEqual(['after']);
		});

		test('the same for a category that begins empty, and for STOPs, statuses and counters', async () => {
			const message = simulator.service.accept({
				kind: 'notification',
				number: phone(5),
				text: 'Hello',
				category: 'a',
			});
			const one = host({
				events: [
					'reply',
					'unsubscribed',
					'statusChanged',
					'statisticsChanged',
					'creditsLow',
				],
				watchNumbers: phone(5),
				creditsThreshold: 10,
			});
			await one.activate();
			reply('first');
			simulator.stop(phone(2), { category: 'a' });
			simulator.service.setCredits(5);
			simulator.setState(message.snapshotId, 'delivered');
			const events = (await one.poll()).map(({ event }) => event);
			expect(events.sort()).toEqual([
				'creditsLow',
				'reply',
				'statisticsChanged',
				'statusChanged',
				'unsubscribed',
			]);
		});

		test('two activations before the first scheduled poll lose nothing', async () => {
			const one = host();
			await one.activate();
			reply('between');
			one.deactivate();
			const items = await one.activate();
			items.push(...(await one.poll()));
			expect(texts(items)).toEqual(['between']);
		});

		test('nor do two activations without events', async () => {
			const one = host();
			await one.activate();
			one.deactivate();
			await one.activate();
			reply('between');
			expect(texts(await one.poll())).toEqual(['between']);
		});

		test('emitExisting hands out what is there, and then what comes', async () => {
			reply('old');
			const one = host({}, { emitExisting: true });
			const items = await one.activate();
			reply('new');
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['old', 'new']);
		});

		test('emitExisting gives the present statistics, status and low balance, too', async () => {
			simulator.service.setCredits(5);
			const message = simulator.service.accept({
				kind: 'notification',
				number: phone(5),
				text: 'Hello',
				category: 'a',
			});
			// It would move on by itself on a machine that is slow.
			simulator.setState(message.snapshotId, 'sent');
			const one = host(
				{
					events: ['statusChanged', 'statisticsChanged', 'creditsLow'],
					watchNumbers: phone(5),
					creditsThreshold: 10,
				},
				{ emitExisting: true },
			);
			await one.activate();
			await one.drain();
			expect(one.items).toMatchObject([
				{
					event: 'statisticsChanged',
					current: { sent: 1 },
					previous: {},
					change: { sent: 1 },
				},
				{ event: 'creditsLow', threshold: 10 },
				{ event: 'statusChanged', id: Number(message.snapshotId), previousState: null },
			]);
		});
	});

	describe('restarts', () => {
		test('a restart resumes: what came meanwhile makes events, once', async () => {
			const one = host();
			await one.activate();
			reply('before');
			await one.poll();
			reply('meanwhile');
			const items = await one.restart();
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['meanwhile']);
		});

		test('deactivated and activated again, it resumes', async () => {
			const one = host();
			await one.activate();
			reply('before');
			await one.poll();
			one.deactivate();
			reply('meanwhile');
			const items = await one.activate();
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['meanwhile']);
		});

		test('a poll that runs twice gives the same items, with the same event IDs', async () => {
			const one = await host().begin();
			reply('x');
			reply('y');
			const lost = await one.rehearse();
			expect(texts(lost)).toEqual(['x', 'y']);
			// The time of the poll is another one, which changes no ID.
			expect(await one.poll()).toEqual(
				lost.map((item) => ({ ...item, receivedAt: expect.any(String) })),
			);
			expect(await one.poll()).toEqual([]);
		});
	});

	describe('comparison', () => {
		test('is by id: order and repetitions do not matter', async () => {
			for (const text of ['1', '2', '3']) reply(text);
			const one = host();
			await one.activate();
			simulator.service.reorderReplies('a');
			expect(await one.poll()).toEqual([]);
			const replies = simulator.service.replies('a');
			const fresh = { id: 'any id, even this one', identifier: phone(1), message: 'new' };
			simulator.service.setReplies('a', [fresh, ...replies, fresh, ...replies]);
			expect(texts(await one.poll())).toEqual(['new']);
			simulator.service.setReplies('a', [...replies, fresh]);
			expect(await one.poll()).toEqual([]);
		});

		test('the same id in two categories is one event for each', async () => {
			const one = host({ categories: 'a, b' });
			await one.activate();
			simulator.reply(phone(1), 'twin', { category: 'a', id: 'same' });
			simulator.reply(phone(1), 'twin', { category: 'b', id: 'same' });
			const items = await one.poll();
			expect(items.map(({ category, id }) => [category, id])).toEqual([
				['a', 'same'],
				['b', 'same'],
			]);
			expect(items[0].eventId).not.toBe(items[1].eventId);
		});

		test('an empty answer, or one that lacks entries, makes no events when they come back', async () => {
			for (const text of ['1', '2', '3']) reply(text);
			const one = await host().begin();
			const replies = simulator.service.replies('a');
			for (const held of [[], replies.slice(1), [], replies.slice(0, 2), replies]) {
				simulator.service.setReplies('a', held);
				expect(await one.poll()).toEqual([]);
			}
			expect(one.errors).toEqual([]);
		});

		test('an entry is forgotten when it is missing for a day and in five polls, and new if it returns', async () => {
			for (const text of ['1', '2', '3']) reply(text);
			const one = await host().begin();
			const replies = simulator.service.replies('a');
			for (const [hours, polls, expected] of [
				[0, 50, []],
				[30, 3, []],
				[23, 5, []],
				[25, 6, ['1']],
			] as const) {
				simulator.service.setReplies('a', replies.slice(1));
				await one.poll();
				passHours(hours);
				for (let count = 1; count < polls; count++) await one.poll();
				simulator.service.setReplies('a', replies);
				expect(texts(await one.poll())).toEqual(expected);
				expect(await one.poll()).toEqual([]);
			}
		});

		test('an answer that lacks most of what is known is no evidence that it is gone', async () => {
			for (const text of ['1', '2', '3', '4', '5']) reply(text);
			const one = await host().begin();
			const replies = simulator.service.replies('a');
			for (const rest of [[], replies.slice(0, 1), replies.slice(3)]) {
				simulator.service.setReplies('a', rest);
				for (let day = 0; day < 20; day++) {
					expect(await one.poll()).toEqual([]);
					passHours(24);
				}
				// What is new meanwhile makes events all the same.
				const fresh = { id: `new ${rest.length}`, identifier: phone(1), message: 'new' };
				simulator.service.setReplies('a', [...rest, fresh]);
				expect(texts(await one.poll())).toEqual(['new']);
				simulator.service.setReplies('a', replies);
				expect(await one.poll()).toEqual([]);
			}
			expect(one.errors).toEqual([]);
		});

		test('polls that fail do not count as missing', async () => {
			reply('1');
			const one = await host().begin();
			const fault = simulator.faults.add({ times: Infinity, do: { kind: 'html200' } });
			for (let count = 0; count < 8; count++) await one.poll();
			fault.remove();
			expect(await one.poll()).toEqual([]);
		});

		test('what the account blacklist marks as deleted is off it at once, and new if added again', async () => {
			simulator.stop(phone(1));
			simulator.stop(phone(2));
			simulator.service.removeFromBlacklist('unsubscribers', phone(2));
			const one = host({ events: ['unsubscribed'], categories: '' });
			await one.activate();
			expect(await one.poll()).toEqual([]);
			simulator.service.removeFromBlacklist('unsubscribers', phone(1));
			expect(await one.poll()).toEqual([]);
			simulator.stop(phone(1));
			simulator.stop(phone(2));
			const numbers = (await one.poll()).map(({ identifier }) => identifier);
			expect(numbers).toEqual([phone(1), phone(2)]);
			expect(await one.poll()).toEqual([]);
		});
	});

	describe('backlogs', () => {
		test('are handed out maxItemsPerPoll at a time, the oldest known first', async () => {
			const one = host({}, { maxItemsPerPoll: 2 });
			await one.activate();
			for (const text of ['1', '2', '3', '4', '5']) reply(text);
			expect(texts(await one.poll())).toEqual(['1', '2']);
			// New ones, wherever the service puts them, come after those that wait.
			reply('6');
			simulator.service.reorderReplies('a');
			expect(texts(await one.poll())).toEqual(['3', '4']);
			expect(texts(await one.poll())).toEqual(['5', '6']);
			expect(await one.poll()).toEqual([]);
		});

		test('survive a restart', async () => {
			const one = host({}, { maxItemsPerPoll: 2 });
			await one.activate();
			for (const text of ['1', '2', '3']) reply(text);
			expect(texts(await one.poll())).toEqual(['1', '2']);
			const items = await one.restart();
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['3']);
		});

		test('of one category do not hold back another', async () => {
			const one = host({ categories: 'a, b' }, { maxItemsPerPoll: 4 });
			await one.activate();
			for (const text of ['1', '2', '3', '4', '5', '6']) reply(text, 'a');
			expect(texts(await one.poll())).toEqual(['1', '2', '3', '4']);
			reply('urgent', 'b');
			expect(texts(await one.poll())).toEqual(['5', '6', 'urgent']);
		});

		test('with one place, the sources take turns', async () => {
			const one = host({ categories: 'a, b' }, { maxItemsPerPoll: 1 });
			await one.activate();
			for (const text of ['a1', 'a2']) reply(text, 'a');
			for (const text of ['b1', 'b2']) reply(text, 'b');
			const order: unknown[] = [];
			for (let count = 0; count < 4; count++) order.push(...texts(await one.poll()));
			expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
		});

		test('what the service drops before it was handed out makes no event', async () => {
			const one = host({}, { maxItemsPerPoll: 1 });
			await one.activate();
			const [, second] = [reply('1'), reply('2'), reply('3')];
			expect(texts(await one.poll())).toEqual(['1']);
			simulator.service.removeReplies('a', [second.id]);
			expect(texts(await one.drain())).toEqual(['3']);
		});
	});

	describe('parameters', () => {
		const withCategories = (categories: string) => ({ events: ['reply'], categories });

		test('a new category starts its own baseline; the others keep theirs', async () => {
			const one = await host(withCategories('a')).begin();
			reply('old b', 'b');
			reply('new a', 'a');
			const items = await one.edit(withCategories('a, b'));
			reply('new b', 'b');
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['new a', 'new b']);
		});

		test('the state of a removed category goes away', async () => {
			for (let count = 0; count < 100; count++) reply(String(count), 'a');
			const one = await host(withCategories('a, b')).begin();
			expect(one.stateBytes).toBeGreaterThan(1_000);
			await one.edit(withCategories('b'));
			await one.poll();
			expect(one.stateBytes).toBeLessThan(200);
			reply('while away', 'a');
			const items = await one.edit(withCategories('a, b'));
			reply('after', 'a');
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['after']);
		});

		test('a new threshold starts a new baseline', async () => {
			simulator.service.setCredits(50);
			const low = (creditsThreshold: number) => ({
				events: ['creditsLow'],
				creditsThreshold,
			});
			const one = await host(low(10)).begin();
			// It is low already: told once, as at an activation.
			const items = await one.edit(low(100));
			items.push(...(await one.poll()));
			expect(items).toMatchObject([{ credits: 50, threshold: 100 }]);
			simulator.service.setCredits(200);
			await one.poll();
			simulator.service.setCredits(60);
			expect(await one.poll()).toMatchObject([{ credits: 60, threshold: 100 }]);
		});

		test('another credential with the same key changes nothing: its ID says nothing of the account', async () => {
			const one = await host().begin();
			reply('meanwhile');
			one.credentialId = '2';
			const items = await one.edit(one.parameters);
			items.push(...(await one.drain()));
			expect(texts(items)).toEqual(['meanwhile']);
		});

		test('a workflow that was imported without static data starts with a baseline', async () => {
			reply('old');
			const first = host();
			await first.activate();
			const second = host();
			expect(await second.activate()).toEqual([]);
			reply('new');
			expect(texts(await second.poll())).toEqual(['new']);
			expect(texts(await first.poll())).toEqual(['new']);
		});
	});

	describe('the state', () => {
		test('takes at most 12 bytes for each entry that the service returns', async () => {
			for (const count of [1_000, 20_000]) {
				simulator.reset();
				simulator.service.addReplies(count, 'a');
				const one = await host().begin();
				expect(one.stateBytes).toBeLessThanOrEqual(12 * count);
				const { database, cursor } = one;
				const stored = JSON.stringify(cursor ?? database);
				expect(stored.length).toBeLessThanOrEqual(12 * count);
			}
		});

		test('does not grow while a backlog waits, and shrinks when entries are gone', async () => {
			simulator.service.addReplies(2_000, 'a');
			const one = await host({}, { emitExisting: true, maxItemsPerPoll: 100 }).begin();
			expect(one.stateBytes).toBeLessThanOrEqual(12 * 2_000);
			await one.drain();
			expect(one.items).toHaveLength(2_000);
			expect(one.stateBytes).toBeLessThanOrEqual(12 * 2_000);
			// Most at once: after a month. A part: after a day.
			simulator.service.removeReplies('a', ({ message }) => !message.endsWith('7'));
			await one.poll();
			passHours(31 * 24);
			await one.drain(5);
			// n8n's scheduler saves what quiet polls have found with the next event.
			reply('7');
			await one.poll();
			expect(one.stateBytes).toBeLessThanOrEqual(12 * 201);
			simulator.service.removeReplies('a', ({ message }) => message.endsWith('17'));
			await one.poll();
			passHours(25);
			await one.drain(5);
			reply('7');
			await one.poll();
			expect(one.stateBytes).toBeLessThanOrEqual(12 * 182 + 150);
		});

		test('is not written by a poll that finds nothing', async () => {
			reply('old');
			const one = await host().begin();
			const before = one.state;
			await one.poll();
			if (keeping === 'usual') expect(one.state).toBe(before);
			expect(one.state).toEqual(before);
		});

		test.each<[string, unknown]>([
			['a text', 'damaged'],
			['a list', [1, 2, 3]],
			['a number', 7],
			['of a later version', { v: 2, id: 'x', turn: 0, sources: {} }],
			['without its sources', { v: 1, id: 'x', turn: 0 }],
			[
				'with a source that is cut off',
				{
					v: 1,
					id: 'x',
					turn: 3,
					sources: { 'reply:a': { known: 'abcde' } },
				},
			],
			[
				'with a source of another kind',
				{ v: 1, id: 'x', turn: 3, sources: { 'reply:a': [] } },
			],
		])('that is %s starts anew: no flood, no silence', async (__, state) => {
			for (let count = 0; count < 20; count++) reply(String(count));
			const one = host({}, { emitExisting: true });
			one.state = state;
			const items = keeping === 'durable' ? await one.restart() : await one.activate();
			items.push(...(await one.poll()));
			expect(items).toEqual([]);
			expect(one.errors.map(({ message }) => message)).toEqual([
				'The trigger has taken a new baseline: what it remembered could not be read',
			]);
			reply('new');
			expect(texts(await one.poll())).toEqual(['new']);
			expect(one.errors).toHaveLength(1);
		});

		test('that is damaged while a category fails does not flood when the category is back', async () => {
			for (const category of ['a', 'b']) {
				for (let count = 0; count < 20; count++) reply(String(count), category);
			}
			const one = host({ categories: 'a, b' }, { emitExisting: true });
			const state = 'damaged';
			one.state = state;
			const fault = simulator.faults.add({
				match: ({ query }) => query.get('category') === 'b',
				times: Infinity,
				do: { kind: 'status', status: 503 },
			});
			await one.restart();
			await one.drain();
			fault.remove();
			await one.drain();
			expect(one.items).toEqual([]);
			reply('new', 'b');
			expect(texts(await one.poll())).toEqual(['new']);
		});
	});
});

test('nothing is left in the static data of the workflow beside the state', async () => {
	for (const [, keeping] of KEEPINGS) {
		const one = new Host({
			simulator,
			keeping,
			parameters: { events: ['reply'], categories: 'a' },
		});
		await one.activate();
		reply('x');
		await one.poll();
		reply('y');
		await one.poll();
		const stored = keeping === 'durable' ? [] : ['smsTrigger:trigger 1'];
		expect(Object.keys(one.database.global as IDataObject)).toEqual(stored);
	}
});
