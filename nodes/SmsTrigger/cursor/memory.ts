import type { IDataObject } from 'n8n-workflow';
import { fingerprint } from './fingerprint';
import { followStored, heldOf, hold, type Held } from './held';
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
	/** ID of the credential in n8n. */
	credentialId: string;
	/** Host and path of the service. */
	address: string;
	key: string;
}

/** The parts of n8n's poll context that hold state. */
export interface StateStore {
	getWorkflowStaticData(type: string): IDataObject;
	getNode(): { id: string };
	getWorkflow(): { id?: string };
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
	/** What the look compares with; undefined where it begins anew. */
	state?: unknown;
}

/** How long n8n may take from reading a state to starting the poll, and to save one. Milliseconds. */
const SAVING = 5_000;

/** Static data of activations that have polled before; n8n makes a new object at each activation. */
const polledBefore = new WeakSet<object>();

/**
 * When this process last handed over events of a trigger. n8n may run several polls of a node from the
 * same stored state: those of rules that meet in one minute, those that are overdue after a restart.
 */
const handOvers = new Recent<{ id: string; turn: number; at: number }>();

/**
 * The state of the trigger in n8n's static data, as one value that is replaced and never changed in
 * place. n8n keeps it in one of three ways:
 *
 * - Usually the static data of the node *is* the state in memory, saved to the database at activation
 *   and whenever a poll emits.
 * - With n8n's scheduler for polls, each poll gets it from the database. It is saved at activation, and
 *   soon after a poll has emitted; a poll without result saves nothing. So what such polls have found is
 *   held in the memory of the process, for as long as the database has no state that is newer.
 * - With durable cursors on top of that, a poll gets a copy, which is saved with the execution that the
 *   poll starts, or by a poll without result, but never by the poll at activation. A baseline taken then
 *   would be lost, and with it what arrives until the next poll. So it is laid aside in the workflow's
 *   other static data (`global`), which n8n does save at activation, and the next poll takes it from
 *   there.
 */
export class Memory {
	private readonly data: IDataObject;
	private readonly stored: unknown;
	/** The state to go on from. */
	private readonly own: TriggerState | undefined;
	private readonly key: string;
	/** What the process held when the poll began. */
	private readonly held: Held | undefined;
	private readonly shelf: IDataObject;
	private readonly shelfKey: string;
	/** Sources whose state was found aside. */
	private readonly fromAside: string[] = [];
	/** The state when the poll began. */
	private readonly state: TriggerState;
	private readonly origin: string;
	private readonly isFirstPoll: boolean;
	private readonly began = Date.now();

	constructor(store: StateStore, { credentialId, address, key }: Account) {
		const { id: nodeId } = store.getNode();
		this.key = `${store.getWorkflow().id ?? ''}/${nodeId}`;
		this.data = store.getWorkflowStaticData('node');
		this.isFirstPoll = !polledBefore.has(this.data);
		polledBefore.add(this.data);
		this.stored = this.data.state;
		this.own = this.isStaged ? readState(this.stored) : followStored(this.key, this.stored);
		this.held = heldOf(this.key);
		const sources = this.own?.account === credentialId ? { ...this.own.sources } : {};

		this.shelf = store.getWorkflowStaticData('global');
		this.shelfKey = `smsTrigger:${nodeId}`;
		const aside = readState(this.shelf[this.shelfKey]);
		const stamp = this.own?.stamp ?? '';
		// It was laid beside this very state; another one has taken it in.
		if (aside?.account === credentialId && aside.stamp === stamp) {
			Object.assign(sources, aside.sources);
			this.fromAside.push(...Object.keys(aside.sources));
		}
		const id = this.own?.id ?? aside?.id ?? random();
		const turn = this.own?.turn ?? 0;
		this.state = { v: VERSION, id, stamp, account: credentialId, turn, sources };
		// With the state's ID, so that nobody can tell from two states that they have the same key.
		this.origin = checksum(address) + checksum(`${id} ${key}`);
	}

	/** Counts the polls that handed out events. */
	get turn(): number {
		return this.state.turn;
	}

