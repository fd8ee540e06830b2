/**
 * Preview held against brute force: 1,000 contacts drawn by a seed, each known from how it was made, with texts written
 * out and cut into segments one by one, by GSM 03.38 and by section 8 of the interface document. And against the
 * messages that the simulator sends when such a campaign is created and sent.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { SEED, chance } from '../../harness/random.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { creation, hurry, runCampaign } from './support.mts';

hurry();
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
	const NAMES = ['', ' ', 'Marie', 'Zoë', 'Noël Ç', 'Анна', 'J[o]', '5 €', '😀', "O'Neil"];
	const nameOf = () => pick([...NAMES, '${rich_message} ${ville}', '$&', 'x'.repeat(below(200))]);
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
			(['overseas', 'foreign', 'fixedLines', 'invalidNumbers'] as const)[below(8)] ??
			'mobile';
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
			onList: ([, 'unsubscribers', 'bounces'] as const)[Math.max(0, below(8) - 5)],
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

/** The fields of a preview, from how the contacts were made. */
function expected(made: readonly Made[], mention: string) {
	const excluded = {
		...{ invalidNumbers: 0, fixedLines: 0 },
		...{ unsubscribers: 0, bounces: 0, duplicates: 0 },
	};
	const texts: Array<{ number: string; message: string; segments: number; units: number }> = [];
	const empty = { prenom: [] as string[], ville: [] as string[], points: [] as string[] };
	const refused: string[] = [];
	const got = new Set<string>();
	const listed = (kind: string) =>
		new Set(made.filter(({ onList }) => onList === kind).map((one) => one.kind + one.person));
	const [stopped, bounced] = [listed('unsubscribers'), listed('bounces')];
	for (const { kind, person, attributes } of made) {
		const who = kind + person;
		const isNumber = kind !== 'invalidNumbers' && kind !== 'fixedLines';
		if (!isNumber) excluded[kind]++;
		else if (stopped.has(who)) excluded.unsubscribers++;
		else if (bounced.has(who)) excluded.bounces++;
		else if (got.has(who)) excluded.duplicates++;
		else {
			got.add(who);
			const number = INTERNATIONAL[kind]!(person);
			const { prenom = '', ville = '', points = '' } = attributes;
			const message = `Bonjour ${prenom} de ${ville}, vous avez ${points} points. ${prenom} !`;
			texts.push({ number, message, ...measure(message + mention) });
			for (const [name, value] of Object.entries({ prenom, ville, points })) {
				if (value.trim() === '') empty[name as 'ville'].push(number);
			}
			const isRefused = (c: string) => !ALLOWED.includes(c) && c !== '\n';
			if (Array.from(prenom + ville + points).some(isRefused)) refused.push(number);
		}
	}
	const counts = new Map<number, number>();
	for (const { segments } of texts) counts.set(segments, (counts.get(segments) ?? 0) + 1);
	const histogram = [...counts]
		.sort(([a], [b]) => a - b)
		.map(([segments, recipients]) => ({ segments, recipients }));
	const total = texts.reduce((sum, { segments }) => sum + segments, 0);
	const sizeOf = (text: (typeof texts)[number]) => text.segments * 100_000 + text.units;
	const most = Math.max(...texts.map(sizeOf));
	const { number, message, segments } = texts.find((text) => sizeOf(text) === most)!;
	return {
		refused,
		json: {
			...{ recipients: texts.length, estimatedCredits: total, excluded },
			emptyTokens: Object.entries(empty).map(([name, numbers]) => ({
				token: `\${${name}}`,
				contacts: numbers.length,
				examples: numbers.slice(0, 5),
			})),
			longest: { number, message, segments },
			segments: { total, histogram },
		},
	};
}

const COLUMNS = [{ name: 'Prenom' }, { name: 'Ville' }, { name: 'Points' }];

/** Stores the contacts, unchecked, as the service may have them. */
function store(made: readonly Made[]): string {
	const { service } = sim;
	const { id } = service.createList('Clients', COLUMNS);
	service.addContacts(id, made.length, (index) => made[index]);
	for (const kind of ['unsubscribers', 'bounces'] as const) {
		const numbers = made.filter(({ onList }) => onList === kind);
		service.addBlacklisted(kind, numbers.length, (index) => numbers[index].identifier);
	}
	return id;
}

