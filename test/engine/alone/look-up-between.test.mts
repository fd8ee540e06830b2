/** Messages that were lost and did not arrive, and what comes between: other runs, slow answers, clocks that differ. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { load, retryExecution, runNode, wires } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	lookUps,
	NOT_ACCEPTED,
	numberOf,
	policy,
	send,
	sim,
	spoil,
	unknown,
} from './look-up-support.mts';

const realNow = Date.now;
afterEach(() => {
	Date.now = realNow;
	wires.clear();
});
const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const [LOST_ONE, OTHER] = [1, 2];

/** Messages to a number do not arrive. */
function neverTo(number: string): void {
	const match = ({ bodyText }: { bodyText: string }) => bodyText.includes(number);
	sim.faults.add({ path: /send$/, times: Infinity, match, do: NOT_ACCEPTED });
}
/** Messages to a number are answered so much later. */
function late(number: string, ms: number): void {
	const match = ({ bodyText }: { bodyText: string }) => bodyText.includes(number);
	sim.faults.add({ path: /send$/, times: Infinity, match, do: { kind: 'delay', ms } });
}
/** The number has had a message; the Date header is by a clock that is behind the service's. */
async function textedBefore(behind: number, before: number): Promise<void> {
	sim.service.settings.dateHeader = 'gateway';
	sim.clock.advance(behind - before);
	await send(numberOf(LOST_ONE));
	sim.clock.advance(before);
	neverTo(numberOf(LOST_ONE));
}

