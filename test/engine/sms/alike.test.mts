/**
 * Of items that are alike, by a once key or as duplicates, one goes: the others wait for it, and the next one
 * goes if it certainly did not.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { deduplicationStore, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { hurry, jsonOf, sendSms } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const TO = ['+33639981231', '+33639981232', '+33639981233'];
const ORDER = TO.map((to) => ({ to, key: 'order 1042' }));

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	async function run(options: IDataObject, items: IDataObject[] = ORDER) {
		const result = await sendSms(
			sim,
			{ operation, number: '={{ $json.to }}', options } as INodeParameters,
			{ items, settings: { onError: 'continueRegularOutput' } },
		);
		expect(result.error).toBeUndefined();
		return jsonOf(result.items).map(({ status }) => status);
	}
	const texted = () => sim.messages.map(({ number }) => number);

	test.each<[what: string, options: IDataObject, said: boolean]>([
		['says so', {}, true],
		['says nothing of those that are skipped', { skipDuplicates: true }, false],
		['says nothing where keys say what is the same', { onceKey: '={{ $json.key }}' }, false],
	])('the same text to the same number twice: %s', async (_, options, said) => {
		const items = [TO[0], TO[1], TO[0]].map((to, key) => ({ to, key: `order ${key}` }));
		const { hints } = await sendSms(
			sim,
			{ operation, number: '={{ $json.to }}', options } as INodeParameters,
			{ items },
		);
		const line = '1 item had the number and the text of an earlier one.';
		expect(JSON.stringify(hints ?? []).includes(line)).toBe(said);
	});

	describe.each([1, 10])('with a concurrency of %d', (concurrency) => {
		const once = { onceKey: '={{ $json.key }}', concurrency };

		test('only the first of those with the same key goes', async () => {
			expect(await run(once)).toEqual(['sent', 'skipped', 'skipped']);
			expect(texted()).toEqual([TO[0]]);
			expect(await run(once)).toEqual(['skipped', 'skipped', 'skipped']);
			expect(texted()).toEqual([TO[0]]);
		});

		test('one that is alike stays back for the key of the first, in later runs too', async () => {
			const items = ['a', 'b'].map((key) => ({ to: TO[0], key }));
			const both = { ...once, skipDuplicates: true };
			expect(await run(both, items)).toEqual(['sent', 'skipped']);
			expect(await run({ ...both, dryRun: true }, items)).toEqual(['skipped', 'skipped']);
			expect(await run(both, items)).toEqual(['skipped', 'skipped']);
			expect(texted()).toEqual([TO[0]]);
		});

		test('the next goes where the service has refused the first, and only it', async () => {
			sim.stop(TO[0]);
			expect(await run(once)).toEqual(['refused', 'sent', 'skipped']);
			expect(texted()).toEqual([TO[1]]);
			sim.service.removeFromBlacklist('unsubscribers', TO[0]);
			expect(await run(once)).toEqual(['skipped', 'skipped', 'skipped']);
		});

		test('and the one after that where both were refused', async () => {
			sim.stop(TO[0]);
			sim.bounce(TO[1]);
			expect(await run(once)).toEqual(['refused', 'refused', 'sent']);
			expect(texted()).toEqual([TO[2]]);
		});

		test('the next goes where the first is on a blacklist, as a dry run says', async () => {
			sim.stop(TO[0]);
			const options = { ...once, skipBlacklisted: true };
			const dry = await run({ ...options, dryRun: true });
			expect(dry).toEqual(['skipped', 'wouldSend', 'skipped']);
			expect(await run(options)).toEqual(['skipped', 'sent', 'skipped']);
			expect(texted()).toEqual([TO[1]]);
		});

		test('none goes where the first is unknown', async () => {
			sim.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
			expect(await run({ ...once, lookUpUnknown: false })).toEqual([
				'unknown',
				'skipped',
				'skipped',
			]);
			expect(texted()).toEqual([TO[0]]);
		});

		test('the next duplicate goes where the first was refused', async () => {
			const body = { code: 1234, error: 'Not now' };
			sim.faults.add({ path: /send$/, do: { kind: 'json', status: 400, body } });
			const same = [TO[0], '06 39 98 12 31', TO[0]].map((to) => ({ to }));
			const skipped = { skipDuplicates: true, concurrency };
			expect(await run(skipped, same)).toEqual(['refused', 'sent', 'skipped']);
			expect(texted()).toEqual([TO[0]]);
		});
	});

	test('keys with half of a character, which n8n would store as one, send nothing', async () => {
		const options = { onceKey: '={{ $json.key + "😀🎄".charAt($json.half) }}' };
		const items = [0, 2].map((half) => ({ to: TO[half], key: 'order', half }));
		expect(await run(options, items)).toEqual(['invalid', 'invalid']);
		expect(texted()).toEqual([]);
		expect(deduplicationStore.rows.size).toBe(0);
	});
});

describe('a run of Send with once keys that a refusal stops', () => {
	const options: RunOptions = {
		node: 'Sms',
		parameters: {
			operation: 'send',
			number: '={{ $json.to }}',
			message: 'Bonjour',
			options: { onceKey: '={{ $json.to }}', concurrency: 1 },
		},
		items: TO.map((to) => ({ to })),
		credential: {},
	};
	const stopped = async () => {
		options.credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey };
		sim.stop(TO[1]);
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('STOP');
		expect(sim.messages).toHaveLength(1);
		sim.service.removeFromBlacklist('unsubscribers', TO[1]);
		return failed;
	};

	test('gives receipts at a retry, and sends the rest', async () => {
		const { items, error } = await retryExecution(await stopped(), options, {});
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
		expect(sim.messages.map(({ number }) => number)).toEqual(TO);
	});

	test('keeps no key of what did not go from a later execution', async () => {
		await stopped();
		const { items } = await runNode(options);
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['skipped', 'sent', 'sent']);
		expect(sim.messages.map(({ number }) => number)).toEqual(TO);
	});
});
