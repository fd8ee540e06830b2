/**
 * What Preview says and what Create, Send and the messages then do, with numbers as people have written them
 * into lists and blacklists, and with answers of the service in forms that the interface document leaves open.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { runNode } from '../harness.mts';
import { creation, hurry, jsonOf, runCampaign } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

let listId: string;
beforeEach(() => {
	listId = sim.service.createList('Clients', [{ name: 'Prenom' }]).id;
});

function fill(...identifiers: string[]): void {
	sim.service.addContacts(listId, identifiers.length, (index) => ({
		identifier: identifiers[index],
	}));
}

async function run(parameters: INodeParameters, allowedCountries?: string[]) {
	const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries };
	return await runCampaign(sim, creation(listId, parameters), {
		credential: credential as unknown as IDataObject,
	});
}

describe('a number is one, however it was written', () => {
	const WRITTEN = [
		'+33639980001',
		'0639980001',
		'33639980001',
		'0033 639980001',
		'+33 (0)6 39 98 00 01',
		'0033 (0) 639 98 00 01',
		'639980001',
		'+33639980001\n',
		' 06.39.98.00.01\r\n',
		'+33\u00a06\u00a039\u00a098\u00a000\u00a001',
	];

	test.each(WRITTEN)('%j is on the blacklist', async (written) => {
		sim.service.addToBlacklist('unsubscribers', '+33639980001');
		fill(written, '+33639980002');
		const { items } = await run({ operation: 'preview' });
		expect(items[0].json).toMatchObject({ recipients: 1, excluded: { unsubscribers: 1 } });
	});

	test.each(WRITTEN)('%j is a duplicate', async (written) => {
		fill('+33639980001', written);
		const { items } = await run({ operation: 'preview' });
		expect(items[0].json).toMatchObject({ recipients: 1, excluded: { duplicates: 1 } });
	});

	test.each(['+44 7400 123456', '0044 7400123456', '+44 (0)7400 123456', '0044(0)7400123456 '])(
		'%j too',
		async (written) => {
			fill('+447400123456', written);
			const { items } = await run({ operation: 'preview' });
			expect(items[0].json).toMatchObject({ recipients: 1, excluded: { duplicates: 1 } });
		},
	);

	test.each(WRITTEN)('%j on a blacklist keeps messages back', async (written) => {
		sim.faults.add({
			path: /unsubscribers/,
			times: Infinity,
			do: { kind: 'json', body: [{ id: 'a', identifier: written }] as never },
		});
		const { items } = await runNode({
			node: 'Sms',
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			parameters: {
				...{ operation: 'send', number: '06 39 98 00 01', message: 'Bonjour' },
				safeguards: { skipBlacklisted: true },
			},
		});
		expect(items[0].json.status).toBe('skipped');
		expect(sim.messages).toEqual([]);
	});
});

describe("'Allowed Countries' leave out the same contacts for Preview and for Create", () => {
	afterEach(() => sim.faults.clear());
	const FRENCH = { id: '1', identifier: '+33639980001', attributes: {} };

	test.each<[what: string, record: unknown]>([
		['values that make no sense', { id: '2', identifier: '+447400123456', attributes: 'none' }],
		['values in a list', { id: '2', identifier: '+447400123456', attributes: [{ a: 1 }] }],
		['no number', { id: '2', attributes: {} }],
		['a number as a JSON number', { id: 2, identifier: 447400123456 }],
		['a number without its +', { id: 2, identifier: '447400123456' }],
		['a number with full-width digits', { id: 2, identifier: '＋４４７４００１２３４５６' }],
		['two numbers', { id: 2, identifier: '+33639980001/+447400123456' }],
	])('%s', async (_, record) => {
		sim.faults.add({
			path: /contacts$/,
			match: ({ target }) => target.includes('/lists/'),
			times: Infinity,
			do: { kind: 'json', body: [FRENCH, record] as never },
		});
		const previewed = await run({ operation: 'preview' }, ['FR']);
		const problems = JSON.stringify(previewed.items[0]?.json.problems);
		const created = await run({ options: { date: '2036-01-15T10:00:00' } }, ['FR']);
		expect(created.error?.message).toContain("doesn't allow 1 of 2 contacts");
		expect(problems).toContain("1 contact of countries that 'Allowed Countries'");
		expect(sim.requestsTo('POST', /./)).toEqual([]);
	});
});

describe('Preview is refused as Create is', () => {
	test.each<[what: string, parameters: INodeParameters]>([
		['a date in the past', { options: { date: '2020-01-01T10:00:00' } }],
		['no such column', { message: 'Bonjour ${nom}' }],
		['a token that is open', { message: 'Bonjour ${prenom' }],
		['a link without a page', { message: 'Bonjour ${rich_message}' }],
		['a page without a link', { landingPage: 'external', externalUrl: 'https://a.fr' }],
		['a required column', { requiredColumns: ['Prenom'] }],
		['a sender', { sender: 'AB' }],
		['an empty message', { message: ' ' }],
		['a name of spaces', { name: '={{ " " }}' }],
		[
			'hours',
			{
				options: {
					date: '2036-01-19T03:00:00',
					allowedHours: {
						hours: {
							from: '08:00',
							to: '20:00',
							days: ['monday'],
							otherwise: 'refuse',
						},
					},
				},
			},
		],
		['half of a character', { message: 'a\ud83d', options: { unsupportedCharacters: 'keep' } }],
	])('%s', async (_, parameters) => {
		fill('+33639980001');
		const previewed = await run({ ...parameters, operation: 'preview' });
		const created = await run(parameters);
		expect(created.error?.message).toBeDefined();
		expect(previewed.error?.message).toBe(created.error?.message);
		expect(sim.requestsTo('POST', /./)).toEqual([]);
	});

	test.each([
		['“Été” – 10 € à l’œil ✨ ${prenom}', 'marketing'],
		['{prenom} ~ [ ] €', 'notification'],
		['  espaces  ${prenom}\n\n', 'marketing'],
		['＄{prenom}', 'marketing'],
	])('%s is the same text', async (message, campaignType) => {
		fill('+33639980001');
		const previewed = await run({ operation: 'preview', message, campaignType });
		const created = await run({ message, campaignType });
		expect(previewed.error?.message).toBe(created.error?.message);
		if (created.error) return;
		const [{ bodyText }] = sim.requestsTo('POST', /campaigns$/);
		expect(jsonOf(previewed.items)[0].message).toBe(
			(JSON.parse(bodyText) as IDataObject).message,
		);
	});
});

test('whatever the fields, what Preview refuses is what Create refuses, and the text is the same', async () => {
	const NAMES = ['Prénom', 'Nom de famille', 'été', '__proto__', 'constructor', 'A/B', '€', 'id'];
	const list = sim.service.createList(
		'Odd columns',
		NAMES.map((name) => ({ name })),
	);
	list.addContact('+33639980001', {});
	/** Mostly what is right, or nearly every campaign would be refused. */
	const mostly = <T,>(right: T[], wrong: T[]) =>
		fc.oneof(
			{ weight: 7, arbitrary: fc.constantFrom(...right) },
			{ weight: 1, arbitrary: fc.constantFrom(...wrong) },
		);
	const piece = mostly(
		[
			'Bonjour',
			' ',
			'é — ',
			'€',
			'🎉',
			'「',
			'${prenom}',
			'${nom_de_famille}',
			'${ete}',
			'${id}',
		],
		['${', '$', '{', '\ud83d', '${}', '${rich_message}', '${a_b}', '${proto}', '${__proto__}'],
	);
	const fields = fc.record({
		name: mostly(['Sale'], [' ', '[object Object]']),
		message: fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')),
		campaignType: fc.constantFrom('marketing', 'notification'),
		sender: mostly(['', 'MyShop'], ['AB', '12345', 'É-shop']),
		landingPage: mostly(['none'], ['external']),
		externalUrl: mostly(['https://www.example.com/a'], ['example.com', ' ']),
		requiredColumns: mostly<string[]>([[]], [['Prénom'], ['${prenom}'], ['Ville']]),
		options: fc.record({
			checkTokens: fc.boolean(),
			unsupportedCharacters: fc.constantFrom('replace', 'reject', 'keep'),
			date: mostly(['', '2036-01-19T03:00:00'], ['2020-01-01T10:00:00']),
		}),
	});
	let created = 0;
	await fc.assert(
		fc.asyncProperty(fields, async (drawn) => {
			sim.requests.splice(0);
			const parameters = creation(list.id, drawn as unknown as INodeParameters);
			const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey };
			const previewed = await runCampaign(
				sim,
				{ ...parameters, operation: 'preview' },
				{ credential },
			);
			expect(sim.requestsTo('POST', /./)).toEqual([]);
			const done = await runCampaign(sim, parameters, { credential });
			const json = previewed.items[0]?.json;
			// Preview tells what the service would refuse; Create doesn't ask it.
			const isRefused = previewed.error !== undefined || json?.accepted === false;
			expect(isRefused, previewed.error?.message).toBe(done.error !== undefined);
			// Preview counts what the service would refuse as a problem, and goes on to the next one.
			const isOfCharacters = done.error?.message.includes('characters that the s') === true;
			if (previewed.error && !isOfCharacters) {
				expect(previewed.error.message).toBe(done.error?.message);
			}
			if (done.error) {
				// What is kept, the service refuses.
				const isKept = drawn.options.unsupportedCharacters === 'keep';
				if (!isKept) expect(sim.requestsTo('POST', /./)).toEqual([]);
				return;
			}
			created++;
			const [{ bodyText }] = sim.requestsTo('POST', /campaigns$/);
			expect((JSON.parse(bodyText) as IDataObject).message).toBe(json.message);
		}),
		{ numRuns: 100 },
	);
	expect(created).toBeGreaterThan(5);
}, 120_000);
