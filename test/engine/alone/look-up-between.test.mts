/** Messages that were lost and did not arrive, and what comes between: other runs and tries, slow looks, a clock set back. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { load, retryExecution, runNode, wires } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	late,
	lookUps,
	LOST_ONE,
	neverTo,
	NOT_ACCEPTED,
	numberOf,
	OTHER,
	policy,
	send,
	sim,
	sleep,
	spoil,
	unknown,
} from './look-up-support.mts';

const realNow = Date.now;
afterEach(() => {
	Date.now = realNow;
	wires.clear();
});
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
