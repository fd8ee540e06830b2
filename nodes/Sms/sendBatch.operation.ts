import { defineOperation } from '../shared/run/define';
import type { End, OpenEntry } from '../shared/run/operation';
import { invalidForAll } from '../shared/run/outcome';
import { RESULT_FIELD } from '../shared/run/results';
import { isOn, readOptionChoice, readSwitch, type Options } from '../shared/service/choices';
import { InputError } from '../shared/service/InputError';
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
	fields: sendFields,
	...batchSettings,
	carriesOn: true,
	isBatch: true,
	compare(entries, client, end) {
		refuseField(entries, end);
		shared.compare(entries, client, end);
	},
	prepare(item) {
		checkOptions(item.options);
		return shared.prepare(item);
	},
});

/** @throws InputError for what only an expression can give */
function checkOptions(options: Options): void {
	readOptionChoice(options, 'invalidItems', ['report', 'stop'], 'Invalid Items');
	readSwitch(options, 'includeInputFields', 'Include Input Fields');
	readSwitch(options, 'failIfIncomplete', 'Fail if Any Is Missing');
}

/** The result has a field of its own beside those of the row, which none of them may be. */
function refuseField(entries: ReadonlyArray<OpenEntry<Message>>, end: End): void {
	const taken = entries.find(
		({ item }) => isOn(item.options.includeInputFields) && RESULT_FIELD in item.json,
	);
	if (taken === undefined) return;
	const refusal = invalidForAll(
		new InputError(
			`The input items have a field '${RESULT_FIELD}', in which 'Include Input Fields' puts the result`,
			'Rename that field, for example with an Edit Fields node before this one, or remove the option.',
		),
	);
	for (const entry of entries) end(entry, refusal);
}
