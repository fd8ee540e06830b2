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
import { replies } from './people.mts';

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
			'STOP36180',
			'Stop, plus de pub',
			'Merci de ne plus me contacter par SMS',
			'Ne me contactez plus par sms',
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
			'A aimé « Promo -20%. Ne plus recevoir de SMS : STOP 36180 »',
			'Liked “Sale today. Unsubscribe from this list: www.example.com”',
			'Oui merci\n> Rdv mardi. Ne plus recevoir de SMS: STOP 36180',
			'Je n’ai jamais dit "arrêtez les SMS"',
			'What happens if I write "stop texting me"?',
		],
		...['Oui, plus de promos !', 'Oui plus de promos svp', 'Yes! Plus de messages'],
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

/** As people write them in both languages, one a line: judged by reading them, before running them. */
const AS_WRITTEN: Record<Intent, string> = {
	stop: `
		Mais arrêtez de m'envoyer des sms !
		Non. Et arrêtez de m'écrire
		Yes. Also stop texting me
		cease and desist
		stop sending me this crap
		I am revoking my consent
		I revoke consent
		I SAID STOP!!!
		I said stop
		I said stop texting me
		Qui est-ce ? stop
		I can't, stop texting me
		I am begging you, please stop texting me
		I will pay on Friday. Stop texting me
		je veux stopper
		delete me
		Effacez mon numéro svp
		pas de pub
		I changed my mind. Unsubscribe me
		oui enlevez moi
		Yes unsubscribe
		stop.stop.stop
		STOP-SMS
		#STOP
		/stop
		stop✋
		👉STOP👈
		Stop (merci)
		Stop; merci
		Pas intéressé stop
		Arrêt des SMS
		Je vous demande d'arrêter vos sms
		Ne plus rien envoyer
		STOP définitif
		pls stop txting me
		stop txt
		Stop sendin me texts
		STOPP
		stop it!!
		plz take me off ur list
		take my number off your list
		take my name off this list please
		Remove me now!!!
		remove me from this list immediately
		Unsubscribe please, thanks
		I would like to be removed from your list
		I want to stop receiving these texts
		I wish to stop receiving messages
		stop receiving messages
		I don't want these messages anymore
		I do not want to receive any more texts from you
		do not contact me again
		Don't text me anymore
		dont message me again
		Never contact me again.
		no more messages please!
		No more sms
		Wrong number, please stop texting
		Wrong number. Remove me from your list.
		You have the wrong number. Stop texting me
		I'm not interested, stop texting me
		not interested stop
		No. Stop texting me
		I already bought a car, please stop texting me
		I have moved to Spain. Please remove me from your list
		This is not Sarah. Stop texting this number
		Who is this? Stop texting me
		how many times do i have to say it. STOP TEXTING ME
		leave me alone!!!
		STOP 🤬🤬
		🛑✋ stop ✋🛑
		i opt out
		opt me out of these texts please
		Unsubscribe from all
		unsubscribe all
		stop all messages
		please discontinue texting me
		delete my number
		delete my number please and thank you
		Lose my number!
		i am opting out
		I'd like to unsubscribe from your texts
		Stop stop stop!!!
		stop sms svp
		STOP SMS SVP MERCI
		stop pub svp
		arreté de m'envoyer des sms
		arrêter de m envoyer des sms
		arretez de menvoyer des messages svp merci
		Arretez vos messages
		arrêtez de m'écrire
		arrête de m'écrire stp
		Veuillez arrêter de m'envoyer des SMS
		Je vous prie de ne plus m'envoyer de messages
		je vous demande de ne plus me contacter
		Je souhaite ne plus recevoir vos sms
		je voudrais ne plus recevoir de messages svp
		j veux plus recevoir vos msg
		je ne veux plus recevoir ces sms
		Je ne souhaite plus être contacté
		je ne désire plus recevoir vos offres
		plus de sms merci
		plus aucun sms
		Plus jamais de sms
		plus de messages
		Ne m'envoyez plus de messages svp
		ne m envoyer plus de sms
		ne m'envoyer plus rien
		Ne m'appelez plus
		ne plus envoyer de sms à ce numéro
		Merci de retirer mon numéro de vos fichiers
		retirer moi de la liste svp
		Supprimez mon numero
		supprimer mon numéro de vos listes
		Merci de me rayer de vos listes
		me retirer de la liste merci
		désinscription svp
		Désinscrivez moi
		desabonner moi
		desabonnez moi immédiatement
		Je veux me desabonner de vos sms
		Je souhaite me désinscrire de votre liste merci
		Bonjour, merci de me désinscrire. Cordialement
		Bonjour je ne suis pas Mme Martin, merci de supprimer mon numéro
		Erreur de numéro, stop
		Vous vous trompez de numéro, merci de ne plus m'écrire
		mauvais numéro arrêtez svp
		Je ne vous connais pas, arrêtez de m'envoyer des messages
		stop à la pub
		STOP DEFINITIVEMENT
		Stop immédiatement
		arrêt immédiat des sms
		Arrêt définitif
		Non arrêtez
		non merci, stop sms
		J'ai déménagé. Merci de me retirer de votre liste
		J’ai déjà dit non. Arrêtez de m’envoyer des SMS
		stop harcèlement
		Stop spam
		stop les messages
		STOP A VOS PUBS
		stop au 36034 svp
		oui stop svp
		STOP 🚫
		I said: stop texting me
		I told you, stop texting me
		I asked you to stop, stop texting me
		J'ai dit : arrêtez de m'écrire
		Je vous l'ai déjà dit, arrêtez de m'écrire
		I don't want this, stop texting me
		Je ne veux pas, arrêtez de m'écrire
		This is what I get, stop texting me
		⛔ STOP ⛔
		STOP 👎👎
		Arrêtez les sms ❌
		Ne m'écrivez plus 🙅🏽
		cancel ❌
		Stop 😂
		Unsubscribe me right now
		hey stop texting me thx
		Please stop. I'm not interested.
		no, stop texting me
		No please stop
		non, stop
		nan stop
		je ne suis pas intéressé merci de ne plus me contacter
		pas intéressée, désinscription svp
		Pas intéressé arrêtez
		pas intéressé STOP SMS
		stop merci bonne journée
		Bonjour stop merci
		STOP !!! ça suffit
		STOP ALL TEXTS NOW
		Stop everything
		quit texting
		Please quit sending me messages
		i don't want texts from you anymore
		I don't want your texts
		I do not wish to be contacted
		remove this number from your database
		Take us off the list
		Opt-out please
		stop sending promos
		no more promos
		I don't want reminders
		Arrêtez les rappels
		Arrêtez les rappels, je serai là
		Plus de rappel svp
		Merci de ne plus m'envoyer
		Ne m'envoyez plus rien svp
		je ne veux plus rien recevoir
		Je ne veux plus rien recevoir de vous
		arrêt pub
		arrêt sms svp
		arret des messages
		Arrêt de vos sms merci
		stop total
		arrêter
		Veuillez arrêter
		je demande ma désinscription
		Je vous demande de me désinscrire
		je vous demande d'arreter de m'envoyer des sms
		je vous prie d'arrêter
		Je souhaite arrêter
		je veux arrêter
		jveux plus recevoir vos sms
		On ne veut plus recevoir vos pubs
		Où avez-vous eu mon numéro ? Désabonnez-moi
		Qui êtes-vous ? Arrêtez de m'envoyer des messages !
		C'est qui ? Supprimez mon numéro
		Désolé mais ce n'est pas mon numéro, retirez-moi de votre liste
		désabonnez moi des promos
		laisse-moi tranquille
		END.
		cancel please
		Remove
		ok remove me
		OK stop texting
		yes stop texting me
		Stop texting me, I sleep at night
		Stop texting me. Email me please
		Ne m'écrivez plus, j'ai changé de numéro
		Arrêtez de m'appeler
		Oui je confirme. Arrêtez les rappels svp
		Could you please stop the ads?
		Pouvez-vous svp arrêter de m'envoyer des sms ?
		Would you please remove me from your list?
		Sorry but I'm not interested, stop texting me
		Désolée mais je ne suis pas intéressée, merci de me désinscrire
		I'm at work, please stop texting me
		This isn't Bob, stop texting me
		My mother has passed away, please stop texting this number
		Je suis à l'étranger, merci de ne plus m'envoyer de SMS
		C'est la troisième fois que je vous le demande : arrêtez vos SMS !
		J'ai déjà répondu STOP, arrêtez de m'envoyer des SMS
		Vous m'avez déjà écrit hier. Ne m'écrivez plus
		Je n'ai pas de chien, arrêtez vos sms
		Ras le bol de vos SMS. Désinscrivez-moi
		Stop texting me. Love, Mum
		Ne plus rien recevoir
		ne plus rien m'envoyer svp
		merci de ne plus rien m'envoyer
		stop a vos messages merci
		SVP STOP
		stp arrete
		S il vous plait arretez de m envoyer des messages
		Enlevez moi de votre liste de contact
		Retirez mon numéro de téléphone de vos listes svp
		Je m'oppose à l'envoi de SMS
		Supprimez mes coordonnées
		supprimez moi
		Desinscription de la liste
		Désabonnement de vos sms svp
		Unsubscribe from your texts
		unsubscribe this number
		UNSUBSCRIBE ME FROM THIS LIST NOW
		no more text
		No further messages please
		stop sms messages
		do not text this number
		DO NOT CONTACT ME
		don't send me texts
		I no longer want to receive messages
		i dont want to receive texts pls
	`,
	help: `
		help!!!
		plz help
		aide moi svp
		j'ai besoin d'aide svp
		HELP ME PLEASE
		can u help me
		info ?
		infos svp
		contact
		information?
		can you please help me
	`,
	yes: `
		OK à demain
		Oui, à demain
		👍
		yess
		Yes ma'am
		yes sir
		Yep 👌
		oui svp
		Ouiii 😍
		ouais ok
		ok c'est noté
		Ok noté merci
		C'est noté merci
		oui je viens
		oui jy serai merci
		Oui je serai présente
		yes I'm coming
		Yes, see you then!
		sure thing
		sounds great
		No problem!
		Pas de souci
		oui 👍🏻👍🏻
		👍 oui
		YES YES YES
		yes please thanks
		oh yes!
		oui oui oui !!
		d'acc
		dac merci
		ça roule
		Absolutely!
	`,
	no: `
		👎
		no thx
		no ty
		Nope 😅
		non pas possible
		Désolée je ne peux pas
		Non je ne pourrai pas venir
		je ne peux pas venir désolé
		sorry can't make it
		I can't make it, sorry
		Non, ça ne m'intéresse pas
		ça m'intéresse pas
		I'm not coming
		No way!
		nooooo
		No, sorry
		Non, merci beaucoup
		absolutely not
		Je refuse
		Non 👎
		👎 non
		N.
	`,
	other: `
		My wife says: stop texting me
		Your message says: unsubscribe me
		You wrote: stop texting me
		Mon mari m'a dit : arrêtez vos sms
		Vous avez écrit : ne plus recevoir de SMS
		I'd rather not, stop texting me
		I will pay on Friday, stop the reminders
		You people never stop
		you never stop texting me
		It never stops
		These never stop, do they
		Je paie vendredi, arrêtez les relances
		Stop texting me or don't, whatever
		Stop texting me?? I never did
		How about you stop texting me
		We need to stop texts at night
		We should stop texting
		I will stop texting you
		I want to stop smoking
		i want to stop
		I can come. Stop the car
		Stop the bus
		Stop the messages from my ex
		Delete my appointment
		Delete the message
		Remove my name from the booking
		Take my name off the waitlist
		Effacez mon message précédent
		Ne tenez pas compte de mon stop
		Annulez mon stop
		Annulez ma désinscription
		Je ne veux pas de désinscription
		pas de désabonnement svp
		pas de pub sauf soldes
		Undo stop
		resubscribe
		Réabonnez-moi
		I changed my mind, don't unsubscribe me
		Non non ne m'enlevez pas de la liste
		Ok ne m'enlevez pas
		Ja stop
		Halt
		basta
		ST0P
		5top
		If you can't come, stop texting me
		Please do not, ever, stop texting
		Stop the ads, keep the reminders
		Stop the ads. Keep the reminders please
		please remove my # from your list
		cancel my subscription
		jveux plus de sms
		Ça suffit les pubs
		Stop, je n'habite plus en France
		foutez moi la paix avec vos sms
		Résiliation
		stop it you're making me laugh
		Stop it, you're making me laugh 😂
		omg stop 😂😂 lol
		Don't stop texting me
		please never stop
		stop by at 5
		Stop by at 5?
		I'm at the bus stop
		the bus stop
		Je suis à l'arrêt de bus
		arrêt maladie jusqu'à lundi
		stop! c'est trop drôle
		Arrête, c'est pas vrai !
		arrête tes bêtises
		Stop or go?
		Can't stop laughing
		I can't stop thinking about it
		When will you stop?
		Can I stop the treatment?
		Dois-je arrêter le traitement ?
		Should I stop taking the pills
		My texts stop at 5
		Stop texting while driving
		Unless it's urgent, stop texting me
		Stop texting me unless it's urgent
		Stop texting me, except for deliveries
		Stop texting me before 9, after that it's fine
		Stop texting me lol
		Stop texting me, just kidding
		She said, stop texting me
		Did he say, stop texting me?
		Stop the promos, I still want my appointment reminders
		Stop promos but keep reminders
		Stop sending me ads. Send me the invoice
		No more ads, only reminders
		Plus de pub, juste les rappels
		Arrêtez les pubs, mais gardez les rappels
		Arrêtez les pubs. Gardez les rappels de rdv
		Si vous ne venez pas, arrêtez de m'envoyer des sms
		Sauf urgence, ne m'envoyez plus de SMS
		Ne m'envoyez plus de sms, sauf pour les rdv
		Il ne faut surtout pas, jamais, arrêter vos sms
		Je ne veux pas arrêter vos sms
		Je ne veux pas ne plus recevoir vos sms
		N'arrêtez pas de m'envoyer vos sms
		Je n'ai jamais demandé à me désabonner
		I never asked you to stop texting me
		I don't want to unsubscribe
		I don't not want your texts
		Don't remove me from the list
		You can't stop texting me
		Why would I want to unsubscribe?
		I thought I unsubscribed
		I already unsubscribed
		Thanks for not stopping
		Liked “Your parcel arrives today. Reply STOP to opt out”
		Loved "Rdv mardi 10h. STOP 36180"
		A ri à « Soldes ! STOP 36180 »
		Disliked “Sale today. Txt STOP to end”
		Reacted 👍 to “Are you coming? Reply YES or NO”
		Reply STOP to unsubscribe
		To opt out, reply STOP
		Text STOP to 36180
		Envoyez STOP au 36180
		Pour ne plus recevoir de SMS, envoyez STOP
		I'm driving right now. I'll get back to you later.
		(Auto-reply) I'm driving with Do Not Disturb While Driving turned on.
		Je conduis, je vous rappelle
		Thank you for contacting Dr Smith. We are closed. Call 112 in an emergency.
		Message automatique : absent jusqu'au 12
		Out of office until Monday
		36180
		1
		0639981234
		10:30 ok?
		Stop 2
		Non-stop!
		full stop
		Stop me if you've heard this
		Cancel the appointment on Friday
		remove the alarm
		I quit
		This will end badly
		fin de mois
		Plus de messages de votre part, ce serait bien
		Je voudrais plus de messages
		Il me faut plus de sms
		stop moi si je me trompe
		Bien reçu
		Oui c ok
		Yes but I'll be late
		Oui mais en retard
		Yes?
		Yeah right
		yeah no
		No yeah
		oui non
		ouais bof
		not sure
		maybe yes
		non pas de souci
		nn merci
		no comment
		No, I said yes
		Non mais oui
		Je ne dis pas que non
		I can't say no
		no means no
		help yourself
		Thanks for your help
		merci de votre aide
		no help
		I need info about my order
		need help with my bill
		Liked an image
		😂😂😂
		No stop texting me
		non stop stp
		stop ça suffit maintenant
		stop the promos, my order was great
		no more promos, my order never came
		I don't want reminders, I know when my appointment is
		Arrêtez les rappels, j'ai déjà payé
		Stop the reminders I paid already
		Plus de sms le dimanche
		Pas de sms après 20h
		Arrêtez de m'envoyer des sms à 6h du matin
		Arrêtez de m'envoyer des sms. Après 20h c'est trop tard
		Ne m'envoyez plus de sms quand je travaille
		Quand je travaille, ne m'envoyez plus de sms
		Merci de ne plus m'envoyer de sms, sauf rappels
		Merci de ne plus m'envoyer de colis
		ne m'envoyez plus de colis
		je veux rien recevoir
		rien envoyer
		ne rien envoyer
		arrêt du tram
		arrêt du traitement
		L'arrêt des sms
		prochain arrêt ?
		stop définitif des sms
		Je demande l'arrêt de vos sms
		je veux arrêter le sport
		jveux pas de vos sms
		Stop. Mais gardez mon numéro pour les rdv
		Désabonnez-moi de la newsletter mais gardez les alertes
		Désabonnez-moi. Je veux garder les alertes
		Ne me désabonnez surtout pas
		surtout pas stop
		pas stop
		je dis stop
		je dis pas stop
		stop ou encore ?
		Stop/encore
		STOP ou CONTINUER
		oui ou stop ?
		répondez stop
		j'ai envoyé stop 3 fois
		I texted STOP already
		he said stop texting me
		He said: stop texting me
		Il m'a dit, arrêtez de m'envoyer des sms
		When I'm at work, please stop texting me
		Stop texting me, haha
		arrête de m'écrire mdr
		arrête de m'écrire, mdr
		Arrête de m'écrire ptdr t'es fou
		laisse moi tranquille lol
		leave me alone with my thoughts
		leave me a message
		remove me from the guest list
		Retirez-moi de la liste d'attente
		Take me off the waiting list please
		take me off speaker
		Supprimez mon rdv
		supprimez ma commande
		Unsubscribe my wife
		stop my wife's texts
		stop my subscription
		Unsub from newsletter
		end of story
		Quit it
		quit it lol
		Cancel?
		Yes, don't stop texting
		I can not, will not, stop texting
		I will never, stop texting you
		Ne jamais, jamais, arrêter de m'envoyer vos sms
		Do not under any circumstances stop texting me
		Do not, under any circumstances, stop texting me
		By no means stop sending me texts
		Don't you dare stop texting me
		Don't, stop texting me
		Why don't you stop texting me
		Why don't you, like, stop texting me
		Provided I pay, stop texting me
		In case I don't answer, stop texting me
		Au cas où je ne réponds pas, arrêtez de m'envoyer des sms
		Dès que j'ai payé, arrêtez de m'envoyer des sms
		À partir de lundi, ne m'envoyez plus de sms
		Tomorrow, stop texting me
		On weekends, stop texting me
		Le week-end, ne m'envoyez plus de sms
		After 8pm, stop texting me
		Stop texting me, at night I sleep
		Ne m'écrivez plus à ce numéro mais au 0639981234
		Oui 👎
		I told him: stop texting me
		Je lui ai dit : arrêtez de m'écrire
		I was told: please unsubscribe me
		My wife asked: remove me from your list
		It reads: stop texting me
		How do you say, stop texting me
		What does it mean, unsubscribe me
		Comment on dit, désabonnez-moi
		I would never say, stop texting me
		It's not like, stop texting me
		I am not saying, stop texting me
		I don't mean, stop texting me
		I didn't say, stop texting me
		Je ne dis pas, arrêtez de m'écrire
		Je n'ai pas dit : désabonnez-moi
		Je n'ai jamais demandé : désabonnez-moi
		Je ne veux pas dire, désabonnez-moi
		Ce message dit : ne plus me contacter
		👎🏿 ok
		Yes ❌
		je viens 🙅‍♀️
		O+
		O-
		o−
		N°
		Nº
		№
		N+1
		N-1
		🚫
		Removed a heart from “Bonjour, STOP au 36180”
		Laughed at “stop texting me”
		A souligné « Arrêtez »
		Questioned “Reply STOP”
		Liked 'Sale today. STOP'
		“STOP” ?
		Vous avez écrit : « Ne plus recevoir de SMS : STOP 36180 ». Ça ne marche pas
		ok 10h
		oui 2 personnes
		Y e s
		hell yes
		k
		Kk
		ok stop there
		Oui c'est moi
		Non c'est pas moi
		No it's fine
		no no no yes
		non et non !
		Hell no
		Non merci, ça ira
		jamais
		no gracias
		si
		à l'aide
		SOS
		Help! stop
		contactez moi
		As long as I'm ill, stop texting me
		From 8pm on, stop texting me
		Once I've paid, stop texting me
		During the holidays, stop texting me
		Pendant les vacances, ne m'envoyez plus de SMS
		La nuit, arrêtez de m'envoyer des SMS
		Never, I repeat, stop texting me
		Ne faites pas ça : arrêter vos SMS
		Option 2: stop texting me
		Note to self: stop texting
		Stop texting me. Unless you have news
		Ne m'envoyez plus de SMS. Sauf pour les livraisons.
		Stop the ads! The delivery ones are fine
		I love your texts. Don't stop
		I love your texts, don't ever stop sending them
		Please don't take me off your list
		You stop texting me, I stop buying
		Make it stop
		Let's stop here
		We stop at 6
		Stop at the bakery on your way
		stop over at mine
		Stop! In the name of love
		Hammer time! Stop
		Don't worry, I'll stop by
		The doctor told me to stop
		My doctor says stop, is that right?
		Le médecin m'a dit d'arrêter
		J'arrête
		j'arrête pas de rire
		Arrête de me faire rire
		arrête !! trop mignon 😍
		terminus, tout le monde descend
		Stop covid
		Auto stop
		Je fais du stop
		Stop vol
		stop ou pas stop
		Stop, non je rigole
		STOP. Non, continuez
		Stop. Euh non pardon, continuez à m'écrire
		plus rien svp
		Je souhaite que vous retiriez mon numéro
		j'exerce mon droit d'opposition
		dégagez
		go away
		not interested, remove
		No more.
		Stop calling and texting me
		Do not text or call
		Don't send me texts at night
		do not send any more messages
		I no longer live there
		Yes, thanks but no
		Yes to both
		Oui aux deux
		no, 2pm
		Oui (désolé du retard)
		yes / no
		I'm driving – Sent from My Car
		[Réponse automatique] Je suis en rendez-vous.
		I can’t talk right now.
		I'll call you back. What's up?
		Merci pour votre message, je suis absente. Pour toute urgence, contact : 0102030405
		Loved an image
		Liked “STOP”
		To « STOP 36180 » : stop
		Help me unsubscribe
		How do I stop this?
		how to stop
		comment arrêter ?
		Comment ne plus recevoir de sms ?
		Pourquoi je ne veux plus recevoir vos sms ?
		Est-ce que je peux ne plus recevoir de sms ?
		Why should I stop texting?
		Did you remove me from your list?
		Are you going to stop texting me?
		Have you unsubscribed me?
	`,
};

