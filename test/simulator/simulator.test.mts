/** The simulator against the interface document: its limits, its states. document.test.mts has its tables. */
import { describe, expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf, follow, type Step } from './client.mts';

const START = Date.UTC(2026, 0, 15, 9, 0, 0);
const HOUR = 3_600_000;
const NUMBER = '+33612345678';
const ENCODED = '%2B33612345678';

const simulator = await useSimulator({ now: () => START });
const call = clientOf(simulator);
const steps = async (...made: Step[]) => await follow(call, made);

const SEND = 'POST /v2/notification/messages/send';
const MARKETING = 'POST /v2/marketing/messages/send';
const message = (change: object = {}) => ({ number: NUMBER, message: 'Bonjour', ...change });
const ACCOUNT = '/v2/account/stats';
const STATUS = 'GET /v2/messages/status?';

describe('authentication (section 5)', () => {
	const URL_FORM = `/v2/marketing/messages/send?identifier=${ENCODED}&message=Bonjour`;
	it.each([
		['no key', ACCOUNT, undefined],
		['a wrong key', ACCOUNT, 'wrong'],
		['the key in the query of anything but a send', `${ACCOUNT}?apiKey=KEY`, undefined],
		['no key on a path that does not exist', '/v2/nothing', undefined],
		['a wrong key in the URL form', `${URL_FORM}&apiKey=wrong`, undefined],
		['the URL form whose key is in the header only', URL_FORM, 'KEY'],
	])('answers 401 to %s', async (_, target, key) => {
		const headers = { 'X-Service-ApiKey': key?.replace('KEY', simulator.apiKey) };
		const path = target.replace('KEY', simulator.apiKey);
		const { status, json } = await call('GET', path, undefined, headers);
		expect([status, json]).toEqual([401, { code: 72, error: expect.any(String) }]);
	});
});

it('answers 404 to unknown paths and extended ones, 405 to unknown methods', async () => {
	await steps(
		['GET /v2/nothing', { status: 404, error: 'Not found' }],
		['GET /v2/campaigns', 404],
		['PUT /v2/lists', 405],
		['GET /v2/marketing/messages/send', 405],
		['GET /v2x/account/stats', /^<!DOCTYPE html>/],
	);
});

/** Section 8, for both types of messages. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SYMBOLS =
	'@ £ _ ! $ # è é % ù & ì ò ( ) * : + ; , < - = Ñ ñ Å . > Ü ü å / ? à | ^ { } ~ " \\ \'';
/** Not in it; a currency is that of the other type. */
const REFUSED = ['ç', 'ê', 'É', '’', '“', '…', '\u00a0', '[', ']', '`', 'ø', '\t', '🙂'];

it.each([
	[MARKETING, '€', '¤'],
	[SEND, '¤', '€'],
])('%s takes every allowed character and %s, and no other', async (line, own, other) => {
	const text = `${LETTERS} ${SYMBOLS}${own}\n`;
	await steps([line, 200, message({ message: text })]);
	expect(simulator.messages[0].text).toBe(text);
	for (const character of [...REFUSED, other])
		await steps([line, 31, message({ message: `a${character}b` })]);
	expect(simulator.messages).toHaveLength(1);
});

it('takes senders of 3 to 11 letters and digits', async () => {
	for (const sender of ['abc', 'ABCDEFGHIJK', 'Boutique1', '1ab']) {
		await steps([SEND, 200, message({ sender })]);
		expect(simulator.messages.at(-1)?.sender).toBe(sender);
	}
});

it.each<[what: string, change: object, code: number]>([
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
	await steps([SEND, code, message(change)]);
	expect(simulator.messages).toEqual([]);
});

it.each<[what: string, change: object, answer: number | object]>([
	['no name', { name: undefined }, 40],
	['no list', { sendList: undefined }, 48],
	['a list id in place of the list', { sendList: 'LIST' }, 48],
	['a list that does not exist', { sendList: { id: 'nothing' } }, 48],
	['no message', { message: undefined }, 30],
	['a refused character', { message: 'ç' }, 31],
	['a bad sender', { sourceAddress: 'a' }, 21],
	['a bad date', { date: 'tomorrow' }, 41],
	['hosted HTML without a type', { landingPage: '<p>', landingPageTitle: 'T' }, 400],
	['hosted HTML without a title', { landingPageType: 'CUSTOM', landingPage: '<p>' }, 400],
	['an external page without a URL', { landingPageType: 'EXTERNAL' }, 400],
	['another type', { landingPageType: 'HTML', externalUrl: 'https://example.com' }, 400],
])('refuses a campaign with %s', async (_, change, answer) => {
	const { id } = simulator.service.createList('L');
	const body = { name: 'C', message: 'Bonjour', sendList: { id }, ...change };
	await steps(['POST /v2/marketing/campaigns', answer, body]);
	expect(simulator.service.campaigns.size).toBe(0);
});

