import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { fingerprint } from '../shared/fingerprint';

const VERSION = 2;

/** The memory of a trigger between two polls. It is replaced, never changed in place. */
export interface TriggerState {
	v: typeof VERSION;
	/** Random, and part of each fingerprint: nobody can look numbers up in a table made in advance. */
	salt: string;
	/** Polls so far that handed out events. Part of event IDs: a repeated poll makes the same ones. */
	turn: number;
	/** When it was made, in milliseconds; of two states with the same turn, the later one counts. */
	at: number;
	/** By the source's key. */
	sources: Record<string, SourceState>;
}

/** The state of one source, with fingerprints of the address and the API key that it was read with. */
export interface SourceState {
	address: string;
	key: string;
	state: unknown;
}

/**
 * Where n8n keeps the state. As n8n is installed, that is the static data of the workflow, under the node's ID: the
 * static data of a node goes by its name. With durable cursors it is that of the node: a copy, without n8n's mark of
 * watched data, which n8n saves together with the execution. It doesn't save the copy of an activation that finds
 * nothing, so that baselines go to the workflow's static data as well.
 */
function placesOf(context: IPollFunctions): Array<{ data: IDataObject; name: string }> {
	const own = context.getWorkflowStaticData('node');
	const ofWorkflow = {
		data: context.getWorkflowStaticData('global'),
		name: `smsTrigger:${context.getNode().id}`,
	};
	return '__dataChanged' in own ? [ofWorkflow] : [{ data: own, name: 'state' }, ofWorkflow];
}

/**
 * The newest state that n8n or this process has. n8n's scheduler doesn't save polls without events, and a workflow
 * that is saved or restored brings back an older state.
 */
export function readState(
	context: IPollFunctions,
	{ latest, salt }: { latest?: TriggerState; salt: string },
) {
	const stored = placesOf(context).map(({ data, name }) => data[name]);
	const [newest] = [...stored, latest]
		.filter(isState)
		.sort((a, b) => b.turn - a.turn || b.at - a.at);
	const isEmpty = stored.every((value) => value === undefined);
	return {
		state: newest ?? { v: VERSION, salt, turn: 0, at: 0, sources: {} },
		/** Nothing was remembered: the trigger begins. */
		isNew: newest === undefined && isEmpty,
		/** Something was, which this version can't read. */
		isUnreadable: newest === undefined && !isEmpty,
	};
}

/**
 * Replaces the state where anything has changed. n8n saves it at activation and with events.
 *
 * @param hasEvents the poll hands out events
 * @returns the state after the poll
 */
export function keepState(
	context: IPollFunctions,
	before: TriggerState,
	sources: TriggerState['sources'],
	hasEvents: boolean,
): TriggerState {
	const keys = Object.keys(sources);
	const isUnchanged =
		keys.length === Object.keys(before.sources).length &&
		keys.every((name) => {
			const { address, key, state } = sources[name];
			const old = before.sources[name];
			return old?.state === state && old.address === address && old.key === key;
		});
	const after: TriggerState = {
		...before,
		turn: hasEvents ? before.turn + 1 : before.turn,
		// The clock may have been put back.
		at: Math.max(before.at + 1, Date.now()),
		sources,
	};
	const state = isUnchanged && !hasEvents ? before : after;
	for (const { data, name } of placesOf(context)) {
		if (data[name] !== state) data[name] = state as unknown as IDataObject;
	}
	return state;
}

function isState(value: unknown): value is TriggerState {
	if (typeof value !== 'object' || value === null) return false;
	const { v, salt, turn, at, sources } = value as Partial<TriggerState>;
	return (
		v === VERSION &&
		typeof salt === 'string' &&
		Number.isSafeInteger(turn) &&
		Number.isSafeInteger(at) &&
		typeof sources === 'object' &&
		sources !== null &&
		Object.values(sources).every((source) => typeof source === 'object' && source !== null)
	);
}

export function randomId(): string {
	return mark(String(Math.random()), String(Math.random()));
}

/** A short text that tells one text from another, and the text to nobody without the salt. */
export function mark(salt: string, text: string): string {
	return fingerprint(salt, text) ?? '';
}
