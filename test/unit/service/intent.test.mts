/**
 * Meanings of replies. The interface document knows only the keyword STOP; how people opt out otherwise,
 * ask for help, agree and decline is taken from public sources:
 *
 * - FCC, 47 CFR 64.1200(a)(10): "stop", "quit", "end", "revoke", "opt out", "cancel", "unsubscribe"
 * - CTIA's keywords as Twilio, Braze, Telnyx and AWS End User Messaging document them (STOPALL, OPTOUT, ARRET, REMOVE)
 * - CWTA, Canadian short code guidelines, at Infobip and Twilio: STOP, ARRET, HELP, AIDE, INFO
 * - CNIL and AF2M, at commentcamarche.net and universfreebox.com: STOP, "STOP au 36xxx", CONTACT
 * - Postscript, "Subscriber Opt-out Actions": what recipients wrote instead of STOP
 * - iVIPmobile, "What Key Words Will Automatically Unsubscribe a Contact?"
 * - Braze, "Fuzzy opt-out"; textanywhere.com and p2pu/learning-circles#593 on "please stop", "Stop. Thank you"
 * - ProgressiveCoders/Spoke#1016: "We have got to STOP this terrible bill" is no opt-out
 * - reponse-conso.fr: "je m'oppose à la réception de vos messages publicitaires"
 * - MedicalDirector Helix and HotDoc: Y, Yes, Yeah, N, No, Nope, and what no machine should guess
 *
 * A reply that is not plain is `other`: better no answer than a wrong one.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intentOf, type Intent } from '../../../nodes/shared/service/intent.ts';
import { growsWithSize } from '../../harness/growth.mts';
import { HELD_OUT, REPLIES } from './replies.mts';

const EVERYBODY = [...REPLIES, ...HELD_OUT];

test.each(EVERYBODY)('%j is %s', (text, intent) => {
	expect(intentOf(text)).toBe(intent);
});

test('each reply is there once, with hundreds of each kind of risk', () => {
	expect(new Set(EVERYBODY.map(([text]) => text)).size).toBe(EVERYBODY.length);
	const others = EVERYBODY.filter(([, intent]) => intent === 'other').length;
	expect(others).toBeGreaterThanOrEqual(350);
	expect(EVERYBODY.length - others).toBeGreaterThanOrEqual(650);
});

/** Who says which verb of what object, where the object is no message: an order, an appointment, a bus. */
const OF_SOMETHING_ELSE: Array<[verbs: string, objects: string]> = [
	[
		`Arrêtez|Stoppez|Stop|Stop à|Cessez|Supprimez|Retirez|Merci de me retirer|Merci d'arrêter|Effacez|Je ne veux plus de|Je ne veux plus
		Je ne veux plus recevoir|Je ne veux pas de|Ne m'envoyez plus|N'envoyez plus|Vous pouvez arrêter|Pouvez-vous arrêter|Il faut arrêter
		Plus de|Désabonnez-moi de|Je dis stop à|Je demande l'arrêt de|Suppression de|Mauvais numéro, supprimez|Bloctel, supprimez`,
		`la commande|mon rdv|la livraison|le colis|le traitement|la machine|le bus|les travaux|le prélèvement|l'abonnement|la réservation
		mon dossier|le chien|les oignons|cet article|ce genre de pizza|deux pizzas|mon contact d'urgence|ma carte`,
	],
	[
		`Stop|Please stop|Stop sending|Stop sending me|Please do not send me|Don't send|Never send|Remove|Delete|Cancel|I want to stop
		I don't want|I no longer want|I don't want to receive|Take me off|Can you stop|Could you remove|Quit|End|No more|Unsubscribe
		Wrong number, remove|Wrong number, cancel|You can stop|I can't stop|We stop`,
		`the order|my appointment|the delivery|the parcel|the treatment|the bus|the work|the payment|the onions|my subscription|the invoice
		the dog|this type of shirt|that kind of wine|the second item|my card|the music|two pizzas|the flyer|offers`,
	],
];

test('a stop of something else is none', () => {
	const listOf = (table: string) => table.split(/[|\n]/).map((one) => one.trim());
	const texts = OF_SOMETHING_ELSE.flatMap(([verbs, objects]) =>
		listOf(verbs).flatMap((verb) => listOf(objects).map((object) => `${verb} ${object}`)),
	);
	expect(texts.length).toBeGreaterThan(900);
	const ends = ['', '?', '. Merci', ', please'];
	const others = texts.flatMap((text) => ends.map((end) => text + end));
	expect(others.filter((text) => intentOf(text) === 'stop')).toEqual([]);
});

test.each([
	'',
	' ',
	undefined,
	null,
	0,
	1,
	true,
	{},
	[],
	['STOP'],
	{ message: 'STOP' },
	Symbol('STOP'),
])('what is no text (%s) is other', (message) => {
	expect(intentOf(message)).toBe('other');
});

