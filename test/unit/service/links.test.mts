/** A link leads to the same place after its characters are replaced: percent-encoded, its host in ASCII. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	findRefusedCharacters,
	replaceUnsupported,
	type MessageType,
} from '../../../nodes/shared/service/characters.ts';
import { prepareMessage } from '../../../nodes/shared/service/messageText.ts';

/** Where a browser goes. */
const placeOf = (link: string) => {
	const { hostname, pathname, search, hash } = new URL(link);
	return [hostname, decodeURI(pathname), decodeURIComponent(search), decodeURIComponent(hash)];
};

/** As browsers and the WHATWG URL Standard write them. */
const LINKS: Array<[typed: string, sent: string]> = [
	['https://exemple.fr/reçu/1042', 'https://exemple.fr/re%C3%A7u/1042'],
	['https://exemple.fr/?statut[]=x', 'https://exemple.fr/?statut%5B%5D=x'],
	['https://exemple.fr/a?b[]', 'https://exemple.fr/a?b%5B%5D'],
	['https://exemple.fr/l’été#fin…x', 'https://exemple.fr/l%E2%80%99été#fin%E2%80%A6x'],
	[
		'http://exemple.fr:8080/prêt?q=œuf&r=ê',
		'http://exemple.fr:8080/pr%C3%AAt?q=%C5%93uf&r=%C3%AA',
	],
	['https://exemple.fr/re\u0063\u0327u', 'https://exemple.fr/rec%CC%A7u'],
	['https://exemple.fr/🎄', 'https://exemple.fr/%F0%9F%8E%84'],
	['https://exemple.fr/Привет', 'https://exemple.fr/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82'],
	['https://www.fête.example/a', 'https://www.xn--fte-fma.example/a'],
	['HTTPS://Fête.Example', 'HTTPS://xn--fte-fma.example'],
	['https://exemple.fr/a%20b', 'https://exemple.fr/a%20b'],
	['https://café.example/été', 'https://café.example/été'],
];

test.each(LINKS)('%s is sent as %s', (typed, sent) => {
	for (const type of ['marketing', 'notification'] as MessageType[]) {
		const { text } = replaceUnsupported(`Reçu : ${typed} à Noël…`, type);
		expect(text).toBe(`Recu : ${sent} à Noel...`);
	}
	expect(placeOf(sent)).toEqual(placeOf(typed));
});

test.each([
	['www.fête.example.', 'www.xn--fte-fma.example.'],
	['fête.fr/reçu', 'xn--fte-fma.fr/re%C3%A7u'],
	['(https://exemple.fr/reçu)', '(https://exemple.fr/re%C3%A7u)'],
	['bit.ly/3çA', 'bit.ly/3%C3%A7A'],
	['ma-boutique.store/été?q=ç', 'ma-boutique.store/été?q=%C3%A7'],
	['Ça va.Merci de/ç', 'Ca va.Merci de/c'],
	['rue de.ça me/ça', 'rue de.ca me/ca'],
	['[voir](https://exemple.fr/reçu)', '(voir)(https://exemple.fr/re%C3%A7u)'],
	['«https://exemple.fr/reçu»', '"https://exemple.fr/re%C3%A7u"'],
	['“https://exemple.fr/reçu”, reçu', '"https://exemple.fr/re%C3%A7u", recu'],
	['l’adresse:https://exemple.fr/reçu…', "l'adresse:https://exemple.fr/re%C3%A7u..."],
	['https://exemple.fr/reçu’', "https://exemple.fr/re%C3%A7u'"],
	['https://exemple.fr/a_(reçu)', 'https://exemple.fr/a_(re%C3%A7u)'],
	['https://exemple.fr/re\u200bcu\ufeff ok', 'https://exemple.fr/recu ok'],
	['https://exemple.fr/a\u00a0b', 'https://exemple.fr/a b'],
	['https://exemple.fr 🎄 https://exemple.fr', 'https://exemple.fr https://exemple.fr'],
	['https://exemple.fr/a\ud83d', 'https://exemple.fr/a'],
	// No links
	['La fête.Merci', 'La fete.Merci'],
	['prêt:ok, 12.5°', 'pret:ok, 12.5 deg'],
])('%j is sent as %j', (typed, sent) => {
	expect(replaceUnsupported(typed, 'notification').text).toBe(sent);
});