test.each<[what: string, more: INodeParameters, mention: string]>([
	['short code', {}, ''],
	['sender', { sender: 'MyShop' }, ' STOP 36XXX'],
])(`${COUNT} contacts drawn by ${SEED}, one by one: %s`, async (_, more, mention) => {
	const made = makeContacts(drawer(SEED));
	const id = store(made);
	const parameters = creation(id, { operation: 'preview', message: TEMPLATE, ...more });
	const { items } = await runCampaign(sim, parameters);
	const { json, refused } = expected(made, mention);
	expect(json.recipients).toBeGreaterThan(300);
	expect(Math.min(...Object.values(json.excluded))).toBeGreaterThan(10);
	expect(items[0].json).toMatchObject(json);
	const told = (items[0].json.problems as string[]).find((text) =>
		text.includes('with characters'),
	);
	expect(told).toContain(`${refused.length} recipients with characters in `);
	expect(told).toContain(refused.slice(0, 5).join(', '));
	expect(new Set(sim.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('the messages that are previewed are those that are sent then', async () => {
	const made = makeContacts(drawer(SEED + 1));
	// The simulator takes each number of a list once, and holds it in E.164.
	const once = new Map(
		made.flatMap((one) => {
			const number = INTERNATIONAL[one.kind]?.(one.person);
			return number === undefined ? [] : [[number, one] as const];
		}),
	);
	const { service } = sim;
	const { id } = service.createList('Clients', COLUMNS);
	for (const [identifier, { attributes, onList }] of once) {
		service.list(id).addContact(identifier, attributes);
		if (onList) service.addToBlacklist(onList, identifier);
	}
	const message = TEMPLATE.replace('!', '— “${ville}”');
	const previewed = await runCampaign(sim, creation(id, { operation: 'preview', message }));
	const { items } = await runCampaign(sim, creation(id, { message }));
	const campaign = { __rl: true, mode: 'id', value: items[0].json.id as string };
	await runCampaign(sim, { operation: 'send', campaign });

	const sizes = sim.messages.map(({ text }) => measure(text).segments);
	const [{ json }] = previewed.items;
	expect(sizes.length).toBeGreaterThan(300);
	expect(json.recipients).toBe(sizes.length);
	expect(json.estimatedCredits).toBe(sizes.reduce((sum, size) => sum + size, 0));
	const { longest } = json as { longest: IDataObject };
	const theirs = sim.messages.find(({ number }) => number === longest.number);
	expect(theirs?.text).toBe(longest.message);
});

/** Everything that can go wrong with an answer. */
const FAULTS: FaultAction[] = [
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 502, body: '<html>' },
	{ kind: 'status', status: 404 },
	{ kind: 'status', status: 401 },
	{ kind: 'tooManyRequests', retryAfter: 0 },
	{ kind: 'resetBeforeRead' },
	{ kind: 'resetAfterAccept' },
	{ kind: 'cutBody' },
	{ kind: 'html200' },
	{ kind: 'truncatedJson' },
	{ kind: 'wrongTypes' },
	{ kind: 'json', body: null },
	{ kind: 'json', body: {} },
	{ kind: 'json', body: { code: 1000, error: 'unknown error' } },
];
const PLACES: ReadonlyArray<[path: RegExp, what: string]> = [
	[/^\/v2\/lists\/[^/]+$/, 'The columns of the list could not be looked up'],
	[/unsubscribers/, 'The blacklists could not be fetched'],
	[/bounces/, 'The blacklists could not be fetched'],
	[/^\/v2\/lists\/.*\/contacts$/, 'The contacts of the list could not be fetched'],
];

test('each of 500 previews with faults ends in the right numbers or in an error that says where', async () => {
	const made = makeContacts(drawer(SEED + 2)).slice(0, 60);
	const parameters = creation(store(made), { operation: 'preview', message: TEMPLATE });
	const { json } = expected(made, '');
	let [previewed, failed] = [0, 0];
	for (let drawn = 0; drawn < 500; drawn++) {
		const places = PLACES.filter((_, place) => (drawn >> place) % 2 === 0);
		for (const [place, [path]] of places.entries()) {
			const action = FAULTS[(drawn * 7 + place * 3) % FAULTS.length];
			sim.faults.add({ path, times: 1 + (drawn % 3), do: action });
		}
		const { items, error } = await runCampaign(sim, parameters);
		sim.faults.clear();
		if (error === undefined) {
			expect(items[0].json).toMatchObject(json);
			previewed++;
			continue;
		}
		failed++;
		expect(items).toEqual([]);
		expect(
			places.some(([, what]) => error.message.includes(what)),
			error.message,
		).toBe(true);
		expect(error.description).toContain('Nothing was previewed.');
	}
	expect(Math.min(previewed, failed)).toBeGreaterThan(20);
	expect(sim.requests.every(({ method }) => method === 'GET')).toBe(true);
});
