/**
 * Executions with once keys at the same moment, in one process and in several: the calls of n8n's store,
 * the messages and the ends of executions come in any order, calls fail, executions are stopped, and processes are
 * killed. A key is called sent only if somebody got its message, and free only if nobody can have got it (design,
 * guarantee 4). Where no call failed and nothing was killed, it is called what it is. Each call of the store is whole, and takes less time than any wait; a message may take any time.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import fc from 'fast-check';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { onceKeys } from '../../../nodes/Sms/onceKeys.ts';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Beginning, Ticket } from '../../../nodes/shared/run/admission.ts';
import type { Fate } from '../../../nodes/shared/run/outcome.ts';
import type { Client } from '../../../nodes/shared/run/client.ts';
import { TIMING } from '../../../nodes/shared/run/timing.ts';
import { SOON } from '../../engine/store.mts';

const KEYS = ['a', 'b', 'c'];
/** What becomes of a message: what the node hears of it, and whether somebody gets it. */
const FATES = {
	accepted: { heard: 'accepted', arrives: true },
	refused: { heard: 'notCarriedOut', arrives: false },
	lost: { heard: 'unknown', arrives: false },
	'answer lost': { heard: 'unknown', arrives: true },
} as const satisfies Record<string, { heard: Fate; arrives: boolean }>;
type FateName = keyof typeof FATES;

interface Execution {
	process: number;
	keys: string[];
	fates: FateName[];
	resendUnknown: boolean;
}

/** Something that happens next, or later. */
interface Event {
	process: string;
	/** Of a call of the store: fails, before it wrote or after it. */
	happen: (fails?: 'before' | 'after') => void;
	/** A call of the store. */
	isCall?: boolean;
	/** The key of a message that is under way. */
	key?: string;
}

let worlds = 0;

class World {
	private row: string[] = [];
	private lock: number | undefined;
	private readonly name = `world ${++worlds}`;
	private readonly got = new Set<string>();
	private readonly maybe = new Set<string>();
	private readonly underWay = new Set<string>();
	private readonly accepted = new Set<string>();
	private readonly killed = new Set<string>();
	private readonly stopped = new Set<string>();
	/** Nothing was killed, and no call has failed. */
	isWell = true;
	events: Event[] = [];
	readonly problems: string[] = [];

	private async call<T>(process: string, work: () => T): Promise<T> {
		return await new Promise((resolve, reject) => {
			const happen: Event['happen'] = (fails) => {
				if (this.killed.has(process)) return reject(new Error('killed'));
				if (fails !== undefined) this.isWell = false;
				const result = fails === 'before' ? undefined : work();
				if (fails === undefined) resolve(result as T);
				else reject(new Error('database is locked'));
			};
			this.add({ process, happen, isCall: true });
		});
	}

	private async moment(process: string, key?: string): Promise<void> {
		await new Promise<void>((resolve) => {
			this.add({ process, happen: () => resolve(), key });
		});
	}

	private add(event: Event): void {
		if (this.killed.has(event.process)) event.happen();
		else this.events.push(event);
	}

	private contextOf(process: string): IExecuteFunctions {
		const helpers = {
			checkProcessedAndRecord: async (items: string[] | number[], scope: string) =>
				await this.call(process, () => {
					if (scope === 'workflow') return this.raise(items as number[]);
					const added = (items as string[]).filter((item) => !this.row.includes(item));
					this.row.push(...added);
					return { new: added };
				}),
			clearAllProcessedItems: async () =>
				await this.call(process, () => (this.lock = undefined)),
			getProcessedDataCount: async () => await this.call(process, () => this.row.length),
			removeProcessed: async (items: string[]) =>
				await this.call(process, () => {
					this.row = this.row.filter((item) => !items.includes(item));
				}),
		};
		// What executions of one process know of each other is kept by workflow.
		const getWorkflow = () => ({ id: `${this.name}, process ${process}`, active: true });
		const getNode = () => ({ id: 'node' });
		return { helpers, getWorkflow, getNode } as unknown as IExecuteFunctions;
	}

	private raise(numbers: number[]): { new: number[] } {
		const { lock } = this;
		this.lock = Math.max(lock ?? 0, ...numbers);
		return { new: numbers.filter((one) => lock === undefined || one > lock) };
	}

	/** One execution, from its beginning to its end. */
	async run(
		process: string,
		{ keys, fates, resendUnknown }: Omit<Execution, 'process'>,
		isLater = false,
	) {
		await this.moment(process);
		const execution = this.contextOf(process);
		const timing = { ...TIMING, store: SOON };
		const run = { execution, items: keys.length, options: {}, timing };
		const stage = onceKeys({ ...run, looksOnly: false, isTest: false });
		const candidates = keys.map((onceKey, index) => ({
			index,
			item: {} as Item,
			identity: {},
			prepared: { onceKey, resendUnknown },
		}));
		const beginning: Beginning = { client: {} as Client, madeBefore: new Map() };
		try {
			await stage.begin?.(candidates, beginning);
		} catch {
			return;
		}
		await Promise.all(
			candidates.map(async (candidate, index) => {
				const isStopped = () => this.stopped.has(process);
				const admission = await Promise.resolve(stage.admit(candidate, isStopped)).catch(
					() => undefined,
				);
				if (admission === undefined) return;
				const isKilled = () => this.killed.has(process);
				if (isKilled()) {
					if ('ticket' in admission) admission.ticket.settle('unknown');
					return;
				}
				const key = keys[index];
				const answer = 'outcome' in admission ? admission.outcome.status : 'goes';
				this.checkHeldBack(key, answer);
				if (isLater && this.isWell) this.checkExact(key, answer);
				if (!('ticket' in admission)) return;
				const { ticket } = admission;
				if (isStopped()) return ticket.settle('notCarriedOut');
				this.checkGoing(key, ticket, resendUnknown);
				this.underWay.add(key);
				await this.moment(process, key);
				if (isKilled()) return ticket.settle('unknown');
				this.underWay.delete(key);
				const { heard, arrives } = FATES[fates[index]];
				if (arrives) this.got.add(key);
				if (heard === 'accepted') this.accepted.add(key);
				if (heard === 'unknown') this.maybe.add(key);
				ticket.settle(heard);
			}),
		);
		await stage.end?.();
	}

