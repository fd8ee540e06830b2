/**
 * Results of a run as a person reads them: one table of outcome, operation and On Error, then the errors of whole runs, and
 * the lines above the results.
 */
import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { offered } from '../../harness/settings.mts';
import type { FaultAction } from '../../simulator/index.mts';
import type { AnswerName } from '../delivery/answers.mts';
import { CONTINUE, ERROR_OUTPUT, of, people, SENDING, sms } from '../delivery/sending.mts';
import { answer, hideMessages, reached, SEND, sim, spoil } from '../delivery/service.mts';
import { hintOf, jsonOf, statuses, textOf } from '../delivery/support.mts';
import { runNode, type RunOptions } from '../harness.mts';
import { hours } from './hours.mts';

const ALL = ['send', 'sendBatch'];
const TO = people(3).map(({ to }) => String(to));
const [FIRST, HIT, LAST] = TO;
const LOST: FaultAction = { kind: 'resetAfterAccept' };
const NOBODY = { to: 'nobody', text: 'Bonjour' };

const run = async (
	operation: string,
	settings: IDataObject = {},
	items = people(3),
	more: Partial<RunOptions> = {},
) => await runNode(sms(operation, items, offered('Sms', operation, settings), more));

/** An end of the second of three messages. */
interface Row {
	given?: () => void;
	/** Fields in which its item differs. */
	item?: IDataObject;
	settings?: IDataObject;
	/** The third column of its result, behind status and number; of a batch, it is always the reason. */
	column: 'snapshotId' | 'reason' | 'error';
	says?: string;
	fields?: IDataObject;
	/** The error of a Send that stops there. */
	headline?: string;
	/** The line above the results of a run that continues. */
	counts: string;
}
const ROWS: Record<string, Row> = {
	sent: { column: 'snapshotId', counts: '3 sent' },
	scheduled: {
		item: { date: '2031-11-23T03:00:00' },
		settings: { date: '={{ $json.date ?? $now }}' },
		column: 'snapshotId',
		fields: { scheduledFor: '2031-11-23T03:00:00.000+01:00' },
		counts: '2 sent, 1 scheduled for 23 Nov 2031, 03:00',
	},
	skipped: {
		item: { to: FIRST },
		settings: { skipDuplicates: true },
		column: 'reason',
		says: 'Same recipient and text as another item',
		counts: '2 sent, 1 skipped',
	},
	refused: {
		given: () => sim.stop(HIT),
		column: 'error',
		says: 'unsubscribed (STOP)',
		fields: { code: 12 },
		headline: `1 of 3 sent, 1 refused (${HIT}), 1 not sent`,
		counts: '2 sent, 1 refused',
	},
	notSent: {
		given: () => spoil(HIT, { kind: 'tooManyRequests', retryAfter: 0 }, 4),
		column: 'error',
		says: 'HTTP 429',
		headline: '1 of 3 sent, 2 not sent',
		counts: '2 sent, 1 not sent',
	},
	unknown: {
		given() {
			hideMessages();
			spoil(HIT, LOST);
		},
		column: 'error',
		says: 'broke off',
		headline: `1 of 3 sent, 1 unknown (${HIT}), 1 not sent`,
		counts: '2 sent, 1 unknown',
	},
	invalid: {
		item: { to: 'nobody' },
		column: 'error',
		says: '"nobody"',
		headline: '\'Phone Number\' "nobody" is not a phone number',
		counts: '2 sent, 1 invalid',
	},
};

