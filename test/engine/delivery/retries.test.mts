/** A retry sends what is missing, and nothing twice (design, guarantee 4). */
import type { INode } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { offered } from '../../harness/settings.mts';
import { retryExecution, runNode, type RunOptions } from '../harness.mts';
import { KEY } from './answers.mts';
import { answer, people, reached, RETRY_ON_FAIL, sim, sms, statuses, twice } from './sending.mts';
import { listedIn, unknownIn } from './support.mts';

// n8n reads the credential for itself before the node begins; this is about the reading of the node.
const sealed = (count: number) => {
	let reads = 0;
	return () => {
		if (++reads >= count) throw new Error('The vault is sealed');
	};
};

test.each(['send', 'sendByUrl'])(
	'%s: corrected settings after a refusal make no other message: nothing is sent twice',
	async (operation) => {
		answer('400 code 20', { skip: 3, times: 1 });
		const options = sms(operation, people(5), { sender: 'BadShop' });
		const failed = await runNode(options);
		expect(failed.error).toBeDefined();
		expect(sim.messages).toHaveLength(3);
		const corrections = offered('Sms', operation, {
			...{ sender: 'OurShop', category: 'orders', campaignName: 'Orders' },
			...{ date: '2031-05-05T10:00:00', concurrency: 2 },
			...{ unsupportedCharacters: 'keep', skipDuplicates: true },
		});
		const { parameters } = sms(operation, people(5), corrections);
		const retried = await retryExecution(failed, options, { parameters });
		expect(retried.error).toBeUndefined();
		expect(twice()).toEqual([]);
		expect(new Set(retried.items.map(({ json }) => json.snapshotId))).toEqual(
			new Set(sim.messages.map(({ snapshotId }) => snapshotId)),
		);
	},
);

test('a request that certainly did not pass is made four times, and no more', async () => {
	answer('503 Retry-After 0');
	const { error } = await runNode(sms('send', people(1)));
	expect(error).toBeDefined();
	expect(sim.requests).toHaveLength(4);
});

describe('duplicates of what an earlier try made', () => {
	const skipDuplicates = true;

	test('are found by what it was then', async () => {
		const [{ to }] = people(1);
		const items = [
			{ to, then: 'Un', now: 'Deux' },
			{ to, then: 'Trois', now: 'Un' },
		];
		const reading = (field: string) => {
			const options = sms('send', items, { skipDuplicates });
			options.parameters.message = `={{ $json.${field} }}`;
			return options;
		};
		answer('400 code 19', { skip: 1, times: 1 });
		const first = await runNode(reading('then'));
		const { parameters } = reading('now');
		const second = await retryExecution(first, reading('then'), { parameters });
		// Who got the first text gets no other by a retry.
		expect(statuses(second)).toEqual(['sent', 'skipped']);
		expect(sim.messages.map(({ text }) => text)).toEqual(['Un']);
	});

	test('what was accepted gives its receipt, although it is a duplicate now', async () => {
		const items = [...people(1), ...people(1), ...people(1, 1)];
		answer('400 code 19', { skip: 2, times: 1 });
		const options = sms('send', items);
		const first = await runNode(options);
		const { parameters } = sms('send', items, { skipDuplicates });
		const { items: second } = await retryExecution(first, options, { parameters });
		expect(second.map(({ json }) => json.snapshotId)).toEqual(
			sim.messages.map(({ snapshotId }) => snapshotId),
		);
		expect(sim.messages).toHaveLength(3);
	});
});

describe.each(['send', 'sendByUrl'])('%s: another recipient is another message', (operation) => {
	const REFUSED = '+33639981232';
	afterEach(() => vi.restoreAllMocks());

	/** The second of two is refused; whatever was corrected, the execution is then retried. */
	async function retried(number: string, first: string, correct: () => Partial<RunOptions>) {
		const options = sms(operation, [
			{ to: first, text: 'Bonjour' },
			{ to: REFUSED, text: 'Bonjour' },
		]);
		options.parameters.number = number;
		sim.stop(REFUSED);
		const failed = await runNode(options);
		expect(failed.error?.description).toContain('STOP');
		sim.service.removeFromBlacklist('unsubscribers', REFUSED);
		return await retryExecution(failed, options, correct());
	}

	/** To whom, as the service reads the number of a request, and what that became. */
	const texted = () => sim.messages.map(({ snapshotId, number }) => ({ snapshotId, number }));

	test('at a retry with the Default Country corrected', async () => {
		const { items, error } = await retried('={{ $json.to }}', '079 123 45 67', () => ({
			credential: { baseUrl: sim.baseUrl, apiKey: KEY, defaultCountry: 'CH' },
		}));
		expect(error).toBeUndefined();
		expect(texted().map(({ number }) => number)).toEqual([
			'+33791234567',
			'+41791234567',
			REFUSED,
		]);
		expect(items.map(({ json }) => json)).toMatchObject(texted().slice(1));
	});

	test('at a retry where the expression gives another number', async () => {
		const edge = Date.now() + 3_600_000;
		const number = `={{ Date.now() < ${edge} ? $json.to : $json.to.replace('1231', '1239') }}`;
		const { items, error } = await retried(number, '+33639981231', () => {
			const now = Date.now.bind(Date);
			vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
			return {};
		});
		expect(error).toBeUndefined();
		expect(texted().map(({ number: to }) => to)).toEqual([
			'+33639981231',
			'+33639981239',
			REFUSED,
		]);
		expect(items.map(({ json }) => json)).toMatchObject(texted().slice(1));
	});

	test('and the same one is the same, however the number is written', async () => {
		const { items, error } = await retried('={{ $json.to }}', '06 39 98 12 31', () => ({
			parameters: {
				operation,
				number: '={{ $json.to.replace(/^0/, "+33 ") }}',
				message: 'Bonjour',
			},
		}));
		expect(error).toBeUndefined();
		expect(texted().map(({ number: to }) => to)).toEqual(['+33639981231', REFUSED]);
		expect(items.map(({ json }) => json)).toMatchObject(texted());
	});
});

