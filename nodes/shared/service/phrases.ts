/**
 * How people answer a text message, in French and English, written as `intent.ts` normalizes a reply:
 * lower case, no accents, no apostrophes, no punctuation. One phrase a line or between commas;
 * `(a|b)` is a choice, `[a]` may be missing, `<name>` is one of the parts below.
 *
 * The words are those of the carriers and regulators (STOP and CONTACT in France, ARRET, AIDE and INFO in
 * Canada, the FCC's words of revocation), the sentences those that SMS services report of real recipients:
 * test/unit/service/intent.test.mts names them.
 */

export const PARTS: Record<string, string> = {
	me: '(me|us|(this|my) (number|name|data)|(this|my) phone [number])',
	which: '([of] (the|these|this|those|your|ur)|any [more]|more|further|all [(the|these|your)]|so many)',
	kind: '(junk|marketing|promotional|promo|advertising|automated|unwanted)',
	messages:
		'(text [(message|messages|msgs|reminders|alerts|notifications|updates|ads|offers|spam)]|texts|txt|txts|message|messages|msg|msgs|sms [messages]|ads|spam|promotions|promos|notifications|reminders|alerts|communication|communications)',
	texts: '[<which>] [<kind>] <messages> [((to|on) <me>|from you)]',
	stop: '(stop|quit|cease|discontinue)',
	sending: '(sending|sendin|receiving|getting)',
	texting: '(texting|txting|messaging|contacting|spamming|bothering|harassing)',
	aList: '(from|off [of]|out of) [(the|this|these|any|[all] (your|ur))] [<kind>] [(text|texting|sms|phone|contact|mailing)] (list|lists|system|database|records|contacts|texts|messages|sms)',
	please: '((can|could|would|will) (you|u)|you (can|may)|i want [you] to|(i would|id) like [you] to|i wish to|(i ask|(i am|im) asking) you to|kindly|just|oh)',
	ever: '(anymore|any more|again|ever [again]|any longer|at all|in [the] future)',
	now: '(<ever>|[right] now|already|immediately|asap)',

	messagesFr:
		'(sms|texto|textos|message|messages|msg|mms|mail|mails|pub|pubs|publicite|publicites|promo|promos|promotion|promotions|offre|offres|prospection|notification|notifications|rappel|rappels|alerte|alertes|sollicitation|sollicitations|demarchage|spam|spams)',
	textsFr:
		'[((ce|ces|cette) (type|types|genre|sorte) de|le|la|les|du|de|de la|des|ce|ces|vos|votre|de vos|aucun|aucune|[de] (tous|toutes) (ces|les|vos)|autant de|dautres)] <messagesFr> [(publicitaire|publicitaires|commercial|commerciaux|commerciales|promotionnel|promotionnels|promotionnelles|indesirable|indesirables)] [(par sms|de votre part|de vous|de ce numero|(sur|a) (mon|ce) (telephone|portable|numero))]',
	toContact:
		'(me (contacter|texter|joindre|solliciter|deranger|harceler|spammer|relancer|demarcher)|mecrire|membeter|mimportuner|rien menvoyer|(menvoyer|madresser) [(ca|rien|<textsFr>)]|(envoyer|recevoir) <textsFr>|rien (recevoir|envoyer) [(de vous|de votre part)]|etre (contacte|contactee|sollicite|sollicitee|derange|derangee|demarche|demarchee)) [par (sms|message|texto|telephone|vous|vos services)]',
	contact:
		'(men envoyez|me (contactez|contacte|textez|texte|sollicitez|derangez|derange|harcelez|relancez|demarchez)|mecrivez|mecris|membetez|menvoyez|menvoyer|menvoie)',
	want: '((je|j|on) [ne] (veux|veut|voudrais|souhaite|desire)|jveux)',
	stopFr: '(stop|stopper|stoppez|stoper|stopez|arreter|arretez|arrete|arete|aretez|areter|arette|arettez|arrette|arrettez|arretter|cesser|cessez|que vous (arretiez|cessiez|stoppiez))',
	remove: '(desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez|oubliez|blacklistez|rayez|radiez|otez|desabonne|retire|supprime|enleve|efface)',
	toRemove: '(desabonner|desinscrire|retirer|supprimer|enlever|effacer|rayer|radier)',
	removed:
		'(desabonne|desinscrit|retire|supprime|enleve|efface|raye|radie|desabonnee|desinscrite|retiree|supprimee|enlevee|effacee|rayee|radiee)',
	meFr: '(moi|nous|(mon|ce) (numero|nom|portable|tel|telephone) [de (telephone|tel|portable|mobile)]|mes (coordonnees|donnees) [personnelles])',
	aListFr:
		'(de|des) [(vos|votre|la|cette|ces|toutes vos)] (<messagesFr>|liste|listes|listing|listings|fichier|fichiers|(base|bases) [de donnees]|newsletter|contacts|envois|repertoire|sms|messages|publicites) [(de diffusion|denvoi|denvois|de contact|de contacts|[de] sms|publicitaire|publicitaires|client|clients)]',
	pleaseFr:
		'((pouvez|pourriez|voulez) vous [bien]|(peux|pourrais) tu|[est ce que] (vous (pouvez|pourriez)|tu (peux|pourrais))|veuillez|je vous (demande|prie) [de]|priere de|il faut|de|(je|on) (veux|veut|voudrais|souhaite|souhaiterais|desire|aimerais)|jaimerais)',
	nowFr: '(maintenant|immediatement|definitif|total|immediat|immediate|[tout] de suite|desormais|dorenavant|a lavenir|du tout|definitivement)',
};

