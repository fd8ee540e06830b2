/**
 * Ordinary texts, as shops, practices and clubs send them: no link or placeholder is seen in them, no hint is given, and
 * no character changes but those that the interface document (section 8) leaves out.
 */
import { describe, expect, test } from 'vitest';
import { replaceUnsupported } from '../../../nodes/shared/service/characters.ts';
import { splitLinks } from '../../../nodes/shared/service/links.ts';
import { expressionIn } from '../../../nodes/shared/service/messageText.ts';
import { foreignPlaceholders } from '../../../nodes/shared/service/placeholders.ts';
import { warningsOf } from '../../../nodes/Sms/warnings.ts';

/** Section 8: what a notification can have. */
const ACCEPTED = new Set(
	[
		'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n',
		'@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^¤{}~"\\\'',
	].flatMap((characters) => [...characters]),
);
/** Similar characters, as docs/sms.md promises them. */
const SIMILAR: Record<string, string> = {
	...{ '’': "'", '‘': "'", '“': '"', '”': '"', '«': '"', '»': '"', '…': '...', '–': '-' },
	...{ '—': '-', œ: 'oe', Œ: 'OE', '\u00a0': ' ', '\u202f': ' ', '€': 'EUR', '[': '(', ']': ')' },
	...{ '°': 'o', '→': '->', '•': '-' },
};
const asSent = (text: string) =>
	[...text]
		.map((character) => {
			if (ACCEPTED.has(character)) return character;
			return SIMILAR[character] ?? character.normalize('NFD')[0];
		})
		.join('');

