/** The dropdown of campaigns. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { startSimulator } from '../../simulator/index.mts';
import { editorOf } from '../editor.mts';
import { loadNode } from '../harness.mts';
import { addCampaign } from './support.mts';

let sim = await useSimulator();

const type = loadNode('SmsCampaign');

const editor = (parameters: INodeParameters) => editorOf('SmsCampaign', sim, parameters, '');

describe('the campaigns', () => {
	const search = async (filter?: string, page?: string) =>
		await type.methods!.listSearch!.searchCampaigns.call(editor({}), filter, page);

	test('by name, with their states, page by page', async () => {
		const extended = await startSimulator({ extended: true });
		const before = sim;
		sim = extended;
		try {
			const list = sim.service.createList('Clients');
			for (let at = 250; at >= 1; at--) {
				addCampaign(sim, `c-${at}`, list.id, { name: `Été ${at}` });
			}
			const first = await search();
			expect(first.results[0]).toEqual({
				name: 'Été 1',
				value: 'c-1',
				description: 'CREATED',
			});
			const second = await search(undefined, first.paginationToken as string);
			expect([first.results.length, second.results.length]).toEqual([200, 50]);
			expect((await search('ete 25')).results.map(({ value }) => value)).toEqual([
				'c-25',
				'c-250',
			]);
			expect((await search('c-7')).results.map(({ name }) => name)).toEqual(['Été 7']);
		} finally {
			sim = before;
			await extended.close();
		}
	});

	test('of one name are told apart by date, state and the end of their IDs', async () => {
		const body = [
			{ id: 'c-0001', name: 'Soldes', state: 'SENT', date: Date.UTC(2030, 4, 4, 12) },
			{ id: 'c-0002', name: 'Soldes', state: 'CREATED' },
			{ id: 'c-0003', name: 'Rentrée', state: 'CREATED' },
		];
		sim.faults.add({ do: { kind: 'json', body } });
		expect((await search()).results.map(({ name }) => name)).toEqual([
			'Rentrée',
			'Soldes (4 May 2030, SENT, …0001)',
			'Soldes (CREATED, …0002)',
		]);
	});

	test('a campaign without a name is called by its ID', async () => {
		sim.faults.add({ do: { kind: 'json', body: [{ campaignId: 7 }, { id: '8', name: ' ' }] } });
		expect((await search()).results).toEqual([
			{ name: '7', value: '7' },
			{ name: '8', value: '8' },
		]);
	});

	test('an account that can not list them is told to give the ID', async () => {
		// The simulator without the extended endpoints.
		await expect(search()).rejects.toThrow(
			"Your account can't list its campaigns. Choose 'By ID' and enter the ID.",
		);
	});

	test('a wrong key is said to be one', async () => {
		sim.faults.add({ do: { kind: 'status', status: 401 } });
		await expect(search()).rejects.toThrow('The service refused the API key');
	});
});