/** Whole sentences that say so, unless they are about some messages only, or something beside them turns them. */
export const SENTENCES = `
	[<please>] <stop> [calling (and|or)] <texting> [(<me>|him|her)] [<now>]
	[<please>] <stop> [(<sending>|with)] [(me|us)] <texts> [<now>]
	[<please>] <stop> <sending> [(me|us)] [(these|this|those)] [to <me>] [<now>]
	[<please>] (do not|dont|never) [ever] (text|message|contact|spam|bother|write [to]) <me> [<ever>]
	[<please>] (do not|dont|never) [ever] send (me|us) <texts> [<ever>]
	[<please>] (<stop> <sending>|(do not|dont|never) send) (me|us) [<which>] (crap|shit|stuff|junk|rubbish|nonsense) [<ever>]
	i (do not|dont|no longer) (want|wish) [to ([keep] (get|getting)|[keep] (receive|receiving))] <texts> [<ever>]
	i (do not|dont|no longer) (want|wish) to be (contacted|texted|messaged) [<ever>]
	[<please>] (unsubscribe|remove|delete|opt out) <me> [<aList>] [<now>]
	[<please>] be (removed|unsubscribed|taken off) [<aList>] [<now>]
	[<please>] take <me> off, [<please>] (take|get) <me> <aList>
	[<please>] (unsubscribe|opt out) (<aList>|(of|from) <texts>), <please> (unsubscribe|opt out), opt me out [(of|from) <texts>], i opt out, (im|i am) opting out
	(i|(i am|im)) (revoke|revoking|withdraw|withdrawing) [my] consent [to be (texted|contacted|messaged)], je (retire|revoque) mon consentement
	 leave (me|us) alone, lose my number
	[<pleaseFr>] <stopFr> de <toContact> [<nowFr>]
	[<pleaseFr>] <stopFr> [(avec|aux|a|de envoyer)] <textsFr> [<nowFr>], [<pleaseFr>] <stopFr> (tout envoi|(vos|les|ces) envois) [de <messagesFr>] [(a|vers|sur) <meFr>]
	[<pleaseFr>] [ne] (plus|jamais) <toContact> [<nowFr>]
	[<pleaseFr>] ne pas me (contacter|texter|solliciter|demarcher)
	([ne] <contact>|nenvoyez|nenvoie) plus [jamais] [(rien|<textsFr>)] [par (sms|message|texto|telephone)] [<nowFr>]
	<want> (plus|pas) [jamais] <toContact> [<nowFr>]
	(je|on) ne (veux|veut|voudrais|souhaite|desire) plus [jamais] <textsFr> [<nowFr>], <want> plus [jamais] (de|recevoir) vos <messagesFr> [<nowFr>]
	(je|on) (refuse|naccepte plus) de <toContact> [<nowFr>]
	[<pleaseFr>] <remove> <meFr> [<aListFr>] [<nowFr>]
	[((pouvez|pourriez|voulez) vous [bien]|veuillez|priere de|je vous (demande|prie) [de])] (me (supprimer|rayer|radier)|meffacer) [<nowFr>]
	[<pleaseFr>] me (desabonner|desinscrire|<toRemove> <aListFr>) [<aListFr>] [<nowFr>]
	[<pleaseFr>] <toRemove> <meFr> [<aListFr>] [<nowFr>]
	je me (desabonne|desinscris|retire <aListFr>) [<aListFr>], (desabonnement|desinscription) <aListFr>
	<pleaseFr> etre <removed> <aListFr> [<nowFr>]
	je demande (ma|mon) (desinscription|desabonnement|suppression|radiation) [<aListFr>], je demande la suppression de <meFr> [<aListFr>]
	je moppose a (la reception|lenvoi|recevoir) <textsFr>
	(laissez|laisse|fichez|foutez|fous) (moi|nous) (tranquille|en paix|la paix), lachez moi
`;

