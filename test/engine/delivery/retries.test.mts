/** A retry sends what is missing, and nothing twice (design, guarantee 4). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { offered } from '../../harness/settings.mts';
import { retryExecution, runNode, succeeded, type RunOptions } from '../harness.mts';
import { KEY } from './answers.mts';
import { CONTINUE, people, RETRY_ON_FAIL, sms, tries } from './sending.mts';
import { answer, changes, reached, sim, twice } from './service.mts';
import { acceptedIn, jsonOf, listedIn, statuses, textOf, unknownIn } from './support.mts';

const resendUnknown = true;
const skipDuplicates = true;
const to = (items: IDataObject[]) => items.map((item) => item.to);
const snapshots = () => sim.messages.map(({ snapshotId }) => snapshotId);
const texts = () => sim.messages.map(({ text }) => text);

// n8n reads the credential for itself before the node begins; this is about the reading of the node.
const sealed = (count: number) => {
	let reads = 0;
	return () => {
		if (++reads >= count) throw new Error('The vault is sealed');
	};
};

describe.each(['send', 'sendByUrl'])('%s', (operation) => {
	test('corrected settings and texts make no other message: nobody gets two', async () => {
		answer('400 code 20', { skip: 3, times: 1 });
		const options = sms(operation, people(5), { sender: 'BadShop' });
		const corrections = offered('Sms', operation, {
			...{ sender: 'OurShop', category: 'orders', campaignName: 'Orders' },
			...{ date: '2031-05-05T10:00:00', concurrency: 2 },
			...{ unsupportedCharacters: 'keep', skipDuplicates, message: '={{ $json.text }} 2' },
		});
		const [failed, retried] = await tries(options, sms(operation, people(5), corrections));
		expect(acceptedIn(failed)).toHaveLength(3);
		expect(retried.error).toBeUndefined();
		expect(twice()).toEqual([]);
		expect(texts()).toEqual([...Array(3).fill('Bonjour'), ...Array(2).fill('Bonjour 2')]);
		expect(new Set(jsonOf(retried).map(({ snapshotId }) => snapshotId))).toEqual(
			new Set(snapshots()),
		);
	});

	test('all that can be sent is, beside one that is refused again', async () => {
		const items = people(25);
		sim.stop(String(items[8].to));
		const [, retried] = await tries(sms(operation, items), {});
		expect(retried.error?.message).toBe(`24 of 25 sent, 1 refused (${items[8].to})`);
		expect(reached().sort()).toEqual(to(items.toSpliced(8, 1)));
		expect(acceptedIn(retried)).toHaveLength(24);
	});

	test('what was sent is not called not sent where the credential can not be read', async () => {
		answer('400 code 20', { skip: 1, times: 1 });
		const options = sms(operation, people(2));
		const failed = await runNode(options);
		expect(sim.messages).toHaveLength(1);
		for (const count of [1, 2, 3]) {
			const again = { ...options, onSecret: sealed(count) };
			const retried = await retryExecution(failed, again, { settings: CONTINUE });
			expect(statuses(retried)[0]).not.toBe('notSent');
			const { error } = await retryExecution(failed, { ...options, onSecret: sealed(count) });
			expect(listedIn(error).accepted ?? [0]).toHaveLength(1);
		}
	});

	describe('another recipient is another message', () => {
		const REFUSED = '+33639981232';
		/** The second of two is refused; whatever was corrected, the execution is then retried. */
		async function retried(first: string, number: string, correct: () => Partial<RunOptions>) {
			const items = [first, REFUSED].map((one) => ({ to: one, text: 'Bonjour' }));
			const options = sms(operation, items, { number });
			sim.stop(REFUSED);
			const failed = await runNode(options);
			sim.service.removeFromBlacklist('unsubscribers', REFUSED);
			const result = succeeded(await retryExecution(failed, options, correct()));
			return jsonOf(result).map(({ snapshotId }) => snapshotId);
		}

		test('where the Default Country was corrected', async () => {
			const credential = { baseUrl: sim.baseUrl, apiKey: KEY, defaultCountry: 'CH' };
			const found = await retried('079 123 45 67', '={{ $json.to }}', () => ({ credential }));
			expect(reached()).toEqual(['+33791234567', '+41791234567', REFUSED]);
			expect(found).toEqual(snapshots().slice(1));
		});

		test('where the expression gives another number', async () => {
			const edge = Date.now() + 3_600_000;
			const number = `={{ Date.now() < ${edge} ? $json.to : $json.to.replace('1231', '1239') }}`;
			const found = await retried('+33639981231', number, () => {
				setClock(new Date(edge + 3_600_000).toISOString());
				return {};
			});
			expect(reached()).toEqual(['+33639981231', '+33639981239', REFUSED]);
			expect(found).toEqual(snapshots().slice(1));
		});

		test('and the same one is the same, however the number is written', async () => {
			const number = '={{ $json.to.replace(/^0/, "+33 ") }}';
			const found = await retried('06 39 98 12 31', '={{ $json.to }}', () =>
				sms(operation, [], { number }),
			);
			expect(reached()).toEqual(['+33639981231', REFUSED]);
			expect(found).toEqual(snapshots());
		});
	});
});

