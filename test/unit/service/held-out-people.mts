/**
 * Replies that were written down before `phrases.ts` was, from what people answer to appointments, deliveries, offers
 * and wrong numbers. They hold the grammar to what it was not written for: whoever changes it adds no phrase for them.
 */
import { repliesOf } from './people.mts';

export const HELD_OUT = repliesOf({
	stop: String.raw`
		ST0P
		Stpo
		sotp
		Stop.
		STOP!!!
		stop ✋
		🛑 STOP
		"STOP"
		« STOP »
		*STOP*
		#stop
		s-t-o-p
		STOP-SMS
		Stop SMS svp
		stop par sms
		STOP 36 180
		STOP au 36105 merci
		36 105 STOP
		STOP2STOP
		Stop 2 end
		STOP to unsubscribe
		Stop merci d'avance
		Stop et bonne journée
		Bonjour STOP
		STOP STOP STOP
		stop stop stop please
		Stop à vos sms
		stop à tous vos messages
		STOP à la publicité par sms
		Arrêt pub
		arrêtez tous vos sms
		Arrêtez vos publicités
		Merci d'arrêter
		Merci d'arrêter ces envois
		Merci d'arrêter l'envoi de sms
		Arrêtez l'envoi de messages
		Pourriez-vous arrêter ces messages svp
		Vous pouvez stopper les sms ?
		Peux-tu arrêter de m'écrire ?
		Pourriez-vous arrêter svp ?
		Can you please stop?
		Il faudrait arrêter de m'envoyer des messages
		Je veux que vous arrêtiez
		Je ne veux plus de messages
		Je ne veux plus de vos pubs
		je souhaite ne plus recevoir vos sms
		Je ne souhaite plus être contacté
		J'aimerais ne plus recevoir vos messages
		Je ne désire plus être sollicitée
		Nous ne souhaitons plus recevoir vos offres
		Nous ne voulons plus de vos sms
		Plus de sms merci
		Ne me recontactez plus
		N'envoyez plus rien
		Cessez de m'importuner
		Cessez de m'envoyer vos pubs
		Merci de ne plus m'écrire à ce numéro
		Veuillez me retirer de vos listes
		Veuillez me désinscrire
		Retirez moi
		Me retirer de la liste svp
		Merci de m'enlever de votre liste
		Merci de retirer mon numéro
		Merci de supprimer mon numéro de vos fichiers
		Supprimez toutes mes données
		effacez mon contact de votre base
		Je souhaite être supprimé de votre base
		Désinscription svp
		Désabonnement immédiat
		Je me désinscris
		Bloctel, stop
		Je suis inscrit sur Bloctel, arrêtez
		Mauvais destinataire, stop
		Ce n'est plus le bon numéro, merci de me retirer
		Vous avez le mauvais numéro, merci d'arrêter
		Numéro erroné. Merci de supprimer
		Je ne suis pas la bonne personne, arrêtez svp
		Stop j'ai dit
		Arrêtez, c'est du harcèlement
		stop les sms
		Stop maintenant
		stop now
		Please stop!!
		stop texting
		stop sending texts
		Stop sending SMS
		Stop sending me your offers
		Stop all texts to this number
		Please stop sending me these kinds of texts
		stop sending this kind of message
		stop these sorts of texts please
		do not send me any more messages
		Don't send me this kind of text anymore
		Don't text this number
		Quit texting me
		I don't want these texts
		I don't want this type of message
		I do not wish to receive these anymore
		We no longer want your texts
		We don't want any more texts
		I'd like to stop receiving these messages
		Remove
		Please remove this number
		Remove my number from your list
		Please delete my details
		unsubscribe from all texts
		opt-out
		Please opt me out of all messages
		wrong person, stop texting
		Wrong number, please stop
		Wrong number. Please remove me
		Wrong number, delete please
		You've got the wrong number, stop messaging
		Enough! Stop!
		Not interested, stop
		No thanks, stop texting me
		Non merci, stop
		Non merci, ne m'écrivez plus
		Pas intéressé, retirez-moi de la liste
		Stop, pas intéressé
		ok stop
	`,
	help: String.raw`
		Help!
		Aide svp
		Info svp
		I need some help
		can you help?
		Pouvez-vous m'aider svp
		besoin d'infos
		J'ai besoin d'informations
		infos svp merci
	`,
	yes: String.raw`
		OUI !
		oui oui
		Ouiii
		Oui merci
		Oui c'est parfait
		C'est noté merci
		Ok parfait
		Ok très bien
		OK ça marche
		Oui super merci
		ok top
		Ok nickel
		Je confirme mon rendez-vous
		Rdv confirmé merci
		Rendez-vous confirmé
		Mon rdv est confirmé
		Présence confirmée
		Je confirme ma venue
		Je confirme pour demain
		Nous confirmons
		Nous confirmons notre présence
		Oui pour mardi
		Oui je serai présent demain
		Je serai là demain
		nous serons là
		Nous viendrons
		Yes please
		yes I'll be there
		Yes we will come
		We'll be there
		I can make it
		Confirm
		I confirm my appointment
		Appointment confirmed
		We confirm
		OK thanks
		Ok great thanks
		ok perfect
		yes that's fine
		Works for me
		👍🏽
		✅
		oui 👍
		D'accord merci beaucoup
	`,
	no: String.raw`
		NON !!
		non non
		Non désolé
		Nous ne viendrons pas
		Nous ne pouvons pas venir
		On ne viendra pas
		On pourra pas venir
		Je ne peux pas venir demain
		je viens pas demain
		Je ne pourrai pas être présent
		Je ne peux pas être là
		Nous ne serons pas là
		Je n'y serai pas
		Je dois annuler le rdv
		j'annule mon rdv
		Nous devons annuler
		Je suis obligée d'annuler
		I need to cancel
		I must cancel my appointment
		We have to cancel
		We can't come
		we won't be there
		We can't make it
		I won't be able to come
		I won't be able to make it
		I am unable to attend
		I can't attend
		No I can't
		Sorry no
		No thank you
		No, I'm not coming
		Unfortunately I can't make it
		Malheureusement je ne pourrai pas venir
		Désolée je ne peux pas
		Ce n'est pas possible pour moi
		Je ne viens plus
		Nous ne venons plus
		Je n'accepte pas
		Non ça ne va pas
		Pas intéressé merci
		👎
	`,
	other: String.raw`
		Je suis à l'arrêt de bus
		Quel arrêt pour la gare ?
		Prochain arrêt Bellecour
		Arrêt Jean Jaurès
		le stop au bout de la rue
		Stop 14 please
		STOP 12
		the bus doesn't stop here anymore
		I'll stop by at 5
		Can I stop by tomorrow?
		Can you stop by the office?
		Can you stop the bus?
		Please stop at the reception
		Please stop by after 3
		Stop for coffee?
		Stop the delivery
		Stop the order please
		Please stop my subscription
		Stopper la commande 1234
		Arrêtez la livraison svp
		Vous pouvez arrêter la livraison ?
		Vous pouvez arrêter la machine ? Elle fuit
		Stop, I want to change my order
		Il pleut non stop ici
		Le chien n'arrête pas d'aboyer
		Mon arrêt maladie finit lundi
		arrêt maladie
		J'ai un stop pub sur ma boîte aux lettres
		stop and go
		j'arrive en stop
		I can't stop laughing
		stop worrying
		arrête tes bêtises
		Arrête de rire
		Arrêtez les travaux
		Arrête toi à la boulangerie
		Stop ! J'arrive
		Stop wait for me
		quit smoking
		the end
		cancel that
		Annulez ma commande
		remove onions please
		delete my order
		Supprimez ma commande
		Supprimez mon contact d'urgence
		Retirez l'article 2
		Merci de me retirer un article
		Merci de me retirer 10 euros
		Merci de me retirer le supplément
		Enlevez les oignons svp
		merci de supprimer
		delete
		Wrong order, remove the second pizza
		take me off speaker
		Ne venez plus
		Ne livrez pas demain
		Ne m'appelez pas avant 10h
		Don't call before 9
		Don't text while driving
		Don't send the parcel to my office
		Do not send me this type of wine again
		N'envoyez pas le colis
		N'envoyez plus la facture par courrier
		Je ne veux plus de cette commande
		Je ne veux plus de ce genre de pizza
		Je ne veux plus le produit
		I don't want this type of shirt
		I no longer need it
		Je ne reçois plus vos sms
		I no longer receive your texts
		You stopped texting me
		Why did you stop sending me reminders?
		Pourquoi vous ne m'envoyez plus de sms ?
		Vous ne m'envoyez plus rien
		Comment arrêter ces sms ?
		Did I opt out?
		Stop ?
		Envoyez moi un rappel la veille
		Quel est le prix ?
		Vous êtes ouverts dimanche ?
		Can I reschedule?
		Peut-on déplacer à jeudi ?
		Qui êtes vous ?
		Merci
		Thanks
		Merci pour l'info
		thanks for the help
		J'arrive dans 5 min
		On my way
		Lundi 9h
		I'd prefer Tuesday
		peut-être
		Je ne sais pas encore
		Je vous confirme demain
		I'll confirm tomorrow
		Appelez-moi
		RDV confirmé ?
		confirmer quoi ?
		Rdv pas confirmé
		rdv confirmé mais pas l'heure
		Super
		super pas content
		Je dois annuler ?
		Do I have to cancel?
		I have to cancel the blue shirt from my order
		Je dois annuler ma carte
		I have to cancel my subscription
		Je ne pourrai pas être là avant 10h
		Nous ne pourrons pas venir avant 18h
		I can't come before 5
		Je ne viens plus à 14h mais 15h
		Nous ne pourrons pas payer
		No parking available
		Non loin de chez vous
		No idea
		Je ne peux pas ouvrir le lien
		I can't find my code
		2 pizzas margherita svp
		La taille 42
		12 rue de la Paix
		36180
		Colis bien reçu
		Wrong number on my invoice
		Wrong number
		Mauvais numéro de rue, c'est le 12
		Bloctel
		Stop it, I like it
		STOP! Hammer time
		stop mdr
		Remove me from this planet
		désabonnez moi de la vie
		Ma mère ne veut plus de vos sms
		He told me to stop
		Le médecin m'a dit d'arrêter
		On m'a dit de répondre STOP
		Reply STOP to opt out
		Stop sauf urgence
		Stop texting me after 10pm
		Arrêtez de m'envoyer des sms la nuit
		Stop sms le dimanche
		Stop that train
		Stop2go
		the 2nd stop
	`,
});
