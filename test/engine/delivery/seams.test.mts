/**
 * Where one run ends and the next begins: each of these once broke. The expectations come from the
 * design (guarantees 1 to 5 and 8) and from the interface document.
 */
import type { IDataObject, INode, INodeType } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator, type FaultAction, type Simulator } from '../../simulator/index.mts';
import {
	deduplicationStore,
	forgetModules,
	load,
	retryExecution,
	runNode,
	wires,
	type RunOptions,
	type RunResult,
} from '../harness.mts';
import { listOf } from '../resources/support.mts';
import type { StoreCall } from '../store.mts';
import { everythingOf } from '../sms/support.mts';
import { invokeTool, type Call } from './agent.mts';
import { ANSWERS, hurry, KEY, keyIn, listedIn, type AnswerName } from './support.mts';

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ apiKey: KEY, extended: true });
	hurry();
});
afterAll(async () => await sim.close());
beforeEach(() => {
	sim.reset();
	wires.clear();
	deduplicationStore.rows.clear();
	store = undefined;
});

/** Comes before n8n's store of once keys reads, and after it wrote. */
let store: ((stage: 'read' | 'written', call: StoreCall) => Promise<void> | void) | undefined;
const worlds = deduplicationStore.onCall;
deduplicationStore.onCall = async (call, stage) =>
	await (store?.(stage, call) ?? worlds?.(call, stage));

const SENDING = ['send', 'sendByUrl', 'sendBatch'];
const SEND = /\/messages\/send$/;

function people(count: number, first = 0): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({
		to: `+336399${String(80_000 + first + index).padStart(5, '0')}`,
		text: 'Bonjour',
	}));
}

function sms(
	operation: string,
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text }}',
			options: { concurrency: 1, ...options } as never,
		},
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		...more,
	};
}

function of(
	node: string,
	operation: string,
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	more: Partial<RunOptions> = {},
): RunOptions {
	return {
		node,
		parameters: { operation, options: { concurrency: 1 }, ...parameters } as never,
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		...more,
	};
}

const statuses = ({ items }: RunResult) => items.map(({ json }) => json.status);
const reached = () => sim.messages.map(({ number }) => number);
const twice = () => reached().filter((number, index, all) => all.indexOf(number) !== index);
const RETRY_ON_FAIL: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** How the service answers the n-th send, and all that follow unless `times` is given. */
function answer(name: AnswerName, { skip = 0, times = Infinity } = {}): void {
	const { do: action } = ANSWERS[name] as { do?: FaultAction };
	sim.faults.add({ path: SEND, skip, times, do: action! });
}

async function inTime<T>(work: Promise<T>): Promise<T | 'never'> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<'never'>((resolve) => {
		timer = setTimeout(() => resolve('never'), 5_000);
	});
	return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

describe('1. a once key is released only by the run that claimed it', () => {
	const once = { onceKey: '={{ $json.to }}', concurrency: 10 };
	// Keys are claimed in chunks; those of the earlier run come last.
	const old = people(5);
	const many = [...people(300, 1_000), ...old];

	test.each<[why: string, spoil: () => Partial<RunOptions>]>([
		[
			'credit runs out',
			() => {
				sim.service.setCredits(3);
				return {};
			},
		],
		[
			'it is stopped',
			() => ({
				onStart: (cancel) => {
					sim.faults.add({
						skip: 3,
						match: () => (cancel(), false),
						do: { kind: 'html200' },
					});
				},
			}),
		],
		['the key is refused', () => (answer('401 code 72', { skip: 3 }), {})],
		['the service is down', () => (answer('503 Retry-After 0', { skip: 3 }), {})],
	])('a run with other items, in which %s, sets nothing free', async (_, spoil) => {
		await runNode(sms('sendBatch', old, once));
		expect(sim.messages).toHaveLength(5);
		await runNode(sms('sendBatch', many, once, spoil()));
		await new Promise((resolve) => setTimeout(resolve, 50));
		sim.faults.clear();
		sim.service.setCredits(1_000);
		const third = await runNode(sms('sendBatch', old, once));
		expect(statuses(third)).toEqual(Array(5).fill('skipped'));
		expect(twice()).toEqual([]);
	});

	test('two executions at the same moment send each key once', async () => {
		const runs = [sms('sendBatch', old, once), sms('sendBatch', [...old].reverse(), once)];
		await Promise.all(runs.map(runNode));
		expect(twice()).toEqual([]);
		expect(sim.messages).toHaveLength(5);
	});
});

describe("2. a gateway's JSON is not the service's no", () => {
	const LOST: AnswerName[] = [
		'504 code 504, accepted',
		'504 code 4, accepted',
		'200 code 200, accepted',
		'500 code 1000, accepted',
	];
	for (const operation of SENDING) {
		test.each(LOST)(`${operation}: %s: unknown, and not sent again`, async (name) => {
			answer(name);
			const options = sms(operation, people(1), {}, { settings: RETRY_ON_FAIL });
			const result = await runNode(options);
			expect(`${result.error?.message} ${statuses(result)}`).toMatch(/unknown/i);
			sim.faults.clear();
			if (result.error) await retryExecution(result, options);
			expect(sim.messages).toHaveLength(1);
		});
	}
});

describe('2. an error of an unknown form is unknown', () => {
	const FORMS: Array<[form: string, make: (error: Error) => unknown]> = [
		['a plain error', ({ message }) => new Error(message)],
		['a plain object', ({ message }) => ({ message })],
		['a text', ({ message }) => message],
		['an error of a kind of its own', () => new TypeError('terminated')],
	];
	const spoilErrors = (make: (error: Error) => unknown) => {
		wires.set(sim.baseUrl, async (_, send) => {
			try {
				return await send();
			} catch (error) {
				throw make(error as Error);
			}
		});
	};
	for (const operation of SENDING) {
		test.each(FORMS)(`${operation}: %s: not sent again`, async (_, make) => {
			spoilErrors(make);
			answer('reset, accepted', { times: 1 });
			const options = sms(operation, people(1), {}, { settings: RETRY_ON_FAIL });
			const result = await runNode(options);
			expect(`${result.error?.message} ${statuses(result)}`).toMatch(/unknown/i);
			if (result.error) await retryExecution(result, options);
			expect(sim.messages).toHaveLength(1);
		});
	}

	test.each(FORMS)('%s does not stop a batch', async (_, make) => {
		spoilErrors(make);
		answer('reset, accepted', { times: 1 });
		const result = await runNode(sms('sendBatch', people(3)));
		expect(statuses(result)).toEqual(['unknown', 'sent', 'sent']);
	});
});

