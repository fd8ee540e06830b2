/** Every way in which the service might speak where the interface document is silent. */
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf, follow, type Step } from './client.mts';
import { DIALECTS, pairwiseDialects, singleDialects } from './dialect.mts';
import { startSimulator, type Dialect } from './index.mts';

const START = Date.UTC(2026, 0, 15, 9, 0, 0);
const NATIONAL = '0612345678';
const NUMBER = '+33612345678';
const ENCODED = '%2B33612345678';

const simulator = await useSimulator({ now: () => START });
const call = clientOf(simulator);

const STOPPED = '/v2/unsubscribers/default/contacts';
const STATUS = 'GET /v2/messages/status?';
const send = (answer: Step[1], number = NUMBER): Step => {
	const body = { number, message: 'Bonjour', category: 'soldes' };
	return ['POST /v2/notification/messages/send', answer, body];
};
const column = { name: 'Né', type: 'STRING' };
const national = { identifier: NATIONAL };

/** Of a category that has no message yet, and of one that gets its first. */
const ofNothing = (stats: Step[1], replies: Step[1], blacklists: Step[1]): Step[] => [
	['GET /v2/messages/stats?category=nothing', stats],
	['GET /v2/messages/replies?category=nothing', replies],
	['GET /v2/messages/blacklists?category=nothing', blacklists],
	['GET /v2/messages/stats', { sent: 0 }],
	send(200),
	['GET /v2/messages/stats?category=soldes', { sent: 1 }],
	['GET /v2/messages/replies?category=soldes', '[]'],
];
/** Where no message was found, by number and by snapshot, and where there is one. */
const noMessage = (answer: Step[1]): Step[] => [
	[`${STATUS}identifier=${ENCODED}`, answer],
	[`${STATUS}snapshotId=1`, answer],
	send(200),
	[`${STATUS}identifier=${ENCODED}`, { state: 'sent' }],
];
/** IDs as the answers have them: of messages, and of everything else. */
const ids = (ofMessage: string, ofStatus: string, other: string): Step[] => [
	send(new RegExp(`"snapshotId":${ofMessage}[,}]`)),
	[`${STATUS}identifier=${ENCODED}`, new RegExp(`"id":${ofStatus}[,}]`)],
	['POST /v2/lists/', new RegExp(`"id":${other}[,}]`), { name: 'Autres' }],
	...['GET /v2/lists/', 'GET LIST/contacts', 'GET /v2/messages/replies?category=orders'].map(
		(line): Step => [line, new RegExp(`"id":${other}[,}]`)],
	),
];
/** More than a JavaScript number can hold. */
const LONG = '9107199\\d{9}';

