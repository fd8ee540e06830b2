/** Every way in which the service might speak where the interface document is silent. */
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf } from './client.mts';
import { DIALECTS, pairwiseDialects, singleDialects } from './dialect.mts';
import { startSimulator, type Dialect } from './index.mts';

const START = Date.UTC(2026, 0, 15, 9, 0, 0);
const NATIONAL = '0612345678';
const NUMBER = '+33612345678';
const ENCODED = '%2B33612345678';

const simulator = await useSimulator({ now: () => START });
const call = clientOf(simulator);

const speak = (dialect: Partial<Dialect>) =>
	void Object.assign(simulator.service.settings, dialect);
const send = (number = NUMBER) =>
	call('POST', '/v2/notification/messages/send', {
		number,
		message: 'Bonjour',
		category: 'soldes',
	});
const get = (path: string) => call('GET', path);

/** How one of two places that take numbers holds them, and answers for each format. */
const PLACES = {
	contacts: async () => `/v2/lists/${simulator.service.createList('x').id}/contacts`,
	'blacklist entries': async () => '/v2/unsubscribers/default/contacts',
};

describe.each(Object.entries(PLACES))('numbers of %s', (_, place) => {
	it.each([
		['number', NUMBER, 204],
		['text', NATIONAL, 404],
	] as const)('as %s', async (numbers, held, deleted) => {
		speak({ numbers });
		const path = await place();
		await call('POST', path, { identifier: NATIONAL });
		expect((await get(path)).json).toMatchObject([{ identifier: held }]);
		// A blacklist stops messages, whatever way a number is written in it.
		if (path.includes('unsubscribers'))
			expect((await send(NUMBER)).json).toMatchObject({ code: 12 });
		expect((await call('POST', path, { identifier: NATIONAL })).json.code).toBe(15);
		const remove = async (number: string) =>
			(await call('DELETE', `${path}?identifier=${number}`)).status;
		expect(await remove(ENCODED)).toBe(deleted);
		if (deleted === 404) expect(await remove(NATIONAL)).toBe(204);
		expect((await send(NUMBER)).status).toBe(200);
	});
});

it.each([
	['number', 200],
	['text', 404],
] as const)('a status is found under a number as %s: %i', async (numbers, status) => {
	speak({ numbers });
	await send(NATIONAL);
	expect((await get(`/v2/messages/status?identifier=${ENCODED}`)).status).toBe(status);
	expect((await get(`/v2/messages/status?identifier=${NATIONAL}`)).status).toBe(200);
});

describe('a category without messages', () => {
	const answers = async () =>
		await Promise.all(
			['stats', 'replies', 'blacklists'].map(
				async (what) => await get(`/v2/messages/${what}?category=nothing`),
			),
		);

	const some = (object: object): unknown => expect.objectContaining(object);
	const none = { number: 0, identifiers: [] };
	const emptyBlacklists = { bounces: none, unsubscribers: none };
	const notFound = { status: 404, error: 'No message has this category' };
	it.each<[Dialect['unknownCategory'], number, unknown[]]>([
		['zeros', 200, [some({ sent: 0, timespent: 0 }), [], emptyBlacklists]],
		['empty', 200, [{}, [], {}]],
		['code16', 404, Array(3).fill(some({ code: 16 }))],
		['notFound', 404, Array(3).fill(notFound)],
	])('%s', async (unknownCategory, status, expected) => {
		speak({ unknownCategory });
		const all = await answers();
		expect(all.map((answer) => answer.status)).toEqual([status, status, status]);
		expect(all.map(({ json }) => json)).toEqual(expected);
	});

	it.each(DIALECTS.unknownCategory)(
		'is one with messages from its first one on (%s)',
		async (answer) => {
			speak({ unknownCategory: answer });
			await send();
			expect((await get('/v2/messages/stats?category=soldes')).json).toMatchObject({
				sent: 1,
			});
			expect((await get('/v2/messages/replies?category=soldes')).json).toEqual([]);
		},
	);

	it.each(DIALECTS.unknownCategory)('is not the account (%s)', async (answer) => {
		speak({ unknownCategory: answer });
		expect((await get('/v2/messages/stats')).json).toMatchObject({ sent: 0 });
	});
});