describe('3. as a tool that an agent invokes', () => {
	const invoke = async (calls: Call[], settings: Partial<INode> = {}) => {
		await invokeTool({
			node: 'Sms',
			parameters: {
				operation: 'send',
				number: "={{ $fromAI('number', 'To', 'string') }}",
				message: "={{ $fromAI('message', 'Text', 'string') }}",
			},
			settings,
			credential: { baseUrl: sim.baseUrl, apiKey: KEY },
			calls,
		});
		return calls;
	};
	const call = (number: string, message: string): Call => ({ input: { number, message } });

	test('a lost answer does not keep later, different messages from being sent', async () => {
		answer('reset, accepted', { times: 1 });
		const calls = await invoke([
			call('+33639980001', 'One'),
			call('+33639980002', 'One'),
			call('+33639980001', 'Two'),
		]);
		expect(sim.messages.map(({ number, text }) => `${number} ${text}`)).toEqual([
			'+33639980001 One',
			'+33639980002 One',
			'+33639980001 Two',
		]);
		expect(`${calls[0].answer} ${calls[0].error?.message}`).toMatch(/unknown/i);
		expect(calls[1].answer).toContain('362892');
		expect(calls[2].answer).toContain('362893');
	});

	test('each try of Retry On Fail is the same message', async () => {
		answer('502 page, accepted', { times: 1 });
		await invoke([call('+33639980001', 'One')], RETRY_ON_FAIL);
		expect(sim.messages).toHaveLength(1);
	});

	test.each(['reset, accepted', 'reset, not accepted'] as const)(
		'n8n does not put its own text in the place of ours: %s',
		async (name) => {
			answer(name, { times: 1 });
			const [{ answer: heard, error }] = await invoke([call('+33639980001', 'One')]);
			expect(`${heard} ${error?.message}`).toMatch(/unknown/i);
			expect(`${heard} ${error?.message}`).not.toMatch(/retry the request/i);
		},
	);
});

describe('4. the recovery that the README describes sends nothing twice', () => {
	const CORRECTIONS: Array<[what: string, options: IDataObject, operations: string[]]> = [
		['the sender', {}, ['send', 'sendByUrl']],
		['the category', { category: 'orders' }, ['send']],
		['the campaign name', { campaignName: 'Orders' }, ['send']],
		['the date', { date: '2031-05-05T10:00:00' }, ['send']],
		['the names of the fields', { fieldNames: 'legacy' }, ['send']],
		['the concurrency', { concurrency: 2 }, ['send', 'sendByUrl']],
		['the characters', { unsupportedCharacters: 'replace' }, ['send', 'sendByUrl']],
		['the duplicates', { skipDuplicates: true }, ['send', 'sendByUrl']],
	];
	for (const [what, correction, operations] of CORRECTIONS) {
		test.each(operations)(
			`%s: ${what} corrected after item 3 was refused`,
			async (operation) => {
				answer('400 code 20', { skip: 3, times: 1 });
				const options = sms(operation, people(5), { sender: 'BadShop' });
				const failed = await runNode(options);
				expect(failed.error).toBeDefined();
				expect(sim.messages).toHaveLength(3);
				const { parameters } = sms(operation, people(5), {
					sender: 'OurShop',
					...correction,
				});
				const retried = await retryExecution(failed, options, { parameters });
				expect(retried.error).toBeUndefined();
				expect(twice()).toEqual([]);
				expect(retried.items.map(({ json }) => json.snapshotId)).toEqual(
					sim.messages.map(({ snapshotId }) => snapshotId),
				);
			},
		);
	}
});

describe('4. duplicates of what an earlier try made', () => {
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
		expect(statuses(second)).toEqual([undefined, 'skipped']);
		expect(sim.messages.map(({ text }) => text)).toEqual(['Un', 'Deux']);
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

	test('are found where duplicates were welcome then', async () => {
		const alike = [...people(1), ...people(1)];
		answer('400 code 19', { times: 1 });
		const options = sms('send', alike, { concurrency: 2 });
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(1);
		const { parameters } = sms('send', alike, { skipDuplicates });
		const second = await retryExecution(first, options, { parameters });
		expect(statuses(second)).toEqual(['skipped', undefined]);
		expect(sim.messages).toHaveLength(1);
	});
});

