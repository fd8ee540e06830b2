/**
 * Whatever happens, what the service accepted is what the node reports: as a receipt, or as unknown.
 * Random items, faults, ways of running, retries and cancellations, against the simulator over sockets.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { placed } from '../../harness/settings.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions } from '../harness.mts';
import { hurry, listedIn, retryable, storedReceipts } from './support.mts';
import { retrying } from './world.mts';

const NUMBERS = ['0639980001', '+33639980001', '0639980002', '0639980003'];
const TEXTS = ['Bonjour', 'Votre colis est parti'];

const fault: fc.Arbitrary<FaultAction> = fc.oneof(
	fc.constant<FaultAction>({ kind: 'tooManyRequests', retryAfter: 0 }),
	fc.constant<FaultAction>({ kind: 'resetBeforeRead' }),
	fc.constant<FaultAction>({ kind: 'resetAfterAccept' }),
	fc.constant<FaultAction>({ kind: 'delay', ms: 3 }),
	fc
		.record({
			kind: fc.constant('status' as const),
			status: fc.constantFrom(500, 502, 503, 504, 400),
			accept: fc.boolean(),
		})
		.map((action) => (action.status === 400 ? { ...action, accept: false } : action)),
	fc.record({ kind: fc.constant('html200' as const), accept: fc.boolean() }),
	fc.record({ kind: fc.constant('truncatedJson' as const), accept: fc.constant(true) }),
	fc.constant<FaultAction>({ kind: 'json', status: 400, body: { code: 12, error: 'STOP' } }),
	fc.constant<FaultAction>({ kind: 'json', body: { code: 71, error: 'no credit' } }),
);

const scenario = fc.record({
	operation: fc.constantFrom('send', 'sendByUrl', 'sendBatch'),
	items: fc.array(
		fc.record({ to: fc.constantFrom(...NUMBERS), text: fc.constantFrom(...TEXTS) }),
		{ minLength: 1, maxLength: 8 },
	),
	/** The fault of each request, in order of arrival. */
	faults: fc.array(fc.option(fault, { freq: 2 }), { maxLength: 12 }),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	retryOnFail: fc.boolean(),
	retries: fc.integer({ min: 0, max: 3 }),
	concurrency: fc.integer({ min: 1, max: 4 }),
	skipDuplicates: fc.boolean(),
	/** Cancels the first execution after so many milliseconds. */
	cancelAfter: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 4 }),
});

hurry();
const sim = await useSimulator();

test(`accepted = receipts + unknown, in ${HISTORIES.toLocaleString('en')} random runs`, async () => {
	console.log(`seed ${SEED}`);
	let accepted = 0;
	let unknown = 0;
	await fc.assert(
		fc.asyncProperty(scenario, async (given) => {
			sim.reset();
			for (const action of given.faults) {
				sim.faults.add({ path: /send$/, times: 1, do: action ?? { kind: 'delay', ms: 0 } });
			}
			const run: RunOptions = {
				node: 'Sms',
				parameters: {
					operation: given.operation,
					number: '={{ $json.to }}',
					message: '={{ $json.text }}',
					...placed('Sms', given.operation, {
						concurrency: given.concurrency,
						skipDuplicates: given.skipDuplicates,
					}),
				},
				items: given.items,
				credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
				settings: {
					onError: given.onError as never,
					...retrying(given.retryOnFail ? 2 : 1),
				},
			};
			let result = await runNode({
				...run,
				onStart: (cancel) => {
					if (given.cancelAfter !== null) setTimeout(cancel, given.cancelAfter);
				},
			});
			if (given.cancelAfter !== null) await settled();
			for (let retry = 0; retry < given.retries && retryable(result); retry++) {
				result = await retryExecution(result, run);
			}
			await settled();

			// No message twice: each item is sent at most once, a skipped duplicate not at all.
			const pairs = new Map<string, number>();
			for (const { to, text } of given.items) {
				const key = `${to.replace(/^0/, '+33')} ${text}`;
				pairs.set(key, given.skipDuplicates ? 1 : (pairs.get(key) ?? 0) + 1);
			}
			for (const { number, text } of sim.messages) {
				const key = `${number} ${text}`;
				expect(pairs.get(key), `${key} was sent once too often`).toBeGreaterThan(0);
				pairs.set(key, pairs.get(key)! - 1);
			}

			// Accepted by the service = receipts + unknown; each receipt is one of an accepted message.
			const receipts = storedReceipts(result);
			const known = receipts.flatMap(({ snapshotId }) => snapshotId ?? []);
			const open = receipts.filter(({ snapshotId }) => snapshotId === undefined).length;
			const ids = sim.messages.map(({ snapshotId }) => snapshotId);
			expect(new Set(known).size).toBe(known.length);
			for (const id of known) expect(ids).toContain(id);
			expect(ids.length - known.length).toBeLessThanOrEqual(open);
			accepted += ids.length;
			unknown += open;

			// What the run shows is what it knows.
			if (result.run.status === 'canceled') return;
			const shown = [...result.items, ...result.errorItems].map(({ json }) => json);
			if (result.error === undefined) {
				expect(shown).toHaveLength(given.items.length);
				const shownIds = shown.flatMap(({ snapshotId }) => (snapshotId as string) ?? []);
				expect(shownIds.sort()).toEqual(known.sort());
				expect(shown.filter(({ status }) => status === 'unknown')).toHaveLength(open);
			} else {
				const { accepted: listed = [] } = listedIn(result.error);
				expect(listed.map(({ snapshotId }) => snapshotId).sort()).toEqual(known.sort());
			}
		}),
		{ numRuns: HISTORIES },
	);
	console.log(`${HISTORIES} runs: ${accepted} messages accepted, ${unknown} reported as unknown`);
	expect(accepted).toBeGreaterThan(HISTORIES);
	expect(unknown).toBeGreaterThan(HISTORIES / 10);
}, 600_000);

/** Waits until the service has nothing under way and the nodes have heard of it. */
async function settled(): Promise<void> {
	do await new Promise((resolve) => setTimeout(resolve, 5));
	while (sim.inFlight > 0);
	await new Promise((resolve) => setTimeout(resolve, 5));
}
