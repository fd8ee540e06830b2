/** The stage of the once keys: what is claimed, and what is put back (design, guarantee 4). */
import type { IExecuteFunctions } from 'n8n-workflow';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyStore } from '../../../nodes/Sms/KeyStore.ts';
import { onceKeys, type KeyedMessage } from '../../../nodes/Sms/onceKeys.ts';
import { StoreLock } from '../../../nodes/Sms/StoreLock.ts';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Beginning, Ticket } from '../../../nodes/shared/run/admission.ts';
import type { Open } from '../../../nodes/shared/run/entries.ts';
import type { Fate } from '../../../nodes/shared/run/outcome.ts';
import type { Client } from '../../../nodes/shared/run/client.ts';
import type { Options } from '../../../nodes/shared/service/choices.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { TIMING, type StoreTiming } from '../../../nodes/shared/run/timing.ts';
import { DeduplicationStore, SOON } from '../../engine/store.mts';
import { useVirtualTime } from './clock.mts';
import { helpersOf } from './store.mts';

let n8n: DeduplicationStore;
/** Another one for each test: what executions of one process know of each other is kept by workflow. */
let workflowId = '';
let workflows = 0;
let processes = 0;
beforeEach(() => {
	n8n = new DeduplicationStore();
	workflowId = `workflow-${++workflows}`;
});

useVirtualTime();

/** Lets what is ready happen, the store's late answers and short waits included. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The stage makes no requests. */
const BEGINNING: Beginning = { client: {} as Client, madeBefore: new Map() };

interface Wanted {
	onceKey?: string;
	resendUnknown?: boolean;
}

function candidateOf({ onceKey, resendUnknown }: Wanted, index: number): Open<KeyedMessage> {
	return { index, item: {} as Item, identity: {}, prepared: { onceKey, resendUnknown } };
}

/** What n8n gives a custom operation, as far as the stage asks for it. */
function contextOf(nodes: object[] = [], process = workflowId): IExecuteFunctions {
	return {
		helpers: helpersOf(n8n, workflowId),
		// What executions of one process know of each other is kept by workflow.
		getWorkflow: () => ({ id: process, active: true }),
		getNode: () => ({ id: 'node' }),
		workflow: { nodes: Object.fromEntries(nodes.entries()) },
	} as unknown as IExecuteFunctions;
}

/** Begins a run with these messages; says what the stage answered so far. */
function begin(
	messages: Wanted[],
	execution = contextOf(),
	looksOnly = false,
	store: StoreTiming = SOON,
	options: Options = {},
) {
	const stage = onceKeys({
		execution,
		items: messages.length,
		options,
		looksOnly,
		isTest: false,
		timing: { ...TIMING, store },
	});
	const answers: string[] = messages.map(() => 'waits');
	const tickets: Ticket[] = [];
	let isClosed = false;
	let endedAt = 0;
	const candidates = messages.map(candidateOf);
	const ready = Promise.resolve(stage.begin?.(candidates, BEGINNING));
	const underWay = candidates.map(async (candidate, position) => {
		try {
			await ready;
			const admission = await stage.admit(candidate, () => isClosed);
			if (admission !== undefined && 'outcome' in admission) {
				const { status } = admission.outcome;
				answers[position] = status;
				return;
			}
			answers[position] = 'goes';
			if (admission !== undefined && 'ticket' in admission) {
				tickets[position] = admission.ticket;
			}
		} catch (error) {
			answers[position] = `fails: ${(error as Error).message}`;
		}
	});
	return {
		answers: async () => {
			await settled();
			return answers;
		},
		tickets,
		settle: async (fate: Fate) => {
			for (const ticket of tickets) ticket?.settle(fate);
			await settled();
		},
		/** In the same moment, as one whose last message is through. */
		finish: async (fate: Fate) => {
			for (const ticket of tickets) ticket?.settle(fate);
			return await stage.end?.();
		},
		close: () => (isClosed = true),
		endedAt: () => endedAt,
		end: async () => {
			await Promise.all(underWay);
			endedAt = performance.now();
			return await stage.end?.();
		},
	};
}

