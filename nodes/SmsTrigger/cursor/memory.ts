import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';
import { fingerprint } from './fingerprint';
import { Recent } from './Recent';
import {
	hasSources,
	readState,
	toData,
	VERSION,
	type SourceState,
	type TriggerState,
} from './state';

/** Where the service is and who is asking. */
export interface Account {
	/** Host and path of the service. */
	address: string;
	key: string;
}

/** The parts of n8n's poll context that hold state. */
export interface StateStore {
	getWorkflowStaticData(type: string): IDataObject;
	getNode(): { id: string };
	getWorkflow(): { id?: string };
	getActivationMode(): WorkflowActivateMode;
}

/** Which trigger it is, whatever its node is called. */
export function triggerId(store: Pick<StateStore, 'getNode' | 'getWorkflow'>): string {
	return `${store.getWorkflow().id ?? ''}/${store.getNode().id}`;
}

/** How many sources a poll has looked at, and how many of them failed, at least partly or wholly. */
export interface Outage {
	sources: number;
	failed: number;
	failedWholly: number;
}

/** How what is remembered of a source stands to the account that is asked now. */
export type Standing =
	/** Nothing is remembered. */
	| 'new'
	/** It belongs to this account. */
	| 'ours'
	/** Read with another key at the same address: a new key of the same account, or another account. */
	| 'otherKey'
	/** The same, and other sources have shown that it is a new key of the same account. */
	| 'vouched'
	/** Read at another address. */
	| 'elsewhere'
	/** It can't be read. */
	| 'damaged'
	/** It could not be read before, and somebody was told so. */
	| 'lost';

/** What is remembered of a source. */
export interface Recalled {
	standing: Standing;
	/** What stays remembered where the look at the source fails. */
	kept?: SourceState;
	/** What the look compares with; undefined where it takes a new baseline. */
	state?: unknown;
}

/** How long n8n may take from reading a state to starting the poll, and to save one. Milliseconds. */
const SAVING = 5_000;

/** Static data of activations that have polled before; n8n makes a new object at each activation. */
const polledBefore = new WeakSet<object>();

/** What this process knows of a trigger beyond what n8n gives it. */
interface Held {
	/** The last state that is certain to follow the stored ones: no events wait to be saved with it. */
	latest: TriggerState;
	/** n8n has given back this state, or an earlier one. */
	isStored: boolean;
}

const held = new Recent<Held>();

/**
 * When this process last handed over events of a trigger. n8n may run several polls of a node from the
 * same stored state: those of rules that meet in one minute, those that are overdue after a restart.
 */
const handOvers = new Recent<{ id: string; turn: number; at: number }>();

/**
 * The state of the trigger, as one value that is replaced and never changed in place. It belongs to the
 * node's ID, whatever the node is called. n8n keeps it in one of three ways:
 *
 * - Usually n8n stores the static data of a node under the node's name. So the state lies in that of the
 *   workflow (`global`), under the node's ID. What n8n gives *is* the data in memory, saved to the database
 *   at activation and whenever a poll emits.
 * - With n8n's scheduler for polls it lies there as well, and each poll gets it from the database. It is
 *   saved at activation, and soon after a poll has emitted; a poll without result saves nothing. So what
 *   such polls have found is held in the memory of the process, for as long as the database has no state
 *   that is newer.
 * - With durable cursors on top of that, n8n keeps the static data of a node under its ID. A poll gets a
 *   copy, which is saved with the execution that the poll starts, or by a poll without result, but never by
 *   the poll at activation. A baseline taken then would be lost, and with it what arrives until the next
 *   poll. So it is laid aside in `global`, which n8n does save at activation, and the next poll takes it
 *   from there.
 */