/** Stops of some messages only: beside something unclear, "Stop the ads" is no stop of everything. */
export const SOME = `
	ads, <kind>, promotions, promos, notifications, reminders, alerts, pub, pubs, publicite, publicites, promotion
	offre, offres, notification, rappel, rappels, alerte, alertes, mail, mails
	publicitaire, publicitaires, commercial, commerciaux, commerciales, promotionnel, promotionnels, promotionnelles
`;

/**
 * Beginnings of what may stand beside one in the same sentence: "I moved, stop texting me". What begins otherwise
 * may be its condition: "tomorrow", "in case I pay", "do not".
 */
export const STATEMENTS = `
	i, im, ive, ill, id, we, weve, it, its, this, that, thats, these, those, you, youve, youre, your, my, who, whoever, what, how, where
	je, j, jai, jen, jy, jetais, jhabite, on (ne|nest|vous|veut), nous, vous, ce, cet, cette, ces, cest, cetait, cela, ca, il y a, mon, ma, mes
	votre, vos, qui, quoi, comment, combien, dou, ou avez
`;

/**
 * Phrases that turn a stop anywhere in the text: conditions, exceptions, what is to be kept, jokes, a negation that goes
 * on behind a comma. `^` is the beginning of a clause, `$` its end.
 */
export const TURNS = `
	if, unless, until, except, ^but, ^only, ^just, when, whenever, ^before, ^after, ^instead, keep (the|my|our|those|them|it|only|sending the)
	still (want|need|like), i (want|need) (the|my), (not|never|dont|like)$, (says|wrote|writes|reads|means|asks)$
	(he|she|they|you|who|wife|husband|mother|father|son|daughter|friend|boss) (said|asked)$, (told|asked) (him|her|them|me|us)$
	(not|never|dont|didnt|doesnt|wouldnt) (say|saying|mean)$, (do|does|did) (you|i|it|one|we) (say|mean|write|type)$, (was|were|been) told$, lol, haha, lmao, jk, kidding, joking, joke
	si, sauf, hormis, ^mais, ^seulement, ^uniquement, ^juste, quand, lorsque, ^avant, ^apres, tant que, des que, gardez, garde, garder
	conservez, conserver, ^continuez, ^continue, ^continuer, je veux (bien|toujours|garder|juste|encore|le|la|les|mes)
	surtout pas, (ne|jamais|ecrit|ma dit|a dit)$, (pas|jamais) (dit|dire|demande)$, (dis|dit|demande) pas$, veut dire$, signifie$
	(lui|leur) (ai|a|avons|ont) [deja] dit$, (on|ca|cela|message|texto|sms) dit$, mdr, ptdr, xd, plaisante, rigole, deconne, blague
`;

