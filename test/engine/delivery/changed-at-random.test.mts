/**
 * Somebody who changes the settings before each retry, at random: operation, keys, duplicates, limits, On Error. Nobody
 * gets a message twice, and no result says what the phones don't.
 */
import type { IDataObject, INode } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { dice as thrown, HISTORIES, playHistories } from '../../harness/histories.mts';
import type { Dice } from '../../harness/random.mts';
import { offered } from '../../harness/settings.mts';
import {
	deduplicationStore,
	retryExecution,
	runNode,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { Weather } from './player.mts';
import { people, sms } from './sending.mts';
import { sim } from './service.mts';
import { retryable } from './support.mts';

const RETRIES = 6;
const KEYS = ['={{ $json.key }}', '={{ $json.other }}', '={{ $json.shared }}'];
const AT = '2031-05-05T10:00:00';
const IN_AN_HOUR = '={{ $now.plus({ hours: 1 }) }}';

/** The workflow as it is saved before a try, without items. */
function workflow(dice: Dice, settings: IDataObject): RunOptions {
	const operation = dice.one(['send', 'send', 'sendBatch', 'sendByUrl']);
	const isBatch = operation === 'sendBatch';
	const drawn = offered('Sms', operation, {
		...settings,
		concurrency: dice.one([1, 3]),
		...(dice.chance(40) ? { onceKey: dice.one(KEYS) } : {}),
		...(isBatch ? { failIfIncomplete: dice.chance(80) } : {}),
		...(isBatch || dice.chance(60) ? {} : { skipDuplicates: true }),
		...(dice.chance(20) ? { resendUnknown: true } : {}),
		...(dice.chance(20) ? { maxCredits: 2 + dice.to(8) } : {}),
		...(dice.chance(20) ? { skipBlacklisted: true } : {}),
		...(dice.chance(10) ? { dryRun: true } : {}),
	});
	const node: Partial<INode> = {
		...(dice.chance(30) ? { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } : {}),
		...(dice.chance(10) ? { onError: 'continueErrorOutput' } : {}),
		...(dice.chance(5) ? { executeOnce: true } : {}),
	};
	return sms(operation, [], drawn, { settings: node });
}

/** The rows of one run, or of several in a loop. */
function inRuns(dice: Dice, rows: IDataObject[]): IDataObject[][] {
	const runs: IDataObject[][] = [];
	for (let at = 0; at < rows.length; at += runs.at(-1)!.length)
		runs.push(rows.slice(at, at + 1 + dice.to(4)));
	return runs;
}

const got = (number: unknown) => sim.messagesTo(String(number)).length;

/** Holds what a try shows against the phones. */
function audit(rows: IDataObject[], { runs, error }: RunResult): void {
	const wanted = (number: unknown) => rows.filter(({ to }) => to === number).length;
	for (const { to } of rows)
		expect(got(to), `messages to ${String(to)}`).toBeLessThanOrEqual(wanted(to));
	const shown = runs.flatMap(({ failed, items, errorItems }) =>
		failed ? [] : [...items, ...errorItems].map(({ json }) => json),
	);
	for (const { status, number, snapshotId } of shown) {
		const isSent = status === 'sent' || status === 'scheduled';
		const isOpen = ['refused', 'notSent', 'invalid'].includes(String(status));
		if (isSent)
			expect(sim.messages.find((one) => one.snapshotId === snapshotId)?.number).toBe(number);
		if (isOpen)
			expect(got(number), `${String(number)} is ${String(status)}`).toBeLessThan(
				wanted(number),
			);
	}
	if (sim.messages.length > 0) expect(error?.description ?? '').not.toMatch(/No item has been/);
}

async function play(dice: Dice): Promise<void> {
	sim.reset();
	deduplicationStore.clear();
	const weather = new Weather(dice, 25);
	const rows: IDataObject[] = people(4 + dice.to(6)).map(({ to }, at) => ({
		...{ to, text: `T${at}`, key: `K${at}`, other: `L${at}`, shared: `S${at >> 1}` },
	}));
	// The same message twice.
	const hasTwo = dice.chance(60);
	if (hasTwo) rows.splice(dice.to(rows.length), 0, { ...dice.one(rows) });
	const [items, ...furtherRuns] = inRuns(dice, rows);
	const date = dice.one(['', AT, hasTwo ? AT : IN_AN_HOUR]);
	const settings: IDataObject = date === '' ? {} : { date };
	let options = { ...workflow(dice, settings), items, furtherRuns };
	let result = await runNode({ ...options, mode: 'trigger' });
	audit(rows, result);
	for (let retry = 0; retry < RETRIES && retryable(result); retry++) {
		if (retry === RETRIES / 2) weather.clear();
		const before = new Map(rows.map(({ to }) => [to, got(to)]));
		options = { ...workflow(dice, settings), items, furtherRuns };
		result = await retryExecution(result, options, options);
		audit(rows, result);
		const { operation, safeguards } = options.parameters as IDataObject;
		const skips = operation === 'sendBatch' || (safeguards as IDataObject)?.skipDuplicates;
		for (const { to } of skips ? rows : [])
			expect(got(to), `${String(to)} again`).toBeLessThanOrEqual(
				Math.max(1, before.get(to)!),
			);
	}
}

test('no change of settings before a retry sends twice, or tells what phones do not have', async () => {
	await playHistories({ count: HISTORIES / 5, drawn: thrown(), play, isShortened: false });
});
