/**
 * How people answer a text message, in French and English, written as `intent.ts` normalizes a reply:
 * lower case, no accents, no apostrophes, no punctuation. One phrase a line or between commas;
 * `(a|b)` is a choice, `[a]` may be missing, `<name>` is one of the parts below, `/s` an ending
 * that may be missing, `#` a digit, `...` the rest of the clause, `^` its beginning and `$` its end.
 *
 * A phrase says who does what to what: "I no longer want | to receive | texts from you". Whatever can stand in
 * one of these places is a part, so that a new noun or verb goes into one part and not into several phrases.
 *
 * The words are those of the carriers and regulators (STOP and CONTACT in France, ARRET, AIDE and INFO in
 * Canada, the FCC's words of revocation), the sentences those that SMS services report of real recipients:
 * test/unit/service/intent.test.mts names them.
 */

export const PARTS: Record<string, string> = {
	// Who
	me: '(me|us|(this|my) (number|name|data)|my (details|contact)|(this|my) phone [number])',
	meFr: '(moi|nous|mon contact|(mon|ce) (numero|nom|portable|tel|telephone) [de (telephone|tel|portable|mobile)]|[toutes] mes (coordonnees|donnees) [personnelles])',
	iFr: '(je|j|on|nous)',
	// What: messages of any kind, or of some kind only
	code: '(#####|## ###)',
	kind: '(junk|marketing|promotional|promo|advertising|automated|unwanted)',
	some: '(ads|promotions|promos|notifications|reminders|alerts)',
	noun: '(message/s|msg/s|spam|<some>)',
	which: '([of] (the|these|this|those|your|ur)|[of] (this|these|that|those) (type/s|kind/s|sort/s) of|any [more]|more|further|all [(the|these|your)]|so many)',
	messages: '((text|sms|txt) [(<noun>|updates|offers)]|<noun>|texts|txts|communication/s)',
	texts: '([<which>] [<kind>] <messages>|[all] (your|ur|these) [<kind>] offers) [((to|on) <me>|from you)]',
	aList: '(from|off [of]|out of) [(the|this|these|any|[all] (your|ur))] [<kind>] [(text|texting|sms|phone|contact|mailing)] (list/s|system|database|records|contacts|texts|messages|sms)',
	kindFr: '(publicitaire/s|commercial|commerciaux|commerciales|promotionnel/s|promotionnelles)',
	someFr: '(mail/s|pub/s|publicite/s|promo/s|promotion/s|offre/s|notification/s|rappel/s|alerte/s)',
	nounFr: '(sms|texto/s|message/s|msg|mms|prospection|sollicitation/s|demarchage|spam/s|<someFr>)',
	messagesFr: '<nounFr> [[de] <someFr>]',
	whichFr:
		'([de] (ce|ces|cette) (type/s|genre/s|sorte/s) de|le|la|les|du|de|de la|des|ce|ces|vos|votre|de vos|aucun/e|[de] (tous|toutes) (ces|les|vos)|autant de|dautres)',
	textsFr:
		'[<whichFr>] <messagesFr> [(<kindFr>|indesirable/s)] [(par sms|de votre part|de vous|de ce numero|(sur|a) (mon|ce) (telephone|portable|numero))]',
	aListFr:
		'(de|des) [(vos|votre|la|cette|ces|toutes vos)] (<nounFr>|liste/s|listing/s|fichier/s|base/s [de donnees]|newsletter|contacts|envois|repertoire) [(de diffusion|denvoi/s|de contact|de contacts|[de] sms|publicitaire/s|client/s)]',
	// The verbs: to stop, to send, to text somebody, to remove somebody
	stop: '(stop|quit|cease|discontinue)',
	never: '(do not|dont|never) [ever]',
	sending: '(sending|sendin|receiving|getting)',
	texting: '(texting|txting|messaging|contacting|spamming|bothering|harassing)',
	stopFr: '(stop|stopper|stoppez|stoper|stopez|arreter|arretez|arrete|arete|aretez|areter|arette|arettez|arrette|arrettez|arretter|cesser|cessez|que vous (arretiez|cessiez|stoppiez))',
	toContact:
		'(me (contacter|recontacter|texter|joindre|solliciter|deranger|harceler|spammer|relancer|demarcher)|mecrire [(a|sur) <meFr>]|membeter|mimportuner|rien menvoyer|(menvoyer|madresser) [(ca|rien|<textsFr>)]|(envoyer|recevoir) <textsFr>|rien (recevoir|envoyer) [(de vous|de votre part)]|etre (contacte/e|sollicite/e|derange/e|demarche/e)) [par (sms|message|texto|telephone|vous|vos services)]',
	remove: '(desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez|oubliez|blacklistez|rayez|radiez|otez|desabonne|retire|supprime|enleve|efface)',
	toRemove: '(desabonner|desinscrire|retirer|supprimer|enlever|effacer|rayer|radier)',
	removed: '(desabonne/e|desinscrit/e|retire/e|supprime/e|enleve/e|efface/e|raye/e|radie/e)',
	toRemoveMe: '(me (supprimer|retirer|rayer|radier)|meffacer|menlever|moter)',
	// How it is asked for, and how it is wished
	ask: '((can|could|would|will) (you|u))',
	please: '(<ask>|you (can|may)|i want [you] to|(i would|id) like [you] to|i wish to|(i ask|(i am|im) asking) you to|kindly|just|oh)',
	notWant: '(i|we) (do not|dont|no longer) (want|wish)',
	ever: '(anymore|any more|again|ever [again]|any longer|at all|in [the] future)',
	now: '(<ever>|[right] now|already|immediately|asap)',
	askFr: '((pouvez|pourriez|voulez) vous [bien]|(peux|pourrais) tu|[est ce que] (vous (pouvez|pourriez)|tu (peux|pourrais))|veuillez|je vous (demande|prie) [de]|priere de)',
	wishFr: '(il (faut|faudrait)|de|(je|on) (veux|veut|voudrais|souhaite|souhaiterais|desire|aimerais)|jaimerais)',
	pleaseFr: '(<askFr>|<wishFr>)',
	wish: '(veux|veut|voudrais|voulons|souhaite|souhaitons|desire|desirons)',
	wantFr: '(<iFr> [ne] <wish>|jveux)',
	nowFr: '(maintenant|immediatement|definitif|total|immediat/e|[tout] de suite|desormais|dorenavant|a lavenir|du tout|definitivement)',
	// Appointments
	attend: '(come|make it|attend|be (there|present))',
	day: '(today|tomorrow|tonight)',
	visit: '[(my|our|the|this)] (appointment|booking|reservation|visit|meeting|attendance)',
	sadly: '(unfortunately|im afraid|i am afraid|malheureusement|helas)',
	there: '(la|present/s|presente/s)',
	dayFr: '(aujourdhui|demain|ce (soir|matin)|cet apres midi|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)',
	visitFr:
		'([(le|mon|ce|notre)] (rdv|rendez vous)|(la|ma|notre|cette) reservation) [[de] <dayFr>]',
	attendFr:
		'((venir|me rendre) (au|a mon|a ce|a notre) (rdv|rendez vous)|venir|honorer <visitFr>|etre <there>)',
	canFr: '(<iFr> [ne] (peux|peut|pouvons|pourrai/s|pourra|pourrons)|jpeux|jpourrai)',
	comeFr: '(<iFr> [ne] (viens|vient|venons|viendrai|viendra|viendrons)|jviens|jviendrai)',
};

