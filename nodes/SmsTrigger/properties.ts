import {
	updateDisplayOptions,
	type IDataObject,
	type INodeProperties,
	type IPollFunctions,
} from 'n8n-workflow';
import { readAmount, readSwitch } from '../shared/service/choices';
import { InputError, requireText, show } from '../shared/service/InputError';
import { EVENTS, nothingFor, sourcesOf } from './events';
import type { LookOptions, Source } from './events/Source';
import { readList, requireList } from './events/parameters';

const DEFAULT_MOST_ITEMS = 1_000;

/** What the fields of the trigger say, checked. */
export interface Settings extends Omit<LookOptions, 'turn'> {
	/** What a poll looks at, in this order. */
	sources: Source[];
	/** What to say when the service has nothing for a test event. */
	nothing: string;
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
		nothing: nothingFor(events),
		emitExisting: readSwitch(options, 'emitExisting', 'Also Emit What Is Already There'),
		limit: readAmount(options, 'maxItemsPerPoll', {
			field: 'Max Items per Poll',
			isAllowed: (amount) => Number.isInteger(amount) && amount >= 1,
			advice: 'Enter a whole number of at least 1.',
			byDefault: DEFAULT_MOST_ITEMS,
		}),
	};
}

function readEvents(value: unknown): string[] {
	const events = requireList(value, 'Trigger On', 'Choose at least one event.');
	const known = EVENTS_BY_NAME.map((event) => event.value);
	const unknown = events.find((event) => !known.includes(event));
	if (unknown !== undefined) {
		throw new InputError(
			`'Trigger On' has ${show(unknown)}, which is not an event`,
			`The events are ${known.join(', ')}.`,
		);
	}
	return events;
}

/** As the editor lists them. */
const EVENTS_BY_NAME = [...EVENTS].sort((a, b) => a.name.localeCompare(b.name));

/** The subtitle of the node: an expression, so only the editor evaluates it. */
export const EVENTS_IN_WORDS = `={{ $parameter["events"].map((event) => (${JSON.stringify(
	Object.fromEntries(EVENTS_BY_NAME.map(({ name, value }) => [value, name])),
)})[event]).join(", ") }}`;

/** The fields of the trigger, broad to narrow. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['reply'],
		options: EVENTS_BY_NAME.map(({ name, value, description }) => ({
			name,
			value,
			description,
		})),
	},
	{
		displayName: 'Categories',
		name: 'categories',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoices, reminders',
		description:
			'Categories of the messages to watch, separated by commas. Leave empty to watch the whole account.',
		displayOptions: {
			show: {
				events: EVENTS_BY_NAME.filter(({ isOfCategory }) => isOfCategory).map(
					({ value }) => value,
				),
			},
		},
	},
	...EVENTS.flatMap(({ value, fields = [] }) =>
		updateDisplayOptions({ show: { events: [value] } }, fields),
	),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Also Emit What Is Already There',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether the first poll also emits what is already there, such as older replies. If this is off, the trigger only emits what is new after you publish the workflow.',
			},
			{
				displayName: 'Max Items per Poll',
				name: 'maxItemsPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MOST_ITEMS,
				description:
					'Maximum number of items that one poll emits. The next polls emit the rest.',
			},
			...EVENTS.flatMap(({ option }) => option ?? []),
		],
	},
];
