/** The characters of a message: interface document, section 8, plus the space and line breaks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	findRefusedCharacters,
	replaceUnsupported,
	type MessageType,
} from '../../../nodes/shared/service/characters.ts';

const TYPES: MessageType[] = ['marketing', 'notification'];

/** The table of the document, in its own order: letters, digits, symbols, the three at the end. */
const DOCUMENTED = [
	...'abcdefghijklmnopqrstuvwxyz',
	...'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
	...'0123456789',
	...['@', '£', '_', '!', '$', '#', 'è', 'é', '%', 'ù', '&', 'ì', 'ò', '(', ')', '*', ':', '+'],
	...[';', ',', '<', '-', '=', 'Ñ', 'ñ', 'Å', '.', '>', 'Ü', 'ü', 'å', '/', '?', 'à', '|', '^'],
	...['{', '}', '~', '"', '\\', "'"],
];
const CURRENCY = { marketing: '€', notification: '¤' };
const ACCEPTED = {
	marketing: new Set([...DOCUMENTED, CURRENCY.marketing, ' ', '\n', '\r']),
	notification: new Set([...DOCUMENTED, CURRENCY.notification, ' ', '\n', '\r']),
};

describe('what the service accepts', () => {
	test.each(TYPES)('every character of the table in a %s message', (type) => {
		for (const character of ACCEPTED[type]) {
			expect(findRefusedCharacters(character, type), character).toEqual([]);
		}
		expect(findRefusedCharacters([...ACCEPTED[type]].join(''), type)).toEqual([]);
	});
});

describe('what it refuses, and where it stands', () => {
	test.each(TYPES)('every other character up to Latin Extended-A in a %s message', (type) => {
		for (let code = 0; code <= 0x17f; code++) {
			const character = String.fromCharCode(code);
			const refused = findRefusedCharacters(`é${character}é`, type);
			if (ACCEPTED[type].has(character)) expect(refused, character).toEqual([]);
			else {
				expect(refused).toEqual([
					{
						character,
						codePoint: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
						position: 2,
					},
				]);
			}
		}
	});

	test('invisible ones', () => {
		const invisible = [...'\t\u0000\u00a0\u202f\u2009\u200b\ufeff\u2028'];
		expect(
			findRefusedCharacters(invisible.join('a'), 'marketing').map((one) => one.position),
		).toEqual([1, 3, 5, 7, 9, 11, 13, 15]);
	});

	test('an emoji is one character, whatever it is made of', () => {
		const text = '👍a👍🏽b❤️c👨‍👩‍👧‍👦d🇫🇷e🏴󠁧󠁢󠁥󠁮󠁧󠁿f1️⃣g✈h';
		const refused = findRefusedCharacters(text, 'marketing');
		const emoji = '👍 👍🏽 ❤️ 👨‍👩‍👧‍👦 🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ✈';
		expect(refused.map(({ character }) => character).join(' ')).toBe(emoji);
		expect(refused.map(({ position }) => position)).toEqual([1, 3, 5, 7, 9, 11, 13, 15]);
		expect(refused[0].codePoint).toBe('U+1F44D');
		expect(refused[2].codePoint).toBe('U+2764 U+FE0F');
	});

	test('a letter with a mark of its own is one character', () => {
		expect(findRefusedCharacters('le cafe\u0301 !', 'notification')).toEqual([
			{ character: 'e\u0301', codePoint: 'U+0065 U+0301', position: 7 },
		]);
	});

	test('half of a surrogate pair', () => {
		expect(findRefusedCharacters('a\ud83db', 'marketing')).toEqual([
			{ character: '\ud83d', codePoint: 'U+D83D', position: 2 },
		]);
	});
});

