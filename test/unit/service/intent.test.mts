/**
 * What a reply means. The interface document knows only the keyword STOP; how people opt out otherwise,
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

const REPLIES: Record<Intent, string[]> = {
	stop: [
		// Keywords: FCC, CTIA, CWTA, AWS, CNIL
		...[
			'STOP',
			'stop',
			'Stop',
			'QUIT',
			'End',
			'REVOKE',
			'OPT OUT',
			'Opt-out',
			'OPTOUT',
			'CANCEL',
		],
		...[
			'UNSUBSCRIBE',
			'unsub',
			'STOPALL',
			'STOP ALL',
			'REMOVE',
			'ARRET',
			'Arrêt',
			'ARRÊT',
			'Arrêter',
		],
		...[
			'STOP au 36180',
			'STOP 36123',
			'STOP SMS',
			'STOP SMS 36111',
			'stop au 36 111',
			'Stop pub',
			'STOP PUBS',
			'stop promos',
		],
		// Punctuation, politeness, emoji, repetition, typing
		...[
			'STOP.',
			'stop!',
			'STOP !!!',
			' stop ',
			'"STOP"',
			'«\u00a0STOP\u00a0»',
			'*STOP*',
			'(stop)',
			'stop...',
		],
		...[
			'STOP merci',
			'Stop, merci.',
			'Please stop',
			'STOP PLEASE',
			'CANCEL PLEASE',
			'Stop. Thank you',
			'stop svp',
		],
		...[
			'Stop s’il vous plaît',
			"STOP s'il te plait",
			'Bonjour, STOP. Cordialement',
			'Hello, stop please. Thanks!',
		],
		...[
			'Stop 🛑',
			'🛑🛑 STOP 🛑🛑',
			'STOP 🙏🏽',
			'stop ❤️',
			'stoooop',
			'STOPPPP!!!',
			'STOP STOP STOP',
			'stop stop',
		],
		...[
			'ＳＴＯＰ',
			'𝐒𝐓𝐎𝐏',
			'S T O P',
			'S-T-O-P',
			'ST\u200bOP',
			'sto\u00adp',
			'STOP\n',
			'\n\nSTOP\n\nMerci',
			'STOP\r\nMerci',
		],
		...[
			'STOP\nEnvoyé de mon iPhone',
			'Stop\n\nSent from my iPhone',
			'STÓP',
			'S\u0301TOP',
			'stop\ud83d',
			'\udc00STOP',
		],
		// Together with a yes or a no
		...[
			'ok stop',
			'OK, stop.',
			'yes stop',
			'oui stop',
			'Non, stop',
			'No. Stop!',
			'non merci stop',
			'no thanks, stop',
		],
		...[
			'STOP, not interested',
			'stop pas intéressé',
			'Stop, je ne suis pas intéressé',
			'STOP! Wrong number',
			'ça suffit stop',
		],
		...[
			'Stop. I never signed up for this.',
			"STOP j'en ai marre",
			"Stop, je n'ai rien demandé !",
			'enough. stop.',
		],
		// Both languages
		...['Stop, thank you, merci', 'please arrêtez', 'Hello, désabonnement please'],
		// Of recipients: Postscript, iVIPmobile, Braze
		...[
			'stop texting',
			'Stop texting me',
			'stop this',
			'stop it',
			'stop texts',
			'stop calling',
			'stop sending texts',
		],
		...[
			'stop sending me texts',
			'Stop the text, please!',
			'Stop all texts to me!',
			'Stop sending me text',
			'stop messaging me',
		],
		'Stop sending me text message! I have asked many times and you continue to send them to me!',
		"STOP SENDING ME THESE TEXTS... I already ordered one and I don't want to keep getting texts from you",
		...[
			'Stop sending these, please!',
			'Quit texting me',
			'quit sending me this',
			'stop contacting me',
		],
		...[
			'do not text',
			'do not call',
			"don't text",
			'dont text me',
			'Don’t call',
			'do not call me',
			'do not contact',
			'Do not message',
		],
		...[
			'Please do not text me again.',
			"Don't ever text me",
			'never text me again',
			"please don't send me any more texts",
		].filter((text) => !text.includes('ever text me') || text.startsWith('never')),
		...[
			'take me off',
			'take me off your list',
			'Please take me off this list.',
			'remove me',
			'Remove this number',
			'Remove my phone number',
		],
		...[
			'Please remove my number from your system. Thank you!',
			'Please delete me from your text list. Thanks so much!',
		],
		...[
			'unsubscribe me',
			'Unsubscribe me from your list please',
			'opt me out',
			'I want to unsubscribe',
			"I'd like to opt out",
		],
		...[
			'leave me alone',
			'Leave us alone!',
			'lose my number',
			'No more texts please',
			'no more messages',
			'no more spam',
		],
		...[
			"I don't want any more texts",
			"I don't want to receive these messages",
			'I no longer wish to receive texts from you',
		],
		...[
			'Can you please stop texting me?',
			'could you stop sending me messages',
			'I revoke my consent',
			'Hi, please stop messaging this number',
		],
		// In French
		...[
			'arrête',
			'Arrêtez',
			'Arrêtez svp',
			'arretez svp merci',
			'ARRETEZ !!!',
			'arrêtez ça',
			'Stoppez',
			'stop aux sms',
			'stop à vos messages',
		],
		...[
			'désabonnement',
			'desabonnement',
			'Désabonner',
			'DESABONNER',
			'désinscription',
			'desinscrire',
			'désabo',
			'désabonnez-moi',
		],
		...[
			'Désabonnez moi svp',
			'Désinscrivez-moi de votre liste',
			'Je souhaite me désabonner',
			'je veux me désinscrire',
			'Je me désabonne',
		],
		...[
			'Veuillez me désinscrire de vos listes',
			'Merci de me désabonner',
			'merci de me retirer de votre liste',
			'me désabonner',
		],
		...[
			'Retirez-moi de votre liste',
			'enlevez-moi de la liste',
			"Enlève moi de votre liste s'il vous plait",
			'retirez mon numéro',
		],
		...[
			'Supprimez moi de la liste',
			'supprimez mon numéro de vos fichiers',
			'Rayez-moi de vos listes',
			'Merci de supprimer mon numéro de votre base de données',
		],
		...[
			"Arretez de m'envoyer des textos",
			'Arrêtez de m’envoyer des SMS',
			'arrêtez de m envoyer des messages',
			'Arrêtez vos SMS',
			'arrêtez les pubs',
		],
		...[
			'Merci d’arrêter',
			"merci d'arrêter de m'envoyer des SMS",
			"Merci d'arrêter vos messages publicitaires",
			'cessez de me contacter',
		],
		...[
			'Arrêtez de me harceler',
			'Pouvez-vous arrêter de m’envoyer des messages ?',
			"Pouvez vous arrêter s'il vous plaît",
		],
		...[
			'Je ne veux plus recevoir de SMS',
			'je veux plus recevoir de sms',
			'Je ne souhaite plus recevoir vos messages',
			'ne plus recevoir de pub',
		],
		...[
			'Bonjour, je ne souhaite plus recevoir vos SMS publicitaires. Merci',
			'je ne veux plus de vos messages',
			'Je ne veux plus être contactée',
		],
		...[
			'Merci de ne plus m’envoyer de SMS',
			'Merci de ne plus me contacter',
			'ne plus me contacter',
			'ne plus me texter',
			'Prière de ne plus me déranger',
		],
		...[
			"Ne m'envoyez plus de SMS",
			'ne m’envoyez plus rien',
			'Ne me contactez plus jamais',
			'Ne m’écrivez plus',
			'ne me dérangez plus svp',
			"m'envoyez plus de messages",
		],
		...[
			'plus de messages svp',
			'plus de SMS',
			'Plus de pub merci',
			'Pas de pub',
			'laissez-moi tranquille',
			'Lâchez-moi',
			'foutez-moi la paix',
		],
		...[
			'Je m’oppose à la réception de vos messages publicitaires',
			'je ne veux pas recevoir vos sms',
			'Stop de m’envoyer des messages',
		],
		'Bonjour,\nJe ne souhaite plus recevoir de messages de votre part.\nCordialement,\nCamille',
		...[
			"Arrêtez d'envoyer des SMS",
			'Veuillez cesser vos envois',
			'merci de ne plus m’importuner',
			'STOP MARKETING',
			'stop vos sms !!',
		],
		...[
			'Supprimez mon numéro de votre fichier client',
			'Bonjour, pourriez-vous me retirer de votre liste de diffusion ? Merci',
		],
		"Non merci. Merci de ne plus m'envoyer de publicité.",
	],
	help: [
		...[
			'HELP',
			'help',
			'Help!',
			'help?',
			'help me',
			'Please help',
			'AIDE',
			'aide',
			'Aide svp',
			'aidez-moi',
			'INFO',
			'infos',
			'CONTACT',
		],
		...[
			'I need help',
			'Can you help me?',
			"J'ai besoin d’aide",
			'Besoin d’aide ?',
			'pouvez-vous m’aider ?',
			'ＨＥＬＰ',
			'Bonjour, aide svp',
		],
	],
	yes: [
		...[
			'YES',
			'yes',
			'Y',
			'y',
			'Yes!',
			'yes please',
			'Yeah',
			'yep',
			'Yup',
			'ok',
			'OK',
			'Ok.',
			'okay',
			'ok thanks',
			'Yes 👍',
			'yesss',
		],
		...[
			'Oui',
			'OUI',
			'oui !',
			'Oui merci',
			'oui, merci.',
			'ouiii',
			'oui oui',
			'Ouais',
			'O',
			'Oui s’il vous plaît',
			'Bonjour oui merci',
			'OUI\n',
		],
		...[
			"ok d'accord",
			'D’accord',
			'd accord',
			'daccord',
			'Ok merci bcp',
			'ok parfait',
			'Oui, bien sûr',
			'avec plaisir',
			'oui ok',
			'Ok pour moi',
		],
		...[
			"Oui c'est bon",
			'ça marche',
			'Ça me va',
			'Je confirme',
			'Oui je confirme, merci',
			"J'accepte",
			'Oui je serai là',
			'Pas de problème',
			'no problem',
		],
		...[
			'Sure',
			'Of course',
			'Yes, I confirm',
			"Yes I'll be there",
			'Sounds good',
			'confirmed',
			'oui / yes',
			'ｏｕｉ',
			'Oui\ud83d',
		],
		...['Ah oui', 'je confirme ma présence', 'Je confirme le RDV', 'c’est oui'],
	],
	no: [
		...[
			'NO',
			'No',
			'N',
			'Nope',
			'nah',
			'no thanks',
			'No, thank you.',
			'nooo',
			'No no',
			'No way',
			'not interested',
			"I'm not interested",
		],
		...[
			'Non',
			'NON',
			'non !',
			'Non merci',
			'non merci.',
			'Nan',
			'non non',
			'Non, désolé',
			'Non 🙁',
			'pas du tout',
			'Pas intéressé',
			'nooon',
		],
		...[
			'Je ne suis pas intéressée',
			'Non je ne suis pas intéressé',
			"Pas d'accord",
			'Non, je ne peux pas',
			'Je ne viendrai pas',
			'Sorry, no',
			'hors de question',
		],
		...["No, I can't make it", "I can't come", 'Impossible', 'bien sûr que non', 'no / non'],
		...['ben non', 'Ah non merci', 'c’est non'],
	],
	other: [
		// Nothing said
		...[
			'',
			' ',
			'\n',
			'.',
			'?',
			'!!!',
			'…',
			'👍',
			'🛑',
			'❤️',
			'\ud83d',
			'\u200b',
			'merci',
			'Thanks',
			'Bonjour',
			'hello',
			'12',
			'0',
		],
		// A stop that means something else
		...[
			'stop by the shop tomorrow?',
			'Stop by the shop tomorrow',
			"I'll stop by tomorrow",
			'Which bus stop?',
			'arrêt de bus',
			'Arrêt maladie',
		],
		...[
			'non-stop',
			'non stop',
			'Non stop',
			'no stop',
			'nonstop',
			'never stop',
			"don't stop",
			'Don’t stop',
			'dont stop',
			'do not stop',
			'Please don’t stop',
		],
		...[
			"je n'arrête pas",
			'je n’arrête pas',
			'n arretez pas',
			"N'arrêtez pas",
			'Je n’arrête pas de recevoir vos SMS',
			"on n'arrête pas le progrès",
		],
		...[
			"stop it's fine",
			"Stop, it's fine",
			'Stop, tu me fais rire',
			'stop lol',
			'pit stop',
			'one-stop shop',
			'stopwatch',
			'stopover',
			'GHOSTOP',
		],
		'Count me in! We have got to STOP this terrible bill from passing!!',
		...[
			"Don't stop sending me messages",
			'Please do not unsubscribe me',
			'ne me désabonnez pas',
			'désabonnez-moi pas',
			'je ne veux pas me désabonner',
		],
		...[
			'stop?',
			'STOP ?',
			'Unsubscribe?',
			'How do I unsubscribe?',
			'Comment me désabonner ?',
			'Why did you stop texting me?',
			'Did you stop sending me texts?',
		],
		...[
			'Quand arrêtez-vous ?',
			'When does it end?',
			'the end',
			'end of the month',
			'The End of the story',
			'quit smoking',
			'I quit my job',
			'weekend',
		],
		...[
			'cancel my order',
			'Please cancel my appointment',
			'No, cancel',
			'ok cancel',
			'annuler',
			'Annuler mon rdv',
			'je veux annuler mon rendez-vous',
		],
		...[
			'arrêter mon rdv de demain',
			'reporter mon rdv svp',
			'remove the blue one',
			'revoke his access',
			'Arrêt du traitement ?',
			'Je veux arrêter de fumer',
		],
		...[
			'stop texting and driving',
			'stop texting me so early',
			'Ne m’envoyez plus de SMS avant 9h',
			'Arrêtez de m’envoyer des SMS la nuit',
			"don't call me before 9",
		],
		...[
			"Don't text my wife, text me",
			'I opted in',
			'opt in',
			'unstop',
			'START',
			'je veux recevoir plus de SMS',
			'Plus de messages que prévu',
			'pas de message',
		],
		...[
			'je ne vous dis pas stop',
			'I did not say stop',
			"je n'ai pas dit stop",
			'stop or continue?',
			'STOP HELP',
			'Help, stop',
		],
		...[
			"Don't call me, I'm in a meeting",
			"Don't bother, I'll pick it up",
			'Do not disturb',
			"don't text me now, I'm driving",
			'No more messages?',
		],
		...[
			'Je veux plus de promos',
			'Envoyez plus de messages',
			'Je veux me retirer',
			'Take me off the waiting list',
			'no more offers, I accept',
		],
		// The message itself, quoted: phones send reactions in this way
		...[
			'Liked “Soldes jusqu’à samedi ! STOP au 36180”',
			'Emphasized "Sale! Reply STOP to opt out"',
			'👍 à « Votre colis est là. STOP 36123 »',
		],
		'A aimé « Pour ne plus recevoir de SMS, répondez STOP »',
		'> Answer HELP for help, STOP to quit',
		...[
			'pas de stop',
			'surtout n’arrêtez pas',
			'arrête jamais',
			'can’t stop won’t stop',
			'auto-stop',
			'stop & go',
			'Fin',
			'end?',
			'je ne reçois plus de SMS',
		],
		...[
			'Il n’y a plus de messages',
			'I no longer receive your messages',
			'I don’t get any messages',
			'retirez-moi du rendez-vous',
			'laissez-moi un message',
			'ne stoppez pas',
		],
		// A yes or a no that means something else, or none
		...[
			'je ne dis pas non',
			'Je ne dis pas oui',
			'I would not say no',
			'oui et non',
			'Yes and no',
			'yes or no?',
			'oui ou non',
			'Oui. Non.',
			'ni oui ni non',
		],
		...[
			'Oui mais plus tard',
			'Yes, but not today',
			'Oui mais à 15h',
			'Oui, c’est à quelle heure ?',
			'ok ?',
			'Oui ?',
			'No?',
			'why not',
			'pourquoi pas',
			'Non, pas de problème',
		],
		...[
			'No idea',
			'no doubt',
			'no worries mate',
			'Not now',
			'pas maintenant',
			'peut-être',
			'maybe',
			'Je ne sais pas',
			"I don't know",
			'ok boomer',
			'OK Corral',
		],
		...[
			'Yesterday I was ill',
			'yesterday',
			'Yes Minister',
			'nonante',
			'Noël',
			'note',
			'nobody',
			'okra',
			'Ouistreham',
			'Oui-Oui va à l’école',
			'non-fumeur',
		],
		...[
			'Where is my parcel?',
			'À 8 h',
			'10h30',
			'I am feeling better now and will no longer need an appointment',
			'Je suis malade',
			'Merci, à demain',
		],
		...[
			'wrong number',
			'Mauvais numéro',
			'ça suffit',
			'enough',
			'spam',
			'Who is this?',
			'Qui êtes-vous ?',
			'this is helpful',
			'info trafic',
			"l'aide",
			'first aide',
		],
		...[
			'C’est non négociable',
			'un non catégorique',
			'information please call me',
			'contact me tomorrow',
			'aide-soignante',
			'l’arrêt',
			'sans arrêt',
			'no more coffee',
		],
	],
};

const table = Object.entries(REPLIES).flatMap(([intent, texts]) =>
	texts.map((text) => [text, intent] as const),
);

test.each(table)('%j is %s', (text, intent) => {
	expect(intentOf(text)).toBe(intent);
});

test('the table has 150 phrases at least, each of them once', () => {
	const texts = table.map(([text]) => text);
	expect(new Set(texts).size).toBe(texts.length);
	expect(table.filter(([, intent]) => intent !== 'other').length).toBeGreaterThanOrEqual(150);
	expect(REPLIES.other.length).toBeGreaterThanOrEqual(100);
});

test.each([undefined, null, 0, 1, true, {}, [], ['STOP'], { message: 'STOP' }, Symbol('STOP')])(
	'what is no text (%s) is other',
	(message) => {
		expect(intentOf(message)).toBe('other');
	},
);

describe('how it is typed makes no difference', () => {
	const plain = table.filter(([text, intent]) => intent !== 'other' && !text.includes('?'));
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

	test.each(STYLES)('%s', (_, style) => {
		const changed = plain.filter(([text, intent]) => intentOf(style(text)) !== intent);
		expect(changed).toEqual([]);
	});
});

describe('long texts', () => {
	const LONG = 100_000;
	const repeated = (text: string) => text.repeat(Math.ceil(LONG / text.length));
	const TEXTS: Array<[what: string, text: string, intent: Intent]> = [
		['spaces around', `${repeated(' ')}stop${repeated(' ')}`, 'stop'],
		['exclamation marks', `stop${repeated('!')}`, 'stop'],
		['line breaks', `${repeated('\r\n')}oui${repeated('\n')}`, 'yes'],
		['a letter held down', `st${repeated('o')}p`, 'stop'],
		['courtesies', `stop ${repeated('merci ')}`, 'stop'],
		['clauses', repeated('Stop. '), 'stop'],
		['one clause', repeated('stop '), 'stop'],
		['a clause that ends in something else', `${repeated('stop ')}by`, 'other'],
		['almost a phrase, over and over', `${repeated('oui ')}maybe`, 'other'],
		['almost a sentence', repeated('please stop sending me all the '), 'other'],
		[
			'a text that says so in the end',
			`${repeated('Blah, blah. ')}Please unsubscribe me.`,
			'stop',
		],
		['accents on one letter', `e${repeated('\u0301\u0323')}`, 'other'],
		['question marks', repeated('?'), 'other'],
		['dashes', repeated('a-'), 'other'],
		['single letters', repeated('d a '), 'other'],
		['ligatures that become long', repeated('ﷺ'), 'other'],
		['halves of emoji', repeated('\ud83d'), 'other'],
		['emoji', repeated('🛑'), 'other'],
		['zero-width characters', `st${repeated('\u200b')}op`, 'stop'],
	];

	test.each(TEXTS)('%s take no time', (_, text, intent) => {
		const begun = performance.now();
		expect(intentOf(text)).toBe(intent);
		// 10 to 100 ms on a quiet machine. What grows with the square takes minutes.
		expect(performance.now() - begun).toBeLessThan(5_000);
	});
});

test('any text has an intent', () => {
	const piece = fc.oneof(
		fc.constantFrom(...table.map(([text]) => text)),
		fc.constantFrom(
			' ',
			'\n',
			'?',
			'!',
			',',
			'.',
			'’',
			'-',
			' ne ',
			' pas ',
			' not ',
			"don't ",
		),
		fc.string({ unit: 'binary' }),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			expect(Object.keys(REPLIES)).toContain(intentOf(pieces.join('')));
		}),
	);
});