describe.each(Object.entries(ROWS))('%s', (status, row) => {
	const { given, item = {}, settings, column, says = '', fields = {}, headline, counts } = row;
	const items = people(3).map((one, at) => (at === 1 ? { ...one, ...item } : one));
	const number = String(items[1].to);
	const isReceipt = column === 'snapshotId';
	const play = async (operation: string, node: Partial<INode> = {}) => {
		given?.();
		return await run(operation, settings, items, { settings: node });
	};
	const operations = status === 'scheduled' ? ALL : SENDING;

	test.each(operations)('%s stops there, or ends well', async (operation) => {
		const result = await play(operation);
		const { error } = result;
		if (operation === 'sendBatch' || headline === undefined) {
			expect(error).toBeUndefined();
			return expect(statuses(result)).toEqual(['sent', status, 'sent']);
		}
		// Too many requests are no item's fault.
		expect(error?.context.itemIndex).toBe(status === 'notSent' ? undefined : 1);
		expect(error?.message).toContain(headline);
		expect(textOf(result)).toContain(says);
		const isInvalid = status === 'invalid';
		expect(textOf(result).includes('No item has been sent.')).toBe(isInvalid);
		expect(error?.context.data).toMatchObject({
			accepted: isInvalid ? [] : [{ item: 0, subject: FIRST }],
			unknown: status === 'unknown' ? [{ item: 1, subject: HIT }] : [],
		});
		expect(reached()).not.toContain(LAST);
	});

	test.each(operations)('%s with On Error: Continue tells each outcome', async (operation) => {
		const result = await play(operation, CONTINUE);
		const isBatch = operation === 'sendBatch';
		expect(result.error).toBeUndefined();
		expect(statuses(result)).toEqual(['sent', status, 'sent']);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, at) => ({ item: at })),
		);
		const { json } = result.items[1];
		const third = isBatch ? 'reason' : column;
		// In front is what people look at first, and advice is last.
		expect(Object.keys(json).slice(0, 3)).toEqual(['status', 'number', third]);
		expect('advice' in json ? Object.keys(json).at(-1) : 'advice').toBe('advice');
		expect(json).toMatchObject({ number, ...fields });
		if (!isReceipt) expect(json[third]).toContain(says);
		expect(Object.values(json)).not.toContain(undefined);
		if (!isBatch) return expect(Object.values(json)).not.toContain(null);
		// The same columns in every run.
		expect(json).toMatchObject({
			snapshotId: isReceipt ? expect.any(String) : null,
			creditsUsed: isReceipt ? 1 : null,
			advice: expect.any(String),
		});
	});

	test.each(operations)('%s moves it to the error output if it failed', async (operation) => {
		const result = await play(operation, ERROR_OUTPUT);
		const failed = column === 'error' ? [items[1]] : [];
		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(3 - failed.length);
		expect(jsonOf({ items: result.errorItems })).toMatchObject(
			failed.map((one) => ({ ...one, status, number })),
		);
		expect(result.errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
			failed.map(() => ({ item: 1 })),
		);
	});

	test.each(operations)('%s counts it above the results', async (operation) => {
		const result = await play(operation, CONTINUE);
		const isBatch = operation === 'sendBatch';
		if (status === 'sent' && !isBatch) return expect(result.hints).toEqual([]);
		const least = status === 'unknown' ? 'At least ' : '';
		const credits = isBatch ? ` ${least}${isReceipt ? 3 : 2} credits used.` : '';
		expect(hintOf(result)).toMatch(new RegExp(`^${counts}\\.${credits}`));
		expect(hintOf(result)).toContain(says);
		expect(result.hints?.[0].type).toBe(column === 'error' ? 'warning' : 'info');
	});
});

/** The error of a run: its headline, the item that n8n marks, and each line under it. */
interface Ending {
	given?: () => void;
	settings?: IDataObject;
	items?: IDataObject[];
	message: string | RegExp;
	item?: number;
	lines: RegExp[];
	/** Requests to send that were made. */
	sends?: number;
}
const PAGE = /^<a href="https:.*delivery\.md#how-to-recover" target="_blank">How to recover<\/a>$/;
const RETRY = /^Retry this execution .* does the rest/;
const SOLVED =
	/^When the cause is solved, retry this execution .* does the rest\. Nothing is sent twice/;