	/** What is remembered of a source. */
	recall(source: { key: string; isState(value: unknown): boolean }): Recalled {
		const kept = this.state.sources[source.key] as SourceState | undefined;
		if (kept === undefined) {
			return this.isDamaged
				? { standing: 'damaged', kept: this.mark(null) }
				: { standing: 'new' };
		}
		const { of, state } = kept;
		if (of.slice(0, CHECKSUM) !== this.origin.slice(0, CHECKSUM)) {
			return { standing: 'elsewhere', kept };
		}
		if (!source.isState(state)) {
			return { standing: state === null ? 'lost' : 'damaged', kept: this.mark(null) };
		}
		return { standing: of === this.origin ? 'ours' : 'otherKey', kept, state };
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

	/** The poll works on a copy, which n8n keeps only if the poll doesn't fail. */
	private get isStaged(): boolean {
		// n8n marks the object whose changes it watches; a copy has no such mark.
		return !('__dataChanged' in this.data);
	}

	/** Another poll has handed over or noted its result, and this one doesn't know of it. */
	get isOvertaken(): boolean {
		const last = handOvers.get(this.key);
		if (last?.id === this.state.id && last.turn > this.turn) {
			// A time to come means that the clock was put back since.
			if (last.at > this.began - SAVING && last.at <= Date.now()) return true;
		}
		if (this.isStaged) return false;
		return this.data.state !== this.stored || heldOf(this.key) !== this.held;
	}

	/** Replaces the state by that of a poll which hands over events: n8n saves it with them. */
	keepWithEvents(sources: Record<string, SourceState>): void {
		const { id } = this.state;
		const turn = this.turn + 1;
		this.data.state = toData({ ...this.state, stamp: random(), turn, sources });
		handOvers.set(this.key, { id, turn, at: Date.now() });
		// Until n8n has saved it, what lies aside is the only state that these sources have.
		if (!this.isStaged || this.fromAside.length === 0) this.clearAside();
	}

	/**
	 * Replaces the state by that of a poll without events.
	 *
	 * @param baselines keys of the sources whose baseline this poll has taken
	 */
	keepQuietly(sources: Record<string, SourceState>, baselines: readonly string[]): void {
		// Nothing is written for a poll that found nothing.
		const { own } = this;
		const isUnchanged = own?.account === this.state.account && hasSources(own, sources);
		const next = isUnchanged ? own : { ...this.state, stamp: random(), sources };
		if (next !== this.stored) this.data.state = toData(next);
		// n8n saves what the poll at activation has found.
		if (!this.isStaged && !isUnchanged)
			hold(this.key, next, own && this.held, this.isFirstPoll);
		const keys = [...this.fromAside, ...baselines].filter((key) => key in sources);
		if (!this.isStaged || keys.length === 0) {
			this.clearAside();
		} else {
			const aside = Object.fromEntries(keys.map((key) => [key, sources[key]]));
			this.shelf[this.shelfKey] = toData({ ...this.state, sources: aside });
		}
	}

	/**
	 * Whether a poll without events may fail because sources have failed.
	 *
	 * The first poll of all may: the person who activates the workflow sees what is wrong. The first one
	 * after a restart must not: n8n tries a few times, then leaves the trigger dead. With durable
	 * cursors, a failed poll loses what the other sources have found, and n8n backs off for all of them.
	 */
	mayFail({ sources, failed, failedWholly }: Outage): boolean {
		const isFirstOfAll = this.stored === undefined && !this.own && this.fromAside.length === 0;
		if (isFirstOfAll) return failedWholly > 0;
		if (this.isStaged) return failedWholly === sources;
		return !this.isFirstPoll && failed === sources;
	}

	private clearAside(): void {
		if (this.shelf[this.shelfKey] !== undefined) delete this.shelf[this.shelfKey];
	}
}

function random(): string {
	return Math.random().toString(36).slice(2);
}

const CHECKSUM = 5;

/** 30 bits that tell one text from another, and nothing of the text. */
function checksum(text: string): string {
	return fingerprint(text).slice(0, CHECKSUM);
}
