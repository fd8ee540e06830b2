/** The dropdown of campaigns. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { editorOf } from '../editor.mts';
import { loadNode } from '../harness.mts';

const sim = await useSimulator();

const type = loadNode('SmsCampaign');

const editor = () => editorOf('SmsCampaign', sim, {}, '');

describe('the campaigns', () => {
	const search = async (filter?: string, page?: string) =>
		await type.methods!.listSearch!.searchCampaigns.call(editor(), filter, page);

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
		expect(sim.requests.map(({ target }) => target)).toEqual(['/v2/campaigns']);
		sim.faults.add({ do: { kind: 'json', body } });
		const described = { name: 'Rentrée', value: 'c-0003', description: 'CREATED' };
		expect((await search('rentree')).results).toEqual([described]);
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
});
