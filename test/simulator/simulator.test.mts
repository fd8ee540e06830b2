/** The simulator against the interface document: its limits, its states. document.test.mts has its tables. */
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf } from './client.mts';
import { startSimulator } from './index.mts';

const START = Date.UTC(2026, 0, 15, 9, 0, 0);
const NUMBER = '+33612345678';
const ENCODED = '%2B33612345678';

const simulator = await useSimulator({ now: () => START });
const call = clientOf(simulator);

const send = (body: object, kind = 'notification') =>
	call('POST', `/v2/${kind}/messages/send`, body);

describe('authentication (section 5)', () => {
	it.each([
		['no key', '/v2/account/stats', undefined],
		['a wrong key', '/v2/account/stats', 'wrong'],
		['the key in the query of anything but a send', '/v2/account/stats?apiKey=KEY', undefined],
		['no key on a path that does not exist', '/v2/nothing', undefined],
		['a wrong key in the URL form', `/v2/marketing/messages/send?apiKey=wrong`, undefined],
	])('answers 401 to %s', async (_, target, key) => {
		const response = await call('GET', target.replace('KEY', simulator.apiKey), undefined, {
			'X-Service-ApiKey': key,
		});
		expect(response.status).toBe(401);
		expect(response.json).toEqual({ code: 72, error: expect.any(String) });
	});

	it('refuses the URL form whose key is in the header only', async () => {
		const target = `/v2/marketing/messages/send?identifier=${ENCODED}&message=Bonjour`;
		expect((await call('GET', target)).status).toBe(401);
	});

	it('takes another key and another header, and answers bare statuses on demand', async () => {
		const other = await startSimulator({
			apiKey: 'other-key',
			headerName: 'X-Reseller-Key',
			dialect: { errors: 'empty' },
		});
		try {
			const callOther = clientOf(other);
			expect((await callOther('GET', '/v2/account/stats')).status).toBe(200);
			const refused = await callOther('GET', '/v2/account/stats', undefined, {
				'X-Reseller-Key': undefined,
				'X-Service-ApiKey': 'other-key',
			});
			expect(refused).toMatchObject({ status: 401, text: '' });
			expect(refused.headers).not.toHaveProperty('content-type');
		} finally {
			await other.close();
		}
	});
});

describe('paths', () => {
	it('answers 404 to unknown paths, 405 to unknown methods, an HTML 404 outside of /v2', async () => {
		expect(await call('GET', '/v2/nothing')).toMatchObject({
			status: 404,
			json: { status: 404, error: 'Not found' },
		});
		expect((await call('PUT', '/v2/lists')).status).toBe(405);
		expect((await call('GET', '/v2/marketing/messages/send')).status).toBe(405);
		const elsewhere = await call('GET', '/v2x/account/stats');
		expect(elsewhere.status).toBe(404);
		expect(elsewhere.headers['content-type']).toMatch(/^text\/html/);
	});

	it.each([
		['contacts', 204, 404],
		['contact', 404, 204],
	] as const)('deletes by number at /%s only on demand', async (only, plural, singular) => {
		simulator.service.settings.deletePath = only;
		const list = simulator.service.createList('L');
		const statuses = [];
		for (const segment of ['contacts', 'contact']) {
			list.contacts.replace([]);
			list.addContact(NUMBER);
			const path = `/v2/lists/${list.id}/${segment}?identifier=${ENCODED}`;
			statuses.push((await call('DELETE', path)).status);
		}
		expect(statuses).toEqual([plural, singular]);
	});

	it('reads an unencoded + as a space, which makes the number invalid', async () => {
		const { status, json } = await call('GET', `/v2/messages/status?identifier=${NUMBER}`);
		expect({ status, code: json.code }).toEqual({ status: 400, code: 11 });
	});

	it('has the extended endpoints only when asked for', async () => {
		expect((await call('GET', '/v2/campaigns')).status).toBe(404);
	});
});

