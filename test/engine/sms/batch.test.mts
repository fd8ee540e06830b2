/** A batch as a whole: items that can't be sent, equal ones, fields of the input beside the results, progress in the log. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { CONTINUE, ERROR_OUTPUT, RETRY_ON_FAIL, SENDING, sms } from '../delivery/sending.mts';
import { answer, SEND, sim, spoil } from '../delivery/service.mts';
import { hintOf, jsonOf, statuses, textOf } from '../delivery/support.mts';
import { setClock } from '../../harness/fixtures.mts';
import { logged, runNode, type RunOptions } from '../harness.mts';

const [ADA, CAROL] = ['+33639981231', '+33639981233'];
const ROWS = [ADA, 'nobody', CAROL].map((to, at) => ({ id: 'abc'[at], to, text: 'Bonjour' }));

const batch = async (
	settings: IDataObject = {},
	items: IDataObject[] = ROWS,
	more: Partial<RunOptions> = {},
) => await runNode(sms('sendBatch', items, settings, more));

test('characters that were replaced are told of once, above the results', async () => {
	const items = ['Prête, François', 'Noël et été 🎄', 'ok'].map((text, index) => ({
		...{ to: `+3363998123${index}`, text },
	}));
	const told = async (settings: IDataObject) => hintOf(await batch(settings, items));
	const replaced = 'were replaced in 2 messages (ê → e, ç → c, ë → e, 🎄 removed).';
	expect(await told({ dryRun: true })).toContain(replaced);
	expect(await told({})).toContain(replaced);
	expect(await told({ unsupportedCharacters: 'keep' })).not.toContain('were replaced');
	spoil('Prete', { kind: 'json', status: 400, body: { code: 12, error: 'refused' } });
	expect(await told({})).toContain('were replaced in 1 message (ë → e, 🎄 removed).');
});

test.each<[settings: IDataObject, isTold: boolean]>([
	[{ skipDuplicates: false }, true],
	[{ skipDuplicates: false, dryRun: true }, true],
	[{}, false],
	[{ skipDuplicates: false, onceKey: '={{ $itemIndex }}' }, false],
])('equal messages are told of, unless the user has said which are (%j)', async (settings, is) => {
	const items = [ROWS[0], ROWS[0], ROWS[2]];
	const told = `1 item has the number and the text of an earlier one (${ADA}).`;
	expect(hintOf(await batch(settings, items)).includes(told)).toBe(is);
});

test('of many reasons, a STOP is named, whatever stands before it', async () => {
	sim.stop(CAROL);
	const items = ['nobody', '12', '+33123456789', ADA, CAROL].map((to) => ({
		to,
		text: 'Bonjour',
	}));
	const hint = hintOf(await batch({}, items));
	expect(hint).toMatch(new RegExp(` \\${CAROL}: .*STOP`));
	expect(hint).toContain('And 1 more reason');
});

test('what is to be run again is named by its status: a duplicate that was skipped is not', async () => {
	answer('401 code 72', { skip: 1, times: 1 });
	const items = [ADA, ADA, CAROL, '+33639981234', '12'].map((to) => ({ to, text: 'Bonjour' }));
	const hint = hintOf(await batch({ concurrency: 1 }, items));
	expect(hint).toContain('1 sent, 1 refused, 1 skipped, 1 invalid, 1 not sent.');
	expect(hint).toContain('with only those that are refused, notSent or invalid:');
});

describe('Invalid Items: Stop', () => {
	test('sends nothing, and names the wrong item', async () => {
		const result = await batch({ invalidItems: 'stop' });
		expect(result.error?.message).toContain('nobody');
		expect(textOf(result)).toContain('No item has been sent');
		expect(sim.requests).toEqual([]);
	});

	test.each([CONTINUE, ERROR_OUTPUT])('with %j, each item says so', async (settings) => {
		const { items, errorItems, error } = await batch({ invalidItems: 'stop' }, ROWS, {
			settings,
		});
		expect(error).toBeUndefined();
		expect(sim.requests).toEqual([]);
		expect([...items, ...errorItems].map(({ json }) => json)).toMatchObject([
			{
				status: 'notSent',
				reason: expect.stringContaining('another item is invalid'),
				advice: expect.stringContaining("'Invalid Items'"),
			},
			{ status: 'invalid' },
			{ status: 'notSent' },
		]);
	});
});

test('an item without a once key is invalid, and one with the key of another is skipped', async () => {
	const items = ['', 'k', 'k'].map((key) => ({ ...ROWS[0], key }));
	const result = await batch({ onceKey: '={{ $json.key }}' }, items);
	expect(statuses(result)).toEqual(['invalid', 'sent', 'skipped']);
});

test.each([
	['Concurrency', { concurrency: 0 }],
	['Invalid Items', { invalidItems: 'perhaps' }],
	['Include Input Fields', { includeInputFields: 'maybe' }],
])('%s is an option of the whole batch: a wrong one sends nothing', async (field, settings) => {
	const { error } = await batch(settings);
	expect(error?.message).toContain(`'${field}'`);
	expect(sim.requests).toEqual([]);
});

describe('Include Input Fields', () => {
	const included = { includeInputFields: true };

	test('keeps the row as it is, and has each outcome beside it, in one field', async () => {
		sim.stop(CAROL);
		const items = ROWS.map((row) => ({ ...row, status: 'new', number: 'CRM', advice: 1 }));
		const results = jsonOf(await batch(included, items));
		expect(results).toEqual(
			['sent', 'invalid', 'refused'].map((status, at) => ({
				...items[at],
				sms: expect.objectContaining({ status }),
			})),
		);
		expect(results[0].sms).toEqual({
			...{ status: 'sent', number: ADA, reason: '', message: 'Bonjour', segments: 1 },
			...{ snapshotId: sim.messages[0].snapshotId, creditsUsed: 1, advice: '' },
		});
	});

	test('refuses rows that have that field: it tells of another message', async () => {
		const sent = jsonOf(await batch(included, [ROWS[0]]));
		const [again] = jsonOf(await batch(included, sent, { settings: CONTINUE }));
		const reason = expect.stringContaining("a field 'sms'");
		expect(again.sms).toMatchObject({ status: 'invalid', reason, snapshotId: null });
		expect(sim.messages).toHaveLength(1);
	});

	test('refuses all rows where a later one has that field', async () => {
		const rows = [ROWS[0], { ...ROWS[2], sms: 'own' }];
		const results = jsonOf(await batch(included, rows, { settings: CONTINUE }));
		expect(results.map(({ sms }) => (sms as IDataObject).status)).toEqual([
			'invalid',
			'invalid',
		]);
		expect(sim.messages).toEqual([]);
	});

	test('keeps fields with the names of what every object has', async () => {
		const prototype = `{ "to": "${CAROL}", "text": "a", "__proto__": { "error": "c" } }`;
		const [first, second] = jsonOf(
			await batch(included, [
				{ ...ROWS[0], toString: 'a', constructor: 'b' },
				JSON.parse(prototype) as IDataObject,
			]),
		);
		expect(Object.entries(first)).toContainEqual(['toString', 'a']);
		expect(Object.entries(first)).toContainEqual(['constructor', 'b']);
		expect(Object.entries(second)).toContainEqual(['__proto__', { error: 'c' }]);
		expect(second.error).toBeUndefined();
	});

	test('is off by default', async () => {
		for (const json of jsonOf(await batch())) expect(json).not.toHaveProperty('id');
	});
});

/** A field of each kind that a result of a send has, or a look-up or a test run adds. */
const EARLIER: IDataObject = {
	...{ status: 'unknown', reason: 'Lost', error: 'Lost', code: 12, httpCode: 504 },
	...{ snapshotId: '7', creditsUsed: 2, scheduledFor: '2030-12-24T09:30:00.000Z' },
	...{ replacements: 'ë → e', segments: 9, wouldSendTo: ADA },
};

