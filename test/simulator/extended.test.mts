/** The extended endpoints, as far as no test of the nodes sees what they do (public facts about the service). */
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf, follow, type Step } from './client.mts';

const simulator = await useSimulator({ extended: true });
const call = clientOf(simulator);
const steps = async (...made: Step[]) => await follow(call, made);

it('tests a campaign without sending it, then sends it, and knows its replies from others', async () => {
	const list = simulator.service.createList('Clients', [{ name: 'Prénom' }]);
	list.addContact('+33600000001', { prenom: 'Zoé' });
	const { json } = await call('POST', '/v2/marketing/campaigns', {
		...{ name: 'Soldes', message: 'Bonjour ${prenom} ${inconnu} !', sendList: { id: list.id } },
		sourceAddress: 'Boutique',
	});
	expect(simulator.messages).toEqual([]);
	const path = `/v2/marketing/campaigns/${json.id}`;
	const record = `/v2/campaigns/${json.id}`;
	await steps(
		[`POST ${path}/test`, 200, { identifier: '0600000009' }],
		[`GET ${record}`, { state: 'CREATED' }],
		[`POST ${path}/send`, { creditsUsed: 1 }],
		[`GET ${record}`, { state: 'SENT' }],
	);
	expect(simulator.messages).toMatchObject([
		{ number: '+33600000009', test: true },
		{
			...{ number: '+33600000001', sender: 'Boutique', campaignId: json.id, test: false },
			text: 'Bonjour Zoé ${inconnu} !',
			deliveredText: 'Bonjour Zoé ${inconnu} ! STOP 36XXX',
		},
	]);
	for (const number of ['0600000001', '0600000002']) {
		simulator.reply(number, `From ${number}`);
		simulator.stop(number);
	}
	const stopped = { unsubscribers: { number: 1, identifiers: ['0600000001'] } };
	await steps(
		[`GET ${record}/replies`, [{ message: 'From 0600000001' }]],
		[`GET ${record}/blacklists`, stopped],
	);
});

it('adds the STOP mention to a notification campaign with a sender, also abroad', async () => {
	const list = simulator.service.createList('Kunden');
	list.addContact('+491701234567');
	const { json } = await call('POST', '/v2/notification/campaigns', {
		...{ name: 'Termin', message: 'Guten Tag', sendList: { id: list.id } },
		sourceAddress: 'Boutique',
	});
	await steps([`POST /v2/notification/campaigns/${json.id}/send`, 200]);
	expect(simulator.messages[0].deliveredText).toBe('Guten Tag STOP 36XXX');
});

it('imports all rows, or none when one is wrong', async () => {
	const list = simulator.service.createList('L', [
		{ name: 'Prénom' },
		{ name: 'Né', type: 'DATE', format: 'dd/MM' },
	]);
	const line = `POST /v2/lists/${list.id}/import`;
	const head = ['Prénom', 'tel', 'ne'];
	const good = ['Zoé', '0600000001', '01/02'];
	await steps(
		[line, 61, [head, good, ['Léo', '0600000002', '2000-01-01']]],
		[line, 75, [['Prénom'], ['Zoé']]],
		[line, 400, [['tel', 'Ville'], good]],
		[line, 73, [{ tel: '0600000001' }]],
	);
	expect(list.contacts.length).toBe(0);
	await steps([line, 201, [head, good, ['', '0600000002', '']]]);
	expect(list.contacts.items()).toMatchObject([
		{ identifier: '+33600000001', attributes: { prenom: 'Zoé', ne: '01/02' } },
		{ identifier: '+33600000002', attributes: {} },
	]);
});

it('removes a column with its values', async () => {
	const list = simulator.service.createList('L', [{ name: 'Prénom' }, { name: 'Ville' }]);
	list.addContact('+33600000001', { prenom: 'Zoé', ville: 'Lyon' });
	const line = `DELETE /v2/lists/${list.id}/fields/ville`;
	await steps([line, 204], [line, 404]);
	expect(list.contacts.items()[0].attributes).toEqual({ prenom: 'Zoé' });
});
