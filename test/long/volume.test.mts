/** Collections far beyond what n8n's router holds (about 40,000 items), in a real n8n. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useEnvironment, workflowOf } from '../e2e/support.mts';

const MANY = 250_000;
const CATEGORY = 'orders';

const environment = await useEnvironment({ n8n: {} });

/** Counted by n8n, so that the items needn't be read back. */
async function count(type: string, parameters: INodeParameters): Promise<IDataObject[]> {
	const { n8n } = environment;
	const workflow = workflowOf([{}], type, { ...parameters, returnAll: true });
	workflow.nodes.push({
		name: 'Count',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: 'return [{ json: { count: items.length, last: items.at(-1).json } }];',
		},
	});
	workflow.connections.Node = { main: [[{ node: 'Count', type: 'main', index: 0 }]] };
	const { id } = await n8n.createWorkflow(workflow);
	const execution = await n8n.run(id, { timeoutMs: 240_000 });
	expect(execution.error).toBeUndefined();
	return execution.json('Count');
}

test(`SMS Contact, getMany: ${MANY} contacts come out as items`, async () => {
	const { service } = environment.simulator;
	const { id } = service.createList('Clients', [{ name: 'Nom de famille' }]);
	service.addContacts(id, MANY, (index) => ({
		identifier: `+33${600_000_000 + index}`,
		attributes: { nom_de_famille: `Dupont ${index}` },
	}));
	const list = { __rl: true, mode: 'list', value: id, cachedResultName: 'Clients' };
	const last = { attributes: { 'Nom de famille': `Dupont ${MANY - 1}` } };
	expect(await count('smsContact', { operation: 'getMany', list })).toEqual([
		{ count: MANY, last: expect.objectContaining(last) },
	]);
});

test(`SMS Blacklist, getMany: ${MANY} entries come out as items`, async () => {
	environment.simulator.service.addBlacklisted('bounces', MANY);
	expect(await count('smsBlacklist', { operation: 'getMany', blacklist: 'bounces' })).toEqual([
		expect.objectContaining({ count: MANY }),
	]);
});

test(`SMS Stats, replies: ${MANY} of them come out as items`, async () => {
	environment.simulator.service.addReplies(MANY, CATEGORY);
	expect(await count('smsStats', { operation: 'replies', category: CATEGORY })).toEqual([
		expect.objectContaining({ count: MANY }),
	]);
});