const NOTHING_SENT = /No item has been sent\./;
/** Nothing names the items of a mistake that all of them share. */
const shared = (settings: IDataObject, message: string): Ending => ({
	settings,
	message: new RegExp(`^All 3 items: (?!.*Items? \\d).*${message}`),
	lines: [/^(?!.*Items? \d)/, NOTHING_SENT],
	sends: 0,
});
const refusedForItself = (name: AnswerName): Ending => ({
	given: () => answer(name),
	items: people(2),
	message: /^All 2 items: /,
	lines: [/\w/, NOTHING_SENT],
	sends: 2,
});

const OF_BOTH: Record<string, Ending> = {
	'a field that no item has': shared({ number: '={{ $json.phone }}' }, "'Phone Number'"),
	'a time that is none': shared(
		hours({ from: '25:00' }),
		"'From' of 'Allowed Hours' is not a time of the day: \"25:00\"",
	),
	'a day that is none': shared(hours({ days: ['funday'] }), "'Days'"),
	'a time zone that is none': shared(hours({ timeZone: 'Paris' }), "'Time Zone'"),
	'a sender that is too short': shared({ sender: 'ab' }, "'Sender'"),
	'a date that is none': shared({ date: 'soon' }, "'Send At'"),
	'an empty message': shared({ message: ' ' }, "'Message'"),
	'a key that is refused': {
		given: () => answer('401 code 72'),
		message: /refused the API key/,
		lines: [/'API Key' of the credential/, /^No item has been sent\. Run the workflow again/],
		sends: 1,
	},
};
const OF_SEND: Record<string, Ending> = {
	'several unknown ones': {
		given: () => answer('502 page, not accepted', { times: 2 }),
		settings: { concurrency: 2 },
		message: `0 of 3 sent, 2 unknown (${FIRST}, ${HIT}), 1 not sent`,
		lines: [
			/^Retry this execution .* looks up what is unknown and does the rest/,
			new RegExp(`^\\${FIRST}, \\${HIT}: .*HTTP 502`),
			PAGE,
		],
	},
	'a refused one, and an unknown one at the same time': {
		given: () => {
			sim.stop(FIRST);
			spoil(HIT, { kind: 'status', status: 500 });
		},
		settings: { concurrency: 3 },
		message: `1 of 3 sent, 1 refused (${FIRST}), 1 unknown (${HIT})`,
		lines: [/./, new RegExp(`\\${FIRST}: .*STOP`), new RegExp(`\\${HIT}: .*HTTP 500`), PAGE],
	},
	'no credits in the middle': {
		given: () => sim.service.setCredits(1),
		message: `1 of 3 sent, 1 refused (${HIT}), 1 not sent`,
		lines: [/not have enough credits\. Buy credits/, SOLVED, PAGE],
	},
	'a skipped one before a refused one': {
		given: () => sim.stop(HIT),
		settings: { skipDuplicates: true },
		items: people(3).toSpliced(1, 0, people(1)[0]),
		message: `1 of 4 sent, 1 refused (${HIT}), 1 skipped, 1 not sent`,
		item: 2,
		lines: [RETRY, new RegExp(`\\${HIT}: .*STOP`), PAGE],
	},
	'a correction that comes before a retry': {
		given: () =>
			spoil(FIRST, { kind: 'redirect', status: 302, location: 'https://example.com' }),
		items: people(1),
		message: new RegExp(`^It is unknown whether this was sent \\(\\${FIRST}\\): `),
		item: 0,
		lines: [/'Base URL'/, /^When the cause is solved, retry this execution/, PAGE],
	},
	'a wrong one by an expression': {
		settings: { sender: '={{ $json.from }}' },
		items: people(2).map((one, at) => ({ ...one, from: at === 0 ? 'ab' : 'MyShop' })),
		message: new RegExp(`^\\${FIRST}: 'Sender'`),
		item: 0,
		lines: [/\w/, NOTHING_SENT],
		sends: 0,
	},
	'a refused one beside two that are the same': {
		given: () => sim.stop(HIT),
		items: people(3).toSpliced(1, 0, people(1)[0]),
		message: `2 of 4 sent, 1 refused (${HIT}), 1 not sent`,
		item: 2,
		lines: [
			RETRY,
			new RegExp(`\\${HIT}: .*STOP`),
			new RegExp(`^1 item has the number and the text of an earlier one \\(\\${FIRST}\\)`),
			PAGE,
		],
	},
	'a wrong one beside two that are the same': {
		items: ['12', people(1)[0].to, people(1)[0].to].map((to) => ({ to, text: 'Bonjour' })),
		message: /^Row 1 \(item 0\): .*"12"/,
		item: 0,
		lines: [
			/Write it like/,
			NOTHING_SENT,
			/^1 item has the number and the text of an earlier one \(\+\d+\)\. .*'Skip Duplicates'/,
		],
		sends: 0,
	},
};
const OF_BATCH: Record<string, Ending> = {
	'each item wrong for a reason of its own': {
		items: ['12', 'nobody', '12'].map((to) => ({ to, text: 'Bonjour' })),
		message: '0 of 3 sent, 3 invalid',
		lines: [
			/^Row 1 \(item 0\), Row 3 \(item 2\): .*"12".* Write it like 06 12 34 56 78 /,
			/^Row 2 \(item 1\): .*"nobody".* Enter a single number /,
			NOTHING_SENT,
		],
		sends: 0,
	},
	'markup in what was typed, which the editor would not show': {
		items: ['12', '<i>Marie</i> &amp; <+33639981231>'].map((to) => ({ to, text: 'Bonjour' })),
		message: '0 of 2 sent, 2 invalid',
		lines: [/"12"/, /&lt;i>Marie&lt;\/i> &amp;amp; <\+33639981231>/, NOTHING_SENT],
		sends: 0,
	},
	'refused and wrong ones': {
		given: () => sim.stop(FIRST),
		items: [...people(1), NOBODY],
		message: `0 of 2 sent, 1 refused (${FIRST}), 1 invalid`,
		lines: [new RegExp(`\\${FIRST}: .*STOP`), /^Row 2 \(item 1\): /, NOTHING_SENT],
		sends: 1,
	},
	'numbers on the STOP list': refusedForItself('400 code 12'),
	'fixed lines': refusedForItself('400 code 19'),
	'characters that the service refuses': refusedForItself('500 code 31'),
	'no credits at all': {
		given: () => answer('402 code 71'),
		items: people(2),
		message: /enough credits/,
		lines: [/Buy credits/, NOTHING_SENT],
		sends: 1,
	},
};