describe("5. 'Resend if Unknown' whose attempt certainly fails leaves it unknown", () => {
	const FAILING: AnswerName[] = ['402 code 71', '429', '503 Retry-After 0', '403 page'];

	for (const operation of ['send', 'sendByUrl']) {
		test.each(FAILING)(`${operation}: %s`, async (name) => {
			answer('reset, accepted', { times: 1 });
			const options = sms(operation, people(1));
			const first = await runNode(options);
			expect(first.error?.message).toMatch(/unknown/i);
			answer(name);
			const resend = {
				parameters: sms(operation, people(1), { resendUnknown: true }).parameters,
			};
			const second = await retryExecution(first, options, resend);
			expect(second.error).toBeDefined();
			sim.faults.clear();
			const third = await retryExecution(second, options, { parameters: options.parameters });
			expect(third.error?.message).toMatch(/unknown/i);
			expect(sim.messages).toHaveLength(1);
		});
	}

	test.each(FAILING)('a once key: %s', async (name) => {
		const once = { onceKey: '={{ $json.to }}' };
		answer('reset, accepted', { times: 1 });
		await runNode(sms('sendBatch', people(1), once));
		answer(name);
		const second = await runNode(sms('sendBatch', people(1), { ...once, resendUnknown: true }));
		expect(statuses(second)).toEqual(['unknown']);
		sim.faults.clear();
		const third = await runNode(sms('sendBatch', people(1), once));
		expect(statuses(third)).toEqual(['unknown']);
		expect(sim.messages).toHaveLength(1);
	});

	test.each(FAILING)('with Continue on fail, the item is called unknown: %s', async (name) => {
		answer('reset, accepted', { times: 1 });
		const options = sms('send', people(1));
		const first = await runNode(options);
		answer(name);
		const second = await retryExecution(first, options, {
			parameters: sms('send', people(1), { resendUnknown: true }).parameters,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(statuses(second)).toEqual(['unknown']);
	});
});

describe('5. what is unknown stays it, also where the attempt does not even begin', () => {
	test.each([
		['send', {}],
		['send', { skipDuplicates: true }],
		['sendByUrl', {}],
	])('%s %j: an earlier item stops the run', async (operation, more) => {
		answer('reset, accepted', { times: 2 });
		const options = sms(operation, people(2), { ...more, concurrency: 2 });
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(2);
		answer('400 code 19');
		const resend = sms(operation, people(2), { ...more, resendUnknown: true });
		const second = await retryExecution(first, options, { parameters: resend.parameters });
		expect(second.error?.message).toMatch(/unknown/i);
		expect(listedIn(second.error).unknown).toMatchObject([{ item: 1 }]);
		sim.faults.clear();
		const third = await retryExecution(second, options, { parameters: options.parameters });
		expect(third.error?.message).toMatch(/unknown/i);
		expect(sim.messages).toHaveLength(2);
	});

	test('send: it is a duplicate now', async () => {
		answer('reset, accepted', { times: 2 });
		const alike = [...people(1), ...people(1)];
		const options = sms('send', alike, { concurrency: 2 });
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(2);
		const { parameters } = sms('send', alike, { resendUnknown: true, skipDuplicates: true });
		const second = await retryExecution(first, options, {
			parameters,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(statuses(second)).toEqual([undefined, 'unknown']);
		expect(sim.messages).toHaveLength(3);
	});

	test('sendBatch: a stage keeps it back', async () => {
		answer('reset, accepted', { times: 1 });
		const once = { onceKey: '={{ $json.to }}' };
		await runNode(sms('sendBatch', people(1), once));
		sim.faults.clear();
		sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
		const stages = { ...once, resendUnknown: true, skipBlacklisted: true };
		await runNode(sms('sendBatch', people(1), stages));
		sim.faults.clear();
		expect(statuses(await runNode(sms('sendBatch', people(1), once)))).toEqual(['unknown']);
		expect(sim.messages).toHaveLength(1);
	});
});

describe('6. a batch tells what became of each item, whatever fails around it', () => {
	const once = { onceKey: '={{ $json.to }}' };
	const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

	test('the blacklists can not be had: nothing leaves by the success output', async () => {
		sim.faults.add({ path: /unsubscribers/, times: Infinity, do: { kind: 'html200' } });
		const result = await runNode(
			sms('sendBatch', people(3), { skipBlacklisted: true }, { settings: ERROR_OUTPUT }),
		);
		expect(sim.messages).toHaveLength(0);
		expect(result.items).toEqual([]);
		expect(result.errorItems.map(({ json }) => json.status)).toEqual(Array(3).fill('notSent'));
	});

	test('the store of keys can not be had: nothing leaves by the success output', async () => {
		store = () => {
			throw new Error('database is locked');
		};
		const result = await runNode(sms('sendBatch', people(3), once, { settings: ERROR_OUTPUT }));
		expect(sim.messages).toHaveLength(0);
		expect(result.items).toEqual([]);
		expect(result.errorItems.map(({ json }) => json.status)).toEqual(Array(3).fill('notSent'));
	});

	test('the credential can not be had: nothing leaves by the success output', async () => {
		const result = await runNode(
			sms(
				'sendBatch',
				people(3),
				{},
				{
					settings: ERROR_OUTPUT,
					onSecret: () => {
						throw new Error('The vault is sealed');
					},
				},
			),
		);
		expect(sim.messages).toHaveLength(0);
		expect(result.items).toEqual([]);
		expect(result.errorItems.map(({ json }) => json.status)).toEqual(Array(3).fill('notSent'));
	});

	test.each([
		['stop', {}],
		['error output', ERROR_OUTPUT],
	])(
		'the store fails midway: nothing leaves after the node has ended (%s)',
		async (_, settings) => {
			// The first ones are refused; others are under way when the store is asked for more keys.
			const items = people(1_500);
			answer('400 code 19', { times: 200 });
			sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 40 } });
			store = (stage) => {
				if (stage === 'read' && sim.messages.length > 0)
					throw new Error('database is locked');
			};
			const result = await runNode(
				sms('sendBatch', items, { ...once, concurrency: 10 }, { settings }),
			);
			const requests = sim.requestCount;
			const accepted = sim.messages.length;
			await new Promise((resolve) => setTimeout(resolve, 200));
			expect(sim.requestCount).toBe(requests);
			expect(sim.messages).toHaveLength(accepted);
			expect(accepted).toBeGreaterThan(0);
			const shown = [...result.items, ...result.errorItems];
			expect(shown).toHaveLength(1_500);
			expect(accepted).toBeLessThan(1_300);
			const ids = shown.flatMap(({ json }) => (json.snapshotId as string) ?? []);
			expect(ids).toHaveLength(accepted);
			expect(shown.every(({ json }) => typeof json.status === 'string')).toBe(true);
		},
	);

	test('a bad key after a lost answer is no error of the batch: it is told what may have gone', async () => {
		answer('reset, accepted', { times: 1 });
		answer('401 code 72');
		const result = await runNode(sms('sendBatch', people(3)));
		expect(result.error).toBeUndefined();
		expect(statuses(result)).toEqual(['unknown', 'refused', 'notSent']);
	});

	test.each(['send', 'sendByUrl'])('%s: nobody is told to try again later', async (operation) => {
		answer('reset, accepted');
		const { error } = await runNode(sms(operation, people(1)));
		expect(error?.message).toMatch(/unknown/i);
		expect(error?.description).not.toMatch(/try again/i);
	});

	test('the store fails once: nothing that was not claimed before goes', async () => {
		let calls = 0;
		store = (stage) => {
			// The first opens the store; the third is the claim of the second chunk.
			if (stage === 'read' && ++calls === 3) throw new Error('database is locked');
		};
		const items = people(1_000);
		const result = await runNode(sms('sendBatch', items, { ...once, concurrency: 10 }));
		const sent = statuses(result).filter((status) => status === 'sent').length;
		expect(sim.messages).toHaveLength(sent);
		expect(sent).toBeGreaterThan(0);
		expect(statuses(result).slice(sent)).toEqual(Array(1_000 - sent).fill('notSent'));
		expect(sent).toBeLessThanOrEqual(250);
	});

	test('the credential can not be had: no key is claimed', async () => {
		const sealed = () => {
			throw new Error('The vault is sealed');
		};
		await runNode(sms('sendBatch', people(3), once, { onSecret: sealed }));
		expect(deduplicationStore.rows.size).toBe(0);
	});

	test('a retry that can not begin: what was accepted is told', async () => {
		answer('400 code 19', { skip: 1, times: 1 });
		const options = sms('send', people(3));
		const first = await runNode(options);
		expect(sim.messages).toHaveLength(1);
		const { parameters } = sms('send', people(3), { concurrency: 0 });
		const second = await retryExecution(first, options, {
			parameters,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(second.items[0].json).toHaveProperty('snapshotId', sim.messages[0].snapshotId);
		expect(statuses(second).slice(1)).toEqual(['invalid', 'invalid']);
		const stopped = await retryExecution(first, options, { parameters });
		expect(stopped.error?.message).toContain("'Concurrency'");
		expect(stopped.error?.description).toMatch(/an earlier try sent is not sent again/);
		expect(sim.messages).toHaveLength(1);
	});

	test('the credential can not be had any more after sending: the results are not lost', async () => {
		const result = await runNode(
			sms(
				'sendBatch',
				people(3),
				{},
				{
					onSecret: () => {
						if (sim.messages.length === 3) throw new Error('The vault is sealed');
					},
				},
			),
		);
		expect(result.error).toBeUndefined();
		expect(statuses(result)).toEqual(['sent', 'sent', 'sent']);
	});
});

describe("7. 'Requests per Second' holds after a pause that the service asked for", () => {
	test.each(SENDING)('%s', async (operation) => {
		sim.faults.add({ path: SEND, do: { kind: 'tooManyRequests', retryAfter: 1 } });
		await runNode(sms(operation, people(12), { requestsPerSecond: 20, concurrency: 12 }));
		expect(sim.messages).toHaveLength(12);
		const times = sim.requests.map(({ receivedAt }) => receivedAt);
		// The pause ends 1 s after the first answer; at 50 ms each, what waited for it takes half a second.
		// Half of that leaves room for a machine that is busy.
		const after = times.filter((time) => time - times[0] > 900);
		expect(after.length).toBeGreaterThan(7);
		expect(Math.max(...after) - Math.min(...after)).toBeGreaterThan(25 * (after.length - 1));
	});
});

describe('8. overseas numbers in both formats are one number', () => {
	const OVERSEAS: Array<[typed: string, stored: string]> = [
		['0690 12 34 56', '+590690123456'],
		['0691 12 34 56', '+590691123456'],
		['0694 12 34 56', '+594694123456'],
		['0696 12 34 56', '+596696123456'],
		['0697 12 34 56', '+596697123456'],
		['0692 12 34 56', '+262692123456'],
		['0693 12 34 56', '+262693123456'],
		['0639 12 34 56', '+262639123456'],
		// Fictional, in mainland France.
		['0639 98 34 56', '+33639983456'],
		['06 12 34 56 78', '+33612345678'],
	];

	test.each(OVERSEAS)('%s is left out of a batch after a STOP of %s', async (typed, stored) => {
		sim.service.addToBlacklist('unsubscribers', stored);
		const items = [{ to: typed, text: 'Bonjour' }];
		const result = await runNode(sms('sendBatch', items, { skipBlacklisted: true }));
		expect(statuses(result)).toEqual(['skipped']);
		expect(sim.requestsTo('POST', SEND)).toHaveLength(0);
	});

	test.each(OVERSEAS)('%s and %s are duplicates', async (typed, stored) => {
		const items = [
			{ to: typed, text: 'Bonjour' },
			{ to: stored, text: 'Bonjour' },
		];
		for (const operation of ['send', 'sendBatch']) {
			sim.reset();
			await runNode(sms(operation, items, { skipDuplicates: true }));
			expect(sim.messages).toHaveLength(1);
		}
	});

	test.each(OVERSEAS)('SMS Blacklist finds %s as %s', async (typed, stored) => {
		sim.service.addToBlacklist('unsubscribers', stored);
		const { items } = await runNode(of('SmsBlacklist', 'check', { number: typed }));
		expect(items[0].json).toMatchObject({ listed: true });
	});
});

describe('9. an item that can not be written as JSON', () => {
	const circular = () => {
		const item: IDataObject = { to: '+33639980002', text: 'Bonjour' };
		item.self = item;
		return item;
	};

	test.each(SENDING)('%s comes to an end', async (operation) => {
		const items = [...people(1), circular()];
		const result = await inTime(runNode(sms(operation, items)));
		expect(result).not.toBe('never');
		const { error } = result as RunResult;
		// Either way, all or nothing: items are checked before the first one is sent.
		expect(sim.messages).toHaveLength(error === undefined ? 2 : 0);
	});

	test.each(SENDING)('%s with Continue on fail tells each outcome', async (operation) => {
		const items = [circular(), ...people(1)];
		const settings: Partial<INode> = { onError: 'continueRegularOutput' };
		const result = await inTime(runNode(sms(operation, items, {}, { settings })));
		expect(result).not.toBe('never');
		expect((result as RunResult).items).toHaveLength(2);
		expect((result as RunResult).items[1].json).toHaveProperty('snapshotId');
	});
});

describe('10. a deletion whose answer is lost, or that is repeated', () => {
	interface Deletion {
		node: string;
		operation: string;
		parameters: IDataObject;
		items: IDataObject[];
		/** What is still there. */
		left: () => unknown[];
		/** Puts the first one back. */
		refill: () => void;
	}
	const NUMBERS = ['+33639980001', '+33639980002', '+33639980003'];

	const DELETIONS: Record<string, () => Deletion> = {
		'SMS Blacklist remove': () => {
			for (const number of NUMBERS) sim.service.addToBlacklist('unsubscribers', number);
			return {
				node: 'SmsBlacklist',
				operation: 'remove',
				parameters: { blacklist: 'unsubscribers', number: '={{ $json.to }}' },
				items: NUMBERS.map((to) => ({ to })),
				left: () =>
					NUMBERS.filter((one) => sim.service.blacklist('unsubscribers').has(one)),
				refill: () => void sim.service.addToBlacklist('unsubscribers', NUMBERS[0]),
			};
		},
		'SMS List delete': () => {
			const lists = NUMBERS.map((name) => sim.service.createList(name));
			return {
				node: 'SmsList',
				operation: 'delete',
				parameters: { list: listOf('={{ $json.id }}', 'id') },
				items: lists.map(({ id }) => ({ id })),
				left: () => [...sim.service.lists.keys()],
				refill: () => void sim.service.lists.set(lists[0].id, lists[0]),
			};
		},
		'SMS List deleteColumn': () => {
			const list = sim.service.createList('Clients', [
				{ name: 'a' },
				{ name: 'b' },
				{ name: 'c' },
			]);
			return {
				node: 'SmsList',
				operation: 'deleteColumn',
				parameters: { list: listOf(list.id, 'id'), column: '={{ $json.column }}' },
				items: ['a', 'b', 'c'].map((column) => ({ column })),
				left: () => list.fields,
				refill: () => void list.addField('a', 'STRING'),
			};
		},
		'SMS Contact delete by number': () => {
			const list = sim.service.createList('Clients');
			const add = (identifier: string) =>
				sim.service.addContacts(list.id, 1, () => ({ identifier }));
			NUMBERS.forEach(add);
			return {
				node: 'SmsContact',
				operation: 'delete',
				parameters: { list: listOf(list.id, 'id'), number: '={{ $json.to }}' },
				items: NUMBERS.map((to) => ({ to })),
				left: () => [...list.contacts.items()],
				refill: () => add(NUMBERS[0]),
			};
		},
		'SMS Contact delete by ID': () => {
			const list = sim.service.createList('Clients');
			NUMBERS.forEach((identifier) =>
				sim.service.addContacts(list.id, 1, () => ({ identifier })),
			);
			const contacts = [...list.contacts.items()];
			return {
				node: 'SmsContact',
				operation: 'delete',
				parameters: {
					list: listOf(list.id, 'id'),
					deleteBy: 'id',
					contactId: '={{ $json.id }}',
				},
				items: contacts.map(({ id }) => ({ id })),
				left: () => [...list.contacts.items()],
				refill: () => list.contacts.add(contacts[0]),
			};
		},
	};
	const NAMES = Object.keys(DELETIONS);
	const runOf = ({ node, operation, parameters, items }: Deletion) =>
		of(node, operation, parameters, items);
	const DONE = Array(3).fill({ deleted: true });

	test.each(NAMES)('%s: carried out, and the answer lost', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({ method: 'DELETE', do: { kind: 'resetAfterAccept' } });
		const { error, items } = await runNode(runOf(deletion));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	test.each(NAMES)('%s: all tries lost, then a retry of the execution', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			times: 4,
			do: { kind: 'status', status: 502, accept: true },
		});
		const failed = await runNode(runOf(deletion));
		sim.faults.clear();
		const { error, items } = failed.error
			? await retryExecution(failed, runOf(deletion))
			: failed;
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	test.each(NAMES)('%s: stopped at the second item, a retry finishes it', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(runOf(deletion));
		expect(failed.error).toBeDefined();
		expect(deletion.left()).toHaveLength(2);
		const { error, items } = await retryExecution(failed, runOf(deletion));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	test.each(NAMES)('%s: what was deleted once is not deleted again by a retry', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(runOf(deletion));
		deletion.refill();
		const { error } = await retryExecution(failed, runOf(deletion));
		expect(error).toBeUndefined();
		expect(deletion.left()).toHaveLength(1);
	});

	test.each(NAMES)('%s: what is not there is not called deleted', async (name) => {
		const deletion = DELETIONS[name]();
		await runNode(runOf(deletion));
		const { items, error } = await runNode(runOf(deletion));
		if (name === 'SMS List deleteColumn') {
			// Columns are looked up by name first: a wrong one is told with those that there are.
			expect(error?.message).toContain('The list has no column');
			return;
		}
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.deleted)).toEqual(items.map(() => false));
		expect(items.length).toBeGreaterThan(0);
	});

	test('SMS List empty: what was refilled is not emptied again by a retry', async () => {
		const lists = [1, 2, 3].map((index) => sim.service.createList(`List ${index}`));
		for (const { id } of lists) sim.service.addContacts(id, 2);
		const options = of(
			'SmsList',
			'empty',
			{ list: listOf('={{ $json.id }}', 'id') },
			lists.map(({ id }) => ({ id })),
		);
		sim.faults.add({
			path: /empty$/,
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(options);
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([0, 2, 2]);
		sim.service.addContacts(lists[0].id, 5);
		const { error } = await retryExecution(failed, options);
		expect(error).toBeUndefined();
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([5, 0, 0]);
	});
});

describe('11. the key appears nowhere', () => {
	const encode = (text: string, cased: (hex: string) => string) =>
		text.replace(/[^A-Za-z0-9]/g, (one) => `%${cased(one.charCodeAt(0).toString(16))}`);
	const SPELLINGS: Array<[how: string, spelled: string]> = [
		['as it is', KEY],
		['percent-encoded in capitals', encode(KEY, (hex) => hex.toUpperCase())],
		['percent-encoded in small letters', encode(KEY, (hex) => hex.toLowerCase())],
		['as encodeURIComponent writes it', encodeURIComponent(KEY)],
		[
			'with every character encoded',
			[...KEY].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
		],
	];
	const echo = (spelled: string, path: RegExp): void => {
		const body = { code: 4711, error: `No access with apiKey=${spelled}` };
		sim.faults.add({ path, times: Infinity, do: { kind: 'json', status: 400, body } });
	};

	for (const operation of SENDING) {
		test.each(SPELLINGS)(`${operation}: %s, repeated by the service`, async (_, spelled) => {
			echo(spelled, SEND);
			const result = await runNode(sms(operation, people(1)));
			expect(keyIn(everythingOf(result))).toBe('');
		});
	}

	test.each(SPELLINGS)(
		'blacklists of a batch: %s, repeated by the service',
		async (_, spelled) => {
			echo(spelled, /contacts$/);
			const result = await runNode(sms('sendBatch', people(1), { skipBlacklisted: true }));
			expect(result.error).toBeDefined();
			expect(keyIn(everythingOf(result))).toBe('');
		},
	);

	const UNKNOWN = ['category', 'replies', 'categoryBlacklists'];
	test.each(UNKNOWN)('SMS Stats %s: typed as a category that has nothing', async (operation) => {
		const { hints } = await runNode(
			of('SmsStats', operation, { category: KEY, returnAll: true }),
		);
		expect(hints).toHaveLength(1);
		expect(keyIn(JSON.stringify(hints))).toBe('');
	});

	test('in the hint of a batch whose store fails', async () => {
		store = () => {
			if (sim.messages.length > 0) throw new Error(`Access of ${KEY} denied`);
		};
		const once = { onceKey: '={{ $json.to }}' };
		const { hints } = await runNode(sms('sendBatch', people(1), once));
		const shown = JSON.stringify(hints);
		expect(shown).toContain('could not store which keys were sent');
		expect(keyIn(shown)).toBe('');
	});

	const TYPED: Array<[node: string, operation: string, parameters: IDataObject]> = [
		['Sms', 'send', { number: KEY, message: 'Bonjour' }],
		['Sms', 'sendByUrl', { number: KEY, message: 'Bonjour' }],
		['Sms', 'sendBatch', { number: KEY, message: 'Bonjour' }],
		['Sms', 'preview', { number: KEY, message: 'Bonjour', options: { sender: KEY } }],
		['SmsBlacklist', 'add', { number: KEY }],
		['SmsBlacklist', 'check', { number: KEY }],
		['SmsContact', 'add', { list: listOf('1', 'id'), number: KEY }],
		['SmsContact', 'import', { list: listOf('1', 'id'), number: KEY }],
		['SmsStats', 'messageStatus', { lookupBy: 'number', number: KEY }],
		['SmsCampaign', 'sendTest', { campaign: listOf('1', 'id'), number: KEY }],
	];
	test.each(TYPED)('%s %s: typed into another field', async (node, operation, parameters) => {
		for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
			const result = await runNode(
				of(node, operation, parameters, [{}], { settings: { onError } }),
			);
			const { error } = result;
			const said = [error?.message, error?.description, JSON.stringify(result.items)];
			expect(keyIn(said.join('\n'))).toBe('');
		}
	});
});

describe("12. the credential in n8n's HTTP Request node", () => {
	const { SmsServiceApi } = load<{
		SmsServiceApi: new () => {
			authenticate: (credential: IDataObject, request: object) => Promise<IDataObject>;
		};
	}>('credentials/SmsServiceApi.credentials.js');
	const authenticate = async (request: IDataObject) =>
		await new SmsServiceApi().authenticate(
			{ baseUrl: 'https://sms.example.com', apiKey: KEY, headerName: 'X-Service-ApiKey' },
			{ method: 'GET', headers: {}, ...request },
		);

	test('`uri` instead of `url`: the key is in the header, and no redirect is followed', async () => {
		const request = await authenticate({ uri: 'https://sms.example.com/v2/account/stats' });
		expect(request).toMatchObject({
			uri: 'https://sms.example.com/v2/account/stats',
			headers: { 'X-Service-ApiKey': KEY },
			followRedirect: false,
			followAllRedirects: false,
		});
	});

	test('`uri` of another host is refused', async () => {
		await expect(
			authenticate({ uri: 'https://other.example/v2/account/stats' }),
		).rejects.toThrow(/another host/);
	});

	test.each([
		'https:other.example',
		'https:/other.example',
		'https:\\\\other.example/',
		'HTTPS:other.example/v2',
		'//other.example/v2',
		'/\\other.example/v2',
		'https://sms.example.com@other.example/',
		'https://sms.example.com.other.example/',
		' https://other.example/',
		'http://sms.example.com/v2/account/stats',
	])('an address such as %j does not get the key', async (url) => {
		for (const name of ['url', 'uri']) {
			const request = await authenticate({ [name]: url }).catch(() => undefined);
			if (request === undefined) continue;
			// Accepted: then it must be an address of the service, whoever reads it.
			expect(String(request[name])).toMatch(/^https:\/\/sms\.example\.com\//);
		}
	});

	test('in the engine: the legacy request of that node does not carry the key to another host', async () => {
		const elsewhere = await startSimulator();
		try {
			const type: INodeType = {
				description: {
					displayName: 'Legacy',
					name: 'legacy',
					group: ['output'],
					version: 1,
					description: '',
					defaults: {},
					inputs: ['main'],
					outputs: ['main'],
					credentials: [{ name: 'smsServiceApi', required: true }],
					properties: [],
				},
				async execute() {
					const answered: unknown = await this.helpers.requestWithAuthentication.call(
						this,
						'smsServiceApi',
						{ method: 'GET', uri: `${sim.baseUrl}/v2/account/stats`, json: true },
					);
					return [[{ json: { answered } as IDataObject }]];
				},
			};
			const request = of('Legacy', 'get', {}, [{}], { type });
			const { items, error } = await runNode(request);
			expect(error).toBeUndefined();
			expect(items[0].json.answered).toHaveProperty('credits');
			for (const status of [301, 302, 303, 307, 308]) {
				const location = `${elsewhere.baseUrl}/v2/account/stats`;
				sim.faults.add({ do: { kind: 'redirect', status, location } });
				await runNode(request);
			}
			expect(elsewhere.requestCount).toBe(0);
		} finally {
			await elsewhere.close();
		}
	});
});

describe('13. what concerns one message, and what concerns all', () => {
	test.each(['send', 'sendBatch'])('%s: a wrong base path stops the run', async (operation) => {
		const credential = { baseUrl: `${sim.baseUrl}/wrong`, apiKey: KEY };
		const result = await runNode(sms(operation, people(30), {}, { credential }));
		expect(result.error?.message).toBeDefined();
		expect(sim.requestsTo('POST', /send$/).length).toBeLessThanOrEqual(5);
	});

	test.each<AnswerName>(['400 code 12', '400 code 19', '500 code 31'])(
		'a batch of which each message is refused for itself is no error: %s',
		async (name) => {
			answer(name);
			const result = await runNode(sms('sendBatch', people(2)));
			expect(result.error).toBeUndefined();
			expect(statuses(result)).toEqual(['refused', 'refused']);
		},
	);

	test.each<AnswerName>(['401 code 72', '402 code 71'])(
		'a batch of which none is sent for a reason that concerns all is an error: %s',
		async (name) => {
			answer(name);
			const { error, items } = await runNode(sms('sendBatch', people(2)));
			expect(error).toBeDefined();
			expect(items).toEqual([]);
			expect(sim.requests.filter(({ path }) => SEND.test(path))).toHaveLength(1);
		},
	);

	test("a firewall's page for one message does not stop the batch", async () => {
		answer('403 page', { skip: 1, times: 1 });
		const result = await runNode(sms('sendBatch', people(4)));
		expect(statuses(result)).toEqual(['sent', 'refused', 'sent', 'sent']);
	});

	test.each(['send', 'sendBatch'])(
		'%s: the same text on another date is no duplicate',
		async (operation) => {
			const [one] = people(1);
			const items = [
				{ ...one, date: '2031-05-05T10:00:00' },
				{ ...one, date: '2031-05-06T10:00:00' },
				{ ...one, date: '2031-05-06T10:00:00' },
			];
			const options = { skipDuplicates: true, date: '={{ $json.date }}' };
			const result = await runNode(sms(operation, items, options));
			expect(result.error).toBeUndefined();
			expect(sim.messages).toHaveLength(2);
			expect(statuses(result)[2]).toBe('skipped');
		},
	);

	test('a Remove Duplicates node of the same workflow has cut the store of keys: said, and nothing is sent', async () => {
		const once = { onceKey: '={{ $json.to }}' };
		await runNode(sms('sendBatch', people(5), once));
		// What that node does with the scope Workflow and a history of 3.
		const place = { workflow: { id: 'workflow' }, node: { id: 'remove-duplicates' } as INode };
		await deduplicationStore.checkProcessedAndRecord(['a', 'b'], 'workflow', place, {
			maxEntries: 3,
		});
		const again = await runNode(sms('sendBatch', people(5), once));
		expect(again.error?.message).toContain("'Once Key'");
		expect(again.error?.description).toContain('Remove Duplicates');
		expect(sim.messages).toHaveLength(5);
	});

	// That node keeps its items in the same store with the scope Workflow, and cuts it to its history size.
	test('a Remove Duplicates node of the same workflow can not cut the store of keys', async () => {
		const once = { onceKey: '={{ $json.to }}' };
		const remove = (scope: string): INode => ({
			id: 'remove-duplicates',
			name: 'My Remover',
			type: 'n8n-nodes-base.removeDuplicates',
			typeVersion: 2,
			position: [0, 0],
			parameters: { options: { scope } },
		});
		const beside = await runNode(
			sms('sendBatch', people(5), once, { otherNodes: [remove('node')] }),
		);
		expect(statuses(beside)).toEqual(Array(5).fill('sent'));
		const sharing = await runNode(
			sms('sendBatch', people(5, 10), once, { otherNodes: [remove('workflow')] }),
		);
		expect(sharing.error?.message).toContain('My Remover');
		expect(sim.messages).toHaveLength(5);
	});

	test.each([1, 2, 3, 4, 5])(
		'n8n killed at call %i of its store: what was unknown does not become sent',
		async (at) => {
			const once = { onceKey: '={{ $json.to }}' };
			answer('reset, not accepted', { times: 1 });
			await runNode(sms('sendBatch', people(1), once));
			let calls = 0;
			store = async (stage) => {
				if (stage === 'written' && ++calls === at) await new Promise(() => {});
			};
			await Promise.race([
				runNode(sms('sendBatch', people(1), once)),
				new Promise((resolve) => setTimeout(resolve, 150)),
			]);
			store = undefined;
			forgetModules();
			hurry();
			const third = await runNode(sms('sendBatch', people(1), once));
			expect(statuses(third)).toEqual(['unknown']);
		},
	);

	// A sub-workflow that a retry of its parent runs anew: other executions, which once keys connect.
	test('a child that is run anew sends what has the same key once', async () => {
		const once = { onceKey: '={{ $json.to }}' };
		answer('402 code 71', { skip: 3, times: 1 });
		for (const executionId of ['child 1', 'child 2']) {
			await runNode(sms('sendBatch', people(5), once, { executionId }));
		}
		expect(twice()).toEqual([]);
		expect(sim.messages).toHaveLength(5);
	});
});

describe("14. n8n's router", () => {
	const BROKEN = "={{ $json.to === 'broken' ? $('Nowhere').item.json.to : $json.to }}";
	const INTERVAL = { batching: { batch: { batchSize: 1, batchInterval: 30 } } };

	// It pauses between the items then, and leaves out those whose expressions it can't evaluate. All
	// others are one run all the same: duplicates are found, and each item has its result.
	test.each(['send', 'sendByUrl'])(
		"%s: a batch interval with 'Continue on fail' makes one run of all items",
		async (operation) => {
			// Slower than all pauses together: a run that began too early is still under way.
			sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 300 } });
			const broken = { to: 'broken', text: 'Bonjour' };
			const [one, other] = people(2);
			const options = sms(
				operation,
				[one, broken, broken, broken, one, other],
				{ skipDuplicates: true },
				{ settings: { onError: 'continueRegularOutput' } },
			);
			const result = await runNode({
				...options,
				parameters: {
					...options.parameters,
					number: BROKEN,
					requestOptions: INTERVAL,
				},
			});
			expect(reached()).toEqual([one.to, other.to]);
			const items = result.items.map(({ json, pairedItem }) => ({
				item: (pairedItem as { item: number }).item,
				status: json.status ?? (json.snapshotId === undefined ? 'failed' : 'sent'),
			}));
			expect(items).toEqual([
				{ item: 0, status: 'sent' },
				{ item: 1, status: 'failed' },
				{ item: 2, status: 'failed' },
				{ item: 3, status: 'failed' },
				{ item: 4, status: 'skipped' },
				{ item: 5, status: 'sent' },
			]);
		},
	);

	// n8n has a text of its own for this status, about options that don't help here.
	test.each([
		['Sms', 'send', { number: people(1)[0].to, message: 'Bonjour' }],
		['Sms', 'sendByUrl', { number: people(1)[0].to, message: 'Bonjour' }],
		['SmsStats', 'account', {}],
		['SmsBlacklist', 'add', { number: people(1)[0].to }],
	] as Array<[node: string, operation: string, parameters: IDataObject]>)(
		'%s %s: the error of a 429 says what happened and what helps',
		async (node, operation, parameters) => {
			sim.faults.add({ times: Infinity, do: { kind: 'tooManyRequests', retryAfter: 0 } });
			const { error } = await runNode(of(node, operation, parameters));
			expect(error?.message).toContain('(HTTP 429)');
			expect(error?.description).toContain("'Requests per Second'");
			expect(`${error?.message} ${error?.description}`).not.toMatch(/spacing|from you/);
		},
	);
});

