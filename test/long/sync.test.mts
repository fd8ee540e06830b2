/**
 * A list of 250,000 contacts is synced with as many input items, without stopping n8n:
 * its other work gets its turn all the while.
 */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { listOf } from '../operations.mts';
import { bulkNumber } from '../simulator/service.mts';
import { runNode } from '../engine/harness.mts';
import { measure } from '../harness/measure.mts';
import { useLargeList } from './large.mts';

const COUNT = 250_000;
/** Of these, a third each are added, replaced and removed. */
const CHANGES = 1_000;
/** Of this, the input items and what n8n keeps of them are about 0.4 GB. */
const MOST_MEMORY = 1.5 * 1_073_741_824;

const used = useLargeList(COUNT);
/** Who is first in the list. */
const FIRST = Math.floor((COUNT * 4) / 5);

test('1,000 changes, and then none', async () => {
	const { baseUrl, apiKey, listId } = used.large;
	const third = Math.floor(CHANGES / 3);
	// The first ones are gone, as many others are new.
	const items = Array.from({ length: COUNT }, (_, at) => {
		const index = at + third;
		return {
			to: bulkNumber(index + FIRST),
			nom: `Dupont-Lef\u00e8vre ${index}`,
			ville: index % 700 === 1 ? 'Lyon' : 'Saint-\u00c9tienne',
			points: index,
		};
	});
	const replaced = items.filter(({ ville }, at) => ville === 'Lyon' && at < COUNT - third).length;
	const options = {
		node: 'SmsContact',
		parameters: {
			operation: 'sync',
			list: listOf(listId),
			number: '={{ $json.to }}',
			attributes: {
				mappingMode: 'defineBelow',
				value: {
					nom_de_famille: '={{ $json.nom }}',
					ville: '={{ $json.ville }}',
					points: '={{ $json.points }}',
				},
				schema: [],
			},
			removeMissing: true,
		} as unknown as INodeParameters,
		items,
		credential: { baseUrl, apiKey },
	};
	// A function, so that nothing keeps the results of a run while the next one is measured.
	const sync = async (expected: string) => {
		const { result, memory, told } = await measure(async () => await runNode(options));
		console.log(`${expected} ${told}`);
		expect(result.error).toBeUndefined();
		expect(JSON.stringify(result.hints)).toContain(expected);
		expect(memory).toBeLessThan(MOST_MEMORY);
	};
	await sync(
		`${third} added, ${replaced} updated, ${third} removed, ${COUNT - third - replaced} unchanged.`,
	);
	await sync(`${COUNT} unchanged.`);
	// A hang: beside others, it takes several times as long as alone.
}, 1_800_000);