describe.each([
	...ALL.map((operation) => [operation, OF_BOTH] as const),
	['send', OF_SEND] as const,
	['sendBatch', OF_BATCH] as const,
])('%s fails', (operation, endings) => {
	test.each(Object.entries(endings))('by %s', async (_, { lines, ...ending }) => {
		ending.given?.();
		const { error, items } = await run(operation, ending.settings, ending.items);
		const isExact = typeof ending.message === 'string';
		expect(error?.message)[isExact ? 'toBe' : 'toMatch'](ending.message);
		expect(error?.context.itemIndex).toBe(ending.item);
		const told = error?.description?.split('\n') ?? [];
		expect(told).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
		expect(items).toEqual([]);
		if (ending.sends !== undefined)
			expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(ending.sends);
	});
});

test.each<[node: string, operation: string, verb: string, parameters: IDataObject]>([
	['SmsContact', 'add', 'added', { list: { __rl: true, mode: 'id', value: 'l1' } }],
	['SmsContact', 'delete', 'deleted', { list: { __rl: true, mode: 'id', value: 'l1' } }],
	['SmsBlacklist', 'add', 'added', {}],
	['SmsBlacklist', 'remove', 'removed', {}],
	['SmsBlacklist', 'check', 'looked up', {}],
	['SmsStats', 'messageStatus', 'looked up', { lookupBy: 'number' }],
])('%s %s: the error says %s, not sent', async (node, operation, verb, parameters) => {
	const items = ['nobody', 'nobody', '12', FIRST].map((to) => ({ to }));
	const number = '={{ $json.to }}';
	const result = await runNode(of(node, { operation, number, ...parameters }, items));
	expect(result.error?.message).toBe(`0 of 4 ${verb}, 3 invalid, 1 not ${verb}`);
	expect(textOf(result).includes(`No item has been ${verb}.`)).toBe(verb !== 'looked up');
	expect(textOf(result)).toMatch(
		/Row 1 \(item 0\), Row 2 \(item 1\): .*"nobody".* Enter a single number .*\nRow 3 \(item 2\): .*"12"/,
	);
	expect(textOf(result)).not.toMatch(/\bsent\b/);
	expect(sim.requests).toEqual([]);
});

