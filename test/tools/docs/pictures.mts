/** Each picture is on a page, and of the form or the workflow of today. */
import type { INodePropertyOptions } from 'n8n-workflow';
import { firstRows } from '../../operations.mts';
import { descriptions } from './descriptions.mts';
import { allPages, exists, filesIn, found, read } from './files.mts';
import {
	type Fingerprints,
	fingerprintOfForm,
	fingerprintOfWorkflow,
	IMAGES,
	readFingerprints,
} from './fingerprints.mts';

/** They show n8n's own list of executions, and the page that a phone gets. */
const OF_NO_FORM = ['retry.png', 'answer-page.png'];

/** @returns the mistakes */
export function checkPictures(): string[] {
	const fingerprints = readFingerprints();
	const pictures = filesIn(IMAGES, /\.png$/)
		.map((file) => file.slice(IMAGES.length + 1))
		// Taken for a look, and not kept.
		.filter((name) => !name.startsWith('forms/errors/'));
	const shown = allPages.flatMap((page) =>
		found(read(page), /!\[[^\]]+\]\((?:docs\/)?images\/([^)]+)\)/g),
	);
	const operations = firstRows.map(({ node, operation }) => `forms/${node}-${operation}.png`);
	const old = pictures.filter(
		(name) => !OF_NO_FORM.includes(name) && !isOfToday(fingerprints[name]),
	);
	return [
		...(old.length === 0
			? []
			: [`Of forms that have changed: npm run pictures -- ${old.join(' ')}\nLook at them.`]),
		...operations
			.filter((name) => !pictures.includes(name))
			.map((name) => `${IMAGES}/${name} is missing`),
		...pictures
			.filter((name) => name.startsWith('forms/') && !operations.includes(name))
			.map((name) => `${IMAGES}/${name} is of no operation`),
		...pictures
			.filter((name) => !shown.includes(name))
			.map((name) => `${IMAGES}/${name} is on no page`),
		...checkCaptions(),
	];
}

function isOfToday(entry: Fingerprints[string] | undefined): boolean {
	if (entry === undefined) return false;
	if ('workflow' in entry) {
		const isThere = exists(`workflows/${entry.workflow}`);
		return isThere && entry.fingerprint === fingerprintOfWorkflow(entry.workflow);
	}
	const description = descriptions[entry.node];
	return entry.fingerprint === fingerprintOfForm(description, entry.parameters);
}

/** docs/forms.md names the operation of each picture. */
function checkCaptions(): string[] {
	const page = read('docs/forms.md');
	return firstRows.flatMap(({ node, operation }) => {
		const { displayName, properties } = descriptions[node];
		const options = properties.find(({ name }) => name === 'operation')!
			.options as INodePropertyOptions[];
		const { name } = options.find(({ value }) => value === operation)!;
		const line = `![${displayName}: ${name}](images/forms/${node}-${operation}.png)`;
		return page.includes(line) ? [] : [`docs/forms.md lacks ${line}`];
	});
}
