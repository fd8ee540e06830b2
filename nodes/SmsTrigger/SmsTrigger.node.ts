import {
	NodeConnectionTypes,
	type IDataObject,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { searchLists } from '../shared/lookups/searchLists';
import { Memory } from './cursor/memory';
import { lookAtAll, settle } from './looks';
import {
	logAll,
	logEmpty,
	notifyBaseline,
	notifyDamage,
	notifyMove,
	notifySameId,
	tell,
	toParameterError,
} from './problems';
import { EVENTS_IN_WORDS, properties, readSettings, type Settings } from './properties';
import { takeSamples } from './samples';
import { SmsService } from './events/service';

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
		// n8n shows it for SMS and its trigger, which it merges into one entry of the node panel.
		description: 'Send SMS, and start workflows on replies, opt-outs and status changes',
		defaults: { name: 'SMS Trigger' },
		eventTriggerDescription: 'Waiting for an event of the SMS service',
		activationMessage: 'The workflow now polls the SMS service for what is new.',
		triggerPanel: {
			activationHint:
				"Once you publish the workflow, only what is new starts it, unless you turn on 'Also Emit What Is Already There' under Options.",
		},
		builderHint: {
			searchHint:
				"Starts a workflow, and sends nothing itself: to send, use the SMS node. It polls for what 'events' has: when someone replies to a text (reply), replies STOP (unsubscribed), has a number that does not exist (bounced), when a message is delivered or fails (statusChanged), when counters change (statisticsChanged), or as an alert when credits run low (creditsLow). It needs no public URL.",
			relatedNodes: [
				{ nodeType: 'n8n-nodes-sms-service.sms', relationHint: 'Sends the answer' },
				{
					nodeType: 'n8n-nodes-sms-service.smsBlacklist',
					relationHint: 'Keeps who opted out from being texted',
				},
			],
		},
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
		const service = await SmsService.open(this);
		const { sources, nothing, ...options } = checkedSettings(this, service.country);
		if (this.getMode() === 'manual') {
			return [received(await takeSamples(this, sources, nothing, service))];
		}

		notifySameId(this);
		const memory = new Memory(this, service.account);
		const looks = await lookAtAll(sources, memory, service, options);
		logAll(this, looks.warnings, service.clean);
		if (memory.isOvertaken) return null;

		const { items, states, baselines, served } = settle(looks, options.limit, memory);
		if (looks.isDamaged) notifyDamage(this, memory.laterVersion);
		if (looks.isMoved) notifyMove(this);
		if (memory.isNew) notifyBaseline(this, memory.isEmptied, options.emitExisting);
		logEmpty(this, looks.beginEmpty);
		const failure = tell(this, looks, memory, service.clean, items.length > 0);
		if (items.length > 0) {
			memory.keepWithEvents(states, served);
			return [received(items)];
		}
		memory.keepQuietly(states, baselines);
		if (failure) throw failure;
		return null;
	}
}

/** What people look at first in n8n's table; the IDs come after it. */
const FIRST = [
	'event',
	'number',
	'message',
	'intent',
	'state',
	'previousState',
	'credits',
	'threshold',
	'category',
	'receivedAt',
];

/** The same events, with the time of this poll: the service dates neither replies nor blacklists. */
function received(items: INodeExecutionData[]): INodeExecutionData[] {
	const receivedAt = new Date().toISOString();
	return items.map((item) => {
		const json: IDataObject = { ...item.json, receivedAt };
		const first = FIRST.filter((name) => name in json).map((name) => [name, json[name]]);
		return { ...item, json: { ...(Object.fromEntries(first) as IDataObject), ...json } };
	});
}

/** @throws NodeOperationError for a parameter that has to be corrected */
function checkedSettings(context: IPollFunctions, country: string): Settings {
	try {
		return readSettings(context, country);
	} catch (error) {
		throw toParameterError(context, error);
	}
}