describe('found by histories', () => {
	test('a key that another execution is sending now is not resent as unknown', async () => {
		const once = { onceKey: '={{ $json.to }}' };
		sim.faults.add({ path: SEND, times: Infinity, do: { kind: 'delay', ms: 20 } });
		await Promise.all([
			runNode(sms('sendBatch', people(1), once)),
			runNode(sms('sendBatch', people(1), { ...once, resendUnknown: true })),
		]);
		expect(sim.messages).toHaveLength(1);
	});

	// It was called sent by every later execution: a message that nobody got and nobody heard of.
	test('a message that becomes unknown while the store is asked about another stays unknown', async () => {
		const once = { onceKey: '={{ $json.to }}', lookUpUnknown: false };
		await runNode(sms('sendBatch', people(1, 9), once));
		const lost = people(1)[0].to as string;
		let isAsked = () => {};
		const asked = new Promise<void>((resolve) => (isAsked = resolve));
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (!JSON.stringify(body).includes(lost)) return await make();
			await asked;
			throw new Error('socket hang up');
		});
		store = async (stage, { items }) => {
			if (stage === 'written' || items.join() !== 'sms-unsure') return;
			isAsked();
			await new Promise((resolve) => setTimeout(resolve, 50));
		};
		// The second item takes the place of the first, and that of the third waits meanwhile.
		const items = [...people(2), ...people(1, 9)];
		const first = await runNode(sms('sendBatch', items, { ...once, concurrency: 2 }));
		expect(statuses(first)).toEqual(['unknown', 'sent', 'skipped']);
		wires.clear();
		store = undefined;
		const second = await runNode(sms('sendBatch', items, once));
		expect(statuses(second)).toEqual(['unknown', 'skipped', 'skipped']);
	});

	const lose = (...numbers: unknown[]) => {
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if (!numbers.includes((body as { number?: string } | undefined)?.number)) {
				return await make();
			}
			throw new Error('socket hang up');
		});
	};

	// Its one confirmed key stood in for the entry that said so: what it lost was called sent for ever.
	test('a key that another worker has lost stays unknown, whatever that worker writes meanwhile', async () => {
		const once = { onceKey: '={{ $json.to }}', lookUpUnknown: false };
		const [old, lost, sent] = people(3);
		await runNode(sms('sendBatch', [old], once));
		lose(lost.to);
		const gate = () => {
			let open = () => {};
			const opened = new Promise<void>((resolve) => (open = resolve));
			return { open, opened };
		};
		const [ready, go, confirmed] = [gate(), gate(), gate()];
		let other: Promise<RunResult> | undefined;
		store = async (stage, { items }) => {
			const written = items.join();
			if (written === `sms-sent:1:${String(sent.to)}`) {
				if (stage === 'written') confirmed.open();
				else ready.open();
				await go.opened;
			} else if (stage === 'written' && written === `sms:1:${String(old.to)}`) {
				forgetModules();
				hurry();
				other = runNode(sms('sendBatch', [lost, sent], once));
				await ready.opened;
			} else if (stage === 'read' && other !== undefined && written === 'sms-unsure') {
				go.open();
				await confirmed.opened;
			}
		};
		expect(statuses(await runNode(sms('sendBatch', [old], once)))).toEqual(['skipped']);
		expect(statuses(await other!)).toEqual(['unknown', 'sent']);
		store = undefined;
		wires.clear();
		forgetModules();
		hurry();
		const later = await runNode(sms('sendBatch', [lost, sent], once));
		expect(statuses(later)).toEqual(['unknown', 'skipped']);
		expect(reached()).not.toContain(lost.to);
	});

	// The next execution relied on an entry that was gone: other workers took its keys for sent ones.
	test('a key is not called sent, where the end of the execution before could not be stored', async () => {
		const once = { onceKey: '={{ $json.to }}', lookUpUnknown: false };
		const [first, lost] = people(2);
		let isUnderWay = () => {};
		const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
		let fail = () => {};
		const failed = new Promise<void>((resolve) => (fail = resolve));
		wires.set(sim.baseUrl, async ({ body }, make) => {
			if ((body as { number?: string }).number !== lost.to) return await make();
			isUnderWay();
			await failed;
			throw new Error('socket hang up');
		});
		let next: Promise<RunResult> | undefined;
		store = async (stage, { kind, items }) => {
			if (stage === 'read' || kind !== 'remove' || items.join() !== 'sms-busy') return;
			if (next !== undefined) return;
			next = runNode(sms('sendBatch', [lost], once));
			// It is there, and waits for its turn.
			await new Promise((resolve) => setTimeout(resolve, 50));
			throw new Error('database is locked');
		};
		expect(statuses(await runNode(sms('sendBatch', [first], once)))).toEqual(['sent']);
		await underWay;
		forgetModules();
		hurry();
		const elsewhere = await runNode(sms('sendBatch', [lost], once));
		fail();
		expect(statuses(await next!)).toEqual(['unknown']);
		expect(statuses(elsewhere)).toEqual(['unknown']);
		expect(reached()).toEqual([first.to]);
	});

	// n8n drops the oldest entries: the one that says that keys may be unknown went before these keys did.
	test('an unknown key stays unknown as long as it is kept', async () => {
		const once = { onceKey: '={{ $json.to }}', lookUpUnknown: false };
		const [early, late] = people(2);
		const others = (count: number, name: string) => {
			const row = deduplicationStore.rows.get('workflow/')!;
			for (let at = 0; at < count; at++)
				row.push(`sms:1:${name}${at}`, `sms-sent:1:${name}${at}`);
			// The last 100,000 keys.
			row.splice(0, row.length - 200_000);
		};
		lose(early.to, late.to);
		await runNode(sms('sendBatch', [early], once));
		others(99_990, 'a');
		expect(statuses(await runNode(sms('sendBatch', [late], once)))).toEqual(['unknown']);
		others(100, 'b');
		wires.clear();
		expect(statuses(await runNode(sms('sendBatch', [late], once)))).toEqual(['unknown']);
		expect(reached()).toEqual([]);
	});

	// n8n reads the credential for itself before the node begins; this is about the reading of the node.
	const sealed = (count: number) => {
		let reads = 0;
		return () => {
			if (++reads >= count) throw new Error('The vault is sealed');
		};
	};

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
			}
		},
	);

	test('the error of the last try lists what an earlier one has sent', async () => {
		answer('400 code 20', { skip: 1, times: 1 });
		const options = sms('send', people(2));
		const failed = await runNode(options);
		for (const count of [1, 2, 3]) {
			const { error } = await retryExecution(failed, { ...options, onSecret: sealed(count) });
			const { accepted } = (error?.context?.data ?? {}) as {
				accepted?: unknown[];
			};
			if (accepted !== undefined) expect(accepted).toHaveLength(1);
		}
	});

	test('another treatment of characters makes no other message', async () => {
		const items = [...people(2), ...people(1, 2)].map((one) => ({ ...one, text: 'L’été' }));
		answer('400 code 20', { skip: 2, times: 1 });
		const options = sms('send', items, { unsupportedCharacters: 'replace' });
		const failed = await runNode(options);
		expect(sim.messages).toHaveLength(2);
		const before = sim.requests.length;
		const edited = sms('send', items, { unsupportedCharacters: 'keep' });
		await retryExecution(failed, options, {
			parameters: {
				...edited.parameters,
				number: "={{ $itemIndex === 2 ? '+33639980099' : $json.to }}",
			},
		});
		// Item 2 alone is another message now.
		const numbers = sim.requests
			.slice(before)
			.map((request) => (request.json() as { number: string }).number);
		expect(numbers).toEqual(['+33639980099']);
	});

	test('with Skip Duplicates, a corrected number sends nobody the same text again', async () => {
		const [one] = people(1);
		const items = [one, { ...one, to: '+33639980002' }, one];
		answer('400 code 20', { skip: 1, times: 1 });
		const options = sms('send', items, { skipDuplicates: true });
		const failed = await runNode(options);
		expect(sim.messages).toHaveLength(1);
		await retryExecution(failed, options, {
			parameters: {
				...options.parameters,
				number: "={{ $itemIndex === 0 ? '+33639980099' : $json.to }}",
			},
		});
		expect(twice()).toEqual([]);
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
			"%s: 'Resend if Unknown' sends to the test number again",
			async (operation) => {
				answer('reset, accepted', { times: 1 });
				const options = onTrial(sms(operation, people(2)));
				const failed = await runNode(options);
				expect(failed.error?.message).toContain('unknown');
				const again = await retryExecution(failed, options);
				expect(again.error?.message).toContain('unknown');
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
			expect(tried.error?.context?.data).toMatchObject({ unknown: [] });
			expect(tried.error?.message).not.toContain('unknown');
			const { error } = await retryExecution(tried, options, options);
			expect(error?.message).toContain('unknown');
			expect(reached()).toEqual(sent);
		});

		// The receipt of the item was that of the test message: the real recipient never got it.
		test('what is found of it by a look is not taken for the message itself', async () => {
			const items = people(2);
			const options = sms('send', items, { lookUpUnknown: true, resendUnknown: true });
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
});