const keys = (count: number, prefix = 'key'): Wanted[] =>
	Array.from({ length: count }, (_, index) => ({ onceKey: `${prefix}-${index}` }));
/** The store as an execution in a new process has it. */
const storeElsewhere = () => {
	const owner = { workflowId: `${workflowId}, process ${++processes}`, nodeId: 'node' };
	return new KeyStore(helpersOf(n8n, workflowId), owner, 1, SOON);
};
/** What the next execution would be told there. */
const stateOf = async (...names: string[]) => {
	const known = await storeElsewhere().look(names);
	return names.map((name) => known.get(name)!.state);
};

/** One whole run, in which all that go have this fate. */
async function play(messages: Wanted[], fate: Fate): Promise<string[]> {
	const run = begin(messages);
	const answers = await run.answers();
	await run.settle(fate);
	expect(await run.end()).toBeUndefined();
	return answers;
}

describe('what an earlier execution did', () => {
	const A = [{ onceKey: 'a' }];
	const AGAIN = [{ onceKey: 'a', resendUnknown: true }];

	// Before, in this execution, then: what the next one is told.
	test.each<[before: Fate | undefined, run: Wanted[], own: Fate, answer: string, then: string]>([
		[undefined, A, 'accepted', 'goes', 'sent'],
		[undefined, A, 'notCarriedOut', 'goes', 'free'],
		[undefined, A, 'unknown', 'goes', 'unknown'],
		['notCarriedOut', A, 'accepted', 'goes', 'sent'],
		['accepted', A, 'notCarriedOut', 'skipped', 'sent'],
		['accepted', AGAIN, 'notCarriedOut', 'skipped', 'sent'],
		['unknown', A, 'notCarriedOut', 'unknown', 'unknown'],
		['unknown', AGAIN, 'accepted', 'goes', 'sent'],
		['unknown', AGAIN, 'unknown', 'goes', 'unknown'],
		['unknown', AGAIN, 'notCarriedOut', 'goes', 'unknown'],
	])('%s, %j, %s: it %s; %s', async (before, messages, own, answer, then) => {
		if (before !== undefined) await play(A, before);
		expect(await play(messages, own)).toEqual([answer]);
		expect(await stateOf('a')).toEqual([then]);
	});

	test('a message that was unknown is said to be', async () => {
		await play(A, 'unknown');
		const run = begin([...AGAIN, { onceKey: 'b', resendUnknown: true }]);
		await run.answers();
		expect(run.tickets.map(({ wasUnknown }) => wasUnknown)).toEqual([true, false]);
		await run.settle('unknown');
	});
});

test('messages without a key go without the store', async () => {
	n8n.failure = new Error('no database');
	expect(await play([{}, {}], 'accepted')).toEqual(['goes', 'goes']);
});

describe('a run that is stopped', () => {
	test('claims nothing more, and what it did not claim stays as it was', async () => {
		const old = keys(3, 'old');
		await play(old, 'accepted');
		const run = begin([...keys(600), ...old]);
		const before = await run.answers();
		expect(before.filter((answer) => answer === 'goes').length).toBeLessThan(600);
		run.close();
		await run.settle('notCarriedOut');
		expect(await run.end()).toBeUndefined();
		const answers = await run.answers();
		expect(answers).not.toContain('waits');
		// This process knows them without asking.
		expect(answers.slice(-3)).toEqual(Array(3).fill('skipped'));
		expect(answers.slice(250, -3)).toEqual(Array(350).fill('notSent'));
		expect(await stateOf('old-0', 'old-1', 'old-2')).toEqual(['sent', 'sent', 'sent']);
		expect(await stateOf('key-0', 'key-599')).toEqual(['free', 'free']);
	});

	test('before it began claims nothing at all', async () => {
		const run = begin(keys(3));
		run.close();
		expect(await run.answers()).toEqual(Array(3).fill('notSent'));
		expect(await stateOf('key-0', 'key-1', 'key-2')).toEqual(Array(3).fill('free'));
	});
});

