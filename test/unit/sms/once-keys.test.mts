/** The guard of the once keys and their store: a key that is claimed, sent, unknown or free (design, guarantee 6). */
import type { IExecuteFunctions } from 'n8n-workflow';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyStore, sentKeys } from '../../../nodes/Sms/KeyStore.ts';
import { onceKeys } from '../../../nodes/Sms/onceKeys.ts';
import { STORE_TIMING } from '../../../nodes/Sms/storeTiming.ts';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Client } from '../../../nodes/shared/run/client.ts';
import type { End } from '../../../nodes/shared/run/guards.ts';
import type { OpenEntry, RunInfo } from '../../../nodes/shared/run/operation.ts';
import { unknownBefore, type Outcome } from '../../../nodes/shared/run/outcome.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { DeduplicationStore } from '../../engine/store.mts';
import { useVirtualTime } from './clock.mts';
import { helpersOf } from './store.mts';

const FATES = {
	accepted: { status: 'done', value: {} },
	'not sent': { ...unknownBefore('refused'), status: 'notSent' },
	unknown: unknownBefore(),
} satisfies Record<string, Outcome>;
type Fate = keyof typeof FATES;

let n8n: DeduplicationStore;
/** A process remembers by workflow what it knows: another one for each test. */
let workflowId = '';
let workflows = 0;
beforeEach(() => {
	n8n = new DeduplicationStore();
	workflowId = `workflow-${++workflows}`;
});
useVirtualTime();

/** Lets everything happen that is ready, short waits included. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Until something is the case, for virtual minutes at most. */
async function until(isSo: () => boolean): Promise<void> {
	for (let turn = 0; turn < 100 && !isSo(); turn++) await settled();
	expect(isSo()).toBe(true);
}

/** The part of n8n's context that the guard asks for, in this process or another one. */
function contextOf({ nodes = [] as object[], process = '' } = {}): IExecuteFunctions {
	return {
		helpers: helpersOf(n8n, workflowId),
		getWorkflow: () => ({ id: workflowId + process }),
		getNode: () => ({ id: 'node' }),
		workflow: { nodes: Object.fromEntries(nodes.entries()) },
	} as unknown as IExecuteFunctions;
}

/** Begins a run of one message for each key; tells what the guard has answered so far. */
function begin(keys: Array<string | undefined>, more: Partial<RunInfo> = {}) {
	const info = { execution: contextOf(), items: keys.length, options: {}, dryRun: undefined };
	const { looks, claims } = onceKeys({ ...info, ...more });
	const answers = keys.map(() => 'waits');
	const passed = new Set<OpenEntry>();
	const entries = keys.map(
		(onceKey, index): OpenEntry => ({
			...{ index, item: {} as Item, identity: {}, outcome: undefined, showsOnly: false },
			prepared: { onceKey },
		}),
	);
	let isStopped = false;
	const end: End = (entry, outcome) => (entry.outcome = outcome);
	const check = async (entry: OpenEntry) => {
		try {
			const refusal = entry.outcome ?? (await claims?.claim(entry, () => isStopped));
			if (refusal === undefined) passed.add(entry);
			const { reason, message = reason } = (refusal ?? {}) as Record<string, string>;
			return refusal === undefined ? 'goes' : `${refusal.status}: ${message}`;
		} catch (error) {
			return `fails: ${(error as Error).message}`;
		}
	};
	let lastAnswer = 0;
	const all = (async () => {
		for (const guard of [...looks, ...(claims ? [claims] : [])])
			await guard.begin(entries, { concurrency: 10 } as Client, end);
		await Promise.all(
			entries.map(
				async (entry, at) =>
					void ((answers[at] = await check(entry)), (lastAnswer = performance.now())),
			),
		);
	})();
	const settle = (fate: Fate, count = Infinity) => {
		for (const entry of [...passed].slice(0, count)) {
			passed.delete(entry);
			claims?.done(entry, FATES[fate]);
		}
	};
	return {
		texts: answers,
		lastAnswer: () => lastAnswer,
		/** One word for each. */
		answers: async () => {
			await settled();
			return answers.map((answer) => answer.split(':')[0]);
		},
		settle,
		stop: () => (isStopped = true),
		/** Ends when all items have an answer. */
		end: async (fate?: Fate) => {
			const end = all.then(() => 'all');
			while (fate !== undefined && (await Promise.race([end, settled()])) !== 'all') {
				settle(fate);
			}
			await end;
			if (fate !== undefined) settle(fate);
			return await claims?.close();
		},
	};
}

