import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { searchLists } from '../shared/lookups/searchLists';
import { Memory } from './cursor/memory';
import { sourcesOf } from './events';
import { lookAtAll, settle } from './looks';
import {
	logAll,
	notifyDamage,
	report,
	toError,
	toNothingError,
	toParameterError,
} from './problems';
import { EVENTS_IN_WORDS, properties } from './properties';
import { takeSamples } from './samples';
import { SmsService } from './service';
import { readSettings, type Settings } from './settings';

/** Polls for replies, STOPs, bounces, statuses, statistics and the balance. */
export class SmsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Trigger',
		name: 'smsTrigger',
		icon: {
			light: 'file:../shared/icons/smsTrigger.svg',
			dark: 'file:../shared/icons/smsTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: EVENTS_IN_WORDS,
		description:
			'Starts the workflow on SMS replies, STOPs, bounces, status and statistics changes, or low credits',
		defaults: { name: 'SMS Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'smsServiceApi', required: true, testedBy: 'smsServiceApiTest' }],
		properties,
	};

	methods = {
		credentialTest: { smsServiceApiTest },
		listSearch: { searchLists },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const settings = checkedSettings(this);
		const sources = sourcesOf(settings);
		const service = new SmsService(this);
		if (this.getMode() === 'manual') {
			const { items, failures } = await takeSamples(sources, service);
			if (items.length === 0 && failures.length > 0) throw await toError(this, failures);
			if (items.length === 0) throw toNothingError(this);
			await logAll(this, failures);
			return [items];
		}

		const memory = new Memory(this, this.getNode().credentials?.smsServiceApi?.id ?? '');
		const looks = await lookAtAll(sources, memory, service, settings);
		await logAll(this, looks.warnings);
		if (memory.isOvertaken) return null;

		const { items, states, baselines } = settle(looks, settings.maxItemsPerPoll, memory.turn);
		if (items.length > 0) memory.keepWithEvents(states);
		else memory.keepQuietly(states, baselines);

		if (looks.isDamaged) notifyDamage(this);
		if (items.length > 0) {
			await logAll(this, looks.failures);
			return [items];
		}
		if (looks.failures.length > 0) {
			const error = await toError(this, looks.failures);
			if (memory.mayFail(looks.isFutile) || !report(this, error)) throw error;
		}
		return null;
	}
}

/** @throws NodeOperationError for a parameter that has to be corrected */
function checkedSettings(context: IPollFunctions): Settings {
	try {
		return readSettings(context);
	} catch (error) {
		throw toParameterError(context, error);
	}
}