describe('limits (section 8)', () => {
	const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
	const SYMBOLS =
		'@ £ _ ! $ # è é % ù & ì ò ( ) * : + ; , < - = Ñ ñ Å . > Ü ü å / ? à | ^ { } ~ " \\ \'';

	it.each([
		['marketing', '€'],
		['notification', '¤'],
	])('accepts every allowed character in a %s message, and %s', async (kind, currency) => {
		const text = `${LETTERS} ${SYMBOLS}${currency}`;
		expect((await send({ number: NUMBER, message: text }, kind)).status).toBe(200);
		expect(simulator.messages[0].text).toBe(text);
	});

	it.each([
		['marketing', '¤'],
		['notification', '€'],
		...['ç', 'ê', 'É', '’', '“', '…', '\u00a0', '[', ']', '`', 'ø', '\t', '🙂'].map(
			(character) => ['marketing', character],
		),
	])('refuses in a %s message: %j', async (kind, character) => {
		const { status, json } = await send({ number: NUMBER, message: `a${character}b` }, kind);
		expect({ status, code: json.code }).toEqual({ status: 400, code: 31 });
		expect(simulator.messages).toEqual([]);
	});

	it('accepts line breaks unless told otherwise', async () => {
		const message = { number: NUMBER, message: 'Bonjour\nMerci' };
		expect((await send(message)).status).toBe(200);
		simulator.service.settings.lineBreaks = false;
		expect((await send(message)).json.code).toBe(31);
	});

	it.each(['abc', 'ABCDEFGHIJK', 'Boutique1', '1ab'])('accepts the sender %s', async (sender) => {
		expect((await send({ number: NUMBER, message: 'Bonjour', sender })).status).toBe(200);
		expect(simulator.messages[0].sender).toBe(sender);
	});

	it.each<[string, object, number]>([
		['no number', { number: undefined }, 10],
		['an empty number', { number: '' }, 10],
		['a number as a number', { number: 33612345678 }, 11],
		['a number without +', { number: '33612345678' }, 11],
		['a number with 00', { number: '0033612345678' }, 11],
		['a number that is too short', { number: '061234567' }, 11],
		['a number that is too long', { number: '06123456789' }, 11],
		['letters for a number', { number: 'abc' }, 11],
		['no message', { message: undefined }, 30],
		['an empty message', { message: '' }, 30],
		['a message that is no text', { message: 5 }, 30],
		['a sender that is too short', { sender: 'ab' }, 21],
		['a sender that is too long', { sender: 'ABCDEFGHIJKL' }, 22],
		['a sender with a space', { sender: 'Ma ville' }, 20],
		['a sender with an accent', { sender: 'Café' }, 20],
		['a sender of digits', { sender: '36123' }, 23],
		['an empty sender', { sender: '' }, 21],
		['a sender that is null', { sender: null }, 20],
		['a date as a text', { date: '1768467600000' }, 62],
		['a date in seconds', { date: 1_768_467_600 }, 62],
		['a date with a fraction', { date: START + 0.5 }, 62],
		['a date that is null', { date: null }, 62],
		['a date that is empty', { date: '' }, 62],
		['a category that is no text', { category: 5 }, 45],
		['a campaign name that is no text', { campaignName: {} }, 40],
	])('refuses a send with %s', async (_, change, code) => {
		const { status, json } = await send({ number: NUMBER, message: 'Bonjour', ...change });
		expect({ status, code: json.code }).toEqual({ status: 400, code });
		expect(simulator.messages).toEqual([]);
	});

	it('refuses a body that is no JSON object, or not declared as JSON', async () => {
		const path = '/v2/notification/messages/send';
		expect((await call('POST', path)).json.code).toBe(73);
		expect((await call('POST', path, [])).json.code).toBe(73);
		const plain = { 'Content-Type': 'text/plain' };
		const response = await call('POST', path, { number: NUMBER, message: 'a' }, plain);
		expect(response.status).toBe(415);
	});

	it('reads identifier and tag unless told otherwise', async () => {
		const legacy = { identifier: NUMBER, tag: 'soldes', message: 'Bonjour' };
		expect((await send(legacy)).status).toBe(200);
		expect(simulator.messages[0]).toMatchObject({ number: NUMBER, category: 'soldes' });
		simulator.service.settings.legacyFieldNames = false;
		expect((await send(legacy)).json.code).toBe(10);
	});

	it.each<[string, object]>([
		['no type', { name: 'A' }],
		['an unknown type', { name: 'A', type: 'TEXT' }],
		['a DATE without a format', { name: 'A', type: 'DATE' }],
		['a DATE with another format', { name: 'A', type: 'DATE', format: 'yyyy-MM-dd' }],
		['a NUMBER with a format', { name: 'A', type: 'NUMBER', format: 'dd/MM' }],
		['no name', { type: 'STRING' }],
	])('refuses a column with %s', async (_, body) => {
		const { id, fields } = simulator.service.createList('L');
		expect((await call('POST', `/v2/lists/${id}/fields`, body)).status).toBe(400);
		expect(fields).toEqual([]);
	});

	it.each([
		['dd/MM/yyyy', '29/02/2024', '29/02/2023'],
		['dd/MM', '29/02', '30/02'],
		['MM/yyyy', '12/2026', '13/2026'],
		['dd/MM/yyyy', '01/01/2026', '2026-01-01'],
	])('takes dates as %s: %s but not %s', async (format, good, bad) => {
		const list = simulator.service.createList('L', [{ name: 'd', type: 'DATE', format }]);
		const path = `/v2/lists/${list.id}/contacts`;
		const refused = await call('POST', path, { identifier: NUMBER, attributes: { d: bad } });
		expect(refused.json.code).toBe(61);
		const accepted = await call('POST', path, { identifier: NUMBER, attributes: { d: good } });
		expect(accepted.status).toBe(200);
	});

	it.each<[string, Array<unknown>, Array<unknown>]>([
		['BOOLEAN', ['0', '1'], ['true', '', '2', 1, true, null]],
		['NUMBER', ['0', '-12', '3.5', '3,5'], ['a', '', '1e5', 12]],
		['STRING', ['', 'Petit'], [12, null, {}]],
	])('checks values of a %s column', async (type, good, bad) => {
		const list = simulator.service.createList('L', [{ name: 'v', type: type as 'STRING' }]);
		simulator.service.settings.duplicates = 'accept';
		const path = `/v2/lists/${list.id}/contacts`;
		const statusOf = async (v: unknown) =>
			(await call('POST', path, { identifier: NUMBER, attributes: { v } })).status;
		for (const value of good) expect([value, await statusOf(value)]).toEqual([value, 200]);
		for (const value of bad) expect([value, await statusOf(value)]).toEqual([value, 400]);
	});

	it('refuses values for columns that the list does not have, and numbers twice', async () => {
		const { id } = simulator.service.createList('L');
		const path = `/v2/lists/${id}/contacts`;
		const unknown = { identifier: NUMBER, attributes: { nothing: 'a' } };
		expect((await call('POST', path, unknown)).status).toBe(400);
		expect((await call('POST', path, { identifier: NUMBER })).status).toBe(200);
		expect((await call('POST', path, { identifier: '06 12 34 56 78' })).json.code).toBe(15);
		simulator.service.settings.duplicates = 'accept';
		expect((await call('POST', path, { identifier: NUMBER })).status).toBe(200);
	});

	it('gives columns ids that say nothing on demand', async () => {
		simulator.service.settings.fieldIds = 'opaque';
		const { id } = simulator.service.createList('L');
		const { json } = await call('POST', `/v2/lists/${id}/fields`, {
			name: 'A',
			type: 'STRING',
		});
		expect(json.id).toMatch(/^[0-9a-f]{24}$/);
	});

	it.each<[string, object, number | undefined]>([
		['no name', { name: undefined }, 40],
		['no list', { sendList: undefined }, 48],
		['a list id in place of the list', { sendList: 'LIST' }, 48],
		['a list that does not exist', { sendList: { id: 'nothing' } }, 48],
		['no message', { message: undefined }, 30],
		['a refused character', { message: 'ç' }, 31],
		['a bad sender', { sourceAddress: 'a' }, 21],
		['a bad date', { date: 'tomorrow' }, 41],
		['hosted HTML without a type', { landingPage: '<p>', landingPageTitle: 'T' }, undefined],
		[
			'hosted HTML without a title',
			{ landingPageType: 'CUSTOM', landingPage: '<p>' },
			undefined,
		],
		['an external page without a URL', { landingPageType: 'EXTERNAL' }, undefined],
		[
			'another type',
			{ landingPageType: 'HTML', externalUrl: 'https://example.com' },
			undefined,
		],
	])('refuses a campaign with %s', async (_, change, code) => {
		const { id } = simulator.service.createList('L');
		const body = { name: 'C', message: 'Bonjour', sendList: { id }, ...change };
		const { status, json } = await call('POST', '/v2/marketing/campaigns', body);
		expect({ status, code: json.code }).toEqual({ status: 400, code });
		expect(simulator.service.campaigns.size).toBe(0);
	});

	it('adds the STOP mention to a marketing send with a sender to a French number', async () => {
		const cases = [
			['marketing', NUMBER, 'Boutique', 'Bonjour STOP 36XXX'],
			['marketing', NUMBER, undefined, 'Bonjour'],
			['marketing', '+447700900123', 'Boutique', 'Bonjour'],
			['notification', NUMBER, 'Boutique', 'Bonjour'],
		] as const;
		for (const [kind, number, sender] of cases) {
			await send({ number, sender, message: 'Bonjour' }, kind);
		}
		expect(simulator.messages.map((message) => message.deliveredText)).toEqual(
			cases.map((one) => one[3]),
		);
		expect(simulator.messages[0].text).toBe('Bonjour');
	});
});

