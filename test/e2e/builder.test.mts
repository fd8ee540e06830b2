/** The search of n8n's AI builder, among all nodes that n8n brings, leads to the right operation. */
import type { INodeTypeDescription } from 'n8n-workflow';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { root } from '../harness/package.mts';
import { packageName } from './support.mts';

const n8n = realpathSync(join(root, 'test/harness/n8n/node_modules/n8n'));
const require = createRequire(join(n8n, 'package.json'));
const { NodeTypeParser, searchCodeBuilderNodes } = require('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (types: INodeTypeDescription[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
};

const readTypes = (file: string): INodeTypeDescription[] => JSON.parse(readFileSync(file, 'utf8'));
const aliasesOf = (node: string) =>
	JSON.parse(readFileSync(join(root, 'nodes', node, `${node}.node.json`), 'utf8'));
const parser = new NodeTypeParser([
	...readTypes(require.resolve('n8n-nodes-base/dist/types/nodes.json')),
	...readTypes(join(n8n, '../@n8n/n8n-nodes-langchain/dist/types/nodes.json')),
	...Object.entries(descriptions).map(([node, description]) => ({
		...description,
		name: `${packageName}.${description.name}`,
		codex: aliasesOf(node),
	})),
]);

/** The lines that the builder reads of each operation, and of the trigger, in the answer to a search. */
const handed = new Map<string, string>();
for (const { name } of Object.values(descriptions)) {
	// The builder searches for the name of a node, after "sms" has shown which there are.
	const { results } = searchCodeBuilderNodes(parser, [name]);
	const block = results
		.split(/\n\n(?=- )|:\n\n(?=- )/)
		.find((one) => new RegExp(`^- ${packageName}\\.${name}( |\\n)`).test(one));
	const [head, operations] = (block ?? '').split(/^    operation:\n/m);
	if (operations === undefined) {
		handed.set(name, head);
		continue;
	}
	for (const [, value, text] of operations.matchAll(/^ {6}- (\w+)\n((?: {8}.*\n?)*)/gm))
		handed.set(`${name} ${value}`, `${name} ${value} ${text}`);
}

/** Words without their endings; those that say nothing are left out. */
const wordsOf = (text: string): Set<string> =>
	new Set(
		(text.toLowerCase().match(/[a-z]{2,}/g) ?? [])
			.filter((word) => !IDLE.has(word))
			.map((word) => word.replace(/(ing|ed|es|s|e)$/, '')),
	);
const IDLE = new Set(
	'the an and or of to in on it its is are was were be by for with from this that who what has have my me our use when if at as not no don doesn'.split(
		' ',
	),
);

const words = new Map([...handed].map(([operation, text]) => [operation, wordsOf(text)]));

/** The operation whose lines have most of a sentence; a rare word tells more than a common one. */
function found(sentence: string): string {
	const worth = (word: string) =>
		Math.log(
			words.size / ([...words.values()].filter((all) => all.has(word)).length || words.size),
		);
	const score = (all: Set<string>) =>
		[...wordsOf(sentence)].reduce((sum, word) => sum + (all.has(word) ? worth(word) : 0), 0);
	const [[best]] = [...words].sort(([, a], [, b]) => score(b) - score(a));
	return best;
}

test('a search for SMS hands over the nodes of the package', () => {
	for (const query of ['sms', 'send sms']) {
		const { results } = searchCodeBuilderNodes(parser, [query]);
		expect(results, query).toContain(`- ${packageName}.sms\n`);
		expect(results).toContain('@builderHint');
		expect(results).toContain(`${packageName}.smsTrigger`);
	}
});

test('each operation is handed over with its description and its hint', () => {
	expect(handed.size).toBe(
		1 +
			Object.values(descriptions)
				.flatMap(({ properties }) => properties.filter(({ name }) => name === 'operation'))
				.reduce((sum, { options = [] }) => sum + options.length, 0),
	);
});

test.each([
	['Text everyone in this sheet', 'sms sendBatch'],
	['Send an order confirmation to one recipient', 'sms send'],
	['Ask my manager for approval by text and wait for the answer', 'sms sendAndWait'],
	['How many segments does this text take?', 'sms preview'],
	['Stop texting people who replied STOP', 'smsBlacklist check'],
	['Never text a person again who asks for it by email', 'smsBlacklist add'],
	['Let somebody who opted out get messages again', 'smsBlacklist remove'],
	['Start a workflow when someone replies to a text', 'smsTrigger'],
	['Alert me when credits run low', 'smsTrigger'],
	['Write one message for all contacts of a list', 'smsCampaign create'],
	['Send the campaign to the whole list after an approval', 'smsCampaign send'],
	['Let me see the campaign on my own phone first', 'smsCampaign sendTest'],
	['Estimate what the campaign will cost', 'smsCampaign preview'],
	['Keep the list equal to our CRM', 'smsContact sync'],
	['Put everyone who signed up in the form on the list', 'smsContact add'],
	['Change the first name of a contact', 'smsContact upsert'],
	['Erase a person from a list because of GDPR', 'smsContact delete'],
	['Make a new list with a birthday column', 'smsList create'],
	['Remove all contacts of the list for a fresh start', 'smsList empty'],
	['Did the message arrive?', 'smsStats messageStatus'],
	['How many credits are left?', 'smsStats account'],
	['Read what people answered to the reminder', 'smsStats replies'],
])('"%s" leads to %s', (sentence, operation) => {
	expect(found(sentence)).toBe(operation);
});
