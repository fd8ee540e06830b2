/** Allowed Hours: a message at another time is kept by the service until then, or refused. */
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { deduplicationStore, runNode } from '../harness.mts';
import { hurry, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const HOUR = 3_600_000;
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const TO = ['+33639981231', '+33639981232', '+33639981233'];

/** HH:mm in UTC. */
const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
/** Hours that begin so many hours from now and last one hour. */
const hoursIn = (hours: number, more: IDataObject = {}): IDataObject => ({
	allowedHours: {
		hours: {
			from: clock(Date.now() + hours * HOUR),
			to: clock(Date.now() + (hours + 1) * HOUR),
			days: DAYS,
			holidays: false,
			...more,
		},
	},
});
const open = (more: IDataObject = {}) => hoursIn(-0.5, more);
/** The beginning of the minute. */
const minute = (time: number) => Math.floor(time / 60_000) * 60_000;

const options = (operation: string, collection: IDataObject) =>
	smsRun(
		sim,
		TO.map((to) => ({ to })),
		{ operation, options: collection },
		{ timeZone: 'UTC' },
	);
const dates = () =>
	sim
		.requestsTo('POST', /send$/)
		.map(({ bodyText }) => (JSON.parse(bodyText) as { date?: number }).date);

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	test('sends at once within the hours', async () => {
		const { items } = await runNode(options(operation, open()));
		expect(dates()).toEqual([undefined, undefined, undefined]);
		for (const { json } of items) expect(json).not.toHaveProperty('scheduledFor');
	});

	test('puts a message off to their beginning otherwise, and says so', async () => {
		const expected = minute(Date.now() + 5 * HOUR);
		const { items } = await runNode(options(operation, hoursIn(5)));
		expect(dates()).toEqual([expected, expected, expected]);
		for (const { json } of items) {
			expect(json.scheduledFor).toBe(new Date(expected).toISOString());
		}
	});

	test('sends nothing with Refuse, and says when it may', async () => {
		const { items, error } = await runNode(
			options(operation, hoursIn(5, { otherwise: 'refuse' })),
		);
		expect(sim.requests).toHaveLength(0);
		const said = error?.message ?? (items[0].json.reason as string);
		expect(said).toContain("'Allowed Hours'");
		await runNode(options(operation, open({ otherwise: 'refuse' })));
		expect(sim.messages).toHaveLength(3);
	});
});

describe('are judged when a message leaves, not when the run starts', () => {
	afterEach(() => vi.restoreAllMocks());

	/** An hour passes while the first message is being sent. */
	function hourPasses(): void {
		const now = Date.now.bind(Date);
		let passed = 0;
		vi.spyOn(Date, 'now').mockImplementation(() => now() + passed);
		sim.faults.add({
			path: /send$/,
			match: () => {
				passed = HOUR;
				return true;
			},
			do: { kind: 'delay', ms: 0 },
		});
	}
	const slowly = (collection: IDataObject) => ({ ...collection, concurrency: 1 });

	test.each(['send', 'sendBatch', 'sendByUrl'])(
		'%s: nothing more leaves with Refuse',
		async (operation) => {
			hourPasses();
			const { items, error } = await runNode(
				options(operation, slowly(open({ otherwise: 'refuse' }))),
			);
			expect(sim.messages.map(({ number }) => number)).toEqual([TO[0]]);
			if (operation === 'sendBatch') {
				expect(items.map(({ json }) => json.status)).toEqual([
					'sent',
					'notSent',
					'notSent',
				]);
				expect(items[1].json.reason).toContain("'Allowed Hours'");
				return;
			}
			expect(error?.message).toBe('1 of 3 sent, 2 not sent');
			expect(error?.description).toContain("'Allowed Hours'");
		},
	);
});

test('sendByUrl has no date: it refuses outside of the hours, and sends within', async () => {
	const { error } = await runNode(options('sendByUrl', hoursIn(5)));
	expect(error?.message).toContain("'Allowed Hours'");
	expect(sim.requests).toHaveLength(0);
	await runNode(options('sendByUrl', open()));
	expect(sim.messages).toHaveLength(3);
});

test('a preview and a dry run say for when a message would be scheduled', async () => {
	const expected = minute(Date.now() + 5 * HOUR);
	const dry = await runNode(options('sendBatch', { ...hoursIn(5), dryRun: true }));
	expect(dry.items[0].json).toMatchObject({
		status: 'wouldSend',
		scheduledFor: new Date(expected).toISOString(),
	});
	expect(sim.requestsTo('POST', /send$/)).toHaveLength(0);
});
