import type { IDataObject } from 'n8n-workflow';

export const VERSION = 1;

/** What the trigger remembers between two polls. */
export interface TriggerState {
	v: typeof VERSION;
	/** Tells this state from one that was begun at another time. */
	id: string;
	/** Grows with each hand-over: of two states with the same ID, the one with the higher turn is newer. */
	turn: number;
	/** The key of the source that was served last. */
	served?: string;
	/** The state of each source by its key. */
	sources: Record<string, SourceState>;
}

/** The state of one source. */
export interface SourceState {
	/** A checksum of the address and API key with which it was read; then one of a later key of the same account. */
	of: string;
	/** null where it could not be read. */
	state: unknown;
}

/** Reads what n8n has stored; undefined where that is no state of this version. */
export function readState(value: unknown): TriggerState | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { v, id, turn, sources } = value as Record<string, unknown>;
	return v === VERSION &&
		typeof id === 'string' &&
		Number.isSafeInteger(turn) &&
		typeof sources === 'object' &&
		sources !== null &&
		Object.values(sources).every(isSourceState)
		? (value as TriggerState)
		: undefined;
}

function isSourceState(value: unknown): value is SourceState {
	if (typeof value !== 'object' || value === null) return false;
	const { of, state } = value as Record<string, unknown>;
	return typeof of === 'string' && state !== undefined;
}

/** As n8n's static data has it. */
export function toData(state: TriggerState): IDataObject {
	return state as unknown as IDataObject;
}

/** Whether a state is that of these sources already: sources that have not changed are the same objects. */
export function hasSources(
	{ sources }: TriggerState,
	others: Readonly<Record<string, SourceState>>,
): boolean {
	const keys = Object.keys(others);
	return (
		keys.length === Object.keys(sources).length &&
		keys.every((key) => {
			const { of, state } = others[key];
			return sources[key]?.of === of && sources[key].state === state;
		})
	);
}
