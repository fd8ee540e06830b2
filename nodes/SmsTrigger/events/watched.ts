import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, parseId } from '../../shared/fields/list';
import type { Failure } from '../../shared/http/failure';
import { CONTACTS, readContact } from '../../shared/service/contacts';
import { InputError, show } from '../../shared/service/InputError';
import { canonicalNumber, parseNumber } from '../../shared/service/number';
import { requireList, type Parameters } from './parameters';
import type { SmsService } from './service';
import { readEach, recordsOf } from './Source';

/** A message to look up: the latest one to a number, or a snapshot. */
export interface Target {
	/** The same for both formats of a number; what its state is kept under. */
	id: string;
	/** The query parameter of the look-up, and the field of the item. */
	field: 'identifier' | 'snapshotId';
	value: string;
}

/** What is to be watched, each once, and what of the list could not be read. */
export interface Targets {
	targets: readonly Target[];
	warning?: Failure;
}

/** Says what is watched; where that is a list, the service is asked for its numbers. */
export type Watched = (service: SmsService) => Promise<Targets | Failure>;

export const watchFields: INodeProperties[] = [
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		default: 'numbers',
		description: 'Which messages to watch',
		options: [
			{
				name: 'Contact List',
				value: 'list',
				description: 'The latest message to each contact of a list',
			},
			{
				name: 'Phone Numbers',
				value: 'numbers',
				description: 'The latest message to each phone number',
			},
			{
				name: 'Snapshot IDs',
				value: 'snapshotIds',
				description: 'Single messages, by the IDs that the SMS node returned',
			},
		],
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
		displayOptions: { show: { watch: ['numbers'] } },
	},
	{
		displayName: 'Snapshot IDs to Watch',
		name: 'watchSnapshotIds',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. 362891, 362892',
		description:
			"IDs of messages, separated by commas: 'snapshotId' in the results of the SMS node",
		displayOptions: { show: { watch: ['snapshotIds'] } },
	},
	{
		...listLocatorField,
		description: 'The contact list whose numbers to watch',
		displayOptions: { show: { watch: ['list'] } },
	},
	{
		displayName:
			'Each poll checks up to 200 messages, one by one. With longer lists, a change takes several polls to show, and messages with a final status are checked less and less often.',
		name: 'watchNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { watch: ['list'] } },
	},
];

/** @throws InputError for what the user has to correct */
export function readWatched({ get, country }: Parameters): Watched {
	const watch = get('watch', 'numbers');
	if (watch === 'numbers') {
		const field = 'Phone Numbers to Watch';
		const advice = 'Enter one or more phone numbers, separated by commas.';
		const typed = requireList(get('watchNumbers', ''), field, advice);
		const targets = distinct(
			typed.map((text) => toTarget(parseNumber(text, { field, country }))),
		);
		return async () => ({ targets });
	}
	if (watch === 'snapshotIds') {
		const advice =
			'Enter one or more snapshot IDs, separated by commas. They are in the results of the SMS node.';
		const typed = requireList(get('watchSnapshotIds', ''), 'Snapshot IDs to Watch', advice);
		const targets = typed.map(
			(value): Target => ({ id: `snapshot ${value}`, field: 'snapshotId', value }),
		);
		return async () => ({ targets });
	}
	if (watch === 'list') {
		const listId = parseId(get('list', ''), 'List');
		return async (service) => await numbersOf(listId, service);
	}
	throw new InputError(
		`'Watch' is ${show(watch)}`,
		'Choose phone numbers, snapshot IDs or a contact list.',
	);
}

/** The numbers of a list (interface document 2.4, 4.5). */
async function numbersOf(listId: string, service: SmsService): Promise<Targets | Failure> {
	const query = { endpoint: CONTACTS, path: { listId } };
	const answer = await service.get(query, recordsOf(readNumber));
	service.release();
	if (!('value' in answer)) return answer;
	const numbers = await readEach(answer.value, readNumber);
	if (!('value' in numbers)) return numbers;
	const { entries, warning } = numbers.value;
	return { targets: distinct(entries.map(toTarget)), warning };
}

function readNumber(contact: unknown): string | undefined {
	return readContact(contact)?.identifier;
}

function toTarget(value: string): Target {
	return { id: `number ${canonicalNumber(value)}`, field: 'identifier', value };
}

/** Both formats of a number are one number: the one that comes first is looked up. */
function distinct(targets: readonly Target[]): Target[] {
	const byId = new Map<string, Target>();
	for (const target of targets) if (!byId.has(target.id)) byId.set(target.id, target);
	return [...byId.values()];
}
