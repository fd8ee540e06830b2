import type { IDataObject } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import type { Failure } from '../shared/http/failure';
import type { Prepared } from '../shared/run/RoutedOperation';
import { routed } from '../shared/run/routing';
import { StepFailed, type Steps } from '../shared/run/steps';
import { readChoice, readOption } from '../shared/service/choices';
import { isAboutPath } from '../shared/service/errorCodes';
import { listPath, LISTS_PATH } from '../shared/service/lists';
import { parseNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';

const SEGMENTS = ['auto', 'contacts', 'contact'] as const;

interface Deletion extends Prepared {
	listId: string;
	identifier: string;
	segment: (typeof SEGMENTS)[number];
}

/** Interface document 4.5, "Delete a contact by number". */
export const deleteByNumber: Operation = {
	option: {
		name: 'Delete by Number',
		value: 'deleteByNumber',
		action: 'Delete contact by number',
		description: 'Delete the contact with a phone number from a list permanently',
		routing: routed<unknown, Deletion>({
			method: 'DELETE',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				const identifier = parseNumber(this.getNodeParameter('number'));
				const options = this.getNodeParameter('options', {}) as IDataObject;
				const segment = readOption(options, 'pathSegment', 'Path Segment') ?? 'auto';
				return {
					listId,
					identifier,
					segment: readChoice(segment, SEGMENTS, 'Path Segment'),
					subject: identifier,
					extra: { identifier, listId },
				};
			},
			async steps(deletion, requests) {
				await remove(deletion, requests);
				return { deleted: true };
			},
		}),
	},
	fields: [
		listLocatorField,
		numberField,
		optionsField([
			...paceOptions,
			{
				displayName: 'Path Segment',
				name: 'pathSegment',
				type: 'options',
				options: [
					{
						name: 'Automatic',
						value: 'auto',
						description: 'Plural, then singular where the plural does not exist',
					},
					{ name: 'Contact (Singular)', value: 'contact' },
					{ name: 'Contacts (Plural)', value: 'contacts' },
				],
				default: 'auto',
				description:
					'How the address of this request is spelled. Change it only if the service asks for it.',
			},
		]),
	],
};

/**
 * The interface document shows the path in two spellings (4.5). The plural one is the default; where
 * the service has no such path, the singular one is tried.
 */
async function remove({ listId, identifier, segment }: Deletion, requests: Steps): Promise<void> {
	const request = (spelling: string) => ({
		method: 'DELETE' as const,
		url: listPath(listId, `/${spelling}`),
		qs: { identifier },
	});
	if (segment !== 'auto') {
		await requests.step(segment, request(segment), readNothing);
		return;
	}
	const plural = requests.step('plural', request('contacts'), readNothing, isMissingPath);
	await plural.catch(async (error: unknown) => {
		if (!(error instanceof StepFailed && isMissingPath(error.failure))) throw error;
		await requests.step('singular', request('contact'), readNothing);
	});
}

/** A missing path has no error code of the service; a contact that isn't there is no missing path. */
function isMissingPath({ httpCode, code, said }: Failure): boolean {
	if (code !== undefined || (httpCode !== 404 && httpCode !== 405)) return false;
	return said === undefined || isAboutPath(said);
}