/** Texts as customer databases, word processors and phones write them. */
const TEXTS: Array<[typed: string, notification: string, marketing?: string]> = [
	// Accepted characters stay as they are.
	['Bonjour, à bientôt !', 'Bonjour, à bientot !'],
	['Votre code est 482913.', 'Votre code est 482913.'],
	['Déjà réglé à Mâcon', 'Déjà réglé à Macon'],
	['Où est-ce ? Là-bas.', 'Où est-ce ? Là-bas.'],
	['Ligne 1\nLigne 2', 'Ligne 1\nLigne 2'],
	['Ligne 1\r\nLigne 2\rLigne 3', 'Ligne 1\nLigne 2\nLigne 3'],
	// Quotes, dashes, dots.
	['L’équipe d’Amélie', "L'équipe d'Amélie"],
	['‘simple’ et ‚bas‛', "'simple' et 'bas'"],
	['“Promo” et „Angebot‟', '"Promo" et "Angebot"'],
	['« Bonjour »', '" Bonjour "'],
	['‹oui›', "'oui'"],
	['Aujourd´hui c`est 5′ 30″', "Aujourd'hui c'est 5' 30\""],
	['Lundi – vendredi', 'Lundi - vendredi'],
	['Offre — dernier jour', 'Offre - dernier jour'],
	['rendez‑vous ‐ 8‒10 h ― 5−2', 'rendez-vous - 8-10 h - 5-2'],
	['A suivre…', 'A suivre...'],
	['• un\n• deux', '- un\n- deux'],
	['10h·12h', '10h-12h'],
	// Spaces.
	['Prix\u00a0: 12\u00a0kg', 'Prix : 12 kg'],
	['1\u202f234,50', '1 234,50'],
	['Nom\u2009:\u2003Dupont\tJean', 'Nom : Dupont Jean'],
	['in\u00advi\u200bsi\u200dble\ufeff', 'invisible'],
	['page\u2028suivante', 'page\nsuivante'],
	// Accents that the set lacks, small and capital.
	['âêîôû ëïöÿ ç', 'aeiou eioy c'],
	['ÀÂÉÈÊËÎÏÔÙÛÇŸ', 'AAEEEEIIOUUCY'],
	['François, forêt, maïs, Noël', 'Francois, foret, mais, Noel'],
	['ÉLÉONORE À ÉVRY', 'ELEONORE A EVRY'],
	['Garçon ! Ça va ?', 'Garcon ! Ca va ?'],
	['L’hôtel où naît l’île', "L'hotel où nait l'ile"],
	['Àéroport Orléans–Saint‑Étienne', 'Aéroport Orléans-Saint-Etienne'],
	['José Muñoz, ¿qué tal? ¡Olé!', 'José Muñoz, ?qué tal? !Olé!'],
	['São João, coração', 'Sao Joao, coracao'],
	['Größe: Äpfel, Öl, Übung, Straße', 'Grosse: Apfel, Ol, Übung, Strasse'],
	['STRAẞE', 'STRASSE'],
	['Smørrebrød på Ærø', 'Smorrebrod på AEro'],
	['Łódź, Kraków, święto', 'Lodz, Krakow, swieto'],
	['Žižkov, Dvořák, Plzeň', 'Zizkov, Dvorak, Plzen'],
	['Székesfehérvár, Győr', 'Székesfehérvar, Gyor'],
	['Timișoara, București', 'Timisoara, Bucuresti'],
	['İstanbul, ışık, Ağrı', 'Istanbul, isik, Agri'],
	['Đà Nẵng, Việt', 'Dà Nang, Viet'],
	['Þór, Guðrún', 'Thor, Gudrun'],
	['Ħal, Malta ħ', 'Hal, Malta h'],
	['col·lecció', 'col-leccio'],
	['cafe\u0301 decompose\u0301', 'café decomposé'],
	// Ligatures and other forms of letters.
	['Œuvre, cœur, Lætitia', 'OEuvre, coeur, Laetitia'],
	['eﬃcace, ﬁn, ﬂeur', 'efficace, fin, fleur'],
	['𝐏𝐫𝐨𝐦𝐨 𝒅𝒖 𝓙𝓸𝓾𝓻', 'Promo du Jour'],
	['Ｐｒｏｍｏ １２', 'Promo 12'],
	// Numbers.
	['3 m² et 10² et 5¹²', '3 m2 et 10^2 et 5^12'],
	['H₂O et CO₂', 'H2O et CO2'],
	['½ tarif, 1½ h, ¾', '1/2 tarif, 1 1/2 h, 3/4'],
	['étapes ①②③', 'étapes 1 2 3'],
	['1ʳᵉ visite, 2ᵉ, 3ème', '1re visite, 2e, 3ème'],
	['1️⃣ Venez 2️⃣ Achetez', '1 Venez 2 Achetez'],
	// Signs.
	['N° 12, n°5, 1ª, 2º', 'No 12, no5, 1a, 2o'],
	['20°C, 20 °C, 45°, 70 ℉', '20C, 20 C, 45 deg, 70 F'],
	['3×2=6, 6÷2, ±1', '3x2=6, 6/2, +/-1'],
	['≤ 5, ≥ 6, ≠ 7, ≈ 8', '<= 5, >= 6, != 7, ~ 8'],
	['Paris → Lyon ← Nice', 'Paris -> Lyon <- Nice'],
	['[info] © 2030 Marque™ ®', '(info) (c) 2030 Marque(tm) (r)'],
	['art. 5 §2', 'art. 5 par. 2'],
	['5 µm', '5 um'],
	// Currencies.
	['Total 12,50 €', 'Total 12,50 EUR', 'Total 12,50 €'],
	['-20€', '-20EUR', '-20€'],
	['5 £ ou 6 $', '5 £ ou 6 $'],
	['700 ₩, 80 ₹, 3 ₿', '700 KRW, 80 INR, 3 BTC'],
	// Emoji go, and leave no double space.
	['Bonjour 👋 Marie', 'Bonjour Marie'],
	['🎉 Soldes 🎉', 'Soldes'],
	['Merci ❤️', 'Merci'],
	['👨‍👩‍👧‍👦 Famille', 'Famille'],
	['🇫🇷 France 👍🏽', 'France'],
	['Paris✈Londres', 'Paris Londres'],
	['2✖50', '2 50'],
	['de 10 〜 à 12', 'de 10 à 12'],
	['lot 5※A, B∕6', 'lot 5 A, B 6'],
	['Tél.☎0639981234', 'Tél.0639981234'],
	['✓ Confirmé', 'Confirmé'],
	['😀😀😀 ok', 'ok'],
	['ok👍👍ok', 'ok ok'],
];

