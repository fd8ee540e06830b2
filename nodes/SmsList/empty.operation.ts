import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { listPath } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

/** Extended: POST /v2/lists/<list_id>/empty (public facts). */
export const empty = defineOperation({
	name: 'Empty',
	value: 'empty',
	action: 'Empty list',
	description:
		'Delete all contacts of a list permanently and keep the list with its columns. Not available on every account.',
	fields: [listLocatorField, ...settingsFields({ delivery: [repeatUnknown, ...paceOptions] })],
	request: { method: 'POST', url: listPath('list', '/empty') },
	madeOf: ['list'],
	deed: 'emptied',
	prepare(item) {
		const id = readListId(item);
		return {
			url: listPath(id, '/empty'),
			essence: [id],
			subject: id,
			extra: { id },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	async carryOut({ url }, requests) {
		// Not repeated by a later try: contacts that came since would be deleted too.
		await requests.change({ method: 'POST', url, repeatsAtOnce: true }, readNothing);
		return { emptied: true };
	},
	howToFindOut: () =>
		"Look at the list with SMS Contact, operation Get Many. If it is not empty, run this again with 'Repeat if Unknown' under Delivery Settings turned on.",
});