/** The phrases of a reply, under what each one does. */
export const PHRASES = {
	/** Sentences that stop all messages, unless something beside them turns them. */
	demand: `
		[<please>] <stop> [calling (and|or)] <texting> [(<me>|him|her)] [<now>]
		[<please>] <stop> ([(<sending>|with)] [(me|us)] <texts>|<sending> [(me|us)] [(these|this|those|them)] [to <me>]) [<now>]
		[<please>] <never> ((text|message|contact|spam|bother|write [to]) <me>|send (me|us) <texts>|send (any [more]|more|further) [<kind>] <messages>) [<ever>]
		[<please>] (<stop> <sending>|<never> send) (me|us) [<which>] (crap|shit|stuff|junk|rubbish|nonsense) [<ever>]
		<notWant> ([to [keep] (get|getting|receive|receiving)] <texts>|to be (contacted|texted|messaged)) [<ever>]
		[<please>] ((unsubscribe|remove|delete|opt out) <me>|be (removed|unsubscribed|taken off)) [<aList>] [<now>]
		[<please>] take <me> off, [<please>] (take|get) <me> <aList>
		[<please>] (unsubscribe|opt out) (<aList>|(of|from) <texts>), <please> (unsubscribe|opt out), opt me out [(of|from) <texts>], i opt out, (im|i am) opting out
		(i|(i am|im)) (revoke|revoking|withdraw|withdrawing) [my] consent [to be (texted|contacted|messaged)], je (retire|revoque) mon consentement
		[<pleaseFr>] <stopFr> (de <toContact>|[(avec|au|aux|a|de envoyer)] <textsFr>|(tout envoi|lenvoi|(vos|les|ces) envois) [de <messagesFr>] [(a|vers|sur) <meFr>]) [<nowFr>]
		[<pleaseFr>] ([ne] (plus|jamais) <toContact>|ne pas me (contacter|texter|solliciter|demarcher)) [<nowFr>]
		([ne] (men envoyez|me (contactez|contacte|recontactez|textez|texte|sollicitez|derangez|derange|harcelez|spammez|relancez|demarchez)|mecrivez|mecris|membetez|mimportunez|menvoyez|menvoyer|menvoie)|nenvoyez|nenvoie) plus [jamais] [(rien|<textsFr>)] [par (sms|message|texto|telephone)] [<nowFr>]
		<wantFr> ((plus|pas) [jamais] <toContact>|(plus [jamais]|pas) (de|recevoir) vos <messagesFr>|pas de <messagesFr>) [<nowFr>], <iFr> ne <wish> plus [jamais] <textsFr> [<nowFr>]
		(je|on) (refuse|naccepte plus|nai plus envie) de <toContact> [<nowFr>]
		[<pleaseFr>] (<remove>|<toRemove>) <meFr> [<aListFr>] [<nowFr>], [<askFr>] <toRemoveMe> [<nowFr>]
		[<pleaseFr>] (me (desabonner|desinscrire)|(me <toRemove>|<toRemoveMe>) <aListFr>) [<aListFr>] [<nowFr>]
		je (me (desabonne|desinscris)|demande ((ma|mon) (desinscription|desabonnement|suppression|radiation)|la suppression de <meFr>)|demande larret <textsFr>) [<aListFr>]
		<pleaseFr> etre <removed> <aListFr> [<nowFr>]
		(je me retire|desabonnement|desinscription) <aListFr>, suppression de <meFr> [<aListFr>], je moppose a (la reception|lenvoi|recevoir) <textsFr>
		(laissez|laisse|fichez|foutez|fous) (moi|nous) (tranquille|en paix|la paix), lachez moi, leave (me|us) alone, lose my number
	`,
	/** Sentences that may be about something else if something unclear stands beside them. */
	request: '<notWant> to (get|receive) (these|this|those) <ever>',
	/** Words that say so unless something unclear stands beside them, such as the message that they answer. */
	stop: `
		[<code>] stop [[(au|to|a|sms [au])] <code>], stop (envoi/s|all|it|this|that|now|everything|marketing|[tout] ca|tout|pub/s|promo/s), stopall, stopp, s t o p
		stpo, sotp, tsop, sttop, stop (2|to) (end|quit|stop|cancel|unsubscribe|opt out|optout), stop par (sms|message)
		<stopFr> <nowFr>, [<wishFr>] <stopFr> [<nowFr>], [<pleaseFr>] <stopFr> de mappeler, unsubscribe [from] all
		unsub, unsubscribe, unsuscribe, unsubcribe, optout, opt out
		you (can|may) stop [<now>], (stop|quit) calling [<me>], (do not|dont) (call [<me>]|text|message|contact)
		[(i want|i said)] no (more|further) <texts> [<ever>]
		(arret [<nowFr>] [<textsFr>]|desabonnement|desabonement|desinscription|plus jamais <textsFr>) [<nowFr>], (arretez|arrete|stoppez) (tout|ca)
		desabo, desabonne, desabonner, desabonnez, desinscrire, desinscrivez, cease and desist, [ne] mappelez plus, pas de (pub/s|publicite)
	`,
	/** Words that say so alone or beside a complaint: "No, cancel" is about a visit, "Oui, plus de promos" wants more. */
	lone: 'end, quit, cancel, revoke, remove, plus <textsFr> [<nowFr>]',
	/** Verbs that say so beside a complaint only: what is to be removed may be an order. */
	removal: 'delete, <remove>, <toRemove>',
	/** Look-alikes of these: nonstop, and those who can't stop something themselves. */
	unclear: `
		(no|non|n) stop, oh (no|non), (i|we) (cant|cannot|can not|wont|will not) <stop> ...
		<canFr> (pas|plus) <stopFr> [de ...], (je refuse|jaccepte|je naccepte pas) de <stopFr> ...
	`,
	help: `
		help [me], aide, (aidez|aide) moi, info, infos, information, informations, contact, [i] need [some] help
		(can|could) (you|u) help [me], [jai] besoin (daide|dinfo/s|dinformation/s), pouvez vous maider, peux tu maider
	`,
	yes: `
		yes, yess, y, yeah, yea, yep, yup, ok, o k, okay, okey, oki, sure, of course, certainly, absolutely, definitely, agreed
		[i] accept, accepted, i agree, [(i|we)] confirm [<visit>], [appointment] confirmed, sounds (good|great), sure thing, (im|i am) coming, [that] works for me, that works [great], works great, perfect, no problem, count me in, (yes|thats) fine, yes [i] can
		(i|we) can <attend>, (ill|well|[(i|we)] will) (be there|come|attend), see you (there|then), oui, ouais, ouai, oue, o, daccord, dac, dacc, bien sur
		bien entendu, absolument, tout a fait, evidemment, carrement, volontiers, avec plaisir, entendu, parfait, tres bien
		(ok|oui) note, ca marche, ca roule, (ca|cela) me (va|convient), cest (daccord|ok|note|oui|confirme|parfait), [cest] (ok|bon|oui) pour moi
		(oui|ok|yes) (cest bon|super|top|nickel|great|cool), confirmer, [(<visitFr>|presence) [est]] confirme/e, jaccepte, je suis daccord
		([je] confirme|nous confirmons) [((ma|notre) (presence|venue) [[pour] <dayFr>]|<visitFr>|pour <dayFr>)], (je serai/s|jserai/s|on sera|nous serons) [bien] <there> [<dayFr>]
		(ok|oui|daccord|parfait) pour (moi|<dayFr>|le (rdv|rendez vous)), (ok|yes|fine) for <day>, tomorrow works
		jy serai, je viens, je viendrai, nous viendrons, on viendra, [je] valide, oh (yes|oui), (pas de|sans|aucun) (probleme/s|souci/s)
	`,
	no: `
		no, n, nn, nope, nah, no way, not at all, not this time, of course not, absolutely not, certainly not, [i] refuse, [i] decline
		declined, i disagree, [<sadly>] (i|we) (cant|cannot|can not), [<sadly>] [(i|we)] (cant|cannot|can not|(wont|will not) be able to) <attend> [<day>], <sadly> (no|not|non)
		(im|i am|we are) not coming, (i|we) (wont|will not) <attend> [<day>], [(im|i am|we are)] (unable|not able) to <attend> [<day>]
		[(i|we)] (have to|need to|must) cancel [<visit>], (i want|(i would|id) like) to cancel <visit>
		[(im|i am)] (not|no longer) interested, [(im|i am)] (not available|unavailable|not free), non, nan, pas du tout, (certainement|surement|absolument) pas
		bien sur que non, hors de question, je refuse, refuse, je decline, pas daccord, je [ne] suis pas daccord, je naccepte pas
		[<sadly>] <canFr> pas, [<sadly>] <canFr> (pas|plus) <attendFr> [<dayFr>], [<sadly>] <comeFr> (pas|plus) [<dayFr>], (<iFr> [ne] (serai/s|sera|serons)|jserai/s) (pas|plus) (<there>|disponible|dispo) [<dayFr>], (jy|[je] ny) serai pas
		[(je [ne] suis|jsuis)] (pas (dispo|disponible|libre)|indisponible), je serai absent/e, nous serons (absents|absentes), je [ne] confirme pas, impossible [pour moi], jai un empechement
		(jannule|on annule|nous annulons|<iFr> (dois|doit|devons) annuler|je suis oblige/e dannuler) [<visitFr>], je (veux|voudrais|souhaite) annuler <visitFr>
		(ca|cela) [ne] (me convient pas|va pas etre possible|sera pas possible), non (ca|cela) [ne] va pas
		[(ce nest|cest)] pas possible [pour moi], cest non, [je [ne] suis] (pas|plus) interesse/e, non cest bon, (ca|cela) [ne] minteresse (pas|plus)
	`,
	/** Why somebody wants no messages. Alone, it means nothing certain. */
	complaint: `
		somebody, enough [(of|with) <texts>], thats enough, spam, this is spam, [you have [got] [the]] wrong (number|person), youve got the wrong (number|person), i dont know you
		i (never|did not|didnt) (sign|signed) up [for this], (im|i am) tired of this, (ca suffit|assez|marre|jen ai (marre|assez)|ras le bol) <textsFr>, ca suffit, assez, marre
		jen ai (marre|assez), ras le bol, opposition [rgpd], rgpd, cest (du|de la) (spam|harcelement|pub), harcelement, mauvais (numero|destinataire), numero errone
		erreur de numero, vous vous trompez de numero, [je] [(nai|jai|[ne] vous ai)] rien demande, je [ne] vous connais pas
		je [ne] suis (pas|plus) (client/e|concerne/e), [je suis inscrit/e (sur|a|chez)] bloctel
	`,
	/** Whoever asks for a stop with a question wants it: "Pouvez-vous arrêter ?" */
	asking: '<ask>, <askFr>',
	/** Phrases that change nothing beside a stop, and what happens if it doesn't stop: no condition of it. */
	aside: `
		and, but, so, also, et, mais, alors, donc, reponse, for the last time, [pour la] derniere fois
		i [already] (said|told you [to]|asked you to), how many times (do|must) i have to (say|write|tell you to), jai [deja] dit, je (vous|te) (ai|lai) [deja] dit, je [vous] (dis|repete)
		^(sinon|otherwise|or (else|i|ill)|ou je) ..., ^if you ([ever] (text|contact|message|call|spam|bother) (me|us) again|keep|continue|do not stop|dont stop) ...
		^si vous (continuez|recommencez|insistez|narretez pas|me (contactez|ecrivez|relancez) encore) ...
	`,
	thumbUp: '👍, 👌, ✅, ✔, ☑',
	thumbDown: '👎, 🙅, ❌',
	forbidden: '✖, ✗, ✘, 🚫, ⛔',
	question: '?',
};