describe('a text from a customer database comes out readable', () => {
	test.each(TEXTS)('%s', (typed, notification, marketing = notification) => {
		expect(replaceUnsupported(typed, 'notification').text).toBe(notification);
		expect(replaceUnsupported(typed, 'marketing').text).toBe(marketing);
		expect(findRefusedCharacters(notification, 'notification')).toEqual([]);
		expect(findRefusedCharacters(marketing, 'marketing')).toEqual([]);
	});
});

describe('what was replaced is told', () => {
	test('each distinct replacement once, in order', () => {
		expect(replaceUnsupported('L’été, l’hiver… 😊', 'notification').replacements).toEqual([
			{ character: '’', replacement: "'" },
			{ character: '…', replacement: '...' },
			{ character: '😊', replacement: '' },
		]);
	});

	test('an emoji of five parts is one', () => {
		expect(replaceUnsupported('a 👨‍👩‍👧 b', 'notification')).toEqual({
			text: 'a b',
			replacements: [{ character: '👨‍👩‍👧', replacement: '' }],
		});
	});

	test('half of an emoji, as people see it', () => {
		const cut = 'Merci 😀'.slice(0, -1);
		expect(replaceUnsupported(cut, 'notification')).toEqual({
			text: 'Merci',
			replacements: [{ character: '\ufffd', replacement: '' }],
		});
		expect(replaceUnsupported('a\ude00b', 'notification').text).toBe('a b');
	});

	test('nothing when nothing was', () => {
		expect(replaceUnsupported('déjà', 'marketing')).toEqual({ text: 'déjà', replacements: [] });
		expect(replaceUnsupported('', 'marketing')).toEqual({ text: '', replacements: [] });
	});
});

