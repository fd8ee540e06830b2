/**
 * A dry run: it looks everything up that the real run does, sends nothing, writes nothing, and
 * says what the real run then does. Over random batches; `SEED` in the environment repeats a run.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { offered } from '../../harness/settings.mts';
import { SEED } from '../../harness/random.mts';
import { CONTINUE, sms } from '../delivery/sending.mts';
import { sim } from '../delivery/service.mts';
import { hintOf, jsonOf } from '../delivery/support.mts';
import { deduplicationStore, runNode, type RunResult } from '../harness.mts';

const NUMBERS = ['+33639980001', '06 39 98 00 01', '+33639980002', '+33639980003', 'nobody'];
const TEXTS = ['Bonjour', 'L’été', 'x'.repeat(200)];

interface Row {
	to: string;
	text: string;
	key: string;
}

const keyed = { onceKey: '={{ $json.key }}' };

async function batch(
	items: Row[],
	settings: IDataObject,
	operation = 'sendBatch',
): Promise<RunResult> {
	// Send would stop at the first problem: here it is compared what becomes of each item.
	const more = operation === 'send' ? { settings: CONTINUE } : {};
	const rows = items.map((row) => ({ ...row }));
	const own = offered('Sms', operation, { ...settings, concurrency: 10 });
	return await runNode(sms(operation, rows, own, more));
}
const store = () => JSON.stringify([...deduplicationStore.rows]);

const row: fc.Arbitrary<Row> = fc.record({
	to: fc.constantFrom(...NUMBERS),
	text: fc.constantFrom(...TEXTS),
	key: fc.constantFrom('a', 'b', 'c', 'd', ''),
});
const drawn = fc.record({
	operation: fc.constantFrom('send', 'sendBatch'),
	before: fc.array(row, { maxLength: 4 }),
	rows: fc.array(row, { minLength: 1, maxLength: 8 }),
	lost: fc.boolean(),
	stopped: fc.array(fc.constantFrom(NUMBERS[0], NUMBERS[2]), { maxLength: 2 }),
	isKeyed: fc.boolean(),
	resendUnknown: fc.boolean(),
	skipBlacklisted: fc.constant(true),
	checkBalance: fc.constant(true),
	skipDuplicates: fc.boolean(),
	unsupportedCharacters: fc.constantFrom('replace', 'reject'),
	invalidItems: fc.constantFrom('report', 'stop'),
	credits: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
});

test('the real run does what the dry run says, for random batches', async () => {
	console.log(`seed ${SEED}`);
	await fc.assert(
		fc.asyncProperty(
			drawn,
			async ({ operation, before, rows, lost, stopped, isKeyed, credits, ...options }) => {
				sim.reset();
				deduplicationStore.clear();
				const given = { ...options, ...(isKeyed ? keyed : {}) };
				if (lost) sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
				if (before.length > 0) await batch(before, given, operation);
				sim.faults.clear();
				for (const number of stopped) sim.stop(number);
				if (credits !== undefined) sim.service.setCredits(credits);
				const [stored, sent] = [store(), sim.messages.length];
				const dry = await batch(rows, { ...given, dryRun: true }, operation);
				expect(store()).toBe(stored);
				expect(sim.messages).toHaveLength(sent);
				const real = await batch(rows, given, operation);
				expect(dry.error?.message).toBe(real.error?.message);
				if (real.error) return;
				// Only the service knows what a message costs: it may refuse the last ones.
				const isSpent = jsonOf(real).some(({ status }) => status === 'refused');
				if (credits !== undefined && isSpent) return;
				const predicted = jsonOf(dry).map(({ status, number, reason, replacements }) => ({
					status: status === 'wouldSend' ? 'sent' : status,
					number,
					reason,
					replacements,
				}));
				expect(jsonOf(real)).toMatchObject(JSON.parse(JSON.stringify(predicted)) as object);
			},
		),
		{ numRuns: 150 },
	);
}, 300_000);

describe('a dry run', () => {
	const rows = [
		{ to: NUMBERS[0], text: TEXTS[1], key: 'a' },
		{ to: NUMBERS[2], text: TEXTS[2], key: 'b' },
		{ to: NUMBERS[3], text: TEXTS[0], key: 'b' },
	];

	test('gives segments, encoding and what was replaced, and a summary', async () => {
		const result = await batch(rows, { dryRun: true, ...keyed });
		// A batch has the same columns in every row.
		const notSent = { snapshotId: null, creditsUsed: null, advice: '' };
		const shown = { ...notSent, status: 'wouldSend', reason: '', encoding: 'GSM-7' };
		expect(jsonOf(result)).toEqual([
			{
				...{ ...shown, number: NUMBERS[0], message: "L'été", segments: 1 },
				replacements: "’ → '",
			},
			{ ...shown, number: NUMBERS[2], message: TEXTS[2], segments: 2 },
			{
				...{ ...notSent, number: NUMBERS[3], message: TEXTS[0], segments: 1 },
				...{ status: 'skipped', reason: 'Same key as another item: Row 2 (item 1)' },
			},
		]);
		expect(result.hints?.[0].type).toBe('info');
		expect(hintOf(result)).toMatch(
			/^Dry run: nothing was sent\. 2 would be sent, 1 skipped\. 3 segments\. .*replaced in 1 message \(’ → '\)/,
		);
		expect(deduplicationStore.rows.size).toBe(0);
		expect(JSON.stringify(result.data.executionData?.contextData)).not.toContain(NUMBERS[0]);
		// The balance, and nothing else.
		expect(sim.requests.map(({ path }) => path)).toEqual(['/v2/account/stats']);
	});

	test('says when the store of keys cannot be asked', async () => {
		deduplicationStore.rows.set('workflow/', ['x']);
		deduplicationStore.failure = new Error('database is locked');
		const { error } = await batch(rows, { dryRun: true, ...keyed });
		expect(error?.message).toContain('database is locked');
	});
});