describe.each(ALL)('%s: the line above the results', (operation) => {
	const LATER = '2031-11-23T03:00';
	const dates = (...given: string[]) => people(3).map((one, at) => ({ ...one, date: given[at] }));
	test.each<[what: string, settings: IDataObject, hint: string, items?: IDataObject[]]>([
		['one date', { date: LATER }, '3 scheduled for 23 Nov 2031, 03:00.'],
		[
			'the first of several dates',
			{ date: '={{ $json.date }}' },
			'1 sent, 2 scheduled, first for 23 Nov 2031, 03:00.',
			dates('2031-11-24T03:00', LATER, ''),
		],
		[
			'a date of this year without it',
			{ date: `${new Date().getFullYear()}-12-31T23:30:00` },
			'3 scheduled for 31 Dec, 23:30.',
		],
		[
			'first that it was a dry run',
			{ dryRun: true },
			'Dry run: nothing was sent. 3 would be sent. 3 segments.',
		],
		[
			'the date in a dry run',
			{ dryRun: true, date: LATER },
			'Dry run: nothing was sent. 3 would be scheduled for 23 Nov 2031, 03:00. 3 segments.',
		],
	])('tells %s', async (_, settings, hint, items) => {
		const result = await run(operation, settings, items);
		expect(hintOf(result)).toMatch(new RegExp(`^${hint}`));
		expect(sim.messages).toHaveLength(settings.dryRun === true ? 0 : 3);
	});

	test('says once what happened to several messages, and advises no retry of a run that went on', async () => {
		spoil('Bonjour', LOST, Infinity);
		hideMessages();
		const result = await run(operation, {}, people(3), { settings: CONTINUE });
		const found = ', and the service has had no message to this number since then';
		const reason = `The connection to the service broke off${found}`;
		expect(hintOf(result)).toContain(`3 unknown. Unknown: ${TO.join(', ')} (${reason}).`);
		const way =
			/^To send it again, run the workflow with this item only|To send those again that the service has no message of, run the workflow with only those/;
		expect(hintOf(result)).toMatch(way);
		expect(hintOf(result)).not.toMatch(/retry/i);
		for (const { advice } of jsonOf(result)) expect(advice).toMatch(way);
	});

	test('speaks of all that are open, and a row of itself', async () => {
		sim.bounce(FIRST);
		sim.bounce(HIT);
		const result = await run(operation, {}, people(3), { settings: CONTINUE });
		expect(hintOf(result)).toContain('run the workflow with only those that are refused:');
		const told = jsonOf(result).flatMap(({ advice }) => advice || []);
		expect(told).toHaveLength(2);
		for (const advice of told) expect(advice).toContain('run the workflow with this item only');
	});

	// Another node, or the next round of a loop, may still send.
	test('where nobody got a message so far: only these items are run again', async () => {
		answer('503 Retry-After 0');
		const result = await run(operation, {}, people(3), { settings: ERROR_OUTPUT });
		const open = jsonOf({ items: result.errorItems });
		expect(open.map(({ status }) => status)).toEqual(Array(3).fill('notSent'));
		expect(hintOf(result)).toContain('run the workflow with only those that are notSent');
		expect(hintOf(result)).not.toContain('Run the workflow again');
	});

	test('of an invalid item: it is run alone, or with all where a key skips the others', async () => {
		const rows = people(3).map((one, at) => (at === 1 ? { ...one, to: '06 39' } : one));
		const alone = `run the workflow with this item only: the others would be sent again.`;
		const result = await run(operation, {}, rows, { settings: CONTINUE });
		const isReported = jsonOf(result).some(({ status }) => status === 'sent');
		expect(isReported).toBe(true);
		expect(hintOf(result)).toContain(alone);
		const dry = await run(operation, { dryRun: true }, rows, { settings: CONTINUE });
		expect(hintOf(dry)).not.toContain('run the workflow');
		const keyed = { onceKey: '={{ $json.to }}' };
		const withKey = await run(operation, keyed, rows, { settings: CONTINUE });
		expect(hintOf(withKey)).toContain("corrected where they are wrong: 'Once Key' skips who");
	});

	test('asks nobody to text who replied STOP', async () => {
		sim.stop(FIRST);
		const result = await run(operation, {}, people(3), { settings: CONTINUE });
		expect(hintOf(result)).toContain('has unsubscribed (STOP)');
		expect(hintOf(result)).not.toContain('run the workflow');
		const [advice] = jsonOf(result).flatMap((item) => item.advice || []);
		expect(advice).toContain('Leave this number out');
		expect(advice).not.toContain('run the workflow');
	});

	test('has each of its lines apart, as HTML', async () => {
		const items = [people(1)[0], ...people(2)].map((one) => ({ ...one, name: '<b>' }));
		const message = '=Hello {{ $json.name }}';
		const { data } = await run(operation, { message, skipDuplicates: true }, items);
		const shown = JSON.stringify(data.resultData);
		expect(shown).toMatch(/2 sent, 1 skipped\..*<br>/);
		expect(shown).toContain(
			`Recipients read &lt;b&gt; (${people(2)
				.map(({ to }) => String(to))
				.join(', ')}) as it is`,
		);
	});
});

