import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { readOptionChoice, readSwitch, type Options } from '../shared/service/choices';
import { batchSettings, sendFields } from './fields';
import type { Message } from './message';
import { sendingMany } from './sending';

const shared = sendingMany(true);

/** Many SMS in one go, one outcome for each (interface document 4.3). */
export const sendBatch = defineOperation<Message>({
	...shared,
	name: 'Send SMS in Batch',
	value: 'sendBatch',
	action: 'Send SMS in batch',
	description:
		'Send one SMS per item. Carries on after problems and reports the outcome of each item.',
	builderHint:
		"Use to text everyone in a sheet, table or database: all rows go in at once, without a Loop Over Items node. Each row gets an outcome to write back. Set 'Once Key' to an ID so that nobody is texted twice, and 'Skip Blacklisted Numbers' for marketing.",
	fields: [...sendFields, ...settingsFields(batchSettings)],
	isBatch: true,
	prepare(item) {
		checkOptions(item.options);
		return shared.prepare(item);
	},
});

/** @throws InputError for what only an expression can give */
function checkOptions(options: Options): void {
	readOptionChoice(options, 'invalidItems', ['report', 'stop'], 'Invalid Items');
	readSwitch(options, 'includeInputFields', 'Include Input Fields');
}