const STYLES: Array<[how: string, style: (text: string) => string]> = [
	['capitals', (text) => text.toUpperCase()],
	['small letters', (text) => text.toLowerCase()],
	['no accents', (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')],
	['combining accents', (text) => text.normalize('NFD')],
	['curly apostrophes', (text) => text.replaceAll("'", '’')],
	['no apostrophes', (text) => text.replaceAll(/['’]/g, '')],
	[
		'full width',
		(text) =>
			text.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
	],
	['no-break spaces', (text) => text.replaceAll(' ', '\u00a0')],
	['polite', (text) => `Bonjour, ${text} svp. Merci !`],
	['polite in English', (text) => `Hello, ${text}, please. Thanks!`],
	['emoji around', (text) => `🙏🏽${text} 👩‍👩‍👧 ❤️`],
	['lines around', (text) => `\r\n\n${text}\t\n \u2028`],
	['halves of emoji around', (text) => `\udc00${text}\ud83d`],
];

test.each(STYLES)('how it is typed makes no difference: %s', (_, style) => {
	// A name is known by its capital letters.
	const plain = EVERYBODY.filter(
		([text, intent]) =>
			intent !== 'other' &&
			!/\?|(?:pas|not|isn't|Cdt,|ordialement,|regards,) \p{Lu}/u.test(text),
	);
	expect(plain.length).toBeGreaterThan(400);
	expect(plain.filter(([text, intent]) => intentOf(style(text)) !== intent)).toEqual([]);
});

describe('a text as long as a reply can be is read in a time that no choice of phrases makes grow', () => {
	/** A part so often that the text is nearly as long as a reply can be, or a tenth of it. */
	let longest = 3_990;
	const fill = (part: string, rest = '') => part.repeat((longest - rest.length) / part.length);
	const texts = (): Array<[text: string, intent: Intent]> => [
		[`${fill(' ', 'stop')}stop`, 'stop'],
		[`stop${fill('!')}`, 'stop'],
		[`st${fill('o')}p`, 'stop'],
		[`stop ${fill('merci ')}`, 'stop'],
		[fill('Stop. '), 'stop'],
		[`${fill('stop ', 'by')}by`, 'other'],
		[`${fill('oui ', 'maybe')}maybe`, 'other'],
		[fill('please stop sending me all the '), 'other'],
		[`${fill('Blah, blah. ', 'Please unsubscribe me.')}Please unsubscribe me.`, 'stop'],
		[`e${fill('\u0301\u0323')}`, 'other'],
		[`${fill('I moved, ', 'stop texting me')}stop texting me`, 'stop'],
		[fill('je n’ai pas dit non '), 'other'],
		[fill('a-'), 'other'],
		[fill('s.t.o.p.'), 'stop'],
		[`Stop. ${fill('Merci, Anna ')}`, 'other'],
		[`Oui. Cordialement, A${fill('n', 'Oui. Cordialement')}`, 'other'],
		[fill('Je ne suis pas P'), 'other'],
		[`${fill('if you keep it or else ', 'stop texting me')}stop texting me`, 'other'],
		// Each pair can be read in two ways
		[`${fill('opposition rgpd ', 'by')}by`, 'other'],
		[fill('Confirme rdv '), 'yes'],
		[fill('👍'), 'yes'],
		[fill('Je ne peux pas. '), 'no'],
		[`stop ${fill('merci de ')}`, 'stop'],
		[fill('je ne veux plus de ce genre de '), 'other'],
		[fill('sms pub de '), 'other'],
		[fill('36 180 '), 'other'],
		[fill("I can't stop "), 'other'],
		...['«', '“', '"', '\n', '> ', '?', 'd a ', 'ﷺ', '\ud83d', '🛑', 'Regards '].map(
			(part) => [fill(part), 'other'] as [string, Intent],
		),
	];

	const TEXTS = texts();
	test.each(TEXTS)('%#', (text, intent) => {
		expect(intentOf(text)).toBe(intent);
		// A longer one is other.
		expect(intentOf(text.repeat(25))).toBe('other');
		const at = TEXTS.findIndex(([one]) => one === text);
		const read = (length: number) => {
			longest = length;
			intentOf(texts()[at][0]);
		};
		expect(growsWithSize(read, 3_990, 2)).toBe(true);
	});
});

test('any text has an intent', () => {
	const piece = fc.oneof(
		fc.constantFrom(...REPLIES.map(([text]) => text)),
		fc.constantFrom(...' \n?!,.’-', ' ne ', ' pas ', ' not ', "don't "),
		fc.string({ unit: 'binary' }),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			expect(['stop', 'help', 'yes', 'no', 'other']).toContain(intentOf(pieces.join('')));
		}),
	);
});