test.each(SENDING)(
	'%s: no results of an earlier run are on its error output',
	async (operation) => {
		sim.stop(CAROL);
		const items = ROWS.map((row) => ({ ...row, ...EARLIER, number: 'of the CRM' }));
		const settings = { ...RETRY_ON_FAIL, ...ERROR_OUTPUT };
		const { errorItems } = await runNode(sms(operation, items, {}, { settings }));
		const stored = JSON.parse(JSON.stringify(jsonOf({ items: errorItems }))) as IDataObject[];
		const ofEarlier = (json: IDataObject) =>
			Object.keys(EARLIER).filter((name) => json[name] === EARLIER[name]);
		expect(stored.map((json) => [json.id, json.status, ofEarlier(json)])).toEqual([
			['b', 'invalid', []],
			// The service said so again.
			['c', 'refused', ['code']],
		]);
		expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(2);
	},
);

describe('the log', () => {
	test.each([
		[10_000, ['2 of 3 items done: 1 sent, 1 invalid', '3 of 3 items done: 2 sent, 1 invalid']],
		[4_000, []],
	])('hears every ten seconds how far a batch is: %i ms a message', async (taken, lines) => {
		const moveOn = setClock(new Date().toISOString());
		const pass = () => {
			moveOn(taken);
			return false;
		};
		sim.faults.add({ times: Infinity, match: pass, do: { kind: 'json', body: {} } });
		logged.length = 0;
		await batch({ concurrency: 1 });
		expect(logged).toEqual(lines.map((line) => `Under Test: ${line}`));
	});
});