it('refuses a body that is no JSON object, or not declared as JSON', async () => {
	await steps([SEND, { code: 73 }], [SEND, { code: 73 }, []]);
	const plain = { 'Content-Type': 'text/plain' };
	const [method, path] = SEND.split(' ');
	expect((await call(method, path, message(), plain)).status).toBe(415);
});

it.each<[what: string, body: object]>([
	['no type', { name: 'A' }],
	['an unknown type', { name: 'A', type: 'TEXT' }],
	['a DATE without a format', { name: 'A', type: 'DATE' }],
	['a DATE with another format', { name: 'A', type: 'DATE', format: 'yyyy-MM-dd' }],
	['a NUMBER with a format', { name: 'A', type: 'NUMBER', format: 'dd/MM' }],
	['no name', { type: 'STRING' }],
])('refuses a column with %s', async (_, body) => {
	const { id, fields } = simulator.service.createList('L');
	await steps([`POST /v2/lists/${id}/fields`, 400, body]);
	expect(fields).toEqual([]);
});

it.each<[type: string, good: unknown[], bad: unknown[]]>([
	['BOOLEAN', ['0', '1'], ['true', '', '2', 1, true, null]],
	['NUMBER', ['0', '-12', '3.5', '3,5'], ['a', '', '1e5', 12]],
	['STRING', ['', 'Petit'], [12, null, {}]],
	['DATE dd/MM/yyyy', ['29/02/2024', '01/01/2026'], ['29/02/2023', '2026-01-01']],
	['DATE dd/MM', ['29/02'], ['30/02']],
	['DATE MM/yyyy', ['12/2026'], ['13/2026']],
])('checks values of a %s column', async (column, good, bad) => {
	const [type, format] = column.split(' ');
	const list = simulator.service.createList('L', [{ name: 'v', type: type as 'DATE', format }]);
	simulator.service.settings.duplicates = 'accept';
	const add = (v: unknown, answer: number): Step => [
		`POST /v2/lists/${list.id}/contacts`,
		answer,
		{ identifier: NUMBER, attributes: { v } },
	];
	await steps(...good.map((value) => add(value, 200)), ...bad.map((value) => add(value, 400)));
});

it('takes a number once, in a list and on a blacklist, and no value without a column', async () => {
	const list = `POST /v2/lists/${simulator.service.createList('L').id}/contacts`;
	for (const path of [list, 'POST /v2/bounces/default/contacts'])
		await steps(
			[path, 200, { identifier: NUMBER }],
			[path, 15, { identifier: '06 12 34 56 78' }],
		);
	await steps([list, 400, { identifier: '0600000001', attributes: { nothing: 'a' } }]);
});

it('adds the STOP mention to a marketing send with a sender to a French number', async () => {
	const cases = [
		[MARKETING, NUMBER, 'Boutique', 'Bonjour STOP 36XXX'],
		[MARKETING, NUMBER, undefined, 'Bonjour'],
		[MARKETING, '+447700900123', 'Boutique', 'Bonjour'],
		[SEND, NUMBER, 'Boutique', 'Bonjour'],
	] as const;
	for (const [line, number, sender] of cases)
		await steps([line, 200, message({ number, sender })]);
	const { messages } = simulator;
	expect(messages.map(({ deliveredText }) => deliveredText)).toEqual(cases.map(([, , , t]) => t));
	expect(messages[0].text).toBe('Bonjour');
});

