import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';
import { EVENTS } from './events';
import { DEFAULT_MOST_ITEMS } from './settings';

/** As the editor lists them: the usual one first, the others by name. */
const [USUAL, ...OTHERS] = EVENTS;
const EVENTS_LISTED = [USUAL, ...OTHERS.sort((a, b) => a.name.localeCompare(b.name))];

/** The subtitle of the node: an expression, so only the editor evaluates it. */
export const EVENTS_IN_WORDS = `={{ $parameter["events"].map((event) => (${JSON.stringify(
	Object.fromEntries(EVENTS_LISTED.map(({ name, value }) => [value, name])),
)})[event]).join(", ") }}`;

/** The fields of the trigger, broad to narrow. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['reply'],
		options: EVENTS_LISTED.map(({ name, value, description }) => ({
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
				events: EVENTS_LISTED.filter(({ isOfCategory }) => isOfCategory).map(
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
				// Added to turn it on.
				default: true,
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
					'Maximum number of items that one poll emits for each event and category. The next polls emit the rest.',
			},
			...EVENTS.flatMap(({ option }) => option ?? []),
		],
	},
];
