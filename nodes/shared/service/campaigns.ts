import { asId, asNumber, asObject, readNumbers } from './answers';

/** A campaign as the service answers with it; its record is "not shown" (interface document 2.5). */
export interface Campaign {
	id: string;
	[other: string]: unknown;
}

/** A campaign, or the answer to its creation: its ID is under `id`, or under `campaignId`. */
export function readCampaign(body: unknown): Campaign | undefined {
	const fields = asObject(body);
	const id = asId(fields?.id) ?? asId(fields?.campaignId);
	return id === undefined ? undefined : { ...fields, id };
}

/** All campaigns (extended); undefined unless each has an ID. One may come without the array. */
export function readCampaigns(body: unknown): Campaign[] | undefined {
	const campaigns: Campaign[] = [];
	for (const item of Array.isArray(body) ? (body as unknown[]) : [body]) {
		const campaign = Array.isArray(item) ? undefined : readCampaign(item);
		if (campaign === undefined) return undefined;
		campaigns.push(campaign);
	}
	return campaigns;
}

/** What the service answers to a send or a test send of a campaign (extended). */
export function readCreditsUsed(body: unknown): { creditsUsed: number } | undefined {
	const fields = asObject(body);
	const creditsUsed = asNumber(fields?.creditsUsed);
	return creditsUsed === undefined ? undefined : { ...fields, creditsUsed };
}

const COUNTERS = [
	'bounces',
	'creditsUsed',
	'delivered',
	'errors',
	'replies',
	'sent',
	'submitted',
	'undelivered',
];

/** The counters of a campaign (extended): an object with at least one of them, each a number. */
export function readCampaignStatistics(body: unknown): Record<string, unknown> | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const counters = readNumbers(fields, COUNTERS);
	if (counters === undefined || Object.keys(counters).length === 0) return undefined;
	return { ...fields, ...counters };
}
