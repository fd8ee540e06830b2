import {
	asCredits,
	asId,
	asObject,
	only,
	readCounters,
	readNumbers,
	withIds,
	without,
	type Fields,
} from './answers';
import type { Endpoint } from './endpoint';

/** Extended (public facts). */
export const CAMPAIGNS: Endpoint = 'GET /v2/campaigns';
export const CAMPAIGN: Endpoint = 'GET /v2/campaigns/{campaignId}';
export const CAMPAIGN_STATUS: Endpoint = 'GET /v2/campaigns/{campaignId}/status';
export const SEND_TEST: Endpoint = 'POST /v2/{campaignType}/campaigns/{campaignId}/test';

/** A campaign as the service answers with it; its record is "not shown" (interface document 2.5). */
export interface Campaign {
	id: string;
	[other: string]: unknown;
}

/** The fields of a campaign that are times. */
export const CAMPAIGN_TIMES = ['date'] as const;

/**
 * A campaign, or the answer to its creation: its ID is under `id`, or under `campaignId`, and is `id` here.
 */
export function asCampaign(body: unknown): Campaign | undefined {
	const fields = asObject(body);
	const campaignId = asId(fields?.campaignId);
	const id = asId(fields?.id) ?? campaignId;
	if (fields === undefined || id === undefined) return undefined;
	const another = campaignId === undefined || campaignId === id ? {} : { campaignId };
	const numbers = readNumbers(fields, [...CAMPAIGN_TIMES, 'totalCredits']) ?? {};
	return { id, ...without(fields, ['id', 'campaignId']), ...another, ...numbers };
}

/** Fields of a campaign that people look at first. */
const FIRST = ['state', 'id', 'name'] as const;

/** As results have it: its list and its sender are called what the form and other results call them. */
export function shownCampaign({ sendList, sourceAddress, ...fields }: Campaign): Fields {
	const list = asObject(sendList);
	const listId = asId(list?.id);
	const isOnlyId = listId !== undefined && Object.keys(list!).length === 1;
	return {
		...only(fields, FIRST),
		...fields,
		...(listId === undefined ? {} : { listId }),
		...(sendList === undefined || isOnlyId ? {} : { sendList }),
		...(sourceAddress === undefined ? {} : { sender: sourceAddress }),
	};
}

/**
 * Reads the answer to a send or a test send of a campaign (extended). The credits are all that
 * shows that it was accepted.
 */
export function readCreditsUsed(body: unknown): { creditsUsed: number } | undefined {
	const fields = asObject(body);
	const creditsUsed = asCredits(fields?.creditsUsed);
	return creditsUsed === undefined ? undefined : { ...fields, creditsUsed };
}

/** The counters of a campaign (extended). */
const CAMPAIGN_COUNTERS = [
	'bounces',
	'creditsUsed',
	'delivered',
	'errors',
	'replies',
	'sent',
	'submitted',
	'undelivered',
] as const;

/** The counters of a campaign (extended): an object with at least one of them, each a number. */
export function readCampaignStatistics(body: unknown) {
	const statistics = readCounters(body, CAMPAIGN_COUNTERS);
	return statistics && withIds(statistics, ['id', 'campaignId']);
}