/** Written by hand: what a pattern for links, addresses, placeholders, HTML or broken letters might catch. */
const WRITTEN = [
	// Full stops without a blank
	'Votre commande est prête.Ca y est, vous pouvez venir.',
	"C'est la fête.Info au 01 39 98 12 34",
	'Colis reçu.Info suivra',
	'Soyez prêt.Net : 10 EUR',
	'Merci pour votre fidélité.Me contacter si besoin',
	'Le café est fermé.De retour lundi',
	'Votre RDV est confirmé.It will be fine',
	'Rappel RDV demain 14h.Merci de prévenir en cas d’empêchement',
	'Livraison prévue.Shop ouvert de 9h à 12h',
	'Bonne fête.Us et coutumes',
	'Bientôt Noël.Pro et perso bienvenus',
	'Dossier complété.Ai besoin de votre signature',
	'On vous attend.A bientôt.L’équipe',
	'prêt.merci',
	'reçu.bonne soirée',
	'ok.net à payer 12 euros',
	'Très bien.Ça marche.À demain.',
	'Your order is ready.It waits for you.See you soon',
	'Thanks.Me and Zoë will be there.To confirm, reply YES',
	'Café closed.Back at 5.Be there',
	'Fin de série.Com’ à voir avec Noémie',
	'Le maître.Eu égard à la météo, reporté',
	'Séance du 12.Bus au départ à 8h',
	// Abbreviations
	'M.Dupont, Mme.Lefèvre et le Dr.Noël vous attendent',
	'RDV av. de la République, bât.B, 3e ét.',
	'N.B. : apportez votre carte, p.ex. la carte Vitale, etc...',
	'S.A.V. ouvert de 9 h. à 18 h., T.T.C. et H.T.',
	'c.-à-d. demain matin, cf. notre mail',
	'Réf.AB/12 du 12.05.2031, tél.06.39.98.12.34',
	'St.-Étienne, Ste.Thérèse, Bd.Gouvion-St-Cyr',
	'e.g. tomorrow, i.e. the 5th, a.m. or p.m.',
	'Mr.Smith, Mrs.Jones, Ph.D. students, U.S.A. and U.K.',
	// Prices, numbers, times, dates
	'Total : 12,50€ TTC (10.42 HT + 2.08 TVA)',
	'1.299,00 € au lieu de 1.499,00 €',
	'Gagnez $50, US$ (20), $(20) ou A$15',
	'£12.50, $9.99, 12$ ou US$12, 20 $CAD, A$15',
	'-20% sur tout, -10% ensuite, 50% demain, 100%coton',
	'20% de remise et 30% dès 2 articles, 5%-10% ailleurs',
	'5 %d’écart et 10 %sur le reste',
	'9h.Réunion à 10h30.Pause à 12h',
	'Le 12.05.2031 à 14.30 h, ou le 13/05/2031 à 14:30',
	'Ouvert lun.-ven. 9h-12h/14h-18h, sam. 10h-13h',
	'3.5/5 étoiles, 12/20 en maths, 2.5km/h, 1.5l/100',
	'Lat. 48.85, long. 2.29',
	'Version 2.4.1 installée, build 1.0.0-beta.3',
	'Ticket n° 2031.12.4589.A, zone B.12',
	'Adresse IP 192.168.1.10 bloquée',
	'Gagnez 3.000 points, soit 30.00 €, le 3.Mai',
	'Salle 4.B, étage 2.C, porte 12.bis',
	// Words beside slashes
	'Et/ou demain, matin/après-midi, M./Mme, Client/Prêt',
	'Retrait.Livraison/Échange possible dès demain',
	'C’est prêt.Retrait/échange au comptoir',
	'Prêt.Paiement/reçu au guichet',
	'Horaires : lun/mar/mer 9h/12h, entrée 1/2 tarif',
	'Taille S/M ou L/XL, noir/blanc, n/a',
	'km/h, €/mois, TTC/HT, A/R, s/o',
	'Code:1234/çA, réf:3000/reçu, loyer:900/mois',
	// Codes
	'Votre code est 482-913. Ne le donnez à personne.',
	'Code promo : NOEL20, ÉTÉ-2031, #SOLDES, REF_A1B2',
	'Salle [bureau], casier [A1B2], [INFO] ascenseur en panne',
	'Mot de passe : aB3$xY9%zQ',
	'Suivi : LX123456789FR, colis 1/2, relais (12)',
	'Répondez 1 pour OUI, 2 pour NON, STOP au 36123',
	'Répondez «OUI» ou «NON», code «NOEL20», « Bonjour »',
	'Répondez <<OUI>> pour confirmer',
	'Wifi : Livebox-8A2C, clé : 4f!G#9k&L2',
	'#Noël #promo #1 du quartier, C#, F#',
	'Réservation K7.M2.P9, siège 12A, porte D.4',
	// Signs
	'A & B, R&D, H&M;, M&S, AT&T, Dupont & fils',
	'x < 5 et y > 6, <3, :-), ;), :(, ^^, o_o, ¤',
	'1 + 1 = 2, 2 * 3 = 6, ~20 min, a|b, (ok)',
	'Nom : ____ Date : __ / __ / ____',
	'Prix *hors* taxes _en gras_ ~barré~',
	'C:/nouveau, D:\\Ventes, a/b\\c',
	'--- Rappel --- => RDV → 15h •Apportez votre carte',
	'@ bientôt ! RDV @ la mairie, rdv@14h, midi@la plage',
	'Suivez-nous @boulangerie.forêt sur Instagram',
	'Écrivez à rdv@exemple.fr ou à contact@exemple.de, Zoë',
	'Awww.C’est mignon',
	'(((attention))) (voir (p. 2)) ((12))',
	'«Joyeuses Fêtes» de l’équipe',
	'Ouvert 7j/7 & 24h/24 !!! ??? ...',
	'Il a dit “oui”, l’œuvre – enfin – est là…',
	'Solde : 12 % ; TVA : 20 % ; total : 100 %',
	'« Été\u00a0», « voilà\u00a0», «\u00a0CAFÉ\u00a0», “LÀ”, «FÊTÉ», ‘OÙ’, ÎLE…, JUSQU’OÙ…, É–È',
	'Le 2031-05-12, lot 2031-05-12/A, réf. A2031-05-12T09:00',
	'null et undefined, NaN : rien à signaler',
	'It’s undefined behaviour, not null and void',
];

/** The rest is put together: an opening, a sentence, what stands between them, and an end. */
const OPENINGS = [
	'Bonjour Zoë',
	'Cher client',
	'Hello François',
	'RDV confirmé',
	'Commande n°1042',
];
const BETWEEN = ['.', ' : ', ', ', '. ', '! '];
const SENTENCES = [
	'Votre colis est arrivé au relais de l’Hôtel',
	'La fête a lieu le 24.12 à 18h30',
	'Your table is booked for 7.30pm',
	'Il reste 12,50€ à régler avant le 05/06',
	'Prenez la ligne B/C, arrêt Forêt',
	'Appelez le 01.39.98.12.34 dès réception',
	'Le code est AB12-CD34',
	'Ouverture à 9h.Fermeture à 18h',
	'Présentez la carte n° 12.345.678',
	'Thanks for coming.See you soon',
];
const ENDS = ['.Merci', '.À bientôt !', '…'];
const TEXTS = [
	...WRITTEN,
	...OPENINGS.flatMap((opening) =>
		BETWEEN.flatMap((between) =>
			SENTENCES.flatMap((sentence) =>
				ENDS.map((end) => `${opening}${between}${sentence}${end}`),
			),
		),
	),
];

