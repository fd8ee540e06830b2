/** The pictures of the forms in the docs are those of the forms of today. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { labelsOf, shownFields } from '../harness/form.mts';
import { firstRows } from '../operations.mts';

const folder = resolve(import.meta.dirname, '../../docs/images/forms');
const labels: Record<string, string[]> = JSON.parse(
	await readFile(join(folder, 'labels.json'), 'utf8'),
);

describe('the pictures of the forms', () => {
	test.each(firstRows)('$node $operation has the fields of the form', (row) => {
		const { node, operation, parameters } = row;
		const fields = shownFields(descriptions[node], { ...parameters, operation });
		expect(labels[`${node}-${operation}`]).toEqual(labelsOf(fields));
	});

	test('are all there, and no others', async () => {
		const files = (await readdir(folder)).filter((name) => name.endsWith('.png'));
		expect(files.sort()).toEqual(
			firstRows.map(({ node, operation }) => `${node}-${operation}.png`).sort(),
		);
	});
});