describe('what has no stand-in is left for the caller to refuse, never dropped', () => {
	test.each([
		['Привет, Marie', 'Привет'],
		['Χαίρετε', 'Χαίρετε'],
		['你好 Marie', '你好'],
		['こんにちは', 'こんにちは'],
		['안녕', '안녕'],
		['שלום', 'שלום'],
		['مرحبا', 'مرحبا'],
		['สวัสดี', 'สวัสดี'],
		['नमस्ते', 'नमस्ते'],
		['Ŋ et ŋ', 'Ŋŋ'],
		['٣ articles', '٣'],
		['500 ₸', '₸'],
		['20 ₵', '₵'],
		['700 ¥', '¥'], // yen or yuan
		['RDV à 14∶30', '∶'],
		['5∕6, 10〜12', '∕〜'],
		['￥700', '￥'],
	])('%s', (typed, left) => {
		const { text } = replaceUnsupported(typed, 'notification');
		const refused = findRefusedCharacters(text, 'notification').map((one) => one.character);
		expect(refused.join('')).toBe(left);
	});

	test('a currency sign in a marketing message is not dropped from a price', () => {
		expect(replaceUnsupported('10 ¤', 'marketing').text).toBe('10 ¤');
		expect(findRefusedCharacters('10 ¤', 'marketing')).toHaveLength(1);
	});
});

describe('whatever the text', () => {
	const anyText = fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.string({ unit: 'binary' }),
		fc.string({
			unit: fc.constantFrom(...'aé1 9’½²①°C👍✈ç€¤ß\u0301\u200d\ufe0f\r\n\u00a0Жあ'),
		}),
	);
	const anyType = fc.constantFrom(...TYPES);

	test('every character of the result is accepted, or reported as refused', () => {
		fc.assert(
			fc.property(anyText, anyType, (typed, type) => {
				const { text } = replaceUnsupported(typed, type);
				const refused = new Set(
					findRefusedCharacters(text, type).flatMap(({ character }) => [...character]),
				);
				for (const character of text) {
					expect(ACCEPTED[type].has(character) || refused.has(character)).toBe(true);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	test('what is left as refused are letters, numbers and signs in them, currency signs and lost letters', () => {
		fc.assert(
			fc.property(anyText, anyType, (typed, type) => {
				const { text } = replaceUnsupported(typed, type);
				const others = text.replace(/(?<=\d)[^\p{L}\p{N}]\p{M}*(?=\d)/gu, ' ');
				for (const { character } of findRefusedCharacters(others, type)) {
					expect(character).toMatch(/[\p{L}\p{N}\p{Sc}\ufffd]/u);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	test('replacing twice is replacing once', () => {
		fc.assert(
			fc.property(anyText, anyType, (typed, type) => {
				const once = replaceUnsupported(typed, type).text;
				expect(replaceUnsupported(once, type)).toEqual({ text: once, replacements: [] });
			}),
			{ numRuns: 2_000 },
		);
	});

	test('a text of accepted characters stays as it is', () => {
		for (const type of TYPES) {
			const accepted = [...ACCEPTED[type]].filter((character) => character !== '\r');
			fc.assert(
				fc.property(fc.string({ unit: fc.constantFrom(...accepted) }), (text) => {
					expect(replaceUnsupported(text, type)).toEqual({ text, replacements: [] });
				}),
			);
		}
	});

	test('letters and digits of the basic alphabet are never lost', () => {
		fc.assert(
			fc.property(anyText, anyType, (typed, type) => {
				const basic = (text: string) => text.replace(/[^A-Za-z0-9]/g, '');
				const kept = basic(replaceUnsupported(typed, type).text);
				let at = -1;
				for (const character of basic(typed.normalize('NFC'))) {
					at = kept.indexOf(character, at + 1);
					expect(at).toBeGreaterThanOrEqual(0);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	test('positions count characters as a person does, from 1, in order', () => {
		const one = fc.constantFrom('a', 'é', ' ', '👍', '👍🏽', '👨‍👩‍👧', '🇫🇷', 'ç', '’', '1️⃣');
		fc.assert(
			fc.property(fc.array(one), (parts) => {
				const expected = parts.flatMap((part, index) =>
					['a', 'é', ' '].includes(part) ? [] : [[part, index + 1]],
				);
				const refused = findRefusedCharacters(parts.join(' '), 'marketing').map(
					({ character, position }) => [character, (position + 1) / 2],
				);
				expect(refused).toEqual(expected);
			}),
		);
	});
});