describe('what did not arrive stays unknown', () => {
	test('where looks take long after they were dated, and another execution texted the number just before', async () => {
		await send();
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'slowBody', ms: 200 } });
		spoil(NOT_ACCEPTED);
		await unknown(given('sendBatch', [{ to: numberOf(1) }], { checkBalance: false }));
	});

	test('where another execution texts the number before it is looked up', async () => {
		neverTo(numberOf(LOST_ONE));
		late(numberOf(OTHER), 1_000);
		const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
		const running = runNode(given('sendBatch', rows, { concurrency: 1 }));
		await sleep(500);
		sim.faults.clear();
		await send(numberOf(LOST_ONE));
		const { items } = await running;
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
		expect(lookUps()).toBeGreaterThan(0);
	});

	test('in a loop, where the message of the run before arrives only now', async () => {
		Object.assign(policy, { rounds: [0, 1_500], longest: 4_000 });
		let sends = 0;
		wires.set(new URL(sim.baseUrl).origin, async ({ url }, make) => {
			if (url?.endsWith('/send') !== true) return await make();
			// It is in a queue of the service when the connection breaks.
			if (sends++ === 0) void sleep(2_500).then(make);
			throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		});
		const { runs } = await runNode(
			given(
				'sendBatch',
				[{ to: numberOf(1), text: 'One' }],
				{ checkBalance: false },
				{ furtherRuns: [[{ to: numberOf(1), text: 'Two' }]] },
			),
		);
		expect(sim.messages).toHaveLength(1);
		expect(jsonOf(runs[1].items)).toMatchObject([{ status: 'unknown' }]);
	});

	test('in a retry with another text, where the message of the first try arrives only now', async () => {
		Object.assign(policy, { rounds: [0, 1_500], longest: 4_000 });
		let deliver: (() => Promise<unknown>) | undefined;
		wires.set(new URL(sim.baseUrl).origin, async ({ url, body }, make) => {
			const isSend = url?.endsWith('/send') === true;
			if (!isSend || !JSON.stringify(body).includes(numberOf(LOST_ONE))) return await make();
			if (deliver === undefined) {
				deliver = make;
			} else {
				void sleep(900).then(deliver);
				await sleep(200);
			}
			throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		});
		// The third is held back at first, and is compared with in the retry.
		const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }, { to: numberOf(3) }];
		const options = given('send', rows, { concurrency: 2 });
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('unknown');
		expect(sim.messages).toMatchObject([{ text: 'Bonjour', number: numberOf(OTHER) }]);
		const { parameters } = given('send', [], { concurrency: 2, resendUnknown: true });
		const edited = { parameters: { ...parameters, message: 'Two' } };
		const { error } = await retryExecution(failed, options, edited);
		expect(sim.messagesTo(numberOf(3))).toMatchObject([{ text: 'Two' }]);
		expect(sim.messagesTo(numberOf(LOST_ONE))).toMatchObject([{ text: 'Bonjour' }]);
		expect(error?.message).toContain('unknown');
	});

	describe('where the Date header is of a gateway that is behind', () => {
		test('and the service shows the older message at the retry only', async () => {
			sim.service.settings.dateHeader = 'gateway';
			sim.clock.advance(3_000);
			const number = numberOf(LOST_ONE);
			sim.faults.add({
				path: /send$/,
				match({ bodyText }) {
					if (!bodyText.includes(number)) return false;
					// It was sent two seconds before.
					sim.clock.advance(-2_000);
					sim.service.accept({
						kind: 'notification',
						number,
						text: 'Older',
						category: '',
					});
					sim.clock.advance(2_000);
					return true;
				},
				do: NOT_ACCEPTED,
			});
			// Enough answers to know the clock of the header.
			const rows = Array.from({ length: 1_000 }, (_, index) => ({ to: numberOf(index + 2) }));
			const silent = {
				kind: 'json',
				status: 400,
				body: { code: 16, error: 'None' },
			} as const;
			sim.faults.add({ path: /status$/, times: Infinity, do: silent });
			policy.rounds = [0];
			const options = given('send', [...rows, { to: number }], {
				concurrency: 10,
			});
			const failed = await runNode(options);
			expect(failed.error?.message).toContain('unknown');
			sim.faults.clear();
			const { error } = await retryExecution(failed, options);
			expect(error?.message).toContain('unknown');
			expect(sim.messagesTo(number)).toMatchObject([{ text: 'Older' }]);
		});

		test.each([0, 1])(
			'and the first look is put off by the service, with %d messages of the run to compare with',
			async (others) => {
				await textedBefore(3_000, 2_500);
				sim.faults.add({ path: /status$/, do: { kind: 'tooManyRequests', retryAfter: 2 } });
				const rows = [{ to: numberOf(OTHER) }, { to: numberOf(LOST_ONE) }];
				await unknown(given('sendBatch', rows.slice(1 - others), { concurrency: 1 }));
			},
		);

		test('and the first look at the message to compare with breaks off', async () => {
			await textedBefore(3_000, 2_500);
			late(numberOf(OTHER), 1_000);
			sim.faults.add({ path: /status$/, do: NOT_ACCEPTED });
			const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
			const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
			expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
		});

		test('and the message to compare with was answered late', async () => {
			await textedBefore(1_500, 500);
			late(numberOf(OTHER), 900);
			const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
			const { items } = await runNode(given('sendBatch', rows, { concurrency: 2 }));
			expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
		});

		test('and the run goes on without a message to compare with', async () => {
			await textedBefore(1_500, 1_000);
			late(numberOf(OTHER), 1_000);
			sim.faults.add({
				path: /send$/,
				times: Infinity,
				match: ({ bodyText }) => bodyText.includes(numberOf(OTHER)),
				do: { kind: 'json', status: 400, body: { code: 12, error: 'STOP' } },
			});
			const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
			const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
			expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'refused' }]);
		});
	});
});

describe("where this computer's clock is set back", () => {
	const setBack = () => void (Date.now = () => realNow() - 20_000);
	beforeEach(() => {
		const { retryPolicy } = load<{ retryPolicy: { firstDelay: number } }>(
			'nodes/shared/http/retry.js',
		);
		retryPolicy.firstDelay = 1;
	});

	test('a look-up takes no longer than it may', async () => {
		Object.assign(policy, { rounds: [0, 300, 600], longest: 1_000 });
		spoil(NOT_ACCEPTED);
		sim.faults.add({
			path: /status$/,
			match: () => (setBack(), false),
			do: NOT_ACCEPTED,
		});
		const begun = performance.now();
		await unknown(given('sendBatch', [{ to: numberOf(1) }], { checkBalance: false }));
		expect(performance.now() - begun).toBeLessThan(10_000);
	});

	test('a break that the service asks for takes no longer', async () => {
		sim.faults.add({ path: /send$/, do: { kind: 'tooManyRequests', retryAfter: 1 } });
		setTimeout(setBack, 500);
		const begun = performance.now();
		const { items } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(jsonOf(items)).toMatchObject([{ status: 'sent' }]);
		expect(performance.now() - begun).toBeLessThan(10_000);
	});
});
