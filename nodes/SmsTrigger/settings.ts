import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { asBoolean } from '../shared/service/answers';
import { InputError, requireText, show } from '../shared/service/InputError';
import { EVENTS, nothingFor, sourcesOf } from './events';
import type { Source } from './events/Source';
import { readList } from './parameters';

export const DEFAULT_MOST_ITEMS = 1_000;

/** The fields of the trigger, checked. */
export interface Settings {
	/** In the order in which a poll asks for them. */
	sources: Source[];
	/** Said when the service has nothing for a test event. */
	nothing: string;
	/** Whether what is already there makes events where nothing is known. */
	emitExisting: boolean;
	/** Maximum number of events of one source in one poll. */
	limit: number;
}

/**
 * Reads the fields of the trigger.
 *
 * @param country whose national numbers are understood
 * @throws InputError for what the user has to correct
 */
export function readSettings(
	context: Pick<IPollFunctions, 'getNodeParameter'>,
	country: string,
): Settings {
	const get = (name: string, fallback: string | number): unknown =>
		context.getNodeParameter(name, fallback);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const events = readEvents(get('events', ''));
	const categories = readList(get('categories', ''), 'Categories');
	for (const category of categories) requireText(category, 'Categories');
	return {
		sources: sourcesOf(events, categories, { get, options, country }),
		nothing: nothingFor(events, categories),
		emitExisting: readSwitch(options.emitExisting),
		limit: readMostItems(options.maxItemsPerPoll),
	};
}

function readEvents(value: unknown): string[] {
	const events = readList(value, 'Trigger On');
	if (events.length === 0) {
		throw new InputError("'Trigger On' is empty", 'Choose at least one event.');
	}
	const known = EVENTS.map((event) => event.value).sort();
	const unknown = events.find((event) => !known.includes(event));
	if (unknown !== undefined) {
		throw new InputError(
			`'Trigger On' has ${show(unknown)}, which is not an event`,
			`The events are ${known.join(', ')}.`,
		);
	}
	return events;
}

/** A switch that an expression can set to a text. */
function readSwitch(value: unknown): boolean {
	const isOn = asBoolean(value ?? false);
	if (isOn !== undefined) return isOn;
	throw new InputError(
		`'Also Emit What Is Already There' is ${show(value)}`,
		'Its expression must return true or false.',
	);
}

function readMostItems(value: unknown): number {
	const most = Number(value ?? DEFAULT_MOST_ITEMS);
	if (!Number.isInteger(most) || most < 1) {
		throw new InputError(
			`'Max Items per Poll' is ${show(value)}`,
			'Enter a whole number of at least 1.',
		);
	}
	return most;
}
