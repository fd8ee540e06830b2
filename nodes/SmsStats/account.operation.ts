import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readAccountStatistics } from '../shared/service/account';

/** Counters and credits of the whole account (interface document 2.10, 4.6). */
export const account: Operation = {
	option: {
		name: 'Get Account Statistics',
		value: 'account',
		action: 'Get account statistics',
		description:
			'Retrieve the credits that are left and how many messages the whole account has sent',
		routing: routed({
			method: 'GET',
			url: '/v2/account/stats',
			prepare: () => ({}),
			read: (body) => readAccountStatistics(body) as IDataObject | undefined,
		}),
	},
	fields: [optionsField(paceOptions)],
};
