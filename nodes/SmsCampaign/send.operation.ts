import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	allowedHoursNow,
	departNow,
	departureAt,
	readSchedule,
} from '../shared/fields/allowedHours';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/guards';
import { inDoubt } from '../shared/run/unknown';
import { pickedField } from '../shared/lookups/byName';
import { testRunsField } from '../shared/lookups/testRuns';
import { SEND_TEST } from '../shared/service/campaigns';
import { readSwitch } from '../shared/service/choices';
import { countOf } from '../shared/service/countOf';
import { show } from '../shared/service/InputError';
import { aboutCampaign, readCampaignType, sendCampaign } from './campaign';
import { campaignLocatorField, campaignTypeField } from './campaignFields';
import { checkCampaign, LEFT, NOT_YET, stateOf } from './checks';

const sendAnyway: INodeProperties = {
	displayName: 'Send Without Checks',
	name: 'sendAnyway',
	type: 'boolean',
	default: false,
	description:
		"Whether to send the campaign even if it was sent before, its list is empty, the credits aren't enough for its list, or this can't be checked",
};

const refuseEmptyFields: INodeProperties = {
	displayName: 'Refuse Empty Fields',
	name: 'refuseEmptyFields',
	type: 'boolean',
	default: true,
	description:
		'Whether to refuse the campaign if a contact has no value for a column in its message, as in "Hello , your order is ready"',
};

const request = 'POST /v2/{campaignType}/campaigns/{campaignId}/send';

/** There is no way back. */
const sendsToAll: INodeProperties = {
	displayName: "Sends to every contact of the campaign's list, at once",
	name: 'sendsToAll',
	type: 'notice',
	default: '',
};

/** Sends a campaign to everybody on its list (extended). */
export const send = defineOperation({
	name: 'Send Campaign',
	value: 'send',
	action: 'Send campaign',
	description: 'Send a campaign to all contacts of its list',
	builderHint:
		'Use to send a campaign that exists to its whole list, for example after an approval. Give it the id that create returned.',
	fields: [campaignTypeField, campaignLocatorField, sendsToAll, testRunsField],
	options: [allowedHoursNow, refuseEmptyFields, sendAnyway],
	request,
	kind: 'send',
	prepare(item) {
		const { options } = item;
		const { timeZone, now, account, isManual, isTool } = item.run;
		const { campaignId } = aboutCampaign(item);
		const how = { timeZone, canWait: false, what: 'campaign' } as const;
		const schedule = readSchedule(options, how);
		const picked = pickedField('name', item.typed('campaign'), campaignId);
		const path = { campaignType: readCampaignType(item), campaignId };
		const sendsAnyway = readSwitch(options, 'sendAnyway', 'Send Without Checks');
		return {
			schedule,
			expired: departureAt(schedule, now).expired,
			path,
			/** Of a test to one number. */
			body: undefined as IDataObject | undefined,
			target: [campaignId],
			sendAnyway: sendsAnyway,
			refusesGaps: readSwitch(options, 'refuseEmptyFields', 'Refuse Empty Fields'),
			isWatched: isManual || isTool,
			resendUnknown: sendsAnyway,
			countryRule: account.countryRule,
			subject: 'name' in picked ? `'${picked.name}'` : campaignId,
			extra: { id: campaignId, ...picked },
			// A node runs once for each input item: without this, ten contacts would get it ten times.
			dedupeBy: [{ what: 'campaign', key: JSON.stringify(path) }],
		};
	},
	words: {
		verb: 'sent',
		ifUnknown: ({ sendAnyway }) =>
			sendAnyway
				? "'Send Without Checks' is on: a retry sends the campaign to its whole list, also to those who have got it."
				: undefined,
	},
	async check(campaign, client) {
		await checkCampaign(campaign, client);
		return campaign;
	},
	guards: () => ({ guards: [duplicates] }),
	// One person gets the campaign as a test instead.
	redirect: (prepared, number) => ({
		...prepared,
		body: { identifier: number },
	}),
	async execute({ path, body, schedule, subject }, client) {
		const endpoint = body === undefined ? request : SEND_TEST;
		const atStart = () => void departNow(schedule);
		const sent = await sendCampaign({ endpoint, path, body, atStart }, client);
		if (body === undefined) {
			const credits = countOf(Number(sent.creditsUsed), 'credit');
			client.note(`The campaign ${subject} was sent to its list. ${credits} used.`);
		}
		return sent;
	},
	/** Its state tells. 'Send Without Checks' doesn't ask for it. */
	async lookUp({ path, subject, sendAnyway }, client) {
		if (sendAnyway) return 'absent';
		const state = await stateOf(path, client);
		if (state === undefined || state === '')
			return inDoubt(`the account doesn't show the state of the campaign ${subject}`);
		if (LEFT.test(state)) return { value: { status: 'sent', state } };
		if (NOT_YET.test(state)) return 'absent';
		return inDoubt(
			`the state of the campaign ${subject}, ${show(state)}, doesn't tell whether it was sent`,
		);
	},
});