/** Beginnings of what happens if it doesn't stop: no condition of it. */
export const THREATS = `
	sinon, otherwise, or (else|i|ill), ou je, if you [ever] (text|contact|message|call|spam|bother) (me|us) again
	if you (keep|continue|do not stop|dont stop), si vous (continuez|recommencez|insistez|narretez pas)
	si vous me (contactez|ecrivez|relancez) encore
`;

/** Words that say so unless something unclear stands beside them, such as the message that they answer. */
export const STOP = `
	stop, stop (envoi|envois|all|it|this|that|now|everything|marketing|[tout] ca|tout|pub|pubs|promo|promos), stopall, stopp, s t o p
	<stopFr> <nowFr>, <pleaseFr> <stopFr> [<nowFr>], [<pleaseFr>] <stopFr> de mappeler, unsubscribe [from] all
	stop [(au|to|a|sms [au])] <shortCode>, unsub, unsubscribe, unsuscribe, unsubcribe, optout, opt out
	(can|could) you stop, you (can|may) stop [<now>], (stop|quit) calling [<me>], (do not|dont) (call [<me>]|text|message|contact)
	[(i want|i said)] no (more|further) <texts> [<ever>]
	arret [<nowFr>] [<textsFr>] [<nowFr>], <stopFr>, (arretez|arrete|stoppez) (tout|ca), cease and desist, (pouvez|pourriez) vous arreter
	desabo, desabonne, desabonner, desabonnez, desabonnement, desabonement, desinscrire, desinscrivez
	desinscription [<nowFr>], [ne] mappelez plus, plus jamais <textsFr> [<nowFr>], pas de (pub|pubs|publicite)
`;

/**
 * Words that say so alone: "No, cancel" in reply to "Will you come on Tuesday?" is about Tuesday, and "Oui, plus de
 * promos" asks for more of them.
 */
export const STOP_ALONE = 'end, quit, cancel, revoke, remove, plus <textsFr> [<nowFr>]';

/** Look-alikes of these that mean something else. */
export const LOOKALIKES = '(no|non|n) stop, oh (no|non)';

export const HELP = `
	help [me], aide, (aidez|aide) moi, info, infos, information, informations, contact, [i] need help
	(can|could) (you|u) help [me], [jai] besoin daide, pouvez vous maider, peux tu maider
`;

export const YES = `
	yes, yess, y, yeah, yea, yep, yup, ok, o k, okay, okey, oki, sure, of course, certainly, absolutely, definitely, agreed
	[i] accept, accepted, i agree, [i] confirm, confirmed, sounds (good|great), sure thing, (im|i am) coming, [that] works for me, that works [great], works great, perfect, no problem, count me in, (yes|thats) fine, yes [i] can, yes i can come
	(ill|i will) (be there|come), see you (there|then), oui, ouais, ouai, oue, o, daccord, dac, dacc, bien sur
	bien entendu, absolument, tout a fait, evidemment, carrement, volontiers, avec plaisir, entendu, parfait, tres bien
	(ok|oui) note, ca marche, ca roule, (ca|cela) me (va|convient), cest (daccord|ok|note|oui|confirme), [cest] (ok|bon|oui) pour moi
	(oui|ok) cest bon, confirme, je confirme [(ma presence|[(le|mon|ce)] (rdv|rendez vous))], jaccepte, je suis daccord, (je (serai|serais)|jserai|jserais) (la|present|presente)
	(ok|oui|daccord|parfait) pour (moi|demain|ce (soir|matin)|cet apres midi|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|le (rdv|rendez vous)), (ok|yes|fine) for (today|tomorrow|tonight), tomorrow works
	jy serai, je viens, je viendrai, (nous serons|on sera) (la|presents), [je] valide, oh (yes|oui), (pas de|sans|aucun) (probleme|problemes|souci|soucis)
`;

