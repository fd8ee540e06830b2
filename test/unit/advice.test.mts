/** Expressions that texts of the nodes and the docs advise: each can be evaluated, whatever stands in the field. */
import type { IDataObject } from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { orDefault } from '../../nodes/shared/service/choices.ts';
import { evaluatorOf, workflowOf } from '../harness/expressions.mts';

const root = resolve(import.meta.dirname, '../..');
const filesIn = (folder: string, end: string) =>
	readdirSync(join(root, folder), { recursive: true })
		.map((file) => join(root, folder, String(file)))
		.filter((file) => file.endsWith(end));

function* textsOf(file: string): Generator<string> {
	const text = readFileSync(file, 'utf8');
	if (file.endsWith('.md')) yield text;
	const nodes: ts.Node[] = [ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)];
	for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
		if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) yield node.text;
		if (ts.isTemplateMiddleOrTemplateTail(node)) yield node.text;
		node.forEachChild((child) => void nodes.push(child));
	}
}

const TEXTS = [
	...['', 'replace', 'other', 50, 0, false].map((value) => orDefault(value)),
	orDefault(10, true),
	...filesIn('docs', '.md').flatMap((file) => [...textsOf(file)]),
	...filesIn('nodes', '.ts').flatMap((file) => [...textsOf(file)]),
];
const ADVISED = [
	...new Set(TEXTS.flatMap((text) => text.match(/\{\{[^{}]*\$(?:json|now)\b[^{}]*\}\}/g) ?? [])),
].sort();

let evaluate: Awaited<ReturnType<typeof evaluatorOf>>;
beforeAll(async () => {
	evaluate = await evaluatorOf(workflowOf(root), 'legacy');
});

/** Values of a field that nobody has filled. */
const NOTHING = [undefined, null, '', 0, false];

const WITH_FALLBACK = ADVISED.filter((code) => /\|\||\?\?/.test(code));
const fieldsOf = (code: string) => [...code.matchAll(/\$json\.(\w+)/g)].map(([, field]) => field);

test('there are some, with and without something else for nothing', () => {
	expect(ADVISED.length).toBeGreaterThan(15);
	expect(WITH_FALLBACK.length).toBeGreaterThan(7);
});

test.each(ADVISED)('%s can be written so', (code) => {
	const item = Object.fromEntries(fieldsOf(code).map((field) => [field, '2030-12-24']));
	expect(() => evaluate(`=${code}`, item)).not.toThrow(/syntax/i);
});

describe.each(WITH_FALLBACK)('%s', (code) => {
	test.each(NOTHING)('gives something for %j', (value) => {
		const item: IDataObject = Object.fromEntries(fieldsOf(code).map((field) => [field, value]));
		const given = evaluate(`=${code}`, item);
		expect(given).toBeDefined();
		expect(given).not.toBeNull();
		expect(String(given)).not.toMatch(/undefined|null|NaN|Invalid|object/);
	});
});
