import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { outcomes } from '../shared/run/outcomes';
import { batchSettings, sendFields } from './fields';
import { sendingMany, type JsonMessage } from './sending';
import { readRunSettings } from './settings';

/** Many SMS in one go, one outcome for each (interface document 4.3). */
export const sendBatch = defineOperation<JsonMessage>({
	...sendingMany(true),
	name: 'Send Batch',
	value: 'sendBatch',
	action: 'Send batch of SMS',
	description:
		'Send hundreds to tens of thousands of SMS, one for each item, and get an outcome for each of them',
	fields: [...sendFields, ...settingsFields(batchSettings)],
	policy: { ...outcomes, settings: readRunSettings },
});