test('the euro sign in a link depends on the type of the message', () => {
	expect(replaceUnsupported('https://x.fr/9€', 'marketing').text).toBe('https://x.fr/9€');
	expect(replaceUnsupported('https://x.fr/9€', 'notification').text).toBe(
		'https://x.fr/9%E2%82%AC',
	);
});

test('each change of a link is told', () => {
	expect(replaceUnsupported('https://fête.fr/reçu/reçu', 'marketing').replacements).toEqual([
		{ character: 'fête.fr', replacement: 'xn--fte-fma.fr' },
		{ character: 'ç', replacement: '%C3%A7' },
	]);
});

describe('a link that can not be written so is refused', () => {
	test.each(['https://fête…[x/', 'https://jérôme@exemple.fr/', 'https://exemple.fr/re\ufffdu'])(
		'%s',
		(text) => {
			expect(() => prepareMessage(text, 'notification', 'replace')).toThrowError(/refuses/);
		},
	);
});

describe('an e-mail address with a letter that can not be sent is refused, and told why', () => {
	test.each([
		['zoë@exemple.de', 'zoë@exemple.de'],
		['Écrivez à françois@exemple.fr.', 'françois@exemple.fr'],
		['jérôme.noël+rdv@mail.exemple.museum, merci', 'jérôme.noël+rdv@mail.exemple.museum'],
		['mailto:jean@fête.fr?subject=x', 'jean@fête.fr'],
		['(ZOË@EXEMPLE.BZH)', 'ZOË@EXEMPLE.BZH'],
		['a@exemple.fr;łukasz@exemple.pl', 'łukasz@exemple.pl'],
		['📧zoe\u0308@exemple.de', 'zoë@exemple.de'],
		['жанна@exemple.com', 'жанна@exemple.com'],
	])('%s', (text, address) => {
		const refused = () => prepareMessage(text, 'notification', 'replace');
		expect(refused).toThrowError('refuses');
		expect(refused).toThrowError(
			expect.objectContaining({ description: expect.stringContaining(` ${address} `) }),
		);
	});

	test.each([
		['rémi@exemple.fr — Zoë', 'rémi@exemple.fr - Zoe'],
		['re\u0301mi@exemple.fr', 'rémi@exemple.fr'],
		['l’adresse:rdv@exemple.fr…', "l'adresse:rdv@exemple.fr..."],
		['📧rdv@exemple.fr', 'rdv@exemple.fr'],
		['rdv\u200b@exemple.fr', 'rdv@exemple.fr'],
		['RDV à l’hôtel@14h.Merci', "RDV à l'hotel@14h.Merci"],
		['prêt@midi, @forêt.fr', 'pret@midi, @foret.fr'],
	])('%s is sent as %s', (text, sent) => {
		expect(replaceUnsupported(text, 'notification').text).toBe(sent);
	});
});

test('whatever the link, it leads to the same place', () => {
	const hosts = ['exemple.fr', 'www.fête.example', 'münchen.example:8080', 'œuf.example'];
	const letter = fc.constantFrom(...'aé%[]’çœ€¤🎄/?#=&()Ж語~^|\u0301…*@:;,.!');
	fc.assert(
		fc.property(fc.constantFrom(...hosts), fc.string({ unit: letter }), (host, rest) => {
			// A phone ends a link before such a sign.
			const link = `https://${host}/${rest}x`;
			for (const type of ['marketing', 'notification'] as const) {
				const { text } = replaceUnsupported(`Voilà ${link} !`, type);
				expect(findRefusedCharacters(text, type)).toEqual([]);
				const sent = /^Voilà (\S+) !$/.exec(text)![1];
				expect(new URL(sent).href).toBe(
					new URL(link).href.replace(/[[\]]/g, encodeURIComponent),
				);
			}
		}),
		{ numRuns: 5_000 },
	);
});
