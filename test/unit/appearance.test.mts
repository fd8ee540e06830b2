/** How the nodes are found and told apart: aliases, icons, subtitles. */
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { SmsServiceApi } from '../../credentials/SmsServiceApi.credentials.ts';
import { descriptions as byNode } from '../descriptions.mts';
import { root } from '../harness/package.mts';

const descriptions = Object.entries(byNode);

/** n8n's list; another spelling is another category. */
const CATEGORIES = [
	'Data & Storage',
	'Finance & Accounting',
	'Marketing & Content',
	'Productivity',
	'Miscellaneous',
	'Sales',
	'Development',
	'Analytics',
	'Communication',
	'Utility',
];

/** n8n's panel *Human review* lists nodes by these, as Slack and Gmail have them. */
const HUMAN_REVIEW = { HITL: ['Human in the Loop'] };

/** n8n appends a query to a link: after an anchor, it would be a part of that. */
function requirePage(url: string): void {
	const [, page] =
		/^https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/main\/([\w/-]+\.md)$/.exec(url) ?? [];
	expect(page, url).toBeDefined();
	expect(existsSync(join(root, page)), url).toBe(true);
}

const codexOf = async (name: string) =>
	JSON.parse(await readFile(join(root, 'nodes', name, `${name}.node.json`), 'utf8'));

describe.each(descriptions)('the codex of %s', (name, { name: type, displayName }) => {
	test('is one that n8n takes', async () => {
		const codex = await codexOf(name);
		expect(codex).toMatchObject({ nodeVersion: '1.0', codexVersion: '1.0' });
		expect(codex.node).toBe(`n8n-nodes-sms-service.${type}`);
		const isReview = name === 'Sms';
		const categories = isReview ? [...CATEGORIES, 'HITL'] : CATEGORIES;
		expect(categories).toEqual(expect.arrayContaining(codex.categories));
		expect(codex.subcategories).toEqual(isReview ? HUMAN_REVIEW : undefined);
		for (const links of ['primaryDocumentation', 'credentialDocumentation']) {
			requirePage(codex.resources[links][0].url);
		}
	});

	test('has aliases that say something that the name does not', async () => {
		const { alias } = await codexOf(name);
		expect(new Set(alias).size).toBe(alias.length);
		expect(alias).not.toContain(displayName);
	});
});

test('the credential links to a page', () => requirePage(new SmsServiceApi().documentationUrl));

describe('icons', () => {
	const pairs = [
		...descriptions.map(([name, { icon }]) => [name, join(root, 'nodes', name), icon] as const),
		['SmsServiceApi', join(root, 'credentials'), new SmsServiceApi().icon] as const,
	];

	/** The two pictures of a node or a credential, by their paths. */
	async function pictures(folder: string, icon: INodeTypeDescription['icon']) {
		const { light, dark } = icon as { light: string; dark: string };
		const files = [light, dark].map((file) => join(folder, file.replace(/^file:/, '')));
		return { files, svgs: await Promise.all(files.map((file) => readFile(file, 'utf8'))) };
	}

	const shapes = (svg: string) => [...svg.matchAll(/ d="([^"]+)"/g)].map(([, path]) => path);

	test.each(pairs)(
		'of %s: its own, light and dark, of the same shape',
		async (name, folder, icon) => {
			const { files, svgs } = await pictures(folder, icon);
			const own = name[0].toLowerCase() + name.slice(1);
			expect(files.map((file) => basename(file))).toEqual([`${own}.svg`, `${own}.dark.svg`]);
			expect(dirname(files[0])).toBe(join(root, 'nodes/shared/icons'));
			const [light, dark] = svgs;
			expect(light).not.toBe(dark);
			expect(light.replaceAll(/fill="[^"]+"/g, '')).toBe(
				dark.replaceAll(/fill="[^"]+"/g, ''),
			);
			for (const svg of svgs) {
				expect(svg).toContain('viewBox="0 0 40 40"');
				expect(svg).not.toMatch(/<image|<script|<style|href|url\(/);
			}
		},
	);

	test('have one bubble in common, and badges that differ in shape and colour', async () => {
		const all = await Promise.all(
			pairs.map(async ([, folder, icon]) => (await pictures(folder, icon)).svgs),
		);
		for (const theme of [0, 1]) {
			const svgs = all.map((pair) => pair[theme]);
			expect(new Set(svgs.map((svg) => shapes(svg)[0])).size).toBe(1);
			const badges = svgs.map((svg) => svg.slice(svg.indexOf('<g', svg.indexOf('r="11.5"'))));
			expect(new Set(badges).size).toBe(pairs.length);
			const colours = svgs.map((svg) => /r="11.5" fill="([^"]+)"/.exec(svg)?.[1]);
			expect(new Set(colours).size).toBe(pairs.length);
			expect(colours).not.toContain(undefined);
		}
	});
});

describe('the subtitle on the canvas', () => {
	const operationOf = ({ properties }: INodeTypeDescription) =>
		properties.find(({ name }) => name === 'operation') as INodeProperties;
	const withOperations = descriptions.filter(([, { polling }]) => !polling);

	// The editor shows the name of the option where a description has no subtitle.
	test.each(withOperations)('of %s is the name of the operation', (_, description) => {
		expect(description.subtitle).toBeUndefined();
		const options = operationOf(description).options as Array<{ name: string; value: string }>;
		for (const { name, value } of options) {
			expect(name).toMatch(/^[A-Z][A-Za-z]*( [A-Za-z()]+)*$/);
			expect(name).not.toBe(value);
		}
	});

	test('of SMS Trigger names its events', () => {
		const { subtitle, properties } = byNode.SmsTrigger;
		const [, expression] = /^=\{\{ (.*) \}\}$/s.exec(subtitle!)!;
		const evaluate = ($parameter: object) =>
			runInNewContext(expression, { $parameter }) as unknown;
		expect(evaluate({ events: ['reply', 'unsubscribed'] })).toBe(
			'Reply Received, Number Unsubscribed',
		);
		const events = properties[0].options as Array<{ name: string; value: string }>;
		for (const { name, value } of events) expect(evaluate({ events: [value] })).toBe(name);
	});
});
