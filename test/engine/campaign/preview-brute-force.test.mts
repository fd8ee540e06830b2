/**
 * Preview held against another way to the same: 1,000 contacts drawn by a seed, of which each one is known
 * from how it was made, texts written out and cut into segments one by one, by GSM 03.38 and by section 8 of
 * the interface document. And against what the simulator sends when such a campaign is created and sent.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { SEED, chance } from '../../harness/random.mts';
import { creation, jsonOf, runCampaign } from './support.mts';

const sim = await useSimulator({ extended: true });
const COUNT = 1_000;

/** 3GPP TS 23.038, 6.2.1: the basic table, row by row, and the extension table. */
const BASIC =
	'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '^{}\\[~]|€\f';

/** Interface document 8, with the space. */
const ALLOWED =
	'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 @£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^€{}~"\\\'';

/** Units of a text, and its segments, written out. */
function measure(text: string): { units: number; segments: number } {
	const characters = Array.from(text);
	const isGsm = characters.every((c) => BASIC.includes(c) || EXTENDED.includes(c));
	const size = (c: string) => (isGsm ? (EXTENDED.includes(c) ? 2 : 1) : c.length);
	const units = characters.map(size).reduce((a, b) => a + b, 0);
	const [alone, of] = isGsm ? [160, 153] : [70, 67];
	if (units <= alone) return { units, segments: units === 0 ? 0 : 1 };
	const filled = [0];
	for (const character of characters) {
		if (filled.at(-1)! + size(character) > of) filled.push(0);
		filled[filled.length - 1] += size(character);
	}
	return { units, segments: filled.length };
}

function drawer(seed: number) {
	const next = chance(seed);
	return {
		below: (count: number) => Math.floor(next() * count),
		pick: <T,>(values: readonly T[]) => values[Math.floor(next() * values.length)],
	};
}

type Kind = 'mobile' | 'overseas' | 'foreign' | 'fixedLines' | 'invalidNumbers';

/** A contact, and what is true of it from how it was made. */
interface Made {
	identifier: string;
	attributes: Record<string, string>;
	kind: Kind;
	/** Two contacts of one person have the same. */
	person: string;
	onList?: 'unsubscribers' | 'bounces';
}

function makeContacts({ below, pick }: ReturnType<typeof drawer>): Made[] {
	const people: Made[] = [];
	const nameOf = () =>
		pick([
			'',
			' ',
			'Marie',
			'Zoë',
			'Noël Ç',
			'Анна',
			'J[o]',
			'5 €',
			'x'.repeat(below(200)),
			'${ville}',
			'$&',
			'😀',
			"O'Neil",
		]);
	const valuesOf = () => ({
		...(below(5) === 0 ? {} : { prenom: nameOf() }),
		...(below(9) === 0 ? {} : { ville: pick(['Lyon', 'Saint-Étienne', '', '^^{}', 'a b\nc']) }),
		...(below(3) === 0 ? {} : { points: String(below(10_000)) }),
	});
	while (people.length < COUNT) {
		const rank = String(people.length).padStart(4, '0');
		const repeated = people.length > 10 && below(8) === 0 ? pick(people) : undefined;
		const kind: Kind =
			repeated?.kind ??
			pick([
				'mobile',
				'mobile',
				'mobile',
				'mobile',
				'overseas',
				'foreign',
				'fixedLines',
				'invalidNumbers',
			]);
		const rest = repeated?.person ?? rank;
		const spellings: Record<Kind, string[]> = {
			mobile: [`063998${rest}`, `+33639 98${rest}`, `0033.6.3998${rest}`, `3363998${rest}`],
			overseas: [`069012${rest}`, `+33 690 12 ${rest}`, `+59069012${rest}`],
			foreign: [`+4477009${rest}0`, `0044 77009${rest}0`],
			fixedLines: [`014567${rest}`, `+33 1 45 67 ${rest}`, `098765${rest}`],
			invalidNumbers: [`12${rest}`, `+330639${rest}`, `Marie ${rest}`, `06399${rest}`],
		};
		people.push({
			identifier: pick(spellings[kind]),
			attributes: valuesOf(),
			kind,
			person: rest,
			onList: pick([
				undefined,
				undefined,
				undefined,
				undefined,
				undefined,
				undefined,
				'unsubscribers',
				'bounces',
			]),
		});
	}
	return people;
}

const INTERNATIONAL: Partial<Record<Kind, (rest: string) => string>> = {
	mobile: (rest) => `+3363998${rest}`,
	overseas: (rest) => `+59069012${rest}`,
	foreign: (rest) => `+4477009${rest}0`,
};

const TEMPLATE = 'Bonjour ${prenom} de ${ville}, vous avez ${points} points. ${prenom} !';

