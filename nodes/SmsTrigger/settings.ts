import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { readAmount, readChoice, readSwitch } from '../shared/service/choices';
import { EVENTS, nothingFor, sourcesOf, type TriggerEvent } from './events';
import { readCategories, requireList } from './parameters';

export const DEFAULT_MOST_ITEMS = 1_000;

/** The fields of the trigger, checked. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads the fields of the trigger.
 *
 * @param country whose national numbers are understood
 * @throws InputError for what the user has to correct
 */
export function readSettings(context: Pick<IPollFunctions, 'getNodeParameter'>, country: string) {
	const get = (name: string, fallback: string | number): unknown =>
		context.getNodeParameter(name, fallback);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const events = readEvents(get('events', ''));
	const isByCategory = events.some(({ isOfCategory }) => isOfCategory);
	const categories = isByCategory ? readCategories(get('categories', '')) : [];
	return {
		/** In the order in which a poll asks for them. */
		sources: sourcesOf(events, categories, { get, options, country }),
		/** Said when the service has nothing for a test event. */
		nothing: nothingFor(events, categories),
		/** The first poll makes events of what is already there. */
		emitExisting: readSwitch(options, 'emitExisting', 'Also Emit What Is Already There'),
		/** Maximum number of events of one source in one poll. */
		limit: readAmount(options, 'maxItemsPerPoll', {
			field: 'Max Items per Poll',
			isAllowed: (amount) => Number.isInteger(amount) && amount >= 1,
			advice: 'Enter a whole number of at least 1.',
			byDefault: DEFAULT_MOST_ITEMS,
		}),
	};
}

function readEvents(value: unknown): TriggerEvent[] {
	const field = 'Trigger On';
	const known = EVENTS.map((event) => event.value).sort();
	const chosen = requireList(value, field, 'Choose at least one event.');
	for (const one of chosen) readChoice(one, known, field);
	return EVENTS.filter((event) => chosen.includes(event.value));
}
