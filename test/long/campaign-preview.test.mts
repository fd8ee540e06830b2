/**
 * A campaign to 250,000 contacts is previewed with little memory, and looked through for 'Allowed Countries'. How long
 * n8n stands still for it is printed.
 */
import { expect, test } from 'vitest';
import { runCampaign, creation } from '../engine/campaign/support.mts';
import { measure } from '../harness/measure.mts';
import { useLargeList } from './large.mts';

const COUNT = 250_000;
const MOST_MEMORY = 1_073_741_824;

const used = useLargeList(COUNT);

test('a preview', async () => {
	const { large } = used;
	const parameters = creation(large.listId, {
		operation: 'preview',
		message: 'Bonjour ${prenom} ${nom_de_famille} de ${ville}, vous avez ${points} points !',
		sender: 'MyShop',
	});
	const { result, memory, told } = await measure(
		async () => await runCampaign(large, parameters),
	);
	console.log(`${COUNT} contacts previewed: ${told}`);
	expect(result.error).toBeUndefined();
	const { items } = result;
	expect(items).toHaveLength(1);
	expect(items[0].json).toMatchObject({
		recipients: COUNT * 0.8,
		excluded: { unsubscribers: COUNT * 0.2, bounces: 0, duplicates: 0 },
	});
	expect(memory).toBeLessThan(MOST_MEMORY);
});

test('a campaign with a date is checked for Allowed Countries', async () => {
	const { large } = used;
	const options = { date: '2036-01-15T10:00:00' };
	const credential = { baseUrl: large.baseUrl, apiKey: large.apiKey, allowedCountries: ['BE'] };
	const { result, share, memory, told } = await measure(
		async () => await runCampaign(large, creation(large.listId, { options }), { credential }),
	);
	console.log(`${COUNT} contacts checked: ${told}`);
	expect(result.error?.message).toContain("doesn't allow 250,000 of 250,000 contacts");
	expect(memory).toBeLessThan(MOST_MEMORY);
	// The answer is parsed in one go; everything else is done in pieces.
	expect(share).toBeLessThan(0.2);
});