test('there are enough of them, each once', () => {
	expect(new Set(TEXTS).size).toBe(TEXTS.length);
	expect(TEXTS.length).toBeGreaterThan(500);
});

const item = {
	json: { to: '+33639981234', firstName: 'Zoé' },
	...{ options: {}, parts: () => [], varies: () => false },
};

describe.each(TEXTS)('%s', (text) => {
	test('has no link, no placeholder and no other hint', () => {
		const kinds = splitLinks(text).map(({ kind }) => kind);
		expect(kinds).not.toContain('link');
		expect(foreignPlaceholders(text, () => false)).toEqual([]);
		expect(expressionIn(text)).toBeUndefined();
		expect(warningsOf({ typed: text, segments: 1, item })).toEqual([]);
	});

	test('is sent as it is, but for what the service does not accept', () => {
		// A degree is written behind a number, and a replacement for another sign may have a space.
		expect(replaceUnsupported(text, 'notification').text).toBe(asSent(text));
	});
});

/** Neighbors of the texts above, which the same patterns must catch. */
describe('a link', () => {
	test.each([
		['Votre facture : exemple.immo/forêt.', 'exemple.immo/for%C3%AAt'],
		['rb.gy/reçu', 'rb.gy/re%C3%A7u'],
		['Essai : localhost:3000/reçu', 'localhost:3000/re%C3%A7u'],
		['exemple.photography/été?ref=ç', 'exemple.photography/été?ref=%C3%A7'],
		['exemple.coop:8080/â', 'exemple.coop:8080/%C3%A2'],
		['exemple.boutique?ref=reçu', 'exemple.boutique?ref=re%C3%A7u'],
		['l’adresse:mon-site.paris/fête', 'mon-site.paris/f%C3%AAte'],
		['(exemple.museum/fête)', 'exemple.museum/f%C3%AAte'],
		['EXEMPLE.FR/REÇU', 'EXEMPLE.FR/RE%C3%87U'],
		['Exemple.fr/reçu', 'Exemple.fr/re%C3%A7u'],
		['forêt.immo/été', `${new URL('http://forêt.immo').hostname}/été`],
		['...exemple.fr/reçu', 'exemple.fr/re%C3%A7u'],
		['Lienhttps://exemple.fr/reçu', 'https://exemple.fr/re%C3%A7u'],
		['WWW.EXEMPLE.FR/REÇU', 'WWW.EXEMPLE.FR/RE%C3%87U'],
		['ftp://exemple.fr/reçu', 'ftp://exemple.fr/re%C3%A7u'],
		['whatsapp://send?text=reçu', 'whatsapp://send?text=re%C3%A7u'],
	])('%s leads to the same place', (text, link) => {
		expect(replaceUnsupported(text, 'notification').text).toContain(link);
	});
});

describe('a placeholder of another system', () => {
	const COLUMNS = ['prenom', 'Prénom', 'PRENOM', 'nom', 'Nom de famille', 'first_name'];
	test.each([
		...[
			'{prenom}',
			'#{prenom}',
			'%prenom%',
			'*|PRENOM|*',
			'[[prenom]]',
			'((prenom))',
			'##nom##',
		],
		...['«prenom»', '« Nom de famille »', '<<Prénom>>', '<%= prenom %>', '$prenom', '$PRENOM'],
		...[
			'{% prenom %}',
			'[prenom]',
			'[Nom de famille]',
			'#Prénom#',
			'__prenom__',
			'[first_name]',
		],
		...['{0}', '%s', '%1$s'],
	])('%s is one', (placeholder) => {
		const found = foreignPlaceholders(`Bonjour ${placeholder}, à demain`, (name) =>
			COLUMNS.includes(name),
		);
		expect(found).toEqual([placeholder]);
	});
});
