import type { IDataObject } from 'n8n-workflow';

/** What the trigger remembers between two polls. */
export interface TriggerState {
	v: 1;
	/** Tells this state from one that was begun at another time. */
	id: string;
	/** The credential that the state belongs to: another account has other replies. */
	account: string;
	/** Counts the polls that handed out events. */
	turn: number;
	/** The state of each source by its key. */
	sources: Record<string, unknown>;
}

/** The parts of n8n's poll context that hold state. */
export interface StateStore {
	getWorkflowStaticData(type: string): IDataObject;
	getNode(): { id: string };
}

/** How long n8n may take from reading a cursor to starting the poll, and to save one. Milliseconds. */
const SAVING = 5_000;

const VERSION = 1;

/** Static data of activations that have polled before; n8n makes a new object at each activation. */
const polledBefore = new WeakSet<object>();

/**
 * When this process last handed over events of a state, by its ID. With durable cursors n8n may start
 * several polls of a node at once, all from the same cursor: those of rules that meet in one minute,
 * and after a restart those that are overdue. It saves the result of each.
 */
const handOvers = new Map<string, { turn: number; at: number }>();

/**
 * The state of the trigger in n8n's static data, as one value that is replaced and never changed in
 * place.
 *
 * n8n keeps it in one of two ways. Usually the static data of the node *is* the state in memory,
 * saved to the database at activation and whenever a poll emits. With durable cursors a poll gets a
 * copy, which is saved with the execution that the poll starts, or by a poll without result, but
 * never by the poll at activation. A baseline taken then would be lost, and with it what arrives
 * until the next poll. So it is laid aside in the workflow's other static data (`global`), which n8n
 * does save at activation, and the next poll takes it from there.
 */
export class Memory {
	private readonly data: IDataObject;
	private readonly stored: unknown;
	private readonly own: TriggerState | undefined;
	private readonly shelf: IDataObject;
	private readonly shelfKey: string;
	/** Sources whose state was found aside only. */
	private readonly fromAside: string[] = [];
	/** The state when the poll began. */
	private readonly state: TriggerState;
	private readonly isFirstPoll: boolean;
	private readonly began = Date.now();

	/** @param account the credential in use */
	constructor(store: StateStore, account: string) {
		this.data = store.getWorkflowStaticData('node');
		this.isFirstPoll = !polledBefore.has(this.data);
		polledBefore.add(this.data);
		this.stored = this.data.state;
		this.own = readState(this.stored);
		const sources = this.own?.account === account ? { ...this.own.sources } : {};

		this.shelf = store.getWorkflowStaticData('global');
		this.shelfKey = `smsTrigger:${store.getNode().id}`;
		const aside = readState(this.shelf[this.shelfKey]);
		if (aside?.account === account) {
			for (const [key, baseline] of Object.entries(aside.sources)) {
				if (key in sources && turnOf(baseline) <= turnOf(sources[key])) continue;
				sources[key] = baseline;
				this.fromAside.push(key);
			}
		}
		const id = this.own?.id ?? aside?.id ?? Math.random().toString(36).slice(2);
		this.state = { v: VERSION, id, account, turn: this.own?.turn ?? 0, sources };
	}

	/** Counts the polls that handed out events. */
	get turn(): number {
		return this.state.turn;
	}

	/** The state of a source; null where all is damaged, undefined where there is none. */
	stateOf(key: string): unknown {
		if (key in this.state.sources) return this.state.sources[key];
		return this.isDamaged ? null : undefined;
	}

	/** There is a state that can't be read: damaged, or of a later version of this node. */
	get isDamaged(): boolean {
		return this.stored !== undefined && this.own === undefined;
	}

	/** The poll works on a copy, which n8n keeps only if the poll doesn't fail. */
	private get isStaged(): boolean {
		// n8n marks the object whose changes it watches; a copy has no such mark.
		return !('__dataChanged' in this.data);
	}

	/** Another poll has handed over its result, and this one doesn't know of it. */
	get isOvertaken(): boolean {
		if (!this.isStaged) return this.data.state !== this.stored;
		const last = handOvers.get(this.state.id);
		return last !== undefined && last.turn > this.turn && last.at > this.began - SAVING;
	}

	/** Replaces the state by that of a poll which hands over events: n8n saves it with them. */
	keepWithEvents(sources: Record<string, unknown>): void {
		const { id, turn } = this.state;
		this.write({ ...this.state, turn: turn + 1, sources });
		if (this.isStaged) handOvers.set(id, { turn: turn + 1, at: Date.now() });
		// Until n8n has saved it, what lies aside is the only state that these sources have.
		if (!this.isStaged || this.fromAside.length === 0) this.clearAside();
	}

	/**
	 * Replaces the state by that of a poll without events.
	 *
	 * @param baselines keys of the sources whose baseline this poll has taken
	 */
	keepQuietly(sources: Record<string, unknown>, baselines: readonly string[]): void {
		this.write({ ...this.state, sources });
		const keys = [...this.fromAside, ...baselines].filter((key) => key in sources);
		if (!this.isStaged || keys.length === 0) {
			this.clearAside();
		} else {
			const aside = Object.fromEntries(keys.map((key) => [key, sources[key]]));
			this.shelf[this.shelfKey] = toData({ ...this.state, sources: aside });
		}
	}

	/**
	 * Whether a poll without events, but with failures, may fail.
	 *
	 * The first poll of all may: the person who activates the workflow sees what is wrong. The first one
	 * after a restart must not: n8n tries a few times, then leaves the trigger dead. With durable
	 * cursors, a failed poll loses what the other sources have found, and n8n backs off for all of them.
	 *
	 * @param isFutile no source could be looked at
	 */
	mayFail(isFutile: boolean): boolean {
		const isFirstOfAll = this.stored === undefined && this.fromAside.length === 0;
		if (isFirstOfAll) return true;
		return this.isStaged ? isFutile : !this.isFirstPoll;
	}

	/** Nothing is written for a poll that found nothing: unchanged sources are the same objects. */
	private write(next: TriggerState): void {
		const { own } = this;
		const keys = Object.keys(next.sources);
		const same =
			own?.id === next.id &&
			own.account === next.account &&
			own.turn === next.turn &&
			keys.length === Object.keys(own.sources).length &&
			keys.every((key) => own.sources[key] === next.sources[key]);
		if (!same) this.data.state = toData(next);
	}

	private clearAside(): void {
		if (this.shelf[this.shelfKey] !== undefined) delete this.shelf[this.shelfKey];
	}
}

/** States that count their polls tell which of two is newer; the others don't go aside twice. */
function turnOf(state: unknown): number {
	const { turn } = (state ?? {}) as { turn?: unknown };
	return typeof turn === 'number' ? turn : 0;
}

function toData(state: TriggerState): IDataObject {
	return state as unknown as IDataObject;
}

function readState(value: unknown): TriggerState | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { v, id, account, turn, sources } = value as Record<string, unknown>;
	return v === VERSION &&
		typeof id === 'string' &&
		typeof account === 'string' &&
		Number.isSafeInteger(turn) &&
		typeof sources === 'object' &&
		sources !== null &&
		!Array.isArray(sources)
		? (value as TriggerState)
		: undefined;
}