export class Memory {
	private readonly shelf: IDataObject;
	private readonly shelfKey: string;
	/** The static data that has the state, and its name there. */
	private readonly data: IDataObject;
	private readonly name: string;
	/** The poll works on a copy, which n8n keeps only if the poll doesn't fail. */
	private readonly isStaged: boolean;
	private readonly stored: unknown;
	/** The state to go on from. */
	private readonly own: TriggerState | undefined;
	private readonly key: string;
	/** What the process held when the poll began. */
	private readonly held: Held | undefined;
	/** Sources whose state was found aside. */
	private readonly fromAside: string[];
	/** The state when the poll began. */
	private readonly state: TriggerState;
	/** Checksums: of where the service is, and of that together with the API key. */
	private readonly address: string;
	private readonly origin: string;
	private readonly isFirstPoll: boolean;
	/** There is no state at all. */
	readonly isNew: boolean;
	/** Nor is the trigger new: its state was taken away, or the workflow was brought here without it. */
	readonly isEmptied: boolean;
	private readonly began = Date.now();

	constructor(store: StateStore, { address, key }: Account) {
		const { id: nodeId } = store.getNode();
		this.key = triggerId(store);
		this.shelf = store.getWorkflowStaticData('global');
		this.shelfKey = `smsTrigger:${nodeId}`;
		const data = store.getWorkflowStaticData('node');
		this.isFirstPoll = !polledBefore.has(data);
		polledBefore.add(data);
		// n8n marks the object whose changes it watches; a copy has no such mark.
		this.isStaged = !('__dataChanged' in data);
		[this.data, this.name] = this.isStaged ? [data, 'state'] : [this.shelf, this.shelfKey];
		this.stored = this.data[this.name];
		const stored = readState(this.stored);
		this.own = this.isStaged ? stored : this.follow(stored);
		this.held = held.get(this.key);

		const aside = this.isStaged ? this.findAside() : undefined;
		this.fromAside = Object.keys(aside?.sources ?? {});
		this.isNew = this.stored === undefined && (this.own ?? aside) === undefined;
		const isBrought = ['init', 'leadershipChange'].includes(store.getActivationMode());
		this.isEmptied = this.isNew && (this.held !== undefined || isBrought);
		const before = this.own ?? aside;
		// A state that is put back later is older than what begins now.
		const { id = random(), turn = -1, served } = before ?? this.held?.latest ?? {};
		// What another main instance of n8n has saved since is known here, too.
		const others = stored?.id === id && stored.turn === turn ? stored.sources : {};
		const sources = { ...others, ...this.own?.sources, ...aside?.sources };
		const state = { v: VERSION, id, turn: before ? turn : turn + 1, sources } as const;
		this.state = served === undefined ? state : { ...state, served };
		// With the state's ID, so that nobody can tell from two states that they have the same key.
		this.address = checksum(address);
		this.origin = this.address + checksum(`${id} ${key}`);
	}

	/** The state to continue from: the stored one, or what this process holds, which follows it. */
	private follow(stored: TriggerState | undefined): TriggerState | undefined {
		const before = held.get(this.key);
		if (stored === undefined) {
			// If n8n no longer has a state, the trigger takes a new baseline, once.
			const isGone = this.stored === undefined && before?.isStored;
			return isGone ? undefined : before?.latest;
		}
		const isOlder = before?.latest.id === stored.id && before.latest.turn >= stored.turn;
		const latest = isOlder ? before.latest : stored;
		if (latest !== before?.latest || !before.isStored) {
			held.set(this.key, { latest, isStored: true });
		}
		return latest;
	}

	/** What the poll at activation has laid beside this very state; another one has taken it in. */
	private findAside(): TriggerState | undefined {
		const aside = readState(this.shelf[this.shelfKey]);
		const { id = aside?.id, turn = 0 } = this.own ?? {};
		const isBeside = aside?.id === id && aside?.turn === turn;
		return isBeside || this.stored === undefined ? aside : undefined;
	}

	/** Counts the hand-overs; where n8n saves those as well, the polls without events. */
	get turn(): number {
		return this.state.turn;
	}

	/** Key of the source that was served last. */
	get served(): string | undefined {
		return this.state.served;
	}

	/** What is remembered of a source. */
	recall(source: { key: string; isState(value: unknown): boolean }): Recalled {
		let kept = this.state.sources[source.key] as SourceState | undefined;
		if (this.isDamaged) kept ??= this.mark(undefined);
		if (this.isEmptied) kept ??= this.mark(null);
		if (kept === undefined) return { standing: 'new' };
		const { of, state } = kept;
		if (!source.isState(state)) {
			return { standing: state === null ? 'lost' : 'damaged', kept: this.mark(null) };
		}
		if (!of.startsWith(this.address)) return { standing: 'elsewhere', kept };
		if (of.startsWith(this.origin)) return { standing: 'ours', kept, state };
		return { standing: of.endsWith(this.origin) ? 'vouched' : 'otherKey', kept, state };
	}