describe('the error of a retry', () => {
	test('is about the item that stopped it, not about one before it that was not started', async () => {
		const [first, other] = people(2);
		answer('200 page, accepted', { skip: 1, times: 1 });
		const options = sms('send', [first, first, other], { skipDuplicates: true });
		const failed = await runNode(options);
		expect(unknownIn(failed)).toEqual([2]);
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'json', body: {} } });
		const retried = await retryExecution(failed, options);
		expect(unknownIn(retried)).toEqual([2]);
		expect(retried.error?.context.itemIndex).toBe(2);
		expect(retried.error?.description).toContain('Send Again if Unknown');
		expect(reached()).toEqual([first.to, other.to]);
	});
});

describe('a retry that can not read the credential', () => {
	test.each(['send', 'sendByUrl'])(
		'%s: what an earlier try has sent is not called not sent, where the credential can not be had',
		async (operation) => {
			answer('400 code 20', { skip: 1, times: 1 });
			const options = sms(operation, people(2));
			const failed = await runNode(options);
			expect(sim.messages).toHaveLength(1);
			for (const count of [1, 2, 3]) {
				const retried = await retryExecution(
					failed,
					{ ...options, onSecret: sealed(count) },
					{ settings: { onError: 'continueRegularOutput' } },
				);
				expect(statuses(retried)[0]).not.toBe('notSent');
				const { error } = await retryExecution(failed, {
					...options,
					onSecret: sealed(count),
				});
				expect(listedIn(error).accepted ?? [0]).toHaveLength(1);
			}
		},
	);
});

describe('a test run', () => {
	const TEST_NUMBER = '+33639980077';
	const onTrial = (options: RunOptions): RunOptions => ({
		...options,
		credential: {
			...options.credential,
			manualRuns: 'testNumber',
			testNumber: TEST_NUMBER,
		},
	});

	// The advice of its error was to turn the option on; it did nothing.
	test.each(['send', 'sendByUrl'])(
		"%s: 'Send Again if Unknown' sends to the test number again",
		async (operation) => {
			answer('reset, accepted', { times: 1 });
			const options = onTrial(sms(operation, people(2)));
			const failed = await runNode(options);
			expect(unknownIn(failed)).toEqual([0]);
			const again = await retryExecution(failed, options);
			expect(unknownIn(again)).toEqual([0]);
			expect(reached()).toEqual([TEST_NUMBER]);
			const resent = sms(operation, people(2), { resendUnknown: true });
			const { error } = await retryExecution(failed, options, onTrial(resent));
			expect(error).toBeUndefined();
			expect(reached()).toEqual([TEST_NUMBER, TEST_NUMBER]);
		},
	);

	// A corrected option makes no other message: not of what goes to the test number, either.
	test.each(['send', 'sendByUrl'])(
		'%s: another sender sends nothing that is unknown to the test number again',
		async (operation) => {
			answer('reset, accepted', { times: 1 });
			const options = onTrial(sms(operation, people(2)));
			const failed = await runNode(options);
			const corrected = onTrial(sms(operation, people(2), { sender: 'Store' }));
			const { error } = await retryExecution(failed, options, corrected);
			expect(error?.message).toContain('unknown');
			expect(reached()).toEqual([TEST_NUMBER]);
		},
	);

	// It was called unknown, as if the real recipient might have got it.
	test('a retry that can not begin does not doubt what went to the test number', async () => {
		const items = [{ ...people(1)[0], to: 'nobody' }, ...people(1)];
		for (const count of [2, 3, 4, 5, 6]) {
			sim.reset();
			const settings: Partial<INode> = {
				...RETRY_ON_FAIL,
				onError: 'continueRegularOutput',
			};
			const options = onTrial(sms('send', items, {}, { settings }));
			const result = await runNode({ ...options, onSecret: sealed(count) });
			expect(reached()).not.toContain(items[1].to);
			expect(statuses(result)).not.toContain('unknown');
		}
	});

	// It was called unknown, by the test number, because the message itself is.
	test('what is refused at the test number is refused, and the message itself stays unknown', async () => {
		const options = sms('send', people(2));
		answer('reset, accepted', { times: 1 });
		const failed = await runNode(options);
		const sent = reached();
		answer('400 code 20', { times: 1 });
		const resent = sms('send', people(2), { resendUnknown: true });
		const tried = await retryExecution(failed, options, onTrial(resent));
		expect(unknownIn(tried)).toEqual([0]);
		expect(reached()).toEqual(sent);
		const { error } = await retryExecution(tried, options, options);
		expect(error).toBeUndefined();
		expect(reached()).toEqual(people(2).map(({ to }) => to));
	});

	// The receipt of the item was that of the test message: the real recipient never got it.
	test('what is found of it by a look is not taken for the message itself', async () => {
		const items = people(2);
		const options = sms('send', items, { resendUnknown: true });
		answer('reset, not accepted', { times: 1 });
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('unknown');
		answer('reset, accepted', { times: 1 });
		const tried = await retryExecution(failed, options, onTrial(options));
		expect(reached()).toEqual([TEST_NUMBER]);
		expect(tried.error?.message).toContain('unknown');
		const { error } = await retryExecution(tried, options);
		expect(error).toBeUndefined();
		expect(reached()).toEqual([TEST_NUMBER, ...items.map(({ to }) => to)]);
	});
});
