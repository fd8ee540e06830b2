/**
 * Texts that users and AI builders read of each operation: its name in the dropdown, and its action in the node
 * panel. The lint of the docs holds the docs against the names; what each operation is by its value is in
 * operations.mts.
 */
import type { INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';

const operationsOf = (node: string) =>
	(descriptions[node].properties.find(({ name }) => name === 'operation')?.options ??
		[]) as INodePropertyOptions[];

describe.each(Object.keys(descriptions).filter((node) => node !== 'SmsTrigger'))('%s', (node) => {
	const names = operationsOf(node).map(({ name }) => name);

	test('names what each operation is about: its resource is hidden', () => {
		const objects = /\b(SMS|Campaigns?|Contacts?|Lists?|Blacklist(s|ed)?|Column|Statistics)\b/;
		for (const name of names.filter((one) => !/^Get (Category|Message) /.test(one)))
			expect(name).toMatch(objects);
	});

	test('has the name of each as its action, in sentence case, and where contacts are', () => {
		for (const { name, action = '' } of operationsOf(node)) {
			const sentence = name.replaceAll(/ [A-Z](?!MS|RL)/g, (letter) => letter.toLowerCase());
			const list = / (to|from|in|into|with) list$/.exec(action)?.[0];
			expect(action).toBe(`${sentence}${node === 'SmsContact' ? list : ''}`);
		}
	});

	test('lists them by the alphabet, sending an SMS first and what is legacy last', () => {
		const usual = names.filter((name) => !name.includes('SMS'));
		expect(usual).toEqual([...usual].sort((a, b) => a.localeCompare(b)));
		if (node === 'Sms') {
			expect(names[0]).toBe('Send SMS');
			expect(names.at(-1)).toContain('(Legacy)');
		}
	});
});

test('a new SMS node sends an SMS', () => {
	const operation = descriptions.Sms.properties.find(({ name }) => name === 'operation');
	expect(operation?.default).toBe('send');
});

test('the entry of the panel that SMS and its trigger have in common says what both do', () => {
	// n8n merges the two, under the name of the node and with the description of the trigger.
	const { description } = descriptions.SmsTrigger;
	expect(description).toMatch(/^Send SMS\b/);
	expect(description).toMatch(/\breplies\b/);
});
