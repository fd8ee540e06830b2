/** Answers about campaigns, most of them from public facts only, read with some leniency. */
import { describe, expect, test } from 'vitest';
import {
	readCampaign,
	readCampaigns,
	readCampaignStatistics,
	readCreditsUsed,
} from '../../../nodes/shared/service/campaigns.ts';

test.each<[body: unknown, campaign: object | undefined]>([
	[{ id: '5ea1' }, { id: '5ea1' }],
	[
		{ campaignId: 7, state: 'SENT' },
		{ state: 'SENT', id: '7' },
	],
	[{ id: '', campaignId: 'c' }, { id: 'c' }],
	[[{ id: 1 }], { id: '1' }],
	[
		{ id: 'a', date: '1768467600000', totalCredits: '1.5' },
		{ id: 'a', date: 1768467600000, totalCredits: 1.5 },
	],
	[
		{ id: 'a', date: 'tomorrow', totalCredits: null },
		{ id: 'a', date: 'tomorrow', totalCredits: null },
	],
	[{ id: null }, undefined],
	[{ name: 'x' }, undefined],
	['5ea1', undefined],
	[null, undefined],
	[[], undefined],
])('a campaign: %j', (body, campaign) => {
	expect(readCampaign(body)).toEqual(campaign);
});

test.each<[body: unknown, campaigns: object[] | undefined]>([
	[[], []],
	[
		[{ id: 1 }, { campaignId: 'b' }],
		[{ id: '1' }, { id: 'b' }],
	],
	[{ id: 1 }, [{ id: '1' }]],
	[[{ id: 1 }, {}, null], [{ id: '1' }]],
	[[{}], undefined],
	[[[{ id: 1 }]], undefined],
	['', undefined],
	[undefined, undefined],
])('campaigns: %j', (body, campaigns) => {
	expect(readCampaigns(body)).toEqual(campaigns);
});

test.each<[body: unknown, credits: object | undefined]>([
	[{ creditsUsed: 26146.0 }, { creditsUsed: 26146 }],
	[{ creditsUsed: '1.5' }, { creditsUsed: 1.5 }],
	[{ creditsUsed: 0 }, { creditsUsed: 0 }],
	[{}, undefined],
	[{ creditsUsed: 'some' }, undefined],
	[{ creditsUsed: -1 }, undefined],
	['OK', undefined],
])('credits used: %j', (body, credits) => {
	expect(readCreditsUsed(body)).toEqual(credits);
});

describe('statistics', () => {
	test('the public sample', () => {
		const sample = {
			bounces: 130,
			creditsUsed: 2000,
			delivered: 1752,
			errors: 118,
			id: '5ea1',
			name: 'Summer sale',
			replies: 1,
			sent: 2000,
			state: 'SENT',
			submitted: 1977,
			undelivered: 248,
		};
		expect(readCampaignStatistics(sample)).toEqual(sample);
	});

	test.each<[body: unknown, statistics: object | undefined]>([
		[{ sent: '3' }, { sent: 3 }],
		[[{ sent: 3 }], { sent: 3 }],
		[{ state: 'SENT' }, undefined],
		[{ sent: 1, errors: 'x' }, undefined],
		['<html>', undefined],
	])('%j', (body, statistics) => {
		expect(readCampaignStatistics(body)).toEqual(statistics);
	});
});
