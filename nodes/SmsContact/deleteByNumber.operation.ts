import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { eachSpelling } from '../shared/run/bySpelling';
import { defineOperation } from '../shared/run/define';
import { readChoice, readOption } from '../shared/service/choices';
import { listPath } from '../shared/service/lists';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';

const SEGMENTS = ['auto', 'contacts', 'contact'] as const;

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
		const identifier = parseNumber(item.parameter('number'), { country: item.country });
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
	async carryOut({ listId, identifier, segment }, requests) {
		// The interface document shows the path in two spellings (4.5); the plural one is the default.
		const segments = segment === 'auto' ? (['contacts', 'contact'] as const) : [segment];
		const paths = segments.map((spelling) => listPath(listId, `/${spelling}`));
		const search = eachSpelling(identifier, paths);
		return { deleted: await requests.delete({ url: paths[0], search }, readNothing) };
	},
	howToFindOut: ({ subject }) =>
		`The operation Get Many tells whether ${subject} is still in the list. A retry deletes it if it is.`,
});
