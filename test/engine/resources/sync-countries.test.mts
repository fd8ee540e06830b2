/** Sync with Allowed Countries: what it may not add is not gone from the input either. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { deduplicationStore, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { hurry, listOf } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });
beforeEach(() => deduplicationStore.clear());
const FRENCH = '+33639981234';
const BRITISH = '+447400123456';

const credential = (allowedCountries?: string[]) =>
	({ baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries }) as unknown as IDataObject;

describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'%s',
	(onError) => {
		test('sync removes nobody because of their country', async () => {
			const list = sim.service.createList('Clients');
			list.addContact(FRENCH);
			list.addContact(BRITISH);
			const { items, errorItems, error } = await runNode({
				node: 'SmsContact',
				credential: credential(['FR']),
				items: [{ to: FRENCH }, { to: BRITISH }],
				settings: { onError },
				parameters: {
					operation: 'sync',
					list: listOf(list.id, 'id'),
					number: '={{ $json.to }}',
					...{ removeMissing: true, maxRemovals: 100 },
				} as INodeParameters,
			});
			const told = JSON.stringify([items, errorItems, error?.message]);
			expect(told).toContain("'Allowed Countries'");
			expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		});
	},
);

test.each(['upsert', 'add', 'import'])(
	'%s: a retry with a shorter list adds nobody',
	async (operation) => {
		const list = sim.service.createList('Clients');
		if (operation === 'import') list.addContact(BRITISH);
		const contact: RunOptions = {
			node: 'SmsContact',
			credential: credential(),
			items: [{ to: BRITISH }],
			parameters: {
				operation,
				list: listOf(list.id, 'id'),
				number: '={{ $json.to }}',
				options: { resendUnknown: true },
			} as INodeParameters,
		};
		sim.faults.add({
			method: 'POST',
			times: Infinity,
			do: { kind: 'status', status: 500, body: 'x' },
		});
		const failed = await runNode(contact);
		expect(failed.error).toBeDefined();
		sim.faults.clear();
		const posts = sim.requestsTo('POST', /./).length;
		const retried = await retryExecution(failed, contact, { credential: credential(['FR']) });
		expect(retried.error).toBeDefined();
		expect(sim.requestsTo('POST', /./)).toHaveLength(posts);
	},
);