/** One whole run. @returns what became of each message */
async function play(keys: string[], fate: Fate): Promise<string[]> {
	const run = begin(keys);
	expect(await run.end(fate)).toBeUndefined();
	return await run.answers();
}

let processes = 0;
/** The store as a process has it that knows nothing yet. */
function storeElsewhere(items = 1): KeyStore {
	const owner = { workflowId: `${workflowId}/${++processes}`, nodeId: 'node' };
	return new KeyStore(helpersOf(n8n, workflowId), owner, items);
}
async function stateOf(...keys: string[]): Promise<string[]> {
	return await statesIn(storeElsewhere(), ...keys);
}
async function statesIn(store: KeyStore, ...keys: string[]): Promise<string[]> {
	const { free, sent } = await store.look(keys);
	return keys.map((key) => (free.has(key) ? 'free' : sent.has(key) ? 'sent' : 'claimed'));
}
const row = () => n8n.rows.get(`${workflowId}/node`) ?? [];
const keys = (count: number, name = 'key') =>
	Array.from({ length: count }, (_, at) => `${name}-${at}`);

test.each<[before: Fate | undefined, own: Fate, answer: string, then: string]>([
	[undefined, 'accepted', 'goes', 'sent'],
	[undefined, 'not sent', 'goes', 'free'],
	[undefined, 'unknown', 'goes', 'claimed'],
	['not sent', 'accepted', 'goes', 'sent'],
	['accepted', 'not sent', 'skipped', 'sent'],
	['unknown', 'accepted', 'unknown', 'claimed'],
])('before: %s; then %s: it %s, and is %s', async (before, own, answer, then) => {
	if (before !== undefined) await play(['a'], before);
	expect(await play(['a'], own)).toEqual([answer]);
	expect(await stateOf('a')).toEqual([then]);
});

test('takes two entries in the end, and none if nothing was sent', async () => {
	await play(keys(3), 'accepted');
	await play(keys(3, 'other'), 'not sent');
	expect(row()).toHaveLength(6);
});

// After a kill, the messages of claimed keys are unknown, most of them not begun.
test('keys are claimed in parts, and what was sent is known in time', async () => {
	const run = begin(keys(2_000));
	expect((await run.answers()).filter((answer) => answer === 'goes')).toHaveLength(500);
	run.settle('accepted', 2);
	await new Promise((resolve) => setTimeout(resolve, 1.5 * STORE_TIMING.latestWrite));
	await settled();
	expect(await stateOf('key-0', 'key-1', 'key-2', 'key-1999')).toEqual([
		...['sent', 'sent', 'claimed', 'free'],
	]);
	expect(await run.end('accepted')).toBeUndefined();
	expect(new Set(await run.answers())).toEqual(new Set(['goes']));
	expect(new Set(await stateOf(...keys(2_000)))).toEqual(new Set(['sent']));
});

describe('a run that is stopped', () => {
	test('claims nothing more, and leaves the others as they were', async () => {
		await play(keys(3, 'old'), 'accepted');
		const run = begin([...keys(900), ...keys(3, 'old')]);
		await run.answers();
		run.stop();
		expect(await run.end('not sent')).toBeUndefined();
		const answers = await run.answers();
		expect(answers.slice(500, 900)).toEqual(Array(400).fill('notSent'));
		expect(answers.slice(900)).toEqual(Array(3).fill('skipped'));
		expect(await stateOf('old-0', 'key-0', 'key-899')).toEqual(['sent', 'free', 'free']);
	});

	test('stops waiting for the key of another execution', async () => {
		const first = begin(['a']);
		await first.answers();
		const second = begin(['a']);
		second.stop();
		await second.end('accepted');
		expect(await second.answers()).toEqual(['notSent']);
		await first.end('accepted');
	});
});

