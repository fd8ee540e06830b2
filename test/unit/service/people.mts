/**
 * Replies under what a person would say they mean, one a line; `other` is whatever isn't plain. Each one is there for a
 * phrase, a rule or a risk of its own. Sources: intent.test.mts.
 */
import type { Intent } from '../../../nodes/shared/service/intent.ts';

export const REPLIES = repliesOf({
	stop: String.raw`
		Stop bitte
		STOP, danke!
		Stop aub
		Stop, dank u wel
		stop por favor
		Per favore stop
		Stop grazie
		stop muchas gracias
		Stop obrigado
		stop proszę
		Please do not send any more texts
		Ne m'importunez plus
		je vous dis stop
		Je demande l'arrêt de vos messages
		Suppression de mon numéro svp
		Stop au démarchage
		Je ne veux pas de vos sms
		Je veux pas de pub
		stop sending them to me
		sttop
		stop sending sms reminders
		Je ne veux plus de ce genre de SMS
		Please do not send me this type of message again
		stop sending this type of text
		merci de me retirer
		Supprimez mon contact
		Vous pouvez arrêter ?
		36180 STOP
		Bloctel. Stop
		stop2quit
		STOP2END
		Stop ça suffit
		stop sms pub
		wrong number please remove
		Stop envoi
		stop calling and texting me
		I want to opt out of these alerts
		RGPD je demande la suppression de mes données
		please stop sending text reminders
		stop sending text alerts
		Please don't send me text notifications anymore
		stop text updates
		quit sending me text ads
		I no longer want text reminders
		no more text alerts
		No more text reminders please
		no further text messages
		no more text spam
		no more text offers!!
		i said no more text alerts
		Je ne souhaite plus recevoir ce type de message
		Je ne veux plus recevoir ce genre de SMS
		je ne souhaite plus recevoir ces types de messages, merci
		Je ne désire plus recevoir cette sorte de publicité
		stop à ce type de sms
		Arrêtez ce genre de messages
		Merci de ne plus m'envoyer ce type de messages
		merci de ne plus m'envoyer ce genre de pub
		Ne m'envoyez plus ce type de SMS
		Veuillez ne plus m'envoyer ce type d'offres
		Merci de cesser ce genre de messages
		Ne plus recevoir ce type de publicité svp
		Merci de me supprimer
		merci de me supprimer immédiatement
		Veuillez me supprimer
		Pouvez-vous me supprimer svp
		Bonjour, merci de m'effacer
		Merci de me rayer
		Re : stop
		Re : désabonnement
		Re: unsubscribe
		stop, je ne suis pas Paul
		Stop, je suis pas Sophie
		STOP. Ce n'est pas Marie
		Stop I'm not Sarah
		Je ne suis pas Mme Durand, stop
		This is not Kevin, stop
		stp arete
		aretez svp
		stp arettez
		Arette stp
		stopez svp
		arrettez svp
		arrette stp
		Arrettez de m'envoyer des sms
		stoper svp
		arretter svp
		QUIT
		End
		REVOKE
		OPT OUT
		OPTOUT
		CANCEL
		unsub
		STOPALL
		STOP SMS 36111
		STOP36180
		Ne me contactez plus par sms
		STOP s'il te plait
		STOP! Wrong number
		ça suffit stop
		Stop. I never signed up for this.
		STOP j'en ai marre
		Stop, je n'ai rien demandé !
		enough. stop.
		stop this
		stop calling
		Stop sending me text message! I have asked many times and you continue to send them to me!
		Stop sending these, please!
		quit sending me this
		do not text
		dont text me
		Don’t call
		do not call me
		do not contact
		Do not message
		take me off
		Remove my phone number
		Please remove my number from your system. Thank you!
		Please delete me from your text list. Thanks so much!
		opt me out
		I want to unsubscribe
		I'd like to opt out
		leave me alone
		Leave us alone!
		lose my number
		no more spam
		could you stop sending me messages
		Hi, please stop messaging this number
		arrêtez ça
		Stoppez
		stop aux sms
		Désabonner
		désinscription
		desinscrire
		désabo
		je veux me désinscrire
		Je me désabonne
		me désabonner
		Enlève moi de votre liste s'il vous plait
		supprimez mon numéro de vos fichiers
		Rayez-moi de vos listes
		Arretez de m'envoyer des textos
		Arrêtez de me harceler
		Pouvez-vous arrêter de m’envoyer des messages ?
		ne plus me contacter
		ne plus me texter
		Prière de ne plus me déranger
		Ne me contactez plus jamais
		ne me dérangez plus svp
		m'envoyez plus de messages
		Pas de pub
		Lâchez-moi
		Je m’oppose à la réception de vos messages publicitaires
		je ne veux pas recevoir vos sms
		merci de ne plus m’importuner
		STOP MARKETING
		Supprimez mon numéro de votre fichier client
		Non. Et arrêtez de m'écrire
		Yes. Also stop texting me
		cease and desist
		stop sending me this crap
		I am revoking my consent
		I revoke consent
		I said stop
		Qui est-ce ? stop
		je veux stopper
		Effacez mon numéro svp
		oui enlevez moi
		Ne plus rien envoyer
		pls stop txting me
		stop txt
		Stop sendin me texts
		STOPP
		plz take me off ur list
		take my name off this list please
		remove me from this list immediately
		I would like to be removed from your list
		I wish to stop receiving messages
		I do not want to receive any more texts from you
		dont message me again
		No more sms
		i opt out
		opt me out of these texts please
		Unsubscribe from all
		unsubscribe all
		please discontinue texting me
		delete my number please and thank you
		i am opting out
		j veux plus recevoir vos msg
		je ne veux plus recevoir ces sms
		plus aucun sms
		Plus jamais de sms
		ne m'envoyer plus rien
		Ne m'appelez plus
		ne plus envoyer de sms à ce numéro
		Merci de me rayer de vos listes
		Désinscrivez moi
		desabonner moi
		desabonnez moi immédiatement
		Erreur de numéro, stop
		mauvais numéro arrêtez svp
		stop à la pub
		STOP DEFINITIVEMENT
		arrêt immédiat des sms
		Arrêt définitif
		stop harcèlement
		This is what I get, stop texting me
		Unsubscribe me right now
		Stop everything
		i don't want texts from you anymore
		I don't want your texts
		I do not wish to be contacted
		remove this number from your database
		Take us off the list
		no more promos
		I don't want reminders
		Plus de rappel svp
		Merci de ne plus m'envoyer
		Je ne veux plus rien recevoir de vous
		stop total
		je demande ma désinscription
		je vous prie d'arrêter
		jveux plus recevoir vos sms
		On ne veut plus recevoir vos pubs
		Désolé mais ce n'est pas mon numéro, retirez-moi de votre liste
		désabonnez moi des promos
		laisse-moi tranquille
		Ne m'écrivez plus, j'ai changé de numéro
		Arrêtez de m'appeler
		Oui je confirme. Arrêtez les rappels svp
		Could you please stop the ads?
		Pouvez-vous svp arrêter de m'envoyer des sms ?
		Would you please remove me from your list?
		ne plus rien m'envoyer svp
		Enlevez moi de votre liste de contact
		Retirez mon numéro de téléphone de vos listes svp
		Je m'oppose à l'envoi de SMS
		Supprimez mes coordonnées
		Desinscription de la liste
		Désabonnement de vos sms svp
		Unsubscribe from your texts
		no more text
		stop sms messages
		Don't send me stuff
		quit sending me this nonsense
		Regards, Stop
		Je vous prie de bien vouloir ne plus m’adresser de sms
		Veuillez cesser tout envoi vers ce numéro
		You can stop now
		you may stop texting
		Dernière fois : STOP
		Désinscription immédiate svp sinon CNIL
		I did not consent to this, stop
		Kindly remove me from your mailing list. Thank you. Regards, Dr. John Smith
		OK, mais arrêtez les sms svp
		I told you to stop
		Je vous ai déjà dit d'arrêter de m'écrire
		Stop or I'll report you
		Otherwise I will block you. STOP
		Si vous recommencez je porte plainte, arrêtez de m'envoyer des sms
		If you keep texting me I'll call the police. Stop texting me.
		Please remove my data
		Please take my number out of your list
		Thanks but please stop
		Stop tout ça
		Hello could you remove me from these lists please
		I'm asking you to stop texting me
		Voulez-vous bien arrêter de m'envoyer des messages !
		Je voudrais être désinscrite de vos listes
		j'aimerais que vous arrêtiez de m'envoyer des sms
		Il faut arrêter vos SMS
		So stop texting me
		Je refuse d'être contacté
		Merci d'effacer mes données
		Ne m'en envoyez plus
		No more junk texts
		Stop bothering me
		Get me off this list
		Vous êtes lourds, stop
		Stop ou je signale
		je veux plus de vos sms
		Veuillez supprimer mon numéro de votre base de données
		foutez moi la paix
		Laissez-moi tranquille
		N'envoyez plus de messages à ce numéro
		je souhaite me désinscrire de votre liste de diffusion
		Je ne veux plus être contactée par vos services
		Cessez vos envois de SMS
		C'est la troisième fois que je vous écris STOP, alors STOP !
		Stop ça
		S.T.O.P
		Opposition RGPD : supprimez mes données
		Je m'oppose à recevoir de la prospection
		arret sms
		Oubliez mon numéro
		Vous pouvez me retirer de la liste svp ?
		Est-ce que vous pourriez arrêter de m'envoyer des sms ?
		Ras le bol de vos pubs. STOP
		Stop, vous vous trompez de numéro
		merci de stopper les envois
		Stoppez tout
		Je ne désire plus recevoir de messages de votre part
		Si vous continuez je signale au 33700. STOP
		Je vous ai dit stop
		J'ai dit STOP
		je ne vous connais pas, supprimez-moi de vos contacts
		Radiez-moi de vos listes
		Otez mon nom de votre fichier
		Blacklistez mon numéro svp
		Je n'accepte plus de recevoir vos sms
		Je retire mon consentement
		Mon mari est décédé, merci de ne plus envoyer de sms
		Bonjour, je vous demande de ne plus me solliciter par sms. Merci.
		Je souhaite être retiré de votre fichier clients
		Je souhaiterais que vous arrêtiez de m’envoyer des messages
		unsubcribe
		unsuscribe
		I want to unsubscribe from these texts
		Don't ever contact me again
		Never text me again
		no more of these texts thanks
		STOP SPAMMING ME
		Please cease all communication
		stop all
		I no longer wish to receive these messages
		Could you take me off the list? Thanks, Anna
		You have the wrong person, remove this number
		how many times do I have to say STOP
		For the last time: STOP
		If you text me again I'll report you. Stop.
		Please do not contact me in future
		Please don't send me any more promotions
		Stop with the texts already
		Enough with the texts. Stop.
		I withdraw my consent to be texted
		Stop to 36180
		Please stop sending messages to this phone, it belongs to my son
		My husband passed away, please stop texting him
		I am asking you to stop contacting me
		I would like you to stop texting me
		Whoever you are, stop texting me
		réponse : STOP
	`,
	help: String.raw`
		AIDE
		aidez-moi
		INFO
		infos
		CONTACT
		I need help
		Besoin d’aide ?
		pouvez-vous m’aider ?
		aide moi svp
		can u help me
		information?
		can you please help me
		J'ai besoin d'aide
	`,
	yes: String.raw`
		ok danke
		Oui je serai bien présent
		Je confirme ma présence demain
		confirme rdv
		Will be there
		I confirm my attendance
		Confirm appointment
		Confirmer
		RDV confirmé
		ok super
		That's fine
		carrément
		Yes I can come
		count me in
		C'est confirmé
		confirmé
		that works
		That works great
		Works great!
		tomorrow works
		oui jserai là
		jserai présent
		J'serai là
		oui je serai la
		ok pour demain
		OK pour lundi
		oui pour demain merci
		D'accord pour ce soir
		ok pour le rdv
		parfait pour jeudi
		Y
		Yeah
		yep
		Yup
		okay
		Ouais
		O
		d accord
		Oui c'est bon
		Ça me va
		J'accepte
		no problem
		Sure
		Of course
		Sounds good
		confirmed
		Ah oui
		je confirme ma présence
		Je confirme le RDV
		c’est oui
		OK à demain
		yess
		Yes ma'am
		yes sir
		ok c'est noté
		Ok noté merci
		oui je viens
		oui jy serai merci
		Oui je serai présente
		yes I'm coming
		Yes, see you then!
		sure thing
		sounds great
		Pas de souci
		oh yes!
		d'acc
		dac merci
		ça roule
		Absolutely!
		Oui. Cordialement, Anne
		Yes. Kind regards, John Smith
		Oh oui
		Yes, see you soon
		O.K.
		Oui à tout à l'heure
		On sera là
		Nous serons présents
		Oui, ça marche, bonne soirée
		C'est ok
		C'est bon pour moi merci
		Bien sûr
		Avec plaisir
		Parfait
		I confirm
		I'll be there
		Oki
		Absolument
		Tout à fait
		Volontiers
		Definitely
		Yes, that works for me
		Oui cela me convient
		je valide
		yes, I agree
		Oui aucun problème
		Yes I will come
		Yes 🙂 see you tomorrow
	`,
	no: String.raw`
		No gracias
		Je ne pourrai pas venir au rdv
		Je ne pourrai pas honorer mon rdv
		Je ne pourrai pas me rendre au rendez-vous
		Je ne serai pas là demain
		I won't make it
		Need to cancel
		Nous serons absents
		je ne confirme pas
		Nous ne pourrons pas venir
		Je dois annuler mon rdv
		I have to cancel
		Non je ne viens plus
		Je ne pourrai pas être là
		impossible pour moi
		not this time
		j'annule
		je dois annuler
		can't come tomorrow
		J'ai un empêchement
		Pas dispo
		pas disponible
		Je suis pas dispo
		jsuis pas dispo
		Je ne serai pas dispo
		Indisponible
		not available
		I'm not available
		unavailable
		I am not free
		jpeux pas
		jpourrai pas
		jpeux pas venir
		non jviendrai pas
		nn merci
		nn
		nn pas interessé
		N
		Nope
		nooo
		No way
		not interested
		I'm not interested
		Nan
		Je ne suis pas intéressée
		Pas d'accord
		Je ne viendrai pas
		hors de question
		Impossible
		bien sûr que non
		ben non
		c’est non
		no ty
		non pas possible
		Non je ne pourrai pas venir
		sorry can't make it
		Non, ça ne m'intéresse pas
		ça m'intéresse pas
		I'm not coming
		absolutely not
		Je refuse
		Non. Cdt, Anne Durand
		Je ne serai pas disponible
		I cannot come
		Hélas non
		Ça ne sera pas possible
		non, je ne serai pas là
		Nah
		je ne peux pas venir
		Je ne viens pas
		I can't make it
		Sorry, can't come
		Pas du tout
		Certainement pas
		Non ça ne me convient pas
		Ça ne va pas être possible
		Je serai absent
		I won't be there
		Not at all
		malheureusement non
		Unfortunately not
		I'm afraid not
		NON\nEnvoyé de mon iPhone
		No, I can not come
	`,
	other: String.raw`
		Stop nicht bitte
		Ja, bitte
		Nein danke
		danke
		Grazie mille
		Stop? Danke
		Don't send the message yet
		Je ne veux pas de pub dans ma boîte aux lettres
		Je ne veux pas le message vocal
		Suppression du rdv
		Je ne serai là que demain
		Je ne pourrai pas honorer la facture
		Je vous dis merci
		Need to cancel my order
		Stop au feu rouge
		On ne pourra pas venir à 4
		I can't stop
		I can't stop texting her
		Je ne peux pas arrêter
		Nous ne pouvons pas arrêter
		Je refuse d'arrêter
		dois-je annuler ?
		Est-ce que je peux annuler ?
		fine
		do I have to opt out of these alerts?
		stop, je ne suis pas prêt
		Stop je suis pas bien
		Je ne suis pas Paul
		re
		Re bonjour
		Re: Votre commande
		Pas dispo demain mais lundi oui
		not available in blue?
		ok pour demain ?
		ok pour demain mais plus tard
		that works for him not me
		Je veux me supprimer
		merci de me supprimer le rdv
		supprimez ce type de produit
		C'est confirmé ?
		ce type de message me plaît
		arête de poisson
		text reminders are great
		send me text alerts
		jpeux pas demain
		dispo
		available
		nn ?
		C'est pas Noël
		non-stop
		no stop
		on n'arrête pas le progrès
		Stop, tu me fais rire
		one-stop shop
		Count me in! We have got to STOP this terrible bill from passing!!
		When does it end?
		The End of the story
		I quit my job
		arrêter mon rdv de demain
		revoke his access
		I opted in
		Don't bother, I'll pick it up
		no more offers, I accept
		Liked “Soldes jusqu’à samedi ! STOP au 36180”
		👍 à « Votre colis est là. STOP 36123 »
		> Answer HELP for help, STOP to quit
		surtout n’arrêtez pas
		ni oui ni non
		Oui mais à 15h
		no worries mate
		Yesterday I was ill
		Oui-Oui va à l’école
		Where is my parcel?
		À 8 h
		I am feeling better now and will no longer need an appointment
		Who is this?
		un non catégorique
		l’arrêt
		My wife says: stop texting me
		You wrote: stop texting me
		Mon mari m'a dit : arrêtez vos sms
		Vous avez écrit : ne plus recevoir de SMS
		I'd rather not, stop texting me
		I will pay on Friday, stop the reminders
		It never stops
		These never stop, do they
		Je paie vendredi, arrêtez les relances
		We need to stop texts at night
		Ne tenez pas compte de mon stop
		I changed my mind, don't unsubscribe me
		cancel my subscription
		Stop, je n'habite plus en France
		stop it you're making me laugh
		omg stop 😂😂 lol
		Should I stop taking the pills
		Stop texting me before 9, after that it's fine
		Stop promos but keep reminders
		Stop sending me ads. Send me the invoice
		Il ne faut surtout pas, jamais, arrêter vos sms
		I thought I unsubscribed
		Thanks for not stopping
		Reacted 👍 to “Are you coming? Reply YES or NO”
		I'm driving right now. I'll get back to you later.
		(Auto-reply) I'm driving with Do Not Disturb While Driving turned on.
		Thank you for contacting Dr Smith. We are closed. Call 112 in an emergency.
		Message automatique : absent jusqu'au 12
		Out of office until Monday
		10:30 ok?
		Stop me if you've heard this
		Cancel the appointment on Friday
		This will end badly
		fin de mois
		maybe yes
		help yourself
		need help with my bill
		stop the promos, my order was great
		I don't want reminders, I know when my appointment is
		Arrêtez les rappels, j'ai déjà payé
		Arrêtez de m'envoyer des sms. Après 20h c'est trop tard
		je veux arrêter le sport
		Désabonnez-moi. Je veux garder les alertes
		j'ai envoyé stop 3 fois
		Arrête de m'écrire ptdr t'es fou
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
		№
		Removed a heart from “Bonjour, STOP au 36180”
		A souligné « Arrêtez »
		As long as I'm ill, stop texting me
		Once I've paid, stop texting me
		Note to self: stop texting
		Stop texting me. Unless you have news
		Ne m'envoyez plus de SMS. Sauf pour les livraisons.
		Stop the ads! The delivery ones are fine
		Let's stop here
		stop over at mine
		Stop! In the name of love
		arrête !! trop mignon 😍
		terminus, tout le monde descend
		Stop. Euh non pardon, continuez à m'écrire
		j'exerce mon droit d'opposition
		go away
		Oui (désolé du retard)
		I'll call you back. What's up?
		Merci pour votre message, je suis absente. Pour toute urgence, contact : 0102030405
		To « STOP 36180 » : stop
		Have you unsubscribed me?
		I don't want junk on my burger
		you said stop, so I stopped
		Alors arrête de stresser
		Mais arrête, c'est trop drôle
		Arrêtez le chantier sinon je porte plainte
		Stop the lift or else someone gets hurt
		Stop sending stuff to my old address, send it to the new one
		Effacez mes données de livraison et mettez la nouvelle adresse
		Oubliez ma dernière demande
		But stop at the bakery first
		Stop with your car at gate 2
		Le S.A.V. ne répond pas
		I will not be there if it rains
		Your message was sent from my old number, use this one
		Ça va pas être possible de venir avant 9h ?
		Is there a stop near you?
		And stop 12 is where?
		The bus stop is closed
		Which stop do I get off at?
		Je suis en arrêt de travail jusqu'à lundi
		J'ai arrêté de fumer
		Supprimez le rendez-vous de mardi
		Remove the second item from my order
		Si je réponds STOP, est-ce que je garde mes points ?
		If I reply STOP will I still get reminders?
		Que se passe-t-il si j'envoie STOP ?
		Faut-il répondre STOP ?
		Stop les pubs mais gardez les rappels
		Only send me appointment reminders, no ads
		STOP was a mistake, please resubscribe me
		Quand s'arrête la promo ?
		Does the offer end today?
		Merci de ne pas oublier mon colis
		Please remove me from the waiting list for Tuesday, I'll take Wednesday
		Ne me rappelez plus avant 18h
		Loved “Sale today! Txt STOP to end”
		Laughed at “Promo -20%. STOP au 36180”
		Emphasized “Your order is ready. Reply STOP to opt out”
		Disliked “Buy now! Reply STOP to end”
		Questioned “Will you come? Reply YES or NO”
		N’a pas aimé « Soldes ! STOP au 36111 »
		"Pour vous désabonner répondez STOP" ça veut dire quoi ?
		Oui bien sûr, continuez à me spammer 🙄
		Great, another text. Just what I needed
		Super encore une pub
		Oui c'est ça, et la marmotte...
		Je viendrai peut-être
		Yes but at 5pm instead
		Oui si c'est gratuit
		No. 5 rue Victor Hugo
		Is that a yes?
		Dois-je répondre oui ou non ?
		If yes, what time?
		oh non ! j'ai oublié
		For your info, I'm late
		En retard de 10 min
		Combien ça coûte ?
		Où êtes-vous ?
		12/05 à 14h
		nonstop@exemple.fr
		Je conduis, je vous réponds plus tard. (réponse automatique)
		I'm driving with Do Not Disturb While Driving on. I'll see your message when I get where I'm going.
		Message automatique : ce numéro n'est plus attribué
		Désolé, je ne peux pas parler pour l'instant.
		Stop or I call the police? No idea what you mean
		Did you get my STOP yesterday?
		Please stop sending the truck to gate 3, use gate 4
		Le camion est en stop au feu
		I used to say stop but now I love these
		Ma femme veut arrêter vos sms, pas moi
		Please stop sending me two copies, one is enough
		Arrêtez d'envoyer deux fois le même message
		Plus de promos svp, j’adore !
		Ok je passe à la boutique non stop demain
		J'espère que vous n'arrêterez jamais
		Rien à faire de vos promos, désabonnez-moi
		Stop stp c lourd
		vos sms me dérangent merci de les arrêter
		STOP - Marie Durand, 12 rue des Lilas
		No. Thanks anyway. Bob
		No, sorry, I'm working
	`,
});

/** Each reply with its meaning. */
export function repliesOf(lines: Record<Intent, string>) {
	return Object.entries(lines).flatMap(([intent, replies]) =>
		replies
			.split('\n')
			.map((line) => line.trim())
			.filter((line) => line !== '')
			.map((line) => [unescaped(line), intent as Intent] as const),
	);
}

/** Writes characters that nobody sees: `\\n`, `\\u200b`. */
function unescaped(line: string): string {
	return line
		.replaceAll('\\n', '\n')
		.replaceAll('\\r', '\r')
		.replaceAll(/\\u([\da-f]{4})/g, (_, code: string) =>
			String.fromCharCode(parseInt(code, 16)),
		);
}
