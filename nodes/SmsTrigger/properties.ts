import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { DEFAULT_MOST_ITEMS } from './settings';

const EVENTS = [
	{
		name: 'Credits Low',
		value: 'creditsLow',
		description: 'The credits of the account are below a threshold',
	},
	{
		name: 'Number Bounced',
		value: 'bounced',
		description: 'A number turned out to be unassigned (NPAI)',
	},
	{
		name: 'Number Unsubscribed',
		value: 'unsubscribed',
		description: 'A recipient replied STOP',
	},
	{
		name: 'Reply Received',
		value: 'reply',
		description: 'A recipient replied to a message',
	},
	{
		name: 'Statistics Changed',
		value: 'statisticsChanged',
		description: 'A counter, such as delivered messages, changed',
	},
	{
		name: 'Status Changed',
		value: 'statusChanged',
		description: 'A watched message was delivered, bounced, opened and so on',
	},
];

/** The subtitle of the node: an expression, so only the editor evaluates it. */
export const EVENTS_IN_WORDS = `={{ $parameter["events"].map((event) => (${JSON.stringify(
	Object.fromEntries(EVENTS.map(({ name, value }) => [value, name])),
)})[event]).join(", ") }}`;

/** The fields of the trigger, broad to narrow. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['reply'],
		description: 'What starts the workflow',
		options: EVENTS,
	},
	{
		displayName: 'Categories',
		name: 'categories',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoices, reminders',
		description:
			'Category that was given when sending, or several separated by commas. Leave empty for the whole account.',
		displayOptions: {
			show: { events: ['bounced', 'reply', 'statisticsChanged', 'unsubscribed'] },
		},
	},
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		default: 'numbers',
		description: 'The messages whose status is looked up',
		options: [
			{
				name: 'Contact List',
				value: 'list',
				description: 'The latest message to each number of a list',
			},
			{
				name: 'Phone Numbers',
				value: 'numbers',
				description: 'The latest message to each number',
			},
			{
				name: 'Snapshot IDs',
				value: 'snapshotIds',
				description: 'Single messages, by the snapshot ID that a send answered with',
			},
		],
		displayOptions: { show: { events: ['statusChanged'] } },
	},
	{
		displayName: 'Phone Numbers to Watch',
		name: 'watchNumbers',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. 06 39 98 12 34, +33 6 39 98 56 78',
		description: 'Phone numbers in national or international format, separated by commas',
		displayOptions: { show: { events: ['statusChanged'], watch: ['numbers'] } },
	},
	{
		displayName: 'Snapshot IDs to Watch',
		name: 'watchSnapshotIds',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. 362891, 362892',
		description: 'Snapshot IDs of messages, separated by commas',
		displayOptions: { show: { events: ['statusChanged'], watch: ['snapshotIds'] } },
	},
	{
		...listLocatorField,
		description: 'The contact list whose numbers are watched',
		displayOptions: { show: { events: ['statusChanged'], watch: ['list'] } },
	},
	{
		displayName:
			'The service gives one status at a time. A poll looks up 200 of them at most. In longer lists, final ones are looked up ever more rarely.',
		name: 'watchNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { events: ['statusChanged'], watch: ['list'] } },
	},
	{
		displayName: 'Credits Threshold',
		name: 'creditsThreshold',
		type: 'number',
		typeOptions: { minValue: 1 },
		required: true,
		default: 100,
		description:
			'Balance below which the event happens, once. It can happen again after the balance was at the threshold or above.',
		displayOptions: { show: { events: ['creditsLow'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Emit Existing',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether what the service has already makes events at the first poll. Otherwise only what comes after the activation does.',
			},
			{
				displayName: 'Max Items per Poll',
				name: 'maxItemsPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MOST_ITEMS,
				description:
					'Most events that one poll hands out. The next polls hand out the others.',
			},
			{
				displayName: 'States to Emit',
				name: 'statesToEmit',
				type: 'multiOptions',
				default: [],
				description:
					"Changes to these states make 'Status Changed' events. Leave empty for all states.",
				options: [
					{
						name: 'Bounced',
						value: 'bounced',
						description: 'The number is unassigned',
					},
					{
						name: 'Delivered',
						value: 'delivered',
						description: 'Received, by the delivery receipt of the operator',
					},
					{
						name: 'Error',
						value: 'error',
						description: 'The message did not reach its destination',
					},
					{
						name: 'Opened',
						value: 'opened',
						description: 'The recipient opened a tracked link',
					},
					{ name: 'Reply', value: 'reply', description: 'The recipient replied' },
					{
						name: 'Sent',
						value: 'sent',
						description: 'Sent, with acknowledgement by the operator',
					},
					{
						name: 'Submitted',
						value: 'submitted',
						description: 'Sent, without acknowledgement by the operator',
					},
					{
						name: 'Unsubscribed',
						value: 'unsubscribed',
						description: 'The recipient replied STOP',
					},
				],
			},
		],
	},
];