test('a text that offers to send again promises nothing else', async () => {
	answer('reset, not accepted', { times: 1 });
	const [failed, retried] = await tries(sms('send', people(2)), () =>
		answer('503 Retry-After 0', { times: Infinity }),
	);
	expect(textOf(failed)).toContain('Nothing is sent twice');
	expect(textOf(retried)).toContain("turn 'Send Again if Unknown' on");
	expect(textOf(retried)).toContain('does the rest');
	expect(textOf(retried)).not.toContain('Nothing is sent twice');
});

test('the error of a retry is about the item that stopped it, not about one that was not started', async () => {
	const [first, other] = people(2);
	answer('200 page, accepted', { skip: 1, times: 1 });
	const [failed, retried] = await tries(
		sms('send', [first, first, other], { skipDuplicates }),
		() =>
			void sim.faults.add({
				path: /status$/,
				times: Infinity,
				do: { kind: 'json', body: {} },
			}),
	);
	expect([unknownIn(failed), unknownIn(retried)]).toEqual([[2], [2]]);
	expect(retried.error?.context.itemIndex).toBe(2);
	expect(textOf(retried)).toContain('Send Again if Unknown');
	expect(reached()).toEqual([first.to, other.to]);
});

test.each([
	['of another version', /"v":2/g, '"v":1'],
	['that is incomplete', /"executions":/g, '"other":'],
])('a record %s: nothing is sent, and no text says that none was', async (_, part, other) => {
	answer('400 code 19', { skip: 2, times: 1 });
	const options = sms('send', people(3));
	const failed = await runNode(options);
	const stored = JSON.stringify(failed.data.executionData!.contextData);
	expect(stored).toMatch(part);
	failed.data.executionData!.contextData = JSON.parse(stored.replaceAll(part, other));
	const retried = await retryExecution(failed, options);
	expect(reached()).toEqual(to(people(2)));
	expect(textOf(retried)).toContain('another version');
	expect(textOf(retried)).not.toContain('No item has been sent');
});

