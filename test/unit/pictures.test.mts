/** The pictures of the forms in the docs are those of the forms of today. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { captionOf, labelsOf, shownFields } from '../harness/form.mts';
import { firstRows } from '../operations.mts';

const docs = resolve(import.meta.dirname, '../../docs');
const page = await readFile(join(docs, 'forms.md'), 'utf8');

describe('the pictures of the forms', () => {
	test.each(firstRows)('$node $operation has the fields of the form', (row) => {
		const { node, operation, parameters } = row;
		const fields = shownFields(descriptions[node], { ...parameters, operation });
		const caption = captionOf(descriptions[node], operation, labelsOf(fields));
		expect(page.split('\n')).toContain(`![${caption}](images/forms/${node}-${operation}.png)`);
	});

	test('are all there, and no others', async () => {
		const files = (await readdir(join(docs, 'images/forms'))).filter((name) =>
			name.endsWith('.png'),
		);
		expect(files.sort()).toEqual(
			firstRows.map(({ node, operation }) => `${node}-${operation}.png`).sort(),
		);
	});
});