/** What is in a preview, from what the contacts are. */
function expected(made: readonly Made[], mention: string) {
	const excluded = {
		invalidNumbers: 0,
		fixedLines: 0,
		unsubscribers: 0,
		bounces: 0,
		duplicates: 0,
	};
	const histogram = new Map<number, number>();
	const empty = { prenom: [] as string[], ville: [] as string[], points: [] as string[] };
	const refused = new Map<string, string[]>();
	const items: IDataObject[] = [];
	const sizes = new Map<string, number>();
	const got = new Set<string>();
	const listed = (kind: string) =>
		new Set(made.filter(({ onList }) => onList === kind).map((one) => one.kind + one.person));
	const [stopped, bounced] = [listed('unsubscribers'), listed('bounces')];
	for (const { kind, person, attributes } of made) {
		const who = kind + person;
		const number = INTERNATIONAL[kind]?.(person);
		const why =
			kind === 'invalidNumbers' || kind === 'fixedLines'
				? kind
				: stopped.has(who)
					? 'unsubscribers'
					: bounced.has(who)
						? 'bounces'
						: got.has(who)
							? 'duplicates'
							: undefined;
		if (why !== undefined) {
			excluded[why]++;
			items.push({ status: why === 'invalidNumbers' ? 'invalid' : 'skipped' });
			continue;
		}
		got.add(who);
		const { prenom = '', ville = '', points = '' } = attributes;
		const message = `Bonjour ${prenom} de ${ville}, vous avez ${points} points. ${prenom} !`;
		const { segments, units } = measure(message + mention);
		sizes.set(number!, units);
		histogram.set(segments, (histogram.get(segments) ?? 0) + 1);
		const values = { prenom, ville, points };
		for (const [name, value] of Object.entries(values)) {
			if (value.trim() === '') empty[name as 'ville'].push(number!);
		}
		const bad = new Set(
			Array.from(prenom + ville + points).filter((c) => !ALLOWED.includes(c) && c !== '\n'),
		);
		for (const character of bad)
			refused.set(character, [...(refused.get(character) ?? []), number!]);
		items.push({ status: 'wouldSend', number, message, segments });
	}
	return { excluded, histogram, empty, refused, items, sizes };
}

const PARAMETERS: Array<[what: string, more: INodeParameters, mention: string]> = [
	['short code', {}, ''],
	['sender', { sender: 'MyShop' }, ' STOP 36XXX'],
];

test.each(PARAMETERS)(
	`${COUNT} contacts drawn by ${SEED}, one by one: %s`,
	async (_, more, mention) => {
		const made = makeContacts(drawer(SEED));
		const { service } = sim;
		const { id } = service.createList('Clients', [
			{ name: 'Prenom' },
			{ name: 'Ville' },
			{ name: 'Points' },
		]);
		service.addContacts(id, COUNT, (index) => made[index]);
		for (const kind of ['unsubscribers', 'bounces'] as const) {
			const numbers = made
				.filter(({ onList }) => onList === kind)
				.map(({ identifier }) => identifier);
			service.addBlacklisted(kind, numbers.length, (index) => numbers[index]);
		}
		const parameters = creation(id, { operation: 'preview', message: TEMPLATE, ...more });
		const {
			items: [{ json }],
		} = await runCampaign(sim, parameters);
		const { excluded, histogram, empty, refused, items, sizes } = expected(made, mention);

		const recipients = items.filter(({ status }) => status === 'wouldSend');
		const credits = [...histogram].reduce(
			(sum, [segments, count]) => sum + segments * count,
			0,
		);
		expect(recipients.length).toBeGreaterThan(300);
		expect(Object.values(excluded).every((count) => count > 10)).toBe(true);
		expect(json).toMatchObject({
			contacts: COUNT,
			recipients: recipients.length,
			excluded,
			estimatedCredits: credits,
			emptyTokens: Object.entries(empty).map(([name, numbers]) => ({
				token: `\${${name}}`,
				contacts: numbers.length,
				examples: numbers.slice(0, 5),
			})),
		});
		// The first of those with the most segments and, of these, the most units.
		const sizeOf = ({ segments, number }: IDataObject) =>
			(segments as number) * 100_000 + sizes.get(number as string)!;
		const most = Math.max(...recipients.map(sizeOf));
		const { number, message, segments } = recipients.find((one) => sizeOf(one) === most)!;
		expect(json.segments).toMatchObject({
			total: credits,
			histogram: [...histogram]
				.sort(([a], [b]) => a - b)
				.map(([segments, count]) => ({ segments, recipients: count })),
			longest: { number, message, segments, units: sizes.get(number as string) },
		});
		const found = (json.refusedInValues as IDataObject[]).map(
			({ character, contacts, examples }) => [character, { contacts, examples }],
		);
		expect(Object.fromEntries(found)).toEqual(
			Object.fromEntries(
				[...refused].map(([character, numbers]) => [
					character,
					{ contacts: numbers.length, examples: numbers.slice(0, 5) },
				]),
			),
		);

		const each = await runCampaign(sim, { ...parameters, output: 'contacts' });
		expect(jsonOf(each.items)).toEqual(
			items.map((item) => expect.objectContaining(item) as unknown),
		);
		expect(new Set(sim.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	},
);

test('what is previewed is what is sent then', async () => {
	const made = makeContacts(drawer(SEED + 1));
	// The simulator takes each number of a list once, and holds it in E.164.
	const once = new Map(
		made.flatMap((one) => {
			const number = INTERNATIONAL[one.kind]?.(one.person);
			return number === undefined ? [] : [[number, one] as const];
		}),
	);
	const { service } = sim;
	const { id } = service.createList('Clients', [
		{ name: 'Prenom' },
		{ name: 'Ville' },
		{ name: 'Points' },
	]);
	for (const [identifier, { attributes, onList }] of once) {
		service.list(id).addContact(identifier, attributes);
		if (onList) service.addToBlacklist(onList, identifier);
	}
	const message = TEMPLATE.replace('!', '— “${ville}”');
	const previewed = await runCampaign(
		sim,
		creation(id, { operation: 'preview', output: 'contacts', message }),
	);
	const { items } = await runCampaign(sim, creation(id, { message }));
	const campaign = { __rl: true, mode: 'id', value: items[0].json.id as string };
	await runCampaign(sim, { operation: 'send', campaign });

	const sent = service.messages.map(({ number, text }) => ({ number, message: text }));
	expect(sent.length).toBeGreaterThan(300);
	const would = jsonOf(previewed.items).filter(({ status }) => status === 'wouldSend');
	expect(would.map(({ number, message: text }) => ({ number, message: text }))).toEqual(sent);
});