/** Requests to a service that speaks so, one after the other; LIST has one column and one contact. */
const CASES: Array<[dialect: Partial<Dialect>, steps: Step[]]> = [
	...(['contacts', 'contact'] as const).map((only): [Partial<Dialect>, Step[]] => [
		{ deletePath: only },
		[
			[
				`DELETE LIST/${only === 'contact' ? 'contacts' : 'contact'}?identifier=${ENCODED}`,
				404,
			],
			[`DELETE LIST/${only}?identifier=${ENCODED}`, 204],
		],
	]),
	[
		{ lineBreaks: false },
		[
			[
				'POST /v2/notification/messages/send',
				31,
				{ number: NUMBER, message: 'Bonjour\nMerci' },
			],
		],
	],
	[
		{ legacyFieldNames: false },
		[
			[
				'POST /v2/notification/messages/send',
				10,
				{ identifier: NUMBER, tag: 'soldes', message: 'Bonjour' },
			],
		],
	],
	[
		{ duplicates: 'accept' },
		[
			['POST LIST/contacts', 200, national],
			['GET LIST/contacts', [{ identifier: NUMBER }, { identifier: NUMBER }]],
			[`POST ${STOPPED}`, 200, national],
			[`POST ${STOPPED}`, 200, national],
		],
	],
	[{ fieldIds: 'opaque' }, [['POST LIST/fields', /"id":"[0-9a-f]{24}"/, column]]],
	[
		{ withoutCategory: false },
		['stats', 'replies', 'blacklists'].map((what): Step => [`GET /v2/messages/${what}`, 45]),
	],
	[
		{ numbers: 'number' },
		[
			['POST LIST/contacts', 15, national],
			[`POST ${STOPPED}`, 200, national],
			[`GET ${STOPPED}`, [{ identifier: NUMBER }]],
			[`POST ${STOPPED}`, 15, national],
			[`DELETE ${STOPPED}?identifier=${ENCODED}`, 204],
			send(200, NATIONAL),
			[`${STATUS}identifier=${ENCODED}`, 200],
		],
	],
	[
		{ numbers: 'text' },
		[
			['POST LIST/contacts', 200, national],
			['GET LIST/contacts', [{ identifier: NUMBER }, { identifier: NATIONAL }]],
			[`DELETE LIST/contacts?identifier=${NATIONAL}`, 204],
			[`DELETE LIST/contacts?identifier=${NATIONAL}`, 404],
			[`POST ${STOPPED}`, 200, national],
			[`GET ${STOPPED}`, [{ identifier: NATIONAL }]],
			// A blacklist stops messages, whatever way a number is written in it.
			send(12),
			[`DELETE ${STOPPED}?identifier=${ENCODED}`, 404],
			[`DELETE ${STOPPED}?identifier=${NATIONAL}`, 204],
			send(200, NATIONAL),
			[`${STATUS}identifier=${ENCODED}`, 16],
			[`${STATUS}identifier=${NATIONAL}`, 200],
		],
	],
	[
		{ unknownCategory: 'zeros' },
		ofNothing({ sent: 0, timespent: 0 }, '[]', { bounces: { number: 0, identifiers: [] } }),
	],
	[{ unknownCategory: 'code16' }, ofNothing(16, 16, 16)],
	[{ unknownCategory: 'notFound' }, ofNothing(404, 404, { status: 404 })],
	[{ unknownCategory: 'empty' }, ofNothing('{}', '[]', '{}')],
	[{ noMessage: 'code16' }, noMessage(16)],
	[{ noMessage: 'notFound' }, noMessage({ status: 404 })],
	[{ noMessage: 'list' }, noMessage('[]')],
	[{ noMessage: 'object' }, noMessage('{}')],
	[{ blacklistKeys: 'filled' }, [['GET /v2/messages/blacklists?category=orders', '{}']]],
	[{ states: 'upper' }, [send(200), [`${STATUS}identifier=${ENCODED}`, { state: 'SENT' }]]],
	[{ ids: 'text' }, ids('"\\d{6}"', '\\d{6}', '"[0-9a-f]{24}"')],
	[{ ids: 'number' }, ids('\\d{6}', '\\d{6}', '\\d+')],
	[{ ids: 'longText' }, ids(`"${LONG}"`, `"${LONG}"`, `"${LONG}"`)],
	[{ ids: 'longNumber' }, ids(LONG, LONG, LONG)],
	[
		{ counters: 'text' },
		[
			send('{"creditsUsed":"1","snapshotId":"362891"}'),
			['GET /v2/account/stats', { sent: '1', credits: '999999' }],
			[`${STATUS}snapshotId=362891`, { id: '362891', sent: String(START) }],
		],
	],
	[
		{ errors: 'codes' },
		[
			['GET /v2/lists/none', '{"code":60,"error":"List not found"}'],
			['GET /v2/nothing', '{"status":404,"error":"Not found"}'],
		],
	],
	[{ errors: 'statuses' }, [['GET /v2/lists/none', { status: 404, error: 'List not found' }]]],
	[{ errors: 'html' }, [['GET /v2/lists/none', /^<!DOCTYPE html>/]]],
	[{ errors: 'empty' }, [['GET /v2/lists/none', '']]],
	...(
		[
			['optional', 200, 200, 200],
			['required', 200, 404, 200],
			['refused', 404, 200, 404],
		] as const
	).map(([slashes, withSlash, without, ofColumns]): [Partial<Dialect>, Step[]] => [
		{ slashes },
		[
			['GET /v2/lists/', withSlash],
			['GET /v2/lists', without],
			['POST LIST/fields/', ofColumns, column],
			['POST LIST/fields', 200, column],
		],
	]),
	...(
		[
			['noContent', 204, ''],
			['nothing', 200, ''],
			['object', 200, '{}'],
		] as const
	).map(([deletion, status, text]): [Partial<Dialect>, Step[]] => [
		{ deletion },
		[
			[`DELETE LIST/contacts?identifier=${ENCODED}`, status],
			['DELETE LIST', text],
			['GET /v2/lists/', '[]'],
		],
	]),
];

it.each(CASES)('%j', async (dialect, steps) => {
	Object.assign(simulator.service.settings, dialect);
	const list = simulator.service.createList('Clients', [{ name: 'Nom' }]);
	list.addContact(NUMBER);
	simulator.reply('0600000009', 'Oui', { category: 'orders' });
	await follow(
		call,
		steps.map(([line, ...step]) => [line.replace('LIST', `/v2/lists/${list.id}`), ...step]),
	);
});

it.each(DIALECTS.dateHeader)('the Date header: %s', async (dateHeader) => {
	Object.assign(simulator.service.settings, { dateHeader });
	for (const skew of [0, -3_600_000]) {
		simulator.clock.advance(skew);
		const { date } = (await call('GET', '/v2/account/stats')).headers;
		const own = new Date(START + skew).toUTCString();
		if (dateHeader === 'none') expect(date).toBeUndefined();
		else if (dateHeader === 'service') expect(date).toBe(own);
		else expect([Number.isNaN(Date.parse(String(date))), date === own]).toEqual([false, false]);
	}
});

it('each dialect has a case', () => {
	const played = CASES.flatMap(([dialect]) => Object.entries(dialect).map((one) => one.join()));
	for (const [name, dialect] of singleDialects()) {
		const [point] = Object.entries(dialect);
		if (point[0] !== 'dateHeader') expect(played, name).toContain(point.join());
	}
});

it('in pairs, every two answers to two open points meet', () => {
	const dialects = pairwiseDialects();
	expect(dialects.length).toBeLessThan(40);
	const answers = Object.entries(DIALECTS).flatMap(([point, values]) =>
		values.map((value) => ({ point: point as keyof Dialect, value })),
	);
	for (const a of answers) {
		for (const b of answers) {
			const meet = dialects.some(
				(one) => one[a.point] === a.value && one[b.point] === b.value,
			);
			expect(meet, JSON.stringify([a, b])).toBe(a.point !== b.point || a.value === b.value);
		}
	}
});

it('is set at the start, and again at a reset', async () => {
	const other = await startSimulator({ dialect: { states: 'upper' } });
	other.service.settings.states = 'lower';
	other.reset();
	expect(other.service.settings.states).toBe('upper');
	await other.close();
});