it.each<[Dialect['noMessage'], number, unknown]>([
	['code16', 404, { code: 16, error: expect.any(String) }],
	['notFound', 404, { status: 404, error: 'No message found for this query' }],
	['list', 200, []],
	['object', 200, {}],
])('no message: %s', async (noMessage, status, json) => {
	speak({ noMessage });
	for (const query of [`identifier=${ENCODED}`, 'snapshotId=1']) {
		expect(await get(`/v2/messages/status?${query}`)).toMatchObject({ status, json });
	}
	await send();
	expect((await get(`/v2/messages/status?identifier=${ENCODED}`)).json).toMatchObject({
		state: 'sent',
	});
});

it('blacklists of a category: one key only', async () => {
	speak({ blacklistKeys: 'filled' });
	await send();
	const blacklists = async () => (await get('/v2/messages/blacklists?category=soldes')).json;
	expect(await blacklists()).toEqual({});
	simulator.stop(NUMBER);
	expect(await blacklists()).toEqual({ unsubscribers: { number: 1, identifiers: [NATIONAL] } });
});

it('states in capitals', async () => {
	speak({ states: 'upper' });
	const { json } = await send();
	expect((await get(`/v2/messages/status?snapshotId=${json.snapshotId}`)).json.state).toBe(
		'SENT',
	);
});