const table = [
	...Object.entries(REPLIES),
	...Object.entries(AS_WRITTEN).map(([intent, lines]) => [intent, linesOf(lines)] as const),
].flatMap(([intent, texts]) => texts.map((text) => [text, intent] as const));

function linesOf(text: string): string[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

test.each(table)('%j is %s', (text, intent) => {
	expect(intentOf(text)).toBe(intent);
});

const { doubtful, unheard, ...plain } = replies;

describe('replies written down before anybody looked at the phrases', () => {
	const table = Object.entries(plain).flatMap(([intent, texts]) =>
		texts.map((text) => [text, intent] as const),
	);

	test.each(table)('%j is %s', (text, intent) => {
		expect(intentOf(text)).toBe(intent);
	});

	test.each(unheard)('%j is other, which hurts nobody', (text) => {
		expect(intentOf(text)).toBe('other');
	});

	test.each(doubtful)('one of %j: %j', (intents, text) => {
		expect(intents).toContain(intentOf(text));
	});
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
		['statements', `${repeated('I moved, ')}stop texting me`, 'stop'],
		['statements without an end', repeated('je n’ai pas dit non '), 'other'],
		['almost what turns it', `${repeated('never ')}again. Stop texting me`, 'stop'],
		['sentences', repeated('Stop texting me! Blah. '), 'stop'],
		['question marks', repeated('?'), 'other'],
		['dashes', repeated('a-'), 'other'],
		['letters with dots', repeated('s.t.o.p.'), 'stop'],
		['names behind thanks', `Stop. ${repeated('Merci, Anna ')}`, 'other'],
		['a name without an end', `Oui. Cordialement, A${repeated('n')}`, 'other'],
		['closings', repeated('Cordialement, '), 'other'],
		['threats', `${repeated('if you keep it or else ')}stop texting me`, 'other'],
		['thumbs', repeated('👍'), 'yes'],
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
