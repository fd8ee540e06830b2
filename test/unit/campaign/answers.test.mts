/** Answers about campaigns, most of them from public facts only, read with some leniency. */
import { expect, test } from 'vitest';
import {
	asCampaign,
	readCampaigns,
	readCampaignStatistics,
	readCreditsUsed,
} from '../../../nodes/shared/service/campaigns.ts';

const READERS = { asCampaign, readCampaigns, readCampaignStatistics, readCreditsUsed };

/** The public sample. */
const SAMPLE = {
	...{ bounces: 130, creditsUsed: 2000, delivered: 1752, errors: 118, id: '5ea1' },
	...{ name: 'Summer sale', replies: 1, sent: 2000, state: 'SENT' },
	...{ submitted: 1977, undelivered: 248 },
};

test.each<[reader: keyof typeof READERS, body: unknown, result: unknown]>([
	['asCampaign', { id: '5ea1' }, { id: '5ea1' }],
	['asCampaign', { campaignId: 7, state: 'SENT' }, { state: 'SENT', id: '7' }],
	['asCampaign', { id: '', campaignId: 'c' }, { id: 'c' }],
	['asCampaign', [{ id: 1 }], undefined],
	['asCampaign', { id: 'a', date: '1768467600000' }, { id: 'a', date: 1768467600000 }],
	['asCampaign', { id: 'a', totalCredits: '1.5' }, { id: 'a', totalCredits: 1.5 }],
	['asCampaign', { id: 'a', date: 'tomorrow' }, { id: 'a', date: 'tomorrow' }],
	['asCampaign', { id: 'a', totalCredits: null }, { id: 'a', totalCredits: null }],
	['asCampaign', { id: null }, undefined],
	['asCampaign', { name: 'x' }, undefined],
	['asCampaign', [], undefined],
	['readCampaigns', [], []],
	['readCampaigns', [{ id: 1 }, { campaignId: 'b' }], [{ id: '1' }, { id: 'b' }]],
	['readCampaigns', { id: 1 }, undefined],
	['readCampaigns', [{ id: 1 }, {}, null], [{ id: '1' }]],
	['readCampaigns', [{}], undefined],
	['readCampaigns', [[{ id: 1 }]], undefined],
	['readCampaigns', undefined, undefined],
	['readCreditsUsed', { creditsUsed: 26146.0 }, { creditsUsed: 26146 }],
	['readCreditsUsed', { creditsUsed: '1.5' }, { creditsUsed: 1.5 }],
	['readCreditsUsed', { creditsUsed: 0 }, { creditsUsed: 0 }],
	['readCreditsUsed', {}, undefined],
	['readCreditsUsed', { creditsUsed: 'some' }, undefined],
	['readCreditsUsed', { creditsUsed: -1 }, undefined],
	['readCampaignStatistics', SAMPLE, SAMPLE],
	['readCampaignStatistics', { sent: '3' }, { sent: 3 }],
	['readCampaignStatistics', { state: 'SENT' }, undefined],
	['readCampaignStatistics', { sent: 1, errors: 'x' }, undefined],
	['readCampaignStatistics', '<html>', undefined],
])('%s: %j', (reader, body, result) => {
	expect(READERS[reader](body)).toEqual(result);
});
