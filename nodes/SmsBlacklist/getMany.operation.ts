import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { blacklistPath, parseBlacklist, readEntries } from '../shared/service/blacklists';
import { readSwitch } from '../shared/service/choices';
import { blacklistField } from './fields';

/** Interface document 4.1, "Get entries". */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many numbers of blacklist',
		description: 'Retrieve the phone numbers on a blacklist',
	},
	fields: [
		blacklistField,
		...limitFields,
		optionsField([
			{
				displayName: 'Include Deleted',
				name: 'includeDeleted',
				type: 'boolean',
				default: false,
				description:
					'Whether to include entries that the service marks as deleted: they no longer keep messages from being sent',
			},
		]),
	],
};

/** A custom operation: the service answers all entries at once, and n8n's router crashes on many. */
export async function getManyItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) => ({
			url: blacklistPath(parseBlacklist(context.getNodeParameter('blacklist', index))),
			limit: readLimit(
				context.getNodeParameter('returnAll', index, false),
				context.getNodeParameter('limit', index, 50),
			),
			includeDeleted: readSwitch(
				context.getNodeParameter('options', index, {}) as IDataObject,
				'includeDeleted',
				'Include Deleted',
			),
		}),
		async run({ url, limit, includeDeleted }, requests, index) {
			const entries = await requests.step('entries', { method: 'GET', url }, readEntries);
			const wanted = includeDeleted ? entries : entries.filter(({ deleted }) => !deleted);
			return await toItems(wanted.slice(0, limit), index, (entry) => ({ ...entry }));
		},
	});
}
