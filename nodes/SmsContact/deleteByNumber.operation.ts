import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import type { Failure } from '../shared/http/failure';
import { defineOperation } from '../shared/run/define';
import { StepFailed } from '../shared/run/outcome';
import type { Requests } from '../shared/run/Requests';
import { readChoice, readOption } from '../shared/service/choices';
import { isAboutPath } from '../shared/service/errorCodes';
import { listPath } from '../shared/service/lists';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';

const SEGMENTS = ['auto', 'contacts', 'contact'] as const;

interface Deletion {
	listId: string;
	identifier: string;
	segment: (typeof SEGMENTS)[number];
}

/** Interface document 4.5, "Delete a contact by number". */
export const deleteByNumber = defineOperation({
	name: 'Delete by Number',
	value: 'deleteByNumber',
	action: 'Delete contact by number',
	description: 'Delete the contact with a phone number from a list permanently',
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
	request: { method: 'DELETE', url: listPath('list', '/contacts') },
	madeOf: ['list', 'number'],
	deed: 'deleted',
	prepare(item) {
		const listId = readListId(item);
		const identifier = parseNumber(item.parameter('number'));
		const segment = readOption(item.options, 'pathSegment', 'Path Segment') ?? 'auto';
		return {
			listId,
			identifier,
			segment: readChoice(segment, SEGMENTS, 'Path Segment'),
			essence: [listId, canonicalNumber(identifier)],
			subject: identifier,
			extra: { identifier, listId },
		};
	},
	async carryOut(deletion, requests) {
		await remove(deletion, requests);
		return { deleted: true };
	},
	howToFindOut: ({ subject }) =>
		`The operation Get Many tells whether ${subject} is still in the list. A retry deletes it if it is.`,
});

/**
 * The interface document shows the path in two spellings (4.5). The plural one is the default; where
 * the service has no such path, the singular one is tried.
 */
async function remove(
	{ listId, identifier, segment }: Deletion,
	requests: Requests,
): Promise<void> {
	const at = (spelling: string) => ({
		url: listPath(listId, `/${spelling}`),
		qs: { identifier },
	});
	if (segment !== 'auto') {
		await requests.delete(at(segment), readNothing);
		return;
	}
	const plural = { ...at('contacts'), expected: isMissingPath };
	await requests.delete(plural, readNothing).catch(async (error: unknown) => {
		if (!(error instanceof StepFailed && isMissingPath(error.failure))) throw error;
		await requests.delete(at('contact'), readNothing);
	});
}

/** A missing path has no error code of the service; a contact that isn't there is no missing path. */
function isMissingPath({ httpCode, code, said }: Failure): boolean {
	if (code !== undefined || (httpCode !== 404 && httpCode !== 405)) return false;
	return said === undefined || isAboutPath(said);
}
