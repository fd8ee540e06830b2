/**
 * What users and AI builders read of each operation: its name in the dropdown, and its action in the node
 * panel. That docs/service.md has the names is in docs-names.test.mts, what each operation is by its value in
 * operations.mts.
 */
import type { INodePropertyOptions } from 'n8n-workflow';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { root } from '../harness/package.mts';

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

/** What fields, options and operations were called before; a reader looks for them in vain. */
const FORMER =
	/Look Up Unknown|Resend if Unknown|Emit Existing|Runs From the Editor|Send Batch|Empty List|Replaced in \d/;

test.each(['nodes', 'credentials', 'docs', 'workflows', 'README.md', 'CONTRIBUTING.md'])(
	'%s calls nothing by a former name',
	async (place) => {
		const files = place.includes('.')
			? [place]
			: (await readdir(join(root, place), { recursive: true })).map((file) =>
					join(place, file),
				);
		const found = [];
		for (const file of files.filter((name) => /\.(ts|json|md|svg)$/.test(name))) {
			const text = await readFile(join(root, file), 'utf8');
			const [name] = FORMER.exec(text) ?? [];
			if (name !== undefined) found.push(`${file}: ${name}`);
		}
		expect(found).toEqual([]);
	},
);

/** n8n 2 publishes workflows; nodes are still deactivated. */
test.each(['nodes', 'credentials', 'docs', 'workflows', 'README.md', 'CHANGELOG.md'])(
	'%s publishes workflows, as n8n says',
	async (place) => {
		const files = place.includes('.')
			? [place]
			: (await readdir(join(root, place), { recursive: true })).map((file) =>
					join(place, file),
				);
		const found = [];
		for (const file of files.filter((name) => /\.(ts|json|md|svg)$/.test(name))) {
			const text = (await readFile(join(root, file), 'utf8'))
				.replace('(n8n 1.x calls it Activate)', '')
				.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*|activation(Message|Hint):|'activate'/gms, '');
			const [name] = /\bactivat\w*|\bactive workflow/i.exec(text) ?? [];
			if (name !== undefined) found.push(`${file}: ${name}`);
		}
		expect(found).toEqual([]);
	},
);

/** n8n 2 saves by itself, n8n 1 has a button: texts say what is right in both. */
test.each(['nodes', 'workflows', 'README.md'])('%s asks nobody to save', async (place) => {
	const files = place.includes('.')
		? [place]
		: (await readdir(join(root, place), { recursive: true })).map((file) => join(place, file));
	const found = [];
	for (const file of files.filter((name) => /\.(ts|json|md)$/.test(name))) {
		const text = await readFile(join(root, file), 'utf8');
		const [asked] = /\bsave (it|the workflow)\b|\band save\b/i.exec(text) ?? [];
		if (asked !== undefined) found.push(`${file}: ${asked}`);
	}
	expect(found).toEqual([]);
});
