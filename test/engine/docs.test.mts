/** The JSON of the docs is what the nodes answer. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { useSimulator } from '../harness/fixtures.mts';
import { runNode } from './harness.mts';

const sim = await useSimulator();

const root = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const blocksOf = (page: string) =>
	[...read(page).matchAll(/^```json\n(.*?)^```$/gms)].map(
		([, json]) => JSON.parse(json) as IDataObject,
	);

const NUMBER = '+33639981234';

/** The items of a batch; a page shows the result of the last one. */
const BATCH: IDataObject[] = [{ to: NUMBER }, { to: '12345' }];

/** Runs of which the blocks of a page are the results, in order. */
const RESULTS: Record<string, INodeParameters[]> = {
	'docs/sms.md': [
		{ operation: 'send', number: NUMBER, message: 'Bonjour' },
		{ operation: 'sendBatch', number: '={{ $json.to }}', message: 'Bonjour' },
	],
};

const pages = [
	'README.md',
	...readdirSync(join(root, 'docs'))
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`),
];

test.each(pages)('%s', async (page) => {
	const blocks = blocksOf(page);
	const results = RESULTS[page] ?? [];
	expect(blocks).toHaveLength(results.length);
	for (const [index, parameters] of results.entries()) {
		sim.reset();
		const { items } = await runNode({
			node: 'Sms',
			parameters,
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			...(parameters.operation === 'sendBatch' ? { items: BATCH } : {}),
		});
		expect(items.at(-1)?.json).toEqual(blocks[index]);
	}
});

test('docs/errors.md: the condition tells who has no message since a run began', async () => {
	const [, condition] = /`\{\{ (\$json\.status === .*?) \}\}`/.exec(read('docs/errors.md'))!;
	const since = Date.parse(`${/'(\d{4}-[^']*)'/.exec(condition)![1]}Z`);
	const [never, before, after, unasked] = ['1', '2', '3', '4'].map((end) => `+3363998123${end}`);
	sim.reset();
	const accept = (number: string, at: number) => {
		sim.clock.advance(at - sim.clock.now());
		sim.service.accept({ kind: 'notification', number, text: 'Hello' });
	};
	accept(before, since - 60_000);
	// The texts of moments are compared: this one differs in its milliseconds only.
	accept(after, since + 1);
	sim.clock.advance(60_000);
	sim.faults.add({
		...{ path: /status$/, times: Infinity, do: { kind: 'status', status: 400 } },
		match: ({ query }) => `${query.get('identifier')}`.endsWith(unasked.slice(3)),
	});
	const { items } = await runNode({
		node: 'SmsStats',
		parameters: { operation: 'messageStatus', lookupBy: 'number', number: '={{ $json.to }}' },
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		items: [never, before, after, unasked].map((to) => ({ to })),
	});
	const isOpen = ($json: IDataObject) => runInNewContext(condition, { $json }) as boolean;
	expect(items.map(({ json }) => isOpen(json))).toEqual([true, true, false, false]);
	expect(items[3].json.status).toBe('failed');
});