describe('two executions at the same moment', () => {
	test.each<[Fate, string, string]>([
		['accepted', 'skipped', 'sent'],
		['not sent', 'goes', 'sent'],
		['unknown', 'unknown', 'claimed'],
	])('the second one waits for the first: %s, then it %s', async (fate, answer, then) => {
		const first = begin(['a']);
		expect(await first.answers()).toEqual(['goes']);
		const second = begin(['a', 'own']);
		const end = second.end('accepted');
		await first.end(fate);
		await end;
		expect(await second.answers()).toEqual([answer, 'goes']);
		expect(await stateOf('a', 'own')).toEqual([then, 'sent']);
	});

	test('for five seconds, and then changes nothing', async () => {
		const first = begin(['a', 'b']);
		await first.answers();
		const begun = performance.now();
		const second = begin(['b']);
		await second.end('not sent');
		expect(await second.answers()).toEqual(['unknown']);
		expect(second.lastAnswer() - begun).toBeGreaterThanOrEqual(STORE_TIMING.sending);
		expect(second.lastAnswer() - begun).toBeLessThan(STORE_TIMING.sending + 3_000);
		await first.end('accepted');
		expect(await stateOf('a', 'b')).toEqual(['sent', 'sent']);
	});

	test('a key is another one in another workflow and another node', async () => {
		await play(['a'], 'accepted');
		for (const [workflow, node] of [
			['another', 'node'],
			[workflowId, 'another'],
		]) {
			const owner = { workflowId: workflow, nodeId: node };
			const helpers = helpersOf(n8n, workflow, node);
			const store = new KeyStore(helpers, owner, 1);
			expect([...(await store.claim(['a']))]).toEqual(['a']);
		}
	});
});

// Each line is what a process left that was killed while it asked.
test.each<[left: string[], then: string]>([
	[['claimed'], 'claimed'],
	[['claimed', 'asked'], 'claimed'],
	[['claimed', 'sent', 'asked'], 'claimed'],
	[['claimed', 'sent'], 'sent'],
])('a row that holds %j: it is %s', async (left, then) => {
	n8n.rows.set(
		`${workflowId}/node`,
		left.map((what) => `sms:2:${what}:a`),
	);
	expect(await stateOf('a')).toEqual([then]);
	expect(await stateOf('a')).toEqual([then]);
	expect([...(await storeElsewhere().claim(['a']))]).toEqual([]);
});

test('what an asker left that was killed does not hide that the message was sent', async () => {
	const run = begin(['a']);
	await run.answers();
	row().push('sms:2:sent:a', 'sms:2:asked:a');
	await run.end('accepted');
	expect(await stateOf('a')).toEqual(['sent']);
	expect(row()).toHaveLength(2);
});

test('a dry run tells what the next run would do, and leaves the store as it was', async () => {
	await play(['sent'], 'accepted');
	await play(['lost'], 'unknown');
	const before = [...row()];
	const dryRun = { isTest: false } as RunInfo['dryRun'];
	const run = begin(['sent', 'lost', 'free', undefined], { dryRun });
	await run.end();
	expect(await run.answers()).toEqual(['skipped', 'unknown', 'goes', 'goes']);
	expect(row()).toEqual(before);
});

describe('a process remembers which keys were sent', () => {
	test('and asks the store nothing', async () => {
		await play(keys(3), 'accepted');
		let calls = 0;
		n8n.onCall = () => void calls++;
		const run = begin(keys(3));
		await run.end('accepted');
		expect(await run.answers()).toEqual(Array(3).fill('skipped'));
		expect(calls).toBe(0);
	});

	test('not where n8n could not write it down; 100,000 of them at most', async () => {
		const store = storeElsewhere();
		n8n.failure = new Error('full disk');
		await expect(store.markSent(['a'])).rejects.toThrow('full disk');
		n8n.failure = undefined;
		expect([...(await store.claim(['a']))]).toEqual(['a']);
		sentKeys.clear();
		await store.markSent(keys(100_001));
		expect(sentKeys.size).toBeLessThanOrEqual(100_000);
		sentKeys.clear();
	});
});

describe('a full store', () => {
	const fill = (count: number) => {
		const entries = keys(count, 'old').flatMap((key) => [
			`sms:2:claimed:${key}`,
			`sms:2:sent:${key}`,
		]);
		n8n.rows.set(`${workflowId}/node`, entries);
	};

	test.each([
		[50_000, 1, 'sent'],
		[60_000, 60_000, 'sent'],
		[60_000, 1, 'free'],
	])('of %i keys keeps as many as it should: run of %i items', async (count, items, oldest) => {
		fill(count);
		await storeElsewhere(items).claim(['new']);
		expect(await statesIn(storeElsewhere(items), 'old-0', `old-${count - 1}`)).toEqual([
			oldest,
			'sent',
		]);
	});

	test('forgets no key because 4,000 others are asked for', async () => {
		fill(50_000);
		await storeElsewhere().findSent(keys(4_000, 'old'));
		expect(await stateOf('old-0')).toEqual(['sent']);
	});

	test('n8n compares no more than four million entries in a call', async () => {
		fill(50_000);
		let most = 0;
		n8n.onCall = ({ kind, items }) => {
			if (kind === 'remove') most = Math.max(most, items.length * row().length);
		};
		await storeElsewhere().findSent(keys(1_000, 'old'));
		expect(most).toBeGreaterThan(0);
		expect(most).toBeLessThanOrEqual(4_100_000);
	});
});

