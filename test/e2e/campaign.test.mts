/** SMS Campaign in a real n8n: from creating a campaign to its statistics. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useEnvironment, workflowOf } from './support.mts';

const NUMBER = '+33639981234';

const { n8n, simulator } = await useEnvironment({ simulator: { extended: true } });

async function run(parameters: INodeParameters) {
	const { id } = await n8n.createWorkflow(workflowOf([{}], 'smsCampaign', parameters));
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	return execution.json('Node');
}

test('a campaign is created, tested, sent and followed', async () => {
	const list = simulator.service.createList('Clients', [{ name: 'Nom de famille' }]);
	simulator.service.addContacts(list.id, 3);

	const [created] = await run({
		operation: 'create',
		campaignType: 'marketing',
		name: 'Soldes',
		list: { __rl: true, mode: 'id', value: list.id },
		message: 'Bonjour ${nom_de_famille}, les soldes commencent demain.',
		landingPage: 'none',
	});
	expect(simulator.messages).toHaveLength(0);

	const campaignId = created.id as string;
	const campaign = { __rl: true, mode: 'id', value: campaignId };
	const of = { campaign, campaignType: 'marketing' };
	const [tested] = await run({ operation: 'sendTest', ...of, number: NUMBER });
	expect(tested).toMatchObject({ id: campaignId, number: NUMBER });
	expect(simulator.messagesTo(NUMBER)).toHaveLength(1);

	const [sent] = await run({ operation: 'send', ...of });
	expect(sent).toMatchObject({ id: campaignId, creditsUsed: 3 });
	expect(simulator.messages).toHaveLength(4);
	expect((await run({ operation: 'get', campaign }))[0]).toMatchObject({ name: 'Soldes' });
	expect(await run({ operation: 'getMany', returnAll: true })).toHaveLength(1);
	const statistics = { state: 'SENT', sent: 4 };
	expect((await run({ operation: 'getStatistics', campaign }))[0]).toMatchObject(statistics);
});