	/** A state that other sources have shown to be of the account that is asked now. */
	vouch({ of, state }: SourceState): SourceState {
		return { of: of.slice(0, this.origin.length) + this.origin, state };
	}

	/** A state that belongs to the account that is asked now. */
	mark(state: unknown): SourceState {
		return { of: this.origin, state };
	}

	/** There is a state that can't be read. */
	private get isDamaged(): boolean {
		return this.stored !== undefined && this.own === undefined;
	}

	/** The version that wrote a state that can't be read, where it is a later one than this. */
	get laterVersion(): number | undefined {
		const { v } = (this.stored ?? {}) as { v?: unknown };
		return this.isDamaged && typeof v === 'number' && v > VERSION ? v : undefined;
	}

	/** Another poll has handed over or noted its result, and this one doesn't know of it. */
	get isOvertaken(): boolean {
		const last = handOvers.get(this.key);
		if (last?.id === this.state.id && last.turn > this.turn) {
			// A time to come means that the clock was put back since.
			if (last.at > this.began - SAVING && last.at <= Date.now()) return true;
		}
		if (this.isStaged) return false;
		return this.data[this.name] !== this.stored || held.get(this.key) !== this.held;
	}

	/** Replaces the state by that of a poll which hands over events: n8n saves it with them. */
	keepWithEvents(sources: Record<string, SourceState>, served: string | undefined): void {
		const { id } = this.state;
		const turn = this.turn + 1;
		this.data[this.name] = toData({ ...this.state, turn, served, sources });
		handOvers.set(this.key, { id, turn, at: Date.now() });
		// Until n8n has saved it, what lies aside is the only state that these sources have.
		if (this.fromAside.length === 0) this.clearAside();
	}

	/**
	 * Replaces the state by that of a poll without events.
	 *
	 * @param baselines keys of the sources whose baseline this poll has taken
	 */
	keepQuietly(sources: Record<string, SourceState>, baselines: readonly string[]): void {
		// Nothing is written for a poll that found nothing.
		const { own } = this;
		const isUnchanged = own !== undefined && hasSources(own, sources);
		const turn = this.isStaged ? this.turn + 1 : this.turn;
		const next = isUnchanged ? own : { ...this.state, turn, sources };
		if (next !== this.stored) this.data[this.name] = toData(next);
		if (!this.isStaged && !isUnchanged) {
			const isStored = own !== undefined && this.held?.isStored === true;
			held.set(this.key, { latest: next, isStored });
		}
		const keys = [...this.fromAside, ...baselines].filter((key) => key in sources);
		if (keys.length === 0 && !this.isNew) this.clearAside();
		else if (this.isStaged) {
			const aside = Object.fromEntries(keys.map((key) => [key, sources[key]]));
			this.shelf[this.shelfKey] = toData({ ...this.state, sources: aside });
		}
	}

	/**
	 * Whether a poll without events may fail because sources have failed.
	 *
	 * The first poll of all may: the person who publishes the workflow sees what is wrong. The first one
	 * after a restart must not: n8n tries a few times, then leaves the trigger dead. With durable
	 * cursors, a failed poll loses what the other sources have found, and n8n backs off for all of them.
	 */
	mayFail({ sources, failed, failedWholly }: Outage): boolean {
		if (this.isNew && !this.isEmptied) return failedWholly > 0;
		if (this.isStaged) return failedWholly === sources;
		return !this.isFirstPoll && failed === sources;
	}

	private clearAside(): void {
		const isThere = this.isStaged && this.shelf[this.shelfKey] !== undefined;
		if (isThere) delete this.shelf[this.shelfKey];
	}
}

function random(): string {
	return Math.random().toString(36).slice(2);
}

/** 30 bits that tell one text from another, and nothing of the text. */
function checksum(text: string): string {
	return fingerprint(text).slice(0, 5);
}