export const NO = `
	no, n, nn, nope, nah, no way, not at all, not this time, of course not, absolutely not, certainly not, [i] refuse, [i] decline
	declined, i disagree, i (cant|cannot|can not) [(come|make it)], (cant|cannot) (come|make it) [(today|tomorrow|tonight)], (unfortunately|im afraid|i am afraid) (no|not), (im|i am) not coming, i (wont|will not) (come|be there)
	[(im|i am)] (not|no longer) interested, [(im|i am)] (not available|unavailable|not free), non, nan, pas du tout, (certainement|surement|absolument) pas
	bien sur que non, hors de question, je refuse, refuse, je decline, pas daccord, je [ne] suis pas daccord
	(je [ne] (peux|pourrai|viens|viendrai)|jpeux|jpourrai|jviens|jviendrai) pas, (je [ne] (peux|pourrai)|jpeux|jpourrai) pas venir, je [ne] serai pas (la|disponible|dispo), [(je [ne] suis|jsuis)] (pas (dispo|disponible|libre)|indisponible), je serai (absent|absente), impossible [pour moi], jai un empechement, jannule, on annule, je dois annuler, (malheureusement|helas) non
	(ca|cela) [ne] (me convient pas|va pas etre possible|sera pas possible)
	[(ce nest|cest)] pas possible, cest non, [je [ne] suis] pas (interesse|interessee), non cest bon
	je [ne] suis plus (interesse|interessee), (ca|cela) [ne] minteresse (pas|plus)
`;

/** Phrases beside a stop. Alone, they mean nothing certain. */
export const REASON = `
	somebody, and, but, so, also, et, mais, alors, donc, reponse, for the last time, [pour la] derniere fois
	i [already] (said|told you [to]|asked you to), how many times (do|must) i have to (say|write|tell you to), jai [deja] dit, je (vous|te) (ai|lai) [deja] dit
		(can|could|would|will) (you|u), (pouvez|pourriez) vous, (peux|pourrais) tu, enough [(of|with) <texts>], thats enough, spam, this is spam, wrong number, you have the wrong number, i dont know you
	i (never|did not|didnt) (sign|signed) up [for this], (im|i am) tired of this, (ca suffit|assez|marre|jen ai (marre|assez)|ras le bol) <textsFr>, ca suffit, assez, marre
	jen ai (marre|assez), ras le bol, opposition [rgpd], rgpd, cest (du|de la) (spam|harcelement|pub), harcelement, mauvais numero
	erreur de numero, vous vous trompez de numero, [je] [(nai|jai|[ne] vous ai)] rien demande, je [ne] vous connais pas
	je [ne] suis (pas|plus) (client|cliente|concerne|concernee)
`;

/** Phrases that change nothing, wherever they stand. */
export const COURTESY = `
	re, please, pls, plz, pliz, svp, stp, s v p, s t p, sil (vous|te) plait, silvousplait, siouplait, merci de
	merci [(beaucoup|bien|davance|bcp)], mrc, [and] thanks [a lot], [and] thank you [(very|so) much], thx, ty
	bonjour, bjr, bonsoir, bsr, salut, coucou, hello, hi, hey, ah, euh, bah, ben, eh bien, good (morning|afternoon|evening), madame
	bien vouloir, monsieur, mesdames, messieurs, sir, madam, maam, cordialement, cdt, cdlt, bien a vous, salutations
	[(best|kind)] regards, bonne (journee|soiree|continuation) [a (vous|toi)], have a (nice|good) (day|evening)
	au revoir, bye, goodbye, [(im|i am)] sorry [but], [je suis] (desole|desolee) [mais]
	(a|see you) (demain|bientot|tomorrow|soon), a tout a lheure, thanks anyway, merci quand meme
`;