describe('duplicates', () => {
	const [first, second, third] = people(3);
	const key = { skip: 1, times: 1 };

	test.each(['send', 'sendBatch'])('%s: one that was left out stays so', async (operation) => {
		answer('401 code 72', key);
		const more = offered('Sms', operation, { skipDuplicates, failIfIncomplete: true });
		const options = sms(operation, [first, first, second], more);
		const message = '={{ $json.text }}, corrected';
		const [, retried] = await tries(options, {
			parameters: { ...options.parameters, message },
		});
		expect(retried.error).toBeUndefined();
		expect(reached()).toEqual([first.to, second.to]);
	});

	test('one of a message that was not sent is sent by a retry that gives it a text of its own', async () => {
		answer('401 code 72', { times: 1 });
		const items = [first, second, { ...second, corrected: 'Bonsoir' }];
		const message = '={{ $json.corrected ?? $json.text }}';
		const [, retried] = await tries(
			sms('send', items, { skipDuplicates }),
			sms('send', items, { skipDuplicates, message }),
		);
		expect(retried.error).toBeUndefined();
		expect(texts()).toEqual(['Bonjour', 'Bonjour', 'Bonsoir']);
	});

	test('are found by the text that an earlier try has sent', async () => {
		const items = [
			{ ...first, then: 'Un', now: 'Deux' },
			{ ...first, then: 'Trois', now: 'Un' },
		];
		answer('400 code 19', key);
		const reading = (field: string) =>
			sms('send', items, { skipDuplicates, message: `={{ $json.${field} }}` });
		const [, retried] = await tries(reading('then'), reading('now'));
		// Who got the first text gets no other by a retry.
		expect(statuses(retried)).toEqual(['sent', 'skipped']);
		expect(texts()).toEqual(['Un']);
	});

	test('that were accepted before the option was turned on have their receipts', async () => {
		const items = [first, first, second];
		answer('400 code 19', { skip: 2, times: 1 });
		const [, retried] = await tries(sms('send', items), sms('send', items, { skipDuplicates }));
		expect(jsonOf(retried).map(({ snapshotId }) => snapshotId)).toEqual(snapshots());
		expect(sim.messages).toHaveLength(3);
	});

	test('of one that is not sent are not sent: neither is called done', async () => {
		const settings = CONTINUE;
		sim.service.setCredits(1);
		const poor = await runNode(sms('sendBatch', [first, second, first], {}, { settings }));
		expect(statuses(poor)).toEqual(['notSent', 'notSent', 'notSent']);
		answer('401 code 72', { times: 1 });
		sim.service.setCredits(10);
		const stopped = await runNode(sms('sendBatch', [second, first, first], {}, { settings }));
		expect(statuses(stopped)).toEqual(['refused', 'notSent', 'notSent']);
	});

	const same = (count: number) => Array.from({ length: count }, () => second);

	test('of one that is refused for its number or text are refused as well, without a request', async () => {
		sim.stop(String(second.to));
		const result = await runNode(sms('sendBatch', [first, ...same(1_000)]));
		expect(statuses(result)).toEqual(['sent', ...Array<string>(1_000).fill('refused')]);
		expect(changes()).toHaveLength(2);
		const { reason, number } = result.items.at(-1)!.json;
		expect([reason, number]).toEqual([result.items[1].json.reason, second.to]);
		expect(sim.requestsTo('GET', /account\/stats/)).toHaveLength(1);
	});

	test('of one that was not sent for another reason are tried once more, together', async () => {
		answer('503 Retry-After 0', { times: 4 });
		const result = await runNode(sms('sendBatch', [...same(20), third]));
		const rest = Array<string>(18).fill('skipped');
		expect(statuses(result)).toEqual(['notSent', 'sent', ...rest, 'sent']);
		expect(result.items[2].json.reason).toContain('another item: Row 2 (item 1)');
		expect(reached().sort()).toEqual([second.to, third.to]);
	});

	test('are few requests where nothing helps', async () => {
		answer('503 Retry-After 0', { skip: 1 });
		const result = await runNode(sms('sendBatch', [first, ...same(100)]));
		expect(statuses(result)).toEqual(['sent', ...Array<string>(100).fill('notSent')]);
		expect(changes()).toHaveLength(1 + 4 + 4);
	});

	test('are sent by a retry once the number can get it', async () => {
		answer('401 code 72', { times: 1 });
		const [failed, retried] = await tries(
			sms('sendBatch', same(3), { failIfIncomplete: true }),
			{},
		);
		expect([failed.error !== undefined, retried.error]).toEqual([true, undefined]);
		expect(reached()).toEqual([second.to]);
	});

	test('each once where they share no more than a once key', async () => {
		const items: IDataObject[] = people(4).map((one) => ({ ...one, key: 'same' }));
		for (const one of items.slice(0, 3)) sim.stop(String(one.to));
		const result = await runNode(sms('sendBatch', items, { onceKey: '={{ $json.key }}' }));
		expect(statuses(result)).toEqual(['refused', 'refused', 'refused', 'sent']);
		expect(changes()).toHaveLength(4);
	});

	test.each([true, false])(
		'by key, of one on the STOP list are sent (%s)',
		async (skipBlacklisted) => {
			const family = [first, second].map((one) => ({ ...one, key: 'family' }));
			sim.stop(String(first.to));
			const settings = { onceKey: '={{ $json.key }}', skipBlacklisted };
			const result = await runNode(sms('sendBatch', family, settings));
			expect(statuses(result)).toEqual([skipBlacklisted ? 'skipped' : 'refused', 'sent']);
			expect(reached()).toEqual([second.to]);
		},
	);
});

