/** The extended endpoints, as far as no test of the nodes sees what they do (public facts about the service). */
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf } from './client.mts';

const simulator = await useSimulator({ extended: true });
const call = clientOf(simulator);

it('tests a campaign without sending it, then sends it, and says so', async () => {
	const list = simulator.service.createList('Clients', [{ name: 'Prénom' }]);
	list.addContact('+33600000001', { prenom: 'Zoé' });
	const { json } = await call('POST', '/v2/marketing/campaigns', {
		...{ name: 'Soldes', message: 'Bonjour ${prenom} ${inconnu} !', sendList: { id: list.id } },
		sourceAddress: 'Boutique',
	});
	expect(simulator.messages).toEqual([]);
	const path = `/v2/marketing/campaigns/${json.id}`;
	const state = async () => (await call('GET', `/v2/campaigns/${json.id}`)).json.state;
	await call('POST', `${path}/test`, { identifier: '0600000009' });
	expect(simulator.messages).toMatchObject([{ number: '+33600000009', test: true }]);
	expect(await state()).toBe('CREATED');
	await call('POST', `${path}/send`);
	expect(await state()).toBe('SENT');
	expect(simulator.messages[1]).toMatchObject({
		...{ number: '+33600000001', sender: 'Boutique', campaignId: json.id, test: false },
		text: 'Bonjour Zoé ${inconnu} !',
		deliveredText: 'Bonjour Zoé ${inconnu} ! STOP 36XXX',
	});
});

it('imports all rows, or none when one is wrong', async () => {
	const list = simulator.service.createList('L', [
		{ name: 'Prénom' },
		{ name: 'Né', type: 'DATE', format: 'dd/MM' },
	]);
	const path = `/v2/lists/${list.id}/import`;
	const head = ['Prénom', 'tel', 'ne'];
	const good = ['Zoé', '0600000001', '01/02'];
	const bad: Array<[rows: unknown[], code: number | undefined]> = [
		[[head, good, ['Léo', '0600000002', '2000-01-01']], 61],
		[[['Prénom'], ['Zoé']], 75],
		[[['tel', 'Ville'], good], undefined],
		[[{ tel: '0600000001' }], 73],
	];
	for (const [rows, code] of bad)
		expect(await call('POST', path, rows)).toMatchObject({
			...{ status: 400, json: code === undefined ? { status: 400 } : { code } },
		});
	expect(list.contacts.length).toBe(0);
	const done = await call('POST', path, [head, good, ['', '0600000002', '']]);
	expect([done.status, done.text]).toEqual([201, '']);
	expect(list.contacts.items()).toMatchObject([
		{ identifier: '+33600000001', attributes: { prenom: 'Zoé', ne: '01/02' } },
		{ identifier: '+33600000002', attributes: {} },
	]);
});

it('knows replies and blacklists of a campaign from others', async () => {
	const { id } = simulator.service.createList('Clients');
	simulator.service.list(id).addContact('+33600000001');
	const body = { name: 'Soldes', message: 'Bonjour', sendList: { id } };
	const { json } = await call('POST', '/v2/marketing/campaigns', body);
	await call('POST', `/v2/marketing/campaigns/${json.id}/send`);
	simulator.reply('0600000001', 'Merci');
	simulator.reply('0600000002', 'Autre');
	simulator.stop('0600000001');
	simulator.stop('0600000002');
	const of = async (what: string) =>
		(await call('GET', `/v2/campaigns/${json.id}/${what}`)).json as unknown;
	expect(await of('replies')).toMatchObject([{ message: 'Merci' }]);
	expect(await of('blacklists')).toMatchObject({
		unsubscribers: { number: 1, identifiers: ['0600000001'] },
	});
});

it('removes a column with its values', async () => {
	const list = simulator.service.createList('L', [{ name: 'Prénom' }, { name: 'Ville' }]);
	list.addContact('+33600000001', { prenom: 'Zoé', ville: 'Lyon' });
	expect((await call('DELETE', `/v2/lists/${list.id}/fields/ville`)).status).toBe(204);
	expect((await call('DELETE', `/v2/lists/${list.id}/fields/ville`)).status).toBe(404);
	expect(list.contacts.items()).toMatchObject([{ attributes: { prenom: 'Zoé' } }]);
	expect(list.contacts.items()[0].attributes).not.toHaveProperty('ville');
});
