import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { parseId } from '../shared/fields/list';
import { InputError, show } from '../shared/service/InputError';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import type { Watched } from './events/statusChanged';

/** The events, as the parameter `events` names them. */
export const EVENTS = [
	'bounced',
	'creditsLow',
	'reply',
	'statisticsChanged',
	'statusChanged',
	'unsubscribed',
] as const;
export type TriggerEvent = (typeof EVENTS)[number];

export const DEFAULT_MOST_ITEMS = 1_000;

/** The parameters of the trigger, checked. */
export interface Settings {
	events: TriggerEvent[];
	/** None: the whole account. */
	categories: string[];
	/** Set with the event `statusChanged`. */
	watched?: Watched;
	/** States whose changes make events; all when undefined. */
	states?: string[];
	/** Set with the event `creditsLow`. */
	threshold?: number;
	emitExisting: boolean;
	maxItemsPerPoll: number;
}

/**
 * Reads the parameters of the trigger.
 *
 * @param country whose national numbers are understood
 * @throws InputError for what the user has to correct
 */
export function readSettings(
	context: Pick<IPollFunctions, 'getNodeParameter'>,
	country: string,
): Settings {
	const events = readEvents(context.getNodeParameter('events', []));
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const states = readList(options.statesToEmit, 'States to Emit');
	return {
		events,
		categories: readList(context.getNodeParameter('categories', ''), 'Categories'),
		watched: events.includes('statusChanged') ? readWatched(context, country) : undefined,
		states: states.length > 0 ? states : undefined,
		threshold: events.includes('creditsLow')
			? readThreshold(context.getNodeParameter('creditsThreshold', 0))
			: undefined,
		emitExisting: options.emitExisting === true,
		maxItemsPerPoll: readMostItems(options.maxItemsPerPoll),
	};
}

function readEvents(value: unknown): TriggerEvent[] {
	const events = readList(value, 'Events');
	if (events.length === 0) {
		throw new InputError("'Events' is empty", 'Choose at least one event to wait for.');
	}
	const unknown = events.find((event) => !(EVENTS as readonly string[]).includes(event));
	if (unknown !== undefined) {
		throw new InputError(
			`'Events' has ${show(unknown)}, which is no event`,
			`The events are ${EVENTS.join(', ')}.`,
		);
	}
	return events as TriggerEvent[];
}

function readWatched(context: Pick<IPollFunctions, 'getNodeParameter'>, country: string): Watched {
	const watch = context.getNodeParameter('watch', 'numbers');
	if (watch === 'numbers') {
		const field = 'Phone Numbers to Watch';
		const typed = readList(context.getNodeParameter('watchNumbers', ''), field);
		// Both formats of a number are one number: the one typed first is looked up.
		const numbers = new Map<string, string>();
		for (const text of typed) {
			const number = parseNumber(text, { field, country });
			const key = canonicalNumber(number);
			if (!numbers.has(key)) numbers.set(key, number);
		}
		if (numbers.size === 0)
			throw empty(field, 'Give one or several phone numbers, separated by commas.');
		return { numbers: [...numbers.values()] };
	}
	if (watch === 'snapshotIds') {
		const field = 'Snapshot IDs to Watch';
		const snapshotIds = readList(context.getNodeParameter('watchSnapshotIds', ''), field);
		if (snapshotIds.length === 0) {
			throw empty(
				field,
				'Give one or several snapshot IDs, separated by commas. A send answers with one.',
			);
		}
		return { snapshotIds };
	}
	if (watch === 'list') return { listId: parseId(context.getNodeParameter('list', ''), 'List') };
	throw new InputError(
		`'Watch' is ${show(watch)}`,
		'Choose phone numbers, snapshot IDs or a contact list.',
	);
}

function readThreshold(value: unknown): number {
	const threshold = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof threshold !== 'number' || !(threshold > 0) || !Number.isFinite(threshold)) {
		throw new InputError(
			`'Credits Threshold' is ${show(value)}`,
			'Give a number greater than 0: the balance below which you want to know.',
		);
	}
	return threshold;
}

function readMostItems(value: unknown): number {
	const most = Number(value ?? DEFAULT_MOST_ITEMS);
	if (!Number.isInteger(most) || most < 1) {
		throw new InputError(
			`'Max Items per Poll' is ${show(value)}`,
			'Give a whole number from 1.',
		);
	}
	return most;
}

/** Texts separated by commas or line breaks, or a list from an expression; each text once. */
function readList(value: unknown, field: string): string[] {
	if (value === undefined || value === null) return [];
	const parts: unknown[] = Array.isArray(value) ? value : String(value).split(/[,\n]/);
	if ((typeof value === 'object' && !Array.isArray(value)) || parts.some(isObject)) {
		throw new InputError(
			`'${field}' is ${show(value)}, not a text`,
			'Give texts separated by commas, or a list of texts.',
		);
	}
	const texts = parts.map((part) => String(part ?? '').trim()).filter((text) => text !== '');
	return [...new Set(texts)];
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}

function empty(field: string, advice: string): InputError {
	return new InputError(`'${field}' is empty`, advice);
}