describe('the life of a message (section 3)', () => {
	const stateOf = async (query: string) =>
		(await call('GET', `/v2/messages/status?${query}`)).json;

	it('is sent, submitted and delivered as the clock goes', async () => {
		const { json: receipt } = await send({ number: NUMBER, message: 'Bonjour' });
		const query = `snapshotId=${receipt.snapshotId}`;
		const id = Number(receipt.snapshotId);
		const sent = { id, sent: START, test: false };
		expect(await stateOf(query)).toEqual({ ...sent, state: 'sent', stateDate: START });
		simulator.clock.advance(500);
		const submitted = { ...sent, submitted: START + 500 };
		expect(await stateOf(query)).toEqual({
			...submitted,
			state: 'submitted',
			stateDate: START + 500,
		});
		simulator.clock.advance(1_500);
		expect(await stateOf(query)).toEqual({
			...submitted,
			delivered: START + 2_000,
			state: 'delivered',
			stateDate: START + 2_000,
		});
	});

	it('answers the latest message by number, in either format', async () => {
		await send({ number: NUMBER, message: 'Un' });
		const { json: second } = await send({ number: '0612345678', message: 'Deux' });
		for (const identifier of ['0612345678', ENCODED]) {
			expect((await stateOf(`identifier=${identifier}`)).id).toBe(Number(second.snapshotId));
		}
		expect(simulator.messagesTo('06 12 34 56 78')).toHaveLength(2);
	});

	it('knows no message that was never sent, and none before its date', async () => {
		expect((await stateOf('identifier=0699999999')).code).toBe(16);
		expect((await stateOf('snapshotId=1')).code).toBe(16);
		expect((await stateOf('')).code).toBe(10);
		await send({ number: NUMBER, message: 'Bonjour', date: START + 3_600_000 });
		expect((await stateOf(`identifier=${ENCODED}`)).code).toBe(16);
		simulator.clock.advance(3_600_000);
		expect(await stateOf(`identifier=${ENCODED}`)).toMatchObject({
			state: 'sent',
			sent: START + 3_600_000,
		});
	});

	it('bounces for numbers that begin with 06 99 99, which are refused from then on', async () => {
		const message = { number: '0699990001', message: 'Bonjour', category: 'soldes' };
		expect((await send(message)).status).toBe(200);
		expect((await send(message)).status).toBe(200);
		simulator.clock.advance(2_000);
		expect((await stateOf('identifier=0699990001')).state).toBe('bounced');
		expect((await send(message)).json.code).toBe(13);
		const { json: entries } = await call('GET', '/v2/bounces/default/contacts');
		expect(entries).toMatchObject([{ identifier: '+33699990001', deleted: false }]);
		const { json } = await call('GET', '/v2/messages/blacklists?category=soldes');
		expect(json.bounces).toEqual({ number: 1, identifiers: ['0699990001'] });
		expect((await call('GET', '/v2/messages/stats?category=soldes')).json.bounced).toBe(2);
	});

	it('ends in error for numbers that begin with 06 99 98', async () => {
		await send({ number: '0699980001', message: 'Bonjour' });
		simulator.clock.advance(2_000);
		expect((await stateOf('identifier=0699980001')).state).toBe('error');
	});

	it('ends in error for fixed lines, which get no SMS', async () => {
		for (const number of ['0139980001', '+33 8 99 98 00 01', '0939980001']) {
			await send({ number, message: 'Bonjour' });
			simulator.clock.advance(60_000);
			const [message] = simulator.messages.slice(-1);
			expect(message).toMatchObject({ state: 'error', delivered: undefined });
		}
		await send({ number: '0739980001', message: 'Bonjour' });
		simulator.clock.advance(60_000);
		expect(simulator.messages.at(-1)?.state).toBe('delivered');
	});

	it('is refused after a STOP, until the number is taken off the list', async () => {
		const message = { number: NUMBER, message: 'Bonjour', category: 'soldes' };
		await send(message, 'marketing');
		simulator.stop('0612345678');
		expect((await stateOf(`identifier=${ENCODED}`)).state).toBe('unsubscribed');
		for (const kind of ['marketing', 'notification']) {
			expect((await send(message, kind)).json).toMatchObject({ code: 12 });
		}
		expect(simulator.messages).toHaveLength(1);
		const { json } = await call('GET', '/v2/messages/blacklists?category=soldes');
		expect(json.unsubscribers).toEqual({ number: 1, identifiers: ['0612345678'] });

		const path = '/v2/unsubscribers/default/contacts';
		expect((await call('DELETE', `${path}?identifier=${ENCODED}`)).status).toBe(204);
		expect((await call('GET', path)).json).toMatchObject([
			{ identifier: NUMBER, deleted: true },
		]);
		expect((await send(message)).status).toBe(200);
		expect((await call('DELETE', `${path}?identifier=${ENCODED}`)).status).toBe(404);
	});

	it('takes a number on a blacklist once', async () => {
		const path = '/v2/bounces/default/contacts';
		const { json: first } = await call('POST', path, { identifier: NUMBER });
		expect((await call('POST', path, { identifier: NUMBER })).json.code).toBe(15);
		simulator.service.settings.duplicates = 'accept';
		expect((await call('POST', path, { identifier: NUMBER })).json).toEqual(first);
	});

	it('takes replies, openings and states from outside', async () => {
		const { json: receipt } = await send({ number: NUMBER, message: 'A', category: 'c' });
		const query = `snapshotId=${receipt.snapshotId}`;
		simulator.service.open(receipt.snapshotId, { click: true });
		simulator.service.open(receipt.snapshotId);
		expect((await stateOf(query)).state).toBe('opened');
		const { id } = simulator.reply(NUMBER, 'Merci');
		expect(await stateOf(query)).toMatchObject({ state: 'reply', reply: START });
		expect((await call('GET', '/v2/messages/replies?category=c')).json).toEqual([
			{ id, identifier: NUMBER, message: 'Merci' },
		]);
		expect((await call('GET', '/v2/messages/stats?category=c')).json).toMatchObject({
			openers: 1,
			opens: 2,
			clickers: 1,
			clicks: 1,
			replies: 1,
			delivered: 1,
		});
		simulator.setState(receipt.snapshotId, 'error');
		simulator.clock.advance(10_000);
		expect((await stateOf(query)).state).toBe('error');
	});

	it('answers for the whole account without a category, unless told otherwise', async () => {
		simulator.reply(NUMBER, 'Un', { category: 'a' });
		simulator.reply(NUMBER, 'Deux', { category: 'b' });
		simulator.reply(NUMBER, 'Trois');
		expect((await call('GET', '/v2/messages/replies')).json).toHaveLength(3);
		expect((await call('GET', '/v2/messages/stats')).json.replies).toBe(3);
		expect((await call('GET', '/v2/messages/replies?category=c')).json).toEqual([]);
		simulator.service.settings.withoutCategory = false;
		expect((await call('GET', '/v2/messages/replies')).status).toBe(400);
		expect((await call('GET', '/v2/messages/blacklists')).status).toBe(400);
	});

	it('costs credits, and is refused without', async () => {
		simulator.service.setCredits(2.5);
		const french = { number: NUMBER, message: 'Bonjour' };
		expect((await send(french)).json.creditsUsed).toBe(1);
		expect((await send({ ...french, number: '+447700900123' })).json.creditsUsed).toBe(1.5);
		expect((await send(french)).json.code).toBe(71);
		expect((await call('GET', '/v2/account/stats')).json).toMatchObject({
			credits: 0,
			sent: 2,
		});
	});
});

