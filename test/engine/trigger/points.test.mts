/** A trigger that can't be flooded, starved or silenced, in each of the ways in which n8n keeps state. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { Host, KEEPINGS, now, passHours, phone, texts, type HostOptions } from './harness.mts';
import { World } from './world.mts';

const simulator = await useSimulator({ now });
/** Of another account. */
const another = await useSimulator({ now });

const replyTrigger = { events: ['reply'], categories: 'a' };

describe.each(KEEPINGS)('%s', (_, keeping) => {
	function start(world: World, parameters: INodeParameters, options: Partial<HostOptions> = {}) {
		return new Host({ keeping, answer: world.answer, parameters, ...options });
	}

	describe('a flood of old events', () => {
		test.each([
			['[]', { statusCode: 200, body: [] }],
			['code 16', { statusCode: 404, body: { code: 16, error: 'No message found' } }],
			['404', { statusCode: 404, body: '' }],
		])(
			'is not made by a category that answers %s for a week and then is whole again',
			async (__, empty) => {
				const world = new World();
				for (let count = 0; count < 50; count++) world.reply(`old ${count}`);
				const one = await start(world, replyTrigger).begin();
				world.instead.set('messages/replies', empty);
				for (let count = 0; count < 200; count++) {
					expect(await one.poll()).toEqual([]);
					passHours(1);
				}
				world.instead.clear();
				world.reply('new');
				expect(texts(await one.drain())).toEqual(['new']);
				expect(one.errors).toEqual([]);
			},
		);

		test('is not made by a list that is empty for a day', async () => {
			const world = new World();
			const numbers = Array.from({ length: 20 }, (__, index) => phone(index));
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'delivered' });
			const contacts = (list: string[]) => ({
				statusCode: 200,
				body: list.map((identifier) => ({ id: identifier, identifier })),
			});
			world.instead.set('lists/l/contacts', contacts(numbers));
			const one = start(world, {
				events: ['statusChanged'],
				watch: 'list',
				list: { __rl: true, mode: 'id', value: 'l' },
				options: { emitExisting: true },
			});
			await one.activate();
			await one.drain();
			expect(one.items).toHaveLength(20);
			world.instead.set('lists/l/contacts', contacts([]));
			for (let count = 0; count < 10; count++) {
				await one.poll();
				passHours(5);
			}
			world.instead.set('lists/l/contacts', contacts(numbers));
			world.statuses.set(phone(3), { id: 1, state: 'opened' });
			expect(await one.drain()).toMatchObject([{ identifier: phone(3), state: 'opened' }]);
		});
	});

	describe('a credential that redirects elsewhere', () => {
		const events = {
			events: ['reply', 'unsubscribed', 'statisticsChanged', 'creditsLow', 'statusChanged'],
			categories: 'a',
			creditsThreshold: 10,
			watchNumbers: phone(1),
			options: { emitExisting: true },
		};

		/** An account with as much in it, under IDs that begin with a text. */
		function account(prefix: string): World {
			const world = new World();
			for (let count = 0; count < 30; count++) world.reply(`old ${prefix} ${count}`);
			const replies = world.replies.get('a')!;
			replies.forEach((reply, at) => (reply.id = `${prefix}${at}`));
			const identifiers = [1, 2, 3].map((index) => `06${prefix.length}399800${index}`);
			world.blacklists.set('a', { bounces: [], unsubscribers: identifiers });
			world.statistics.set('a', { sent: prefix.length * 100 });
			world.statuses.set(phone(1), { id: prefix.length, state: 'delivered' });
			return world;
		}

		/** A trigger that has handed out what the first account had. */
		async function pointedAt(worlds: Record<string, World>) {
			const one: Host = new Host({
				keeping,
				parameters: events,
				answer: (url, qs) => worlds[one.credential.apiKey as string].answer(url, qs),
			});
			one.credential.apiKey = Object.keys(worlds)[0];
			await one.activate();
			await one.drain(2);
			one.items.length = 0;
			return one;
		}

		test.each([
			['with other IDs', 'production-'],
			['with the same IDs', 'test'],
		])('at another address, %s, begins anew and says so', async (__, prefix) => {
			const worlds = { 'key-of-test': account('test'), 'key-of-production': account(prefix) };
			const one = await pointedAt(worlds);
			one.credential.apiKey = 'key-of-production';
			one.credential.baseUrl = 'https://production.example.com';
			expect(await one.poll()).toEqual([]);
			expect(one.log.map(({ message }) => message).join()).toContain('another account');
			expect(one.errors).toEqual([]);
			worlds['key-of-production'].reply('new');
			worlds['key-of-production'].statuses.set(phone(1), { id: 99, state: 'sent' });
			expect((await one.drain()).map(({ event }) => event)).toEqual([
				'reply',
				'statusChanged',
			]);
			expect(one.log).toHaveLength(1);
		});

		test('by another key at the same address begins anew and says so, where nothing is the same', async () => {
			const worlds = {
				'key-of-test': account('test'),
				'key-of-production': account('production-'),
			};
			const one = await pointedAt(worlds);
			one.credential.apiKey = 'key-of-production';
			expect(await one.poll()).toEqual([]);
			expect(one.log.map(({ message }) => message).join()).toContain('another account');
			worlds['key-of-production'].reply('new');
			expect(texts(await one.drain())).toEqual(['new']);
			// And back again.
			worlds['key-of-test'].reply('meanwhile');
			one.credential.apiKey = 'key-of-test';
			expect(await one.drain()).toEqual([]);
			worlds['key-of-test'].reply('newer');
			expect(texts(await one.drain())).toEqual(['newer']);
		});

		test('by a new key of the same account changes nothing', async () => {
			const world = account('test');
			const one = await pointedAt({ 'old-key-of-it': world, 'new-key-of-it': world });
			world.reply('before');
			one.credential.apiKey = 'new-key-of-it';
			world.statistics.set('a', { sent: 401 });
			expect((await one.poll()).map(({ event }) => event)).toEqual([
				'reply',
				'statisticsChanged',
			]);
			expect(one.log).toEqual([]);
			world.reply('after');
			expect(texts(await one.drain())).toEqual(['after']);
		});

		test('by a new key of the same account loses no change of a state: evidence is which messages are there', async () => {
			const world = new World();
			for (const text of ['1', '2', '3']) world.reply(text);
			const numbers = [1, 2, 3, 4].map(phone);
			for (const [id, number] of numbers.entries()) {
				world.statuses.set(number, { id, state: 'sent' });
			}
			const one = await start(world, {
				events: ['reply', 'statusChanged'],
				categories: 'a',
				watchNumbers: numbers.join(),
			}).begin();
			one.credential.apiKey = 'new-key-of-it';
			one.credentialId = '2';
			for (const [id, number] of numbers.entries()) {
				world.statuses.set(number, { id, state: 'delivered' });
			}
			expect((await one.poll()).map(({ state }) => state)).toEqual(
				numbers.map(() => 'delivered'),
			);
			// Newer messages to all numbers say nothing of the account; the replies do.
			one.credential.apiKey = 'newer-key';
			for (const [id, number] of numbers.entries()) {
				world.statuses.set(number, { id: id + 10, state: 'sent' });
			}
			expect(await one.poll()).toHaveLength(4);
			expect(one.log).toEqual([]);
		});

		test.each([
			['unsubscribed', 'messages/blacklists?a'],
			['reply', 'messages/replies?a'],
		])('by a new key while %s fails loses nothing of any event', async (___, failing) => {
			const world = new World();
			world.statistics.set('a', { sent: 1 });
			world.reply('old');
			const one = await start(world, {
				events: ['reply', 'unsubscribed', 'statisticsChanged'],
				categories: 'a',
			}).begin();
			one.credential.apiKey = 'new-key-of-it';
			world.instead.set(failing, { statusCode: 503, body: '' });
			world.reply('new');
			world.statistics.set('a', { sent: 2 });
			world.blacklists.set('a', { bounces: [], unsubscribers: ['0639980002'] });
			await one.drain(2);
			world.instead.clear();
			await one.drain(2);
			expect(one.items.map(({ event }) => event).sort()).toEqual([
				'reply',
				'statisticsChanged',
				'unsubscribed',
			]);
			expect(one.log.filter(({ message }) => message.includes('anew'))).toEqual([]);
		});

		test('judges a category that fails meanwhile when it is back', async () => {
			const worlds = { 'key-of-test': account('test'), 'key-of-production': account('prod') };
			worlds['key-of-production'].replies.get('a')!.forEach((reply, at) => {
				reply.id = `prod${at}`;
			});
			const one = await pointedAt(worlds);
			one.credential.apiKey = 'key-of-production';
			const { instead } = worlds['key-of-production'];
			instead.set('messages/replies', { statusCode: 503, body: '' });
			expect(await one.drain()).toEqual([]);
			instead.clear();
			expect(await one.drain()).toEqual([]);
			worlds['key-of-production'].reply('new');
			expect(texts(await one.drain())).toEqual(['new']);
		});

		test('with a key that is refused keeps what is known until there is a right one', async () => {
			const world = account('test');
			const locked = new World();
			for (const address of ['messages/replies', 'messages/blacklists', 'messages/stats'])
				locked.instead.set(address, { statusCode: 401, body: '' });
			locked.instead.set('account/stats', { statusCode: 401, body: '' });
			locked.instead.set('messages/status', { statusCode: 401, body: '' });
			const one = await pointedAt({ 'right-key': world, 'wrong-key': locked });
			one.credential.apiKey = 'wrong-key';
			await one.poll();
			await one.poll();
			world.reply('meanwhile');
			one.credential.apiKey = 'right-key';
			expect(texts(await one.drain())).toEqual(['meanwhile']);
		});
	});

	describe('numbers that the service fails to answer for', () => {
		const broken = { statusCode: 500, body: '<html>' };

		// Whom a poll looks at, its state alone decides; with n8n's scheduler, the least of it is saved.
		const large: Array<[string, number, number[]]> = [
			['one at the front of two hundred', 200, [0]],
			['every other one', 100, Array.from({ length: 50 }, (__, at) => at * 2)],
			[
				'a hundred in the middle of a thousand',
				1_000,
				Array.from({ length: 100 }, (__, at) => 300 + at),
			],
		];

		test.each<[string, number, number[]]>([
			['six at the front of forty', 40, [0, 1, 2, 3, 4, 5]],
			['thirty at the front of forty', 40, Array.from({ length: 30 }, (__, at) => at)],
			...(keeping === 'scheduler' ? large : []),
		])('do not starve the others: %s', async (__, count, failing) => {
			const world = new World();
			const numbers = Array.from({ length: count }, (___, index) => phone(index));
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
			for (const index of failing) world.instead.set(phone(index), broken);
			const one = start(world, { events: ['statusChanged'], watchNumbers: numbers.join() });
			await one.activate();
			for (let polls = 0; polls < 12; polls++) await one.poll();
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'delivered' });
			for (let polls = 0; polls < 12; polls++) await one.poll();
			const changed = new Set(one.items.map(({ identifier }) => identifier));
			expect(changed.size).toBe(count - failing.length);
			// They are told, once, and looked at again: what they change is seen.
			expect(one.log.map(({ message }) => message).join()).toContain('HTTP 500');
			world.instead.clear();
			for (let polls = 0; polls < 12; polls++) await one.poll();
			for (const index of failing) {
				world.statuses.set(phone(index), { id: 1, state: 'opened' });
			}
			for (let polls = 0; polls < 12; polls++) await one.poll();
			for (const index of failing) {
				expect(one.items).toContainEqual(
					expect.objectContaining({ identifier: phone(index), state: 'opened' }),
				);
			}
		});

		test('are given up for this poll when so many fail in a row that it must be the service', async () => {
			const world = new World();
			const numbers = Array.from({ length: 200 }, (__, index) => phone(index));
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
			const one = await start(world, {
				events: ['statusChanged'],
				watchNumbers: numbers.join(),
			}).begin();
			world.instead.set('messages/status', broken);
			world.instead.set('account/stats', broken);
			world.asked.length = 0;
			await one.poll();
			expect(world.asked.length).toBeLessThanOrEqual(40);
			expect(one.errors).toMatchObject([{ httpCode: '500' }]);
		});

		test('that it refuses with 403 don’t stop the others; a key that it refuses does', async () => {
			const world = new World();
			const numbers = Array.from({ length: 200 }, (__, index) => phone(index));
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
			const forbidden = { statusCode: 403, body: { error: 'forbidden' } };
			for (let index = 0; index < 20; index++) world.instead.set(phone(index), forbidden);
			const one = start(world, { events: ['statusChanged'], watchNumbers: numbers.join() });
			await one.activate();
			for (const number of numbers) world.statuses.set(number, { id: 1, state: 'delivered' });
			expect((await one.poll()).length).toBe(180);
			world.instead.set('messages/status', forbidden);
			world.instead.set('account/stats', forbidden);
			for (const number of numbers) world.instead.delete(number);
			await one.poll();
			world.asked.length = 0;
			await one.poll();
			expect(world.asked.length).toBeLessThanOrEqual(12);
			expect(one.errors[0]).toMatchObject({ httpCode: '403' });
		});

		test('do not keep a trigger from being activated', async () => {
			const world = new World();
			const numbers = Array.from({ length: 40 }, (__, index) => phone(index));
			for (let index = 0; index < 40; index++) {
				if (index < 25) world.instead.set(phone(index), broken);
				else world.statuses.set(phone(index), { id: 1, state: 'sent' });
			}
			const one = await start(world, {
				events: ['statusChanged'],
				watchNumbers: numbers.join(),
			}).begin();
			world.statuses.set(phone(39), { id: 1, state: 'delivered' });
			expect(await one.drain(3)).toMatchObject([{ identifier: phone(39) }]);
		});
	});

	test.each([
		['code 16', { statusCode: 404, body: { code: 16 } }],
		['code 16 in an answer of 200', { statusCode: 200, body: { code: 16, error: 'none' } }],
		['404', { statusCode: 404, body: '' }],
		['404 and a text', { statusCode: 404, body: { status: 404, error: 'No message' } }],
		['[]', { statusCode: 200, body: [] }],
		['{}', { statusCode: 200, body: {} }],
		['204', { statusCode: 204, body: '' }],
	])('"no message" may be said by %s', async (__, none) => {
		const world = new World();
		for (let index = 0; index < 30; index++) world.instead.set(phone(index), none);
		const numbers = Array.from({ length: 31 }, (___, index) => phone(index));
		world.statuses.set(phone(30), { id: 1, state: 'sent' });
		const one = await start(world, {
			events: ['statusChanged'],
			watchNumbers: numbers.join(),
		}).begin();
		world.instead.delete(phone(0));
		world.statuses.set(phone(0), { id: 7, state: 'delivered' });
		world.statuses.set(phone(30), { id: 1, state: 'delivered' });
		const items = await one.drain(2);
		expect(items.map(({ identifier, previousState }) => [identifier, previousState])).toEqual(
			expect.arrayContaining([
				[phone(0), null],
				[phone(30), 'sent'],
			]),
		);
		expect(items).toHaveLength(2);
		expect(one.errors).toEqual([]);
		expect(one.log).toEqual([]);
	});

	test('404 at an address that is no service is an error, and no emptiness', async () => {
		const world = new World();
		const nothing = { statusCode: 404, body: '<html>Not Found</html>' };
		for (const address of ['messages/replies', 'messages/status', 'account/stats']) {
			world.instead.set(address, nothing);
		}
		const parameters = { events: ['reply', 'statusChanged'], categories: 'a' };
		const one = start(world, { ...parameters, watchNumbers: phone(1) });
		await expect(one.activate()).rejects.toMatchObject({ httpCode: '404' });
	});

	describe('a category without messages', () => {
		const forms: Array<[string, { statusCode: number; body: unknown }]> = [
			['code 16', { statusCode: 404, body: { code: 16, error: 'No message found' } }],
			['code 16 in an answer of 200', { statusCode: 200, body: { code: '16' } }],
			['404', { statusCode: 404, body: '' }],
			['[]', { statusCode: 200, body: [] }],
			['{}', { statusCode: 200, body: {} }],
			['204', { statusCode: 204, body: '' }],
		];
		const parameters = {
			events: ['reply', 'unsubscribed', 'bounced', 'statisticsChanged'],
			categories: 'a',
		};

		test.each(forms)(
			'may answer %s: empty is empty, and what comes first is an event',
			async (__, empty) => {
				const world = new World();
				for (const address of ['replies', 'blacklists', 'stats']) {
					world.instead.set(`messages/${address}?a`, empty);
				}
				const one = start(world, parameters);
				await one.activate();
				expect(await one.poll()).toEqual([]);
				world.instead.clear();
				world.reply('first');
				world.blacklists.set('a', {
					bounces: ['0639980003'],
					unsubscribers: ['0639980002'],
				});
				world.statistics.set('a', { sent: 1, delivered: 0 });
				expect((await one.poll()).map(({ event }) => event)).toEqual([
					'reply',
					'unsubscribed',
					'bounced',
					'statisticsChanged',
				]);
				expect(one.items.at(-1)).toMatchObject({ change: { sent: 1, delivered: 0 } });
				// Nothing at all for a while is no change of the counters.
				for (const address of ['replies', 'blacklists', 'stats']) {
					world.instead.set(`messages/${address}?a`, empty);
				}
				expect(await one.poll()).toEqual([]);
				world.instead.clear();
				expect(await one.poll()).toEqual([]);
				expect(one.errors).toEqual([]);
			},
		);

		test('has nothing to show as a test event', async () => {
			const world = new World();
			for (const address of ['replies', 'blacklists', 'stats']) {
				world.instead.set(`messages/${address}?a`, forms[0][1]);
			}
			await expect(start(world, parameters).fetchTestEvent()).rejects.toMatchObject({
				message: 'There is nothing to show yet',
			});
		});
	});

	describe('answers of other forms', () => {
		test('a blacklist that is left out is empty', async () => {
			const world = new World();
			const answer = (body: unknown) =>
				world.instead.set('messages/blacklists?a', { statusCode: 200, body });
			answer({ unsubscribers: { number: 0, identifiers: [] } });
			const one = start(world, { events: ['bounced', 'unsubscribed'], categories: 'a' });
			await one.activate();
			answer({ bounces: { number: 1, identifiers: ['0639980001'] } });
			expect(await one.poll()).toMatchObject([{ event: 'bounced' }]);
			expect(one.errors).toEqual([]);
		});

		test('states in capitals are the same states', async () => {
			const world = new World();
			world.statuses.set(phone(1), { id: 1, state: 'SENT' });
			const one = await start(world, {
				events: ['statusChanged'],
				watchNumbers: phone(1),
				options: { statesToEmit: ['delivered'] },
			}).begin();
			world.statuses.set(phone(1), { id: 1, state: 'sent' });
			expect(await one.poll()).toEqual([]);
			world.statuses.set(phone(1), { id: 1, state: 'DELIVERED' });
			expect(await one.poll()).toMatchObject([{ state: 'delivered', previousState: 'sent' }]);
		});

		test('bad records are skipped and logged; the others count', async () => {
			const world = new World();
			const contacts = [{ identifier: phone(1) }, { identifier: '' }, null, { id: '4' }];
			world.instead.set('lists/l/contacts', { statusCode: 200, body: contacts });
			world.statuses.set(phone(1), { id: 1, state: 'sent' });
			const replies = (...list: unknown[]) =>
				world.instead.set('messages/replies?a', { statusCode: 200, body: list });
			replies({ id: '1', identifier: phone(1), message: 'old' }, null);
			const one = start(world, {
				events: ['statusChanged', 'reply'],
				categories: 'a',
				watch: 'list',
				list: { __rl: true, mode: 'id', value: 'l' },
			});
			await one.activate();
			world.statuses.set(phone(1), { id: 1, state: 'delivered' });
			replies(null, { id: '2', identifier: phone(1), message: 'new' }, { what: 1 });
			expect(await one.poll()).toMatchObject([{ message: 'new' }, { state: 'delivered' }]);
			expect(one.errors).toEqual([]);
			const lines = one.log.map(({ message }) => message).join('\n');
			expect(lines).toContain('3 entries of the answer could not be read');
			expect(lines).toContain('1 entry of the answer could not be read');
		});
	});

	describe('an outage', () => {
		test('hidden behind a busy category is told once; the next one again', async () => {
			const world = new World();
			const one = await start(world, { events: ['reply'], categories: 'busy, dead' }).begin();
			for (let outage = 1; outage <= 2; outage++) {
				world.instead.set('messages/replies?dead', { statusCode: 503, body: '' });
				for (let count = 0; count < 10; count++) {
					world.reply(`${outage} ${count}`, 'busy');
					expect(await one.poll()).toHaveLength(1);
				}
				expect(one.errors).toHaveLength(outage);
				expect(one.errors[outage - 1].message).toContain("replies of 'dead'");
				world.instead.clear();
				expect(await one.poll()).toEqual([]);
			}
			expect(one.thrown).toEqual([]);
		});

		test('that becomes one that somebody has to act on is told again', async () => {
			const world = new World();
			const one = await start(world, { events: ['reply'], categories: 'busy, dead' }).begin();
			for (const statusCode of [503, 401, 503, 401]) {
				world.instead.set('messages/replies?dead', { statusCode, body: '' });
				world.reply('x', 'busy');
				await one.poll();
			}
			expect(one.errors.map(({ httpCode }) => httpCode)).toEqual(['503', '401']);
		});
	});

	test('a counter that appears later was 0 before: it makes an event, once', async () => {
		const world = new World();
		world.statistics.set('a', { sent: 3 });
		const one = start(world, { events: ['statisticsChanged'], categories: 'a' });
		await one.activate();
		world.statistics.set('a', { sent: 3, delivered: 2 });
		expect(await one.drain()).toMatchObject([{ change: { sent: 0, delivered: 2 } }]);
		world.statistics.set('a', { sent: 3, delivered: 3 });
		expect(await one.drain()).toMatchObject([{ change: { sent: 0, delivered: 1 } }]);
	});

	describe('another event has another ID', () => {
		test('of statistics of another account with the same counters', async () => {
			const worlds = [new World(), new World()];
			const one: Host = new Host({
				keeping,
				parameters: { events: ['statisticsChanged'], categories: 'a' },
				answer: (url, qs) =>
					worlds[one.credential.apiKey === 'second-key' ? 1 : 0].answer(url, qs),
			});
			await one.activate();
			for (const [at, key] of [
				'first-key',
				'second-key',
				'first-key',
				'second-key',
			].entries()) {
				one.credential.apiKey = key;
				worlds[at % 2].statistics.set('a', { sent: 0 });
				await one.drain(2);
				worlds[at % 2].statistics.set('a', { sent: 1 });
				await one.drain(2);
			}
			expect(one.items).toHaveLength(4);
			expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(4);
		});

		test('of two passages through the same state that the service doesn’t date', async () => {
			const world = new World();
			world.statuses.set(phone(1), { id: 1, state: 'submitted' });
			const one = await start(world, {
				events: ['statusChanged'],
				watchNumbers: phone(1),
			}).begin();
			for (const state of ['sent', 'delivered', 'sent', 'delivered']) {
				world.statuses.set(phone(1), { id: 1, state });
				// n8n is killed before it has saved the first: the event is the same.
				const [lost] = await one.rehearse();
				const [item] = await one.poll();
				expect(item).toMatchObject({ state, eventId: lost.eventId });
				await one.poll();
			}
			expect(one.items).toHaveLength(4);
			expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(4);
		});

		test('of a threshold that was changed and changed back', async () => {
			const world = new World();
			world.account.credits = 5;
			const one = start(world, { events: ['creditsLow'], creditsThreshold: 10 });
			await one.activate();
			await one.drain();
			for (const creditsThreshold of [20, 10]) {
				await one.edit({ events: ['creditsLow'], creditsThreshold });
				await one.drain();
			}
			expect(one.items).toHaveLength(3);
			expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(3);
		});
	});

	test('fields of a status named like those of an event don’t replace them', async () => {
		const world = new World();
		world.statuses.set(phone(1), { id: 1, state: 'sent' });
		const one = await start(world, {
			events: ['statusChanged'],
			watchNumbers: phone(1),
		}).begin();
		const fields = { event: 'theirs', eventId: 'theirs', category: 'theirs' };
		const status = { id: 1, state: 'delivered', ...fields };
		world.statuses.set(phone(1), status);
		expect(await one.poll()).toMatchObject([
			{
				event: 'statusChanged',
				eventId: expect.stringMatching(/^statusChanged:/),
				category: null,
			},
		]);
	});

	test('fifty categories and one item a poll: a backlog has a place in each round that has room', async () => {
		const world = new World();
		const categories = Array.from({ length: 50 }, (__, at) => `c${at}`);
		const one = await start(world, {
			events: ['reply'],
			categories: categories.join(),
			options: { maxItemsPerPoll: 1 },
		}).begin();
		for (let count = 0; count < 3; count++) {
			world.reply('backlog', 'c4');
			world.reply('backlog', 'c30');
		}
		const served: unknown[] = [];
		for (let count = 0; count < 6; count++) {
			served.push(...(await one.poll()).map(({ category }) => category));
		}
		expect(served).toEqual(['c4', 'c30', 'c4', 'c30', 'c4', 'c30']);
	});

	test('a category with half a character is refused at activation', async () => {
		const one = start(new World(), { events: ['reply'], categories: 'a, b\ud83d' });
		await expect(one.activate()).rejects.toMatchObject({
			message: expect.stringContaining("'Categories'"),
		});
	});

	test.each([
		['null', null],
		['an empty body', ''],
	])('%s means that there is nothing', async (__, body) => {
		const world = new World();
		world.instead.set('messages/replies?a', { statusCode: 200, body });
		const one = start(world, replyTrigger);
		await one.activate();
		world.instead.clear();
		world.reply('first');
		expect(texts(await one.drain())).toEqual(['first']);
		expect(one.errors).toEqual([]);
	});

	test('polls ten days apart, with another trigger in between, lose nothing', async () => {
		const world = new World();
		const one = start(world, { events: ['creditsLow'], creditsThreshold: 10 });
		const other = start(world, replyTrigger, { beside: one });
		await one.activate();
		await other.activate();
		for (const credits of [5, 500, 3]) {
			world.account.credits = credits;
			await one.poll();
			passHours(240);
			await other.poll();
		}
		expect(one.items.map(({ credits }) => credits)).toEqual([5, 3]);
	});

	test('two nodes with the same ID are said in the log, once', async () => {
		const world = new World();
		const one = start(world, replyTrigger);
		await one.activate();
		for (let count = 0; count < 6; count++) {
			one.nodeName = count % 2 === 0 ? 'SMS Trigger' : 'SMS Trigger1';
			await one.edit(one.parameters);
		}
		const lines = one.log.filter(({ message }) => message.includes('same ID'));
		expect(lines).toHaveLength(1);
		expect(lines[0].message).toContain('SMS Trigger1');
	});

	describe('low credits', () => {
		const parameters = (creditsThreshold: number) => ({
			events: ['creditsLow'],
			creditsThreshold,
		});

		test('are told once when the threshold was raised', async () => {
			const world = new World();
			world.account.credits = 50;
			const one = start(world, parameters(10));
			await one.activate();
			await one.drain(2);
			await one.edit(parameters(100));
			await one.drain(3);
			expect(one.items).toMatchObject([{ credits: 50, threshold: 100 }]);
		});

		test('that were topped up and are low again are told again, whatever quiet polls lie between', async () => {
			const world = new World();
			const one = start(world, parameters(10));
			await one.activate();
			for (const credits of [5, 500, 3, 200, 9]) {
				world.account.credits = credits;
				for (let count = 0; count < 3; count++) await one.poll();
			}
			expect(one.items.map(({ credits }) => credits)).toEqual([5, 3, 9]);
		});
	});

	test('the first message to a number is seen, whatever quiet polls lie between', async () => {
		const world = new World();
		const numbers = Array.from({ length: 450 }, (__, index) => phone(index));
		const one = start(world, { events: ['statusChanged'], watchNumbers: numbers.join() });
		await one.activate();
		for (let count = 0; count < 5; count++) await one.poll();
		for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
		for (let count = 0; count < 30; count++) await one.poll();
		expect(new Set(one.items.map(({ identifier }) => identifier)).size).toBe(450);
		expect(one.items).toHaveLength(450);
	});

	test('a poll reads the credential once, also when it fails and logs', async () => {
		const world = new World();
		world.instead.set('messages/replies?b', { statusCode: 503, body: '' });
		const one = start(world, {
			events: ['reply', 'unsubscribed', 'statisticsChanged', 'statusChanged'],
			categories: 'a',
			watchNumbers: Array.from({ length: 200 }, (__, index) => phone(index)).join(),
		});
		await one.activate();
		one.reads = 0;
		await one.poll();
		expect(one.reads).toBe(1);
		world.instead.set('messages/replies?a', { statusCode: 503, body: '' });
		world.instead.set(phone(3), { statusCode: 500, body: '' });
		world.blacklists.set('a', { bounces: [], unsubscribers: ['0639980001'] });
		await one.poll();
		await one.poll();
		expect(one.log.length).toBeGreaterThan(0);
		expect(one.reads).toBe(3);
	});

	test('a state of a later version is said to be one, and not replayed', async () => {
		const world = new World();
		for (let count = 0; count < 20; count++) world.reply(String(count));
		const one = start(world, { ...replyTrigger, options: { emitExisting: true } });
		const state = { v: 99, some: 'thing' };
		one.state = state;
		await one.restart();
		await one.drain(3);
		expect(one.items).toEqual([]);
		expect(one.errors).toHaveLength(1);
		expect(one.errors[0].description).toContain('A later version of this package');
		expect(one.errors[0].description).toContain('99');
		world.reply('new');
		expect(texts(await one.drain())).toEqual(['new']);
		expect(one.errors).toHaveLength(1);
	});

	describe('in a workflow', () => {
		test('two triggers don’t see each other', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			const two = start(world, { events: ['reply'], categories: 'a, b' }, { beside: one });
			await one.activate();
			await two.activate();
			world.reply('1');
			expect(texts(await one.poll())).toEqual(['1']);
			world.reply('2', 'b');
			expect(texts(await two.poll())).toEqual(['1', '2']);
			world.reply('3');
			expect(texts(await two.poll())).toEqual(['3']);
			expect(texts(await one.poll())).toEqual(['3']);
			expect(await one.poll()).toEqual([]);
			expect(await two.poll()).toEqual([]);
		});

		test('what a poll found while the workflow was deactivated is found again', async () => {
			const world = new World();
			const one = await start(world, replyTrigger).begin();
			world.reply('1');
			// n8n throws away what a poll gives whose workflow was deactivated meanwhile.
			expect(texts(await one.rehearse())).toEqual(['1']);
			one.deactivate();
			world.reply('2');
			const items = await one.activate();
			items.push(...(await one.drain(2)));
			expect(texts(items).sort()).toEqual(['1', '2']);
			world.reply('3');
			expect(texts(await one.poll())).toEqual(['3']);
		});

		test('a clock that is put back silences nothing', async () => {
			const world = new World();
			const one = await start(world, {
				events: ['reply', 'statusChanged'],
				categories: 'a',
				watchNumbers: phone(1),
			}).begin();
			world.reply('1');
			await one.rehearse();
			passHours(-30);
			world.reply('2');
			expect(texts(await one.poll())).toEqual(['1', '2']);
			world.statuses.set(phone(1), { id: 1, state: 'sent' });
			world.reply('3');
			expect(await one.poll()).toHaveLength(2);
			passHours(30);
			expect(await one.poll()).toEqual([]);
		});

		test('a renamed node goes on, with Also Emit What Is Already There too', async () => {
			const world = new World();
			world.reply('old');
			const one = start(world, { ...replyTrigger, options: { emitExisting: true } });
			await one.activate();
			world.reply('before');
			await one.drain(2);
			world.reply('meanwhile');
			one.nodeName = 'Replies';
			await one.edit(one.parameters);
			world.reply('after');
			await one.drain();
			await one.restart();
			// Renamed right after an event, and back.
			world.reply('again');
			await one.drain();
			one.nodeName = 'SMS Trigger';
			await one.edit(one.parameters);
			await one.restart();
			await one.drain();
			const all = ['old', 'before', 'meanwhile', 'after', 'again'];
			expect(texts(one.items)).toEqual(all);
			expect(one.log).toEqual([]);
		});

		test('renamed, n8n restarted, renamed back: nothing comes again', async () => {
			const world = new World();
			const one = await start(world, replyTrigger).begin();
			one.nodeName = 'Replies';
			await one.edit(one.parameters);
			for (const text of ['1', '2', '3']) {
				world.reply(text);
				await one.poll();
			}
			one.nodeName = 'SMS Trigger';
			await one.restart();
			await one.drain();
			expect(texts(one.items)).toEqual(['1', '2', '3']);
		});

		test('two triggers that swap names lose and repeat nothing', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			const two = start(world, { events: ['reply'], categories: 'b' }, { beside: one });
			await one.activate();
			await two.activate();
			await one.poll();
			await two.poll();
			world.reply('a1');
			world.reply('b1', 'b');
			await one.poll();
			await two.poll();
			[one.nodeName, two.nodeName] = [two.nodeName, one.nodeName];
			world.reply('a2');
			world.reply('b2', 'b');
			await one.edit(one.parameters);
			await two.edit(two.parameters);
			await one.drain();
			await two.drain();
			expect(texts(one.items)).toEqual(['a1', 'a2']);
			expect(texts(two.items)).toEqual(['b1', 'b2']);
		});

		test('a new node with the name of a deleted one has nothing of its state', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			const two = start(world, replyTrigger, { beside: one });
			await one.begin();
			world.reply('old');
			one.nodeName = 'deleted';
			two.nodeName = 'SMS Trigger';
			await two.edit(two.parameters);
			await two.drain(2);
			expect(two.items).toEqual([]);
			world.reply('new');
			expect(texts(await two.drain())).toEqual(['new']);
		});

		if (keeping !== 'durable') {
			test.each(['events', 'quiet polls'])(
				'a state that n8n puts back after hundreds of %s repeats nothing',
				async (what) => {
					const world = new World();
					const one = start(world, {
						events: ['reply', 'statusChanged'],
						categories: 'a',
						watchNumbers: phone(1),
					});
					await one.activate();
					await one.drain();
					const old = structuredClone(one.database);
					world.reply('first');
					await one.drain(2);
					for (let count = 0; count < 150; count++) {
						if (what === 'events') world.reply(String(count));
						world.statuses.set(phone(2), { id: count, state: 'sent' });
						await one.poll();
					}
					await one.drain();
					const handedOut = one.items.length;
					one.database = old;
					await one.edit(one.parameters);
					await one.drain(2);
					expect(one.items).toHaveLength(handedOut);
				},
			);

			test('a state that is put back at once repeats the events of the last poll only, with their IDs', async () => {
				const world = new World();
				const one = await start(world, replyTrigger).begin();
				const old = structuredClone(one.database);
				for (const text of ['1', '2', '3']) {
					world.reply(text);
					await one.poll();
				}
				one.database = old;
				await one.edit(one.parameters);
				await one.drain(2);
				expect(texts(one.items.slice(0, 3))).toEqual(['1', '2', '3']);
				for (const item of one.items.slice(3)) {
					expect(item.eventId).toBe(one.items[2].eventId);
				}
				expect(one.items.length).toBeLessThanOrEqual(4);
			});

			test('static data that is emptied means a baseline, said in the log', async () => {
				const world = new World();
				world.reply('old');
				const one = start(world, { ...replyTrigger, options: { emitExisting: true } });
				await one.activate();
				world.reply('before');
				await one.drain(2);
				const old = structuredClone(one.database);
				world.reply('meanwhile');
				one.database = {};
				await one.edit(one.parameters);
				expect(one.log.map(({ message }) => message).join()).toContain(
					'taken a new baseline',
				);
				await one.drain(2);
				world.reply('after');
				await one.drain();
				// What another execution puts back then is older.
				one.database = old;
				await one.edit(one.parameters);
				await one.drain(2);
				expect(texts(one.items)).toEqual(['old', 'before', 'after']);
				expect(one.log).toHaveLength(1);
			});

			test('static data that is emptied while n8n is down as well', async () => {
				const world = new World();
				const one = start(world, replyTrigger);
				await one.activate();
				await one.drain();
				world.reply('meanwhile');
				one.database = {};
				await one.restart();
				await one.drain();
				expect(one.log.map(({ message }) => message).join()).toMatch(/baseline|anew/);
				world.reply('after');
				await one.drain();
				expect(texts(one.items)).toEqual(['after']);
			});
		}

		test('a duplicate begins with a baseline of its own', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			await one.activate();
			world.reply('old');
			await one.poll();
			// n8n copies nodes, with their IDs, and no static data.
			const copy = start(world, replyTrigger, { inProcessOf: one });
			expect(await copy.activate()).toEqual([]);
			world.reply('new');
			expect(texts(await copy.drain())).toEqual(['new']);
			expect(texts(await one.drain())).toEqual(['new']);
			expect(copy.log).toEqual([]);
		});

		test('an import with static data, and the same node, goes on', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			await one.activate();
			for (const text of ['1', '2']) {
				world.reply(text);
				await one.poll();
			}
			const copy = start(world, replyTrigger, { staticData: structuredClone(one.database) });
			world.reply('meanwhile');
			await copy.activate();
			await copy.poll();
			world.reply('new');
			await copy.drain();
			// Durable cursors are no static data.
			expect(texts(copy.items)).toEqual(
				keeping === 'durable' ? ['new'] : ['meanwhile', 'new'],
			);
		});

		test('what is stored holds no text, no number and no key', async () => {
			const world = new World();
			const one = start(world, {
				events: ['reply', 'unsubscribed', 'statusChanged'],
				categories: 'a',
				watchNumbers: phone(1),
			});
			one.credential.apiKey = 'a-secret-key';
			world.reply('a text of somebody');
			world.blacklists.set('a', { bounces: [], unsubscribers: ['0639980002'] });
			world.statuses.set(phone(1), { id: 1, state: 'sent' });
			await one.activate();
			world.reply('another text');
			await one.drain();
			const stored = JSON.stringify([one.state, one.database, one.cursor]);
			expect(stored).toContain('reply:a');
			expect(stored).not.toMatch(/text|secret|3998000/);
		});

		test('another main instance goes on where the first one was', async () => {
			const world = new World();
			const one = start(world, replyTrigger);
			await one.activate();
			world.reply('1');
			await one.poll();
			world.reply('2');
			if (keeping === 'usual') await one.restart();
			else one.switchProcess();
			await one.poll();
			world.reply('3');
			await one.drain();
			expect(texts(one.items)).toEqual(['1', '2', '3']);
		});
	});
});

