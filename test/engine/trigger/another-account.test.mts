/** A credential that leads to another account, or has a new key of the same one: docs/trigger.md. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { World } from './fake-service.mts';
import { Host, KEEPINGS, phone, texts } from './harness.mts';

const ALL: INodeParameters = {
	events: ['reply', 'unsubscribed', 'statisticsChanged', 'creditsLow', 'statusChanged'],
	categories: 'a',
	creditsThreshold: 10,
	watchNumbers: phone(1),
	options: { emitExisting: true },
};

/** An account whose IDs begin with a text. */
function account(prefix: string): World {
	const world = new World(prefix);
	for (let count = 0; count < 30; count++) world.reply(`old ${prefix} ${count}`);
	const identifiers = [1, 2, 3].map((index) => `06${prefix.length}399800${index}`);
	world.blacklists.set('a', { bounces: [], unsubscribers: identifiers });
	world.statistics.set('a', { sent: prefix.length * 100 });
	world.statuses.set(phone(1), { id: prefix.length, state: 'sent' });
	return world;
}

describe.each(KEEPINGS)('%s', (_, keeping) => {
	/** A trigger that has handed out what the first account had. */
	async function pointedAt(worlds: Record<string, World>, parameters = ALL) {
		const one: Host = new Host({
			keeping,
			parameters,
			answer: (url, qs) => worlds[one.credential.apiKey as string].answer(url, qs),
		});
		one.credential.apiKey = Object.keys(worlds)[0];
		await one.activate();
		await one.drain(2);
		one.items.length = 0;
		one.log.length = 0;
		return one;
	}

	test.each([
		['another address', 'https://two.example.com', 'test'],
		['another address with other IDs', 'https://two.example.com', 'production'],
		['another key whose account has other IDs', 'http://localhost', 'production'],
	])('%s: nothing old comes, the log says so, what is new comes', async (__, baseUrl, prefix) => {
		const worlds = { 'key-of-test': account('test'), 'key-of-other': account(prefix) };
		const one = await pointedAt(worlds);
		Object.assign(one.credential, { apiKey: 'key-of-other', baseUrl });
		expect(await one.poll()).toEqual([]);
		expect(one.log.map(({ message }) => message).join()).toContain('another key or address');
		expect(one.errors).toEqual([]);
		const lines = one.log.length;
		worlds['key-of-other'].reply('new');
		worlds['key-of-other'].statuses.set(phone(1), { id: 99, state: 'sent' });
		expect((await one.drain()).map(({ event }) => event)).toEqual(['reply', 'statusChanged']);
		expect(one.log).toHaveLength(lines);
		// And back again.
		Object.assign(one.credential, { apiKey: 'key-of-test', baseUrl: 'http://localhost' });
		worlds['key-of-test'].reply('meanwhile');
		expect(await one.drain()).toEqual([]);
	});

	test('a new key of the same account changes nothing, whatever changed meanwhile', async () => {
		const world = account('test');
		const parameters = { ...ALL, events: ['reply', 'unsubscribed', 'statusChanged'] };
		const one = await pointedAt({ 'old-key-of-it': world, 'new-key-of-it': world }, parameters);
		one.credential.apiKey = 'new-key-of-it';
		one.credentialId = '2';
		world.reply('before');
		world.statuses.set(phone(1), { id: 4, state: 'delivered' });
		expect((await one.poll()).map(({ event }) => event)).toEqual(['reply', 'statusChanged']);
		world.reply('after');
		expect(texts(await one.drain())).toEqual(['after']);
		expect(one.log).toEqual([]);
	});

	test.each([
		[15, []],
		[14, ['new']],
	])('with %i of 30 replies gone, %j comes', async (gone, expected) => {
		const world = account('test');
		const parameters = { events: ['reply'], categories: 'a' };
		const one = await pointedAt({ 'old-key-of-it': world, 'new-key-of-it': world }, parameters);
		world.replies.set('a', world.replies.get('a')!.slice(gone));
		world.reply('new');
		one.credential.apiKey = 'new-key-of-it';
		expect(texts(await one.drain())).toEqual(expected);
	});
});
