/** Two rules meet: corrections, retries and checks, each of which broke a promise of the design once. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';
import { KEY } from './answers.mts';
import { CONTINUE, of, people, sms, tries } from './sending.mts';
import { SEND, sim, spoil } from './service.mts';
import { statuses } from './support.mts';

/** The service has carried it out, and nobody hears of it. */
const LOST: FaultAction = { kind: 'resetAfterAccept' };
/** The service never saw it, and nobody hears of that. */
const SWALLOWED: FaultAction = { kind: 'resetBeforeRead' };
const REFUSED: FaultAction = { kind: 'json', status: 400, body: { code: 11, error: 'no' } };
const [ADA, BOB] = people(2).map(({ to }) => String(to));

describe('a contact', () => {
	function contactRun(operation: string, count: number, parameters: IDataObject = {}) {
		const { id } = sim.service.createList('Clients', [{ name: 'Prénom' }]);
		const attributes = { mappingMode: 'defineBelow', value: { Prénom: 'Ada' }, schema: [] };
		const rest = { list: listOf(id), number: '={{ $json.to }}', attributes, ...parameters };
		return of('SmsContact', { operation, ...rest }, people(count));
	}
	const list = () => [...sim.service.lists.values()][0];
	const contacts = () => list().contacts.items();
	const refuseReading = () =>
		void sim.faults.add({ method: 'GET', times: Infinity, do: REFUSED });

	test.each<[operation: string, given: () => void, lost: FaultAction, left: number]>([
		['add', () => {}, LOST, 1],
		['upsert', () => void list().addContact(ADA, { prenom: 'Augusta' }), SWALLOWED, 0],
		['import', () => {}, LOST, 2],
	])('%s: lost is not refused', async (operation, given, lost, left) => {
		const more = operation === 'add' ? { options: { resendUnknown: true } } : {};
		const options = contactRun(operation, operation === 'import' ? 2 : 1);
		given();
		sim.faults.add({ method: 'POST', path: /\/(contacts|import)$/, do: lost });
		const [, retried] = await tries(options, () => {
			expect(contacts()).toHaveLength(left);
			refuseReading();
			const parameters = { ...options.parameters, ...more };
			return operation === 'import' ? { settings: CONTINUE } : { parameters };
		});
		if (operation === 'import')
			return expect(statuses(retried)).toEqual(['unknown', 'unknown']);
		expect(retried.error?.message).toMatch(/^It is unknown/);
		expect(retried.error?.description).not.toContain('Nothing has been');
	});

	test('that was added stays when the retry is told to replace', async () => {
		const options = contactRun('add', 2);
		sim.faults.add({ method: 'POST', path: /\/contacts$/, skip: 1, do: REFUSED });
		const parameters = { ...options.parameters, operation: 'upsert' };
		const [failed, retried] = await tries(options, { parameters });
		expect(failed.error).toBeDefined();
		expect(retried.error).toBeUndefined();
		expect(contacts().map(({ identifier }) => identifier)).toEqual([ADA, BOB]);
	});
});

test('a column is not called deleted while it is there', async () => {
	const list = sim.service.createList('Clients', [{ name: 'Nom de famille' }]);
	const column = { list: listOf(list.id), column: 'nom de FAMILLE' };
	sim.faults.add({ method: 'DELETE', times: Infinity, do: SWALLOWED });
	const [failed, retried] = await tries(
		of('SmsList', { operation: 'deleteColumn', ...column }),
		() => sim.faults.clear(),
	);
	expect(failed.error).toBeDefined();
	expect(retried.error).toBeUndefined();
	expect(retried.items[0].json).toMatchObject({ deleted: true });
	expect(list.fields).toEqual([]);
});

test('a scheduled message stays scheduled where a later try can do nothing', async () => {
	const date = new Date(Date.now() + 3_600_000).toISOString();
	spoil(BOB, REFUSED);
	const [, retried] = await tries(sms('send', people(2), { date }), {
		credential: { baseUrl: 'nonsense', apiKey: KEY },
		settings: CONTINUE,
	});
	expect(retried.items[0].json).toMatchObject({ status: 'scheduled', number: ADA });
});

test('a batch carries on behind items whose time has passed while they waited', async () => {
	const moveOn = setClock('2030-01-15T09:00:00Z');
	const soon = Date.now() + 60_000;
	const items = people(9).map((one, index) => ({
		...one,
		at: new Date(index < 2 || index > 6 ? soon + 3_600_000 : soon).toISOString(),
	}));
	// The first message takes three minutes: a date up to a minute ago is now.
	let isFirst = true;
	const match = () => {
		if (isFirst) moveOn(180_000);
		return (isFirst = false);
	};
	sim.faults.add({ path: SEND, match, do: SWALLOWED });
	const result = await runNode(sms('sendBatch', items, { date: '={{ $json.at }}' }));
	const late = Array<string>(5).fill('notSent');
	const later = ['scheduled', 'scheduled'];
	expect(statuses(result)).toEqual([...later, ...late, ...later]);
});

test.each(['send', 'sendBatch'])('%s: another date is no duplicate', async (operation) => {
	const dates = ['2031-05-05T10:00:00', '2031-05-06T10:00:00', '2031-05-06T10:00:00'];
	const items = dates.map((date) => ({ ...people(1)[0], date }));
	const settings = { skipDuplicates: true, date: '={{ $json.date }}' };
	const result = await runNode(sms(operation, items, settings));
	expect(statuses(result)).toEqual(['scheduled', 'scheduled', 'skipped']);
	expect(sim.messages).toHaveLength(2);
});