// Of keys that are claimed and not settled, it is unknown what became of their messages if the process ends.
test('keys are claimed in parts, as their messages are settled', async () => {
	const run = begin(keys(2_000));
	const goes = (await run.answers()).filter((answer) => answer === 'goes').length;
	expect(goes).toBeGreaterThan(0);
	expect(goes).toBeLessThanOrEqual(250);
	while ((await run.answers()).includes('waits')) {
		// Those that wait for their key leave holes.
		for (const ticket of run.tickets.splice(0)) ticket?.settle('accepted');
	}
	await run.settle('accepted');
	expect(await run.answers()).toEqual(Array(2_000).fill('goes'));
	expect(await run.end()).toBeUndefined();
	expect(new Set(await stateOf(...keys(2_000).map(({ onceKey }) => onceKey!)))).toEqual(
		new Set(['sent']),
	);
});

describe('a run that only looks', () => {
	test('says what the next one would hear, and claims nothing', async () => {
		await play([{ onceKey: 'sent' }], 'accepted');
		await play([{ onceKey: 'lost' }], 'unknown');
		const wanted: Wanted[] = [
			{ onceKey: 'sent' },
			{ onceKey: 'lost' },
			{ onceKey: 'lost', resendUnknown: true },
			{ onceKey: 'free' },
			{},
		];
		const before = await begin(wanted, contextOf(), true).answers();
		expect(before).toEqual(['skipped', 'unknown', 'goes', 'goes', 'goes']);
		expect(await begin(wanted, contextOf(), true).answers()).toEqual(before);
		expect(await stateOf('sent', 'lost', 'free')).toEqual(['sent', 'unknown', 'free']);
	});

	test('hears what another one is sending', async () => {
		const open = begin(keys(1));
		await open.answers();
		expect(await begin(keys(1), contextOf(), true).answers()).toEqual(['unknown']);
		await open.settle('accepted');
		await open.end();
	});

	test('fails where the store does', async () => {
		n8n.failure = new Error('no database');
		const [answer] = await begin(keys(1), contextOf(), true).answers();
		expect(answer).toMatch(/^fails: .*no database/);
	});
});

describe('a store that fails', () => {
	test('before anything was claimed: no message goes, and it is said why', async () => {
		n8n.failure = new Error('no database');
		const run = begin(keys(3));
		expect(await run.end()).toBeUndefined();
		for (const answer of await run.answers()) expect(answer).toMatch(/^fails: .*no database/);
		expect(run.tickets).toEqual([]);
	});

	test('later: what was claimed goes, what was not does not', async () => {
		const run = begin(keys(600));
		const first = (await run.answers()).filter((answer) => answer === 'goes').length;
		n8n.failure = new Error('no database');
		await run.settle('accepted');
		await run.end();
		const answers = await run.answers();
		expect(answers.filter((answer) => answer === 'goes')).toHaveLength(first);
		expect(answers.filter((answer) => /^fails/.test(answer)).length).toBeGreaterThan(0);
	});

	test('before further keys are claimed: they go, and the user hears what it does to those before', async () => {
		const run = begin(keys(260), contextOf(), false, TIMING.store);
		await run.answers();
		n8n.onCall = ({ items }) => {
			if (items.includes('sms:1:sent:key-0')) throw new Error('full disk');
		};
		await run.settle('accepted');
		expect(await run.answers()).toEqual(Array<string>(260).fill('goes'));
		for (const ticket of run.tickets.slice(250)) ticket.settle('accepted');
		expect(await run.end()).toMatch(/full disk.*unknown/);
		n8n.onCall = undefined;
		await new Promise((resolve) => setTimeout(resolve, 2 * TIMING.store.latestWrite));
		expect(await stateOf('key-0', 'key-259')).toEqual(['claimed', 'sent']);
	});

	test('when the messages are sent: the user hears that later executions call them unknown', async () => {
		const run = begin(keys(3));
		await run.answers();
		n8n.failure = new Error('no database');
		await run.settle('accepted');
		expect(await run.end()).toMatch(/no database.*unknown/);
		n8n.failure = undefined;
		expect(await stateOf('key-0')).toEqual(['claimed']);
	});
});

