/** The extended endpoints against the public facts about the service. */
import { expect, it } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { clientOf } from './client.mts';
import type { Campaign } from './index.mts';

const simulator = await useSimulator({ extended: true });
const call = clientOf(simulator);

async function createCampaign(change: object = {}): Promise<Campaign> {
	const list = simulator.service.createList('Clients', [{ name: 'Prénom' }]);
	list.addContact('+33600000001', { prenom: 'Zoé' });
	list.addContact('+33600000002');
	const { json } = await call('POST', '/v2/marketing/campaigns', {
		name: 'Soldes',
		message: 'Bonjour ${prenom} ${inconnu} !',
		sendList: { id: list.id },
		...change,
	});
	return simulator.service.campaigns.get(json.id)!;
}

it('creates a campaign without sending it, then tests and sends it', async () => {
	const { id } = await createCampaign({ sourceAddress: 'Boutique' });
	expect(simulator.messages).toEqual([]);
	const path = `/v2/marketing/campaigns/${id}`;
	const test = await call('POST', `${path}/test`, { identifier: '0600000009' });
	expect(test).toMatchObject({ status: 200, json: { creditsUsed: 1 } });
	expect(simulator.messages[0]).toMatchObject({ number: '+33600000009', test: true });

	simulator.stop('0600000002');
	const sent = await call('POST', `${path}/send`);
	expect(sent).toMatchObject({ status: 200, json: { creditsUsed: 1 } });
	expect(simulator.messages.slice(1)).toMatchObject([
		{
			number: '+33600000001',
			text: 'Bonjour Zoé ${inconnu} !',
			deliveredText: 'Bonjour Zoé ${inconnu} ! STOP 36XXX',
			sender: 'Boutique',
			campaignId: id,
		},
	]);
	expect((await call('POST', `/v2/notification/campaigns/${id}/send`)).json.code).toBe(47);
});

it('reports a campaign', async () => {
	const { id } = await createCampaign();
	await call('POST', `/v2/marketing/campaigns/${id}/send`);
	simulator.clock.advance(10_000);
	const { id: replyId } = simulator.reply('0600000001', 'Merci');
	simulator.stop('0600000002');
	expect((await call('GET', `/v2/campaigns/${id}/status`)).json).toEqual({
		bounces: 0,
		creditsUsed: 2,
		delivered: 2,
		errors: 0,
		id,
		name: 'Soldes',
		replies: 1,
		sent: 2,
		state: 'SENT',
		submitted: 2,
		undelivered: 0,
	});
	expect((await call('GET', `/v2/campaigns/${id}/replies`)).json).toEqual([
		{ id: replyId, identifier: '+33600000001', message: 'Merci' },
	]);
	expect((await call('GET', `/v2/campaigns/${id}/blacklists`)).json).toEqual({
		bounces: { number: 0, identifiers: [] },
		unsubscribers: { number: 1, identifiers: ['0600000002'] },
	});
	const record = (await call('GET', `/v2/campaigns/${id}`)).json;
	expect(record).toMatchObject({ id, campaignId: id, name: 'Soldes', state: 'SENT' });
	expect((await call('GET', '/v2/campaigns')).json).toEqual([record]);
	expect(await call('GET', '/v2/campaigns/none')).toMatchObject({
		status: 404,
		json: { code: 47 },
	});
});

it('puts a link where the landing page belongs', async () => {
	const { id } = await createCampaign({
		message: 'Voyez ${rich_message}',
		landingPageType: 'EXTERNAL',
		externalUrl: 'https://example.com',
	});
	await call('POST', `/v2/marketing/campaigns/${id}/send`);
	expect(simulator.messages[0].text).toMatch(/^Voyez https:\/\/\S+$/);
});

it('reads and removes columns, and empties a list', async () => {
	const list = simulator.service.createList('L', [{ name: 'Prénom' }, { name: 'Ville' }]);
	list.addContact('+33600000001', { prenom: 'Zoé', ville: 'Lyon' });
	const path = `/v2/lists/${list.id}`;
	expect((await call('GET', `${path}/fields`)).json).toMatchObject([
		{ id: 'prenom', name: 'Prénom' },
		{ id: 'ville', name: 'Ville' },
	]);
	expect((await call('DELETE', `${path}/fields/ville`)).status).toBe(204);
	expect((await call('DELETE', `${path}/fields/ville`)).status).toBe(404);
	expect((await call('GET', `${path}/contacts`)).json).toMatchObject([
		{ attributes: { prenom: 'Zoé' } },
	]);
	expect((await call('POST', `${path}/empty`)).status).toBe(204);
	expect((await call('GET', `${path}/contacts`)).json).toEqual([]);
});

it('imports rows: all, or none when one is wrong', async () => {
	const list = simulator.service.createList('L', [
		{ name: 'Prénom' },
		{ name: 'Né', type: 'DATE', format: 'dd/MM' },
	]);
	const path = `/v2/lists/${list.id}/import`;
	const head = ['Prénom', 'tel', 'ne'];
	const good = ['Zoé', '0600000001', '01/02'];
	const bad = await call('POST', path, [head, good, ['Léo', '0600000002', '2000-01-01']]);
	expect(bad.json.code).toBe(61);
	expect((await call('POST', path, [['Prénom'], ['Zoé']])).json.code).toBe(75);
	expect(
		(
			await call('POST', path, [
				['tel', 'Ville'],
				['0600000001', 'Lyon'],
			])
		).status,
	).toBe(400);
	expect((await call('POST', path, [{ tel: '0600000001' }])).json.code).toBe(73);
	expect(list.contacts.length).toBe(0);

	const done = await call('POST', path, [head, good, ['', '0600000002', '']]);
	expect(done.status).toBe(201);
	expect(done.text).toBe('');
	expect(done.headers.location).toBeDefined();
	expect(list.contacts.items()).toMatchObject([
		{ identifier: '+33600000001', attributes: { prenom: 'Zoé', ne: '01/02' } },
		{ identifier: '+33600000002', attributes: {} },
	]);
});

it('removes a blacklist entry by id, and checks numbers', async () => {
	const { json: entry } = await call('POST', '/v2/bounces/default/contacts', {
		identifier: '0600000001',
	});
	const check = async () => (await call('GET', '/v2/check?identifier=0600000001')).json;
	expect(await check()).toEqual({
		international: false,
		rawIdentifier: '0600000001',
		formattedIdentifier: '+33600000001',
		status: 'BLACKLISTED',
	});
	const path = `/v2/bounces/default/contacts/${entry.id}`;
	expect((await call('DELETE', path)).status).toBe(204);
	expect((await call('DELETE', path)).status).toBe(404);
	expect((await check()).status).toBe('OK');
	expect((await call('GET', '/v2/check?identifier=abc')).json.code).toBe(11);
});
