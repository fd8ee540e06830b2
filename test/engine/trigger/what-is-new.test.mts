/**
 * The events of a poll, in each of the ways in which n8n keeps state (guarantee 7 of design.md, docs/trigger.md), where
 * the random histories don't lead: limits to the hour and to the half, other forms of "nothing", the state itself.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { World } from './fake-service.mts';
import { Host, KEEPINGS, passHours, phone, texts, type HostOptions } from './harness.mts';

/** Answers where an account has nothing; the interface document doesn't show how the service says so. */
const EMPTY: Array<[string, { statusCode: number; body: unknown }]> = [
	['code 16', { statusCode: 404, body: { code: 16, error: 'No message found' } }],
	['code 16 in an answer of 200', { statusCode: 200, body: { code: '16' } }],
	['404', { statusCode: 404, body: '' }],
	['[]', { statusCode: 200, body: [] }],
	['{}', { statusCode: 200, body: {} }],
	['null', { statusCode: 200, body: null }],
	['204', { statusCode: 204, body: '' }],
];

describe.each(KEEPINGS)('%s', (_, keeping) => {
	const start = (
		world: World,
		parameters: INodeParameters = {},
		options: INodeParameters = {},
		host: Partial<HostOptions> = {},
	) =>
		new Host({
			keeping,
			answer: world.answer,
			parameters: { events: ['reply'], categories: 'a', ...parameters, options },
			...host,
		});

	/** A service with replies of these texts, and a trigger that has polled twice. */
	async function begun(old: string[], ...options: [INodeParameters?, INodeParameters?]) {
		const world = new World();
		for (const text of old) world.reply(text);
		return { world, one: await start(world, ...options).begin() };
	}

	// A text, as an expression may give it.
	test.each<[emitExisting: boolean | string, first: string[]]>([
		[false, []],
		['true', ['old']],
	])('with emitExisting = %j, the baseline gives %j', async (emitExisting, first) => {
		const world = new World();
		world.reply('old');
		const one = start(world, {}, { emitExisting });
		expect(texts(await one.activate())).toEqual(first);
		world.reply('right after');
		expect(texts(await one.poll())).toEqual(['right after']);
		expect(await one.poll()).toEqual([]);
	});

	describe('replies', () => {
		test.each([
			[47, []],
			[50, ['1']],
		])('that are missing for %i hours and return make %j', async (hours, expected) => {
			const { world, one } = await begun(['1', '2', '3']);
			const all = world.replies.get('a')!;
			world.replies.set('a', all.slice(1));
			await one.poll();
			passHours(hours);
			await one.poll();
			world.replies.set('a', all);
			expect(texts(await one.poll())).toEqual(expected);
			expect(await one.poll()).toEqual([]);
		});

		test.each([
			[15, []],
			[14, ['new']],
		])('of which %i of 30 are gone with another key: %j comes', async (gone, expected) => {
			const { world, one } = await begun(Array.from({ length: 30 }, (__, at) => `old ${at}`));
			world.replies.set('a', world.replies.get('a')!.slice(gone));
			world.reply('new');
			one.credential.apiKey = 'another-key-of-it';
			expect(texts(await one.drain())).toEqual(expected);
		});
	});

	test.each([true, false])(
		'an entry that the account marks as deleted is off the list at once, and new if it returns (with IDs: %j)',
		async (haveIds) => {
			const world = new World();
			const entries = (...list: Array<[string, boolean]>) =>
				world.instead.set('unsubscribers/default/contacts', {
					statusCode: 200,
					body: list.map(([id, deleted]) => ({
						...(haveIds && { id }),
						...{ identifier: phone(parseInt(id)), deleted },
					})),
				});
			// The last number was removed and added again: one of its two entries stays live, in either order.
			entries(['1', false], ['2', true], ['3', false], ['4', false], ['4 before', true]);
			const one = await start(world, { events: ['unsubscribed'], categories: '' }).begin();
			entries(['1', true], ['2', true], ['4 before', true], ['4', false]);
			expect(await one.poll()).toEqual([]);
			entries(['1', false], ['2', false], ['3', false], ['4', false], ['4 before', true]);
			expect((await one.poll()).map(({ number }) => number)).toEqual([phone(1), phone(2)]);
			expect(await one.poll()).toEqual([]);
		},
	);

	test.each(EMPTY)('a category without messages may answer %s', async (__, empty) => {
		const world = new World();
		const paths = ['replies', 'blacklists', 'stats'].map((path) => `messages/${path}?a`);
		const say = () => paths.forEach((path) => world.instead.set(path, empty));
		say();
		const events = ['reply', 'unsubscribed', 'bounced', 'statisticsChanged'];
		const one = await start(world, { events }).begin();
		world.instead.clear();
		world.reply('first');
		world.blacklists.set('a', { bounces: ['0639980003'], unsubscribers: ['0639980002'] });
		world.statistics.set('a', { sent: 1, delivered: 0 });
		expect((await one.poll()).map(({ event }) => event)).toEqual(events);
		expect(one.items.at(-1)).toMatchObject({ change: { sent: 1 } });
		// Nothing at all for a while is no change.
		say();
		expect(await one.poll()).toEqual([]);
		world.instead.clear();
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toEqual([]);
	});

	test('a counter that is missing is 0, and comes back', async () => {
		const world = new World();
		world.statistics.set('a', { sent: 3 });
		const one = await start(world, { events: ['statisticsChanged'] }).begin();
		for (const counters of [
			{ sent: 3, delivered: 2 },
			{ sent: 4 },
			{ sent: 4, delivered: 2 },
		]) {
			world.statistics.set('a', counters);
			await one.drain();
		}
		expect(one.items.map(({ change }) => change)).toEqual([
			{ sent: 0, delivered: 2 },
			{ sent: 1, delivered: -2 },
			{ sent: 0, delivered: 2 },
		]);
		expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(3);
	});

	describe('goes on', () => {
		test('what n8n threw away when the workflow was deactivated comes again', async () => {
			const { world, one } = await begun([]);
			world.reply('1');
			expect(texts(await one.rehearse())).toEqual(['1']);
			one.deactivate();
			world.reply('2');
			const items = await one.activate();
			items.push(...(await one.drain(2)));
			expect(texts(items)).toEqual(['1', '2']);
		});

		test('a clock that is put back silences nothing', async () => {
			const { world, one } = await begun([]);
			passHours(-30);
			for (const text of ['1', '2']) {
				world.reply(text);
				expect(texts(await one.poll())).toEqual([text]);
			}
			passHours(30);
			expect(await one.poll()).toEqual([]);
		});

		test('an exported workflow goes on elsewhere, one without static data begins', async () => {
			const { world, one } = await begun([]);
			world.reply('1');
			await one.poll();
			const copy = (staticData?: IDataObject) => start(world, {}, {}, { staticData });
			const [exported, duplicate] = [copy(structuredClone(one.database)), copy()];
			world.reply('meanwhile');
			for (const other of [exported, duplicate]) await other.activate();
			world.reply('new');
			for (const other of [exported, duplicate]) await other.drain(2);
			expect(texts(exported.items)).toEqual(['meanwhile', 'new']);
			expect(texts(duplicate.items)).toEqual(['new']);
		});
	});

	describe('the state', () => {
		test('holds no text, no number and no key, and its fingerprints differ in each trigger', async () => {
			const stored = async () => {
				const world = new World();
				world.reply('a text of somebody');
				world.blacklists.set('a', { bounces: [], unsubscribers: ['0639980002'] });
				world.statuses.set(phone(1), { id: 1, state: 'sent' });
				const one = start(world, {
					events: ['reply', 'unsubscribed', 'statusChanged'],
					watchNumbers: phone(1),
				});
				one.credential.apiKey = 'a-secret-key';
				await one.begin();
				world.reply('another text');
				await one.drain();
				expect(JSON.stringify([one.state, one.database, one.cursor])).not.toMatch(
					/text|secret|3998000/,
				);
				const { sources } = one.state as {
					sources: Record<string, { state: { known: string } }>;
				};
				return sources['unsubscribed:a'].state.known;
			};
			expect(await stored()).not.toBe(await stored());
		});

		test('takes at most 12 bytes for each reply, 50 characters of a state, and forgets', async () => {
			const world = new World();
			for (let count = 0; count < 5_000; count++) world.reply(String(count));
			world.statuses.set(phone(1), { id: 1, state: 'sent' });
			const one = start(world, {
				events: ['reply', 'statusChanged'],
				watchNumbers: phone(1),
			});
			await one.begin();
			for (let count = 0; count < 4; count++) {
				world.statuses.set(phone(1), { id: 1, state: `${count} `.repeat(500_000) });
				expect(await one.poll()).toHaveLength(1);
			}
			expect(await one.poll()).toEqual([]);
			expect(one.stateBytes).toBeLessThan(12 * 5_000 + 500);
			world.replies.set('a', world.replies.get('a')!.slice(0, 100));
			await one.poll();
			passHours(50);
			await one.poll();
			world.reply('new');
			await one.poll();
			expect(one.stateBytes).toBeLessThan(12 * 102 + 500);
		});

		test('knows for two days what the service no longer returns, also at the end of an hour', async () => {
			const world = new World();
			world.reply('old');
			const one = await start(world, { events: ['reply'] }).begin();
			const minute = Math.floor(Date.now() / 60_000) % 60;
			passHours((57 - minute) / 60);
			const replies = world.replies.get('a')!;
			world.replies.set('a', []);
			expect(await one.poll()).toEqual([]);
			passHours(47.2);
			expect(await one.poll()).toEqual([]);
			world.replies.set('a', replies);
			expect(await one.poll()).toEqual([]);
		});

		test.each<[string, unknown]>([
			['a text', 'damaged'],
			['of the first version', { v: 1, id: 'x', turn: 0, sources: {} }],
			['of a later version', { v: 99 }],
			[
				'with a source of another kind',
				{
					v: 2,
					salt: 'x',
					turn: 3,
					at: 1,
					sources: { 'reply:a': { address: '', key: '', state: [] } },
				},
			],
		])('that is %s begins anew and says so: no flood, no silence', async (__, state) => {
			const world = new World();
			for (const category of ['a', 'b']) world.reply('old', category);
			const one = start(world, { categories: 'a, b' }, { emitExisting: true });
			one.state = state;
			world.instead.set('messages/replies?b', { statusCode: 503, body: '' });
			await one.restart();
			await one.drain();
			world.instead.clear();
			await one.drain();
			const isSource = typeof state === 'object' && 'salt' in state!;
			expect(texts(one.items)).toEqual(isSource ? ['old'] : []);
			expect(one.log.map(({ message }) => message).join()).toContain(
				'damaged, or of another',
			);
			world.reply('new', 'b');
			expect(texts(await one.poll())).toEqual(['new']);
		});

		// Nothing differs from a counter that is no number: it would be silent for ever.
		test('that has counters which are no numbers begins anew, too', async () => {
			const world = new World();
			const one = await start(world, {
				events: ['statisticsChanged'],
				categories: '',
			}).begin();
			world.account = { credits: 1_000, sent: 1 };
			await one.poll();
			const state = JSON.parse(JSON.stringify(one.state)) as {
				sources: Record<string, { state: unknown }>;
			};
			state.sources['statisticsChanged:'].state = { credits: 1_000, sent: 'one' };
			one.state = state;
			await one.restart();
			await one.drain();
			world.account = { credits: 1_000, sent: 2 };
			expect(await one.poll()).toMatchObject([{ change: { sent: 1 } }]);
		});
	});
});