test.each(ALL)('%s: a short text says what was replaced', async (operation) => {
	const { items } = await run(operation, { message: 'L’hôtel de Noël 🎄' });
	expect(items[0].json.replacements).toBe("’ → ', ô → o, ë → e, 🎄 removed");
});

test.each(ALL)('%s: numbers are international, also of a wrong item', async (operation) => {
	const items = ['06 39 98 00 00', '33639980001', 639980002].map((to, index) => ({
		...{ to, text: index === 1 ? '' : 'Bonjour' },
	}));
	const result = await run(operation, {}, items, { settings: CONTINUE });
	expect(jsonOf(result).map(({ number }) => number)).toEqual(TO);
	expect(statuses(result)).toEqual(['sent', 'invalid', 'sent']);
});

test('too many requests: a retry is enough, and there is nothing to solve before', async () => {
	spoil(HIT, { kind: 'tooManyRequests', retryAfter: 0 }, 4);
	const { error } = await run('send', {}, people(3));
	expect(error?.description).toMatch(/(^|\n)Retry this execution \(in Executions\)/);
	expect(error?.description).not.toContain('When the cause is solved');
});

test('numbers that the service refuses one after the other stop no batch', async () => {
	const items = people(13);
	for (const { to } of items.slice(0, 12)) sim.stop(String(to));
	const result = await run('sendBatch', { concurrency: 1 }, items);
	expect(statuses(result)).toEqual([...Array<string>(12).fill('refused'), 'sent']);
});