describe('where keys can not be kept', () => {
	test('as a tool without n8n’s store: refused, but for messages without a key', async () => {
		const beginWith = async (onceKey?: string) =>
			await onceKeys({
				execution: undefined,
				items: 1,
				options: {},
				looksOnly: false,
				isTest: false,
				timing: TIMING,
			}).begin?.([candidateOf({ onceKey }, 0)], BEGINNING);
		await expect(beginWith('a')).rejects.toThrow(InputError);
		await beginWith();
	});

	const other = { name: 'Only New', type: 'n8n-nodes-base.removeDuplicates' };
	test.each<[what: string, node: object, isRefused: boolean]>([
		['of the whole workflow', { parameters: { options: { scope: 'workflow' } } }, true],
		['of its own', { parameters: { options: { scope: 'node' } } }, false],
		['without a scope', { parameters: {} }, false],
		[
			'that is switched off',
			{ parameters: { options: { scope: 'workflow' } }, disabled: true },
			false,
		],
	])('beside a Remove Duplicates node %s', async (_, node, isRefused) => {
		const run = begin(keys(1), contextOf([{ ...other, ...node }]));
		const [answer] = await run.answers();
		if (isRefused) expect(answer).toMatch(/'Only New' shares n8n's store/);
		else expect(answer).toBe('goes');
	});

	test('where another node has made the row of the lock: said what to do, and nothing goes', async () => {
		n8n.rows.set(`${workflowId}/`, ['its item']);
		const [answer] = await begin(keys(1)).answers();
		expect(answer).toMatch(/^fails: .*Remove Duplicates.*'Workflow'/);
	});
});

describe('two executions at the same moment', () => {
	test.each<[fate: Fate, resendUnknown: boolean, then: string]>([
		['accepted', false, 'skipped'],
		['accepted', true, 'skipped'],
		['notCarriedOut', false, 'goes'],
		['unknown', false, 'unknown'],
		['unknown', true, 'goes'],
	])(
		'the second waits for the first: %s, resend %s, then it %s',
		async (fate, resendUnknown, then) => {
			const first = begin(keys(1));
			expect(await first.answers()).toEqual(['goes']);
			const second = begin([{ onceKey: 'key-0', resendUnknown }, { onceKey: 'own' }]);
			await Promise.resolve();
			await first.finish(fate);
			expect(await second.answers()).toEqual([then, 'goes']);
			await second.settle('accepted');
			await second.end();
			const last = then === 'unknown' ? 'unknown' : 'sent';
			expect(await stateOf('key-0', 'own')).toEqual([last, 'sent']);
		},
	);

	test('the first one stands still: what it has sent is known all the same', async () => {
		const first = begin(keys(3));
		expect(await first.answers()).toEqual(['goes', 'goes', 'goes']);
		for (const ticket of first.tickets.slice(0, 2)) ticket.settle('accepted');
		await new Promise((resolve) => setTimeout(resolve, 2_500));
		expect(await stateOf('key-0', 'key-1', 'key-2')).toEqual(['sent', 'sent', 'claimed']);
		first.tickets[2].settle('accepted');
		await first.end();
	});

	test.each<[resendUnknown: boolean, from: number, to: number]>([
		[false, TIMING.store.sending, 8_000],
		[true, TIMING.store.abandoned, 70_000],
	])('as long as it says, and no longer: resend %s', async (resendUnknown, from, to) => {
		const first = begin(keys(1), contextOf(), false, TIMING.store);
		expect(await first.answers()).toEqual(['goes']);
		const wanted = [{ onceKey: 'key-0', resendUnknown }];
		const second = begin(wanted, contextOf(), false, TIMING.store);
		const begun = performance.now();
		await second.end();
		expect(await second.answers()).toEqual(['unknown']);
		expect(second.endedAt() - begun).toBeGreaterThanOrEqual(from);
		expect(second.endedAt() - begun).toBeLessThan(to);
		await first.settle('accepted');
		await first.end();
	});

	test('of one process hand the lock on: none asks the database while it is still held', async () => {
		let asked = 0;
		n8n.onCall = async ({ kind }, stage) => {
			if (stage !== 'read') return;
			if (kind === 'lock') asked++;
			if (kind === 'unlock') await new Promise((resolve) => setTimeout(resolve, 60));
		};
		const locks = Array.from(
			{ length: 5 },
			() => new StoreLock(helpersOf(n8n, workflowId), workflowId, SOON),
		);
		await Promise.all(locks.map(async (lock) => await lock.hold(async () => {})));
		expect(asked).toBe(locks.length);
	});

	test('but not for long, and then changes nothing', async () => {
		const first = begin(keys(2));
		expect(await first.answers()).toEqual(['goes', 'goes']);
		const second = begin([{ onceKey: 'key-1' }, { onceKey: 'own' }]);
		await second.answers();
		expect(await second.answers()).toEqual(['unknown', 'goes']);
		await second.settle('notCarriedOut');
		await second.end();
		await first.settle('accepted');
		await first.end();
		expect(await stateOf('key-0', 'key-1', 'own')).toEqual(['sent', 'sent', 'free']);
	});

	test('of several that wait to send it again, one does', async () => {
		await play([{ onceKey: 'lost' }], 'unknown');
		const process = contextOf([], 'another process');
		const killed = begin(keys(1), process);
		expect(await killed.answers()).toEqual(['goes']);
		for (const name of Object.keys(process.helpers)) {
			Object.assign(process.helpers, { [name]: async () => await new Promise(() => {}) });
		}
		const wanted = [
			{ onceKey: 'key-0', resendUnknown: true },
			{ onceKey: 'lost', resendUnknown: true },
		];
		const several = [begin(wanted), begin(wanted), begin(wanted)];
		for (let turn = 0; turn < 20; turn++) await settled();
		const answers = await Promise.all(several.map(async (run) => await run.answers()));
		for (const at of [0, 1]) {
			const each = answers.map((answer) => answer[at]).sort();
			expect(each).toEqual(['goes', 'unknown', 'unknown']);
		}
		for (const run of several) await run.settle('accepted');
		for (const run of several) await run.end();
		expect(await stateOf('key-0', 'lost')).toEqual(['sent', 'sent']);
	});

	test('a run that is stopped stops waiting', async () => {
		const first = begin(keys(1));
		await first.answers();
		const second = begin(keys(1));
		second.close();
		expect(await second.answers()).toEqual(['notSent']);
		await first.settle('accepted');
		await first.end();
	});

	test('a run that is stopped later stops waiting within a second', async () => {
		const process = contextOf([], `another process of ${workflowId}`);
		expect(await begin(keys(1), process).answers()).toEqual(['goes']);
		for (const name of Object.keys(process.helpers)) {
			Object.assign(process.helpers, { [name]: async () => await new Promise(() => {}) });
		}
		const wanted = [{ onceKey: 'key-0', resendUnknown: true }];
		const waiting = begin(wanted, contextOf(), false, TIMING.store);
		const begun = performance.now();
		while (performance.now() - begun < 30_000) await settled();
		expect(await waiting.answers()).toEqual(['waits']);
		const stopped = performance.now();
		waiting.close();
		await waiting.end();
		expect(performance.now() - stopped).toBeLessThan(1_000);
		expect(await waiting.answers()).toEqual(['notSent']);
	});

	test.each<[fate: Fate, then: string]>([
		['accepted', 'skipped'],
		['notCarriedOut', 'goes'],
		['unknown', 'unknown'],
	])('a key is no longer under way when its message is: %s, then it %s', async (fate, then) => {
		const first = begin(keys(1));
		const other = begin(keys(1, 'other'));
		await first.answers();
		await other.answers();
		await first.settle(fate);
		await first.end();
		const third = begin(keys(1));
		expect(await third.answers()).toEqual([then]);
		await third.settle('unknown');
		await other.settle('unknown');
		for (const run of [third, other]) await run.end();
		expect(await stateOf('other-0')).toEqual(['unknown']);
	});

	test('a key that was unknown and is left alone is not under way', async () => {
		const open = begin(keys(1, 'other'));
		await open.answers();
		await play(keys(1), 'unknown');
		expect(await play(keys(1), 'unknown')).toEqual(['unknown']);
		expect(await play([{ onceKey: 'key-0', resendUnknown: true }], 'accepted')).toEqual([
			'goes',
		]);
		await open.settle('accepted');
		await open.end();
	});
});

describe('a key that is held, or was a moment ago', () => {
	/** How a run with these keys begins, in another process. */
	const beginElsewhere = (...messages: Wanted[]) =>
		begin(messages, contextOf([], `another process of ${workflowId}`));
	const AGAIN = { onceKey: 'key-0', resendUnknown: true };
	/** Until it is told; after minutes at the latest. */
	const answerOf = async (run: ReturnType<typeof begin>) => {
		let answer = 'waits';
		for (let turn = 0; turn < 20 && answer === 'waits'; turn++) [answer] = await run.answers();
		return answer;
	};

	test('is not sent again while the messages beside it take their time', async () => {
		const first = begin(keys(2));
		expect(await first.answers()).toEqual(['goes', 'goes']);
		first.tickets[0].settle('accepted');
		const second = beginElsewhere(AGAIN);
		expect(await answerOf(second)).toBe('skipped');
		first.tickets[1].settle('accepted');
		await first.end();
		await second.end();
	});

	/** Signs of life fail, until it is called. */
	const failSigns = (at: 'read' | 'written', most = Infinity) => {
		let failures = 0;
		n8n.onCall = ({ kind, items }, stage) => {
			if (failures >= most || kind !== 'record' || stage !== at) return;
			if (items.some((item) => !/^sms:1:\d+:key-0$/.test(item)) || items.length < 2) return;
			failures++;
			throw new Error('connection lost');
		};
		return () => failures;
	};

	test.each(['read', 'written'] as const)(
		'is not sent again while it is held, also if a sign of life has failed: %s',
		async (stage) => {
			const first = begin(keys(1));
			const failures = failSigns(stage, 1);
			expect(await first.answers()).toEqual(['goes']);
			while (failures() === 0) await settled();
			const second = beginElsewhere(AGAIN);
			expect(await answerOf(second)).toBe('unknown');
			await first.settle('accepted');
			await first.end();
			await second.end();
			expect(await stateOf('key-0')).toEqual(['sent']);
		},
	);

	test('is not sent again while it is held, also if somebody was killed who asked for it', async () => {
		const first = begin(keys(1));
		expect(await first.answers()).toEqual(['goes']);
		const row = n8n.rows.get(`${workflowId}/node`)!;
		// Its claim and all signs of life so far.
		const last = row.length;
		const left = ['asked', 'sent', last + 1, last + 2];
		row.push(...left.map((what) => `sms:1:${what}:key-0`));
		const second = begin([{ onceKey: 'key-0', resendUnknown: true }]);
		await second.end();
		expect(await second.answers()).toEqual(['unknown']);
		await first.settle('accepted');
		await first.end();
		expect(await stateOf('key-0')).toEqual(['sent']);
	});

	test('is not set free by one whose signs of life failed, when another one has it', async () => {
		const first = begin(keys(1));
		failSigns('read');
		expect(await first.answers()).toEqual(['goes']);
		const begun = performance.now();
		while (performance.now() - begun < 2 * SOON.abandoned) await settled();
		n8n.onCall = undefined;
		const known = (await storeElsewhere().look(['key-0'])).get('key-0')!;
		await storeElsewhere().claimAgain([{ ...known, key: 'key-0' }]);
		await first.settle('notCarriedOut');
		expect(await first.end()).toMatch(/unknown/);
		expect(await stateOf('key-0')).not.toEqual(['free']);
	});
});

// The store has room for 10,000 entries of keys that are not sent yet. At one message a second, each key takes some for
// its signs of life: too many pushed out keys that were sent.
test.each<[paced: string, options: Options]>([
	['by the user', { requestsPerSecond: 1 }],
	['by the service', {}],
	['by the service, with many places', { concurrency: 100 }],
])(
	'a run that is slow, paced %s, takes little room, and in the end that of its keys',
	async (_, options) => {
		const count = 1_000;
		const run = begin(keys(count), contextOf(), false, TIMING.store, options);
		let most = 0;
		n8n.onCall = () =>
			void (most = Math.max(most, n8n.rows.get(`${workflowId}/node`)?.length ?? 0));
		for (let gone = 0; gone < count; ) {
			await new Promise((resolve) => setTimeout(resolve, 1_000));
			const next = run.tickets[gone] as Ticket | undefined;
			if (next === undefined) continue;
			next.settle('accepted');
			gone++;
		}
		await run.end();
		console.log(`${most} entries at most`);
		expect(most).toBeLessThan(10_000);
		expect(n8n.rows.get(`${workflowId}/node`)).toHaveLength(2 * count);
	},
);

describe('a run that has ended', () => {
	/** What is written into the store within a minute. */
	const writtenLater = async () => {
		let calls = 0;
		n8n.onCall = () => void calls++;
		const begun = performance.now();
		for (let turn = 0; turn < 50 && performance.now() - begun < 60_000; turn++) await settled();
		return calls;
	};

	test('writes nothing more: the store failed while one of its keys was waited for', async () => {
		await play(keys(1, 'lost'), 'unknown');
		const other = begin(keys(1));
		expect(await other.answers()).toEqual(['goes']);
		n8n.onCall = ({ kind, items }) => {
			const isAgain = items.includes('sms:1:2:lost-0') && items.includes('sms:1:3:lost-0');
			if (kind !== 'record' || !isAgain) return;
			void other.finish('notCarriedOut');
			throw new Error('full disk');
		};
		const run = begin([{ onceKey: 'key-0' }, { onceKey: 'lost-0', resendUnknown: true }]);
		for (const answer of await run.answers()) expect(answer).toMatch(/^fails/);
		await run.end();
		await settled();
		expect(await writtenLater()).toBe(0);
		expect(await stateOf('key-0')).toEqual(['free']);
	});

	test('writes nothing more, and waits for nothing', async () => {
		await play(keys(3), 'accepted');
		expect(await writtenLater()).toBe(0);
		expect(vi.getTimerCount()).toBe(0);
	});
});

// While others are asked for, which can take long, only signs of life of what goes keep other executions away.
test('what is free goes before the rest of its claim is asked for, also if that fails', async () => {
	await play(keys(1, 'old'), 'accepted');
	let fail = () => {};
	const failed = new Promise<void>((resolve) => (fail = resolve));
	n8n.onCall = async ({ kind, items }) => {
		if (kind !== 'remove' || !items.includes('sms:1:asked:old-0')) return;
		await failed;
		throw new Error('full disk');
	};
	const elsewhere = contextOf([], `another process of ${workflowId}`);
	const run = begin([...keys(2), ...keys(1, 'old')], elsewhere);
	expect(await run.answers()).toEqual(['goes', 'goes', 'waits']);
	fail();
	expect((await run.answers()).slice(0, 2)).toEqual(['goes', 'goes']);
	expect((await run.answers())[2]).toMatch(/^fails/);
	n8n.onCall = undefined;
	await run.settle('accepted');
	await run.end();
	expect(await stateOf('key-0', 'key-1', 'old-0')).toEqual(['sent', 'sent', 'claimed']);
});
