/** Values of the fields as people paste them and as expressions give them: read, or refused before any request. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { workflow as n8n } from '../harness.mts';
import { Host, now } from './harness.mts';

const simulator = await useSimulator({ now });
const host = (parameters: INodeParameters) => new Host({ simulator, parameters });

test.each([
	['362891,362892'],
	['362891;362892'],
	['362891 362892'],
	['362891\n362892\n'],
	['362891\t362892'],
	[' 362891 ; 362892, '],
	['"362891", "362892"'],
	["'362891';'362892'"],
	['“362891”, «362892»'],
	['["362891","362892"]'],
	['362891.0, 362892.00'],
	['362891,362892,362891'],
	[[362891, '362892']],
	[['362891.0', '"362892"']],
])('snapshot IDs as %j', async (watchSnapshotIds) => {
	const parameters = { events: ['statusChanged'], watch: 'snapshotIds', watchSnapshotIds };
	await host(parameters as INodeParameters).activate();
	expect(simulator.requests.map(({ target }) => target)).toEqual([
		'/v2/messages/status?snapshotId=362891',
		'/v2/messages/status?snapshotId=362892',
	]);
});

const status = { events: ['statusChanged'] };
const ids = (watchSnapshotIds: unknown) =>
	({ ...status, watch: 'snapshotIds', watchSnapshotIds }) as INodeParameters;

const replies = (categories: unknown) => ({ events: ['reply'], categories }) as INodeParameters;
const numbers = (watchNumbers: unknown) => ({ ...status, watchNumbers }) as INodeParameters;
/** Remains of an expression in a field that is Fixed, and results of one that finds nothing. */
const NOTHING = [
	...['{{ $json.c }}', 'null', 'undefined', 'NaN', 'Invalid DateTime', 'true'],
	...['orders, null', 'shop-undefined', '[object Object]', '={{ null }}', '={{ undefined }}'],
	...['={{ [null] }}', '={{ ["orders", undefined] }}', '={{ [["orders"]] }}', '={{ {} }}'],
];

test.each<[string, INodeParameters, RegExp]>([
	...NOTHING.flatMap(
		(text): Array<[string, INodeParameters, RegExp]> => [
			[`categories ${text}`, replies(text), /'Categories' (is|has|contains) /],
			[`numbers ${text}`, numbers(text), /'Phone Numbers to Watch' /],
			[`snapshot IDs ${text}`, ids(text), /'Snapshot IDs to Watch' /],
			[`events ${text}`, { events: text }, /'Trigger On' /],
			[
				`states ${text}`,
				{ ...ids('362891'), options: { statesToEmit: text } },
				/'States to Emit' /,
			],
			[`threshold ${text}`, { events: ['creditsLow'], creditsThreshold: text }, /Threshold'/],
		],
	),
	...[
		...['orders;reminders', 'orders | reminders', 'orders\treminders', '"orders"', "'orders'"],
		...['“orders”', '«orders»', '["orders","reminders"]', '{orders}', '`orders`'],
		...['orders, "reminders"', 'ord\u200bers'],
	].map((text): [string, INodeParameters, RegExp] => [
		`categories ${text}`,
		replies(text),
		/'Categories' has .*, which is not the name of a category/,
	]),
	...['abc', '362891, abc', '362891/362892', '36 28 9x', '362-891', '362891|362892'].map(
		(text): [string, INodeParameters, RegExp] => [text, ids(text), /is not a snapshot ID/],
	),
	...['0639981234 | 0639981235', '"0639981234" "0639981235"', '0639981234/0639981235'].map(
		(text): [string, INodeParameters, RegExp] => [text, numbers(text), /more than one number/],
	),
	[
		'a state',
		{ ...ids('1'), options: { statesToEmit: ['arrived'] } },
		/'States to Emit' is "arr/,
	],
	['no event', { events: [] }, /'Trigger On' is empty/],
	['an unknown event', { events: ['call'] }, /'Trigger On' is "call"/],
	['no number', { ...status, watchNumbers: ' , ' }, /'Phone Numbers to Watch'/],
	['no phone number', { ...status, watchNumbers: 'abc' }, /not a phone number/],
	['an object', { ...status, watchNumbers: { a: 1 } }, /'Phone Numbers to Watch' is an object/],
	['a list, which is no longer watched', { ...status, watch: 'list' }, /'Watch' is "list"/],
	['no snapshot ID', ids(''), /'Snapshot IDs to Watch' is empty/],
	['half a snapshot ID', ids('362891.5'), /"362891.5", which is not a snapshot ID/],
	['a snapshot ID of a spreadsheet', ids('3.62E+05'), /which is not a snapshot ID/],
	['an address', ids('https://sms.example.com'), /which is not a snapshot ID/],
	['quotes only', ids('"", ""'), /'Snapshot IDs to Watch' is empty/],
	['no threshold', { events: ['creditsLow'], creditsThreshold: 0 }, /'Credits Threshold'/],
	['no items', { events: ['reply'], options: { maxItemsPerPoll: 0 } }, /'Max Items per Poll'/],
	['half an emoji', { events: ['reply'], categories: 'a, b\ud83d' }, /'Categories'/],
	[
		'no switch',
		{ events: ['reply'], options: { emitExisting: 'maybe' } },
		/'Also Emit What Is Already There' is "maybe"/,
	],
])('%s stops the activation before any request', async (_, parameters, message) => {
	const failed = await host(parameters)
		.activate()
		.catch((error: unknown) => error);
	expect(failed).toBeInstanceOf(n8n.NodeOperationError);
	expect(failed).toMatchObject({
		message: expect.stringMatching(message),
		failure: { cause: 'configuration-invalid' },
	});
	expect(simulator.requests).toEqual([]);
});

test('several numbers that are not separated: by what', async () => {
	const failed = await host(numbers('0639981234 | 0639981235'))
		.activate()
		.catch((error: unknown) => error);
	expect((failed as Error & { description: string }).description).toBe(
		'Enter one or more phone numbers, separated by commas.',
	);
});

test.each([
	["L'été", ["L'été"]],
	['Aujourd’hui & demain, a/b', ['Aujourd’hui & demain', 'a/b']],
	['orders (2026)\nRDV #1', ['orders (2026)', 'RDV #1']],
	['nullable, undefinedness, BaNaNa', ['nullable', 'undefinedness', 'BaNaNa']],
	[42, ['42']],
	// As the SMS node sends it
	['\u200eorders\u200b, \u2067reminders\u2069', ['orders', 'reminders']],
	// A name that can't be typed here can be given as a list.
	['={{ ["a;b", "x|y"] }}', ['a;b', 'x|y']],
])('categories as %j', async (categories, names) => {
	await host(replies(categories)).activate();
	expect(simulator.requests.map(({ query }) => query.get('category'))).toEqual(names);
});

test('a field that is hidden is not read', async () => {
	const hidden = { categories: 'a;b', watchNumbers: 'abc', watchSnapshotIds: 'abc' };
	await host({ events: ['creditsLow'], ...hidden }).activate();
	expect(simulator.requests).toHaveLength(1);
});