describe('the life of a message (section 3)', () => {
	it('is sent, submitted and delivered as the clock goes, and found in either format', async () => {
		await steps([SEND, 200, message()], [SEND, 200, message({ number: '0612345678' })]);
		const { snapshotId } = simulator.messages[1];
		const is = async (fields: object) =>
			await steps(
				...[
					`snapshotId=${snapshotId}`,
					`identifier=${ENCODED}`,
					'identifier=0612345678',
				].map(
					(query): Step => [
						STATUS + query,
						{ id: Number(snapshotId), sent: START, test: false, ...fields },
					],
				),
			);
		await is({ state: 'sent', stateDate: START });
		simulator.clock.advance(500);
		const submitted = START + 500;
		await is({ state: 'submitted', submitted, stateDate: submitted });
		simulator.clock.advance(1_500);
		const delivered = START + 2_000;
		await is({ state: 'delivered', submitted, delivered, stateDate: delivered });
	});

	it('is none that was never sent, and none before its date', async () => {
		await steps(
			[`${STATUS}identifier=0699999999`, 16],
			[`${STATUS}snapshotId=1`, 16],
			[STATUS, 10],
			// An unencoded + is a space.
			[`${STATUS}identifier=${NUMBER}`, 11],
			[SEND, 200, message({ date: START + HOUR })],
			[`${STATUS}identifier=${ENCODED}`, 16],
		);
		simulator.clock.advance(HOUR);
		await steps([`${STATUS}identifier=${ENCODED}`, { state: 'sent', sent: START + HOUR }]);
	});

	it('ends by the number: bounced, in error, delivered', async () => {
		const ends = { '0699990001': 'bounced', '0699980001': 'error', '0739980001': 'delivered' };
		// Fixed lines get no SMS.
		for (const fixed of ['0139980001', '+33899980001', '0939980001'])
			Object.assign(ends, { [fixed]: 'error' });
		for (const [number, state] of Object.entries(ends)) {
			await steps([SEND, 200, message({ number, category: 'soldes' })]);
			simulator.clock.advance(2_000);
			expect(simulator.messages.at(-1)?.state, number).toBe(state);
		}
		await steps(
			[SEND, 13, message({ number: '0699990001' })],
			['GET /v2/bounces/default/contacts', [{ identifier: '+33699990001', deleted: false }]],
			[
				'GET /v2/messages/blacklists?category=soldes',
				{ bounces: { number: 1, identifiers: ['0699990001'] } },
			],
			['GET /v2/messages/stats?category=soldes', { bounced: 1, errors: 4, delivered: 1 }],
		);
	});

	it('is refused after a STOP, until the number is taken off the list', async () => {
		const path = '/v2/unsubscribers/default/contacts';
		await steps([MARKETING, 200, message({ category: 'soldes' })]);
		simulator.stop('0612345678');
		await steps(
			[`${STATUS}identifier=${ENCODED}`, { state: 'unsubscribed' }],
			[MARKETING, 12, message()],
			[SEND, 12, message()],
			[
				'GET /v2/messages/blacklists?category=soldes',
				{ unsubscribers: { number: 1, identifiers: ['0612345678'] } },
			],
			[`DELETE ${path}?identifier=${ENCODED}`, 204],
			[`GET ${path}`, [{ identifier: NUMBER, deleted: true }]],
			[SEND, 200, message()],
			[`DELETE ${path}?identifier=${ENCODED}`, 404],
		);
	});

	it('takes replies, openings and states from outside', async () => {
		await steps([SEND, 200, message({ category: 'c' })]);
		const [{ snapshotId }] = simulator.messages;
		const status = `${STATUS}snapshotId=${snapshotId}`;
		simulator.service.open(snapshotId, { click: true });
		simulator.service.open(snapshotId);
		await steps([status, { state: 'opened' }]);
		const { id } = simulator.reply(NUMBER, 'Merci');
		const counters = { openers: 1, opens: 2, clickers: 1, clicks: 1, replies: 1, delivered: 1 };
		await steps(
			[status, { state: 'reply', reply: START }],
			['GET /v2/messages/replies?category=c', [{ id, identifier: NUMBER, message: 'Merci' }]],
			['GET /v2/messages/stats?category=c', counters],
		);
		simulator.setState(snapshotId, 'error');
		simulator.clock.advance(10_000);
		await steps([status, { state: 'error' }]);
	});

	it('is counted for its category, and for the account', async () => {
		for (const category of ['a', 'b', undefined]) simulator.reply(NUMBER, 'Oui', { category });
		await steps(
			['GET /v2/messages/replies', [{}, {}, {}]],
			['GET /v2/messages/stats', { replies: 3 }],
			['GET /v2/messages/replies?category=a', [{}]],
		);
	});

	it('costs credits, and is refused without', async () => {
		simulator.service.setCredits(2.5);
		await steps(
			[SEND, { creditsUsed: 1 }, message()],
			[SEND, { creditsUsed: 1.5 }, message({ number: '+447700900123' })],
			[SEND, 71, message()],
			[`GET ${ACCOUNT}`, { credits: 0, sent: 2 }],
		);
	});
});

it('an answer that a fault cuts ends in its middle', async () => {
	simulator.faults.add({ do: { kind: 'cutBody' } });
	const headers = { [simulator.headerName]: simulator.apiKey };
	const { status, headers: told, body } = await fetch(simulator.baseUrl + ACCOUNT, { headers });
	const reader = body!.getReader();
	const { value: first } = await reader.read();
	const promised = Number(told.get('Content-Length'));
	expect([status, first!.length]).toEqual([200, Math.floor(promised / 2)]);
	await expect(reader.read()).rejects.toThrow('terminated');
});