describe('a test run', () => {
	const TEST_NUMBER = '+33639980077';
	const trial = { manualRuns: 'testNumber', testNumber: TEST_NUMBER };
	const onTrial = (options: RunOptions): RunOptions => ({
		...options,
		credential: { ...options.credential, ...trial },
	});

	test.each(['send', 'sendByUrl'])(
		'%s: what is unknown is sent again with the option',
		async (operation) => {
			answer('reset, accepted', { times: 1 });
			const options = onTrial(sms(operation, people(2)));
			const [failed, again, corrected] = await tries(
				options,
				{},
				onTrial(sms(operation, people(2), { sender: 'Store' })),
			);
			expect([failed, again, corrected].map(unknownIn)).toEqual([[0], [0], [0]]);
			expect(reached()).toEqual([TEST_NUMBER]);
			const resent = onTrial(sms(operation, people(2), { resendUnknown }));
			expect((await retryExecution(failed, options, resent)).error).toBeUndefined();
			expect(reached()).toEqual([TEST_NUMBER, TEST_NUMBER]);
		},
	);

	test('a retry that can not begin does not doubt what went to the test number', async () => {
		const items = [{ ...people(1)[0], to: 'nobody' }, ...people(1)];
		for (const count of [2, 3, 4, 5, 6]) {
			sim.reset();
			const settings = { ...RETRY_ON_FAIL, ...CONTINUE };
			const options = onTrial(sms('send', items, {}, { settings }));
			const result = await runNode({ ...options, onSecret: sealed(count) });
			expect(reached()).not.toContain(items[1].to);
			expect(statuses(result)).not.toContain('unknown');
		}
	});

	test('what is refused at the test number is refused, and the message itself stays unknown', async () => {
		answer('reset, accepted', { times: 1 });
		const options = sms('send', people(2));
		const [, tried, found] = await tries(
			options,
			() => {
				answer('400 code 20', { times: 1 });
				return onTrial(sms('send', people(2), { resendUnknown }));
			},
			options,
		);
		expect(unknownIn(tried)).toEqual([0]);
		expect(found.error).toBeUndefined();
		expect(reached()).toEqual(to(people(2)));
	});

	test('what a look-up finds of it is not taken for the message itself', async () => {
		const options = sms('send', people(2), { resendUnknown });
		answer('reset, not accepted', { times: 1 });
		const [failed, tried, sent] = await tries(
			options,
			() => {
				answer('reset, accepted', { times: 1 });
				return onTrial(options);
			},
			options,
		);
		// The test message of the second one was lost as well.
		expect([failed, tried].map(unknownIn)).toEqual([[0], [0, 1]]);
		expect(sent.error).toBeUndefined();
		expect(reached()).toEqual([TEST_NUMBER, ...to(people(2))]);
	});
});