/**
 * Beginnings of what may stand beside one in the same sentence: "I moved, stop texting me". What begins otherwise
 * may be its condition: "tomorrow", "in case I pay", "do not".
 */
export const STATEMENTS = `
	i, im, ive, ill, id, we, weve, it, its, this, that, thats, these, those, you, youve, youre, your, my, who, whoever, what, how, where
	je, j, jai, jen, jy, jetais, jhabite, on (ne|nest|vous|veut), nous, vous, ce, cet, cette, ces, cest, cetait, cela, ca, il y a, mon, ma, mes
	votre, vos, qui, quoi, comment, combien, dou, ou avez
`;

/** Phrases that turn a stop anywhere in the text: conditions, exceptions, what is kept, jokes, a negation before a comma. */
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

/** Phrases that change nothing, wherever they stand; a keyword such as STOP has those of other languages beside it, too. */
export const COURTESY = `
	re, please, pls, plz, pliz, svp, stp, s v p, s t p, sil (vous|te) plait, silvousplait, siouplait, merci de
	merci [(beaucoup|bien|davance|bcp)], mrc, [and] thanks [a lot], [and] thank you [(very|so) much], thx, ty
	bonjour, bjr, bonsoir, bsr, salut, coucou, hello, hi, hey, ah, euh, bah, ben, eh bien, good (morning|afternoon|evening), madame
	bien vouloir, monsieur, mesdames, messieurs, sir, madam, maam, cordialement, cdt, cdlt, bien a vous, salutations
	[(best|kind)] regards, bonne (journee|soiree|continuation) [a (vous|toi)], have a (nice|good) (day|evening)
	au revoir, bye, goodbye, [(im|i am)] sorry [but], [je suis] desole/e [mais]
	(a|see you) (demain|bientot|tomorrow|soon), a tout a lheure, thanks anyway, merci quand meme
	bitte, danke, aub, alsjeblieft, alstublieft, dank (u|je) [wel], por favor, [muchas] gracias, per favore, grazie, obrigado, obrigada, prosze, dziekuje
`;