test("two triggers that n8n's scheduler polls at the same moment may repeat an event, with the same ID", async () => {
	const one = new Host({ simulator, keeping: 'scheduler', parameters: replyTrigger });
	const two = new Host({
		simulator,
		keeping: 'scheduler',
		parameters: { events: ['unsubscribed'], categories: 'a' },
		beside: one,
	});
	await one.activate();
	await two.activate();
	simulator.reply(phone(1), 'x', { category: 'a' });
	simulator.stop(phone(2), { category: 'a' });
	// The poll of the second one begins before, and ends after, the first one hands over.
	simulator.faults.add({ path: '/v2/messages/blacklists', do: { kind: 'delay', ms: 300 } });
	const slow = two.poll();
	expect(texts(await one.pollNow())).toEqual(['x']);
	expect(await slow).toHaveLength(1);
	await one.drain(2);
	await two.drain(2);
	expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(1);
	expect(one.items.length).toBeLessThanOrEqual(2);
	expect(two.items).toHaveLength(1);
	simulator.reply(phone(1), 'y', { category: 'a' });
	expect(texts(await one.drain())).toEqual(['y']);
});

test('two main instances that poll at the same moment may hand out an event twice, with the same ID', async () => {
	const one = await new Host({ simulator, keeping: 'durable', parameters: replyTrigger }).begin();
	simulator.reply(phone(1), 'x', { category: 'a' });
	simulator.faults.add({ do: { kind: 'delay', ms: 200 } });
	const first = one.poll();
	one.switchProcess();
	await Promise.all([first, one.pollNow()]);
	expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(1);
	expect(one.items.length).toBeLessThanOrEqual(2);
	expect(await one.poll()).toEqual([]);
});

describe('a credential pointed at another simulator', () => {
	test.each(KEEPINGS)(
		'whose IDs are the same: nothing old, nothing swallowed, %s',
		async (_, keeping) => {
			for (let count = 0; count < 5; count++) {
				simulator.reply(phone(1), `first ${count}`, { category: 'a', id: `id ${count}` });
			}
			another.reply(phone(1), 'second', { category: 'a', id: 'id 0' });
			const one = await new Host({ simulator, keeping, parameters: replyTrigger }).begin();
			one.credential = { baseUrl: another.baseUrl, apiKey: another.apiKey };
			expect(await one.poll()).toEqual([]);
			// The first account had these IDs, too.
			for (const id of ['id 1', 'id 2']) another.reply(phone(1), id, { category: 'a', id });
			expect(texts(await one.drain())).toEqual(['id 1', 'id 2']);
		},
	);
});
