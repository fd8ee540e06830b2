import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
} from 'n8n-workflow';
import { collectionOf } from '../shared/http/collectionOf';
import { ask } from '../shared/lookups/ask';
import { pageByName } from '../shared/lookups/byName';
import { asId } from '../shared/service/answers';
import { asCampaign, CAMPAIGNS } from '../shared/service/campaigns';
import { isMissingPath } from '../shared/service/errorCodes';

/**
 * The account's campaigns for the dropdown, by name (extended).
 *
 * @throws NodeApiError; NodeOperationError that says to give the ID where the account can't list them
 */
export async function searchCampaigns(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const read = collectionOf(asCampaign);
	const { records } = await ask(this, { endpoint: CAMPAIGNS }, read, (failure) => {
		if (!isMissingPath(failure)) return undefined;
		throw new NodeOperationError(
			this.getNode(),
			"Your account can't list its campaigns. Choose 'By ID' and enter the ID.",
			{ description: "The operation 'Create Campaign' gives the ID of a campaign." },
		);
	});
	const day = new Intl.DateTimeFormat('en-GB', {
		dateStyle: 'medium',
		timeZone: this.getTimezone(),
	});
	return pageByName(
		records.map(({ id, name, state, date }) => {
			const states = typeof state === 'string' ? [state] : [];
			const dates = typeof date === 'number' ? [day.format(date)] : [];
			return {
				id,
				name: asId(name) ?? id,
				marks: [...dates, ...states],
				description: states[0],
			};
		}),
		filter,
		paginationToken,
	);
}
