/** The example workflow does what its notes say: its SMS nodes in their order, switched on. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { runNode } from '../harness.mts';

const sim = await useSimulator({ extended: true });

const file = join(import.meta.dirname, '../../../workflows/campaign-with-landing-page.json');
const { nodes } = JSON.parse(await readFile(file, 'utf8')) as { nodes: INode[] };

/** Runs a node of the workflow on one item, which stands for 'Create Campaign' too. */
async function run(name: string, item: object) {
	const { type, parameters } = nodes.find((node) => node.name === name)!;
	const [, node] = type.split('.');
	const result = await runNode({
		node: node[0].toUpperCase() + node.slice(1),
		parameters: JSON.parse(
			JSON.stringify(parameters).replaceAll("$('Create Campaign').item.json", '$json'),
		),
		items: [{ ...item }],
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
	});
	expect(result.error).toBeUndefined();
	return result.items[0].json;
}

test('a list, a campaign to it, a test, everybody, statistics', async () => {
	const list = await run('Recipients', {});
	sim.service.list(list.id as string).addContact('+33639980032', { first_name: 'Camille' });
	const campaign = await run('Create Campaign', list);
	expect(sim.messages).toEqual([]);
	await run('Send a Test', campaign);
	expect(sim.messages.map(({ number }) => number)).toEqual(['+33639980031']);
	await run('Send to Everybody', campaign);
	expect(sim.messages.map(({ number, text }) => [number, text])[1]).toEqual([
		'+33639980032',
		expect.stringMatching(/^Hello Camille, .* https:\/\//),
	]);
	expect(await run('Statistics', campaign)).toMatchObject({ id: campaign.id, sent: 2 });
});

test('what sends is switched off', () => {
	const sending = nodes.filter(({ parameters }) =>
		['send', 'sendTest'].includes(parameters.operation as string),
	);
	expect(sending.map(({ disabled }) => disabled)).toEqual([true, true]);
});