	private checkHeldBack(key: string, status: string): void {
		if (status === 'skipped' && !this.got.has(key)) {
			this.problems.push(`${key} is called sent, and nobody got it`);
		}
	}

	private checkExact(key: string, answer: string): void {
		const open = this.maybe.has(key) ? 'unknown' : 'goes';
		const truth = this.accepted.has(key) ? 'skipped' : open;
		if (answer !== truth) this.problems.push(`${key} is ${truth}, and called: ${answer}`);
	}

	private checkGoing(key: string, { wasUnknown = false }: Ticket, resendUnknown: boolean): void {
		const isOpen = this.got.has(key) || this.maybe.has(key) || this.underWay.has(key);
		if (!wasUnknown && isOpen) this.problems.push(`${key} is called free`);
		if (wasUnknown && (!resendUnknown || this.underWay.has(key))) {
			this.problems.push(`${key} is sent again`);
		}
	}

	/** Its executions send nothing more, those that begin later included. */
	stop(process: string): void {
		this.stopped.add(process);
	}

	/** Nothing of it has any effect any more; what was under way may have arrived. */
	kill(process: string): void {
		this.isWell = false;
		this.killed.add(process);
		const own = this.events.filter((event) => event.process === process);
		this.events = this.events.filter((event) => event.process !== process);
		for (const { key, happen } of own) {
			if (key !== undefined) {
				this.underWay.delete(key);
				this.maybe.add(key);
			}
			happen();
		}
	}

	/** Lets all happen that is left, in order. */
	async comeToAnEnd(): Promise<void> {
		for (await breath(); this.goesOn(); await breath()) this.events.shift()?.happen();
	}

	/** @returns whether something happens next; where nothing else can, time passes */
	goesOn(): boolean {
		return this.events.length > 0 || this.letTimePass();
	}

	/** While no call is under way. */
	letTimePass(): boolean {
		if (vi.getTimerCount() === 0 || this.events.some(({ isCall }) => isCall)) return false;
		vi.advanceTimersToNextTimer();
		return true;
	}
}

/** What follows from an event gets its turn. */
async function breath(): Promise<void> {
	for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => void vi.useRealTimers());

const execution: fc.Arbitrary<Execution> = fc.record({
	process: fc.nat(2),
	keys: fc.subarray(KEYS, { minLength: 1 }),
	fates: fc.array(fc.constantFrom(...(Object.keys(FATES) as FateName[])), {
		minLength: KEYS.length,
		maxLength: KEYS.length,
	}),
	resendUnknown: fc.boolean(),
});
/** Which of the events comes next, and how. */
const choice = fc.record({
	event: fc.nat(11),
	how: fc.oneof(
		{ weight: 37, arbitrary: fc.constant('well' as const) },
		{ weight: 20, arbitrary: fc.constant('time' as const) },
		{ weight: 3, arbitrary: fc.constantFrom('before', 'after', 'kill') },
		{ weight: 1, arbitrary: fc.constant('stop' as const) },
	),
});

test.each([1, 2, 3])('processes: %s', async (processes) => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(execution, { minLength: 1, maxLength: 6 }),
			fc.array(choice, { maxLength: 100 }),
			fc.boolean(),
			async (executions, choices, isWell) => {
				const world = new World();
				for (const { process, ...rest } of executions) {
					void world.run(`${process % processes}`, rest);
				}
				for (const { event, how } of choices) {
					await breath();
					if (how === 'time' && world.letTimePass()) continue;
					if (world.events.length === 0) {
						if (!world.goesOn()) break;
						continue;
					}
					if (how === 'stop') {
						world.stop(world.events[event % world.events.length].process);
						continue;
					}
					const [next] = world.events.splice(event % world.events.length, 1);
					if (isWell || how !== 'kill') {
						const fails = !isWell && (how === 'before' || how === 'after');
						next.happen(fails ? how : undefined);
						continue;
					}
					world.events.push(next);
					world.kill(next.process);
				}
				await world.comeToAnEnd();
				// What a process finds that begins when all is quiet, and the one after it.
				for (const later of ['later', 'at last']) {
					const fates: FateName[] = ['accepted', 'lost', 'refused'];
					void world.run(later, { keys: KEYS, fates, resendUnknown: false }, true);
					await world.comeToAnEnd();
				}
				if (world.problems.length > 0) throw new Error(world.problems.join('\n'));
			},
		),
		{ numRuns: 2_000 },
	);
});
