/** Shared by the tests that change the contacts of a list: the list, its contacts, and faults. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import type { RunOptions } from '../harness.mts';
import { hurry, linesOf, listOf, optionsOf } from './support.mts';

export const [ADA, BOB, CAROL, DAVE] = [1, 2, 3, 4].map((last) => `+3363998000${last}`);

export const REFUSED: FaultAction = {
	kind: 'json',
	status: 400,
	body: { code: 11, error: 'syntax' },
};
export const LOST: FaultAction = { kind: 'resetAfterAccept' };

/** The request that adds a contact with this number or value. */
export const adds = (value: string) => ({
	method: 'POST',
	match: ({ bodyText }: RecordedRequest) => bodyText.includes(value),
});

/**
 * A simulator with a list, and an operation of SMS Contact on it, whose number is the field `to` of an item.
 *
 * @param value what the columns get, by their IDs
 */
export async function useContacts(operation: 'sync' | 'upsert', value: INodeParameters) {
	let listId = '';
	hurry();
	const sim = await useSimulator();
	beforeEach(() => {
		listId = sim.service.createList('Clients', [
			{ name: 'Nom' },
			{ name: 'Points', type: 'NUMBER' },
			{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
			{ name: 'Inscrit', type: 'BOOLEAN' },
			{ name: 'Ville' },
		]).id;
	});
	const list = () => sim.service.list(listId);
	return {
		sim,
		list,
		/** The contacts of the list: values by number. */
		held: () =>
			Object.fromEntries(
				list()
					.contacts.items()
					.map(({ identifier, attributes }) => [identifier, attributes]),
			),
		/** The request lines that may have changed something. */
		changes: () => linesOf(sim).filter((line) => !line.startsWith('GET')),
		runOf: (
			items: IDataObject[],
			{ value: other = value, ...parameters }: IDataObject = {},
			more: Partial<RunOptions> = {},
		): RunOptions =>
			optionsOf(
				'SmsContact',
				sim,
				operation,
				{
					list: listOf(listId),
					number: '={{ $json.to }}',
					attributes: { mappingMode: 'defineBelow', value: other, schema: [] },
					...parameters,
				} as INodeParameters,
				{ items, ...more },
			),
	};
}