it('honours blacklist entries that were loaded in bulk, and counts replies', async () => {
	simulator.service.addBlacklisted('unsubscribers', 250_000);
	expect((await send({ number: '+33600249999', message: 'Bonjour' })).json.code).toBe(12);
	expect((await send({ number: '+33600250000', message: 'Bonjour' })).status).toBe(200);
	simulator.service.addReplies(250_000, 'big');
	const { id } = simulator.reply(NUMBER, 'Encore', { category: 'big' });
	const { json } = await call('GET', '/v2/messages/replies?category=big');
	expect(new Set(json.map((reply: { id: string }) => reply.id)).size).toBe(250_001);
	expect(json.at(-1)).toEqual({ id, identifier: NUMBER, message: 'Encore' });
	expect((await call('GET', '/v2/messages/stats?category=big')).json.replies).toBe(250_001);
});

it('deletes one of contacts that were loaded in bulk', async () => {
	const list = simulator.service.createList('Big');
	simulator.service.addContacts(list.id, 250_000);
	const path = `/v2/lists/${list.id}/contacts`;
	const { json: all } = await call('GET', path);
	expect([all.length, all.at(-1).identifier]).toEqual([250_000, '+33600249999']);
	expect((await call('DELETE', `${path}/${all[125_000].id}`)).status).toBe(204);
	const { json: rest } = await call('GET', path);
	expect([rest.length, rest[125_000]]).toEqual([249_999, all[125_001]]);
});