describe('IDs', () => {
	/** The bytes: JSON.parse would round what the test is about. */
	async function texts(): Promise<string[]> {
		const sent = await send();
		const snapshotId = /"snapshotId":"?(\d+)/.exec(sent.text)![1];
		simulator.reply(NUMBER, 'Oui');
		const created = await call('POST', '/v2/lists/', { name: 'x' });
		const listId = /"id":"?(\w+)/.exec(created.text)![1];
		await call('POST', `/v2/lists/${listId}/fields`, { name: 'Nom', type: 'STRING' });
		await call('POST', `/v2/lists/${listId}/contacts`, { identifier: NUMBER });
		const paths = [
			`messages/status?snapshotId=${snapshotId}`,
			'messages/replies?category=soldes',
			`lists/${listId}`,
			`lists/${listId}/contacts`,
		];
		const answers = await Promise.all(paths.map(async (path) => await get(`/v2/${path}`)));
		for (const { status } of answers) expect(status).toBe(200);
		return [sent, created, ...answers].map(({ text }) => text);
	}

	it.each<[Dialect['ids'], ofMessages: string, ofOthers: string]>([
		['text', '"\\d{6}"', '"[0-9a-f]{24}"'],
		['number', '\\d{6}\\b', '\\d+\\b'],
		['longText', '"\\d{16}"', '"\\d{16}"'],
		['longNumber', '\\d{16}\\b', '\\d{16}\\b'],
	])('%s', async (ids, ofMessages, ofOthers) => {
		speak({ ids });
		const [sent, created, status, ...others] = await texts();
		expect(sent).toMatch(new RegExp(`"snapshotId":${ofMessages}`));
		for (const text of [created, ...others]) {
			expect(text).toMatch(new RegExp(`"id":${ofOthers}`));
		}
		// That of a status is an integer in the interface document.
		expect(status).toMatch(ids === 'text' ? /"id":\d{6},/ : new RegExp(`"id":${ofOthers}`));
		const isSafe = Number.isSafeInteger(Number(/"snapshotId":"?(\d+)/.exec(sent)![1]));
		expect(isSafe).toBe(!ids.startsWith('long'));
	});

	it('columns have one that is unlike their token', async () => {
		speak({ fieldIds: 'opaque' });
		const list = simulator.service.createList('x', [{ name: 'Nom' }]);
		expect((await get(`/v2/lists/${list.id}`)).json.fields[0].id).not.toBe('nom');
	});
});

it('counters, credits and times as texts', async () => {
	speak({ counters: 'text' });
	expect((await send()).json).toEqual({ creditsUsed: '1', snapshotId: '362891' });
	expect((await get('/v2/account/stats')).json).toMatchObject({ sent: '1', credits: '999999' });
	expect((await get(`/v2/messages/status?snapshotId=362891`)).json).toMatchObject({
		id: '362891',
		sent: String(START),
	});
});

it.each<[Dialect['errors'], list: string, path: string]>([
	['codes', '{"code":60,"error":"List not found"}', '{"status":404,"error":"Not found"}'],
	['statuses', '{"status":404,"error":"List not found"}', '{"status":404,"error":"Not found"}'],
	['html', '<!DOCTYPE html>', '<!DOCTYPE html>'],
	['empty', '', ''],
])('errors: %s', async (errors, list, path) => {
	speak({ errors });
	for (const [target, body] of [
		['/v2/lists/none', list],
		['/v2/nothing', path],
	]) {
		const { status, text, headers } = await get(target);
		expect([status, text.slice(0, body.length || 1)]).toEqual([404, body]);
		const type = { '<': 'text/html', '{': 'application/json' }[body[0]];
		expect(headers['content-type']?.toString().split(';')[0]).toBe(type);
	}
});

it.each<[Dialect['slashes'], number, number, number]>([
	['optional', 200, 200, 200],
	['required', 200, 404, 200],
	['refused', 404, 200, 404],
])('slashes: %s', async (slashes, withSlash, without, fieldsWithSlash) => {
	speak({ slashes });
	const { id } = simulator.service.createList('x');
	expect((await get('/v2/lists/')).status).toBe(withSlash);
	expect((await get('/v2/lists')).status).toBe(without);
	const column = { name: 'Nom', type: 'STRING' };
	expect((await call('POST', `/v2/lists/${id}/fields/`, column)).status).toBe(fieldsWithSlash);
	expect((await call('POST', `/v2/lists/${id}/fields`, column)).status).toBe(200);
	expect((await get(`/v2/lists/${id}`)).status).toBe(200);
});

it.each<[Dialect['deletion'], number, string]>([
	['noContent', 204, ''],
	['nothing', 200, ''],
	['object', 200, '{}'],
])('deletion: %s', async (deletion, status, text) => {
	speak({ deletion });
	const { id } = simulator.service.createList('x');
	expect(await call('DELETE', `/v2/lists/${id}`)).toMatchObject({ status, text });
	expect(simulator.service.lists.size).toBe(0);
});

it.each(DIALECTS.dateHeader)('the Date header: %s', async (dateHeader) => {
	speak({ dateHeader });
	for (const skew of [0, -3_600_000]) {
		simulator.clock.advance(skew);
		const { date } = (await get('/v2/account/stats')).headers;
		const own = new Date(START + skew).toUTCString();
		if (dateHeader === 'none') expect(date).toBeUndefined();
		else if (dateHeader === 'service') expect(date).toBe(own);
		else expect([Number.isNaN(Date.parse(String(date))), date === own]).toEqual([false, false]);
	}
});

describe('all dialects', () => {
	const count = Object.values(DIALECTS).reduce((total, values) => total + values.length - 1, 0);

	it('one by one', () => {
		const singles = singleDialects();
		expect(singles).toHaveLength(count);
		expect(new Set(singles.map(([name]) => name)).size).toBe(count);
		expect(singles).toContainEqual(['states upper', { states: 'upper' }]);
	});

	it('in pairs: every two answers to two open points meet', () => {
		const dialects = pairwiseDialects();
		expect(dialects.length).toBeLessThan(40);
		const points = Object.entries(DIALECTS) as Array<[keyof Dialect, readonly unknown[]]>;
		for (const [a, valuesOfA] of points) {
			for (const [b, valuesOfB] of points) {
				if (a === b) continue;
				for (const one of valuesOfA) {
					for (const other of valuesOfB) {
						const meet = dialects.some(
							(dialect) => dialect[a] === one && dialect[b] === other,
						);
						expect(meet, `${a} ${String(one)}, ${b} ${String(other)}`).toBe(true);
					}
				}
			}
		}
	});

	it('are set at the start, and again at a reset', async () => {
		const other = await startSimulator({ dialect: { states: 'upper' } });
		try {
			expect(other.service.settings.states).toBe('upper');
			other.service.settings.states = 'lower';
			other.reset();
			expect(other.service.settings.states).toBe('upper');
		} finally {
			await other.close();
		}
	});

	it('are set over the control API, which knows their values', async () => {
		const set = (body: object) =>
			call('POST', '/_simulator/settings', body, { [simulator.headerName]: undefined });
		expect((await set({ states: 'upper', counters: 'text' })).json).toMatchObject({
			states: 'upper',
			counters: 'text',
			ids: 'text',
		});
		expect(await set({ states: 'mixed' })).toMatchObject({
			status: 400,
			json: { error: 'states is one of lower, upper' },
		});
		expect((await set({ accent: 'Breton' })).status).toBe(400);
		expect((await set({ fate: 'error' })).status).toBe(400);
		expect(simulator.service.settings.states).toBe('upper');
	});
});