describe('a store that fails', () => {
	test('before anything was claimed: nothing is sent, and it is said why', async () => {
		n8n.failure = new Error('no database');
		const run = begin(keys(3));
		await run.end('accepted');
		for (const text of run.texts) expect(text).toMatch(/^(fails|notSent): .*no database/);
	});

	test('later: only messages whose keys were claimed are sent', async () => {
		const run = begin(keys(900));
		await run.answers();
		n8n.failure = new Error('no database');
		expect(await run.end('accepted')).toMatch(/no database.*unknown/);
		const answers = await run.answers();
		expect(answers.slice(0, 500)).toEqual(Array(500).fill('goes'));
		expect(answers).not.toContain('waits');
		n8n.failure = undefined;
		expect(await stateOf('key-0', 'key-899')).toEqual(['claimed', 'free']);
	});

	// Otherwise, messages that were sent are unknown for good.
	test('for a moment, when messages are sent: they are written down later', async () => {
		const run = begin(keys(3));
		await run.answers();
		n8n.failure = new Error('database is locked');
		run.settle('accepted', 2);
		let failures = 0;
		const { failure } = n8n;
		Object.defineProperty(n8n, 'failure', {
			get: () => (failures++, failure),
			configurable: true,
		});
		await until(() => failures > 10);
		await new Promise((resolve) => setTimeout(resolve, 2 * STORE_TIMING.latestWrite));
		Object.defineProperty(n8n, 'failure', { value: undefined, writable: true });
		expect(await run.end('not sent')).toBeUndefined();
		expect(await stateOf(...keys(3))).toEqual(['sent', 'sent', 'free']);
	});

	// It may be free already, and another execution may have claimed it.
	test('when a key is set free: it is not set free again', async () => {
		const run = begin(['a', 'b']);
		await run.answers();
		let removals = 0;
		n8n.onCall = ({ kind }, stage) => {
			if (kind !== 'remove' || stage !== 'written') return;
			removals++;
			throw new Error('connection lost');
		};
		run.settle('not sent', 1);
		await until(() => removals === 2);
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		n8n.onCall = undefined;
		const other = begin(['a'], { execution: contextOf({ process: ', another' }) });
		expect(await other.answers()).toEqual(['goes']);
		expect(await run.end('accepted')).toMatch(/connection lost/);
		expect(await stateOf('a', 'b')).toEqual(['claimed', 'sent']);
		await other.end('accepted');
		expect(await stateOf('a')).toEqual(['sent']);
	});

	test('writes and waits for nothing when the run has ended', async () => {
		await play(keys(3), 'accepted');
		await settled();
		expect(vi.getTimerCount()).toBe(0);
	});
});

describe('where keys cannot be kept', () => {
	test('in a tool without a store: refused, except for messages without a key', async () => {
		await expect(begin(['a'], { execution: undefined }).end()).rejects.toThrow(InputError);
		await begin([undefined], { execution: undefined }).end();
	});

	const other = { name: 'Only New', type: 'n8n-nodes-base.removeDuplicates' };
	const workflow = { options: { scope: 'workflow' } };
	test.each<[string, object, boolean]>([
		['with the scope Workflow', { parameters: workflow }, true],
		['with the scope Node', { parameters: { options: { scope: 'node' } } }, false],
		['without a scope', { parameters: {} }, false],
		['that is deactivated', { parameters: workflow, disabled: true }, false],
	])('beside a Remove Duplicates node %s', async (_, node, isRefused) => {
		const run = begin(['a'], { execution: contextOf({ nodes: [{ ...other, ...node }] }) });
		if (isRefused) await expect(run.end()).rejects.toThrow("'Only New' shares n8n's store");
		else await run.end('accepted');
	});

	test('where such a node has made the row of the lock: it is said what to do', async () => {
		n8n.rows.set(`${workflowId}/`, ['its item']);
		const run = begin(['a']);
		await run.end('accepted');
		expect(run.texts[0]).toMatch(/Keep Items Where/);
	});
});
