/**
 * Started by a test: the simulator with a large list and large blacklists, in a process of its own, so that
 * what it does is not measured. Tells its parent where it is, and ends with it.
 *
 *   large-list.mts <count>
 */
import { startSimulator } from '../simulator/index.mts';
import { bulkNumber } from '../simulator/service.mts';

const count = Number(process.argv[2]);
const { service, baseUrl, apiKey } = await startSimulator();
// Columns that the message uses, and as many that it doesn't.
const columns = ['Prenom', 'Nom de famille', 'Ville', 'Points', 'Rue', 'Pays', 'Courriel', 'Note'];
const { id: listId } = service.createList(
	'Clients',
	columns.map((name) => ({ name })),
);
// The last fifth of the blacklists is the first fifth of the list.
const listed = Math.floor((count * 4) / 5);
service.addContacts(listId, count, (index) => ({
	identifier: bulkNumber(index + listed),
	attributes: {
		...(index % 10 === 0 ? {} : { prenom: index % 7 === 0 ? 'Zoë' : `Marie ${index}` }),
		nom_de_famille: `Dupont-Lefèvre ${index}`,
		ville: 'Saint-Étienne',
		points: String(index),
		rue: `${index} avenue du Général-de-Gaulle`,
		pays: 'France',
		courriel: `marie.dupont-lefevre.${index}@example.com`,
		note: 'Préfère être appelée le matin',
	},
}));
service.addBlacklisted('unsubscribers', count);
service.addBlacklisted('bounces', count);
process.send?.({ baseUrl, apiKey, listId });
process.once('disconnect', () => process.exit());
